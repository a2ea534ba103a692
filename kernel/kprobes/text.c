// SPDX-License-Identifier: GPL-2.0
/*
 * Whose text this is, and what is known of it. There is one object for the
 * kernel's text, and one for that of each module from the moment when it is
 * announced to our notifier until it goes away.
 *
 * An object has tables (see marks.c), which are made when they are first asked
 * for. What is in them does not change while the state of the text does not.
 * When init ends, init text goes away, and read-only data is written no more: the
 * tables are dropped, and made again when they are asked for.
 *
 * Of the modules, only the last one whose tables were asked for keeps them: most
 * probes are in the module of the probe before.
 */
#include <linux/kallsyms.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <asm/sections.h>

#include "internal.h"

/* Under kprobe_mutex. */
struct kprobe_text kprobe_kernel_text = {
	.base = (unsigned long)_text,
};

/* The module that has tables. Under kprobe_mutex. */
static struct kprobe_text *kprobe_text_kept;

static void kprobe_text_drop_tables(struct kprobe_text *text)
{
	kprobe_marks_clear(&text->sites);
	kprobe_marks_clear(&text->targets);
	kprobe_marks_clear(&text->parts);
}

static void kprobe_text_drop_symbol(struct kprobe_text *text)
{
	kfree(text->symbol);
	text->symbol = NULL;
}

/**
 * kprobe_text_forget() - drop all that is known of some text
 * @text: the text, which goes away or has changed
 *
 * Context: process context, kprobe_mutex held. May sleep.
 */
void kprobe_text_forget(struct kprobe_text *text)
{
	lockdep_assert_held(&kprobe_mutex);
	kprobe_text_drop_tables(text);
	kprobe_text_drop_symbol(text);
	arch_forget_kprobe_text();
}

/**
 * kprobe_text_finalize() - the init code of some text has run
 * @text: the text
 *
 * From now on there are no probes in its init text, which the caller has taken
 * them out of, and what is known of the text does not change any more.
 *
 * Context: process context, kprobe_mutex held. May sleep.
 */
void kprobe_text_finalize(struct kprobe_text *text)
{
	kprobe_text_forget(text);
	text->final = true;
}

/**
 * kprobe_fill_add() - add a mark for an address to a table of its text
 * @f: the table and the text
 * @addr: the address
 * @value: what is known of it
 *
 * Context: called by a function that kprobe_text_make() calls.
 * Return: 0 or -ENOMEM.
 */
int kprobe_fill_add(struct kprobe_fill *f, unsigned long addr, u32 value)
{
	return kprobe_marks_add(f->marks, kprobe_text_key(f->text, addr), value);
}

static int kprobe_text_fill(struct kprobe_fill *f, const kprobe_fill_fn *fns)
{
	int ret = 0;

	while (!ret && *fns)
		ret = (*fns++)(f);
	return ret;
}

/**
 * kprobe_text_make() - make one of the tables of some text, if there is none
 * @text: the text, which stays
 * @marks: the table
 * @fns: functions that each read what one subsystem knows, and add the marks to
 *	the table; the last is NULL
 *
 * Context: process context, kprobe_mutex held. May sleep.
 * Return: 0, -ENOMEM, or the error of one of the functions; then there is no
 * table.
 */
int kprobe_text_make(struct kprobe_text *text, struct kprobe_marks *marks,
		     const kprobe_fill_fn *fns)
{
	struct kprobe_fill f = { .text = text, .marks = marks };
	int ret;

	lockdep_assert_held(&kprobe_mutex);
	if (marks->sorted)
		return 0;
	if (text->mod && text != kprobe_text_kept) {
		if (kprobe_text_kept)
			kprobe_text_drop_tables(kprobe_text_kept);
		kprobe_text_kept = text;
	}
	ret = kprobe_text_fill(&f, fns);
	if (ret)
		kprobe_marks_clear(marks);
	else
		kprobe_marks_sort(marks);
	return ret;
}

#ifdef CONFIG_MODULES
/*
 * The announced modules; the one that was looked up last is the first. Text of a module
 * that is not in this list is not probed, since it may be freed without a call of our
 * notifier: before that call, live patching may refuse the module; and when a later
 * notifier refuses it, ours has been called with MODULE_STATE_GOING already. Under
 * kprobe_mutex.
 */
static LIST_HEAD(kprobe_module_texts);

static unsigned long kprobe_module_base(const struct module *mod)
{
	unsigned long text = (unsigned long)mod->mem[MOD_TEXT].base;
	unsigned long init = (unsigned long)mod->mem[MOD_INIT_TEXT].base;

	return text && init ? min(text, init) : max(text, init);
}

/*
 * A module's functions and marks decide for others, too, whether a function is the
 * copy of one that is blacklisted.
 */
static void kprobe_text_drop_symbols(void)
{
	struct kprobe_text *text;

	kprobe_text_drop_symbol(&kprobe_kernel_text);
	list_for_each_entry(text, &kprobe_module_texts, list)
		kprobe_text_drop_symbol(text);
}

/**
 * kprobe_text_announce() - a module is coming: from now on it may be probed
 * @mod: the module
 *
 * Context: process context, kprobe_mutex held. May sleep.
 * Return: 0 or -ENOMEM.
 */
int kprobe_text_announce(struct module *mod)
{
	struct kprobe_text *text = kzalloc(sizeof(*text), GFP_KERNEL);

	lockdep_assert_held(&kprobe_mutex);
	if (!text)
		return -ENOMEM;
	text->mod = mod;
	text->base = kprobe_module_base(mod);
	list_add(&text->list, &kprobe_module_texts);
	kprobe_text_drop_symbols();
	return 0;
}

/**
 * kprobe_text_remove() - a module goes away: it can be probed no more
 * @text: its text, which must not be used any more
 *
 * Context: process context, kprobe_mutex held. May sleep.
 */
void kprobe_text_remove(struct kprobe_text *text)
{
	kprobe_text_forget(text);
	if (kprobe_text_kept == text)
		kprobe_text_kept = NULL;
	list_del(&text->list);
	kfree(text);
	kprobe_text_drop_symbols();
}

/**
 * kprobe_text_of() - the text of a module
 * @mod: the module
 *
 * Context: process context, kprobe_mutex held.
 * Return: its text, or NULL if it is not announced.
 */
struct kprobe_text *kprobe_text_of(struct module *mod)
{
	struct kprobe_text *text;

	lockdep_assert_held(&kprobe_mutex);
	list_for_each_entry(text, &kprobe_module_texts, list) {
		if (text->mod == mod)
			return text;
	}
	return NULL;
}

static bool kprobe_module_text_has(const struct kprobe_text *text,
				   unsigned long addr)
{
	return within_module_mem_type(addr, text->mod, MOD_TEXT) ||
	       (!text->final &&
		within_module_mem_type(addr, text->mod, MOD_INIT_TEXT));
}

static struct kprobe_text *kprobe_module_text_at(unsigned long addr)
{
	struct kprobe_text *text;

	list_for_each_entry(text, &kprobe_module_texts, list) {
		if (kprobe_module_text_has(text, addr)) {
			list_move(&text->list, &kprobe_module_texts);
			return text;
		}
	}
	return NULL;
}

static bool kprobe_is_module_text(unsigned long addr)
{
	guard(preempt)();
	return __module_text_address(addr);
}

/**
 * kprobe_text_each_symbol() - go through the symbols of some text
 * @text: the text
 * @fn: called for each, until it returns an error
 * @data: for @fn
 *
 * Context: process context; takes module_mutex for a module.
 * Return: 0 or the error of @fn.
 */
int kprobe_text_each_symbol(const struct kprobe_text *text,
			    int (*fn)(void *data, const char *name,
				      unsigned long addr), void *data)
{
	if (text->mod)
		return module_kallsyms_on_each_symbol(text->mod->name, fn, data);
	return kallsyms_on_each_symbol(fn, data);
}
#else
static bool kprobe_module_text_has(const struct kprobe_text *text,
				   unsigned long addr)
{
	return false;
}

static struct kprobe_text *kprobe_module_text_at(unsigned long addr)
{
	return NULL;
}

static bool kprobe_is_module_text(unsigned long addr)
{
	return false;
}

int kprobe_text_each_symbol(const struct kprobe_text *text,
			    int (*fn)(void *data, const char *name,
				      unsigned long addr), void *data)
{
	return kallsyms_on_each_symbol(fn, data);
}
#endif /* CONFIG_MODULES */

/**
 * kprobe_text_has() - is there some text at an address now?
 * @text: the text
 * @addr: the address
 *
 * Context: any, while the text stays.
 * Return: whether it has. Init text is there only until init has ended.
 */
bool kprobe_text_has(const struct kprobe_text *text, unsigned long addr)
{
	return text->mod ? kprobe_module_text_has(text, addr) :
			   core_kernel_text(addr);
}

/**
 * kprobe_text_at() - the text at an address
 * @addr: any address
 *
 * Our notifier is called before it goes away, and waits for kprobe_mutex.
 *
 * Context: process context, kprobe_mutex held.
 * Return: the text; NULL if there is none, or if it may not be probed, since its
 * module is not loaded far enough.
 */
struct kprobe_text *kprobe_text_at(unsigned long addr)
{
	lockdep_assert_held(&kprobe_mutex);
	if (core_kernel_text(addr))
		return &kprobe_kernel_text;
	return kprobe_module_text_at(addr);
}

/**
 * kprobe_text_get() - the text at an address, to place a probe in it
 * @addr: any address
 *
 * The caller gets a reference of the module, for kprobe_text_put(). It does not
 * keep a module that fails to load; but our notifier is called then.
 *
 * Context: process context, kprobe_mutex held.
 * Return: the text, -EINVAL (there is none), -ENOENT (its module is not loaded far
 * enough, or is being unloaded, or its init text is gone).
 */
struct kprobe_text *kprobe_text_get(unsigned long addr)
{
	struct kprobe_text *text = kprobe_text_at(addr);

	if (!text)
		return ERR_PTR(kprobe_is_module_text(addr) ? -ENOENT : -EINVAL);
	return try_module_get(text->mod) ? text : ERR_PTR(-ENOENT);
}

/**
 * kprobe_text_put() - undo kprobe_text_get()
 * @text: what it returned
 */
void kprobe_text_put(struct kprobe_text *text)
{
	module_put(text->mod);
}
