// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit test of the nodes of return hooks: when the kernel has no memory, calls are
 * missed, and the OOM killer does not run. For the moment of the test, all memory is
 * taken. Nothing is hooked.
 */
#include <kunit/test.h>
#include <linux/gfp.h>
#include <linux/kprobes.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/oom.h>
#include <linux/sched.h>
#include <linux/sizes.h>
#include <linux/vmalloc.h>
#include <linux/vmstat.h>

#include "rethook_bytes.h"

/* Of 60 MB, which is more than what is left over, even where a page has 64 KB. */
#define ROOM_SIZE	3072
#define ROOM_NODES	20000
#define ROOM_FLAGS	(__GFP_NORETRY | __GFP_NOWARN)
#define ROOM_TRIES	10	/* if another task needs memory meanwhile */

/* The memory that the test has taken: all of it. Under room_lock. */
static LIST_HEAD(room_pages);
static DEFINE_MUTEX(room_lock);

static struct rethook_node **room_nodes;
static unsigned long room_max_bytes;

static void room_handler(struct rethook_node *node, void *data,
			 unsigned long ret_addr, struct pt_regs *regs)
{
}

static void room_fill_by(gfp_t gfp)
{
	struct page *page;
	int order;

	guard(mutex)(&room_lock);
	for (order = MAX_PAGE_ORDER; order >= 0; order--) {
		while ((page = alloc_pages(gfp, order))) {
			set_page_private(page, order);
			list_add(&page->lru, &room_pages);
		}
		cond_resched();
	}
}

/* High memory leaves a reserve of the memory below it to the allocations that need that. */
static void room_fill(void)
{
	room_fill_by((GFP_HIGHUSER & ~__GFP_FS) | ROOM_FLAGS);
	room_fill_by(GFP_NOFS | ROOM_FLAGS);
}

/* Returns how many pages there were. */
static unsigned long room_empty(void)
{
	unsigned long nr = 0, order;
	struct page *page, *next;

	guard(mutex)(&room_lock);
	list_for_each_entry_safe(page, next, &room_pages, lru) {
		order = page_private(page);
		set_page_private(page, 0);
		list_del(&page->lru);
		__free_pages(page, order);
		nr += 1UL << order;
	}
	return nr;
}

/* The worker that adds nodes is one of high priority. */
static bool room_of_worker(void)
{
	return (current->flags & PF_WQ_WORKER) && task_nice(current) < 0;
}

/*
 * Called before a task is killed. It is not, if there is memory now: so for an allocation
 * of a task that has nothing to do with the test.
 */
static int room_give_back(struct notifier_block *nb, unsigned long unused, void *freed)
{
	if (room_of_worker())
		return NOTIFY_DONE;
	*(unsigned long *)freed += room_empty();
	return NOTIFY_OK;
}

static struct notifier_block room_notifier = {
	.notifier_call = room_give_back,
};

static unsigned long room_kills(void)
{
	static unsigned long events[NR_VM_EVENT_ITEMS];

	all_vm_events(events);
	return events[OOM_KILL];
}

/* There is memory again: the hook grows again, after its pause. */
static void room_again(struct kunit *test, struct rethook *rh)
{
	int taken;

	rethook_await_pause(rh);
	taken = rethook_take_nodes(rh, room_nodes, ROOM_NODES);
	KUNIT_EXPECT_EQ(test, ROOM_NODES, taken);
	rethook_put_nodes(room_nodes, taken);
}

/* Returns whether there was no memory until all nodes that there were had been taken. */
static bool room_round(struct kunit *test, struct rethook *rh)
{
	unsigned long kills = room_kills(), pages;
	int taken;

	register_oom_notifier(&room_notifier);
	room_fill();
	taken = rethook_take_nodes(rh, room_nodes, ROOM_NODES);
	pages = room_empty();
	unregister_oom_notifier(&room_notifier);
	rethook_put_nodes(room_nodes, taken);
	KUNIT_EXPECT_EQ(test, kills, room_kills());
	if (pages)
		KUNIT_EXPECT_LT(test, taken, ROOM_NODES);
	return pages;
}

static void room_none(struct kunit *test)
{
	struct rethook *rh;
	int tries = ROOM_TRIES;
	bool none;

	if ((u64)totalram_pages() << PAGE_SHIFT > 4ULL * SZ_1G)
		kunit_skip(test, "not all memory of so large a machine");
	do {
		rh = rethook_alloc_growing(NULL, room_handler, ROOM_SIZE, 10);
		KUNIT_ASSERT_FALSE(test, IS_ERR(rh));
		none = room_round(test, rh);
		room_again(test, rh);
		rethook_free(rh);
	} while (!none && --tries);
	if (!none && test->status == KUNIT_SUCCESS)
		kunit_skip(test, "other allocations need the memory");
}

static int room_init(struct kunit *test)
{
	room_nodes = vmalloc(array_size(ROOM_NODES, sizeof(*room_nodes)));
	room_max_bytes = rethook_max_bytes;
	rethook_max_bytes = ULONG_MAX;
	return room_nodes ? 0 : -ENOMEM;
}

static void room_exit(struct kunit *test)
{
	rethook_max_bytes = room_max_bytes;
	vfree(room_nodes);
}

static struct kunit_case rethook_oom_cases[] = {
	KUNIT_CASE_SLOW(room_none),
	{}
};

static struct kunit_suite rethook_oom_suite = {
	.name = "rethook_oom",
	.init = room_init,
	.exit = room_exit,
	.test_cases = rethook_oom_cases,
};

kunit_test_suite(rethook_oom_suite);

MODULE_DESCRIPTION("KUnit test of return hooks without memory");
MODULE_LICENSE("GPL");
