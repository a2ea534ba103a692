# SPDX-License-Identifier: GPL-2.0
# Sourced by the tests in which processes torture: how they are told to stop, and what they
# tell, by files in $dir.
# shellcheck shell=bash

# shellcheck disable=SC2154 # it is the sourcing test's
running() { [ ! -e "$dir/stop" ]; }
complain() { echo "$*" >>"$dir/complaints"; }
count() { echo >>"$dir/$1"; }
counted() { [ -e "$dir/$1" ] && wc -l <"$dir/$1" || echo 0; }

# nap FROM TO: so many tenths of a second, by chance.
nap() {
	local n=$(($1 + RANDOM % ($2 - $1 + 1)))

	sleep $((n / 10)).$((n % 10))
}
