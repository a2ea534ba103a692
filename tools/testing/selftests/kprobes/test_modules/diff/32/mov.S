/* SPDX-License-Identifier: GPL-2.0 */
/* Snippets for 32 bit: data movement and address calculation. */
#include "../macros.S"

DIFF_TABLE_START diff_mov

SNIP mov_reg, C_MOV
	I movb %ah, %dl
	I movw %cx, %bp
	I movl %esi, %eax
	I movl %esp, %edi
	I .byte 0x8b, 0xcb
	DONE
ENDSNIP

SNIP mov_load, C_MOV, ptr=R_RSI|R_RBP, idx=R_RCX
	I movb (%esi), %ah
	I movw 2(%esi), %dx
	I movl (%ebp), %ebx
	I movl -32(%ebp,%ecx,8), %edi
	I movl 0x80(%esi,%ecx,2), %eax
	I movl diff_arena + 64(,%ecx,4), %edx
	DONE
ENDSNIP

SNIP mov_store, C_MOV, ptr=R_RDI|R_RBP, idx=R_RSI
	I movb %bh, (%edi)
	I movw %dx, 4(%edi)
	I movl %eax, 8(%ebp)
	I movl %esp, (%edi)
	I movl %ecx, (%ebp,%esi,4)
	I movb %dl, 0x70(%edi)
	DONE
ENDSNIP

SNIP mov_imm, C_MOV, ptr=R_RBX
	I movb $0x7f, %ch
	I movw $0xbeef, %si
	I movl $0xdeadbeef, %edi
	I movb $0x12, (%ebx)
	I movw $0x3456, 2(%ebx)
	I movl $0x789abcde, 4(%ebx)
	I movl $0x44454647, diff_arena + 36
	DONE
ENDSNIP

SNIP mov_extend, C_MOV, ptr=R_RSI
	I movzbl %cl, %eax
	I movzbw %ch, %dx
	I movzwl %bx, %edi
	I movsbl %cl, %ebp
	I movsbw %dh, %bx
	I movswl 6(%esi), %ecx
	I movzbl diff_arena + 33, %edx
	DONE
ENDSNIP

SNIP mov_absolute, C_MOV
	I movb diff_arena + 1, %dl
	I movw diff_arena + 2, %bx
	I movl diff_arena + 4, %ecx
	I movb %dl, diff_arena + 16
	I movl %edi, diff_arena + 24
	I movb $0x42, diff_arena + 32
	DONE
ENDSNIP

/* The whole address in the instruction, and none of the bytes in between. */
SNIP mov_moffs, C_MOV
	I movl diff_arena + 128, %eax
	I movb diff_arena + 137, %al
	I movl %eax, diff_arena + 144
	I movw %ax, diff_arena + 150
	DONE
ENDSNIP

SNIP mov_control, C_MOV
	I movl %cr0, %eax
	I movl %cr4, %ebx
	I movl %db7, %edx
	DONE
ENDSNIP

SNIP mov_xlat, C_MOV, ptr=R_RBX
	I xlat
	I movb %al, %cl
	I xlat
	DONE
ENDSNIP

SNIP lea_forms, C_MOV
	I leal 1(%eax), %ebx
	I leal (%ecx,%edx), %esi
	I leal -0x12345(%ebp,%edi,8), %eax
	I leal 7(%edi,%edi,2), %ecx
	I leaw (%ebp,%esi), %dx
	I leal 0x1000(,%ebx,4), %ebp
	DONE
ENDSNIP

SNIP lea_esp, C_MOV
	I leal 8(%esp), %eax
	I movl 8(%esp), %ebx
	I movl %ecx, 16(%esp)
	I leal -0x80(%esp), %edx
	DONE
ENDSNIP

/* How a 32-bit program learns where it is: from a copy, it must not. */
SNIP mov_own_address, C_MOV
	I call 1f
1:	I popl %eax
	I leal 1b, %ecx
	I subl %eax, %ecx
	DONE
ENDSNIP

SNIP mov_nti_bswap, C_MOV, ptr=R_RDI
	I bswapl %eax
	I bswapl %ebp
	I movntil %ebx, (%edi)
	I movntil %ecx, diff_arena + 48
	DONE
ENDSNIP

SNIP mov_movbe, C_MOV, need=N_MOVBE, ptr=R_RSI|R_RDI
	I movbel (%esi), %eax
	I movbel %ecx, (%edi)
	I movbew diff_arena + 50, %dx
	DONE
ENDSNIP

DIFF_TABLE_END diff_mov
