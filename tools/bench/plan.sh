#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Runs in dom0 of the testbed: pvnet-bench with a plan, and hands out results.json, raw.tar
# and bench.status. Both kinds of drivers are loaded at both ends, so that the plan can bind
# the vif to either. /testbed/after.sh, if there is one, is carried out after the runs.
# usage: plan.sh run|aa PLAN [OPTION...]
verb=$1 plan=$2
shift 2
export GUEST_TIMEOUT=600

{ modprobe xen-netback && modprobe pvnet-core && modprobe pvnet-back; } ||
	fail "the backends do not load"
guest 1 'modprobe xen-netfront && modprobe pvnet-core && modprobe pvnet-front' ||
	fail "the frontends do not load"
wait_for 60 vif_connected 1 || fail "not connected"
pin || fail "cannot pin"
# The plan gives the vif an address of its own, without a bridge.
ip link set "$(vifname 1)" nomaster || fail "the vif cannot leave the bridge"

# Through cat: on a terminal it would draw a bar.
pvnet-bench "$verb" "/testbed/$plan" --small -o /tmp/results.json "$@" \
	-D guest='bash -c "guest 1 \"\$1\"" --' -D guest_ip=10.0.0.2/24 -D dom0_ip=10.0.0.1/24 \
	-D domid="$(domid 1)" 2>&1 | cat
rc=${PIPESTATUS[0]}
echo "$rc" > /tmp/bench.status
[ ! -d /tmp/results.json.raw ] || tar -C /tmp -cf /tmp/raw.tar results.json.raw
for f in bench.status results.json raw.tar; do
	[ ! -e "/tmp/$f" ] || result "/tmp/$f"
done
[ ! -e /testbed/after.sh ] || . /testbed/after.sh
# Runs that failed are in the results; without any there is nothing to show.
[ -e /tmp/results.json ] || fail "no results: exit status $rc"
pass
