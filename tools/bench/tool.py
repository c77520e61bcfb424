# SPDX-License-Identifier: GPL-2.0
"""pvnet-bench as it goes into dom0."""

from bench import TOP
from tb.host import need, sh

SRC = TOP / 'tools/bench/pvnet-bench'
BUILD = TOP / 'build/bench-static'
TOOL = BUILD / 'pvnet-bench'


def build():
    """Static, as dom0 has neither its libraries nor the same libc. It runs on the host, too."""
    need({'/usr/include/jansson.h': 'libjansson-dev', '/usr/include/gsl/gsl_cdf.h': 'libgsl-dev'})
    sh('make', '-s', '-j2', '-C', SRC, f'O={BUILD}', 'LDFLAGS=-static')
