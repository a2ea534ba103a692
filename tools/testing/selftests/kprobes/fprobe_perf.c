// SPDX-License-Identifier: GPL-2.0
/*
 * Have perf count an event, and sample it, while a text is written to a file:
 *
 *	fprobe_perf ID FILE TEXT OFFSET SIZE
 *
 * prints how often it was counted, how many samples there are, and the sum of an
 * unsigned field of theirs. The format file of the event says where in the record the
 * field is, and how many bytes it has.
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

/* In a sample, the record is behind its head and the size of the record. */
#define RECORD	(sizeof(struct perf_event_header) + sizeof(uint32_t))

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

static void read_samples(const struct perf_event_mmap_page *ring, size_t offset,
			 size_t size)
{
	const char *data = (const char *)ring + ring->data_offset;
	uint64_t pos = 0, sum = 0;
	unsigned long nr = 0;
	struct perf_event_header head;
	uint64_t value = 0;

	while (pos < ring->data_head) {
		memcpy(&head, data + pos, sizeof(head));
		if (!head.size)
			break;
		if (head.type == PERF_RECORD_SAMPLE) {
			memcpy(&value, data + pos + RECORD + offset, size);
			nr++;
			sum += value;
		}
		pos += head.size;
	}
	printf(" %lu %llu\n", nr, (unsigned long long)sum);
}

int main(int argc, char **argv)
{
	size_t page = sysconf(_SC_PAGESIZE), size;
	uint64_t count;
	void *ring;
	int fd;

	if (argc != 6)
		errx(1, "usage: %s ID FILE TEXT OFFSET SIZE", argv[0]);
	size = strtoul(argv[5], NULL, 0);
	if (!size || size > sizeof(uint64_t))
		errx(1, "a field of %zu bytes", size);
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
	read_samples(ring, strtoul(argv[4], NULL, 0), size);
	return 0;
}
