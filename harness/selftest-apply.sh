# SPDX-License-Identifier: GPL-2.0
# Sourced by selftest.sh: tests of apply.sh, which puts a series onto a user's tree, with
# the toy of selftest-series.sh.
# shellcheck shell=bash

# apply WHAT [KERNEL]: onto a copy of the toy's base, or off it.
apply() {
	KERNEL=${2:-$DIR/user} BUILD=$DIR/series/build "$DIR/series/harness/apply.sh" "$1" 2>"$DIR/err"
}

user_tree() {
	rm -rf "$DIR/user"
	cp -r "$DIR/series/build/base" "$DIR/user"
}
as_before() { rm -rf "$DIR/user/.git"; diff -r "$DIR/user" "$DIR/before"; }

# not_applied SCRIPT FILE TEXT: with SCRIPT applied to FILE it is refused, and untouched.
not_applied() {
	user_tree
	sed -i "$1" "$DIR/user/$2"
	rm -rf "$DIR/before"
	cp -r "$DIR/user" "$DIR/before"
	isnt "not applied: $2, $1" apply apply
	is "since $3" has "$DIR/err" "$3"
	is "and nothing has changed" as_before
}

apply_toy() {
	series_toy
	cp -r "$HARNESS/." "$DIR/series/harness"
	# The toy has its tree already.
	printf '#!/bin/sh\n' | tee "$DIR"/series/harness/{tree,packages}.sh >/dev/null
	printf 'kernel/probes.c\nkernel/old\n' >"$DIR/series/harness/replaced.list"
	series
	user_tree
}

test_apply() {
	apply_toy
	is "it is applied" apply apply
	is "and is our tree" diff -r "$DIR/user" "$DIR/series/build/linux"
	isnt "it is not applied twice" apply apply
	is "and what takes it off is said" has "$DIR/err" \
		"the series is on it already; make unapply KERNEL=$DIR/user takes it off"
	is "it is taken off" apply unapply
	is "and is the base again" diff -r "$DIR/user" "$DIR/series/build/base"
	isnt "it is not taken off twice" apply unapply
	apply apply
	echo mine >>"$DIR/user/kernel/new/a.h"
	isnt "a new file that has changed is not taken off" apply unapply
	is "which is named" has "$DIR/err" "changed since: kernel/new/a.h"
	test_apply_anew
	test_apply_changed
	test_apply_git
	test_apply_kept
	test_apply_own
	test_apply_readonly
	test_apply_clean
}

# What is put on is what there is now, and not an older series.
test_apply_anew() {
	user_tree
	echo edited >"$DIR/series/build/linux/kernel/new/a.h"
	is "a change of ours since the last series" apply apply
	is "is put on" same "$(cat "$DIR/user/kernel/new/a.h")" edited
	echo first >"$DIR/series/build/linux/kernel/new/a.h"
}

test_apply_changed() {
	not_applied 's/^4$/four/' kernel/both.c "not each change applies"
	not_applied 's/^old$/older/' kernel/probes.c "not as our base, a 6.12.7 kernel"
	not_applied 's/^old$/older/' kernel/old/gone.c "makes a series for another one): kernel/old/gone.c"
	not_applied 's/12/11/' Makefile "only 6.12.y is supported"
	user_tree
	sed -i 's/^15$/fifteen/' "$DIR/user/kernel/both.c"
	is "a kernel of the base's version, with a distributor's change elsewhere" apply apply
	is "which is kept" grep -qx fifteen "$DIR/user/kernel/both.c"
	is "also when it is taken off" apply unapply
	is "and so is all else" same "$(diff -r "$DIR/user" "$DIR/series/build/base" | grep -c '^[<>]')" 2
	user_tree
	sed -i 's/= 7/= 8/' "$DIR/user/Makefile"
	sed -i 's/^15$/fifteen/' "$DIR/user/kernel/both.c"
	is "another 6.12 with a change elsewhere" apply apply
	is "which is kept" grep -qx fifteen "$DIR/user/kernel/both.c"
}

test_apply_git() {
	user_tree
	(cd "$DIR/user" && git init -q && git add -A &&
		git -c user.name=t -c user.email=t@t commit -q -m base && echo 41 >>kernel/both.c)
	isnt "a tree of git with a change that is not committed" apply apply
	is "is told so" has "$DIR/err" "not committed: kernel/both.c"
	(cd "$DIR/user" && git -c user.name=t -c user.email=t@t commit -q -a -m mine)
	is "committed, it is the user's" apply apply
	isnt "to apply it twice" apply apply
	is "is not told to be a matter of commits" has "$DIR/err" "on it already"
	user_tree
	(cd "$DIR/user" && git init -q && git add -A &&
		git -c user.name=t -c user.email=t@t commit -q -m base && echo 41 >>kernel/both.c)
	export GIT_TEST_ASSUME_DIFFERENT_OWNER=1
	isnt "a tree of git that is somebody else's" apply apply
	is "which git does not look at" has "$DIR/err" "safe.directory"
	unset GIT_TEST_ASSUME_DIFFERENT_OWNER
	user_tree
	(cd "$DIR" && git init -q && echo user >.gitignore)
	is "a plain tree in somebody's repository, which ignores it" apply apply
	rm -r "$DIR/.git" "$DIR/.gitignore"
}

# What was put on is kept; the series that there is later may be another one.
test_apply_kept() {
	user_tree
	apply apply
	echo changed >"$DIR/series/build/linux/kernel/new/a.h"
	sed -i 's/^thirty$/dreissig/' "$DIR/series/build/linux/kernel/both.c"
	series
	isnt "another series is not put onto what was put on" apply apply
	is "which is told from a kernel of another version" has "$DIR/err" "on it already"
	is "what was put on is taken off, though the series is another one now" apply unapply
	is "all of it" diff -r "$DIR/user" "$DIR/series/build/base"
	is "and is kept no longer" same "$(find "$DIR/series/build/applied" -type f)" ""
	apply apply
	user_tree
	echo again >"$DIR/series/build/linux/kernel/new/a.h"
	series
	patch -s -d "$DIR/user" -p1 -i "$DIR/series/build/series/combined.diff"
	mkdir -p "$DIR/user/include/linux"
	touch "$DIR/user/include/linux/kprobes_core.h"
	BASE=$DIR/user is "by hand, the series that there is was put on" apply unapply
	rm -r "$DIR/user/include"
	is "and is off again" diff -r "$DIR/user" "$DIR/series/build/base"
}

test_apply_own() {
	ln -s series/build/base "$DIR/link"
	isnt "the base is not a user's tree" apply apply "$DIR/series/build/base"
	is "as is said" has "$DIR/err" "is one of those that are made here"
	isnt "nor is it by another name" apply apply "$DIR/link"
	is "and it is left alone" same "$(cat "$DIR/series/build/base/kernel/probes.c")" "$(printf 'old\nlines')"
}

# as_user SCRIPT [WORD]: by one that file modes hold for, unlike root.
as_user() {
	local drop=()

	[ "$(id -u)" -ne 0 ] || drop=(setpriv --reuid=65534 --regid=65534 --clear-groups)
	KERNEL=$DIR/other/user BUILD=$DIR/other/build HOME=$DIR/other PATH=$DIR/other/bin:$PATH \
		"${drop[@]}" "$DIR/series/harness/$1.sh" "${@:2}" 2>"$DIR/err"
}

# The toy, to be written by that user, and its kernel.
other_toy() {
	mkdir -p "$DIR/other/build"
	cp -r "$DIR/series/build/"{base,linux,linux.manifest} "$DIR/other/build"
	cp -r "$DIR/series/build/base" "$DIR/other/user"
	[ "$(id -u)" -ne 0 ] || { chown -R 65534:65534 "$DIR/other"; chmod 711 "$DIR"; }
}

test_apply_readonly() {
	other_toy
	chmod 444 "$DIR/other/user/kernel/both.c" "$DIR/other/user/kernel/old/gone.c"
	install -m 444 /dev/null "$DIR/other/user/kernel/both.c.series-new"
	is "a file that is only to be read is changed" as_user apply apply
	is "and remains such a one" same "$(stat -c %a "$DIR/other/user/kernel/both.c")" 444
	is "also when it is taken off" as_user apply unapply
	is "and is as it was, without what an interrupted run had left" \
		diff -r "$DIR/other/user" "$DIR/series/build/base"
	chmod 555 "$DIR/other/user/kernel"
	isnt "into a directory that is not to be written nothing is put" as_user apply apply
	is "which is named" has "$DIR/err" "cannot be written: kernel"
	is "nor elsewhere" diff -r "$DIR/other/user" "$DIR/series/build/base"
	chmod 755 "$DIR/other/user/kernel"
	is "when it can be written, the series is put on" as_user apply apply
	chmod 555 "$DIR/other/user/kernel/new"
	isnt "and is not taken off, if it cannot be" as_user apply unapply
	is "which is named, too" has "$DIR/err" "cannot be written: kernel/new"
	chmod 755 "$DIR/other/user/kernel/new"
	is "until it can" as_user apply unapply
}

clean() { BUILD=$DIR/series/build "$DIR/series/harness/clean.sh" 2>"$DIR/err"; }

# With what make deb-test has made by sudo: a directory that is not the user's to write.
test_apply_clean() {
	local build=$DIR/series/build

	user_tree
	apply apply
	mkdir "$DIR/before-clean"
	cp -r "$build"/{base,linux,linux.manifest} "$DIR/before-clean"
	is "what was made is removed" clean
	is "but what is on a tree" same "$(ls "$build")" applied
	is "which is named" has "$DIR/err" "$DIR/user"
	cp -r "$DIR/before-clean/." "$build"
	echo later >"$build/linux/kernel/new/a.h"
	series
	is "it is taken off, though the series is another one now" apply unapply
	is "all of it" diff -r "$DIR/user" "$build/base"
	is "then all is removed" clean
	isnt "and no directory is left" test -e "$build"
	mkdir -p "$DIR/other/bin" "$DIR/other/build/debian-root/etc"
	printf '#!/bin/sh\nchmod -R u+w %s\n"$@"\n' "$DIR/other/build/debian-root" >"$DIR/other/bin/sudo"
	chmod +x "$DIR/other/bin/sudo"
	[ "$(id -u)" -ne 0 ] || chown -R 65534:65534 "$DIR/other/build"
	chmod 555 "$DIR/other/build/debian-root"
	is "what sudo has made is removed by sudo" as_user clean
	isnt "then, too" test -e "$DIR/other/build"
}
