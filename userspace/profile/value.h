/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers and intervals as JSON, with as many digits as are worth anything. */
#ifndef NETTOLL_PROFILE_VALUE_H
#define NETTOLL_PROFILE_VALUE_H

#include <json-c/json.h>

#include "profile/curve.h"

/** value_real() - null for what is not finite */
struct json_object *value_real(double v);

/** value_interval() - { value, low, high, method } */
struct json_object *value_interval(const struct interval *v);

/** value_add() - add a real member */
void value_add(struct json_object *to, const char *key, double v);

#endif
