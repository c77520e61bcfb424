# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Helpers of the selftests that run on a Xen host: KTAP, the two ends, clean-up.
#
# "local" is dom0, where the script runs; "remote" is the guest. In the testbed the
# guest is reached over its console. On a real host say, as with the kernel's
# drivers/net selftests:
#   NETIF=vif3.0 REMOTE_TYPE=ssh REMOTE_ARGS='root@guest' REMOTE_IF=eth0 \
#   LOCAL_V4=.. REMOTE_V4=.. [LOCAL_V6=.. REMOTE_V6=..] selftests/net/traffic.sh
# REMOTE_ARGS goes to ssh (use a path other than the vif, as tests take it down);
# REMOTE_TYPE=console runs REMOTE_ARGS with the command as one more argument.
# Then NETIF's bridge, BRIDGE, is found by itself. The programs that `make -C selftests`
# builds must be at the same path in the guest.

KSFT_FAIL=1 KSFT_SKIP=4
T=$(cd "$(dirname "$0")/.." && pwd)	# selftests
TRIES=0 FAILED=0
MARK="${0##*/} $$"

say() { printf '# %s\n' "$*"; }

in_testbed() { [ -n "${TB_TOKEN:-}" ]; }

# ---- KTAP ----

# skip_all WHY: nothing of this script can run.
skip_all() {
	echo "TAP version 13"
	echo "1..0 # SKIP $*"
	exit $KSFT_SKIP
}

verdict() {
	local ok=$1 name=$2 why=$3

	TRIES=$((TRIES + 1))
	[ $TRIES = 1 ] && echo "TAP version 13"
	echo "$ok $TRIES $name${why:+ # $why}"
	say "at $(cut -d' ' -f1 /proc/uptime) s"
}

# check NAME CMD...: one result. CMD is printed, and what it says, as comments.
# It passes by status 0, and is skipped by 4; WHY it was is CMD's last line then.
check() {
	local name=$1 out rc

	shift
	out="$*"
	say "\$ ${out%%$'\n'*}"
	exec 9> /tmp/ksft.$$
	"$@" >&9 2>&1 9>&-
	rc=$?
	exec 9>&-
	tr -d '\r' < /tmp/ksft.$$ | sed 's/^/#   /'
	out=$(tail -n 1 /tmp/ksft.$$)
	rm -f /tmp/ksft.$$
	case $rc in
	0)	verdict ok "$name";;
	4)	verdict ok "$name" "SKIP $out";;
	*)	verdict "not ok" "$name" "${GOAL:+TODO $GOAL, }exit $rc"
		FAILED=$((FAILED + 1));;
	esac
	return $rc
}

# goal NAME WHY CMD...: a check of what is not reached yet. It is reported and fails
# nothing; what it says is that the goal still stands.
goal() {
	local name=$1 why=$2 failed=$FAILED

	shift 2
	GOAL=$why check "$name" "$@"
	FAILED=$failed
}

# need NAME CMD...: a check without which the rest makes no sense.
need() { check "$@" || { echo "Bail out! $1"; exit $KSFT_FAIL; }; }

skip_check() { verdict ok "$1" "SKIP $2"; }

# finish: the plan and the script's status. Must be the last command.
finish() {
	echo "1..$TRIES"
	[ $FAILED = 0 ] || exit $KSFT_FAIL
	cleanup
	in_testbed && pass
	exit 0
}

# defer CMD: run at the end, the last one first, however the script ends.
CLEAN=()
defer() { CLEAN+=("$*"); }

cleanup() {
	local i

	for ((i = ${#CLEAN[@]} - 1; i >= 0; i--)); do
		eval "${CLEAN[i]}" > /dev/null 2>&1
	done
	CLEAN=()
}
trap cleanup EXIT
trap 'exit 130' INT TERM

# ---- small words for checks ----

# is HAVE OP WANT: numbers.
is() { [ "$1" "$2" "$3" ] || { echo "have $1, want $2 $3"; return 1; }; }
same() { [ -n "$1" ] && [ "$1" = "$2" ] || { echo "have '$1', want '$2'"; return 1; }; }

# until_true SECONDS CMD...: seconds are generous, and five times as many where asked.
until_true() {
	local end=$((SECONDS + $1))

	shift
	while ! "$@" > /dev/null 2>&1; do
		[ $SECONDS -lt $end ] || { echo "gave up on: $*"; return 1; }
		sleep 0.2
	done
}

# ---- the remote end ----

REMOTE=1	# which guest, in the testbed

# remote CMD...: run it in the guest; its output and status. REMOTE_TIMEOUT seconds.
# Set TRACE to have it printed.
remote() {
	[ -z "$TRACE" ] || say "guest\$ $*"
	if in_testbed; then
		GUEST_TIMEOUT=${REMOTE_TIMEOUT:-300} guest "$REMOTE" "$*"
	elif [ "${REMOTE_TYPE:-}" = ssh ]; then
		# shellcheck disable=SC2086
		timeout "${REMOTE_TIMEOUT:-300}" ssh -o BatchMode=yes $REMOTE_ARGS "$*"
	elif [ "${REMOTE_TYPE:-}" = console ]; then
		# shellcheck disable=SC2086
		timeout "${REMOTE_TIMEOUT:-300}" $REMOTE_ARGS "$*"
	fi
}

# remote_bg CMD...: start it; prints its process group.
remote_bg() {
	if in_testbed; then
		guest_bg "$REMOTE" "$*"
	else
		remote "setsid bash -c $(printf %q "$*") > /tmp/bg.out 2>&1 < /dev/null & echo \$!"
	fi
}

# remote_wait SECONDS CMD...
remote_wait() {
	local end=$((SECONDS + $1))

	shift
	if in_testbed; then
		guest_wait "$REMOTE" $((end - SECONDS)) "$*"
		return
	fi
	while ! remote "$*" > /dev/null 2>&1; do
		[ $SECONDS -lt $end ] || return 1
		sleep 0.2
	done
}

# on SIDE CMD...: SIDE is local or remote.
on() {
	local side=$1

	shift
	if [ "$side" = remote ]; then remote "$*"; else bash -c "$*"; fi
}

# The interfaces and addresses of both ends. Sets VIF, BRIDGE, RIF, LOCAL_V4...
find_ends() {
	if in_testbed; then
		VIF=$(vifname "$REMOTE") RIF=eth0 BRIDGE=xenbr0
		LOCAL_V4=10.9.0.1 LOCAL_V6=fd09::1
		REMOTE_V4=$(guest_ip "$REMOTE") REMOTE_V6=$(guest_ip6 "$REMOTE")
		return
	fi
	[ -n "${NETIF:-}" ] && [ -n "${REMOTE_TYPE:-}" ] && [ -n "${REMOTE_V4:-}" ] ||
		skip_all "neither in the testbed nor told NETIF, REMOTE_TYPE, REMOTE_ARGS, REMOTE_V4"
	VIF=$NETIF RIF=${REMOTE_IF:-eth0}
	BRIDGE=${BRIDGE:-$(basename "$(readlink "/sys/class/net/$VIF/master" || echo "$VIF")")}
}

# testbed_only: for what takes xl, or would cut a real guest off.
testbed_only() { in_testbed || skip_all "needs the testbed"; }

link_up() { ping -c1 -W1 "$REMOTE_V4"; }

wait_link() { until_true 60 link_up; }

# driver SIDE: who drives this end: pvnet or stock.
driver() {
	local name

	case $1 in
	local)	name=$(ethtool -i "$VIF" | sed -n 's/^driver: //p');;
	remote)	name=$(remote "ethtool -i $RIF" | tr -d '\r' | sed -n 's/^driver: //p');;
	esac
	case $name in pvnet*) echo pvnet;; *) echo stock;; esac
}

pair() { echo "$(driver remote)/$(driver local)"; }

# ---- counters ----

# stat SIDE IF KEY: a number of `ip -s link`, as rx.errors or tx.dropped.
stat() { on "$1" ip -j -s link show dev "$2" | tr -d '\r' | jq ".[0].stats64.$3"; }

# counter SIDE IF NAME: the sum over all queues of a counter of pvnet's `ethtool -S`;
# empty if it has none of that name.
counter() {
	on "$1" ethtool -S "$2" | tr -d '\r' |
		awk -v n="$3" '$1 ~ "(^|_)" n ":$" && !($1 ~ "event_" && n !~ "event_") { s += $2; k++ } END { if (k) print s }'
}

# counters SIDE IF NAME...: the sums of several, from one reading; - for one that is not there.
counters() {
	local side=$1 dev=$2

	shift 2
	on "$side" ethtool -S "$dev" | tr -d '\r' | awk -v names="$*" '
		BEGIN { n = split(names, name) }
		{ for (i = 1; i <= n; i++) if ($1 ~ "^(q[0-9]+_)?" name[i] ":$") { s[i] += $2; k[i]++ } }
		END { for (i = 1; i <= n; i++) printf "%s%s", k[i] ? s[i] : "-", i < n ? " " : "\n" }'
}

# bad_counts: what must stay as it is while good traffic runs: one line, to compare.
bad_counts() {
	local s i k

	for s in local remote; do
		i=$VIF
		[ $s = remote ] && i=$RIF
		on $s ip -j -s link show dev "$i" | tr -d '\r' | jq -r --arg s $s '.[0].stats64 |
			"\($s): rx.errors=\(.rx.errors) tx.errors=\(.tx.errors) tx.dropped=\(.tx.dropped)"'
	done
	for k in from_guest_dropped from_guest_errors to_guest_dropped to_guest_errors; do
		echo "local: $k=$(counter local "$VIF" $k)"
	done
	for k in rx_dropped rx_errors rx_alloc_failed tx_errors tx_dropped; do
		echo "remote: $k=$(counter remote "$RIF" $k)"
	done
}

unchanged() {	# BEFORE AFTER
	[ -n "$1" ] && [ "$1" = "$2" ] && { echo "$2" | head -n 2; return; }
	diff <(echo "$1") <(echo "$2")
	return 1
}

# ---- TCP with a checksum ----

PORT=5100
MD5STREAM=$T/net/md5stream
# transfer FROM TO MIB ADDR: a TCP stream from one side to the other, at address ADDR,
# compared by MD5. It is of odd size, and no two are the same.
transfer() {
	local from=$1 to=$2 bytes=$(($3 * 1048576 + 13)) addr=$4 a b pid

	[ -x "$MD5STREAM" ] || { echo "no net/md5stream: make -C selftests"; return 1; }
	PORT=$((PORT + 1))
	set -- "$MD5STREAM recv $PORT > /tmp/sum.$PORT 2>&1" "$MD5STREAM send $addr $PORT $bytes $PORT$$"
	if [ "$to" = remote ]; then
		remote_bg "$1" > /dev/null
	else
		bash -c "exec $1" &
		pid=$!
	fi
	# The sender ends when the receiver has said its sum.
	if ! a=$(REMOTE_TIMEOUT=900 on "$from" "$2" 2>&1); then
		echo "$a, and the receiver: $(on "$to" cat /tmp/sum.$PORT)"
		[ -z "$pid" ] || kill $pid
		return 1
	fi
	b=$(on "$to" cat /tmp/sum.$PORT)
	a=${a//$'\r'} b=${b//$'\r'}${PVNET_BREAK_MD5:+0}
	echo "$bytes bytes, md5 ${a#* } ${b#* }"
	same "$b" "$a"
}

# both_ways MIB: over IPv4.
both_ways() {
	transfer local remote "$1" "$REMOTE_V4" && transfer remote local "$1" "$LOCAL_V4"
}

# ---- ping ----

# ping_sizes SIDE ADDR SIZES [OPTIONS]: each must be answered, with the same bytes.
ping_sizes() {
	local side=$1 addr=$2 sizes=$3 opts=${4:-}

	REMOTE_TIMEOUT=900 on "$side" "bad=; for n in $sizes; do
		o=\$(ping -n -c1 -W20 $opts -s \$n $addr 2>&1) && ! [[ \$o =~ wrong|truncated|DUP ]] ||
			bad=\"\$bad \$n\"
	done; echo \"lost or damaged:\${bad:- none}\"; [ -z \"\$bad\" ]"
}

# ---- the drivers (in the testbed) ----

# Module names of a driver.
front_module() { [ "$1" = pvnet ] && echo pvnet-front || echo xen-netfront; }
back_module() { [ "$1" = pvnet ] && echo pvnet-back || echo xen-netback; }
# Their names on the xenbus.
bus_name() { [ "$1" = stock ] && echo vif || echo "pvnet-$2"; }

# back_load pvnet|stock [K=V..], when none is loaded: the vifs go to the bridge by hand,
# as xl has run its script once and for all.
back_load() {
	local i mod vif

	mod=$(back_module "$1")
	shift
	modprobe "$mod" "$@" || return
	for i in $(guests); do
		vif=$(vifname "$i")
		until_true 60 test -e "/sys/class/net/$vif" || return
		ip link set "$vif" master xenbr0 up || return
	done
}

# The stock drivers are held by each device: it is taken from them first.
back_unload() {
	local d

	if [ "$1" = stock ]; then
		for d in /sys/bus/xen-backend/drivers/vif/vif-*; do
			[ ! -e "$d" ] || echo "${d##*/}" > /sys/bus/xen-backend/drivers/vif/unbind
		done
	fi
	until_true 60 rmmod "$(back_module "$1")"
}

# front_load pvnet|stock [K=V..]: in every guest.
front_load() {
	local mod i

	mod=$(front_module "$1")
	shift
	for i in $(guests); do
		guest "$i" "modprobe $mod $* && guest_net_up" || return
	done
	for i in $(guests); do
		until_true 60 vif_connected "$i" && until_true 60 ping -c1 -W1 "$(guest_ip "$i")" || return
	done
}

front_unload() {
	local i

	for i in $(guests); do
		guest "$i" "for d in /sys/bus/xen/drivers/vif/vif-*; do
				[ ! -e \$d ] || echo \${d##*/} > /sys/bus/xen/drivers/vif/unbind
			done; rmmod $(front_module "$1")" || return
	done
}

# use_pair FRONT BACK [BACK-ARGS [FRONT-ARGS]]: whatever was loaded before.
use_pair() {
	local d

	for d in pvnet stock; do
		guest 1 "[ -e /sys/module/$(front_module $d | tr - _) ]" || continue
		front_unload $d || return
	done
	for d in pvnet stock; do
		[ ! -e "/sys/module/$(back_module $d | tr - _)" ] || back_unload $d || return
	done
	# shellcheck disable=SC2086
	back_load "$2" ${3:-} && front_load "$1" ${4:-} && find_ends
}

# as_started: the drivers that `testbed run` was told, with its parameters.
as_started() { use_pair "$TB_FRONT" "$TB_BACK" "$TB_BACK_ARGS" "$TB_FRONT_ARGS"; }

# attach [KEYS] and detach: guest REMOTE's vif 0, by xl.
attach() {
	xl network-attach "g$REMOTE" "mac=$(guest_mac "$REMOTE")" bridge=xenbr0 script=vif-bridge "$@" || return
	remote "guest_net_up" || return
	until_true 60 vif_connected "$REMOTE" || return
	find_ends
	wait_link
}

detach() {
	xl network-detach "g$REMOTE" 0 || return
	until_true 60 test ! -e "/sys/class/net/$VIF" || return
	remote_wait 60 "test ! -e /sys/class/net/$RIF"
}

# ---- grant schemes of pvnet-front ----

# scheme_is persistent|copy: both ends say so, for all queues and both directions.
scheme_is() {
	local tx rx pages mapped queues

	read -r tx rx pages < <(counters remote "$RIF" persistent_tx persistent_rx persistent_pages)
	mapped=$(counters local "$VIF" mapped_pages)
	queues=$(ls -d "/sys/class/net/$VIF/queues"/tx-* | wc -l)
	echo "queues $queues, persistent tx $tx, rx $rx; pages $pages granted, $mapped mapped"
	case $1 in
	persistent)	is "$tx" -eq "$queues" && is "$rx" -eq "$queues" && is "$pages" -gt 0 && is "$mapped" -eq "$pages";;
	copy)	is "$tx" -eq 0 && is "$rx" -eq 0 && { [ "$mapped" = - ] || is "$mapped" -eq 0; };;
	esac
}

# set_scheme persistent|copy: while it runs, without a reconnect.
set_scheme() {
	local flag=on

	[ "$1" = persistent ] || flag=off
	remote "ethtool --set-priv-flags $RIF persistent-grants $flag" || return
	until_true 30 scheme_is "$1" || { scheme_is "$1"; return 1; }
}

# ---- logs ----

# The testbed looks through all logs at the end; this says which test it was.
COMPLAINT='WARNING:|BUG:|kernel BUG|Oops|Call Trace|NETDEV WATCHDOG|hung task|blocked for more than|still in use|rides the rocket|breaks the protocol|bad gso|skb_warn_bad_offload|page_pool.*stalled|unregister_netdevice: waiting'
# A single step that nobody asked for is QEMU's doing: see EMULATOR in tools/testbed/tb/logs.py.
EMULATOR='/WARNING: .* exc_debug_kernel[+]/, /end trace/ { next }'
mark() {
	echo "selftest: $MARK" > /dev/kmsg
	remote "echo 'selftest: $MARK' > /dev/kmsg"
}

logs_clean() {
	local s bad=0

	for s in local remote; do
		on $s "dmesg | awk -v m='selftest: $MARK' '$EMULATOR index(\$0, m) { n = 1; next } n' | grep -E '$COMPLAINT'" && bad=1
	done
	return $bad
}
