/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Measured numbers as JSON. */
#ifndef NETTOLL_LIB_JSON_NUMBER_H
#define NETTOLL_LIB_JSON_NUMBER_H

#include <json-c/json.h>

/** json_number() - with ten digits, which are more than any measurement has; null for what is not finite */
struct json_object *json_number(double value);

#endif
