// SPDX-License-Identifier: GPL-2.0
/*
 * From what a user names to the ftrace sites of functions.
 *
 * A name stands for all functions of that name, wherever they are; "module:name" for
 * those of a module. A pattern ("vfs_*", see lib/glob.c) stands for all functions
 * that have an ftrace site. All that is found here is armed before fprobe_mutex is
 * released: a module that goes away tells module.c, and waits for the lock.
 */
#include <linux/bsearch.h>
#include <linux/glob.h>
#include <linux/kallsyms.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>

#include "internal.h"

/**
 * struct fprobe_pattern - a filter that was taken apart
 * @module: the module's name, or ""
 * @name: the name or pattern of functions
 * @is_glob: which of both
 */
struct fprobe_pattern {
	char module[MODULE_NAME_LEN];
	const char *name;
	bool is_glob;
};

/**
 * struct fprobe_search - what symbols are compared with
 * @sites: filled with the sites of those that match
 * @want: what they have to match
 */
struct fprobe_search {
	struct fprobe_sites *sites;
	struct fprobe_pattern want;
};

/**
 * fprobe_filter_module() - does a filter name a module?
 * @filter: the filter
 *
 * Return: the length of the module's name; 0 if it names none.
 */
size_t fprobe_filter_module(const char *filter)
{
	const char *colon = strchr(filter, ':');

	return colon ? colon - filter : 0;
}

static int fprobe_pattern_parse(struct fprobe_pattern *p, const char *filter)
{
	size_t len;

	memset(p, 0, sizeof(*p));
	len = fprobe_filter_module(filter);
	if (len >= sizeof(p->module))
		return -ENOENT;
	memcpy(p->module, filter, len);
	p->name = len ? filter + len + 1 : filter;
	p->is_glob = strpbrk(p->name, "*?[");
	return 0;
}

static bool fprobe_pattern_has_name(const struct fprobe_pattern *p,
				    const char *name)
{
	if (p->is_glob)
		return glob_match(p->name, name);
	/* Modules have thousands of symbols, few of which begin alike: save the call. */
	return *name == *p->name && !strcmp(p->name, name);
}

#ifdef CONFIG_MODULES
/* Is an address in the module of that name? */
static bool fprobe_is_in_module(unsigned long addr, const char *name)
{
	struct module *mod;

	guard(preempt)();
	mod = __module_address(addr);
	return mod && !strcmp(mod->name, name);
}
#else
static bool fprobe_is_in_module(unsigned long addr, const char *name)
{
	return false;
}
#endif

/* A symbol whose name matches. */
static int fprobe_search_match(void *data, unsigned long addr)
{
	struct fprobe_search *s = data;

	if (*s->want.module && !fprobe_is_in_module(addr, s->want.module))
		return 0;
	return fprobe_sites_add_func(s->sites, addr);
}

/*
 * Is it a symbol of the linker, where a section begins or ends, or that of a module's
 * section, which has no name? It is no name of the function there.
 */
static bool fprobe_is_mark(const char *name)
{
	size_t len = strlen(name);

	if (!len)
		return true;
	return !strncmp(name, "__", 2) && len > 12 &&
	       (!strcmp(name + len - 11, "_text_start") ||
		!strcmp(name + len - 9, "_text_end"));
}

/* Any symbol. */
static int fprobe_search_symbol(void *data, const char *name, unsigned long addr)
{
	struct fprobe_search *s = data;

	if (!fprobe_pattern_has_name(&s->want, name) || fprobe_is_mark(name))
		return 0;
	return fprobe_search_match(s, addr);
}

static int fprobe_search_modules(struct fprobe_search *s)
{
	const char *module = *s->want.module ? s->want.module : NULL;

	if (!IS_ENABLED(CONFIG_MODULES))
		return 0;
	return module_kallsyms_on_each_symbol(module, fprobe_search_symbol, s);
}

/* In the symbols of the kernel, a name is found without a walk over all of them. */
static int fprobe_search_kernel(struct fprobe_search *s)
{
	if (*s->want.module)
		return 0;
	if (s->want.is_glob)
		return kallsyms_on_each_symbol(fprobe_search_symbol, s);
	if (fprobe_is_mark(s->want.name))
		return 0;
	return kallsyms_on_each_match_symbol(fprobe_search_match, s->want.name,
					     s);
}

static int fprobe_search(struct fprobe_search *s)
{
	unsigned int before = s->sites->nr;
	int ret;

	ret = fprobe_search_kernel(s);
	if (!ret)
		ret = fprobe_search_modules(s);
	if (!ret && s->sites->nr == before)
		ret = -ENOENT;
	return ret;
}

/* Appended, in any order. */
static int fprobe_resolve_pattern(struct fprobe_sites *sites, const char *filter)
{
	struct fprobe_search s = { .sites = sites };

	return fprobe_pattern_parse(&s.want, filter) ?: fprobe_search(&s);
}

/* By address: a function that is left out may have other names. */
static int fprobe_sites_leave_out(struct fprobe_sites *sites,
				  struct fprobe_sites *except)
{
	fprobe_sites_unique(sites);
	fprobe_sites_unique(except);
	fprobe_sites_subtract(sites, except);
	return sites->nr ? 0 : -ENOENT;
}

/* Each of the list has to stand for something. */
static int fprobe_resolve_words(struct fprobe_sites *sites,
				struct fprobe_sites *except, char *words)
{
	char *word;
	int ret = 0;

	while (!ret && (word = strsep(&words, ",")))
		ret = *word == '!' ? fprobe_resolve_pattern(except, word + 1) :
				     fprobe_resolve_pattern(sites, word);
	return ret;
}

static int fprobe_resolve_list(struct fprobe_sites *sites,
			       struct fprobe_sites *except, const char *filter)
{
	char *words;
	int ret;

	if (!strchr(filter, ','))
		return fprobe_resolve_pattern(sites, filter);
	words = kstrdup(filter, GFP_KERNEL);
	if (!words)
		return -ENOMEM;
	ret = fprobe_resolve_words(sites, except, words);
	kfree(words);
	return ret;
}

/* That there is nothing to leave out is no error. */
static int fprobe_resolve_except(struct fprobe_sites *except, const char *notfilter)
{
	int ret = notfilter ? fprobe_resolve_pattern(except, notfilter) : 0;

	return ret == -ENOENT ? 0 : ret;
}

/* What is left out is no list, and only the first of a list may name a module. */
static bool fprobe_filter_is_good(const char *filter, const char *notfilter)
{
	const char *list = strchr(filter, ',');

	if (list && strchr(list, ':'))
		return false;
	return !notfilter || !strchr(notfilter, ',');
}

/**
 * fprobe_resolve_filter() - the sites of functions with a name, or like a pattern
 * @sites: filled with the sites, in order, each once
 * @filter: the name or pattern; a module may be named in front of it. Or a list of
 *	such, with "," between them, of which the first may name a module; "!" before
 *	one leaves its functions out
 * @notfilter: a name or pattern of functions to leave out; or NULL
 *
 * Context: process context, fprobe_mutex held until the sites are armed. May sleep.
 * Return: 0, -EINVAL if @notfilter is a list, or a word of @filter behind the first
 * names a module, -ENOENT if there is no such function with a site, or -ENOMEM.
 */
int fprobe_resolve_filter(struct fprobe_sites *sites, const char *filter,
			  const char *notfilter)
{
	struct fprobe_sites except = {};
	int ret;

	lockdep_assert_held(&fprobe_mutex);
	if (!fprobe_filter_is_good(filter, notfilter))
		return -EINVAL;
	ret = fprobe_resolve_list(sites, &except, filter);
	if (!ret)
		ret = fprobe_resolve_except(&except, notfilter);
	if (!ret)
		ret = fprobe_sites_leave_out(sites, &except);
	fprobe_sites_free(&except);
	return ret;
}

/**
 * struct fprobe_name - one of several names that are searched for together
 * @name: the name; of all functions that have it
 * @sites: filled with their sites; that of other names, too, perhaps
 * @found: one of them has a site
 */
struct fprobe_name {
	const char *name;
	struct fprobe_sites *sites;
	bool found;
};

/**
 * struct fprobe_names - several names, in order
 * @name: the names; one may be there twice
 * @nr: how many there are
 */
struct fprobe_names {
	struct fprobe_name *name;
	unsigned int nr;
};

static int fprobe_name_cmp(const void *a, const void *b)
{
	const struct fprobe_name *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static int fprobe_name_add_func(struct fprobe_name *n, unsigned long addr)
{
	unsigned int before = n->sites->nr;
	int ret = fprobe_sites_add_func(n->sites, addr);

	n->found |= n->sites->nr > before;
	return ret;
}

/* A symbol of a module, for all that want it. */
static int fprobe_names_symbol(void *data, const char *name, unsigned long addr)
{
	struct fprobe_name *n, key = { .name = name };
	struct fprobe_names *names = data;
	int ret = 0;

	n = bsearch(&key, names->name, names->nr, sizeof(key), fprobe_name_cmp);
	if (!n || fprobe_is_mark(name))
		return 0;
	while (n > names->name && !strcmp(n[-1].name, name))
		n--;
	for (; n < names->name + names->nr && !strcmp(n->name, name) && !ret; n++)
		ret = fprobe_name_add_func(n, addr);
	return ret;
}

/* Modules have no index: one walk over their symbols for all names. */
static int fprobe_names_modules(struct fprobe_names *names)
{
	if (!names->nr || !IS_ENABLED(CONFIG_MODULES))
		return 0;
	sort(names->name, names->nr, sizeof(*names->name), fprobe_name_cmp, NULL);
	return module_kallsyms_on_each_symbol(NULL, fprobe_names_symbol, names);
}

/* Does a filter stand for one name, wherever it is? */
static bool fprobe_filter_is_name(const char *filter)
{
	return !strpbrk(filter, "*?[:,");
}

static int fprobe_names_add(struct fprobe_names *names, struct fprobe_sites *sites,
			    const char *name)
{
	struct fprobe_search s = { .sites = sites, .want.name = name };
	struct fprobe_name *n = &names->name[names->nr++];
	unsigned int before = sites->nr;
	int ret = fprobe_search_kernel(&s);

	*n = (struct fprobe_name){ name, sites, sites->nr > before };
	return ret;
}

/* Of all names that were added; each has to be that of something. */
static int fprobe_names_find(struct fprobe_names *names)
{
	int ret = fprobe_names_modules(names);
	unsigned int i;

	for (i = 0; i < names->nr && !ret; i++)
		ret = names->name[i].found ? 0 : -ENOENT;
	return ret;
}

/**
 * fprobe_resolve_filters() - fprobe_resolve_filter() for several filters
 * @sites: for each filter an array, filled with its sites
 * @filters: the filters
 * @notfilter: what is left out of each, or NULL
 * @num: how many there are
 *
 * Context: as fprobe_resolve_filter().
 * Return: likewise, for the first that has none.
 */
int fprobe_resolve_filters(struct fprobe_sites *sites, const char **filters,
			   const char *notfilter, unsigned int num)
{
	struct fprobe_names names = {};
	unsigned int i;
	int ret = 0;

	lockdep_assert_held(&fprobe_mutex);
	names.name = kvmalloc_array(num, sizeof(*names.name), GFP_KERNEL);
	if (!names.name)
		return -ENOMEM;
	for (i = 0; i < num && !ret; i++) {
		if (!notfilter && fprobe_filter_is_name(filters[i]))
			ret = fprobe_names_add(&names, &sites[i], filters[i]);
		else
			ret = fprobe_resolve_filter(&sites[i], filters[i], notfilter);
		cond_resched();
	}
	if (!ret)
		ret = fprobe_names_find(&names);
	for (i = 0; i < names.nr && !ret; i++)
		fprobe_sites_unique(names.name[i].sites);
	kvfree(names.name);
	return ret;
}

/* Those of modules are searched for there, one by one. */
static int fprobe_names_add_sym(struct fprobe_names *names, struct fprobe_sites *sites,
				const char *sym)
{
	struct fprobe_search s = { .sites = sites };
	int ret;

	if (!sym)
		return -EINVAL;
	if (!fprobe_filter_module(sym))
		return fprobe_names_add(names, sites, sym);
	ret = fprobe_pattern_parse(&s.want, sym);
	s.want.is_glob = false;
	return ret ?: fprobe_search(&s);
}

/**
 * fprobe_resolve_syms() - the sites of functions by their names
 * @sites: filled with the sites, in order, each once
 * @syms: the names; a module may be named in front of each
 * @num: how many there are
 *
 * Context: as fprobe_resolve_filter().
 * Return: 0, -EINVAL if a name is NULL, -ENOENT if there is no such function with a
 * site for one of the names, or -ENOMEM.
 */
int fprobe_resolve_syms(struct fprobe_sites *sites, const char **syms,
			unsigned int num)
{
	struct fprobe_names names = {};
	unsigned int i;
	int ret = 0;

	lockdep_assert_held(&fprobe_mutex);
	names.name = kvmalloc_array(num, sizeof(*names.name), GFP_KERNEL);
	if (!names.name)
		return -ENOMEM;
	for (i = 0; i < num && !ret; i++) {
		ret = fprobe_names_add_sym(&names, sites, syms[i]);
		cond_resched();
	}
	if (!ret)
		ret = fprobe_names_find(&names);
	if (!ret)
		fprobe_sites_unique(sites);
	kvfree(names.name);
	return ret;
}
