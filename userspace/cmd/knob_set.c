// SPDX-License-Identifier: GPL-2.0-or-later
/* nettoll knob set and undo, and nettoll confirm: changes that can be taken back. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cmd/cmd.h"
#include "cmd/knob.h"
#include "knobs/change.h"
#include "knobs/hold.h"
#include "knobs/owner.h"
#include "knobs/turn.h"
#include "lib/args.h"
#include "lib/out.h"

static const struct out_col cols[] = {
	{ "name", "knob", OUT_STR, 0 },
	{ "device", NULL, OUT_STR, 0 },
	{ "old", "was", OUT_STR, 0 },
	{ "new", "is", OUT_STR, 0 },
	{ "disruptive", NULL, OUT_BOOL, 0 },
	{ "command", NULL, OUT_STR, 0 },
};

static const struct out_col dry_cols[] = {
	{ "name", "knob", OUT_STR, 0 },
	{ "device", NULL, OUT_STR, 0 },
	{ "old", "is", OUT_STR, 0 },
	{ "new", "would be", OUT_STR, 0 },
	{ "disruptive", NULL, OUT_BOOL, 0 },
	{ "command", "by hand", OUT_STR, 0 },
};

static int add_words(struct change *c, const struct knob_words *w)
{
	char name[KNOB_NAME_MAX];
	const char *eq;
	size_t i;
	int ret = 0;

	for (i = 0; i < w->n && !ret; i++) {
		eq = strchr(w->word[i], '=');
		if (!eq || (size_t)(eq - w->word[i]) >= sizeof(name))
			return err_set(-EINVAL, NULL, "'%s' is not NAME=VALUE", w->word[i]);
		memcpy(name, w->word[i], (size_t)(eq - w->word[i]));
		name[eq - w->word[i]] = '\0';
		ret = change_add(c, &w->place, name, eq + 1);
	}
	return ret;
}

static int print_change(const struct change *c, const struct knob_words *w)
{
	struct out_doc *doc = out_begin("knob-set", 0);
	char command[KNOB_TEXT_MAX];
	const struct change_item *it;
	struct out_table *t;
	bool link = false;
	size_t i;

	out_str(doc, "netns", NULL, w->place.netns);
	out_bool(doc, "dry_run", NULL, w->dry_run);
	out_uint(doc, "confirm_seconds", NULL, w->seconds, NULL);
	out_uint(doc, "moved_along", NULL, c->moved, NULL);
	t = out_table(doc, "changes", w->dry_run ? dry_cols : cols, sizeof(cols) / sizeof(*cols));
	for (i = 0; i < c->n; i++) {
		it = &c->item[i];
		out_row(t, STYLE_NONE);
		cell_str(t, it->knob.name);
		cell_str(t, it->place.dev);
		cell_str(t, it->now);
		cell_str(t, it->value);
		cell_bool(t, it->knob.flags & KNOB_RESETS_LINK);
		if (!strcmp(it->now, it->value))
			cell_str(t, "");
		else if (!knob_command(&it->knob, &it->place, it->value, command))
			cell_str(t, command);
		else
			cell_none(t);
		link |= it->knob.flags & KNOB_RESETS_LINK && strcmp(it->now, it->value);
	}
	if (w->dry_run && link)
		out_text(doc, STYLE_WARN, "some of these may take the link down for a moment");
	if (!w->dry_run && c->moved)
		out_text(doc, STYLE_NONE, "%zu other setting%s moved along; undo puts %s back as well", c->moved,
			 c->moved == 1 ? "" : "s", c->moved == 1 ? "it" : "them");
	if (!w->dry_run && w->hold && c->journal.held)
		out_text(doc, STYLE_NONE, "pid %d sets them again when the device was reset, until nettoll knob undo",
			 (int)c->journal.pid);
	if (!w->dry_run && w->seconds && c->journal.n)
		out_text(doc, STYLE_WARN, "undone in %u s unless you say: nettoll confirm", w->seconds);
	return out_end(doc);
}

/* What another manages is not to be turned behind its back. */
static int look_for_owners(const struct change *c, bool force)
{
	struct owner owner;
	size_t i;
	int ret;

	for (i = 0; i < c->n; i++) {
		if (!strcmp(c->item[i].now, c->item[i].value))
			continue;
		ret = owner_find(&c->item[i].knob, &c->item[i].place, &owner);
		if (ret < 0)
			return ret;
		if (!ret)
			continue;
		if (!force)
			return err_set(-EBUSY, "change it there, or give --force", "%s is managed by %s",
				       c->item[i].knob.name, owner.text);
		pr_warn("%s is managed by %s, which may set it again", c->item[i].knob.name, owner.text);
	}
	return 0;
}

static void describe(const struct knob_words *w, char *text, size_t size)
{
	size_t i, len;

	len = (size_t)snprintf(text, size, "knob set%s%s", w->place.dev[0] ? " " : "", w->place.dev);
	for (i = 0; i < w->n && len < size; i++)
		len += (size_t)snprintf(text + len, size - len, " %s", w->word[i]);
}

int knob_run_set(const struct knob_words *w)
{
	struct change c = { .seconds = w->seconds, .hold = w->hold };
	char what[120];
	bool usage;
	int ret;

	describe(w, what, sizeof(what));
	c.what = what;
	ret = add_words(&c, w);
	usage = ret == -EINVAL || ret == -ERANGE || ret == -ENOENT;
	if (!ret)
		ret = change_look(&c);
	if (!ret)
		ret = look_for_owners(&c, w->force);
	if (!ret && !w->dry_run)
		ret = change_make(&c);
	if (!ret)
		ret = print_change(&c, w);
	change_free(&c);
	return usage ? usage_report(ret) : ret ? err_report(ret) : EXIT_OK;
}

/* ---- undo, confirm ---- */

struct undo {
	bool all;
	size_t n;	/* undone */
	struct out_table *table;
};

static void print_undone(struct out_table *t, const struct journal *j)
{
	size_t i;

	for (i = 0; i < j->n; i++) {
		if (j->entry[i].noted)
			continue;
		out_row(t, STYLE_NONE);
		cell_str(t, j->entry[i].knob);
		cell_str(t, j->entry[i].place.netns);
		cell_str(t, j->entry[i].place.dev);
		cell_str(t, j->entry[i].old_value);
	}
}

/* Under locks, so that it does not run into another's change. */
static int undo_locked(struct journal *j)
{
	struct change c = { .what = "knob undo" };
	size_t i;
	int ret;

	for (i = 0; i < j->n; i++)
		journal_follow(&j->entry[i]);
	ret = hold_end(j);
	if (!ret)
		ret = change_lock(&c, j);
	if (ret)
		err_report(ret);
	else
		ret = turn_back(j);
	change_free(&c);
	return ret;
}

static int undo_journal(struct journal *j, bool finished)
{
	int ret;

	if (journal_stale_boot(j)) {
		pr_note("%s was in an earlier boot, which took its changes along", j->what);
		ret = journal_remove(j);
	} else if (finished || !journal_alive(j)) {
		return undo_locked(j);
	} else if (j->confirm_by) {
		ret = guard_undo(j);
		if (ret > 0)
			return undo_locked(j);
	} else {
		ret = err_set(-EBUSY, "wait for it", "pid %d (nettoll %s) is still at work", (int)j->pid, j->what);
	}
	if (ret)
		err_report(ret);
	return ret;
}

static int undo_one(const char *path, void *arg)
{
	struct undo *u = arg;
	struct journal j;
	int ret;

	if (u->n && !u->all)
		return 0;
	ret = journal_load(&j, path);
	if (ret)
		return err_report(ret), ret;
	if (strcmp(j.kind, "ladder")) {
		u->n++;
		print_undone(u->table, &j);
		ret = undo_journal(&j, strstr(path, "/undo-"));
	}
	journal_free(&j);
	return ret;
}

int knob_run_undo(const struct knob_words *w)
{
	static const struct out_col back[] = {
		{ "name", "put back", OUT_STR, 0 },
		{ "netns", "netns", OUT_STR, 0 },
		{ "device", "device", OUT_STR, 0 },
		{ "value", "to", OUT_STR, 0 },
	};
	struct out_doc *doc = out_begin("knob-undo", 0);
	struct undo u = { .all = w->all };
	int ret, kept, end;

	u.table = out_table(doc, "settings", back, sizeof(back) / sizeof(*back));
	/* What was not finished or not confirmed is later than what was. */
	ret = journal_each(undo_one, &u);
	kept = journal_kept_each(undo_one, &u);
	ret = ret ? ret : kept;
	if (!u.n && !ret)
		pr_note("there is nothing to undo");
	end = u.n ? out_end(doc) : out_format() == OUT_JSON ? out_end(doc) : out_drop(doc);
	if (end)
		return err_report(end);
	/* Reported already. */
	return ret ? err_exit_code(ret) : EXIT_OK;
}

struct confirmation {
	size_t n;
	struct out_table *table;
};

static int confirm_one(const char *path, void *arg)
{
	struct confirmation *c = arg;
	struct journal j;
	int ret;

	ret = journal_load(&j, path);
	if (!ret && j.confirm_by && journal_alive(&j)) {
		c->n++;
		ret = guard_confirm(&j);
		if (!ret) {
			out_row(c->table, STYLE_NONE);
			cell_str(c->table, j.what);
			cell_uint(c->table, (uint64_t)(j.confirm_by > time(NULL) ? j.confirm_by - time(NULL) : 0));
		}
	}
	journal_free(&j);
	if (ret)
		err_report(ret);
	return ret;
}

static int run_confirm(int argc, char **argv)
{
	static const struct option longs[] = { { NULL, 0, NULL, 0 } };
	static const struct out_col good[] = {
		{ "what", "confirmed", OUT_STR, 0 },
		{ "seconds_left", "seconds left", OUT_UINT, 0 },
	};
	struct confirmation c = { 0 };
	struct out_doc *doc;
	int ret, end;

	if (arg_getopt(argc, argv, "", longs) != -1)
		return EXIT_USAGE;
	if (optind < argc)
		return usage_error("confirm takes no words");
	doc = out_begin("confirm", 0);
	c.table = out_table(doc, "changes", good, 2);
	ret = journal_each(confirm_one, &c);
	if (!c.n && !ret) {
		out_drop(doc);
		return err_report(err_set(-ENOENT, NULL, "nothing waits to be confirmed"));
	}
	end = out_end(doc);
	if (end)
		return err_report(end);
	return ret ? err_exit_code(ret) : EXIT_OK;
}

const struct cmd cmd_confirm = {
	.name = "confirm",
	.run = run_confirm,
	.summary = "Say that what knob set --confirm changed is good, so that it stays",
	.usage = "confirm\n"
		 "Whatever waits for it is kept from now on. nettoll knob undo still puts it back.\n",
};
