/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Snippets: what must not be probed. None of it is ever reached; that it is
 * there must not keep its neighbours from being probed.
 */
#include "macros.S"

DIFF_TABLE_START diff_refuse

.macro refuse name, insn:vararg
SNIP refuse_\name, C_REFUSE
	I jmp 1f
	IR \insn
1:	I incq %rax
	DONE
ENDSNIP
.endm

SNIP refuse_far_call, C_REFUSE
	I jmp 1f
	ANNOTATE_RETPOLINE_SAFE
	IR lcall *(%rdi)
1:	I incq %rax
	DONE
ENDSNIP

refuse far_jmp, ljmp *(%rdi)
refuse far_ret, lretl
refuse far_ret_imm, lretq $8
refuse iret, iretq
refuse int3, int3
refuse int_n, int $0x80
refuse int1, .byte 0xf1
refuse ud2, ud2
refuse ud1, .byte 0x0f, 0xb9, 0xc0
refuse mov_ss, movl %eax, %ss
refuse mov_ss_mem, movw (%rdi), %ss
refuse hlt, hlt
refuse mwait, mwait
refuse vmcall, .byte 0x0f, 0x01, 0xc1
refuse xen_prefix, .byte 0x0f, 0x0b, 0x78, 0x65, 0x6e, 0x0f, 0xa2
refuse rex2_push, .byte 0xd5, 0x10, 0x50
refuse rex2_jmpabs, .byte 0xd5, 0x00, 0xa1, 0, 0, 0, 0, 0, 0, 0, 0

DIFF_TABLE_END diff_refuse
