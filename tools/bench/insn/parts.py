# SPDX-License-Identifier: GPL-2.0
"""Who executed the instructions that count.c has counted: by address, and by domain.

dom0 and guest have the same kernel at the same virtual addresses, but not in the same
memory. dom0 boots first, and its kernel's text lies in one piece of memory, so text that is
not at that distance from its virtual address is the guest's.
"""

import re
from bisect import bisect_right
from collections import Counter

PARTS = ('Xen', 'Xen copies', 'frontend', 'backend', 'guest stack', 'dom0 stack', 'copies', 'programs')
USER_END = 1 << 47
XEN = range(0xffff800000000000, 0xffff880000000000)
TEXT = range(0xffffffff80000000, 0xffffffffc0000000)
DRIVERS = ('xen_netfront', 'xen_netback', 'pvnet_core', 'pvnet_front', 'pvnet_back')
# Linux's copy routines, those that checksum on the way too. "rep movs" counts as one wherever it is.
COPIES = re.compile(r'(__)?(memcpy|memmove)(_orig|_erms)?|rep_movs_alternative|copy_page\w*|csum_partial\w*'
                    r'|__copy_user\w*|copy_user\w*')


class Symbols:
    """What kallsyms says, by address: (name, module)."""

    def __init__(self, text):
        entries = []
        for line in text.splitlines():
            address, kind, name, *module = line.split()
            if kind in 'tTwW':
                entries.append((int(address, 16), name, module[0].strip('[]') if module else ''))
        entries.sort()
        self.starts = [e[0] for e in entries]
        self.entries = entries

    def at(self, address):
        """('', '') where nothing is known: between the modules, for one."""
        i = bisect_right(self.starts, address) - 1
        if i < 0 or address - self.starts[i] > 1 << 16:
            return '', ''
        return self.entries[i][1:]


class Machine:
    """The symbols of both domains, and what memory is dom0's."""

    def __init__(self, dom0, guest, blocks):
        """blocks: all since the start, in the order in which they first ran."""
        self.dom0, self.guest = Symbols(dom0), Symbols(guest)
        self.distance = next(page - vaddr for vaddr, page, *_ in blocks if vaddr in TEXT)
        self.early = set()
        for vaddr, page, *_ in blocks:
            if vaddr in TEXT and not self.is_dom0(vaddr, page):
                break
            self.early.add((vaddr >> 12, page >> 12))

    def is_dom0(self, vaddr, page):
        if vaddr in TEXT:
            return page - vaddr == self.distance
        dom0, guest = self.dom0.at(vaddr)[1], self.guest.at(vaddr)[1]
        if not (dom0 and guest):
            return not guest
        return self.guess(vaddr, page, dom0, guest)

    def guess(self, vaddr, page, dom0, guest):
        """Both have a module there. It ran before there was a guest, or else it is the driver.

        If neither is one, nothing but "stack" is known, and dom0's has it.
        """
        if (vaddr >> 12, page >> 12) in self.early:
            return True
        if dom0 in DRIVERS and guest in DRIVERS:
            raise ValueError(f'{vaddr:x} is {dom0} in dom0 and {guest} in the guest')
        return guest not in DRIVERS

    def part(self, vaddr, page):
        if vaddr < USER_END:
            return 'programs'
        if vaddr in XEN:
            return 'Xen'
        dom0 = self.is_dom0(vaddr, page)
        name, module = (self.dom0 if dom0 or vaddr in TEXT else self.guest).at(vaddr)
        if COPIES.fullmatch(name):
            return 'copies'
        if module in DRIVERS:
            return 'backend' if dom0 else 'frontend'
        return 'dom0 stack' if dom0 else 'guest stack'


def snapshots(path):
    """What each mark has told: a list of lists of (vaddr, page, instructions, rep)."""
    told = []
    with open(path) as f:
        for line in f:
            word, *rest = line.split()
            if word == 'mark':
                told.append([])
            else:
                told[-1].append((int(word, 16), int(rest[0], 16), int(rest[1]), int(rest[2])))
    return told


def count(machine, blocks):
    """Instructions by part."""
    n = Counter()
    for vaddr, page, insns, rep in blocks:
        part = machine.part(vaddr, page)
        n[part] += insns - rep
        n['Xen copies' if part == 'Xen' else 'copies' if part != 'programs' else part] += rep
    return n
