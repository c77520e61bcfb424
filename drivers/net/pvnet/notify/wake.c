// SPDX-License-Identifier: GPL-2.0
/*
 * Consumers that let slots gather.
 *
 * Two loops decide how many they wait for. For each batch batch.c chooses K, such
 * that K slots come within tau, which is a multiple of what an event costs here.
 * And the kernel's DIM library moves the most that K may be, as it moves a NIC's
 * settings: up while that brings more bytes, or more packets, or the same with
 * fewer wake-ups. A timer ends the wait when the slots do not come.
 *
 * The timer is not cancelled when the slots come, nor set anew each time that the
 * consumer goes to sleep: in a PV domain both are hypercalls. It is left to run,
 * and when it fires early it puts itself forward to the deadline. So it fires
 * once in such a time at most, and not at all on an idle link: with nothing on the
 * ring when the time is over, the consumer asks for the next slot, without a timer.
 * A deadline earlier than what the timer is queued for waits for it; tau at most.
 *
 * No wake-up is lost: see "D" in ring.h for the event; and whoever sleeps with K
 * above 1 has stored a deadline under the lock, and either found the timer queued,
 * which then takes the lock to look at it, or has queued it.
 */
#include <linux/export.h>
#include <linux/log2.h>
#include <linux/moduleparam.h>
#include <linux/netdevice.h>
#include <linux/seq_file.h>

#include <pvnet/coalesce.h>
#include <pvnet/notify.h>
#include <pvnet/trace.h>
#include <pvnet/wake.h>

static u32 bucket(u32 n)
{
	return min_t(u32, n ? ilog2(n) + 1 : 0, PVN_WAKE_HIST - 1);
}

/* DIM compares 64 of its events; that many wake-ups are too few to compare. */
#define WAKES_PER_DIM_EVENT	8
/* Where DIM starts: at the most. */
#define DIM_START	4

#define CONSUMER_DELAY_MAX	1000000u
/* Makes a consumer slower: what tools/bench/hump turns. */
static unsigned int consumer_delay;
module_param(consumer_delay, uint, 0600);
MODULE_PARM_DESC(consumer_delay, "For measurements: loops that the consumer of a slot spends on it, beside its work");

/* ------------------------------------------------------------------- timer */

static enum hrtimer_restart wake_timer(struct hrtimer *timer)
{
	struct pvn_wake *w = container_of(timer, struct pvn_wake, timer);
	enum hrtimer_restart restart = HRTIMER_NORESTART;
	unsigned long flags;

	spin_lock_irqsave(&w->lock, flags);
	w->stats.timers++;
	if (w->deadline && ktime_get_ns() < w->deadline) {
		hrtimer_set_expires(timer, ns_to_ktime(w->deadline));
		restart = HRTIMER_RESTART;
	} else {
		w->expired = w->deadline != 0;
		w->queued = false;
	}
	spin_unlock_irqrestore(&w->lock, flags);

	trace_pvnet_timer(w->chan->irq, restart == HRTIMER_RESTART);
	if (restart == HRTIMER_NORESTART && READ_ONCE(w->expired))
		napi_schedule(w->napi);
	return restart;
}

static void set_deadline(struct pvn_wake *w, u64 deadline)
{
	unsigned long flags;

	spin_lock_irqsave(&w->lock, flags);
	w->deadline = deadline;
	if (!w->queued) {
		w->queued = true;
		hrtimer_start(&w->timer, ns_to_ktime(deadline), HRTIMER_MODE_ABS_PINNED);
	}
	spin_unlock_irqrestore(&w->lock, flags);
}

/* Nobody need be woken; returns whether the timer did. */
static bool clear_deadline(struct pvn_wake *w)
{
	unsigned long flags;
	bool expired;

	spin_lock_irqsave(&w->lock, flags);
	expired = w->expired;
	w->expired = false;
	w->deadline = 0;
	spin_unlock_irqrestore(&w->lock, flags);
	return expired;
}

/* -------------------------------------------------------------------- wake */

static void wake_dim(struct work_struct *work)
{
	struct dim *dim = container_of(work, struct dim, work);

	dim->state = DIM_START_MEASURE;		/* most_by_dim() follows from dim->profile_ix */
}

static u64 tau_of(const struct pvn_wake *w)
{
	u64 most = READ_ONCE(w->set->rx_usecs) * (u64)NSEC_PER_USEC;

	return READ_ONCE(w->set->adaptive_rx) ? min(most, pvn_event_tau()) : most;
}

/* DIM's profiles: 16, 28, 40, 52, 64 slots. */
static u32 most_by_dim(const struct pvn_wake *w)
{
	return 16 + 12 * min(READ_ONCE(w->dim.profile_ix), 4);
}

/* Slots to wait for, @most at most. */
static u32 choose_k(const struct pvn_wake *w, u32 most)
{
	u32 k = READ_ONCE(w->set->rx_frames);

	if (READ_ONCE(w->set->adaptive_rx))
		k = min(k, w->batch.k);
	return clamp(k, 1u, max(most, 1u));
}

/* When a batch does not come in four times the time of the last one, it does not come. */
static u64 choose_hold(const struct pvn_wake *w, u32 k)
{
	u64 tau = tau_of(w);

	if (!READ_ONCE(w->set->adaptive_rx))
		return tau;
	return clamp(4 * k * w->gap, tau / 16, tau);
}

static void learn(struct pvn_wake *w, u32 k, u32 slots, u64 took, bool expired)
{
	if (slots >= k) {
		w->gap = took / k;
		pvn_batch_filled(&w->batch, k, most_by_dim(w), took, tau_of(w));
	} else if (expired) {
		pvn_batch_expired(&w->batch, slots);
	}
}

static void count(struct pvn_wake *w, u32 k, u32 slots, u64 took, bool expired)
{
	struct pvn_wake_stats *s = &w->stats;

	s->wakes++;
	s->wake_slots += slots;
	w->slots_hist[bucket(slots)]++;
	w->k_hist[bucket(k)]++;
	if (!slots)
		s->wake_empty++;
	if (k == 1)
		return;
	if (slots >= k)
		s->filled++;
	else if (expired && slots)
		s->expired++;
	else if (expired)
		s->idle++;
	if (slots)
		s->hold_usecs_max = max(s->hold_usecs_max, took / NSEC_PER_USEC);
}

/**
 * pvn_wake_begin() - a poll begins
 * @w: what woke it, or did not: then this does nothing
 *
 * Context: NAPI, when it will go on to pvn_wake_arm(). Not netpoll, which polls
 * with a budget of 0 and does not.
 */
void pvn_wake_begin(struct pvn_wake *w)
{
	u32 k = w->k, slots;
	bool expired = false;
	u64 took;

	if (!k)
		return;
	w->k = 0;
	if (k > 1)
		expired = clear_deadline(w);
	slots = min(pvn_ring_pending(w->ring), w->ring->nr);
	took = ktime_get_ns() - w->armed_at;

	w->idle = expired && !slots;
	count(w, k, slots, took, expired);
	learn(w, k, slots, took, expired);
	trace_pvnet_wake(w->chan->irq, k, slots, took, expired);
}
EXPORT_SYMBOL_GPL(pvn_wake_begin);

/**
 * pvn_wake_served() - slots have been consumed
 * @w: of the consumer
 * @slots: how many
 *
 * Context: NAPI, while it is awake.
 */
void pvn_wake_served(struct pvn_wake *w, u32 slots)
{
	u64 loops = (u64)slots * min(READ_ONCE(consumer_delay), CONSUMER_DELAY_MAX);

	w->stats.consumed += slots;
	while (loops--)
		barrier();
}
EXPORT_SYMBOL_GPL(pvn_wake_served);

/* Wake-ups, packets and bytes, now and then, tell DIM whether tau suits. */
static void sample(struct pvn_wake *w, u64 packets, u64 bytes)
{
	struct dim_sample now = {};

	if (!READ_ONCE(w->set->adaptive_rx))
		return;
	dim_update_sample(w->stats.wakes / WAKES_PER_DIM_EVENT, packets, bytes, &now);
	net_dim(&w->dim, &now);
}

/**
 * pvn_wake_arm() - go to sleep
 * @w: what is to wake the consumer; the ring is empty, or has less than a packet
 * @most: slots that the producer can produce while it waits
 * @packets: that the consumer has had so far
 * @bytes: in these
 *
 * An idle link sleeps without a timer: after a wake that found nothing the next
 * slot is asked for, however many came at once before.
 *
 * Context: NAPI, before napi_complete_done().
 * Return: false when there is work already: poll again.
 */
bool pvn_wake_arm(struct pvn_wake *w, u32 most, u64 packets, u64 bytes)
{
	u32 k = w->idle || !tau_of(w) ? 1 : choose_k(w, most);
	u32 pending = pvn_ring_arm(w->ring, k);
	u64 hold;

	trace_pvnet_arm(w->chan->irq, w->ring->cons, k, pending);
	if (pending >= k)
		return false;
	w->k = k;
	w->armed_at = ktime_get_ns();
	w->stats.k = k;
	if (k > 1) {
		hold = choose_hold(w, k);
		w->stats.hold_usecs = hold / NSEC_PER_USEC;
		set_deadline(w, w->armed_at + hold);
	}
	sample(w, packets, bytes);
	return true;
}
EXPORT_SYMBOL_GPL(pvn_wake_arm);

/**
 * pvn_wake_init() - ready to sleep
 * @w: what is to wake the consumer
 * @ring: what is consumed
 * @chan: where its events come from; may be bound later
 * @napi: what polls it
 * @set: the user's settings; stay as long as @w
 */
void pvn_wake_init(struct pvn_wake *w, struct pvn_ring *ring, const struct pvn_chan *chan,
		   struct napi_struct *napi, const struct pvn_coalesce *set)
{
	*w = (struct pvn_wake) { .ring = ring, .chan = chan, .napi = napi, .set = set };
	pvn_batch_init(&w->batch);
	spin_lock_init(&w->lock);
	hrtimer_setup(&w->timer, wake_timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_PINNED);
	INIT_WORK(&w->dim.work, wake_dim);
	w->dim.profile_ix = DIM_START;
}
EXPORT_SYMBOL_GPL(pvn_wake_init);

/**
 * pvn_wake_stop() - no timer any more
 * @w: what woke the consumer; may be zeroed memory; its NAPI is disabled
 *
 * Context: process. A poll may begin again afterwards.
 */
void pvn_wake_stop(struct pvn_wake *w)
{
	if (!w->ring)
		return;
	hrtimer_cancel(&w->timer);
	cancel_work_sync(&w->dim.work);
	w->dim.state = DIM_START_MEASURE;
	w->queued = false;
	w->expired = false;
	w->deadline = 0;
	w->k = 0;
}
EXPORT_SYMBOL_GPL(pvn_wake_stop);

/**
 * pvn_wake_show() - the histograms, for debugfs
 * @s: where to
 * @w: may be in use
 */
void pvn_wake_show(struct seq_file *s, const struct pvn_wake *w)
{
	u32 i;

	seq_printf(s, "  K %llu; at most %u by what came, %u by DIM; held %llu us of %llu; wakes by slots asked for and found:\n",
		   w->stats.k, w->batch.limit, most_by_dim(w), w->stats.hold_usecs,
		   tau_of(w) / NSEC_PER_USEC);
	for (i = 0; i < PVN_WAKE_HIST; i++)
		seq_printf(s, "    %3u%c %12llu %12llu\n", i ? 1 << (i - 1) : 0,
			   i > 1 ? '+' : ' ', w->k_hist[i], w->slots_hist[i]);
}
EXPORT_SYMBOL_GPL(pvn_wake_show);
