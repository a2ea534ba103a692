/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Snippets: instructions with a VEX prefix. Many have a last opcode byte that
 * means something else in the one-byte map, a branch or a change of %rsp or
 * IF. Each of those has a snippet of its own, made so that even the wrong
 * reading returns here: it jumps over nothing or over a nop, and pops only
 * what was pushed for it.
 */
#include "macros.S"
#include "words.h"

DIFF_TABLE_START diff_vex

/* The opcode in the name; nop, because a "call" returns five bytes on. */
.macro vex_alias name, need, insn:vararg
SNIP vex_\name, C_VEX, need=\need, ptr=R_RSI
	I \insn
	I nop
	I lea 1(%_ASM_AX), %_ASM_AX
	DONE
ENDSNIP
.endm

vex_alias vpor_eb_jmp, N_AVX2, vpor %ymm1, %ymm2, %ymm3
vex_alias vpor_eb_jmp_mem, N_AVX2, vpor (%_ASM_SI), %ymm2, %ymm3
vex_alias vpshufd_70_jo, N_AVX2, vpshufd $0, %ymm1, %ymm2
vex_alias vpshufd_70_jo_1, N_AVX2, vpshufd $1, %ymm1, %ymm2
vex_alias vpshufhw_70_jo, N_AVX, vpshufhw $1, %xmm3, %xmm4
vex_alias vpsraw_71_jno, N_AVX2, vpsraw $1, %ymm1, %ymm2
vex_alias vpslld_72_jb, N_AVX2, vpslld $1, %ymm3, %ymm4
vex_alias vpsrlq_73_jae, N_AVX2, vpsrlq $1, %ymm5, %ymm6
vex_alias vpsrldq_73_jae, N_AVX2, vpsrldq $1, %ymm7, %YMM8
vex_alias vpcmpeqb_74_je, N_AVX2, vpcmpeqb %ymm1, %ymm2, %ymm3
vex_alias vpcmpeqw_75_jne, N_AVX2, vpcmpeqw %ymm4, %ymm5, %ymm6
vex_alias vpcmpeqd_76_jbe, N_AVX2, vpcmpeqd %ymm7, %YMM8, %YMM9
vex_alias vzeroupper_77_ja, N_AVX, vzeroupper
vex_alias vzeroall_77_ja, N_AVX, vzeroall
vex_alias vhaddps_7c_jl, N_AVX, vhaddps %ymm1, %ymm2, %ymm3
vex_alias vmovdqu_7f_jg, N_AVX, vmovdqu %YMM11, (%_ASM_SI)
vex_alias vpsubd_fa_cli, N_AVX2, vpsubd %ymm1, %ymm2, %ymm3
vex_alias vpsubq_fb_sti, N_AVX2, vpsubq %ymm4, %ymm5, %ymm6
vex_alias vpaddb_fc_cld, N_AVX2, vpaddb %ymm7, %YMM8, %YMM9
vex_alias vpaddw_fd_std, N_AVX2, vpaddw %YMM10, %YMM11, %YMM12
vex_alias vpaddd_fe_inc, N_AVX2, vpaddd %YMM13, %YMM14, %YMM15
vex_alias vpsubb_f8_clc, N_AVX2, vpsubb %ymm1, %ymm2, %ymm3
vex_alias vpsubw_f9_stc, N_AVX2, vpsubw %ymm4, %ymm5, %ymm6
vex_alias vpmuludq_f4_hlt, N_AVX2, vpmuludq %ymm7, %YMM8, %YMM9
vex_alias vpmaddwd_f5_cmc, N_AVX2, vpmaddwd %YMM10, %YMM11, %YMM12
vex_alias vpsadbw_f6_grp3, N_AVX2, vpsadbw %YMM13, %YMM14, %YMM15
vex_alias vlddqu_f0_lock, N_AVX, vlddqu (%_ASM_SI), %ymm1
vex_alias vpsllw_f1_int1, N_AVX2, vpsllw %xmm1, %ymm2, %ymm3
vex_alias vpsllq_f3_rep, N_AVX2, vpsllq %xmm4, %ymm5, %ymm6
vex_alias vpsubsb_e8_call, N_AVX2, vpsubsb %ymm1, %ymm2, %ymm3
vex_alias vpsubsw_e9_jmp, N_AVX2, vpsubsw %ymm4, %ymm5, %ymm6
vex_alias vpminsw_ea_ljmp, N_AVX2, vpminsw %ymm7, %YMM8, %YMM9
vex_alias vpavgb_e0_loopne, N_AVX2, vpavgb %ymm1, %ymm2, %ymm3
vex_alias vpsraw_e1_loope, N_AVX2, vpsraw %xmm4, %ymm5, %ymm6
vex_alias vpsrad_e2_loop, N_AVX2, vpsrad %xmm7, %YMM8, %YMM9
vex_alias vpavgw_e3_jcxz, N_AVX2, vpavgw %YMM10, %YMM11, %YMM12
vex_alias vpaddsb_ec_in, N_AVX2, vpaddsb %ymm1, %ymm2, %ymm3
vex_alias vpmaxsw_ee_out, N_AVX2, vpmaxsw %ymm4, %ymm5, %ymm6
vex_alias vpxor_ef_out, N_AVX2, vpxor %ymm7, %YMM8, %YMM9
vex_alias vcmpps_c2_ret, N_AVX, vcmpps $1, %ymm1, %ymm2, %ymm3
vex_alias vshufps_c6_mov, N_AVX, vshufps $0x1b, %ymm4, %ymm5, %ymm6
vex_alias vmovmskps_50_push, N_AVX, vmovmskps %ymm1, %ebx
vex_alias vsqrtps_51_push, N_AVX, vsqrtps %ymm2, %ymm3
vex_alias vaddps_58_pop, N_AVX, vaddps %ymm1, %ymm2, %ymm3
vex_alias vsubpd_5c_pop, N_AVX, vsubpd %ymm4, %ymm5, %ymm6
vex_alias vpacksswb_63_movslq, N_AVX2, vpacksswb %ymm1, %ymm2, %ymm3
vex_alias vpunpckhbw_68_push, N_AVX2, vpunpckhbw %ymm4, %ymm5, %ymm6
vex_alias vucomiss_2e_cs, N_AVX, vucomiss %xmm1, %xmm2
vex_alias vpaddq_d4, N_AVX2, vpaddq %ymm1, %ymm2, %ymm3
vex_alias vpsubusb_d8_x87, N_AVX2, vpsubusb %ymm4, %ymm5, %ymm6
vex_alias vpand_db_x87, N_AVX2, vpand %ymm7, %YMM8, %YMM9
vex_alias vpmovmskb_d7_xlat, N_AVX2, vpmovmskb %YMM10, %edx
vex_alias vpermps_16, N_AVX2, vpermps %ymm1, %ymm2, %ymm3
vex_alias vptest_17, N_AVX, vptest %ymm1, %ymm2
vex_alias vpabsb_1c, N_AVX2, vpabsb %ymm3, %ymm4
vex_alias vpmaskmovd_8e_movss, N_AVX2, vpmaskmovd %ymm2, %ymm1, (%_ASM_SI)
vex_alias vpmaskmovd_8c_mov, N_AVX2, vpmaskmovd (%_ASM_SI), %ymm1, %ymm2
vex_alias vpmulld_40, N_AVX2, vpmulld %ymm3, %ymm4, %ymm5
vex_alias vfmsub132ps_9a_lcall, N_FMA, vfmsub132ps %ymm1, %ymm2, %ymm3
vex_alias vfmadd231pd_b8, N_FMA, vfmadd231pd %ymm4, %ymm5, %ymm6
vex_alias vfnmsub231ps_be, N_FMA, vfnmsub231ps (%_ASM_SI), %YMM8, %YMM9

/* Read as pushf and popf these two move the stack pointer: keep a copy. */
.macro vex_stack name, insn:vararg
SNIP vex_\name, C_VEX, need=N_FMA
	I mov %_ASM_SP, %_ASM_BP
	I push $0x202
	I \insn
	I mov %_ASM_SP, %_ASM_AX
	I mov %_ASM_BP, %_ASM_SP
	DONE
ENDSNIP
.endm

vex_stack vfnmadd132ps_9c_pushf, vfnmadd132ps %ymm1, %ymm2, %ymm3
vex_stack vfnmadd132ss_9d_popf, vfnmadd132ss %xmm4, %xmm5, %xmm6

SNIP vex_shift, C_VEX, need=N_AVX2
	I vpsrlvd %YMM9, %YMM10, %YMM11
	I vpsllvq %ymm1, %ymm2, %ymm3
	I vpsravd ARENA(64), %ymm4, %ymm5
	DONE
ENDSNIP

SNIP vex_direct, C_VEX, need=N_AVX2
	I vmovdqu ARENA(65), %ymm1
	I vpor ARENA(96), %ymm2, %ymm3
	I vpaddq ARENA(128), %ymm4, %ymm5
	I vpshufd $0, ARENA(160), %ymm6
	I vmovdqu %ymm7, ARENA(192)
	I vpsubd ARENA(224), %YMM8, %YMM9
	DONE
ENDSNIP

SNIP vex_memory, C_VEX, need=N_AVX2, ptr=R_RSI|R_REG12, idx=R_RCX
	I vmovups 7(%_ASM_SI), %ymm0
	I vpaddd (%_ASM_SI,%_ASM_CX,8), %ymm1, %ymm2
	I vmovaps %xmm3, 32(%REG12)
	I vmovntdqa (%REG12), %xmm4
	I vpxor 0x40(%REG12,%_ASM_CX,4), %YMM12, %YMM13
	DONE
ENDSNIP

SNIP vex_permute, C_VEX, need=N_AVX2
	I vpermq $0x1b, %ymm1, %ymm2
	I vpshufb %ymm3, %ymm4, %ymm5
	I vpermd %ymm6, %ymm7, %YMM8
	I vinserti128 $1, %XMM9, %YMM10, %YMM11
	I vextracti128 $1, %YMM12, %XMM13
	I vperm2i128 $0x21, %YMM14, %YMM15, %ymm0
	I vpblendd $0xa5, ARENA(64), %ymm1, %ymm2
	DONE
ENDSNIP

SNIP vex_broadcast, C_VEX, need=N_AVX2, ptr=R_RSI
	I vpbroadcastb %xmm1, %ymm2
	I vpbroadcastd (%_ASM_SI), %ymm3
	I vbroadcasti128 ARENA(96), %ymm4
	I vpmovzxbw %xmm5, %ymm6
	I vmovd %_ASM_AX, %xmm7
	I vmovd %XMM8, %ebx
	I vpinsrd $2, %ecx, %XMM9, %XMM10
	I VPEXTR $1, %XMM11, %_ASM_DX
	DONE
ENDSNIP

SNIP vex_gather, C_VEX, need=N_AVX2, ptr=R_RSI
	I vpxor %xmm1, %xmm1, %xmm1
	I vpcmpeqd %ymm2, %ymm2, %ymm2
	I vpgatherdd %ymm2, 8(%_ASM_SI,%ymm1,4), %ymm3
	DONE
ENDSNIP

SNIP vex_half, C_VEX, need=N_F16C, ptr=R_RDI
	I vcvtph2ps %xmm1, %ymm2
	I vcvtps2ph $0, %ymm3, (%_ASM_DI)
	DONE
ENDSNIP

SNIP vex_mxcsr, C_VEX, need=N_AVX, ptr=R_RDI
	I vaddps %ymm0, %ymm1, %ymm2
	I vstmxcsr (%_ASM_DI)
	I vdivsd %xmm3, %xmm4, %xmm5
	I vstmxcsr ARENA(72)
	DONE
ENDSNIP

SNIP bmi_logic, C_BMI, need=N_BMI1, ptr=R_RSI, undef=F_AF|F_PF|F_SF
	I andn %_ASM_AX, %_ASM_BX, %_ASM_CX
	I blsi %_ASM_DX, %REG8
	I blsrl %REG9L, %REG10L
	I blsmsk (%_ASM_SI), %REG11
	I bextr %_ASM_AX, %_ASM_BX, %_ASM_DI
	I andnl ARENA(64), %REG12L, %REG13L
	DONE
ENDSNIP

SNIP bmi_shift, C_BMI, need=N_BMI2, ptr=R_RSI
	I sarx %_ASM_AX, %_ASM_BX, %_ASM_CX
	I shlxl %edx, (%_ASM_SI), %REG8L
	I shrx %REG9, %REG10, %REG11
	I rorx $13, %REG12, %REG13
	I rorxl $5, ARENA(68), %edi
	DONE
ENDSNIP

SNIP bmi_bits, C_BMI, need=N_BMI2, undef=F_AF|F_PF
	I pdep %_ASM_AX, %_ASM_BX, %_ASM_CX
	I pext %_ASM_DX, %_ASM_SI, %_ASM_DI
	I bzhi %REG8, %REG9, %REG10
	I mulx %REG11, %REG12, %REG13
	I pextl ARENA(72), %eax, %ebx
	DONE
ENDSNIP

#ifdef CONFIG_X86_64
/* Alone and 64 bits wide: QEMU 7.2 gets the flags of others wrong by itself. */
.macro adx name, insn:vararg
SNIP bmi_\name, C_BMI, need=N_ADX, ptr=R_RSI
	I \insn
	I setc %cl
	I seto %dl
	DONE
ENDSNIP
.endm

adx adcx, adcxq %rax, %rbx
adx adcx_mem, adcxq (%rsi), %r8
adx adox, adoxq %rcx, %rdx
adx adox_rip, adoxq diff_arena + 80(%rip), %r9
#else
/* The bytes that a VEX or EVEX prefix begins with are instructions of their own. */
SNIP vex_none, C_VEX, ptr=R_RDI
	I movl $-5, (%edi)
	I movw %ds, 4(%edi)
	I .byte 0xc4, 0x07
	I .byte 0xc5, 0x17
	I movl $0x7fffffff, 4(%edi)
	I xorl %ecx, %ecx
	I .byte 0x62, 0x0f
	DONE
ENDSNIP
#endif

DIFF_TABLE_END diff_vex
