/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For tests: what a document prints, as a string. */
#ifndef NETTOLL_TESTS_CAPTURE_H
#define NETTOLL_TESTS_CAPTURE_H

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/out.h"

/* Prints a document in a format to a file and reads it back into @buf; returns out_end()'s result. */
static inline int capture(struct out_doc *doc, enum out_format format, char *buf, size_t size)
{
	char path[] = "/tmp/nettoll-test-XXXXXX";
	int fd = mkstemp(path), ret;
	ssize_t n;

	if (fd < 0 || out_redirect(path))
		abort();
	out_set_format(format);
	ret = out_end(doc);
	if (out_close() && !ret)
		abort();
	n = read(fd, buf, size - 1);
	buf[n > 0 ? n : 0] = '\0';
	close(fd);
	unlink(path);
	return ret;
}

#endif
