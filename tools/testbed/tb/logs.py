# SPDX-License-Identifier: GPL-2.0
"""Read the logs of a run: a test is no pass while a kernel complains."""

import re

COMPLAINTS = re.compile('|'.join((
    r'WARNING:', r'BUG:', r'\bBUG ', r'kernel BUG', r'\bBUG at\b',
    r'possible circular locking', r'inconsistent lock state', r'possible recursive locking',
    r'possible irq lock inversion', r'suspicious RCU usage', r'INFO: possible', r'DEADLOCK',
    r'KASAN', r'UBSAN', r'ODEBUG', r'hung task', r'blocked for more than', r'soft lockup',
    r'hard LOCKUP', r'rcu: INFO', r'\bOops\b', r'general protection', r'Call Trace',
    r'Kernel panic', r'segfault at', r'traps: ', r'new suspected memory leaks', r'unreferenced object',
    r'g\.e\..*still in use', r'leaking g\.e\.', r'NETDEV WATCHDOG', r'page_pool.*stalled',
    r'waiting for \S+ to become free', r'scheduling while atomic', r'list_(add|del) corruption',
    r'refcount_t:', r'Out of memory', r'bad gso', r'skb_warn_bad_offload',
    r'testbed: the (frontend|agent) ', r'testbed: fatal')))

XEN_COMPLAINTS = re.compile('|'.join((
    r'Assertion', r'Xen BUG', r'Xen call trace', r'Panic on CPU', r'domain_crash',
    r'[Cc]rashed', r'FATAL')))

# Lines that are known and harmless. Each says why.
HARMLESS = [re.compile(p) for p in (
    # KASAN's greeting
    r'kasan: KernelAddressSanitizer initialized',
)]

# Reports that are the emulator's fault, whole: first line, last line.
#
# QEMU may give the flags after cmpxchg16b from the bytes of a register (seen: EFLAGS
# 0x11000362 beside RDI 0x...11031120, which are the same bits but for those that are always
# 0 or 1). If that sets the trap flag, the kernel wonders about a single step that nobody
# asked for. CX16 cannot be switched off: slub's other way needs a real cli. selftests/lib.sh
# knows the same.
EMULATOR = [(re.compile(first), re.compile(last)) for first, last in (
    (r'WARNING: .* exc_debug_kernel\+', r'end trace'),
)]

# What the emulator kills a kernel with. The run is made once more, and says so.
#
# Seen once, in a guest with two CPUs, 2.7 s after its start: the kernel patches its text
# (int3 first, then the rest) and asks every CPU to take note; one ran into an int3 after that.
FATAL_EMULATOR = re.compile(r'Oops: int3: ')


class Report:
    def __init__(self):
        self.dirty = []         # (file, line)
        self.missing = []       # what a debug run must show, and did not


def expectations(results):
    """What the script said it would provoke: expect_log REGEX WHY."""
    path = results / 'expected'
    if not path.exists():
        return []
    return [re.compile(line.split('\t')[0]) for line in path.read_text().splitlines() if line]


def without_emulator(lines):
    last = None
    for line in lines:
        if last is None:
            last = next((end for first, end in EMULATOR if first.search(line)), None)
            if last is None:
                yield line
        elif last.search(line):
            last = None


def scan(path, patterns, passed):
    for line in without_emulator(path.read_text(errors='replace').splitlines()):
        if any(p.search(line) for p in patterns) and not any(p.search(line) for p in passed):
            yield line.strip()


def kernel_logs(results):
    return sorted(p for p in results.iterdir()
                  if p.suffix in ('.dmesg', '.console') or p.name == 'console.log')


def emulator_died(results):
    """The line that says so, or None."""
    for path in kernel_logs(results):
        for line in path.read_text(errors='replace').splitlines():
            if FATAL_EMULATOR.search(line):
                return f'{path.name}: {line.strip()}'
    return None


def check_debug(results, report):
    """A sanitizer that was off proves nothing."""
    dmesgs = sorted(results.glob('*.dmesg'))
    if not (results / 'dom0.dmesg').exists():
        report.missing.append('dom0.dmesg')
    for path in dmesgs:
        text = path.read_text(errors='replace')
        if (results / f'{path.stem}.silent').exists():
            report.missing.append(f'{path.stem} did not answer at the end')
            continue
        for want in ('KernelAddressSanitizer initialized', r'kmemleak: Kernel memory leak detector initialized',
                     r'testbed:\s+debug_locks: 1', 'testbed: kmemleak scanned'):
            if not re.search(want, text):
                report.missing.append(f'{path.name}: no "{want}"')


def check(results, debug=False):
    report = Report()
    passed = HARMLESS + expectations(results)
    seen = set()
    for path in kernel_logs(results):
        patterns = [COMPLAINTS]
        if path.name == 'console.log':
            patterns = [COMPLAINTS, XEN_COMPLAINTS]
        for line in scan(path, patterns, passed):
            key = re.sub(r'^\[ *[0-9.]+\] *', '', line)
            if key not in seen:
                seen.add(key)
                report.dirty.append((path.name, line))
    if (results / 'xl-dmesg').exists():
        for line in scan(results / 'xl-dmesg', [XEN_COMPLAINTS], passed):
            if line not in seen:
                report.dirty.append(('xl-dmesg', line))
    if debug:
        check_debug(results, report)
    return report
