// SPDX-License-Identifier: GPL-2.0
/* /sys/kernel/debug/pvnet-front/vif-N: the queues as they are. */
#include <linux/debugfs.h>
#include <linux/rtnetlink.h>
#include <linux/seq_file.h>

#include <pvnet/debug.h>

#include "front.h"

static struct dentry *top;

static void show_queue(struct seq_file *s, const struct pvn_queue *q)
{
	const struct pvn_persist *p = smp_load_acquire(&q->persist);	/* pairs with K */

	seq_printf(s, "queue %u: transmit %s, receive %s%s\n", q->index,
		   q->stage_live ? "persistent" : "copy", q->rx_live ? "persistent" : "copy",
		   q->front->handover ? ", pages go to the stack" : "");
	pvn_debug_ring(s, "guest tx ring", &q->tx);
	seq_printf(s, "  ids: %u free\n", READ_ONCE(q->id_tail) - READ_ONCE(q->id_head));
	pvn_debug_ring(s, "guest rx ring", &q->rx);
	pvn_wake_show(s, &q->rx_wake);
	seq_printf(s, "  buffers of the pool: %u not posted\n", READ_ONCE(q->nr_spare));
	if (p)
		seq_printf(s, "  granted for good: %u staging pages, %u receive pages: %u free, %u given to the stack, %u still there\n",
			   p->nr_stage, p->nr_rx, READ_ONCE(p->nr_free), READ_ONCE(p->nr_out),
			   pvn_persist_count_out(q));
}

static int queues_show(struct seq_file *s, void *unused)
{
	const struct pvn_front *front = s->private;
	unsigned int i;

	rtnl_lock();
	seq_printf(s, "%s: scheme wanted: %s; control ring: %s; backend %strusted%s\n",
		   front->netdev->name, front->want_persistent ? "persistent" : "copy",
		   !front->ctrl ? "none" : READ_ONCE(front->ctrl->dead) ? "dead" : "yes",
		   front->trusted ? "" : "not ", READ_ONCE(front->broken) ? "; broken" : "");
	for (i = 0; i < front->nr_queues; i++)
		show_queue(s, front->queue[i]);
	rtnl_unlock();
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(queues);

/**
 * pvn_front_debug_add() - show a device
 * @front: the device
 */
void pvn_front_debug_add(struct pvn_front *front)
{
	front->debug = debugfs_create_file(dev_name(&front->xdev->dev), 0400, top, front, &queues_fops);
}

/**
 * pvn_front_debug_remove() - do not show it any more; waits for readers
 * @front: the device
 *
 * Context: process, without RTNL.
 */
void pvn_front_debug_remove(struct pvn_front *front)
{
	debugfs_remove(front->debug);
}

/**
 * pvn_front_debug_init() - of the module
 */
void pvn_front_debug_init(void)
{
	top = debugfs_create_dir("pvnet-front", NULL);
}

/**
 * pvn_front_debug_exit() - of the module; no device is shown
 */
void pvn_front_debug_exit(void)
{
	debugfs_remove(top);
}
