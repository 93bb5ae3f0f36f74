// SPDX-License-Identifier: GPL-2.0-or-later
/* Who manages a knob, in trees of files as the managers leave them; with lo, whose number is 1. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "knobs/owner.h"
#include "knobs/persist.h"
#include "lib/err.h"

static char top[64];

static int setup(void **state)
{
	(void)state;
	strcpy(top, "/tmp/nettoll-owner-XXXXXX");
	if (!mkdtemp(top))
		return -1;
	owner_root(top);
	return 0;
}

static int teardown(void **state)
{
	char command[96];

	(void)state;
	owner_root("");
	snprintf(command, sizeof(command), "rm -r '%s'", top);
	return system(command);
}

static void have(const char *file, const char *text)
{
	char path[256], *slash;
	FILE *f;

	snprintf(path, sizeof(path), "%s%s", top, file);
	for (slash = path + strlen(top) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		assert_true(!mkdir(path, 0755) || errno == EEXIST);
		*slash = '/';
	}
	f = fopen(path, "w");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

/* @says NULL: nobody. */
static void expect_owner(const char *name, const char *says)
{
	struct knob_place place = { .dev = "lo" };
	struct owner owner;
	struct knob knob;
	int ret;

	assert_int_equal(knob_find(name, &knob), 0);
	if (!knob.family->per_device)
		place.dev[0] = '\0';
	ret = owner_find(&knob, &place, &owner);
	assert_int_equal(ret, says ? 1 : 0);
	if (says && !strstr(owner.text, says))
		fail_msg("'%s' does not say '%s'", owner.text, says);
	/* They do not know of other namespaces. */
	strcpy(place.netns, "elsewhere");
	assert_int_equal(owner_find(&knob, &place, &owner), 0);
}

static void nobody(void **state)
{
	(void)state;
	expect_owner("link.mtu", NULL);
	expect_owner("sysctl.net.core.rmem_max", NULL);
	expect_owner("host.thp", NULL);
}

static void sysctl_d(void **state)
{
	(void)state;
	have("/etc/sysctl.d/50-net.conf", "# net.core.wmem_max = 1\n net.core.rmem_max=16777216\n"
	     "-net/ipv4/tcp_sack = 1\nnet.ipv4.udp_* = 5\n");
	have("/usr/lib/sysctl.d/60-more.conf", "net.core.somaxconn = 1\n");
	have("/usr/lib/sysctl.d/50-net.conf", "net.core.optmem_max = 1\n");
	have("/etc/sysctl.d/README", "net.ipv4.tcp_ecn = 1\n");
	expect_owner("sysctl.net.core.rmem_max", "sysctl.d (/etc/sysctl.d/50-net.conf: net.core.rmem_max)");
	expect_owner("sysctl.net.core.wmem_max", NULL);
	expect_owner("sysctl.net.ipv4.tcp_sack", "50-net.conf");
	expect_owner("sysctl.net.ipv4.udp_mem", "50-net.conf");
	expect_owner("sysctl.net.core.somaxconn", "/usr/lib/sysctl.d/60-more.conf");
	/* Masked by the file of the same name in front, and no .conf. */
	expect_owner("sysctl.net.core.optmem_max", NULL);
	expect_owner("sysctl.net.ipv4.tcp_ecn", NULL);
	have("/etc/sysctl.conf", "net.ipv4.tcp_ecn = 1\n");
	expect_owner("sysctl.net.ipv4.tcp_ecn", "/etc/sysctl.conf");
}

static void tuned(void **state)
{
	(void)state;
	have("/etc/tuned/active_profile", "mine\n");
	have("/usr/lib/tuned/mine/tuned.conf", "[main]\ninclude=base\n[net]\nfeatures=tso off gro on\nmtu=9000\n");
	have("/usr/lib/tuned/profiles/base/tuned.conf", "[sysctl]\nnet.core.busy_read=50\n[cpu]\ngovernor=performance\n"
	     "[vm]\ntransparent_hugepages=never\n");
	/* A profile that nobody enforces. */
	expect_owner("host.thp", NULL);
	have("/run/tuned/tuned.pid", "1\n");
	expect_owner("host.thp", "tuned, profile base");
	expect_owner("host.governor", "tuned, profile base");
	expect_owner("sysctl.net.core.busy_read", "profile base");
	expect_owner("sysctl.net.core.busy_poll", NULL);
	expect_owner("offload.tso", "tuned, profile mine (/usr/lib/tuned/mine/tuned.conf: features)");
	expect_owner("offload.gso", NULL);
	expect_owner("link.mtu", "profile mine");
	expect_owner("ring.rx", NULL);
	/* One that includes itself. */
	have("/usr/lib/tuned/mine/tuned.conf", "[main]\ninclude=mine\n");
	expect_owner("host.thp", NULL);
}

static void systemd(void **state)
{
	(void)state;
	have("/run/udev/data/n1", "E:ID_NET_LINK_FILE=/etc/systemd/network/10-lan.link\nE:ID_BUS=pci\n");
	have("/etc/systemd/network/10-lan.link", "[Match]\nOriginalName=lo\n[Link]\nRxBufferSize=4096\n");
	have("/usr/lib/systemd/network/10-lan.link.d/more.conf", "[Link]\nTCPSegmentationOffload=false\n");
	expect_owner("ring.rx", "udev (/etc/systemd/network/10-lan.link: RxBufferSize)");
	expect_owner("ring.tx", NULL);
	expect_owner("offload.tso", "10-lan.link.d/more.conf");
	expect_owner("link.mtu", NULL);
	have("/run/systemd/netif/links/1", "ADMIN_STATE=configured\nNETWORK_FILE=/run/systemd/network/a.network\n");
	have("/run/systemd/network/a.network", "[Link]\nMTUBytes=9000\n[Route]\nInitialCongestionWindow=30\n"
	     "[FairQueueing]\nParent=root\n");
	expect_owner("link.mtu", "systemd-networkd (/run/systemd/network/a.network: MTUBytes)");
	expect_owner("route.initcwnd.default", "InitialCongestionWindow");
	expect_owner("route.initrwnd.default", NULL);
	expect_owner("qdisc.root", "systemd-networkd");
}

static void networkmanager(void **state)
{
	(void)state;
	have("/run/NetworkManager/devices/1", "[device]\nmanaged=true\nconnection-uuid=12-34\n");
	have("/etc/NetworkManager/system-connections/lan.nmconnection",
	     "[connection]\nuuid=12-34\n[ethernet]\nmtu=9000\n[ethtool]\nfeature-tso=false\nring-rx=512\n");
	have("/etc/NetworkManager/system-connections/other.nmconnection",
	     "[connection]\nuuid=56-78\n[ethtool]\nring-tx=512\n");
	expect_owner("link.mtu", "NetworkManager (/etc/NetworkManager/system-connections/lan.nmconnection: mtu)");
	expect_owner("offload.tso", "feature-tso");
	expect_owner("offload.gro", NULL);
	expect_owner("ring.rx", "ring-rx");
	expect_owner("ring.tx", NULL);
	expect_owner("route.initcwnd.default", "NetworkManager");
	have("/run/NetworkManager/devices/1", "[device]\nmanaged=false\nconnection-uuid=12-34\n");
	expect_owner("link.mtu", NULL);
}

static void ifupdown(void **state)
{
	(void)state;
	have("/etc/network/interfaces", "source interfaces.d/*\niface eth9 inet dhcp\n\tmtu 9000\n");
	have("/etc/network/interfaces.d/lo", "iface lo inet loopback\n    offload-tx off\n    hardware-dma-ring-rx 512\n"
	     "#   mtu 1500\n");
	expect_owner("link.mtu", NULL);
	expect_owner("offload.tx-checksum", "ifupdown (/etc/network/interfaces.d/lo: offload-tx)");
	expect_owner("ring.rx", "hardware-dma-ring-rx");
	have("/etc/network/interfaces", "iface lo inet loopback\n\tmtu 9000\n");
	expect_owner("link.mtu", "ifupdown (/etc/network/interfaces: mtu)");
}

static void hints(void **state)
{
	static const struct { const char *knob, *value, *says; } cases[] = {
		{ "sysctl.net.core.rmem_max", "1", "net.core.rmem_max = 1" },
		{ "coalesce.rx-usecs", "20", "RxCoalesceSec=20us" },
		{ "link.mtu", "9000", "MTUBytes=9000" },
		{ "steer.rps-0", "0-3", "nettoll knob set DEVICE steer.rps-0=0-3" },
		{ "host.thp", "never", "nettoll knob set host.thp=never" },
	};
	char text[KNOB_TEXT_MAX];
	struct knob knob;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_int_equal(knob_find(cases[i].knob, &knob), 0);
		assert_true(persist_hint(&knob, cases[i].value, text));
		assert_non_null(strstr(text, cases[i].says));
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(nobody, setup, teardown),
		cmocka_unit_test_setup_teardown(sysctl_d, setup, teardown),
		cmocka_unit_test_setup_teardown(tuned, setup, teardown),
		cmocka_unit_test_setup_teardown(systemd, setup, teardown),
		cmocka_unit_test_setup_teardown(networkmanager, setup, teardown),
		cmocka_unit_test_setup_teardown(ifupdown, setup, teardown),
		cmocka_unit_test(hints),
	};

	return cmocka_run_group_tests_name("owner", tests, NULL, NULL);
}
