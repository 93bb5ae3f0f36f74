/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Measured numbers as JSON. */
#ifndef NETTOLL_LIB_JSON_NUMBER_H
#define NETTOLL_LIB_JSON_NUMBER_H

#include <json-c/json.h>

/** json_number() - with so many significant digits; null for what is not finite */
struct json_object *json_number(double value, int digits);

#endif
