#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Record what the base's own kernel answers to what is written to dynamic_events:
# build CONFIG=stock and boot it with the lists of the kselftest kprobe_events. The
# records, build/probe-events/*.record, are put beside the lists by hand, after a
# look at what has changed. probe-events.list is what the base cannot be asked
# without harm: for that it is booted once more.
#
# Usage: probe-events.sh [CONFIG]
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/words.sh"

CONFIG=${1:-stock}
TESTS=$TOP/tools/testing/selftests/kprobes
DEST=$BUILD/probe-events

# shellcheck disable=SC2016 # the guest's shell expands it
GUEST='for list in /out/*.list; do
	/out/probe_events_record.sh "$list" >"${list%.list}.record" || exit
done'

# record NAME LIST...: in one boot. What takes the kernel down leaves the answers
# up to there.
record() {
	local name=$CONFIG-$1 rc=0

	shift
	rm -rf "$DEST/in"
	mkdir -p "$DEST/in"
	cp "$TESTS/probe_events_record.sh" "$@" "$DEST/in/"
	NAME=$name IN=$DEST/in APPEND="preempt=full kunit.enable=0" QUIET=1 TIMEOUT=${TIMEOUT:-2400} \
		step "record ${name#*-} on $CONFIG" "$LOGS/$name.log" "$HARNESS/boot.sh" "$CONFIG" -- \
		bash -c "$GUEST" || rc=$?
	cp "$BUILD/runs/$name/out/"*.record "$DEST/"
	"$HARNESS/console.sh" "$BUILD/runs/$name/console.log" || say "  said by the console of $name"
	say "  answers (exit $rc):"
	wc -l "$BUILD/runs/$name/out/"*.record >&2
}

main() {
	"$HARNESS/kernel.sh" "$CONFIG"
	record probe-events "$TESTS"/events/*.list
	record probe-events-harm "$HARNESS/probe-events.list"
}

main; exit
