#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Run one collection of kselftests with the kernel's own runner.
# Usage: kselftest.sh COLLECTION
# SHARE=K/N: of its tests only every N-th, from the K-th on.
# TESTS=A,B.CASE: only these; of a module's cases that one.
cd /kselftest || exit 1
SHARE=${SHARE:-1/1}

share_of() {
	./run_kselftest.sh -l | grep "^$1:" |
		awk -v k="${SHARE%/*}" -v n="${SHARE#*/}" \
			'(NR - 1) % n == k - 1 { print "-t", $1 }'
}

if [ -n "$TESTS" ]; then
	for name in $(echo "$TESTS" | tr , ' '); do
		tests="$tests -t $1:${name%%.*}.sh"
		case $name in *.*) export ONLY_CASE="${name#*.}" ;; esac
	done
else
	tests=$(share_of "$1")
fi
# Without a name the runner would run all there are.
[ -n "$tests" ] || exit 1
# Through a pipe: the runner opens /dev/stdout again and again, which would
# write over the start of a file.
# shellcheck disable=SC2086 # options
./run_kselftest.sh $tests -o "${KSELFTEST_TIMEOUT:-900}" 2>&1 |
	cat >"/out/$1.tap"
