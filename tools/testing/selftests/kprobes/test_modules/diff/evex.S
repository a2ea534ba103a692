/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Snippets: instructions with an EVEX prefix, and opmask registers. On a CPU
 * that lacks them they are registered only.
 */
#include "macros.S"

DIFF_TABLE_START diff_evex

.macro evex_alias name, insn:vararg
SNIP evex_\name, C_EVEX, need=N_AVX512, ptr=R_RSI
	I \insn
	I nop
	I leaq 1(%rax), %rax
	DONE
ENDSNIP
.endm

evex_alias vpord_eb_jmp, vpord %ymm1, %ymm18, %ymm3
evex_alias vpshufd_70_jo, vpshufd $0, %ymm17, %ymm2
evex_alias vpsubd_fa_cli, vpsubd %ymm17, %ymm2, %ymm3
evex_alias vpsubq_fb_sti, vpsubq %ymm18, %ymm5, %ymm6
evex_alias vpmuludq_f4_hlt, vpmuludq %ymm19, %ymm8, %ymm9
evex_alias vcmpps_c2_ret, vcmpps $1, %ymm1, %ymm2, %k1
evex_alias vpsrad_e2_loop, vpsrad %xmm16, %ymm8, %ymm9
evex_alias vpxord_ef_out, vpxord (%rsi), %ymm16, %ymm9
evex_alias vpternlogd_25, vpternlogd $0x96, %ymm17, %ymm2, %ymm3
evex_alias vpaddd_broadcast, vpaddd 4(%rsi){1to8}, %ymm2, %ymm3

SNIP evex_mask, C_EVEX, need=N_AVX512
	I kmovw %eax, %k1
	I vpaddd %ymm1, %ymm2, %ymm3{%k1}
	I vpsubd %ymm4, %ymm5, %ymm6{%k1}{z}
	I kmovw %k1, %ebx
	DONE
ENDSNIP

SNIP evex_rip, C_EVEX, need=N_AVX512
	I vmovdqu64 diff_arena + 64(%rip), %ymm16
	I vpaddq diff_arena + 96(%rip), %ymm16, %ymm1
	I vpord diff_arena + 128(%rip){1to8}, %ymm16, %ymm2
	I vmovdqu64 %ymm16, diff_arena + 160(%rip)
	DONE
ENDSNIP

SNIP evex_512, C_EVEX, need=N_AVX512, ptr=R_RSI
	I vmovdqu64 (%rsi), %zmm16
	I vpaddq %zmm16, %zmm31, %zmm2
	I kmovw %eax, %k2
	I vpsubd (%rsi){1to16}, %zmm3, %zmm17{%k2}{z}
	I vpternlogd $0x96, %zmm2, %zmm30, %zmm5{%k2}
	I vpermd %zmm4, %zmm6, %zmm18
	I vcmpps $1, %zmm1, %zmm2, %k1
	I kmovw %k1, %ebx
	DONE
ENDSNIP

SNIP evex_512_rip, C_EVEX, need=N_AVX512
	I vmovdqu64 diff_arena + 64(%rip), %zmm16
	I vpaddq diff_arena + 128(%rip), %zmm16, %zmm29
	I vpord diff_arena + 192(%rip){1to16}, %zmm16, %zmm2
	I vmovdqu64 %zmm16, diff_arena + 256(%rip)
	DONE
ENDSNIP

DIFF_TABLE_END diff_evex
