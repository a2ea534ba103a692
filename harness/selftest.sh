#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Test of the scripts that other results rest on: tree.sh on a toy base, the
# reading of KTAP, the comparison of two runs, the check of the console, and
# the proof of what can be probed on a toy kernel; the table of coverage; words and
# functions that name nothing; the matrix with a toy for a kernel; the compiler's cache; the
# comparison of the manual with the code; the rings of a toy's files; the series of patches
# that a toy's change makes. TAP on stdout. Usage: selftest.sh [TEST...]
. "$(dirname "$0")/lib.sh"
trap - ERR
set +e

# The words of the Makefile. What make, which runs these tests, was told of them is not
# for the commands that they try; nor is what CI has in the environment.
WORDS=$(sed -nE '/^VARIABLES :=/,/[^\\]$/{s/^VARIABLES :=//;s/\\$//;p}' "$TOP/Makefile" | xargs)
# shellcheck disable=SC2086 # words
unset MAKEFLAGS MAKELEVEL UNTIL STOCK $WORDS

DIR=$(mktemp -d "${TMPDIR:-/tmp}/harness-selftest.XXXXXX")
trap 'rm -rf "$DIR"' EXIT
N=0 PASSED=0 FAILED=0

# is NAME COMMAND...: the command must succeed.
is() {
	local name=$1

	shift
	N=$((N + 1))
	if "$@" >/dev/null 2>&1; then
		PASSED=$((PASSED + 1)); echo "ok $N - $name"
	else
		FAILED=$((FAILED + 1)); echo "not ok $N - $name ($*)"
	fi
}

isnt() { local name=$1; shift; is "$name" fails "$@"; }
fails() { ! "$@"; }
same() { [ "$1" = "$2" ]; }
# Lines as they follow each other: grep -F would look for any one of them.
has() { [[ $(<"$1") == *"$2"* ]]; }

. "$HARNESS/selftest-tree.sh"
. "$HARNESS/selftest-tables.sh"
. "$HARNESS/selftest-matrix.sh"
. "$HARNESS/selftest-series.sh"
. "$HARNESS/selftest-apply.sh"
. "$HARNESS/selftest-series-check.sh"
. "$HARNESS/selftest-deb.sh"
. "$HARNESS/selftest-foreign.sh"

test_maintainers() {
	printf '%s\n' 'How to read.' '' 'ABC' 'M:	a@b' 'F:	a/' '' 'KPROBES' 'F:	old' '' \
		'RED' 'F:	r/' '' 'ZZZ' 'F:	z/' >"$DIR/base.m"
	printf '%s\n' 'Ours.' '' 'KPROBES' 'F:	new' '' 'RETHOOK' 'F:	hook' >"$DIR/ours.m"
	awk -f "$HARNESS/maintainers.awk" "$DIR/ours.m" "$DIR/base.m" >"$DIR/m"
	is "our entry replaces the base's, a new one is in order" same \
		"$(tr '\n\t' ',_' <"$DIR/m")" \
		"How to read.,,ABC,M:_a@b,F:_a/,,KPROBES,F:_new,,RED,F:_r/,,RETHOOK,F:_hook,,ZZZ,F:_z/,"
}

# commands: what compile_commands.py makes of a copy's entries.
test_commands() {
	local t=$DIR/cc

	mkdir -p "$t/include" "$t/kernel" "$t/build/linux/obj-x/"{kselftest/kprobes/m,arch} \
		"$t/build/linux/"{include,kernel,mm} "$t/tools/testing/selftests/kprobes/m"
	touch "$t/kernel/a.c" "$t/build/linux/"{kernel/a.c,mm/b.c} \
		"$t/build/linux/obj-x/kselftest/kprobes/m/c.c" "$t/tools/testing/selftests/kprobes/m/c.c"
	printf '[%s,%s,%s]' \
		'{"directory":"'"$t/build/linux/obj-x"'","file":"../kernel/a.c","command":"gcc -mfoo -I../include -Iarch -DA=1 -c a.c"}' \
		'{"directory":"'"$t/build/linux/obj-x"'","file":"../mm/b.c","command":"gcc -I../mm -c b.c"}' \
		'{"directory":"'"$t/build/linux/obj-x"'","file":"kselftest/kprobes/m/c.c","command":"gcc -c c.c"}' \
		>"$t/build/x.json"
	"$HARNESS/compile_commands.py" "$t" "$t/build/linux/obj-x" "$t/build/x.json" >"$t/said"
	is "our files are told from the base's" same "$(cat "$t/said")" "3 files, 2 of them ours"
	is "they are named in the repository" has "$t/build/x.json" "\"file\": \"$t/kernel/a.c\""
	is "also those of a test module" has "$t/build/x.json" "\"$t/tools/testing/selftests/kprobes/m/c.c\""
	is "the base's are named in the copy" has "$t/build/x.json" "\"$t/build/linux/mm/b.c\""
	is "our headers come first" same "$(grep -oE -- '-I[^"]*include' "$t/build/x.json" | xargs)" \
		"-I$t/include -I$t/build/linux/include"
	isnt "what clang does not know is left out" has "$t/build/x.json" -mfoo
}

# ci: .ci/run with a toy in the place of make.
ci() { (cd "$DIR/ci" && PATH="$DIR/ci/bin:$PATH" env -u CCACHE_DIR .ci/run) >"$DIR/ci.out" 2>&1; }

test_ci() {
	mkdir -p "$DIR/ci/bin" "$DIR/ci/.ci"
	cp "$TOP/.ci/run" "$DIR/ci/.ci/"
	cat >"$DIR/ci/bin/make" <<-'END'
	#!/bin/sh
	echo "  done toy $* (77 s)"
	[ "$1" = kernel ] || echo "${SUM-3 passed, 0 failed}"
	case "$*" in "${BAD:-none}"*) exit 1 ;; esac
	END
	chmod +x "$DIR/ci/bin/make"
	is "CI passes" ci
	is "its last line is the sum of six" same "$(tail -n 1 "$DIR/ci.out")" "18 passed, 0 failed"
	is "it tells what took long" has "$DIR/ci.out" "    77      debug: toy test CONFIG=debug"
	is "step by step" grep -qE '^ +[0-9]+  build-debug: env CCACHE_DISABLE=1 make kernel CONFIG=debug' "$DIR/ci.out"
	BAD="test CONFIG=debug" isnt "a step that fails is a failure" ci
	SUM='' isnt "and so is one without a sum" ci
	is "which is counted" same "$(tail -n 1 "$DIR/ci.out")" "0 passed, 6 failed"
}

test_ktap() {
	printf '%s\n' 'KTAP version 1' '1..1' '    KTAP version 1' '    # Subtest: s' '    1..3' \
		'    ok 1 a' '    not ok 2 b' '    ok 3 c # SKIP why' 'not ok 1 s' >"$DIR/a.ktap"
	is "KTAP is flattened" same "$("$HARNESS/ktap.py" p: "$DIR/a.ktap" | tr '\t\n' '|,')" \
		"ok|p:s.a,not ok|p:s.b,skip|p:s.c,"
	printf '%s\n' 'TAP version 13' '1..2' '# selftests: kprobes: x.sh' '# TAP version 13' \
		'# 1..2' '# ok 1 a' 'ok 1 selftests: kprobes: x.sh' >"$DIR/b.tap"
	"$HARNESS/ktap.py" --kselftest '' "$DIR/b.tap" >"$DIR/b.out"
	is "a script that stops half-way fails" has "$DIR/b.out" "2 planned, 1 reported"
	sed -i '/^# 1\.\./d' "$DIR/b.tap"
	"$HARNESS/ktap.py" --kselftest '' "$DIR/b.tap" >"$DIR/b.out"
	is "so does one without a plan" has "$DIR/b.out" "no plan"
	printf '%s\n' 'ok 1 a' 'Bail out!' >"$DIR/c.tap"
	is "and all that has none" has <("$HARNESS/ktap.py" '' "$DIR/c.tap") "no plan"
	: >"$DIR/c.tap"
	is "no test at all is a failure" has <("$HARNESS/ktap.py" '' "$DIR/c.tap") "not ok"
}

test_skips() {
	(
		. "$HARNESS/tap.sh"
		SKIPS=$'*: a.b\n*: c*'
		report skip "x: kunit: a.b"
		report skip "x: cd"
		report skip "x: ab"
		report_sum
	) >"$DIR/skips" || :
	is "what is known to be skipped is" same "$(grep -c '# SKIP' "$DIR/skips")" 2
	is "all else fails" has "$DIR/skips" "not ok 3 - x: ab"
	is "and is counted" same "$(tail -n 1 "$DIR/skips")" "0 passed, 1 failed, 2 skipped"
	isnt "each is of a test that there is" false_skips
}

# Names in skips.known that are no suite's, and no kselftest's.
false_skips() {
	local glob

	. "$HARNESS/names.sh"
	sed -nE 's/^[a-z]\S* (\S+) : .*/\1/p' "$HARNESS/skips.known" | while read -r glob; do
		# shellcheck disable=SC2046,SC2086 # words
		[ -n "$(match "${glob%%.*}" $(suites) $(kselftests))" ] || echo "$glob"
	done | grep .
}

test_console() {
	local line

	printf '[ 1.0] all is well\n' >"$DIR/log"
	is "a silent console" "$HARNESS/console.sh" "$DIR/log"
	while read -r line; do
		printf '[ 1.0] all is well\n[ 2.0] %s\n' "$line" >"$DIR/log"
		isnt "a console that says $line" "$HARNESS/console.sh" "$DIR/log"
	done <"$HARNESS/console.samples"
	printf '%s\n' '-[ cut here ]-' 'WARNING: CPU: 0' 'RIP: 0010:parse_legacy+0x1' \
		'Call Trace:' '-[ end trace 0 ]-' >"$DIR/log"
	is "one that Bochs causes" "$HARNESS/console.sh" "$DIR/log"
	printf '%s\n' '-[ cut here ]-' 'RIP: 0010:other+0x1' 'Call Trace:' '-[ end trace 0 ]-' \
		>>"$DIR/log"
	isnt "and another one behind it" "$HARNESS/console.sh" "$DIR/log"
}

# reach [PLANT...]: what reach.py says about the toy kernel.
reach() {
	gcc -nostdlib -static -no-pie -Wl,-e,entry,-z,noseparate-code "${@/#/-DPLANT_}" \
		-o "$DIR/toy" "$HARNESS/reach-toy.S" &&
		"$HARNESS/reach.py" --list "$DIR/toy.list" "$DIR/toy" >"$DIR/reach"
}

# planted WORD CHAIN TEXT: the violation must be found, and no other.
planted() {
	reach "$1"
	is "planted: $1" same "$(cat "$DIR/reach")" \
		"$(printf '%s\n    %s\n1 entries, %s functions reached, 1 findings' "$3" "$2" "$4")"
}

test_reach() {
	printf '%s : for the test\n' 'entry entry' 'guard hit' 'inner handlers' >"$DIR/toy.list"
	is "a toy kernel without a violation" reach
	is "all of it is reached" has "$DIR/reach" "5 functions reached, 0 findings"
	planted CALL "entry -> out -> open" "open: can be probed" 6
	planted TAIL "entry -> lookup -> open" "open: can be probed" 6
	planted FALL "entry -> lookup -> open" "open: can be probed" 6
	planted COLD "entry -> lookup -> lookup.cold -> open" "open: can be probed" 7
	planted KEY "entry -> out -> open" "open: can be probed" 6
	planted ALTERNATIVE "entry -> out -> open" "open: can be probed" 6
	planted TRACED "entry -> lookup" "lookup: can be traced by ftrace" 5
	planted INDIRECT "entry -> out" \
		"out: 1 indirect calls outside of the guard, 0 are listed: out" 5
	planted LATE "entry -> hit" \
		"hit: 1 indirect calls outside of the guard, 0 are listed: hit+0x25" 6
	planted UNGUARDED "entry -> hit" \
		"hit: hit+0x12: calls handlers where no frame is certain to be held" 5
	reach
	is "each mark in turn is missed" has <("$HARNESS/reach.py" --plant all \
		--list "$DIR/toy.list" "$DIR/toy") "5 violations planted, 5 found"
	"$HARNESS/reach.py" --plant lookup --list "$DIR/toy.list" "$DIR/toy" >"$DIR/reach"
	is "and its chain is told" has "$DIR/reach" "entry -> lookup"
	echo 'cut entry nowhere : for the test' >>"$DIR/toy.list"
	isnt "a fact about nothing is an error" reach
	echo 'cut entry out' >>"$DIR/toy.list"
	isnt "and so is one without a reason" reach
}

# refused TEXT COMMAND...: without a look at the packages or the tree, and TEXT
# says why.
refused() {
	local text=$1

	shift
	mkdir -p "$DIR/bin"
	printf '#!/bin/sh\ntouch %s/asked\n' "$DIR" >"$DIR/bin/dpkg-query"
	# What is not refused ends there: this machine is not to get packages.
	printf '#!/bin/sh\nexit 1\n' | tee "$DIR/bin/sudo" >"$DIR/bin/apt-get"
	chmod +x "$DIR"/bin/{dpkg-query,sudo,apt-get}
	rm -f "$DIR/asked"
	env -u HARNESS_READY PATH="$DIR/bin:$PATH" BUILD="$DIR/nothing" "$@" 2>"$DIR/err"
	is "refused: ${*##*/}" has "$DIR/err" "$text"
	isnt "before packages are asked for" test -e "$DIR/asked"
	isnt "and before anything is made" test -e "$DIR/nothing/base"
}

# mistyped TEXT WORD...: as it is typed.
mistyped() { refused "$1" make -C "$TOP" --no-print-directory "${@:2}"; }

test_words() {
	local w

	mistyped "nothing to make is called tset; there are packages tree" tset
	mistyped "no variable TSET; there are ACCEL" test TSET=kprobes_table
	mistyped "there are kunit kselftest foreign" test ONLY=kuint
	mistyped "TEST: no kprobe_apx; there are kunit, kselftests: kprobe_api" test TEST=kprobe_apx
	mistyped "no no_case in kprobes_table; there are table_" test TEST=kprobes_table.no_case
	mistyped "no no_case in kprobe_api; there are by_symbol" test TEST=kprobe_api:no_case
	mistyped "kprobe_diff has no cases by name" test TEST=kprobe_diff:alu
	mistyped "takes one name" test "TEST=kprobes_table kprobes_chain"
	mistyped "there are full voluntary none" test PREEMPT=ful
	mistyped "no MACHINE=boch" test MACHINE=boch
	mistyped "MEM=2GB: give a number" test MEM=2GB
	mistyped "SMP=two: not a number" test SMP=two
	mistyped "no CONFIG=x85; there are x86_64 debug" test CONFIG=x85
	mistyped "CONFIG=loongarch is only compiled" test CONFIG=loongarch
	mistyped "no CONFIG=x85; there are" demo CONFIG=x85
	mistyped "no CONFIG=x85; there are" shell CONFIG=x85
	mistyped "no CONFIG=x85; there are" kernel CONFIG=x85
	mistyped "give a function, module:function or function+offset" demo FUNC=vfs_read+
	mistyped "BASE=/nowhere: no such file or directory; there are default" demo BASE=/nowhere
	mistyped "BASE=/nowhere: no such file or directory; there are default" tree BASE=/nowhere
	mistyped "ONLY: no shel; there are checkpatch" check ONLY=shel
	mistyped "ROWS: no lean; there are nokprobes" check ONLY=matrix ROWS=lean
	mistyped "no row nothing; there are" matrix ROWS=nothing
	mistyped "DO: no things; there are objects" matrix DO=things
	for w in ACCEL APPEND CONFIG CPU EVENT_LISTS ICOUNT KCONFIG LIVES LOCALVERSION MACHINE MEM \
		MODES ONLY PREEMPT ROUNDS RUNS SMP TEST TORTURE_SECONDS; do
		mistyped "$w=1: not with make matrix" matrix ROWS=lean "$w=1"
	done
	for w in ACCEL APPEND CONFIG CPU KCONFIG MACHINE MEM ONLY PREEMPT SMP TEST; do
		mistyped "$w=1: not with make arches" arches ARCHES=arm64 "$w=1"
	done
	refused "QEMU=x: not with make matrix" env QEMU=x "$HARNESS/matrix.sh"
	mistyped "ONLY: no chekpatch; there are apply checkpatch" series-check ONLY=chekpatch
	mistyped "PATCHES: no 7x; there are all, numbers" series-check PATCHES=7x
	mistyped "no CONFIG=x85; there are" series-check KERNELS=x85
	mistyped "SIGNER=me: give Name <address>" series SIGNER=me
	mistyped "SIGNER=me: give Name <address>" series-check SIGNER=me
	mistyped "KERNEL= is to name a kernel tree" apply
	mistyped "KERNEL=/nowhere is not a kernel source tree" unapply KERNEL=/nowhere
	mistyped "KCONFIG=/nowhere: no such file" deb KCONFIG=/nowhere
	mistyped "LOCALVERSION=-Mine: give a - and small letters" deb LOCALVERSION=-Mine
	mistyped "LOCALVERSION=mine: give a - and small letters" deb-test LOCALVERSION=mine
	printf 'CONFIG_%s=y\n' MODULES VIRTIO_BLK VIRTIO_PCI NET_9P NET_9P_VIRTIO 9P_FS >"$DIR/kconfig"
	echo CONFIG_EXT4_FS=m >>"$DIR/kconfig"
	mistyped "KCONFIG=$DIR/kconfig: boots here without an initrd, and is to have built in: EXT4_FS" \
		deb-test KCONFIG="$DIR/kconfig"
	mistyped "MINUTES=x: not a number" torture MINUTES=x
	mistyped "OTHERS=x" bench OTHERS=x
	mistyped "EVENTS=x: not a number" bench EVENTS=x
	mistyped "MINUTES=5 10: not a number" torture "MINUTES=5 10"
	mistyped "JOBS=2 4: not a number" tree "JOBS=2 4"
	mistyped "TEST: no torture; there are kunit" test TEST=torture
	mistyped "TEST: no kprobe_fkill; there are kunit" test TEST=kprobe_fkill
	mistyped "ONLY=kunit: not with CONFIG=arm64" test CONFIG=arm64 ONLY=kunit
	mistyped "MACHINE=bochs: not with CONFIG=arm64" test CONFIG=arm64 MACHINE=bochs
	mistyped "JOBS=x: not a number" test CONFIG=arm64 JOBS=x
	mistyped "there is make test CONFIG=arm64" demo CONFIG=arm64
	mistyped "there is make test CONFIG=arm64" torture CONFIG=arm64
	mistyped "RUN: no x; there are plan" coverage RUN=x
	refused "no MACHINE=boch" MACHINE=boch "$HARNESS/boot.sh" x86_64 -- true
}

# A kernel for func.py: what there may be to say of its functions.
func_toy() {
	cat >"$DIR/toy.c" <<-'END'
	#define TRACED __asm__("call __fentry__"); __asm__("mov %rax, %rbx")
	#define IN(s) __attribute__((section(s)))
	void __fentry__(void) { }
	void vfs_stat(void) { TRACED; }
	void vfs_link(void) { TRACED; }
	void vfs_other_isra(void) __asm__("vfs_other.isra.0");
	void vfs_other_isra(void) { TRACED; }
	void IN(".init.text") boots(void) { TRACED; }
	void hit(void) { TRACED; }
	void *_kbl_addr_hit = hit;
	void untraced(void) { }
	void forever(void) { TRACED; for (;;) __asm__("hlt"); }
	int number;
	#ifdef KERNEL
	void __noinstr_text_start(void) { }
	void early(void) { TRACED; }
	void __noinstr_text_end(void) { }
	#endif
	END
	mkdir -p "$DIR/func/fs"
	gcc -c -O1 -fno-toplevel-reorder -fcf-protection=none -fomit-frame-pointer -DKERNEL \
		-o "$DIR/func/vmlinux" "$DIR/toy.c"
	gcc -c -O1 -fcf-protection=none -fomit-frame-pointer -o "$DIR/func/fs/mod-a.ko" "$DIR/toy.c"
}

# func NAME TEXT: what is said of it; nothing, if it can be shown.
func() {
	"$HARNESS/func.py" "$DIR/func" "$1" 2>"$DIR/err"
	if [ -n "$2" ]; then
		is "FUNC=$1: $2" has "$DIR/err" "$2"
	else
		is "FUNC=$1 can be shown" same "$(cat "$DIR/err")" ""
	fi
}

test_func() {
	func_toy
	func vfs_stat ''
	func vfs_stat+5 ''
	func vfs_stat+0x5 ''
	func mod_a:vfs_stat ''
	func mod-a:vfs_stat+5 ''
	func vfs_sttat "near are vfs_stat"
	func vfs_other "near are vfs_other.isra.0"
	func vfs_stat+6 "no instruction begins there; near are +0x0 +0x5"
	func vfs_stat+99 "bytes only"
	func boots "gone after the boot"
	func mod_a:boots "gone after the boot"
	func hit "marked NOKPROBE_SYMBOL"
	func early "noinstr"
	func untraced "function tracer"
	func number "no function"
	func forever "never returns"
	func mod_b:vfs_stat "no module mod_b; there are mod_a"
	func mod_a:vfs_sttat "no function vfs_sttat in module mod_a"
	func 'a b' "module:function or function+offset"
}

# What can be asked for is written down.
test_readme() {
	local w

	for w in $WORDS; do
		is "the README has $w=" grep -qE "\\b$w=" "$TOP/README.md"
	done
	for w in $(sed -nE 's/^## make ([a-z_-]+).*/\1/p' "$TOP/Makefile"); do
		case $w in packages | clean) continue ;; esac
		is "the README has make $w" grep -qF "make $w" "$TOP/README.md"
		is "make $w is there" grep -qE "^$w:" "$TOP/Makefile"
	done
	is "make help has straight columns" same \
		"$(grep '^## make' "$TOP/Makefile" | grep -vcE '^## .{33} [^ ]')" 0
	is "and fits a terminal" same "$(grep '^## ' "$TOP/Makefile" | grep -cE '^.{84}')" 0
}

# The kernel's files stand in a tree without the workshop.
test_mentions() {
	is "no kernel file names the workshop" same "$(cd "$TOP" && grep -rnE \
		'harness/|workshop|make (bench|test|check|matrix|coverage|torture)\b' \
		arch include kernel samples Documentation tools)" ""
}

# configured() of ours.sh, on a toy configuration.
has_target() { (. "$HARNESS/ours.sh" && configured "$DIR/obj" "$1"); }

test_targets() {
	mkdir -p "$DIR/obj/source/kernel" "$DIR/obj/source/arch/x86/mm"
	printf 'obj-$(CONFIG_A) += a.o ab.o\nobj-$(CONFIG_B) += b/\nobj-y := y.o\n' \
		>"$DIR/obj/source/kernel/Makefile"
	printf 'ifdef CONFIG_B\nobj-y += b.o\nelse\nobj-y += \\\n\tc.o\nendif\n' \
		>>"$DIR/obj/source/kernel/Makefile"
	printf 'obj-y += y.o\n' >"$DIR/obj/source/arch/x86/mm/Makefile"
	echo 'CONFIG_A=m' >"$DIR/obj/.config"
	is "what the configuration has is built" has_target kernel/a.o
	is "also as the second of a line" has_target kernel/ab.o
	is "also without a symbol" has_target kernel/y.o
	isnt "but not what it has not" has_target kernel/b/
	isnt "nor what is under a condition that does not hold" has_target kernel/b.o
	is "but what is else" has_target kernel/c.o
	isnt "nor what no Makefile names" has_target kernel/d.o
	isnt "nor another architecture's" has_target arch/x86/mm/y.o
	echo 'CONFIG_X86=y' >>"$DIR/obj/.config"
	is "this one's is" has_target arch/x86/mm/y.o
}

# assembled DATA: with what kernel.sh sets, an object that includes DATA has it.
assembled() {
	echo "$1" >"$DIR/cache/data"
	(
		eval "$(sed -n '/^compiler()/,/^}/p' "$HARNESS/kernel.sh")"
		tools() { :; }
		matrix_kernel() { :; }
		unset CCACHE_DISABLE
		# shellcheck disable=SC2034 # they are compiler()'s
		CCACHE_DIR=$DIR/cache/ccache CONFIG=toy
		compiler
		cd "$DIR/cache" && ccache gcc -Wp,-MMD,p.d -c -o p.o p.S && grep -q "$1" p.o
	)
}

test_cache() {
	mkdir -p "$DIR/cache"
	echo '.incbin "data"' >"$DIR/cache/p.S"
	is "an image has its kernel" assembled one
	is "and not the one that the compiler's cache has" assembled two
}

# A copy of the manual and of the code with SCRIPT applied to FILE differs by TEXT.
manual() {
	local file=$1 script=$2

	shift 2
	rm -rf "$DIR/manual"
	mkdir -p "$DIR/manual"
	(cd "$TOP" && cp -r --parents Documentation include kernel/kprobes* kernel/trace glue \
		arch/x86/kernel/kprobes "$DIR/manual")
	(cd "$DIR/manual" && sed -i "$script" $file)
	"$HARNESS/manual.sh" "$DIR/manual" >"$DIR/manual.out"
	is "the manual: ${*//$'\n'/; }" same "$(cat "$DIR/manual.out")" "$*"
}

test_manual() {
	local pages=Documentation/trace

	is "the manual agrees with the code" same "$("$HARNESS/manual.sh")" ""
	manual $pages/kprobes-jumps.rst '/^   \* - a branch leads into/d' \
		"reasons for no jump: not in the manual: a branch leads into the region"
	manual 'kernel/kprobes/*.c' '/"a branch leads into/d' \
		"reasons for no jump: not in the code: a branch leads into the region"
	manual $pages/kprobes-files.rst '/^``path``/d' \
		"columns of stats, in the table: not in the manual: path"
	manual $pages/kprobes-troubleshooting.rst '/^.address/s/ uncalled//' \
		"columns of stats, in the example of kprobes-troubleshooting: not in the manual: uncalled"
	manual $pages/kprobes.rst '/^``-EAGAIN``/d' \
		"errors of a registration: not in the manual: EAGAIN"
	manual $pages/fprobetrace-errors.rst '/- ``Array is not closed``/d' \
		"texts of error_log: not in the manual: Array is not closed"
	manual kernel/trace/fetch/error.c '/"Array is not closed"/d' \
		"texts of error_log: not in the code: Array is not closed"
	manual $pages/kprobes-troubleshooting.rst 's/goes, and has left/goes with/' \
		"messages: not in the manual: goes, and has left"
	manual $pages/kprobes-troubleshooting.rst 's/moves from/goes from/' \
		"messages: not in the manual: moves from"
	manual $pages/kprobes-troubleshooting.rst 's/hooked, the newest is/there, the newest is/' \
		"messages: not in the manual: is not hooked, the newest is"
	manual 'glue/*.patch' '/^+\trethook.idle_ms=/d' \
		"kernel parameters: not in the manual: rethook.idle_ms="
	test_manual_abi
}

test_manual_abi() {
	local abi=Documentation/ABI/testing

	manual $abi/debugfs-kprobes '/kprobes.enabled/,/^$/d' \
		"files of users: not in the manual: /sys/kernel/debug/kprobes/enabled"
	manual $abi/procfs-sys-debug-kprobes '/^What/d' \
		"files of users: not in the manual: /proc/sys/debug/kprobes-optimization"
	manual $abi/sysfs-module-rethook '/bytes$/,/^$/d' \
		"files of users: not in the manual: /sys/module/rethook/parameters/bytes
files of users: not in the manual: /sys/module/rethook/parameters/max_bytes"
	manual kernel/kprobes/debugfs.c '/"blacklist", 0400/d' \
		"files of users: not in the code: /sys/kernel/debug/kprobes/blacklist"
	manual kernel/trace/fprobe/debugfs.c 's/_create_file("stats",/_create_u32(name,/' \
		"files of users: not in the manual: /sys/kernel/debug/fprobes/?
files of users: not in the code: /sys/kernel/debug/fprobes/stats"
	manual kernel/kprobes/optimizer.c '/\.procname/d' \
		"files of users: not in the code: /proc/sys/debug/kprobes-optimization"
	# The tool is the base's, which make check has unpacked.
	[ ! -f "$BUILD/base/scripts/get_abi.pl" ] || manual $abi/procfs-sys-debug-kprobes \
		's/^Contact/Kontact/' \
		"get_abi.pl: Warning: file ABI/testing/procfs-sys-debug-kprobes#4: \
tag 'kernelversion' is invalid. Line Kontact:	linux-trace-kernel@vger.kernel.org"
}

# layers: what layers.py says about a toy.
layers() { "$HARNESS/layers.py" --list "$DIR/layers.list" "$DIR/layers" >"$DIR/layers.out" 2>&1; }

# planted_line FILE LINE TEXT: with LINE in FILE, layers.py says TEXT.
planted_line() {
	local file=$DIR/layers/$1

	cp "$file" "$DIR/layers.kept"
	printf '%b\n' "$2" >>"$file"
	isnt "planted in ${1##*/}: ${2//\\n/ }" layers
	is "it says: $3" has "$DIR/layers.out" "$3"
	cp "$DIR/layers.kept" "$file"
}

# Three layers, and an architecture with a function that has a default.
layers_toy() {
	local k=$DIR/layers/kernel a=$DIR/layers/arch/toy/kernel/kprobes

	mkdir -p "$k/kprobes" "$a" "$DIR/layers/include/linux"
	printf '%s\n' '/* top() */' 'int mid_top(void)' '{' '	return low(0) + arch_do();' '}' \
		'static void top(void)' '{' '}' >"$k/kprobes/mid.c"
	printf '%s\n' 'int low(int x)' '{' '	print("top()");' '	x->mid_top(1);' '	return x;' '}' \
		'struct ops ops = { .f = mid_top };' >"$k/kprobes/low.c"
	printf '%s\n' 'int top(void)' '{' '	return mid_top();' '}' >"$k/kprobes.c"
	printf '%s\n' 'int __weak arch_do(void)' '{' '	return top();' '}' >"$k/kprobes/arch_default.c"
	printf '%s\n' 'int arch_do(void)' '{' '	return low(2);' '}' >"$a/core.c"
	printf '%s\n' 'struct kprobe_point {' '	int state;' '};' 'extern int kprobe_points[];' \
		'static inline int up(int x)' '{' '	return mid_top() + x;' '}' '#define UP(x) \' '	up(x)' \
		>"$k/kprobes/internal.h"
	: >"$DIR/layers.list"
}

test_layers() {
	layers_toy
	is "calls that go down" layers
	is "no pointer, comment, string, static function or replaced default counts" \
		has "$DIR/layers.out" "5 files, 4 pairs that call"
	planted_line kernel/kprobes/low.c 'int f(void)\n{\n\treturn top();\n}' \
		"ring of 4 files: kprobes.c low.c mid.c toy/core.c"
	planted_line kernel/kprobes/low.c 'int f(void)\n{\n\treturn UP(1);\n}' "low.c -> mid.c: mid_top"
	planted_line arch/toy/kernel/kprobes/core.c 'int g(void)\n{\n\treturn mid_top();\n}' \
		"ring of 2 files: mid.c toy/core.c"
	planted_line arch/toy/kernel/kprobes/core.c '#include "../../../../kernel/kprobes/internal.h"' \
		"core.c:5: an architecture includes a header of the core"
	planted_line arch/toy/kernel/kprobes/core.c 'extern struct kprobe_point *point;' \
		"toy/core.c: an architecture uses what the core keeps: kprobe_point"
	planted_line arch/toy/kernel/kprobes/core.c 'int i = kprobe_points[0];' "keeps: kprobe_points"
	planted_line kernel/kprobes/low.c '#ifdef CONFIG_X86_64' "low.c: the core names an architecture"
	printf 'int f(void)\n{\n\treturn mid_top();\n}\n' >>"$DIR/layers/kernel/kprobes/low.c"
	isnt "a ring that is not listed is an error" layers
	echo 'up low.c mid.c : for the test' >"$DIR/layers.list"
	is "a listed one is none" layers
	echo 'up toy/core.c mid.c : for the test' >>"$DIR/layers.list"
	isnt "what is listed without such a call is one" layers
	sed -i '$d' "$DIR/layers.list"
	echo 'up kprobes.c mid.c : for the test' >>"$DIR/layers.list"
	isnt "and so is what closes no ring" layers
	echo 'up low.c mid.c' >"$DIR/layers.list"
	isnt "and what has no reason" layers
}

toy
# Some of them may be named: those of tree.sh build on each other.
# shellcheck disable=SC2048 # words
for t in ${*:-words func readme mentions list matrix arches targets cache overlay repeat interrupted edited directory maintainers commands ci refused ktap compare skips console reach coverage bench cases documented manual layers series apply checked deb path exports}; do
	"test_$t"
done
echo "$PASSED passed, $FAILED failed"
[ "$FAILED" -eq 0 ]; exit
