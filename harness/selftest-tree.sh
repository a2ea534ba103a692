# SPDX-License-Identifier: GPL-2.0
# Sourced by selftest.sh: tests of tree.sh, on a toy base.
# shellcheck shell=bash

# A base of a few files and a repository with this harness.
toy() {
	mkdir -p "$DIR/src/kernel" "$DIR/src/lib" "$DIR/src/samples/kprobes" "$DIR/top/glue" \
		"$DIR/top/include/linux" "$DIR/top/kernel"
	printf 'VERSION = 6\nPATCHLEVEL = 12\n' >"$DIR/src/Makefile"
	printf 'one\ntwo\nthree\n' >"$DIR/src/lib/patched"
	echo base >"$DIR/src/kernel/kprobes.c"
	echo base >"$DIR/src/kernel/other.c"
	echo base >"$DIR/src/samples/kprobes/old.c"
	echo foreign | tee "$DIR"/src/lib/test_{kprobes,fprobe}.c >/dev/null
	cp -r "$HARNESS" "$DIR/top/harness"
	echo ours >"$DIR/top/kernel/kprobes.c"
	echo ours >"$DIR/top/kernel/other.c"
	printf -- '--- a/lib/patched\n+++ b/lib/patched\n@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three\n' \
		>"$DIR/top/glue/0001.patch"
	printf -- '--- a/lib/patched\n+++ b/lib/patched\n@@ -1,3 +1,4 @@\n one\n TWO\n three\n+four\n' \
		>"$DIR/top/glue/0002.patch"
	T=$DIR/top/build/linux
}

tree() { BASE=${BASE:-$DIR/src} BUILD=$DIR/top/build "$DIR/top/harness/tree.sh"; }

# again: by a command that is not told of a base.
again() { BUILD=$DIR/top/build "$DIR/top/harness/tree.sh"; }

test_overlay() {
	is "a tree is made" tree
	is "our file replaces the base's" same "$(cat "$T/kernel/kprobes.c")" ours
	isnt "a replaced directory is gone" test -e "$T/samples/kprobes"
	is "a foreign test is put back" same "$(cat "$T/lib/test_kprobes.c")" foreign
	is "patches to one file add up" same "$(xargs <"$T/lib/patched")" "one TWO three four"
	is "the pristine copy is untouched" same "$(cat "$DIR/top/build/base/kernel/other.c")" base
}

test_repeat() {
	local before

	before=$(stat -c '%i %y' "$T/lib/patched" "$T/kernel/kprobes.c")
	is "a tree is made again" tree
	is "nothing is touched without need" same "$before" \
		"$(stat -c '%i %y' "$T/lib/patched" "$T/kernel/kprobes.c")"
	rm "$DIR/top/glue/0002.patch" "$DIR/top/kernel/other.c" "$DIR/top/kernel/kprobes.c"
	touch "$DIR/stamp"
	is "a tree with less of ours" tree
	is "a dropped patch is undone" same "$(xargs <"$T/lib/patched")" "one TWO three"
	is "a dropped file is the base's again" same "$(cat "$T/kernel/other.c")" base
	is "and newer than what was built from ours" test "$T/kernel/other.c" -nt "$DIR/stamp"
	isnt "a replaced file does not come back" test -e "$T/kernel/kprobes.c"
}

test_interrupted() {
	echo ours >"$DIR/top/kernel/new.c"
	tree
	rm "$DIR/top/kernel/new.c"
	# As an interrupted run leaves it: both sets in the manifest.
	echo kernel/never.c >>"$DIR/top/build/linux.manifest"
	sort -o "$DIR/top/build/linux.manifest" "$DIR/top/build/linux.manifest"
	is "an interrupted run is repaired" tree
	isnt "its files are gone" test -e "$T/kernel/new.c"
	mkdir -p "$DIR/top/build/base.unpack/half"
	rm -f "$DIR/top/build/base.stamp"
	is "an interrupted unpacking is repeated" tree
	isnt "without its remains" test -e "$DIR/top/build/base/half"
}

test_edited() {
	tree
	echo edited >"$T/kernel/other.c.new"
	mv "$T/kernel/other.c.new" "$T/kernel/other.c"
	echo ours >"$DIR/top/kernel/mine.c"
	tree
	sleep 0.1
	echo edited >"$T/kernel/mine.c"
	tree 2>"$DIR/err"
	is "an edit of the copy is noticed" has "$DIR/err" \
		"edit kernel/mine.c in the repository, not build/linux/kernel/mine.c"
	is "and kept" same "$(cat "$DIR/top/build/edited/kernel/mine.c")" edited
	is "ours is laid over it" same "$(cat "$T/kernel/mine.c")" ours
	tree 2>"$DIR/err"
	isnt "which is said once" has "$DIR/err" edit
	sleep 0.1
	echo both | tee "$T/kernel/mine.c" >"$DIR/top/kernel/mine.c"
	tree 2>"$DIR/err"
	isnt "what ours has, too, is no loss" has "$DIR/err" edit
	sleep 0.1
	echo more >>"$T/lib/patched"
	tree 2>"$DIR/err"
	is "of a patched file, the patch is named" has "$DIR/err" "edit glue/0001.patch"
	is "and it is made anew" same "$(xargs <"$T/lib/patched")" "one TWO three"
	sleep 0.1
	echo edited >"$T/Makefile"
	tree 2>"$DIR/err"
	is "and so is what is the base's" has "$DIR/err" "a patch in glue/, for Makefile is the base's"
	is "which both copies have again" cmp "$T/Makefile" "$DIR/src/Makefile"
	is "also the pristine one" cmp "$DIR/top/build/base/Makefile" "$DIR/src/Makefile"
}

# A directory is read when BASE= names it; what is done to it later, as make apply does,
# is not the base's.
test_directory() {
	tree
	cp "$DIR/top/build/base.stamp" "$DIR/stamp"
	tree
	is "a directory that has not changed is not unpacked again" cmp "$DIR/top/build/base.stamp" "$DIR/stamp"
	echo changed >"$DIR/src/lib/below"
	again
	isnt "what is changed in it later is not looked at" test -e "$T/lib/below"
	touch "$DIR/src"
	again
	isnt "also at its top" test -e "$T/lib/below"
	tree
	is "until BASE= names it again" same "$(cat "$T/lib/below")" changed
	rm "$DIR/src/lib/below"
	tree
	isnt "also what is gone" test -e "$T/lib/below"
	mkdir -p "$DIR/src/include/linux"
	touch "$DIR/src/include/linux/kprobes_core.h"
	is "with the series on it, it remains the base that it was" again
	isnt "without that" test -e "$T/include/linux/kprobes_core.h"
	isnt "as a new one it is refused" tree 2>"$DIR/err"
	tree 2>"$DIR/err"
	is "and why" has "$DIR/err" "has our series on it; make unapply KERNEL=$DIR/src takes it off"
	tar -C "$DIR" -cf "$DIR/linux-6.12.tar" src
	BASE=$DIR/linux-6.12.tar tree 2>"$DIR/err"
	is "also as a tarball" has "$DIR/err" "has our series on it"
	rm -r "$DIR/src/include"
	tree
}

test_refused() {
	mkdir -p "$DIR/old/kernel"
	printf 'VERSION = 6\nPATCHLEVEL = 11\n' >"$DIR/old/Makefile"
	BASE=$DIR/old tree 2>"$DIR/err"
	is "another series is refused, and why" has "$DIR/err" "only 6.12.y is supported"
	touch "$DIR/linux-6.1.9.tar.xz"
	BASE=$DIR/linux-6.1.9.tar.xz tree 2>"$DIR/err"
	is "a tarball by its name" has "$DIR/err" "only 6.12.y is supported"
	BASE=$DIR/nowhere tree 2>"$DIR/err"
	is "a missing base is named" has "$DIR/err" "$DIR/nowhere"
	isnt "none of them is remembered" grep -vqF "$DIR/src" "$DIR/top/build/base.choice"
	echo nonsense >"$DIR/top/glue/0003.patch"
	printf -- '--- a/lib/patched\n+++ b/lib/patched\n@@ -1,1 +1,1 @@\n-no\n+yes\n' \
		>>"$DIR/top/glue/0003.patch"
	BASE=$DIR/src tree 2>"$DIR/err"
	is "a patch that does not apply is an error" has "$DIR/err" "do not apply"
}
