#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# usage: slow_reader.sh [SECONDS]
# Receivers in the guest that do not read, read slowly, or are many, with persistent grants
# and TCP's largest packets: the ring goes on receiving for others, the stack has 256 pages
# of a queue at most, what is beyond is copied and counted, and no page is written while
# it waits to be read. A page that is held for SECONDS keeps no other from being used again.
# To see it fail: --dom0-cmdline BREAK=little (100 kB are sent, so few pages are held).
. "$(dirname "$0")/../lib.sh"
testbed_only
secs=${1:-15}
BREAK=${BREAK:-}
SPARE=256
find_ends
[ "$TB_FRONT/$TB_BACK" = pvnet/pvnet ] || skip_all "for pvnet at both ends"
[ -x "$T/net/sloth" ] || skip_all "no net/sloth: make -C selftests"
SLOTH=$T/net/sloth
PORT=6100

# receiver CONNECTIONS RCVBUF HOW: sets RECEIVER, a process group there.
receiver() {
	PORT=$((PORT + 1)) CONNECTIONS=$1
	RECEIVER=$(remote_bg "$SLOTH recv $PORT $1 $2 $3; echo status \$?" | tr -d '\r')
	remote_wait 30 "ss -ltnH | grep -q :$PORT"
}

# sender BYTES: sets SENDER.
sender() {
	[ "$BREAK" != little ] || set -- $((100000 / CONNECTIONS))
	"$SLOTH" send "$REMOTE_V4" $PORT $CONNECTIONS "$1" > /tmp/sender 2>&1 &
	SENDER=$!
	defer "kill $SENDER"
}

# read_all: what waits is read now, and is what was sent. Nothing is held any more.
read_all() {
	local out

	kill $SENDER
	wait $SENDER
	cat /tmp/sender
	remote "kill -USR1 \$(pidof sloth); for i in \$(seq 600); do grep -q ^status /tmp/bg.$RECEIVER && break; sleep 0.1; done"
	out=$(remote "cat /tmp/bg.$RECEIVER" | tr -d '\r')
	echo "$out"
	[[ $out =~ "status 0" ]] || return
	until_true 30 none_out
}

none_out() { is "$(counter remote "$RIF" persistent_out)" -le 16; }

# The most that the stack had, of one queue, while others lived.
sampler_on() { SAMPLER=$(remote_bg "while :; do ethtool -S $RIF | sed -n 's/.*persistent_out: //p'; sleep 0.2; done > /tmp/outs" | tr -d '\r'); }
sampler_off() {
	remote "kill -- -$SAMPLER; sort -n /tmp/outs | uniq -c | tail -n 3; echo samples \$(wc -l < /tmp/outs)"
	MOST=$(remote "sort -n /tmp/outs | tail -n 1" | tr -d '\r')
	echo "most: $MOST"
}

others_live() { ping_sizes local "$REMOTE_V4" "0 1472 4054 16000 0 1472 4054 16000" && transfer local remote 2 "$REMOTE_V4"; }

# held LEAST CONNECTIONS RCVBUF HOW: with these receivers, others live, and never more than
# the spare pages are out; at least LEAST are.
held() {
	local least=$1 a b rc

	shift
	a=$(counter remote "$RIF" rx_copied_out)
	receiver "$@" || return
	sampler_on
	sender 100000000
	sleep 5
	others_live
	rc=$?
	sampler_off
	b=$(counter remote "$RIF" rx_copied_out)
	echo "copied out: $((b - a)) packets"
	[ $rc = 0 ] && is "$MOST" -le $SPARE && is "$MOST" -ge "$least" && is "$b" -gt "$a"
}

# One connection's data is read much later. Others have the pages between them.
recycled() {
	local a b

	a=($(counters remote "$RIF" rx_pages rx_copied_out persistent_out))
	transfer local remote 12 "$REMOTE_V4" || return
	b=($(counters remote "$RIF" rx_pages rx_copied_out persistent_out))
	echo "pages to the stack $((b[0] - a[0])), packets copied out $((b[1] - a[1])); held before ${a[2]}, after ${b[2]}"
	is $((b[0] - a[0])) -gt $((3 * SPARE)) && is "${a[2]}" -gt 0 && is "${b[2]}" -gt 0
}

for_long() {
	local end=$((SECONDS + secs)) k=0

	until_true 30 sent_all || return
	while :; do
		recycled > /tmp/recycled || { cat /tmp/recycled; return 1; }
		k=$((k + 1))
		[ $SECONDS -lt $end ] || break
		sleep 1
	done
	tail -n 1 /tmp/recycled
	echo "$k times"
}
sent_all() { ! kill -0 $SENDER; }

need "link" wait_link
mark
need "persistent" until_true 30 scheme_is persistent
before=$(bad_counts)
check "warm up" both_ways 2
check "one that never reads" held 200 1 2097152 never
check "... what it had is intact" read_all
check "one that reads slowly" held 100 1 2097152 slow
check "... what it had is intact" read_all
check "64 that never read" held 200 64 0 never
check "... what they had is intact" read_all
receiver 1 0 never
sender 60000
check "pages held for $secs s, others go round" for_long
check "... what was held is intact" read_all
check "no errors, no drops" unchanged "$before" "$(bad_counts)"
check "logs" logs_clean
finish
