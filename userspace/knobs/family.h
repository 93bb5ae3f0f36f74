/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The families of knobs, one a file. */
#ifndef NETTOLL_KNOBS_FAMILY_H
#define NETTOLL_KNOBS_FAMILY_H

#include "knobs/knob.h"

extern const struct knob_family knob_link;	/* MTU, length of the transmit queue, sizes of merged packets */
extern const struct knob_family knob_offload;	/* ethtool -K */
extern const struct knob_family knob_coalesce;	/* ethtool -C */
extern const struct knob_family knob_ring;	/* ethtool -G */
extern const struct knob_family knob_channels;	/* ethtool -L */
extern const struct knob_family knob_pause;	/* ethtool -A */
extern const struct knob_family knob_eee;	/* ethtool --set-eee */
extern const struct knob_family knob_napi;	/* deferral of interrupts, threaded polling */
extern const struct knob_family knob_steer;	/* RPS and XPS: which CPUs serve which queue */
extern const struct knob_family knob_irq;	/* which CPUs serve which interrupt of a device */
extern const struct knob_family knob_pci;	/* bursts on the bus */
extern const struct knob_family knob_qdisc;	/* the root queueing discipline: the line's rate */
extern const struct knob_family knob_route;	/* initial windows of the routes that leave by a device */
extern const struct knob_family knob_sysctl;	/* net.*, vm.* and the like */
extern const struct knob_family knob_host;	/* frequency governor, transparent huge pages */
extern const struct knob_family knob_account;	/* the nettoll module itself */

#endif
