/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Snippets for 32 bit: instructions with an EVEX prefix, and opmask registers. On
 * a CPU that lacks them they are registered only.
 */
#include "../macros.S"

DIFF_TABLE_START diff_evex

.macro evex_alias name, insn:vararg
SNIP evex_\name, C_EVEX, need=N_AVX512, ptr=R_RSI
	I \insn
	I nop
	I leal 1(%eax), %eax
	DONE
ENDSNIP
.endm

evex_alias vpord_eb_jmp, vpord %ymm1, %ymm2, %ymm3{%k1}
evex_alias vpshufd_70_jo, vpshufd $0, %ymm1, %ymm2{%k1}
evex_alias vpsubd_fa_cli, vpsubd %ymm1, %ymm2, %ymm3{%k1}
evex_alias vpsubq_fb_sti, vpsubq %ymm4, %ymm5, %ymm6{%k1}
evex_alias vcmpps_c2_ret, vcmpps $1, %ymm1, %ymm2, %k1
evex_alias vpxord_ef_out, vpxord (%esi), %ymm0, %ymm1
evex_alias vpaddd_broadcast, vpaddd 4(%esi){1to8}, %ymm2, %ymm3

SNIP evex_mask, C_EVEX, need=N_AVX512
	I kmovw %eax, %k1
	I vpaddd %ymm1, %ymm2, %ymm3{%k1}
	I vpsubd %ymm4, %ymm5, %ymm6{%k1}{z}
	I kmovw %k1, %ebx
	DONE
ENDSNIP

SNIP evex_512, C_EVEX, need=N_AVX512, ptr=R_RSI
	I vmovdqu64 (%esi), %zmm6
	I vpaddq %zmm6, %zmm7, %zmm2
	I kmovw %eax, %k2
	I vpsubd (%esi){1to16}, %zmm3, %zmm1{%k2}{z}
	I vpternlogd $0x96, %zmm2, %zmm7, %zmm5{%k2}
	I vmovdqu64 diff_arena + 64, %zmm0
	I vcmpps $1, %zmm1, %zmm2, %k1
	I kmovw %k1, %ebx
	DONE
ENDSNIP

DIFF_TABLE_END diff_evex
