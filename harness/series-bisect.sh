#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Plant a bug into one patch of the series, and let git bisect find that patch by kernels
# that are built and booted, as a distributor would. For series-check.sh, which has made
# the series.
#
# The bug halves the table of points: it compiles, and a case of kprobes_table fails.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/words.sh"
. "$(dirname "$0")/series-git.sh"

SERIES_DIR=$BUILD/series
TREE=bisect-tree
GIT=$BUILD/$TREE
BUGGY=kernel/kprobes/table.c

# A git tree of the base, whole, and all patches. What git changes it writes anew, so links
# will do.
make_tree() {
	rm -rf "${GIT:?}"
	cp -al "$BUILD/base" "$GIT"
	cd "$GIT" && git_base && mails | take
}

bug_by_boot() {
	sed -i 's/chains <= 2 \* (/chains <= 1 * (/' "$BUGGY"
	git add -f "$BUGGY"
	! git diff --cached --quiet
}

# judge: for git bisect run, in the tree of a commit: 125 where there is nothing to boot.
judge() {
	grep -q '^config KPROBES$' arch/Kconfig || exit 125
	forget_gone "$GIT" "$GIT/obj-bisect" || exit 125
	TREE_AS_IS=$TREE OBJECTS=bisect "$HARNESS/kernel.sh" patched || exit 125
	"$HARNESS/kunit.sh" bisect | tee "$LOGS/series-bisect-kunit.log" || :
	grep -q '^ok .*kunit: ' "$LOGS/series-bisect-kunit.log" || exit 125
	! grep -q '^not ok .*kunit: kprobes_table' "$LOGS/series-bisect-kunit.log"
}

if [ "${1:-}" = judge ]; then judge; exit; fi
make_tree && plant bug_by_boot && bisected "$PLANTED" "$HARNESS/series-bisect.sh" judge
