#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Deal the difference from the base to our tree into patches: build/series/, as
# series/ says. See series.py for what is written there.
#
#   SIGNER=  "Name <address>" of the sender, by whom the patches are signed off. Kept
#            until SIGNER=default, which is the author in series/list
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/words.sh"

main() {
	choose_signer
	"$HARNESS/tree.sh"
	"$HARNESS/series.py" --top "$TOP" --build "$BUILD"
	echo "$BUILD/series"
}

refuse_signer
ready
with_lock series main; exit
