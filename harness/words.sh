# SPDX-License-Identifier: GPL-2.0
# Sourced by the commands: what the variables may be that make was given. What
# names nothing is refused within a second, with a list of what there is, before
# a package is installed or anything is unpacked or built.
# shellcheck shell=bash

# fragments CONFIG: the configuration, a list of files; later ones win.
fragments() {
	case $1 in
	x86_64)  echo base dynamic ours ours-samples ;;
	debug)   echo base dynamic ours ours-samples checks debug ;;
	demo)    echo demo ;;
	preempt) echo base preempt ours ours-samples ;;
	deb)     echo base dynamic ours vm ;;
	clang)   echo base dynamic ours ours-samples clang ;;
	check)   echo base dynamic ours ours-samples ;;
	stock)   echo base dynamic ;;
	stock-*) fragments "${1#stock-}" | sed -E 's/ (ours(-any|-samples|-jprobe)?|noopt)\>//g' ;;
	*)       matrix_kernel "$1" | cut -d ' ' -f 2- ;;
	esac
}

# matrix_kernel NAME: how matrix.list says it is built: compiler, fragments.
matrix_kernel() {
	awk -v n="$1" '$1 == "kernel" && $2 == n { $1 = $2 = ""; sub(/^ +/, ""); print }' \
		"$HARNESS/matrix.list"
}

# matrix_rows [KIND]: the names of its rows, or of those of one kind.
matrix_rows() {
	awk -v kind="${1:-}" '$1 == "row" && (kind == "" || $4 == kind) { print $2 }' \
		"$HARNESS/matrix.list"
}

# arch_row NAME: its row in arches.list, without the name.
arch_row() { awk -v n="$1" '$1 == n { $1 = ""; sub(/^ +/, ""); print }' "$HARNESS/arches.list"; }
arch_names() { awk '/^[a-z]/ { print $1 }' "$HARNESS/arches.list" | xargs; }
is_arch() { [ -n "$(arch_row "${1#stock-}")" ]; }

own_configs() { sed -nE 's/^\t([a-z0-9_]+)\) +echo .*/\1/p' "$HARNESS/words.sh" | xargs; }

refuse_config() {
	[ -z "$(fragments "$1")" ] || return 0
	die "no CONFIG=$1; there are $(own_configs) stock-debug, and in the matrix $(
		awk '$1 == "kernel" { print $2 }' "$HARNESS/matrix.list" | xargs)"
}

# For what is to be booted.
refuse_config_to_boot() {
	refuse_config "$1"
	case $1 in *loongarch)
		die "CONFIG=$1 is only compiled; what boots is $(own_configs) i386 $(arch_names)" ;; esac
}

# For what is booted with x86's user space; $2: what does something alike for the others.
refuse_arch() {
	! is_arch "$1" || die "CONFIG=$1: not there for this architecture; there is make $2 CONFIG=$1"
}

is_i386() { case $(matrix_kernel "${1#stock-}") in i386*) ;; *) return 1 ;; esac; }

# choose_emulator CONFIG: for boot.sh. ARCH is what make needs for a module. The
# 32-bit "max" is one of AMD's that the kernel warns of when there are two.
choose_emulator() {
	ARCH=
	is_i386 "$1" || return 0
	export QEMU=${QEMU:-qemu-system-i386} CPU=${CPU:-max,vendor=GenuineIntel}
	# shellcheck disable=SC2034 # for those who build modules
	ARCH=ARCH=i386
}

# What is measured beside stock: its configuration, and where the figures are.
stock_of() { case $1 in x86_64) echo stock ;; *) echo "stock-$1" ;; esac; }
beside_stock() { case $2 in x86_64) echo "$BUILD/$1" ;; *) echo "$BUILD/$1-$2" ;; esac; }

refuse_measured() {
	case $1 in x86_64 | i386) ;; *) die "CONFIG=$1: not measured; there are x86_64 i386" ;; esac
}

# refuse_words VARIABLE WORD...: each word of it is one of these.
refuse_words() {
	local variable=$1 w

	shift
	for w in ${!variable:-}; do
		case " $* " in *" $w "*) ;;
		*) die "$variable: no $w; there are $*" ;; esac
	done
}

# refuse_given WHERE VARIABLE...: which has no use for them.
refuse_given() {
	local variable

	for variable in "${@:2}"; do
		[ -z "${!variable:-}" ] || die "$variable=${!variable}: not with $1"
	done
}

# refuse_stamped WHERE [VARIABLE...]: what has passed with one of them, or with a word of
# boots, would have the stamp of what passes without.
refuse_stamped() {
	refuse_given "$1" ACCEL APPEND CONFIG CPU KCONFIG LOCALVERSION MACHINE MEM OBJECTS ONLY \
		PREEMPT SMP TCG_THREAD TEST TREE_AS_IS "${@:2}"
}

# refuse_lists VARIABLE...: numbers with blanks in between.
refuse_lists() {
	local variable

	for variable in "$@"; do
		case ${!variable:-1} in *[!0-9\ ]* | 0)
			die "$variable=${!variable}: not a number" ;; esac
	done
}

# refuse_numbers VARIABLE...: one number each.
refuse_numbers() {
	local variable

	for variable in "$@"; do
		case ${!variable:-} in *\ *) die "$variable=${!variable}: not a number" ;; esac
	done
	refuse_lists "$@"
}

# A tarball named after another series need not be unpacked to be refused.
refuse_by_name() {
	local v

	v=$(basename "$1" | grep -oE '[0-9]+\.[0-9]+' | head -n 1) || return 0
	[ "$v" = $SERIES ] || die "BASE=$1 is named as a $v kernel; only $SERIES.y is supported"
}

refuse_by_makefile() {
	local v

	[ -f "$1/Makefile" ] && [ -d "$1/kernel" ] ||
		die "BASE=$BASE is not a kernel source tree"
	v=$(sed -nE 's/^(VERSION|PATCHLEVEL) = ([0-9]+)$/\2/p' "$1/Makefile" |
		head -n 2 | paste -sd.)
	[ "$v" = $SERIES ] || die "BASE=$BASE is a $v kernel; only $SERIES.y is supported"
	[ ! -e "$1/include/linux/kprobes_core.h" ] ||
		die "BASE=$BASE has our series on it$([ ! -d "$BASE" ] || echo "; make unapply KERNEL=$BASE takes it off")"
}

SERIES=6.12
tarballs() { { compgen -G "/usr/src/linux-source-$SERIES*.tar.xz" || :; } | xargs; }

refuse_base() {
	[ -n "${BASE:-}" ] && [ "$BASE" != default ] || return 0
	[ -e "$BASE" ] || die "BASE=$BASE: no such file or directory; there are default $(tarballs)"
	if [ -d "$BASE" ]; then
		refuse_by_makefile "$BASE"
		# A tree that was built in would leak its headers into ours.
		[ ! -e "$BASE/.config" ] ||
			die "BASE=$BASE is configured in place; run make mrproper there"
	else
		refuse_by_name "$BASE"
	fi
}

# refuse_kconfig [SYMBOL...]: KCONFIG= is a file; and has all of these built in.
refuse_kconfig() {
	local s modules=

	[ -n "${KCONFIG:-}" ] || return 0
	[ -f "$KCONFIG" ] || die "KCONFIG=$KCONFIG: no such file"
	for s in "$@"; do
		grep -qxF "CONFIG_$s=y" "$KCONFIG" || modules+=" $s"
	done
	[ -z "$modules" ] || die "KCONFIG=$KCONFIG: boots here without an initrd, and is to have built in:$modules"
}

# What the name of a package may have, which this becomes a part of.
refuse_localversion() {
	[[ ${LOCALVERSION:--kprobes} =~ ^[-+.][a-z0-9+.-]*[a-z0-9]$ ]] ||
		die "LOCALVERSION=$LOCALVERSION: give a - and small letters, digits, + . -"
}

refuse_machine() {
	case ${MACHINE:-qemu} in qemu | bochs) ;; *) die "no MACHINE=$MACHINE; there are qemu bochs" ;; esac
	refuse_words ACCEL tcg kvm
	[ "${ACCEL:-tcg}" = tcg ] || [ -w /dev/kvm ] ||
		die "ACCEL=kvm: /dev/kvm is not there, or not to be written"
	refuse_numbers SMP TIMEOUT
	case ${MEM:-2G} in *[!0-9]?* | [!0-9]* | *[!0-9MG]) die "MEM=$MEM: give a number with M or G" ;; esac
	[ -z "${CPU:-}" ] || ! command -v qemu-system-x86_64 >/dev/null || refuse_cpu "${CPU%%,*}"
}

# QEMU knows the names.
refuse_cpu() {
	local known

	known=$(qemu-system-x86_64 -cpu help | sed -nE 's/^x86 +([^ ]+) .*/\1/p' | xargs)
	case " $known " in *" $1 "*) ;; *) die "CPU: no $1; there are $known" ;; esac
}

refuse_signer() {
	[[ ${SIGNER:-default} =~ ^(default|[^\<\>]*[^\<\>\ ]\ \<[^\<\>@\ ]+@[^\<\>@\ ]+\>)$ ]] ||
		die "SIGNER=$SIGNER: give Name <address>, or default"
}

# A SIGNER= given once stays in force, as BASE= does: commands that make the series again
# are not to make it another signer's.
choose_signer() {
	local kept=$BUILD/series.signer

	[ "${SIGNER:-}" != default ] || { SIGNER=; rm -f "$kept"; }
	if [ -n "${SIGNER:-}" ]; then
		stamp_set "$kept" "$SIGNER"
	elif [ -f "$kept" ]; then
		SIGNER=$(cat "$kept")
	fi
	export SIGNER
}

# ready [PACKAGE...]: the words are good. What is to be done may need packages.
ready() {
	refuse_numbers JOBS
	refuse_base
	if [ -z "${HARNESS_READY:-}" ]; then
		"$HARNESS/packages.sh"
		export HARNESS_READY=1
	fi
	[ $# -eq 0 ] || "$HARNESS/packages.sh" "$@"
}
