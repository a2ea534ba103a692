#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What /sys/kernel/debug/kprobes and the sysctl show and accept.
. "$(dirname "$(readlink -f "$0")")/lib.sh"

FLAGS='(\[GONE\])?(\[DISABLED\])?(\[OPTIMIZED\])?(\[FTRACE\])?'
# Of one that is enabled, and is a jump where it is no ftrace site.
ON='(\[OPTIMIZED\]|\[FTRACE\])?'

modes() {
	check "mode of list" "$(stat -c %a $KPROBES/list)" 400
	check "mode of enabled" "$(stat -c %a $KPROBES/enabled)" 600
	check "mode of blacklist" "$(stat -c %a $KPROBES/blacklist)" 400
}

# address, type, symbol and offset, module or a blank, flags.
list() {
	local entry plain off inside

	place now p site kprobe_target:kt_entry
	place now r trap kprobe_target:kt_plain
	place off P off kprobe_target:kt_plain2
	place now p core do_sys_openat2
	entry=$(line kt_entry)
	plain=$(line kt_plain)
	off=$(line kt_plain2)
	inside=$(line do_sys_openat2)
	check "lines in the list" "$(grep -cE '  (kt_|do_sys_openat2)' $KPROBES/list)" 4
	check "lines of another form" "$(grep -cvE \
		"^[0-9a-f]{8,16}  [kr]  [^ ]+\\+0x[0-9a-f]+  (kprobe_target| ) $FLAGS\$" \
		$KPROBES/list)" 0
	check_match "a kprobe in a module" "$entry" \
		"[0-9a-f]+  k  kt_entry\\+0x[0-9a-f]+  kprobe_target $ON"
	check_match "a kretprobe in a module" "$plain" \
		'[0-9a-f]+  r  kt_plain\+0x[0-9a-f]+  kprobe_target (\[OPTIMIZED\])?'
	check_match "a disabled kprobe" "$off" \
		'[0-9a-f]+  k  kt_plain2\+0x[0-9a-f]+  kprobe_target \[DISABLED\]'
	check_match "a kprobe in the kernel" "$inside" \
		"[0-9a-f]+  k  do_sys_openat2\\+0x[0-9a-f]+    $ON"
	place disable - site -
	check_match "it is marked when it is disabled" "$(line kt_entry)" \
		'.*kprobe_target \[DISABLED\](\[FTRACE\])?'
	place enable - site -
	# If it was a jump, it may not be one again yet.
	inside=$(line kt_entry)
	check "and as before when it is enabled" \
		"${inside/"[OPTIMIZED]"/}" "${entry/"[OPTIMIZED]"/}"
}

# Two at a function.
jprobes() {
	if ! grep -q ' register_jprobe$' /proc/kallsyms; then
		ktap_test_skip "no jprobes in this kernel"
		return
	fi
	place now j jprobe kprobe_target:kt_asm
	place now j another kprobe_target:kt_asm
	check "lines of jprobes" "$(line kt_asm | grep -c '  j  kt_asm')" 2
	check "hits of both" "$(hits_of jprobe asm 20)" 40
	check "not at the entry" "$(probe now j inside kprobe_target:kt_asm+0x8)" EINVAL
	place disable - another -
	check_match "a disabled one" "$(line kt_asm | head -n 1)" \
		"[0-9a-f]+  j  kt_asm\\+0x[0-9a-f]+  kprobe_target \[DISABLED\]$ON"
	check "hits of the other one" "$(hits_of jprobe asm 20)" 20
	remove another
	remove jprobe
	check "lines when they have gone" "$(line kt_asm)" ""
}

# The address is what kallsyms says, for those who may know.
addresses() {
	local restrict=/proc/sys/kernel/kptr_restrict old sym addr off

	read -r addr _ sym <<<"$(line do_sys_openat2)"
	off=${sym%% *}
	off=${off#*+}
	sym=$(awk '$3 == "do_sys_openat2" { print $1; exit }' /proc/kallsyms)
	check "the address is that of the symbol" \
		"$((0x$addr))" "$((0x$sym + off))"
	old=$(cat $restrict)
	echo 2 >$restrict
	check "addresses shown when they are hidden" \
		"$(grep -cvE '^0{8,16}  ' $KPROBES/list)" 0
	check "ranges shown when they are hidden" \
		"$(grep -cvE '^0x0+-0x0+[[:space:]]' $KPROBES/blacklist)" 0
	echo "$old" >$restrict
}

# Does the kernel reach ftrace sites through ftrace, and is kt_entry() one?
on_ftrace() {
	grep -q ' kprobe_ftrace_handler$' /proc/kallsyms &&
		grep -q '^kt_entry ' $TRACEFS/available_filter_functions 2>/dev/null
}

# ftrace's own word on a probe at one of its sites.
ftrace_flag() {
	local site

	site=$(line kt_entry | grep -c FTRACE)
	if on_ftrace; then
		check "an ftrace site is marked" "$site" 1
	else
		check "no ftrace site is marked" "$site" 0
	fi
	check "others are not" "$(line kt_plain | grep -c FTRACE)" 0
}

enabled() {
	check "enabled, read" "$(cat $KPROBES/enabled)" 1
	check "hits before" "$(hits_of site entry 10) $(hits_of trap plain 10)" "10 10"
	check "write 0" "$(put $KPROBES/enabled 0)" ok
	check "enabled, read" "$(cat $KPROBES/enabled)" 0
	check "hits while off" "$(hits_of site entry 10) $(hits_of trap plain 10)" "0 0"
	check "registering while off" "$(probe now p new kprobe_target:kt_asm)" ok
	check "hits of the new one while off" "$(hits_of new asm 10)" 0
	place enable - off -
	check "hits of an enabled one while off" "$(hits_of off plain2 10)" 0
	check "write 0 again" "$(put $KPROBES/enabled 0)" ok
	check "write 1" "$(put $KPROBES/enabled 1)" ok
	check "enabled, read" "$(cat $KPROBES/enabled)" 1
	check "hits after" "$(hits_of site entry 10) $(hits_of trap plain 10)" "10 10"
	check "hits of the new one after" "$(hits_of new asm 10)" 10
	# 6.12: is not enabled by that, and says ok.
	check "hits of one enabled meanwhile" "$(hits_of off plain2 10)" 10
	place disable - off -
	put $KPROBES/enabled 0 >/dev/null
	put $KPROBES/enabled 1 >/dev/null
	check "a disabled one is not enabled by it" "$(hits_of off plain2 10)" 0
	check "nothing was missed" "$(field site missed) $(field trap missed)" "0 0"
	remove new
}

# Taken away while all is off.
removed_while_off() {
	place now p gone kprobe_target:kt_asm
	put $KPROBES/enabled 0 >/dev/null
	remove gone
	put $KPROBES/enabled 1 >/dev/null
	check "a probe removed while off is not listed" "$(line kt_asm)" ""
	call asm 10
	check "its place works" "$(cat $TARGET/wrong_results)" 0
}

words() {
	local word

	for word in 2 x 7 -1 ''; do
		check "enabled rejects '$word'" "$(put $KPROBES/enabled "$word")" EINVAL
		check "and stays" "$(cat $KPROBES/enabled)" 1
	done
	for word in n 0 N off; do
		check "enabled takes '$word'" "$(put $KPROBES/enabled "$word")" ok
		check "for 0" "$(cat $KPROBES/enabled)" 0
		put $KPROBES/enabled y >/dev/null
	done
	for word in y 1 Y on; do
		put $KPROBES/enabled 0 >/dev/null
		check "enabled takes '$word'" "$(put $KPROBES/enabled "$word")" ok
		check "for 1" "$(cat $KPROBES/enabled)" 1
	done
}

# Addresses are compared as text: as numbers they are too long for busybox.
blacklist() {
	local file=$KPROBES/blacklist tab=$'\t'

	check "lines of another form" "$(grep -cvE \
		'^0x[0-9a-f]{8,16}-0x[0-9a-f]{8,16}[[:space:]][^[:space:]]+( \[[^]]+\])?$' \
		$file)" 0
	# 6.12: in no order.
	check "entries out of order" \
		"$(awk -F- '$1 "" < last "" { n++ } { last = $1 } END { print n + 0 }' $file)" 0
	check "every range has an end behind its start" \
		"$(awk -F'[-\t]' '$1 "" >= $2 ""' $file | wc -l)" 0
	check "a NOKPROBE function of a module" \
		"$(grep -c "${tab}kt_nokprobe \[kprobe_target\]$" $file)" 1
	check "a NOKPROBE function of kprobes" "$(grep -c "${tab}get_kprobe$" $file)" 1
	check "a function that may be probed" "$(grep -c "${tab}do_sys_openat2$" $file)" 0
}

# What is in the list is refused, the first and the last byte of it.
blacklisted() {
	local name

	for name in $(cut -f2 $KPROBES/blacklist | grep -xE '[a-z_]+' | head -n 300 |
			awk 'NR % 15 == 0'); do
		check "$name is refused" "$(probe now p bad "$name")" EINVAL
	done
}

# 6.12: what a module forbids in its init text stays until the module goes. On powerpc,
# so does the init text itself.
blacklist_follows_modules() {
	local before kept

	before=$(wc -l <$KPROBES/blacklist)
	kept=$(grep -c ' t kt_nokprobe_init' /proc/kallsyms)
	unload kprobe_prober kprobe_target
	check "no entry of a module that is not there" \
		"$(grep -c 'kprobe_target' $KPROBES/blacklist)" 0
	check "entries less" $((before - $(wc -l <$KPROBES/blacklist))) $((1 + kept))
	load kprobe_target
	load kprobe_prober
	check "entries as before" "$(wc -l <$KPROBES/blacklist)" "$before"
}

optimization() {
	if [ ! -e $SYSCTL ]; then
		ktap_test_skip "jump optimization"
		return
	fi
	check "mode of the sysctl" "$(stat -c %a $SYSCTL)" 644
	check "on by default" "$(cat $SYSCTL)" 1
	sysctl_words
	place now p one kprobe_target:kt_asm
	if no_module_jumps kt_asm; then
		ktap_test_skip "jump optimization in modules"
		remove one
		return
	fi
	check "optimized" "$(flag kt_asm 1)" 1
	check "hits of it" "$(hits_of one asm 20)" 20
	sysctl_off_and_on
	optimized_and_disabled
	optimized_and_neighbour
	optimized_and_all_off
	check "nothing was missed" "$(field one missed) $(field trap missed)" "0 0"
	remove one
}

sysctl_words() {
	local word

	for word in 2 -1 x; do
		check "the sysctl rejects '$word'" "$(put $SYSCTL "$word")" EINVAL
		check "and stays" "$(cat $SYSCTL)" 1
	done
}

sysctl_off_and_on() {
	check "write 0" "$(put $SYSCTL 0)" ok
	check "optimized with 0" "$(flag kt_asm 0) $(flag kt_plain 0)" "0 0"
	check "hits with 0" "$(hits_of one asm 20)" 20
	remove trap
	place now r trap kprobe_target:kt_plain
	sleep 1
	check "a new one with 0" "$(flag kt_plain 0)" 0
	check "hits of the new one with 0" "$(hits_of trap plain 20)" 20
	check "write 1" "$(put $SYSCTL 1)" ok
	check "optimized with 1" "$(flag kt_asm 1) $(flag kt_plain 1)" "1 1"
	check "hits with 1" "$(hits_of one asm 20) $(hits_of trap plain 20)" "20 20"
}

optimized_and_disabled() {
	place disable - one -
	check "a disabled one is not optimized" "$(flag kt_asm 0)" 0
	place enable - one -
	check "an enabled one is again" "$(flag kt_asm 1)" 1
	check "hits when enabled again" "$(hits_of one asm 20)" 20
}

# On the second instruction, which the jump on the first one reaches into.
optimized_and_neighbour() {
	if [ "$(cat $TARGET/asm_insns)" = 0 ]; then
		ktap_test_skip "a probe in the region, whose instructions are not known"
		return
	fi
	place now P inside "kprobe_target:$(insn 1)"
	check "another probe in its region" "$(flag "$(insn 0)" 0)" 0
	check "hits of both" "$(hits_of one asm 20) $(hits_of inside asm 20)" "20 20"
	remove inside
	check "when that has gone" "$(flag kt_asm 1)" 1
	check "hits when that has gone" "$(hits_of one asm 20)" 20
}

optimized_and_all_off() {
	put $KPROBES/enabled 0 >/dev/null
	check "with all off" "$(flag kt_asm 0)" 0
	put $KPROBES/enabled 1 >/dev/null
	check "with all on" "$(flag kt_asm 1)" 1
	check "hits at last" "$(hits_of one asm 20)" 20
}

begin
load kprobe_target
load kprobe_prober
modes
list
jprobes
addresses
ftrace_flag
enabled
removed_while_off
words
optimization
blacklist
blacklisted
blacklist_follows_modules
check "all calls gave the right result" "$(cat $TARGET/wrong_results)" 0
finish
