/* SPDX-License-Identifier: GPL-2.0 */
/* Snippets for 32 bit: SSE, and what is left of MMX and x87. */
#include "../macros.S"

DIFF_TABLE_START diff_sse

SNIP sse_move, C_SSE, ptr=R_RSI|R_RDI
	I movdqu 3(%esi), %xmm0
	I movups %xmm1, 5(%edi)
	I movaps %xmm2, %xmm3
	I movd %xmm4, %eax
	I movd %ebx, %xmm5
	I movd %ecx, %xmm4
	I movhps (%esi), %xmm7
	I movlpd %xmm6, 24(%edi)
	DONE
ENDSNIP

SNIP sse_move_absolute, C_SSE
	I movdqa diff_arena + 64, %xmm1
	I movups %xmm2, diff_arena + 96
	I movss diff_arena + 128, %xmm1
	I movntdq %xmm3, diff_arena + 144
	I movsd %xmm4, diff_arena + 160
	DONE
ENDSNIP

SNIP sse_integer, C_SSE, ptr=R_RSI
	I paddd %xmm0, %xmm1
	I psubb %xmm2, %xmm3
	I pand %xmm4, %xmm5
	I pxor %xmm6, %xmm6
	I pcmpgtw %xmm7, %xmm0
	I pmuludq %xmm1, %xmm2
	I paddq diff_arena + 64, %xmm3
	I pmaddwd (%esi), %xmm4
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
	I pshufd $0x1b, %xmm0, %xmm1
	I cmpps $1, %xmm2, %xmm3
	I pavgb %xmm4, %xmm5
	I psraw %xmm6, %xmm7
	I psrad %xmm0, %xmm2
	I pavgw %xmm1, %xmm3
	DONE
ENDSNIP

SNIP sse_shuffle, C_SSE
	I pshufd $0x4e, diff_arena + 80, %xmm0
	I shufps $0x93, %xmm1, %xmm2
	I punpcklbw %xmm3, %xmm4
	I psrldq $5, %xmm5
	I psllq $13, %xmm6
	I pinsrw $3, %eax, %xmm7
	I pextrw $6, %xmm0, %ebx
	I pmovmskb %xmm1, %ecx
	DONE
ENDSNIP

SNIP sse_float, C_SSE, ptr=R_RSI
	I addps %xmm0, %xmm1
	I mulpd (%esi), %xmm2
	I sqrtsd %xmm3, %xmm4
	I divss %xmm5, %xmm6
	I maxps %xmm7, %xmm0
	I subpd diff_arena + 96, %xmm1
	DONE
ENDSNIP

SNIP sse_convert, C_SSE
	I cvtsi2sdl %eax, %xmm0
	I cvttsd2sil %xmm1, %ebx
	I cvtdq2ps %xmm2, %xmm3
	I cvtsd2ss %xmm4, %xmm5
	I ucomisd %xmm6, %xmm7
	I comiss diff_arena + 112, %xmm0
	DONE
ENDSNIP

SNIP sse_mxcsr, C_SSE, ptr=R_RDI
	I stmxcsr (%edi)
	I movl $0x9fc0, 4(%edi)
	I ldmxcsr 4(%edi)
	I addps %xmm0, %xmm1
	I stmxcsr diff_arena + 120
	DONE
ENDSNIP

SNIP sse_ssse3, C_SSE, need=N_SSSE3
	I pshufb %xmm0, %xmm1
	I palignr $7, %xmm2, %xmm3
	I pabsd %xmm4, %xmm5
	I phaddd diff_arena + 128, %xmm6
	DONE
ENDSNIP

SNIP sse_sse41, C_SSE, need=N_SSE41
	I pmulld %xmm0, %xmm1
	I pblendw $0x5a, %xmm2, %xmm3
	I pextrd $1, %xmm4, %eax
	I pinsrd $2, diff_arena + 132, %xmm5
	I ptest %xmm6, %xmm7
	I pmovzxbw %xmm0, %xmm1
	I roundsd $1, %xmm2, %xmm3
	DONE
ENDSNIP

SNIP sse_sse42, C_SSE, need=N_SSE42
	I pcmpgtq %xmm0, %xmm1
	I pcmpistri $0x0c, %xmm2, %xmm3
	I crc32l %eax, %ebx
	I crc32b diff_arena + 136, %edx
	DONE
ENDSNIP

SNIP sse_aes, C_SSE, need=N_AES
	I aesenc %xmm0, %xmm1
	I aesdeclast diff_arena + 144, %xmm2
	I aeskeygenassist $3, %xmm3, %xmm4
	I pclmulqdq $0x11, %xmm5, %xmm6
	DONE
ENDSNIP

SNIP mmx, C_SSE
	I movd %eax, %mm0
	I movd %ebx, %mm1
	I paddd %mm0, %mm1
	I psubd %mm1, %mm0
	I por diff_arena + 160, %mm0
	I movd %mm0, %ecx
	I movd %mm1, %edx
	I emms
	DONE
ENDSNIP

SNIP x87, C_SSE, ptr=R_RDI
	I fninit
	I fldpi
	I fld1
	I faddp
	I fstpl (%edi)
	I fldl (%edi)
	I fistpll diff_arena + 168
	I fnstcw 16(%edi)
	I fnstsw %ax
	DONE
ENDSNIP

DIFF_TABLE_END diff_sse
