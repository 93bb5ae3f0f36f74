// SPDX-License-Identifier: GPL-2.0-or-later
/* Layers and hooks named on the command line. */
#include "cmd/target.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/args.h"
#include "lib/err.h"

static int add_layer(struct targets *t, uint32_t layer)
{
	size_t i;

	for (i = 0; i < t->nlayers; i++)
		if (t->layers[i] == layer)
			return 0;
	t->layers[t->nlayers++] = layer;
	return 0;
}

static int add_hook(struct targets *t, const char *name)
{
	const char **hooks;
	size_t i;

	for (i = 0; i < t->nhooks; i++)
		if (!strcmp(t->hooks[i], name))
			return 0;
	hooks = reallocarray(t->hooks, t->nhooks + 1, sizeof(*hooks));
	if (!hooks)
		return err_set(-ENOMEM, NULL, "out of memory");
	t->hooks = hooks;
	hooks[t->nhooks++] = name;
	return 0;
}

static int unknown(const struct hook_list *hooks, enum target_kind kind, const char *word)
{
	static const char *const nouns[] = { "layer or hook", "layer", "hook" };
	static const char *const lists[] = { "nettoll show layers and nettoll hooks list them",
					     "nettoll show layers lists them",
					     "nettoll hooks lists them" };
	const char **names = calloc(hooks->n + MODEL_LAYERS, sizeof(*names));
	const char *near = NULL;
	size_t i, n = 0;
	int ret;

	for (i = 0; names && kind != TARGET_HOOK && i < MODEL_LAYERS; i++)
		names[n++] = model_layer_names[i];
	for (i = 0; names && kind != TARGET_LAYER && i < hooks->n; i++)
		names[n++] = hooks->hook[i].name;
	if (names)
		near = nearest_word(word, names, n);
	ret = err_set(-ENOENT, lists[kind], near ? "there is no %s '%s', did you mean '%s'?" :
		      "there is no %s '%s'", nouns[kind], word, near);
	free(names);
	return ret;
}

int target_add(struct targets *t, const struct hook_list *hooks, enum target_kind kind,
	       const char *word)
{
	const struct hook_info *h;
	size_t i;

	for (i = 0; kind != TARGET_HOOK && i < MODEL_LAYERS; i++)
		if (!strcmp(model_layer_names[i], word))
			return add_layer(t, (uint32_t)i);
	for (i = 0; kind != TARGET_LAYER && i < hooks->n; i++) {
		h = &hooks->hook[i];
		if (!strcmp(h->name, word) || (h->symbol[0] && !strcmp(h->symbol, word)))
			return add_hook(t, h->name);
	}
	return unknown(hooks, kind, word);
}

bool target_has(const struct targets *t, const struct hook_info *hook)
{
	size_t i;

	for (i = 0; i < t->nlayers; i++)
		if (t->layers[i] == hook->layer)
			return true;
	for (i = 0; i < t->nhooks; i++)
		if (!strcmp(t->hooks[i], hook->name))
			return true;
	return !t->nlayers && !t->nhooks;
}

void targets_free(struct targets *t)
{
	free(t->hooks);
	*t = (struct targets) { 0 };
}
