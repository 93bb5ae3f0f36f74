// SPDX-License-Identifier: GPL-2.0-or-later
/* Snapshots on disk: JSON, with the hash of what it says. */
#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "knobs/snapshot.h"
#include "lib/err.h"

#define FORMAT		"nettoll-snapshot/1"
#define FILE_MAX	(64 << 20)

static void put(struct json_object *o, const char *key, const char *value)
{
	json_object_object_add(o, key, json_object_new_string(value));
}

static struct json_object *to_json(const struct snapshot *s, const char *hash)
{
	struct json_object *root = json_object_new_object(), *list = json_object_new_array(), *o, *knobs;
	size_t i, k;

	put(root, "format", FORMAT);
	put(root, "time", s->time);
	put(root, "host", s->host);
	put(root, "kernel", s->kernel);
	put(root, "netns", s->netns);
	put(root, "hash", hash);
	for (i = 0; i < s->n; i++) {
		o = json_object_new_object();
		knobs = json_object_new_object();
		put(o, "identity", s->place[i].identity);
		put(o, "device", s->place[i].dev);
		for (k = 0; k < s->place[i].survey.n; k++)
			put(knobs, s->place[i].survey.item[k].name, s->place[i].survey.item[k].value);
		json_object_object_add(o, "knobs", knobs);
		json_object_array_add(list, o);
	}
	json_object_object_add(root, "places", list);
	return root;
}

static int write_text(const char *path, const char *text)
{
	char temp[PATH_MAX];
	size_t len = strlen(text);
	int fd, ret = 0;

	if (snprintf(temp, sizeof(temp), "%s.new", path) >= (int)sizeof(temp))
		return -ENAMETOOLONG;
	fd = open(temp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0)
		return -errno;
	if (write(fd, text, len) != (ssize_t)len)
		ret = errno ? -errno : -ENOSPC;
	if (!ret && fsync(fd))
		ret = -errno;
	if (close(fd) && !ret)
		ret = -errno;
	if (!ret && rename(temp, path))
		ret = -errno;
	if (ret)
		unlink(temp);
	return ret;
}

int snapshot_save(const struct snapshot *s, const char *path)
{
	struct json_object *root;
	char hash[SHA256_TEXT];
	const char *text;
	int ret;

	ret = snapshot_hash(s, hash);
	if (ret)
		return ret;
	root = to_json(s, hash);
	text = json_object_to_json_string_ext(root, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE);
	errno = 0;
	ret = text ? write_text(path, text) : -ENOMEM;
	json_object_put(root);
	return ret ? err_set(ret, NULL, "cannot write %s: %s", path, strerror(-ret)) : 0;
}

/* Copies a member that is a string and fits. */
static bool get(struct json_object *o, const char *key, char *buf, size_t size)
{
	struct json_object *v;

	if (!json_object_object_get_ex(o, key, &v) || !json_object_is_type(v, json_type_string) ||
	    strlen(json_object_get_string(v)) >= size)
		return false;
	strcpy(buf, json_object_get_string(v));
	return true;
}

static int take_place(struct snapshot *s, struct json_object *o)
{
	struct snapshot_place *grown = reallocarray(s->place, s->n + 1, sizeof(*grown));
	struct json_object_iterator it, end;
	struct json_object *knobs;
	struct survey_item *item;
	const char *name;

	if (!grown)
		return -ENOMEM;
	s->place = grown;
	grown += s->n;
	*grown = (struct snapshot_place) { 0 };
	if (!get(o, "identity", grown->identity, sizeof(grown->identity)) ||
	    !get(o, "device", grown->dev, sizeof(grown->dev)) || !json_object_object_get_ex(o, "knobs", &knobs) ||
	    !json_object_is_type(knobs, json_type_object))
		return -EPROTO;
	s->n++;
	grown->survey.item = calloc((size_t)json_object_object_length(knobs) + 1, sizeof(*item));
	if (!grown->survey.item)
		return -ENOMEM;
	end = json_object_iter_end(knobs);
	for (it = json_object_iter_begin(knobs); !json_object_iter_equal(&it, &end); json_object_iter_next(&it)) {
		name = json_object_iter_peek_name(&it);
		item = &grown->survey.item[grown->survey.n];
		if (strlen(name) >= sizeof(item->name) || !get(knobs, name, item->value, sizeof(item->value)))
			return -EPROTO;
		strcpy(item->name, name);
		grown->survey.n++;
	}
	return 0;
}

static int from_json(struct snapshot *s, struct json_object *root)
{
	char format[32], hash[SHA256_TEXT], real[SHA256_TEXT];
	struct json_object *list;
	size_t i;
	int ret = 0;

	if (!get(root, "format", format, sizeof(format)) || strcmp(format, FORMAT) ||
	    !get(root, "time", s->time, sizeof(s->time)) || !get(root, "host", s->host, sizeof(s->host)) ||
	    !get(root, "kernel", s->kernel, sizeof(s->kernel)) || !get(root, "netns", s->netns, sizeof(s->netns)) ||
	    !get(root, "hash", hash, sizeof(hash)) || !json_object_object_get_ex(root, "places", &list) ||
	    !json_object_is_type(list, json_type_array))
		return -EPROTO;
	for (i = 0; i < json_object_array_length(list) && !ret; i++)
		ret = json_object_is_type(json_object_array_get_idx(list, i), json_type_object) ?
			      take_place(s, json_object_array_get_idx(list, i)) : -EPROTO;
	if (!ret)
		ret = snapshot_hash(s, real);
	return ret ? ret : strcmp(hash, real) ? -EILSEQ : 0;
}

int snapshot_load(struct snapshot *s, const char *path)
{
	struct json_object *root;
	struct stat st;
	int ret;

	*s = (struct snapshot) { 0 };
	if (stat(path, &st))
		return err_set(-errno, NULL, "%s: %s", path, strerror(errno));
	root = st.st_size <= FILE_MAX ? json_object_from_file(path) : NULL;
	ret = root && json_object_is_type(root, json_type_object) ? from_json(s, root) : -EPROTO;
	json_object_put(root);
	if (!ret)
		return 0;
	snapshot_free(s);
	if (ret == -EILSEQ)
		return err_set(-EPROTO, "use one as it was saved", "%s was edited: its hash is not that of its values", path);
	return err_set(ret, NULL, "%s is no snapshot", path);
}
