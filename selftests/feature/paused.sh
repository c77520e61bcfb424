#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# usage: paused.sh [SECONDS]		(--guests 2 adds forwarded traffic)
# FR-10, FR-11: a guest does not read while dom0, and another guest, flood it with large
# UDP. What dom0 keeps for it is bounded; nothing spins; then, with short times, the
# queue is drained and the carrier goes off; unpaused, all is back.
# To see it fail (not all tried yet): `ip link set $VIF txqueuelen 10000` before the flood (memory).
. "$(dirname "$0")/../lib.sh"
testbed_only
secs=${1:-15}
# KiB of a vif with pfifo_fast; fq_codel has a limit of its own, of 32 MiB
cap_kib=16384
cap_fq_kib=$((32768 + cap_kib))
find_ends
[ -x "$T/net/udpflood" ] || skip_all "no net/udpflood: make -C selftests"
PARAM=/sys/module/pvnet_back/parameters

lost_kib() { echo $((free_before - $(awk '/^MemAvailable:/ { print $2 }' /proc/meminfo))); }
slab_kib() { awk '/^Slab:/ { print $2 }' /proc/meminfo; }

neighbours() {
	local mac

	mac=$(remote cat "/sys/class/net/$RIF/address" | tr -d '\r')
	ip neigh replace "$REMOTE_V4" lladdr "$mac" dev "$BRIDGE" nud permanent
	defer "ip neigh del $REMOTE_V4 dev $BRIDGE"
	[ "$TB_GUESTS" -lt 2 ] || guest 2 "ip neigh replace $REMOTE_V4 lladdr $mac dev eth0 nud permanent"
}

pause() { xl pause g1 && defer "xl unpause g1"; }

# flooded QDISC KIB: the most that dom0 lost while the flood ran.
flooded() {
	local most=0 now slab0 flood pid2

	tc qdisc replace dev "$VIF" root "$1" || { echo "no $1"; return 4; }
	defer "tc qdisc del dev $VIF root"
	sync
	echo 3 > /proc/sys/vm/drop_caches
	slab0=$(slab_kib)
	free_before=$(awk '/^MemAvailable:/ { print $2 }' /proc/meminfo)
	if [ "$TB_GUESTS" -ge 2 ]; then
		pid2=$(guest_bg 2 "$T/net/udpflood $REMOTE_V4 9 $secs 64 60000")
	fi
	"$T/net/udpflood" "$REMOTE_V4" 9 $((secs / 2)) 200 60000 1400 &
	flood=$!
	while kill -0 $flood 2> /dev/null; do
		now=$(lost_kib)
		[ "$now" -gt $most ] && most=$now
		sleep 0.3
	done
	"$T/net/udpflood" "$REMOTE_V4" 9 $((secs / 2)) 200 60000 &
	flood=$!
	while kill -0 $flood 2> /dev/null; do
		now=$(lost_kib)
		[ "$now" -gt $most ] && most=$now
		sleep 0.3
	done
	echo "dom0 lost $most KiB at most; slab grew $(($(slab_kib) - slab0)) KiB; qdisc: $(tc -s qdisc show dev "$VIF" | grep backlog)"
	is "$most" -le "$2"
}

# The processor time that dom0 uses while a guest does not read: nobody sends now.
idle() {
	local a b

	a=$(awk '/^cpu / { print $2 + $3 + $4 + $7 + $8 }' /proc/stat)
	sleep 10
	b=$(awk '/^cpu / { print $2 + $3 + $4 + $7 + $8 }' /proc/stat)
	echo "dom0 was busy for $((b - a)) ticks of 1000"
	is $((b - a)) -lt 300
}

back() {
	xl unpause g1 || return
	local start=${EPOCHREALTIME/./}
	until_true 60 ping -c1 -W1 "$REMOTE_V4" || return
	echo "an answer after $(((${EPOCHREALTIME/./} - start) / 1000)) ms"
	both_ways 1
}

carrier() { [ "$(cat "/sys/class/net/$VIF/carrier")" = "$1" ]; }

stalls() {
	local d s

	d=$(counter local "$VIF" to_guest_drains) s=$(counter local "$VIF" to_guest_stalls)
	defer "echo $(cat $PARAM/rx_drain_timeout_msecs) > $PARAM/rx_drain_timeout_msecs; echo $(cat $PARAM/rx_stall_timeout_msecs) > $PARAM/rx_stall_timeout_msecs"
	echo 500 > $PARAM/rx_drain_timeout_msecs
	echo 2000 > $PARAM/rx_stall_timeout_msecs
	xl pause g1
	carrier 1 || { echo "no carrier before"; return 1; }
	"$T/net/udpflood" "$REMOTE_V4" 9 3 20 20000
	until_true 60 carrier 0 || return
	d=$(($(counter local "$VIF" to_guest_drains) - d)) s=$(($(counter local "$VIF" to_guest_stalls) - s))
	echo "drains $d stalls $s; qdisc: $(tc -s qdisc show dev "$VIF" | grep backlog)"
	is "$d" -gt 0 && is "$s" -eq 1
}

recovers() {
	xl unpause g1
	until_true 60 carrier 1 && until_true 60 ping -c1 -W1 "$REMOTE_V4" && both_ways 1
}

# What the other guest, and dom0's other work, sees meanwhile
others() {
	[ "$TB_GUESTS" -ge 2 ] || { echo "one guest only"; return 4; }
	ping -q -c 3 -W 20 "$(guest_ip 2)"
}

need "link" wait_link
mark
neighbours
check "pause" pause
check "dom0's memory in a flood of $secs s, pfifo_fast" flooded pfifo_fast $cap_kib
check "dom0's memory in a flood of $secs s, fq_codel" flooded fq_codel $cap_fq_kib
check "the other guest meanwhile" others
check "nothing spins" idle
check "unpaused, traffic is back" back
if [ "$(driver local)" = pvnet ]; then
	check "drained, then carrier off" stalls
	check "the other guest meanwhile, stalled" others
	check "nothing spins while stalled" idle
	check "carrier on again" recovers
fi
check "logs" logs_clean
finish
