# SPDX-License-Identifier: GPL-2.0
# Sourced by selftest.sh: tests of series.py, which deals a change into patches.
# shellcheck shell=bash

# A base with one file that is written anew, one that goes, one that is patched in two
# places and one that has an entry which goes and comes back; and what is made of it.
series_toy() {
	local b=$DIR/series/build/base t=$DIR/series/build/linux s=$DIR/series/series

	rm -rf "$DIR/series"
	mkdir -p "$DIR/series/harness" "$s/messages" "$b/kernel/old" "$t/kernel/new"
	printf 'VERSION = 6\nPATCHLEVEL = 12\nSUBLEVEL = 7\n' >"$b/Makefile"
	printf 'old\nlines\n' | tee "$b/kernel/probes.c" >"$b/kernel/old/gone.c"
	# With the sign of a line that goes, it looks like a head of a diff.
	echo "-- dashes" >>"$b/kernel/old/gone.c"
	seq 40 | tee "$b/kernel/both.c" | sed 's/^3$/three/; s/^30$/thirty/' >"$t/kernel/both.c"
	printf 'config A\n\tbool\n\nconfig B\n\tbool\n\nconfig C\n\tbool\n' | tee "$b/Kconfig" |
		sed '/config B/,/bool/s/bool/bool "B"/' >"$t/Kconfig"
	printf '#include "new/a.h"\nnew\n' >"$t/kernel/probes.c"
	echo first >"$t/kernel/new/a.h"
	printf 'one\n\nobj-y += c.o\n' | tee "$t/kernel/new/Makefile" >"$t/kernel/new/c.c"
	cp "$b/Makefile" "$t/Makefile"
	printf 'kernel/probes.c\nkernel/old\n' >"$DIR/series/harness/replaced.list"
	printf '%s\n' Kconfig kernel/both.c kernel/new/Makefile kernel/new/a.h kernel/new/c.c \
		kernel/probes.c \
		>"$DIR/series/build/linux.manifest"
	printf '%s\n' 'author A B <a@b>' 'date Mon, 23 Nov 2026 12:00:00 +0000' 'patch out removal' \
		'out kernel/probes.c kernel/old/*' 'out-lines Kconfig /^config B/../^config /' \
		'lines kernel/new/Makefile /one/../obj/' 'patch core' 'has kernel/new/a.h kernel/probes.c' \
		'lines kernel/both.c /^(3|three)$/' 'patch rest' 'rest kernel/** Kconfig' >"$s/list"
	for n in out core rest; do printf 'toy: Do %s\n\nWhy.\n' "$n" >"$s/messages/$n.txt"; done
	printf '\nFixes: 7 ("toy: Be")\n' >>"$s/messages/core.txt"
	echo none >"$s/exports.txt"
	printf 'toy\n\nOf:\n\n  @BASE@\n@PATCHES@\n@EXPORTS@\n@STAT@\n\nThose\nfrom @out@ to @rest@\n' >"$s/cover.txt"
}

series() { "$HARNESS/series.py" --top "$DIR/series" --build "$DIR/series/build" "$@" >"$DIR/series.out" 2>&1; }

# after N FILE: what the file is then, its lines as words.
after() {
	rm -rf "$DIR/series/at"
	cp -r "$DIR/series/build/base" "$DIR/series/at"
	series --state "$1" --to "$DIR/series/at"
	cat "$DIR/series/at/$2" 2>&1 | xargs
}

# series_wrong SCRIPT FILE TEXT: with SCRIPT applied to FILE, TEXT is said, and there is none.
series_wrong() {
	series_toy
	sed -i "$1" "$DIR/series/$2"
	isnt "a series with a plan that is wrong ($1)" series
	is "it says: $3" has "$DIR/series.out" "$3"
	isnt "and there is none" test -e "$DIR/series/build/series"
}

test_exports() {
	local l='0x0\t%s\tvmlinux\t%s\t%s\n'

	printf "$l" a EXPORT_SYMBOL '' b EXPORT_SYMBOL_GPL '' >"$DIR/stock.symvers"
	cp "$DIR/stock.symvers" "$DIR/ours.symvers"
	printf "$l" new EXPORT_SYMBOL_GPL '' >>"$DIR/ours.symvers"
	printf '0x0\tx\tkernel/other\tEXPORT_SYMBOL\t\n' >>"$DIR/ours.symvers"
	mkdir -p "$DIR/objects"
	cp "$DIR/ours.symvers" "$DIR/objects/Module.symvers"
	printf '# Linux/toy 6.12.7 Kernel Configuration\nCONFIG_JPROBES=y\n' >"$DIR/objects/.config"
	"$HARNESS/exports.py" "$DIR"/{objects/Module,stock}.symvers >"$DIR/exports"
	is "exports: what they were counted on" same "$(head -n 1 "$DIR/exports")" \
		"Linux 6.12.7, toy, with CONFIG_JPROBES=y:"
	"$HARNESS/exports.py" "$DIR"/{ours,stock}.symvers >"$DIR/exports"
	is "exports: a new one, and those of another module" same "$(cat "$DIR/exports")" \
		"2 of the 2 symbols that the base exports are exported alike, 1 are new.
Not compared, for the base is configured without: kernel/other
+ new (EXPORT_SYMBOL_GPL)"
	printf "$l" c EXPORT_SYMBOL '' new EXPORT_SYMBOL '' >>"$DIR/stock.symvers"
	isnt "one that is missing, and one for others" \
		"$HARNESS/exports.py" "$DIR"/{ours,stock}.symvers
	"$HARNESS/exports.py" "$DIR"/{ours,stock}.symvers >"$DIR/exports"
	is "is told" has "$DIR/exports" "c (EXPORT_SYMBOL): not exported"
	is "and so is the other" has "$DIR/exports" "new: EXPORT_SYMBOL, here EXPORT_SYMBOL_GPL"
}

test_series() {
	local out=$DIR/series/build/series

	series_toy
	is "a series is made" series
	is "it has three patches" same "$(xargs <"$out/series")" \
		"0001-out.patch 0002-core.patch 0003-rest.patch"
	is "what is removed is not there" has <(after 1 kernel/probes.c) "No such file"
	is "an entry goes" same "$(after 1 Kconfig)" "config A bool config C bool"
	is "and comes back as it shall be" same "$(after 3 Kconfig)" "config A bool config B bool B config C bool"
	is "a line is there before the others of its file" same "$(after 1 kernel/new/Makefile)" one
	is "without the blank line above those" same "$(wc -l <"$DIR/series/at/kernel/new/Makefile")" 1
	is "a file has its changes in two patches" same "$(after 2 kernel/both.c | cut -d ' ' -f 3,30)" "three 30"
	is "the last of which is ours" same "$(after 3 kernel/both.c | cut -d ' ' -f 3,30)" "three thirty"
	rm -rf "$DIR/series/at"
	cp -r "$DIR/series/build/base" "$DIR/series/at"
	is "patch applies each of them" series --follow "$DIR/series/at"
	is "in the end, the trees are equal" diff -r "$DIR/series/at" "$DIR/series/build/linux"
	test_series_mails
	sed -i 's/^+new$/+newer/' "$out/0002-core.patch"
	cp -r "$DIR/series/build/base" "$DIR/series/at2"
	isnt "a patch that is not as planned is an error" series --follow "$DIR/series/at2"
	is "which names it" has "$DIR/series.out" "0002-core.patch: kernel/probes.c is not what"
	test_series_wrong
}

# sums SIZE...: of one file each, of which so many lines came and went.
sums() {
	# shellcheck disable=SC2016 # Python's
	PYTHONPATH=$HARNESS python3 -c 'import sys, series_mail
for size in sys.argv[1:]: print(end=series_mail.stat_sum({"file": eval(size)}))' "$@"
}

# Who sends them and when, and what they are made of.
test_series_mails() {
	local out=$DIR/series/build/series

	is "the base is named" has "$out/0000-cover-letter.patch" "  Linux 6.12.7"
	is "and the sum of its files, which anybody can make" has "$out/0003-rest.patch" \
		"$(sha256sum <"$out/touched" | cut -d ' ' -f 1)"
	is "each mail is a second later" same "$(sed -n "s/^Date: .*12:00:\(..\) .*/\1/p" \
		"$out"/000[0-3]*.patch | xargs)" "00 01 02 03"
	is "the cover letter has the size of all, by directory" has "$out/0000-cover-letter.patch" \
		" kernel/new | 3 files, +7 -0"
	is "and in sum" has "$out/0000-cover-letter.patch" \
		"7 files changed, 12 insertions(+), 8 deletions(-)"
	is "as git writes it" same "$(sums "(1, 0)" "(0, 1)" "(0, 0)" "(2, 1)")" \
		" 1 file changed, 1 insertion(+)
 1 file changed, 1 deletion(-)
 1 file changed, 0 insertions(+), 0 deletions(-)
 1 file changed, 2 insertions(+), 1 deletion(-)"
	is "and the numbers of patches that it names, the lines filled again" \
		has "$out/0000-cover-letter.patch" "Those from 1 to 3"
	is "trailers stand together" has "$out/0002-core.patch" 'Why.

Fixes: 7 ("toy: Be")
Signed-off-by: A B <a@b>'
	is "and below a blank line" has "$out/0003-rest.patch" 'Why.

Signed-off-by: A B <a@b>'
	is "the author signs" same "$(grep -l '^Signed-off-by: A B <a@b>' "$out"/*.patch | wc -l)" 3
	SIGNER="C D <c@d>" series
	is "or who sends it" same "$(grep -lx 'Signed-off-by: C D <c@d>' "$out"/*.patch | wc -l)" 3
	is "in his name" same "$(grep -lx 'From: C D <c@d>' "$out"/*.patch | wc -l)" 4
	isnt "who has an address" env SIGNER="C D" "$HARNESS/series.py" --top "$DIR/series" --build "$DIR/series/build"
	mkdir -p "$DIR/dpkg"
	printf '#!/bin/sh\ncase $1 in -S) echo "source: $2" ;; *) printf "$2\t6.12.7-1" ;; esac\n' >"$DIR/dpkg/dpkg-query"
	chmod +x "$DIR/dpkg/dpkg-query"
	echo "/usr/src/source.tar 7 7" >"$DIR/series/build/base.stamp"
	PATH=$DIR/dpkg:$PATH series
	is "the package that the base is of is named" has "$out/0000-cover-letter.patch" \
		"  Linux 6.12.7, from Debian's package source, version 6.12.7-1"
	is "line by line" has "$out/0000-cover-letter.patch" '  sha256 of the file "touched": '
}

test_series_wrong() {
	series_wrong 's/ Kconfig$//' series/list "Kconfig: no patch has 3 of its lines"
	series_wrong 's/^rest .*/rest Kconfig/' series/list "kernel/new/Makefile: no patch has 1 of its lines"
	series_wrong 's,^rest .*,&\nhas kernel/probes.c,' series/list "kernel/probes.c: in two patches"
	series_wrong 's,^rest .*,&\nlines kernel/both.c /three/,' series/list "kernel/both.c: in two patches"
	series_wrong 's,^rest .*,&\nhas kernel/none.c,' series/list "matches nothing: kernel/none.c"
	series_wrong 's,^has kernel/new/a.h,has,' series/list "names kernel/new/a.h, which is not there"
	series_wrong 's,^lines kernel/new/Makefile .*,has kernel/new/Makefile,' series/list \
		"comes with out, and names kernel/new/c.c, which is not there"
	series_wrong 's/^patch rest/&\npatch empty/' series/list "rest: has nothing"
	series_toy
	sed -i 's,c\.o,$(addprefix ../new/\, c.o),' "$DIR/series/build/linux/kernel/new/Makefile"
	sed -i 's,^lines kernel/new/Makefile .*,has kernel/new/Makefile,' "$DIR/series/series/list"
	isnt "an object of a directory that comes later" series
	is "is named" has "$DIR/series.out" "comes with out, and names kernel/new/c.c, which is not there"
	series_wrong 's/^has/hsa/' series/list "no word hsa"
	series_wrong 's/core/kore/' series/list "messages/kore.txt: is not there"
	series_toy
	seq 1501 >"$DIR/series/build/linux/kernel/new/a.h"
	isnt "a patch that is too large" series
	is "is named" has "$DIR/series.out" "core: 1505 lines, more than 1500"
	sed -i 's/^patch core/patch core tests/' "$DIR/series/series/list"
	is "unless it has tests" series
}
