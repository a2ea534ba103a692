#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Remove build/, but for build/applied/: make unapply could not take off any more what
# was put onto trees.
. "$(dirname "$0")/lib.sh"

main() {
	local f

	for f in "$BUILD"/debian-root{,.new}; do
		[ ! -d "$f" ] || as_root rm -rf --one-file-system "$f"
	done
	rmdir "$BUILD/applied" 2>/dev/null || :
	# It may be a link to where there is room.
	find "$BUILD/" -mindepth 1 -maxdepth 1 ! -name applied -exec rm -rf {} +
	[ -d "$BUILD/applied" ] || { rmdir "$BUILD" 2>/dev/null || :; return; }
	say "$BUILD/applied is kept: the series is on $(cat "$BUILD"/applied/*/tree | paste -sd ' '), and make unapply takes it off"
}

main; exit
