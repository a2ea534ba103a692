/* SPDX-License-Identifier: GPL-2.0 */
/* Snippets: SSE, and what is left of MMX and x87. */
#include "macros.S"
#include "words.h"

DIFF_TABLE_START diff_sse

SNIP sse_move, C_SSE, ptr=R_RSI|R_RDI
	I movdqu 3(%_ASM_SI), %xmm0
	I movups %xmm1, 5(%_ASM_DI)
	I movaps %xmm2, %xmm3
	I movd %xmm4, %_ASM_AX
	I movd %_ASM_BX, %xmm5
	I movd %ecx, %XMM12
	I movhps (%_ASM_SI), %xmm7
	I movlpd %XMM14, 24(%_ASM_DI)
	DONE
ENDSNIP

SNIP sse_move_direct, C_SSE
	I movdqa ARENA(64), %xmm1
	I movups %xmm2, ARENA(96)
	I movss ARENA(128), %XMM9
	I movntdq %xmm3, ARENA(144)
	I movsd %xmm4, ARENA(160)
	DONE
ENDSNIP

SNIP sse_integer, C_SSE, ptr=R_RSI
	I paddd %xmm0, %xmm1
	I psubb %xmm2, %xmm3
	I pand %xmm4, %xmm5
	I pxor %xmm6, %xmm6
	I pcmpgtw %xmm7, %XMM8
	I pmuludq %XMM9, %XMM10
	I paddq ARENA(64), %XMM11
	I pmaddwd (%_ASM_SI), %XMM12
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
	I pshufd $0x1b, %XMM8, %XMM9
	I cmpps $1, %XMM10, %XMM11
	I pavgb %XMM12, %XMM13
	I psraw %XMM14, %XMM15
	I psrad %xmm0, %xmm2
	I pavgw %xmm1, %xmm3
	DONE
ENDSNIP

SNIP sse_shuffle, C_SSE
	I pshufd $0x4e, ARENA(80), %xmm0
	I shufps $0x93, %xmm1, %xmm2
	I punpcklbw %xmm3, %xmm4
	I psrldq $5, %xmm5
	I psllq $13, %xmm6
	I pinsrw $3, %eax, %xmm7
	I pextrw $6, %XMM8, %ebx
	I pmovmskb %XMM9, %ecx
	DONE
ENDSNIP

SNIP sse_float, C_SSE, ptr=R_RSI
	I addps %xmm0, %xmm1
	I mulpd (%_ASM_SI), %xmm2
	I sqrtsd %xmm3, %xmm4
	I divss %xmm5, %xmm6
	I maxps %xmm7, %XMM8
	I subpd ARENA(96), %XMM9
	DONE
ENDSNIP

SNIP sse_convert, C_SSE
	I cvtsi2sd %_ASM_AX, %xmm0
	I cvttsd2si %xmm1, %_ASM_BX
	I cvtdq2ps %xmm2, %xmm3
	I cvtsd2ss %xmm4, %xmm5
	I ucomisd %xmm6, %xmm7
	I comiss ARENA(112), %XMM8
	DONE
ENDSNIP

SNIP sse_mxcsr, C_SSE, ptr=R_RDI
	I stmxcsr (%_ASM_DI)
	I movl $0x9fc0, 4(%_ASM_DI)
	I ldmxcsr 4(%_ASM_DI)
	I addps %xmm0, %xmm1
	I stmxcsr ARENA(120)
	DONE
ENDSNIP

SNIP sse_ssse3, C_SSE, need=N_SSSE3
	I pshufb %xmm0, %xmm1
	I palignr $7, %xmm2, %xmm3
	I pabsd %xmm4, %xmm5
	I phaddd ARENA(128), %xmm6
	DONE
ENDSNIP

SNIP sse_sse41, C_SSE, need=N_SSE41
	I pmulld %xmm0, %xmm1
	I pblendw $0x5a, %xmm2, %xmm3
	I PEXTR $1, %xmm4, %_ASM_AX
	I pinsrd $2, ARENA(132), %xmm5
	I ptest %xmm6, %xmm7
	I pmovzxbw %XMM8, %XMM9
	I roundsd $1, %XMM10, %XMM11
	DONE
ENDSNIP

SNIP sse_sse42, C_SSE, need=N_SSE42
	I pcmpgtq %xmm0, %xmm1
	I pcmpistri $0x0c, %xmm2, %xmm3
	I __ASM_SIZE(crc32) %_ASM_AX, %_ASM_BX
	I crc32b ARENA(136), %edx
	DONE
ENDSNIP

SNIP sse_aes, C_SSE, need=N_AES
	I aesenc %xmm0, %xmm1
	I aesdeclast ARENA(144), %xmm2
	I aeskeygenassist $3, %xmm3, %xmm4
	I pclmulqdq $0x11, %xmm5, %xmm6
	DONE
ENDSNIP

SNIP mmx, C_SSE
	I movd %_ASM_AX, %mm0
	I movd %_ASM_BX, %mm1
	I paddd %mm0, %mm1
	I psubd %mm1, %mm0
	I por ARENA(160), %mm0
	I movd %mm0, %_ASM_CX
	I movd %mm1, %_ASM_DX
	I emms
	DONE
ENDSNIP

SNIP x87, C_SSE, ptr=R_RDI
	I fninit
	I fldpi
	I fld1
	I faddp
	I fstpl (%_ASM_DI)
	I fldl (%_ASM_DI)
	I fistpll ARENA(168)
	I fnstcw 16(%_ASM_DI)
	I fnstsw %ax
	DONE
ENDSNIP

DIFF_TABLE_END diff_sse
