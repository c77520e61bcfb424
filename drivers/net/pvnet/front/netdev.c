// SPDX-License-Identifier: GPL-2.0
/* The guest's network interface: features, MTU, open and close, statistics. */
#include <linux/etherdevice.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>

#include <pvnet/skb.h>

#include "front.h"

/* A full frame of the usual MTU, with two VLAN tags, is right-sized. */
#define RX_COPYBREAK_DEFAULT	(ETH_FRAME_LEN + 2 * VLAN_HLEN)

static int open(struct net_device *netdev)
{
	struct pvn_front *front = netdev_priv(netdev);

	pvn_queues_start(front);
	netif_tx_start_all_queues(netdev);
	return 0;
}

static int stop(struct net_device *netdev)
{
	pvn_queues_stop(netdev_priv(netdev));
	return 0;
}

static int change_mtu(struct net_device *netdev, int mtu)
{
	struct pvn_front *front = netdev_priv(netdev);

	if (mtu > pvn_max_mtu(front->features)) {
		netdev_info(netdev, "MTU %d needs scatter-gather, which the backend lacks\n", mtu);
		return -EINVAL;
	}
	netdev->mtu = mtu;
	return 0;
}

static netdev_features_t fix_features(struct net_device *netdev, netdev_features_t features)
{
	const struct pvn_front *front = netdev_priv(netdev);

	return features & ~pvn_netdev_missing(front->features);
}

/* Counters of a queue go with the queue; those of the netdev must not shrink. */
static void add_queue_stats(const struct pvn_queue *q, struct rtnl_link_stats64 *s)
{
	s->tx_packets += q->tx_stats.tx_packets;
	s->tx_bytes += q->tx_stats.tx_bytes;
	s->tx_dropped += q->tx_stats.tx_dropped;
	s->tx_errors += q->rx_stats.tx_errors;
	s->rx_packets += q->rx_stats.rx_packets;
	s->rx_bytes += q->rx_stats.rx_bytes;
	s->rx_dropped += q->rx_stats.rx_dropped;
	s->rx_errors += q->rx_stats.rx_errors;
}

static void get_stats64(struct net_device *netdev, struct rtnl_link_stats64 *s)
{
	struct pvn_front *front = netdev_priv(netdev);
	unsigned int i;

	spin_lock_bh(&front->stats_lock);
	*s = front->past;
	for (i = 0; i < front->nr_queues; i++)
		add_queue_stats(front->queue[i], s);
	spin_unlock_bh(&front->stats_lock);
}

static const struct net_device_ops ops = {
	.ndo_open		= open,
	.ndo_stop		= stop,
	.ndo_start_xmit		= pvn_front_xmit,
	.ndo_change_mtu		= change_mtu,
	.ndo_set_mac_address	= eth_mac_addr,
	.ndo_validate_addr	= eth_validate_addr,
	.ndo_fix_features	= fix_features,
	.ndo_get_stats64	= get_stats64,
};

static void set_features(struct net_device *netdev)
{
	netdev->hw_features = NETIF_F_SG | NETIF_F_FRAGLIST | NETIF_F_RXCSUM |
			      NETIF_F_IP_CSUM | NETIF_F_IPV6_CSUM |
			      NETIF_F_TSO | NETIF_F_TSO6;
	netdev->features = netdev->hw_features | NETIF_F_GSO_ROBUST;
}

/**
 * pvn_front_alloc() - a netdev for a xenbus device, not registered yet
 * @xdev: the xenbus device
 *
 * Return: the netdev, its private area a struct pvn_front; or ERR_PTR.
 */
struct net_device *pvn_front_alloc(struct xenbus_device *xdev)
{
	struct net_device *netdev;
	struct pvn_front *front;

	netdev = alloc_etherdev_mq(struct_size(front, coalesce, pvn_front_max_queues),
				   pvn_front_max_queues);
	if (!netdev)
		return ERR_PTR(-ENOMEM);
	front = netdev_priv(netdev);
	front->netdev = netdev;
	front->xdev = xdev;
	front->max_queues = pvn_front_max_queues;
	front->wanted_queues = front->max_queues;
	front->rx_copybreak = RX_COPYBREAK_DEFAULT;
	spin_lock_init(&front->stats_lock);
	pvn_coalesce_init(front->coalesce, front->max_queues);
	pvn_scheme_init(front);
	pvn_front_reconnect_init(front);

	netdev->netdev_ops = &ops;
	netdev->ethtool_ops = &pvn_front_ethtool_ops;
	netdev->min_mtu = ETH_MIN_MTU;
	netdev->max_mtu = PVN_MAX_MTU;
	set_features(netdev);
	netif_set_tso_max_size(netdev, PVN_MAX_PACKET - VLAN_ETH_HLEN);
	SET_NETDEV_DEV(netdev, &xdev->dev);
	netif_carrier_off(netdev);
	return netdev;
}

static void clamp_mtu(struct pvn_front *front)
{
	struct net_device *netdev = front->netdev;

	if (netdev->mtu <= pvn_max_mtu(front->features))
		return;
	netdev_info(netdev, "MTU %u needs scatter-gather, which the backend lacks: now %u\n",
		    netdev->mtu, pvn_max_mtu(front->features));
	dev_set_mtu(netdev, pvn_max_mtu(front->features));
}

/**
 * pvn_front_attach() - the queues are there: become or stay a network interface
 * @front: the device
 *
 * Features and limits follow what this backend offers.
 * Context: process, RTNL.
 */
int pvn_front_attach(struct pvn_front *front)
{
	struct net_device *netdev = front->netdev;
	int err;

	err = netif_set_real_num_tx_queues(netdev, front->nr_queues);
	err = err ?: netif_set_real_num_rx_queues(netdev, front->nr_queues);
	if (err)
		return err;

	WRITE_ONCE(front->broken, false);
	if (netdev->reg_state == NETREG_UNINITIALIZED) {
		err = register_netdevice(netdev);
		if (err)
			return err;
	}
	netdev_update_features(netdev);
	clamp_mtu(front);
	netif_device_attach(netdev);
	if (netif_running(netdev))
		pvn_queues_start(front);
	return 0;
}

/**
 * pvn_front_detach() - no more traffic; the queues can be destroyed
 * @front: the device, in any state
 *
 * Context: process, RTNL.
 */
void pvn_front_detach(struct pvn_front *front)
{
	netif_carrier_off(front->netdev);
	netif_device_detach(front->netdev);
	pvn_queues_stop(front);
}

/**
 * pvn_front_destroy() - destroy the queues; their statistics stay
 * @front: the device, detached
 *
 * Context: process, RTNL.
 */
void pvn_front_destroy(struct pvn_front *front)
{
	struct pvn_queue **queue = front->queue;
	unsigned int nr = front->nr_queues, i;

	pvn_scheme_stop(front);
	pvn_front_ctrl_destroy(front);
	spin_lock_bh(&front->stats_lock);
	for (i = 0; i < nr; i++)
		add_queue_stats(queue[i], &front->past);
	front->nr_queues = 0;
	front->queue = NULL;
	spin_unlock_bh(&front->stats_lock);

	pvn_queues_free(queue, nr);
}
