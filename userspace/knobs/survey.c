// SPDX-License-Identifier: GPL-2.0-or-later
/* All knobs of a device, or of a namespace, as they are now; and the devices that one moves along. */
#include "knobs/survey.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/err.h"
#include "lib/netns.h"
#include "lib/nl_link.h"

#define CIRCLE_MAX	512	/* devices */

struct look {
	const struct knob_place *place;
	const struct knob_family *family;
	int (*take)(const struct survey_item *item, void *arg);
	void *arg;
	size_t denied;
};

static int on_key(const char *key, void *arg)
{
	struct survey_item item = { 0 };
	struct look *look = arg;
	struct knob knob = { .unit = "", .max = UINT64_MAX, .family = look->family };
	int ret;

	if (snprintf(knob.name, sizeof(knob.name), "%s.%s", look->family->name, key) >= (int)sizeof(knob.name))
		return 0;
	if (look->family->find(key, &knob))
		return 0;
	ret = look->family->read(&knob, look->place, item.value);
	if (ret == -ENODEV && look->place->dev[0])
		return ret;
	if (ret == -EPERM || ret == -EACCES)
		look->denied++;
	if (ret) {
		/* The device does not have it. */
		err_clear();
		return 0;
	}
	memcpy(item.name, knob.name, sizeof(item.name));
	return look->take(&item, look->arg);
}

/* Runs in the namespace of the place, with its /sys. */
static int look_around(struct look *look)
{
	const struct knob_family *const *f;
	const char *const *key;
	int ret = 0;

	for (f = (const struct knob_family *const *)knob_families; *f && ret >= 0; f++) {
		if ((*f)->per_device != (look->place->dev[0] != '\0'))
			continue;
		look->family = *f;
		if ((*f)->hold)
			(*f)->hold(true);
		if ((*f)->list)
			ret = (*f)->list(look->place, on_key, look);
		for (key = (*f)->keys; !(*f)->list && key && *key && ret >= 0; key++)
			ret = on_key(*key, look);
		if ((*f)->hold)
			(*f)->hold(false);
		if (ret == -EOPNOTSUPP) {
			err_clear();
			ret = 0;
		}
	}
	return ret < 0 ? ret : 0;
}

static int keep(const struct survey_item *item, void *arg)
{
	struct survey *survey = arg;
	struct survey_item *grown = reallocarray(survey->item, survey->n + 1, sizeof(*grown));

	if (!grown)
		return err_set(-ENOMEM, NULL, "out of memory");
	survey->item = grown;
	grown[survey->n++] = *item;
	return 0;
}

/* ---- in a namespace with a name: by a child, which has its /sys ---- */

/* What ends the items. */
struct tail {
	int ret;
	size_t denied;
	char text[256], cure[128];
};

struct record {
	bool last;
	union {
		struct survey_item item;
		struct tail tail;
	};
};

static bool write_record(int fd, const struct record *record)
{
	const char *p = (const char *)record;
	size_t left = sizeof(*record);
	ssize_t n;

	while (left) {
		n = write(fd, p, left);
		if (n < 0)
			return false;
		p += n;
		left -= (size_t)n;
	}
	return true;
}

static bool read_record(int fd, struct record *record)
{
	char *p = (char *)record;
	size_t left = sizeof(*record);
	ssize_t n;

	while (left) {
		n = read(fd, p, left);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		p += n;
		left -= (size_t)n;
	}
	return true;
}

static int send_item(const struct survey_item *item, void *arg)
{
	struct record record = { .item = *item };

	return write_record(*(int *)arg, &record) ? 0 : -EPIPE;
}

static void child(int fd, struct look *look)
{
	struct record record = { .last = true };
	int ret = netns_enter_sys(look->place->netns);

	look->take = send_item;
	look->arg = &fd;
	if (!ret)
		ret = look_around(look);
	record.tail.ret = ret;
	record.tail.denied = look->denied;
	if (ret) {
		snprintf(record.tail.text, sizeof(record.tail.text), "%s", err_text(ret));
		snprintf(record.tail.cure, sizeof(record.tail.cure), "%s", err_cure(ret));
	}
	_exit(write_record(fd, &record) ? 0 : 1);
}

static int look_elsewhere(struct look *look, struct survey *survey)
{
	struct record record;
	int fds[2], ret;
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC))
		return err_set(-errno, NULL, "cannot make a pipe: %s", strerror(errno));
	pid = fork();
	if (pid < 0) {
		ret = -errno;
		close(fds[0]);
		close(fds[1]);
		return err_set(ret, NULL, "cannot make a process: %s", strerror(-ret));
	}
	if (!pid) {
		close(fds[0]);
		child(fds[1], look);
	}
	close(fds[1]);
	ret = -EIO;
	while (read_record(fds[0], &record)) {
		ret = record.last ? record.tail.ret : keep(&record.item, survey);
		if (record.last || ret)
			break;
		ret = -EIO;
	}
	close(fds[0]);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	if (ret == -EIO && !record.last)
		return err_set(ret, NULL, "the process that looks into network namespace '%s' died", look->place->netns);
	if (ret && record.last)
		return err_set(ret, record.tail.cure[0] ? record.tail.cure : NULL, "%s", record.tail.text);
	survey->denied = record.tail.denied;
	return ret;
}

int survey_read(const struct knob_place *place, struct survey *survey)
{
	struct look look = { .place = place, .take = keep, .arg = survey };
	int ret;

	*survey = (struct survey) { 0 };
	if (place->netns[0])
		return look_elsewhere(&look, survey);
	ret = look_around(&look);
	survey->denied = look.denied;
	return ret;
}

const char *survey_value(const struct survey *survey, const char *name)
{
	size_t i;

	for (i = 0; i < survey->n; i++)
		if (!strcmp(survey->item[i].name, name))
			return survey->item[i].value;
	return NULL;
}

void survey_free(struct survey *survey)
{
	free(survey->item);
	*survey = (struct survey) { 0 };
}

/* ---- devices that belong together ---- */

struct circle {
	const struct knob_place *place;
	size_t n;
	struct link {
		int index, lower, master;
		char name[IF_NAMESIZE];
		bool in;
	} link[CIRCLE_MAX];
};

static int on_link(const struct link_info *info, void *arg)
{
	struct circle *c = arg;
	struct link *l = &c->link[c->n];

	if (c->n == CIRCLE_MAX)
		return 0;
	*l = (struct link) { .index = info->index, .lower = info->lower, .master = info->master };
	memcpy(l->name, info->name, sizeof(l->name));
	l->in = !strcmp(l->name, c->place->dev);
	c->n++;
	return 0;
}

static int gather(void *arg)
{
	return link_each(on_link, arg);
}

static bool touch(const struct link *a, const struct link *b)
{
	return a->lower == b->index || b->lower == a->index || a->master == b->index || b->master == a->index;
}

int circle_each(const struct knob_place *place, int (*fn)(const struct knob_place *place, void *arg),
		void *arg)
{
	struct knob_place one = *place;
	struct circle *c;
	bool grew = true;
	size_t i, k;
	int ret;

	ret = fn(place, arg);
	if (ret || !place->dev[0])
		return ret;
	c = calloc(1, sizeof(*c));
	if (!c)
		return err_set(-ENOMEM, NULL, "out of memory");
	c->place = place;
	ret = netns_call(place->netns, gather, c);
	while (!ret && grew) {
		grew = false;
		for (i = 0; i < c->n; i++) {
			for (k = 0; !c->link[i].in && k < c->n; k++)
				if (c->link[k].in && touch(&c->link[i], &c->link[k]))
					c->link[i].in = grew = true;
		}
	}
	for (i = 0; i < c->n && !ret; i++) {
		if (!c->link[i].in || !strcmp(c->link[i].name, place->dev))
			continue;
		memcpy(one.dev, c->link[i].name, sizeof(one.dev));
		ret = fn(&one, arg);
	}
	free(c);
	return ret;
}
