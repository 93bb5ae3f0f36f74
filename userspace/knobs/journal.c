// SPDX-License-Identifier: GPL-2.0-or-later
/* What the host was like before it was changed, on disk, so that it can be put back after a crash. */
#include "knobs/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "knobs/identity.h"
#include "lib/err.h"

#define FORMAT		"nettoll-journal/1"
#define FILE_MAX	(4 << 20)

const char *state_dir(void)
{
	const char *dir = getenv("NETTOLL_STATE_DIR");

	return dir && *dir ? dir : "/run/nettoll";
}

int state_dir_make(void)
{
	const char *dir = state_dir();

	if (!mkdir(dir, 0755) || errno == EEXIST)
		return 0;
	return err_set(-errno, errno == EACCES || errno == EPERM ? "run it as root" : NULL,
		       "cannot make the directory %s: %s", dir, strerror(errno));
}

static void read_boot(char *buf, size_t size)
{
	FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");

	buf[0] = '\0';
	if (!f)
		return;
	if (fgets(buf, (int)size, f))
		buf[strcspn(buf, "\n")] = '\0';
	fclose(f);
}

/* Field 22 of /proc/PID/stat; 0 when there is no such process, or it only waits to be buried. */
static unsigned long long start_of(pid_t pid)
{
	unsigned long long start = 0;
	char path[64], line[1024], *p;
	FILE *f;
	int i;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	f = fopen(path, "re");
	if (!f)
		return 0;
	if (fgets(line, sizeof(line), f)) {
		/* The name, in parentheses, may hold anything. */
		p = strrchr(line, ')');
		if (p && (p[2] == 'Z' || p[2] == 'X'))
			p = NULL;
		for (i = 0; p && i < 20; i++)
			p = strchr(p + 1, ' ');
		if (p)
			start = strtoull(p + 1, NULL, 10);
	}
	fclose(f);
	return start;
}

void journal_init(struct journal *j, const char *what)
{
	*j = (struct journal) { .kind = "ladder", .pid = getpid(), .start = start_of(getpid()) };
	snprintf(j->what, sizeof(j->what), "%s", what);
	read_boot(j->boot, sizeof(j->boot));
}

bool journal_alive(const struct journal *j)
{
	return start_of(j->pid) == j->start && j->start;
}

bool journal_stale_boot(const struct journal *j)
{
	char boot[64];

	read_boot(boot, sizeof(boot));
	return strcmp(boot, j->boot);
}

const struct journal_entry *journal_find(const struct journal *j, const struct knob_place *place,
					 const char *knob)
{
	size_t i;

	for (i = 0; i < j->n; i++)
		if (!strcmp(j->entry[i].knob, knob) && !strcmp(j->entry[i].place.dev, place->dev) &&
		    !strcmp(j->entry[i].place.netns, place->netns))
			return &j->entry[i];
	return NULL;
}

static struct json_object *to_json(const struct journal *j)
{
	struct json_object *root = json_object_new_object(), *list = json_object_new_array(), *o;
	size_t i;

	json_object_object_add(root, "format", json_object_new_string(FORMAT));
	json_object_object_add(root, "what", json_object_new_string(j->what));
	if (j->confirm_by)
		json_object_object_add(root, "confirm_by", json_object_new_int64(j->confirm_by));
	if (j->held)
		json_object_object_add(root, "held", json_object_new_boolean(true));
	json_object_object_add(root, "pid", json_object_new_int(j->pid));
	json_object_object_add(root, "start", json_object_new_uint64(j->start));
	json_object_object_add(root, "boot", json_object_new_string(j->boot));
	for (i = 0; i < j->n; i++) {
		o = json_object_new_object();
		json_object_object_add(o, "netns", json_object_new_string(j->entry[i].place.netns));
		json_object_object_add(o, "dev", json_object_new_string(j->entry[i].place.dev));
		json_object_object_add(o, "index", json_object_new_int(j->entry[i].index));
		if (j->entry[i].permanent[0])
			json_object_object_add(o, "permanent", json_object_new_string(j->entry[i].permanent));
		if (j->entry[i].noted)
			json_object_object_add(o, "noted", json_object_new_boolean(true));
		json_object_object_add(o, "knob", json_object_new_string(j->entry[i].knob));
		json_object_object_add(o, "old", json_object_new_string(j->entry[i].old_value));
		json_object_object_add(o, "new", json_object_new_string(j->entry[i].new_value));
		json_object_array_add(list, o);
	}
	json_object_object_add(root, "changes", list);
	return root;
}

static int write_all(int fd, const char *text, size_t len)
{
	ssize_t n;

	while (len) {
		n = write(fd, text, len);
		if (n < 0)
			return -errno;
		text += n;
		len -= (size_t)n;
	}
	return fsync(fd) ? -errno : 0;
}

static int sync_dir(const char *dir)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC), ret = 0;

	if (fd < 0)
		return -errno;
	/* Not all file systems can; those that cannot need not. */
	if (fsync(fd) && errno != EINVAL)
		ret = -errno;
	close(fd);
	return ret;
}

/* By way of a second file, so that there is a whole one at any time. */
int journal_save(struct journal *j)
{
	char path[PATH_MAX - 8], temp[PATH_MAX];
	struct json_object *root;
	const char *text;
	int fd, ret;

	ret = state_dir_make();
	if (ret)
		return ret;
	if (j->path[0])
		snprintf(path, sizeof(path), "%.*s", (int)sizeof(path) - 1, j->path);
	else
		snprintf(path, sizeof(path), "%s/%s-%d-%llu.json", state_dir(), j->kind, (int)j->pid,
			 j->start);
	snprintf(temp, sizeof(temp), "%s.new", path);
	root = to_json(j);
	text = json_object_to_json_string_ext(root, JSON_C_TO_STRING_PRETTY);
	fd = open(temp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0) {
		ret = -errno;
	} else {
		ret = text ? write_all(fd, text, strlen(text)) : -ENOMEM;
		if (close(fd) && !ret)
			ret = -errno;
		if (!ret && rename(temp, path))
			ret = -errno;
		if (!ret)
			ret = sync_dir(state_dir());
		if (ret)
			unlink(temp);
	}
	json_object_put(root);
	if (ret)
		return err_set(ret, ret == -ENOSPC ? "free some room there" : NULL,
			       "cannot note in %s what is about to change, so nothing is changed: %s", path,
			       strerror(-ret));
	strcpy(j->path, path);
	return 0;
}

static bool is_of_a_device(const char *name)
{
	struct knob knob;

	if (!knob_find(name, &knob))
		return knob.family->per_device;
	err_clear();
	return false;
}

static int append(struct journal *j, const struct knob_place *place, const char *knob,
		  const char *old_value, const char *new_value, int index, const char *permanent)
{
	struct journal_entry *grown = reallocarray(j->entry, j->n + 1, sizeof(*grown)), *e;

	if (!grown)
		return err_set(-ENOMEM, NULL, "out of memory");
	j->entry = grown;
	e = &grown[j->n];
	e->place = *place;
	e->index = index;
	e->noted = false;
	snprintf(e->permanent, sizeof(e->permanent), "%s", permanent);
	snprintf(e->knob, sizeof(e->knob), "%s", knob);
	snprintf(e->old_value, sizeof(e->old_value), "%s", old_value);
	snprintf(e->new_value, sizeof(e->new_value), "%s", new_value);
	j->n++;
	return 0;
}

int journal_add(struct journal *j, const struct knob_place *place, const char *knob,
		const char *old_value, const char *new_value)
{
	struct identity id = { .permanent = "" };
	int index, ret;

	if (journal_find(j, place, knob))
		return 0;
	index = is_of_a_device(knob) ? identify(place, &id) : 0;
	ret = append(j, place, knob, old_value, new_value, index > 0 ? index : 0, id.permanent);
	if (ret)
		return ret;
	ret = journal_save(j);
	if (ret)
		j->n--;
	return ret;
}

static struct journal_entry *find(struct journal *j, const struct knob_place *place, const char *knob)
{
	return (struct journal_entry *)journal_find(j, place, knob);
}

int journal_note(struct journal *j, const struct knob_place *place, const struct survey *survey)
{
	struct identity id;
	int index = identify(place, &id), ret = 0;
	size_t i;

	for (i = 0; i < survey->n && !ret; i++) {
		if (journal_find(j, place, survey->item[i].name))
			continue;
		ret = append(j, place, survey->item[i].name, survey->item[i].value, survey->item[i].value,
			     index > 0 ? index : 0, id.permanent);
		if (!ret)
			j->entry[j->n - 1].noted = true;
	}
	return ret;
}

void journal_turns(struct journal *j, const struct knob_place *place, const char *knob,
		   const char *new_value)
{
	struct journal_entry *e = find(j, place, knob);

	if (!e)
		return;
	e->noted = false;
	snprintf(e->new_value, sizeof(e->new_value), "%s", new_value);
}

void journal_prune(struct journal *j, const struct knob_place *place, const struct survey *survey)
{
	struct journal_entry *e;
	const char *now;
	size_t i, kept = 0;

	for (i = 0; i < j->n; i++) {
		e = &j->entry[i];
		if (e->noted && !strcmp(e->place.dev, place->dev) && !strcmp(e->place.netns, place->netns)) {
			now = survey_value(survey, e->knob);
			if (now && !strcmp(now, e->old_value))
				continue;
			/* What has gone comes back, if at all, when that does which it went with. */
			if (now) {
				e->noted = false;
				snprintf(e->new_value, sizeof(e->new_value), "%s", now);
			}
		}
		j->entry[kept++] = *e;
	}
	j->n = kept;
}

int journal_keep(struct journal *j)
{
	char path[PATH_MAX];
	struct timespec now;
	int ret;

	clock_gettime(CLOCK_REALTIME, &now);
	snprintf(path, sizeof(path), "%s/undo-%012lld%09ld.json", state_dir(), (long long)now.tv_sec, now.tv_nsec);
	if (rename(j->path, path))
		return err_set(-errno, NULL, "cannot rename %s: %s", j->path, strerror(errno));
	strcpy(j->path, path);
	ret = sync_dir(state_dir());
	return ret ? err_set(ret, NULL, "%s: %s", state_dir(), strerror(-ret)) : 0;
}

static const char *member(struct json_object *o, const char *key, size_t size)
{
	struct json_object *v;
	const char *s;

	if (!json_object_object_get_ex(o, key, &v) || !json_object_is_type(v, json_type_string))
		return NULL;
	s = json_object_get_string(v);
	return strlen(s) < size ? s : NULL;
}

static int from_json(struct journal *j, struct json_object *root)
{
	const char *format = member(root, "format", 64), *what = member(root, "what", sizeof(j->what));
	const char *boot = member(root, "boot", sizeof(j->boot));
	struct json_object *pid, *start, *list, *o, *index, *noted;
	const char *base = strrchr(j->path, '/'), *permanent;
	const char *netns, *dev, *knob, *old, *new;
	struct knob_place place;
	size_t i;
	int ret;

	if (!format || strcmp(format, FORMAT) || !what || !boot ||
	    !json_object_object_get_ex(root, "pid", &pid) ||
	    !json_object_object_get_ex(root, "start", &start) ||
	    !json_object_object_get_ex(root, "changes", &list) ||
	    !json_object_is_type(list, json_type_array))
		return -EPROTO;
	strcpy(j->what, what);
	strcpy(j->boot, boot);
	strcpy(j->kind, base && !strncmp(base, "/ladder-", 8) ? "ladder" : "knob");
	if (json_object_object_get_ex(root, "confirm_by", &o))
		j->confirm_by = json_object_get_int64(o);
	if (json_object_object_get_ex(root, "held", &o))
		j->held = json_object_get_boolean(o);
	j->pid = json_object_get_int(pid);
	j->start = json_object_get_uint64(start);
	for (i = 0; i < json_object_array_length(list); i++) {
		o = json_object_array_get_idx(list, i);
		netns = member(o, "netns", sizeof(place.netns));
		dev = member(o, "dev", sizeof(place.dev));
		knob = member(o, "knob", KNOB_NAME_MAX);
		old = member(o, "old", KNOB_VALUE_MAX);
		new = member(o, "new", KNOB_VALUE_MAX);
		if (!netns || !dev || !knob || !old || !new)
			return -EPROTO;
		place = (struct knob_place) { 0 };
		strcpy(place.netns, netns);
		strcpy(place.dev, dev);
		if (!json_object_object_get_ex(o, "index", &index))
			index = NULL;
		permanent = member(o, "permanent", JOURNAL_PERMANENT_MAX);
		ret = append(j, &place, knob, old, new, json_object_get_int(index), permanent ? permanent : "");
		if (ret)
			return ret;
		if (json_object_object_get_ex(o, "noted", &noted))
			j->entry[j->n - 1].noted = json_object_get_boolean(noted);
	}
	return 0;
}

int journal_load(struct journal *j, const char *path)
{
	struct json_object *root;
	struct stat st;
	int ret;

	*j = (struct journal) { 0 };
	if (stat(path, &st))
		return err_set(-errno, NULL, "%s: %s", path, strerror(errno));
	snprintf(j->path, sizeof(j->path), "%s", path);
	root = st.st_size <= FILE_MAX ? json_object_from_file(path) : NULL;
	ret = root && json_object_is_type(root, json_type_object) ? from_json(j, root) : -EPROTO;
	json_object_put(root);
	if (ret) {
		journal_free(j);
		return err_set(ret, "remove it if the host is as it should be",
			       "%s is no journal of changes", path);
	}
	return 0;
}

int journal_remove(struct journal *j)
{
	if (!j->path[0])
		return 0;
	if (unlink(j->path) && errno != ENOENT)
		return err_set(-errno, NULL, "cannot remove %s: %s", j->path, strerror(errno));
	j->path[0] = '\0';
	return 0;
}

void journal_free(struct journal *j)
{
	free(j->entry);
	j->entry = NULL;
	j->n = 0;
}

static int each(const char *const *patterns, int (*fn)(const char *path, void *arg), void *arg)
{
	char pattern[PATH_MAX];
	int ret = 0, one, flags = 0;
	glob_t g;
	size_t i;

	for (; *patterns; patterns++) {
		snprintf(pattern, sizeof(pattern), "%s/%s", state_dir(), *patterns);
		if (glob(pattern, flags, NULL, &g) && !flags)
			continue;
		flags = GLOB_APPEND;
	}
	/* From the latest on, which is the last by name. */
	for (i = flags ? g.gl_pathc : 0; i-- > 0;) {
		one = fn(g.gl_pathv[i], arg);
		if (one < 0 && !ret)
			ret = one;
	}
	if (flags)
		globfree(&g);
	return ret;
}

int journal_each(int (*fn)(const char *path, void *arg), void *arg)
{
	static const char *const patterns[] = { "ladder-*.json", "knob-*.json", NULL };

	return each(patterns, fn, arg);
}

int journal_kept_each(int (*fn)(const char *path, void *arg), void *arg)
{
	static const char *const patterns[] = { "undo-*.json", NULL };

	return each(patterns, fn, arg);
}
