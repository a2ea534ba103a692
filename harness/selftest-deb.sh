# SPDX-License-Identifier: GPL-2.0
# Sourced by selftest.sh: tests of deb.sh, with a script that makes packages of a line, and
# of deb-test.sh, with programs in the place of debootstrap, QEMU and what makes disks.
# shellcheck shell=bash

deb_toy() {
	local h=$DIR/deb/harness w

	mkdir -p "$DIR/deb/bin" "$DIR/deb/build/linux/samples/"{kprobes,fprobe}
	cp -r "$HARNESS" "$h"
	for w in packages tree; do printf '#!/bin/sh\n' >"$h/$w.sh"; done
	printf 'kernelversion:\n\t@echo 6.12.7\n' >"$DIR/deb/build/linux/Makefile"
	cat >"$h/kernel.sh" <<-'END'
		#!/bin/bash
		cd "$BUILD/linux" || exit
		echo "$*" >"$BUILD/asked"
		echo "${KCONFIG:-vm}" | tee linux-{image-6,image-6-dbg,headers-6,libc-dev}_6.deb >/dev/null
	END
}

# toy_program NAME LINE...: found before the one that it is a toy of.
toy_program() {
	printf '%s\n' '#!/bin/bash' "${@:2}" >"$DIR/deb/bin/$1"
	chmod +x "$DIR/deb/bin/$1"
}

# Its guest copies what it is given, and passes.
deb_programs() {
	toy_program debootstrap 'mkdir -p "${!#}/etc/systemd/system/multi-user.target.wants"'
	toy_program sudo '"$@"'
	toy_program chroot
	toy_program mke2fs
	toy_program sfdisk 'cat >/dev/null'
	toy_program qemu-system-x86_64 '[ -z "$DIES" ] || { echo broken; exit 1; }' \
		'out=$(grep -oE "path=[^,]*" <<<"$*"); out=${out#path=}' \
		'log=$(grep -oE "file:[^ ]*" <<<"$*"); echo boots >"${log#file:}"' \
		'cat "$out"/*.deb >>"$BUILD/installed"' \
		'echo 0 >"$out/rc"; printf "1..1\nok 1 toy\n" >"$out/log"'
}

# deb SCRIPT WORD=...
deb() { env BUILD="$DIR/deb/build" PATH="$DIR/deb/bin:$PATH" "${@:2}" "$DIR/deb/harness/$1.sh" >"$DIR/deb.out" 2>&1; }
# packed NAME: the packages of that configuration.
packed() { (cd "$DIR/deb/build/deb-packages/$1" && echo *); }
# of_config NAME: which configuration they are of.
of_config() { sort -u "$DIR/deb/build/deb-packages/$1/"*.deb; }

# Two files of one name, and two releases of one file.
test_deb_configurations() {
	local w

	is "with a configuration of the user's" deb deb KCONFIG="$HARNESS/configs/vm.config"
	is "they are beside the others" same "$(of_config vm) $(of_config "$theirs")" \
		"vm $HARNESS/configs/vm.config"
	for w in a b; do
		mkdir -p "$DIR/deb/$w"
		touch "$DIR/deb/$w/.config"
		deb deb KCONFIG="$DIR/deb/$w/.config"
	done
	w=${DIR#/}/deb
	w=${w//\//-}
	is "files of one name in two directories have each their packages" same \
		"$(of_config "$w-a-.config") $(of_config "$w-b-.config")" \
		"$DIR/deb/a/.config $DIR/deb/b/.config"
	is "a release by a name of the user's" deb deb LOCALVERSION=-mine
	is "is called that" same "$(cat "$DIR/deb/build/asked")" "deb bindeb-pkg LOCALVERSION=-mine"
	is "and has packages of its own" same "$(packed vm-mine)" "$three"
	is "beside those without" same "$(packed vm)" "$three notes"
}

test_deb() {
	local three="linux-headers-6_6.deb linux-image-6-dbg_6.deb linux-image-6_6.deb"
	local theirs=${HARNESS#/}/configs/vm.config

	theirs=${theirs//\//-}
	deb_toy
	is "packages are made" deb deb
	is "image and headers, and nothing that takes the place of Debian's own" same \
		"$(packed vm)" "$three"
	is "of a release that is not Debian's" same "$(cat "$DIR/deb/build/asked")" \
		"deb bindeb-pkg LOCALVERSION=-kprobes"
	touch "$DIR/deb/build/deb-packages/vm/"{notes,linux-image-5_5.deb}
	is "again" deb deb
	is "in the place of the older ones, and of nothing else" same "$(packed vm)" "$three notes"
	test_deb_configurations
	deb_programs
	is "packages are installed and used" deb deb-test
	is "as all tests say" same "$(tail -n 1 "$DIR/deb.out")" "4 passed, 0 failed"
	is "they are image and headers of the test's own" same "$(xargs <"$DIR/deb/build/installed")" "vm vm"
	is "those of the user's configuration are left alone" same "$(of_config "$theirs")" \
		"$HARNESS/configs/vm.config"
	isnt "an emulator that does not start is a failure" deb deb-test DIES=1
	is "which is counted" same "$(tail -n 1 "$DIR/deb.out")" "0 passed, 1 failed"
}

# A user's PATH on Debian has no directory of root's programs.
test_path() {
	is "root's programs are found" has <(env PATH=/usr/bin:/bin BUILD="$DIR/path" bash -c \
		'. "$0/lib.sh"; echo "$PATH:"' "$HARNESS") ":/usr/sbin:"
	is "by one entry, however often" same "$(env PATH=/usr/bin:/bin BUILD="$DIR/path" bash -c \
		'. "$0/lib.sh"; . "$0/lib.sh"; echo "$PATH"' "$HARNESS")" /usr/bin:/bin:/usr/sbin:/sbin
}
