// SPDX-License-Identifier: GPL-2.0
/*
 * Call functions with known values at the command of a script, through
 * debugfs/kprobe_fargs: writing CALL, see the table below, does so once. What
 * kprobe_fargs.sh wants to see in the trace are the values here. The call "user"
 * takes what is written behind its name as the memory of the process.
 */
#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/module.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "command.h"
#include "kprobe_fargs.h"

DEFINE_TRACE(fa_point,
	     TP_PROTO(u8 a, s16 b, struct fa_16 s, struct fa_node *node, u64 late),
	     TP_ARGS(a, b, s, node, late));

/* No memory is there. */
#define FA_NOWHERE	((void *)-MAX_ERRNO)

static struct fa_16 sixteen = {
	.a = 0x1122334455667788, .b = -16, .c = 0xfffe, .d = -3, .e = 0xfd,
};

static char long_text[4096];

static void known_function(void)
{
}

static struct fa_node last = { .value = -77, .name = "last" };
static struct fa_node first = {
	.value = 42, .next = &last, .name = "first", .call = known_function,
};

static void call_scalars(void)
{
	fa_scalars(0xfe, -2, true, FA_TOP, 0x123456789abcdef0, (void *)0x5678, -7,
		   0xfedcba9876543210);
}

static void call_structs(void)
{
	fa_struct4(-1, (struct fa_4){ 1004 }, -2);
	fa_struct8(-1, (struct fa_8){ 0x80000008, -8, 0xf8, -9 }, -2);
	fa_struct12(-1, (struct fa_12){ 0x80000012, 13, -14 }, -2);
	fa_struct16(-1, sixteen, -2);
	fa_struct24(-1, (struct fa_24){ 0x8877665544332211, 0x80000024, -25, 26 }, -2);
	fa_late(1, -2, 3, -4, 5, sixteen, -6, (struct fa_pair){ 0x1234, 0xfedc });
	fa_takes_union(-1, (union fa_union){ 0xffffffff8000ffff }, -2);
}

static void call_pointers(void)
{
	struct fa_deep deep = { .outer = 1, .skipped = 2, .deepest = -3, .last = 4 };
	struct fa_enums enums = {
		FA_HIGH_BIT, FA_MINUS, FA_SMALL_LAST, 7, FA_HUGE_LAST,
		.levels = { FA_SMALL_ZERO, FA_SMALL_LAST, 7 }, .narrow = FA_MINUS,
	};
	struct fa_bits bits = {
		.before = -1, .u1 = 1, .u7 = 0x55, .u8 = 0xfe, .rest = 0x1234,
		.pad8 = 0xff, .u24 = 0xfedcba, .s3 = -1, .t3 = 3,
		.pad7 = 0x7f, .u33 = 0x1fedcba98, .tail = 0xffffff, .behind = -1,
	};

	fa_takes_deep(&deep);
	fa_takes_bits("string", &bits);
	fa_takes_enums(FA_HIGH_BIT, FA_MINUS, FA_SMALL_LAST, FA_HUGE_LAST, &enums);
}

static void call_arrays(void)
{
	static struct fa_arrays arrays = {
		.a = { 1, -2, 0x7fffffff, -0x7fffffff }, .n = "in the array",
		.m = { 'b', 2, 3, 4, 5, 255 }, .flags = { true, false },
		.wide = { -1, 2, -32768 }, .p = "at the pointer", .q = "bytes",
		.names = { "one", NULL, "three" }, .pairs = { { 1, 2 }, { 3, 4 } },
		.twelve = { 5, 6, -7 }, .pair = { 0x8001, 0x9002 }, .behind = -1,
		.full = { 'a', 'b', 'c', 'd' }, .after = "efg",
	};

	fa_takes_arrays(&arrays, arrays.p, arrays.q, arrays.a);
}

static void call_strings(void)
{
	fa_strings("one", FA_NOWHERE, "three");
}

static void call_with(unsigned int length)
{
	memset(long_text, 'x', length);
	long_text[length] = '\0';
	fa_strings("one", long_text, "three");
}

static void call_long(void)
{
	call_with(3900);
}

static void call_longest(void)
{
	call_with(sizeof(long_text) - 1);
}

/* Strings over the end of a page, up to it, and beyond: there is none behind these. */
static void call_at_edges(char *pages, const char *full)
{
	static const char text[] = "abcdefghijklmnopqrstuvwxyzABCDEFG";
	char *end = pages + 2 * PAGE_SIZE, *middle;
	unsigned int len;

	for (len = 0; len < sizeof(text); len++) {
		middle = pages + PAGE_SIZE - len / 2;
		memcpy(middle, text, len);
		middle[len] = '\0';
		memcpy(end - 1 - len, text, len);
		fa_strings(middle, end - 1 - len, full + PAGE_SIZE - len);
	}
}

static void call_edges(void)
{
	char *pages = vzalloc(2 * PAGE_SIZE), *full = vmalloc(PAGE_SIZE);

	if (pages && full) {
		memset(full, 'x', PAGE_SIZE);
		call_at_edges(pages, full);
	}
	vfree(full);
	vfree(pages);
}

static void call_nodes(void)
{
	fa_nodes(&first, NULL, FA_NOWHERE);
}

static void call_changes(void)
{
	char text[] = "old";

	fa_changes(5, &first, text);
	first.value = 42;
}

static void call_returns(void)
{
	fa_gives_s8(-100);
	fa_gives_u16(0xfffe);
	fa_gives_int(-100000);
	fa_gives_bool(2);
	fa_gives_pointer((void *)0x12345678);
	fa_gives_8(0x7ffffff0);
	fa_gives_nothing(1);
}

static void call_others(void)
{
	fa_dots(-1, 0x8000000000000000, 3, 4);
	fa_long_name(5);
	fa_twins(1);
	fa_other_twins(2);
	trace_fa_point(0xfe, -2, sixteen, &first, 0xfedcba9876543210);
}

/*
 * A structure at the start of a page, and at its end 4 bytes of a number whose other
 * half would be on the next one, which is not there.
 */
static int fill_page(unsigned long page, const char __user *text)
{
	struct fa_user filled = { .a = 0x80000001, .b = -2, .text = "in a process", .p = text };
	u32 half = 0x11111111;

	if (copy_to_user((void __user *)page, &filled, sizeof(filled)) ||
	    copy_to_user((void __user *)(page + PAGE_SIZE - 4), &half, sizeof(half)))
		return -EFAULT;
	return vm_munmap(page + PAGE_SIZE, PAGE_SIZE);
}

static int call_user(const char __user *text)
{
	unsigned long page = vm_mmap(NULL, 0, 2 * PAGE_SIZE, PROT_READ | PROT_WRITE,
				     MAP_PRIVATE | MAP_ANONYMOUS, 0);
	int err;

	if (IS_ERR_VALUE(page))
		return page;
	err = fill_page(page, text);
	if (!err)
		fa_takes_user(text, (void __user *)page,
			      (void __user *)(page + PAGE_SIZE - 4));
	vm_munmap(page, PAGE_SIZE);
	return err;
}

static const struct {
	const char *name;
	void (*call)(void);
} calls[] = {
	{ "scalars", call_scalars },
	{ "structs", call_structs },
	{ "pointers", call_pointers },
	{ "arrays", call_arrays },
	{ "strings", call_strings },
	{ "long", call_long },
	{ "longest", call_longest },
	{ "edges", call_edges },
	{ "nodes", call_nodes },
	{ "changes", call_changes },
	{ "returns", call_returns },
	{ "others", call_others },
};

static int call(const char *name, const char __user *text)
{
	unsigned int n;

	if (!strcmp(name, "user"))
		return call_user(text);
	for (n = 0; n < ARRAY_SIZE(calls); n++) {
		if (!strcmp(name, calls[n].name)) {
			calls[n].call();
			return 0;
		}
	}
	return -ENOENT;
}

static ssize_t fargs_write(struct file *f, const char __user *buf, size_t len, loff_t *pos)
{
	char line[64], *rest = line;
	int err;

	err = copy_command(line, sizeof(line), buf, len);
	if (err)
		return err;
	strsep(&rest, "\n ");
	err = call(line, rest ? buf + (rest - line) : NULL);
	return err ?: len;
}

static const struct file_operations fargs_fops = {
	.owner = THIS_MODULE,
	.write = fargs_write,
};

static struct dentry *file;

static int __init fargs_init(void)
{
	file = debugfs_create_file("kprobe_fargs", 0200, NULL, NULL, &fargs_fops);
	return 0;
}

static void __exit fargs_exit(void)
{
	debugfs_remove(file);
}

module_init(fargs_init);
module_exit(fargs_exit);

MODULE_DESCRIPTION("Functions with parameters of every shape");
MODULE_LICENSE("GPL");
