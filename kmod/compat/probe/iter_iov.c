// SPDX-License-Identifier: GPL-2.0-only
#include <linux/uio.h>

const struct iovec *probe(const struct iov_iter *iter);
const struct iovec *probe(const struct iov_iter *iter)
{
	return iter_iov(iter);
}
