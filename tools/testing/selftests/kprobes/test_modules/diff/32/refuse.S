/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Snippets for 32 bit: what must not be probed. None of it is ever reached; that
 * it is there must not keep its neighbours from being probed.
 */
#include "../macros.S"

DIFF_TABLE_START diff_refuse

.macro refuse name, insn:vararg
SNIP refuse_\name, C_REFUSE
	I jmp 1f
	IR \insn
1:	I incl %eax
	DONE
ENDSNIP
.endm

SNIP refuse_far_call, C_REFUSE
	I jmp 1f
	ANNOTATE_RETPOLINE_SAFE
	IR lcall *(%edi)
1:	I incl %eax
	DONE
ENDSNIP

refuse far_jmp, ljmp *(%edi)
refuse far_call_direct, lcall $0x60, $0x12345678
refuse far_jmp_direct, ljmp $0x60, $0x12345678
refuse far_ret, lretl
refuse far_ret_imm, lretl $8
refuse iret, iretl
refuse int3, int3
refuse int_n, int $0x80
refuse into, into
refuse int1, .byte 0xf1
refuse ud2, ud2
refuse ud1, .byte 0x0f, 0xb9, 0xc0
refuse mov_ss, movl %eax, %ss
refuse mov_ss_mem, movw (%edi), %ss
refuse pop_ss, popl %ss
refuse lss, lss (%edi), %eax
refuse hlt, hlt
refuse mwait, mwait
refuse vmcall, .byte 0x0f, 0x01, 0xc1
refuse xen_prefix, .byte 0x0f, 0x0b, 0x78, 0x65, 0x6e, 0x0f, 0xa2

DIFF_TABLE_END diff_refuse
