/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What ethtool shows and sets of a device, by the ethtool netlink family. */
#ifndef NETTOLL_LIB_NL_ETHTOOL_H
#define NETTOLL_LIB_NL_ETHTOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * All act in the network namespace of the calling thread, and return 0 or a negative errno
 * described by err_set().
 */

#define ETH_NAME_MAX	32

/**
 * struct eth_feature - an offload
 * @name: the kernel's word: "tx-tcp-segmentation"
 * @active: at work now
 * @wanted: asked for; at work only while what it depends on is, too
 * @fixed: cannot be changed
 */
struct eth_feature {
	char name[ETH_NAME_MAX];
	bool active;
	bool wanted;
	bool fixed;
};

struct eth_features {
	size_t n;
	struct eth_feature *feature;
};

int eth_features_get(const char *dev, struct eth_features *features);
void eth_features_free(struct eth_features *features);

/** eth_feature_find() - by name; NULL when the kernel knows none */
const struct eth_feature *eth_feature_find(const struct eth_features *features, const char *name);

/** struct eth_feature_change - what one offload is to become */
struct eth_feature_change {
	const char *name;
	bool on;
};

/** eth_features_set() - ask for offloads; see eth_features_get() for what came of it */
int eth_features_set(const char *dev, const struct eth_feature_change *change, size_t n);

/**
 * enum eth_param - numbers that ethtool -c and -C, -g and -G, -l and -L, -a and -A, --show-eee and --set-eee know
 *
 * Order of the table in nl_ethtool.c.
 */
enum eth_param {
	ETH_RX_USECS,
	ETH_RX_FRAMES,
	ETH_TX_USECS,
	ETH_TX_FRAMES,
	ETH_ADAPTIVE_RX,
	ETH_ADAPTIVE_TX,
	ETH_RX_RING,
	ETH_TX_RING,
	ETH_RX_CHANNELS,
	ETH_TX_CHANNELS,
	ETH_OTHER_CHANNELS,
	ETH_COMBINED_CHANNELS,
	ETH_PAUSE_AUTONEG,
	ETH_PAUSE_RX,
	ETH_PAUSE_TX,
	ETH_EEE_ENABLED,
	ETH_EEE_TX_LPI_ENABLED,
	ETH_EEE_TX_LPI_TIMER,
	ETH_NPARAMS
};

/**
 * eth_param_get() - read one
 * @max: largest value, 0 when the driver does not say; may be NULL
 *
 * Return: -EOPNOTSUPP when the driver has no such thing.
 */
int eth_param_get(const char *dev, enum eth_param param, uint32_t *value, uint32_t *max);
int eth_param_set(const char *dev, enum eth_param param, uint32_t value);

#endif
