#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Install the Debian packages that the harness needs. Without a word when
# nothing is missing. Usage: packages.sh [PACKAGE...]; default: all of the list.
. "$(dirname "$0")/lib.sh"

PACKAGES="
	bash coreutils findutils gawk grep sed tar xz-utils util-linux procps
	make gcc libc6-dev binutils patch git perl python3 rsync
	flex bison bc libelf-dev libssl-dev dwarves cpio kmod ccache sparse
	qemu-system-x86 busybox-static kexec-tools
"

# The base is a package of its own: with BASE= given it is not needed.
[ -n "${BASE:-}" ] || PACKAGES="$PACKAGES linux-source-6.12"

missing() {
	local p

	for p in "$@"; do
		dpkg-query -W -f='${db:Status-Status}\n' "$p" 2>/dev/null |
			grep -qx installed || echo "$p"
	done
}

# One query for all; only when it does not answer "installed" for each of them
# is every package asked about by itself.
all_there() {
	[ "$(dpkg-query -W -f='${db:Status-Status}\n' "$@" 2>/dev/null |
		grep -cx installed)" -ge $# ]
}

install_packages() {
	export DEBIAN_FRONTEND=noninteractive
	as_root apt-get update -q
	as_root apt-get -o DPkg::Lock::Timeout=600 install -q -y --no-install-recommends "$@"
}

main() {
	local want

	command -v dpkg-query >/dev/null ||
		die "no dpkg-query: this is not Debian; install by hand:$(tr -s '\n\t' ' ' <<<"$PACKAGES")"
	# shellcheck disable=SC2086 # a list of words
	[ $# -gt 0 ] || set -- $PACKAGES
	all_there "$@" && return
	want=$(missing "$@")
	[ -n "$want" ] || return 0
	# shellcheck disable=SC2086
	with_lock packages step "install ${want//$'\n'/ }" "$LOGS/packages.log" install_packages $want
}

main "$@"; exit
