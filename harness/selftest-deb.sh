# SPDX-License-Identifier: GPL-2.0
# Sourced by selftest.sh: tests of deb.sh, with a script that makes packages of a line, and
# of deb-test.sh, with programs in the place of debootstrap, QEMU and what makes disks.
# shellcheck shell=bash

test_deb() {
	local h=$DIR/deb/harness w

	mkdir -p "$DIR/deb/build/linux"
	cp -r "$HARNESS" "$h"
	for w in packages tree; do printf '#!/bin/sh\n' >"$h/$w.sh"; done
	printf 'kernelversion:\n\t@echo 6.12.7\n' >"$DIR/deb/build/linux/Makefile"
	printf '#!/bin/bash\ncd "$BUILD/linux" && touch linux-{image,headers,libc-dev}_6.deb\n' >"$h/kernel.sh"
	is "packages are made" env BUILD="$DIR/deb/build" "$h/deb.sh"
	is "image and headers, and nothing that takes the place of Debian's own" same \
		"$(cd "$DIR/deb/build/deb-packages" && echo *)" "linux-headers_6.deb linux-image_6.deb"
}

# A user's PATH on Debian has no directory of root's programs.
test_path() {
	is "root's programs are found" has <(env PATH=/usr/bin:/bin BUILD="$DIR/path" bash -c \
		'. "$0/lib.sh"; echo "$PATH:"' "$HARNESS") ":/usr/sbin:"
	is "by one entry, however often" same "$(env PATH=/usr/bin:/bin BUILD="$DIR/path" bash -c \
		'. "$0/lib.sh"; . "$0/lib.sh"; echo "$PATH"' "$HARNESS")" /usr/bin:/bin:/usr/sbin:/sbin
}
