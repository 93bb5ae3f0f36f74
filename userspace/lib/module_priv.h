/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files that speak to the module share, and nobody else includes. */
#ifndef NETTOLL_LIB_MODULE_PRIV_H
#define NETTOLL_LIB_MODULE_PRIV_H

#include "lib/module.h"
#include "lib/nl.h"

struct module {
	struct nlk_conn *conn;
};

/** module_request() - begin a request; see nlk_request() */
struct nlk_request *module_request(struct module *module, uint16_t cmd);

/** module_dump() - as nlk_dump(), into a list that is empty after an error */
int module_dump(struct module *module, struct nlk_request *req, nlk_fn take,
		void (*empty)(void *list), void *list);

/**
 * module_explain() - say what a refusal means
 * @ret: what nlk_do() or nlk_dump() returned
 * @what: what was asked: "list the hooks"
 *
 * Also where the kernel gave no words of its own: it has none for a lack of privilege, which is
 * found before the module is asked. Return: @ret, or the errno of what it means.
 */
int module_explain(int ret, const char *what);

/**
 * module_list_add() - one more element at the end of a list, all zero
 * @array: address of the pointer to the first
 *
 * Return: the element, NULL without memory.
 */
void *module_list_add(void *array, size_t *n, size_t size);

/* thing_list_free(), and the same for module_dump() as empty_things(). */
#define DEFINE_LIST_FREE(thing)				\
void thing##_list_free(struct thing##_list *list)	\
{							\
	free(list->item);				\
	*list = (struct thing##_list) { 0, NULL };	\
}							\
							\
static void empty_##thing##s(void *list)		\
{							\
	thing##_list_free(list);			\
}

#endif
