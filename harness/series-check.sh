#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Prove the patch series. TAP; the last line is "N passed, N failed".
#
# ONLY=     some of: apply checkpatch exports bisect kunit tools build, done in the order
#           that they are named: what boots has been built. The first two take three minutes
#   apply       git am, quilt push -a and patch -p1 -F0 take the base to our tree; in
#               between, each patch leaves what the plan says; what is written from
#               equal input is equal; and git bisect finds the patch that brings a line
#   checkpatch  --strict says nothing of a patch but what is in series/checkpatch.allow
#               or in harness/checkpatch.allow
#   build       the tree of each patch builds without a warning; of other architectures
#               than x86 and arm64, the objects that the patch changes
#   tools       the programs and test modules of the kselftests that are in by then are
#               built without a warning, against the kernels of both word sizes
#   bisect      git bisect finds a patch with a bug by kernels that it builds and boots
#   exports     a module of stock's finds all symbols: x86_64 is built, and stock; the
#               difference is what series/exports.txt says
#   kunit       where kprobes can be selected, it boots, and the suites pass that are in
#               by then; at first, those are the base's. A patch that changes nothing
#               that x86 compiles is left out: its kernel is that of the patch before
#   keep        not done by default: what has passed, with the compiler and emulator of this
#               machine and by the scripts as they are, is written to series/passed, so that
#               other machines need not do it again
# PATCHES=  some: "all", numbers or ranges ("7 20-25"); default all
# SIGNER=   see series.sh
# KERNELS=  configurations that build takes; default: see below
# AGAIN=1   does not go by series/passed; what fails then is taken out of it
#
# What has passed, of a tree and scripts as they are now, is not built again; so an
# interrupted run goes on where it stopped. It tells how long the rest will take.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/words.sh"
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/style.sh"
. "$(dirname "$0")/series-git.sh"

ALL="apply checkpatch exports bisect kunit tools build"
ONLY=${ONLY:-$ALL}
SERIES_DIR=$BUILD/series
WORK=$BUILD/series-work
TREE=series-tree
DONE=$BUILD/series-done
KEPT=$TOP/series/passed
RECORDS=("$DONE")
[ -n "${AGAIN:-}" ] || [ ! -f "$KEPT" ] || RECORDS+=("$KEPT")

patches() { cat "$SERIES_DIR/series"; }
count() { patches | wc -l; }
touched() { cut -c 67- "$SERIES_DIR/touched"; }
series() { "$HARNESS/series.py" --top "$TOP" --build "$BUILD" "$@"; }

# same_files A B: the files that the series changes are equal, or are in neither.
same_files() {
	local f rc=0

	while read -r f; do
		if [ -f "$1/$f" ] || [ -f "$2/$f" ]; then
			cmp "$1/$f" "$2/$f" || rc=1
		fi
	done < <(touched)
	return $rc
}

# small_base NAME: those files of the base alone.
small_base() {
	local f dir=$WORK/$1

	rm -rf "$dir"
	mkdir -p "$dir"
	while read -r f; do
		[ ! -f "$BUILD/base/$f" ] || (cd "$BUILD/base" && cp --parents "$f" "$dir")
	done < <(touched)
}

# What a build of the kselftests and checkpatch leave in the copy, as CONTRIBUTING shows it.
LEFT_BY_TOOLS='(^|/)\.checkpatch-camelcase\.|/kprobes/test_modules/(.*/)?([^/]*\.(o|ko|mod|mod\.c)|\..*\.cmd|Module\.symvers|modules\.order)$'

# Nothing but those files is different: all others are the base's, as links or copies.
only_touched() {
	local rc=0

	(cd "$BUILD" && find base linux \( -name 'obj-*' -o -name __pycache__ \) -prune -o \
		-type f -printf '%P %i\n') | sort | uniq -u | sed 's, [0-9]*$,,' | sort -u | grep -vE "$LEFT_BY_TOOLS" |
		comm -23 - <(touched | sort) >"$WORK/others"
	while read -r f; do
		cmp "$BUILD/base/$f" "$BUILD/linux/$f" || rc=1
	done <"$WORK/others"
	return $rc
}

by_git() {
	small_base git
	cd "$WORK/git" || return
	git_base || return
	mails | take || return
	[ "$(git rev-list --count HEAD)" -eq $(($(count) + 1)) ] || return
	git log -1 --format='%an <%ae>' | grep -qxF "${SIGNER:-$(sed -n 's/^author //p' "$TOP/series/list")}" || return
	modes || return
	same_files . "$BUILD/linux"
}

# What is to be executed can be.
modes() {
	diff <(git ls-files -s | awk '$1 == "100755" { print $4 }' | grep -vxF -f <(base_modes)) \
		<(cd "$BUILD/linux" && touched | while read -r f; do [ ! -x "$f" ] || echo "$f"; done |
			grep -vxF -f <(base_modes))
}
base_modes() { (cd "$BUILD/base" && touched | while read -r f; do [ ! -x "$f" ] || echo "$f"; done; echo); }

bug_by_text() { echo "a planted bug" >kernel/planted && git add -f kernel/planted; }

# After by_git, in its tree. By a line that the patch has brought; skipped is where kprobes
# cannot be selected, as the cover letter says.
by_bisect() {
	local rc=0

	cd "$WORK/git" || return
	plant bug_by_text || return
	bisected "$PLANTED" sh -c '! git grep -q "^config KPROBES$" -- arch/Kconfig && exit 125
		! git grep -q "a planted bug"' || rc=$?
	git log -1 --format='planted in: %s' "$PLANTED"
	return "$rc"
}

by_quilt() {
	small_base quilt
	cd "$WORK/quilt" || return
	QUILT_PATCHES=$SERIES_DIR QUILT_PC=.pc quilt --quiltrc /dev/null push -a -q || return
	same_files . "$BUILD/linux"
}

# One after the other; each leaves what the plan says.
by_patch() {
	small_base patch
	series --follow "$WORK/patch" || return
	[ -z "$(find "$WORK/patch" -name '*.orig' -o -name '*.rej')" ] || return
	same_files "$WORK/patch" "$BUILD/linux"
}

by_combined() {
	small_base combined
	patch -d "$WORK/combined" -p1 -F0 -s -f <"$SERIES_DIR/combined.diff" || return
	same_files "$WORK/combined" "$BUILD/linux"
}

twice() {
	series --out "$WORK/again" || return
	diff -r "$SERIES_DIR" "$WORK/again"
}

# What the cover tells to do with the mails and a tree of the base.
by_cover() {
	local commands sum

	commands=$(sed -n '/^  cat MAILS/,/sha256sum$/p' "$SERIES_DIR/0000-cover-letter.patch")
	# shellcheck disable=SC2016 # for the shell below
	sum=$(cd "$BUILD/base" && bash -c "${commands/MAILS/'"$1"/*.patch'}" - "$SERIES_DIR")
	[ "$(grep -h '^sha256 of' "$SERIES_DIR"/*.patch | sort -u)" = \
		"sha256 of the file \"touched\": ${sum%% *}" ]
}

# try NAME COMMAND...: one test, whose output is shown when it fails.
try() {
	local name=$1 log=$WORK/$2.log rc=0

	("${@:2}") >"$log" 2>&1 || rc=$?
	[ "$rc" -eq 0 ] || tail -n 20 "$log" | sed 's/^/# /'
	report "$rc" "$name"
}

do_apply() {
	local n

	n=$(count)
	try "what differs from the base is in the series" only_touched
	try "git am, $n patches: the tree" by_git
	try "git bisect run: the patch that a bug was planted in" by_bisect
	try "quilt push -a: the tree" by_quilt
	try "patch -p1 -F0, each leaves what the plan says; in the end, the tree" by_patch
	try "patch -p1 -F0 with the combined diff: the tree" by_combined
	try "equal input, equal bytes" twice
	try "what the cover tells to do: the checksum that each mail has" by_cover
}

# The sum tells that it has come to its end.
judge() {
	local said rc=0

	said=$(perl "$BUILD/base/scripts/checkpatch.pl" --root="$WORK/style" --strict --terse \
		--showfile --show-types "$SERIES_DIR/$1" 2>&1) || rc=$?
	[ "$rc" -eq 0 ] || grep -q '^total: ' <<<"$said" || echo "checkpatch did not come to its end"
	grep -vE -f <(grep -hv '^#' "$TOP/series/checkpatch.allow" "$HARNESS/checkpatch.allow"
		echo '^(total: |$)') <<<"$said" || :
}

do_checkpatch() {
	local p

	export BUILD SERIES_DIR TOP HARNESS WORK
	export -f judge
	mkdir -p "$WORK/checkpatch"
	style_root "$BUILD/base" "$WORK/style"
	# shellcheck disable=SC2016 # for the shells below
	chosen | xargs -P "$JOBS" -I '{}' bash -c 'judge "$1" >"$2/$1"' - '{}' "$WORK/checkpatch"
	for p in $(chosen); do
		[ ! -s "$WORK/checkpatch/$p" ] || sed 's/^/# /' "$WORK/checkpatch/$p" | head -n 30
		report "$([ -s "$WORK/checkpatch/$p" ] && echo 1 || echo 0)" "checkpatch --strict $p"
	done
}

# chosen: the names of the patches that PATCHES= says.
chosen() {
	local w

	for w in ${PATCHES:-all}; do
		case $w in
		all) patches ;;
		*)   patches | sed -n "${w/-/,}p" ;;
		esac
	done
}

refuse_patches() {
	local w

	for w in ${PATCHES:-}; do
		[[ $w =~ ^(all|[0-9]+(-[0-9]+)?)$ ]] ||
			die "PATCHES: no $w; there are all, numbers and ranges as 7 or 20-25"
	done
}

# touches PATCH FILES: it adds, changes or removes one of them, or one below them.
touches() { grep -qE "^(\\+\\+\\+ b|--- a)/($2)(/|\$)" "$SERIES_DIR/$1"; }
# scripts/ has how modules are linked.
COMPILED='arch/x86|arch/Kconfig|include|kernel|lib|init|samples|scripts'
UNWINDERS='arch/x86/kernel/unwind_[a-z]+\.c|arch/x86/Kconfig|arch/x86/include/asm/unwind[a-z_]*\.h'
SELFTESTS='tools/testing/selftests/kprobes/(.*/)?([^/]+\.[chS]|Makefile)'

# Two kernels without kprobes, or without modules; one with BTF and one that guesses its
# stack traces, where a patch may touch what is compiled with that alone; other
# architectures where it touches what they compile.
OTHERS="arm mips parisc riscv"
kernels_of() {
	local a

	[ -z "${KERNELS:-}" ] || { echo "$KERNELS"; return; }
	echo patched
	for a in $OTHERS; do ! touches "$1" "arch/$a" || echo "$a"; done
	touches "$1" "$COMPILED" || return 0
	echo nokprobes nomodules
	! touches "$1" "kernel/trace" || echo btf
	! touches "$1" "$UNWINDERS" || echo guess
	! touches "$1" "arch/x86|include|kernel|scripts" || echo i386
	! touches "$1" "include|kernel|lib|scripts" || echo arm64
}

# objects_of PATCH KERNEL: what a patch changes of one of those. All the rest of them is
# the base's, with its warnings.
objects_of() {
	case " $OTHERS " in *" $2 "*)
		sed -nE "s,^\+\+\+ b/(arch/$2/.*)\.[cS]$,\1.o,p" "$SERIES_DIR/$1" ;; esac
}

# id_of WHAT PATCH KERNEL: what it is made from: the patches up to this one, without what
# they say, the configuration and the compiler; and what boots it and judges that, without
# the rest of this script. Debian's compilers for other architectures change with its
# release, if at all.
id_of() {
	local what=$1

	shift
	(
		sed "/^${1}$/q" "$SERIES_DIR/series" | sed "s,^,$SERIES_DIR/," |
			xargs sed -s -n '/^diff --git/,$p'
		gcc --version | sed -n 1p
		matrix_kernel "$2"
		cat /etc/debian_version "$BUILD/base.stamp" "$HARNESS/kernel.sh"
		for f in $(fragments "$2"); do cat "$HARNESS/configs/$f.config"; done
		declare -f objects_of as_is build_one complained forget_gone "${what}_one"
		[ "$what" != kunit ] || qemu-system-x86_64 --version | sed -n 1p
		[ "$what" != kunit ] || cat "$HARNESS"/{kunit,console,tap}.sh "$HARNESS/ktap.py"
		[ "$what" != tools ] || cat "$HARNESS/kselftest.sh"
	) | sha256sum | cut -c 1-16
}

# as_is KERNEL OBJECT...: of the tree as it is.
as_is() { TREE_AS_IS=$TREE OBJECTS=series-$1 "$HARNESS/kernel.sh" "$@"; }

complained() { [ -f "$1" ] && grep -E '(warning|error)[: ]' "$1"; }

# build_one PATCH KERNEL. An object that was built with a warning is not built again, and
# nothing is said of it any more: so all of them go if there was one.
build_one() {
	local log=$LOGS/kernel-series-$2.log objects

	! complained "$log" >/dev/null || rm -rf "${BUILD:?}/$TREE/obj-series-$2"
	series --state "$((10#${1%%-*}))" --to "$BUILD/$TREE" >"$WORK/state" || return
	mapfile -t objects < <(objects_of "$1" "$2")
	forget_gone "$BUILD/$TREE" "$BUILD/$TREE/obj-series-$2" || return
	as_is "$2" "${objects[@]}" || return
	! complained "$log"
}

# Here, too, an object with a warning would not be built again.
tools_one() {
	local log=$WORK/kselftest.log rc=0

	build_one "$1" "$2" || return
	rm -rf "$BUILD/series-$2/kselftest"
	"$HARNESS/kselftest.sh" "series-$2" "$WORK/kselftest" kprobes >"$log" 2>&1 || rc=$?
	[ "$rc" -eq 0 ] || { cat "$log"; return "$rc"; }
	! complained "$log"
}

kunit_one() {
	build_one "$1" "$2" || return
	NAME=series-$2 "$HARNESS/kunit.sh" "series-$2"
}

# A line of what is done: what, the kernel, the id; and the seconds that it took.
recorded() { grep -hE "^$1 [0-9]+$" "${@:2}"; }
passed() { recorded "$1" "${RECORDS[@]}" >/dev/null; }

# how_long STEPS: by what steps have taken, without those that came with another.
how_long() {
	awk -v n="$1" '$NF { s += $NF; m++ } END { if (m) printf "some %d minutes", n * s / m / 60
		else print "how long is not known yet" }' "$DONE"
}

# That it has passed, and that what it is built of has.
forget_kept() { [ ! -f "$KEPT" ] || sed -i "/^$1 /d; /^${2:-$1} /d" "$KEPT"; }

# step_one WHAT PATCH KERNEL ID
step_one() {
	local what=$1 p=$2 k=$3 rc=0 log=$WORK/$1-${2%.patch}-$3.log start=$SECONDS built='' said

	if ! passed "$4"; then
		# What boots, or has programs, is built first.
		[ "$what" = build ] || built="build $k $(id_of build "$p" "$k") 0"
		"${what}_one" "$p" "$k" >"$log" 2>&1 || rc=$?
		[ "$rc" -ne 0 ] || printf '%s\n' ${built:+"$built"} "$4 $((SECONDS - start))" >>"$DONE"
		[ "$rc" -eq 0 ] || { tail -n 15 "$log" | sed 's/^/# /'; forget_kept "$4" "${built% 0}"; }
		LEFT=$((LEFT - 1))
		say "  done $what $p $k ($((SECONDS - start)) s); $LEFT left, $(how_long "$LEFT")"
	fi
	said=$(grep -sE '^[0-9]+ passed' "$log" | tail -n 1 || :)
	# The log is of another time, or not there.
	if [ "$rc" -eq 0 ] && ! recorded "$4" "$DONE" >/dev/null; then
		said="passed, says ${KEPT#"$TOP"/}"
	fi
	report "$rc" "$what $p, $k: $said"
}

# steps WHAT: the patches and kernels on stdin, one after the other.
steps() {
	local i p k pairs=() ids=()

	prepare_tree
	touch "$DONE"
	LEFT=0
	while read -r p k; do
		pairs+=("$p $k")
		ids+=("$1 $k $(id_of "$1" "$p" "$k")")
		passed "${ids[-1]}" || LEFT=$((LEFT + 1))
	done
	say "  $1: $LEFT of ${#pairs[@]} are left, $(how_long "$LEFT")"
	for i in "${!pairs[@]}"; do
		read -r p k <<<"${pairs[i]}"
		step_one "$1" "$p" "$k" "${ids[i]}" </dev/null
	done
}

exports_as_said() {
	"$HARNESS/kernel.sh" x86_64 && "$HARNESS/kernel.sh" stock || return
	"$HARNESS/exports.py" "$BUILD"/{x86_64,stock}/Module.symvers | tee "$BUILD/exports.txt"
	diff "$TOP/series/exports.txt" "$BUILD/exports.txt" ||
		{ echo "see whether that is meant; if so, copy $BUILD/exports.txt to series/"; return 1; }
}

do_exports() { try "the exported symbols are stock's, and those of series/exports.txt" exports_as_said; }

bisect_by_boots() { "$HARNESS/series-bisect.sh"; }
do_bisect() { try "git bisect finds a patch with a bug, by kernels that boot" bisect_by_boots; }

prepare_tree() {
	local id

	id=$(cat "$BUILD/base.stamp")
	! stamp_ok "$BUILD/$TREE.stamp" "$id" || return 0
	rm -rf "${BUILD:?}/$TREE"
	cp -al "$BUILD/base" "$BUILD/$TREE"
	stamp_set "$BUILD/$TREE.stamp" "$id"
}

# pairs_WHAT: a patch and a kernel in a line, for each step.
pairs_build() {
	local p k

	for p in $(chosen); do for k in $(kernels_of "$p"); do echo "$p $k"; done; done
}

# 32 bit has snippets of its own.
pairs_tools() {
	local p k

	for p in $(chosen); do
		! touches "$p" "$SELFTESTS" || for k in patched i386; do echo "$p $k"; done
	done
}

pairs_kunit() { selectable | grep -F "$(chosen)" || :; }

# selectable: the patches with which kprobes can be selected, the base's or ours.
selectable() {
	local p on=

	! grep -q '^config KPROBES$' "$BUILD/base/arch/Kconfig" || on=1
	for p in $(patches); do
		! grep -q '^-config KPROBES$' "$SERIES_DIR/$p" || on=
		! grep -q '^+config KPROBES$' "$SERIES_DIR/$p" || on=1
		if [ -n "$on" ] && touches "$p" "$COMPILED"; then echo "$p patched"; fi
	done
}

do_build() { steps build < <(pairs_build); }
do_tools() { steps tools < <(pairs_tools); }
do_kunit() { steps kunit < <(pairs_kunit); }

# Of all patches, with the kernels that are the default, in their order.
do_keep() {
	local PATCHES='' KERNELS='' what p k gone rc=0

	touch "$DONE" "$KEPT"
	for what in kunit tools build; do "pairs_$what" | sed "s/^/$what /"; done >"$WORK/steps"
	while read -r what p k; do
		recorded "$what $k $(id_of "$what" "$p" "$k")" "$DONE" "$KEPT" | tail -n 1 || :
	done <"$WORK/steps" >"$WORK/passed"
	gone=$(cut -d ' ' -f 1-3 "$KEPT" | grep -cvwF -f <(cut -d ' ' -f 1-3 "$WORK/passed")) || :
	# With another compiler, none would be left.
	if [ -s "$WORK/passed" ]; then cp "$WORK/passed" "$KEPT"; else rc=1; fi
	report "$rc" "$(wc -l <"$KEPT") of $(wc -l <"$WORK/steps") steps are kept, $gone are no more"
}

main() {
	local c

	choose_signer
	"$HARNESS/series.sh" >&2
	mkdir -p "$WORK"
	for c in $ONLY; do "do_$c"; done
	report_sum || exit 1
}

# shellcheck disable=SC2086 # words
refuse_words ONLY $ALL keep
refuse_patches
refuse_signer
refuse_given "make series-check" ACCEL APPEND CPU KCONFIG LOCALVERSION MACHINE MEM OBJECTS \
	PREEMPT QEMU SMP TCG_THREAD TEST TREE_AS_IS
for k in ${KERNELS:-}; do refuse_config "$k"; done
ready quilt
with_lock series-check main; exit
