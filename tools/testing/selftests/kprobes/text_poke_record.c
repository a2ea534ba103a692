// SPDX-License-Identifier: GPL-2.0
/*
 * Prints what perf is told of changes of the kernel's text, for a script. Until
 * it is terminated, a line for each:
 *
 *	TIME ADDRESS OLD-LENGTH NEW-LENGTH OLD-BYTES NEW-BYTES
 *
 * where bytes are in hexadecimal, "-" for none. Lines of several CPUs are not in
 * the order of their times. The first line is "ready", the last one "end".
 */
#include <linux/perf_event.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define MAX_CPUS	64
#define PAGES		64

struct ring {
	struct perf_event_mmap_page *head;
	unsigned char *data;
	size_t size;
};

/* What a record holds in front of its bytes. */
struct text_poke {
	struct perf_event_header header;
	uint64_t addr;
	uint16_t old_len;
	uint16_t new_len;
	uint8_t bytes[];
};

static struct ring rings[MAX_CPUS];
static int nr_rings;

static int open_cpu(int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TIME,
		.sample_id_all = 1,
		.text_poke = 1,
		/* Without this, records of several CPUs have clocks of their own. */
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
	};

	return syscall(SYS_perf_event_open, &attr, -1, cpu, -1, 0);
}

static int add_cpu(int cpu)
{
	size_t page = getpagesize();
	struct ring *r = &rings[nr_rings];
	int fd = open_cpu(cpu);
	void *map;

	if (fd < 0)
		return -1;
	map = mmap(NULL, (PAGES + 1) * page, PROT_READ | PROT_WRITE, MAP_SHARED,
		   fd, 0);
	if (map == MAP_FAILED)
		return -1;
	r->head = map;
	r->data = (unsigned char *)map + page;
	r->size = PAGES * page;
	nr_rings++;
	return 0;
}

static void print_bytes(const uint8_t *bytes, unsigned int len)
{
	unsigned int i;

	printf(len ? " " : " -");
	for (i = 0; i < len; i++)
		printf("%02x", bytes[i]);
}

static void print_record(const unsigned char *at)
{
	const struct text_poke *r = (const struct text_poke *)at;
	uint64_t time;

	if (r->header.type != PERF_RECORD_TEXT_POKE)
		return;
	memcpy(&time, at + r->header.size - sizeof(time), sizeof(time));
	printf("%llu %llx %u %u", (unsigned long long)time,
	       (unsigned long long)r->addr, r->old_len, r->new_len);
	print_bytes(r->bytes, r->old_len);
	print_bytes(r->bytes + r->old_len, r->new_len);
	printf("\n");
}

/* A record may go round the end of the ring. */
static void drain(struct ring *r)
{
	uint64_t head = __atomic_load_n(&r->head->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = r->head->data_tail;
	static uint64_t record[65536 / sizeof(uint64_t)];
	struct perf_event_header *h = (void *)record;
	unsigned char *buf = (void *)record;
	size_t i;

	while (tail < head) {
		for (i = 0; i < sizeof(*h); i++)
			buf[i] = r->data[(tail + i) % r->size];
		for (; i < h->size; i++)
			buf[i] = r->data[(tail + i) % r->size];
		print_record(buf);
		tail += h->size;
	}
	__atomic_store_n(&r->head->data_tail, tail, __ATOMIC_RELEASE);
}

static void drain_all(void)
{
	int i;

	for (i = 0; i < nr_rings; i++)
		drain(&rings[i]);
	fflush(stdout);
}

int main(void)
{
	const struct timespec pause = { .tv_nsec = 20 * 1000 * 1000 };
	int cpu, nr = sysconf(_SC_NPROCESSORS_CONF);
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	for (cpu = 0; cpu < nr && cpu < MAX_CPUS; cpu++)
		add_cpu(cpu);
	if (!nr_rings) {
		perror("perf_event_open");
		return 1;
	}
	printf("ready\n");
	fflush(stdout);
	while (sigtimedwait(&set, NULL, &pause) != SIGTERM)
		drain_all();
	drain_all();
	printf("end\n");
	return 0;
}
