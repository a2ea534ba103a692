// SPDX-License-Identifier: GPL-2.0
/*
 * Kernel probes on x86: the functions that must not be probed, but are not marked so
 * where they are defined.
 */
#include <linux/array_size.h>
#include <linux/init.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <asm/sections.h>

/*
 * Functions that return on another stack than they were called on, when RCU no longer
 * watches, though it does at the entry, or with the per-CPU base of another kernel.
 */
struct kretprobe_blackpoint kretprobe_blacklist[] = {
	{ .name = "__switch_to" },
	{ .name = "ret_from_fork" },
#ifdef CONFIG_HIBERNATION
	{ .name = "swsusp_arch_suspend" },
#endif
	{ .name = NULL },
};

const int kretprobe_blacklist_size = ARRAY_SIZE(kretprobe_blacklist);

bool arch_within_kprobe_blacklist(unsigned long addr)
{
	return (addr >= (unsigned long)__kprobes_text_start &&
		addr < (unsigned long)__kprobes_text_end) ||
	       (addr >= (unsigned long)__entry_text_start &&
		addr < (unsigned long)__entry_text_end);
}

/*
 * Functions that are not marked where they are defined; most of them stand between
 * the breakpoint and the recursion guard. Which of them exist depends on the
 * configuration.
 */
static const char * const kprobe_forbidden_names[] __initconst = {
	/*
	 * The trampolines of ftrace are copies of these: with a breakpoint in
	 * it, a copy could not run. Each label in them is a symbol.
	 */
	"ftrace_caller",
	"ftrace_caller_op_ptr",
	"ftrace_call",
	"ftrace_caller_end",
	"ftrace_regs_caller",
	"ftrace_regs_caller_op_ptr",
	"ftrace_regs_call",
	"ftrace_regs_caller_jmp",
	"ftrace_regs_caller_end",
	/*
	 * A CPU that is brought up has no gate for the breakpoint at first, and until
	 * the last of these functions has returned none for a fault of a handler.
	 */
	"secondary_startup_64",
	"secondary_startup_64_no_verify",
	"common_startup_64",
	"verify_cpu",
	"sev_verify_cbit",
	"early_setup_idt",
	"init_idt_data",
	"idt_init_desc",
	"native_write_idt_entry",
	"startup_64_load_idt",
	"start_secondary",
	"cr4_init",
	"native_write_cr4",
	"do_trace_write_msr",
	"cpu_init_exception_handling",
	"cr4_update_irqsoff",
	"setup_ghcb",
	"snp_register_per_cpu_ghcb",
	"snp_register_ghcb_early",
	"vc_boot_ghcb",
	"cpu_init_fred_exceptions",
	"cpu_init_fred_rsps",
	"load_current_idt",
	/* With CONFIG_PARAVIRT_XXL, what else would be inline there is called. */
	"native_write_msr",
	"native_load_idt",
	"native_load_tr_desc",
	"native_write_gdt_entry",
#ifdef CONFIG_X86_32
	/* ftrace rewrites the first, and all of its callers return by the other. */
	"ftrace_graph_call",
	"ftrace_stub",
	/* Before it can take a trap, a CPU goes over to other page tables. */
	"startup_32_smp",
	"__flush_tlb_all",
	"flush_tlb_local",
	"native_flush_tlb_global",
	"native_flush_tlb_local",
	/* The functions that access user memory branch behind the first byte. */
	"__get_user_handle_exception",
	"__put_user_handle_exception",
#endif
	/*
	 * A new task comes back here when RCU no longer watches: a detour would not
	 * tell RCU, as a breakpoint does.
	 */
	"ret_from_fork_asm",
	/*
	 * Code that is copied, and runs where the kernel's text is not mapped,
	 * or not any more. Each label in relocate_kernel() is a symbol.
	 */
	"relocate_range",
	"relocate_kernel",
	"identity_mapped",
	"virtual_mapped",
	"swap_pages",
	"core_restore_code",
	/*
	 * Around such code there is no gate for the breakpoint, or no per-CPU base.
	 * On the way back from a suspend, too: some of these names are labels.
	 */
	"machine_kexec",
	"wakeup_long64",
	"wakeup_pmode_return",
	"do_suspend_lowlevel",
	"ret_point",
	"restore_registers",
	"kasan_unpoison_task_stack_below",
	"kasan_unpoison",
	"create_image",
	"hibernation_snapshot",
	"restore_processor_state",
	"__restore_processor_state",
	"native_write_cr0",
	"asm_acpi_mp_play_dead",
	/*
	 * Called on the return from a breakpoint. Once lockdep has turned
	 * itself off, each breakpoint takes itself for the outermost and calls
	 * it.
	 */
	"lockdep_hardirqs_on_prepare",
	/* The task changes within: the manual of kprobes has always left it out. */
	"__switch_to",
	/* What KASAN adds to code of the base that runs before the guard. */
	"__asan_handle_no_return",
	"__asan_load1",
	"__asan_load2",
	"__asan_load4",
	"__asan_load8",
	"__asan_load16",
	"__asan_loadN",
	"__asan_store1",
	"__asan_store2",
	"__asan_store4",
	"__asan_store8",
	"__asan_store16",
	"__asan_storeN",
	"__kasan_check_read",
	"__kasan_check_write",
	"kasan_check_range",
	/* Likewise, KCOV, KMSAN, and a debugger that is asked first. */
	"__sanitizer_cov_trace_pc",
	"__sanitizer_cov_trace_cmp1",
	"__sanitizer_cov_trace_cmp2",
	"__sanitizer_cov_trace_cmp4",
	"__sanitizer_cov_trace_cmp8",
	"__sanitizer_cov_trace_const_cmp1",
	"__sanitizer_cov_trace_const_cmp2",
	"__sanitizer_cov_trace_const_cmp4",
	"__sanitizer_cov_trace_const_cmp8",
	"__sanitizer_cov_trace_switch",
	"check_kcov_mode",
	"write_comp_data",
	"__msan_get_context_state",
	"__msan_instrument_asm_store",
	"__msan_memcpy",
	"__msan_memmove",
	"__msan_memset",
	"__msan_metadata_ptr_for_load_1",
	"__msan_metadata_ptr_for_load_2",
	"__msan_metadata_ptr_for_load_4",
	"__msan_metadata_ptr_for_load_8",
	"__msan_metadata_ptr_for_load_n",
	"__msan_metadata_ptr_for_store_1",
	"__msan_metadata_ptr_for_store_2",
	"__msan_metadata_ptr_for_store_4",
	"__msan_metadata_ptr_for_store_8",
	"__msan_metadata_ptr_for_store_n",
	"__msan_poison_alloca",
	"__msan_unpoison_alloca",
	"kmsan_get_metadata",
	"kmsan_get_shadow_origin_ptr",
	"kmsan_internal_set_shadow_origin",
	"kmsan_internal_unpoison_memory",
	"kmsan_metadata_is_contiguous",
	"kmsan_unpoison_entry_regs",
	"kmsan_unpoison_memory",
	"page_has_metadata",
	"virt_to_page_or_null",
	"vmalloc_meta",
	"kgdb_ll_trap",
	/* Every function returns through one of these. */
	"__x86_return_thunk",
	"__x86_indirect_its_thunk_rax",
	"__x86_indirect_its_thunk_rbx",
	"__x86_indirect_its_thunk_rcx",
	"__x86_indirect_its_thunk_rdx",
	"__x86_indirect_its_thunk_rsi",
	"__x86_indirect_its_thunk_rdi",
	"__x86_indirect_its_thunk_rbp",
	"__x86_indirect_its_thunk_r8",
	"__x86_indirect_its_thunk_r9",
	"__x86_indirect_its_thunk_r10",
	"__x86_indirect_its_thunk_r11",
	"__x86_indirect_its_thunk_r12",
	"__x86_indirect_its_thunk_r13",
	"__x86_indirect_its_thunk_r14",
	"__x86_indirect_its_thunk_r15",
	"call_depth_return_thunk",
	"its_return_thunk",
	"retbleed_return_thunk",
	"retbleed_untrain_ret",
	"srso_alias_return_thunk",
	"srso_alias_safe_ret",
	"srso_alias_untrain_ret",
	"srso_return_thunk",
	"srso_safe_ret",
	"srso_untrain_ret",
};

static int __init kprobe_forbid_addr(void *unused, unsigned long addr)
{
	return kprobe_add_ksym_blacklist(addr) == -ENOMEM ? -ENOMEM : 0;
}

/* Of some names there are several. */
static int __init kprobe_forbid_names(void)
{
	int ret = 0;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(kprobe_forbidden_names) && !ret; i++)
		ret = kallsyms_on_each_match_symbol(kprobe_forbid_addr,
						    kprobe_forbidden_names[i], NULL);
	return ret;
}

int __init arch_populate_kprobe_blacklist(void)
{
	int ret;

	ret = kprobe_add_area_blacklist((unsigned long)__entry_text_start,
					(unsigned long)__entry_text_end);
	return ret ?: kprobe_forbid_names();
}
