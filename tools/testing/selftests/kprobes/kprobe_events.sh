#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What may be written to dynamic_events, and what the kernel answers: refusals with
# their columns and messages, listings, formats, and values in the trace. What is
# written is in events/*.list, see probe_events_record.sh; beside each list is the
# record of what 6.12's own code answers. Texts, columns and formats are used by
# programs: an answer that differs is a change of the interface. Those that are meant
# to differ are in events/differs, as lines of a record.
# EVENT_LISTS=A,B: only these lists; default all, which takes minutes where a machine
# is emulated.
. "$(dirname "$(readlink -f "$0")")/lib.sh"

# The records are of one architecture: registers have names and sizes.
refuse_others() {
	[ "$(uname -m)" = x86_64 ] || skip_all "there is no record of $(uname -m)"
	[ -e "$TRACEFS/dynamic_events" ] || skip_all "no dynamic events in this kernel"
	grep -q '<argname>' "$TRACEFS/README" || skip_all "no BTF arguments in this kernel"
	grep -q ' f\[:\[' "$TRACEFS/README" || skip_all "no events on functions in this kernel"
	[ -e "$TRACEFS/uprobe_events" ] || skip_all "no uprobe events in this kernel"
	[ -e "$TRACEFS/events/syscalls" ] || skip_all "no events of system calls in this kernel"
}

# one_case: its steps are in GOT and WANTED; of those that differ both are shown.
one_case() {
	local n

	if [ "${GOT[*]}" = "${WANTED[*]}" ]; then
		ktap_test_pass "$NAME"
		return
	fi
	for ((n = 0; n < ${#GOT[@]}; n++)); do
		[ "${GOT[n]}" != "${WANTED[n]}" ] || continue
		ktap_print_msg "got    ${GOT[n]//$'\t'/ | }"
		ktap_print_msg "wanted ${WANTED[n]//$'\t'/ | }"
	done
	ktap_test_fail "$NAME"
}

# compare ANSWERS RECORD: both have a line for each step; the first step of a case
# does not start with "+ ".
compare() {
	local got wanted

	GOT=() WANTED=() NAME=''
	while IFS= read -r got <&3 && IFS= read -r wanted <&4; do
		case $got in '+ '*) ;; *)
			[ -z "$NAME" ] || one_case
			GOT=() WANTED=() NAME=${got%%$'\t'*} ;;
		esac
		set_key "$NAME" "${wanted%%$'\t'*}"
		WANTED+=("${DIFFERS[$KEY]:-$wanted}") GOT+=("$got")
	done 3<"$1" 4<"$2"
	one_case
}

# set_key CASE STEP: by what a step is known; later ones of a case may be those of
# another.
set_key() {
	case $2 in '+ '*) KEY="$1 $2" ;; *) KEY=$2 ;; esac
}

declare -A DIFFERS
read_differs() {
	local line step name=''

	while IFS= read -r line; do
		step=${line%%$'\t'*}
		case $step in
		'#'*) continue ;;
		'+ '*) ;;
		*) name=$step ;;
		esac
		set_key "$name" "$step"
		DIFFERS[$KEY]=$line
	done <"$DIR/events/differs"
}

is_wanted() {
	[ -n "${EVENT_LISTS:-}" ] || return 0
	case ,$EVENT_LISTS, in *,"$(basename "$1" .list)",*) ;; *) return 1 ;; esac
}

# one_list LIST
one_list() {
	local record=${1%.list}.record name=${1##*/}

	"$DIR/probe_events_record.sh" "$1" >"$ANSWERS"
	check "$name: as many answers as there are steps" \
		"$(wc -l <"$ANSWERS")" "$(grep -vcE '^(#|$)' "$1")"
	check "$name: as many as in the record" "$(wc -l <"$ANSWERS")" "$(wc -l <"$record")"
	compare "$ANSWERS" "$record"
}

begin
refuse_others
ANSWERS=$(mktemp)
read_differs
for list in "$DIR"/events/*.list; do
	is_wanted "$list" || continue
	# The helpers print words that are not quoted.
	set -f
	one_list "$list"
	set +f
done
rm -f "$ANSWERS"
finish
