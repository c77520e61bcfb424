#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Runs in dom0 of the testbed: measures cells and leaves cells.csv, a line each:
# label,direction,size,unit,value (or "failed: reason").
# usage: cells.sh LABEL SECONDS REPEATS "SIZE ..." [tcp|udp|rr|g2g ...]
label=$1 seconds=$2 repeats=$3 sizes=$4
shift 4
csv=/tmp/cells.csv
: > "$csv"

row() { echo "$label,$1,$2,$3,$4" | tee -a "$csv"; }

# A server that ends now and then is started again; a run that it refuses has
# failed, and is not a zero.
serve() { guest_bg "$1" 'while :; do iperf3 -s -1 > /dev/null 2>&1; done' > /dev/null; }

listens() { guest "$1" "grep -qi ' [0-9A-F]*:1451 [0-9A-F]*:0000 0A ' /proc/net/tcp /proc/net/tcp6"; }

# The receiver's figure from the client's JSON in $1.
received() { jq -r "$2" "$1" 2>/dev/null; }

# cell DIRECTION SIZE UNIT FILTER CLIENT...: one run of a client that prints JSON.
cell() {
	local dir=$1 size=$2 unit=$3 filter=$4 value

	shift 4
	wait_for 60 listens "$server" || { row "$dir" "$size" "$unit" "failed: no server"; return; }
	"$@" > /tmp/run.json 2>/tmp/run.err
	value=$(received /tmp/run.json "$filter")
	case $value in
	''|null) row "$dir" "$size" "$unit" "failed: $(jq -r '.error // empty' /tmp/run.json 2>/dev/null; head -1 /tmp/run.err)" ;;
	*) row "$dir" "$size" "$unit" "$value" ;;
	esac
}

tcp='.end.sum_received.bits_per_second / 1e6'
# UDP: what the server says that it got; with -R the server is the sender.
udp='.server_output_json.end.sum | select(. != null) | .bits_per_second * (1 - .lost_packets / .packets) / 1e6'

one_size() {
	local size=$1 kind

	shift
	for kind in "$@"; do
		case $kind in
		tcp)
			cell to-guest "$size" Mb/s "$tcp" iperf3 -J -c "$(guest_ip 1)" -t "$seconds" -O 1 -l "$size"
			cell from-guest "$size" Mb/s "$tcp" iperf3 -J -c "$(guest_ip 1)" -t "$seconds" -O 1 -l "$size" -R
			;;
		g2g)
			server=2
			cell guest-to-guest "$size" Mb/s "$tcp" \
				guest 1 "iperf3 -J -c $(guest_ip 2) -t $seconds -O 1 -l $size"
			server=1
			;;
		udp)
			[ "$size" -le 1448 ] || continue
			cell udp-to-guest "$size" Mb/s "$udp" iperf3 -J -u -b 0 -c "$(guest_ip 1)" \
				-t "$seconds" -l "$size" --get-server-output
			;;
		esac
	done
}

rr() {
	local value

	value=$(netperf -P 0 -v 0 -H "$(guest_ip 1)" -l "$seconds" -t TCP_RR 2>/tmp/run.err)
	row rr 1 /s "${value:-failed: $(head -1 /tmp/run.err)}"
}

server=1
for i in $(guests); do serve "$i"; done
case " $* " in *" rr "*) guest 1 'netserver > /dev/null 2>&1' ;; esac
wait_for 60 ping -c1 -W1 "$(guest_ip 1)" || fail "guest 1 does not answer"

for round in $(seq "$repeats"); do
	for size in $sizes; do one_size "$size" "$@"; done
	case " $* " in *" rr "*) rr ;; esac
done
for i in $(guests); do
	ethtool -S "$(vifname "$i")" > "/tmp/back-g$i.stats" 2>&1
	guest "$i" 'ethtool -S eth0' > "/tmp/front-g$i.stats" 2>&1
done
result "$csv" /tmp/*.stats
pass
