# SPDX-License-Identifier: GPL-2.0
# Sourced by test.sh: which tests there are, and which of them TEST= names.
# They are read from the sources, so that a name is known before anything is built.
# shellcheck shell=bash

SELFTESTS=$TOP/tools/testing/selftests/kprobes

# Ours, and two of the base.
suite_files() {
	find "$TOP/kernel" "$TOP/arch" -name '*kunit.c'
	find "$BUILD"/base/lib/test_{kprobes,fprobe}.c 2>/dev/null || :
}

suites() {
	suite_files | xargs sed -nE 's/^\t\.name = "([a-z0-9_]+)".*/\1/p'
	printf '%s\n' kprobes_test fprobe_test
}

# Suites that x86_64.config cannot have: of architectures whose return probes have
# no rethook, and of 32 bit.
OTHER_SUITES="kretprobe_stack kretprobe_stack_pool x86_kprobes_int3_user"

# missing_suites DIRECTORY: those that have not reported there.
missing_suites() {
	local s

	for s in $(suites | sort -u); do
		case " $OTHER_SUITES " in *" $s "*) continue ;; esac
		[ -f "$1/$s.ktap" ] || echo "$s"
	done
}

# suite_cases SUITE: nothing, where the base is not there to be read.
suite_cases() {
	suite_files | { xargs grep -lE "^	\.name = \"$1\"" || :; } |
		xargs -r sed -nE 's/^\tKUNIT_CASE(_SLOW|_PARAM|_ATTR)?\(([a-z0-9_]+).*/\2/p'
}

kselftests() { sed -nE 's/^TEST_PROGS [:+]= //p' "$SELFTESTS/Makefile" | tr ' ' '\n' | sed 's/\.sh//' | sort | xargs; }

# module_cases KSELFTEST: those of the module that it loads.
module_cases() {
	local module objects

	module=$(sed -nE 's/^\t*cases ([a-z_]+).*/\1/p' "$SELFTESTS/$1.sh")
	[ -n "$module" ] || return 0
	objects=$(sed -nE "s/^$module-y \+?:?= //p" "$SELFTESTS/test_modules/Makefile")
	(cd "$SELFTESTS/test_modules" &&
		for o in ${objects:-$module.o}; do
			sed -nE 's/^\t\{ "([a-z0-9_]+)", .*/\1/p' "${o%.o}.c"
		done)
}

# match GLOB WORD...: those that it matches.
match() {
	local glob=$1 w

	shift
	# shellcheck disable=SC2254 # a glob
	for w in "$@"; do case $w in $glob) echo "$w" ;; esac done
}

choose_kselftest() {
	local name=${1%%.*} cases

	case $1 in *.*)
		cases=$(module_cases "$name")
		[ -n "$cases" ] || die "TEST: $name has no cases by name"
		# shellcheck disable=SC2086 # words
		[ -n "$(match "${1#*.}" $cases)" ] ||
			die "TEST: no ${1#*.} in $name; there are $(xargs <<<"$cases")" ;;
	esac
	ONLY+=" kselftest"
	KSELFTESTS+=" $1"
}

choose_suite() {
	local found cases=

	# shellcheck disable=SC2046 # words
	found=$(match "${1%%.*}" $(suites | sort -u))
	[ -n "$found" ] || die "TEST: no $1; there are kunit, kselftests: $(kselftests), suites: $(
		suites | sort -u | xargs)"
	[ -z "$KUNIT_FILTER" ] || die "TEST: KUnit takes one name or glob"
	case $1 in *.*)
		for s in $found; do cases+=" $(suite_cases "$s" | xargs)"; done
		# shellcheck disable=SC2086 # words
		[ -z "${cases// /}" ] || [ -n "$(match "${1#*.}" $cases)" ] ||
			die "TEST: no ${1#*.} in ${found//$'\n'/ }; there are${cases}" ;;
	esac
	ONLY+=" kunit"
	KUNIT_FILTER=$1
}

# Sort the words of TEST= by what they name.
choose_tests() {
	local w

	KUNIT_FILTER=
	KSELFTESTS=
	[ -n "${TEST:-}" ] || return 0
	ONLY=
	set -f
	for w in $TEST; do
		w=${w/:/.}
		if [ "$w" = kunit ]; then
			ONLY+=" kunit"
		elif [[ " $(kselftests) " = *" ${w%%.*} "* ]]; then
			choose_kselftest "$w"
		else
			choose_suite "$w"
		fi
	done
	set +f
}
