/* SPDX-License-Identifier: GPL-2.0 */
/* Snippets: data movement and address calculation. */
#include "macros.S"

DIFF_TABLE_START diff_mov

SNIP mov_reg, C_MOV
	I movb %ah, %dl
	I movb %r8b, %dil
	I movw %cx, %r11w
	I movl %esi, %eax
	I movq %r15, %rbp
	I movq %rsp, %r9
	DONE
ENDSNIP

SNIP mov_load, C_MOV, ptr=R_RSI|R_RBP|R_R12|R_R13, idx=R_RCX
	I movb (%rsi), %ah
	I movw 2(%rsi), %dx
	I movl (%rbp), %r8d
	I movq (%r12), %rax
	I movq (%r13), %rbx
	I movq -32(%rbp,%rcx,8), %r14
	I movq 0x80(%rsi,%rcx,2), %rdi
	DONE
ENDSNIP

SNIP mov_store, C_MOV, ptr=R_RDI|R_RBP|R_R12|R_R13, idx=R_R9
	I movb %bh, (%rdi)
	I movw %r10w, 4(%rdi)
	I movl %eax, 8(%rbp)
	I movq %rsp, (%r12)
	I movq %r15, (%r13,%r9,4)
	I movb %sil, 0x70(%rdi)
	DONE
ENDSNIP

SNIP mov_imm, C_MOV
	I movb $0x7f, %ch
	I movb $0x81, %r14b
	I movw $0xbeef, %si
	I movl $0xdeadbeef, %edi
	I movq $-0x7654321, %r10
	I movabsq $0x0123456789abcdef, %rdx
	DONE
ENDSNIP

SNIP mov_imm_mem, C_MOV, ptr=R_RBX
	I movb $0x12, (%rbx)
	I movw $0x3456, 2(%rbx)
	I movl $0x789abcde, 4(%rbx)
	I movq $-2, 8(%rbx)
	DONE
ENDSNIP

SNIP mov_zero_extend, C_MOV, ptr=R_RSI
	I movzbl %cl, %eax
	I movzbw %ch, %dx
	I movzwl %bx, %r9d
	I movzbq (%rsi), %r10
	I movzwq 6(%rsi), %rdi
	I movzbl diff_arena + 33(%rip), %r12d
	DONE
ENDSNIP

SNIP mov_sign_extend, C_MOV, ptr=R_RSI
	I movsbl %cl, %eax
	I movsbw %dh, %bx
	I movswq %r9w, %r11
	I movslq %edi, %rdi
	I movslq (%rsi), %r8
	I movsbq 5(%rsi), %r10
	I movslq diff_arena + 36(%rip), %r13
	DONE
ENDSNIP

SNIP mov_rip_load, C_MOV
	I movb diff_arena + 1(%rip), %al
	I movw diff_arena + 2(%rip), %r8w
	I movl diff_arena + 4(%rip), %ecx
	I movq diff_arena + 8(%rip), %r15
	DONE
ENDSNIP

SNIP mov_rip_store, C_MOV
	I movb %dl, diff_arena + 16(%rip)
	I movq %rdi, diff_arena + 24(%rip)
	I movb $0x42, diff_arena + 32(%rip)
	I movw $0x4243, diff_arena + 34(%rip)
	I movl $0x44454647, diff_arena + 36(%rip)
	I movq $0x48494a4b, diff_arena + 40(%rip)
	DONE
ENDSNIP

/* The whole address in the instruction: 64 bits of it, nothing relative. */
SNIP mov_moffs, C_MOV
	I movabsq diff_arena + 128, %rax
	I movabsb diff_arena + 137, %al
	I movabsl %eax, diff_arena + 144
	I movabsq %rax, diff_arena + 152
	DONE
ENDSNIP

SNIP mov_segment, C_MOV, ptr=R_RDI
	I movl %ds, %eax
	I movl %ss, %ecx
	I movw %cs, (%rdi)
	I movl %gs, %r8d
	DONE
ENDSNIP

SNIP mov_control, C_MOV
	I movq %cr0, %rax
	I movq %cr4, %rbx
	I movq %cr8, %rcx
	I movq %db7, %rdx
	DONE
ENDSNIP

SNIP mov_xlat, C_MOV, ptr=R_RBX
	I xlat
	I movb %al, %cl
	I xlat
	DONE
ENDSNIP

SNIP lea_forms, C_MOV
	I leaq 1(%rax), %rbx
	I leaq (%rcx,%rdx), %rsi
	I leaq -0x12345(%r8,%r9,8), %r10
	I leal 7(%rdi,%rdi,2), %r11d
	I leaw (%rbp,%r13), %ax
	I leaq 0x1000(,%r14,4), %r15
	I leal 5(%edx), %edx
	DONE
ENDSNIP

/* Where the code is, from a copy of it that is elsewhere. */
SNIP lea_rip, C_MOV
	I leaq (%rip), %rax
	I leaq diff_arena + 200(%rip), %rbx
	I leaq -1000(%rip), %r12
	I leal (%rip), %ecx
	I leaq 1f(%rip), %rdx
1:	I subq %rax, %rdx
	DONE
ENDSNIP

SNIP lea_rsp, C_MOV
	I leaq 8(%rsp), %rax
	I movq 8(%rsp), %rbx
	I movq %rcx, 16(%rsp)
	I leaq -0x80(%rsp), %rdx
	DONE
ENDSNIP

SNIP mov_nti_bswap, C_MOV, ptr=R_RDI
	I bswapl %eax
	I bswapq %r12
	I movntiq %rbx, (%rdi)
	I movntil %ecx, diff_arena + 48(%rip)
	DONE
ENDSNIP

SNIP mov_movbe, C_MOV, need=N_MOVBE, ptr=R_RSI|R_RDI
	I movbeq (%rsi), %rax
	I movbel %ecx, (%rdi)
	I movbew diff_arena + 50(%rip), %dx
	I movbeq %rbx, diff_arena + 56(%rip)
	DONE
ENDSNIP

DIFF_TABLE_END diff_mov
