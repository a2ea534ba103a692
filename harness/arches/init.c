// SPDX-License-Identifier: GPL-2.0
/*
 * First and only process of a guest that is not x86: it probes its kernel and
 * says what came out of it.
 *
 * It needs nothing but the C library that it is linked to, so it runs where
 * Debian has a compiler only. Results are collected, and written to the console
 * at the end, between two marks and with the kernel's own messages held back:
 * most of the boards have a single serial port.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <dirent.h>
#include <time.h>
#include <unistd.h>
#include <sys/klog.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>

#define TRACE	"/sys/kernel/tracing/"
#define KPROBES	"/sys/kernel/debug/kprobes/"
#define KUNIT	"/sys/kernel/debug/kunit/"
#define CALLS	100

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

static char *results;
static size_t results_size;
static FILE *out;
static int tests;
static const char *group;

/* A group of tests. What a hang or an oops interrupts is seen on the console. */
static void begin(const char *what)
{
	FILE *f = fopen("/dev/kmsg", "w");

	group = what;
	if (f) {
		fprintf(f, "harness: %s\n", what);
		fclose(f);
	}
}

static bool ok(bool good, const char *fmt, ...)
{
	va_list ap;

	fprintf(out, "%sok %d - %s: ", good ? "" : "not ", ++tests, group);
	va_start(ap, fmt);
	vfprintf(out, fmt, ap);
	va_end(ap);
	fputc('\n', out);
	return good;
}

static void skip(const char *why)
{
	fprintf(out, "ok %d - %s: # SKIP %s\n", ++tests, group, why);
}

/* 0 or an errno. */
static int put(const char *path, const char *fmt, ...)
{
	int fd = open(path, O_WRONLY | O_APPEND);
	char buf[256];
	va_list ap;
	int n, ret = 0;

	if (fd < 0)
		return errno;
	va_start(ap, fmt);
	n = vsnprintf(buf, sizeof(buf), fmt, ap);
	va_end(ap);
	if (write(fd, buf, n) != n)
		ret = errno;
	close(fd);
	return ret;
}

/* The whole file, in memory that is not given back; "" where there is none. */
static char *get(const char *path)
{
	FILE *f = fopen(path, "r");
	size_t size = 0, room = 4096, n;
	char *s = malloc(room);

	while (f && (n = fread(s + size, 1, room - size - 1, f)) > 0) {
		size += n;
		if (size + 1 == room)
			s = realloc(s, room *= 2);
	}
	s[size] = 0;
	if (f)
		fclose(f);
	return s;
}

static bool has(const char *path, const char *what)
{
	return strstr(get(path), what);
}

/* What is probed: the way of an open(2) through the kernel. */
static void open_files(int n)
{
	while (n--)
		close(open("/proc/version", O_RDONLY));
}

/* Of an event: "  name   hits   misses", or -1. */
static long profile(const char *event, int column)
{
	char *line = strtok(get(TRACE "kprobe_profile"), "\n");
	char name[64];
	long hits, misses;

	for (; line; line = strtok(NULL, "\n")) {
		if (sscanf(line, "%63s %ld %ld", name, &hits, &misses) == 3 &&
		    !strcmp(name, event))
			return column ? misses : hits;
	}
	return -1;
}

/*
 * An event of kprobes. Its switch stays open: an open(2) to switch it off would
 * be one more hit.
 */
struct event {
	char name[16];
	char definition[96];
	int enable;
};

static int event_switch(struct event *e, bool on)
{
	return write(e->enable, on ? "1" : "0", 1) == 1 ? 0 : errno;
}

static void event_delete(struct event *e)
{
	event_switch(e, false);
	close(e->enable);
	put(TRACE "kprobe_events", "-:arch/%s\n", e->name);
}

/* Set an event, which is on then. 0 or an errno. */
static int event_new(struct event *e, const char *kind, const char *name,
		     const char *where)
{
	char path[128];
	int ret;

	snprintf(e->name, sizeof(e->name), "%s", name);
	snprintf(e->definition, sizeof(e->definition), "%s:arch/%s %s", kind,
		 name, where);
	ret = put(TRACE "kprobe_events", "%s\n", e->definition);
	if (ret)
		return ret;
	snprintf(path, sizeof(path), TRACE "events/arch/%s/enable", name);
	e->enable = open(path, O_WRONLY);
	ret = event_switch(e, true);
	if (ret)
		event_delete(e);
	return ret;
}

static void test_event(const char *kind, const char *name, const char *where)
{
	long hits, misses;
	struct event e;
	int ret;

	ret = event_new(&e, kind, name, where);
	if (!ok(!ret, "event %s is set (%s)", e.definition, strerror(ret)))
		return;
	open_files(CALLS);
	event_switch(&e, false);
	hits = profile(name, 0);
	misses = profile(name, 1);
	ok(hits == CALLS && !misses, "event %s: %ld hits, %ld misses of %d calls",
	   e.definition, hits, misses, CALLS);
	open_files(CALLS);
	ok(profile(name, 0) == hits, "event %s: none when it is off", e.definition);
	event_delete(&e);
}

static void test_events(void)
{
	begin("events");
	test_event("p", "entry", "do_sys_openat2");
	test_event("r", "return", "do_sys_openat2 $retval");
	test_event("r", "inner", "do_filp_open");
}

/*
 * Instructions further on, up to the first that not each call comes by. Where
 * there is none, the answer is -EILSEQ or -EINVAL.
 */
static void test_inside(void)
{
	int offset, set = 0, wrong = 0, ret;
	char where[64], name[16];
	struct event e;
	long hits;

	begin("inside");
	for (offset = 2; offset < 64; offset += 2) {
		snprintf(name, sizeof(name), "at%d", offset);
		snprintf(where, sizeof(where), "do_sys_openat2+%d", offset);
		ret = event_new(&e, "p", name, where);
		if (ret) {
			wrong += ret != EILSEQ && ret != EINVAL && ret != ENOTSUP;
			continue;
		}
		open_files(CALLS);
		event_switch(&e, false);
		hits = profile(name, 0);
		wrong += hits && hits != CALLS;
		set += hits == CALLS;
		if (hits != CALLS)
			fprintf(out, "# %s: %ld hits\n", where, hits);
		event_delete(&e);
	}
	ok(set && !wrong, "%d instructions hit by each call, %d wrong", set, wrong);
}

static int load(const char *name, const char *parameters)
{
	char path[128];
	int fd, ret;

	snprintf(path, sizeof(path), "/modules/%s.ko", name);
	fd = open(path, O_RDONLY);
	ret = syscall(SYS_finit_module, fd, parameters, 0) ? errno : 0;
	close(fd);
	return ret;
}

static int unload(const char *name)
{
	return syscall(SYS_delete_module, name, 0) ? errno : 0;
}

/* The kernel's log, or the end of it. */
static char *kernel_log(void)
{
	int size = klogctl(10, NULL, 0);
	char *s = calloc(1, size + 1);

	klogctl(3, s, size);
	return s;
}

static void test_sample(const char *name)
{
	int ret = load(name, "max_prints=2");

	if (!ok(!ret, "%s is loaded (%s)", name, strerror(ret)))
		return;
	open_files(CALLS);
	ret = unload(name);
	ok(!ret, "%s is unloaded (%s)", name, strerror(ret));
}

/*
 * A probe in a module that goes: hit by the call at its end, and gone then. The
 * function is not one that events may be set on, so a sample probes the other.
 */
static void test_module(void)
{
	char parameters[64], hit[96];
	int ret;

	begin("module");
	ret = load("kretprobe_example", "max_prints=0");
	if (!ok(!ret, "kretprobe_example is loaded (%s)", strerror(ret)))
		return;
	/* Our sample and the base's have different names, and different words. */
	snprintf(parameters, sizeof(parameters), "symbol=kretprobe_example:%s",
		 has("/proc/kallsyms", "kretprobe_example_exit") ?
		 "kretprobe_example_exit" : "kretprobe_exit");
	ret = load("kprobe_example", parameters);
	ok(!ret, "its exit function is probed (%s)", strerror(ret));
	ret = unload("kretprobe_example");
	ok(!ret, "it is unloaded (%s)", strerror(ret));
	ok(has(KPROBES "list", "[GONE]"), "its probe is gone");
	ret = unload("kprobe_example");
	ok(!ret, "the probe is unregistered (%s)", strerror(ret));
	snprintf(hit, sizeof(hit), "<%s> p->addr", strchr(parameters, '=') + 1);
	ok(strstr(kernel_log(), "pre_handler 1: kretprobe_example:") ||
	   strstr(kernel_log(), hit), "it was hit before");
}

static void sleep_for(long ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * 1000000 };

	clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL);
}

/*
 * The return trampoline of some architectures is held by a probe: where the
 * knob takes that away, a task that sleeps in a function never returns.
 */
static void test_knob(void)
{
	int status = 0, i;
	struct event e;
	pid_t pid;

	begin("knob");
	if (access(KPROBES "enabled", F_OK)) {
		skip("no debugfs/kprobes/enabled");
		return;
	}
	i = event_new(&e, "r", "sleep", "hrtimer_nanosleep");
	if (!ok(!i, "hrtimer_nanosleep has a return probe (%s)", strerror(i)))
		return;
	pid = fork();
	if (!pid) {
		sleep_for(1000);
		_exit(0);
	}
	sleep_for(200);
	ok(!put(KPROBES "enabled", "0"), "the knob is switched off");
	for (i = 0; i < 50 && waitpid(pid, &status, WNOHANG) != pid; i++)
		sleep_for(100);
	ok(i < 50 && WIFEXITED(status) && !WEXITSTATUS(status),
	   "a sleeper in a function with a return probe returns");
	i = profile("sleep", 0);
	sleep_for(10);
	ok(profile("sleep", 0) == i, "no hits while the knob is off (%d)", i);
	ok(!put(KPROBES "enabled", "1"), "the knob is switched on");
	sleep_for(10);
	ok(profile("sleep", 0) == i + 1, "hits when it is on");
	event_delete(&e);
}

static int optimized(void)
{
	char *line = strtok(get(KPROBES "list"), "\n");
	int n = 0;

	for (; line; line = strtok(NULL, "\n"))
		n += !!strstr(line, "[OPTIMIZED]");
	return n;
}

/*
 * A point in @function that calls come by and that is optimized. Where, or -1. The
 * first instructions may be for calls from far away only. Others may be optimized,
 * too: the return trampoline of some architectures is held by a probe.
 */
static int optimize(struct event *e, const char *function, const char *name)
{
	const int others = optimized();
	int offset, tries;
	char where[64];

	for (offset = 0; offset < 48; offset += 4) {
		snprintf(where, sizeof(where), "%s+%d", function, offset);
		if (event_new(e, "p", name, where))
			continue;
		open_files(1);
		if (!profile(name, 0)) {
			event_delete(e);
			continue;
		}
		for (tries = 0; tries < 20 && optimized() <= others; tries++)
			sleep_for(50);
		if (optimized() > others)
			return offset;
		event_delete(e);
	}
	return -1;
}

/* Two at a time, each with a detour buffer of its own. */
static void test_optimized(void)
{
	static const char * const function[] = { "do_sys_openat2", "do_filp_open" };
	static const char * const name[] = { "jump0", "jump1" };
	struct event e[ARRAY_SIZE(function)];
	long hits, before[ARRAY_SIZE(function)];
	unsigned int i;
	int offset;

	begin("jumps");
	if (access("/proc/sys/debug/kprobes-optimization", F_OK)) {
		skip("no CONFIG_OPTPROBES");
		return;
	}
	for (i = 0; i < ARRAY_SIZE(function); i++) {
		offset = optimize(&e[i], function[i], name[i]);
		if (!ok(offset >= 0, "%s+%d is optimized", function[i], offset))
			return;
	}
	/* To look at the profile is a call, too. */
	for (i = 0; i < ARRAY_SIZE(function); i++)
		before[i] = profile(e[i].name, 0) + ARRAY_SIZE(function) - i - 1;
	open_files(CALLS);
	for (i = 0; i < ARRAY_SIZE(function); i++)
		event_switch(&e[i], false);
	for (i = 0; i < ARRAY_SIZE(function); i++) {
		hits = profile(e[i].name, 0) - before[i];
		ok(hits == CALLS, "%s, optimized: %ld hits of %d calls",
		   function[i], hits, CALLS);
		event_delete(&e[i]);
	}
}

/* A suite that is a module runs when it is loaded, the others have run at boot. */
static void load_kunit(const char *name)
{
	int ret = load(name, "");

	begin("kunit");
	/* Else there is no such file: it is built in. */
	if (ret != EBADF)
		ok(!ret, "%s is loaded (%s)", name, strerror(ret));
}

/* What the suites have said. */
static void collect_kunit(void)
{
	DIR *dir = opendir(KUNIT);
	struct dirent *d;
	char path[512], *line, *report;

	while (dir && (d = readdir(dir))) {
		if (d->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), KUNIT "%s/results", d->d_name);
		report = get(path);
		fprintf(out, "@suite %s\n", d->d_name);
		for (line = strtok(report, "\n"); line; line = strtok(NULL, "\n"))
			fprintf(out, "%s\n", line);
		fprintf(out, "@end\n");
	}
	if (dir)
		closedir(dir);
}

/* The kselftests, where Debian has a shell that needs nothing else. */
static void run_selftests(void)
{
	int status = -1;
	pid_t pid;

	begin("selftests");
	if (access("/bin/bash", X_OK)) {
		skip("no static shell for this architecture");
		return;
	}
	pid = fork();
	if (!pid) {
		execl("/bin/bash", "bash", "/harness/selftests.sh", NULL);
		_exit(127);
	}
	waitpid(pid, &status, 0);
	ok(WIFEXITED(status) && !WEXITSTATUS(status), "they ran to their end");
	fprintf(out, "@suite kselftest\n%s@end\n", get("/out/kprobes.tap"));
}

static void mount_all(void)
{
	static const struct {
		const char *type, *to;
	} mounts[] = {
		{ "proc", "/proc" }, { "sysfs", "/sys" }, { "devtmpfs", "/dev" },
		{ "tmpfs", "/tmp" }, { "debugfs", "/sys/kernel/debug" },
		{ "tracefs", "/sys/kernel/tracing" },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(mounts); i++) {
		mkdir(mounts[i].to, 0755);
		mount(mounts[i].type, mounts[i].to, mounts[i].type, 0, NULL);
	}
}

static void write_results(void)
{
	int fd = open("/dev/console", O_WRONLY | O_NOCTTY);
	char *line;

	fclose(out);
	klogctl(6, NULL, 0);
	dprintf(fd, "\n@begin\n");
	for (line = strtok(results, "\n"); line; line = strtok(NULL, "\n"))
		dprintf(fd, "@ %s\n", line);
	dprintf(fd, "@ 1..%d\n@done\n", tests);
	fsync(fd);
	sleep_for(500);
	klogctl(7, NULL, 0);
}

/* QEMU ends where the board would start again, and malta cannot be switched off. */
static void leave(void)
{
	struct utsname u;

	uname(&u);
	reboot(strcmp(u.machine, "mips") ? RB_POWER_OFF : RB_AUTOBOOT);
	reboot(RB_AUTOBOOT);
	for (;;)
		pause();
}

int main(void)
{
	mount_all();
	out = open_memstream(&results, &results_size);
	load_kunit("test_kprobes");
	collect_kunit();
	test_events();
	test_inside();
	begin("samples");
	test_sample("kprobe_example");
	test_sample("kretprobe_example");
	test_module();
	test_knob();
	test_optimized();
	run_selftests();
	write_results();
	leave();
}
