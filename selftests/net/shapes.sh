#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# usage: shapes.sh [KIB]
# FR-01, FR-05: packets of every shape are sent, and arrive whole. Odd writes, sendfile,
# splice of single bytes, zero copy; loss, so that retransmits are cut anew; frames
# whose headers were pushed by tunnels and tags. pvnet counts what it had to copy.
# To see it fail (not all tried yet): a driver that drops at 18 slots (front: PVN_SLOTS_MIN check made to
# drop) hangs "mixed"; `loss 20%` on $VIF in "stacked".
. "$(dirname "$0")/../lib.sh"
kib=${1:-2048}
find_ends
[ -x "$T/net/shapes" ] || skip_all "no net/shapes: make -C selftests"
remote test -x "$T/net/shapes" || skip_all "the guest has no $T/net/shapes"

# from_guest MODE BYTES CONNECTIONS
from_guest() {
	local mode=$1 bytes=$2 n=$3 i ports= bad=0 pids=()

	for ((i = 0; i < n; i++)); do
		PORT=$((PORT + 1)) ports="$ports $PORT"
		socat -u -T 100 TCP4-LISTEN:$PORT,reuseaddr - | "$T/net/shapes" check "$bytes" &
		pids+=($!)
	done
	remote "$T/net/shapes send $mode $bytes $LOCAL_V4$ports" || { kill "${pids[@]}"; return 1; }
	for i in "${pids[@]}"; do wait "$i" || bad=1; done
	return $bad
}

to_guest() {
	local mode=$1 bytes=$2 n=$3 i ports= bad=0

	for ((i = 0; i < n; i++)); do
		PORT=$((PORT + 1)) ports="$ports $PORT"
		remote_bg "socat -u -T 100 TCP4-LISTEN:$PORT,reuseaddr - | $T/net/shapes check $bytes > /tmp/c.$PORT; echo \$? >> /tmp/c.$PORT" > /dev/null
	done
	"$T/net/shapes" send $mode "$bytes" "$REMOTE_V4" $ports || return
	for i in $ports; do
		remote "for k in \$(seq 600); do [ \"\$(tail -n1 /tmp/c.$i 2>&1)\" = 0 ] && break; sleep 0.1; done
			cat /tmp/c.$i; [ \"\$(tail -n1 /tmp/c.$i)\" = 0 ]" || bad=1
	done
	return $bad
}

linearized() { counter remote "$RIF" tx_linearized; }

set_mtu() { ip link set "$VIF" mtu "$1" && ip link set "$BRIDGE" mtu "$1" && remote ip link set "$RIF" mtu "$1"; }

# Each of two connections' packets has seventeen fragments, most over a page border.
# A segment of the largest MTU holds them all, however fast TCP believes the link to be.
mixed_needs_copies() {
	local before rc

	before=$(linearized)
	[ -n "$before" ] || { echo "the frontend does not count it"; return 4; }
	[ "$(counter remote "$RIF" persistent_tx)" = 0 ] || { echo "staged, whatever the shape"; return 4; }
	set_mtu 65000 || return
	from_guest mixed $((kib * 1024)) 2
	rc=$?
	set_mtu 1500
	echo "linearized: $(($(linearized) - before))"
	[ $rc = 0 ] && is "$(linearized)" -gt "$before"
}

with_loss() {
	remote "modprobe -q sch_netem; tc qdisc replace dev $RIF root netem loss 1%" || { echo "no netem"; return 4; }
	defer "remote tc qdisc del dev $RIF root"
	modprobe -q sch_netem
	tc qdisc replace dev "$VIF" root netem loss 1%
	defer "tc qdisc del dev $VIF root"
	from_guest mixed $((kib * 256)) 2 && from_guest writev $((kib * 512)) 1 && to_guest mixed $((kib * 256)) 2
	local rc=$?
	remote "tc -s qdisc show dev $RIF; tc qdisc del dev $RIF root"
	tc qdisc del dev "$VIF" root
	return $rc
}

# stack SIDE PEER: VLAN in VXLAN, and GRE with a tag below, at one end. GRE forbids
# fragments outside, so its tag needs a smaller MTU.
stack() {
	local side=$1 me=$2 peer=$3 n=$4 dev=$5

	on $side "modprobe -q 8021q; modprobe -q vxlan; modprobe -q ip_gre
		ip link add pvx0 type vxlan id 7 local $me remote $peer dstport 4789 dev $dev &&
		ip link set pvx0 up && ip link add link pvx0 name pvx0.3 type vlan id 3 && ip link set pvx0.3 up &&
		ip addr add 10.8.3.$n/24 dev pvx0.3 &&
		ip link add link $dev name pvt6 type vlan id 6 && ip link set pvt6 up && ip addr add 10.8.6.$n/24 dev pvt6 &&
		ip link add pgre0 type gretap local 10.8.6.$n remote 10.8.6.$((3 - n)) && ip link set pgre0 up &&
		ip link add link pgre0 name pgre0.4 mtu 1400 type vlan id 4 && ip link set pgre0.4 up && ip addr add 10.8.4.$n/24 dev pgre0.4"
}

unstack() { on "$1" "ip link del pvx0; ip link del pgre0; ip link del pvt6"; }

# Small packets of every size, many outstanding: the headers end at all offsets. ping
# itself gives up after two round trips, so the answers are counted where they come in.
flood_sizes() {
	local side=$1 addr=$2

	REMOTE_TIMEOUT=900 on "$side" "reps() { nstat -asz IcmpInEchoReps | awk '/EchoReps/ { print \$2 }'; }
	lost=; for n in \$(seq 0 7 230) 1300 1372 1400 1440 1472 3000 8000; do
		b=\$(reps); o=\$(ping -n -q -c 20 -i 0.002 -W 20 -s \$n $addr)
		for t in \$(seq 100); do [ \$((\$(reps) - b)) -ge 20 ] && continue 2; sleep 0.1; done
		echo \"\$o\"; lost=\"\$lost \$n\"
	done; echo \"lost at:\${lost:- none}\"; [ -z \"\$lost\" ]"
}

stacked() {
	local id=$1

	until_true 60 ping -c1 -W1 "10.8.$id.2" || return
	flood_sizes local "10.8.$id.2" && flood_sizes remote "10.8.$id.1" || return
	transfer local remote 2 "10.8.$id.2" && transfer remote local 2 "10.8.$id.1"
}

need "link" wait_link
say "front/back: $(pair)"
mark
before=$(bad_counts)
check "mixed: odd writes, many fragments over page borders" from_guest mixed $((kib * 1024)) 2
check "mixed: more slots than a packet may have" mixed_needs_copies
check "writev: 4097, 2049, 1" from_guest writev $((kib * 1024)) 1
check "sendfile at odd offsets" from_guest file $((kib * 1024)) 1
check "splice of single bytes" from_guest tiny 8192 1
check "zero copy" from_guest zero $((kib * 512)) 1
check "mixed, to the guest" to_guest mixed $((kib * 256)) 2
check "sendfile, to the guest" to_guest file $((kib * 512)) 1
check "single bytes, to the guest" to_guest tiny 8192 1
check "zero copy, to the guest" to_guest zero $((kib * 512)) 1
check "with 1 % loss both ways" with_loss
if check "tunnels over tags" stack local "$LOCAL_V4" "$REMOTE_V4" 1 "$BRIDGE" &&
   check "tunnels over tags, in the guest" stack remote "$REMOTE_V4" "$LOCAL_V4" 2 "$RIF"; then
	defer "unstack local; unstack remote"
	check "tag in VXLAN" stacked 3
	check "tag in GRE in a tag" stacked 4
fi
check "no errors, no drops" unchanged "$before" "$(bad_counts)"
check "logs" logs_clean
finish
