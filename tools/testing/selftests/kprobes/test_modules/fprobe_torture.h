/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FPROBE_TORTURE_H
#define FPROBE_TORTURE_H
/* Functions that are probed while they are called: of fprobe_torture, fprobe_visitor. */

/* These return 3 * @a + the first character of @text. The third calls the first. */
unsigned long ktf_plain(unsigned long a, const char *text);
unsigned long ktf_other(unsigned long a, const char *text);
unsigned long ktf_outer(unsigned long a, const char *text);

/* Sleeps meanwhile. */
unsigned long ktf_sleep(unsigned long a, const char *text);

/* Called from an interrupt. */
unsigned long ktf_irq(unsigned long a, const char *text);

/* 1 + 2 + ... + @depth, @depth + 1 calls deep. */
unsigned long ktf_recurse(unsigned long depth);

/* Of the module that comes and goes. The last one is in its init text. */
unsigned long ktv_one(unsigned long a, const char *text);
unsigned long ktv_two(unsigned long a, const char *text);
unsigned long ktv_init_text(unsigned long a, const char *text);

#endif /* FPROBE_TORTURE_H */
