// SPDX-License-Identifier: GPL-2.0-only
#include <linux/fprobe.h>

static int entry(struct fprobe *fp, unsigned long ip, unsigned long ret,
		 struct pt_regs *regs, void *data)
{
	return 0;
}

int probe(struct fprobe *fp);
int probe(struct fprobe *fp)
{
	fp->entry_handler = entry;
	fp->entry_data_size = 64;
	return register_fprobe_ips(fp, NULL, 0);
}
