// SPDX-License-Identifier: GPL-2.0
/* Queues of the frontend: shared rings, grants, event channels, NAPI. */
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>
#include <xen/events.h>

#include "front.h"

#define TX	0
#define RX	1

/*
 * Answers to wait for: half of what is in flight, so they come whatever else
 * does, and the backend has as much again to go on with. No more, since TCP and
 * BQL live on them.
 */
static u32 answers_wanted(const struct pvn_queue *q)
{
	const struct pvn_coalesce *set = &q->front->coalesce[q->index];
	u32 half = (READ_ONCE(q->tx.pub) - q->tx.cons) / 2;

	if (!READ_ONCE(set->adaptive_tx))
		half = min(half, READ_ONCE(set->tx_frames));
	return max(half, 1u);
}

/*
 * Packets to wait for: of what is posted the backend can use half, when its next
 * packet may be a large one.
 */
static u32 packets_wanted(const struct pvn_queue *q)
{
	u32 posted = q->rx.pub - q->rx.cons;

	return posted > PVN_SLOTS_MIN ? (posted - PVN_SLOTS_MIN) / 2 : 1;
}

/*
 * Sleep only when both rings are armed and have too little. Arming comes before
 * the end of the poll, so an event in between finds NAPI scheduled and polls again.
 */
static bool may_sleep(struct pvn_queue *q)
{
	u32 answers = answers_wanted(q);

	return pvn_arm(&q->tx, answers) < answers &&
	       pvn_wake_arm(&q->rx_wake, packets_wanted(q), q->rx_stats.rx_packets,
			    q->rx_stats.rx_bytes);
}

static int poll(struct napi_struct *napi, int budget)
{
	struct pvn_queue *q = container_of(napi, struct pvn_queue, napi);
	int work = 0;

	if (unlikely(READ_ONCE(q->front->broken))) {
		napi_complete_done(napi, 0);
		return 0;
	}

	if (budget)
		pvn_wake_begin(&q->rx_wake);
	if (!pvn_tx_reap(q, budget))
		return budget;
	if (budget)
		work = pvn_rx_poll(q, budget);
	if (work == budget)
		return budget;
	if (!may_sleep(q))
		return budget;
	if (napi_complete_done(napi, work)) {
		pvn_chan_done(q->tx_chan, PVN_USER_TX);
		pvn_chan_done(q->rx_chan, PVN_USER_RX);
	}
	return work;
}

static void refill_later(struct work_struct *work)
{
	struct pvn_queue *q = container_of(to_delayed_work(work), struct pvn_queue,
					   refill);

	local_bh_disable();
	napi_schedule(&q->napi);
	local_bh_enable();
}

static int create_ring(struct pvn_queue *q, int i)
{
	int err;

	err = xenbus_setup_ring(q->front->xdev, GFP_KERNEL, &q->ring_page[i], 1,
				&q->ring_ref[i]);
	if (!err)
		pvn_sring_init(q->ring_page[i]);
	return err;
}

static void destroy_ring(struct pvn_queue *q, int i)
{
	if (q->ring_page[i])
		xenbus_teardown_ring(&q->ring_page[i], 1, &q->ring_ref[i]);
}

static int create_chan(struct pvn_queue *q, int i, int users, const char *suffix)
{
	char name[IFNAMSIZ + 16];
	int err;

	err = xenbus_alloc_evtchn(q->front->xdev, &q->port[i]);
	if (err)
		return err;

	snprintf(name, sizeof(name), "%s-q%u%s", dev_name(&q->front->xdev->dev),
		 q->index, suffix);
	pvn_chan_init(&q->chan[i], users, &q->napi, &q->napi);
	err = bind_evtchn_to_irqhandler_lateeoi(q->port[i], pvn_chan_event, 0, name,
						&q->chan[i]);
	if (err < 0) {
		xenbus_free_evtchn(q->front->xdev, q->port[i]);
		return err;
	}
	q->chan[i].irq = err;
	return 0;
}

/* Unbinding also closes the port, and waits for a running handler. */
static void destroy_chan(struct pvn_queue *q, int i)
{
	if (q->chan[i].irq)
		unbind_from_irqhandler(q->chan[i].irq, &q->chan[i]);
	q->chan[i].irq = 0;
}

static int create_chans(struct pvn_queue *q, bool split)
{
	int err;

	q->tx_chan = &q->chan[0];
	if (!split) {
		q->rx_chan = q->tx_chan;
		return create_chan(q, 0, PVN_USER_TX | PVN_USER_RX, "");
	}
	q->rx_chan = &q->chan[1];
	err = create_chan(q, 0, PVN_USER_TX, "-tx");
	return err ?: create_chan(q, 1, PVN_USER_RX, "-rx");
}

/* A grant for each tx id and each receive buffer, for the life of the queue. */
static int create_grants(struct pvn_queue *q)
{
	grant_ref_t head;
	u32 i;
	int err;

	err = gnttab_alloc_grant_references(PVN_TX_RING_SLOTS + PVN_RX_RING_SLOTS,
					    &head);
	if (err)
		return err;
	for (i = 0; i < PVN_TX_RING_SLOTS; i++)
		q->tx_buf[i].gref = gnttab_claim_grant_reference(&head);
	for (i = 0; i < PVN_RX_RING_SLOTS; i++) {
		q->spare[i].gref = gnttab_claim_grant_reference(&head);
		q->spare[i].persist = PVN_RX_OF_POOL;
	}
	q->nr_spare = PVN_RX_RING_SLOTS;
	gnttab_free_grant_references(head);
	return 0;
}

static int create_pool(struct pvn_queue *q)
{
	struct page_pool_params params = {
		.pool_size = 2 * PVN_RX_RING_SLOTS,
		.nid = NUMA_NO_NODE,
		.dev = &q->front->xdev->dev,
	};

	q->pool = page_pool_create(&params);
	if (!IS_ERR(q->pool))
		return 0;
	return PTR_ERR(xchg(&q->pool, NULL));
}

/* Accepts a half-built queue. The backend no longer touches what we granted. */
static void destroy_queue(struct pvn_queue *q)
{
	destroy_chan(q, 0);
	destroy_chan(q, 1);
	if (q->nr_spare || q->rx.nr) {
		pvn_tx_drain(q);
		pvn_rx_drain(q);
	}
	pvn_persist_destroy(q);
	if (q->pool)
		page_pool_destroy(q->pool);
	destroy_ring(q, TX);
	destroy_ring(q, RX);
	if (q->napi.dev)
		netif_napi_del(&q->napi);
	kvfree(q);
}

static struct pvn_queue *create_queue(struct pvn_front *front, unsigned int index,
				      bool split)
{
	struct pvn_queue *q = kvzalloc(sizeof(*q), GFP_KERNEL);
	int err;

	if (!q)
		return ERR_PTR(-ENOMEM);
	q->front = front;
	q->index = index;
	INIT_DELAYED_WORK(&q->refill, refill_later);

	err = create_ring(q, TX);
	err = err ?: create_ring(q, RX);
	err = err ?: create_pool(q);
	err = err ?: create_grants(q);
	if (err)
		goto destroy;

	pvn_tx_init(q);
	pvn_rx_init(q);
	netif_napi_add(front->netdev, &q->napi, poll);

	err = create_chans(q, split);
	if (err)
		goto destroy;
	pvn_wake_init(&q->rx_wake, &q->rx, q->rx_chan, &q->napi, &front->coalesce[index]);
	return q;

destroy:
	destroy_queue(q);
	return ERR_PTR(err);
}

/**
 * pvn_queues_create() - make the queues of a connection
 * @front: the device, without queues
 * @nr: how many, 1 to @front->max_queues
 * @split: an event channel for each direction
 *
 * When memory or grants run out, fewer queues are made.
 * Context: process, RTNL.
 * Return: 0 with @front->nr_queues of at least 1, or -errno.
 */
int pvn_queues_create(struct pvn_front *front, unsigned int nr, bool split)
{
	struct pvn_queue **queue, *q = NULL;
	unsigned int i;

	ASSERT_RTNL();
	queue = kcalloc(nr, sizeof(*queue), GFP_KERNEL);
	if (!queue)
		return -ENOMEM;

	for (i = 0; i < nr; i++) {
		q = create_queue(front, i, split);
		if (IS_ERR(q))
			break;
		queue[i] = q;
	}
	if (!i) {
		kfree(queue);
		return PTR_ERR(q);
	}
	if (i < nr)
		dev_warn(&front->xdev->dev, "only %u of %u queues: error %ld\n", i, nr,
			 PTR_ERR(q));

	spin_lock_bh(&front->stats_lock);
	front->queue = queue;
	front->nr_queues = i;
	spin_unlock_bh(&front->stats_lock);
	return 0;
}

/**
 * pvn_queues_free() - free the queues of a connection
 * @queue: stopped, and no longer to be found in the device; may be NULL
 * @nr: how many
 *
 * Context: process.
 */
void pvn_queues_free(struct pvn_queue **queue, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		destroy_queue(queue[i]);
	kfree(queue);
}

/**
 * pvn_queues_start() - let packets come
 * @front: the device
 *
 * Context: process, RTNL. Does nothing when they run already.
 */
void pvn_queues_start(struct pvn_front *front)
{
	unsigned int i;

	ASSERT_RTNL();
	if (front->running)
		return;
	for (i = 0; i < front->nr_queues; i++) {
		struct pvn_queue *q = front->queue[i];

		napi_enable(&q->napi);
		local_bh_disable();
		napi_schedule(&q->napi);
		local_bh_enable();
	}
	front->running = true;
}

/**
 * pvn_queues_stop() - no packets any more
 * @front: the device
 *
 * NAPI goes first, since it may wake a transmit queue.
 * Context: process, RTNL. Also when they are stopped already.
 */
void pvn_queues_stop(struct pvn_front *front)
{
	unsigned int i;

	ASSERT_RTNL();
	for (i = 0; front->running && i < front->nr_queues; i++) {
		napi_disable(&front->queue[i]->napi);
		pvn_wake_stop(&front->queue[i]->rx_wake);
		cancel_delayed_work_sync(&front->queue[i]->refill);
	}
	front->running = false;
	netif_tx_disable(front->netdev);
}
