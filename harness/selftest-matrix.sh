# SPDX-License-Identifier: GPL-2.0
# Sourced by selftest.sh: tests of the matrix, its list and its stamps, with toys for
# kernels and boots; of what make check says of a file that no row compiles; and of the
# stamps of make arches.
# shellcheck shell=bash

listed() { awk -v w="$1" '$1 == w { print $2 }' "$HARNESS/matrix.list"; }

# What the scripts have in build/ beside the kernels.
others_in_build() { grep -ohE '\$BUILD/[a-z0-9-]+' "$HARNESS"/*.sh | cut -d / -f 2 | sort -u; }

# needs KERNEL: of each row that boots it, what it needs; if nothing, what any text matches.
needs() {
	awk -v kernel="$1" '$1 == "row" && $3 == kernel {
		need = "."
		for (i = 5; i <= NF; i++) if (sub(/^need=/, "", $i)) need = $i
		print need }' "$HARNESS/matrix.list"
}

# What matrix.list names is there.
test_list() {
	local k f

	is "no row is listed twice" same "$(listed row | sort | uniq -d)" ""
	is "no kernel is built where something else lies" same \
		"$(comm -12 <(listed kernel | sort) <(others_in_build))" ""
	for k in $(awk '$1 == "row" { print $3 }' "$HARNESS/matrix.list" | sort -u); do
		is "the matrix has a kernel $k" has <(listed kernel) "$k"
	done
	for f in $(awk '$1 == "kernel" { for (i = 4; i <= NF; i++) print $i }' \
		"$HARNESS/matrix.list" | sort -u); do
		is "there is a fragment $f" test -f "$HARNESS/configs/$f.config"
	done
	for f in $(needs kcfi); do
		isnt "$f is not what a kernel prints that has kCFI off" grep -qE "$f" \
			<<<"SMP alternatives: Disabling CFI"
	done
	for f in $(grep -oE '^row .* run=[^ ]+' "$HARNESS/matrix.list" | sed 's/.*=//' | sort -u); do
		is "there is a script $f" test -x "$HARNESS/guest/$f"
	done
}

# matrix [ROW...]
matrix() {
	ROWS=$* BUILD=$DIR/matrix/build "$DIR/matrix/harness/matrix.sh" >"$DIR/matrix.out" 2>&1
}

made() { same "$(grep -c "^$1" "$DIR/matrix/made")" "$2"; }

# A kernel of one object, which is made as often as "made" has its name. A boot for a row
# prints on its console what lies in says-matrix-ROW. An architecture passes one test.
matrix_toy() {
	local t=$DIR/matrix h=$DIR/matrix/harness

	rm -rf "$t"
	mkdir -p "$t"/{build,glue,kernel}
	cp -r "$HARNESS" "$h"
	(cd "$t" && git init -q && touch glue/0.patch build/base.stamp kernel/{a,never}.c)
	echo kernel/a.c >"$t/build/ours.list"
	cat >"$h/kernel.sh" <<-END
		#!/bin/bash
		echo "\$1" >>$t/made
		o=\$BUILD/\${OBJECTS:-\$1}
		mkdir -p "\$o"/{kernel,source/{arch,kernel}} "\$BUILD/logs"
		echo 'obj-y += a.o never.o' >"\$o/source/kernel/Makefile"
		touch "\$o"/{.config,kernel/a.o} "\$BUILD/logs/kernel-\$OBJECTS.log"
		[ "\$1" != bad ]
	END
	cat >"$h/test.sh" <<-END
		#!/bin/bash
		echo "\$RUN_AS \$TEST" >>$t/made
		mkdir -p "\$BUILD/runs/\$RUN_AS-full"
		cat "$t/says-\$RUN_AS" >"\$BUILD/runs/\$RUN_AS-full/console.log" 2>/dev/null || :
	END
	printf '#!/bin/sh\necho "$1" >>%s\necho ok >"$BUILD/results-$1"\n' "$t/made" >"$h/arch-test.sh"
	printf '#!/bin/sh\n' | tee "$h/packages.sh" >"$h/tree.sh"
	printf 'kernel good gcc up\nkernel bad gcc up\nrow one good link\nrow two bad link\n' \
		>"$h/matrix.list"
}

test_matrix() {
	matrix_toy
	isnt "a matrix with a bad row fails" matrix
	is "its last line is the sum" same "$(tail -n 1 "$DIR/matrix.out")" "1 passed, 1 failed"
	is "the log is named" has "$DIR/matrix.out" "matrix/two.log"
	matrix
	is "what has passed is not made again" made good 1
	is "what has failed is" made bad 2
	UNTIL=1 is "when the time is over" matrix
	is "no row is begun" same "$(tail -n 1 "$DIR/matrix.out")" "1 passed, 0 failed, 1 skipped"
	is "and nothing is made" made bad 2
	echo >>"$DIR/matrix/kernel/a.c"
	matrix
	is "what has changed is, too" made good 2
	sed -i 's/good link/good link x/' "$DIR/matrix/harness/matrix.list"
	matrix
	is "or is another row now" made good 3
	matrix_boots
	matrix_scripts
	matrix_never
}

# Two rows, of which one begins as the other one does.
matrix_boots() {
	local t=$DIR/matrix

	printf 'row cfi good boot need=Using.kCFI\nrow cfi-2 good boot need=Using.kCFI test=toy\n' \
		>>"$t/harness/matrix.list"
	echo 'Using kCFI' >"$t/says-matrix-cfi-2"
	echo 'Disabling CFI' >"$t/says-matrix-cfi"
	is "a boot that prints what is needed" matrix cfi-2
	isnt "one that does not, though another row's does" matrix cfi
	is "that row's log is still there" test -f "$t/build/runs/matrix-cfi-2-full/console.log"
	is "a row is booted for the short tests" made "matrix-cfi kunit kprobe_api" 1
	is "or for one that it names" made "matrix-cfi-2 toy" 1
}

# again_after WHAT PREFIX COMMAND...: it makes what "made" tells of by the prefix.
again_after() {
	local before

	before=$(grep -c "^$2" "$DIR/matrix/made")
	"${@:3}"
	is "after a change of $1, again: ${*:3}" made "$2" $((before + 1))
}

# A row that has passed has done so by the scripts as they are.
matrix_scripts() {
	local h=$DIR/matrix/harness f

	for f in {boot,console,debian,initramfs,kselftest,kunit,names,tap,test}.sh kdb.py ktap.py \
		guest.{packages,tools} guest/init; do
		echo >>"$h/$f"
		again_after "$f" "matrix-cfi-2 " matrix cfi-2
	done
	sed -i 's/^SHORT="kunit/& kprobe_diff/' "$h/matrix.sh"
	again_after "the short tests" "matrix-cfi-2 " matrix cfi-2
	sed -i 's/SMP=2/SMP=3/' "$h/matrix.sh"
	again_after "what words mean" "matrix-cfi-2 " matrix cfi-2
	sed -i 's/echo "linked"/echo "all linked"/' "$h/matrix.sh"
	again_after "how it is linked" good matrix one
	f=$(wc -l <"$DIR/matrix/made")
	echo "# nothing" | tee -a "$h/words.sh" >>"$h/matrix.sh"
	matrix cfi-2
	is "and not after that of a comment" made . "$f"
}

# matrix_checked: what make check says of the toy's files.
matrix_checked() {
	rm -f "$DIR"/matrix/build/matrix/one.stamp
	ONLY=matrix BUILD=$DIR/matrix/build "$DIR/matrix/harness/check.sh" >"$DIR/matrix.out" 2>&1
}

matrix_never() {
	local b=$DIR/matrix/build

	printf 'kernel good gcc up\nrow one good objects\n' >"$DIR/matrix/harness/matrix.list"
	is "a row that compiles all of ours" matrix_checked
	echo kernel/never.c >>"$b/ours.list"
	isnt "a file that no row compiles" matrix_checked
	is "it is named" has "$DIR/matrix.out" "# kernel/never.c"
	echo kernel/never.c >"$b/matrix/gone.built"
	isnt "also if a row did that is not listed any more" matrix_checked
	is "then, too" has "$DIR/matrix.out" "# kernel/never.c"
	rm "$b/matrix/one.stamp"
	UNTIL=1 is "without time for the rows, nothing is said of files" matrix_checked
	is "which is a test that is skipped" has "$DIR/matrix.out" "0 passed, 0 failed, 2 skipped"
}

arches() {
	ARCHES=arm64 BUILD=$DIR/matrix/build "$DIR/matrix/harness/arches.sh" >"$DIR/matrix.out" 2>&1
}

test_arches() {
	local h=$DIR/matrix/harness f

	matrix_toy
	is "an architecture passes" arches
	is "and is not done again" arches
	is "with the base's own" made .*arm64 2
	for f in {arch-test,console,kernel,kselftest,tap}.sh ktap.py guest/kselftest.sh arches/init.c; do
		echo >>"$h/$f"
		again_after "$f" arm64 arches
	done
	sed -i 's/TIMEOUT:-400/TIMEOUT:-500/' "$h/arches.sh"
	again_after "how it is tested" arm64 arches
}
