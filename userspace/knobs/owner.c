// SPDX-License-Identifier: GPL-2.0-or-later
/* Who else manages a knob: a program or a file that sets it at boot or whenever it likes. */
#include "knobs/owner.h"

#include <fnmatch.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "knobs/identity.h"
#include "knobs/ini.h"
#include "knobs/persist.h"

static const char *root = "";

void owner_root(const char *dir)
{
	root = dir;
}

static int found(struct owner *owner, const char *who, const char *path, const char *key)
{
	snprintf(owner->text, sizeof(owner->text), "%s (%.300s: %.80s)", who, path + strlen(root), key);
	return 1;
}

static bool is_family(const struct knob *knob, const char *name)
{
	return !strcmp(knob->family->name, name);
}

/* ---- sysctl.d ---- */

struct sysctl_search {
	const char *key;
	bool found;
};

/* Names are separated by dots, or by slashes when the first separator is one; '-' is "whatever comes of it". */
static int on_sysctl(const char *section, const char *key, const char *value, void *arg)
{
	struct sysctl_search *s = arg;
	char name[PATH_MAX], *c;

	(void)section;
	(void)value;
	if (*key == '-')
		key++;
	snprintf(name, sizeof(name), "%s", key);
	c = strpbrk(name, "./");
	if (c && *c == '/')
		for (; *c; c++)
			*c = *c == '/' ? '.' : *c == '.' ? '/' : *c;
	s->found |= !fnmatch(name, s->key, 0);
	return 0;
}

/* The same file name in a directory further in front takes the place of the others. */
static bool is_masked(const char *const *dirs, size_t before, const char *name)
{
	char path[PATH_MAX];
	struct stat st;
	size_t i;

	for (i = 0; i < before; i++) {
		snprintf(path, sizeof(path), "%s%s/%s", root, dirs[i], name);
		if (!lstat(path, &st))
			return true;
	}
	return false;
}

static int owner_sysctl(const struct knob *knob, struct owner *owner)
{
	static const char *const dirs[] = {
		"/etc/sysctl.d", "/run/sysctl.d", "/usr/local/lib/sysctl.d", "/usr/lib/sysctl.d"
	};
	struct sysctl_search s = { .key = knob_key(knob) };
	char path[PATH_MAX];
	glob_t g;
	size_t i, k;
	int ret = 0;

	snprintf(path, sizeof(path), "%s/etc/sysctl.conf", root);
	ini_each(path, on_sysctl, &s);
	if (s.found)
		return found(owner, "sysctl.d", path, s.key);
	for (i = 0; i < sizeof(dirs) / sizeof(*dirs) && !ret; i++) {
		snprintf(path, sizeof(path), "%s%s/*.conf", root, dirs[i]);
		if (glob(path, 0, NULL, &g))
			continue;
		for (k = 0; k < g.gl_pathc && !ret; k++) {
			if (is_masked(dirs, i, strrchr(g.gl_pathv[k], '/') + 1))
				continue;
			ini_each(g.gl_pathv[k], on_sysctl, &s);
			if (s.found)
				ret = found(owner, "sysctl.d", g.gl_pathv[k], s.key);
		}
		globfree(&g);
	}
	return ret;
}

/* ---- tuned ---- */

static const char *ethtool_word(const struct knob *knob)
{
	static const char *const words[][2] = {
		{ "rx-checksum", "rx" }, { "tx-checksum", "tx" }, { "scatter-gather", "sg" },
	};
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (is_family(knob, "offload") && !strcmp(knob_key(knob), words[i][0]))
			return words[i][1];
	return knob_key(knob);
}

/* Whether "tso off gro on" has a word. */
static bool has_word(const char *list, const char *word)
{
	size_t len = strlen(word);
	const char *p;

	for (p = list; (p = strstr(p, word)); p += len)
		if ((p == list || p[-1] == ' ' || p[-1] == ',') && (!p[len] || p[len] == ' ' || p[len] == ','))
			return true;
	return false;
}

static bool tuned_file(const char *name, char *path, size_t size)
{
	static const char *const dirs[] = {
		"/etc/tuned/profiles", "/etc/tuned", "/usr/lib/tuned/profiles", "/usr/lib/tuned"
	};
	struct stat st;
	size_t i;

	for (i = 0; i < sizeof(dirs) / sizeof(*dirs); i++) {
		snprintf(path, size, "%s%s/%s/tuned.conf", root, dirs[i], name);
		if (!stat(path, &st))
			return true;
	}
	return false;
}

static int owner_tuned_profile(const struct knob *knob, const char *name, struct owner *owner, int depth)
{
	static const char *const lists[][2] = {
		{ "offload", "features" }, { "coalesce", "coalesce" }, { "ring", "ring" },
		{ "channels", "channels" }, { "pause", "pause" },
	};
	char path[PATH_MAX], value[1024], who[96];
	size_t i;

	if (depth > 8 || !tuned_file(name, path, sizeof(path)))
		return 0;
	snprintf(who, sizeof(who), "tuned, profile %.64s", name);
	if (is_family(knob, "sysctl") && ini_get(path, "sysctl", knob_key(knob), NULL, 0))
		return found(owner, who, path, knob_key(knob));
	if (!strcmp(knob->name, "host.governor") && ini_get(path, "cpu", "governor", NULL, 0))
		return found(owner, who, path, "governor");
	if (!strcmp(knob->name, "host.thp") && ini_get(path, "vm", "transparent_hugepages", NULL, 0))
		return found(owner, who, path, "transparent_hugepages");
	if (is_family(knob, "link") && ini_get(path, "net", knob_key(knob), NULL, 0))
		return found(owner, who, path, knob_key(knob));
	for (i = 0; i < sizeof(lists) / sizeof(*lists); i++)
		if (is_family(knob, lists[i][0]) && ini_get(path, "net", lists[i][1], value, sizeof(value)) &&
		    has_word(value, ethtool_word(knob)))
			return found(owner, who, path, lists[i][1]);
	/* What a profile does not say, the one that it includes may. */
	if (ini_get(path, "main", "include", value, sizeof(value)))
		return owner_tuned_profile(knob, value, owner, depth + 1);
	return 0;
}

static int owner_tuned(const struct knob *knob, struct owner *owner)
{
	char path[PATH_MAX], line[512], *name, *save = NULL;
	struct stat st;
	FILE *f;
	int ret = 0;

	snprintf(path, sizeof(path), "%s/run/tuned/tuned.pid", root);
	if (stat(path, &st))
		return 0;
	snprintf(path, sizeof(path), "%s/etc/tuned/active_profile", root);
	f = fopen(path, "re");
	if (!f)
		return 0;
	if (fgets(line, sizeof(line), f))
		for (name = strtok_r(line, "\n ", &save); name && !ret; name = strtok_r(NULL, "\n ", &save))
			ret = owner_tuned_profile(knob, name, owner, 0);
	fclose(f);
	return ret;
}

/* ---- systemd: .link and .network ---- */

/* A file or one of the drop-ins that go with its name. */
static int in_systemd_file(const char *who, const char *file, const char *section, const char *key, struct owner *owner)
{
	static const char *const dirs[] = { "/etc", "/run", "/usr/local/lib", "/usr/lib" };
	const char *base = strrchr(file, '/');
	char path[PATH_MAX];
	glob_t g;
	size_t i, k;
	int ret = 0;

	snprintf(path, sizeof(path), "%s%s", root, file);
	if (ini_get(path, section, key, NULL, 0))
		return found(owner, who, path, key);
	for (i = 0; i < sizeof(dirs) / sizeof(*dirs) && base && !ret; i++) {
		snprintf(path, sizeof(path), "%s%s/systemd/network%s.d/*.conf", root, dirs[i], base);
		if (glob(path, 0, NULL, &g))
			continue;
		for (k = 0; k < g.gl_pathc && !ret; k++)
			if (ini_get(g.gl_pathv[k], section, key, NULL, 0))
				ret = found(owner, who, g.gl_pathv[k], key);
		globfree(&g);
	}
	return ret;
}

static int owner_networkd(const struct knob *knob, int index, struct owner *owner)
{
	static const char *const qdiscs[] = {
		"QDisc", "TokenBucketFilter", "FairQueueing", "FairQueueingControlledDelay", "NetworkEmulator", "CAKE"
	};
	static const char who[] = "systemd-networkd";
	char path[PATH_MAX], file[PATH_MAX];
	size_t i;
	int ret = 0;

	snprintf(path, sizeof(path), "%s/run/systemd/netif/links/%d", root, index);
	if (!ini_get(path, NULL, "NETWORK_FILE", file, sizeof(file)))
		return 0;
	if (!strcmp(knob->name, "link.mtu"))
		return in_systemd_file(who, file, "Link", "MTUBytes", owner);
	if (!strncmp(knob->name, "route.initcwnd.", 15))
		return in_systemd_file(who, file, "Route", "InitialCongestionWindow", owner);
	if (!strncmp(knob->name, "route.initrwnd.", 15))
		return in_systemd_file(who, file, "Route", "InitialAdvertisedReceiveWindow", owner);
	for (i = 0; is_family(knob, "qdisc") && i < sizeof(qdiscs) / sizeof(*qdiscs) && !ret; i++)
		ret = in_systemd_file(who, file, qdiscs[i], "Parent", owner);
	return ret;
}

static int owner_link_file(const struct knob *knob, int index, struct owner *owner)
{
	const char *key = persist_link_key(knob->name);
	char path[PATH_MAX], file[PATH_MAX];

	if (!key)
		return 0;
	snprintf(path, sizeof(path), "%s/run/udev/data/n%d", root, index);
	if (!ini_get(path, NULL, "E:ID_NET_LINK_FILE", file, sizeof(file)))
		return 0;
	return in_systemd_file("udev", file, "Link", key, owner);
}

/* ---- NetworkManager ---- */

static int owner_networkmanager(const struct knob *knob, int index, struct owner *owner)
{
	static const char *const lists[][2] = {
		{ "offload", "feature" }, { "coalesce", "coalesce" }, { "ring", "ring" },
		{ "channels", "channels" }, { "pause", "pause" }, { "eee", "eee" },
	};
	static const char *const dirs[] = { "/etc", "/run", "/usr/lib" };
	char path[PATH_MAX], uuid[64], its[64], key[KNOB_NAME_MAX + 16] = "", who[64] = "NetworkManager";
	size_t i, k;
	glob_t g;
	int ret = 0;

	snprintf(path, sizeof(path), "%s/run/NetworkManager/devices/%d", root, index);
	if (!ini_get(path, "device", "managed", its, sizeof(its)) || strcmp(its, "true") ||
	    !ini_get(path, "device", "connection-uuid", uuid, sizeof(uuid)))
		return 0;
	if (is_family(knob, "route"))
		return found(owner, who, path, "routes");
	if (!strcmp(knob->name, "link.mtu"))
		strcpy(key, "mtu");
	for (i = 0; i < sizeof(lists) / sizeof(*lists); i++)
		if (is_family(knob, lists[i][0]))
			snprintf(key, sizeof(key), "%s-%s", lists[i][1], ethtool_word(knob));
	for (i = 0; i < sizeof(dirs) / sizeof(*dirs) && key[0] && !ret; i++) {
		snprintf(path, sizeof(path), "%s%s/NetworkManager/system-connections/*", root, dirs[i]);
		if (glob(path, 0, NULL, &g))
			continue;
		for (k = 0; k < g.gl_pathc && !ret; k++)
			if (ini_get(g.gl_pathv[k], "connection", "uuid", its, sizeof(its)) && !strcmp(its, uuid) &&
			    ini_get(g.gl_pathv[k], NULL, key, NULL, 0))
				ret = found(owner, who, g.gl_pathv[k], key);
		globfree(&g);
	}
	return ret;
}

/* ---- ifupdown ---- */

/* "iface e0 inet static", then indented "mtu 9000", "offload-tso off", "hardware-dma-ring-rx 512" and the like. */
static int in_interfaces(const char *path, const struct knob *knob, const char *dev, struct owner *owner)
{
	static const char *const words[][2] = {
		{ "offload", "offload" }, { "ring", "hardware-dma-ring" }, { "coalesce", "ethernet-coalesce" },
		{ "pause", "ethernet-pause" },
	};
	char line[1024], first[128], second[128], key[KNOB_NAME_MAX + 32] = "";
	FILE *f = fopen(path, "re");
	bool ours = false;
	size_t i;
	int ret = 0, n;

	if (!strcmp(knob->name, "link.mtu"))
		strcpy(key, "mtu");
	for (i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (is_family(knob, words[i][0]))
			snprintf(key, sizeof(key), "%s-%s", words[i][1], ethtool_word(knob));
	while (f && !ret && fgets(line, sizeof(line), f)) {
		n = sscanf(line, " %127s %127s", first, second);
		if (n < 2 || first[0] == '#')
			continue;
		if (!strcmp(first, "iface"))
			ours = !strcmp(second, dev);
		else if (ours && !strcmp(first, key))
			ret = found(owner, "ifupdown", path, key);
	}
	if (f)
		fclose(f);
	return ret;
}

static int owner_ifupdown(const struct knob *knob, const char *dev, struct owner *owner)
{
	char path[PATH_MAX];
	glob_t g;
	size_t i;
	int ret;

	snprintf(path, sizeof(path), "%s/etc/network/interfaces", root);
	ret = in_interfaces(path, knob, dev, owner);
	snprintf(path, sizeof(path), "%s/etc/network/interfaces.d/*", root);
	if (ret || glob(path, 0, NULL, &g))
		return ret;
	for (i = 0; i < g.gl_pathc && !ret; i++)
		ret = in_interfaces(g.gl_pathv[i], knob, dev, owner);
	globfree(&g);
	return ret;
}

/* Whether we are where those programs work. */
static bool is_at_home(void)
{
	struct stat ours, first;

	return *root || stat("/proc/self/ns/net", &ours) || stat("/proc/1/ns/net", &first) ||
	       ours.st_ino == first.st_ino;
}

int owner_find(const struct knob *knob, const struct knob_place *place, struct owner *owner)
{
	struct identity id;
	int index, ret;

	owner->text[0] = '\0';
	if (place->netns[0] || !is_at_home())
		return 0;
	ret = owner_tuned(knob, owner);
	if (!ret && is_family(knob, "sysctl"))
		ret = owner_sysctl(knob, owner);
	if (ret || !place->dev[0])
		return ret;
	index = identify(place, &id);
	if (index > 0)
		ret = owner_networkmanager(knob, index, owner);
	if (!ret && index > 0)
		ret = owner_networkd(knob, index, owner);
	if (!ret && index > 0)
		ret = owner_link_file(knob, index, owner);
	return ret ? ret : owner_ifupdown(knob, place->dev, owner);
}
