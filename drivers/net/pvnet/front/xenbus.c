// SPDX-License-Identifier: GPL-2.0
/*
 * The frontend on the xenbus: what it reads and writes there, and when it
 * connects, closes and goes away. What to do is in core/state.c.
 */
#include <linux/delay.h>
#include <linux/etherdevice.h>
#include <linux/rtnetlink.h>
#include <xen/xenbus.h>

#include <pvnet/skb.h>
#include <pvnet/xenstore.h>

#include "front.h"

#define OWN_FEATURES	(PVN_F_SG | PVN_F_GSO_TCPV4 | PVN_F_GSO_TCPV6 | \
			 PVN_F_CSUM_IPV4 | PVN_F_CSUM_IPV6 | \
			 PVN_F_RX_COPY | PVN_F_RX_NOTIFY)
#define CLOSE_TIMEOUT_MS	5000
#define MAX_QUEUES		256

/* ------------------------------------------------------------------- keys */

static int put_queue(struct pvn_keys *keys, const struct pvn_queue *q)
{
	int err;

	err = pvn_key_put(keys, "tx-ring-ref", q->ring_ref[0]);
	err = err ?: pvn_key_put(keys, "rx-ring-ref", q->ring_ref[1]);
	if (err)
		return err;
	if (q->tx_chan == q->rx_chan)
		return pvn_key_put(keys, "event-channel", q->port[0]);
	err = pvn_key_put(keys, "event-channel-tx", q->port[0]);
	return err ?: pvn_key_put(keys, "event-channel-rx", q->port[1]);
}

/* One queue is described in the device's own directory, several in queue-N. */
static int put_queues(const struct pvn_front *front, struct pvn_keys *keys)
{
	struct pvn_keys sub = *keys;
	char dir[64];
	unsigned int i;
	int err;

	if (front->nr_queues == 1)
		return put_queue(keys, front->queue[0]);

	sub.dir = dir;
	for (i = 0; i < front->nr_queues; i++) {
		if (snprintf(dir, sizeof(dir), "%s/queue-%u", keys->dir, i) >= sizeof(dir))
			return -ENAMETOOLONG;
		err = put_queue(&sub, front->queue[i]);
		if (err)
			return err;
	}
	return 0;
}

/*
 * What a connect of this device has written. A driver that comes after us may not
 * know all of the keys, and what they name is then another's.
 */
static void remove_keys(const char *dir)
{
	static const char *const keys[] = {
		"event-channel", "event-channel-tx", "event-channel-rx",
		"tx-ring-ref", "rx-ring-ref", "multi-queue-num-queues",
		"ctrl-ring-ref", "event-channel-ctrl", "xdp-headroom",
		"feature-no-csum-offload",
	};
	unsigned int i;
	char name[16];

	for (i = 0; i < ARRAY_SIZE(keys); i++)
		xenbus_rm(XBT_NIL, dir, keys[i]);
	for (i = 0; i < MAX_QUEUES; i++) {
		snprintf(name, sizeof(name), "queue-%u", i);
		if (!xenbus_exists(XBT_NIL, dir, name))
			break;
		xenbus_rm(XBT_NIL, dir, name);
	}
}

/* A backend that knows no queues would not know the key. */
static int put_all(struct pvn_keys *keys, const void *arg)
{
	const struct pvn_front *front = arg;
	int err = 0;

	if (front->multi_queue)
		err = pvn_key_put(keys, "multi-queue-num-queues", front->nr_queues);
	if (!err && front->ctrl) {
		err = pvn_key_put(keys, "ctrl-ring-ref", front->ctrl->ref);
		err = err ?: pvn_key_put(keys, "event-channel-ctrl", front->ctrl->port);
	}
	err = err ?: put_queues(front, keys);
	return err ?: pvn_keys_put_features(keys, PVN_FRONT, OWN_FEATURES);
}

static int read_mac(struct xenbus_device *xdev, struct net_device *netdev)
{
	char *text = xenbus_read(XBT_NIL, xdev->nodename, "mac", NULL);
	u8 mac[ETH_ALEN];
	bool ok;

	if (IS_ERR(text))
		return PTR_ERR(text);
	ok = mac_pton(text, mac);
	kfree(text);
	if (!ok)
		return -EINVAL;
	eth_hw_addr_set(netdev, mac);
	return 0;
}

/* The toolstack's wish (netif.h, "mtu"); the first connect takes it over. */
static void read_mtu(const struct pvn_front *front)
{
	unsigned int mtu = xenbus_read_unsigned(front->xdev->nodename, "mtu", ETH_DATA_LEN);

	if (mtu >= ETH_MIN_MTU && mtu <= pvn_max_mtu(front->features))
		front->netdev->mtu = mtu;
	else
		dev_warn(&front->xdev->dev, "mtu %u is not possible here, using %u\n",
			 mtu, front->netdev->mtu);
}

/* ---------------------------------------------------------------- connect */

static int read_backend(struct pvn_front *front)
{
	struct xenbus_device *xdev = front->xdev;
	u32 features = pvn_peer_features(xdev, PVN_BACK);

	if (!(features & PVN_F_RX_COPY)) {
		xenbus_dev_fatal(xdev, -EOPNOTSUPP, "backend has no feature-rx-copy");
		return -EOPNOTSUPP;
	}
	front->features = pvn_features_usable(features);
	front->trusted = pvn_front_trusted &&
			 xenbus_read_unsigned(xdev->nodename, "trusted", 1);
	front->handover = pvn_front_handover < 0 ?
			  front->trusted && xdev->otherend_id == 0 : pvn_front_handover;
	if (front->netdev->reg_state == NETREG_UNINITIALIZED)
		read_mtu(front);
	if (!front->trusted)
		dev_info(&xdev->dev, "backend is not trusted: packets are copied to pages of their own\n");
	return 0;
}

static int connect_locked(struct pvn_front *front)
{
	unsigned int offered = xenbus_read_unsigned(front->xdev->otherend,
						    "multi-queue-max-queues", 0);
	unsigned int nr = clamp(offered, 1u, front->wanted_queues);
	int err;

	pvn_front_detach(front);
	pvn_front_destroy(front);
	remove_keys(front->xdev->nodename);

	front->multi_queue = offered;
	err = pvn_queues_create(front, nr, front->features & PVN_F_SPLIT_EVENTS);
	if (!err && (front->features & PVN_F_CTRL_RING))
		pvn_front_ctrl_create(front);
	err = err ?: pvn_keys_write(front->xdev, put_all, front);
	err = err ?: pvn_front_attach(front);
	if (err) {
		pvn_front_detach(front);
		pvn_front_destroy(front);
	}
	return err;
}

static void connect(struct pvn_front *front)
{
	int err;

	if (read_backend(front))
		return;

	rtnl_lock();
	err = connect_locked(front);
	rtnl_unlock();
	if (err)
		xenbus_dev_fatal(front->xdev, err, "connecting");
	else
		xenbus_switch_state(front->xdev, XenbusStateConnected);
}

/* The backend has its rings and its place in the network: say who we are. */
static void go_live(struct pvn_front *front)
{
	netif_carrier_on(front->netdev);
	netdev_notify_peers(front->netdev);
	pvn_scheme_update(front);
}

/* ------------------------------------------------------------------ close */

static void quiesce(struct pvn_front *front)
{
	rtnl_lock();
	pvn_front_detach(front);
	rtnl_unlock();
}

static bool backend_state_is(struct xenbus_device *xdev, u32 states)
{
	return BIT(xenbus_read_driver_state(xdev->otherend)) & states;
}

/* No watch tells us anything during removal, so look, less and less often. */
static void wait_for_backend(struct xenbus_device *xdev, u32 states)
{
	unsigned long end = jiffies + msecs_to_jiffies(CLOSE_TIMEOUT_MS);
	unsigned int pause = 1;

	while (!backend_state_is(xdev, states)) {
		if (time_after(jiffies, end)) {
			dev_warn(&xdev->dev, "backend does not close, going on without it\n");
			return;
		}
		msleep(pause);
		pause = min(2 * pause, 100u);
	}
}

/*
 * Close in step with the backend, which may be at any point of the way or
 * gone. It lets our grants go before it is Closed.
 */
static void close_bus(struct xenbus_device *xdev)
{
	const u32 gone = BIT(XenbusStateUnknown) | BIT(XenbusStateClosed);
	/* A backend that never connected need not close. */
	const u32 idle = BIT(XenbusStateInitialising) | BIT(XenbusStateInitWait);

	if (!backend_state_is(xdev, gone | idle)) {
		xenbus_switch_state(xdev, XenbusStateClosing);
		wait_for_backend(xdev, gone | idle | BIT(XenbusStateClosing));
	}
	if (xenbus_read_driver_state(xdev->nodename) != XenbusStateUnknown)
		xenbus_switch_state(xdev, XenbusStateClosed);
	wait_for_backend(xdev, gone | idle);
}

/* ---------------------------------------------------------------- xenbus */

static int probe(struct xenbus_device *xdev, const struct xenbus_device_id *id)
{
	struct net_device *netdev = pvn_front_alloc(xdev);
	int err;

	if (IS_ERR(netdev))
		return PTR_ERR(netdev);
	err = read_mac(xdev, netdev);
	if (err) {
		free_netdev(netdev);
		xenbus_dev_fatal(xdev, err, "reading the mac address");
		return err;
	}
	dev_set_drvdata(&xdev->dev, netdev_priv(netdev));

	/* Another driver may have left the device Closed. */
	err = xenbus_switch_state(xdev, XenbusStateInitialising);
	if (err)
		free_netdev(netdev);
	else
		pvn_front_debug_add(netdev_priv(netdev));
	return err;
}

/* Connect anew: what the queues are is settled then. */
static void reconnect(struct work_struct *work)
{
	struct pvn_front *front = container_of(work, struct pvn_front, reconnect);

	quiesce(front);
	close_bus(front->xdev);
	xenbus_switch_state(front->xdev, XenbusStateInitialising);
}

/**
 * pvn_front_reconnect_init() - of a new device
 * @front: the device
 */
void pvn_front_reconnect_init(struct pvn_front *front)
{
	INIT_WORK(&front->reconnect, reconnect);
}

static void on_backend(struct xenbus_device *xdev, enum xenbus_state state)
{
	struct pvn_front *front = dev_get_drvdata(&xdev->dev);

	dev_dbg(&xdev->dev, "backend is %s\n", xenbus_strstate(state));
	switch (pvn_front_action(xdev->state, state)) {
	case PVN_ACT_CONNECT:
		connect(front);
		break;
	case PVN_ACT_LIVE:
		go_live(front);
		break;
	case PVN_ACT_CLOSE:
		quiesce(front);
		xenbus_frontend_closed(xdev);
		break;
	default:
		break;
	}
}

static void remove(struct xenbus_device *xdev)
{
	struct pvn_front *front = dev_get_drvdata(&xdev->dev);

	pvn_front_debug_remove(front);
	quiesce(front);
	cancel_work_sync(&front->reconnect);	/* ethtool refuses what is detached */
	close_bus(xdev);
	if (xenbus_read_driver_state(xdev->nodename) != XenbusStateUnknown)
		remove_keys(xdev->nodename);

	rtnl_lock();
	pvn_front_destroy(front);
	if (front->netdev->reg_state == NETREG_REGISTERED)
		unregister_netdevice(front->netdev);
	rtnl_unlock();
	free_netdev(front->netdev);
}

/*
 * After a restore or a migration nothing of the old connection exists; the
 * new backend's InitWait starts the next one.
 */
static int resume(struct xenbus_device *xdev)
{
	struct pvn_front *front = dev_get_drvdata(&xdev->dev);

	quiesce(front);
	cancel_work_sync(&front->reconnect);
	rtnl_lock();
	pvn_front_destroy(front);
	rtnl_unlock();
	return 0;
}

static const struct xenbus_device_id ids[] = {
	{ "vif" },
	{ "" },
};

struct xenbus_driver pvn_front_driver = {
	.name			= "pvnet-front",	/* "vif" is the stock driver's */
	.ids			= ids,
	.probe			= probe,
	.remove			= remove,
	.resume			= resume,
	.otherend_changed	= on_backend,
};
