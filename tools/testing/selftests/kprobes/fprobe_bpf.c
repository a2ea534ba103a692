// SPDX-License-Identifier: GPL-2.0
/*
 * Attaches a BPF program to functions, as tracers do that attach to many at a time:
 *
 *	fprobe_bpf entry|return|session|refuse FUNCTION...
 *
 * "session" is called at entries and returns, "refuse" at the entries of a session,
 * whose returns it refuses. The first line is "ready"; when it is terminated, it says
 * how often the program was called and what the cookies add up to. The cookie of a
 * function is its place in the list, from 1 on.
 */
#include <linux/bpf.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Headers of older systems do not have it. */
#define TRACE_KPROBE_SESSION	56

#define MAX_FUNCS	16

#define INSN(c, d, s, o, i) \
	{ .code = (c), .dst_reg = (d), .src_reg = (s), .off = (o), .imm = (i) }
#define MOV_IMM(d, i)	INSN(BPF_ALU64 | BPF_MOV | BPF_K, d, 0, 0, i)
#define MOV_REG(d, s)	INSN(BPF_ALU64 | BPF_MOV | BPF_X, d, s, 0, 0)
#define ADD_IMM(d, i)	INSN(BPF_ALU64 | BPF_ADD | BPF_K, d, 0, 0, i)
#define ATOMIC_ADD(d, s, o) \
	INSN(BPF_STX | BPF_ATOMIC | BPF_DW, d, s, o, BPF_ADD)
#define CALL(f)		INSN(BPF_JMP | BPF_CALL, 0, 0, 0, f)

/* What the program adds up. */
struct figures {
	__u64 calls;
	__u64 cookies;
};

struct kind {
	const char *name;
	int attach_type;
	unsigned int flags;
	int result;
};

static const struct kind kinds[] = {
	{ "entry", BPF_TRACE_KPROBE_MULTI, 0, 0 },
	{ "return", BPF_TRACE_KPROBE_MULTI, BPF_F_KPROBE_MULTI_RETURN, 0 },
	{ "session", TRACE_KPROBE_SESSION, 0, 0 },
	{ "refuse", TRACE_KPROBE_SESSION, 0, 1 },
};

static int bpf(int cmd, union bpf_attr *attr)
{
	return syscall(SYS_bpf, cmd, attr, sizeof(*attr));
}

static int make_map(void)
{
	union bpf_attr attr = {
		.map_type = BPF_MAP_TYPE_ARRAY,
		.key_size = sizeof(__u32),
		.value_size = sizeof(struct figures),
		.max_entries = 1,
	};

	return bpf(BPF_MAP_CREATE, &attr);
}

static int load(const struct kind *kind, int map)
{
	const struct bpf_insn prog[] = {
		MOV_REG(BPF_REG_6, BPF_REG_1),
		INSN(BPF_ST | BPF_MEM | BPF_W, BPF_REG_10, 0, -4, 0),
		MOV_REG(BPF_REG_2, BPF_REG_10),
		ADD_IMM(BPF_REG_2, -4),
		INSN(BPF_LD | BPF_IMM | BPF_DW, BPF_REG_1, BPF_PSEUDO_MAP_FD, 0, map),
		INSN(0, 0, 0, 0, 0),
		CALL(BPF_FUNC_map_lookup_elem),
		INSN(BPF_JMP | BPF_JEQ | BPF_K, BPF_REG_0, 0, 6, 0),
		MOV_REG(BPF_REG_7, BPF_REG_0),
		MOV_IMM(BPF_REG_1, 1),
		ATOMIC_ADD(BPF_REG_7, BPF_REG_1, offsetof(struct figures, calls)),
		MOV_REG(BPF_REG_1, BPF_REG_6),
		CALL(BPF_FUNC_get_attach_cookie),
		ATOMIC_ADD(BPF_REG_7, BPF_REG_0, offsetof(struct figures, cookies)),
		MOV_IMM(BPF_REG_0, kind->result),
		INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
	};
	union bpf_attr attr = {
		.prog_type = BPF_PROG_TYPE_KPROBE,
		.expected_attach_type = kind->attach_type,
		.insns = (uintptr_t)prog,
		.insn_cnt = sizeof(prog) / sizeof(*prog),
		.license = (uintptr_t)"GPL",
	};

	return bpf(BPF_PROG_LOAD, &attr);
}

static int attach(const struct kind *kind, int prog, char **funcs, int nr)
{
	__u64 cookies[MAX_FUNCS], syms[MAX_FUNCS];
	union bpf_attr attr = {
		.link_create.prog_fd = prog,
		.link_create.attach_type = kind->attach_type,
		.link_create.kprobe_multi.flags = kind->flags,
		.link_create.kprobe_multi.cnt = nr,
		.link_create.kprobe_multi.syms = (uintptr_t)syms,
		.link_create.kprobe_multi.cookies = (uintptr_t)cookies,
	};
	int i;

	/* Pointers are of 64 bits to the kernel only where they are here. */
	for (i = 0; i < nr; i++) {
		cookies[i] = i + 1;
		((char **)syms)[i] = funcs[i];
	}
	return bpf(BPF_LINK_CREATE, &attr);
}

static int report(int map)
{
	struct figures figures = {};
	__u32 key = 0;
	union bpf_attr attr = {
		.map_fd = map,
		.key = (uintptr_t)&key,
		.value = (uintptr_t)&figures,
	};

	if (bpf(BPF_MAP_LOOKUP_ELEM, &attr))
		return EXIT_FAILURE;
	printf("%llu %llu\n", (unsigned long long)figures.calls,
	       (unsigned long long)figures.cookies);
	return EXIT_SUCCESS;
}

static const struct kind *find(const char *name)
{
	unsigned int i;

	for (i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (!strcmp(kinds[i].name, name))
			return &kinds[i];
	}
	fprintf(stderr, "no kind %s\n", name);
	exit(EXIT_FAILURE);
}

int main(int argc, char **argv)
{
	const struct kind *kind;
	sigset_t term;
	int map, prog, sig;

	if (argc < 3 || argc - 2 > MAX_FUNCS)
		return EXIT_FAILURE;
	kind = find(argv[1]);
	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	sigprocmask(SIG_BLOCK, &term, NULL);
	map = make_map();
	prog = map < 0 ? -1 : load(kind, map);
	if (prog < 0 || attach(kind, prog, argv + 2, argc - 2) < 0) {
		perror("bpf");
		return EXIT_FAILURE;
	}
	puts("ready");
	fflush(stdout);
	sigwait(&term, &sig);
	return report(map);
}
