#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Probes in a module that comes and goes: LIVES= says how often.
. "$(dirname "$(readlink -f "$0")")/lib.sh"

# The debugfs list, without the probe that some architectures have at a trampoline.
list() { grep -vE ' (arch_rethook|__kretprobe)_trampoline\+0x' $KPROBES/list; }

# lines: of that, how many match.
lines() { list | grep -cE "$1"; }

# Three kinds of places, each of which loses its text in its own way.
PLACES="entry plain asm"
LIVES=${LIVES:-10}

place_all() {
	local f

	for f in $PLACES; do
		check "probe at kt_$f()" "$(probe now P "$f" "kprobe_target:kt_$f")" ok
		check "return probe at kt_$f()" \
			"$(probe now r "r$f" "kprobe_target:kt_$f")" ok
	done
}

hit_all() {
	local f

	for f in $PLACES; do
		check "hits at kt_$f()" "$(hits_of "$f" "$f" 20)" 20
		check "hits of the return of kt_$f()" "$(hits_of "r$f" "$f" 20)" 20
	done
}

before_unload() {
	check "the list names the module" "$(lines ' kt_[a-z]+\+0x[0-9a-f]+ .*kprobe_target')" 6
	check "nothing is gone yet" "$(lines '\[GONE\]')" 0
	check "the module can be unloaded" "$(rmmod kprobe_target && echo ok)" ok
}

# The probes are registered as before, and do nothing.
after_unload() {
	local f

	check "all are gone" "$(lines '\[GONE\]')" 6
	check "none is listed as armed" "$(lines '\[(OPTIMIZED|DISABLED)\]')" 0
	for f in $PLACES; do
		check "$f knows that it is gone" "$(field "$f" gone)" 1
		check "$f: enabling what is gone" "$(probe enable - "$f" -)" EINVAL
		check "$f: disabling what is gone" "$(probe disable - "$f" -)" ok
	done
	check "the switch for all, off" "$(put $KPROBES/enabled 0)" ok
	check "the switch for all, on" "$(put $KPROBES/enabled 1)" ok
	check "all are still gone" "$(lines '\[GONE\]')" 6
	check "a symbol of the module" "$(probe now p x kprobe_target:kt_plain)" ENOENT
}

# The module at hand is a new one: old probes do not know it.
another_life() {
	local f

	load kprobe_target
	for f in $PLACES; do
		check "gone is gone, at kt_$f()" "$(hits_of "$f" "$f" 20)" 0
	done
	for f in $PLACES; do
		check "a new probe at kt_$f()" \
			"$(probe now p "new$f" "kprobe_target:kt_$f")" ok
		check "hits of the new probe at kt_$f()" "$(hits_of "new$f" "$f" 20)" 20
	done
	for f in $PLACES; do
		remove "$f"
		remove "r$f"
		check "$f: the new one stays when the old one goes" \
			"$(hits_of "new$f" "$f" 20)" 20
	done
	for f in $PLACES; do
		remove "new$f"
	done
	check "no probe is left" "$(lines kt_)" 0
	unload kprobe_target
}

# Disabled, or taken away while gone: nothing is written into freed text.
gone_while_off() {
	load kprobe_target
	place off p off kprobe_target:kt_plain
	place off r roff kprobe_target:kt_entry
	check "disabled probes are listed" "$(lines '\[DISABLED\]')" 2
	rmmod kprobe_target
	check "they go too" "$(lines '\[GONE\]')" 2
	check "enabling one of them" "$(probe enable - off -)" EINVAL
	remove off
	remove roff
	check "no probe is left" "$(lines 'kt_|GONE')" 0
}

# Placed by a notifier while the module comes: before its init function runs.
init_text() {
	case $(uname -m) in ppc64*)
		ktap_test_skip "the init text of modules stays here"
		return ;;
	esac
	place coming p init kprobe_target:kt_init_text
	place coming r rinit kprobe_target:kt_init_text
	place coming p text kprobe_target:kt_plain
	load kprobe_target
	check "probe in init text, before the init function" "$(field init placed)" 0
	check "hits in init text" "$(field init hits)" 3
	check "hits of its return" "$(field rinit hits)" 3
	check "init text is gone" "$(field init gone) $(field rinit gone)" "1 1"
	check "the rest is not" "$(field text gone) $(hits_of text plain 9)" "0 9"
	check "enabling in init text" "$(probe enable - init -)" EINVAL
	check "init text has no symbol any more" \
		"$(probe now p late kprobe_target:kt_init_text)" ENOENT
	remove init
	remove rinit
	check "hits after init text was dropped" "$(hits_of text plain 9)" 9
	unload kprobe_target
	remove text
}

# Placed while the module goes: too late.
going() {
	place going p late kprobe_target:kt_plain
	place going r rlate kprobe_target:kt_entry
	load kprobe_target
	check "not placed yet" "$(field late placed)" 0
	unload kprobe_target
	check "probe in a module that goes" "$(field late placed)" -2
	check "return probe in a module that goes" "$(field rlate placed)" -2
	check "no probe is left" "$(lines 'kt_|GONE')" 0
	remove late
	remove rlate
}

# The init function says no: all text goes, without ever having been live.
failed_init() {
	place coming p init kprobe_target:kt_init_text
	place coming r text kprobe_target:kt_plain
	place coming p site kprobe_target:kt_entry
	check "a module whose init function fails" \
		"$(insmod "$DIR/test_modules/kprobe_target.ko" fail=1 2>/dev/null && echo ok)" ""
	check "hits until then" "$(field init hits) $(field text hits)" "3 2"
	check "its text is gone" \
		"$(field init gone) $(field text gone) $(field site gone)" "1 1 1"
	check "enabling in it" "$(probe enable - text -)" EINVAL
	remove init
	remove text
	remove site
	check "no probe is left" "$(lines 'kt_|GONE')" 0
}

# A notifier says no when the others have seen the module come. They hear that
# it goes; its text is there for a while longer, and nobody hears when it goes.
refused() {
	local f refuse=/sys/module/kprobe_prober/parameters/refuse

	place coming p init kprobe_target:kt_init_text
	place coming r text kprobe_target:kt_plain
	place coming p site kprobe_target:kt_entry
	place going p late kprobe_target:kt_plain
	place going r rlate kprobe_target:kt_entry
	echo 1 >$refuse
	check "a module that is turned away" \
		"$(insmod "$DIR/test_modules/kprobe_target.ko" 2>/dev/null && echo ok)" ""
	echo 0 >$refuse
	check "probes before that" \
		"$(field init placed) $(field text placed) $(field site placed)" "0 0 0"
	check "its text is gone" \
		"$(field init gone) $(field text gone) $(field site gone)" "1 1 1"
	check "probe in a module that was turned away" "$(field late placed)" -2
	check "return probe in it" "$(field rlate placed)" -2
	for f in init text site late rlate; do remove $f; done
	check "no probe is left" "$(lines 'kt_|GONE')" 0
}

# A livepatch is asked before any notifier, and says no: what the module forbids
# is not known yet, and nobody will hear that its text goes.
too_early() {
	if [ ! -f "$DIR/test_modules/kprobe_early.ko" ]; then
		ktap_test_skip "no livepatches in this kernel"
		return
	fi
	load kprobe_early
	check "a module that a livepatch turns away" \
		"$(insmod "$DIR/test_modules/kprobe_target.ko" 2>/dev/null && echo ok)" ""
	check "probe in it before that" \
		"$(cat /sys/module/kprobe_early/parameters/placed)" -2
	check "no probe is left" "$(lines 'kt_|GONE')" 0
	unload_patch kprobe_early
}

# What the module has started runs until after the notifiers: over its probes.
still_running() {
	local jumps

	for jumps in 0 1; do
		[ ! -e $SYSCTL ] || echo $jumps >$SYSCTL
		load kprobe_async
		place now p running kprobe_async:ka_called
		sleep 1
		case $(uname -m) in x86_64 | i?86)
			[ ! -e $SYSCTL ] || check "with optimization $jumps, it is a jump" \
				"$(flag ka_called $jumps)" $jumps ;;
		esac
		dmesg -c >/dev/null
		unload kprobe_async
		check "with optimization $jumps, text that runs while it goes" \
			"$(dmesg | grep -c '1000 calls after the exit function')" 1
		check "with optimization $jumps, the probe is gone" "$(field running gone)" 1
		remove running
	done
	check "no probe is left" "$(lines 'ka_|GONE')" 0
}

# Many times, with probes left behind each time.
again_and_again() {
	local i bad=0

	for i in $(seq "$LIVES"); do
		load kprobe_target
		[ "$(probe now P "p$i" kprobe_target:kt_plain)" = ok ] || bad=$((bad + 1))
		[ "$(probe now p "e$i" kprobe_target:kt_entry)" = ok ] || bad=$((bad + 1))
		[ "$(hits_of "p$i" plain 5)" = 5 ] || bad=$((bad + 1))
		[ "$(hits_of "e$i" entry 5)" = 5 ] || bad=$((bad + 1))
		rmmod kprobe_target
	done
	check "$LIVES lives of a module" $bad 0
	check "all are gone" "$(lines '\[GONE\]')" $((2 * LIVES))
	unload kprobe_prober
	check "no probe is left" "$(lines 'GONE')" 0
}

# Another module may stand where this one stood, and this one elsewhere the next
# time: what is listed and refused is what is there now.
OTHER=kprobe_coverage
# Elsewhere than on x86, the address is not one at which an instruction can be.
case $(uname -m) in x86_64 | i?86) BESIDE=EILSEQ ;; *) BESIDE=EINVAL ;; esac

# names LIFE: the list knows all places of this life.
names() {
	local f

	for f in $PLACES; do
		check "life $1: probe at kt_$f()" \
			"$(probe now P "$f$1" "kprobe_target:kt_$f")" ok
	done
	check "life $1: a function that is forbidden" \
		"$(probe now p "no$1" kprobe_target:kt_nokprobe)" EINVAL
	check "life $1: beside an instruction" \
		"$(probe now p "in$1" kprobe_target:kt_asm+0x1)" "$BESIDE"
	for f in $PLACES; do
		check "life $1: kt_$f() is listed by its name" \
			"$(lines " kt_$f\+0x[0-9a-f]+ .*kprobe_target .*")" 1
		check "life $1: hits at kt_$f()" "$(hits_of "$f$1" "$f" 7)" 7
	done
	check "life $1: nothing of a former one is listed as alive" \
		"$(list | grep -vc GONE)" 3
}

names_each_time() {
	local i f

	for i in 1 2 3; do
		load kprobe_target
		names "$i"
		unload kprobe_target
		check "life $i: without the module its names are gone" \
			"$(lines ' kt_')" 0
		load $OTHER
		check "life $i: probe in another module" \
			"$(probe now p "other$i" $OTHER:places_write)" ok
		check "life $i: it is listed by its name" \
			"$(list | grep -v GONE | grep -c " places_write+.* $OTHER ")" 1
		check "life $i: all are gone" "$(lines '\[GONE\]')" 3
		for f in $PLACES; do remove "$f$i"; done
		remove "other$i"
		unload $OTHER
	done
	check "no probe is left" "$(lines 'kt_|GONE')" 0
}

begin
load kprobe_target
load kprobe_prober
place_all
hit_all
before_unload
after_unload
another_life
gone_while_off
init_text
failed_init
going
refused
too_early
still_running
names_each_time
again_and_again
finish
