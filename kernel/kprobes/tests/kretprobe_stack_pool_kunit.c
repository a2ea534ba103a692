// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the instances of return probes without rethook: how large they
 * are, and how long they live, when a kretprobe goes while they are in use, or a
 * task ends while it holds some.
 */
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/irq_work.h>
#include <linux/kthread.h>
#include <linux/objpool.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/string.h>

#include "kretprobe_stack.h"

/* What the probed functions do inside. */
static struct {
	struct kunit *test;
	void (*fn)(struct kunit *test);
	struct kretprobe *rp;
	struct objpool_head *pool;
	char log[KENG_MAX];
} kpool;

/* How many pools have been freed of those that are watched. */
static atomic_t kpool_freed;
static objpool_fini_cb kpool_release;

static noinline __noclone int kpool_leaf(int x)
{
	if (kpool.fn)
		kpool.fn(kpool.test);
	barrier();
	return x + 1;
}

static noinline __noclone int kpool_mid(int x)
{
	x = kpool_leaf(x);
	barrier();
	return x + 1;
}

static int kpool_init(struct kunit *test)
{
	memset(&kpool, 0, sizeof(kpool));
	kpool.test = test;
	atomic_set(&kpool_freed, 0);
	return 0;
}

/* The letter is that of the data, if the kretprobe has any. */
static int kpool_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	size_t len = strlen(kpool.log);

	if (len < sizeof(kpool.log) - 1)
		kpool.log[len] = get_kretprobe(ri)->data_size ? ri->data[0] : '-';
	return 0;
}

static struct kretprobe *kpool_alloc(struct kunit *test, int maxactive)
{
	struct kretprobe *rp = kunit_kzalloc(test, sizeof(*rp), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, rp);
	rp->handler = kpool_return;
	rp->maxactive = maxactive;
	return rp;
}

static void kpool_unregister(void *rp)
{
	unregister_kretprobe(rp);
}

static void kpool_register(struct kunit *test, struct kretprobe *rp, void *func)
{
	rp->kp.addr = func;
	KUNIT_ASSERT_EQ(test, 0, register_kretprobe(rp));
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, kpool_unregister, rp));
}

static int kpool_count_release(struct objpool_head *pool, void *data)
{
	atomic_inc(&kpool_freed);
	return kpool_release(pool, data);
}

/* Notice when the pool of @rp is freed. */
static struct objpool_head *kpool_watch(struct kretprobe *rp)
{
	struct objpool_head *pool = &rp->rph->pool;

	kpool_release = pool->release;
	pool->release = kpool_count_release;
	return pool;
}

/* Whatever is on its way to be freed is freed then. */
static void kpool_settle(void)
{
	rcu_barrier();
	irq_work_sync(&kretprobe_drop_irq_work);
	rcu_barrier();
}

/* Each has bytes of its own, as many as were asked for. */
static void kpool_data(struct kunit *test)
{
	static const size_t sizes[] = { 0, 1, 37, KRETPROBE_MAX_DATA_SIZE };
	struct kretprobe *rp = kpool_alloc(test, 4);
	struct kretprobe_instance *ri[4];
	unsigned int i, j, n;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		rp->data_size = sizes[i];
		KUNIT_ASSERT_EQ(test, 0, kretprobe_pool_init(rp, false));
		KUNIT_EXPECT_EQ(test, ALIGN(sizeof(**ri) + sizes[i], sizeof(long)),
				rp->rph->pool.obj_size);
		n = keng_take_all(rp, ri, ARRAY_SIZE(ri));
		KUNIT_EXPECT_EQ(test, 4, n);
		for (j = 0; j < n; j++)
			memset(ri[j]->data, 'a' + j, sizes[i]);
		for (j = 0; j < n; j++) {
			KUNIT_EXPECT_NULL(test, memchr_inv(ri[j]->data, 'a' + j,
							   sizes[i]));
			KUNIT_EXPECT_PTR_EQ(test, rp->rph, ri[j]->rph);
		}
		keng_give_back(ri, n);
		kretprobe_pool_free(rp);
	}
}

static int kpool_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	static const char letters[] = "xyz";
	struct kretprobe *rp = get_kretprobe(ri);

	memset(ri->data, letters[strlen(kpool.log) % 3], rp->data_size);
	return 0;
}

/* What the entry handler leaves there, the return handler of the call finds. */
static void kpool_data_of_calls(struct kunit *test)
{
	struct kretprobe *rp = kpool_alloc(test, 2);
	int i;

	rp->entry_handler = kpool_entry;
	rp->data_size = 21;
	kpool_register(test, rp, kpool_leaf);
	for (i = 0; i < 5; i++)
		kpool_leaf(i);
	KUNIT_EXPECT_STREQ(test, "xyzxy", kpool.log);
}

/* The pool outlives its owner, and is freed with the last instance. */
static void kpool_lifetime(struct kunit *test)
{
	struct kretprobe *rp = kpool_alloc(test, 3);
	struct kretprobe_instance *ri[3];
	struct objpool_head *pool;
	int i;

	KUNIT_ASSERT_EQ(test, 0, kretprobe_pool_init(rp, false));
	KUNIT_EXPECT_TRUE(test, kretprobe_has_pool(rp));
	KUNIT_EXPECT_FALSE(test, kretprobe_stopped(rp));
	pool = kpool_watch(rp);
	KUNIT_ASSERT_EQ(test, 3, keng_take_all(rp, ri, 3));
	keng_give_back(&ri[2], 1);
	kretprobe_pool_stop(rp);
	KUNIT_EXPECT_TRUE(test, kretprobe_stopped(rp));
	KUNIT_EXPECT_EQ(test, 0, keng_count_free(rp));
	KUNIT_EXPECT_NULL(test, get_kretprobe(ri[0]));
	kretprobe_pool_free(rp);
	KUNIT_EXPECT_FALSE(test, kretprobe_has_pool(rp));
	for (i = 2; i > 0; i--) {
		kpool_settle();
		KUNIT_EXPECT_EQ(test, 0, atomic_read(&kpool_freed));
		KUNIT_EXPECT_EQ(test, i, refcount_read(&pool->ref));
		keng_give_back(&ri[i - 1], 1);
	}
	kpool_settle();
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&kpool_freed));
}

/* More than a pool can have, and a kretprobe that has none. */
static void kpool_too_many(struct kunit *test)
{
	struct kretprobe *rp = kpool_alloc(test, OBJPOOL_NR_OBJECT_MAX + 1);

	KUNIT_EXPECT_EQ(test, -EINVAL, kretprobe_pool_init(rp, false));
	KUNIT_EXPECT_FALSE(test, kretprobe_has_pool(rp));
	kretprobe_pool_stop(rp);
	kretprobe_pool_free(rp);
	KUNIT_EXPECT_FALSE(test, kretprobe_has_pool(rp));
}

/* In a hooked call: the pool keeps what the call holds, and nothing else. */
static void kpool_inside_unregisters(struct kunit *test)
{
	unregister_kretprobe(kpool.rp);
	memset(kpool.rp, 0x6b, sizeof(*kpool.rp));
	kpool_settle();
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&kpool_freed));
	KUNIT_EXPECT_EQ(test, 1, refcount_read(&kpool.pool->ref));
}

/* A call under way returns undisturbed, and gives back what there was. */
static void kpool_unregister_inside(struct kunit *test)
{
	kpool.rp = kpool_alloc(test, 4);
	kpool_register(test, kpool.rp, kpool_leaf);
	kpool.pool = kpool_watch(kpool.rp);
	kpool.fn = kpool_inside_unregisters;
	KUNIT_EXPECT_EQ(test, 2, kpool_mid(0));
	kunit_remove_action(test, kpool_unregister, kpool.rp);
	kpool_settle();
	KUNIT_EXPECT_STREQ(test, "", kpool.log);
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&kpool_freed));
}

/*
 * Of two for one call, either goes meanwhile: that of the newer instance, and
 * that of the older one, which has the address to return to.
 */
static void kpool_unregister_one(struct kunit *test)
{
	struct kretprobe *rp[2];
	int i;

	kpool.fn = kpool_inside_unregisters;
	for (i = 0; i < 2; i++) {
		rp[0] = kpool_alloc(test, 1);
		rp[1] = kpool_alloc(test, 1);
		kpool_register(test, rp[0], kpool_leaf);
		kpool_register(test, rp[1], kpool_leaf);
		kpool.rp = rp[i];
		kpool.pool = kpool_watch(kpool.rp);
		atomic_set(&kpool_freed, 0);
		memset(kpool.log, 0, sizeof(kpool.log));
		KUNIT_EXPECT_EQ(test, 2, kpool_mid(0));
		kunit_remove_action(test, kpool_unregister, kpool.rp);
		kpool_settle();
		KUNIT_EXPECT_STREQ(test, "-", kpool.log);
		KUNIT_EXPECT_EQ(test, 1, atomic_read(&kpool_freed));
		KUNIT_EXPECT_EQ(test, 1, keng_count_free(rp[!i]));
		kunit_release_action(test, kpool_unregister, rp[!i]);
	}
}

static struct completion kpool_done;

static void kpool_inside_ends(struct kunit *test)
{
	kthread_complete_and_exit(&kpool_done, 0);
}

static int kpool_task(void *unused)
{
	return kpool_mid(0);
}

static void kpool_end_inside(struct kunit *test)
{
	struct task_struct *task;

	init_completion(&kpool_done);
	kpool.fn = kpool_inside_ends;
	task = kthread_run(kpool_task, NULL, "kpool_task");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	wait_for_completion(&kpool_done);
}

/* A task is taken apart some time after it has ended. */
static bool kpool_all_free(struct kretprobe *rp, unsigned int num)
{
	int i;

	for (i = 0; i < 500 && keng_count_free(rp) != num; i++) {
		rcu_barrier();
		msleep(20);
	}
	return keng_count_free(rp) == num;
}

/* A task that ends inside gives back all that it holds, of each kretprobe. */
static void kpool_task_ends(struct kunit *test)
{
	struct kretprobe *leaf = kpool_alloc(test, 3), *mid = kpool_alloc(test, 2);
	int i;

	kpool_register(test, leaf, kpool_leaf);
	kpool_register(test, mid, kpool_mid);
	for (i = 0; i < 4; i++) {
		kpool_end_inside(test);
		KUNIT_EXPECT_TRUE(test, kpool_all_free(leaf, 3));
		KUNIT_EXPECT_TRUE(test, kpool_all_free(mid, 2));
	}
	KUNIT_EXPECT_STREQ(test, "", kpool.log);
	KUNIT_EXPECT_EQ(test, 0, leaf->nmissed);
	KUNIT_EXPECT_EQ(test, 0, mid->nmissed);
}

/* And of a kretprobe that is gone: its pool is freed with the task. */
static void kpool_task_ends_last(struct kunit *test)
{
	int i;

	kpool.rp = kpool_alloc(test, 2);
	kpool_register(test, kpool.rp, kpool_mid);
	kpool_watch(kpool.rp);
	kpool_end_inside(test);
	unregister_kretprobe(kpool.rp);
	for (i = 0; i < 500 && !atomic_read(&kpool_freed); i++) {
		kpool_settle();
		msleep(20);
	}
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&kpool_freed));
	KUNIT_EXPECT_STREQ(test, "", kpool.log);
}

static struct kunit_case kretprobe_pool_cases[] = {
	KUNIT_CASE(kpool_data),
	KUNIT_CASE(kpool_data_of_calls),
	KUNIT_CASE(kpool_lifetime),
	KUNIT_CASE(kpool_too_many),
	KUNIT_CASE(kpool_unregister_inside),
	KUNIT_CASE(kpool_unregister_one),
	KUNIT_CASE(kpool_task_ends),
	KUNIT_CASE(kpool_task_ends_last),
	{}
};

static struct kunit_suite kretprobe_pool_suite = {
	.name = "kretprobe_stack_pool",
	.init = kpool_init,
	.test_cases = kretprobe_pool_cases,
};

kunit_test_suite(kretprobe_pool_suite);

MODULE_DESCRIPTION("KUnit tests of return probes without rethook: instances");
MODULE_LICENSE("GPL");
