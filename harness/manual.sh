#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Does the manual list what the code has? Prints each entry that only one of the
# two has; nothing if they agree. Usage: manual.sh [TOP]
#
# The lists: reasons for no jump, columns of the file "stats", errors of a
# registration, texts that error_log has for events, messages of kprobes, parameters
# of the kernel, files of debugfs, /proc/sys and /sys/module. Each is found in the code by
# what it looks like, not by the name of its file.
. "$(dirname "$0")/lib.sh"

cd "${1:-$TOP}"
PAGES=Documentation/trace

# From the line that has $1 to the end of the section: a line of signs under it.
section() { awk -v from="$1" 'f && /^(===|---)+$/ && last !~ /^ *$/ && n++ { exit }
	index($0, from) { f = 1 } f { print; last = $0 }'; }

# compare WHAT: the list of the code is $DIR/code, that of the page $DIR/page.
compare() {
	[ -s "$DIR/code" ] || echo "$1: none found in the code"
	sort -u "$DIR/code" -o "$DIR/code"
	sort -u "$DIR/page" -o "$DIR/page"
	comm -23 "$DIR/code" "$DIR/page" | sed "s/^/$1: not in the manual: /"
	comm -13 "$DIR/code" "$DIR/page" | sed "s/^/$1: not in the code: /"
}

# In C, the texts of the file that has the first of them, and that of a kernel
# without the optimizer. On the page, the first column of a list-table.
reasons() {
	local files

	files=$(grep -rlF '"on an ftrace site"' kernel include --include='*.[ch]')
	# shellcheck disable=SC2086
	{ grep -hE '^[[:space:]]*(\[[A-Z_]+\]|[A-Za-z_]+\([A-Z_]+,).*"' $files
	  grep -rhF '"this kernel has no ' kernel/kprobes; } |
		sed 's/^[^"]*"//; s/".*//' >"$DIR/code"
	sed -n '/^.. _kprobes_no_jump_reasons:/,$ s/^   \* - //p' \
		$PAGES/kprobes-jumps.rst | grep -vx reason >"$DIR/page"
	compare "reasons for no jump"
}

# The rows of the table, and the heads of the examples.
columns() {
	local page

	grep -rhoE 'seq_puts\(m, " ?(address|mode) [^"]*' kernel/kprobes |
		sed 's/.*"//; s/\\n//' | xargs -n 1 >"$DIR/code"
	for page in kprobes-files kprobes-troubleshooting; do
		sed -n 's/^\taddress /address /p' $PAGES/$page.rst | xargs -n 1 >"$DIR/page"
		compare "columns of stats, in the example of $page"
	done
	sed -i '/^\(address\|symbol+offset\|module\)$/d' "$DIR/code"
	section stats <$PAGES/kprobes-files.rst |
		sed -n 's/^``\([a-z]*\)``  .*/\1/p' | grep -vx stats >"$DIR/page"
	compare "columns of stats, in the table"
}

errors() {
	grep -rhoE '^ \* \* -E[A-Z0-9]+ - ' kernel/kprobes* | grep -oE 'E[A-Z0-9]+' >"$DIR/code"
	sed -n 's/^``-\(E[A-Z0-9]*\)``  .*/\1/p' $PAGES/kprobes.rst >"$DIR/page"
	compare "errors of a registration"
}

# The texts with their names, and the first columns of the page's tables.
texts() {
	grep -rhE '^[[:space:]]*\[FETCH_E_[A-Z0-9_]+\] = "' kernel |
		sed 's/^[^"]*"//; s/",$//; s/\\"/"/g' >"$DIR/code"
	sed -n '/^.. _fprobetrace_error_texts:/,/^.. _fprobetrace_errors_without/ {
		s/^   \* - ``\(.*\)``$/\1/p }' $PAGES/fprobetrace-errors.rst >"$DIR/page"
	compare "texts of error_log"
}

# printed FILE...: the texts of what is printed, and of warnings that have one.
printed() {
	perl -0777 -ne 'print "$1\n" while
		/\b(?:pr_(?:info|warn|err)\w*|WARN(?:_ONCE)?)\((?!\))[^;"]*"([^"]*)"/g' "$@"
}

# Of each message its parts without a figure, on the page or not.
messages() {
	local part page=$PAGES/kprobes-troubleshooting.rst

	{ section '``kretprobe BUG!' <$page; section "Other messages" <$page; } |
		tr -s '\n\t ' ' ' | sed 's/: \*why\*/: /g' >"$DIR/page"
	# shellcheck disable=SC2046 # words
	printed kernel/trace/rethook*.c $(find kernel/kprobes* arch/x86/kernel/kprobes -name '*.[ch]' |
		grep -vE '/(tests|torture|scale)/') |
		sed 's/\\n//; s/%pS: //; s/[(:, ]*%[a-zA-Z]*[):, ]*/\n/g' |
		awk 'length > 9' |
		while IFS= read -r part; do
			grep -qF -- "$part" "$DIR/page" || echo "messages: not in the manual: $part"
		done
}

# What a user may set on the command line, and what the base's list of that is given.
parameters() {
	local f

	grep -rhoE '^__setup\("[^"]*' kernel | sed 's/.*"//' >"$DIR/code"
	for f in $(grep -rl '^#define MODULE_PARAM_PREFIX' kernel); do
		grep -E '^module_param.* 06[0-7]*\);' "$f" |
			sed -E "s/^[a-z_]*\(([a-z_]*),.*/$(sed -n 's/^#define MODULE_PARAM_PREFIX "\(.*\)"/\1/p' "$f")\1=/"
	done >>"$DIR/code"
	grep -hoE '^[+][[:space:]][a-z_.]+=' glue/*.patch | tr -d '+\t' >"$DIR/page"
	compare "kernel parameters"
}

# interfaces FILE...: what users find of them in the file system. A file of debugfs is in
# the directory that was made last before it, or "?"; so is what has no name in quotes.
interfaces() {
	perl -0777 -ne '
		my $dir = "?";
		while (/\bdebugfs_create_(\w+)\(\s*(?:"([^"]*)")?/g) {
			my $name = $2 // "?";
			if ($1 eq "dir") { $dir = $name; next }
			print "/sys/kernel/debug/$dir/$name\n";
		}
		my ($table) = (/\bregister_sysctl\w*\("([^"]*)"/, "?");
		print "/proc/sys/$table/$1\n" while /\.procname\s*=\s*"([^"]*)"/g;
		my ($module) = (/^#define MODULE_PARAM_PREFIX "(.*)\."/m, "?");
		while (/^module_param\w*\((\w+),[^;]*, (0[0-7]*)\);/mg) {
			print "/sys/module/$module/parameters/$1\n" if oct $2;
		}' "$@"
}

# Modules of tests have files that only their scripts read.
interfaces_in_abi() {
	# shellcheck disable=SC2046 # words
	interfaces $(find kernel/kprobes* kernel/trace arch/x86/kernel/kprobes -name '*.[ch]' |
		grep -vE '/(tests|torture|scale)/') >"$DIR/code"
	sed -nE 's/^What:\s+//p' Documentation/ABI/*/* >"$DIR/page"
	compare "files of users"
}

# What the base's own tool says of our pages, beside the base's: what is described twice.
# A base is there before make check comes here.
abi_messages() {
	local tool=$BUILD/base/scripts/get_abi.pl

	[ -f "$tool" ] || return 0
	cp -r "$BUILD/base/Documentation/ABI" "$DIR/"
	cp -r Documentation/ABI "$DIR/"
	perl "$tool" validate --dir "$DIR/ABI" 2>&1 | perl -0777 -pe 's/\n\t+/ /g' |
		grep -F -f <(cd Documentation && find ABI -type f) |
		sed "s,$DIR/,,g; s/^/get_abi.pl: /" || :
}

DIR=$(mktemp -d "${TMPDIR:-/tmp}/manual.XXXXXX")
trap 'rm -rf "$DIR"' EXIT
reasons
columns
errors
texts
messages
parameters
interfaces_in_abi
abi_messages
