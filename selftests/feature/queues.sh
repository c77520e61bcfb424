#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# usage: queues.sh
# Several queues: negotiated, changed by ethtool -L, all of them carry traffic both ways,
# and no flow is damaged.
# To see it fail (not all tried yet): with --queues 1.
. "$(dirname "$0")/../lib.sh"
testbed_only
find_ends
want=${TB_QUEUES:-2}

negotiated() {
	local fe

	fe=/local/domain/$(domid 1)/device/vif/0
	xenstore-read "$fe/multi-queue-num-queues"
	same "$(xenstore-read "$fe/multi-queue-num-queues")" "$want" &&
		same "$(ls -d /sys/class/net/"$VIF"/queues/tx-* | wc -l)" "$want"
}

queues_are() {
	[ "$(xenstore-read "/local/domain/$(domid 1)/device/vif/0/multi-queue-num-queues")" = "$1" ] &&
		remote "ethtool -l $RIF" | tr -d '\r' | grep -A4 Current | grep -q "Combined:.*$1" &&
		[ "$(remote "cat /sys/class/net/$RIF/carrier" | tr -d '\r')" = 1 ]
}

# The interface stays, its queues are others.
change_queues() {
	remote "ethtool -L $RIF combined $1" && until_true 60 queues_are "$1" && wait_link && both_ways 2
}

refused() { ! remote "ethtool -L $RIF combined $1"; }

# More flows than queues, so that each queue has some.
FLOWS=64

flows() {
	REMOTE_TIMEOUT=300 remote "iperf3 -s -1 > /tmp/is 2>&1 & for i in \$(seq 100); do ss -ltn | grep -q :5201 && break; sleep 0.1; done"
	iperf3 -c "$REMOTE_V4" -P $FLOWS -n 16M | grep SUM || return
	remote "iperf3 -s -1 > /tmp/is 2>&1 & for i in \$(seq 100); do ss -ltn | grep -q :5201 && break; sleep 0.1; done"
	iperf3 -R -c "$REMOTE_V4" -P $FLOWS -n 16M | grep SUM
}

# Every queue's counter of this name moved.
each_queue() {
	local n=0 line

	while read -r line; do
		echo "$line"
		[ "${line##*: }" -gt 0 ] && n=$((n + 1))
	done < <(on "$1" ethtool -S "$2" | tr -d '\r' | grep -E "$3: ")
	is "$n" -eq "$want"
}

need "link" wait_link
mark
before=$(bad_counts)
check "$want queues" negotiated
check "$FLOWS flows each way" flows
check "transfer" both_ways 2
if [ "$(driver local)" = pvnet ]; then
	check "all queues to the guest" each_queue local "$VIF" to_guest_packets
	check "all queues from the guest" each_queue local "$VIF" from_guest_packets
fi
check "no errors, no drops" unchanged "$before" "$(bad_counts)"
# What is sent while there is no carrier counts as dropped.
if [ "$TB_FRONT" = pvnet ]; then
	check "ethtool -L: 1 queue" change_queues 1
	check "ethtool -L: more than there are: refused" refused $((want + 1))
	check "ethtool -L: $want queues" change_queues "$want"
fi
check "logs" logs_clean
finish
