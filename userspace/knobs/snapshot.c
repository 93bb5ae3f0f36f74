// SPDX-License-Identifier: GPL-2.0-or-later
/* All knobs of some devices at one time, with a hash that names this state: taking and comparing. */
#include "knobs/snapshot.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "knobs/identity.h"
#include "lib/err.h"
#include "lib/netns.h"
#include "lib/nl_link.h"

#define HOST	"host"

static void identity_of(const struct link_info *info, char *text)
{
	/* What stands on hardware takes over its address, and is not it. */
	if (info->permanent[0] && !info->kind[0])
		snprintf(text, SNAPSHOT_IDENTITY_MAX, "mac:%s", info->permanent);
	else
		snprintf(text, SNAPSHOT_IDENTITY_MAX, "name:%s", info->name);
}

static struct snapshot_place *add_place(struct snapshot *s, const char *identity, const char *dev)
{
	struct snapshot_place *grown = reallocarray(s->place, s->n + 1, sizeof(*grown));

	if (!grown)
		return NULL;
	s->place = grown;
	grown += s->n++;
	*grown = (struct snapshot_place) { 0 };
	snprintf(grown->identity, sizeof(grown->identity), "%s", identity);
	snprintf(grown->dev, sizeof(grown->dev), "%s", dev);
	return grown;
}

/* ---- taking ---- */

struct choice {
	struct snapshot *s;
	char *const *dev;		/* by name, */
	bool *found;
	size_t ndev;
	const struct snapshot *then;	/* or as in another one */
};

static bool is_chosen(const struct choice *c, const char *name, const char *identity)
{
	size_t i;

	if (c->then) {
		for (i = 0; i < c->then->n; i++)
			if (!strcmp(c->then->place[i].identity, identity))
				return true;
		return false;
	}
	for (i = 0; i < c->ndev; i++) {
		if (strcmp(c->dev[i], name))
			continue;
		c->found[i] = true;
		return true;
	}
	return !c->ndev && strcmp(name, "lo");
}

static int on_link(const struct link_info *info, void *arg)
{
	char identity[SNAPSHOT_IDENTITY_MAX];
	struct choice *c = arg;
	size_t i;

	identity_of(info, identity);
	if (!is_chosen(c, info->name, identity))
		return 0;
	/* Of two with one address each keeps its name. */
	for (i = 0; i < c->s->n; i++)
		if (!strcmp(c->s->place[i].identity, identity))
			snprintf(identity, sizeof(identity), "name:%s", info->name);
	return add_place(c->s, identity, info->name) ? 0 : err_set(-ENOMEM, NULL, "out of memory");
}

static int choose(void *arg)
{
	return link_each(on_link, arg);
}

static void stamp(struct snapshot *s)
{
	time_t now = time(NULL);
	struct utsname uts;
	struct tm tm;

	gmtime_r(&now, &tm);
	strftime(s->time, sizeof(s->time), "%Y-%m-%dT%H:%M:%SZ", &tm);
	if (uname(&uts))
		return;
	snprintf(s->host, sizeof(s->host), "%.64s", uts.nodename);
	snprintf(s->kernel, sizeof(s->kernel), "%.64s", uts.release);
}

/* Reads what has been chosen; all of it, or it is no snapshot. */
static int read_all(struct snapshot *s)
{
	struct knob_place place = { 0 };
	size_t i;
	int ret = 0;

	memcpy(place.netns, s->netns, sizeof(place.netns));
	for (i = 0; i < s->n && !ret; i++) {
		memcpy(place.dev, s->place[i].dev, sizeof(place.dev));
		ret = survey_read(&place, &s->place[i].survey);
		if (!ret && s->place[i].survey.denied)
			ret = err_set(-EPERM, "run it as root", "not permitted to read %zu of the knobs of %s",
				      s->place[i].survey.denied, knob_where(&place));
	}
	return ret;
}

static int take(struct snapshot *s, struct choice *c, bool host)
{
	int ret;

	stamp(s);
	if (host && !add_place(s, HOST, ""))
		return err_set(-ENOMEM, NULL, "out of memory");
	ret = netns_call(s->netns, choose, c);
	return ret;
}

int snapshot_take(struct snapshot *s, const char *netns, char *const *dev, size_t ndev, bool host)
{
	struct choice c = { .s = s, .dev = dev, .ndev = ndev };
	size_t i;
	int ret;

	*s = (struct snapshot) { 0 };
	snprintf(s->netns, sizeof(s->netns), "%s", netns);
	c.found = calloc(ndev + 1, sizeof(*c.found));
	if (!c.found)
		return err_set(-ENOMEM, NULL, "out of memory");
	ret = take(s, &c, host);
	for (i = 0; i < ndev && !ret; i++)
		if (!c.found[i])
			ret = err_set(-ENODEV, "ip link lists those there are", "there is no network device '%s'", dev[i]);
	free(c.found);
	if (!ret)
		ret = read_all(s);
	if (ret)
		snapshot_free(s);
	return ret;
}

int snapshot_again(struct snapshot *now, const struct snapshot *then)
{
	struct choice c = { .s = now, .then = then };
	bool host = false;
	size_t i;
	int ret;

	*now = (struct snapshot) { 0 };
	memcpy(now->netns, then->netns, sizeof(now->netns));
	for (i = 0; i < then->n; i++)
		host |= !strcmp(then->place[i].identity, HOST);
	ret = take(now, &c, host);
	if (!ret)
		ret = read_all(now);
	if (ret)
		snapshot_free(now);
	return ret;
}

void snapshot_free(struct snapshot *s)
{
	size_t i;

	for (i = 0; i < s->n; i++)
		survey_free(&s->place[i].survey);
	free(s->place);
	*s = (struct snapshot) { 0 };
}

/* ---- the hash ---- */

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int snapshot_hash(const struct snapshot *s, char text[SHA256_TEXT])
{
	const struct snapshot_place *p;
	size_t i, k, n = 0, total = 0;
	struct sha256 sha;
	int ret = 0;
	char **line;

	for (i = 0; i < s->n; i++)
		total += s->place[i].survey.n;
	line = calloc(total + 1, sizeof(*line));
	/* In an order of their own, since neither devices nor knobs have one that stays. */
	for (i = 0; line && i < s->n && !ret; i++) {
		p = &s->place[i];
		for (k = 0; k < p->survey.n && !ret; k++)
			ret = asprintf(&line[n++], "%s\t%s\t%s\n", p->identity, p->survey.item[k].name,
				       p->survey.item[k].value) < 0 ? -ENOMEM : 0;
	}
	if (!line || ret) {
		free(line);
		return err_set(-ENOMEM, NULL, "out of memory");
	}
	qsort(line, n, sizeof(*line), by_text);
	sha256_init(&sha);
	for (i = 0; i < n; i++) {
		sha256_add(&sha, line[i], strlen(line[i]));
		free(line[i]);
	}
	free(line);
	sha256_text(&sha, text);
	return 0;
}

/* ---- comparing ---- */

static const struct snapshot_place *find_place(const struct snapshot *s, const char *identity)
{
	size_t i;

	for (i = 0; i < s->n; i++)
		if (!strcmp(s->place[i].identity, identity))
			return &s->place[i];
	return NULL;
}

static int compare_place(const struct snapshot_place *a, const struct snapshot_place *b, snapshot_fn fn, void *arg)
{
	const char *other;
	size_t i;
	int ret = 0;

	for (i = 0; i < a->survey.n && !ret; i++) {
		other = survey_value(&b->survey, a->survey.item[i].name);
		if (!other || strcmp(other, a->survey.item[i].value))
			ret = fn(b->dev, a->survey.item[i].name, a->survey.item[i].value, other, arg);
	}
	for (i = 0; i < b->survey.n && !ret; i++)
		if (!survey_value(&a->survey, b->survey.item[i].name))
			ret = fn(b->dev, b->survey.item[i].name, NULL, b->survey.item[i].value, arg);
	return ret;
}

int snapshot_compare(const struct snapshot *a, const struct snapshot *b, snapshot_fn fn, void *arg)
{
	const struct snapshot_place *other;
	size_t i;
	int ret = 0;

	for (i = 0; i < a->n && !ret; i++) {
		other = find_place(b, a->place[i].identity);
		ret = other ? compare_place(&a->place[i], other, fn, arg)
			    : fn(a->place[i].dev, "", "there", NULL, arg);
	}
	for (i = 0; i < b->n && !ret; i++)
		if (!find_place(a, b->place[i].identity))
			ret = fn(b->place[i].dev, "", NULL, "there", arg);
	return ret;
}
