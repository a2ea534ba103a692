/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Test modules that a script writes commands to.
 */
#ifndef _KT_COMMAND_H
#define _KT_COMMAND_H

#include <linux/errno.h>
#include <linux/uaccess.h>

/* Copy what was written, and end it. Return: 0, or -E2BIG if there is no room. */
static inline int copy_command(char *line, size_t room, const char __user *buf, size_t len)
{
	if (len >= room)
		return -E2BIG;
	if (copy_from_user(line, buf, len))
		return -EFAULT;
	line[len] = '\0';
	return 0;
}

#endif
