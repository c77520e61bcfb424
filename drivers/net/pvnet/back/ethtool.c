// SPDX-License-Identifier: GPL-2.0
/* ethtool of the backend. */
#include <linux/ethtool.h>
#include <linux/netdevice.h>

#include <pvnet/ethtool.h>
#include <pvnet/version.h>

#include "back.h"

static const struct pvn_stat_group groups[] = {
	PVN_STAT_GROUP(struct pvn_back_from_stats, PVN_BACK_FROM_STATS, ""),
	PVN_STAT_GROUP(struct pvn_back_to_stats, PVN_BACK_TO_STATS, ""),
	PVN_STAT_GROUP(struct pvn_back_map_stats, PVN_BACK_MAP_STATS, ""),
	PVN_STAT_GROUP(struct pvn_chan_stats, PVN_CHAN_STATS, "from_guest_event_"),
	PVN_STAT_GROUP(struct pvn_chan_stats, PVN_CHAN_STATS, "to_guest_event_"),
	PVN_STAT_GROUP(struct pvn_wake_stats, PVN_WAKE_STATS, "from_guest_"),
};

static void get_drvinfo(struct net_device *netdev, struct ethtool_drvinfo *info)
{
	strscpy(info->driver, "pvnet-back", sizeof(info->driver));
	strscpy(info->version, PVN_VERSION, sizeof(info->version));
	strscpy(info->bus_info, dev_name(netdev->dev.parent), sizeof(info->bus_info));
}

static int get_sset_count(struct net_device *netdev, int sset)
{
	const struct pvn_vif *vif = netdev_priv(netdev);

	if (sset != ETH_SS_STATS)
		return -EOPNOTSUPP;
	return pvn_stats_count(groups, ARRAY_SIZE(groups), vif->nr_queues);
}

static void get_strings(struct net_device *netdev, u32 sset, u8 *data)
{
	const struct pvn_vif *vif = netdev_priv(netdev);

	if (sset == ETH_SS_STATS)
		pvn_stats_strings(groups, ARRAY_SIZE(groups), vif->nr_queues, data);
}

static void get_ethtool_stats(struct net_device *netdev, struct ethtool_stats *stats,
			      u64 *data)
{
	const struct pvn_vif *vif = netdev_priv(netdev);
	unsigned int i;

	for (i = 0; i < vif->nr_queues; i++) {
		const struct pvn_vq *q = vif->queue[i];
		const void *from[ARRAY_SIZE(groups)] = {
			&q->from_stats, &q->to_stats, &q->map_stats,
			&q->from_chan->stats, &q->to_chan->stats, &q->from_wake.stats,
		};

		data = pvn_stats_values(groups, ARRAY_SIZE(groups), from, data);
	}
}

/* The frontend chooses. */
static void get_channels(struct net_device *netdev, struct ethtool_channels *ch)
{
	const struct pvn_vif *vif = netdev_priv(netdev);

	ch->max_combined = pvn_back_max_queues;
	ch->combined_count = vif->nr_queues;
}

/* Of the whole interface: what its first queue has. */
static int get_coalesce(struct net_device *netdev, struct ethtool_coalesce *ec,
			struct kernel_ethtool_coalesce *kernel, struct netlink_ext_ack *extack)
{
	const struct pvn_vif *vif = netdev_priv(netdev);

	pvn_coalesce_get(&vif->coalesce[0], ec);
	return 0;
}

static int set_coalesce(struct net_device *netdev, struct ethtool_coalesce *ec,
			struct kernel_ethtool_coalesce *kernel, struct netlink_ext_ack *extack)
{
	struct pvn_vif *vif = netdev_priv(netdev);

	return pvn_coalesce_set(vif->coalesce, netdev->num_tx_queues, ec, extack);
}

static int get_queue_coalesce(struct net_device *netdev, u32 queue, struct ethtool_coalesce *ec)
{
	const struct pvn_vif *vif = netdev_priv(netdev);

	if (queue >= vif->nr_queues)
		return -EINVAL;
	pvn_coalesce_get(&vif->coalesce[queue], ec);
	return 0;
}

static int set_queue_coalesce(struct net_device *netdev, u32 queue, struct ethtool_coalesce *ec)
{
	struct pvn_vif *vif = netdev_priv(netdev);

	if (queue >= vif->nr_queues)
		return -EINVAL;
	return pvn_coalesce_set(&vif->coalesce[queue], 1, ec, NULL);
}

const struct ethtool_ops pvn_back_ethtool_ops = {
	.supported_coalesce_params = PVN_COALESCE_RX,
	.get_coalesce		= get_coalesce,
	.set_coalesce		= set_coalesce,
	.get_per_queue_coalesce	= get_queue_coalesce,
	.set_per_queue_coalesce	= set_queue_coalesce,
	.get_drvinfo		= get_drvinfo,
	.get_link		= ethtool_op_get_link,
	.get_ts_info		= ethtool_op_get_ts_info,
	.get_channels		= get_channels,
	.get_sset_count		= get_sset_count,
	.get_strings		= get_strings,
	.get_ethtool_stats	= get_ethtool_stats,
};
