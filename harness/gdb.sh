#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A shell in the kernel as shell.sh gives it, that waits for gdb before its first
# instruction. The kernel's own scripts for gdb (lx-symbols, lx-ps ...) are made,
# and the command that starts gdb is printed.
#
# Usage: gdb.sh [CONFIG]
# PORT=    the TCP port of this machine where gdb is waited for; default 1234
# APPEND=  more kernel parameters: kunit.filter_glob=kprobes_optimizer.opt_path
#          runs one case at boot, kunit.enable=0, which is the default here, none
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/words.sh"

CONFIG=${1:-x86_64}
export PORT=${PORT:-1234}

main() {
	local obj

	"$HARNESS/kernel.sh" "$CONFIG"
	obj=$(realpath "$BUILD/$CONFIG")
	grep -q '^CONFIG_DEBUG_INFO=y' "$obj/.config" ||
		die "CONFIG=$CONFIG has no debug information; x86_64 has"
	"$HARNESS/kernel.sh" "$CONFIG" scripts_gdb
	# Other CPUs than the first are not there yet, and text is not to be
	# written to under the kernel's feet: hardware breakpoints.
	cat <<-END
	In another terminal:

	  gdb -iex 'add-auto-load-safe-path $obj' -ex 'target remote :$PORT' $obj/vmlinux

	(gdb) hbreak register_kprobe
	(gdb) continue
	(gdb) lx-symbols        once a module is loaded

	END
	command -v gdb >/dev/null || echo "(gdb is not installed here: apt-get install gdb)"
	APPEND="nokaslr ${APPEND:-kunit.enable=0}" "$HARNESS/shell.sh" "$CONFIG"
}

refuse_config_to_boot "$CONFIG"
refuse_arch "$CONFIG" test
refuse_machine
refuse_numbers PORT
ready
main; exit
