#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# usage: single_channel.sh
# One event channel for both directions: traffic works, and few events come for nothing.
# To see it fail (not all tried yet): with separate_tx_rx_irq=1 the first check of xenstore.
. "$(dirname "$0")/../lib.sh"
testbed_only
find_ends
[ "$TB_BACK" = pvnet ] || skip_all "for pvnet-back"

one_channel() {
	local fe

	fe=/local/domain/$(domid 1)/device/vif/0
	xenstore-ls "$fe"
	xenstore-exists "$fe/event-channel" && ! xenstore-exists "$fe/event-channel-tx"
}

few_spurious() {
	local dir e s total=0 bad=0

	for dir in from_guest_event to_guest_event; do
		e=$(counter local "$VIF" ${dir}_events) s=$(counter local "$VIF" ${dir}_spurious)
		echo "$dir: events $e, spurious $s"
		total=$((total + e)) bad=$((bad + s))
	done
	is "$total" -gt 0 && is $((bad * 10)) -le "$total"
}

need "link" wait_link
mark
need "separate_tx_rx_irq=0" use_pair "$TB_FRONT" pvnet "separate_tx_rx_irq=0 $TB_BACK_ARGS" "$TB_FRONT_ARGS"
before=$(bad_counts)
check "one channel in xenstore" one_channel
check "TCP both ways" both_ways 4
check "ping" ping_sizes remote "$LOCAL_V4" "0 1472 65507"
check "no errors, no drops" unchanged "$before" "$(bad_counts)"
check "few spurious events" few_spurious
check "as started" as_started
check "logs" logs_clean
finish
