// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of what is refused, and with which error. In each case the text
 * and the probe stay as they were.
 */
#include <linux/bug.h>
#include <linux/cpufeature.h>
#include <linux/filter.h>
#include <linux/ftrace.h>
#include <linux/jump_label.h>
#include <linux/kallsyms.h>
#include <linux/slab.h>
#include <linux/static_call.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <asm/sections.h>

#include "targets.h"
#include "targets_plain.h"

/* No instruction is longer. */
#define REFUSE_TEXT	16

/* Of places of one kind there may be thousands: how many are tried. */
#define REFUSE_MANY	100

static void refuse_read(u8 *text, void *addr)
{
	memset(text, 0, REFUSE_TEXT);
	copy_from_kernel_nofault(text, addr, REFUSE_TEXT);
}

/* Of a probe that is not refused, though it should be, hits do no harm. */
static int refuse_pre(struct kprobe *p, struct pt_regs *regs)
{
	return 0;
}

/* Try to probe an address. What it was tried with comes back as it was. */
static int refuse_try(struct kunit *test, void *addr)
{
	struct kprobe kp = { .addr = addr, .pre_handler = refuse_pre };
	u8 before[REFUSE_TEXT], after[REFUSE_TEXT];
	int ret;

	refuse_read(before, addr);
	ret = register_kprobe(&kp);
	if (!ret) {
		unregister_kprobe(&kp);
		return 0;
	}
	KUNIT_EXPECT_PTR_EQ(test, addr, kp.addr);
	KUNIT_EXPECT_EQ(test, 0, kp.flags);
	refuse_read(after, addr);
	KUNIT_EXPECT_MEMEQ(test, before, after, REFUSE_TEXT);
	return ret;
}

static void refuse_expect(struct kunit *test, void *addr, int err)
{
	KUNIT_EXPECT_EQ_MSG(test, err, refuse_try(test, addr), "%pS", addr);
}

static int refuse_try_symbol(const char *symbol, void *addr)
{
	struct kprobe kp = { .symbol_name = symbol, .addr = addr };
	int ret = register_kprobe(&kp);

	if (!ret)
		unregister_kprobe(&kp);
	return ret;
}

/* How the place is named. */
static void refuse_names(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, -EINVAL, refuse_try_symbol(NULL, NULL));
	KUNIT_EXPECT_EQ(test, -EINVAL,
			refuse_try_symbol("ktest_fixed", ktest_fixed));
	KUNIT_EXPECT_EQ(test, -ENOENT,
			refuse_try_symbol("ktest_not_there", NULL));
	KUNIT_EXPECT_EQ(test, -ENOENT, refuse_try_symbol("", NULL));
	KUNIT_EXPECT_EQ(test, -ENOENT,
			refuse_try_symbol("no_module:ktest_fixed", NULL));
	KUNIT_EXPECT_EQ(test, -ENOENT, refuse_try_symbol(":ktest_fixed", NULL));
	KUNIT_EXPECT_EQ(test, 0, refuse_try_symbol("ktest_fixed", NULL));
}

static int refuse_data = 1;

/* What is not text. */
static void refuse_no_text(struct kunit *test)
{
	void *heap = kunit_kzalloc(test, 64, GFP_KERNEL);
	long stack = 0;

	KUNIT_ASSERT_NOT_NULL(test, heap);
	KUNIT_EXPECT_LT(test, refuse_try(test, &refuse_data), 0);
	KUNIT_EXPECT_LT(test, refuse_try(test, &kprobe_mutex), 0);
	KUNIT_EXPECT_LT(test, refuse_try(test, (void *)linux_banner), 0);
	KUNIT_EXPECT_LT(test, refuse_try(test, heap), 0);
	KUNIT_EXPECT_LT(test, refuse_try(test, &stack), 0);
	KUNIT_EXPECT_LT(test, refuse_try(test, (void *)0x400000), 0);
	KUNIT_EXPECT_LT(test, refuse_try(test, (void *)-1), 0);
	KUNIT_EXPECT_LT(test, refuse_try(test, (void *)1), 0);
}

/*
 * Symbols that there may be or not, depending on the configuration. Returns how many of
 * them there are.
 */
static unsigned int refuse_symbols(struct kunit *test, const char * const *names, int nr)
{
	unsigned int tried = 0;
	void *addr;
	int i;

	for (i = 0; i < nr; i++) {
		addr = (void *)kallsyms_lookup_name(names[i]);
		if (!addr) {
			kunit_info(test, "there is no %s\n", names[i]);
			continue;
		}
		refuse_expect(test, addr, -EINVAL);
		tried++;
	}
	return tried;
}

/* Kprobes itself: what is renamed here is renamed in this list. */
static void refuse_own(struct kunit *test)
{
	static const char * const names[] = {
		"get_kprobe", "kprobe_table_find", "kprobe_busy_begin",
		"kprobe_dispatch_pre", "kprobe_int3_handler", "kprobe_int3_slow",
		"kprobe_slot_cache_has", "kprobes_inc_nmissed_count",
		"kprobe_post_missed", "kprobe_fault_handler",
#ifdef CONFIG_KPROBES_ON_FTRACE
		"kprobe_ftrace_handler",
#endif
#ifdef CONFIG_OPTPROBES
		"kprobe_detour_before",
#endif
	};

	KUNIT_EXPECT_EQ(test, ARRAY_SIZE(names),
			refuse_symbols(test, names, ARRAY_SIZE(names)));
}

/* What leads to it. */
static void refuse_own_way(struct kunit *test)
{
	static const char * const names[] = {
		"exc_int3", "asm_exc_int3",
		"asm_exc_page_fault", "exc_nmi", "asm_exc_nmi", "error_entry",
		"paranoid_entry", "entry_SYSCALL_64", "handle_exception",
		"entry_SYSENTER_32", "entry_INT80_32", "poke_int3_handler",
		"irqentry_nmi_enter", "irqentry_nmi_exit", "do_int3",
		"notify_die", "kgdb_ll_trap",
		/* What compilers add to that, if they are told to. */
		"__asan_load8", "__sanitizer_cov_trace_pc", "check_kcov_mode",
		"__msan_get_context_state", "kmsan_unpoison_entry_regs",
		/* Every function of the hit path returns through one of these. */
		"__x86_return_thunk", "retbleed_return_thunk",
		"srso_return_thunk", "srso_safe_ret", "its_return_thunk",
		"call_depth_return_thunk", "__x86_indirect_thunk_rax",
		"__x86_indirect_thunk_eax",
	};

	/* Whatever the configuration, a third of them is there. */
	KUNIT_EXPECT_GE(test, refuse_symbols(test, names, ARRAY_SIZE(names)),
			ARRAY_SIZE(names) / 3);
}

/*
 * What a CPU executes that cannot take a trap, or when RCU does not watch, and what is
 * executed as a copy.
 */
static const char * const refuse_no_trap_names[] = {
	"secondary_startup_64", "secondary_startup_64_no_verify",
	"common_startup_64", "verify_cpu", "sev_verify_cbit", "early_setup_idt",
	"init_idt_data", "idt_init_desc", "native_write_idt_entry",
	"startup_64_load_idt", "start_secondary", "cr4_init", "native_write_cr4",
	"do_trace_write_msr", "cpu_init_exception_handling", "cr4_update_irqsoff",
	"load_current_idt", "setup_ghcb", "snp_register_per_cpu_ghcb",
	"snp_register_ghcb_early", "vc_boot_ghcb",
	"cpu_init_fred_exceptions", "cpu_init_fred_rsps", "ret_from_fork_asm",
	"native_write_msr", "native_load_idt", "native_load_tr_desc",
	"native_write_gdt_entry",
#ifdef CONFIG_X86_32
	"startup_32_smp", "__flush_tlb_all", "flush_tlb_local",
	"native_flush_tlb_global", "native_flush_tlb_local",
#endif
	"relocate_kernel", "identity_mapped", "virtual_mapped",
	"swap_pages", "core_restore_code",
	/* Each of these that there is. */
	"machine_kexec", "wakeup_long64", "wakeup_pmode_return",
	"do_suspend_lowlevel", "ret_point", "restore_registers",
	"kasan_unpoison", "kasan_unpoison_task_stack_below",
	"create_image", "hibernation_snapshot",
	"restore_processor_state", "__restore_processor_state", "native_write_cr0",
	"asm_acpi_mp_play_dead",
};

static void refuse_no_trap(struct kunit *test)
{
	unsigned int tried = refuse_symbols(test, refuse_no_trap_names,
					    ARRAY_SIZE(refuse_no_trap_names));

	/* Whatever the configuration. */
	KUNIT_EXPECT_GE(test, tried, 5);
}

/* The task changes within. */
static void refuse_switch_to(struct kunit *test)
{
	static const char * const names[] = { "__switch_to" };

	KUNIT_EXPECT_EQ(test, 1, refuse_symbols(test, names, 1));
}

#ifdef CONFIG_KRETPROBES
static struct kretprobe refuse_rp;

/* As if the module had gone, and another one had come there. */
static int refuse_move(struct kprobe *p, struct pt_regs *regs)
{
	refuse_rp.kp.addr = (void *)ktest_inner + ktest_inner_load;
	return 0;
}

/* The address was an entry when the kretprobe was checked, and is none any more. */
static void refuse_moved(struct kunit *test)
{
	struct kprobe mover = { .symbol_name = "kretprobe_pool_init", .pre_handler = refuse_move };
	int ret = register_kprobe(&mover);

	if (ret == -ENOENT)
		kunit_skip(test, "the compiler has put it into its caller");
	KUNIT_ASSERT_EQ(test, 0, ret);
	refuse_rp = (struct kretprobe){ .kp.addr = (void *)ktest_inner };
	KUNIT_EXPECT_EQ(test, -EINVAL, register_kretprobe(&refuse_rp));
	unregister_kprobe(&mover);
	KUNIT_EXPECT_EQ(test, 0, ktest_points_at((void *)ktest_inner + ktest_inner_load));
}
#endif

#ifdef CONFIG_X86_32
/* Branches of other symbols lead behind the first byte of these. */
static void refuse_led_into(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, -EINVAL, refuse_try_symbol("__get_user_handle_exception", NULL));
	KUNIT_EXPECT_EQ(test, -EINVAL, refuse_try_symbol("__put_user_handle_exception", NULL));
}
#endif

/* Text that stays, and that is not forbidden for another reason. */
static bool refuse_is_plain(void *addr)
{
	return core_kernel_text((unsigned long)addr) &&
	       !is_kernel_inittext((unsigned long)addr) &&
	       !within_kprobe_blacklist((unsigned long)addr);
}

#ifdef CONFIG_GENERIC_BUG
static noinline __noclone int refuse_warn_site(int x)
{
	WARN_ON(x < 0);
	return x + 1;
}

/* The trap of a BUG() or WARN() is looked up by its address. */
static void refuse_bugs(struct kunit *test)
{
	void *addr = refuse_warn_site;
	int sites = 0, i;

	for (i = 0; i < 64; i++, addr++) {
		if (!find_bug((unsigned long)addr))
			continue;
		refuse_expect(test, addr, -EINVAL);
		sites++;
		break;
	}
	KUNIT_EXPECT_EQ(test, 1, sites);
	KUNIT_EXPECT_EQ(test, 2, refuse_warn_site(1));
}
#endif /* CONFIG_GENERIC_BUG */

#ifdef CONFIG_JUMP_LABEL
/* Others patch these. */
static void refuse_jump_labels(struct kunit *test)
{
	struct jump_entry *entry;
	int tried = 0;

	for (entry = __start___jump_table; entry < __stop___jump_table; entry++) {
		void *addr = (void *)jump_entry_code(entry);

		if (!refuse_is_plain(addr))
			continue;
		refuse_expect(test, addr, -EINVAL);
		if (++tried == REFUSE_MANY)
			break;
	}
	KUNIT_EXPECT_GT(test, tried, 10);
}
#endif /* CONFIG_JUMP_LABEL */

#ifdef CONFIG_HAVE_STATIC_CALL_INLINE
DEFINE_STATIC_CALL(refuse_call, ktest_other);

static noinline __noclone int refuse_call_site(int x)
{
	x = static_call(refuse_call)(x);
	barrier();
	return x - 999;
}

static void refuse_static_calls(struct kunit *test)
{
	void *addr = refuse_call_site;
	int site = 0, i;

	for (i = 0; i < 64; i++, addr++) {
		if (!static_call_text_reserved(addr, addr))
			continue;
		refuse_expect(test, addr, -EINVAL);
		if (++site == CALL_INSN_SIZE)
			break;
	}
	KUNIT_EXPECT_EQ(test, CALL_INSN_SIZE, site);
	/* What an update finds there instead of its own jump, it takes for a bug. */
	refuse_expect(test, STATIC_CALL_TRAMP_ADDR(refuse_call), -EINVAL);
	KUNIT_EXPECT_EQ(test, 2, refuse_call_site(1));
}
#endif /* CONFIG_HAVE_STATIC_CALL_INLINE */

#ifdef CONFIG_KPROBES_ON_FTRACE
static void refuse_nothing(unsigned long ip, unsigned long parent_ip,
			   struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
}

static struct ftrace_ops refuse_ops = { .func = refuse_nothing };

static void refuse_ops_off(void *unused)
{
	unregister_ftrace_function(&refuse_ops);
}

/* Ftrace rewrites all of its site, used or not; that is one instruction. */
static void refuse_in_ftrace_site(struct kunit *test)
{
	unsigned long site = ftrace_location((unsigned long)ktest_traced);
	int round, i;

	KUNIT_ASSERT_NE(test, 0, site);
	KUNIT_ASSERT_EQ(test, 0, ftrace_set_filter_ip(&refuse_ops, site, 0, 0));
	for (round = 0; round < 2; round++) {
		for (i = 1; i < MCOUNT_INSN_SIZE; i++)
			refuse_expect(test, (void *)site + i, -EILSEQ);
		KUNIT_EXPECT_EQ(test, 0, refuse_try(test, (void *)site));
		if (round)
			break;
		KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&refuse_ops));
		ktest_set_at_end(test, refuse_ops_off, NULL);
	}
	/* What ftrace builds for its callers may be freed at any time. */
	if (refuse_ops.trampoline)
		KUNIT_EXPECT_LT(test, refuse_try(test, (void *)refuse_ops.trampoline), 0);
}
#endif /* CONFIG_KPROBES_ON_FTRACE */

#ifdef CONFIG_BPF_JIT
static void refuse_bpf_free(void *prog)
{
	bpf_prog_destroy(prog);
}

/* Text that the BPF compiler made. */
static void refuse_bpf(struct kunit *test)
{
	struct sock_filter insns[] = { BPF_STMT(BPF_RET | BPF_K, 0) };
	struct sock_fprog_kern fprog = { .len = 1, .filter = insns };
	struct bpf_prog *prog;

	KUNIT_ASSERT_EQ(test, 0, bpf_prog_create(&prog, &fprog));
	ktest_set_at_end(test, refuse_bpf_free, prog);
	if (!prog->jited)
		kunit_skip(test, "not compiled");
	KUNIT_EXPECT_LT(test, refuse_try(test, prog->bpf_func), 0);
	bpf_prog_kallsyms_add(prog);
	KUNIT_EXPECT_LT(test, refuse_try(test, prog->bpf_func), 0);
}
#endif /* CONFIG_BPF_JIT */

/* The hash in front of a function, and the padding there. */
static void refuse_preamble(struct kunit *test)
{
	static const char * const names[] = {
		"__cfi_ktest_traced", "__cfi_ktest_break",
		"__pfx_ktest_traced", "__pfx_ktest_break",
	};

	refuse_symbols(test, names, ARRAY_SIZE(names));
}

/* Is there an instruction of ktest_plain() @offset bytes behind its start? */
static bool refuse_is_boundary(unsigned int offset)
{
	unsigned int first = ktest_plain_mid - KTEST_PLAIN_LEN;

	return !offset || (offset >= first && (offset - first) % KTEST_PLAIN_LEN == 0);
}

static void refuse_boundaries(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i <= ktest_plain_end; i++)
		refuse_expect(test, (void *)ktest_plain + i,
			      refuse_is_boundary(i) ? 0 : -EILSEQ);
}

/* Likewise when there are breakpoints and jumps in the text. */
static void refuse_mid_instruction(struct kunit *test)
{
	struct ktest_probe *p;

	refuse_boundaries(test);
	p = ktest_probe_alloc(test, (void *)ktest_plain + ktest_plain_mid);
	p->kp.post_handler = ktest_post;
	ktest_register(test, p);
	KUNIT_EXPECT_EQ(test, INT3_INSN_OPCODE, ktest_text(p->kp.addr));
	refuse_boundaries(test);
	unregister_kprobe(&p->kp);
	p->kp.post_handler = NULL;
	ktest_register(test, p);
	wait_for_kprobe_optimizer();
	KUNIT_EXPECT_EQ(test, IS_ENABLED(CONFIG_OPTPROBES) ?
			JMP32_INSN_OPCODE : INT3_INSN_OPCODE,
			ktest_text(p->kp.addr));
	refuse_expect(test, p->kp.addr + 1, -EILSEQ);
	refuse_expect(test, p->kp.addr + KTEST_PLAIN_LEN - 1, -EILSEQ);
	refuse_expect(test, p->kp.addr + KTEST_PLAIN_LEN + 1, -EILSEQ);
	refuse_boundaries(test);
}

#ifdef CONFIG_X86_KERNEL_IBT
/* Indirect branches may land in the middle of a function, too. */
static void refuse_landing(struct kunit *test)
{
	void *pad = (void *)ktest_landing + ktest_landing_next;

	refuse_expect(test, pad, cpu_feature_enabled(X86_FEATURE_IBT) ? -EINVAL : 0);
	refuse_expect(test, pad + ENDBR_INSN_SIZE, 0);
}
#endif /* CONFIG_X86_KERNEL_IBT */

/* Copies of instructions are not to be probed in turn. */
static void refuse_slots(struct kunit *test)
{
	struct ktest_probe *p = ktest_probe_alloc(test, ktest_plain);
	struct kprobe_point *pt;

	ktest_register(test, p);
	pt = ktest_point(p);
	KUNIT_ASSERT_NOT_NULL(test, pt->probe.ainsn.insn);
	KUNIT_EXPECT_LT(test, refuse_try(test, pt->probe.ainsn.insn), 0);
}

#ifdef CONFIG_OPTPROBES
/* Nor are detours. */
static void refuse_detours(struct kunit *test)
{
	struct ktest_probe *p = ktest_probe_alloc(test, ktest_plain);
	struct kprobe_point *pt;

	ktest_register(test, p);
	pt = ktest_point(p);
	KUNIT_ASSERT_NOT_NULL(test, pt->op.optinsn.insn);
	KUNIT_EXPECT_LT(test, refuse_try(test, pt->op.optinsn.insn), 0);
}
#endif /* CONFIG_OPTPROBES */

static struct kunit_case refuse_cases[] = {
	KUNIT_CASE(refuse_names),
	KUNIT_CASE(refuse_no_text),
	KUNIT_CASE(refuse_own),
	KUNIT_CASE(refuse_own_way),
	KUNIT_CASE(refuse_no_trap),
	KUNIT_CASE(refuse_switch_to),
#ifdef CONFIG_KRETPROBES
	KUNIT_CASE(refuse_moved),
#endif
#ifdef CONFIG_X86_32
	KUNIT_CASE(refuse_led_into),
#endif
#ifdef CONFIG_GENERIC_BUG
	KUNIT_CASE(refuse_bugs),
#endif
#ifdef CONFIG_JUMP_LABEL
	KUNIT_CASE(refuse_jump_labels),
#endif
#ifdef CONFIG_HAVE_STATIC_CALL_INLINE
	KUNIT_CASE(refuse_static_calls),
#endif
#ifdef CONFIG_KPROBES_ON_FTRACE
	KUNIT_CASE(refuse_in_ftrace_site),
#endif
#ifdef CONFIG_BPF_JIT
	KUNIT_CASE(refuse_bpf),
#endif
	KUNIT_CASE(refuse_preamble),
	KUNIT_CASE(refuse_mid_instruction),
#ifdef CONFIG_X86_KERNEL_IBT
	KUNIT_CASE(refuse_landing),
#endif
	KUNIT_CASE(refuse_slots),
#ifdef CONFIG_OPTPROBES
	KUNIT_CASE(refuse_detours),
#endif
	{}
};

static struct kunit_suite refuse_suite = {
	.name = "kprobes_refuse",
	.test_cases = refuse_cases,
};

kunit_test_suite(refuse_suite);
