# SPDX-License-Identifier: GPL-2.0
# Sourced by what does many rows, one after the other, for hours: what has
# passed, and was made from what there is now, is not done again. A row leaves
# OUT/ROW.log and, when it has passed, OUT/ROW.stamp; OUT/ROW.result is for what
# else there is to say of it.
# shellcheck shell=bash disable=SC2034

# made_from [PATTERN]: what all rows depend on, the base and what we lay over it
# but for the files that the extended regular expression matches, on stdout.
made_from() {
	cat "$BUILD/base.stamp" "$HARNESS/kernel.sh" "$TOP"/glue/*.patch
	(cd "$TOP" && grep -vE "^Documentation/${1:+|$1}" "$BUILD/ours.list" | xargs sha256sum)
}

# configuration NAME: how a kernel is configured, on stdout.
configuration() {
	local f

	fragments "$1"
	for f in $(fragments "$1"); do cat "$HARNESS/configs/$f.config"; done
}

id_of_stdin() { sha256sum | cut -c 1-16; }

# once ROW ID TITLE COMMAND...: do it, unless it has passed as ID. False if it
# fails; SPENT is how many seconds it took, or nothing.
once() {
	local stamp=$OUT/$1.stamp log=$OUT/$1.log id=$2 start=$SECONDS rc=0

	SPENT=
	if stamp_ok "$stamp" "$id"; then return; fi
	rm -f "$stamp" "$OUT/$1.result"
	step "$3" "$log" "${@:4}" || rc=$?
	SPENT=$((SECONDS - start))
	[ "$rc" -ne 0 ] || stamp_set "$stamp" "$id"
	return "$rc"
}
