#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Run one collection of kselftests with the kernel's own runner.
# Usage: kselftest.sh COLLECTION
# TESTS=A,B.CASE: only these; of a module's cases that one.
# SHARE=K/N: of these, or of all, only every N-th, from the K-th on.
cd /kselftest || exit 1
SHARE=${SHARE:-1/1}

names_of() {
	if [ -n "$TESTS" ]; then
		echo "$TESTS" | tr , '\n' | sed "s/\..*//; s/.*/$1:&.sh/"
	else
		./run_kselftest.sh -l | grep "^$1:"
	fi
}

share_of() {
	names_of "$1" | awk -v k="${SHARE%/*}" -v n="${SHARE#*/}" \
		'(NR - 1) % n == k - 1 { print "-t", $1 }'
}

for name in $(echo "$TESTS" | tr , ' '); do
	case $name in *.*) export ONLY_CASE="${name#*.}" ;; esac
done
tests=$(share_of "$1")
# Without a name the runner would run all there are.
[ -n "$tests" ] || exit 1
# Through a pipe: the runner opens /dev/stdout again and again, which would
# write over the start of a file.
# shellcheck disable=SC2086 # options
./run_kselftest.sh $tests -o "${KSELFTEST_TIMEOUT:-900}" 2>&1 |
	cat >"/out/$1.tap"
