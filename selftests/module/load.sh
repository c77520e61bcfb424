#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# usage: load.sh
# The modules: information, parameters, load, unload, and what ethtool says. pvnet only.
# To see it fail (not all tried yet): with __module_get() removed from the backend's connect, "in use" fails.
. "$(dirname "$0")/../lib.sh"
testbed_only
find_ends
[ "$TB_FRONT/$TB_BACK" = pvnet/pvnet ] || skip_all "for pvnet at both ends"

has_info() {
	local side=$1 mod=$2 f

	shift 2
	for f in description license version "$@"; do
		on "$side" "modinfo $mod" | grep -q "^\(parm: *\)\?$f:" || { echo "$mod has no $f"; return 1; }
	done
	on "$side" "modinfo -F license $mod" | grep -q GPL
}

# refuses SIDE MODULE PARAMETER=VALUE REGEX: the load fails, and the log says so.
refuses() {
	local side=$1 mod=$2 arg=$3 regex=$4

	on "$side" "echo 'selftest: $arg' > /dev/kmsg; modprobe $mod $arg" && { on "$side" "rmmod $mod"; echo "loaded"; return 1; }
	on "$side" "dmesg | awk -v m='selftest: $arg' 'index(\$0, m) { n = 1; next } n'" | grep -E "$regex"
}

ethtool_works() {
	local side=$1 dev=$2 name=$3 o

	o=$(on "$side" "ethtool -i $dev")
	echo "$o"
	[[ $o =~ driver:\ $name ]] && [[ $o =~ bus-info:\ vif ]] || return
	o=$(on "$side" "ethtool -k $dev") || return
	for f in scatter-gather tx-checksumming tcp-segmentation-offload; do
		[[ $o =~ $f:\ on ]] || { echo "$f is off"; return 1; }
	done
	o=$(on "$side" "ethtool -S $dev") || return
	is "$(echo "$o" | grep -c : )" -gt 20
}

counters_move() {
	local a b c d

	a=$(counter local "$VIF" from_guest_packets) b=$(counter local "$VIF" to_guest_packets)
	ping -q -c5 -i0.05 "$REMOTE_V4" || return
	c=$(counter local "$VIF" from_guest_packets) d=$(counter local "$VIF" to_guest_packets)
	is $((c - a)) -ge 5 && is $((d - b)) -ge 5
}

# Each offload can be switched, and traffic goes on.
offloads() {
	local f

	for f in tso sg tx; do
		ethtool -K "$VIF" $f off && remote "ethtool -K $RIF $f off" || return
		both_ways 1 || return
	done
	ethtool -K "$VIF" tx on sg on tso on && remote "ethtool -K $RIF tx on sg on tso on"
	both_ways 1
}

in_use() {
	rmmod pvnet-back && { echo "removed while a vif is connected"; return 1; }
	rmmod pvnet-core && { echo "core removed while in use"; return 1; }
	link_up
}

front_out() { front_unload pvnet && remote "! test -e /sys/class/net/$RIF"; }

back_is_free() { back_unload pvnet && [ ! -e "/sys/class/net/$VIF" ]; }

need "link" wait_link
mark
check "modinfo pvnet-core" has_info local pvnet-core
check "modinfo pvnet-back" has_info local pvnet-back max_queues rx_drain_timeout_msecs rx_stall_timeout_msecs fatal_skb_slots separate_tx_rx_irq grant_scheme
check "modinfo pvnet-front" has_info remote pvnet-front max_queues trusted grant_scheme
check "alias of the frontend" remote "modinfo -F alias pvnet-front | grep -qx xen:vif"
check "alias of the backend" eval "modinfo -F alias pvnet-back | grep -qx xen-backend:vif"
check "ethtool of the vif" ethtool_works local "$VIF" pvnet-back
check "ethtool of the guest" ethtool_works remote "$RIF" pvnet-front
check "counters count" counters_move
check "offloads off and on" offloads
check "the backend is in use" in_use
check "unload the frontend" front_out
check "a second ago connected, the backend can go" back_is_free
check "a bad grant_scheme of the backend" refuses local pvnet-back grant_scheme=bogus "grant_scheme=bogus"
check "a bad max_queues of the backend" refuses local pvnet-back max_queues=bogus "bogus.*invalid|invalid.*max_queues"
check "load the backend" back_load pvnet $TB_BACK_ARGS
check "a bad grant_scheme of the frontend" refuses remote pvnet-front grant_scheme=bogus "grant_scheme=bogus"
check "a bad trusted of the frontend" refuses remote pvnet-front trusted=maybe "maybe.*invalid|invalid.*trusted"
check "load and unload, again and again" remote "for i in 1 2 3; do modprobe pvnet-front; rmmod pvnet-front || exit 1; done"
check "load the frontend" front_load pvnet $TB_FRONT_ARGS
for scheme in copy persistent; do
	check "grant_scheme=$scheme" eval "remote 'rmmod pvnet-front' && front_load pvnet grant_scheme=$scheme && wait_link"
	[ "$TB_BACK" != pvnet ] || check "... is what there is" until_true 30 scheme_is $scheme
done
check "as started" as_started
check "traffic" eval "wait_link && both_ways 1"
check "logs" logs_clean
finish
