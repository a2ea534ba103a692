// SPDX-License-Identifier: GPL-2.0
/*
 * What the suites of jprobes share.
 */
#include <linux/irqflags.h>
#include <linux/string.h>

#include "jprobe_testing.h"

/**
 * jp_ways_gen() - go through the ways whose point is at the entry of the function
 * @prev: the one before, NULL for the first
 * @desc: filled with its name
 *
 * Return: the next one, NULL behind the last.
 */
const void *jp_ways_gen(const void *prev, char *desc)
{
	const struct ktest_way *way = prev ? prev + sizeof(*way) : ktest_ways;

	while (way->name && way->at)
		way++;
	if (!way->name)
		return NULL;
	strscpy(desc, way->name, KUNIT_PARAM_DESC_SIZE);
	return way;
}

/* No two handlers write it at a time. */
struct jp_seen jp_seen;

/* The usual handler. */
int jp_handler(int x)
{
	jp_seen.hits++;
	jp_seen.arg = x;
	if (jp_seen.then)
		jp_seen.then(x);
	jprobe_return();
	jp_seen.back++;
	return -1;
}

bool jp_irqs_on;

void jp_note_irqs(int x)
{
	jp_irqs_on = !irqs_disabled();
}

static void jp_unregister(void *jp)
{
	unregister_jprobe(jp);
}

/**
 * jp_alloc() - make a jprobe
 * @test: the test, at whose end it is freed
 * @fn: the function to probe, or NULL
 * @handler: its handler
 *
 * Return: the jprobe, not registered.
 */
struct jprobe *jp_alloc(struct kunit *test, void *fn, void *handler)
{
	struct jprobe *jp = kunit_kzalloc(test, sizeof(*jp), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, jp);
	jp->kp.addr = fn;
	jp->entry = handler;
	memset(&jp_seen, 0, sizeof(jp_seen));
	return jp;
}

/**
 * jp_register() - register a jprobe until the end of the test
 * @test: the test
 * @jp: the jprobe, with which nothing is wrong
 */
void jp_register(struct kunit *test, struct jprobe *jp)
{
	KUNIT_ASSERT_EQ(test, 0, register_jprobe(jp));
	ktest_set_at_end(test, jp_unregister, jp);
	wait_for_kprobe_optimizer();
}
