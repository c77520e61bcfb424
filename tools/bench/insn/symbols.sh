# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Sourced by plan.sh after the runs: what is where, for tools/bench/instructions.
cat /proc/kallsyms > /tmp/dom0.kallsyms
guest 1 "grep '\[' /proc/kallsyms" > /tmp/guest.kallsyms || fail "no kallsyms of the guest"
cat /proc/xen/xensyms > /tmp/xensyms
result /tmp/dom0.kallsyms /tmp/guest.kallsyms /tmp/xensyms /tmp/marks
