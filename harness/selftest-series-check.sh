# SPDX-License-Identifier: GPL-2.0
# Sourced by selftest.sh: tests of series-check.sh, with the toy of selftest-series.sh. Its
# kernels are built and booted by scripts that write down what they were asked.
# shellcheck shell=bash

# The toy's second patch changes a file of another architecture, too.
checked_toy() {
	local b=$DIR/series/build/base t=$DIR/series/build/linux

	apply_toy
	mkdir -p "$b/arch/arm" "$t/arch/arm"
	echo old >"$b/arch/arm/a.c"
	echo new >"$t/arch/arm/a.c"
	printf 'config KPROBES\n\tbool\n' | tee "$b/arch/Kconfig" >"$t/arch/Kconfig"
	echo arch/arm/a.c >>"$DIR/series/build/linux.manifest"
	sed -i 's,^patch rest,has arch/arm/*\n&,' "$DIR/series/series/list"
	echo toy >"$DIR/series/build/base.stamp"
	cat >"$DIR/series/harness/kernel.sh" <<-'END'
		#!/bin/bash
		obj=$BUILD/$TREE_AS_IS/obj-$OBJECTS log=$BUILD/logs/kernel-$OBJECTS.log
		echo "$*" >>"$BUILD/asked"
		mkdir -p "$obj"
		: >"$log"
		[ -e "$obj/warned.o" ] || cat "$BUILD/warning" >"$log" 2>/dev/null
		touch "$obj/warned.o"
	END
	printf '#!/bin/bash\necho boot >>"$BUILD/asked"\n' >"$DIR/series/harness/kunit.sh"
	checked_toy_more "$b" "$t"
	series
}

# Its third patch changes an unwinder and a kselftest, and a fourth the linking of modules.
checked_toy_more() {
	local f unwinder=arch/x86/kernel/unwind_guess.c link=scripts/module.lds.S
	local test=tools/testing/selftests/kprobes/a.c

	for f in $unwinder $link; do
		mkdir -p "$1/${f%/*}" "$2/${f%/*}"
		echo old >"$1/$f"
		echo new >"$2/$f"
	done
	mkdir -p "$2/${test%/*}"
	echo new >"$2/$test"
	printf '%s\n' $unwinder $link $test >>"$DIR/series/build/linux.manifest"
	printf '%s\n' "has $unwinder $test" "patch link" "has $link" >>"$DIR/series/series/list"
	printf 'toy: Do link\n\nWhy.\n' >"$DIR/series/series/messages/link.txt"
	cat >"$DIR/series/harness/kselftest.sh" <<-'END'
		#!/bin/bash
		echo "kselftest $1 $3" >>"$BUILD/asked"
		mkdir -p "$BUILD/$1/kselftest"
		[ -e "$BUILD/$1/kselftest/warned.o" ] || cat "$BUILD/test-warning" 2>/dev/null
		touch "$BUILD/$1/kselftest/warned.o"
		[ ! -e "$BUILD/broken" ]
	END
}

# checked WORD=...: asked has what was built and booted for it.
checked() {
	rm -f "$DIR/series/build/asked"
	env BUILD="$DIR/series/build" "$@" \
		"$DIR/series/harness/series-check.sh" >"$DIR/checked" 2>"$DIR/err"
}
asked() { xargs <"$DIR/series/build/asked"; }

test_checked() {
	checked_toy
	is "each patch is built" checked ONLY=build KERNELS=lean
	is "once" same "$(asked)" "lean lean lean lean"
	is "what has passed" checked ONLY=build KERNELS=lean
	isnt "is not built again" test -e "$DIR/series/build/asked"
	echo "x.c:1:1: warning: toy" >"$DIR/series/build/warning"
	isnt "a warning" checked ONLY=build KERNELS=patched PATCHES=1
	isnt "stays one" checked ONLY=build KERNELS=patched PATCHES=1
	isnt "also with the next patch" checked ONLY=build KERNELS=patched PATCHES=2
	rm "$DIR/series/build/warning"
	is "until it is gone" checked ONLY=build KERNELS=patched PATCHES=1
	checked ONLY=build PATCHES=2
	is "what a patch changes of another architecture is compiled for that" same "$(asked)" \
		"patched arm arch/arm/a.o nokprobes nomodules i386 arm64"
	checked ONLY=build PATCHES=3
	is "an unwinder in a kernel that has it" same "$(asked)" \
		"patched nokprobes nomodules guess i386 arm64"
	checked ONLY=build PATCHES=4
	is "how modules are linked, in all kernels" same "$(asked)" \
		"patched nokprobes nomodules i386 arm64"
	test_checked_tools
	test_checked_boots
	test_checked_kept
	test_checked_no_boot
	test_checked_gone
	test_checked_signer
}

test_checked_tools() {
	is "kselftests are built" checked ONLY=tools
	is "of the patch that changes them, against kernels of both word sizes" same "$(asked)" \
		"patched kselftest series-patched kprobes i386 kselftest series-i386 kprobes"
	is "once they have passed" checked ONLY=tools
	isnt "they are not again" test -e "$DIR/series/build/asked"
	echo "# changed" >>"$DIR/series/harness/kselftest.sh"
	touch "$DIR/series/build/broken"
	isnt "unless what builds them changes: what is not built" checked ONLY=tools
	rm "$DIR/series/build/broken"
	echo "a.c:1:1: warning: toy" >"$DIR/series/build/test-warning"
	isnt "a warning of theirs" checked ONLY=tools
	is "with an object that is built" test -e "$DIR/series/build/series-i386/kselftest/warned.o"
	isnt "stays one" checked ONLY=tools
	rm "$DIR/series/build/test-warning"
	is "until it is gone" checked ONLY=tools
}

# signed BY: in the cover letter and all mails.
signed() { same "$(sed -n 's/^From: //p' "$DIR"/series/build/series/*.patch | sort -u)" "$1"; }
make_series() { env BUILD="$DIR/series/build" "$@" "$DIR/series/harness/series.sh" 2>"$DIR/err"; }

# A command that makes the series again does not make it another signer's.
test_checked_signer() {
	is "a series with a signer" make_series SIGNER="C D <c@d>"
	checked ONLY=apply PATCHES=1
	is "is that signer's when it is checked" signed "C D <c@d>"
	is "also when git has taken it" grep -q '^ok .*git am' "$DIR/checked"
	is "and when it is made twice" grep -q '^ok .*equal bytes' "$DIR/checked"
	isnt "a signer without an address" make_series SIGNER="C D"
	is "is not remembered" make_series
	is "so it is still the other one's" signed "C D <c@d>"
	is "until SIGNER=default" make_series SIGNER=default
	is "makes it the author's" signed "A B <a@b>"
	is "from then on" make_series
	is "that is" signed "A B <a@b>"
}

# Of two symbols that the series takes away, one comes back.
test_checked_gone() {
	local SERIES_DIR=$DIR/gone obj=$DIR/gone/obj

	. "$HARNESS/series-git.sh"
	mkdir -p "$SERIES_DIR"/{arch,kernel/trace} "$obj/include/config"
	echo a.patch >"$SERIES_DIR/series"
	printf '%s\n' "-config GONE" "-config BACK" "-config OFF" >"$SERIES_DIR/a.patch"
	echo "config BACK" | tee "$SERIES_DIR/arch/Kconfig" >"$SERIES_DIR/kernel/trace/Kconfig"
	printf 'CONFIG_%s=y\n' GONE BACK >"$obj/include/config/auto.conf"
	is "what depends on a symbol that is gone" forget_gone "$SERIES_DIR" "$obj"
	is "is built again, and nothing else is" same "$(cd "$obj/include/config" && echo *)" \
		"GONE auto.conf"
}

# After test_checked_boots, with what that has built.
test_checked_kept() {
	local kept=$DIR/series/series/passed of_boots builds

	checked ONLY=kunit PATCHES="2 3 4"
	is "what has passed can be kept" checked ONLY=keep PATCHES=2 KERNELS=lean
	of_boots=$(grep -c '^kunit patched ' "$kept")
	is "with the boots" same "$of_boots" 3
	builds=$(grep -c '^build patched ' "$kept")
	isnt "without kernels that are no default" grep -q ' lean ' "$kept"
	rm "$DIR/series/build/series-done"
	is "on a new machine" checked ONLY=kunit PATCHES="2 3 4"
	isnt "it is not done again" test -e "$DIR/series/build/asked"
	is "but when one asks for it" checked ONLY=kunit PATCHES=2 AGAIN=1
	is "it is" same "$(asked)" "patched boot"
	checked ONLY=keep
	is "and kept once" same "$(cut -d ' ' -f 1-3 "$kept" | sort | uniq -d)" ""
	rm "$DIR"/series/build/{series-done,series-tree/obj-series-patched/warned.o}
	echo "x.c:1:1: warning: toy" >"$DIR/series/build/warning"
	isnt "if it fails then" checked ONLY=kunit PATCHES=2 AGAIN=1
	rm "$DIR/series/build/warning"
	is "it is kept no more" same "$(grep -c '^kunit patched ' "$kept")" 2
	is "nor is its build" same "$(grep -c '^build patched ' "$kept")" $((builds - 1))
	echo "# changed" >>"$DIR/series/harness/ktap.py"
	is "what is changed since" checked ONLY=keep
	isnt "is kept no more" grep -q '^kunit ' "$kept"
	echo "# changed" >>"$DIR/series/harness/kernel.sh"
	isnt "when that is all" checked ONLY=keep
	is "nothing is taken away" test -s "$kept"
}

test_checked_boots() {
	is "where kprobes can be selected, it boots" checked ONLY=kunit PATCHES="2 3 4"
	is "each of them" same "$(asked)" "patched boot patched boot patched boot"
	is "once" checked ONLY=kunit PATCHES="2 3 4"
	isnt "that is" test -e "$DIR/series/build/asked"
	echo "# changed" >>"$DIR/series/harness/kunit.sh"
	checked ONLY=kunit PATCHES=2
	is "unless what judges it changes" same "$(asked)" "patched boot"
	checked ONLY=build KERNELS=lean
	isnt "which builds do not ask for" test -e "$DIR/series/build/asked"
	echo "# changed" >>"$DIR/series/harness/kernel.sh"
	checked ONLY=kunit PATCHES=2
	is "what has booted" checked ONLY=build KERNELS=patched PATCHES=2
	isnt "is not built again" test -e "$DIR/series/build/asked"
	is "and nothing is said of that" same "$(grep -c 'No such' "$DIR/err")" 0
}

test_checked_no_boot() {
	sed -i 's/KPROBES/OTHERS/' "$DIR/series/build/base/arch/Kconfig"
	sed -i 's/^toy/other/' "$DIR/series/build/base.stamp"
	checked ONLY=kunit
	isnt "where they cannot, it does not" test -e "$DIR/series/build/asked"
}
