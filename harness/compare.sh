#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Two runs of the same tests side by side: a table in comment lines, then one
# line a test for test.sh: ok when both results are the same, or ours passes what
# stock crashes on. What neither passes is to have a reason in foreign.known; for a
# crash of ours there is none.
#
# OTHER_BASE=1  the results of stock are of another base: not judged is a test that stock's
#               did not have, and one that this base does not have
#
# Usage: compare.sh STOCK.TAP OURS.TAP
. "$(dirname "$0")/lib.sh"

trap - ERR
[ -s "$1" ] || { printf 'not ok\tforeign: no results of stock\n'; exit 1; }
[ -s "$2" ] || { printf 'not ok\tforeign: no results of ours\n'; exit 1; }

TESTS=$BUILD/base/tools/testing/selftests/ftrace

# A test that has crashed is known by its file, others by their descriptions.
described() {
	local line file what

	while read -r line; do
		file=${line#not ok 0 }
		file=${file%% *}
		if [[ $line == *"# CRASH" ]] && [ -f "$TESTS/$file" ]; then
			what=$(sed -n 's/^# description: *//p' "$TESTS/$file")
			line="not ok 0 $what # CRASH"
		fi
		printf '%s\n' "$line"
	done <"$1"
}

# Names may occur twice; the second one is told apart by a number.
awk -v reasons="$HARNESS/foreign.known" -v other="${OTHER_BASE:-}" \
	-v descriptions=<(find "$TESTS" -name '*.tc' -exec sed -n 's/^# description: *//p' {} +) '
	function result(line) {
		if (line ~ /^not ok/)
			return (line ~ /# CRASH/) ? "crash" : (line ~ /# UNRESOLVED/) ? "unresolved" : "fail"
		if (line ~ /# SKIP/) return "unsupported"
		if (line ~ /# XFAIL/) return "xfail"
		return "pass"
	}
	function name(line) {
		sub(/^(not )?ok [0-9]+ +/, "", line)
		sub(/ *#.*$/, "", line)
		return line
	}
	# A name with a number is that of a test, too.
	function is_here(n) { sub(/ \([0-9]+\)$/, "", n); return n in here }
	function unjudged(n, a, b) { return other && (a == "missing" || (b == "missing" && !is_here(n))) }
	BEGIN {
		while ((getline line < reasons) > 0)
			if (split(line, part, " : ") == 2) why[part[1]] = part[2]
		while ((getline line < descriptions) > 0) here[line] = 1
	}
	FNR == 1 { file++ }
	/^(not )?ok [0-9]+/ {
		n = name($0)
		if (++seen[file, n] > 1) n = n " (" seen[file, n] ")"
		res[file, n] = result($0)
		if (!(n in known)) { known[n] = 1; order[++count] = n }
	}
	END {
		printf "# %-12s %-12s %s\n", "stock", "ours", "ftracetest"
		for (i = 1; i <= count; i++) {
			n = order[i]
			a = ((1, n) in res) ? res[1, n] : "missing"
			b = ((2, n) in res) ? res[2, n] : "missing"
			bad_alike = a == b && (a == "fail" || a == "unresolved")
			good = (a == "crash") ? b == "pass" : a == b && (!bad_alike || n in why)
			printf "# %-12s %-12s %s%s\n", a, b, n, (a == b) ? "" : "   <-- differs"
			if (bad_alike) printf "#   %s\n", (n in why) ? why[n] : "no reason is known"
			if (unjudged(n, a, b)) {
				print "#   not judged: the base is another"
				continue
			}
			judged++
			lines[i] = (good ? "ok" : "not ok") "\tforeign: " n " (stock " a ", ours " b ")"
			if (!good) bad = 1
		}
		for (i = 1; i <= count; i++) if (i in lines) print lines[i]
		if (!judged) { print "not ok\tforeign: no test has reported"; bad = 1 }
		exit bad
	}' <(described "$1") <(described "$2")
