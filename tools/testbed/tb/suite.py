# SPDX-License-Identifier: GPL-2.0
"""A Debian suite: its files to cut images from, and a chroot to build modules in."""

from pathlib import Path

from .host import Error, cached, need, sh

XEN = {'bookworm': '4.17', 'trixie': '4.20'}
KERNEL_SOURCE = 'linux-source-6.1'      # of the debug kernel, from bookworm

HOST_TOOLS = {'mmdebstrap': 'mmdebstrap', 'kmod': 'kmod', 'file': 'file', 'xz': 'xz-utils', 'patch': 'patch',
              'gcc': 'gcc', '/usr/include/stdio.h': 'libc6-dev', 'make': 'make'}


def image_packages(suite):
    return ['busybox-static', 'bash', 'kmod', 'iproute2', 'ethtool', 'bridge-utils', 'tcpdump',
            'iputils-ping', 'arping', 'iperf3', 'netperf', 'socat', 'jq', 'nftables', 'iptables',
            'conntrack', 'openvswitch-switch', 'libgcc-s1', f'xen-utils-{XEN[suite]}',
            'xen-utils-common', 'xenstore-utils', f'xen-hypervisor-{XEN[suite]}-amd64',
            'linux-image-amd64']


class Suite:
    def __init__(self, name):
        if name not in XEN:
            raise Error(f'unknown suite {name}: know {", ".join(XEN)}')
        self.name = name
        self.xen = XEN[name]
        need(HOST_TOOLS)
        self.root = cached(f'suite-{name}', [image_packages(name)], self._extract)
        kernels = sorted(p.name for p in (self.root / 'usr/lib/modules').iterdir())
        if len(kernels) != 1:
            raise Error(f'{self.root}: expected one kernel, have {kernels}')
        self.kernel = kernels[0]
        self.xenbin = f'/usr/lib/xen-{self.xen}/bin'

    def _extract(self, tmp):
        """Extracted, not installed: no maintainer script runs, and it takes 10 s."""
        sh('mmdebstrap', '--mode=root', '--variant=extract', '--components=main,non-free',
           '--hook-dir=/usr/share/mmdebstrap/hooks/merged-usr',
           '--include=' + ','.join(image_packages(self.name)), self.name, tmp)
        kernel = next((tmp / 'usr/lib/modules').iterdir()).name
        sh('depmod', '-b', tmp, kernel)

    def vmlinuz(self):
        old = self.root / 'boot' / f'vmlinuz-{self.kernel}'
        # Debian's packages have it beside the modules since 7.3
        return old if old.exists() else self.root / 'usr/lib/modules' / self.kernel / 'vmlinuz'

    def hypervisor_gz(self):
        return self.root / 'boot' / f'xen-{self.xen}-amd64.gz'

    def chroot(self):
        """A chroot that builds modules for this suite's kernel, and (bookworm) the debug kernel."""
        pkgs = ['gcc', 'make', 'xz-utils', 'sparse', f'linux-headers-{self.kernel}']
        if self.name == 'bookworm':
            pkgs += [KERNEL_SOURCE, 'flex', 'bison', 'bc', 'libelf-dev', 'libssl-dev', 'cpio']
        inputs = [pkgs]

        def install(tmp):
            sh('mmdebstrap', '--mode=root', '--variant=essential', '--components=main',
               '--include=' + ','.join(pkgs), self.name, tmp)
        return cached(f'chroot-{self.name}', inputs, install)


def in_chroot(root, *cmd, **kw):
    return sh('chroot', root, 'env', '-i', 'PATH=/usr/sbin:/usr/bin:/sbin:/bin', 'HOME=/root',
              'LC_ALL=C', *cmd, **kw)


def libraries(root, xen, prog, lib='x86_64-linux-gnu'):
    """The shared libraries of a program in root, by that root's own loader."""
    with open(prog, 'rb') as f:
        if f.read(4) != b'\x7fELF':
            return []
    path = ':'.join(f'{root}/{d}' for d in (f'lib/{lib}', f'usr/lib/{lib}', f'usr/lib/xen-{xen}/lib/{lib}'))
    out = sh('env', f'LD_LIBRARY_PATH={path}', f'{root}/lib64/ld-linux-x86-64.so.2', '--list', prog)
    return [Path(line.split()[2]) for line in out.splitlines()
            if len(line.split()) > 2 and line.split()[2].startswith('/')]
