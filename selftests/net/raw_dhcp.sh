#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# usage: raw_dhcp.sh
# FR-16: readers of packet sockets. DHCP both ways between guest and dom0 with
# busybox's udhcpd and udhcpc; and a strict reader that knows no flags: with `tx off` at
# the sending end the checksum in the bytes is right. To see it fail (not all tried yet): rawudp without tx
# off counts bad ones (printed below).
. "$(dirname "$0")/../lib.sh"
testbed_only
find_ends

conf() {	# INTERFACE
	printf 'start 10.9.0.%s\nend 10.9.0.%s\ninterface %s\nlease_file /tmp/leases\noption subnet 255.255.255.0\nmax_leases 10\nopt lease 600\n' 100 109 "$1"
}

# lease CLIENT CLIENT-DEV SERVER SERVER-DEV
lease() {
	local client=$1 cdev=$2 server=$3 sdev=$4 o

	on "$server" "command -v udhcpd" && on "$client" "command -v udhcpc" || { echo "no udhcpd"; return 4; }
	on "$server" "printf '%s' '$(conf "$sdev")' | sed 's/\\\\n/\n/g' > /tmp/udhcpd.conf; : > /tmp/leases; killall udhcpd; udhcpd /tmp/udhcpd.conf"
	o=$(on "$client" "udhcpc -f -q -n -t 10 -T 3 -s /bin/true -i $cdev" 2>&1)
	local rc=$?
	echo "$o"
	on "$server" "killall udhcpd; true"
	[ $rc = 0 ] && [[ $o =~ 10.9.0.10[0-9]|lease ]]
}

# raw READER READER-DEV SENDER SENDER-ADDRESS... : "good N bad M" of 12 datagrams
raw() {
	local reader=$1 rdev=$2 addr=$3 sizes="1 2 17 100 999 1472" n=12 out sender=local
	[ "$reader" = local ] && sender=remote

	PORT=$((PORT + 1))
	if [ "$reader" = remote ]; then
		remote_bg "$T/net/rawudp $rdev $PORT $n 60 > /tmp/raw.$PORT; echo end >> /tmp/raw.$PORT" > /dev/null
	else
		bash -c "$T/net/rawudp $rdev $PORT $n 60 > /tmp/raw.$PORT; echo end >> /tmp/raw.$PORT" > /dev/null 2>&1 &
	fi
	sleep 1
	on $sender "for n in $sizes $sizes; do head -c \$n /dev/urandom | socat -u - UDP4-SENDTO:$addr:$PORT; done"
	on "$reader" "for i in \$(seq 700); do grep -q end /tmp/raw.$PORT && break; sleep 0.1; done; grep good /tmp/raw.$PORT" | tr -d '\r'
}

# strict READER READER-DEV ADDR SENDER-SIDE SENDER-DEV
strict() {
	local out rc=0

	[ -x "$T/net/rawudp" ] || { echo "no net/rawudp: make -C selftests"; return 4; }
	echo "as it is: $(raw "$1" "$2" "$3")"
	on "$4" "ethtool -K $5 tx off" || return
	out=$(raw "$1" "$2" "$3")
	on "$4" "ethtool -K $5 tx on"
	echo "tx off: $out"
	same "$out" "good 12 bad 0"
}

need "link" wait_link
mark
check "dom0's server, the guest's client" lease remote "$RIF" local "$BRIDGE"
check "the guest's server, dom0's client" lease local "$BRIDGE" remote "$RIF"
check "strict reader in dom0, guest's tx off" strict local "$BRIDGE" "$LOCAL_V4" remote "$RIF"
check "strict reader in the guest, vif's tx off" strict remote "$RIF" "$REMOTE_V4" local "$VIF"
check "traffic" both_ways 1
check "logs" logs_clean
finish
