# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Sourced: a fresh Debian has no Python.
if ! command -v python3 > /dev/null; then
	{
		apt-get -q update && DEBIAN_FRONTEND=noninteractive apt-get -q -y \
			-o DPkg::Lock::Timeout=300 install --no-install-recommends python3
	} > /dev/null || { echo "cannot install python3: run as root" >&2; exit 2; }
fi
