/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The scalar settings, shared by netlink and sysctl.
 */
#ifndef NETTOLL_CONTROL_SETTINGS_H
#define NETTOLL_CONTROL_SETTINGS_H

#include <linux/types.h>

/**
 * struct nettoll_setting - one scalar
 * @name: its name, also below net.nettoll
 * @doc: what it does, with its unit
 * @min: least value
 * @max: greatest value
 * @preset: value at load
 * @get: read it
 * @set: change it, within the bounds; called under nettoll_account_lock
 */
struct nettoll_setting {
	const char *name;
	const char *doc;
	u64 min;
	u64 max;
	u64 preset;
	u64 (*get)(void);
	int (*set)(u64 value);
};

enum {
	NETTOLL_SETTING_ACCOUNT,
	NETTOLL_SETTING_BACKEND,
	NETTOLL_SETTING_NUDGE_MS,
	NETTOLL_SETTINGS,
};

extern const struct nettoll_setting nettoll_settings[NETTOLL_SETTINGS];

const struct nettoll_setting *nettoll_setting_find(const char *name);
int nettoll_setting_set(const struct nettoll_setting *s, u64 value, u32 pid);
u64 nettoll_default_backend(void);

#endif /* NETTOLL_CONTROL_SETTINGS_H */
