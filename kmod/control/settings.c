// SPDX-License-Identifier: GPL-2.0-only
/*
 * The scalar settings: one table, read and written by netlink and sysctl alike.
 */
#include <linux/errno.h>
#include <linux/string.h>

#include "../account/account.h"
#include "../account/duty.h"
#include "netlink.h"
#include "settings.h"

static u64 default_backend = NETTOLL_BACKEND_AUTO;

static u64 account_get(void)
{
	return nettoll_duty_hooks() || nettoll_account_attached();
}

static int account_set(u64 value)
{
	DECLARE_BITMAP(all, NETTOLL_HOOKS);
	struct nettoll_outcome out;
	int err;

	nettoll_duty_stop();
	bitmap_fill(all, NETTOLL_HOOKS);
	if (value) {
		err = nettoll_account_attach(all, nettoll_default_backend(), false, &out);
		if (!err && !nettoll_account_attached())
			err = out.first >= 0 ? nettoll_hooks[out.first].error : -EOPNOTSUPP;
	} else {
		err = nettoll_account_detach(all, &out);
	}
	return err;
}

static u64 backend_get(void)
{
	return nettoll_default_backend();
}

static int backend_set(u64 value)
{
	if (!(nettoll_backend_mask() & BIT(value)))
		return -EOPNOTSUPP;
	WRITE_ONCE(default_backend, value);
	return 0;
}

static u64 nudge_get(void)
{
	return READ_ONCE(nettoll_nudge_ms);
}

static int nudge_set(u64 value)
{
	WRITE_ONCE(nettoll_nudge_ms, value);
	return 0;
}

const struct nettoll_setting nettoll_settings[NETTOLL_SETTINGS] = {
	[NETTOLL_SETTING_ACCOUNT] = {
		.name = "account",
		.doc = "1 attaches all hooks, 0 detaches all",
		.max = 1,
		.get = account_get,
		.set = account_set,
	},
	[NETTOLL_SETTING_BACKEND] = {
		.name = "backend",
		.doc = "backend of an attach that names none: 0 auto, 1 direct, 2 kretprobe, 3 fprobe",
		.max = NETTOLL_BACKEND_FPROBE,
		.get = backend_get,
		.set = backend_set,
	},
	[NETTOLL_SETTING_NUDGE_MS] = {
		.name = "nudge_ms",
		.doc = "milliseconds that an unload gives sleeping tasks to leave by themselves before it wakes them",
		.max = 10000,
		.preset = 100,
		.get = nudge_get,
		.set = nudge_set,
	},
};

/** nettoll_default_backend() - backend of an attach that names none */
u64 nettoll_default_backend(void)
{
	return READ_ONCE(default_backend);
}

/**
 * nettoll_setting_find() - a setting by its name
 * @name: its name
 *
 * Return: the setting, or NULL.
 */
const struct nettoll_setting *nettoll_setting_find(const char *name)
{
	int i;

	for (i = 0; i < NETTOLL_SETTINGS; i++)
		if (!strcmp(nettoll_settings[i].name, name))
			return &nettoll_settings[i];
	return NULL;
}

/**
 * nettoll_setting_set() - change a setting and tell the listeners
 * @s: the setting
 * @value: its new value
 * @pid: who asks, for the notification
 *
 * A value that it has already is no change.
 *
 * Return: 0, -ERANGE out of bounds, or why it cannot be had.
 */
int nettoll_setting_set(const struct nettoll_setting *s, u64 value, u32 pid)
{
	bool changed = false;
	int err = 0;

	if (value < s->min || value > s->max)
		return -ERANGE;
	mutex_lock(&nettoll_account_lock);
	if (s->get() != value) {
		err = s->set(value);
		changed = !err;
		if (changed)
			nettoll_account_touch();
	}
	mutex_unlock(&nettoll_account_lock);
	if (changed)
		nettoll_notify_setting(s, value, pid);
	return err;
}
