// SPDX-License-Identifier: GPL-2.0-or-later
/* Lines of JSON over a pipe or a socket. */
#include "traffic/chan.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "traffic/clock.h"

void chan_init(struct chan *c, int in, int out)
{
	*c = (struct chan) { .in = in, .out = out };
}

void chan_close(struct chan *c)
{
	if (c->in >= 0)
		close(c->in);
	if (c->out >= 0 && c->out != c->in)
		close(c->out);
	free(c->buf);
	chan_init(c, -1, -1);
}

int chan_send(struct chan *c, struct json_object *obj)
{
	const char *text = json_object_to_json_string_length(obj, JSON_C_TO_STRING_PLAIN, NULL);
	size_t len = text ? strlen(text) + 1 : 0, at = 0;
	char *line = malloc(len + 1);
	int ret = text && line ? 0 : -ENOMEM;

	/* In one piece: its first byte may interrupt the other side, who then looks for the rest.
	 * And write, not send: it may be a pipe. */
	if (!ret)
		snprintf(line, len + 1, "%s\n", text);
	while (!ret && at < len) {
		ssize_t n = write(c->out, line + at, len - at);

		if (n > 0)
			at += n;
		else if (errno != EINTR)
			ret = -errno;
	}
	free(line);
	json_object_put(obj);
	return ret;
}

/* Take the first line out of the buffer, if there is a whole one. */
static int take_line(struct chan *c, struct json_object **obj)
{
	char *end = c->len ? memchr(c->buf, '\n', c->len) : NULL;
	size_t used;

	if (!end)
		return 0;
	*end = '\0';
	used = end + 1 - c->buf;
	*obj = json_tokener_parse(c->buf);
	memmove(c->buf, c->buf + used, c->len - used);
	c->len -= used;
	if (json_object_is_type(*obj, json_type_object))
		return 1;
	json_object_put(*obj);
	*obj = NULL;
	return -EPROTO;
}

int chan_recv(struct chan *c, int wait_ms, struct json_object **obj)
{
	uint64_t end = clock_ns() + (uint64_t)(wait_ms > 0 ? wait_ms : 0) * 1000000;
	struct pollfd p = { .fd = c->in, .events = POLLIN };
	int ret, left = wait_ms;
	ssize_t n;

	*obj = NULL;
	for (;;) {
		ret = take_line(c, obj);
		if (ret)
			return ret;
		if (c->len == c->size) {
			size_t size = c->size ? c->size * 2 : 4096;
			char *buf = size <= CHAN_LINE_MAX ? realloc(c->buf, size) : NULL;

			if (!buf)
				return size > CHAN_LINE_MAX ? -EPROTO : -ENOMEM;
			c->buf = buf;
			c->size = size;
		}
		if (wait_ms > 0) {
			uint64_t now = clock_ns();

			left = now < end ? (int)((end - now + 999999) / 1000000) : 0;
		}
		ret = poll(&p, 1, left);
		if (ret < 0)
			return -errno;
		if (!ret)
			return -ETIMEDOUT;
		n = read(c->in, c->buf + c->len, c->size - c->len);
		if (n > 0)
			c->len += n;
		else if (n == 0 || errno == ECONNRESET)
			return 0;
		else if (errno != EINTR && errno != EAGAIN)
			return -errno;
	}
}
