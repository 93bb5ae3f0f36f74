// SPDX-License-Identifier: GPL-2.0-or-later
/* Numbers and intervals as JSON, with as many digits as are worth anything. */
#include "profile/value.h"

#include "lib/json_number.h"

#define DIGITS	9

struct json_object *value_real(double v)
{
	/* -0 is no number that people know. */
	return json_number(v == 0 ? 0 : v, DIGITS);
}

void value_add(struct json_object *to, const char *key, double v)
{
	json_object_object_add(to, key, value_real(v));
}

struct json_object *value_interval(const struct interval *v)
{
	struct json_object *o = json_object_new_object();

	value_add(o, "value", v->value);
	value_add(o, "low", v->low);
	value_add(o, "high", v->high);
	json_object_object_add(o, "method", json_object_new_string(interval_word(v->how)));
	return o;
}
