# SPDX-License-Identifier: GPL-2.0
# Sourced by selftest.sh: tests of the tables that make coverage and make bench print,
# and of the lists of cases and of what has no kernel-doc comment.
# shellcheck shell=bash

# run NAME FLAGS ERRNO: two places of the toy kernel as a guest reports them: one
# of them as FLAGS say, the other one registered or not.
run() {
	mkdir -p "$DIR/$1/out"
	printf '00000010  k  lookup+0x0 %s\n' "$2" >"$DIR/$1/out/list-000"
	printf 'lookup 0 0 10\nhit 0 %s 20\n' "$3" >"$DIR/$1/out/places-000"
}

coverage() {
	"$HARNESS/coverage.py" table --functions "${1:-2}" --ahead "${2:-50}" --least "${3:-0}" \
		"$DIR/ours" "$DIR/stock" "$DIR/toy" >"$DIR/table"
}

test_coverage() {
	run ours '[OPTIMIZED]' 0
	run stock '' 0
	is "one of two places more is optimized" coverage
	is "that is 50 points" has "$DIR/table" "ours is +50.00 percentage points"
	isnt "and not 51" coverage 2 51
	isnt "two functions are not three" coverage 3
	run ours '[OPTIMIZED]' -22
	isnt "a refusal without a reason" coverage
	is "its place is named" has "$DIR/table" "# hit+0x0: EINVAL"
	run stock '' -22
	is "unless stock refuses it, too" coverage
	run ours '[OPTIMIZED]' 0
	is "a half is optimized" coverage 2 50 50
	isnt "and not more" coverage 2 50 51
}

# figures KERNEL HIT: a boot in which a boosted hit took so many tenths of a cycle.
figures() {
	printf 'loop.cycles 0 1000000\nb 0 %s\nmisses 0 0\n' "$2" >"$DIR/bench/$1-icount"
}

# fprobe_figures KERNEL HIT MISSES: likewise, of an fprobe.
fprobe_figures() {
	printf 'loop.cycles 0 1000000\nfe 0 %s\nfprobe.misses 0 %s\nlost 0 0\n' "$2" "$3" \
		>"$DIR/bench/$1-fprobe"
}

# scaling_figures KERNEL MANY...: what a call cost on one CPU, 100, and on two, each time.
scaling_figures() {
	printf 'return.cpus.1 0 100\n' >"$DIR/bench/$1-cpus-all"
	printf 'return.cpus.2 0 %s\n' "${@:2}" >>"$DIR/bench/$1-cpus-all"
}

# bench FIGURE WORD...: of the table, the row of that figure has these words.
bench() {
	local row

	PATH="$DIR/bench:$PATH" "$HARNESS/bench.py" "$DIR/bench" stock ours "${@:3}" >"$DIR/bench.out"
	row=$(grep "^$1 " "$DIR/bench.out" | tr -s ' ')
	same "${row#"$1 "}" "$2"
}

test_bench() {
	mkdir -p "$DIR/bench"
	printf '#!/bin/sh\ncat >/dev/null\n' >"$DIR/bench/gnuplot"
	chmod +x "$DIR/bench/gnuplot"
	printf 'figure,stock,ours,ratio\nboosted hit,400,200,0.5\noptimized hit,90,45,\n' >"$DIR/b.csv"
	figures stock 4000
	figures ours 2150
	is "a hit is held against its target" bench "boosted hit" "400 215 0.54 215 ok"
	is "which cannot be judged without a figure" bench "optimized hit, 4 subscribers" "- - - 140 missing"
	figures ours 3400
	is "or against x86-64's ratio" bench "boosted hit" "400 340 0.85 220.0 over" "$DIR/b.csv"
	figures ours 2200
	is "plus 10 percent" bench "boosted hit" "400 220 0.55 220.0 ok" "$DIR/b.csv"
	is "and then what has no ratio has no target" bench "misses with 200 tasks asleep" \
		"0 0 - " "$DIR/b.csv"
	scaling_figures stock 110 120 130 140 150 160 170 180
	scaling_figures ours 10 130 140 150 160 170 180 190
	is "on several CPUs the lower quartile counts" \
		bench "return probe on 2 CPUs, percent of 1" "130 140 1.08 143 ok"
	scaling_figures ours 10 20 150 150 150 150 150 150
	is "and is held against stock's" \
		bench "return probe on 2 CPUs, percent of 1" "130 150 1.15 143 over"
	fprobe_figures stock 2000 9
	fprobe_figures ours 2700 0
	is "an fprobe is held against stock" bench "fprobe, entry, all registers (fe)" "200 270 1.35 260 over"
	is "or against a number" bench "fprobe misses with 200 tasks asleep (miss)" "9 0 0.00 0 ok"
	is "and cannot be judged without stock" bench "fprobe, exit, all registers (fx)" "- - - - missing"
	echo 'evs 0 40000' >>"$DIR/bench/stock-fprobe"
	echo 'evs 0 19000' >>"$DIR/bench/ours-fprobe"
	is "a string is held against stock" bench "event with a string of 39 bytes (evs)" "4,000 1,900 0.47 1,440 over"
	is "on 32 bit against another share of it" \
		bench "event with a string of 39 bytes (evs)" "4,000 1,900 0.47 1,840 over" "$DIR/b.csv"
}

# cases NUMBER TESTS: what is said of a list with these tests in one line.
cases() {
	{ printf 'R%s\n' {1..55}; seq 72; } | awk -v n="$1" -v tests="$2" \
		'{ print $1 "\twhat\t" ($1 == n ? tests : "-: none") }' >"$DIR/top/harness/cases.list"
	BUILD=$DIR/top/build "$DIR/top/harness/cases.sh"
}

test_cases() {
	local tests=$DIR/top/tools/testing/selftests/kprobes kunit=$DIR/top/kernel/trace/fprobe/tests

	mkdir -p "$tests/events" "$kunit"
	echo 'check "is hit" 1 1' >"$tests/kprobe_toy.sh"
	echo 'f vfs_read' >"$tests/events/toy.list"
	printf '\tKUNIT_CASE(toy_case),\n\t.name = "toy",\n' >"$kunit/toy_kunit.c"
	is "tests that are there" same "$(cases 7 'toy.toy_case | kprobe_toy: is hit | toy: f vfs_read')" ""
	is "a case that is not" same "$(cases 7 'toy.case')" "7: there is no test 'toy.case'"
	is "the second one" same "$(cases R9 '-: x | toy: f vfs')" "R9: there is no test 'toy: f vfs'"
	is "a text that is not" same "$(cases 7 'kprobe_toy: is missed')" \
		"7: there is no test 'kprobe_toy: is missed'"
	cases 7 '-: x' >"$DIR/cases.out"
	sed -i '/^7\t/d' "$DIR/top/harness/cases.list"
	is "a line that is left out" same \
		"$(BUILD=$DIR/top/build "$DIR/top/harness/cases.sh")" "7: no such line"
}

# documented TEXT: with these files of a toy, documented.py says so and no more.
documented() {
	same "$(cd "$DIR/documented" && "$HARNESS/documented.py" known.list \
		arch/toy/include/asm/toy.h kernel/toy.c 2>&1)" "$1"
}

# lacking FILE LINE [NAME]: with LINE in FILE it says that NAME has no comment, or nothing.
lacking() {
	local file=$DIR/documented/$1 says=''

	[ -z "${3:-}" ] || says="$1: $3 is public and has no kernel-doc comment"
	cp "$file" "$DIR/documented.kept"
	printf '%b\n' "$2" >>"$file"
	is "${1##*/}, ${2//\\n/ }: ${3:-nothing} is public and wants a comment" documented "$says"
	cp "$DIR/documented.kept" "$file"
}

# A function and a structure that have one.
documented_toy() {
	mkdir -p "$DIR"/documented/{kernel,arch/toy/include/asm}
	echo '# none' >"$DIR/documented/known.list"
	printf '%s\n' '/**' ' * struct toy - has a comment' ' */' 'struct toy {' '	int (*f)(int x);' \
		'};' 'int wind(struct toy *toy);' >"$DIR/documented/arch/toy/include/asm/toy.h"
	printf '%s\n' '/**' ' * wind() - is described beside its body' ' */' 'int wind(struct toy *toy)' \
		'{' '	return 0;' '}' 'EXPORT_SYMBOL_GPL(wind);' >"$DIR/documented/kernel/toy.c"
}

test_documented() {
	local header=arch/toy/include/asm/toy.h code=kernel/toy.c list=$DIR/documented/known.list

	documented_toy
	is "a comment may be in the header or beside the function" documented ""
	lacking $header 'const char *\nturn(struct toy *toy,\n     int (*fn)(void *data));' turn
	lacking $header '/*\n * turn() - no kernel-doc\n */\nextern int turn(void) __weak;' turn
	lacking $header 'static inline int turn(void)\n{\n\treturn 0;\n}' turn
	lacking $header 'struct spring {' spring
	lacking $header 'union spring {' spring
	lacking $header 'enum spring {' spring
	lacking $header 'static int turn(void);'
	lacking $header '/*\nint turn(void);\n*/'
	lacking $header '#define TURN \\\nint turn(void);'
	lacking $code 'int turn(void);'
	lacking $code 'EXPORT_SYMBOL(turn);' turn
	lacking $code 'EXPORT_SYMBOL_GPL(turn);' turn
	echo 'turn : for the test' >>"$list"
	is "a name that is listed and not public is an error" \
		documented "known.list: turn has a kernel-doc comment, or is not public"
	echo 'EXPORT_SYMBOL(turn);' >>"$DIR/documented/$code"
	is "one that is public may be listed" documented ""
	echo 'wind : for the test' >>"$list"
	is "but not one with a comment" \
		documented "known.list: wind has a kernel-doc comment, or is not public"
	echo 'turn' >"$list"
	is "nor one without a reason" documented "known.list: not NAME : REASON: turn"
	echo '# none' >"$list"
	: >"$DIR/documented/$header"
	: >"$DIR/documented/$code"
	is "that nothing is public is no good news" documented "nothing is public"
}
