# SPDX-License-Identifier: GPL-2.0
"""Assemble and boot one machine; fetch what it leaves."""

import ctypes
import json
import os
import re
import secrets
import selectors
import shlex
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tarfile
import tempfile
import termios
import time
import tty
from pathlib import Path

from . import image, logs, modules
from .cpio import Tree, concatenate
from .host import BUILD, HERE, TOP, Error, need, say, sh

OK, FAILED, ERROR, DIRTY, SKIP, TIMEOUT = 0, 1, 2, 3, 4, 124
VERDICT = {OK: 'ok', FAILED: 'test failed', ERROR: 'testbed error', DIRTY: 'dirty kernel log',
           SKIP: 'skipped', TIMEOUT: 'timeout'}
GRACE = 120             # seconds for dom0 to hand out the logs of a script that took too long
DISK = 1 << 30          # sparse
# Of both kernels. A busy host can starve a virtual CPU for the usual 20 seconds.
CMDLINE = 'console=hvc0 loglevel=5 log_buf_len=4M watchdog_thresh=30 rcupdate.rcu_cpu_stall_timeout=60'

CPU = {
    # SMAP: a PV dom0 dies at once under TCG 7.2. ERMS, FSRM: under icount each
    # byte of a "rep movsb" counts as an instruction. AVX: the upper halves of the
    # registers do not survive a context switch under Xen (tests/cases/fpu sees it),
    # and glibc's string functions use them. XSAVE: with two busy PV guests programs
    # in any domain crash at random, with the stock drivers too (3 of 3 runs of 20
    # rounds of md5sum; without XSAVE, 0 of 1). FSGSBASE, PKU: off since before that
    # was found, and may be innocent.
    'pv': 'max,-smap,-erms,-fsrm,-avx,-avx2,-f16c,-fma,-fsgsbase,-pku,'
          '-xsave,-xsaveopt,-xsavec,-xsaves,-xgetbv1',
    # With max, Xen cannot decode an intercepted RDTSCP.
    'pvh': 'qemu64,+svm,+npt',
}


class Machine:
    def __init__(self, opt, suite, kernel, repeat=False):
        self.opt, self.suite, self.kernel, self.repeat = opt, suite, kernel, repeat
        self.token = secrets.token_hex(8)
        self.debug = kernel.name == 'debug'
        self.dom0_mem = 1024
        self.results = make_results(opt)
        self.dir = make_run_dir(opt.keep)
        self.timed_out = False

    # ---- images ----

    def config(self):
        """/testbed/config of both ends, in shell syntax."""
        o = self.opt
        front, back = o.front_args, o.back_args
        if o.queues:
            front = f'max_queues={o.queues} {front}'
            back = f'max_queues={o.queues} {back}'
        if o.scheme and o.front == 'pvnet':
            front = f'grant_scheme={o.scheme} {front}'
        values = dict(TOKEN=self.token, KERNEL=self.kernel.name, SUITE=self.suite.name, GUEST=o.guest,
                      GUESTS=o.guests, VCPUS=o.vcpus, MEM=o.mem or (400 if self.debug else 256),
                      FRONT=o.front, BACK=o.back, SCHEME=o.scheme or '', QUEUES=o.queues or '',
                      FRONT_ARGS=front.strip(), BACK_ARGS=back.strip(), VIF=o.vif, ICOUNT=int(o.icount),
                      REPEAT=int(self.repeat), CMDLINE=f'{CMDLINE} {o.guest_cmdline}'.strip(),
                      SHELL='1' if o.shell else '', SCRIPT=self.script_path())
        text = ''.join(f'TB_{k}={shlex.quote(str(v))}\n' for k, v in values.items())
        return text + 'TB_ARGS=(' + ' '.join(shlex.quote(a) for a in o.args) + ')\n'

    def script_path(self):
        if self.opt.shell:
            return ''
        script = Path(self.opt.script).resolve()
        if script.is_relative_to(TOP / 'selftests'):
            return f'/selftests/{script.relative_to(TOP / "selftests")}'
        return f'/testbed/scripts/{script.name}'

    def pvnet(self):
        wanted = [m for m, end in (('pvnet-front', self.opt.front), ('pvnet-back', self.opt.back)) if end == 'pvnet']
        if not wanted:
            return {}
        return modules.build(self.suite, self.kernel, wanted=['pvnet-core', *wanted], into=self.dir / 'pvnet')

    def overlay(self, end, pvnet):
        """What differs from run to run: modules of the tree, the config, the scripts."""
        t = Tree()
        t.file('init', HERE / 'init' / end, 0o755)
        t.text('testbed/config', self.config())
        t.file('testbed/agent', image.agent(), 0o755)
        for name in ['checks.sh', 'lib.sh'] if end == 'dom0' else ['checks.sh', 'guest-lib.sh']:
            t.file(f'testbed/{name}', HERE / 'init' / name)
        if (TOP / 'selftests').is_dir():
            t.copy('selftests', TOP / 'selftests', skip=lambda p: p.endswith(('.o', '.cmd')))
        if end == 'dom0' and not self.opt.shell:
            t.file(self.script_path(), Path(self.opt.script).resolve())
        for spec in self.opt.file:
            src, _, dst = spec.partition(':')
            src = Path(src).resolve()
            (t.copy if src.is_dir() else t.file)(dst or f'testbed/scripts/{src.name}', src)
        self.add_modules(t, end, pvnet)
        return t

    def add_modules(self, tree, end, pvnet):
        """The staged modules and pvnet's, with a modules.dep that knows both."""
        stage = self.dir / f'stage-{end}'
        shutil.copytree(self.kernel.modules() / end, stage)
        updates = stage / 'lib/modules' / self.kernel.version / 'updates'
        updates.mkdir(parents=True)
        for name, ko in pvnet.items():
            shutil.copy2(ko, updates / f'{name}.ko')
        sh('depmod', '-b', stage, self.kernel.version)
        tree.copy('usr/lib/modules', stage / 'lib/modules')

    def assemble(self):
        """Leaves xen, vmlinuz and dom0.cpio in the run's directory."""
        user = image.userland(self.suite)
        pvnet = self.pvnet()
        guest = self.dir / 'guest.cpio'
        with open(self.dir / 'guest-overlay.cpio', 'wb') as f:
            self.overlay('guest', pvnet).write(f)
        with open(guest, 'wb') as f:
            concatenate(f, user / 'guest.cpio', self.dir / 'guest-overlay.cpio')
        tree = self.overlay('dom0', pvnet)
        tree.file('boot/guest.cpio', guest)
        tree.file('boot/vmlinuz', self.kernel.vmlinuz())
        with open(self.dir / 'dom0-overlay.cpio', 'wb') as f:
            tree.write(f)
        with open(self.dir / 'dom0.cpio', 'wb') as f:
            concatenate(f, user / 'dom0.cpio', self.dir / 'dom0-overlay.cpio')
        shutil.copy(user / 'xen', self.dir / 'xen')
        shutil.copy(self.kernel.vmlinuz(), self.dir / 'vmlinuz')
        with open(self.dir / 'disk', 'wb') as f:
            f.truncate(DISK)

    # ---- QEMU ----

    def command(self, fd):
        o = self.opt
        smp = 1 if o.icount else o.cpus
        accel = 'tcg,thread=single' if o.icount else 'tcg,thread=multi'
        mem = 3000 if self.debug else 2048
        guest_mem = o.mem or (400 if self.debug else 256)
        mem = max(mem, self.dom0_mem + o.guests * (guest_mem + 40) + 500)
        xen = (f'console=com1 com1=115200,8n1 dom0_mem={self.dom0_mem}M,max:{self.dom0_mem}M '
               f'dom0_max_vcpus={o.dom0_vcpus} loglvl=warning guest_loglvl=warning {o.xen_args}')
        dom0 = f'{CMDLINE} {o.dom0_cmdline}'
        cmd = ['qemu-system-x86_64', '-machine', 'q35', '-accel', accel, '-cpu', o.cpu or CPU[o.guest],
               '-smp', smp, '-m', mem, '-nodefaults', '-display', 'none', '-no-reboot',
               '-serial', 'stdio', '-chardev', f'socket,id=script,fd={fd}', '-serial', 'chardev:script',
               '-drive', 'file=disk,format=raw,if=none,id=results,cache=unsafe',
               '-device', 'ide-hd,drive=results,bus=ide.0',
               '-kernel', 'xen', '-append', xen.strip(), '-initrd', f'vmlinuz {dom0.strip()},dom0.cpio']
        if o.icount:
            cmd += ['-icount', 'shift=0,sleep=off']
        cmd += shlex.split(o.qemu_args)
        return [str(c) for c in cmd]

    def boot(self):
        """Run the machine to its end, the time limit, or Ctrl-C."""
        ours, its = socket.socketpair()
        self.cmd = self.command(its.fileno())
        qemu = subprocess.Popen(self.cmd, cwd=self.dir, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, pass_fds=(its.fileno(),), start_new_session=True,
                                preexec_fn=die_with_parent)
        its.close()
        try:
            with ours:
                self.relay(qemu, ours)
        finally:
            if qemu.poll() is None:
                qemu.kill()
            qemu.wait()

    def relay(self, qemu, script):
        o = self.opt
        deadline = end = time.monotonic() + o.timeout
        sel = selectors.DefaultSelector()
        sel.register(qemu.stdout, selectors.EVENT_READ, 'console')
        sel.register(script, selectors.EVENT_READ, 'script')
        saved = None
        if o.shell:
            sel.register(sys.stdin, selectors.EVENT_READ, 'stdin')
            saved = raw_terminal()
        try:
            with open(self.results / 'console.log', 'wb', 0) as console, \
                 open(self.results / 'output.log', 'wb', 0) as output:
                while sel.get_map():
                    for key, _ in sel.select(max(0, deadline - time.monotonic())):
                        self.pump(key, sel, script, console, output)
                    if not any(k.data == 'console' for k in sel.get_map().values()):
                        return
                    if time.monotonic() >= deadline:
                        if time.monotonic() >= end + GRACE:
                            return
                        deadline = self.abort(script)
        finally:
            if saved:
                termios.tcsetattr(0, termios.TCSADRAIN, saved)

    def abort(self, script):
        """Ask dom0 to end the script; returns when to ask again, as one that boots is deaf."""
        if not self.timed_out:
            say(f'timeout after {self.opt.timeout} s')
        self.timed_out = True
        try:
            script.sendall(b'abort\n')
        except OSError:
            pass
        return time.monotonic() + 3

    def pump(self, key, sel, script, console, output):
        try:
            data = os.read(key.fd, 65536)
        except ConnectionError:
            data = b''
        if not data:
            sel.unregister(key.fileobj)
        elif key.data == 'stdin':
            script.sendall(data)
        else:
            (console if key.data == 'console' else output).write(data)
            if key.data == 'script' or self.opt.verbose:
                sys.stdout.buffer.write(data)
                sys.stdout.buffer.flush()

    # ---- afterwards ----

    def fetch(self):
        """Unpack what dom0 wrote to the disk."""
        with open(self.dir / 'disk', 'rb') as f:
            if not f.read(512).strip(b'\0'):
                return False
        try:
            with tarfile.open(self.dir / 'disk', 'r:') as tar:
                for m in tar.getmembers():
                    if m.isdir() or m.isreg():
                        m.mode |= stat.S_IRUSR | stat.S_IWUSR
                        tar.extract(m, self.results, set_attrs=False)
        except (tarfile.TarError, OSError, EOFError):
            return False
        return True

    def facts(self):
        path = self.results / 'facts'
        lines = path.read_text().splitlines() if path.exists() else []
        return dict(line.partition('=')[::2] for line in lines)

    def verdict(self, fetched):
        """(exit code, why)"""
        def read(name):
            p = self.results / name
            return p.read_text().strip() if p.exists() else None
        status = read('status')
        report = logs.check(self.results, self.debug and fetched)
        for name, line in report.dirty:
            say(f'{name}: {line}')
        for what in report.missing:
            say(f'debug kernel: {what}')
        if self.timed_out:
            return TIMEOUT, f'no end within {self.opt.timeout} s'
        if read('fatal'):
            return ERROR if not report.dirty else DIRTY, read('fatal')
        if status is None:
            return (DIRTY if report.dirty else FAILED), 'the machine ended before the script did'
        if status not in ('0', '4'):
            return FAILED, f'the script exited {status}'
        if status == '0' and read('token') != self.token and not self.opt.shell:
            return FAILED, 'the script ended without saying pass'
        if report.dirty or report.missing:
            return DIRTY, f'{len(report.dirty) + len(report.missing)} complaints in the logs'
        return (SKIP, 'skipped') if status == '4' else (OK, 'passed')

    def record(self, code, why, start, load):
        o = self.opt
        facts = {
            'verdict': VERDICT[code], 'exit': code, 'why': why, 'script': o.script, 'args': o.args,
            'suite': self.suite.name, 'kernel': self.kernel.name, 'kernel_version': self.kernel.version,
            'xen_package': self.suite.xen, 'guest_type': o.guest, 'front': o.front, 'back': o.back,
            'scheme': o.scheme, 'queues': o.queues, 'guests': o.guests, 'vcpus': o.vcpus,
            'dom0_vcpus': o.dom0_vcpus, 'cpus': 1 if o.icount else o.cpus, 'mem': o.mem,
            'front_args': o.front_args, 'back_args': o.back_args, 'vif': o.vif, 'xen_args': o.xen_args,
            'mode': 'icount' if o.icount else 'tcg', 'repeat': self.repeat, 'host_load_start': load,
            'host_load_end': os.getloadavg(), 'host_cpus': os.cpu_count(),
            'seconds': round(time.time() - start, 1), 'qemu': qemu_version(), 'qemu_command': self.cmd,
            'tree': tree_version(), **self.facts()}
        (self.results / 'run.json').write_text(json.dumps(facts, indent=1) + '\n')

    def run(self):
        start, load = time.time(), os.getloadavg()
        try:
            self.assemble()
            self.boot()
            fetched = self.fetch()
            code, why = self.verdict(fetched)
            self.record(code, why, start, load)
        finally:
            if not self.opt.keep:
                shutil.rmtree(self.dir, ignore_errors=True)
        say(f'{VERDICT[code]}: {why} ({time.time() - start:.0f} s; logs in {self.results})')
        return code


def make_results(opt):
    if opt.results:
        path = Path(opt.results)
        path.mkdir(parents=True, exist_ok=True)
        if any(path.iterdir()) and not (path / 'run.json').exists():
            raise Error(f'{path} is not empty, and not of a former run')
        for old in path.iterdir():
            shutil.rmtree(old) if old.is_dir() else old.unlink()
        return path.resolve()
    base = BUILD / 'results'
    base.mkdir(parents=True, exist_ok=True)
    name = 'shell' if opt.shell else Path(opt.script).stem
    return Path(tempfile.mkdtemp(prefix=time.strftime(f'%Y%m%d-%H%M%S-{name}-'), dir=base))


def make_run_dir(keep):
    """A directory for the images; those of runs that were killed go."""
    base = BUILD / 'run'
    base.mkdir(parents=True, exist_ok=True)
    for old in base.glob('run-*-*'):
        if not Path('/proc', old.name.split('-')[1]).exists():
            shutil.rmtree(old, ignore_errors=True)
    return Path(tempfile.mkdtemp(prefix='kept-' if keep else f'run-{os.getpid()}-', dir=base))


def die_with_parent():
    """However the testbed dies, QEMU must not stay."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)      # PR_SET_PDEATHSIG


def raw_terminal():
    if not sys.stdin.isatty():
        return None
    saved = termios.tcgetattr(0)
    tty.setraw(0)
    return saved


def qemu_version():
    out = sh('qemu-system-x86_64', '--version')
    m = re.search(r'version (\S+)', out)
    return m.group(1) if m else out.splitlines()[0]


def tree_version():
    if not shutil.which('git'):
        return None
    r = subprocess.run(['git', '-C', TOP, 'describe', '--always', '--dirty', '--tags'],
                       capture_output=True, text=True)
    return r.stdout.strip() or None


def run(opt, suite, kernel):
    need({'qemu-system-x86_64': 'qemu-system-x86'})

    def stop(*_):
        raise KeyboardInterrupt
    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGHUP, stop)
    first = Machine(opt, suite, kernel)
    code = first.run()
    died = code not in (OK, SKIP) and logs.emulator_died(first.results)
    if not died:
        return code
    say(f'once more, as this is taken for a fault of QEMU: {died}')
    return Machine(opt, suite, kernel, repeat=True).run()
