#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# usage: traffic.sh [MIB [long]]
# TCP each way with matching sums, pings over page and slot borders, IPv6, VLANs,
# MTU 9000: nothing is lost, and no counter of errors or drops moves. Any drivers.
# To see it fail: --dom0-cmdline PVNET_BREAK_MD5=1 (sums). Not tried yet: `tc qdisc add dev $VIF root netem loss 5%`
# in the middle (pings), netem corrupt 1% (wrong data).
. "$(dirname "$0")/../lib.sh"
mib=${1:-16} long=${2:-}
find_ends
[ -x "$MD5STREAM" ] || skip_all "no net/md5stream: make -C selftests"
remote test -x "$MD5STREAM" || skip_all "the guest has no $MD5STREAM"

# Payloads, so that headers (8 + 20 + 14) put the packet's ends around page borders,
# the borders of fragments at each MTU, and the largest datagram.
sizes() {
	local n k

	echo 0 1 17 18 19 63 64 65 85 86 87 113 114 115 127 128 129 511 1023 1471 1472 1473 2047 2048
	for n in 4096 8192; do
		seq $((n - 44)) "$1" $((n - 26))
		echo $((n - 1)) "$n" $((n + 1)) $((n + 3))
	done
	for ((k = 3; k < 16; k += $2)); do
		n=$((k * 4096))
		echo $((n - 45)) $((n - 42)) $((n - 28)) $((n - 1)) "$n" $((n + 1))
	done
	echo 65506 65507
}

tcp6() {
	transfer local remote "$1" "$REMOTE_V6" && transfer remote local "$1" "$LOCAL_V6"
}

# vlan_on LOCALDEV ID: 10.8.ID.x on a tag at both ends.
vlan_on() {
	local dev=$1 id=$2

	modprobe -q 8021q
	remote "modprobe -q 8021q"
	ip link add link "$dev" name "pvt$id" type vlan id "$id" || return
	defer "ip link del pvt$id"
	remote "ip link add link $RIF name pvt$id type vlan id $id && ip link set pvt$id up &&
		ip addr add 10.8.$id.2/24 dev pvt$id && cat /sys/class/net/pvt$id/mtu" || return
	defer "remote ip link del pvt$id"
	ip addr add "10.8.$id.1/24" dev "pvt$id"
	ip link set "pvt$id" up
	until_true 60 ping -c1 -W1 "10.8.$id.2"
}

vlan_traffic() {
	local id=$1

	ping_sizes local "10.8.$id.2" "0 18 1400 1471 1472 1473 8000 65507" || return
	ping_sizes local "10.8.$id.2" "1472" "-M do" || return
	ping_sizes remote "10.8.$id.1" "0 18 1471 1472 1473 65507" || return
	transfer local remote "$2" "10.8.$id.2" && transfer remote local "$2" "10.8.$id.1"
}

set_mtu() {
	ip link set dev "$VIF" mtu "$1" && ip link set dev "$BRIDGE" mtu "$1" && remote ip link set dev "$RIF" mtu "$1"
}

# Linear copies are for shapes that ordinary traffic does not have.
no_linearized() {
	local n

	n=$(counter remote "$RIF" tx_linearized)
	[ -n "$n" ] || { echo "the frontend does not count it"; return 4; }
	is "$n" -eq "$linearized"
}

need "link" wait_link
say "front/back: $(pair)"
mark
before=$(bad_counts)
linearized=$(counter remote "$RIF" tx_linearized)

if [ "$long" ]; then list=$(sizes 1 1); else list=$(sizes 3 4); fi
list=$(echo $list)
check "ping sizes from dom0" ping_sizes local "$REMOTE_V4" "$list"
check "ping sizes from the guest" ping_sizes remote "$LOCAL_V4" "$list"
check "TCP to the guest, $mib MiB" transfer local remote "$mib" "$REMOTE_V4"
check "TCP from the guest, $mib MiB" transfer remote local "$mib" "$LOCAL_V4"
if [ -n "${REMOTE_V6:-}" ]; then
	check "ping over IPv6 from dom0" ping_sizes local "$REMOTE_V6" "0 56 1232 1452 1453 8000 65000"
	check "ping over IPv6 from the guest" ping_sizes remote "$LOCAL_V6" "0 56 1232 1452 1453 8000 65000"
	check "TCP over IPv6" tcp6 $((mib / 4 + 1))
else
	skip_check "IPv6" "no REMOTE_V6"
fi
check "VLAN through the bridge" vlan_on "$BRIDGE" 5 &&
	check "traffic in the VLAN" vlan_traffic 5 $((mib / 4 + 1))
check "MTU 9000 at both ends" set_mtu 9000
defer "set_mtu 1500"
check "ping sizes at MTU 9000 from dom0" ping_sizes local "$REMOTE_V4" "4052 4053 4054 8971 8972" "-M do"
check "ping sizes at MTU 9000 from the guest" ping_sizes remote "$LOCAL_V4" "4052 4053 4054 8971 8972" "-M do"
check "fragments at MTU 9000" ping_sizes remote "$LOCAL_V4" "8973 17900 65507"
check "TCP at MTU 9000" both_ways "$mib"
check "back to MTU 1500" set_mtu 1500
check "TCP at MTU 1500 again" both_ways 2
# netback drops a few packets at times, whoever the frontend is.
no_drops() { check "no errors, no drops" "$@"; }
[ "${TB_BACK:-}" != stock ] || no_drops() { goal "no errors, no drops" "netback drops" "$@"; }
no_drops unchanged "$before" "$(bad_counts)"
check "nothing was linearized" no_linearized
check "logs" logs_clean
finish
