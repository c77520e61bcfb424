#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# usage: csum_router.sh			(--guests 3)
# FR-15: guest 2 routes, and translates addresses, between guests 1 and 3 on one host.
# No packet reaches its end with a wrong checksum: by the ends' own counters, with
# offload on everywhere and off at each end in turn; over IPv4, IPv6, a VLAN, in
# fragments. To see it fail (not all tried yet): `tc qdisc add dev eth0 root netem corrupt 1%` in guest 2.
. "$(dirname "$0")/../lib.sh"
testbed_only
[ "$TB_GUESTS" -ge 3 ] || skip_all "needs --guests 3"
find_ends

# g N CMD: in guest N.
g() { local n=$1; shift; GUEST_TIMEOUT=300 guest "$n" "$*"; }

set_up() {
	g 2 "sysctl -q -w net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1 net.ipv4.conf.all.send_redirects=0 net.ipv4.conf.eth0.send_redirects=0
		ip addr add 10.7.1.2/24 dev eth0; ip addr add 10.7.3.2/24 dev eth0
		ip addr add fd07:1::2/64 dev eth0 nodad; ip addr add fd07:3::2/64 dev eth0 nodad" || return
	for n in 1 3; do
		g $n "ip addr add 10.7.$n.$n/24 dev eth0; ip addr add fd07:$n::$n/64 dev eth0 nodad
			sysctl -q -w net.ipv4.conf.all.accept_redirects=0 net.ipv4.conf.eth0.accept_redirects=0 net.ipv6.conf.eth0.accept_redirects=0
			ip route add 10.7.$((4 - n)).0/24 via 10.7.$n.2; ip -6 route add fd07:$((4 - n))::/64 via fd07:$n::2" || return
	done
	until_true 60 g 1 ping -c1 -W1 10.7.3.3 && until_true 60 g 1 ping -c1 -W1 fd07:3::3
}

masquerade() {
	g 2 "modprobe -q nft_masq; modprobe -q nft_chain_nat; nft add table ip nat &&
		nft 'add chain ip nat post { type nat hook postrouting priority 100; }' &&
		nft add rule ip nat post ip saddr 10.7.1.0/24 ip daddr 10.7.3.0/24 masquerade" ||
		{ echo "no NAT in this image"; return 4; }
}

# Checksum errors that a guest's stack has seen.
KEYS="TcpInCsumErrors UdpInCsumErrors Udp6InCsumErrors IcmpInCsumErrors Icmp6InCsumErrors IpExtInCsumErrors IpInHdrErrors"
errors() {
	local n

	for n in 1 2 3; do
		# nstat has no names for some of them in every release: those are no lines
		echo "g$n $(g $n "nstat -asz 2> /dev/null" | tr -d '\r' | awk -v k="$KEYS" 'BEGIN { split(k, a, " "); for (i in a) w[a[i]] } $1 in w { printf "%s=%d ", $1, $2 }')"
	done
}

# tcp FROM TO ADDR KIB: md5 is the judge.
tcp() {
	local from=$1 to=$2 addr=$3 kib=$4 v=TCP4 a b

	case $addr in *:*) v=TCP6 addr="[$addr]";; esac
	PORT=$((PORT + 1))
	guest_bg "$to" "socat -u -T 100 $v-LISTEN:$PORT,reuseaddr - | md5sum > /tmp/sum.$PORT" > /dev/null
	a=$(g "$from" "head -c ${kib}k /dev/urandom > /tmp/f; md5sum < /tmp/f; socat -u -T 100 -b 65536 - $v:$addr:$PORT,retry=100,interval=0.2 < /tmp/f" | tr -d '\r')
	b=$(g "$to" "for i in \$(seq 600); do [ -s /tmp/sum.$PORT ] && break; sleep 0.1; done; cat /tmp/sum.$PORT" | tr -d '\r')
	echo "$from to $to at $addr: $a / $b"
	same "$b" "$a"
}

# udp FROM TO ADDR: datagrams of several sizes, in fragments too; each must arrive.
udp() {
	local from=$1 to=$2 addr=$3 v=UDP4 sizes="1 18 100 1400 1472 1473 3000 9000 60000" sum n want=0

	case $addr in *:*) v=UDP6 addr="[$addr]";; esac
	PORT=$((PORT + 1))
	local pid
	pid=$(guest_bg "$to" "exec socat -u -b 65536 $v-RECV:$PORT,reuseaddr CREATE:/tmp/u.$PORT" | tr -d '\r')
	guest_wait "$to" 30 "ss -lun | grep -q :$PORT" || return
	for n in $sizes; do want=$((want + n)); done
	g "$from" "for n in $sizes; do head -c \$n /dev/zero | socat -u -b 65536 - $v-SENDTO:$addr:$PORT; done"
	guest_wait "$to" 30 "[ \$(stat -c %s /tmp/u.$PORT) = $want ]"
	sum=$(g "$to" "stat -c %s /tmp/u.$PORT; kill -- -$pid" | tr -d '\r')
	echo "UDP $from to $to at $addr: $sum bytes of $want"
	is "$sum" -eq "$want"
}

all_kinds() {
	local before after

	before=$(errors)
	tcp 1 3 10.7.3.3 1000 && udp 1 3 10.7.3.3 && g 1 ping -q -c2 -i0.2 -s 20000 10.7.3.3 || return
	if [ "$1" = full ]; then
		tcp 3 1 10.7.1.1 1000 && tcp 1 3 fd07:3::3 1000 && udp 3 1 10.7.1.1 && udp 1 3 fd07:3::3 || return
	fi
	after=$(errors)
	echo "$after"
	[[ $after =~ [1-9] ]] || { echo "no counters"; return 1; }
	same "$before" "$after" && ! echo "$after" | grep -E '=[1-9]'
}

vlan() {
	local n

	for n in 1 2 3; do
		g $n "modprobe -q 8021q; ip link add link eth0 name v9 type vlan id 9 && ip link set v9 up" || return
	done
	g 2 "ip addr add 10.6.1.2/24 dev v9; ip addr add 10.6.3.2/24 dev v9; sysctl -q -w net.ipv4.conf.v9.send_redirects=0"
	for n in 1 3; do
		g $n "ip addr add 10.6.$n.$n/24 dev v9; ip route add 10.6.$((4 - n)).0/24 via 10.6.$n.2; sysctl -q -w net.ipv4.conf.v9.accept_redirects=0"
	done
	tcp 1 3 10.6.3.3 1000 && udp 1 3 10.6.3.3
}

# off WHERE: checksum offload off at one end of one vif.
switch() {
	case $1 in
	g*)	g "${1#g}" "ethtool -K eth0 tx $2 sg on tso $2";;
	vif*)	ethtool -K "$(vifname "${1#vif}")" tx "$2" tso "$2";;
	esac
}

off() {
	local rc

	switch "$1" off || return
	all_kinds some
	rc=$?
	switch "$1" on
	return $rc
}

for i in 1 2 3; do need "link of guest $i" until_true 60 ping -c1 -W1 "$(guest_ip $i)"; done
mark
need "a router" set_up
check "routed: TCP, UDP, IPv6, fragments" all_kinds full
check "masquerade" masquerade && check "translated: TCP, UDP, fragments" all_kinds some
check "in a VLAN" vlan
for end in g1 g2 g3 vif1 vif2 vif3; do
	check "offload off at $end" off $end
done
check "logs" logs_clean
finish
