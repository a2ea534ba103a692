# SPDX-License-Identifier: GPL-2.0
# Sourced by what builds single files of ours: which there are, and which of
# them a configuration has.
# shellcheck shell=bash

# Our kernel files, as they lie in the tree; foreign ones are not ours.
ours() { grep -E "$1" "$BUILD/ours.list" || :; }
sources() { ours '\.[chS]$'; }
compiled_sources() { ours '^(kernel|arch/x86|lib|samples)/.*\.c$'; }

is_foreign() { grep -qxF "$1" "$HARNESS/foreign.list"; }

# What to build: a directory as a whole where its Makefile is ours, so that the
# configuration says what in it is built; single objects elsewhere.
targets() {
	local f dir

	compiled_sources | while read -r f; do
		dir=$(dirname "$f")
		if grep -qxF "$dir/Makefile" "$BUILD/ours.list"; then
			echo "$dir/"
		elif ! is_foreign "$f"; then
			echo "${f%.c}.o"
		fi
	done | sort -u | drop_inner
}

# A directory comes with those below it.
drop_inner() { awk '!last || index($0, last) != 1 { print; last = /\/$/ ? $0 : "" }'; }

# Files of the base that use our headers: those that we have patched, and those that
# events on other things than functions are.
base_targets() {
	{
		cat "$TOP"/glue/*.patch | sed -nE 's,^\+\+\+ b/([^[:space:]]+)\.c$,\1.o,p'
		printf 'kernel/trace/trace_%s.o\n' kprobe uprobe eprobe
	} | sort -u
}

# is_for OBJ ARCHITECTURE: it is configured for that, a directory in arch/.
is_for() {
	local symbol=${2^^}

	grep -q "^CONFIG_${symbol/POWERPC/PPC}=y" "$1/.config"
}

# listed OBJ DIRECTORY: what its Makefile has built in this configuration. Make says it,
# for there are conditions.
listed() {
	local bits=32

	! grep -q '^CONFIG_64BIT=y' "$1/.config" || bits=64
	printf 'include %s\n' "$1/.config" "$1/source/$2/Makefile" |
		make --no-print-directory -rR srctree="$1/source" BITS=$bits \
			--eval='listed-here: ; $(info $(obj-y) $(obj-m) $(subdir-y) $(subdir-m))@:' \
			-f - listed-here | tr -s ' ' '\n'
}

# configured OBJ TARGET: make builds what it is asked for, configured or not.
configured() {
	local name

	case $2 in arch/*) is_for "$1" "$(cut -d / -f 2 <<<"$2")" || return 1 ;; esac
	name=$(basename "$2")
	case $2 in */) name+=/ ;; esac
	listed "$1" "$(dirname "$2")" | grep -qxF "$name"
}

# configured_targets OBJ: of ours and of what we patch.
configured_targets() {
	local t

	{ targets; base_targets; } | while read -r t; do
		if configured "$1" "$t"; then echo "$t"; fi
	done
}

# built_sources OBJ: which of our files an object was made of.
built_sources() {
	local f

	compiled_sources | while read -r f; do
		[ ! -f "$1/${f%.c}.o" ] || echo "$f"
	done
}

# Lines that name one of our files, or follow as part of the same message.
about_ours() {
	grep -nE "(warning|error|Error)[: ]" "$1" |
		grep -F -f <(sources) || :
}
