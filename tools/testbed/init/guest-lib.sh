# SPDX-License-Identifier: GPL-2.0
# Helpers for commands that run in a guest. Sourced by every bash there (BASH_ENV).
. /testbed/config
. /testbed/checks.sh

GUEST_N=$(sed -n 's/.*testbed\.guest=\([0-9]*\).*/\1/p' /proc/cmdline)

wait_for() {
	local end=$((SECONDS + $1))

	shift
	while ! "$@" > /dev/null 2>&1; do
		[ $SECONDS -lt $end ] || return 1
		sleep 0.1
	done
}

# guest_net_up [N]: addresses for guest N (this one) on eth0.
guest_net_up() {
	local n=${1:-$GUEST_N}

	wait_for 10 test -e /sys/class/net/eth0 || return
	ip addr replace 10.9.0.$((1 + n))/24 dev eth0
	ip addr replace "$(printf fd09::%x $((1 + n)))/64" dev eth0 nodad
	ip link set eth0 up
}

guest_background() {
	setsid bash -c 'exec > /tmp/bg.$$ 2>&1; eval "$1"' bg "$1" < /dev/null &
	echo $!
}

guest_final_checks() { [ "$TB_KERNEL" != debug ] || final_checks; }
