// SPDX-License-Identifier: GPL-2.0-or-later
/* Measured numbers as JSON. */
#include "lib/json_number.h"

#include <math.h>
#include <stdio.h>

struct json_object *json_number(double value, int digits)
{
	char text[64];

	if (!isfinite(value))
		return NULL;
	snprintf(text, sizeof(text), "%.*g", digits, value);
	return json_object_new_double_s(value, text);
}
