// SPDX-License-Identifier: GPL-2.0
/*
 * The backend on the xenbus: what it reads and writes there, and when it
 * connects, closes and goes away. What to do is in core/state.c.
 *
 * All callbacks run in the xenwatch thread, one at a time; only remove() may
 * be called from elsewhere (unbind, module unload), after the core has
 * unregistered the watch on the frontend.
 */
#include <linux/module.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>
#include <xen/xenbus.h>

#include <pvnet/xenstore.h>

#include "back.h"

#define OWN_FEATURES	(PVN_F_SG | PVN_F_GSO_TCPV4 | PVN_F_GSO_TCPV6 | \
			 PVN_F_CSUM_IPV4 | PVN_F_CSUM_IPV6 | PVN_F_RX_COPY)

/* ------------------------------------------------------------------- keys */

static int put_all(struct pvn_keys *keys, const void *arg)
{
	u32 features = OWN_FEATURES;
	int err;

	if (pvn_split_events)
		features |= PVN_F_SPLIT_EVENTS;
	if (pvn_serves_persistent())
		features |= PVN_F_CTRL_RING;
	err = pvn_keys_put_features(keys, PVN_BACK, features);
	err = err ?: pvn_key_put(keys, "feature-rx-flip", 0);
	return err ?: pvn_key_put(keys, "multi-queue-max-queues", pvn_back_max_queues);
}

static int read_queue(struct xenbus_device *xdev, const char *dir, struct pvn_vq_keys *keys)
{
	int err;

	err = xenbus_gather(XBT_NIL, dir, "tx-ring-ref", "%u", &keys->ring_ref[0],
			    "rx-ring-ref", "%u", &keys->ring_ref[1], NULL);
	if (err) {
		xenbus_dev_fatal(xdev, err, "reading ring references in %s", dir);
		return err;
	}
	err = xenbus_gather(XBT_NIL, dir, "event-channel-tx", "%u", &keys->port[0],
			    "event-channel-rx", "%u", &keys->port[1], NULL);
	if (err) {
		err = xenbus_gather(XBT_NIL, dir, "event-channel", "%u", &keys->port[0], NULL);
		keys->port[1] = keys->port[0];
	}
	if (err)
		xenbus_dev_fatal(xdev, err, "reading event channels in %s", dir);
	return err;
}

/* One queue is described in the frontend's own directory, several in queue-N. */
static int read_queues(struct xenbus_device *xdev, struct pvn_vq_keys *keys, unsigned int nr)
{
	char dir[80];
	unsigned int i;
	int err;

	if (nr == 1)
		return read_queue(xdev, xdev->otherend, keys);
	for (i = 0; i < nr; i++) {
		if (snprintf(dir, sizeof(dir), "%s/queue-%u", xdev->otherend, i) >= sizeof(dir))
			return -ENAMETOOLONG;
		err = read_queue(xdev, dir, &keys[i]);
		if (err)
			return err;
	}
	return 0;
}

static int read_frontend(struct pvn_vif *vif, unsigned int *nr)
{
	struct xenbus_device *xdev = vif->xdev;
	u32 features = pvn_peer_features(xdev, PVN_FRONT);

	if (!(features & PVN_F_RX_COPY)) {
		xenbus_dev_fatal(xdev, -EOPNOTSUPP, "frontend does not ask for request-rx-copy");
		return -EOPNOTSUPP;
	}
	*nr = xenbus_read_unsigned(xdev->otherend, "multi-queue-num-queues", 1);
	if (!*nr || *nr > pvn_back_max_queues) {
		xenbus_dev_fatal(xdev, -EINVAL, "frontend wants %u queues, not 1 to %u",
				 *nr, pvn_back_max_queues);
		return -EINVAL;
	}
	vif->features = pvn_features_usable(features);
	return 0;
}

/* ---------------------------------------------------------------- connect */

static void disconnect(struct pvn_vif *vif)
{
	bool connected;

	rtnl_lock();
	connected = vif->nr_queues;
	pvn_back_ctrl_destroy(vif);
	pvn_vif_detach(vif);
	pvn_vqs_destroy(vif);
	rtnl_unlock();
	if (connected)
		module_put(THIS_MODULE);
}

static int connect_rings(struct pvn_vif *vif, const struct pvn_vq_keys *keys, unsigned int nr)
{
	int err;

	if (!try_module_get(THIS_MODULE))
		return -ENODEV;
	rtnl_lock();
	err = pvn_vqs_create(vif, keys, nr);
	rtnl_unlock();
	if (err) {
		module_put(THIS_MODULE);
		return err;
	}

	rtnl_lock();
	err = pvn_vif_attach(vif);
	rtnl_unlock();
	if (err)
		disconnect(vif);
	return err;
}

/*
 * xl's script puts the vif into its bridge and says so. Without the node there
 * is no script to wait for; once it has succeeded, reconnects do not wait.
 */
static bool hotplug_ready(struct pvn_vif *vif)
{
	char *status;

	if (vif->hotplug_done)
		return true;
	status = xenbus_read(XBT_NIL, vif->xdev->nodename, "hotplug-status", NULL);
	if (IS_ERR(status))
		return PTR_ERR(status) == -ENOENT;
	vif->hotplug_done = !strcmp(status, "connected");
	kfree(status);
	return vif->hotplug_done;
}

static void go_live(struct pvn_vif *vif)
{
	if (!vif->nr_queues || vif->xdev->state == XenbusStateConnected || !hotplug_ready(vif))
		return;
	netif_carrier_on(vif->netdev);
	xenbus_switch_state(vif->xdev, XenbusStateConnected);
	netdev_info(vif->netdev, "guest connected, %u queue%s%s\n", vif->nr_queues,
		    vif->nr_queues == 1 ? "" : "s",
		    vif->ctrl ? "" : ", grant scheme is copy");
}

static void on_hotplug(struct xenbus_watch *watch, const char *path, const char *token)
{
	go_live(container_of(watch, struct pvn_vif, hotplug_watch));
}

/* A frontend without a control ring, or with one that cannot be had, does without. */
static void connect_ctrl(struct pvn_vif *vif)
{
	struct xenbus_device *xdev = vif->xdev;
	unsigned int ref, port;
	int err;

	if (!pvn_serves_persistent())
		return;
	err = xenbus_gather(XBT_NIL, xdev->otherend, "ctrl-ring-ref", "%u", &ref,
			    "event-channel-ctrl", "%u", &port, NULL);
	if (err)
		return;
	err = pvn_back_ctrl_create(vif, ref, port);
	if (err)
		dev_warn(&xdev->dev, "no control ring, error %d: copy only\n", err);
}

static void connect(struct pvn_vif *vif)
{
	struct pvn_vq_keys *keys;
	unsigned int nr;
	int err;

	if (vif->nr_queues || read_frontend(vif, &nr))
		return;
	keys = kcalloc(nr, sizeof(*keys), GFP_KERNEL);
	if (!keys)
		return;
	err = read_queues(vif->xdev, keys, nr);
	if (!err) {
		err = connect_rings(vif, keys, nr);
		if (err)
			xenbus_dev_fatal(vif->xdev, err, "connecting to the frontend's rings");
	}
	kfree(keys);
	if (err)
		return;
	connect_ctrl(vif);
	go_live(vif);
}

/* ------------------------------------------------------------------ close */

static void close_to(struct pvn_vif *vif, enum xenbus_state state)
{
	disconnect(vif);
	xenbus_switch_state(vif->xdev, state);
}

/*
 * A frontend starts anew, perhaps without having closed: then the rings are
 * those of the last one, even if we are not Connected yet.
 */
static void prepare(struct pvn_vif *vif)
{
	disconnect(vif);
	if (vif->xdev->state == XenbusStateConnected)
		xenbus_switch_state(vif->xdev, XenbusStateClosing);
	if (vif->xdev->state == XenbusStateClosing)
		xenbus_switch_state(vif->xdev, XenbusStateClosed);
	xenbus_switch_state(vif->xdev, XenbusStateInitWait);
}

static void on_frontend(struct xenbus_device *xdev, enum xenbus_state state)
{
	struct pvn_vif *vif = dev_get_drvdata(&xdev->dev);

	dev_dbg(&xdev->dev, "frontend is %s\n", xenbus_strstate(state));
	switch (pvn_back_action(xdev->state, state, xenbus_dev_is_online(xdev))) {
	case PVN_ACT_CONNECT:
		connect(vif);
		break;
	case PVN_ACT_PREPARE:
		prepare(vif);
		break;
	case PVN_ACT_CLOSE:
		close_to(vif, state);
		break;
	case PVN_ACT_REMOVE:
		close_to(vif, XenbusStateClosed);
		device_unregister(&xdev->dev);
		break;
	default:
		break;
	}
}

/* ---------------------------------------------------------------- xenbus */

static void stop_watching(struct pvn_vif *vif)
{
	if (!vif->hotplug_watch.node)
		return;
	unregister_xenbus_watch(&vif->hotplug_watch);
	kfree(vif->hotplug_watch.node);
	vif->hotplug_watch.node = NULL;
}

static void remove(struct xenbus_device *xdev)
{
	struct pvn_vif *vif = dev_get_drvdata(&xdev->dev);

	if (!vif)
		return;
	stop_watching(vif);
	disconnect(vif);
	kobject_uevent(&xdev->dev.kobj, KOBJ_OFFLINE);
	pvn_vif_free(vif);
	dev_set_drvdata(&xdev->dev, NULL);
}

/*
 * libxl runs the hotplug script when it sees InitWait, so vifD.N is there
 * before.
 */
static int probe(struct xenbus_device *xdev, const struct xenbus_device_id *id)
{
	struct pvn_vif *vif;
	unsigned int handle;
	int err;

	err = xenbus_scanf(XBT_NIL, xdev->nodename, "handle", "%u", &handle);
	if (err != 1) {
		xenbus_dev_fatal(xdev, -EINVAL, "reading handle");
		return -EINVAL;
	}
	err = pvn_keys_write(xdev, put_all, NULL);
	if (err) {
		xenbus_dev_fatal(xdev, err, "writing features");
		return err;
	}
	vif = pvn_vif_create(xdev, xdev->otherend_id, handle);
	if (IS_ERR(vif)) {
		xenbus_dev_fatal(xdev, PTR_ERR(vif), "creating vif%u.%u", xdev->otherend_id, handle);
		return PTR_ERR(vif);
	}
	dev_set_drvdata(&xdev->dev, vif);
	err = xenbus_watch_pathfmt(xdev, &vif->hotplug_watch, NULL, on_hotplug,
				   "%s/hotplug-status", xdev->nodename);
	if (!err)
		err = xenbus_switch_state(xdev, XenbusStateInitWait);
	if (err) {
		remove(xdev);
		return err;
	}
	kobject_uevent(&xdev->dev.kobj, KOBJ_ONLINE);
	return 0;
}

/* For scripts that udev runs. */
static int uevent(pvn_uevent_arg_t *xdev, struct kobj_uevent_env *env)
{
	struct pvn_vif *vif = dev_get_drvdata(&xdev->dev);
	char *script;

	script = xenbus_read(XBT_NIL, xdev->nodename, "script", NULL);
	if (!IS_ERR(script)) {
		add_uevent_var(env, "script=%s", script);
		kfree(script);
	}
	return vif ? add_uevent_var(env, "vif=%s", vif->netdev->name) : 0;
}

static const struct xenbus_device_id ids[] = {
	{ "vif" },
	{ "" },
};

struct xenbus_driver pvn_back_driver = {
	.name			= "pvnet-back",	/* "vif" is the stock driver's */
	.ids			= ids,
	.probe			= probe,
	.remove			= remove,
	.uevent			= uevent,
	.otherend_changed	= on_frontend,
};
