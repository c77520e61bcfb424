#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# usage: truesize.sh [STEP [MIB]]
# Each received skb is charged for what it pins: the oracle of pvnet-core compares both
# for packets of all sizes, right-sized or not, alone and in GSO packets, in both
# schemes, at both ends. STEP: distance of the sizes of datagrams (default 251; small ones: a tenth).
# To see it fail: tools/check/mutant-boot.
. "$(dirname "$0")/../lib.sh"
testbed_only
step=${1:-251} mib=${2:-4}
find_ends
[ "$TB_FRONT" = pvnet ] && [ "$TB_BACK" = pvnet ] || skip_all "for pvnet at both ends"
AUDIT=/sys/module/pvnet_core/parameters/truesize_audit

audit() { echo "$1" > $AUDIT && remote "echo $1 > $AUDIT"; }

copybreak() { remote ethtool --set-tunable "$RIF" rx-copybreak "$1"; }

wrong() { echo "$(($(counter remote "$RIF" rx_mischarged) + $(counter local "$VIF" from_guest_mischarged)))"; }

# Datagrams in fragments of the MTU, whole ones at a large MTU, and TCP's packets.
all_shapes() {
	local before sizes n

	before=$(wrong)
	n=$(received)
	sizes=$(seq 0 "$step" 65489 | tr '\n' ' ')
	sizes="$sizes $(seq 0 $((step / 10)) 1472 | tr '\n' ' ') 65489"
	set_mtu 65517 || return
	ping_sizes local "$REMOTE_V4" "$sizes" && ping_sizes remote "$LOCAL_V4" "$sizes" || return
	set_mtu 1500
	ping_sizes local "$REMOTE_V4" 65507 && ping_sizes remote "$LOCAL_V4" 65507 || return
	both_ways "$mib" || return
	n=$(($(received) - n))
	echo "$n packets; mischarged: $(($(wrong) - before))"
	is "$(($(wrong) - before))" -eq 0 && is "$n" -gt 60
}
received() { echo "$(($(counter remote "$RIF" rx_packets) + $(counter local "$VIF" from_guest_packets)))"; }
set_mtu() { ip link set "$VIF" mtu "$1" && ip link set "$BRIDGE" mtu "$1" && remote ip link set "$RIF" mtu "$1"; }

need "link" wait_link
mark
before=$(bad_counts)
need "audit on" audit 1
defer "audit 0; set_mtu 1500; copybreak 1522"
for s in copy persistent; do
	check "grant scheme $s" set_scheme $s || continue
	for c in 1522 0 2048; do
		check "copybreak $c" copybreak $c
		check "$s, copybreak $c: charged is pinned" all_shapes
	done
done
check "copybreak as before" copybreak 1522
check "no errors, no drops" unchanged "$before" "$(bad_counts)"
check "logs" logs_clean
finish
