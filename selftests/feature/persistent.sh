#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# usage: persistent.sh [N [MIB [PART...]]]		PART: steady peers
# Persistent grants. steady: once the ring has gone round, N packets of 64 and of 1448 bytes
# and MIB of TCP each way take no grant operation: by the backend's counters, and by xentrace
# from outside, which sees them in copy mode. peers: those that cannot have traffic, and
# one line in the log. To see it fail (--dom0-cmdline BREAK=..): BREAK=copy (the scheme is copy
# all the time) fails the first two and each steady state, BREAK=persistent those in copy mode.
. "$(dirname "$0")/../lib.sh"
testbed_only
n=${1:-5000} mib=${2:-4}
PARTS=${*:3}
PARTS=${PARTS:-steady peers}
BREAK=${BREAK:-}
find_ends
[ "$TB_FRONT/$TB_BACK" = pvnet/pvnet ] || skip_all "for pvnet at both ends"
for p in grantops udpflood; do
	[ -x "$T/net/$p" ] || skip_all "no net/$p: make -C selftests"
done
command -v xentrace > /dev/null || skip_all "no xentrace"

# dom0 has a processor of its own, so that guests do not delay xentrace.
pin() {
	xl vcpu-pin Domain-0 all 0 && for i in $(guests); do xl vcpu-pin "g$i" all 1 || return; done
}

sinks() {
	socat -u UDP4-RECV:5901 /dev/null > /dev/null 2>&1 &
	defer "kill $!"
	remote_bg "exec socat -u UDP4-RECV:5901 /dev/null" > /dev/null
	remote_wait 30 "ss -lun | grep -q :5901"
}

# udp DIRECTION SIZE: until the vif has had N more of them.
udp() {
	local key=to_guest_packets end i

	[ "$1" = to ] || key=from_guest_packets
	end=$(($(counter local "$VIF" $key) + n))
	for ((i = 0; i < 20; i++)); do
		if [ "$1" = to ]; then
			"$T/net/udpflood" "$REMOTE_V4" 5901 100 8 "$2" 0 "$n"
		else
			REMOTE_TIMEOUT=120 remote "$T/net/udpflood $LOCAL_V4 5901 100 8 $2 0 $n"
		fi || return
		[ "$(counter local "$VIF" $key)" -lt $end ] || return 0
	done
	echo "not $n packets in 20 tries"
	return 1
}

tcp() {
	if [ "$1" = to ]; then transfer local remote "$mib" "$REMOTE_V4"; else transfer remote local "$mib" "$LOCAL_V4"; fi
}

# xen_ops: map, unmap and copy operations in a trace, of all processors; none if it is bad.
xen_ops() {
	"$T/net/grantops" | awk '
		$1 == "lost" && $2 { bad = 1 }
		$1 == "records" { bad = bad || !$2 }
		$1 == "cpu" { n[$3] += $7 }
		END { if (!bad) printf "map %d unmap %d copy %d\n", n["map"], n["unmap"], n["copy"] }'
}

KEYS="from_guest_copy_ops from_guest_copy_calls to_guest_copy_ops to_guest_copy_calls
	from_guest_mapped_copies to_guest_mapped_copies from_guest_packets to_guest_packets"

# steady SCHEME CMD...: what it took of the grant table, from inside and from outside.
steady() {
	local want=$1 a b d=() i pid counter rc ops

	shift
	a=($(counters local "$VIF" $KEYS))
	# Counted as it comes: a million packets' trace would fill dom0's memory.
	rm -f /tmp/trace
	mkfifo /tmp/trace
	xen_ops < /tmp/trace > /tmp/ops &
	counter=$!
	xentrace -D -S 1024 -e 0x0020f000 /tmp/trace 2> /tmp/xentrace.err &
	pid=$!
	sleep 1
	"$@"
	rc=$?
	sleep 0.5
	kill $pid
	wait $pid $counter
	ops=$(cat /tmp/ops)
	rm -f /tmp/trace
	b=($(counters local "$VIF" $KEYS))
	for i in "${!a[@]}"; do d[i]=$((b[i] - a[i])); done
	echo "packets from guest ${d[6]}, to guest ${d[7]}"
	echo "grant copies: from guest ${d[0]} in ${d[1]} calls, to guest ${d[2]} in ${d[3]} calls"
	echo "copies of mapped pages: from guest ${d[4]}, to guest ${d[5]}"
	echo "Xen saw: ${ops:-nothing, or not all}"
	[ $rc = 0 ] || return
	case $want in
	persistent)
		same "${d[*]:0:4}" "0 0 0 0" && is "${d[4]}" -ge "${d[6]}" && is "${d[5]}" -ge "${d[7]}" &&
			same "$ops" "map 0 unmap 0 copy 0";;
	copy)	# Xen sees those twice that it was interrupted in
		is $((d[0] + d[2])) -ge $((d[6] + d[7])) && is $((d[1] + d[3])) -gt 0 &&
			same "${d[*]:4:2}" "0 0" && same "${ops% *}" "map 0 unmap 0 copy" &&
			is "${ops##* }" -ge $((d[0] + d[2]));;
	esac
}

# Each page of the ring is used once, and the MAC addresses are known.
warm_up() {
	local n=1000

	both_ways 2 && udp to 64 && udp from 64
}

steady_all() {
	local scheme=$1 dir

	for dir in from to; do
		for size in 64 1448; do
			check "$scheme: $n packets of $size bytes, $dir the guest" steady "$scheme" udp $dir $size
		done
		check "$scheme: TCP $dir the guest" steady "$scheme" tcp $dir
	done
}

front_log() { remote "dmesg | awk -v m='selftest: $MARK $1' 'index(\$0, m) { n = 1; next } n' | grep -i 'grant scheme'"; }

# without NAME LINES FRONT BACK [BACK-ARGS [FRONT-ARGS]]: traffic in copy mode, and so
# many lines about it in the guest's log.
without() {
	local name=$1 lines=$2

	shift 2
	remote "echo 'selftest: $MARK $name' > /dev/kmsg"
	check "$name: load" use_pair "$@" || return
	until_true 30 front_says "$name" "$lines"
	check "$name: traffic" both_ways 2
	check "$name: ping" ping_sizes local "$REMOTE_V4" "0 17 1472 4054 8000 65507"
	check "$name: $lines line in the log" front_says "$name" "$lines"
	check "$name: the scheme is copy" all_copied
}

front_says() {
	local log

	log=$(front_log "$1")
	echo "$log"
	same "$(echo "$log" | grep -c copy)" "$2" && ! [[ $log =~ persistent ]]
}

# Of the end, or ends, that can tell.
all_copied() {
	local a

	if [ "$(driver local)" = pvnet ]; then
		a=$(counters local "$VIF" mapped_pages from_guest_mapped_copies to_guest_mapped_copies)
		echo "mapped pages, copies from and to them: $a"
		same "$a" "0 0 0" || return
	fi
	[ "$(driver remote)" = pvnet ] || return 0
	a=$(counters remote "$RIF" persistent_tx persistent_rx persistent_pages tx_staged)
	echo "persistent tx, rx, pages, staged: $a"
	same "$a" "0 0 0 0"
}

# A frontend that knows of no control ring finds none in its directory, nor does the
# backend, which would map a page that is something else by now.
no_old_keys() {
	remote "rmmod pvnet-front" || return
	for k in ctrl-ring-ref event-channel-ctrl; do
		xenstore-read "/local/domain/$(domid 1)/device/vif/0/$k" 2> /dev/null && { echo "$k is left"; return 1; }
	done
	remote "modprobe pvnet-front $TB_FRONT_ARGS && guest_net_up" && until_true 60 vif_connected 1 && wait_link
}

# Right after pvnet's, which had a control ring.
stock_front_after() {
	use_pair pvnet pvnet "$TB_BACK_ARGS" "$TB_FRONT_ARGS" && until_true 30 scheme_is persistent && use_pair stock pvnet "$TB_BACK_ARGS" || return
	! dmesg | awk -v m="selftest: $MARK" 'index($0, m) { n = 1; next } n' | grep -E "no control ring|mapping in shared page"
}

# What a guest's log says of its scheme is for pvnet-front; with the stock frontend, dom0's.
stock_front_is_logged() { dmesg | awk -v m="selftest: $MARK" 'index($0, m) { n = 1; next } n' | grep -i "$VIF.*copy"; }

part_steady() {
	need "sinks" sinks
	[ "$BREAK" != copy ] || remote "ethtool --set-priv-flags $RIF persistent-grants off; sleep 2"
	check "persistent after the connect" until_true 30 scheme_is persistent
	check "both ends agree" scheme_is persistent
	check "warm up" warm_up
	steady_all persistent
	[ "$BREAK" = persistent ] || check "switch to copy" set_scheme copy
	check "warm up" warm_up
	check "copy: $n packets of 64 bytes, from the guest" steady copy udp from 64
	check "copy: TCP to the guest" steady copy tcp to
	check "switch back" set_scheme persistent
	check "warm up" warm_up
	check "persistent again: TCP to the guest" steady persistent tcp to
}

part_peers() {
	check "nothing is left of the control ring" no_old_keys || use_pair pvnet pvnet "$TB_BACK_ARGS" "$TB_FRONT_ARGS"
	check "a stock front after pvnet's" stock_front_after
	without "stock back" 1 pvnet stock "" "$TB_FRONT_ARGS"
	without "stock front" 0 stock pvnet "$TB_BACK_ARGS"
	goal "stock front: a line in the log" "the backend does not say it" stock_front_is_logged
	without "back: max_persistent_grants=0" 1 pvnet pvnet "$TB_BACK_ARGS max_persistent_grants=0" "$TB_FRONT_ARGS"
	without "back: grant_scheme=copy" 1 pvnet pvnet "$TB_BACK_ARGS grant_scheme=copy" "$TB_FRONT_ARGS"
	without "front: grant_scheme=copy" 1 pvnet pvnet "$TB_BACK_ARGS" "$TB_FRONT_ARGS grant_scheme=copy"
	check "as started" as_started
	check "persistent as started" until_true 30 scheme_is persistent
}

need "link" wait_link
mark
need "a processor for dom0 alone" pin
before=$(bad_counts | grep -v tx.dropped)
for p in $PARTS; do
	case $p in
	steady)	part_steady
		check "no errors" unchanged "$before" "$(bad_counts | grep -v tx.dropped)";;
	peers)	part_peers;;
	esac
done
check "logs" logs_clean
finish
