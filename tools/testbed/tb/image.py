# SPDX-License-Identifier: GPL-2.0
"""The images of dom0 and guest: a suite's programs, and a kernel's modules.

Each is a cached initramfs archive. What changes from run to run (init scripts,
the script under test, pvnet's modules) travels in a third archive: see machine.py.
"""

import gzip
import lzma
import subprocess

from .cpio import Tree
from .host import cached, say, sh
from .suite import libraries
from pathlib import Path

COMMON = """bash kmod ip ss nstat tc bridge ethtool ping arping tcpdump iperf3 netperf netserver socat jq nft
    xtables-nft-multi conntrack""".split()
OVS = """ovs-vsctl ovs-appctl ovs-ofctl ovs-dpctl ovsdb-tool ovsdb-server
    /usr/lib/openvswitch-switch/ovs-vswitchd""".split()
XENSTORE = ['xenstore-' + v for v in 'ls read write exists list rm watch chmod'.split()]
# In the suite's /usr/lib/xen-X/bin, some of them in /usr/sbin in other suites
XEN = """xl xenstored xenconsoled xenconsole xen-init-dom0 libxl-save-helper xentrace xentop
    xenstore-control lsevtchn xen-diag xenperf""".split()
DOM0 = COMMON + OVS + XENSTORE + ['brctl', 'xenalyze']

NET = """pktgen sch_netem sch_tbf sch_fq sch_fq_codel sch_ingress cls_u32 cls_flower cls_matchall
    cls_bpf act_mirred act_gact veth dummy tun macvlan 8021q bridge vxlan ip_gre ipip nf_tables nft_chain_nat
    nft_masq nft_nat nft_ct nft_compat nft_queue nft_limit nft_log nft_reject_inet xt_MASQUERADE
    xt_physdev xt_tcpudp xt_conntrack nfnetlink_queue br_netfilter raw_diag tcp_diag udp_diag
    tcp_bbr""".split()
GUEST_MODULES = ['xen-netfront', 'xen-gntdev', 'xen-gntalloc', 'xen-evtchn', 'xen-privcmd', 'xenfs',
                 'xen-blkfront'] + NET
DOM0_MODULES = ['xen-netback', 'xen-blkback', 'loop'] + GUEST_MODULES + ['openvswitch', 'ahci', 'sd_mod']

MODULE_LINKS = 'insmod rmmod lsmod modprobe modinfo depmod'.split()
XTABLES_LINKS = [f'{a}{b}' for a in ('iptables', 'ip6tables', 'ebtables') for b in ('', '-nft', '-save', '-restore')]
LIB = '/usr/lib/x86_64-linux-gnu'


def find(suite, prog):
    """A program's path in the suite."""
    dirs = (suite.xenbin.lstrip('/'), 'usr/bin', 'usr/sbin')  # Xen's wrappers are in sbin
    for path in [prog.lstrip('/')] if prog.startswith('/') else [f'{d}/{prog}' for d in dirs]:
        if (suite.root / path).is_file():
            return path
    return None


def add_program(tree, suite, prog, path):
    tree.file(f'usr/bin/{prog.rsplit("/")[-1]}', suite.root / path)
    for lib in libraries(suite.root, suite.xen, suite.root / path):
        tree.file(f'{LIB}/{lib.name}', lib)


def add_base(tree, suite, programs):
    for d in 'usr/bin usr/sbin usr/lib usr/lib64 etc proc sys dev run tmp root boot var/lib var/log mnt'.split():
        tree.directory(d)
    for d in 'bin sbin lib lib64'.split():
        tree.link(d, f'usr/{d}')
    tree.link('var/run', '/run')
    tree.link('var/lock', '/run/lock')
    tree.device('dev/console', 0o600, 5, 1)
    tree.file('usr/lib64/ld-linux-x86-64.so.2', suite.root / 'lib64/ld-linux-x86-64.so.2')
    for name, text in (('passwd', 'root:x:0:0:root:/root:/bin/bash\nnobody:x:65534:65534::/:/bin/sh\n'),
                       ('group', 'root:x:0:\nnogroup:x:65534:\n'), ('hosts', '127.0.0.1 localhost\n'),
                       ('nsswitch.conf', 'hosts: files\npasswd: files\n')):
        tree.text(f'etc/{name}', text)
    for f in ('protocols', 'services', 'iproute2', 'ethertypes'):
        for src in (suite.root / 'etc' / f, suite.root / 'usr/share' / f):
            if src.is_dir():
                tree.copy(f'etc/{f}', src)
            elif src.is_file():
                tree.file(f'etc/{f}', src)
    for prog in programs:
        path = find(suite, prog)
        if path:
            add_program(tree, suite, prog, path)
        else:
            say(f'{suite.name} has no {prog}')
    # Without it, pthread_cancel() aborts: xl does, and iperf3 at the end of a test
    tree.file(f'{LIB}/libgcc_s.so.1', suite.root / LIB.lstrip('/') / 'libgcc_s.so.1')
    for lnk in MODULE_LINKS:
        tree.link(f'usr/sbin/{lnk}', '../bin/kmod')     # where the kernel looks for modprobe
    for lnk in XTABLES_LINKS:
        tree.link(f'usr/bin/{lnk}', 'xtables-nft-multi')
    for d in (f'{LIB}/xtables', '/usr/lib/tc', '/usr/share/tc'):
        if (suite.root / d.lstrip('/')).is_dir():
            tree.copy(d, suite.root / d.lstrip('/'))
    add_busybox(tree, suite)


def add_busybox(tree, suite):
    """An applet for every program that is not there in earnest."""
    busybox = suite.root / 'usr/bin/busybox'
    tree.file('usr/bin/busybox', busybox)
    for applet in sh(busybox, '--list').split():
        if f'usr/bin/{applet}' not in tree and f'usr/sbin/{applet}' not in tree:
            tree.link(f'usr/bin/{applet}', 'busybox')


def add_xen(tree, suite):
    for prog in XEN:
        path = find(suite, prog)
        if path:
            add_program(tree, suite, prog, path)
    # xl and libxl look for these where they were configured
    for prog in ('libxl-save-helper', 'xenconsole', 'xenstored', 'xenconsoled', 'xl'):
        tree.link(f'{suite.xenbin}/{prog}', f'/usr/bin/{prog}')
    tree.copy('etc/xen', suite.root / 'etc/xen')
    for f in sorted((suite.root / f'usr/lib/xen-{suite.xen}/lib').rglob('*.so*')):
        tree.file(f'{LIB}/{f.name}', f)
    tree.copy('usr/share/openvswitch', suite.root / 'usr/share/openvswitch',
              skip=lambda p: not p.endswith('.ovsschema'))
    for d in 'var/lib/xen var/lib/xenstored var/log/xen/console etc/openvswitch var/log/openvswitch'.split():
        tree.directory(d)


def userland(suite):
    """The directory with dom0.cpio, guest.cpio and xen of a suite."""
    def build(tmp):
        tmp.mkdir(parents=True)
        guest, dom0 = Tree(), Tree()
        add_base(guest, suite, COMMON)
        add_base(dom0, suite, DOM0)
        add_xen(dom0, suite)
        for name, tree in (('guest', guest), ('dom0', dom0)):
            with open(tmp / f'{name}.cpio', 'wb') as f:
                tree.write(f)
        (tmp / 'xen').write_bytes(gzip.decompress(suite.hypervisor_gz().read_bytes()))
    here = Path(__file__).parent
    return cached(f'userland-{suite.name}', [suite.root.name, here / 'image.py', here / 'cpio.py'], build)


def plain_module(path):
    data = path.read_bytes()
    return lzma.decompress(data) if path.name.endswith('.xz') else data


def stage_modules(root, kernel, names, stage):
    """Copy the named modules, what they depend on, and the kernel's lists below stage."""
    src = root / 'lib/modules' / kernel
    dst = stage / 'lib/modules' / kernel
    dst.mkdir(parents=True)
    missing = []
    for name in names:
        r = subprocess.run(['modprobe', '-d', root, '-S', kernel, '--show-depends', name],
                           capture_output=True, text=True)
        if r.returncode:
            missing.append(name)
        for line in r.stdout.splitlines():
            if line.startswith('insmod '):
                path = Path(line.split()[1])
                rel = str(path).split(f'/lib/modules/{kernel}/', 1)[1]
                to = dst / rel.removesuffix('.xz')
                to.parent.mkdir(parents=True, exist_ok=True)
                to.write_bytes(plain_module(path))
    for f in ('modules.builtin', 'modules.order', 'modules.builtin.modinfo'):
        if (src / f).exists():
            (dst / f).write_bytes((src / f).read_bytes())
    if missing:
        say(f'{kernel} has no module', *missing)


def modules(key, root, kernel):
    """The directory with staged modules: dom0/lib/modules/KERNEL, guest/lib/modules/KERNEL."""
    def build(tmp):
        if not (root / 'lib/modules' / kernel / 'modules.dep').exists():
            sh('depmod', '-b', root, kernel)
        stage_modules(root, kernel, DOM0_MODULES, tmp / 'dom0')
        stage_modules(root, kernel, GUEST_MODULES, tmp / 'guest')
    here = Path(__file__).parent
    return cached(f'modules-{key}', [str(root), kernel, here / 'image.py'], build)


def agent():
    """The program that runs commands in guests, static, for every suite."""
    src = Path(__file__).parent.parent / 'agent' / 'agent.c'

    def build(tmp):
        tmp.mkdir(parents=True)
        sh('gcc', '-O2', '-Wall', '-Wextra', '-Werror', '-static', '-s', '-o', tmp / 'agent', src)
    return cached('agent', [src], build) / 'agent'
