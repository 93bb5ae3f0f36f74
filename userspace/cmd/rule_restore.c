// SPDX-License-Identifier: GPL-2.0-or-later
/* nettoll rule restore: rules from a file, all of them or none. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/rule.h"
#include "lib/err.h"
#include "lib/stop.h"

/* One more rule, not yet set; NULL without memory. */
static struct rule *grow(struct rule_file *file, unsigned int line)
{
	size_t n = file->rules.n;
	struct rule *item;
	unsigned int *lines;

	if (!(n & (n - 1))) {
		item = reallocarray(file->rules.item, n ? n * 2 : 1, sizeof(*item));
		if (!item)
			return NULL;
		file->rules.item = item;
		lines = reallocarray(file->lines, n ? n * 2 : 1, sizeof(*lines));
		if (!lines)
			return NULL;
		file->lines = lines;
	}
	file->lines[n] = line;
	file->rules.n++;
	return &file->rules.item[n];
}

static int at_line(int ret, const struct rule_file *file, unsigned int line)
{
	return err_context(ret, "%s:%u", file->name, line);
}

static int read_line(struct rule_file *file, char *text, unsigned int line)
{
	char *argv[RULE_WORDS_MAX];
	struct rule_words words;
	struct rule *rule;
	int n, ret;

	n = rule_split(text, argv, RULE_WORDS_MAX);
	if (n <= 0)
		return n ? at_line(n, file, line) : 0;
	rule = grow(file, line);
	if (!rule)
		return err_set(-ENOMEM, NULL, "out of memory");
	ret = rule_parse(rule, &words, n, argv);
	return ret ? at_line(ret, file, line) : 0;
}

int rule_file_read(struct rule_file *file, const char *path)
{
	bool input = !strcmp(path, "-");
	unsigned int line = 0;
	char *text = NULL;
	size_t size = 0;
	int ret = 0;
	FILE *f;

	*file = (struct rule_file) { .name = input ? "standard input" : path };
	f = input ? stdin : fopen(path, "re");
	if (!f)
		return err_set(-errno, NULL, "cannot open %s: %s", path, strerror(errno));
	errno = 0;
	while (!ret && getline(&text, &size, f) >= 0)
		ret = read_line(file, text, ++line);
	if (!ret && ferror(f))
		ret = err_set(errno ? -errno : -EIO, NULL, "cannot read %s: %s", file->name,
			      strerror(errno ? errno : EIO));
	free(text);
	if (!input)
		fclose(f);
	if (ret)
		rule_file_free(file);
	return ret;
}

void rule_file_free(struct rule_file *file)
{
	free(file->lines);
	file->lines = NULL;
	rule_list_free(&file->rules);
}

/* What was added goes again; the description of why is kept. */
static int take_back(struct module *m, struct rule_file *file, size_t n, int ret)
{
	char text[1024], cure[512];

	snprintf(text, sizeof(text), "%s", err_text(ret));
	snprintf(cure, sizeof(cure), "%s", err_cure(ret));
	while (n--)
		if (module_rule_del(m, file->rules.item[n].id))
			err_clear();
	return err_set(ret, cure, "%s", text);
}

/* Tells the words of the rule apart anew, for the sake of the one that the kernel refused. */
static int refused(struct module *m, int ret, const struct rule_file *file, size_t i)
{
	struct rule_words words;
	struct rule again;
	char *argv[RULE_WORDS_MAX], *text;
	int bad = module_bad_attr(m), n;
	char word[128], why[1024], cure[512];

	snprintf(why, sizeof(why), "%s", err_text(ret));
	snprintf(cure, sizeof(cure), "%s", err_cure(ret));
	text = rule_text(&file->rules.item[i]);
	n = text ? rule_split(text, argv, RULE_WORDS_MAX) : 0;
	word[0] = '\0';
	if (n > 0 && !rule_parse(&again, &words, n, argv))
		rule_words_at(&words, bad, word, sizeof(word));
	if (*word)
		err_set(ret, cure, "%s (at '%s')", why, word);
	else
		err_set(ret, cure, "%s", why);
	free(text);
	return at_line(ret, file, file->lines[i]);
}

static int replace_all(struct module *m, struct rule_file *file, const struct rule_list *old)
{
	uint32_t before = old->n ? old->item[0].id : 0;
	size_t i;
	int ret;

	for (i = 0; i < file->rules.n; i++) {
		ret = module_rule_add(m, &file->rules.item[i], before, &file->rules.item[i].id);
		if (ret)
			return take_back(m, file, i, refused(m, ret, file, i));
	}
	/* The new ones have come before the old, so that at no time there were neither. */
	for (i = 0; i < old->n; i++) {
		ret = module_rule_del(m, old->item[i].id);
		if (ret && ret != -ENOENT)
			return ret;
		err_clear();	/* someone else removed it */
	}
	return 0;
}

int rule_restore(struct module *m, struct rule_file *file, bool keep)
{
	struct rule_list old = { 0, NULL };
	int ret = 0;

	if (!keep)
		ret = module_rules(m, &old);
	if (ret)
		return ret;
	/* Half of it is what nobody asked for. */
	stop_begin();
	ret = replace_all(m, file, &old);
	stop_end();
	rule_list_free(&old);
	return ret;
}
