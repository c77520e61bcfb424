// SPDX-License-Identifier: GPL-2.0
/*
 * The grant scheme of a connection. Each starts with the copy scheme. When the
 * backend is there, and maps pages for a queue, the queue goes over to
 * persistent grants: from then on new packets use the pages that are granted for
 * good, and those on the way end as they began. The way back is the same.
 *
 * Slots of both kinds can be on a ring at any time, so nothing waits, and
 * nothing is lost. The pages stay granted until the connection ends.
 */
#include <linux/delay.h>
#include <linux/netdevice.h>

#include "front.h"

/* How long packets that are staged may take to be answered. */
#define DRAIN_MSECS	1000

/* ------------------------------------------------------------------ lists */

static void fill_list(struct pvn_front_ctrl *ctrl, const struct pvn_granted *g, u32 nr, u16 flags)
{
	struct pvn_gref *list = ctrl->list_page;
	u32 i;

	for (i = 0; i < nr; i++)
		list[i] = (struct pvn_gref) { .ref = g[i].gref, .flags = flags };
}

/* ADD or DEL all pages of one kind. */
static int call(struct pvn_queue *q, u16 type, const struct pvn_granted *g, u32 nr, u16 flags)
{
	struct pvn_front_ctrl *ctrl = q->front->ctrl;
	u32 data;

	if (!nr)
		return -ENOENT;
	fill_list(ctrl, g, nr, flags);
	return pvn_ctrl_call(ctrl, type, q->index, nr, &data);
}

/* --------------------------------------------------------------- up, down */

static int upgrade(struct pvn_queue *q)
{
	u32 max = 0;
	int err;

	if (q->stage_live)
		return 0;
	err = pvn_ctrl_call(q->front->ctrl, PVN_CTRL_GET_GREF_MAPPING_SIZE, q->index, 0, &max);
	if (err)
		return err;
	if (!max)
		return -EOPNOTSUPP;
	if (!q->persist && !pvn_persist_create(q, max))
		return -ENOSPC;

	err = call(q, PVN_CTRL_ADD_GREF_MAPPING, q->persist->stage, q->persist->nr_stage,
		   PVN_GREF_READONLY);
	if (err)
		return err;
	/* I: pages before their use; pairs with xmit's load */
	smp_store_release(&q->stage_live, true);
	err = call(q, PVN_CTRL_ADD_GREF_MAPPING, q->persist->rx, q->persist->nr_rx, 0);
	if (!err)	/* J: the same; pairs with NAPI's load */
		smp_store_release(&q->rx_live, true);
	return 0;
}

/* Until the backend has answered all that was sent so far. */
static void wait_for_staged(const struct pvn_queue *q)
{
	u32 end = READ_ONCE(q->tx.prod);
	unsigned int i;

	for (i = 0; i < DRAIN_MSECS && (s32)(READ_ONCE(q->tx.cons) - end) < 0; i++) {
		if (READ_ONCE(q->front->ctrl->dead))
			return;
		usleep_range(1000, 2000);
	}
}

/* Slots with these pages that are still posted are served by grant copy. */
static int downgrade(struct pvn_queue *q)
{
	int err, err2 = 0;
	bool rx = q->rx_live;

	if (!q->stage_live)
		return 0;
	WRITE_ONCE(q->stage_live, false);
	WRITE_ONCE(q->rx_live, false);
	synchronize_net();
	wait_for_staged(q);
	err = call(q, PVN_CTRL_DEL_GREF_MAPPING, q->persist->stage, q->persist->nr_stage, 0);
	if (rx)
		err2 = call(q, PVN_CTRL_DEL_GREF_MAPPING, q->persist->rx, q->persist->nr_rx, 0);
	return err ?: err2;
}

static void note(struct pvn_queue *q)
{
	const struct pvn_persist *p = q->persist;

	q->scheme_stats.persistent_tx = q->stage_live;
	q->scheme_stats.persistent_rx = q->rx_live;
	q->scheme_stats.persistent_pages = p ? p->nr_stage + p->nr_rx : 0;
}

static void say(struct pvn_front *front, int err)
{
	unsigned int live = 0, i;

	for (i = 0; i < front->nr_queues; i++)
		live += front->queue[i]->stage_live;
	if (err == -ESHUTDOWN)
		return;
	if (err == -EOPNOTSUPP)
		netdev_info(front->netdev, "the backend maps no pages: grant scheme is copy\n");
	else if (live == front->nr_queues)
		netdev_info(front->netdev, "grant scheme is persistent\n");
	else if (live)
		netdev_info(front->netdev, "grant scheme is persistent on %u of %u queues (error %d)\n",
			    live, front->nr_queues, err);
	else
		netdev_info(front->netdev, "grant scheme is copy%s\n",
			    front->want_persistent ? " for want of pages" : "");
}

static void work(struct work_struct *work)
{
	struct pvn_front *front = container_of(work, struct pvn_front, scheme_work);
	bool want = READ_ONCE(front->want_persistent);
	int err = 0, first = 0;
	unsigned int i;

	for (i = 0; i < front->nr_queues; i++) {
		err = want ? upgrade(front->queue[i]) : downgrade(front->queue[i]);
		first = first ?: err;
		note(front->queue[i]);
		if (err == -ESHUTDOWN || err == -EOPNOTSUPP)
			break;
	}
	say(front, first);
}

/* -------------------------------------------------------------- the verbs */

/**
 * pvn_scheme_init() - of a new device
 * @front: the device
 */
void pvn_scheme_init(struct pvn_front *front)
{
	INIT_WORK(&front->scheme_work, work);
	front->want_persistent = pvn_front_wants_persistent();
}

/**
 * pvn_scheme_update() - bring the queues to the scheme that is wanted
 * @front: the device
 *
 * Nobody answers before the backend is Connected, which calls this again.
 * Returns at once. Context: process; not while the device is being destroyed.
 */
void pvn_scheme_update(struct pvn_front *front)
{
	if (!netif_carrier_ok(front->netdev))
		return;		/* when the backend is there */
	if (front->ctrl)
		schedule_work(&front->scheme_work);
	else if (front->want_persistent)
		netdev_info(front->netdev, "the backend has no control ring: grant scheme is copy\n");
}

/**
 * pvn_scheme_stop() - leave the queues as they are
 * @front: the device
 *
 * Waits, but for no answer of the backend.
 * Context: process, RTNL.
 */
void pvn_scheme_stop(struct pvn_front *front)
{
	pvn_front_ctrl_stop(front);
	cancel_work_sync(&front->scheme_work);
}
