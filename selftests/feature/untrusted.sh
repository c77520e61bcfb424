#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# usage: untrusted.sh
# A backend that the guest does not trust, by the toolstack's key and by the parameter: every
# packet is bounced into a page of its own, or staged, and traffic works. To see it fail (not all tried yet): with
# trusted=1 tx_bounced stays 0.
. "$(dirname "$0")/../lib.sh"
testbed_only
find_ends
[ "$TB_FRONT" = pvnet ] || skip_all "for pvnet-front"

# bounces all|none|staged: in the copy scheme, and staged in the persistent one.
bounces() {
	local b p s

	if [ "$TB_BACK" = pvnet ]; then
		if [ "$1" = staged ]; then set_scheme persistent; else set_scheme copy; fi || return
	fi
	# Other packets pass meanwhile: those between two readings must not look unbounced.
	b=$(counter remote "$RIF" tx_bounced) s=$(counter remote "$RIF" tx_staged) p=$(counter remote "$RIF" tx_packets)
	both_ways 2 || return
	ping_sizes local "$REMOTE_V4" "0 17 1472 4054 8000 65507" || return
	p=$(($(counter remote "$RIF" tx_packets) - p)) b=$(($(counter remote "$RIF" tx_bounced) - b)) s=$(($(counter remote "$RIF" tx_staged) - s))
	echo "packets $p, bounced $b, staged $s"
	case $1 in
	all)	is "$b" -gt 0 && is "$p" -gt 0 && is $((b + s)) -ge "$p";;
	staged)	is "$p" -gt 0 && is "$s" -ge "$p" && is "$b" -eq 0;;
	none)	is "$b" -eq 0;;
	esac
}

# As `trusted=0` of a vif line: in the frontend's directory, before it connects.
toolstack_says() {
	remote "echo vif-0 > /sys/bus/xen/drivers/pvnet-front/unbind" &&
		xenstore-write "/local/domain/$(domid 1)/device/vif/0/trusted" "$1" &&
		remote "echo vif-0 > /sys/bus/xen/drivers/pvnet-front/bind; guest_net_up" || return
	until_true 60 vif_connected 1 && wait_link
}

need "link" wait_link
mark
before=$(bad_counts)
check "trusted: nothing is bounced" bounces none
check "no errors" unchanged "$before" "$(bad_counts)"
if check "the toolstack says trusted=0" toolstack_says 0; then
	before=$(bad_counts)
	check "trusted=0 in xenstore: all is bounced" bounces all
	[ "$TB_BACK" != pvnet ] || check "... or staged" bounces staged
	check "no errors, untrusted" unchanged "$before" "$(bad_counts)"
	check "trusted again" toolstack_says 1
	check "nothing is bounced again" bounces none
fi
front_unload pvnet
check "load with trusted=0" front_load pvnet $TB_FRONT_ARGS trusted=0 &&
	check "trusted=0 of the module: all is bounced" bounces all
check "as started" as_started
check "logs" logs_clean
finish
