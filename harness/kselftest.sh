#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Install the kselftests that the guest runs, with the kernel's own install
# rule and runner; test modules are built against build/CONFIG.
#
# Usage: kselftest.sh CONFIG DIRECTORY [TARGET...]
#   TARGET  default: ftrace and kprobes, where make kselftest would run them, too; of one
#           that is named and has no Makefile yet, the test modules are built
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/words.sh"

CONFIG=$1
DEST=$2
OBJ=$(realpath "$BUILD/$CONFIG")
TREE=$(dirname "$OBJ")
SELF=$TREE/tools/testing/selftests
OUT=$OBJ/kselftest
TARGETS=("${@:3}")

# Only what make kselftest would run, too.
listed() { grep -xE 'TARGETS \+= (ftrace|kprobes)' "$SELF/Makefile" | sed 's/.* //'; }
[ ${#TARGETS[@]} -gt 0 ] || mapfile -t TARGETS < <(listed)

# By what the kernel was built by, and its programs. kernel.sh has the number, too.
COMPILER=()
PROGRAMS=()

compiler() {
	local arch triple

	if grep -q '^CONFIG_CC_IS_CLANG=y' "$OBJ/.config"; then
		COMPILER=(LLVM=-16)
	elif grep -q '^CONFIG_X86_32=y' "$OBJ/.config"; then
		COMPILER=(ARCH=i386)
		# Not gcc-multilib, which conflicts with all cross compilers. It
		# has the kernel's headers where this machine's own are.
		"$HARNESS/packages.sh" libc6-dev-i386 "lib32gcc-$(gcc -dumpversion)-dev"
		PROGRAMS=("USERCFLAGS=-m32 -idirafter /usr/include/x86_64-linux-gnu")
	elif is_arch "$CONFIG"; then
		read -r _ arch triple _ <<<"$(arch_row "$CONFIG")"
		COMPILER=("ARCH=$arch" "CROSS_COMPILE=$triple-")
	fi
}

# Test modules build where their sources are; a copy of the test's directory
# beside the objects keeps the tree clean and configs apart. Objects in the
# tree, of an install by hand, are of another kernel.
build_modules() {
	local src=$SELF/$1 dir

	for dir in "$src"/test_modules "$src"/modules; do
		[ -d "$dir" ] || continue
		dir=$(basename "$dir")
		mkdir -p "$OUT/$1"
		rsync -a --checksum --delete --exclude='*.o' --exclude='*.ko' \
			--exclude='*.mod*' --exclude='.*.cmd' --exclude=Module.symvers \
			"$src/$dir" "$OUT/$1/"
		# A module's BTF refers to the kernel's, and kbuild does not
		# notice that vmlinux is a new one.
		find "$OUT/$1/$dir" -name '*.ko' ! -newer "$OBJ/vmlinux" -delete
		make -C "$OBJ" M="$OUT/$1/$dir" "${COMPILER[@]}" modules
		mkdir -p "$DEST/$1/$dir"
		find "$OUT/$1/$dir" -name '*.ko' -exec cp {} "$DEST/$1/$dir/" \;
	done
}

# What needs a compiler in the install rule gets TEST_GEN_MODS_DIR= from us: its modules
# are built by build_modules, against the right kernel. Without FORCE_TARGETS=, it is
# enough for the rule that one of the targets can be built.
install_programs() {
	local t made=()

	for t in "${TARGETS[@]}"; do [ ! -f "$SELF/$t/Makefile" ] || made+=("$t"); done
	[ ${#made[@]} -gt 0 ] || return 0
	make -C "$SELF" "${COMPILER[@]}" "${PROGRAMS[@]}" O="$OUT" KHDR_INCLUDES= \
		TARGETS="${made[*]}" TEST_GEN_MODS_DIR= INSTALL_PATH="$DEST" SKIP_TARGETS= \
		FORCE_TARGETS=1 install
}

main() {
	local t

	compiler
	rm -rf "$DEST"
	install_programs
	for t in "${TARGETS[@]}"; do
		build_modules "$t"
	done
}

main; exit
