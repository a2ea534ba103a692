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
	test_apply_broken
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
	not_applied 's/^old$/older/' kernel/probes.c "has changes of its own in what the series replaces"
	not_applied 's/^old$/older/' kernel/old/gone.c "is a 6.12.7 kernel, too: kernel/old/gone.c"
	not_applied 's/12/11/' Makefile "only 6.12.y is supported"
	user_tree
	sed -i 's/= 7/= 6/' "$DIR/user/Makefile"
	sed -i 's/^old$/older/' "$DIR/user/kernel/probes.c"
	isnt "another 6.12 with another file that the series replaces" apply apply
	is "is told of series for others" has "$DIR/err" \
		"not as our base, a 6.12.7 kernel (make series BASE= makes a series for another one): kernel/probes.c"
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

# Runs that fail, or are killed, at one of the calls that they make.
test_apply_broken() {
	local half='echo half >"${!#}"' killed='kill -9 $PPID' what dirs=6

	exec 3>&1
	broken_toy
	for what in apply unapply; do
		is "$what: a copy fails, and all is as it was" \
			each_call "2 3 13" undone $what cp "$half"
		is "$what: or a directory is not made" each_call "1 2 $dirs" undone $what mkdir :
		is "$what: or the disk takes it not" each_call "1 1 1" undone $what sync :
		is "$what: one move fails, all are taken back" each_call "1 1 12" undone $what mv :
		is "$what: killed at a copy, it is done by the next run" \
			each_call "13 1 13" redone $what cp "$killed"
		is "$what: or at a move" each_call "1 1 12" redone $what mv "$killed"
		is "$what: the other command puts it back, too" \
			each_call "6 6 12" put_back $what mv "$killed"
		dirs=4
	done
	test_apply_past_error
	test_apply_leftovers "$killed"
	exec 3>&-
}

# What one file is in the way of is done with the others, and with that one by the next run.
test_apply_past_error() {
	tree_for apply
	mkdir "$DIR/user/kernel/new"
	state >"$DIR/state"
	stub mv '[[ $* = *probes.c.series-new* || $* = *both.c.series-old\ * ]]' 'echo "$@" >&2'
	isnt "a move fails, and so does one back" stubbed apply
	is "the file is named" has "$DIR/err" \
		"not restored, which the next run will try again: kernel/both.c"
	is "the original is there" test -f "$DIR/user/kernel/both.c.series-old"
	is "the others are as they were" same "$(state | diff - "$DIR/state" | grep -c '^[<>]')" 4
	is "it is put back by the next run" put_back apply
	is "and all is put on by one more" apply apply
	is "and taken off" apply unapply
}

test_apply_leftovers() {
	tree_for apply
	stub rm '[[ $* = *both.c.series-old* ]]' "$1"
	isnt "it is killed when all is in place" stubbed apply
	isnt "then it is on" apply apply
	is "as is said" has "$DIR/err" "on it already"
	is "and nothing is left of it" no_leftovers
	stub rm '[[ $* = *both.c.series-old* ]]' "$1"
	isnt "it is killed when all is off" stubbed unapply
	isnt "then it is off" apply unapply
	is "as is said, too" has "$DIR/err" "the series is not on it"
	is "it is the base" diff -r "$DIR/user" "$DIR/series/build/base"
	is "and is kept no longer" same "$(find "$DIR/series/build/applied" -type f)" ""
	echo mine >"$DIR/user/kernel/both.c.series-old"
	isnt "an original of which nothing is known is not overwritten" apply apply
	is "it is named" has "$DIR/err" "what a run has left: kernel/both.c.series-old"
	is "and is there" grep -qx mine "$DIR/user/kernel/both.c.series-old"
}

# stub COMMAND WHEN DO: of COMMAND's calls with a path in the user's tree, in the order n,
# those for which WHEN holds DO something else.
stub() {
	rm -rf "$DIR/stub"
	mkdir "$DIR/stub"
	cat >"$DIR/stub/$1" <<-END
	#!/bin/bash
	case "\$*" in *$DIR/user*)
		echo >>$DIR/stub/calls
		n=\$(wc -l <$DIR/stub/calls)
		if $2; then $3; exit 1; fi ;; esac
	exec $(command -v "$1") "\$@"
	END
	chmod +x "$DIR/stub/$1"
}
stubbed() { PATH=$DIR/stub:$PATH apply "$1"; }

# A user's tree without the series, and one with it, to be taken off; neither is the series
# made for each run.
broken_toy() {
	apply_toy
	printf '#!/bin/sh\n' >"$DIR/series/harness/series.sh"
	mkdir -p "$DIR"/for-{apply,unapply}/series/build
	cp -a "$DIR/user" "$DIR/for-apply"
	apply apply
	cp -a "$DIR/user" "$DIR/for-unapply"
	cp -a "$DIR/series/build/applied" "$DIR/for-unapply/series/build"
}

# tree_for WHAT: the tree on which that can be done.
tree_for() {
	rm -rf "$DIR/user" "$DIR/series/build/applied"
	cp -a "$DIR/for-$1/." "$DIR"
	state >"$DIR/state"
}

# All that there is to a file, and the directories.
state() {
	(cd "$DIR/user" && find . -type d -printf '%P\n' -o \
		-printf '%P %m %U:%G %T@ ' -exec sha256sum {} \;) | sort
}
unchanged() { state | cmp - "$DIR/state"; }
no_leftovers() { [ -z "$(find "$DIR/user" -name '*.series-*')" ]; }
# changed WHAT: that has been done, to all the files.
changed() {
	has "$DIR/err" "done $1: 7 files" || return
	case $1 in apply) set -- linux ;; *) set -- base ;; esac
	diff -r "$DIR/user" "$DIR/series/build/$1"
}

# each_call SEQUENCE CHECK WHAT COMMAND DO: at those of COMMAND's calls it does so, at one
# in each run, after which CHECK holds. The last number is how many calls there are. A disk
# that is full remains so; moves are needed to take moves back.
each_call() {
	local n when=-ge

	[ "$4" != mv ] || when=-eq
	# shellcheck disable=SC2086 # words
	for n in $(seq $1); do
		tree_for "$3"
		stub "$4" "[ \$n $when $n ]" "$5"
		! stubbed "$3" && "$2" "$3" || { echo "# call $n of $4" >&3; return 1; }
	done
	tree_for "$3"
	stub "$4" false :
	stubbed "$3" && changed "$3" && no_leftovers &&
		[ "$(wc -l <"$DIR/stub/calls")" -eq "${1##* }" ]
}

undone() {
	has "$DIR/err" "KERNEL=$DIR/user is as it was: " && unchanged && no_leftovers &&
		{ [ "$1" = unapply ] || [ -z "$(find "$DIR/series/build/applied" -type f)" ]; }
}

# What has been killed is done by the next run of it.
redone() {
	local told=0

	[ ! -e "$DIR/user/.series-undo" ] || told=1
	apply "$1" && changed "$1" && no_leftovers &&
		[ "$(grep -c 'a run did not end; all is put back first' "$DIR/err")" -eq $told ]
}

# The other command, too, puts the tree back; then it has nothing to do.
put_back() {
	case $1 in
	apply) set -- unapply "series is not on it" ;;
	*) set -- apply "on it already" ;;
	esac
	! apply "$1" && has "$DIR/err" "$2" && unchanged && no_leftovers
}
