#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Deal the difference from the base to our tree into patches: build/series/, as
# series/ says. See series.py for what is written there.
#
#   SIGNER=  "Name <address>" of who sends the patches and signs them off; default: the
#            author in series/list
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/words.sh"

main() {
	"$HARNESS/tree.sh"
	"$HARNESS/series.py" --top "$TOP" --build "$BUILD"
	echo "$BUILD/series"
}

[[ ${SIGNER:-a <a@b>} =~ ^[^\<\>]*[^\<\>\ ]\ \<[^\<\>@\ ]+@[^\<\>@\ ]+\>$ ]] ||
	die "SIGNER=$SIGNER: give Name <address>"
ready
with_lock series main; exit
