// SPDX-License-Identifier: GPL-2.0
/* Where a probe goes, how it is named, and that it can be placed again. */
#include <linux/errno.h>
#include <linux/kprobes.h>

#include "kprobe_api.h"

/* Register @p, have @fn called, unregister; @p counts, and only meanwhile. */
static void probe_and_call(struct kt *t, struct kt_probe *p, kt_fn fn)
{
	int before = kt_hits(p);

	kt_call(t, fn, 3);
	KT_EQ(t, kt_hits(p), before);
	KT_EQ(t, register_kprobe(&p->kp), 0);
	kt_call(t, fn, 7);
	KT_EQ(t, kt_hits(p), before + 7);
	KT_EQ(t, p->kp.nmissed, 0);
	unregister_kprobe(&p->kp);
	kt_call(t, fn, 5);
	KT_EQ(t, kt_hits(p), before + 7);
}

static void by_symbol(struct kt *t)
{
	struct kt_probe p;

	kt_probe_symbol(&p, "kt_entry");
	probe_and_call(t, &p, kt_entry);
	kt_probe_symbol(&p, "kt_plain");
	probe_and_call(t, &p, kt_plain);
	/* The address may be that behind a landing pad. */
	KT_TRUE(t, (void *)p.kp.addr >= (void *)kt_plain &&
		(void *)p.kp.addr < (void *)kt_plain + 8);
}

static void by_module_and_symbol(struct kt *t)
{
	struct kt_probe p;

	kt_probe_symbol(&p, "kprobe_target:kt_entry");
	probe_and_call(t, &p, kt_entry);
}

static void by_symbol_and_offset(struct kt *t)
{
	struct kt_probe p;
	unsigned int i;

	if (!kt_asm_count)
		return kt_skip(t, "no kt_asm() for this architecture");
	for (i = 0; i < kt_asm_count; i++) {
		/* Not every call comes by number 6. */
		if (i == 6)
			continue;
		kt_probe_symbol(&p, "kt_asm");
		p.kp.offset = kt_asm_insns[i];
		probe_and_call(t, &p, kt_asm);
	}
}

static void by_address(struct kt *t)
{
	struct kt_probe p;

	kt_probe_addr(&p, kt_plain);
	probe_and_call(t, &p, kt_plain);
	kt_probe_addr(&p, kt_entry);
	probe_and_call(t, &p, kt_entry);
}

static void by_address_and_offset(struct kt *t)
{
	struct kt_probe p;

	if (!kt_asm_count)
		return kt_skip(t, "no kt_asm() for this architecture");
	kt_probe_addr(&p, kt_asm);
	p.kp.offset = kt_asm_insns[3];
	probe_and_call(t, &p, kt_asm);
	KT_EQ(t, (void *)p.kp.addr - (void *)kt_asm, kt_asm_insns[3]);
}

/* A probe behind a branch is hit when the branch is not taken. */
static void behind_a_branch(struct kt *t)
{
	struct kt_probe p;

	if (!kt_asm_count)
		return kt_skip(t, "no kt_asm() for this architecture");
	kt_probe_symbol(&p, "kt_asm");
	p.kp.offset = kt_asm_insns[6];
	KT_EQ(t, register_kprobe(&p.kp), 0);
	kt_call(t, kt_asm, 10);
	unregister_kprobe(&p.kp);
	KT_EQ(t, kt_hits(&p), 5);
}

/* A probe on every instruction of a function at once. */
static void everywhere(struct kt *t)
{
	static struct kt_probe probes[16];
	unsigned int i;

	if (!kt_asm_count)
		return kt_skip(t, "no kt_asm() for this architecture");
	for (i = 0; i < kt_asm_count; i++) {
		kt_probe_symbol(&probes[i], "kt_asm");
		probes[i].kp.offset = kt_asm_insns[i];
		probes[i].kp.post_handler = kt_post;
		KT_EQ(t, register_kprobe(&probes[i].kp), 0);
	}
	kt_call(t, kt_asm, 20);
	for (i = 0; i < kt_asm_count; i++) {
		KT_EQ(t, kt_hits(&probes[i]), i == 6 ? 10 : 20);
		KT_EQ(t, atomic_read(&probes[i].post), i == 6 ? 10 : 20);
		unregister_kprobe(&probes[i].kp);
	}
	kt_call(t, kt_asm, 3);
	KT_EQ(t, kt_hits(&probes[0]), 20);
}

/*
 * After unregistration the same structure serves again.
 * 6.12: leaves it marked as disabled, so that it comes back that way.
 */
static void again(struct kt *t)
{
	struct kt_probe p;
	int i;

	kt_probe_symbol(&p, "kt_plain");
	for (i = 0; i < 5; i++) {
		/* Found by its name, it is not to have an address. */
		p.kp.addr = NULL;
		probe_and_call(t, &p, kt_plain);
	}
	kt_probe_addr(&p, kt_entry);
	for (i = 0; i < 5; i++)
		probe_and_call(t, &p, kt_entry);
}

/* Registration sets the count of misses back. */
static void nmissed_is_reset(struct kt *t)
{
	struct kt_probe p;

	kt_probe_addr(&p, kt_plain);
	p.kp.nmissed = 17;
	KT_EQ(t, register_kprobe(&p.kp), 0);
	KT_EQ(t, p.kp.nmissed, 0);
	unregister_kprobe(&p.kp);
}

static void no_handlers(struct kt *t)
{
	struct kprobe entry = { .addr = (kprobe_opcode_t *)kt_entry };
	struct kprobe plain = { .addr = (kprobe_opcode_t *)kt_plain };

	KT_EQ(t, register_kprobe(&entry), 0);
	KT_EQ(t, register_kprobe(&plain), 0);
	kt_call(t, kt_entry, 10);
	kt_call(t, kt_plain, 10);
	KT_EQ(t, entry.nmissed + plain.nmissed, 0);
	unregister_kprobe(&entry);
	unregister_kprobe(&plain);
}

/* Only a post handler: it runs once a hit. */
static void post_handler_only(struct kt *t)
{
	static const kt_fn fns[] = { kt_entry, kt_plain, kt_asm };
	struct kt_probe p;
	int i;

	for (i = 0; i < ARRAY_SIZE(fns); i++) {
		kt_probe_addr(&p, fns[i]);
		p.kp.pre_handler = NULL;
		p.kp.post_handler = kt_post;
		KT_EQ(t, register_kprobe(&p.kp), 0);
		kt_call(t, fns[i], 9);
		unregister_kprobe(&p.kp);
		KT_EQ(t, kt_hits(&p), 0);
		KT_EQ(t, atomic_read(&p.post), 9);
	}
}

const struct kt_case kt_place_cases[] = {
	{ "by_symbol", by_symbol },
	{ "by_module_and_symbol", by_module_and_symbol },
	{ "by_symbol_and_offset", by_symbol_and_offset },
	{ "by_address", by_address },
	{ "by_address_and_offset", by_address_and_offset },
	{ "behind_a_branch", behind_a_branch },
	{ "everywhere", everywhere },
	{ "again", again },
	{ "nmissed_is_reset", nmissed_is_reset },
	{ "no_handlers", no_handlers },
	{ "post_handler_only", post_handler_only },
	KT_END
};
