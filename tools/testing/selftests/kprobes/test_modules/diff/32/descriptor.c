// SPDX-License-Identifier: GPL-2.0
/*
 * Differential instruction test on 32 bit: a segment with a base and a limit, so
 * that it matters which one an instruction uses. It is one of those in which a
 * task has its thread-local data, which a kernel thread has not, and it begins at
 * this CPU's diff_pcpu. The kernel's own code leaves GS alone.
 */
#include <linux/percpu.h>
#include <linux/smp.h>
#include <asm/desc.h>
#include <asm/segment.h>
#include "../diff.h"

static struct desc_struct *diff_descriptor(void)
{
	return get_cpu_gdt_rw(smp_processor_id()) + GDT_ENTRY_TLS_MIN;
}

/* Until diff_segment_off(), this task is not preempted. */
void diff_segment_on(void)
{
	*diff_descriptor() = (struct desc_struct)
		GDT_ENTRY_INIT(DESC_DATA32_BIOS | DESC_USER,
			       (unsigned long)this_cpu_ptr(&diff_pcpu),
			       sizeof(diff_pcpu) - 1);
}

void diff_segment_off(void)
{
	*diff_descriptor() = (struct desc_struct){ };
}
