/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Event channels: who is woken, when, and what is owed for it.
 *
 * The only code that publishes ring indices, arms, raises or EOIs events. A
 * producer publishes once per burst and raises an event when the peer asked for
 * it. A consumer of packets lets some gather (wake.h), one of answers or of room
 * knows how many will come, and asks for that many with pvn_arm().
 */
#ifndef _PVNET_NOTIFY_H
#define _PVNET_NOTIFY_H

#include <linux/atomic.h>
#include <linux/interrupt.h>
#include <linux/types.h>

#include <pvnet/ring.h>
#include <pvnet/stats.h>

struct napi_struct;
struct delayed_work;

/* Who uses a channel: two when one channel serves both rings of a queue. */
#define PVN_USER_TX	(1 << 0)	/* guest tx ring */
#define PVN_USER_RX	(1 << 1)	/* guest rx ring */
#define PVN_USER_CTRL	(1 << 2)	/* control ring */

/**
 * struct pvn_chan - an event channel of a queue, or of the control ring
 * @irq: Linux interrupt, 0 = not bound; NAPI runs only when it is
 * @users: PVN_USER_* that have to finish before the event is EOId; constant
 * @napi: what polls the guest tx ring and the guest rx ring; may be the same
 * @work: what looks at the control ring
 * @owed: users that have not finished since the last event
 * @credit: how many events the work found so far may account for
 * @stats: counters, each written by one context at a time
 */
struct pvn_chan {
	unsigned int irq;
	int users;
	struct napi_struct *napi[2];
	struct delayed_work *work;
	atomic_t owed;
	atomic_t credit;
	struct pvn_chan_stats stats;
};

void pvn_chan_init(struct pvn_chan *chan, int users, struct napi_struct *tx,
		   struct napi_struct *rx);
void pvn_chan_init_ctrl(struct pvn_chan *chan, struct delayed_work *work);
irqreturn_t pvn_chan_event(int irq, void *chan);
void pvn_chan_worked(struct pvn_chan *chan);
void pvn_chan_done(struct pvn_chan *chan, int user);

void pvn_publish(struct pvn_ring *ring, struct pvn_chan *chan);
void pvn_flush(struct pvn_ring *ring, struct pvn_chan *chan);
u32 pvn_arm(struct pvn_ring *ring, u32 k);
u64 pvn_event_tau(void);

#endif
