#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# compile_commands.json in the top directory, of what build/CONFIG was built by:
# editors that ask clangd then know our files as the kernel's build does.
#
# Usage: compile_commands.sh [CONFIG]
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/words.sh"

CONFIG=${1:-x86_64}

main() {
	local obj new=$BUILD/compile_commands.json

	"$HARNESS/kernel.sh" "$CONFIG"
	# The test modules are built with it.
	"$HARNESS/initramfs.sh" "$CONFIG"
	obj=$(realpath "$BUILD/$CONFIG")
	python3 "$obj/../scripts/clang-tools/gen_compile_commands.py" \
		-d "$obj" -o "$new" --log_level ERROR "$obj"
	"$HARNESS/compile_commands.py" "$TOP" "$obj" "$new"
	mv "$new" "$TOP/compile_commands.json"
}

refuse_config_to_boot "$CONFIG"
refuse_arch "$CONFIG" kernel
ready
main; exit
