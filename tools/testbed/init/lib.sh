# SPDX-License-Identifier: GPL-2.0
# Helpers for scripts that run in dom0. Sourced by every bash there (BASH_ENV).
. /testbed/config

RESULTS=/results
LOGS=/var/log/xen/console

log() { echo "# [$(cut -d' ' -f1 /proc/uptime)] $*"; }

# wait_for SECONDS CMD...: until CMD succeeds; its output is dropped.
wait_for() {
	local end=$((SECONDS + $1))

	shift
	while ! "$@" > /dev/null 2>&1; do
		[ $SECONDS -lt $end ] || return 1
		sleep 0.1
	done
}

# The script has done all that it had to do. Must be the last thing it says.
pass() { echo "$TB_TOKEN" > /run/testbed/token; }

skip() { echo "SKIP: $*"; exit 4; }

fail() { echo "FAIL: $*"; exit 1; }

# result FILE...: hand these out to the host's results directory.
result() { cp -r -- "$@" "$RESULTS/"; }

# expect_log REGEX WHY: the host's check of kernel logs passes over such lines.
# Say it before the test provokes them, and as narrowly as can be.
expect_log() { printf '%s\t%s\n' "$1" "${2:?say why}" >> "$RESULTS/expected"; }

# mark_logs [NAME]: a line in every kernel log. See dmesg_since.
mark_logs() {
	local i

	echo "testbed: mark ${1:-}" > /dev/kmsg
	for i in $(guests); do
		guest "$i" "echo 'testbed: mark ${1:-}' > /dev/kmsg"
	done
}

# dmesg_since NAME [N]: what the kernel of dom0, or of guest N, said since the mark.
dmesg_since() {
	local awk="awk -v m='testbed: mark $1' 'index(\$0, m) { n = NR; delete l } { l[NR] = \$0 } END { for (i = n + 1; i <= NR; i++) print l[i] }'"

	if [ -n "$2" ]; then guest "$2" "dmesg | $awk"; else dmesg | eval "$awk"; fi
}

# xl starts Xen's own bash scripts: these helpers are not for them.
xl() { (unset BASH_ENV; exec xl "$@"); }

# ---- guests: gN, at 10.9.0.(1+N) and fd09::(1+N) ----

guest_ip() { echo "10.9.0.$((1 + $1))"; }
guest_ip6() { printf 'fd09::%x\n' $((1 + $1)); }
guest_mac() { printf '00:16:3e:09:%02x:%02x\n' $(($1 / 256)) $(($1 % 256)); }

# The numbers of the guests that exist.
guests() { xl list 2>/dev/null | sed -n 's/^g\([0-9][0-9]*\) .*/\1/p'; }

domid() { xl domid "g$1" 2>/dev/null; }

# vifname N [DEV]: the backend's interface in dom0.
vifname() { echo "vif$(domid "$1").${2:-0}"; }

# Prints the pty of guest N's console. The last answer is kept and verified, as
# xl is slow and a domain's number changes with save, restore and reboot.
guest_tty() {
	local id tty name f=/run/testbed/g$1.domid

	for try in 1 2; do
		id=$(cat "$f" 2>/dev/null)
		{ read -r name; read -r tty; } < <(xenstore-read "/local/domain/${id:-0}/name" "/local/domain/${id:-0}/console/tty" 2>/dev/null)
		[ "$name" = "g$1" ] && [ -n "$tty" ] && echo "$tty" && return
		domid "$1" > "$f"
	done
	return 1
}

# guest_agent N TIMEOUT CMD...: as guest, with a timeout of its own.
guest_agent() {
	local n=$1 t=$2 tty

	shift 2
	tty=$(guest_tty "$n") || { echo "g$n has no console" >&2; return 125; }
	/testbed/agent run -t "$t" "$tty" "$LOGS/guest-g$n.log" "$@"
}

# guest N CMD...: run CMD (a line for bash) in guest N over its console. Prints
# what it prints and returns its status; 124 after GUEST_TIMEOUT seconds.
guest() {
	local n=$1

	shift
	guest_agent "$n" "${GUEST_TIMEOUT:-60}" "$@"
}

# guest_bg N CMD...: start CMD in guest N and go on. Prints its pid there, which is
# also its process group; its output goes to /tmp/bg.PID in the guest.
guest_bg() {
	local n=$1 q

	shift
	printf -v q %q "$*"
	guest "$n" "guest_background $q"
}

# guest_wait N SECONDS CMD...: until CMD succeeds in guest N.
guest_wait() {
	local n=$1 t=$2 q

	shift 2
	printf -v q %q "$*"
	guest_agent "$n" $((t + 20)) "wait_for $t bash -c $q"
}

# guest_push N FILE DEST and guest_pull N FILE DEST: copy over the console.
guest_push() {
	local b

	guest "$1" ": > '$3'" || return
	while read -r b; do
		guest "$1" "echo $b | base64 -d >> '$3'" || return
	done < <(base64 -w 32000 "$2"; echo)
}

guest_pull() { guest "$1" "cat '$2'" > "$3"; }

# The vif line of guest N: VIFS (all of them) or VIF (more keys) override --vif.
guest_vifs() {
	local more=${VIF-$TB_VIF}

	echo "${VIFS-'mac=$(guest_mac "$1"),bridge=xenbr0,script=vif-bridge${more:+,$more}'}"
}

# guest_cfg N: write /tmp/gN.cfg. GUEST_MEM, GUEST_VCPUS, GUEST_TYPE, GUEST_EXTRA,
# VIF and VIFS override what `testbed run` was told.
guest_cfg() {
	cat > "/tmp/g$1.cfg" <<-CFG
	name="g$1"
	type="${GUEST_TYPE:-$TB_GUEST}"
	kernel="/boot/vmlinuz"
	ramdisk="/boot/guest.cpio"
	memory=${GUEST_MEM:-$TB_MEM}
	vcpus=${GUEST_VCPUS:-$TB_VCPUS}
	vif=[$(guest_vifs "$1")]
	extra="$TB_CMDLINE testbed.guest=$1 $GUEST_EXTRA"
	on_crash="preserve"
	CFG
}

guest_create_nowait() {
	guest_cfg "$1"
	rm -f "/run/testbed/g$1.domid"
	xl create -q "/tmp/g$1.cfg"
}

# Wait until guest N answers, and its interface, if it has one, is configured.
guest_ready() {
	local tty t=${GUEST_BOOT_TIMEOUT:-240}

	[ "$TB_KERNEL" = debug ] && t=300
	wait_for 20 guest_tty "$1" || return
	tty=$(guest_tty "$1") || return
	wait_for 5 test -e "$LOGS/guest-g$1.log"
	/testbed/agent ping -t "$t" "$tty" "$LOGS/guest-g$1.log"
}

# guest_create N: create guest N and wait until it answers.
guest_create() { guest_create_nowait "$1" && guest_ready "$1"; }

# guest_destroy N: at once. Its console log stays, and is checked.
guest_destroy() {
	xl destroy "g$1"
	rm -f "/run/testbed/g$1.domid"
}

# pin: dom0 on CPU 0 and guests on the others, where there are others: then who runs
# beside whom does not change from run to run.
pin() {
	local i cpus

	cpus=$(xl info nr_cpus)
	[ "$cpus" -gt 1 ] || return 0
	xl vcpu-pin Domain-0 all 0 || return
	for i in $(guests); do
		xl vcpu-pin "g$i" all "1-$((cpus - 1))" || return
	done
}

guest_shutdown() {
	xl shutdown -w "g$1"
	rm -f "/run/testbed/g$1.domid"
}

# ---- the state of the vif ----

# fe_state N [DEV], be_state N [DEV]: the xenbus state, 4 is Connected.
fe_state() { xenstore-read "/local/domain/$(domid "$1")/device/vif/${2:-0}/state" 2>/dev/null; }
be_state() { xenstore-read "/local/domain/0/backend/vif/$(domid "$1")/${2:-0}/state" 2>/dev/null; }

vif_connected() { [ "$(fe_state "$@")" = 4 ] && [ "$(be_state "$@")" = 4 ]; }

# ---- at the end, under the debug kernel ----

. /testbed/checks.sh
