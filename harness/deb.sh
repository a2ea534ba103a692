#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Debian packages of the base with our kprobes, by the kernel's own bindeb-pkg:
# image with modules, headers, debug symbols.
#
# Usage: deb.sh [DIRECTORY]
#   DIRECTORY  where they are then, and nothing else; default: build/deb-packages
#   KCONFIG=  a kernel configuration, as in /boot/config-*; default: a small one for
#             virtual machines, harness/configs/vm.config and what that is laid over
#   CONFIG=   deb (default), or stock-deb: the base as it came, for comparison
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/words.sh"

CONFIG=${CONFIG:-deb}
OUT=${1:-$BUILD/$CONFIG-packages}
SUFFIX=-kprobes
case $CONFIG in stock*) SUFFIX=-stock ;; esac

# The name of the release tells it apart from Debian's, so that both can be installed.
package() {
	local tree version

	tree=$(realpath "$BUILD/linux")
	[ "$SUFFIX" = -kprobes ] || tree=$(realpath "$BUILD/linux-stock")
	version=$(make -s -C "$tree" kernelversion)
	rm -f "$tree"/linux-*.deb "$tree"/linux-*.{buildinfo,changes}
	KDEB_PKGVERSION=$version-1 KDEB_CHANGELOG_DIST=bookworm KDEB_COMPRESS=gzip \
		DEBEMAIL=harness@localhost DEBFULLNAME=harness \
		"$HARNESS/kernel.sh" "$CONFIG" bindeb-pkg "LOCALVERSION=$SUFFIX"
	mkdir -p "$OUT"
	# Of what programs are compiled with, Debian's own serves: this would replace it.
	rm -f "$OUT"/* "$tree"/linux-libc-dev_*.deb
	mv "$tree"/linux-*.deb "$OUT/"
	rm -f "$tree"/linux-*.{buildinfo,changes}
}

main() {
	local t=

	[ "$SUFFIX" = -kprobes ] || t=stock
	"$HARNESS/tree.sh" $t
	package
	for t in "$OUT"/*.deb; do echo "$t"; done
}

case $CONFIG in deb | stock-deb) ;; *) die "CONFIG=$CONFIG: there are deb stock-deb" ;; esac
refuse_kconfig
ready debhelper libdw-dev
with_lock "$CONFIG" main; exit
