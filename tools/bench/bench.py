# SPDX-License-Identifier: GPL-2.0
"""Measure in testbed machines, and make tables of it.

With icount a result does not depend on the host's load, so two machines may run
at a time.
"""

import csv
import json
import math
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

sys.path.append(str(Path(__file__).resolve().parents[1] / 'testbed'))
from tb.host import Error, need         # noqa: E402
from tb.suite import HOST_TOOLS         # noqa: E402

TOP = Path(__file__).resolve().parents[2]
TESTBED = TOP / 'tools/testbed/testbed'
CELLS = TOP / 'tools/bench/cells.sh'


class Variant(NamedTuple):
    """Drivers, and the grant scheme if the frontend is told one."""
    name: str
    front: str
    back: str
    scheme: str = ''


# What is compared, everywhere. Those after the first are compared with the first.
VARIANTS = (Variant('stock', 'stock', 'stock'),
            Variant('copy', 'pvnet', 'pvnet', 'copy'),
            Variant('persistent', 'pvnet', 'pvnet', 'persistent'))


class Cell:
    """The runs of one figure."""

    def __init__(self):
        self.values, self.sent, self.failed, self.unit = [], [], [], ''

    def __str__(self):
        text = spread(self.values) if self.values else 'failed' if self.failed else 'not run'
        return text + ('*' if self.failed else '')

    def mean(self):
        return sum(self.values) / len(self.values) if self.values else None

    def extend(self, other):
        self.values += other.values
        self.sent += other.sent
        self.failed += other.failed
        self.unit = self.unit or other.unit


def notes(cells):
    """What the asterisks in a table mean: {name: cell}."""
    return [f'* {name}: {len(c.failed)} of {len(c.failed) + len(c.values)} runs failed: {"; ".join(c.failed)}'
            for name, c in cells.items() if c.failed]


def complete(cells, repeats):
    """Has each cell the runs that it should have?"""
    return all(len(c.values) >= repeats for c in cells)


def spread(values):
    """mean +/- s.d."""
    mean = sum(values) / len(values)
    digits = 0 if mean >= 100 else 1
    if len(values) == 1:
        return f'{mean:.{digits}f}'
    sd = math.sqrt(sum((v - mean) ** 2 for v in values) / (len(values) - 1))
    return f'{mean:.{digits}f} +/- {sd:.{max(digits, 1)}f}'


class Machine:
    """One boot of the testbed, its options and what it measured.

    All its variants have the same drivers; several are switched while it runs.
    """

    def __init__(self, name, variants, cells, seconds, repeats, guests=1, options=(), omit=1, icount=True):
        self.name, self.variants, self.guests = name, variants, guests
        schemes = ','.join(v.scheme for v in variants) or 'any'
        self.args = [str(seconds), str(omit), str(repeats), schemes, *cells]
        self.options = [*(['--icount'] if icount else []), *options]
        if len(variants) == 1 and variants[0].scheme:
            self.options += ['--scheme', variants[0].scheme]
        self.facts, self.cells, self.why = {}, {}, 'not run'

    def run(self, out):
        """True when it passed; only then its figures count."""
        results = out / self.name
        drivers = self.variants[0]
        cmd = [TESTBED, 'run', '--front', drivers.front, '--back', drivers.back,
               '--guests', str(self.guests), '--results', results, *self.options, CELLS, *self.args]
        start = time.monotonic()
        say(f'{self.name}: starts')
        out.mkdir(parents=True, exist_ok=True)
        with open(out / f'{self.name}.log', 'w') as log:
            rc = subprocess.run([str(c) for c in cmd], stdin=subprocess.DEVNULL, stdout=log, stderr=log).returncode
        self.read(results, rc)
        took = time.monotonic() - start
        say(f'{self.name}: {"done" if not self.why else "FAILED: " + self.why} ({took:.0f} s; log in {log.name})')
        return not self.why

    def read(self, results, rc=0):
        try:
            self.facts = json.loads((results / 'run.json').read_text())
        except (OSError, ValueError):
            self.facts = {}
        rc = rc or self.facts.get('exit', 2)
        self.why = '' if rc == 0 else self.facts.get('why') or f'testbed exited {rc}'
        if self.why:
            return
        with open(results / 'cells.csv', newline='') as f:
            for row in csv.DictReader(f):
                self.add(row)

    def add(self, row):
        cell = self.cells.setdefault((row['scheme'], row['direction'], row['size']), Cell())
        cell.unit = row['unit']
        try:
            value = float(row['value'])
        except ValueError:
            cell.failed.append(row['value'].removeprefix('failed: '))
            return
        cell.values.append(value)
        if row['sent']:
            cell.sent.append(float(row['sent']))

    def cell(self, variant, direction, size):
        """Never a number of a machine that failed."""
        cell = self.cells.get((variant.scheme or 'any', direction, str(size)), Cell())
        if self.why and not cell.failed:
            cell = Cell()
            cell.failed = [self.why]
        return cell


def say(*words):
    print(*words, file=sys.stderr, flush=True)


def prepare(more=()):
    """Install what all machines need, as runs side by side would fight for apt's lock.

    What they build is locked and built once. False when it failed.
    """
    try:
        need({**HOST_TOOLS, 'qemu-system-x86_64': 'qemu-system-x86', **dict(more)})
    except Error as e:
        say(e)
        return False
    return True


def run_all(machines, out, jobs=2):
    """True when all passed."""
    with ThreadPoolExecutor(jobs) as pool:
        return all(list(pool.map(lambda m: m.run(out), machines)))


def conditions(machines):
    """Lines that say what a table holds for."""
    facts = next((m.facts for m in machines if m.facts.get('xen')), {})
    if not facts:
        return ['no machine ran']
    loads = [m.facts[k][0] for m in machines for k in ('host_load_start', 'host_load_end') if k in m.facts]
    trees = sorted({m.facts.get('tree') or 'unknown' for m in machines if m.facts})
    mode = ('icount: 1 CPU, 1 virtual ns per instruction, whatever the load of the host'
            if facts['mode'] == 'icount' else f'{facts["cpus"]} CPUs, multi-threaded TCG')
    return [
        f'mode    {mode}',
        f'suite   {facts["suite"]}: Xen {facts["xen"]}, Linux {facts["dom0_kernel"]}, {facts["guest_type"]} guests;'
        f' QEMU {facts["qemu"].split()[0]}',
        f'sched   {facts["scheduler"]}, sched_ratelimit_us={facts["sched_ratelimit_us"]}',
        f'host    {facts["host_cpus"]} CPUs, load {min(loads):.1f} to {max(loads):.1f}',
        f'tree    {" ".join(trees)}',
    ]


def table(rows):
    """Columns of text, the first row a head."""
    widths = [max(len(r[i]) for r in rows) for i in range(len(rows[0]))]

    def line(r):
        return '  '.join(f'{c:<{w}}' if i == 0 else f'{c:>{w}}' for i, (c, w) in enumerate(zip(r, widths))).rstrip()
    return '\n'.join([line(rows[0]), '  '.join('-' * w for w in widths), *map(line, rows[1:])])


def rst_table(rows):
    """The same in reStructuredText."""
    widths = [max(len(r[i]) for r in rows) for i in range(len(rows[0]))]
    rule = '  '.join('=' * w for w in widths)
    lines = ['  '.join(f'{c:<{w}}' for c, w in zip(r, widths)).rstrip() for r in rows]
    return '\n'.join([rule, lines[0], rule, *lines[1:], rule])
