// SPDX-License-Identifier: GPL-2.0
/*
 * Have perf count an event, and sample it, while a text is written to a file:
 *
 *	fprobe_perf EVENT FILE TEXT OFFSET SIZE [REGISTERS]
 *
 * prints how often it was counted, how many samples there are, and the sum of an
 * unsigned field of theirs. The format file of the event says where in the record the
 * field is, and how many bytes it has.
 *
 * EVENT is the number of one of tracefs, or [MODULE:]FUNCTION[%return]: a kprobe that perf
 * itself places, and removes.
 *
 * REGISTERS is a mask of perf's registers of the kernel. Then it prints as well how many
 * samples say that their instruction pointer is exact, and, for each of the registers,
 * which bits of it are set in any sample.
 */
#include <ctype.h>
#include <err.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGES	16
#define KPROBE	"/sys/bus/event_source/devices/kprobe/type"

/* In a sample, the record is behind its head and the size of the record. */
#define RECORD	(sizeof(struct perf_event_header) + sizeof(uint32_t))

/**
 * struct samples - what is read of all samples
 * @offset: of the field in the record
 * @size: of the field
 * @registers: which there are in a sample
 * @nr: how many samples
 * @sum: of the field
 * @exact: how many say that the instruction pointer is exact
 * @bits: of each register, in the order of @registers
 */
struct samples {
	size_t offset;
	size_t size;
	uint64_t registers;
	unsigned long nr;
	uint64_t sum;
	unsigned long exact;
	uint64_t bits[64];
};

static unsigned int read_type(void)
{
	FILE *file = fopen(KPROBE, "r");
	unsigned int type;

	if (!file || fscanf(file, "%u", &type) != 1)
		err(1, "%s", KPROBE);
	fclose(file);
	return type;
}

/* Bit 0 of the configuration is "retprobe". */
static void choose_function(struct perf_event_attr *attr, char *function)
{
	char *suffix = strstr(function, "%return");

	attr->type = read_type();
	attr->config = !!suffix;
	if (suffix)
		*suffix = '\0';
	attr->kprobe_func = (uintptr_t)function;
}

static int open_event(char *event, uint64_t registers)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.config = strtoul(event, NULL, 0),
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_RAW | (registers ? PERF_SAMPLE_REGS_INTR : 0),
		.sample_regs_intr = registers,
	};

	if (!isdigit(*event))
		choose_function(&attr, event);
	return syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
}

static void write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		err(1, "%s", path);
	close(fd);
}

/* Behind the record: the ABI, and the registers. */
static void read_registers(struct samples *all, const char *sample)
{
	unsigned int i, nr = __builtin_popcountll(all->registers);
	const char *values;
	uint32_t size;
	uint64_t value;

	memcpy(&size, sample + RECORD - sizeof(size), sizeof(size));
	values = sample + RECORD + size + sizeof(uint64_t);
	for (i = 0; i < nr; i++) {
		memcpy(&value, values + i * sizeof(value), sizeof(value));
		all->bits[i] |= value;
	}
}

static void read_sample(struct samples *all, const char *sample)
{
	struct perf_event_header head;
	uint64_t value = 0;

	memcpy(&head, sample, sizeof(head));
	memcpy(&value, sample + RECORD + all->offset, all->size);
	all->nr++;
	all->sum += value;
	all->exact += !!(head.misc & PERF_RECORD_MISC_EXACT_IP);
	if (all->registers)
		read_registers(all, sample);
}

static void read_samples(struct samples *all, const struct perf_event_mmap_page *ring)
{
	const char *data = (const char *)ring + ring->data_offset;
	struct perf_event_header head;
	uint64_t pos = 0;

	while (pos < ring->data_head) {
		memcpy(&head, data + pos, sizeof(head));
		if (!head.size)
			break;
		if (head.type == PERF_RECORD_SAMPLE)
			read_sample(all, data + pos);
		pos += head.size;
	}
}

static void print_samples(const struct samples *all)
{
	unsigned int i, nr = __builtin_popcountll(all->registers);

	printf(" %lu %llu", all->nr, (unsigned long long)all->sum);
	if (nr)
		printf(" %lu", all->exact);
	for (i = 0; i < nr; i++)
		printf(" %llx", (unsigned long long)all->bits[i]);
	printf("\n");
}

int main(int argc, char **argv)
{
	size_t page = sysconf(_SC_PAGESIZE);
	struct samples all = { };
	uint64_t count;
	void *ring;
	int fd;

	if (argc != 6 && argc != 7)
		errx(1, "usage: %s EVENT FILE TEXT OFFSET SIZE [REGISTERS]", argv[0]);
	all.offset = strtoul(argv[4], NULL, 0);
	all.size = strtoul(argv[5], NULL, 0);
	if (!all.size || all.size > sizeof(uint64_t))
		errx(1, "a field of %zu bytes", all.size);
	if (argc == 7)
		all.registers = strtoull(argv[6], NULL, 0);
	fd = open_event(argv[1], all.registers);
	if (fd < 0)
		err(1, "perf_event_open");
	ring = mmap(NULL, (PAGES + 1) * page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (ring == MAP_FAILED)
		err(1, "mmap");
	write_text(argv[2], argv[3]);
	if (read(fd, &count, sizeof(count)) != sizeof(count))
		err(1, "read");
	printf("%lu", (unsigned long)count);
	read_samples(&all, ring);
	print_samples(&all);
	return 0;
}
