#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Prepare the kernel sources: build/base/ (pristine), build/linux/ (base less
# the files of replaced.list, plus ours, plus glue/*.patch) and, when asked
# with "stock", build/linux-stock/ (pristine, to be built in).
#
# Usage: tree.sh [stock]
#   BASE=  a tarball or a directory of any 6.12.y; default: the newest
#          /usr/src/linux-source-6.12*.tar.xz. Kept until BASE=default; of a directory,
#          what it was when BASE= named it.
#
# The trees share their files with build/base/ by hard links, so no file may
# be written in place: it is copied beside and renamed over. A file is only
# touched when its content changes, and gets a new time stamp when it does, so
# that make rebuilds exactly what is needed. build/linux.manifest lists what is
# not the base's; what falls out of the list is restored from the base.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/words.sh"

PRISTINE=$BUILD/base
STAGE=$BUILD/stage
TREE=$BUILD/linux
UNDONE=()
OURS=(include kernel arch lib samples Documentation tools scripts drivers)

default_base() {
	local f

	# shellcheck disable=SC2012 # newest version by name, no odd names here
	f=$(ls /usr/src/linux-source-$SERIES*.tar.xz 2>/dev/null | sort -V | tail -n 1)
	[ -n "$f" ] || die "no /usr/src/linux-source-$SERIES*.tar.xz (apt-get install linux-source-$SERIES), and no BASE="
	echo "$f"
}

# A BASE= given once stays in force for the commands that follow, until
# BASE=default or until it is gone.
choose_base() {
	local kept=$BUILD/base.choice

	[ "${BASE:-}" != default ] || { BASE=; rm -f "$kept"; }
	BASE_GIVEN=${BASE:-}
	if [ -n "$BASE_GIVEN" ]; then
		BASE=$(realpath -m "$BASE")
	elif [ -f "$kept" ] && [ -e "$(cat "$kept")" ]; then
		BASE=$(cat "$kept")
	else
		BASE=$(default_base)
	fi
}

# The identity of what was unpacked: another file, another tree. Of a directory it is that
# of all its files.
base_id() {
	if [ -d "$1" ]; then
		echo "$(realpath "$1") files $(cd "$1" && find . -path ./.git -prune -o ! -type d \
			-printf '%P %s %m %T@ %l\n' | sort | sha256sum | cut -c 1-16)"
	else
		echo "$(realpath "$1") $(stat -c '%s %Y' "$1")"
	fi
}

# has_copy: of a directory that BASE= has named before. It may have changed since, by make
# apply above all, which needs no new copy.
has_copy() {
	[ -z "$BASE_GIVEN" ] && [ -d "$BASE" ] && [ -f "$PRISTINE/Makefile" ] &&
		[ "$(sed 's/ [^ ]* [^ ]*$//' "$BUILD/base.stamp" 2>/dev/null)" = "$BASE" ]
}

unpack() {
	local dir=$BUILD/base.unpack

	rm -rf "$dir"
	mkdir -p "$dir"
	if [ -d "$BASE" ]; then
		cp -a "$BASE/." "$dir/"
		rm -rf "$dir/.git"
	else
		# Tell what the archive is by its first bytes, not by its name.
		tar -xf "$BASE" -C "$dir" --strip-components=1
	fi
}

prepare_base() {
	local id

	! has_copy || return 0
	id=$(base_id "$BASE")
	stamp_ok "$BUILD/base.stamp" "$id" && [ -f "$PRISTINE/Makefile" ] && return
	refuse_base
	step "unpack $(basename "$BASE")" "$LOGS/unpack.log" unpack
	refuse_by_makefile "$BUILD/base.unpack"
	rm -f "$BUILD/base.stamp"
	rm -rf "$PRISTINE"
	mv "$BUILD/base.unpack" "$PRISTINE"
	stamp_set "$BUILD/base.stamp" "$id"
}

# clone NAME: a hard-linked copy of the base as build/NAME. The object
# directories of an older copy (obj-*) are kept: they hold hours of work and
# make knows what in them is out of date.
clone() {
	local tree=$BUILD/$1 id o

	id=$(cat "$BUILD/base.stamp")
	stamp_ok "$tree.stamp" "$id" && [ -f "$tree/Makefile" ] && return
	rm -rf "$tree.new"
	cp -al "$PRISTINE" "$tree.new"
	rm -f "$tree.stamp" "$tree.manifest"
	for o in "$tree"/obj-*; do
		[ ! -d "$o" ] || mv "$o" "$tree.new/"
	done
	rm -rf "$tree"
	mv "$tree.new" "$tree"
	stamp_set "$tree.stamp" "$id"
}

list() { sed -e 's/#.*//' -e '/^[[:space:]]*$/d' "$HARNESS/$1.list"; }

# Files of the repository that belong into the tree.
our_files() {
	cd "$TOP" || return
	if git rev-parse --git-dir >/dev/null 2>&1; then
		git ls-files -co --exclude-standard -- "${OURS[@]}"
	else
		find "${OURS[@]}" -type f 2>/dev/null || :
	fi | sort -u | while read -r f; do
		[ ! -f "$f" ] || echo "$f"
	done
}

# What is computed from the base's file of that name, in the stage.
patched_files() {
	[ ! -f "$TOP/MAINTAINERS" ] || echo MAINTAINERS
	cat "$TOP"/glue/*.patch 2>/dev/null |
		sed -nE 's,^\+\+\+ b/([^[:space:]]+).*,\1,p' | sort -u
}

# Every patched file is computed anew from the pristine one, all patches in
# order, beside the tree.
stage_patches() {
	local f p

	rm -rf "$STAGE"
	mkdir -p "$STAGE"
	while read -r f; do
		mkdir -p "$STAGE/$(dirname "$f")"
		[ ! -f "$PRISTINE/$f" ] || cp "$PRISTINE/$f" "$STAGE/$f"
	done < <(patched_files)
	for p in "$TOP"/glue/*.patch; do
		[ -f "$p" ] || continue
		echo "== $p"
		patch -d "$STAGE" -p1 --no-backup-if-mismatch -f <"$p" || return 1
	done
	[ ! -f "$TOP/MAINTAINERS" ] ||
		awk -f "$HARNESS/maintainers.awk" "$TOP/MAINTAINERS" "$PRISTINE/MAINTAINERS" \
			>"$STAGE/MAINTAINERS"
}

# notice_edits: what was written to the copy since it was last laid over is lost
# as soon as ours is laid over it again: it is kept aside, and said.
notice_edits() {
	local f edited=$BUILD/edited

	[ -f "$BUILD/linux.laid" ] || return 0
	while read -r f; do
		[ -f "$PRISTINE/$f" ] || grep -qxF "$f" "$BUILD/linux.manifest" || continue
		! cmp -s "$TREE/$f" "$TOP/$f" || continue
		mkdir -p "$(dirname "$edited/$f")"
		cp --backup=numbered "$TREE/$f" "$edited/$f"
		say "edit $(origin "$f"), not ${TREE#"$TOP"/}/$f; what was written there is in ${edited#"$TOP"/}/$f"
		[ -f "$TOP/$f" ] || undo_edit "$f"
	done < <(cd "$TREE" && find . \( -name 'obj-*' -o -name __pycache__ \) -prune -o \
		-type f -newer "$BUILD/linux.laid" -printf '%P\n' | sort)
}

# origin FILE: where it is to be edited.
origin() {
	local patch

	if [ -f "$TOP/$1" ]; then
		echo "$1 in the repository"
	elif patch=$(cd "$TOP" && grep -lxF "+++ b/$1" glue/*.patch 2>/dev/null | tail -n 1) && [ -n "$patch" ]; then
		echo "$patch in the repository"
	else
		echo "a patch in glue/, for $1 is the base's"
	fi
}

# What is not ours comes from the base again, which may share the edited file.
undo_edit() {
	if [ "$TREE/$1" -ef "$PRISTINE/$1" ]; then
		rm -f "$BUILD/base.stamp" "$BUILD/linux.stamp"
	else
		rm -f "$TREE/$1"
	fi
	UNDONE+=("$1")
}

# What is there again is newer than what was built of the edited file.
redo_undone() {
	local f

	for f in ${UNDONE[@]+"${UNDONE[@]}"}; do
		rm -f "$TREE/$f"
		[ ! -f "$PRISTINE/$f" ] || cp "$PRISTINE/$f" "$TREE/$f"
	done
}

# differing DIR: which of the files on stdin the tree does not have as DIR has them. One
# look at all: most commands come here and find nothing to do.
differing() {
	local files

	files=$(cat)
	comm -23 <(sums_in "$1" <<<"$files") <(sums_in "$TREE" <<<"$files") | cut -c 67-
}
sums_in() { (cd "$1" && { xargs -r -d '\n' sha256sum 2>/dev/null || :; } | sort); }

# put SRC FILE: make FILE of the tree equal to SRC.
put() {
	local dst=$TREE/$2

	cmp -s "$1" "$dst" && return
	mkdir -p "$(dirname "$dst")"
	cp -f --remove-destination "$1" "$dst.harness-new"
	mv "$dst.harness-new" "$dst"
	touch "$dst"
	CHANGED=$((CHANGED + 1))
}

drop_replaced() {
	local r f

	while read -r r; do
		[ -e "$TREE/$r" ] || continue
		find "$TREE/$r" -type f | while read -r f; do
			f=${f#"$TREE"/}
			grep -qxF "$f" "$BUILD/linux.manifest.new" || rm -f "$TREE/$f"
		done
		[ ! -d "$TREE/$r" ] || find "$TREE/$r" -type d -empty -delete
	done < <(list replaced)
}

# What an earlier run laid over and this one does not: back to the base's.
restore_rest() {
	local f

	[ -f "$BUILD/linux.manifest" ] || return 0
	while read -r f; do
		if [ -f "$PRISTINE/$f" ] && ! is_replaced "$f"; then
			put "$PRISTINE/$f" "$f"
		elif [ -f "$TREE/$f" ]; then
			rm -f "$TREE/$f"
			CHANGED=$((CHANGED + 1))
		fi
	done < <(comm -23 "$BUILD/linux.manifest" "$BUILD/linux.manifest.new")
}

is_replaced() {
	local r

	while read -r r; do
		case $1 in "$r" | "$r"/*) return 0 ;; esac
	done < <(list replaced)
	return 1
}

overlay() {
	local f

	CHANGED=0
	redo_undone
	stage_patches >"$LOGS/glue.log" 2>&1 || {
		tail -n 15 "$LOGS/glue.log" | sed 's/^/    | /' >&2
		die "glue/*.patch do not apply to this base; full log: $LOGS/glue.log"
	}
	# In one move: others may be reading it.
	our_files >"$BUILD/ours.list.new"
	mv "$BUILD/ours.list.new" "$BUILD/ours.list"
	(cat "$BUILD/ours.list"; patched_files; list foreign) |
		sort -u >"$BUILD/linux.manifest.new"
	# From here to the end the tree is in between; an interrupted run is
	# repaired by the next one, which must know of both sets of files.
	restore_rest
	touch "$BUILD/linux.manifest"
	sort -u -o "$BUILD/linux.manifest.mid" \
		"$BUILD/linux.manifest.new" "$BUILD/linux.manifest"
	mv "$BUILD/linux.manifest.mid" "$BUILD/linux.manifest"
	drop_replaced
	while read -r f; do put "$PRISTINE/$f" "$f"; done < <(list foreign | differing "$PRISTINE")
	while read -r f; do put "$TOP/$f" "$f"; done < <(differing "$TOP" <"$BUILD/ours.list")
	while read -r f; do put "$STAGE/$f" "$f"; done < <(patched_files | differing "$STAGE")
	mv "$BUILD/linux.manifest.new" "$BUILD/linux.manifest"
	touch "$BUILD/linux.laid"
	[ "$CHANGED" -eq 0 ] || say "  done tree: $CHANGED files changed in ${TREE#"$TOP"/}"
}

main() {
	choose_base
	[ "${1:-}" = stock ] || notice_edits
	prepare_base
	# Only what has proved good is remembered.
	[ -z "$BASE_GIVEN" ] || stamp_set "$BUILD/base.choice" "$BASE"
	if [ "${1:-}" = stock ]; then
		clone linux-stock
	else
		clone linux
		overlay
	fi
}

ready
with_lock tree main "$@"; exit
