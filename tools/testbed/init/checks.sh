# SPDX-License-Identifier: GPL-2.0
# What both ends of a debug run check at the end; the words are read by tb/logs.py.

# kmemleak reports what is older than five seconds, and an object is often found
# only by the second scan.
final_checks() {
	local leaks=/sys/kernel/debug/kmemleak

	[ -e $leaks ] || return 0
	echo scan > $leaks
	sleep 6
	echo scan > $leaks
	cat $leaks | head -200 > /dev/kmsg
	echo "testbed: $(grep debug_locks: /proc/lockdep_stats | tr -s ' ')" > /dev/kmsg
	echo "testbed: kmemleak scanned" > /dev/kmsg
}
