#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Install the Debian packages that the harness needs. Without a word when
# nothing is missing. Usage: packages.sh [PACKAGE...]; default: all of the list.
. "$(dirname "$0")/lib.sh"

PACKAGES="
	bash coreutils findutils gawk grep sed tar xz-utils util-linux procps
	make gcc libc6-dev binutils patch git perl python3 rsync
	flex bison bc libelf-dev libssl-dev dwarves cpio kmod ccache sparse
	busybox-static
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

QEMU_TOO=

# One query for all; only when it does not answer "installed" for each of them
# is every package asked about by itself.
all_there() {
	[ "$(dpkg-query -W -f='${db:Status-Status}\n' "$@" 2>/dev/null |
		grep -cx installed)" -ge $# ]
}

install_packages() {
	local sudo=

	[ "$(id -u)" -eq 0 ] || sudo=sudo
	export DEBIAN_FRONTEND=noninteractive
	$sudo apt-get update -q
	$sudo apt-get install -q -y --no-install-recommends "$@"
}

# The emulator has to be 8.1 or newer: before, a CPU that translates text while
# another one writes it may go on executing what it read, for ever, and a CPU
# that meets a breakpoint which is gone again never gets past it. Debian 12 has
# 7.2, and a newer one among its backports.
qemu_fit() {
	local v

	v=$(dpkg-query -W -f='${Version}' qemu-system-x86 2>/dev/null) || return 1
	[ -n "$v" ] && dpkg --compare-versions "$v" ge 1:8.1
}

# The list of the backports is for this call only: the machine keeps its own.
install_qemu_backport() {
	local sudo='' list=$BUILD/backports.list

	[ "$(id -u)" -eq 0 ] || sudo=sudo
	export DEBIAN_FRONTEND=noninteractive
	# shellcheck source=/dev/null
	. /etc/os-release
	echo "deb http://deb.debian.org/debian $VERSION_CODENAME-backports main" >"$list"
	chmod a+r "$list"
	$sudo apt-get update -q -o Dir::Etc::sourcelist="$list" \
		-o Dir::Etc::sourceparts=- -o APT::Get::List-Cleanup=0
	$sudo apt-get install -q -y --no-install-recommends \
		-o Dir::Etc::sourcelist="$list" -t "$VERSION_CODENAME-backports" \
		qemu-system-x86
}

# Without backports: the distribution's, which boot.sh then runs in one thread.
install_qemu() {
	! qemu_fit || return 0
	step "install qemu-system-x86 (backports)" "$LOGS/packages-qemu.log" \
		install_qemu_backport && return
	STEP_FAILED=
	say "  no backports: QEMU older than 8.1 emulates all CPUs in one thread"
	[ -z "$(missing qemu-system-x86)" ] ||
		step "install qemu-system-x86" "$LOGS/packages.log" \
			install_packages qemu-system-x86
}

main() {
	local want

	command -v dpkg-query >/dev/null ||
		die "no dpkg-query: this is not Debian; install by hand:$(tr -s '\n\t' ' ' <<<"$PACKAGES")"
	# shellcheck disable=SC2086 # a list of words
	[ $# -gt 0 ] || { QEMU_TOO=1; set -- $PACKAGES; }
	want=
	all_there "$@" || want=$(missing "$@")
	# shellcheck disable=SC2086
	[ -z "$want" ] || step "install ${want//$'\n'/ }" "$LOGS/packages.log" \
		install_packages $want
	[ -z "$QEMU_TOO" ] || install_qemu
}

main "$@"; exit
