// SPDX-License-Identifier: GPL-2.0
/*
 * Have perf count an event, and sample it, while a text is written to a file:
 *
 *	fprobe_perf ID FILE TEXT N
 *
 * prints how often it was counted, how many samples there are, and the 64-bit word
 * number N, counted from 0, that is in each behind the record's head, added up.
 */
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

/* In a sample: its head, the size of the record, the record's head, words. */
#define WORD(n)	(sizeof(struct perf_event_header) + 4 + 8 + 8 * (n))

static int open_event(unsigned long id)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.config = id,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_RAW,
	};

	return syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
}

static void write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		err(1, "%s", path);
	close(fd);
}

static void read_samples(const struct perf_event_mmap_page *ring, int n)
{
	const char *data = (const char *)ring + ring->data_offset;
	unsigned long pos = 0, nr = 0, sum = 0;
	struct perf_event_header head;
	uint64_t word;

	while (pos < ring->data_head) {
		memcpy(&head, data + pos, sizeof(head));
		if (!head.size)
			break;
		if (head.type == PERF_RECORD_SAMPLE) {
			memcpy(&word, data + pos + WORD(n), sizeof(word));
			nr++;
			sum += word;
		}
		pos += head.size;
	}
	printf(" %lu %lu\n", nr, sum);
}

int main(int argc, char **argv)
{
	size_t page = sysconf(_SC_PAGESIZE);
	uint64_t count;
	void *ring;
	int fd;

	if (argc != 5)
		errx(1, "usage: %s ID FILE TEXT N", argv[0]);
	fd = open_event(strtoul(argv[1], NULL, 0));
	if (fd < 0)
		err(1, "perf_event_open");
	ring = mmap(NULL, (PAGES + 1) * page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (ring == MAP_FAILED)
		err(1, "mmap");
	write_text(argv[2], argv[3]);
	if (read(fd, &count, sizeof(count)) != sizeof(count))
		err(1, "read");
	printf("%lu", (unsigned long)count);
	read_samples(ring, atoi(argv[4]));
	return 0;
}
