// SPDX-License-Identifier: GPL-2.0
/* The host's network interface vifD.N: features, MTU, open and close. */
#include <linux/etherdevice.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>

#include <pvnet/skb.h>

#include "back.h"

/*
 * What the qdisc may hold for a guest that does not read: at most 64 packets
 * of 64 KiB with the default pfifo_fast. fq_codel has its own limit of 32 MiB.
 */
#define TX_QUEUE_LEN	64

static int open(struct net_device *netdev)
{
	struct pvn_vif *vif = netdev_priv(netdev);

	if (vif->nr_queues)
		pvn_vqs_start(vif);
	return 0;
}

static int stop(struct net_device *netdev)
{
	pvn_vqs_stop(netdev_priv(netdev));
	return 0;
}

/* Before a frontend has connected nobody knows: its connect decides. */
static int change_mtu(struct net_device *netdev, int mtu)
{
	struct pvn_vif *vif = netdev_priv(netdev);

	if (vif->nr_queues && mtu > pvn_max_mtu(vif->features)) {
		netdev_info(netdev, "MTU %d needs scatter-gather, which the frontend lacks\n", mtu);
		return -EINVAL;
	}
	netdev->mtu = mtu;
	return 0;
}

static netdev_features_t fix_features(struct net_device *netdev, netdev_features_t features)
{
	const struct pvn_vif *vif = netdev_priv(netdev);

	return features & ~pvn_netdev_missing(vif->features);
}

/**
 * pvn_vq_add_stats() - add a queue's counters to those of a netdev
 * @q: the queue
 * @s: rx is from the guest, tx to the guest
 */
void pvn_vq_add_stats(const struct pvn_vq *q, struct rtnl_link_stats64 *s)
{
	s->rx_packets += q->from_stats.from_guest_packets;
	s->rx_bytes += q->from_stats.from_guest_bytes;
	s->rx_dropped += q->from_stats.from_guest_dropped;
	s->rx_errors += q->from_stats.from_guest_errors;
	s->tx_packets += q->to_stats.to_guest_packets;
	s->tx_bytes += q->to_stats.to_guest_bytes;
	s->tx_dropped += q->to_stats.to_guest_dropped;
	s->tx_errors += q->to_stats.to_guest_errors;
}

static void get_stats64(struct net_device *netdev, struct rtnl_link_stats64 *s)
{
	struct pvn_vif *vif = netdev_priv(netdev);
	unsigned int i;

	spin_lock_bh(&vif->stats_lock);
	*s = vif->past;
	for (i = 0; i < vif->nr_queues; i++)
		pvn_vq_add_stats(vif->queue[i], s);
	spin_unlock_bh(&vif->stats_lock);
}

/* No ndo_tx_timeout: a guest that does not read is no fault of this device. */
static const struct net_device_ops ops = {
	.ndo_open		= open,
	.ndo_stop		= stop,
	.ndo_start_xmit		= pvn_to_xmit,
	.ndo_change_mtu		= change_mtu,
	.ndo_set_mac_address	= eth_mac_addr,
	.ndo_validate_addr	= eth_validate_addr,
	.ndo_fix_features	= fix_features,
	.ndo_get_stats64	= get_stats64,
};

static void set_up(struct net_device *netdev, struct xenbus_device *xdev)
{
	/* As high as an address can be: a bridge takes its own from another port. */
	static const u8 mac[ETH_ALEN] = { 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff };

	netdev->netdev_ops = &ops;
	netdev->ethtool_ops = &pvn_back_ethtool_ops;
	netdev->hw_features = NETIF_F_SG | NETIF_F_FRAGLIST |
			      NETIF_F_IP_CSUM | NETIF_F_IPV6_CSUM |
			      NETIF_F_TSO | NETIF_F_TSO6;
	netdev->features = netdev->hw_features | NETIF_F_RXCSUM;
	netdev->min_mtu = ETH_MIN_MTU;
	netdev->max_mtu = PVN_MAX_MTU;
	netdev->tx_queue_len = TX_QUEUE_LEN;
	netif_set_tso_max_size(netdev, PVN_MAX_PACKET - VLAN_ETH_HLEN);
	eth_hw_addr_set(netdev, mac);
	SET_NETDEV_DEV(netdev, &xdev->dev);
	netif_carrier_off(netdev);
	netif_tx_stop_all_queues(netdev);	/* there are none yet */
}

/**
 * pvn_vif_create() - make and register vifD.N
 * @xdev: the xenbus device
 * @domid: the guest
 * @handle: number of the interface, from the store
 *
 * The name is what xl's scripts go by, so it must be free.
 * Context: process.
 * Return: the vif, without carrier; or ERR_PTR.
 */
struct pvn_vif *pvn_vif_create(struct xenbus_device *xdev, domid_t domid,
			       unsigned int handle)
{
	struct net_device *netdev;
	struct pvn_vif *vif;
	char name[IFNAMSIZ];
	int err;

	snprintf(name, sizeof(name), "vif%u.%u", domid, handle);
	netdev = alloc_netdev_mqs(struct_size(vif, coalesce, pvn_back_max_queues), name,
				  NET_NAME_PREDICTABLE, ether_setup,
				  pvn_back_max_queues, pvn_back_max_queues);
	if (!netdev)
		return ERR_PTR(-ENOMEM);
	vif = netdev_priv(netdev);
	vif->netdev = netdev;
	vif->xdev = xdev;
	vif->domid = domid;
	spin_lock_init(&vif->stats_lock);
	pvn_coalesce_init(vif->coalesce, netdev->num_tx_queues);
	set_up(netdev, xdev);

	err = register_netdev(netdev);
	if (err) {
		free_netdev(netdev);
		return ERR_PTR(err);
	}
	pvn_back_debug_add(vif);
	return vif;
}

/**
 * pvn_vif_free() - unregister and free
 * @vif: the device, without queues
 *
 * Context: process.
 */
void pvn_vif_free(struct pvn_vif *vif)
{
	pvn_back_debug_remove(vif);
	unregister_netdev(vif->netdev);
	free_netdev(vif->netdev);
}

static void clamp_mtu(struct pvn_vif *vif)
{
	struct net_device *netdev = vif->netdev;

	if (netdev->mtu <= pvn_max_mtu(vif->features))
		return;
	netdev_info(netdev, "MTU %u needs scatter-gather, which the frontend lacks: now %u\n",
		    netdev->mtu, pvn_max_mtu(vif->features));
	dev_set_mtu(netdev, pvn_max_mtu(vif->features));
}

/**
 * pvn_vif_attach() - the queues are there: take on what this frontend offers
 * @vif: the device
 *
 * The carrier stays off until the hotplug script has done its part.
 * Context: process, RTNL.
 */
int pvn_vif_attach(struct pvn_vif *vif)
{
	struct net_device *netdev = vif->netdev;
	int err;

	err = netif_set_real_num_tx_queues(netdev, vif->nr_queues);
	err = err ?: netif_set_real_num_rx_queues(netdev, vif->nr_queues);
	if (err)
		return err;

	atomic_set(&vif->stalled_queues, 0);
	WRITE_ONCE(vif->broken, false);
	netdev_update_features(netdev);
	clamp_mtu(vif);
	if (netif_running(netdev))
		pvn_vqs_start(vif);
	return 0;
}

/**
 * pvn_vif_detach() - no more traffic; the queues can be destroyed
 * @vif: the device, in any state
 *
 * Context: process, RTNL.
 */
void pvn_vif_detach(struct pvn_vif *vif)
{
	netif_carrier_off(vif->netdev);
	pvn_vqs_stop(vif);
}
