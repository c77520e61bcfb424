#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# usage: rcvbuf.sh [MOST [udp] [tcp]]
# What a receive buffer takes while nobody reads, in stock's frontend and in pvnet's with
# each grant scheme. udp: of 500 datagrams into the default buffer, at least 160 of up to
# 200 bytes and 90 of up to 1400. tcp: buffers of 4 to 256 KiB and segments of 1 to 1448
# bytes, MOST segments at most: pvnet takes as many bytes as stock in each cell; what was
# collapsed or dropped meanwhile is printed. To see it fail: --dom0-cmdline BREAK=small (the
# guest's default buffer is a third) fails udp; BREAK=stock (not tried yet: stock's name on pvnet's
# numbers, and the other way round) fails tcp.
. "$(dirname "$0")/../lib.sh"
testbed_only
most=${1:-2000}
PARTS=${*:2}
PARTS=${PARTS:-udp tcp}
BREAK=${BREAK:-}
find_ends
[ "$TB_FRONT/$TB_BACK" = pvnet/pvnet ] || skip_all "for pvnet at both ends"
for p in rcvbuf udpseq; do
	[ -x "$T/net/$p" ] || skip_all "no net/$p: make -C selftests"
done
SIZES=(18 64 200 300 700 1000 1400)
KIB=(4 8 16 32 64 128 256)
WHO="stock copy persistent"
PORT=6200
declare -A UDP TCP	# WHO,SIZE and WHO,KIB,SEGMENT

use() {
	case $1 in
	stock)	use_pair stock "$TB_BACK" "$TB_BACK_ARGS grant_scheme=copy";;
	*)	if [ "$(driver remote)" != pvnet ]; then
			use_pair pvnet "$TB_BACK" "$TB_BACK_ARGS" "$TB_FRONT_ARGS" && until_true 30 scheme_is persistent || return
		fi
		set_scheme "$1" && both_ways 1 > /dev/null;;
	esac
}

# Slow enough for the ring, and 20 datagrams more say the end: they do not fit.
udp() {
	local who=$1 pid i out

	PORT=$((PORT + 50))
	pid=$(remote_bg "exec $T/net/rcvbuf udp $PORT ${#SIZES[@]}" | tr -d '\r')
	remote_wait 30 "ss -lunH | grep -q ':$((PORT + ${#SIZES[@]} - 1)) '" || return
	for i in "${!SIZES[@]}"; do
		"$T/net/udpseq" send "$REMOTE_V4" $((PORT + i)) 500 "${SIZES[i]}" 400 > /dev/null || return
	done
	out=$(remote "kill -USR1 $pid; for i in \$(seq 100); do [ -s /tmp/bg.$pid ] && break; sleep 0.1; done; cat /tmp/bg.$pid" | tr -d '\r')
	echo "sizes ${SIZES[*]}: $out"
	out=($out)
	for i in "${!SIZES[@]}"; do UDP[$who,${SIZES[i]}]=${out[i]}; done
	is "${#out[@]}" -eq "${#SIZES[@]}"
}

udp_enough() {
	local who=$1 size want bad=0

	for size in "${SIZES[@]}"; do
		want=160
		[ "$size" -le 200 ] || want=90
		is "${UDP[$who,$size]}" -ge $want || { echo "... at $size bytes"; bad=1; }
	done
	return $bad
}

tcp() {
	local who=$1 pid n=0 kib size bytes rest

	PORT=$((PORT + 50))
	pid=$(remote_bg "exec $T/net/rcvbuf listen $PORT ${KIB[*]}" | tr -d '\r')
	remote_wait 30 "ss -ltnH | grep -q ':$((PORT + ${#KIB[@]} - 1)) '" || return
	"$T/net/rcvbuf" fill "$REMOTE_V4" $PORT "$most" "${KIB[@]}" > /tmp/filled || { cat /tmp/filled; return 1; }
	sleep 1
	remote "kill $pid; sleep 1; cat /tmp/bg.$pid" | tr -d '\r' | grep -E '^[0-9]+ [0-9]+ [0-9]+ [0-9]+ (reset|open)$' > /tmp/counted
	is "$(wc -l < /tmp/counted)" -eq "$(wc -l < /tmp/filled)" || return
	while read -r kib size bytes rest; do
		TCP[$who,$kib,$size]=$bytes
		printf '%3d KiB, segments of %4d: %8d bytes; collapsed %d, pruned %d, dropped %d; %s\n' "$kib" "$size" "$bytes" $rest
		n=$((n + 1))
	done < <(paste -d ' ' /tmp/filled <(cut -d' ' -f2- /tmp/counted))
	is "$n" -gt 0
}

# tcp_enough WHO SEGMENTS
tcp_enough() {
	local cell bad=0 a=$1 b=stock sizes=" $2 "

	[ "$BREAK" != stock ] || a=stock b=$1
	for cell in "${!TCP[@]}"; do
		[[ $cell = stock,* ]] || continue
		cell=${cell#*,}
		[[ $sizes = *" ${cell#*,} "* ]] || continue
		[ "${TCP[$a,$cell]:-0}" -ge "${TCP[$b,$cell]:-0}" ] ||
			{ echo "KiB,segment $cell: pvnet ${TCP[$a,$cell]:-none}, stock ${TCP[$b,$cell]}"; bad=1; }
	done
	return $bad
}

udp_table() {
	local who size

	printf 'UDP, datagrams of 500:  '
	printf ' %6d' "${SIZES[@]}"
	for who in $WHO; do
		printf '\n%-24s' "$who"
		for size in "${SIZES[@]}"; do printf ' %6s' "${UDP[$who,$size]:--}"; done
	done
	echo
}

tcp_table() {
	local who size kib

	printf 'TCP, bytes: SO_RCVBUF KiB'
	printf ' %8d' "${KIB[@]}"
	for size in 1 64 536 1448; do for who in $WHO; do
		printf '\n%-10s by %-10s' "$who" $size
		for kib in "${KIB[@]}"; do printf ' %8s' "${TCP[$who,$kib,$size]:--}"; done
	done; done
	echo
}

need "link" wait_link
mark
[ "$BREAK" != small ] || remote "sysctl -w net.core.rmem_default=70000"
for who in $WHO; do
	need "use $who" use $who
	for p in $PARTS; do check "$who: $p" $p $who; done
done
for p in $PARTS; do ${p}_table | sed 's/^/# /'; done
for who in copy persistent; do for p in $PARTS; do
	case $p in
	udp)	check "$who: UDP: 160 small ones and 90 others" udp_enough $who;;
	tcp)	check "$who: TCP: no less than stock in any cell of 1, 64, 1448" tcp_enough $who "1 64 1448"
		goal "$who: TCP: no less than stock in any cell of 536" "stock's is collapsed and gets more window" tcp_enough $who 536;;
	esac
done; done
check "as started" as_started
check "logs" logs_clean
finish
