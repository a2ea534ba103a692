/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Differential instruction test: what the assembly snippets, the stub that
 * calls them and the C code that compares their results agree on.
 */
#ifndef KPROBE_DIFF_H
#define KPROBE_DIFF_H

/* Instruction classes; one line of the report each. */
#define C_NOP		0
#define C_ALU		1
#define C_MOV		2
#define C_STACK		3
#define C_FLAGS		4
#define C_STRING	5
#define C_MULDIV	6
#define C_SHIFT		7
#define C_BIT		8
#define C_COND		9
#define C_JCC8		10
#define C_JCC32		11
#define C_JMP		12
#define C_LOOP		13
#define C_CALL		14
#define C_CALLIND	15
#define C_JMPIND	16
#define C_RET		17
#define C_ATOMIC	18
#define C_SYSTEM	19
#define C_BMI		20
#define C_SSE		21
#define C_VEX		22
#define C_EVEX		23
#define C_FAULT		24
#define C_GS		25
#define C_REFUSE	26
#define C_XSAVE		27
#define C_SEGMENT	28
#define C_DECIMAL	29
#define C_WORD		30
#define C_NR		31

/* What the CPU must have for a snippet to run. */
#define N_NONE		0
#define N_MOVBE		1
#define N_ADX		2
#define N_BMI1		3
#define N_BMI2		4
#define N_POPCNT	5
#define N_ABM		6
#define N_CX16		7
#define N_SSE41		8
#define N_SSE42		9
#define N_AES		10
#define N_AVX		11
#define N_AVX2		12
#define N_FMA		13
#define N_AVX512	14
#define N_SMAP		15
#define N_FSGSBASE	16
#define N_RDTSCP	17
#define N_SSSE3		18
#define N_F16C		19
#define N_XSAVE		20
#define N_XSAVEC	21
#define N_XSAVES	22
#define N_NR		23

/* Registers by their number in an instruction, as masks. */
#define R_RAX		0x0001
#define R_RCX		0x0002
#define R_RDX		0x0004
#define R_RBX		0x0008
#define R_RSP		0x0010
#define R_RBP		0x0020
#define R_RSI		0x0040
#define R_RDI		0x0080
#define R_R8		0x0100
#define R_R9		0x0200
#define R_R10		0x0400
#define R_R11		0x0800
#define R_R12		0x1000
#define R_R13		0x2000
#define R_R14		0x4000
#define R_R15		0x8000

/* Snippet options. */
#define O_DF		0x0001	/* also run it with the direction flag set */

/* Marks of one instruction boundary. */
#define M_REFUSE	0x0001	/* registration must fail */
#define M_MAY		0x0002	/* registration may fail */
#define M_FAULT		0x0004	/* faults: its post handler is not called */
#define M_EXIT		0x0008	/* the last instruction that is executed */

/* Hits from here on: one if condition (hits - H_COND) held on entry. */
#define H_COND		0x100

#define F_CF		0x0001
#define F_PF		0x0004
#define F_AF		0x0010
#define F_ZF		0x0040
#define F_SF		0x0080
#define F_IF		0x0200
#define F_DF		0x0400
#define F_OF		0x0800
#define F_SZAP		0x00d4	/* left undefined by a multiplication */
#define F_ALL		0x08d5

/* Offsets into struct diff_regs, for the stub. */
#define DR_FLAGS	128
#define DR_MXCSR	136
#define DR_SEG		140
#define DR_VEC		160
#define DR_WINDOW	2208

/* How many of the registers there are depends on the word size. */
#define DIFF_MAX_GPR	16
#define DIFF_NR_VEC	32
#define DIFF_VEC	64
#define DIFF_WINDOW	128
#define DIFF_ARENA	1024
#define DIFF_PCPU	16

/* Segment registers that a 32-bit kernel may change, in the order of DR_SEG. */
#define DIFF_NR_SEG	5
#define DS_ES		0
#define DS_SS		1
#define DS_DS		2
#define DS_FS		3
#define DS_GS		4

#ifndef __ASSEMBLY__

#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/kprobes.h>
#include <linux/percpu.h>
#include <linux/stddef.h>
#include <linux/types.h>

struct diff_bound {
	u32 off;
	u16 hits;
	u16 mark;
	const char *text;
};

/* Written by the SNIP macro of macros.S: keep the two alike. */
struct diff_snippet {
	const char *name;
	void *code;
	const struct diff_bound *bound;
	u32 size;
	u32 bound_bytes;
	u16 class;
	u16 need;
	u16 ptr;
	u16 gs;
	u16 idx;
	u16 opt;
	u16 undef;
	u16 pad;
};

/* The snippets of one file, see tables.S. */
struct diff_table {
	const struct diff_snippet *start;
	const struct diff_snippet *end;
};

struct diff_regs {
	u64 gpr[DIFF_MAX_GPR];
	u64 flags;
	u32 mxcsr;
	u32 seg[DIFF_NR_SEG];
	u8 vec[DIFF_NR_VEC][DIFF_VEC];
	u64 window[DIFF_WINDOW / 8];
};

static_assert(offsetof(struct diff_regs, flags) == DR_FLAGS);
static_assert(offsetof(struct diff_regs, mxcsr) == DR_MXCSR);
static_assert(offsetof(struct diff_regs, seg) == DR_SEG);
static_assert(offsetof(struct diff_regs, vec) == DR_VEC);
static_assert(offsetof(struct diff_regs, window) == DR_WINDOW);
static_assert(sizeof(struct diff_snippet) == 3 * sizeof(long) + 24);
static_assert(sizeof(struct diff_bound) == sizeof(long) + 8);

/* All that a snippet leaves behind. */
struct diff_result {
	struct diff_regs regs;
	u8 arena[DIFF_ARENA];
	u64 pcpu[DIFF_PCPU];
};

enum diff_kind {
	DIFF_STEP,		/* the probe stays a breakpoint */
	DIFF_OPT,		/* wait until it is a jump */
};

struct diff_mode {
	const char *name;
	enum diff_kind kind;
	bool pre;
	bool post;
	bool step;		/* a fault handler, which asks for a second trap */
	bool ret;		/* a return probe on the snippet */
	bool each;		/* a probe at one boundary after the other */
	bool all;		/* probes at all boundaries at once */
	bool path;		/* the pre handler changes the path first */
	bool next;		/* then one at the boundary behind it, too */
	bool keep;		/* no probes: the results are what others must be */
};

/* One probe of one snippet, in one mode. */
struct diff_probe {
	struct kprobe kp;
	struct kretprobe rp;
	struct diff_snap *snap;
	const struct diff_mode *mode;
	const struct diff_bound *bound;	/* none: a return probe */
	u32 off;			/* where to register */
	struct pt_regs pre_regs;
	struct pt_regs post_regs;
	unsigned int pre;
	unsigned int post;
	unsigned int entry;
	unsigned int ret;
	unsigned int trapped;
	bool is_ret;
	bool armed;
	bool diverted;
	bool jump;			/* there was one when the run began */
};

/* The probes that are registered at one time: max places, nr of them taken. */
struct diff_wave {
	struct diff_probe *probe;
	struct kprobe **kps;
	struct kretprobe **rps;
	unsigned int nr;
	unsigned int max;
};

/* A snippet at work: the bare results and what was counted. */
struct diff_snap {
	const struct diff_snippet *s;
	unsigned int nr;		/* seeds its input */
	struct diff_result *bare;	/* one for each run */
	unsigned int first;		/* of its places in a wave */
	struct diff_probe *probe;	/* those of the present wave */
	unsigned int nr_probes;
	unsigned int boundaries;
	unsigned int refused;
	unsigned long by_jump;
	unsigned long runs;
	unsigned long hits;
	unsigned long differences;
	bool skip;
};

/* What a planted difference spoils. */
enum diff_plant {
	PLANT_NONE,
	PLANT_GPR,
	PLANT_FLAGS,
	PLANT_VEC,
	PLANT_ARENA,
	PLANT_PCPU,
	PLANT_WINDOW,
	PLANT_PRE,
	PLANT_POST,
	PLANT_SEEN,
	PLANT_NR,
};

/* tables.S */
extern const struct diff_table diff_tables[], diff_tables_end[];

/* stub.S, or 32/stub.S */
extern struct diff_regs diff_in, diff_out;
extern void *diff_fn;
extern unsigned long diff_stub_sp;
extern unsigned long diff_path_target;
extern u8 diff_have_avx;
extern u8 diff_have_avx512;
void diff_call(void);
void diff_path_pad(void);
void diff_spoil_vec(void);

/* input.c */
extern u8 diff_arena[DIFF_ARENA];
DECLARE_PER_CPU(u64 [DIFF_PCPU], diff_pcpu);
void diff_make_input(const struct diff_snippet *s, unsigned int nr, unsigned int run);
bool diff_cond(unsigned int cc, u64 flags);

/* 32/descriptor.c */
#ifdef CONFIG_X86_32
void diff_segment_on(void);
void diff_segment_off(void);
#else
static inline void diff_segment_on(void) { }
static inline void diff_segment_off(void) { }
#endif

/* compare.c */
void diff_execute(const struct diff_snap *sn, unsigned int run);
void diff_keep_run(struct diff_snap *sn, unsigned int run);
void diff_check_run(struct diff_snap *sn, const struct diff_mode *mode, unsigned int run);

/* probe.c */
extern enum diff_plant diff_plant;
extern unsigned long diff_untrapped;
int diff_probe_add(struct diff_probe *dp);
void diff_probe_del(struct diff_wave *wave);
bool diff_is_jump(const struct diff_probe *dp);

/* run.c */
int diff_run(void);

/* report.c */
void diff_report_begin(void);
void diff_report_end(struct diff_snap *snap, unsigned int nr);
void diff_report_mode(const struct diff_mode *mode, unsigned int probes,
		      unsigned int jumps);
struct seq_file;
int diff_report_show(struct seq_file *m, void *v);
__printf(2, 3) void diff_note(struct diff_snap *sn, const char *fmt, ...);
int diff_report_init(void);
void diff_report_exit(void);

/* main.c */
extern unsigned int diff_seed, diff_runs, diff_modes;
extern char *diff_only, *diff_skip;
extern const char * const diff_class_name[C_NR];
bool diff_should_stop(void);

#endif /* __ASSEMBLY__ */
#endif /* KPROBE_DIFF_H */
