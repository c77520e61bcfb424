/* SPDX-License-Identifier: GPL-2.0 */
/* `ethtool -c` and `-C`: what the user wants of a queue's events, for both ends. */
#ifndef _PVNET_COALESCE_H
#define _PVNET_COALESCE_H

#include <linux/types.h>

#include <pvnet/batch.h>

struct ethtool_coalesce;
struct netlink_ext_ack;

/* What `-C` takes at both ends, and in the frontend. */
#define PVN_COALESCE_RX		(ETHTOOL_COALESCE_RX_USECS | ETHTOOL_COALESCE_RX_MAX_FRAMES | \
				 ETHTOOL_COALESCE_USE_ADAPTIVE_RX)
#define PVN_COALESCE_TX		(ETHTOOL_COALESCE_TX_MAX_FRAMES | ETHTOOL_COALESCE_USE_ADAPTIVE_TX)

#define PVN_COALESCE_USECS_MAX	10000u
#define PVN_COALESCE_TX_MAX	128u

/**
 * struct pvn_coalesce - settings of a queue
 * @rx_usecs: how long a received slot may wait, at most
 * @rx_frames: how many may wait, 1 to PVN_BATCH_MAX; adaptive: at most
 * @adaptive_rx: the rate decides, within the two
 * @tx_frames: frontend: answers to wait for, 1 to PVN_COALESCE_TX_MAX, never more than half
 *	of what is in flight
 * @adaptive_tx: frontend: as many as that
 *
 * Written under RTNL, read by NAPI at any time.
 */
struct pvn_coalesce {
	u32 rx_usecs;
	u32 rx_frames;
	bool adaptive_rx;
	u32 tx_frames;
	bool adaptive_tx;
};

void pvn_coalesce_init(struct pvn_coalesce *set, unsigned int nr);
void pvn_coalesce_get(const struct pvn_coalesce *set, struct ethtool_coalesce *ec);
int pvn_coalesce_set(struct pvn_coalesce *set, unsigned int nr,
		     const struct ethtool_coalesce *ec, struct netlink_ext_ack *extack);

#endif
