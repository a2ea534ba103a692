/* SPDX-License-Identifier: GPL-2.0 */
/* Every file of snippets for 32 bit, by its table. */
#include <linux/linkage.h>

	.section .rodata, "a"
	.balign 4

.macro table name:req
	.long \name\()_start
	.long \name\()_end
.endm

SYM_DATA_START(diff_tables)
.irp name, alu, mov, stack, string, shift, cond, loop, branch, atomic, system
	table diff_\name
.endr
.irp name, segment, word, decimal, sse, vex, evex, xsave, fault, refuse
	table diff_\name
.endr
SYM_DATA_END_LABEL(diff_tables, SYM_L_GLOBAL, diff_tables_end)
