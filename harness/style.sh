# SPDX-License-Identifier: GPL-2.0
# Sourced by what runs checkpatch.
# shellcheck shell=bash

# style_root TREE DIRECTORY: the tree as checkpatch needs it. Of each file it asks
# get_maintainer.pl whether that is obsolete, and spdxcheck.py, for which modules of Python
# are missing: that would take four times as long as all else, and make check asks for the
# owners anyway. It looks for names below include by itself, and follows no link there.
style_root() {
	local f

	rm -rf "$2"
	mkdir -p "$2/scripts"
	cp -al "$1/include" "$2/"
	for f in "$1"/* "$1"/scripts/*; do
		case ${f#"$1"/} in
		include | scripts | scripts/get_maintainer.pl | scripts/spdxcheck.py) ;;
		*) ln -s "$f" "$2/${f#"$1"/}" ;;
		esac
	done
}
