#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Runs in dom0 of the testbed: measures cells, and leaves cells.csv, a line a run:
# scheme,direction,size,run,unit,value,sent (the value may be "failed: reason"; sent is
# what a UDP sender offered). A run that failed is shown, and done again.
# usage: cells.sh SECONDS OMIT REPEATS SCHEMES CELL...
#	tcp:SIZE to and from guest 1   udp:SIZE the same   g2g:SIZE guest 1 to guest 2
#	rr	TCP_RR to guest 1
# A TCP run has OMIT seconds before the measured ones. Figures are the receiver's.
# SCHEMES (copy,persistent) are switched for each repeat, in alternating order; "any"
# leaves the grant scheme as it is. -k1, -kN or -adaptive behind one of them says how
# many slots a receiver waits for; adaptive, if nothing does. SCHEME-DIRECTION-SIZE.added is what the first run of
# a cell has added to the counters of both ends.
seconds=$1 omit=$2 repeats=$3 schemes=${4//,/ }
shift 4
csv=/tmp/cells.csv
echo "scheme,direction,size,run,unit,value,sent" > "$csv"

# row DIRECTION SIZE UNIT VALUE [SENT]
row() { echo "$scheme,$1,$2,$round,$3,$4,$5" | tee -a "$csv"; }

# coalesce HOW: at both ends: k1, every slot asked for has its event; kN; or adaptive
coalesce() {
	local rx tx i

	case $1 in
	k1)	rx='adaptive-rx off rx-frames 1' tx='adaptive-tx off tx-frames 1' ;;
	k*)	rx="adaptive-rx off rx-frames ${1#k} rx-usecs 1000" tx='adaptive-tx on' ;;
	*)	rx='adaptive-rx on rx-frames 64 rx-usecs 1000' tx='adaptive-tx on' ;;
	esac
	for i in $(guests); do
		# it says so when nothing changes
		ethtool -C "$(vifname "$i")" $rx 2>&1 | grep -v "no coalesce parameters changed\|^$"
		guest "$i" "ethtool -C eth0 $rx $tx" 2>&1 | grep -v "no coalesce parameters changed\|^$"
	done
}

# use SCHEME: in all guests; returns when it is what both directions use
use() {
	local on i

	scheme=$1
	case $scheme in
	copy*)		on=0 ;;
	persistent*)	on=1 ;;
	*)		return ;;
	esac
	coalesce "${scheme#*-}"
	for i in $(guests); do
		guest "$i" "ethtool --set-priv-flags eth0 persistent-grants $([ $on = 1 ] && echo on || echo off)" ||
			fail "guest $i: no scheme $scheme"
		guest_wait "$i" 30 "! ethtool -S eth0 | grep persistent_[rt]x: | grep -v ': $on\$'" ||
			fail "guest $i: the scheme is not $scheme"
	done
}

# The counters of both ends, a line each: END COUNTER VALUE
counters() {
	local i

	for i in $(guests); do
		ethtool -S "$(vifname "$i")" | sed -n "s/^ *\(.*\): /back-g$i \1 /p"
		guest "$i" 'ethtool -S eth0' | sed -n "s/^ *\(.*\): /front-g$i \1 /p"
	done
}

# added FILE: of counters; prints what they have become since, less what they were
added() {
	counters | awk 'NR == FNR { was[$1, $2] = $3; next }
			$3 != was[$1, $2] { printf "%s %s %.0f\n", $1, $2, $3 - was[$1, $2] }' "$1" -
}

# A server that ends now and then is started again; a run that it refuses has
# failed, and is not a zero.
serve() { guest_bg "$1" 'while :; do iperf3 -s -1 > /tmp/iperf3.log 2>&1; done' > /dev/null; }

listens() { guest "$1" "grep -qi ':1451 [0-9A-F]*:0000 0A' /proc/net/tcp /proc/net/tcp6"; }

why() {
	{ jq -r '.error // empty' /tmp/run.json; cat /tmp/run.err; echo "exit status $1"; } 2>/dev/null |
		head -1 | tr ',"' ';'"'"
}

# iperf3 3.12 gives no sum_received for UDP, but what was lost on the way.
received='(.end.sum_received.bits_per_second //
	   (.end.sum | .bits_per_second * (1 - .lost_percent / 100))) / 1e6'
sent='(.end.sum_sent // .end.sum).bits_per_second / 1e6'

# try SERVER DIRECTION SIZE CLIENT...: one run of an iperf3 that prints JSON
try() {
	local server=$1 dir=$2 size=$3 rc value offered=

	shift 3
	if ! wait_for 60 listens "$server"; then
		row "$dir" "$size" Mb/s "failed: no server"
		return 1
	fi
	"$@" > /tmp/run.json 2> /tmp/run.err
	rc=$?
	value=$(jq -e "$received" /tmp/run.json 2>/dev/null)
	if [ $rc -ne 0 ] || [ -z "$value" ]; then
		row "$dir" "$size" Mb/s "failed: $(why $rc)"
		log "guest $server: $(guest "$server" 'tail -n 3 /tmp/iperf3.log' | tr '\n' ' ')"
		return 1
	fi
	case $dir in
	udp-*) offered=$(jq "$sent" /tmp/run.json) ;;
	esac
	row "$dir" "$size" Mb/s "$value" "$offered"
}

cell() {
	[ "$round" = 1 ] && counters > /tmp/counters
	try "$@" || try "$@" || try "$@"
	[ "$round" = 1 ] && added /tmp/counters > "/tmp/$scheme-$2-$3.added"
}

# client: iperf3 from dom0 to guest 1
client() { timeout $((seconds + 60)) iperf3 -J -c "$(guest_ip 1)" -t "$seconds" "$@"; }

rr() {
	local value

	[ "$round" = 1 ] && counters > /tmp/counters
	value=$(netperf -P 0 -v 0 -H "$(guest_ip 1)" -l "$seconds" -t TCP_RR 2> /tmp/run.err | tr -d ' ')
	row rr 1 /s "${value:-failed: $(head -1 /tmp/run.err | tr ',' ';')}"
	[ "$round" = 1 ] && added /tmp/counters > "/tmp/$scheme-rr-1.added"
}

measure() {
	local size=${1#*:}

	case $1 in
	tcp:*)	cell 1 to-guest "$size" client -O "$omit" -l "$size"
		cell 1 from-guest "$size" client -O "$omit" -l "$size" -R ;;
	udp:*)	cell 1 udp-to-guest "$size" client -u -b 0 -l "$size"
		cell 1 udp-from-guest "$size" client -u -b 0 -l "$size" -R ;;
	g2g:*)	cell 2 guest-to-guest "$size" guest 1 \
			"iperf3 -J -c $(guest_ip 2) -t $seconds -O $omit -l $size" ;;
	rr)	rr ;;
	*)	fail "no such cell: $1" ;;
	esac
}

for i in $(guests); do
	serve "$i"
	wait_for 60 ping -c1 -W1 "$(guest_ip "$i")" || fail "guest $i does not answer"
done
case " $* " in *" rr "*)
	guest 1 'netserver > /dev/null 2>&1'
	guest_wait 1 20 "grep -qi ':3241 [0-9A-F]*:0000 0A' /proc/net/tcp /proc/net/tcp6" ||
		fail "no netserver" ;;
esac

pin || fail "cannot pin"
for round in $(seq "$repeats"); do
	for s in $schemes; do
		use "$s"
		for i; do measure "$i"; done
	done
	schemes=$(tr ' ' '\n' <<< "$schemes" | tac)
done
for i in $(guests); do
	ethtool -S "$(vifname "$i")" > "/tmp/back-g$i.stats" 2>&1
	guest "$i" 'ethtool -S eth0' > "/tmp/front-g$i.stats" 2>&1
done
result "$csv" /tmp/*.stats /tmp/*.added
pass
