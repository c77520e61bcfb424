#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Runs in dom0 of the testbed: packets a second from guest 1 by what a slot costs the
# consumer and by how many slots it waits for; leaves hump.csv, a line a run:
# delay,how,round,packets,seconds,slots,wakes
# usage: hump.sh ROUNDS PACKETS SIZE "DELAY..." "HOW..."
# DELAY: consumer_delay of pvnet_core, in loops a slot. HOW: k1, kN, or adaptive.
rounds=$1 packets=$2 size=$3 delays=$4 hows=$5
csv=/tmp/hump.csv
flood=/selftests/net/udpflood
vif=$(vifname 1)

how() {
	case $1 in
	adaptive)	set -- 'adaptive-rx on rx-frames 64 rx-usecs 10000' ;;
	k1)		set -- 'adaptive-rx off rx-frames 1' ;;
	k*)		set -- "adaptive-rx off rx-usecs 10000 rx-frames ${1#k}" ;;
	esac
	# shellcheck disable=SC2086
	ethtool -C "$vif" $1 2>&1 | grep -v 'no coalesce parameters changed\|^$'
}

# Counters of the consumer: packets, slots found, wakes
count() {
	ethtool -S "$vif" | awk '$1 == "q0_from_guest_packets:" { p = $2 }
		$1 == "q0_from_guest_consumed:" { s = $2 } $1 == "q0_from_guest_wakes:" { w = $2 }
		END { print p, s, w }'
}

one() {
	local p0 s0 w0 p1 s1 w1 t0 t1

	echo "$1" > /sys/module/pvnet_core/parameters/consumer_delay
	how "$2"
	read -r p0 s0 w0 < <(count)
	t0=${EPOCHREALTIME/./}
	guest 1 "$flood 10.9.0.1 9 60 8 $size 0 $packets" > /tmp/flood.out 2>&1 || fail "$(cat /tmp/flood.out)"
	t1=${EPOCHREALTIME/./}
	read -r p1 s1 w1 < <(count)
	log "$2: $(ethtool -S "$vif" | grep -E 'from_guest_(filled|expired|idle|timers|k|hold_usecs):' | tr -s ' \\n' ' ') $(grep -h 'K ' /sys/kernel/debug/pvnet-back/* 2>/dev/null)"
	awk "BEGIN { printf \"$1,$2,$3,%d,%.6f,%d,%d\\n\", $p1 - $p0, ($t1 - $t0) / 1e6, $s1 - $s0, $w1 - $w0 }" | tee -a "$csv"
}

[ -x $flood ] || fail "no $flood"
echo "delay,how,round,packets,seconds,slots,wakes" > "$csv"
wait_for 60 ping -c1 -W1 "$(guest_ip 1)" || fail "the guest does not answer"
pin || fail "cannot pin"
one 0 k1 warm-up
sed -i '$d' "$csv"
for round in $(seq "$rounds"); do
	for d in $(shuf -e $delays); do
		for h in $(shuf -e $hows); do
			one "$d" "$h" "$round"
		done
	done
done
echo 0 > /sys/module/pvnet_core/parameters/consumer_delay
result "$csv"
pass
