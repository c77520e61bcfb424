#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# usage: poison.sh [ROUNDS]
# A backend that the guest does not trust sees bytes of packets only. The guest's free
# memory is filled with a pattern that no packet has; while packets of all kinds wait for
# the backend, dom0 maps each page that the guest has granted, and looks for it. With both
# grant schemes it is not there. With trusted=1 and the copy scheme it is, so the search
# finds what is to be found. To see it fail: --dom0-cmdline BREAK=trusted (trusted=1 all the time)
# fails in copy mode.
. "$(dirname "$0")/../lib.sh"
testbed_only
rounds=${1:-2}
BREAK=${BREAK:-}
find_ends
[ "$TB_FRONT/$TB_BACK" = pvnet/pvnet ] || skip_all "for pvnet at both ends"
[ -x "$T/feature/poison" ] && [ -x "$T/net/udpflood" ] || skip_all "no feature/poison: make -C selftests"
POISON=$T/feature/poison

# Debian's kernels clear what they allocate.
recreate() {
	guest_destroy 1
	until_true 60 test ! -e "/sys/class/net/$VIF" || return
	GUEST_EXTRA=$1 guest_create 1 && until_true 60 vif_connected 1 && find_ends && wait_link || return
	remote cat /proc/cmdline
}

use() {
	local trusted=$1 scheme=$2

	[ "$BREAK" != trusted ] || trusted=1
	front_unload pvnet && front_load pvnet $TB_FRONT_ARGS trusted=$trusted "grant_scheme=$scheme" && find_ends && wait_link || return
	until_true 30 scheme_is "$scheme"
}

fill() { remote "$POISON fill \$((\$(awk '/^MemFree:/ { print \$2 }' /proc/meminfo) * 8 / 10 / 1024))"; }

# What the pages that were filled are used for before they are granted, or while.
traffic() { both_ways 2 > /dev/null && ping_sizes local "$REMOTE_V4" "0 17 100 600 1472 4054 16000" && ping_sizes remote "$LOCAL_V4" "0 100 1472 16000"; }

# The backend does not look at the rings of a vif that is down, so packets of all kinds
# wait in them; nor does the guest run while its pages are looked at.
frozen() {
	local refs flood sendp rc=0

	socat -u TCP4-LISTEN:6500,reuseaddr /dev/null &
	sendp=$(remote_bg "$POISON send $LOCAL_V4 6500 20" | tr -d '\r')
	sleep 1
	ip link set "$VIF" down
	# Small ones first, which leave room for the other's
	flood=$(remote_bg "$T/net/udpflood $LOCAL_V4 9 20 1 100 0 40; $T/net/udpflood $LOCAL_V4 9 20 1 1400 0 40; sleep 1
		$T/net/udpflood $LOCAL_V4 9 20 1 6000 0 8" | tr -d '\r')
	sleep 3
	xl pause g1
	refs=$(xen-diag gnttab_query_size "$(domid 1)" 2>&1 | sed -n 's/.*nr_frames=\([0-9]*\).*/\1/p;T;q')
	"$POISON" scan "$(domid 1)" $((refs * 512)) || rc=$?
	xl unpause g1
	ip link set "$VIF" up
	remote "kill -- -$sendp -$flood; true"
	wait_link || return
	return $rc
}

# Sets W R SW SR: pages granted for writing and for reading, and the pattern's among them.
look() {
	local i out

	W=0 R=0 SW=0 SR=0
	for ((i = 0; i < rounds; i++)); do
		fill && traffic || return
		out=$(frozen 2>&1) || { echo "$out"; return 1; }
		echo "$out"
		[[ $out =~ writable\ ([0-9]+)\ readonly\ ([0-9]+)\ seen-in-writable\ ([0-9]+)\ seen-in-readonly\ ([0-9]+) ]] || return
		W=$((W + BASH_REMATCH[1])) R=$((R + BASH_REMATCH[2])) SW=$((SW + BASH_REMATCH[3])) SR=$((SR + BASH_REMATCH[4]))
	done
	echo "of $W writable pages $SW, of $R others $SR have the pattern"
}

not_seen() {
	local least=$1

	look && is "$W" -ge $((256 * rounds)) && is "$R" -ge $((least * rounds)) && is "$SW" -eq 0 && is "$SR" -eq 0
}

seen() { look && is $((SW + SR)) -gt 0; }

need "link" wait_link
mark
need "a guest that does not clear pages" recreate "init_on_alloc=0 init_on_free=0"
mark
if check "trusted=1, copy" use 1 copy; then
	check "the pattern is seen" seen
fi
if check "trusted=0, copy" use 0 copy; then
	check "trusted=0, copy: no byte that is not a packet's" not_seen 20
fi
if check "trusted=0, persistent" use 0 persistent; then
	check "trusted=0, persistent: no byte that is not a packet's" not_seen 272
fi
check "a guest as it was" recreate "" && check "as started" as_started
check "logs" logs_clean
finish
