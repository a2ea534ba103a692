/* SPDX-License-Identifier: GPL-2.0 */
/* Snippets for 32 bit: string instructions, both directions, and the prefixes. */
#include "../macros.S"

DIFF_TABLE_START diff_string

SNIP str_single, C_STRING, ptr=R_RSI|R_RDI, opt=O_DF
	I movsb
	I movsw
	I movsl
	I stosb
	I stosl
	I lodsb
	I lodsl
	I cld
	DONE
ENDSNIP

SNIP str_compare, C_STRING, ptr=R_RSI|R_RDI, opt=O_DF
	I cmpsb
	I cmpsl
	I scasb
	I scasw
	I scasl
	DONE
ENDSNIP

SNIP str_rep_movs, C_STRING, ptr=R_RSI|R_RDI, idx=R_RCX|R_RDX, opt=O_DF
	I rep movsb
	I movl %edx, %ecx
	I rep movsw
	I movl $3, %ecx
	I rep movsl
	DONE
ENDSNIP

SNIP str_rep_stos, C_STRING, ptr=R_RDI, idx=R_RCX|R_RDX, opt=O_DF
	I rep stosb
	I movl %edx, %ecx
	I rep stosl
	I movl $5, %ecx
	I rep stosw
	DONE
ENDSNIP

SNIP str_rep_lods, C_STRING, ptr=R_RSI, idx=R_RCX
	I rep lodsl
	I movl $2, %ecx
	I rep lodsb
	DONE
ENDSNIP

/* With a count of zero, no address is looked at: also not a 16-bit one. */
SNIP str_rep_zero, C_STRING, ptr=R_RSI|R_RDI
	I xorl %ecx, %ecx
	I rep movsb
	I rep stosl
	I repe cmpsb
	I repne scasb
	I addr16 rep movsb
	I addr16 rep stosl
	DONE
ENDSNIP

SNIP str_scan, C_STRING, ptr=R_RDI
	I movb 9(%edi), %al
	I movl $12, %ecx
	I repne scasb
	I movl %ecx, %ebx
	I movl $4, %ecx
	I repe scasb
	DONE
ENDSNIP

/* Equal for ten bytes, then not. */
SNIP str_match, C_STRING, ptr=R_RSI|R_RDI
	I movl $10, %ecx
	I rep movsb
	I subl $10, %esi
	I subl $10, %edi
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
	I lodsl
	I stosl
	I cld
	I movl $2, %ecx
	I rep movsl
	DONE
ENDSNIP

SNIP str_overlap, C_STRING, ptr=R_RSI
	I leal 3(%esi), %edi
	I movl $24, %ecx
	I rep movsb
	DONE
ENDSNIP

DIFF_TABLE_END diff_string
