// SPDX-License-Identifier: GPL-2.0
/* Queues of the backend: mapped rings, event channels, NAPI. */
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>
#include <xen/events.h>

#include "back.h"

#define TX	0
#define RX	1

static int map_ring(struct pvn_vq *q, int i, grant_ref_t ref)
{
	return xenbus_map_ring_valloc(q->vif->xdev, &ref, 1, &q->ring_page[i]);
}

static void unmap_ring(struct pvn_vq *q, int i)
{
	if (q->ring_page[i])
		xenbus_unmap_ring_vfree(q->vif->xdev, q->ring_page[i]);
	q->ring_page[i] = NULL;
}

static int bind_chan(struct pvn_vq *q, int i, evtchn_port_t port, int users,
		     const char *suffix)
{
	char name[IFNAMSIZ + 16];
	int irq;

	snprintf(name, sizeof(name), "%s-q%u%s", q->vif->netdev->name, q->index, suffix);
	pvn_chan_init(&q->chan[i], users, &q->from_napi, &q->to_napi);
	irq = bind_interdomain_evtchn_to_irqhandler_lateeoi(q->vif->xdev, port, pvn_chan_event,
							    0, name, &q->chan[i]);
	if (irq < 0)
		return irq;
	q->chan[i].irq = irq;
	return 0;
}

/* Also waits for a running handler. */
static void unbind_chan(struct pvn_vq *q, int i)
{
	if (q->chan[i].irq)
		unbind_from_irqhandler(q->chan[i].irq, &q->chan[i]);
	q->chan[i].irq = 0;
}

static int bind_chans(struct pvn_vq *q, const struct pvn_vq_keys *keys)
{
	int err;

	q->from_chan = &q->chan[0];
	if (keys->port[TX] == keys->port[RX]) {
		q->to_chan = q->from_chan;
		return bind_chan(q, 0, keys->port[TX], PVN_USER_TX | PVN_USER_RX, "");
	}
	q->to_chan = &q->chan[1];
	err = bind_chan(q, 0, keys->port[TX], PVN_USER_TX, "-from-guest");
	return err ?: bind_chan(q, 1, keys->port[RX], PVN_USER_RX, "-to-guest");
}

static int create_pool(struct pvn_vq *q)
{
	struct page_pool_params params = {
		.pool_size = 2 * PVN_TX_RING_SLOTS,
		.nid = NUMA_NO_NODE,
		.dev = &q->vif->xdev->dev,
	};

	q->pool = page_pool_create(&params);
	if (!IS_ERR(q->pool))
		return 0;
	return PTR_ERR(xchg(&q->pool, NULL));
}

/* Accepts a half-built queue; stopped. */
static void destroy_queue(struct pvn_vq *q)
{
	unbind_chan(q, 0);
	unbind_chan(q, 1);
	if (q->from_napi.dev) {
		netif_napi_del(&q->from_napi);
		netif_napi_del(&q->to_napi);
	}
	if (q->pool)
		page_pool_destroy(q->pool);
	pvn_map_clear(q);
	unmap_ring(q, TX);
	unmap_ring(q, RX);
	kvfree(q);
}

static struct pvn_vq *create_queue(struct pvn_vif *vif, unsigned int index,
				   const struct pvn_vq_keys *keys)
{
	struct pvn_vq *q = kvzalloc(sizeof(*q), GFP_KERNEL);
	int err;

	if (!q)
		return ERR_PTR(-ENOMEM);
	q->vif = vif;
	q->index = index;
	xa_init(&q->mapped);

	err = map_ring(q, TX, keys->ring_ref[TX]);
	err = err ?: map_ring(q, RX, keys->ring_ref[RX]);
	err = err ?: create_pool(q);
	if (err)
		goto destroy;

	pvn_tx_ring_attach_back(&q->tx, q->ring_page[TX]);
	pvn_to_init(q);
	netif_napi_add(vif->netdev, &q->from_napi, pvn_from_poll);
	netif_napi_add_tx(vif->netdev, &q->to_napi, pvn_to_poll);

	err = bind_chans(q, keys);
	if (err)
		goto destroy;
	pvn_wake_init(&q->from_wake, &q->tx, q->from_chan, &q->from_napi, &vif->coalesce[index]);
	return q;

destroy:
	destroy_queue(q);
	return ERR_PTR(err);
}

/**
 * pvn_vqs_create() - map the rings of a connection
 * @vif: the device, without queues
 * @keys: what the frontend says of each queue
 * @nr: how many
 *
 * Context: process, RTNL.
 */
int pvn_vqs_create(struct pvn_vif *vif, const struct pvn_vq_keys *keys, unsigned int nr)
{
	struct pvn_vq **queue, *q;
	unsigned int i;

	ASSERT_RTNL();
	queue = kcalloc(nr, sizeof(*queue), GFP_KERNEL);
	if (!queue)
		return -ENOMEM;
	for (i = 0; i < nr; i++) {
		q = create_queue(vif, i, &keys[i]);
		if (IS_ERR(q))
			goto destroy;
		queue[i] = q;
	}
	spin_lock_bh(&vif->stats_lock);
	vif->queue = queue;
	vif->nr_queues = nr;
	spin_unlock_bh(&vif->stats_lock);
	return 0;

destroy:
	while (i)
		destroy_queue(queue[--i]);
	kfree(queue);
	return PTR_ERR(q);
}

/**
 * pvn_vqs_destroy() - unmap the rings; the counters stay with the vif
 * @vif: the device, its queues stopped; any number, also none
 *
 * Context: process, RTNL.
 */
void pvn_vqs_destroy(struct pvn_vif *vif)
{
	struct pvn_vq **queue = vif->queue;
	unsigned int nr = vif->nr_queues, i;

	ASSERT_RTNL();
	spin_lock_bh(&vif->stats_lock);
	for (i = 0; i < nr; i++)
		pvn_vq_add_stats(queue[i], &vif->past);
	vif->queue = NULL;
	vif->nr_queues = 0;
	spin_unlock_bh(&vif->stats_lock);

	for (i = 0; i < nr; i++)
		destroy_queue(queue[i]);
	kfree(queue);
}

/**
 * pvn_vqs_start() - let packets come and go
 * @vif: the device
 *
 * Context: process, RTNL. Does nothing when they run already.
 */
void pvn_vqs_start(struct pvn_vif *vif)
{
	unsigned int i;

	ASSERT_RTNL();
	if (vif->running)
		return;
	WRITE_ONCE(vif->running, true);
	for (i = 0; i < vif->nr_queues; i++) {
		struct pvn_vq *q = vif->queue[i];

		napi_enable(&q->from_napi);
		napi_enable(&q->to_napi);
		pvn_to_start(q);
		local_bh_disable();
		napi_schedule(&q->from_napi);
		napi_schedule(&q->to_napi);
		local_bh_enable();
	}
}

/**
 * pvn_vqs_stop() - no packets any more
 * @vif: the device
 *
 * Nobody wakes a queue after it was disabled: wakers hold its lock and see
 * @vif->running.
 * Context: process, RTNL. Does nothing when they are stopped already.
 */
void pvn_vqs_stop(struct pvn_vif *vif)
{
	unsigned int i;

	ASSERT_RTNL();
	if (!vif->running)
		return;
	WRITE_ONCE(vif->running, false);
	netif_tx_disable(vif->netdev);
	for (i = 0; i < vif->nr_queues; i++) {
		struct pvn_vq *q = vif->queue[i];

		cancel_delayed_work_sync(&q->watch);
		hrtimer_cancel(&q->hold);
		napi_disable(&q->from_napi);
		pvn_wake_stop(&q->from_wake);
		napi_disable(&q->to_napi);
		pvn_to_drop_held(q);
	}
}
