#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# usage: mtu.sh [long]
# FR-17: the MTUs of bridge, vif and guest, and tags. For each combination the largest
# packet that all of them allow passes with the don't-fragment bit, both ways, and TCP
# does; xl's mtu= reaches the guest and stays over a reload.
# To see it fail (not all tried yet): a vif of MTU 1400 behind the test's back.
. "$(dirname "$0")/../lib.sh"
testbed_only
find_ends
modprobe -q 8021q

mtus() {	# BRIDGE VIF GUEST
	ip link set "$VIF" mtu "$2" && ip link set "$BRIDGE" mtu "$1" && remote ip link set "$RIF" mtu "$3"
}

untag() { ip link del mt1; remote ip link del mt1; } 2> /dev/null

# tag COUNT: sets L and R, the addresses in so many tags. The tags' MTU is the device's
# own, as users expect: the frames are 4 or 8 bytes longer than the MTU says.
tag() {
	local outer=802.1Q

	L=$LOCAL_V4 R=$REMOTE_V4
	untag
	[ "$1" = 0 ] && return
	[ "$1" = 2 ] && outer=802.1ad
	L=10.8.$1.1 R=10.8.$1.2
	both "ip link add link DEV name mt1 type vlan id 11 proto ${outer} && ip link set mt1 up" || return
	if [ "$1" = 1 ]; then
		both "ip addr add 10.8.1.N/24 dev mt1"
	else
		both "ip link add link mt1 name mt2 type vlan id 12 && ip link set mt2 up && ip addr add 10.8.2.N/24 dev mt2"
	fi
}

both() {
	local cmd=$1

	bash -c "$(echo "$cmd" | sed "s/DEV/$BRIDGE/g;s/\.N\b/.1/g")" && remote "$(echo "$cmd" | sed "s/DEV/$RIF/g;s/\.N\b/.2/g")"
}

min() { printf '%s\n' "$@" | sort -n | head -n 1; }

passes() {	# BRIDGE VIF GUEST TAGS
	local m

	mtus "$1" "$2" "$3" && tag "$4" || return
	m=$(min "$1" "$2" "$3")
	until_true 60 ping -c1 -W1 "$R" || return
	# The device itself keeps its end from sending more; the other end's limit is tried.
	ping_sizes local "$R" "$((m - 28))" "-M do" && ping_sizes remote "$L" "$((m - 28))" "-M do" || return
	# MTUs that differ make TCP's MSS the smaller of the ends': only equal ones carry it.
	[ "$1" = "$2" ] && [ "$2" = "$3" ] || return 0
	transfer local remote 1 "$R" && transfer remote local 1 "$L"
}

reaches_the_guest() {
	same "$(remote cat "/sys/class/net/$RIF/mtu" | tr -d '\r')" "$1" &&
		same "$(cat "/sys/class/net/$VIF/mtu")" "$1"
}

bigger() {
	mtus "$1" "$1" "$1" && ping_sizes remote "$LOCAL_V4" "$(($1 - 28)) $(($1 - 29))" "-M do" &&
		ping_sizes local "$REMOTE_V4" "$(($1 - 28))" "-M do" && both_ways 2
}

need "link" wait_link
mark
before=$(bad_counts)
defer "untag; mtus 1500 1500 1500"
if [ "${1:-}" = long ]; then set -- 1500 9000; else set -- 9000; fi
for tags in 0 1 2; do
	check "bridge 1500, vif 1500, guest 1500, $tags tags" passes 1500 1500 1500 $tags
	for m in "$@"; do for v in "$@"; do for b in "$@"; do
		[ "$m$v$b" = 150015001500 ] && continue
		check "bridge $b, vif $v, guest $m, $tags tags" passes "$b" "$v" "$m" $tags
	done; done; done
done
check "bridge 1500, vif 9000, guest 9000" passes 1500 9000 9000 0
check "bridge 9000, vif 1500, guest 1500" passes 9000 1500 1500 0
untag
check "MTU 65517" bigger 65517
check "back to 1500" mtus 1500 1500 1500
check "no errors, no drops" unchanged "$before" "$(bad_counts)"
if check "detach" detach && check "attach with mtu=9000" attach mtu=9000; then
	check "mtu=9000 reaches both ends" reaches_the_guest 9000
	ip link set "$BRIDGE" mtu 9000
	check "and carries it" ping_sizes remote "$LOCAL_V4" 8972 "-M do"
	if [ "$TB_FRONT" = pvnet ]; then
		front_unload pvnet
		check "reload" front_load pvnet $TB_FRONT_ARGS
		check "mtu=9000 after a reload" reaches_the_guest 9000
	fi
	check "detach again" detach
	check "attach as before" attach
fi
check "logs" logs_clean
finish
