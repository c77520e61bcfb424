# SPDX-License-Identifier: GPL-2.0
"""What the host offers: paths, commands, packages, a cache."""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent       # tools/testbed
TOP = HERE.parent.parent                            # the source tree
BUILD = TOP / 'build'
CACHE = Path(os.environ.get('PVNET_CACHE') or Path.home() / '.cache' / 'pvnet')


class Error(Exception):
    """The testbed itself failed: nothing is said about the driver."""


def say(*words):
    print('testbed:', *words, file=sys.stderr, flush=True)


def sh(*cmd, quiet=True, **kw):
    """Run a command; on failure show what it printed, and raise."""
    cmd = [str(c) for c in cmd]
    if quiet:
        kw.update(stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    r = subprocess.run(cmd, stdin=subprocess.DEVNULL, text=True, errors='replace', **kw)
    if r.returncode:
        if r.stdout:
            sys.stderr.write(r.stdout[-6000:])
        raise Error(f"'{' '.join(cmd)[:300]}' exited {r.returncode}")
    return r.stdout


def have(what):
    """Whether there is such a program, or file when the name is a path."""
    return Path(what).exists() if what.startswith('/') else shutil.which(what)


def need(things):
    """Install the Debian packages of missing programs and files: {name or path: package}."""
    missing = sorted({pkg for what, pkg in things.items() if not have(what)})
    if not missing:
        return
    say('installing', *missing)
    env = dict(os.environ, DEBIAN_FRONTEND='noninteractive')
    sh('apt-get', '-q', 'update', env=env)
    sh('apt-get', '-q', '-y', '-o', 'DPkg::Lock::Timeout=300', 'install',
       '--no-install-recommends', *missing, env=env)


@contextmanager
def locked(path):
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, 'w') as f:
        fcntl.flock(f, fcntl.LOCK_EX)
        yield


def digest(*inputs):
    h = hashlib.sha256()
    for i in inputs:
        data = i.read_bytes() if isinstance(i, Path) else repr(i).encode()
        h.update(b'%d ' % len(data) + data)
    return h.hexdigest()[:12]


def prune(name):
    """Drop what no run has used for two days."""
    for old in CACHE.glob(f'{name}-' + '[0-9a-f]' * 12):
        if old.stat().st_mtime < time.time() - 2 * 24 * 3600:
            shutil.rmtree(old, ignore_errors=True)


def cached(name, inputs, build):
    """The directory CACHE/name-HASH; build(tmp) fills it if it is not there yet.

    It is filled under another name and renamed, so what exists is complete.
    """
    path = CACHE / f'{name}-{digest(*inputs)}'
    if path.exists():
        os.utime(path)
        return path
    with locked(CACHE / f'{name}.lock'):
        if path.exists():
            return path
        tmp = CACHE / f'{path.name}.tmp'
        shutil.rmtree(tmp, ignore_errors=True)
        say('building', path.name)
        start = time.time()
        build(tmp)
        tmp.rename(path)
        os.utime(path)          # what was unpacked may bring a date of its own
        prune(name)
        say(f'built {path.name} in {time.time() - start:.0f} s')
    return path
