#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Configure and build one kernel: bzImage, vmlinux and modules in
# build/CONFIG/, an object directory (O=) that is a link into the source tree.
#
# Usage: kernel.sh [CONFIG] [MAKE ARGUMENTS...]
#   CONFIG  x86_64 (default), debug, demo, preempt, clang: our tree
#           those of matrix.list, some of them for other architectures
#           stock, stock-debug, stock-i386, ...: the pristine base, configured alike
#           check: as x86_64, for builds with other flags (check.sh)
#   OBJECTS=NAME  build in an object directory of that name, which several
#           configurations may use in turn: for single objects
#   TREE_AS_IS=NAME  build the tree build/NAME, whatever it is, with what it has of
#           the configuration (series-check.sh)
#   KCONFIG=FILE  a configuration that takes the place of CONFIG's
#   CONFIG alone builds bzImage and modules; for another architecture, what
#   arches.list says is booted, and modules
#
# Why a link: an object directory directly inside the source tree makes kbuild
# name its sources "../kernel/fork.c", the same words for ours and for stock.
# ccache then serves the second kernel from the first one's objects.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/words.sh"

CONFIG=${1:-x86_64}
[ $# -eq 0 ] || shift

setup() {
	local f

	FRAGMENTS=()
	[ -z "${KCONFIG:-}" ] || KCONFIG=$(realpath "$KCONFIG")
	for f in $(fragments "$CONFIG"); do
		[ -z "${KCONFIG:-}" ] || break
		f=$HARNESS/configs/$f.config
		[ -f "$f" ] || die "CONFIG=$CONFIG is not there yet (no ${f#"$TOP"/})"
		FRAGMENTS+=("$f")
	done
	TREE=$BUILD/${TREE_AS_IS:-linux}
	case $CONFIG in stock*) TREE=$BUILD/linux-stock ;; esac
	NAME=${OBJECTS:-$CONFIG}
	OBJ=$TREE/obj-$NAME
	LOG=$LOGS/kernel-$NAME.log
	compiler
}

compiler() {
	# Nothing of the time, the place or the user may get into an object:
	# equal sources make equal commands, and ccache hits.
	export CCACHE_DIR=${CCACHE_DIR:-$BUILD/ccache} CCACHE_BASEDIR=$BUILD
	export CCACHE_NOHASHDIR=1 CCACHE_MAXSIZE=${CCACHE_MAXSIZE:-6G}
	export CCACHE_SLOPPINESS=time_macros CCACHE_COMPILERCHECK=content
	# Its depend mode would save a seventh of a build from nothing. But there it
	# does not preprocess a file, so does not see .incbin, and takes piggy.o from
	# the cache with another kernel in it. What caches of that time have is not
	# looked at.
	unset CCACHE_DEPEND
	export CCACHE_NODEPEND=1 CCACHE_NAMESPACE=preprocessed
	export KBUILD_BUILD_TIMESTAMP='2025-01-01' KBUILD_BUILD_USER=harness
	export KBUILD_BUILD_HOST=harness KBUILD_BUILD_VERSION=1
	case $CONFIG in
	*clang) tools clang ;;
	*)      tools "$(matrix_kernel "${CONFIG#stock-}" | cut -d ' ' -f 1)" ;;
	esac
}

# tools NAME: the compiler, and for which architecture.
tools() {
	TARGET=vmlinux
	case $1 in
	clang)
		# The oldest of Debian 12 that can do -fsanitize=kcfi.
		"$HARNESS/packages.sh" clang-16 lld-16 llvm-16
		TARGET=bzImage
		ARGS=(ARCH=x86_64 LLVM=-16 "CC=ccache clang-16") ;;
	loongarch)
		# Debian 12 has no GCC for it, and the kernel asks for LLVM 18.
		"$HARNESS/packages.sh" clang-19 lld-19 llvm-19
		ARGS=(ARCH=loongarch LLVM=-19 "CC=ccache clang-19") ;;
	i386)
		TARGET=bzImage
		ARGS=(ARCH=i386 "CC=ccache gcc") ;;
	*)
		if is_arch "$1"; then
			# shellcheck disable=SC2046 # words
			cross $(arch_row "$1")
			return
		fi
		TARGET=bzImage
		ARGS=(ARCH=x86_64 "CC=ccache gcc") ;;
	esac
	[ -z "$1" ] || for_many
}

# Kernels that are built one after the other by one compiler have their host programs
# in common.
for_many() {
	ARGS+=("HOSTCC=ccache gcc")
}

# cross DEBIAN ARCH TRIPLE IMAGE: Debian's cross compiler.
cross() {
	"$HARNESS/packages.sh" "gcc-$3"
	ARGS=("ARCH=$2" "CROSS_COMPILE=$3-" "CC=ccache $3-gcc")
	TARGET=$(basename "$4")
	for_many
}

# to_make WORDS...: the shell becomes make, which so hears of an interrupt of a step.
to_make() { exec make -C "$TREE" O="$OBJ" "${ARGS[@]}" "$@"; }
kmake() { (to_make "$@"); }

# What the .config depends on: our fragments and every Kconfig file laid over.
config_id() {
	(
		cat ${KCONFIG:+"$KCONFIG"} "${FRAGMENTS[@]}" "$BUILD/base.stamp"
		echo "${ARGS[@]}" "$CONFIG"
		cd "$TREE" || exit
		{ grep -E '(^|/)Kconfig' "$BUILD/linux.manifest" 2>/dev/null || :; } |
			while read -r f; do [ ! -f "$f" ] || cat "$f"; done
	) | sha256sum | cut -c 1-16
}

# A distribution's configuration names keys that only the distribution has.
own_config() {
	sed -E 's/^(CONFIG_SYSTEM_(TRUSTED|REVOCATION)_KEYS)=.*/\1=""/
		s/^(CONFIG_MODULE_SIG_KEY)=.*/\1="certs\/signing_key.pem"/' "$KCONFIG" >"$OBJ/.config.new"
	KCONFIG_CONFIG=$OBJ/.config.new kmake olddefconfig
	grep -q '^CONFIG_KPROBES=y' "$OBJ/.config.new" || die "$KCONFIG does not come out with CONFIG_KPROBES=y"
}

write_config() {
	if [ -n "${KCONFIG:-}" ]; then
		own_config
		return
	fi
	cat "${FRAGMENTS[@]}" >"$OBJ/.fragment"
	# A new .config with the old content must not restart the build, so
	# it is made elsewhere and moved only if it differs.
	KCONFIG_CONFIG=$OBJ/.config.new KCONFIG_ALLCONFIG=$OBJ/.fragment \
		kmake allnoconfig
}

# Every symbol that a fragment names must have come out as it says: kconfig
# drops what has unmet dependencies without a word.
check_config() {
	awk -v out="$OBJ/.config.new" '
		function value(line) {
			if (match(line, /^# CONFIG_[A-Za-z0-9_]+ is not set$/)) {
				split(line, w, " "); name = w[2]; return "n"
			}
			if (line !~ /^CONFIG_[A-Za-z0-9_]+=/) { name = ""; return "" }
			name = line; sub(/=.*/, "", name)
			sub(/^[^=]*=/, "", line); return line
		}
		FILENAME == out { v = value($0); if (name != "") have[name] = v; next }
		{ v = value($0); if (name != "") want[name] = v }
		END {
			for (s in want) {
				h = (s in have) ? have[s] : "n"
				if (h != want[s]) { print s ": asked " want[s] ", got " h; bad = 1 }
			}
			exit bad
		}' "$OBJ/.config.new" "${FRAGMENTS[@]}"
}

configure() {
	local id

	mkdir -p "$OBJ"
	id=$(config_id)
	stamp_ok "$OBJ/.config.stamp" "$id" && [ -f "$OBJ/.config" ] && return
	step "configure $CONFIG" "$LOGS/config-$CONFIG.log" write_config
	[ -n "${TREE_AS_IS:-}" ] || check_config >&2 || die "CONFIG=$CONFIG: the symbols above did not come out as harness/configs/ asks"
	cmp -s "$OBJ/.config.new" "$OBJ/.config" || mv "$OBJ/.config.new" "$OBJ/.config"
	stamp_set "$OBJ/.config.stamp" "$id"
}

install_modules() {
	rm -rf "$OBJ/modroot"
	kmake INSTALL_MOD_PATH="$OBJ/modroot" modules_install
}

# link TARGET NAME: others may be using it.
link() {
	[ "$(readlink "$2")" = "$1" ] && return
	rm -rf "$2"
	ln -s "$1" "$2"
}

build() {
	mkdir -p "$OBJ"
	link "${OBJ#"$BUILD"/}" "${BUILD:?}/$NAME"
	configure
	if [ $# -gt 0 ]; then
		step "make $* ($CONFIG)" "$LOG" to_make -j"$JOBS" "$@"
		return
	fi
	if grep -q '^CONFIG_MODULES=y' "$OBJ/.config"; then TARGET+=" modules"; fi
	# shellcheck disable=SC2086 # words
	step "build $CONFIG" "$LOG" to_make -j"$JOBS" $TARGET
}

main() {
	local t=

	case $CONFIG in stock*) t=stock ;; esac
	refuse_config "$CONFIG"
	ready
	[ -n "${TREE_AS_IS:-}" ] || "$HARNESS/tree.sh" $t
	setup
	with_lock "kernel-$NAME" build "$@"
}

main "$@"; exit
