/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A kernel for the tests of reach.py: an entry, a guard, one function before
 * it and one handler behind. Each definition plants one violation.
 */
	.set	kprobe_ctlblk, 0x1230

.macro FUNC name
	.p2align 4
	.globl	\name
	.type	\name, @function
\name:
.endm

.macro END name
	.size	\name, . - \name
.endm

.macro NOKPROBE name
	.pushsection kprobe_blacklist, "aw"
	.quad	\name
	.popsection
.endm

	.section kprobe_blacklist, "aw"
	.globl	__start_kprobe_blacklist, __stop_kprobe_blacklist
__start_kprobe_blacklist:

	.text
FUNC entry
	call	lookup
	call	hit
	jmp	out
END entry
NOKPROBE entry

FUNC lookup
#ifdef PLANT_TRACED
	call	__fentry__
#endif
	test	%rdi, %rdi
#ifdef PLANT_COLD
	je	lookup.cold
#endif
#ifdef PLANT_TAIL
	jmp	open
#elif defined(PLANT_FALL)
	nop
#else
	ret
#endif
END lookup
NOKPROBE lookup

FUNC open
	ret
END open

FUNC lookup.cold
#ifdef PLANT_COLD
	call	open
#endif
	ret
END lookup.cold

FUNC hit
	mov	kprobe_ctlblk(%rdx), %eax
	test	%eax, %eax
#ifndef PLANT_UNGUARDED
	jne	1f
#else
	jne	2f
#endif
	inc	%eax
	mov	%eax, kprobe_ctlblk(%rdx)
2:	call	handlers
	mov	kprobe_ctlblk(%rdx), %eax
	dec	%eax
	mov	%eax, kprobe_ctlblk(%rdx)
#ifdef PLANT_LATE
	call	__x86_indirect_thunk_rax
#endif
1:	ret
END hit
NOKPROBE hit

FUNC handlers
	call	*8(%rdi)
	ret
END handlers
NOKPROBE handlers

FUNC out
#ifdef PLANT_INDIRECT
	call	*(%rdi)
#endif
#ifdef PLANT_CALL
	call	open
#endif
.Lalternative:
	.byte	0x0f, 0x1f, 0x44, 0x00, 0x00
	ret
END out
NOKPROBE out

FUNC __x86_indirect_thunk_rax
	jmp	*%rax
END __x86_indirect_thunk_rax
NOKPROBE __x86_indirect_thunk_rax

FUNC __fentry__
	ret
END __fentry__

#ifdef PLANT_ALTERNATIVE
	.section .altinstr_replacement, "ax"
replacement:
	call	open
	.section .altinstructions, "a"
	.long	.Lalternative - .
	.long	replacement - .
	.long	0
	.byte	5, 5
#endif

#ifdef PLANT_KEY
	.section jump_table, "a"
	.globl	__start___jump_table, __stop___jump_table
__start___jump_table:
	.long	.Lalternative - .
	.long	open - .
	.quad	0
__stop___jump_table:
#endif

	.section kprobe_blacklist, "aw"
__stop_kprobe_blacklist:
