#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# usage: run.sh SCRIPT[,ARG...] ...
# Several selftests in one boot: a machine takes longer to start than most of them.
# Each must leave the drivers as it found them. Exits 1 if one fails, 4 if all skip.
here=$(cd "$(dirname "$0")" && pwd)
n=0 failed=() ran=0
echo "TAP version 13"
for t in "$@"; do
	IFS=, read -r -a cmd <<< "$t"
	n=$((n + 1))
	echo "# selftests: $t"
	bash "$here/${cmd[0]}" "${cmd[@]:1}" | while IFS= read -r line; do echo "  $line"; done
	case ${PIPESTATUS[0]} in
	0)	ran=1; echo "ok $n selftests: $t";;
	4)	echo "ok $n selftests: $t # SKIP";;
	*)	failed+=("$t"); echo "not ok $n selftests: $t";;
	esac
done
echo "1..$n"
[ ${#failed[@]} = 0 ] || { echo "# failed: ${failed[*]}"; exit 1; }
[ $ran = 1 ] || exit 4
exit 0
