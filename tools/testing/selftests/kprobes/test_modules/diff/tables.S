/* SPDX-License-Identifier: GPL-2.0 */
/* Every file of snippets, by its table. */
#include <linux/linkage.h>

	.section .rodata, "a"
	.balign 8

.macro table name:req
	.quad \name\()_start
	.quad \name\()_end
.endm

SYM_DATA_START(diff_tables)
.irp name, alu, mov, stack, string, shift, cond, loop, branch, atomic, system, gs
	table diff_\name
.endr
.irp name, sse, vex, evex, xsave
	table diff_\name
.endr
	table diff_fault
	table diff_refuse
SYM_DATA_END_LABEL(diff_tables, SYM_L_GLOBAL, diff_tables_end)
