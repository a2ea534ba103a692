// SPDX-License-Identifier: GPL-2.0
/*
 * Kernel probes on x86: write many places of the kernel's text.
 *
 * text_poke() maps the page of one place into a temporary address space, loads
 * that, writes, and takes the mapping away again: hundreds of instructions, of
 * which one writes. The points of a batch are close together, so here all places that
 * lie within two pages share one mapping.
 *
 * A caller holds text_mutex, queues the places, flushes the queue, and synchronizes
 * the CPUs itself. Places that are queued in the order of their addresses share
 * mappings; others are written as well.
 */
#include <linux/bug.h>
#include <linux/kprobes.h>
#include <linux/lockdep.h>
#include <linux/memory.h>
#include <linux/mm.h>
#include <linux/string.h>
#include <asm/text-patching.h>

#include "text.h"

/* The core changes at most as many points at a time: linux/kprobes_arch.h says so. */
#define KPROBE_POKE_MAX	256

/**
 * struct kprobe_poke - a place of the text and what is to be written there
 * @addr: the address of its first byte
 * @len: the number of bytes
 * @bytes: their new values
 */
struct kprobe_poke {
	u8 *addr;
	u8 len;
	u8 bytes[DISP32_SIZE];
};

/* The queue. Under text_mutex. */
static struct kprobe_poke kprobe_pokes[KPROBE_POKE_MAX];
static unsigned int kprobe_nr_pokes;

/**
 * struct kprobe_poke_run - the places that are written through one mapping
 * @first: the first of them, in the queue
 * @nr: the number of them
 */
struct kprobe_poke_run {
	const struct kprobe_poke *first;
	unsigned int nr;
};

/*
 * Called by text_poke_by(), with interrupts off and the temporary address space
 * loaded: no handler of a probe may run here, and no sanitizer.
 */
static void notrace kprobe_poke_write(void *dst, const void *src, size_t len)
{
	const struct kprobe_poke_run *run = src;
	const struct kprobe_poke *p;

	for (p = run->first; p < run->first + run->nr; p++)
		memcpy(dst + (p->addr - run->first->addr), p->bytes, p->len);
}

NOKPROBE_SYMBOL(kprobe_poke_write);

/* As many places, from @run->first on, as lie in two pages. Returns their span. */
static size_t kprobe_poke_span(struct kprobe_poke_run *run)
{
	const struct kprobe_poke *p = run->first;
	const u8 *start = p->addr;
	size_t room = 2 * PAGE_SIZE - offset_in_page(start), span = 0;

	while (p < &kprobe_pokes[kprobe_nr_pokes] &&
	       p->addr >= start + span && p->addr + p->len <= start + room) {
		span = p->addr + p->len - start;
		p++;
	}
	run->nr = p - run->first;
	return span;
}

/**
 * kprobe_poke_flush() - write what is in the queue
 *
 * Other CPUs may go on executing the old bytes until the caller has called
 * text_poke_sync().
 *
 * Context: process context, text_mutex held.
 */
void kprobe_poke_flush(void)
{
	struct kprobe_poke_run run;
	unsigned int i;
	size_t span;

	lockdep_assert_held(&text_mutex);
	for (i = 0; i < kprobe_nr_pokes; i += run.nr) {
		run.first = &kprobe_pokes[i];
		span = kprobe_poke_span(&run);
		text_poke_by(kprobe_poke_write, kprobe_pokes[i].addr, &run, span);
	}
	for (i = 0; i < kprobe_nr_pokes; i++)
		WARN_ON_ONCE(memcmp(kprobe_pokes[i].addr, kprobe_pokes[i].bytes,
				    kprobe_pokes[i].len));
	kprobe_nr_pokes = 0;
}

/**
 * kprobe_poke_queue() - some bytes of the text are to be written
 * @addr: the address of the first
 * @bytes: the new values
 * @len: the number of bytes, at most that of a jump's displacement
 *
 * A full queue is flushed.
 *
 * Context: process context, text_mutex held until kprobe_poke_flush().
 */
void kprobe_poke_queue(void *addr, const u8 *bytes, size_t len)
{
	struct kprobe_poke *p;

	lockdep_assert_held(&text_mutex);
	if (kprobe_nr_pokes == KPROBE_POKE_MAX)
		kprobe_poke_flush();
	p = &kprobe_pokes[kprobe_nr_pokes++];
	p->addr = addr;
	p->len = len;
	memcpy(p->bytes, bytes, len);
}
