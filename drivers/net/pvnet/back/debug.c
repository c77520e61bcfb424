// SPDX-License-Identifier: GPL-2.0
/* /sys/kernel/debug/pvnet-back/vif-D-N: the queues as they are. */
#include <linux/debugfs.h>
#include <linux/rtnetlink.h>
#include <linux/seq_file.h>

#include <pvnet/debug.h>

#include "back.h"

static struct dentry *top;

static void show_queue(struct seq_file *s, const struct pvn_vq *q)
{
	seq_printf(s, "queue %u: %llu pages of the guest stay mapped\n", q->index,
		   READ_ONCE(q->map_stats.mapped_pages));
	pvn_debug_ring(s, "guest tx ring", &q->tx);
	pvn_wake_show(s, &q->from_wake);
	pvn_debug_ring(s, "guest rx ring", &q->rx);
	seq_printf(s, "  to the guest: %u packets held, %u copies wait%s%s%s\n",
		   skb_queue_len_lockless(&q->held), READ_ONCE(q->nr_to_ops),
		   READ_ONCE(q->stopped) ? "; no room" : "",
		   READ_ONCE(q->draining) ? "; drops" : "",
		   READ_ONCE(q->stalled) ? "; stalled" : "");
}

static int queues_show(struct seq_file *s, void *unused)
{
	const struct pvn_vif *vif = s->private;
	unsigned int i;

	rtnl_lock();
	seq_printf(s, "%s: %u queues; control ring: %s; at most %u pages mapped%s\n",
		   vif->netdev->name, vif->nr_queues, READ_ONCE(vif->ctrl) ? "yes" : "none",
		   pvn_serves_persistent() ? pvn_max_persistent : 0,
		   READ_ONCE(vif->broken) ? "; broken" : "");
	for (i = 0; i < vif->nr_queues; i++)
		show_queue(s, vif->queue[i]);
	rtnl_unlock();
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(queues);

/**
 * pvn_back_debug_add() - show a vif
 * @vif: the device
 */
void pvn_back_debug_add(struct pvn_vif *vif)
{
	vif->debug = debugfs_create_file(dev_name(&vif->xdev->dev), 0400, top, vif, &queues_fops);
}

/**
 * pvn_back_debug_remove() - do not show it any more; waits for readers
 * @vif: the device
 *
 * Context: process, without RTNL.
 */
void pvn_back_debug_remove(struct pvn_vif *vif)
{
	debugfs_remove(vif->debug);
}

/**
 * pvn_back_debug_init() - of the module
 */
void pvn_back_debug_init(void)
{
	top = debugfs_create_dir("pvnet-back", NULL);
}

/**
 * pvn_back_debug_exit() - of the module; no vif is shown
 */
void pvn_back_debug_exit(void)
{
	debugfs_remove(top);
}
