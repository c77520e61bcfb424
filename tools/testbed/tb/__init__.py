# SPDX-License-Identifier: GPL-2.0
"""The testbed: a whole Xen machine inside QEMU. See ../README.rst."""
