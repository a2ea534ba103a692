// SPDX-License-Identifier: GPL-2.0
/*
 * Attaches a BPF program to functions, as tracers do that attach to many at a time:
 *
 *	fprobe_bpf entry|return|session|refuse FUNCTION...
 *	fprobe_bpf entry|return|session|refuse @FILE
 *
 * "session" is called at entries and returns, "refuse" at the entries of a session,
 * whose returns it refuses. The first line is "ready"; when it is terminated, it says
 * how often the program was called, what the cookies add up to, and how many calls the
 * kernel says that the link has missed. The cookie of a function is its place in the list,
 * from 1 on.
 *
 * With a file, which has the names of functions in lines, it ends by itself. It makes
 * EXERCISE calls of each of some system calls, and says:
 *
 *	attach NANOSECONDS
 *	exercise NANOSECONDS
 *	detach NANOSECONDS
 *	calls NUMBER FUNCTION		as the cookies tell, for each that was called
 */
#include <linux/bpf.h>
#include <err.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Headers of older systems do not have these. */
#define TRACE_KPROBE_SESSION	56

/* As struct bpf_link_info, with what is in its union for such a link. */
struct link_info {
	__u32 type;
	__u32 id;
	__u32 prog_id;
	__aligned_u64 addrs;
	__u32 count;
	__u32 flags;
	__u64 missed;
};

#define MAX_FUNCS	65536
#define EXERCISE	1000

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

#define INSN(c, d, s, o, i) \
	{ .code = (c), .dst_reg = (d), .src_reg = (s), .off = (o), .imm = (i) }
#define MOV_IMM(d, i)	INSN(BPF_ALU64 | BPF_MOV | BPF_K, d, 0, 0, i)
#define MOV_REG(d, s)	INSN(BPF_ALU64 | BPF_MOV | BPF_X, d, s, 0, 0)
#define ADD_IMM(d, i)	INSN(BPF_ALU64 | BPF_ADD | BPF_K, d, 0, 0, i)
#define ATOMIC_ADD(d, s, o) \
	INSN(BPF_STX | BPF_ATOMIC | BPF_DW, d, s, o, BPF_ADD)
#define CALL(f)		INSN(BPF_JMP | BPF_CALL, 0, 0, 0, f)

/* What the program adds up: first for all functions, then for each. */
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

static int make_map(int nr)
{
	union bpf_attr attr = {
		.map_type = BPF_MAP_TYPE_ARRAY,
		.key_size = sizeof(__u32),
		.value_size = sizeof(struct figures),
		.max_entries = nr + 1,
	};

	return bpf(BPF_MAP_CREATE, &attr);
}

static int load(const struct kind *kind, int map)
{
	const struct bpf_insn prog[] = {
		CALL(BPF_FUNC_get_attach_cookie),
		MOV_REG(BPF_REG_6, BPF_REG_0),
		INSN(BPF_ST | BPF_MEM | BPF_W, BPF_REG_10, 0, -4, 0),
		MOV_REG(BPF_REG_2, BPF_REG_10),
		ADD_IMM(BPF_REG_2, -4),
		INSN(BPF_LD | BPF_IMM | BPF_DW, BPF_REG_1, BPF_PSEUDO_MAP_FD, 0, map),
		INSN(0, 0, 0, 0, 0),
		CALL(BPF_FUNC_map_lookup_elem),
		INSN(BPF_JMP | BPF_JEQ | BPF_K, BPF_REG_0, 0, 11, 0),
		MOV_IMM(BPF_REG_7, 1),
		ATOMIC_ADD(BPF_REG_0, BPF_REG_7, offsetof(struct figures, calls)),
		ATOMIC_ADD(BPF_REG_0, BPF_REG_6, offsetof(struct figures, cookies)),
		INSN(BPF_STX | BPF_MEM | BPF_W, BPF_REG_10, BPF_REG_6, -4, 0),
		MOV_REG(BPF_REG_2, BPF_REG_10),
		ADD_IMM(BPF_REG_2, -4),
		INSN(BPF_LD | BPF_IMM | BPF_DW, BPF_REG_1, BPF_PSEUDO_MAP_FD, 0, map),
		INSN(0, 0, 0, 0, 0),
		CALL(BPF_FUNC_map_lookup_elem),
		INSN(BPF_JMP | BPF_JEQ | BPF_K, BPF_REG_0, 0, 1, 0),
		ATOMIC_ADD(BPF_REG_0, BPF_REG_7, offsetof(struct figures, calls)),
		MOV_IMM(BPF_REG_0, kind->result),
		INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
	};
	union bpf_attr attr = {
		.prog_type = BPF_PROG_TYPE_KPROBE,
		.expected_attach_type = kind->attach_type,
		.insns = (uintptr_t)prog,
		.insn_cnt = ARRAY_SIZE(prog),
		.license = (uintptr_t)"GPL",
	};

	return bpf(BPF_PROG_LOAD, &attr);
}

/* A number for each function, or the address of its name. */
static __u64 *numbers(char **funcs, int nr)
{
	__u64 *n = calloc(nr, sizeof(*n));
	int i;

	if (!n)
		err(EXIT_FAILURE, "memory");
	/* Pointers are of 64 bits to the kernel only where they are here. */
	for (i = 0; i < nr; i++) {
		if (funcs)
			((char **)n)[i] = funcs[i];
		else
			n[i] = i + 1;
	}
	return n;
}

static int attach(const struct kind *kind, int prog, char **funcs, int nr)
{
	__u64 *cookies = numbers(NULL, nr), *syms = numbers(funcs, nr);
	union bpf_attr attr = {
		.link_create.prog_fd = prog,
		.link_create.attach_type = kind->attach_type,
		.link_create.kprobe_multi.flags = kind->flags,
		.link_create.kprobe_multi.cnt = nr,
		.link_create.kprobe_multi.syms = (uintptr_t)syms,
		.link_create.kprobe_multi.cookies = (uintptr_t)cookies,
	};
	int link = bpf(BPF_LINK_CREATE, &attr);

	free(cookies);
	free(syms);
	return link;
}

static struct figures figures_of(int map, __u32 key)
{
	struct figures figures = {};
	union bpf_attr attr = {
		.map_fd = map,
		.key = (uintptr_t)&key,
		.value = (uintptr_t)&figures,
	};

	if (bpf(BPF_MAP_LOOKUP_ELEM, &attr))
		err(EXIT_FAILURE, "no figures of %u", key);
	return figures;
}

/* What "bpftool link" shows, too. */
static unsigned long long missed(int link)
{
	struct link_info info = {};
	union bpf_attr attr = {
		.info.bpf_fd = link,
		.info.info_len = sizeof(info),
		.info.info = (uintptr_t)&info,
	};

	if (bpf(BPF_OBJ_GET_INFO_BY_FD, &attr))
		err(EXIT_FAILURE, "no information on the link");
	return info.missed;
}

/* Until it is told to end. */
static void serve(int map, int link)
{
	struct figures sum;
	sigset_t term;
	int sig;

	puts("ready");
	fflush(stdout);
	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	sigwait(&term, &sig);
	sum = figures_of(map, 0);
	printf("%llu %llu %llu\n", (unsigned long long)sum.calls,
	       (unsigned long long)sum.cookies, missed(link));
}

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

static uint64_t tell(const char *what, uint64_t start)
{
	printf("%s %llu\n", what, (unsigned long long)(now() - start));
	return now();
}

/* System calls that next to nothing else makes. */
static void exercise(void)
{
	int i;

	for (i = 0; i < EXERCISE; i++) {
		syscall(SYS_getppid);
		syscall(SYS_getsid, 0);
		umask(022);
	}
}

/* @start: of the attaching */
static void measure(int link, uint64_t start)
{
	start = tell("attach", start);
	exercise();
	start = tell("exercise", start);
	close(link);
	tell("detach", start);
}

static void report(int map, char **funcs, int nr)
{
	struct figures figures;
	int i;

	for (i = 0; i < nr; i++) {
		figures = figures_of(map, i + 1);
		if (figures.calls)
			printf("calls %llu %s\n", (unsigned long long)figures.calls,
			       funcs[i]);
	}
}

/* The lines of a file. */
static int read_names(const char *path, char **names)
{
	FILE *f = fopen(path, "r");
	char *line = NULL;
	size_t size = 0;
	int nr = 0;

	if (!f)
		err(EXIT_FAILURE, "%s", path);
	while (nr < MAX_FUNCS && getline(&line, &size, f) > 0) {
		line[strcspn(line, "\n")] = '\0';
		names[nr++] = strdup(line);
	}
	free(line);
	fclose(f);
	return nr;
}

static const struct kind *find(const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (!strcmp(kinds[i].name, name))
			return &kinds[i];
	}
	fprintf(stderr, "no kind %s\n", name);
	exit(EXIT_FAILURE);
}

static void block_term(void)
{
	sigset_t term;

	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	sigprocmask(SIG_BLOCK, &term, NULL);
}

int main(int argc, char **argv)
{
	static char *names[MAX_FUNCS];
	char **funcs = argv + 2;
	const struct kind *kind;
	int map, prog, link, nr = argc - 2;
	bool many;
	uint64_t start;

	if (argc < 3)
		return EXIT_FAILURE;
	kind = find(argv[1]);
	many = *argv[2] == '@';
	if (many) {
		nr = read_names(argv[2] + 1, names);
		funcs = names;
	}
	block_term();
	map = make_map(nr);
	prog = map < 0 ? -1 : load(kind, map);
	start = now();
	link = prog < 0 ? -1 : attach(kind, prog, funcs, nr);
	if (link < 0)
		err(EXIT_FAILURE, "bpf");
	if (!many) {
		serve(map, link);
		return EXIT_SUCCESS;
	}
	measure(link, start);
	report(map, funcs, nr);
	return EXIT_SUCCESS;
}
