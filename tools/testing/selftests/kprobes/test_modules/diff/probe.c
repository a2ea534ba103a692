// SPDX-License-Identifier: GPL-2.0
/*
 * Differential instruction test: the probes and their handlers. They count,
 * keep the registers they were shown and, for the self-check, spoil something.
 */
#include <linux/preempt.h>
#include <linux/ptrace.h>
#include <asm/text-patching.h>
#include "diff.h"

enum diff_plant diff_plant;

/* What the self-check spoils, and what it lets a handler see wrong. */
#ifdef CONFIG_X86_64
#define diff_spoilt	r15
#define diff_missed	r12
#else
#define diff_spoilt	di
#define diff_missed	bx
#endif

/* How often a post handler of this mode was called without a trap. */
unsigned long diff_untrapped;

static void diff_spoil(struct pt_regs *regs)
{
	switch (diff_plant) {
	case PLANT_GPR:
		regs->diff_spoilt ^= 8;
		break;
	case PLANT_FLAGS:
		regs->flags ^= F_CF;
		break;
	case PLANT_VEC:
		diff_spoil_vec();
		break;
	case PLANT_ARENA:
		diff_arena[DIFF_ARENA / 2] ^= 1;
		break;
	case PLANT_PCPU:
		(*this_cpu_ptr(&diff_pcpu))[1] ^= 1;
		break;
	case PLANT_WINDOW:
		*(u64 *)(diff_stub_sp - DIFF_WINDOW) ^= 1;
		break;
	default:
		break;
	}
}

NOKPROBE_SYMBOL(diff_spoil);

static int diff_pre(struct kprobe *kp, struct pt_regs *regs)
{
	struct diff_probe *dp = container_of(kp, struct diff_probe, kp);

	/* A breakpoint is like an NMI, a jump is not. */
	dp->trapped += !!in_nmi();
	/*
	 * The pad jumps back here, and the second hit lets the instruction
	 * run: with the same result, or something was lost on the way.
	 */
	if (dp->mode->path && !dp->diverted) {
		dp->diverted = true;
		diff_path_target = (unsigned long)kp->addr;
		regs->ip = (unsigned long)diff_path_pad;
		return 1;
	}
	dp->diverted = false;
	dp->pre_regs = *regs;
	if (diff_plant == PLANT_SEEN)
		dp->pre_regs.diff_missed ^= 1;
	if (diff_plant != PLANT_PRE)
		dp->pre++;
	diff_spoil(regs);
	return 0;
}

NOKPROBE_SYMBOL(diff_pre);

static void diff_post(struct kprobe *kp, struct pt_regs *regs, unsigned long flags)
{
	struct diff_probe *dp = container_of(kp, struct diff_probe, kp);

	dp->post_regs = *regs;
	diff_untrapped += !in_nmi();
	if (diff_plant != PLANT_POST)
		dp->post++;
}

NOKPROBE_SYMBOL(diff_post);

static int diff_fault(struct kprobe *kp, struct pt_regs *regs, int trapnr)
{
	return 0;
}

NOKPROBE_SYMBOL(diff_fault);

static int diff_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct kretprobe *rp = get_kretprobe(ri);

	container_of(rp, struct diff_probe, rp)->entry++;
	return 0;
}

NOKPROBE_SYMBOL(diff_entry);

static int diff_ret(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct kretprobe *rp = get_kretprobe(ri);

	container_of(rp, struct diff_probe, rp)->ret++;
	return 0;
}

NOKPROBE_SYMBOL(diff_ret);

/* Register the probe described by ->snap, ->mode, ->bound and ->is_ret. */
int diff_probe_add(struct diff_probe *dp)
{
	u8 *code = dp->snap->s->code;
	int err;

	if (dp->is_ret) {
		dp->rp.kp.addr = code;
		dp->rp.entry_handler = diff_entry;
		dp->rp.handler = diff_ret;
		err = register_kretprobe(&dp->rp);
	} else {
		dp->kp.addr = code + dp->off;
		dp->kp.pre_handler = dp->mode->pre ? diff_pre : NULL;
		dp->kp.post_handler = dp->mode->post ? diff_post : NULL;
		dp->kp.fault_handler = dp->mode->step ? diff_fault : NULL;
		err = register_kprobe(&dp->kp);
	}
	dp->armed = !err;
	return err;
}

/* All at once: a grace period for each would take the better part of the test. */
void diff_probe_del(struct diff_wave *wave)
{
	unsigned int i, nr_kps = 0, nr_rps = 0;

	for (i = 0; i < wave->max; i++) {
		struct diff_probe *dp = &wave->probe[i];

		if (!dp->armed)
			continue;
		if (dp->is_ret)
			wave->rps[nr_rps++] = &dp->rp;
		else
			wave->kps[nr_kps++] = &dp->kp;
		dp->armed = false;
	}
	if (nr_rps)
		unregister_kretprobes(wave->rps, nr_rps);
	if (nr_kps)
		unregister_kprobes(wave->kps, nr_kps);
}

/*
 * Is there a jump where the probe is? Read from the text, since no interface
 * tells one user of a shared probe point about it.
 */
bool diff_is_jump(const struct diff_probe *dp)
{
	return dp->armed && !dp->is_ret && READ_ONCE(*(u8 *)dp->kp.addr) == JMP32_INSN_OPCODE;
}
