// SPDX-License-Identifier: GPL-2.0-or-later
/* Which device it is that has a name: its number, and the address that it was made with. */
#include "knobs/identity.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "lib/err.h"
#include "lib/netns.h"
#include "lib/nl_link.h"

static int link_identity(void *arg)
{
	struct identity *id = arg;
	struct link_info info;
	int ret = link_get(id->place->dev, &info);

	if (ret)
		return ret;
	/* A VLAN takes over the address of what it stands on, and is none of hardware. */
	if (!info.kind[0])
		memcpy(id->permanent, info.permanent, sizeof(id->permanent));
	return info.index;
}

int identify(const struct knob_place *place, struct identity *id)
{
	int ret;

	*id = (struct identity) { .place = place };
	ret = place->dev[0] ? netns_call(place->netns, link_identity, id) : 0;
	if (ret < 0)
		err_clear();
	return ret;
}

struct following {
	struct journal_entry *e;
	bool found;
};

static int follow_one(const struct link_info *info, void *arg)
{
	struct following *f = arg;

	if (!info->kind[0] && !strcmp(info->permanent, f->e->permanent)) {
		f->e->index = info->index;
		memcpy(f->e->place.dev, info->name, sizeof(f->e->place.dev));
		f->found = true;
	}
	return 0;
}

static int follow(void *arg)
{
	return link_each(follow_one, arg);
}

void journal_follow(struct journal_entry *e)
{
	struct following f = { .e = e };
	struct identity id;

	if (!e->index || !e->permanent[0] || identify(&e->place, &id) == e->index)
		return;
	if (netns_call(e->place.netns, follow, &f))
		err_clear();
}

bool journal_gone(const struct journal_entry *e)
{
	struct identity id;
	int now, fd;

	if (e->index) {
		now = identify(&e->place, &id);
		return now == -ENODEV || now == -ENOENT || (now > 0 && now != e->index);
	}
	if (!e->place.netns[0])
		return false;
	fd = netns_open(e->place.netns);
	if (fd >= 0)
		close(fd);
	else
		err_clear();
	return fd == -ENOENT;
}
