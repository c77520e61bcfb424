# SPDX-License-Identifier: GPL-2.0
"""Write initramfs archives (cpio newc). Linux unpacks several, one after the other."""

import os
import stat
from pathlib import PurePosixPath


class Tree:
    """Files of an image: what is added later replaces what was there."""

    def __init__(self):
        self.entries = {}       # path without leading slash -> (mode, data or host path)

    def _parents(self, path):
        for p in reversed(PurePosixPath(path).parents):
            if str(p) not in ('.', '/'):
                self.entries.setdefault(str(p), (stat.S_IFDIR | 0o755, b''))

    def _put(self, path, mode, content):
        path = str(path).lstrip('/')
        self._parents(path)
        self.entries[path] = (mode, content)

    def __contains__(self, path):
        return str(path).lstrip('/') in self.entries

    def directory(self, path, mode=0o755):
        self._put(path, stat.S_IFDIR | mode, b'')

    def link(self, path, target):
        self._put(path, stat.S_IFLNK | 0o777, target.encode())

    def text(self, path, text, mode=0o644):
        self._put(path, stat.S_IFREG | mode, text.encode() if isinstance(text, str) else text)

    def device(self, path, mode, major, minor):
        self._put(path, stat.S_IFCHR | mode, (major, minor))

    def file(self, path, source, mode=None):
        """A host file; links are followed."""
        m = os.stat(source).st_mode
        self._put(path, stat.S_IFREG | (stat.S_IMODE(m) if mode is None else mode), source)

    def copy(self, path, source, skip=lambda p: False):
        """A host directory with all that is below it."""
        for base, dirs, files in os.walk(source):
            dirs.sort()
            rel = os.path.relpath(base, source)
            to = path if rel == '.' else f'{path}/{rel}'
            self.directory(to)
            for name in sorted(files + [d for d in dirs if os.path.islink(f'{base}/{d}')]):
                src = f'{base}/{name}'
                if skip(src):
                    continue
                if os.path.islink(src):
                    self.link(f'{to}/{name}', os.readlink(src))
                elif os.path.isfile(src):
                    self.file(f'{to}/{name}', src)

    def write(self, out):
        """Append the archive to a binary file object, 4-byte aligned at its start."""
        w = Writer(out)
        for path in sorted(self.entries):
            mode, content = self.entries[path]
            dev = (0, 0)
            if stat.S_ISCHR(mode):
                dev, content = content, b''
            elif not isinstance(content, bytes):
                with open(content, 'rb') as f:
                    content = f.read()
            w.entry(path, mode, content, dev)
        w.end()


class Writer:
    def __init__(self, out):
        self.out = out
        self.ino = 0
        self.n = 0

    def _put(self, data):
        self.out.write(data)
        pad = -len(data) % 4
        self.out.write(b'\0' * pad)
        self.n += len(data) + pad

    def entry(self, path, mode, data, dev=(0, 0)):
        name = path.encode() + b'\0'
        self.ino += 1
        nlink = 2 if stat.S_ISDIR(mode) else 1
        fields = (self.ino, mode, 0, 0, nlink, 0, len(data), 0, 0, *dev, len(name), 0)
        self._put(b'070701' + b''.join(b'%08X' % f for f in fields) + name)
        self._put(data)

    def end(self):
        self.ino = -1
        self.entry('TRAILER!!!', 0, b'')
        self.out.write(b'\0' * (-self.n % 512))


def concatenate(out, *parts):
    """Join archives: each host path or bytes, padded so that the next is aligned."""
    for part in parts:
        if not isinstance(part, bytes):
            with open(part, 'rb') as f:
                part = f.read()
        out.write(part)
        out.write(b'\0' * (-len(part) % 512))
