/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_TEXT_SITES_H
#define _LINUX_TEXT_SITES_H
/*
 * Instructions that subsystems rewrite while the kernel runs, or look up when they
 * trap. Each subsystem goes through its own table, under its own lock: the tables
 * of a module are sorted, and entries move, while the module is coming.
 *
 * @mod is a module that stays, or NULL for the kernel. @fn may sleep; when it
 * returns an error, that ends it and is returned. Instructions of init text are
 * gone through as well, also when that is gone.
 */
struct jump_entry;
struct module;

#ifdef CONFIG_JUMP_LABEL
int jump_label_for_each_entry(struct module *mod,
			      int (*fn)(void *data, struct jump_entry *entry),
			      void *data);
#endif
#ifdef CONFIG_HAVE_STATIC_CALL_INLINE
int static_call_for_each_site(struct module *mod,
			      int (*fn)(void *data, unsigned long addr),
			      void *data);
#endif
#ifdef CONFIG_GENERIC_BUG
int bug_for_each_addr(struct module *mod,
		      int (*fn)(void *data, unsigned long addr), void *data);
#endif

#endif /* _LINUX_TEXT_SITES_H */
