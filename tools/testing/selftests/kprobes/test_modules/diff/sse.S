/* SPDX-License-Identifier: GPL-2.0 */
/* Snippets: SSE, and what is left of MMX and x87. */
#include "macros.S"

DIFF_TABLE_START diff_sse

SNIP sse_move, C_SSE, ptr=R_RSI|R_RDI
	I movdqu 3(%rsi), %xmm0
	I movups %xmm1, 5(%rdi)
	I movaps %xmm2, %xmm3
	I movq %xmm4, %rax
	I movq %rbx, %xmm5
	I movd %ecx, %xmm12
	I movhps (%rsi), %xmm7
	I movlpd %xmm14, 24(%rdi)
	DONE
ENDSNIP

SNIP sse_move_rip, C_SSE
	I movdqa diff_arena + 64(%rip), %xmm1
	I movups %xmm2, diff_arena + 96(%rip)
	I movss diff_arena + 128(%rip), %xmm9
	I movntdq %xmm3, diff_arena + 144(%rip)
	I movsd %xmm4, diff_arena + 160(%rip)
	DONE
ENDSNIP

SNIP sse_integer, C_SSE, ptr=R_RSI
	I paddd %xmm0, %xmm1
	I psubb %xmm2, %xmm3
	I pand %xmm4, %xmm5
	I pxor %xmm6, %xmm6
	I pcmpgtw %xmm7, %xmm8
	I pmuludq %xmm9, %xmm10
	I paddq diff_arena + 64(%rip), %xmm11
	I pmaddwd (%rsi), %xmm12
	DONE
ENDSNIP

/*
 * Behind 0F stand the bytes that are branches and flag changes without it:
 * por EB, psubsb E8, psubd FA, psubq FB, pshufd 70, cmpps C2, pavgb E0 ...
 */
SNIP sse_alias, C_SSE
	I por %xmm0, %xmm1
	I psubsb %xmm2, %xmm3
	I psubd %xmm4, %xmm5
	I psubq %xmm6, %xmm7
	I pshufd $0x1b, %xmm8, %xmm9
	I cmpps $1, %xmm10, %xmm11
	I pavgb %xmm12, %xmm13
	I psraw %xmm14, %xmm15
	I psrad %xmm0, %xmm2
	I pavgw %xmm1, %xmm3
	DONE
ENDSNIP

SNIP sse_shuffle, C_SSE
	I pshufd $0x4e, diff_arena + 80(%rip), %xmm0
	I shufps $0x93, %xmm1, %xmm2
	I punpcklbw %xmm3, %xmm4
	I psrldq $5, %xmm5
	I psllq $13, %xmm6
	I pinsrw $3, %eax, %xmm7
	I pextrw $6, %xmm8, %ebx
	I pmovmskb %xmm9, %ecx
	DONE
ENDSNIP

SNIP sse_float, C_SSE, ptr=R_RSI
	I addps %xmm0, %xmm1
	I mulpd (%rsi), %xmm2
	I sqrtsd %xmm3, %xmm4
	I divss %xmm5, %xmm6
	I maxps %xmm7, %xmm8
	I subpd diff_arena + 96(%rip), %xmm9
	DONE
ENDSNIP

SNIP sse_convert, C_SSE
	I cvtsi2sdq %rax, %xmm0
	I cvttsd2siq %xmm1, %rbx
	I cvtdq2ps %xmm2, %xmm3
	I cvtsd2ss %xmm4, %xmm5
	I ucomisd %xmm6, %xmm7
	I comiss diff_arena + 112(%rip), %xmm8
	DONE
ENDSNIP

SNIP sse_mxcsr, C_SSE, ptr=R_RDI
	I stmxcsr (%rdi)
	I movl $0x9fc0, 4(%rdi)
	I ldmxcsr 4(%rdi)
	I addps %xmm0, %xmm1
	I stmxcsr diff_arena + 120(%rip)
	DONE
ENDSNIP

SNIP sse_ssse3, C_SSE, need=N_SSSE3
	I pshufb %xmm0, %xmm1
	I palignr $7, %xmm2, %xmm3
	I pabsd %xmm4, %xmm5
	I phaddd diff_arena + 128(%rip), %xmm6
	DONE
ENDSNIP

SNIP sse_sse41, C_SSE, need=N_SSE41
	I pmulld %xmm0, %xmm1
	I pblendw $0x5a, %xmm2, %xmm3
	I pextrq $1, %xmm4, %rax
	I pinsrd $2, diff_arena + 132(%rip), %xmm5
	I ptest %xmm6, %xmm7
	I pmovzxbw %xmm8, %xmm9
	I roundsd $1, %xmm10, %xmm11
	DONE
ENDSNIP

SNIP sse_sse42, C_SSE, need=N_SSE42
	I pcmpgtq %xmm0, %xmm1
	I pcmpistri $0x0c, %xmm2, %xmm3
	I crc32q %rax, %rbx
	I crc32b diff_arena + 136(%rip), %edx
	DONE
ENDSNIP

SNIP sse_aes, C_SSE, need=N_AES
	I aesenc %xmm0, %xmm1
	I aesdeclast diff_arena + 144(%rip), %xmm2
	I aeskeygenassist $3, %xmm3, %xmm4
	I pclmulqdq $0x11, %xmm5, %xmm6
	DONE
ENDSNIP

SNIP mmx, C_SSE
	I movq %rax, %mm0
	I movq %rbx, %mm1
	I paddd %mm0, %mm1
	I psubd %mm1, %mm0
	I por diff_arena + 160(%rip), %mm0
	I movq %mm0, %rcx
	I movq %mm1, %rdx
	I emms
	DONE
ENDSNIP

SNIP x87, C_SSE, ptr=R_RDI
	I fninit
	I fldpi
	I fld1
	I faddp
	I fstpl (%rdi)
	I fldl (%rdi)
	I fistpll diff_arena + 168(%rip)
	I fnstcw 16(%rdi)
	I fnstsw %ax
	DONE
ENDSNIP

DIFF_TABLE_END diff_sse
