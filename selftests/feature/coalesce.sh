#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# usage: coalesce.sh [PACKETS [IDLE-SECONDS]]
# ethtool -c and -C of both ends: what is read back, what is refused, what lasts; and what
# the settings do: one slot a wake-up or many, nothing lost or late, nothing on an idle link.
# To see it fail (tried): BREAK=k1, BREAK=many, BREAK=idle.
. "$(dirname "$0")/../lib.sh"
testbed_only
find_ends
[ "$(pair)" = pvnet/pvnet ] || skip_all "for pvnet at both ends"
packets=${1:-20000} idle=${2:-10}
K1='adaptive-rx off rx-frames 1'

# The end that receives: SIDE IF PREFIX of its counters.
from_guest="local $VIF from_guest_"
to_guest="remote $RIF rx_"

# set SIDE IF SETTINGS: as wanted already is no error.
set_coalesce() { on "$1" "ethtool -C $2 $3 2>&1" | grep -v 'no coalesce parameters changed'; true; }

# settings SIDE IF: on one line
settings() {
	on "$1" ethtool -c "$2" | tr -d '\r' | grep -E '^(Adaptive|rx-(usecs|frames):|tx-frames:)' | tr -s ' \t\n' ' '
}

# reads_back SIDE IF SETTINGS PATTERN
reads_back() {
	set_coalesce "$1" "$2" "$3"
	settings "$1" "$2"
	[[ $(settings "$1" "$2") =~ $4 ]]
}

# refused SIDE IF SETTINGS REASON: and nothing is changed.
refused() {
	local before out

	before=$(settings "$1" "$2")
	out=$(on "$1" "ethtool -C $2 $3 2>&1") && { echo "taken: $3"; return 1; }
	echo "$out"
	[[ $out =~ $4 ]] && same "$(settings "$1" "$2")" "$before"
}

bad_values() {	# SIDE IF
	local side=$1 dev=$2

	refused "$side" "$dev" 'rx-frames 0' 'rx-frames is 1 to 64' &&
		refused "$side" "$dev" 'rx-frames 65' 'rx-frames is 1 to 64' &&
		refused "$side" "$dev" 'rx-frames 4294967295' 'rx-frames is 1 to 64' &&
		refused "$side" "$dev" 'rx-usecs 10001' 'at most 10000' &&
		refused "$side" "$dev" 'rx-usecs 0 rx-frames 8' 'for ever' &&
		refused "$side" "$dev" 'rx-usecs -1' . &&
		refused "$side" "$dev" 'rx-frames many' . &&
		refused "$side" "$dev" 'rx-usecs-irq 5' . &&
		refused "$side" "$dev" 'tx-usecs 5' . &&
		refused "$side" "$dev" 'sample-interval 1' .
}

# The frontend alone collects answers.
bad_tx() {
	refused remote "$RIF" 'tx-frames 0' '1 to 128' && refused remote "$RIF" 'tx-frames 129' '1 to 128' &&
		refused local "$VIF" 'tx-frames 8' . && refused local "$VIF" 'adaptive-tx on' .
}

per_queue() {	# SIDE IF
	on "$1" "ethtool --per-queue $2 queue_mask 0x1 --coalesce adaptive-rx off rx-frames 7" || return
	on "$1" "ethtool --per-queue $2 queue_mask 0x1 --show-coalesce" | tr -d '\r' | grep rx-frames: | grep -qw 7
}

reconnects() {
	remote "ip link set $RIF down; ip link set $RIF up; ethtool -L $RIF combined 1" || true
	wait_link && same "$(settings remote "$RIF")" "$1"
}

# ---- what the settings do ----

# flood FROM SIZE: PACKETS datagrams, as fast as the interface takes them, to nobody.
flood() {
	local to=$REMOTE_V4 prog=$T/net/udpflood

	[ "$1" = remote ] && to=$LOCAL_V4
	on "$1" "$prog $to 9 600 8 $2 0 $packets"
}

# run SIDE IF PREFIX SIZE: what a flood to that side adds: wakes slots filled expired idle timers
run() {
	local side=$1 dev=$2 p=$3 from=remote names before after i
	local -a a b

	[ "$side" = remote ] && from=local
	names="${p}wakes ${p}wake_slots ${p}filled ${p}expired ${p}idle ${p}timers"
	# shellcheck disable=SC2086
	before=$(counters "$side" "$dev" $names)
	flood "$from" "$4" || return
	# shellcheck disable=SC2086
	after=$(counters "$side" "$dev" $names)
	read -ra a <<< "$before"
	read -ra b <<< "$after"
	for i in 0 1 2 3 4 5; do
		added[i]=$((b[i] - a[i]))
	done
	echo "wakes ${added[0]}, slots found ${added[1]}, filled ${added[2]}, expired ${added[3]}, idle ${added[4]}, timers ${added[5]}"
}

# One slot is asked for, and no timer is ever set.
plain() {	# SIDE IF PREFIX
	local -a added

	[ "${BREAK:-}" = k1 ] || set_coalesce "$1" "$2" "$K1"
	run "$@" 64 && is "${added[0]}" -gt 0 && is $((added[2] + added[3] + added[4] + added[5])) -eq 0
}

# asked SIDE ROW: from the histogram in debugfs, how often that many slots were asked for.
asked() {
	on "$1" 'mount -t debugfs none /sys/kernel/debug; cat /sys/kernel/debug/pvnet-*/vif*' 2> /dev/null |
		tr -d '\r' | awk -v row="$2" '$1 ~ "^[0-9]+[+]?$" && $1 ~ row { s += $2 } END { print s + 0 }'
}

# With K = 32 the 32nd slot is asked for, or the next when the link was idle; nothing else.
many() {	# SIDE IF PREFIX
	local -a added
	local k=32 all other

	[ "${BREAK:-}" = many ] && k=4
	set_coalesce "$1" "$2" "adaptive-rx off rx-frames $k rx-usecs 10000"
	all=$(asked "$1" '^32[+]') other=$(asked "$1" '^(2|4|8|16|64|128)[+]')
	run "$@" 64 || return
	is $((added[2] + added[3])) -gt 0 && is "${added[1]}" -ge $((k * added[2])) &&
		is "$(asked "$1" '^32[+]')" -gt "$all" && same "$(asked "$1" '^(2|4|8|16|64|128)[+]')" "$other"
}

# The last slots of a burst come by the clock, and none is left behind.
nothing_lost() {
	local s

	set_coalesce local "$VIF" 'adaptive-rx off rx-frames 64 rx-usecs 2000'
	set_coalesce remote "$RIF" 'adaptive-rx off rx-frames 64 rx-usecs 2000'
	for s in local remote; do
		[ $s = local ] && ping_sizes $s "$REMOTE_V4" '0 1472 30000 65507 1 2 3'
		[ $s = remote ] && ping_sizes $s "$LOCAL_V4" '0 1472 30000 65507 1 2 3'
	done && both_ways 4
}

# Packets that the clock had to end the wait for, at both ends.
expired() { echo $(($(counter local "$VIF" from_guest_expired) + $(counter remote "$RIF" rx_expired))); }

# A packet that comes alone is not held: the first after an idle time has its event. A few
# do not come alone, when others talk as well.
not_held() {
	local got held

	set_coalesce local "$VIF" 'adaptive-rx off rx-frames 64 rx-usecs 10000'
	set_coalesce remote "$RIF" 'adaptive-rx off rx-frames 64 rx-usecs 10000'
	held=$(expired)
	got=$(ping -n -q -c 20 -i 0.3 "$REMOTE_V4" | sed -n 's/.*, \([0-9]*\) received.*/\1/p')
	held=$(($(expired) - held))
	echo "20 pings, $got answered, $held of 40 packets held"
	is "$got" -eq 20 && is "$held" -le 10
}

# An idle link has no event and no timer; IPv6 would talk.
quiet() {
	[ "${BREAK:-}" = idle ] && remote_bg "ping -c 100 -W1 -i 1 $LOCAL_V4" > /dev/null
	sleep 3
	idle_counts > /tmp/idle.before
	sleep "$idle"
	idle_counts > /tmp/idle.after
	cat /tmp/idle.after
	diff /tmp/idle.before /tmp/idle.after
}

idle_counts() {
	ethtool -S "$VIF" | grep -E 'raised|events|timers|wakes'
	remote "ethtool -S $RIF" | tr -d '\r' | grep -E 'raised|events|timers|wakes'
}

silence() {
	local d

	for d in "$VIF" "$BRIDGE"; do
		sysctl -q -w "net.ipv6.conf.$d.disable_ipv6=1"
	done
	remote "sysctl -q -w net.ipv6.conf.$RIF.disable_ipv6=1"
}

need "link" wait_link
mark
before=$(bad_counts)
usecs_local=$(settings local "$VIF" | sed 's/.*rx-usecs: \([0-9]*\).*/\1/')
usecs_remote=$(settings remote "$RIF" | sed 's/.*rx-usecs: \([0-9]*\).*/\1/')
check "the vif adapts" reads_back local "$VIF" '' 'Adaptive RX: on .*rx-frames: 64'
check "the guest adapts" reads_back remote "$RIF" '' 'Adaptive RX: on TX: on .*rx-frames: 64 tx-frames: 128'
check "vif: bad values are refused" bad_values local "$VIF"
check "guest: bad values are refused" bad_values remote "$RIF"
check "answers: bad values are refused" bad_tx
check "the vif reads back" reads_back local "$VIF" 'adaptive-rx off rx-usecs 77 rx-frames 5' 'Adaptive RX: off .*rx-usecs: 77 rx-frames: 5'
check "the guest reads back" reads_back remote "$RIF" 'adaptive-rx off adaptive-tx off rx-usecs 88 rx-frames 6 tx-frames 9' \
	'RX: off TX: off .*rx-usecs: 88 rx-frames: 6 tx-frames: 9'
check "they last over down, up and a reconnect" reconnects "$(settings remote "$RIF")"
check "vif: per queue" per_queue local "$VIF"
check "guest: per queue" per_queue remote "$RIF"
# shellcheck disable=SC2086
for dir in from_guest to_guest; do
	check "$dir: K = 1 asks for each slot" plain ${!dir}
	check "$dir: K = 32 wakes for many" many ${!dir}
done
check "nothing is left behind" nothing_lost
check "what comes alone is not held" not_held
set_coalesce local "$VIF" "adaptive-rx on rx-frames 64 rx-usecs $usecs_local"
set_coalesce remote "$RIF" "adaptive-rx on adaptive-tx on rx-frames 64 tx-frames 128 rx-usecs $usecs_remote"
check "adaptive: transfer" both_ways 8
silence
check "an idle link is silent" quiet
check "no errors, no drops" unchanged "$before" "$(bad_counts)"
check "logs" logs_clean
finish
