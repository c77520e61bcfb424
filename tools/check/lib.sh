# SPDX-License-Identifier: GPL-2.0
# For the scripts in this directory (bash): paths, packages, steps.

TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
OUT=$TOP/build/check
CORE=$TOP/drivers/net/pvnet/core
# What runs in userspace as it is.
PURE=(core/{ctrl,extra,feat,pkt,place,state} notify/batch)
# The warnings that the kernel's own build leaves off
CFLAGS_PURE=(-g -O1 -std=gnu11 -Wall -Wextra -Werror -Wno-sign-compare
	-Wno-missing-field-initializers -Wno-type-limits -I"$TOP/tools/proto/shim" -I"$TOP/include")
SANITIZE=(-fsanitize=address,undefined -fno-sanitize-recover=all)


# The datapath's files that run on the fake kernel of tools/proto/kernel, and the kernel's headers
# that they include: each is a file that includes kernel.h.
DATAPATH=(front/{tx,rx,rx_acct,persist} back/{from_guest,to_guest,acct,copy})
KERNEL_HEADERS=(asm/xen/hypercall linux/{atomic,delay,dim,etherdevice,hrtimer,if_vlan,interrupt}
	linux/{kasan-checks,mm,netdev_features,netdevice,sched/clock,skbuff,slab,spinlock,wait,workqueue,xarray}
	net/page_pool xen/{grant_table,page,xenbus})

# datapath_headers DIR: make them, and set DATAPATH_FLAGS
datapath_headers() {
	local h

	for h in "${KERNEL_HEADERS[@]}"; do
		mkdir -p "$1/include/${h%/*}"
		echo '#include <kernel.h>' > "$1/include/$h.h"
	done
	DATAPATH_FLAGS=(-I"$TOP/tools/proto/kernel" -I"$1/include" -Wno-unused-parameter
		-I"${CORE%/core}/front" -I"${CORE%/core}/back")
}

datapath_sources() {
	printf "${CORE%/core}/%s.c\n" "${DATAPATH[@]}"
	echo "$TOP/tools/proto/kernel/kernel.c"
	pure_sources
}

# packages FILE=PACKAGE...: install the packages whose file is missing; FILE may be a pattern
packages() {
	local pair missing=()

	for pair; do
		compgen -G "${pair%%=*}" > /dev/null || missing+=("${pair#*=}")
	done
	[ ${#missing[@]} -eq 0 ] && return
	if [ "$(id -u)" -ne 0 ]; then
		echo "missing packages (install them, or run as root): ${missing[*]}" >&2
		return 1
	fi
	echo "installing ${missing[*]}" >&2
	{
		export DEBIAN_FRONTEND=noninteractive
		set -- apt-get -o DPkg::Lock::Timeout=300 -y --no-install-recommends install "${missing[@]}"
		"$@" || { apt-get -o DPkg::Lock::Timeout=300 update && "$@"; }
	} >"$OUT/packages.log" 2>&1 || { tail -n 5 "$OUT/packages.log" >&2; return 1; }
}

clang_packages() {
	packages /usr/bin/clang-14=clang-14 /usr/include/xen/io/netif.h=libxen-dev \
		/usr/lib/llvm-14/lib/clang/14.0.6/lib/linux/libclang_rt.fuzzer-x86_64.a=libclang-rt-14-dev
}

# What `make -C selftests` takes
selftests_packages() {
	packages /usr/bin/gcc=gcc /usr/bin/make=make /usr/include/stdio.h=libc6-dev /usr/include/md5.h=libmd-dev
}

pure_sources() {
	printf "${CORE%/core}/%s.c\n" "${PURE[@]}"
}

passed=0 failed=0 skipped=0
mkdir -p "$OUT"

# counts LOG STATUS: "passed failed skipped" of a step, by its own last summary,
# or its KTAP lines, or else its exit status
counts() {
	awk -v rc="$2" '
		/^(# )?[0-9]+ passed, [0-9]+ failed/ {
			sub(/^# /, ""); gsub(/,/, ""); p = $1; f = $3; s = $5 + 0; own = 1 }
		/^ *ok [0-9]+/ { if (/# SKIP/) ks++; else kp++ }
		/^ *not ok [0-9]+/ { if (/# TODO/) ks++; else kf++ }
		END {
			if (!own) { p = kp + 0; f = kf + 0; s = ks + 0 }
			if (rc == 4 && !f) { s++; rc = 0 }
			if (rc && !f) f++
			if (!rc && !(p + f + s)) p++
			print p + 0, f + 0, s + 0
		}' "$1"
}

# step NAME COMMAND...: run it, log it, count it
step() {
	local name=$1 log=$OUT/$1.log rc p f s begin=$SECONDS word=ok

	shift
	{ printf '$'; printf ' %q' "$@"; echo; } >"$log"
	"$@" >>"$log" 2>&1 </dev/null
	rc=$?
	read -r p f s < <(counts "$log" $rc)
	passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
	[ "$f" -eq 0 ] || word='not ok'
	echo "$word - $name: $p passed, $f failed, $s skipped ($((SECONDS - begin)) s)"
	if [ "$f" -ne 0 ]; then
		echo "# from ${log#"$TOP"/}:"
		{ grep -B3 -nE '^ *not ok |error:|^FAIL' "$log" | head -n 40; echo ...; tail -n 10 "$log"; } |
			sed 's/^/#   /'
	fi
	[ "$f" -eq 0 ]
}

# summary: the last line, and the exit status
summary() {
	local s=
	[ "$skipped" -eq 0 ] || s=", $skipped skipped"
	echo "$passed passed, $failed failed$s"
	[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
}

# expect NAME COMMAND...: one KTAP line by exit status
expect() {
	local name=$1

	shift
	if "$@"; then
		passed=$((passed + 1))
		echo "ok $((passed + failed)) - $name"
	else
		failed=$((failed + 1))
		echo "not ok $((passed + failed)) - $name"
	fi
}
