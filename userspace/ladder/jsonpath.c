// SPDX-License-Identifier: GPL-2.0-or-later
/* Reading a JSON document so that an error names the file, the place in it, and what is allowed there. */
#include "ladder/jsonpath.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/args.h"
#include "lib/err.h"

#define FILE_MAX	(1 << 20)
#define COMMENT		"comment"

static int read_file(const char *file, char **text, size_t *len)
{
	struct stat st;
	size_t done = 0;
	ssize_t n;
	int fd, ret = 0;

	fd = open(file, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return err_set(-errno, NULL, "cannot read %s: %s", file, strerror(errno));
	if (fstat(fd, &st)) {
		ret = err_set(-errno, NULL, "cannot read %s: %s", file, strerror(errno));
		goto out;
	}
	if (S_ISDIR(st.st_mode)) {
		ret = err_set(-EISDIR, NULL, "cannot read %s: it is a directory", file);
		goto out;
	}
	*text = malloc(FILE_MAX + 1);
	if (!*text) {
		ret = err_set(-ENOMEM, NULL, "out of memory");
		goto out;
	}
	while (done <= FILE_MAX && (n = read(fd, *text + done, FILE_MAX + 1 - done)) > 0)
		done += (size_t)n;
	if (n < 0)
		ret = err_set(-errno, NULL, "cannot read %s: %s", file, strerror(errno));
	else if (done > FILE_MAX)
		ret = err_set(-EFBIG, NULL, "%s is larger than %d KiB", file, FILE_MAX / 1024);
	*len = done;
	if (ret)
		free(*text);
out:
	close(fd);
	return ret;
}

static int bad_syntax(const char *file, const char *text, size_t offset, const char *what)
{
	size_t line = 1, column = 1, i;

	for (i = 0; i < offset && text[i]; i++) {
		column = text[i] == '\n' ? 1 : column + 1;
		line += text[i] == '\n';
	}
	return err_set(-EINVAL, NULL, "%s:%zu:%zu: this is no JSON: %s", file, line, column, what);
}

int jsonpath_load(struct jsonpath *at, const char *file, struct json_object **root)
{
	struct json_tokener *tok;
	enum json_tokener_error error;
	size_t len = 0, end;
	char *text = NULL;
	int ret;

	*at = (struct jsonpath) { .file = file };
	*root = NULL;
	ret = read_file(file, &text, &len);
	if (ret)
		return ret;
	tok = json_tokener_new_ex(16);
	if (!tok) {
		free(text);
		return err_set(-ENOMEM, NULL, "out of memory");
	}
	json_tokener_set_flags(tok, JSON_TOKENER_STRICT);
	*root = json_tokener_parse_ex(tok, text, (int)len);
	error = json_tokener_get_error(tok);
	end = json_tokener_get_parse_end(tok);
	if (error != json_tokener_success)
		ret = bad_syntax(file, text, end, error == json_tokener_continue ? "it ends too early"
				 : json_tokener_error_desc(error));
	json_tokener_free(tok);
	free(text);
	if (!ret)
		return 0;
	json_object_put(*root);
	*root = NULL;
	return ret;
}

size_t jsonpath_push(struct jsonpath *at, const char *key)
{
	size_t old = at->len;
	int n = snprintf(at->path + old, sizeof(at->path) - old, "%s%s", old ? "." : "", key);

	at->len = old + (size_t)n < sizeof(at->path) ? old + (size_t)n : sizeof(at->path) - 1;
	return old;
}

size_t jsonpath_push_index(struct jsonpath *at, size_t index)
{
	size_t old = at->len;
	int n = snprintf(at->path + old, sizeof(at->path) - old, "[%zu]", index);

	at->len = old + (size_t)n < sizeof(at->path) ? old + (size_t)n : sizeof(at->path) - 1;
	return old;
}

void jsonpath_pop(struct jsonpath *at, size_t len)
{
	at->len = len;
	at->path[len] = '\0';
}

int jsonpath_error(const struct jsonpath *at, const char *fmt, ...)
{
	char text[768];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return err_set(-EINVAL, NULL, "%s: %s%s%s", at->file, at->path, at->len ? ": " : "", text);
}

int jsonpath_context(const struct jsonpath *at, int code)
{
	return err_context(code, "%s: %s", at->file, at->path);
}

int jsonpath_keys(const struct jsonpath *at, struct json_object *obj, const char *const *keys)
{
	char list[512] = "";
	const char *near;
	size_t n = 0, i, len = 0;

	while (keys[n])
		n++;
	json_object_object_foreach(obj, key, value) {
		(void)value;
		for (i = 0; i < n && strcmp(key, keys[i]); i++)
			;
		if (i < n || !strcmp(key, COMMENT))
			continue;
		near = nearest_word(key, keys, n);
		if (near)
			return jsonpath_error(at, "there is no \"%s\" here; did you mean \"%s\"?", key, near);
		for (i = 0; i < n && len < sizeof(list); i++)
			len += (size_t)snprintf(list + len, sizeof(list) - len, "%s%s", i ? ", " : "", keys[i]);
		return jsonpath_error(at, "there is no \"%s\" here, only %s", key, list);
	}
	return 0;
}

int jsonpath_is(const struct jsonpath *at, struct json_object *obj, enum json_type type)
{
	if (json_object_is_type(obj, type))
		return 0;
	return jsonpath_error(at, "this has to be %s %s, not %s",
			      type == json_type_object || type == json_type_array ||
			      type == json_type_int ? "an" : "a", json_type_to_name(type),
			      json_type_to_name(json_object_get_type(obj)));
}

int jsonpath_string(struct jsonpath *at, struct json_object *obj, const char *key, bool required,
		    char *buf, size_t size)
{
	struct json_object *value;
	size_t old;
	int ret;

	buf[0] = '\0';
	if (!json_object_object_get_ex(obj, key, &value))
		return required ? jsonpath_error(at, "\"%s\" is missing", key) : 0;
	old = jsonpath_push(at, key);
	ret = jsonpath_is(at, value, json_type_string);
	if (!ret && required && !json_object_get_string_len(value))
		ret = jsonpath_error(at, "this is empty");
	if (!ret && (size_t)json_object_get_string_len(value) >= size)
		ret = jsonpath_error(at, "this is longer than %zu characters", size - 1);
	if (!ret)
		strcpy(buf, json_object_get_string(value));
	jsonpath_pop(at, old);
	return ret;
}

int jsonpath_scalar(const struct jsonpath *at, struct json_object *value, char *buf, size_t size)
{
	const char *text;

	switch (json_object_get_type(value)) {
	case json_type_string:
	case json_type_int:
	case json_type_double:
		text = json_object_get_string(value);
		break;
	case json_type_boolean:
		text = json_object_get_boolean(value) ? "on" : "off";
		break;
	default:
		return jsonpath_error(at, "this has to be a string, a number, true or false");
	}
	if (strlen(text) >= size)
		return jsonpath_error(at, "this is longer than %zu characters", size - 1);
	strcpy(buf, text);
	return 0;
}
