# SPDX-License-Identifier: GPL-2.0
"""The kernel of both ends: the suite's own, or one with the sanitizers on."""

import shutil
from pathlib import Path

from . import image
from .host import HERE, Error, cached, sh
from .suite import KERNEL_SOURCE, Suite, in_chroot

PATCHES = sorted((HERE / 'debug-kernel').glob('*.patch'))
FRAGMENT = HERE / 'debug-kernel' / 'debug.config'


class Stock:
    name = 'stock'

    def __init__(self, suite):
        self.suite = suite
        self.version = suite.kernel

    def vmlinuz(self):
        return self.suite.vmlinuz()

    def modules(self):
        return image.modules(f'{self.suite.name}-stock', self.suite.root, self.version)

    def toolchain(self):
        """(chroot, kernel build directory inside it)"""
        return self.suite.chroot(), f'/lib/modules/{self.version}/build'


class Debug:
    """One build for every suite. It is built in the bookworm chroot, whose gcc 12 it needs."""
    name = 'debug'

    def __init__(self, suite):
        self.chroot = (suite if suite.name == 'bookworm' else Suite('bookworm')).chroot()
        key = [self.chroot.name, FRAGMENT, *PATCHES]
        self.dir = cached('debug-kernel', key, self._build)
        self.version = (self.dir / 'version').read_text()
        self.tree = (self.dir / 'tree').read_text()

    def _build(self, tmp):
        """The tree stays in the chroot, at a path of its own; the cache holds what runs need."""
        tree = f'/usr/src/{tmp.name.removesuffix(".tmp")}'
        top = Path(f'{self.chroot}{tree}')
        shutil.rmtree(top, ignore_errors=True)
        top.mkdir(parents=True)
        sh('tar', '-C', top, '--strip-components=1', '-xf', f'{self.chroot}/usr/src/{KERNEL_SOURCE}.tar.xz')
        for p in PATCHES:
            sh('patch', '-d', top, '-p1', '-i', p)
        (top / 'debug.config').write_bytes(FRAGMENT.read_bytes())
        in_chroot(self.chroot, 'sh', '-c', f'cd {tree} && make allnoconfig && '
                  'scripts/kconfig/merge_config.sh .config debug.config && make olddefconfig')
        check_config(top)
        in_chroot(self.chroot, 'sh', '-c', f'cd {tree} && make -j$(nproc) bzImage modules && '
                  'make INSTALL_MOD_PATH=$PWD/inst modules_install')
        tmp.mkdir(parents=True)
        version = next((top / 'inst/lib/modules').iterdir()).name
        shutil.copytree(top / 'inst/lib', tmp / 'root/lib', symlinks=True)
        shutil.copy(top / 'arch/x86/boot/bzImage', tmp / 'vmlinuz')
        shutil.copy(top / '.config', tmp / 'config')
        (tmp / 'version').write_text(version)
        (tmp / 'tree').write_text(tree)

    def vmlinuz(self):
        return self.dir / 'vmlinuz'

    def modules(self):
        return image.modules('debug', self.dir / 'root', self.version)

    def toolchain(self):
        return self.chroot, self.tree


def check_config(top):
    """Every line of the fragment must have survived Kconfig."""
    have = set((top / '.config').read_text().splitlines())
    lost = [w for w in FRAGMENT.read_text().splitlines()
            if w.startswith('CONFIG_') and w not in have]
    if lost:
        raise Error('debug.config: Kconfig dropped ' + ' '.join(lost))


def get(name, suite):
    return {'stock': Stock, 'debug': Debug}[name](suite)
