// SPDX-License-Identifier: GPL-2.0
/*
 * Late EOI and notification.
 *
 * Linux masks a late-EOI channel from delivery to EOI, and delays the next
 * event of a channel that keeps saying "spurious". So an event is EOId exactly
 * once, by whoever finishes last, and it is spurious only when nothing that
 * any user of the channel found, in whatever context, can have caused it: an
 * event whose work was done by an earlier poll is not the peer's fault.
 *
 * Each time work is found the peer may have been asked for an event for it,
 * and that event may still be on its way, behind the one that is masked now.
 * So such finds are counted, and each EOI takes one. The count is bounded: a
 * storm gets no further than a few events beyond its work.
 */
#include <linux/export.h>
#include <linux/ktime.h>
#include <linux/netdevice.h>
#include <linux/workqueue.h>
#include <xen/events.h>

#include <pvnet/notify.h>

#define CREATE_TRACE_POINTS
#include <pvnet/trace.h>

#define CREDIT_MAX	4

/* One of so many events is timed. */
#define EVENT_TIMED	8
#define EVENT_NSECS_MAX	16000u
#define EVENTS_PER_TAU	256

/*
 * What it costs here to raise an event, which is the measure of what is a long
 * time to wait: about a microsecond on a real machine, ten in an emulated one.
 */
static u32 event_nsecs = 1000;

/**
 * pvn_chan_init() - before the channel is bound
 * @chan: the channel
 * @users: PVN_USER_*
 * @tx: polls the guest tx ring
 * @rx: polls the guest rx ring
 *
 * Xen makes a channel pending when it is bound, so the first event may come
 * before the caller has stored @chan->irq; NAPI must still be disabled then.
 */
void pvn_chan_init(struct pvn_chan *chan, int users, struct napi_struct *tx,
		   struct napi_struct *rx)
{
	*chan = (struct pvn_chan) { .users = users, .napi = { tx, rx } };
}
EXPORT_SYMBOL_GPL(pvn_chan_init);

/**
 * pvn_chan_init_ctrl() - the same for the channel of a control ring
 * @chan: the channel
 * @work: looks at the ring; when it is scheduled for later, events wait as well
 *
 * The work may run before the caller has stored @chan->irq, and must then wait.
 */
void pvn_chan_init_ctrl(struct pvn_chan *chan, struct delayed_work *work)
{
	*chan = (struct pvn_chan) { .users = PVN_USER_CTRL, .work = work };
}
EXPORT_SYMBOL_GPL(pvn_chan_init_ctrl);

/**
 * pvn_chan_event() - interrupt handler: wake the users of a channel
 * @irq: of the channel
 * @arg: the channel
 */
irqreturn_t pvn_chan_event(int irq, void *arg)
{
	struct pvn_chan *chan = arg;

	chan->stats.events++;
	atomic_set(&chan->owed, chan->users);
	if (chan->users & PVN_USER_TX)
		napi_schedule(chan->napi[0]);
	if (chan->users & PVN_USER_RX)
		napi_schedule(chan->napi[1]);
	if (chan->users & PVN_USER_CTRL)
		schedule_delayed_work(chan->work, 0);
	return IRQ_HANDLED;
}
EXPORT_SYMBOL_GPL(pvn_chan_event);

/**
 * pvn_chan_worked() - a user has consumed slots of a ring on this channel
 * @chan: the channel
 *
 * Context: any; before the user's pvn_chan_done().
 */
void pvn_chan_worked(struct pvn_chan *chan)
{
	atomic_add_unless(&chan->credit, 1, CREDIT_MAX);
}
EXPORT_SYMBOL_GPL(pvn_chan_worked);

/**
 * pvn_chan_done() - a user has nothing more to do and is armed
 * @chan: the channel
 * @user: PVN_USER_*, one or more
 *
 * A user that was not woken by an event owes nothing: then this does nothing.
 * Context: after napi_complete_done() has returned true, or the control ring's work.
 */
void pvn_chan_done(struct pvn_chan *chan, int user)
{
	int owed = atomic_fetch_andnot(user, &chan->owed);
	unsigned int flags = 0;

	if (!(owed & user) || (owed & ~user))
		return;

	if (atomic_dec_if_positive(&chan->credit) < 0) {
		chan->stats.spurious++;
		flags = XEN_EOI_FLAG_SPURIOUS;
	}
	xen_irq_lateeoi(chan->irq, flags);
}
EXPORT_SYMBOL_GPL(pvn_chan_done);

/**
 * pvn_event_tau() - how long slots may gather, by what an event costs
 *
 * Return: nanoseconds; some hundred microseconds on a real machine.
 */
u64 pvn_event_tau(void)
{
	return (u64)READ_ONCE(event_nsecs) * EVENTS_PER_TAU;
}

/* The average of about sixteen; one that was interrupted counts as a slow one. */
static void note_cost(u64 nsecs)
{
	u32 cost = min_t(u64, nsecs, EVENT_NSECS_MAX);

	WRITE_ONCE(event_nsecs, (15 * READ_ONCE(event_nsecs) + cost) / 16);
}

static void raise(struct pvn_chan *chan, u64 nr)
{
	u64 start;

	if (nr % EVENT_TIMED) {
		notify_remote_via_irq(chan->irq);
		return;
	}
	start = ktime_get_ns();
	notify_remote_via_irq(chan->irq);
	note_cost(ktime_get_ns() - start);
}

/**
 * pvn_publish() - show the peer what was produced, and wake it if it asked
 * @ring: the ring
 * @chan: the channel that the peer listens to for this ring
 *
 * Context: the ring's producer; any, also with interrupts off.
 */
void pvn_publish(struct pvn_ring *ring, struct pvn_chan *chan)
{
	bool asked = pvn_ring_publish(ring);

	trace_pvnet_notify(chan->irq, ring->pub, asked);
	if (asked)
		raise(chan, ++chan->stats.raised);
	else
		chan->stats.held++;
}
EXPORT_SYMBOL_GPL(pvn_publish);

/**
 * pvn_flush() - no more comes for now: do not let the peer wait for it
 * @ring: the ring; all that was produced is published
 * @chan: the channel that the peer listens to for this ring
 *
 * A peer that waits for several slots may be waiting for the last of them. One
 * that waits for the next slot has had all others, so it is left alone.
 *
 * Context: as pvn_publish().
 */
void pvn_flush(struct pvn_ring *ring, struct pvn_chan *chan)
{
	if (!pvn_ring_waits(ring))
		return;
	trace_pvnet_notify(chan->irq, ring->pub, true);
	raise(chan, ++chan->stats.flushed);
}
EXPORT_SYMBOL_GPL(pvn_flush);

/**
 * pvn_arm() - ask for an event at the @k-th slot from now, however long that takes
 * @ring: the ring
 * @k: 1 for the next slot; no more than are certain to come
 *
 * Context: the ring's consumer, before it goes to sleep.
 * Return: slots that are pending already; with @k or more, do not sleep.
 */
u32 pvn_arm(struct pvn_ring *ring, u32 k)
{
	return pvn_ring_arm(ring, k);
}
EXPORT_SYMBOL_GPL(pvn_arm);
