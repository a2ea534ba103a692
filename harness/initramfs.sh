#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Make the guest's initramfs for one config: build/CONFIG/initramfs.img, two
# archives one behind the other: the tools (the same for all of a word size) and
# what belongs to this kernel: modules, kselftests, guest scripts.
#
# Usage: initramfs.sh [CONFIG]
. "$(dirname "$0")/lib.sh"

CONFIG=${1:-x86_64}
OBJ=$BUILD/$CONFIG
TOOLS=$BUILD/guest-tools

words() { sed -e 's/#.*//' "$1"; }
is_32bit() { grep -qs '^CONFIG_X86_32=y' "$OBJ/.config"; }

# A 32-bit kernel runs none of this machine's programs: Debian's for i386 lie in
# a directory then.
DEBIAN=
if is_32bit; then
	TOOLS+=-i386
	DEBIAN=$BUILD/debian-i386/tools
fi
TOOLS_IMG=$TOOLS.img

# program NAME: the file that it is.
program() {
	local d

	if [ -z "$DEBIAN" ]; then
		PATH=/usr/bin:/bin:/usr/sbin:/sbin command -v "$1"
		return
	fi
	for d in usr/bin bin usr/sbin sbin; do
		[ ! -x "$DEBIAN/$d/$1" ] || { echo "$DEBIAN/$d/$1"; return; }
	done
	return 1
}

# libraries FILE: what it is linked to, by the names it asks for them.
libraries() {
	if [ -z "$DEBIAN" ]; then
		ldd "$1" 2>/dev/null | grep -oE '/[^ ]+' || :
	else
		{ interpreter "$1"; needed "$1"; } | sort -u
	fi
}

interpreter() { { readelf -l "$1" 2>/dev/null || :; } | sed -nE 's/.* interpreter: (.*)]$/\1/p'; }

# needed FILE: and what the libraries need. Their loader does not run here.
needed() {
	local lib

	{ objdump -p "$1" 2>/dev/null || :; } | awk '$1 == "NEEDED" { print $2 }' | while read -r lib; do
		lib=$(cd "$DEBIAN" && find lib usr/lib -name "$lib" -print -quit)
		echo "/$lib"
		needed "$DEBIAN/$lib"
	done
}

# copy_program FILE ROOT: a program and every library it is linked to.
copy_program() {
	local lib

	install -D "$(realpath "$1")" "$2/usr/bin/$(basename "$1")"
	while read -r lib; do
		[ -e "$2$lib" ] || install -D "$(realpath "$DEBIAN$lib")" "$2$lib"
	done < <(libraries "$1")
}

make_tools() {
	local root=$TOOLS prog path app d

	rm -rf "$root"
	mkdir -p "$root"/{dev,proc,sys,tmp,run,root,etc,usr/bin,usr/lib64,usr/lib,mnt,out,newroot,var/tmp}
	for d in bin sbin lib lib64; do
		ln -s "usr/${d/sbin/bin}" "$root/$d"
	done
	ln -s bin "$root/usr/sbin"
	for prog in $(words "$HARNESS/guest.tools"); do
		path=$(program "$prog") || {
			echo "no $prog; busybox must do"
			continue
		}
		case $path in echo | false | printf | pwd | test | true) path=/usr/bin/$prog ;; esac
		copy_program "$path" "$root"
	done
	ln -sf dash "$root/usr/bin/sh"
	ln -sf gawk "$root/usr/bin/awk"
	for app in modprobe insmod rmmod lsmod depmod modinfo; do
		ln -sf kmod "$root/usr/bin/$app"
	done
	install "$(program busybox)" "$root/usr/bin/busybox"
	for app in $(busybox --list); do
		[ -e "$root/usr/bin/$app" ] || ln -s busybox "$root/usr/bin/$app"
	done
	echo 'root:x:0:0:root:/root:/bin/sh' >"$root/etc/passwd"
	echo 'root:x:0:' >"$root/etc/group"
	echo '127.0.0.1 localhost' >"$root/etc/hosts"
	mknod "$root/dev/console" c 5 1 2>/dev/null || :
	pack "$root" >"$TOOLS_IMG.new"
	mv "$TOOLS_IMG.new" "$TOOLS_IMG"
}

tools_id() {
	cat "$HARNESS/guest.tools" "$HARNESS/initramfs.sh"
	if [ -n "$DEBIAN" ]; then
		cat "$HARNESS/guest.packages"
	else
		cat "$(command -v busybox)" "$(command -v bash)"
	fi
}

tools_image() {
	local id

	id=$(tools_id | sha256sum)
	stamp_ok "$TOOLS_IMG.stamp" "$id" && [ -f "$TOOLS_IMG" ] && return
	# shellcheck disable=SC2046 # words
	[ -z "$DEBIAN" ] || "$HARNESS/debian.sh" i386 "$DEBIAN" $(words "$HARNESS/guest.packages")
	step "collect the guest's tools" "$LOGS/guest-tools.log" make_tools
	stamp_set "$TOOLS_IMG.stamp" "$id"
}

has_modules() { grep -q '^CONFIG_MODULES=y' "$OBJ/.config"; }
# The kernel of make demo has no tests.
has_tests() { has_modules && grep -q '^CONFIG_RUNTIME_TESTING_MENU=y' "$OBJ/.config"; }

make_image() {
	local root=$OBJ/initramfs

	rm -rf "$root"
	mkdir -p "$root/harness" "$root/usr/lib"
	if has_modules; then
		make -C "$OBJ" INSTALL_MOD_PATH="$root/usr" INSTALL_MOD_STRIP=1 modules_install
	fi
	rm -f "$root"/usr/lib/modules/*/{build,source}
	cp "$HARNESS"/guest/* "$root/harness/"
	chmod +x "$root"/harness/*
	ln -s /harness/init "$root/init"
	if has_tests; then "$HARNESS/kselftest.sh" "$CONFIG" "$root/kselftest"; fi
	pack "$root" >"$OBJ/initramfs.new"
	cat "$TOOLS_IMG" "$OBJ/initramfs.new" >"$OBJ/initramfs.img.new"
	rm "$OBJ/initramfs.new"
	mv "$OBJ/initramfs.img.new" "$OBJ/initramfs.img"
}

# Content, not time: the image is made again only when something in it is new.
image_id() {
	(
		cd "$OBJ" || exit
		cat .config.stamp
		! has_modules || cat modules.order
		find . -name '*.ko' -not -path './initramfs/*' -printf '%P %T@ %s\n' | sort
		cat "$HARNESS"/guest/* "$HARNESS/kselftest.sh" "$TOOLS_IMG.stamp" "$HARNESS/initramfs.sh"
		cd "$(realpath "$OBJ/..")" || exit
		find tools/testing/selftests/{ftrace,kprobes,kselftest} \
			-type f -printf '%p %T@ %s\n' 2>/dev/null | sort || :
	) | sha256sum
}

main() {
	local id

	[ -f "$OBJ/arch/x86/boot/bzImage" ] || die "CONFIG=$CONFIG is not built (make kernel CONFIG=$CONFIG)"
	with_lock "$(basename "$TOOLS")" tools_image
	id=$(image_id)
	stamp_ok "$OBJ/initramfs.stamp" "$id" && [ -f "$OBJ/initramfs.img" ] && return
	step "initramfs $CONFIG" "$LOGS/initramfs-$CONFIG.log" make_image
	stamp_set "$OBJ/initramfs.stamp" "$id"
}

with_lock "initramfs-$CONFIG" main; exit
