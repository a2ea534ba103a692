#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Make HTML of our documents, build/docs/html, with Debian's Sphinx and the
# kernel's own extensions. A warning about one of our pages, or about a
# kernel-doc comment that they take in, is an error; so is a reference that leads
# nowhere, if what it names has such a comment of ours.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/words.sh"
. "$(dirname "$0")/ours.sh"

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
	(cd "$TREE/Documentation" && srctree=.. BUILDDIR=$DOCS sphinx-build -E -n -b html \
		-c . -D version=ours -D release=ours -D kerneldoc_srctree=.. \
		-D kerneldoc_bin=../scripts/kernel-doc -D html_theme=alabaster \
		-d "$DOCS/doctrees" "$DOCS/source" "$DOCS/html")
}

# What is said of ours: the path is that of the copy, or of a source.
complaints() {
	{ pages | sed 's,^Documentation,source,'; cat "$BUILD/ours.list"; } >"$DOCS/ours"
	grep -E 'WARNING|ERROR|warning:|error:' "$LOG" | grep -F -f "$DOCS/ours" | refers_to_ours || :
}

# documented: what kernel-doc comments of ours are about, but for what two of them are
# about, for two configurations: Sphinx takes one.
documented() {
	(cd "$TREE" && ours '\.[ch]$' | xargs sed -nE \
		's,^ \* ((struct|enum|union|typedef|define) )?([A-Za-z_0-9]+)(\(\))? - .*,\3,p') | sort | uniq -u
}

# refers_to_ours: without references to what the base, or no comment, describes.
refers_to_ours() {
	documented >"$DOCS/documented"
	awk -v names="$DOCS/documented" '
		BEGIN { while ((getline n <names) > 0) ours[n] }
		!/reference target not found: / || $NF in ours'
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
