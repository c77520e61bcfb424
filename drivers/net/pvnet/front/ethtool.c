// SPDX-License-Identifier: GPL-2.0
/* ethtool of the frontend. */
#include <linux/ethtool.h>
#include <linux/netdevice.h>

#include <pvnet/ethtool.h>
#include <pvnet/version.h>

#include "front.h"

static const struct pvn_stat_group groups[] = {
	PVN_STAT_GROUP(struct pvn_front_tx_stats, PVN_FRONT_TX_STATS, ""),
	PVN_STAT_GROUP(struct pvn_front_rx_stats, PVN_FRONT_RX_STATS, ""),
	PVN_STAT_GROUP(struct pvn_front_scheme_stats, PVN_FRONT_SCHEME_STATS, ""),
	PVN_STAT_GROUP(struct pvn_chan_stats, PVN_CHAN_STATS, "tx_event_"),
	PVN_STAT_GROUP(struct pvn_chan_stats, PVN_CHAN_STATS, "rx_event_"),
	PVN_STAT_GROUP(struct pvn_wake_stats, PVN_WAKE_STATS, "rx_"),
};

static const char flag_names[][ETH_GSTRING_LEN] = {
	"persistent-grants",
};

#define FLAG_PERSISTENT	BIT(0)

static void get_drvinfo(struct net_device *netdev, struct ethtool_drvinfo *info)
{
	strscpy(info->driver, "pvnet-front", sizeof(info->driver));
	strscpy(info->version, PVN_VERSION, sizeof(info->version));
	strscpy(info->bus_info, dev_name(netdev->dev.parent), sizeof(info->bus_info));
}

static int get_sset_count(struct net_device *netdev, int sset)
{
	const struct pvn_front *front = netdev_priv(netdev);

	switch (sset) {
	case ETH_SS_STATS:
		return pvn_stats_count(groups, ARRAY_SIZE(groups), front->nr_queues);
	case ETH_SS_PRIV_FLAGS:
		return ARRAY_SIZE(flag_names);
	default:
		return -EOPNOTSUPP;
	}
}

static void get_strings(struct net_device *netdev, u32 sset, u8 *data)
{
	const struct pvn_front *front = netdev_priv(netdev);

	if (sset == ETH_SS_STATS)
		pvn_stats_strings(groups, ARRAY_SIZE(groups), front->nr_queues, data);
	else if (sset == ETH_SS_PRIV_FLAGS)
		memcpy(data, flag_names, sizeof(flag_names));
}

static u32 get_priv_flags(struct net_device *netdev)
{
	const struct pvn_front *front = netdev_priv(netdev);

	return front->want_persistent ? FLAG_PERSISTENT : 0;
}

/* What is wanted; `ethtool -S` says what is. */
static int set_priv_flags(struct net_device *netdev, u32 flags)
{
	struct pvn_front *front = netdev_priv(netdev);

	WRITE_ONCE(front->want_persistent, flags & FLAG_PERSISTENT);
	pvn_scheme_update(front);
	return 0;
}

static void get_ethtool_stats(struct net_device *netdev, struct ethtool_stats *stats,
			      u64 *data)
{
	const struct pvn_front *front = netdev_priv(netdev);
	unsigned int i;

	for (i = 0; i < front->nr_queues; i++) {
		struct pvn_queue *q = front->queue[i];
		const void *from[ARRAY_SIZE(groups)] = {
			&q->tx_stats, &q->rx_stats, &q->scheme_stats,
			&q->tx_chan->stats, &q->rx_chan->stats, &q->rx_wake.stats,
		};

		q->scheme_stats.persistent_out = pvn_persist_count_out(q);
		data = pvn_stats_values(groups, ARRAY_SIZE(groups), from, data);
	}
}

static void get_channels(struct net_device *netdev, struct ethtool_channels *ch)
{
	const struct pvn_front *front = netdev_priv(netdev);

	ch->max_combined = front->max_queues;
	ch->combined_count = front->nr_queues;
}

/*
 * The number of queues is settled when the ends connect, so they connect anew,
 * after this has returned. The backend may offer fewer.
 */
static int set_channels(struct net_device *netdev, struct ethtool_channels *ch)
{
	struct pvn_front *front = netdev_priv(netdev);

	if (!front->multi_queue && ch->combined_count > 1)
		return -EOPNOTSUPP;
	if (front->wanted_queues == ch->combined_count && front->nr_queues == ch->combined_count)
		return 0;
	front->wanted_queues = ch->combined_count;
	schedule_work(&front->reconnect);
	return 0;
}

static int get_tunable(struct net_device *netdev, const struct ethtool_tunable *tuna,
		       void *data)
{
	const struct pvn_front *front = netdev_priv(netdev);

	if (tuna->id != ETHTOOL_RX_COPYBREAK)
		return -EOPNOTSUPP;
	*(u32 *)data = front->rx_copybreak;
	return 0;
}

static int set_tunable(struct net_device *netdev, const struct ethtool_tunable *tuna,
		       const void *data)
{
	struct pvn_front *front = netdev_priv(netdev);
	u32 value = *(const u32 *)data;

	if (tuna->id != ETHTOOL_RX_COPYBREAK)
		return -EOPNOTSUPP;
	if (value > PAGE_SIZE / 2)
		return -EINVAL;
	WRITE_ONCE(front->rx_copybreak, value);
	return 0;
}

static void show_coalesce(const struct pvn_coalesce *set, struct ethtool_coalesce *ec)
{
	pvn_coalesce_get(set, ec);
	ec->tx_max_coalesced_frames = set->tx_frames;
	ec->use_adaptive_tx_coalesce = set->adaptive_tx;
}

static int change_coalesce(struct pvn_coalesce *set, unsigned int nr,
			   const struct ethtool_coalesce *ec, struct netlink_ext_ack *extack)
{
	int err;

	if (ec->tx_max_coalesced_frames < 1 || ec->tx_max_coalesced_frames > PVN_COALESCE_TX_MAX) {
		NL_SET_ERR_MSG_MOD(extack, "tx-frames is 1 to 128");
		return -ERANGE;
	}
	err = pvn_coalesce_set(set, nr, ec, extack);
	while (!err && nr--) {
		WRITE_ONCE(set[nr].tx_frames, ec->tx_max_coalesced_frames);
		WRITE_ONCE(set[nr].adaptive_tx, ec->use_adaptive_tx_coalesce);
	}
	return err;
}

/* Of the whole interface: what its first queue has. */
static int get_coalesce(struct net_device *netdev, struct ethtool_coalesce *ec,
			struct kernel_ethtool_coalesce *kernel, struct netlink_ext_ack *extack)
{
	const struct pvn_front *front = netdev_priv(netdev);

	show_coalesce(&front->coalesce[0], ec);
	return 0;
}

static int set_coalesce(struct net_device *netdev, struct ethtool_coalesce *ec,
			struct kernel_ethtool_coalesce *kernel, struct netlink_ext_ack *extack)
{
	struct pvn_front *front = netdev_priv(netdev);

	return change_coalesce(front->coalesce, front->max_queues, ec, extack);
}

static int get_queue_coalesce(struct net_device *netdev, u32 queue, struct ethtool_coalesce *ec)
{
	const struct pvn_front *front = netdev_priv(netdev);

	if (queue >= front->nr_queues)
		return -EINVAL;
	show_coalesce(&front->coalesce[queue], ec);
	return 0;
}

static int set_queue_coalesce(struct net_device *netdev, u32 queue, struct ethtool_coalesce *ec)
{
	struct pvn_front *front = netdev_priv(netdev);

	if (queue >= front->nr_queues)
		return -EINVAL;
	return change_coalesce(&front->coalesce[queue], 1, ec, NULL);
}

const struct ethtool_ops pvn_front_ethtool_ops = {
	.supported_coalesce_params = PVN_COALESCE_RX | PVN_COALESCE_TX,
	.get_coalesce		= get_coalesce,
	.set_coalesce		= set_coalesce,
	.get_per_queue_coalesce	= get_queue_coalesce,
	.set_per_queue_coalesce	= set_queue_coalesce,
	.get_drvinfo		= get_drvinfo,
	.get_link		= ethtool_op_get_link,
	.get_ts_info		= ethtool_op_get_ts_info,
	.get_sset_count		= get_sset_count,
	.get_strings		= get_strings,
	.get_ethtool_stats	= get_ethtool_stats,
	.get_channels		= get_channels,
	.set_channels		= set_channels,
	.get_priv_flags		= get_priv_flags,
	.set_priv_flags		= set_priv_flags,
	.get_tunable		= get_tunable,
	.set_tunable		= set_tunable,
};
