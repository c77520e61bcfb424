#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# usage: switch.sh [N [SECONDS]]
# The grant scheme is switched under traffic, without a reconnect: TCP with matching sums
# and numbered datagrams each way for SECONDS, a switch every two seconds: nothing is
# damaged, lost or doubled. Then N switches there and back: grants, mappings and memory
# are as after the first three. To see it fail (--dom0-cmdline BREAK=..): BREAK=still (nobody
# switches), BREAK=loss (1 % of the datagrams to the guest), BREAK=leak (not tried yet: 8 MiB
# are kept in the guest, and the scheme is copy at the end).
. "$(dirname "$0")/../lib.sh"
testbed_only
n=${1:-20} secs=${2:-30}
BREAK=${BREAK:-}
find_ends
[ "$TB_FRONT/$TB_BACK" = pvnet/pvnet ] || skip_all "for pvnet at both ends"
[ -x "$T/net/udpseq" ] && [ -x "$T/feature/poison" ] || skip_all "no net/udpseq or feature/poison: make -C selftests"
SEQ=$T/net/udpseq
# Datagrams a second of each flow: the ring holds two seconds of all.
RATE=50

flag() { echo "ethtool --set-priv-flags $RIF persistent-grants $1"; }

switcher_on() {
	local cmd

	cmd="while :; do $(flag off); sleep 2; $(flag on); sleep 2; done"
	[ "$BREAK" != still ] || cmd="sleep 100000"
	SWITCHER=$(remote_bg "$cmd" | tr -d '\r')
	defer "remote kill -- -$SWITCHER"
}

switcher_off() { remote "kill -- -$SWITCHER; sleep 1; $(flag on)"; until_true 30 scheme_is persistent; }

# What the guest's log says of switches since the mark.
said() { remote "dmesg | awk -v m='selftest: $MARK' 'index(\$0, m) { n = 1; next } n' | grep -c 'grant scheme is $1'" | tr -d '\r'; }

KEYS="from_guest_copy_ops to_guest_copy_ops from_guest_mapped_copies to_guest_mapped_copies"

# both_used CMD...: it works, and both schemes carried some of it, each way.
both_used() {
	local a b d=() i rc

	a=($(counters local "$VIF" $KEYS))
	"$@"
	rc=$?
	b=($(counters local "$VIF" $KEYS))
	for i in "${!a[@]}"; do d[i]=$((b[i] - a[i])); done
	echo "grant copies from guest ${d[0]}, to guest ${d[1]}; of mapped pages ${d[2]}, ${d[3]}"
	[ $rc = 0 ] || return
	for i in "${!d[@]}"; do is "${d[i]}" -gt 0 || return; done
}

transfers() {
	local end=$((SECONDS + secs)) k=0

	while [ $SECONDS -lt $end ]; do
		both_ways 4 > /tmp/transfers || { cat /tmp/transfers; return 1; }
		k=$((k + 1))
	done
	echo "$k times 4 MiB each way"
}

# Four flows: a small and a full size each way.
numbered() {
	local port pids=() bad=0 out

	for port in 6001 6002; do
		"$SEQ" check $port > /tmp/seq.$port 2>&1 &
		pids+=($!)
		remote_bg "$SEQ check $port > /tmp/seq.$port 2>&1; echo \$? >> /tmp/seq.$port" > /dev/null
	done
	remote_wait 30 "[ \$(ss -lunH | grep -c ':600[12] ') = 2 ]" || return
	remote_bg "$SEQ send $LOCAL_V4 6001 $((secs * RATE)) 100 $RATE & $SEQ send $LOCAL_V4 6002 $((secs * RATE)) 1472 $RATE; wait" > /dev/null
	"$SEQ" send "$REMOTE_V4" 6001 $((secs * RATE)) 100 $RATE &
	"$SEQ" send "$REMOTE_V4" 6002 $((secs * RATE)) 1472 $RATE
	for out in "${pids[@]}"; do wait "$out" || bad=1; done
	for port in 6001 6002; do
		echo "from guest: $(cat /tmp/seq.$port)"
		remote "for k in \$(seq 600); do [ \$(wc -l < /tmp/seq.$port) -ge 2 ] && break; sleep 0.1; done"
		out=$(remote "cat /tmp/seq.$port" | tr -d '\r')
		echo "to guest: $out"
		[ "${out##*$'\n'}" = 0 ] || bad=1
	done
	return $bad
}

# KiB that are free but for files, which live in memory here.
free_cmd='sync; echo 3 > /proc/sys/vm/drop_caches; sleep 0.5
	echo $(($(awk "/^MemFree:/ { print \$2 }" /proc/meminfo) + $(du -skx / /run /tmp 2> /dev/null | awk "{ s += \$1 } END { print s }")))'
free_kib() { on "$1" "$free_cmd" | tr -d '\r'; }

# What must be the same after as before: grants that dom0 could map; and by Xen's list
# those that it has mapped, and what the tables take. The list is long: without
# conring_size=1M (--xen-args) its beginning is lost, and the backend's own count must do.
ledger() {
	local id

	id=$(domid "$REMOTE")
	both_ways 2 > /dev/null || echo "no traffic"	# what was posted before is used up
	scheme_is persistent
	echo "granted: $("$T/feature/poison" scan "$id" 8192 | sed 's/ seen.*//')"
	xl debug-keys g
	sleep 1
	xl dmesg | tr -d '\r' | awk -v d="remote d$id " '
		/gnttab_usage_print_all \[/ { n = seen = 0; m = g = "not known" }
		/grant-table for remote/ { on = index($0, d); dom0 = index($0, "remote d0 "); seen = seen || on }
		/maptrack frames/ && on { g = $0; sub(/^[^0-9]*/, "", g); sub(/,.*/, "", g) }
		/maptrack frames/ && dom0 { m = $0; sub(/^.*, /, "", m) }
		on && /^(\(XEN\) *)?(\[[^]]*\] *)?\[ *0?x?[0-9a-f]+\] +[0-9]+ 0x/ { n++ }
		END { print "mapped, by Xen:", seen ? n : "not known"; print "table of the guest:", g; print "of dom0:", m }'
	xen-diag gnttab_query_size "$id" 2>&1 | sed "s/domid=$id/domid/;s/^/grant frames: /"
	echo "interrupts: $(grep -c . /proc/interrupts), in the guest $(remote 'grep -c . /proc/interrupts' | tr -d '\r')"
}

# there_and_back N: in the guest, each time until it is done, with some packets in between.
there_and_back() {
	REMOTE_TIMEOUT=$((60 + 30 * $1)) remote "at() { ! ethtool -S $RIF | grep -q \"persistent_[rt]x: \$((1 - \$1))\"; }
		some() { for k in 1 2 3 4 5; do ping -q -c1 -W20 -s 4000 $LOCAL_V4 || return; done > /dev/null; }
		for i in \$(seq $1); do
			$(flag off) && wait_for 20 at 0 && some && $(flag on) && wait_for 20 at 1 && some || { echo failed at \$i; exit 1; }
		done" || return
	echo "$1 times"
	until_true 10 scheme_is persistent
}

no_less() {	# BEFORE AFTER
	echo "free KiB before $1, after $2"
	is "$2" -ge $(($1 - 2048))
}

need "link" wait_link
mark
defer "set_scheme persistent"
need "persistent" until_true 30 scheme_is persistent
before=$(bad_counts)
[ "$BREAK" != loss ] || { modprobe -q sch_netem; tc qdisc replace dev "$VIF" root netem loss 1%; }
switcher_on
check "TCP each way, switched every 2 s" both_used transfers
check "numbered datagrams each way, switched every 2 s" both_used numbered
check "switcher off" switcher_off
check "it was switched" is "$(said copy)" -ge $((secs / 6))
check "no errors, no drops" unchanged "$before" "$(bad_counts)"

check "there and back, 3 times" there_and_back 3
was=$(ledger) mem=$(free_kib local) mem2=$(free_kib remote)
echo "$was" | sed 's/^/# /'
check "there and back, $n times" there_and_back "$n"
[ "$BREAK" != leak ] || { remote "head -c 8M /dev/urandom > /dev/shm/leak"; set_scheme copy > /dev/null; }
now=$(ledger)
echo "$now" | sed 's/^/# /'
check "grants, mappings, interrupts as before" unchanged "$was" "$now"
check "memory of dom0" no_less "$mem" "$(free_kib local)"
check "memory of the guest" no_less "$mem2" "$(free_kib remote)"
check "no errors, no drops after all" unchanged "$before" "$(bad_counts)"
check "logs" logs_clean
finish
