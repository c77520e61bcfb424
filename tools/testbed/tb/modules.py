# SPDX-License-Identifier: GPL-2.0
"""Build pvnet's modules for a kernel, in a chroot of that kernel's suite."""

import os
import re
import shutil
import subprocess
from hashlib import sha256

from .host import BUILD, TOP, Error, locked, say

MODULES = ('pvnet-core', 'pvnet-front', 'pvnet-back')
SOURCES = ('Makefile', 'Kbuild', 'Kconfig', 'drivers', 'include')
# The trees: one per checkout, kernel and way of building, as objects are not shared
SPARSE = ('C=2', 'CF=-D__CHECK_ENDIAN__', 'W=1')
BAD = re.compile(r'(warning|error):|: \*\*\*|WARNING:')


def sync(src, dst):
    """Copy what changed, with its times; remove what the source no longer has (but no objects)."""
    if src.is_file():
        st = src.stat()
        if not dst.exists() or (dst.stat().st_mtime_ns, dst.stat().st_size) != (st.st_mtime_ns, st.st_size):
            dst.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(src, dst)
        return
    names = {p.name for p in src.iterdir() if not generated(p.name)}
    for name in names:
        sync(src / name, dst / name)
    for old in dst.iterdir() if dst.exists() else ():
        if old.name not in names and not generated(old.name):
            shutil.rmtree(old) if old.is_dir() else old.unlink()


def generated(name):
    return name.startswith('.') or name in ('modules.order', 'Module.symvers') or \
        name.endswith(('.o', '.ko', '.mod', '.mod.c', '.a', '.cmd'))


def copy_sources(dst):
    for name in SOURCES:
        if (TOP / name).exists():
            sync(TOP / name, dst / name)
    if not (dst / 'drivers').is_dir():
        raise Error(f'{TOP} has no drivers to build')


def make_command(dst, kdir, flags):
    """By the tree's own Makefile where it has one, so that its rules hold here too."""
    if (dst / 'Makefile').exists():
        return ['make', '-C', '/' + str(dst.relative_to(dst.anchor)), f'KDIR={kdir}', 'modules', *flags]
    return ['make', '-C', kdir, f'M={dst}/drivers', 'modules', *flags]


def build(suite, kernel, sparse=False, wanted=(), into=None):
    """Build the modules; returns {name: path}, at least the wanted.

    With sparse, any warning is an error. A run has them put into a directory of its
    own, as another may build from a tree that has changed meanwhile.
    """
    root, kdir = kernel.toolchain()
    tag = f'{suite.name}-{kernel.name}' if kernel.name == 'stock' else kernel.name
    ident = sha256(str(TOP).encode()).hexdigest()[:8]
    inside = f'/src/{ident}-{tag}' + ('-sparse' if sparse else '')
    dst = root / inside.lstrip('/')
    out = into or BUILD / 'modules' / tag
    with locked(dst.with_suffix('.lock')):
        copy_sources(dst)
        if sparse:      # all files must be looked at again
            for obj in dst.rglob('*.o'):
                obj.unlink()
        cmd = [c.replace(str(root), '') for c in make_command(dst, kdir, SPARSE if sparse else ('W=1',))]
        r = subprocess.run(['chroot', root, 'env', '-i', 'PATH=/usr/sbin:/usr/bin:/sbin:/bin', 'LC_ALL=C',
                            *cmd, f'-j{os.cpu_count()}'], stdin=subprocess.DEVNULL, text=True,
                           errors='replace', stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        warnings = [line for line in r.stdout.splitlines() if BAD.search(line)]
        if r.returncode:
            print(r.stdout[-8000:])
            raise Error(f'modules for {tag}: make exited {r.returncode}')
        for line in warnings:
            print(line.replace(f'{inside}/', ''))
        if sparse and warnings:
            raise Error(f'modules for {tag}: {len(warnings)} warnings')
        return {} if sparse else collect(dst, out, tag, wanted)


def collect(dst, out, tag, wanted):
    found = {}
    out.mkdir(parents=True, exist_ok=True)
    for name in MODULES:
        ko = sorted(p for p in dst.rglob('*.ko') if p.stem.replace('_', '-') == name)
        if not ko and name in wanted:
            raise Error(f'modules for {tag}: {name}.ko was not built')
        if not ko:
            continue
        tmp = out / f'.{name}.{os.getpid()}'
        shutil.copy2(ko[0], tmp)
        found[name] = tmp.rename(out / f'{name}.ko')
    say(f'modules for {tag}: {" ".join(found) or "none"} in {out}')
    return found
