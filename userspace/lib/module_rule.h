/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The module's requests about rules, in the network namespace in which the connection was opened. */
#ifndef NETTOLL_LIB_MODULE_RULE_H
#define NETTOLL_LIB_MODULE_RULE_H

#include "lib/module.h"
#include "lib/rule.h"

/* As those of lib/module.h, these return 0 or a negative errno described by err_set(). */

/** module_rules() - all rules in their order */
int module_rules(struct module *module, struct rule_list *list);

/** module_rule_get() - append the rule of that number to a list; -ENOENT when there is none */
int module_rule_get(struct module *module, uint32_t id, struct rule_list *list);

/**
 * module_rule_add() - add a rule
 * @before: number of the one to add it before; 0: at the end
 * @id: the number it was given
 */
int module_rule_add(struct module *module, const struct rule *rule, uint32_t before, uint32_t *id);

/** module_rule_set() - put a rule in the place of the one whose number it has */
int module_rule_set(struct module *module, const struct rule *rule);

/** module_rule_del(), module_rule_flush() - remove one; remove all */
int module_rule_del(struct module *module, uint32_t id);
int module_rule_flush(struct module *module);

/** module_bad_attr() - NETTOLL_A_RULE_ attribute that the last refusal was about; 0: it did not say */
int module_bad_attr(const struct module *module);

/* The two halves, for the tests: a rule to attributes, and attributes to a rule that is all zero. */
struct nlk_request;
void module_rule_put(struct nlk_request *req, const struct rule *rule);
int module_rule_take(struct rule *rule, const void *attrs, size_t len);

#endif
