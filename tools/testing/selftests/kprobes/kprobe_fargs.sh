#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The values that arguments of events record: functions with parameters of every shape
# are called with known ones, see test_modules/fargs_main.c. Each list of arguments is
# given to an event on a function and to one on a kprobe there.
#
# Where it says "6.12:", the kernel's own code of that version answers otherwise.
# shellcheck disable=SC2016 # $arg1 and the like are the event's
. "$(dirname "$(readlink -f "$0")")/lib.sh"

FARGS=$DEBUGFS/kprobe_fargs
DYNAMIC=$TRACEFS/dynamic_events
EVENT=$TRACEFS/events/fargs/e

# What the last refusal said, and the text at its caret.
why() {
	awk '/: error: / { sub(/.*: error: /, ""); text = $0; next }
		/^  Command: / { command = $0; next }
		{ at = substr(command, index($0, "^")) }
		END { sub(/ .*/, "", at); print text " " at }' "$TRACEFS/error_log"
}

# define DEFINITION: "ok", or how it was refused.
define() {
	local answer

	echo >"$TRACEFS/error_log"
	answer=$(put "$DYNAMIC" "$1")
	[ "$answer" = ok ] || answer="$answer: $(why)"
	echo "$answer"
}

# Sizes of functions are the compiler's.
trace_of_event() {
	sed -n 's/^.*: e: ([^)]*) //p' "$TRACEFS/trace" | sed 's,/0x[0-9a-f]*,/SIZE,g'
}

# record DEFINITION CALL: the values that one call has left in the trace.
record() {
	local answer

	answer=$(define "$1")
	if [ "$answer" != ok ]; then
		echo "$answer"
		return
	fi
	echo >"$TRACEFS/trace"
	echo 1 >"$EVENT/enable"
	printf '%s\0' "$2" >"$FARGS"
	echo 0 >"$EVENT/enable"
	trace_of_event
}

# at_entry CALL FUNCTION ARGUMENTS WANTED; at_exit has these, too.
at_entry() {
	check "f $2 $3" "$(record "f:fargs/e $2 $3" "$1")" "$4"
	check "p $2 $3" "$(record "p:fargs/e kprobe_fargs:$2 $3" "$1")" "$4"
}

at_exit() {
	check "f $2%return $3" "$(record "f:fargs/e $2%return $3" "$1")" "$4"
	check "r $2 $3" "$(record "r:fargs/e kprobe_fargs:$2 $3" "$1")" "$4"
}

at_both() {
	at_entry "$@"
	at_exit "$@"
}

# refused DEFINITION ANSWER TEXT-AT-CARET
refused() { check "no $1" "$(define "$1")" "$2 $3"; }

# The seventh and the eighth are on the stack; all are overwritten before the return.
scalars() {
	at_both scalars fa_scalars 'a b c d e f g h' \
		"a=254 b=-2 c=1 d=2 e=1311768467463790320 f=0x5678 g=-7 h=18364758544493064720"
	at_both scalars fa_scalars '$arg*' \
		"a=254 b=-2 c=1 d=2 e=1311768467463790320 f=0x5678 g=-7 h=18364758544493064720"
	at_both scalars fa_scalars 'p=$arg1:u8 q=$arg2:s16 r=$arg7:s32 s=$arg8' \
		"p=254 q=-2 r=-7 s=0xfedcba9876543210"
	at_both scalars fa_scalars 'e:x8 p=e:x16 q=e:x32 r=e:x64 s=e:s8 t=e:char' \
		"e=0xf0 p=0xdef0 q=0x9abcdef0 r=0x123456789abcdef0 s=-16 t='$(printf '\xf0')'"
	at_both scalars fa_scalars \
		'e:b4@4/8 p=e:b1@63/64 q=e:b12@52/64 r=h:b1@63/64 s=h:b32@32/64' \
		"e=15 p=0 q=291 r=1 s=4275878552"
	# An argument is no memory, wherever it is.
	refused 'f:fargs/e fa_scalars $arg6:string' \
		"EINVAL: This type does not fit for string." '$arg6:string'
	refused 'f:fargs/e fa_scalars $arg8:string' \
		"EINVAL: This type does not fit for string." '$arg8:string'
	refused "f:fargs/e fa_scalars e:u32[2]" \
		"EINVAL: String accepts only memory argument" 'u32[2]'
	refused "f:fargs/e fa_scalars g:u32[2]" \
		"EINVAL: String accepts only memory argument" 'u32[2]'
}

# 6.12: what is behind a structure of two registers, or one on the stack, is of a
# register that is another's. A dot behind a parameter is refused.
structures() {
	at_both structs fa_struct4 'before s behind s.val' "before=-1 s=1004 behind=-2 val=1004"
	at_both structs fa_struct8 'before s behind s.a s.b s.c s.d' \
		"before=-1 s=0xf7f8fff880000008 behind=-2 a=2147483656 b=-8 c=248 d=-9"
	at_both structs fa_struct12 'before s behind s.a s.b s.c' \
		"before=-1 s={0xd80000012,0xfffffff2} behind=-2 a=2147483666 b=13 c=-14"
	at_both structs fa_struct16 'before s behind s.a s.b s.c s.d s.e' \
		"before=-1 s={0x1122334455667788,0xfdfdfffefffffff0} behind=-2 a=1234605616436508552 b=-16 c=65534 d=-3 e=253"
	at_both structs fa_struct24 'before behind s.a s.b s.c s.d' \
		"before=-1 behind=-2 a=9833440827789222417 b=2147483684 c=-25 d=26"
	at_both structs fa_late 'a b c d e g s s.b s.c s.d' \
		"a=1 b=-2 c=3 d=-4 e=5 g=-6 s={0x1122334455667788,0xfdfdfffefffffff0} arg8=-16 arg9=65534 arg10=-3"
	at_both structs fa_late 's.a s.e t t.x t.y' \
		"a=1234605616436508552 e=253 t=0xfedc1234 x=4660 y=65244"
	at_both structs fa_takes_union 'before u behind u.whole u.byte u.low u.high' \
		"before=-1 u=0xffffffff8000ffff behind=-2 whole=18446744071562133503 byte=255 low=-1 high=-32768"
	at_both structs fa_struct16 'x=$arg1:s32 y=$arg2 z=$arg3:s32' \
		"x=-1 y=0x1122334455667788 z=-2"
	refused 'f:fargs/e fa_struct24 $arg*' \
		"EINVAL: This is not a number: give it a type, or name a part of it" '$arg*'
	refused "f:fargs/e fa_struct24 before x=s" \
		"EINVAL: This is not a number: give it a type, or name a part of it" s
	refused "f:fargs/e fa_struct16 s.f" "ENOENT: This field is not found." f
	refused "f:fargs/e fa_struct16 before.f" \
		"EOPNOTSUPP: Non pointer structure/union argument is not supported." f
}

# 6.12: finds at most 16 unions. A bit field is followed by zeroes, whatever was there;
# one of 8 or 24 bits is not cut, one with a sign has none. An enum is an s32.
members() {
	at_both pointers fa_takes_deep 'd->outer d->skipped d->deepest d->last' \
		"outer=1 skipped=2 deepest=-3 last=4"
	refused "f:fargs/e fa_takes_deep d->absent" "ENOENT: This field is not found." absent
	at_both pointers fa_takes_bits 'b->u1 b->u7 b->u8 b->rest b->pad8 b->u24' \
		"u1=1 u7=85 u8=254 rest=4660 pad8=255 u24=16702650"
	at_both pointers fa_takes_bits 'b->s3 b->t3 b->pad7 b->u33 b->tail b->behind' \
		"s3=-1 t3=3 pad7=127 u33=8570845848 tail=16777215 behind=18446744073709551615"
	at_both pointers fa_takes_bits 'name:string b->u1' 'name="string" u1=1'
	at_both pointers fa_takes_bits 'name:string b->s3' 'name="string" s3=-1'
	at_both pointers fa_takes_bits 'x=\0x1111111111111111 b->s3 b->u8 y=\0x2222222222222222' \
		"x=0x1111111111111111 s3=-1 u8=254 y=0x2222222222222222"
	at_both pointers fa_takes_bits 'b->s3:s8 x=b->s3:u64 y=b->u8:x8 z=b->u33:x32' \
		"s3=-1 x=18446744073709551615 y=0xfe z=0xfedcba98"
	at_both pointers fa_takes_enums 'high minus small huge' \
		"high=2147483648 minus=-5 small=254 huge=9223372036854775809"
	at_both pointers fa_takes_enums 'p->high p->minus p->small p->next p->huge' \
		"high=2147483648 minus=-5 small=254 next=7 huge=9223372036854775809"
}

# form EVENT-ARGUMENTS: how the format file says that records are printed.
form() {
	define "f:fargs/e fa_takes_enums $1" >/dev/null
	sed -n 's/^print fmt: "[^)]*) //p' "$EVENT/format"
}

# 6.12: there are no such types.
enumerations() {
	at_both scalars fa_scalars 'd:enum x=a' "d=FA_TOP x=254"
	at_both pointers fa_takes_enums 'high:enum minus:enum small:enum huge:enum' \
		"high=FA_HIGH_BIT minus=FA_MINUS small=FA_SMALL_LAST huge=FA_HUGE_LAST"
	at_both pointers fa_takes_enums \
		'p->high:enum p->minus:enum p->small:enum p->next:enum p->huge:enum x=\1' \
		"high=FA_HIGH_BIT minus=FA_MINUS small=FA_SMALL_LAST next=7 huge=FA_HUGE_LAST x=0x1"
	at_both pointers fa_takes_enums 'p->levels:enum x=p->levels:enum[2] y=p->small:enum[2]' \
		"levels={FA_SMALL_ZERO,FA_SMALL_LAST,7} x={FA_SMALL_ZERO,FA_SMALL_LAST} y={FA_SMALL_LAST,7}"
	at_both pointers fa_takes_enums 'p->narrow p->narrow:enum x=p->levels[1]:enum' \
		"narrow=-5 arg2=FA_MINUS x=FA_SMALL_LAST"
	check "form of an enumeration" "$(form minus:enum)" \
		'minus=%s", REC->__probe_ip, __print_symbolic(REC->minus, { 4294967291, "FA_MINUS" }, { 0, "FA_MINUS_ZERO" })'
	check "form of an array of them" "$(form p-\>levels:enum)" \
		'levels={%u,%u,%u}", REC->__probe_ip, REC->levels[0], REC->levels[1], REC->levels[2]'
	refused "f:fargs/e fa_takes_enums p:enum" "EINVAL: This is not an enumeration" enum
	refused "f:fargs/e fa_scalars g:enum" "EINVAL: This is not an enumeration" enum
	refused 'p:fargs/e kprobe_fargs:fa_scalars x=$arg4:enum' \
		"EINVAL: This is not an enumeration" enum
	refused "f:fargs/e fa_takes_enums high:enum[2]" \
		"EINVAL: String accepts only memory argument" 'enum[2]'
}

# 6.12: an array without a type is an x64; any 12 bytes may be a string.
arrays() {
	at_both arrays fa_takes_arrays 'p->a p->n p->m p->flags p->wide' \
		'a={1,-2,2147483647,-2147483647} n="in the array" m={98,2,3,4,5,255} flags={1,0} wide={-1,2,-32768}'
	at_both arrays fa_takes_arrays \
		'p->n:string p->p:string p->q:string text:string bytes:string' \
		'n="in the array" p="at the pointer" q="bytes" text="at the pointer" bytes="bytes"'
	at_both arrays fa_takes_arrays 'p->names:string[3] q=p->p:string' \
		'names={"one",(fault),"three"} q="at the pointer"'
	at_both arrays fa_takes_arrays 'p->a:x8[5] x=p->a:x16[2] y=p->a:x32[2] z=p->a:x64[2]' \
		"a={0x1,0x0,0x0,0x0,0xfe} x={0x1,0x0} y={0x1,0xfffffffe} z={0xfffffffe00000001,0x800000017fffffff}"
	at_both arrays fa_takes_arrays 'p->pairs:u16[4] x=p->twelve:s32[3] p->twelve.c p->pair.y' \
		"pairs={1,2,3,4} x={5,6,-7} c=-7 y=36866"
	at_both arrays fa_takes_arrays 'x=p->m:char p->n:char[3]' \
		"x='b' n={'i','n',' '}"
	at_both arrays fa_takes_arrays 'p->behind:b1@31/32 x=p->a:b8@4/32[2] y=+4(p):b4@28/32' \
		"behind=1 x={0,255} y=15"
	# As much as there is, where a word would be more.
	at_both arrays fa_takes_arrays 'p->pair x=p->twelve y=p->twelve.c' \
		"pair=0x90028001 x={0x600000005,0xfffffff9} y=-7"
	at_both arrays fa_takes_arrays 'p->full x=p->full:string p->after' \
		'full="abcd" x="abcdefg" after="efg"'
	refused "f:fargs/e fa_takes_arrays p->pairs" \
		"EINVAL: This is not a number: give it a type, or name a part of it" 'p->pairs'
	refused "f:fargs/e fa_takes_arrays p->many" \
		"EINVAL: This is not a number: give it a type, or name a part of it" 'p->many'
	refused "f:fargs/e fa_takes_arrays x=p->real" \
		"EINVAL: This is not a number: give it a type, or name a part of it" 'p->real'
	refused "f:fargs/e fa_takes_arrays numbers:string" \
		"EINVAL: This type does not fit for string." numbers:string
	refused "f:fargs/e fa_takes_arrays p->twelve:string" \
		"EINVAL: This type does not fit for string." 'p->twelve:string'
	refused "f:fargs/e fa_takes_arrays p->a:string" \
		"EINVAL: This type does not fit for string." 'p->a:string'
}

# 6.12: has none.
elements() {
	at_both arrays fa_takes_arrays 'p->a[1] x=p->a[3] y=p->n[3]:char z=p->flags[0]' \
		"arg1=-2 x=-2147483647 y='t' z=1"
	at_both arrays fa_takes_arrays 'p->pairs[1].y x=p->many[79] n=numbers[2] z=text[0]:char' \
		"y=4 x=0 n=2147483647 z='a'"
	at_both arrays fa_takes_arrays 'p->names[2]:string x=p->names[1]:string' \
		'arg1="three" x=(fault)'
	# As in C, an array is the address of its first element.
	at_both arrays fa_takes_arrays '(fa_pair)(p->pairs)->y x=(fa_pair)(p->a)->x' "y=2 x=1"
	refused 'f:fargs/e fa_takes_arrays p->a[4]' \
		"EINVAL: The array does not have as many elements" '[4]'
	# Bits are counted with 32 bits.
	refused 'f:fargs/e fa_takes_arrays (fa_24)(p->a)[22369621].d' \
		"EINVAL: Failed to get BTF type info." d
}

# 6.12: strings behind a symstr are one with it. What cannot be read is what was in the
# buffer before.
strings() {
	at_both strings fa_strings 'one:string two:string three:string' \
		'one="one" two=(fault) three="three"'
	at_both nodes fa_nodes 'node->call:symstr s=node->call:symstr t=node->name:string' \
		'call="known_function+0x0/SIZE [kprobe_fargs]" s="known_function+0x0/SIZE [kprobe_fargs]" t="first"'
	at_both nodes fa_nodes 'node->call:symbol x=\1' \
		"call=known_function+0x0/SIZE [kprobe_fargs] x=0x1"
	at_both nodes fa_nodes 'a=node->value b=none->value c=bad->value d=node->next->value' \
		"a=42 b=0 c=0 d=-77"
	at_both nodes fa_nodes \
		'a=none->name:string b=bad->next->name:string c=node->next->name:string' \
		'a=(fault) b=(fault) c="last"'
	at_both nodes fa_nodes 'x=+0(bad):x32[2] y=+0(none):x8 z=+0(node):s32' \
		"x={0x0,0x0} y=0x0 z=42"
	at_both nodes fa_nodes 'x=+0(+8(node)):s32 y=+0(+16(node)):string z=$comm' \
		'x=-77 y="first" z="kprobe_fargs.sh"'
}

# profile NAME...: these of the figures of the last event.
profile() {
	awk -v names="$*" '$1 == "e" {
		for (i = split(names, name, " "); i; i--)
			for (n = 4; n <= NF; n++)
				if (index($n, name[i] "=") == 1) line = $n " " line
		print "hits=" $2, "misses=" $3, line
	}' "$TRACEFS/fprobe_profile" | xargs
}

# faults DEFINITION CALL: how many values the profile says could not be read.
faults() {
	record "$1" "$2" >"$OUT"
	profile faults | sed 's/.*faults=//'
}

counted_faults() {
	check "faults of what can be read" "$(faults "f:fargs/e fa_nodes node->value node->name:string \$comm" nodes)" 0
	check "faults of numbers and strings" \
		"$(faults "f:fargs/e fa_nodes node->value b=none->value bad->value d=node->name:string e=bad->next->name:string" nodes)" 3
	check "faults of arrays, one each" \
		"$(faults "f:fargs/e fa_nodes x=+0(bad):x32[2] y=+0(bad):string[2]" nodes)" 2
	check "faults of an array of strings" "$(faults 'f:fargs/e fa_takes_arrays p->names:string[3]' arrays)" 1
	check "faults at the entry, for the exit" \
		"$(faults 'f:fargs/e fa_nodes%return a=$entry(bad->value) b=$entry(node->value)' nodes)" 1
}

# lengths: of the strings that are in the trace.
lengths() {
	trace_of_event | grep -oE '"[^"]*"' | awk '{ print length($0) - 2 }' | xargs
}

# A record that does not fit into a part of the ring buffer is lost, and counted, and
# nothing else. How large that may be is decided when the kernel boots.
long_strings() {
	local arguments='one:string two:string three:string'

	record "f:fargs/e fa_strings $arguments" longest >"$OUT"
	check "a record that does not fit, with a string of 4,095 bytes" "$(cat "$OUT")" ""
	check "it is counted as that" "$(profile record faults)" \
		"hits=1 misses=1 record=1 faults=0"
	check "the next one" "$(record "f:fargs/e fa_strings $arguments" strings)" \
		'one="one" two=(fault) three="three"'
	record "f:fargs/e fa_strings $arguments" long >"$OUT"
	check "a string of 3,900 bytes, function" "$(lengths)" "3 3900 5"
	record "r:fargs/e kprobe_fargs:fa_strings $arguments" long >"$OUT"
	check "a string of 3,900 bytes, kretprobe" "$(lengths)" "3 3900 5"
}

# equal VALUES: "equal", or the values that are not: NAME=VALUE, as the trace has them.
equal() {
	local first=${1%% *} v

	for v in $1; do
		[ "${v#*=}" = "${first#*=}" ] || { echo "$1"; return; }
	done
	echo "equal"
}

# The task that writes is the subshell of record(), a child of this one. The first word
# of pcpu_hot is the task.
what_is_current() {
	local write='f:fargs/e fargs_write' named='d_name.name:string'

	check "a cast" "$(record "$write (file)f->f_path.dentry->$named" strings)" 'name="kprobe_fargs"'
	check "a cast of a cast" "$(record "$write (dentry)((file)f->f_path.dentry)->$named" strings)" \
		'name="kprobe_fargs"'
	check "the task" "$(record "$write \$current->real_parent->pid" strings)" "pid=$$"
	check "a variable of this CPU" "$(equal "$(record \
		"$write a=\$current:x64 b=this_cpu_read(@pcpu_hot):x64 c=+0(this_cpu_ptr(@pcpu_hot)):x64" \
		strings)")" equal
	check "a member that a structure is around" "$(equal "$(record \
		"$write a=(task_struct,pid)\$current->pid:x32 b=+0(\$current):x32" strings)")" equal
}

# symbol MATCH: the name of the first function of the kernel itself for which that is true.
symbol() {
	awk 'NF == 3 && $2 == "t" { seen[$3]++; if ('"$1"') { print $3; exit } }' /proc/kallsyms
}

# A part that the compiler has made of a function, a function among others that no event on
# functions can be on, and a name that several functions have.
unknown_functions() {
	local missing="ENOENT: No BTF entry for this probe point" name

	name=$(symbol '$3 ~ /\.(part|isra|constprop)\.0$/')
	refused "p:fargs/e $name a" "$missing" a
	refused 'f:fargs/e vfs_read,memcpy_orig count' "$missing" count
	name=$(symbol '$3 !~ /\./ && seen[$3] == 2')
	refused "p:fargs/e $name" "EINVAL: The symbol is not unique" "$name"
}

# Of lengths from 0 to 33: over the end of a page, up to it, and without a null before it,
# where no page follows.
edges() {
	local text=abcdefghijklmnopqrstuvwxyzABCDEFG wanted='' len

	for len in $(seq 0 33); do
		wanted+="one=\"${text:0:len}\" two=\"${text:0:len}\" three=(fault)"$'\n'
	done
	at_both edges fa_strings 'one:string two:string three:string' "${wanted%$'\n'}"
}

# The memory of the process that writes. Half of what @edge points to is not there.
user_memory() {
	at_both "user hello" fa_takes_user 'text:ustring x=+u0(text):ustring y=+0(text):string' \
		'text="hello" x="hello" y="hello"'
	at_both "user hello" fa_takes_user \
		'a=+u0(u):x32 b=+u4(u):s32 c=+u8(u):ustring d=+u0(+u24(u)):ustring' \
		'a=0x80000001 b=-2 c="in a process" d="hello"'
	at_both "user hello" fa_takes_user 'u->a u->b u->text:ustring u->p:ustring' \
		'a=2147483649 b=-2 text="in a process" p="hello"'
	at_both "user hello" fa_takes_user \
		'a=+u0(edge):x32 b=+u0(edge):x64 c=+u0(edge):x32[2] d=\1' \
		"a=0x11111111 b=0x0 c={0x11111111,0x0} d=0x1"
	at_both "user hello" fa_takes_user \
		'a=+0(edge):x64 b=+u0(+u0(edge)):x8 c=+u0(edge):ustring' \
		"a=0x0 b=0x0 c=(fault)"
}

# A parameter is what it was at the entry, what it points to is read at the exit.
exits() {
	at_exit changes fa_changes 'n node->value text:string x=$retval->value' \
		'n=5 value=6 text="nld" x=-77'
	at_exit changes fa_changes 'x=$retval[0].value y=$retval[0].name:string' 'x=-77 y="last"'
	at_exit changes fa_changes 'x=$arg1:s32 y=n:s32 z=+0($arg2):s32 w=+0($arg3):string' \
		'x=5 y=5 z=6 w="nld"'
	at_entry changes fa_changes 'n node->value text:string' 'n=5 value=42 text="old"'
	at_exit changes fa_changes 'old=$entry(node->value) node->value x=$entry(n)' \
		'old=42 value=6 x=5'
	at_exit returns fa_gives_s8 'n x=$retval y=$retval:s8 z=$retval:x8' \
		"n=-100 x=-100 y=-100 z=0x9c"
	at_exit returns fa_gives_u16 'x=$retval' "x=65534"
	at_exit returns fa_gives_int 'x=$retval y=$retval:x32' "x=-100000 y=0xfffe7960"
	at_exit returns fa_gives_bool 'x=$retval' "x=1"
	at_exit returns fa_gives_pointer 'x=$retval' "x=0x12345678"
	at_exit returns fa_gives_8 'x=$retval $retval.a $retval.b $retval.c $retval.d' \
		"x=0xfc03fffe7ffffff0 a=2147483632 b=-2 c=3 d=-4"
	refused 'f:fargs/e fa_gives_nothing%return $retval' \
		"ENOENT: This function returns 'void' type" '$retval'
}

# 6.12: of a variadic function $arg* is refused.
others() {
	at_both others fa_dots '$arg*' "a=-1 b=9223372036854775808"
	check "t fa_point" "$(record 't:fargs/e fa_point a b s.c s.d s.e node->value late' others)" \
		"a=254 b=-2 c=65534 d=-3 e=253 value=42 late=18364758544493064720"
	check "t fa_point \$arg*" "$(record 't:fargs/e fa_point $arg*' others)" \
		"$(record 't:fargs/e fa_point a b s node late' others)"
	refused 't:fargs/e fa_point $retval' \
		"EINVAL: \$retval is not available on probe" '$retval'
	refused "f:fargs/e fa_nodes absent" \
		"ENOENT: This variable is not found at this probe point" absent
	# What the kernel has alike, BTF of a module does not have.
	refused 'f:fargs/e kprobe_fargs:call_scalars%return $retval' \
		"ENOENT: This function returns 'void' type" '$retval'
	at_entry others fa_long_name 'a_parameter_that_has_a_name_too_long_for_arguments' "arg1=5"
	define 'f:fargs/e fa_long_name $arg*' >/dev/null
	check "with its name" "$(cat "$DYNAMIC")" \
		"f:fargs/e fa_long_name arg1=a_parameter_that_has_a_name_too_long_for_arguments"
	check "that can be written back" "$(define "$(cat "$DYNAMIC")")" ok
	check "f MODULE:NAME" "$(record "f:fargs/e kprobe_fargs:fa_nodes node->value" nodes)" "value=42"
	check "p NAME" "$(record "p:fargs/e fa_nodes node->value" nodes)" "value=42"
}

# 6.12: there are no such events.
several() {
	local text="EINVAL: Not all functions have this parameter at one place, of one type"

	check "f of three, n" "$(record 'f:fargs/e fa_gives_s8,fa_gives_u16,fa_gives_bool n' returns)" \
		$'n=-100\nn=65534\nn=2'
	check "f of two, n at the exit" \
		"$(record 'f:fargs/e fa_gives_[su]*%return n x=$retval:s16' returns)" \
		$'n=-100 x=-100\nn=65534 x=-2'
	check "f of two, a field" "$(record 'f:fargs/e fa_node*,fa_node? node->value' nodes)" "value=42"
	check "f of two, which differ elsewhere" \
		"$(record 'f:fargs/e fa_struct4,fa_struct12 before' structs)" $'before=-1\nbefore=-1'
	check "f of two, and a text" \
		"$(record 'f:fargs/e fa_gives_s8,fa_gives_u16 s=\"k=v" n' returns)" \
		$'s="k=v" n=-100\ns="k=v" n=65534'
	check "f of two, const or not" "$(define 'f:fargs/e vfs_read,vfs_write file buf count pos')" ok
	refused 'f:fargs/e vfs_read,vfs_open count' "$text: vfs_open" count
	refused 'f:fargs/e fa_nodes,fa_changes x=node->value' \
		"$text: kprobe_fargs:fa_changes" 'node->value'
	refused 'f:fargs/e fa_struct4,fa_struct8 before s' "$text: kprobe_fargs:fa_struct8" s
	refused 'f:fargs/e fa_scalars,fa_late b a' "$text: kprobe_fargs:fa_late" b
	refused 'f:fargs/e fa_gives_* n' "$text: kprobe_fargs:fa_gives_pointer" n
	refused 'f:fargs/e fa_gives_s8,fa_gives_int $arg*' \
		"EOPNOTSUPP: BTF is not available or not supported" '$arg*'
	# The caret is below a word that the line has.
	refused 'f:fargs/e fa_scalars $arg* $arg7:string' \
		"EINVAL: This argument name is already used" '$arg7:string'
	refused 'f:fargs/e fa_scalars $arg* absent' \
		"ENOENT: This variable is not found at this probe point" absent
	refused 'f:fargs/e fa_scalars $arg* x=absent:%pD' \
		"ENOENT: This variable is not found at this probe point" 'x=absent:%pD'
	refused 'p:fargs/e kprobe_fargs:fa_scalars $arg* absent' \
		"ENOENT: This variable is not found at this probe point" absent
}

begin
[ -e "$DYNAMIC" ] || skip_all "no dynamic events in this kernel"
[ "$(uname -m)" = x86_64 ] || skip_all "the shapes of arguments are those of x86_64"
grep -q '<argname>' "$TRACEFS/README" || skip_all "no BTF arguments in this kernel"
load kprobe_fargs
[ -e /sys/kernel/btf/kprobe_fargs ] || skip_all "no BTF of modules in this kernel"
echo 1 >"$TRACEFS/tracing_on"
OUT=$(mktemp)
# The helpers print words that are not quoted.
set -f
scalars
structures
members
enumerations
arrays
elements
strings
counted_faults
long_strings
edges
user_memory
exits
others
several
what_is_current
unknown_functions
set +f
echo >"$DYNAMIC"
rm -f "$OUT"
finish
