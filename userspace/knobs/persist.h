/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a setting is written down so that the next boot has it: and so, who else may have done that. */
#ifndef NETTOLL_KNOBS_PERSIST_H
#define NETTOLL_KNOBS_PERSIST_H

#include "knobs/knob.h"

/** persist_link_key() - what systemd.link(5) calls a knob; NULL when it does not know it */
const char *persist_link_key(const char *knob);

/** persist_hint() - a line that says how a value could be had at boot; false when nothing is known */
bool persist_hint(const struct knob *knob, const char *value, char text[KNOB_TEXT_MAX]);

#endif
