#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Make HTML of our documents, build/docs/html, with Debian's Sphinx and the
# kernel's own extensions. A warning about one of our pages, or about a
# kernel-doc comment that they take in, is an error.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/words.sh"

DOCS=$BUILD/docs
TREE=$BUILD/linux
LOG=$LOGS/docs.log

# Our pages, and those of the base that they refer to; the latter are not judged.
pages() { (cd "$TOP" && find Documentation -name '*.rst'); }
neighbours() {
	(cd "$TOP" && pages | xargs grep -hoE 'Documentation/[a-z/_-]+\.rst') | sort -u |
		while read -r f; do if [ -f "$TREE/$f" ]; then echo "$f"; fi; done
}

collect() {
	local f

	rm -rf "$DOCS/source"
	mkdir -p "$DOCS/source"
	{ pages; neighbours; } | sort -u | while read -r f; do
		mkdir -p "$DOCS/source/$(dirname "${f#*/}")"
		cp "$TREE/$f" "$DOCS/source/${f#*/}"
	done
	{
		printf 'Kernel probes\n=============\n\n.. toctree::\n\n'
		pages | sort | sed 's,^Documentation/,   ,; s/\.rst$//'
	} >"$DOCS/source/index.rst"
}

sphinx() {
	(cd "$TREE/Documentation" && srctree=.. BUILDDIR=$DOCS sphinx-build -E -b html \
		-c . -D version=ours -D release=ours -D kerneldoc_srctree=.. \
		-D kerneldoc_bin=../scripts/kernel-doc -D html_theme=alabaster \
		-d "$DOCS/doctrees" "$DOCS/source" "$DOCS/html")
}

# What is said of ours: the path is that of the copy, or of a source.
complaints() {
	{ pages | sed 's,^Documentation,source,'; cat "$BUILD/ours.list"; } >"$DOCS/ours"
	grep -E 'WARNING|ERROR|warning:|error:' "$LOG" | grep -F -f "$DOCS/ours" || :
}

main() {
	"$HARNESS/tree.sh"
	collect
	step "Sphinx, $(pages | wc -l) pages" "$LOG" sphinx
	complaints >"$DOCS/complaints"
	[ ! -s "$DOCS/complaints" ] || {
		cat "$DOCS/complaints"
		die "$(wc -l <"$DOCS/complaints") warnings; full log: $LOG"
	}
	echo "$DOCS/html/index.html"
}

ready python3-sphinx
with_lock docs main; exit
