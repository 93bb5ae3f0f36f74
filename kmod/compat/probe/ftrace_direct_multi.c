// SPDX-License-Identifier: GPL-2.0-only
#include <linux/ftrace.h>
int probe(struct ftrace_ops *ops);
int probe(struct ftrace_ops *ops)
{
	return register_ftrace_direct_multi(ops, 0) + unregister_ftrace_direct_multi(ops, 0);
}
