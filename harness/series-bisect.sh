#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Plant a bug into one patch of the series, and let git bisect find that patch by kernels
# that are built and booted, as a distributor would. For series-check.sh, which has made
# the series.
#
# The bug halves the table of points: it compiles, and a case of kprobes_table fails.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/words.sh"

SERIES_DIR=$BUILD/series
TREE=bisect-tree
GIT=$BUILD/$TREE
BUGGY=kernel/kprobes/table.c

patches() { sed "s,^,$SERIES_DIR/," "$SERIES_DIR/series"; }

# A git tree of the base, whole. What git changes it writes anew, so links will do.
base_tree() {
	rm -rf "${GIT:?}"
	cp -al "$BUILD/base" "$GIT"
	cd "$GIT" || return
	git init -q .
	git config user.name tester
	git config user.email tester@localhost
	git config gc.auto 0
	git add -A -f
	git commit -q -m base
}

# Two thirds of the patches, of which the last one gets the bug; then the other ones.
plant() {
	local n

	n=$(($(patches | wc -l) * 2 / 3))
	patches | head -n "$n" | xargs git am -q || return
	sed -i 's/chains <= 2 \* (/chains <= 1 * (/' "$BUGGY"
	git commit -q --amend --no-edit "$BUGGY" || return
	PLANTED=$(git rev-parse HEAD)
	[ -n "$(git grep -F 'chains <= 1 * (' -- "$BUGGY")" ] || return
	patches | tail -n "+$((n + 1))" | xargs git am -q
}

# judge: for git bisect run, in the tree of a commit: 125 where there is nothing to boot.
judge() {
	grep -q '^config KPROBES$' arch/Kconfig || exit 125
	TREE_AS_IS=$TREE OBJECTS=bisect "$HARNESS/kernel.sh" series || exit 125
	"$HARNESS/kunit.sh" bisect | tee "$LOGS/series-bisect-kunit.log" || :
	grep -q '^ok .*kunit: ' "$LOGS/series-bisect-kunit.log" || exit 125
	! grep -q '^not ok .*kunit: kprobes_table' "$LOGS/series-bisect-kunit.log"
}

bisect() {
	git bisect start HEAD "$(git rev-list --max-parents=0 HEAD)" || return
	git bisect run "$HARNESS/series-bisect.sh" judge || return
	git bisect log
	[ "$(git rev-parse refs/bisect/bad)" = "$PLANTED" ]
}

if [ "${1:-}" = judge ]; then judge; exit; fi
base_tree && plant && bisect
