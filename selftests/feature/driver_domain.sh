#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# usage: driver_domain.sh [MIB]				(--guests 2)
# Guest 2 is the backend of a second interface of guest 1. Persistent grants, but a page
# that the driver domain can write does not go to guest 1's stack, unless rx_handover=1.
# To see it fail: load pvnet-front with rx_handover=1 in the first half.
. "$(dirname "$0")/../lib.sh"
testbed_only
mib=${1:-8}
find_ends
[ "$TB_GUESTS" -ge 2 ] || skip_all "needs --guests 2"
[ "$TB_FRONT" = pvnet ] || skip_all "for pvnet-front"
[ -x "$MD5STREAM" ] || skip_all "no net/md5stream: make -C selftests"

# There is no `xl devd` in guest 2: its part of attaching is done by hand, and detaching
# cannot be, so the interface stays.
attach_to_g2() {
	xl network-attach g1 mac=00:16:3e:00:77:01 backend=g2 script=none || return
	until_true 60 guest 2 "test -e /sys/class/net/vif$(domid 1).1" &&
		guest 2 "ip addr replace 10.7.0.2/24 dev vif$(domid 1).1; ip link set vif$(domid 1).1 up" &&
		xenstore-write "/local/domain/$(domid 2)/backend/vif/$(domid 1)/1/hotplug-status" connected
}

eth1_up() {
	remote_wait 60 "test -e /sys/class/net/eth1" &&
		remote "ip addr replace 10.7.0.1/24 dev eth1; ip link set eth1 up" &&
		remote_wait 60 "ping -c1 -W1 10.7.0.2"
}

# In guest 1 an interface's counter; the driver domain's packets are large.
eth1() { remote "ethtool -S eth1" | tr -d '\r' | awk -v n="$1:" '$1 ~ "_" n { s += $2 } END { print s + 0 }'; }

to_guest_1() {
	local a

	remote_bg "$MD5STREAM recv 5902 > /tmp/dd.sum 2>&1" > /dev/null
	a=$(GUEST_TIMEOUT=300 guest 2 "$MD5STREAM send 10.7.0.1 5902 $((mib * 1048576)) 1" | tr -d '\r')
	same "$(remote cat /tmp/dd.sum | tr -d '\r')" "$a"
}

persistent() { [ "$(eth1 persistent_rx)" = 1 ]; }

# received HANDED COPIED: are there pages that went to the stack, and packets copied out?
received() {
	to_guest_1 || return
	echo "pages given to the stack: $(eth1 rx_pages); large packets copied out: $(eth1 rx_copied_out)"
	is "$(eth1 rx_pages)" "$1" 0 && is "$(eth1 rx_copied_out)" "$2" 0
}

need "link" wait_link
mark
need "guest 2 has the backend" guest 2 "modprobe pvnet-back"
need "xl network-attach with backend=g2" attach_to_g2
need "traffic between the guests" eth1_up
check "persistent grants" until_true 30 persistent
check "no page goes to the stack" received -eq -gt
check "load with rx_handover=1" eval 'front_unload pvnet && front_load pvnet $TB_FRONT_ARGS rx_handover=1'
check "traffic again" eth1_up
check "persistent grants again" until_true 30 persistent
check "pages go to the stack" received -gt -ge
check "the frontend goes" front_unload pvnet
check "then the backend can" until_true 60 guest 2 "rmmod pvnet-back"
# A driver that is loaded waits five minutes for an interface whose backend is not there.
check "the interface goes" eval 'xenstore-rm "/local/domain/$(domid 1)/device/vif/1"; xenstore-rm "/local/domain/$(domid 2)/backend/vif/$(domid 1)"'
check "as started" as_started
check "logs" logs_clean
finish
