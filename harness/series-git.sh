# SPDX-License-Identifier: GPL-2.0
# Sourced by what tries the mails of the series. All but mails and forget_gone work in the
# git tree that is the current directory.
# shellcheck shell=bash disable=SC2034

# git_base: what lies there is the first commit of a repository.
git_base() {
	git init -q .
	git config user.name tester
	git config user.email tester@localhost
	git config gc.auto 0
	git add -A -f
	git commit -q -m base
}

mails() { sed "s,^,$SERIES_DIR/," "$SERIES_DIR/series"; }
take() { xargs git am -q; }

# plant COMMAND: where all mails have been taken, take the last third of them back, have
# COMMAND add a bug to the index, as part of the patch that is the last one then, and take
# the others again. PLANTED is its commit.
plant() {
	local third=$((($(mails | wc -l) + 2) / 3))

	git checkout -q -b planted "HEAD~$third" || return
	"$1" || return
	git commit -q --amend --no-edit || return
	PLANTED=$(git rev-parse HEAD)
	mails | tail -n "$third" | take
}

# bisected COMMIT JUDGE...: that is the bad one which git bisect run comes to.
bisected() {
	git bisect start HEAD "$(git rev-list --max-parents=0 HEAD)" || return
	git bisect run "${@:2}" || return
	[ "$(git rev-parse refs/bisect/bad)" = "$1" ]
}

# forget_gone TREE OBJECTS: let make build again what depends on a symbol that the series
# takes away; all of these are defined in two files. Kconfig does so itself, unless another
# entry still names the symbol.
forget_gone() {
	local s

	[ -f "$2/include/config/auto.conf" ] || return 0
	for s in $(mails | xargs sed -n 's/^-config //p' | sort -u); do
		! grep -q "^CONFIG_$s=" "$2/include/config/auto.conf" ||
			grep -qx "config $s" "$1"/arch/Kconfig "$1"/kernel/trace/Kconfig ||
			touch "$2/include/config/$s" || return
	done
}
