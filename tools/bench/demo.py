# SPDX-License-Identifier: GPL-2.0
"""Show pvnet at work on a real Xen, in both grant schemes, beside the stock drivers and with them.

Needs Debian and root, and nothing else: what is missing gets installed and built. It
boots a Xen machine in QEMU for each pairing, two at a time, and prints a table. The
two schemes share a boot: the guest is switched from one to the other while it runs.
"""

import argparse
import sys
import time

from bench import TOP, VARIANTS, Machine, Variant, complete, conditions, notes, prepare, run_all, say, spread, table

MIXED = (Variant('pvnet / stock', 'pvnet', 'stock'), Variant('stock / pvnet', 'stock', 'pvnet'))
TCP, UDP = 131072, 1448
COLUMNS = (('to-guest', TCP), ('from-guest', TCP), ('udp-to-guest', UDP), ('udp-from-guest', UDP))


def label(v):
    return f'{v.front} / {v.back}' + (f', {v.scheme}' if v.scheme else '')


def text(cell):
    """For UDP also what was offered: the rest was lost on the way."""
    if cell.sent:
        return f'{cell} of {spread(cell.sent).split()[0]}'
    return str(cell)


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument('--suite', default='trixie', choices=('trixie', 'bookworm'))
    p.add_argument('--guest', default='pv', choices=('pv', 'pvh'))
    p.add_argument('--seconds', type=int, default=1, help='measured in each run (1)')
    p.add_argument('--repeats', type=int, default=3, help='runs of each cell, in one boot (3)')
    p.add_argument('--jobs', type=int, default=2, help='machines at a time (2)')
    opt = p.parse_args()
    start = time.monotonic()
    out = TOP / 'build/results/demo'

    if not prepare():
        return 2
    # The stock pair first: it runs while our modules are built.
    stock, *ours = VARIANTS
    ms = [Machine(f'{vs[0].front}-{vs[0].back}', vs, [f'tcp:{TCP}', f'udp:{UDP}'], opt.seconds, opt.repeats,
                  options=['--suite', opt.suite, '--guest', opt.guest], omit=0)
          for vs in ([stock], ours, *([v] for v in MIXED))]
    ok = run_all(ms, out, opt.jobs)

    cells = {v: [m.cell(v, *c) for c in COLUMNS] for m in ms for v in m.variants}
    rows = [['guest / dom0', 'TCP to guest', 'TCP from guest', 'UDP to guest', 'UDP from guest']]
    rows += [[label(v), *map(text, row)] for v, row in cells.items()]
    print()
    print('\n'.join(conditions(ms)))
    print(f'iperf3  writes of {TCP} bytes over TCP, datagrams of {UDP} bytes from a sender that blocks')
    print(f'        Mb/s that the receiver got (UDP: of what was sent), mean +/- s.d. of {opt.repeats} runs'
          f' of {opt.seconds} s in one boot')
    print()
    print(table(rows))
    named = {f'{label(v)}, {d}': c for v, row in cells.items() for (d, _), c in zip(COLUMNS, row)}
    print('\n'.join(notes(named)))
    say(f'\n{time.monotonic() - start:.0f} s in all; logs in {out}')
    return 0 if ok and complete(named.values(), opt.repeats) else 1


if __name__ == '__main__':
    sys.exit(main())
