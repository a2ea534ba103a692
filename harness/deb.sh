#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Debian packages of the base with our kprobes, by the kernel's own bindeb-pkg:
# image with modules, headers, debug symbols.
#
# Usage: deb.sh [DIRECTORY]
#   DIRECTORY  where they are then, and no other packages of a kernel; default: one for
#              each configuration, build/deb-packages/NAME: vm, or the path of KCONFIG=
#              with - for /, and LOCALVERSION= if that is given
#   KCONFIG=  a kernel configuration, as in /boot/config-*; default: a small one for
#             virtual machines, harness/configs/vm.config and what that is laid over
#   LOCALVERSION=  what the name of the release ends in, -kprobes or -stock by default:
#             kernels with one name of their release have one /lib/modules/, so of two
#             configurations that are to be installed side by side, each needs its own
#   CONFIG=   deb (default), or stock-deb: the base as it came, for comparison
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/words.sh"

CONFIG=${CONFIG:-deb}
STOCK=
case $CONFIG in stock*) STOCK=stock ;; esac
# The name of the release tells it apart from Debian's, so that both can be installed.
SUFFIX=${LOCALVERSION:--${STOCK:-kprobes}}

# The path, for .config is what files in several places are called; and none begins with
# a dot.
name() {
	local path=vm

	[ -z "${KCONFIG:-}" ] || path=$(realpath "$KCONFIG")
	path=${path#/}
	echo "${path//\//-}${LOCALVERSION:-}"
}

package() {
	local tree version

	tree=$(realpath "$BUILD/linux${STOCK:+-stock}")
	version=$(make -s -C "$tree" kernelversion)
	rm -f "$tree"/linux-*.deb "$tree"/linux-*.{buildinfo,changes}
	KDEB_PKGVERSION=$version-1 KDEB_CHANGELOG_DIST=bookworm KDEB_COMPRESS=gzip \
		DEBEMAIL=harness@localhost DEBFULLNAME=harness \
		"$HARNESS/kernel.sh" "$CONFIG" bindeb-pkg "LOCALVERSION=$SUFFIX"
	mkdir -p "$OUT"
	# Of what programs are compiled with, Debian's own serves: this would replace it.
	rm -f "$OUT"/linux-*.deb "$tree"/linux-libc-dev_*.deb
	mv "$tree"/linux-*.deb "$OUT/"
	rm -f "$tree"/linux-*.{buildinfo,changes}
}

main() {
	local deb

	# shellcheck disable=SC2086 # a word or none
	"$HARNESS/tree.sh" $STOCK
	package
	for deb in "$OUT"/linux-*.deb; do echo "$deb"; done
}

case $CONFIG in deb | stock-deb) ;; *) die "CONFIG=$CONFIG: there are deb stock-deb" ;; esac
refuse_kconfig
refuse_localversion
OUT=${1:-$BUILD/$CONFIG-packages/$(name)}
ready debhelper libdw-dev
with_lock "$CONFIG" main; exit
