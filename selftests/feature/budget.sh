#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# usage: budget.sh [FRAMES]
# A guest with a grant table of FRAMES (4) pages, two vifs and a disk: all come up, the
# driver says what it gave up, and there is traffic on both vifs while the disk is written
# and read. To see it fail (not tried yet): budget.sh 64 (nothing is given up).
. "$(dirname "$0")/../lib.sh"
testbed_only
frames=${1:-4}
find_ends
[ "$TB_FRONT/$TB_BACK" = pvnet/pvnet ] || skip_all "for pvnet at both ends"
FIRST=10.7.0
DISK_MIB=32

DISK=
make_disk() {
	modprobe -a loop xen-blkback || { echo "no xen-blkback, or no loop"; return 4; }
	truncate -s ${DISK_MIB}M /dev/shm/disk || return
	DISK=$(losetup -f) && losetup "$DISK" /dev/shm/disk || { DISK=; return 1; }
	defer "losetup -d $DISK; rm /dev/shm/disk"
	echo "$DISK"
}

# Xen's own script wants more programs than there are here.
hotplug_script() {
	cat > /tmp/block <<-SCRIPT
	#!/bin/bash
	[ "\$1" = add ] || exit 0
	xenstore-write "\$XENBUS_PATH/physical-device" 7:$(printf %x "${DISK#/dev/loop}") "\$XENBUS_PATH/hotplug-status" connected
	SCRIPT
	chmod +x /tmp/block
}

# Guest 2, in the place of guest 1.
create() {
	hotplug_script
	guest_destroy 1
	defer "guest_destroy 2; guest_create 1"
	REMOTE=2
	VIFS="'mac=$(guest_mac 2),bridge=xenbr0,script=vif-bridge','mac=$(guest_mac 102),bridge=xenbr0,script=vif-bridge'" guest_cfg 2
	echo "max_grant_frames=$frames" >> /tmp/g2.cfg
	[ -z "$DISK" ] || echo "disk=['format=raw,vdev=xvda,access=w,script=/tmp/block,target=$DISK']" >> /tmp/g2.cfg
	cat /tmp/g2.cfg
	xl create -q /tmp/g2.cfg || return
	guest_ready 2
}

limited() {
	local n

	n=$(xen-diag gnttab_query_size "$(domid 2)" 2>&1)
	echo "$n"
	[[ $n =~ max_nr_frames=$frames($|[^0-9]) ]]
}

second_up() {
	ip addr add $FIRST.1/24 dev xenbr0
	defer "ip addr del $FIRST.1/24 dev xenbr0"
	remote "ip addr add $FIRST.2/24 dev eth1; ip link set eth1 up"
	until_true 60 ping -c1 -W1 $FIRST.2
}

gave_up() { remote "dmesg | grep -E 'pages are granted for good|no grants or memory to spare|only .* queues'"; }

schemes() {
	local i

	for i in eth0 eth1; do
		remote "ethtool -S $i" | tr -d '\r' | grep persistent | sed "s/^/$i/"
	done
	for i in 0 1; do echo "mapped of vif $i: $(counter local "$(vifname 2 $i)" mapped_pages)"; done
}

disk_works() {
	remote "head -c $((DISK_MIB << 20)) /dev/urandom > /dev/shm/data && for i in 1 2 3; do
		dd if=/dev/shm/data of=/dev/xvda bs=64k conv=fsync && echo 3 > /proc/sys/vm/drop_caches &&
		cmp /dev/shm/data /dev/xvda || exit 1; done; rm /dev/shm/data"
}

disk_and_traffic() {
	local rc=0 pid

	pid=$(remote_bg "while :; do dd if=/dev/xvda of=/dev/null bs=64k iflag=direct 2>&1; done" | tr -d '\r')
	both_ways 4 && transfer local remote 4 $FIRST.2 && transfer remote local 4 $FIRST.1 || rc=1
	remote "kill -- -$pid; true"
	return $rc
}

no_failures() { ! remote "dmesg | grep -iE 'grant.*fail|no free grant|xen-blkfront.*error|I/O error|alloc.*grant'"; }

mark
check "a disk" make_disk
need "a guest with $frames pages of grants" create
find_ends
mark
check "its table is limited" limited
check "the first vif is connected" until_true 60 vif_connected 2 0
check "the second vif is connected" until_true 60 vif_connected 2 1
need "link" wait_link
check "the second vif has traffic" second_up
sleep 2
check "schemes" schemes
check "it says what it gave up" gave_up
if [ -n "$DISK" ]; then
	check "the disk is there" remote "modprobe xen-blkfront && for i in \$(seq 100); do [ -b /dev/xvda ] && break; sleep 0.1; done; [ -b /dev/xvda ]"
	check "the disk works" disk_works
	check "the disk, and traffic of both" disk_and_traffic
else
	skip_check "the disk" "no modules for it"
	check "traffic of both" eval "both_ways 4 && transfer local remote 4 $FIRST.2 && transfer remote local 4 $FIRST.1"
fi
check "no allocation failed" no_failures
check "logs" logs_clean
first_again() { cleanup; REMOTE=1; find_ends; wait_link; }
check "the first guest again" first_again
finish
