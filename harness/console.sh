#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Is the kernel's console silent? Prints every line by which a kernel says that
# something is wrong; exit code 1 if there is one.
#
# Usage: console.sh CONSOLE.LOG
PATTERN='WARNING:|BUG:|BUG at|[^A-Z]BUG [a-z]|Oops|Call [Tt]race|INFO: possible|INFO: trying|INFO: rcu|rcu: INFO'
PATTERN+='|rcu_.*detected stalls?|self-detected stall|soft lockup|hard LOCKUP|blocked for more than'
PATTERN+='|possible (recursive|circular|irq lock|deadlock)|suspicious RCU|inconsistent lock state'
PATTERN+='|bad unlock balance|held lock freed|sleeping function called|scheduling while atomic'
PATTERN+='|KASAN:|UBSAN:|KCSAN:|general protection|stack-protector|[Uu]nable to handle|Kernel panic'
PATTERN+='|refcount_t:|list_(add|del) corruption|ODEBUG:|[Mm]issing ENDBR|invalid opcode|double fault'
PATTERN+='|\] BPF:|Unpatched return thunk|unexpected INT3|printk messages dropped|debugfs: .* already present'

[ -s "$1" ] || { echo "no console output in $1"; exit 1; }
# The tracers' and the tests' own words, each for a reason:
#  - function names in a symbol list or a command line are not reports
#  - the base's return_to_handler() ends in a call and a return, and says of no
#    instruction in between where the stack is: a stack trace from an interrupt
#    at the last MOV goes nowhere, with kprobes or without
#  - what KFENCE has to report of ktest_inner(), the test kprobes_resolve provokes
#  - of an emulated CPU without microcode, the base's bugs.c says what to read
#  - Bochs says two things about its number of cores: a WARN_ON_ONCE() of the base
#  - what kdb prints was asked for
without_bochs() {
	awk '{ line[NR] = $0 } /\[ cut here \]/ { start = NR; known = 0 }
		/RIP: 0010:parse_legacy\+/ { known = 1 }
		/\[ end trace / && known { while (start <= NR) line[start++] = ""; known = 0 }
		END { for (i = 1; i <= NR; i++) print line[i] }' "$1"
}
without_kdb() { awk '/^Entering kdb/ { inside = 1 } { print inside ? "" : $0 } /kdb> go/ { inside = 0 }'; }

! without_bochs "$1" | without_kdb | grep -nE "$PATTERN" | grep -vE 'Command line:|Kernel command line:' |
	grep -vE 'BUG: KFENCE: out-of-bounds read in ktest_inner\+' |
	grep -vE 'Speculative Return Stack Overflow: WARNING: See https' |
	grep -vE 'WARNING: stack going in the wrong direction\? at return_to_handler\+'
