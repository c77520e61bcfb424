#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# usage: renegotiate.sh [TIMES]
# FR-18, FR-21: each connect negotiates anew. The guest's vif goes from one frontend to
# the other and back, unbound and bound by hand; the backend's features are taken back
# and given again. A frontend without features needs a rogue peer: not here.
# To see it fail (not all tried yet): features read at probe only (front/xenbus.c) fails "without".
. "$(dirname "$0")/../lib.sh"
testbed_only
times=${1:-2}
find_ends
BE=/local/domain/0/backend/vif/$(domid 1)/0

bind_to() {
	local old=$1 new=$2

	remote "modprobe $(front_module "$new"); cd /sys/bus/xen/drivers
		[ ! -e $(bus_name "$old" front)/vif-0 ] || echo vif-0 > $(bus_name "$old" front)/unbind
		[ -e $(bus_name "$new" front)/vif-0 ] || echo vif-0 > $(bus_name "$new" front)/bind
		guest_net_up" || return
	until_true 60 vif_connected 1 && wait_link || return
	same "$(driver remote)" "$new"
}

offloads() { on "$1" "ethtool -k $2" | tr -d '\r' | grep -E '^(scatter-gather|tx-checksumming|tcp-segmentation-offload|	tx-tcp6?-segmentation):'; }

vif_features() {
	offloads local "$VIF"
	[ "$(offloads local "$VIF" | grep -c ': on')" -ge 4 ]
}

# features 0|1: what the backend says it can, and the guest connects again.
features() {
	local f

	remote "echo vif-0 > /sys/bus/xen/drivers/$(bus_name pvnet front)/unbind"
	for f in sg gso-tcpv4 gso-tcpv6 ipv6-csum-offload; do xenstore-write "$BE/feature-$f" "$1"; done
	remote "echo vif-0 > /sys/bus/xen/drivers/$(bus_name pvnet front)/bind; guest_net_up"
	until_true 60 vif_connected 1 && wait_link
}

without() {
	features 0 || return
	[ "$(xenstore-read "$BE/feature-sg")" = 0 ] || { echo "the backend said so again"; return 4; }
	offloads remote "$RIF"
	offloads remote "$RIF" | grep -E '^(scatter-gather|tcp-seg).*: on' && return 1
	remote "ip link set $RIF mtu 9000" && { echo "MTU 9000 without scatter-gather"; return 1; }
	both_ways 2
}

with() {
	features 1 || return
	offloads remote "$RIF"
	[ "$(offloads remote "$RIF" | grep -c ': on')" -ge 4 ] || return
	set_mtu 9000 && ping_sizes remote "$LOCAL_V4" 8972 "-M do" && both_ways 2 && set_mtu 1500
}

set_mtu() { ip link set "$VIF" mtu "$1" && ip link set "$BRIDGE" mtu "$1" && remote ip link set "$RIF" mtu "$1"; }

need "link" wait_link
mark
was=$(driver remote)
other=stock
[ "$was" = stock ] && other=pvnet
check "transfer with $was" both_ways 4
for ((i = 1; i <= times; i++)); do
	check "$was to $other, $i" bind_to "$was" "$other"
	check "vif's features with $other" vif_features
	check "transfer with $other, $i" both_ways 4
	check "$other to $was, $i" bind_to "$other" "$was"
	check "vif's features with $was" vif_features
	check "transfer with $was, $i" both_ways 4
done
remote "rmmod $(front_module "$other")"
if [ "$was" = pvnet ]; then
	check "without the backend's features" without
	check "with them again" with
fi
check "as started" as_started
check "logs" logs_clean
finish
