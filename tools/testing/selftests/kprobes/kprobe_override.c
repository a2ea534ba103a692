// SPDX-License-Identifier: GPL-2.0
/*
 * Has BPF override what a function returns, by a kprobe that perf makes:
 *
 *	kprobe_override FUNCTION ERRNO
 *
 * says "ready", and ends when it is terminated.
 */
#include <err.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PMU_TYPE	"/sys/bus/event_source/devices/kprobe/type"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

static int load_program(int error)
{
	/* The context, which the helper wants first, is there already. */
	const struct bpf_insn prog[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_2, .imm = -error },
		{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_override_return },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = 0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr attr = {
		.prog_type = BPF_PROG_TYPE_KPROBE,
		.insns = (uintptr_t)prog,
		.insn_cnt = ARRAY_SIZE(prog),
		.license = (uintptr_t)"GPL",
	};
	int fd = syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));

	if (fd < 0)
		err(1, "BPF program");
	return fd;
}

static unsigned int pmu_type(void)
{
	FILE *f = fopen(PMU_TYPE, "r");
	unsigned int type;

	if (!f || fscanf(f, "%u", &type) != 1)
		err(1, PMU_TYPE);
	fclose(f);
	return type;
}

/* On one CPU, for all. */
static int open_kprobe(const char *function)
{
	struct perf_event_attr attr = {
		.type = pmu_type(),
		.size = sizeof(attr),
		.kprobe_func = (uintptr_t)function,
	};
	int fd = syscall(SYS_perf_event_open, &attr, -1, 0, -1, 0);

	if (fd < 0)
		err(1, "kprobe on %s", function);
	return fd;
}

int main(int argc, char **argv)
{
	int prog, event;

	if (argc != 3)
		errx(1, "usage: kprobe_override FUNCTION ERRNO");
	prog = load_program(atoi(argv[2]));
	event = open_kprobe(argv[1]);
	if (ioctl(event, PERF_EVENT_IOC_SET_BPF, prog) ||
	    ioctl(event, PERF_EVENT_IOC_ENABLE, 0))
		err(1, "BPF program on %s", argv[1]);
	puts("ready");
	fflush(stdout);
	for (;;)
		pause();
}
