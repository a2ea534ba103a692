# SPDX-License-Identifier: GPL-2.0
# Sourced by boot.sh for MACHINE=bochs: the emulator Bochs, which has what QEMU 7.2
# has not: CET and AVX-512. It boots from a CD that is made here, and knows no
# way to share files, so what the guest needs comes with its initramfs, and what
# it has in /out goes out over the second serial port, behind the job's output.
# shellcheck shell=bash disable=SC2034 # some variables are of boot.sh

# Emulated instructions a second, which is what the guest's time is made of: so
# this is the frequency of its TSC, too.
BOCHS_IPS=50000000

# CPUID leaf 0xd is wrong about XSAVES and XSAVEC, and XRSTOR raises #GP for what XSAVEC
# has saved. Wakeups from MWAIT get lost.
bochs_parameters() {
	echo "clearcpuid=xsaves,xsavec tsc_early_khz=$((BOCHS_IPS / 1000)) idle=halt" \
		"console=ttyS0,115200 harness=serial"
}

bochs_packages() { "$HARNESS/packages.sh" bochs bochsbios vgabios isolinux syslinux-common xorriso; }

# bochs_cd PARAMETERS: with the kernel, the initramfs, and /out laid over that.
bochs_cd() {
	local cd=$RUN/cd

	mkdir -p "$cd" "$RUN/overlay"
	cp /usr/lib/ISOLINUX/isolinux.bin /usr/lib/syslinux/modules/bios/ldlinux.c32 "$cd/"
	cp "$OBJ/arch/x86/boot/bzImage" "$cd/kernel"
	cp -r "$RUN/out" "$RUN/overlay/out"
	{
		cat "$OBJ/initramfs.img"
		pack "$RUN/overlay"
	} >"$cd/initrd"
	printf 'DEFAULT a\nPROMPT 0\nLABEL a\n  KERNEL kernel\n  APPEND initrd=initrd %s\n' \
		"$1" >"$cd/isolinux.cfg"
	xorriso -as mkisofs -quiet -o "$RUN/cd.iso" -b isolinux.bin -c boot.cat \
		-no-emul-boot -boot-load-size 4 -boot-info-table "$cd" >"$RUN/cd.log" 2>&1
	rm -rf "$cd" "$RUN/overlay"
}

bochs_rc() {
	local mem=${MEM:-2G}

	case $mem in *G) mem=$((${mem%G} * 1024)) ;; esac
	cat <<-END
	megs: ${mem%M}
	romimage: file=/usr/share/bochs/BIOS-bochs-latest
	vgaromimage: file=/usr/share/bochs/VGABIOS-lgpl-latest
	cpu: model=tigerlake, count=${SMP:-2}, ips=$BOCHS_IPS, reset_on_triple_fault=0, ignore_bad_msrs=1
	clock: sync=none
	display_library: rfb, options="timeout=0"
	ata0: enabled=1, ioaddr1=0x1f0, ioaddr2=0x3f0, irq=14
	ata0-master: type=cdrom, path=$RUN/cd.iso, status=inserted
	boot: cdrom
	com1: enabled=1, mode=file, dev=$RUN/console.log
	com2: enabled=1, mode=file, dev=$RUN/serial.log
	log: $RUN/bochs.log
	panic: action=fatal
	error: action=report
	info: action=report
	END
}

bochs_args() {
	bochs_packages
	bochs_cd "$PARAMETERS $(bochs_parameters)"
	bochs_rc >"$RUN/bochsrc"
	# Debian's has a debugger, which waits for a command.
	echo c >"$RUN/bochs.go"
	ARGS=(bochs -q -f "$RUN/bochsrc" -rc "$RUN/bochs.go")
}

# What came over the second port: the job's output, and /out.
bochs_collect() {
	[ -f "$RUN/serial.log" ] || return 0
	sed '/^harness: out$/,$d' "$RUN/serial.log" | tr -d '\r' >"$RUN/result.log"
	grep -q '^harness: end' "$RUN/serial.log" || return 0
	sed -n '/^harness: out/,/^harness: end/{/^harness:/!p}' "$RUN/serial.log" |
		base64 -di | tar -xzf - -C "$RUN/out" || :
	cat "$RUN/result.log"
}
