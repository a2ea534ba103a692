#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Unpack one package of another architecture, without a word to this machine's
# package manager that it is to know that architecture.
#
# Usage: download.sh ARCHITECTURE PACKAGE DIRECTORY
. "$(dirname "$0")/../lib.sh"

ARCH=${1:?ARCHITECTURE} PACKAGE=${2:?PACKAGE} DIR=${3:?DIRECTORY}
APT=$BUILD/apt-$ARCH

apt() {
	apt-get -q -o "APT::Architecture=$ARCH" -o "APT::Architectures=$ARCH" \
		-o "Dir::State=$APT" -o "Dir::State::status=$APT/status" \
		-o "Dir::Cache=$APT/cache" -o APT::Sandbox::User=root "$@"
}

unpack() {
	mkdir -p "$(dirname "$DIR")"
	mkdir -p "$APT"/{lists/partial,cache/archives/partial}
	: >"$APT/status"
	# One list that cannot be had, while a mirror changes, need not be the
	# list that has the package.
	apt update || :
	(cd "$APT" && apt download "$PACKAGE") &&
		dpkg-deb -x "$APT/$PACKAGE"_*.deb "$DIR"
}

[ ! -d "$DIR" ] || exit 0
step "download $PACKAGE for $ARCH" "$LOGS/download-$ARCH.log" unpack
