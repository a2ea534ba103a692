#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Unpack packages of another architecture and all that they depend on, without a
# word to this machine's package manager that it is to know that architecture.
#
# Usage: debian.sh ARCHITECTURE DIRECTORY PACKAGE...
. "$(dirname "$0")/lib.sh"

ARCH=${1:?ARCHITECTURE} DIR=${2:?DIRECTORY}
APT=$BUILD/apt-$ARCH-all

apt() {
	apt-get -q -y -o "APT::Architecture=$ARCH" -o "APT::Architectures=$ARCH" \
		-o "Dir::State=$APT" -o "Dir::State::status=$APT/status" \
		-o "Dir::Cache=$APT/cache" -o APT::Sandbox::User=root \
		-o APT::Install-Recommends=false "$@"
}

# Nothing is installed there, so all that is needed is fetched.
unpack() {
	local deb

	rm -rf "$DIR" "$DIR.new"
	mkdir -p "$APT"/{lists/partial,cache/archives/partial} "$DIR.new"
	: >"$APT/status"
	# One list that cannot be had, while a mirror changes, need not be the
	# list that has the package.
	apt update || :
	apt --download-only install "$@"
	for deb in "$APT/cache/archives"/*.deb; do dpkg-deb -x "$deb" "$DIR.new"; done
	echo "$*" >"$DIR.new/packages"
	mv "$DIR.new" "$DIR"
}

shift 2
[ "$(cat "$DIR/packages" 2>/dev/null)" != "$*" ] || exit 0
step "download $ARCH: $*" "$LOGS/download-$ARCH.log" unpack "$@"; exit
