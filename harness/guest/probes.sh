#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# One boot for the tests named: kunit, kselftest, foreign.
for part in "$@"; do
	case $part in
	kunit)     /harness/kunit.sh ;;
	kselftest) /harness/kselftest.sh kprobes ;;
	esac || echo "$part: exit $?"
	# A mark in the console's log tells which part a warning belongs to.
	echo "harness: $part done" >/dev/kmsg
done
exit 0
