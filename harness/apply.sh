#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Put the series onto a kernel tree of the user's, or take it off again. All of it or
# nothing: the files are patched beside the tree, and written into it as NAME.series-new.
# Then each file is renamed NAME.series-old, and the new one takes its name. What fails
# is taken back by renames alone, which need no room on the disk; after a kill or a loss
# of power, the next run does that first. Files that are not the series' are not looked at.
#
# Usage: apply.sh apply|unapply
#   KERNEL=  the tree: a 6.12.y kernel, under git or not. Refused is another version;
#            one in which a file of the series has changes that git has no commit of, or
#            is not that of our base, if the series has it as a whole or takes it away;
#            and one to which not each hunk for the other files applies as it is, without
#            fuzz: "make series BASE=..." makes a series for another 6.12.y. A kernel of
#            the base's version may have changes in them, as a distributor's has.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/words.sh"

WHAT=${1:?apply or unapply}
SERIES_DIR=$BUILD/series
WORK=$BUILD/series-apply
# What plan() says: while files are moved, and once all are in place. They lie in the tree,
# so that a loss of power leaves them in order with the moves.
UNDO=${KERNEL:-}/.series-undo
DONE=${KERNEL:-}/.series-done

touched() { cut -c 67- "$SERIES_DIR/touched"; }
touched_dirs() { touched | xargs dirname | sort -u; }

refuse_kernel() {
	local v

	[ -n "${KERNEL:-}" ] || die "KERNEL= is to name a kernel tree"
	[ -f "$KERNEL/Makefile" ] && [ -d "$KERNEL/kernel" ] ||
		die "KERNEL=$KERNEL is not a kernel source tree"
	case $(realpath "$KERNEL") in "$(realpath "$BUILD")"/*)
		die "KERNEL=$KERNEL is one of those that are made here; give a tree of yours" ;; esac
	v=$(version "$KERNEL")
	case $v in $SERIES.*) ;; *) die "KERNEL=$KERNEL is a $v kernel; only $SERIES.y is supported" ;; esac
}

version() {
	sed -nE 's/^(VERSION|PATCHLEVEL|SUBLEVEL) = ([0-9]+)$/\2/p' "$1/Makefile" | head -n 3 | paste -sd.
}

# Git knows the tree's files. To lie somewhere in a repository is not enough.
is_git() {
	git -C "$KERNEL" ls-files --error-unmatch Makefile >/dev/null 2>"$WORK/git" && return
	! grep -qE 'dubious ownership|unsafe repository' "$WORK/git" ||
		die "KERNEL=$KERNEL is in a repository of another user, which git does not look at; if you trust it: $(
			grep -m 1 -o 'git config .*' "$WORK/git" || echo git config --global --add safe.directory)"
	return 1
}

# What git has no commit of, among the files of the series.
uncommitted() {
	touched | xargs git -C "$KERNEL" --literal-pathspecs status --porcelain --ignored -- | cut -c 4-
}

# unlike SUMS: files that are not what they should be, of those that the series has as a
# whole. Of the others patch is the judge.
unlike() {
	local sum f

	while read -r sum f; do
		! grep -qxF "$f" "$SERIES_DIR/patched" || continue
		case $sum in
		-*) [ ! -e "$KERNEL/$f" ] || echo "$f" ;;
		*)  echo "$sum  $KERNEL/$f" | sha256sum --status -c 2>/dev/null || echo "$f" ;;
		esac
	done <"$SERIES_DIR/$1"
}

# Of the files that the series has as a whole, those that it would leave as they are.
brought() {
	(cd "$KERNEL" && touched | grep -vxF -f "$SERIES_DIR/patched" | xargs sha256sum 2>/dev/null) |
		grep -xF -f "$SERIES_DIR/after" || :
}

# Before git is asked, and the base: advice to commit, or to take another base, would do
# damage now.
refuse_twice() {
	local SERIES_DIR

	for SERIES_DIR in "$(kept)" "$BUILD/series"; do
		[ ! -f "$SERIES_DIR/after" ] || [ -z "$(brought)" ] ||
			die "KERNEL=$KERNEL: the series is on it already; make unapply KERNEL=$KERNEL takes it off"
	done
}

name_some() { sed -n 1,5p | paste -sd ' '; }

refuse_changes() {
	local changed

	if is_git; then
		changed=$(uncommitted)
		[ -z "$changed" ] || die "KERNEL=$KERNEL has changes that are not committed: $(name_some <<<"$changed")"
	fi
	changed=$(unlike touched)
	[ -z "$changed" ] || die_unlike "$(version "$BUILD/base")" "$(name_some <<<"$changed")"
}

# die_unlike VERSION FILES: where the base has the version of the tree, another base would
# make a series that takes the user's changes away.
die_unlike() {
	[ "$(version "$KERNEL")" != "$1" ] ||
		die "KERNEL=$KERNEL has changes of its own in what the series replaces; our base is a $1 kernel, too: $2"
	die "KERNEL=$KERNEL is not as our base, a $1 kernel (make series BASE= makes a series for another one): $2"
}

# What was put on is taken off, not what it would be today; if that has been taken off by
# hand, the series that there is.
choose_series() {
	local kept

	kept=$(kept)
	for SERIES_DIR in "$kept" "$BUILD/series"; do
		[ ! -f "$SERIES_DIR/after" ] || [ -n "$(unlike after)" ] || return 0
	done
	[ ! -d "$kept" ] || SERIES_DIR=$kept
}

# Where it is kept what was put onto the tree.
kept() { echo "$BUILD/applied/$(realpath "$KERNEL" | sha256sum | cut -c 1-16)"; }

keep() {
	rm -rf "$1" && mkdir -p "$1" &&
		(cd "$SERIES_DIR" && cp combined.diff touched after patched "$1") &&
		realpath "$KERNEL" >"$1/tree"
}

refuse_to_unapply() {
	local changed

	changed=$(unlike after)
	[ -z "$changed" ] || die "KERNEL=$KERNEL: the series is not on it, or its files have changed since: $(name_some <<<"$changed")"
}

# Directories in which files are to come or go, and cannot.
unwritable() {
	local d

	touched_dirs | while read -r d; do
		until [ -d "$KERNEL/$d" ]; do d=$(dirname "$d"); done
		[ -w "$KERNEL/$d" ] && [ -x "$KERNEL/$d" ] || echo "$d"
	done | sort -u
}

refuse_unwritable() {
	local dirs

	dirs=$(unwritable)
	[ -z "$dirs" ] || die "KERNEL=$KERNEL is as it was: cannot be written: $(name_some <<<"$dirs")"
}

# Originals of which no plan tells: another move onto their names would destroy them.
refuse_leftovers() {
	local old

	old=$(cd "$KERNEL" && touched | sed 's/$/.series-old/' | xargs ls -d 2>/dev/null) || :
	[ -z "$old" ] || die "KERNEL=$KERNEL is as it was: remove, or rename, what a run has left: $(
		name_some <<<"$old")"
}

# The files of the series as they are, but to be written here, whatever their modes.
stage() {
	local f

	rm -rf "$WORK/new"
	mkdir -p "$WORK/new"
	while read -r f; do
		[ -f "$KERNEL/$f" ] || continue
		mkdir -p "$WORK/new/$(dirname "$f")" && cp -p "$KERNEL/$f" "$WORK/new/$f" ||
			die "KERNEL=$KERNEL is as it was: $f cannot be copied to $WORK"
	done < <(touched)
	chmod -R u+w "$WORK/new"
}

# plan: WHAT, then the moves, then the directories that are to be made, the deepest first.
plan() {
	local f

	echo "$WHAT"
	while read -r f; do
		if [ ! -f "$WORK/new/$f" ]; then
			[ ! -e "$KERNEL/$f" ] || echo "remove $f"
		elif [ ! -e "$KERNEL/$f" ]; then
			echo "add $f"
		elif ! cmp -s "$WORK/new/$f" "$KERNEL/$f"; then
			echo "change $f"
		fi
	done < <(touched)
	touched_dirs | while read -r f; do
		until [ -d "$KERNEL/$f" ]; do echo "dir $f"; f=$(dirname "$f"); done
	done | sort -ru
}

# write_new FILE: beside that which is there, whose owner and mode it has.
write_new() {
	local at=$KERNEL/$1

	mkdir -p "${at%/*}" && cp -T --remove-destination "$WORK/new/$1" "$at.series-new" || return
	[ ! -e "$at" ] || cp --attributes-only --preserve=mode,ownership "$at" "$at.series-new"
}

# Whatever needs room.
prepare() {
	local kind f

	while read -r kind f; do
		case $kind in add | change) write_new "$f" || return ;; esac
	done <"$UNDO"
}

# The last of the moves makes it done.
swap() {
	local kind f

	while read -r kind f; do
		f=$KERNEL/$f
		case $kind in change | remove) mv -f "$f" "$f.series-old" || return ;; esac
		case $kind in change | add) mv -f "$f.series-new" "$f" || return ;; esac
	done <"$UNDO"
	mv -f "$UNDO" "$DONE"
}

# The plan is there before all else. Before the first move all is on the disk.
move_in() {
	local plan

	plan=$(plan) && printf '%s\n' "$plan" >"$UNDO.series-new" &&
		mv -f "$UNDO.series-new" "$UNDO" && prepare &&
		{ [ "$WHAT" = unapply ] || keep "$(kept)"; } && sync -f "$KERNEL" && swap
}

# undo_one KIND FILE: however far that has come.
undo_one() {
	rm -f "$2.series-new" || return
	case $1 in
	change | remove) [ ! -e "$2.series-old" ] || mv -f "$2.series-old" "$2" ;;
	add) rm -f "$2" ;;
	dir) [ ! -d "$2" ] || rmdir --ignore-fail-on-non-empty "$2" ;;
	esac
}

# What one file is in the way of does not stop it at the others.
undo() {
	local kind f bad

	rm -f "$UNDO.series-new"
	[ -f "$UNDO" ] || return 0
	bad=$(while read -r kind f; do undo_one "$kind" "$KERNEL/$f" || echo "$f"; done <"$UNDO")
	[ -z "$bad" ] ||
		die "KERNEL=$KERNEL: not restored, which the next run will try again: $(xargs <<<"$bad")"
	! grep -qx apply "$UNDO" || rm -rf "$(kept)"
	rm -f "$UNDO"
}

# All is in place.
finish() {
	local kind f

	while read -r kind f; do
		case $kind in
		unapply) rm -rf "$(kept)" ;;
		change) rm -f "$KERNEL/$f.series-old" ;;
		remove)
			rm -f "$KERNEL/$f.series-old"
			(cd "$KERNEL" && rmdir -p "$(dirname "$f")" 2>/dev/null) || : ;;
		esac
	done <"$DONE"
	rm -f "$DONE"
}

# After a run that was killed.
recover() {
	[ ! -f "$UNDO" ] || say "  KERNEL=$KERNEL: a run did not end; all is put back first"
	undo
	[ ! -f "$DONE" ] || finish
}

# run_patch OPTION WHY: WHY is said when it fails.
run_patch() {
	local log=$LOGS/$WHAT.log

	patch -d "$WORK/new" -p1 -F0 -s -f "$1" <"$SERIES_DIR/combined.diff" >"$log" 2>&1 && return
	grep -E 'FAILED|already exists|Reversed|ignored' "$log" | head -n 5 | sed 's/^/    | /' >&2 || :
	die "KERNEL=$KERNEL is as it was: $2; full log: $log"
}

main() {
	local option why n

	mkdir -p "$WORK"
	recover
	if [ "$WHAT" = apply ] || { [ ! -e "$(kept)" ] && [ ! -f "$BUILD/series/patched" ]; }; then
		"$HARNESS/series.sh" >/dev/null
	fi
	case $WHAT in
	apply)
		option=-N why="not each change applies (make series BASE= makes a series for another base)"
		refuse_twice
		refuse_changes ;;
	unapply)
		option=-R why="the series is not on it, or its files have changed since"
		choose_series
		refuse_to_unapply ;;
	esac
	refuse_unwritable
	refuse_leftovers
	stage
	run_patch $option "$why"
	# It takes seconds, and half of it is no kernel.
	trap '' HUP INT TERM
	move_in || { undo; die "KERNEL=$KERNEL is as it was: not all could be written"; }
	n=$(touched | wc -l)
	finish
	say "  done $WHAT: $n files of $KERNEL, a $(version "$KERNEL") kernel"
}

refuse_kernel
# What is taken off is known; a base that has it on is no reason to refuse that.
[ "$WHAT" = apply ] || unset BASE
ready
with_lock apply main; exit
