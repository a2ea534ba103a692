/* SPDX-License-Identifier: GPL-2.0 */
/* Snippets: string instructions, both directions, and the prefixes. */
#include "macros.S"

DIFF_TABLE_START diff_string

SNIP str_single, C_STRING, ptr=R_RSI|R_RDI, opt=O_DF
	I movsb
	I movsw
	I movsl
	I movsq
	I stosb
	I stosq
	I lodsb
	I lodsl
	I cld
	DONE
ENDSNIP

SNIP str_compare, C_STRING, ptr=R_RSI|R_RDI, opt=O_DF
	I cmpsb
	I cmpsq
	I scasb
	I scasl
	I scasq
	DONE
ENDSNIP

SNIP str_rep_movs, C_STRING, ptr=R_RSI|R_RDI, idx=R_RCX|R_RDX, opt=O_DF
	I rep movsb
	I movl %edx, %ecx
	I rep movsq
	I movl $3, %ecx
	I rep movsl
	DONE
ENDSNIP

SNIP str_rep_stos, C_STRING, ptr=R_RDI, idx=R_RCX|R_RDX, opt=O_DF
	I rep stosb
	I movl %edx, %ecx
	I rep stosq
	I movl $5, %ecx
	I rep stosw
	DONE
ENDSNIP

SNIP str_rep_lods, C_STRING, ptr=R_RSI, idx=R_RCX
	I rep lodsq
	I movl $2, %ecx
	I rep lodsb
	DONE
ENDSNIP

SNIP str_rep_zero, C_STRING, ptr=R_RSI|R_RDI
	I xorl %ecx, %ecx
	I rep movsb
	I rep stosq
	I repe cmpsb
	I repne scasb
	I addr32 rep movsb
	DONE
ENDSNIP

SNIP str_scan, C_STRING, ptr=R_RDI
	I movb 9(%rdi), %al
	I movl $12, %ecx
	I repne scasb
	I movq %rcx, %rbx
	I movl $4, %ecx
	I repe scasb
	DONE
ENDSNIP

/* Equal for ten bytes, then not. */
SNIP str_match, C_STRING, ptr=R_RSI|R_RDI
	I movl $10, %ecx
	I rep movsb
	I subq $10, %rsi
	I subq $10, %rdi
	I movl $16, %ecx
	I repe cmpsb
	I movl $5, %ecx
	I repne cmpsw
	DONE
ENDSNIP

SNIP str_backward, C_STRING, ptr=R_RSI|R_RDI
	I std
	I movl $7, %ecx
	I rep movsb
	I lodsq
	I stosl
	I cld
	I movl $2, %ecx
	I rep movsq
	DONE
ENDSNIP

SNIP str_overlap, C_STRING, ptr=R_RSI
	I leaq 3(%rsi), %rdi
	I movl $24, %ecx
	I rep movsb
	DONE
ENDSNIP

DIFF_TABLE_END diff_string
