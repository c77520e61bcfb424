// SPDX-License-Identifier: GPL-2.0
/*
 * Packets to the guest: copied into its pages, a burst in one hypercall.
 *
 * xmit lays out the copies of a packet and holds the packet. A copy costs more
 * than a slot, so a page of ours goes to one page of the guest; only a packet
 * that would need too many slots is packed tightly. The copies are run when
 * there are enough, when the queue is about to stop, at the end of a burst of a
 * local process, or by the queue's own NAPI, which xmit schedules for the same
 * softirq round: so packets that a bridge forwards one by one share a hypercall
 * too. Only then do answers go on the ring, in slot order.
 *
 * A local process that sends packets in quick succession begins a softirq round
 * with each of them. So while they are dense they are held for a moment: until
 * there are enough copies, or to_guest_hold_usecs have passed. Of the largest
 * packets two are enough, which TCP's limit of queued data always lets through.
 *
 * A page of the guest that is mapped (map.c) is written at once. Without grant
 * copies there is nothing to gather, so nothing is held; but what comes in one
 * softirq round still shares an event.
 *
 * All of this runs under the netdev tx queue's lock.
 *
 * A guest that does not read. The queue runs only while there is room for the
 * largest packet, so what waits for a slow guest waits in the qdisc, whose
 * length is tx_queue_len. After the drain time without room the queue runs
 * again, but drops; after the stall time the carrier goes. Room ends both.
 */
#include <linux/hrtimer.h>
#include <linux/if_vlan.h>
#include <linux/netdevice.h>
#include <linux/sched/clock.h>

#include <pvnet/copy.h>
#include <pvnet/skb.h>

#include "back.h"

#define SLOT_MASK	(PVN_RX_RING_SLOTS - 1)
/* A frontend that cannot notify is looked at this often while it has no room. */
#define POLL_MSECS	10

static struct netdev_queue *txq_of(const struct pvn_vq *q)
{
	return netdev_get_tx_queue(q->vif->netdev, q->index);
}

/* ------------------------------------------------------------------- room */

/* Slots that the largest packet takes. */
static u32 room_wanted(const struct pvn_vif *vif)
{
	return vif->features & PVN_F_SG ? PVN_SLOTS_MIN : 1;
}

/* Take note of what the guest has posted, for the EOI of its event. */
static u32 note_room(struct pvn_vq *q, u32 room)
{
	u32 seen = q->rx.cons + room;

	if (room > PVN_RX_RING_SLOTS - (q->rx.cons - q->rx.prod)) {
		pvn_vif_broken(q->vif, "more rx requests than the ring holds");
		return 0;
	}
	if (seen != q->seen) {
		q->seen = seen;
		pvn_chan_worked(q->to_chan);
	}
	return room;
}

static u32 room(struct pvn_vq *q)
{
	return note_room(q, pvn_ring_pending(&q->rx));
}

/* Ask for an event when the largest packet fits; also what is there now. */
static u32 arm_room(struct pvn_vq *q)
{
	return note_room(q, pvn_arm(&q->rx, room_wanted(q->vif)));
}

/* ------------------------------------------------------------------ flush */

static void fail_slot(struct pvn_vq *q, u16 slot)
{
	union pvn_rx_slot *a = &q->to_answer[slot];

	if (a->rsp.status >= 0)
		q->to_stats.to_guest_errors++;
	a->rsp.status = PVN_RSP_ERROR;
}

/* Run the copies that wait. A slot is good when all of its copies are. */
static void run_copies(struct pvn_vq *q)
{
	u32 nr = q->nr_to_ops, i;
	int err;

	if (!nr)
		return;
	q->nr_to_ops = 0;
	q->to_stats.to_guest_copy_calls++;
	q->to_stats.to_guest_copy_ops += nr;

	err = pvn_copy_run(q->to_op, nr);
	if (err)
		pvn_vif_broken(q->vif, "grant copy hypercall failed");
	for (i = 0; i < nr; i++) {
		q->to_stats.to_guest_copy_bytes += q->to_op[i].len;
		if (err || q->to_op[i].status != GNTST_okay)
			fail_slot(q, q->to_op_slot[i]);
	}
}

/* Copy all that waits, answer it, and let the packets go. */
static void flush(struct pvn_vq *q)
{
	struct sk_buff *skb;
	unsigned int packets = 0;

	run_copies(q);
	if (q->rx.prod == q->rx.cons)
		return;
	while (q->rx.prod != q->rx.cons) {
		pvn_rx_slot_write(&q->rx, q->rx.prod, &q->to_answer[q->rx.prod & SLOT_MASK]);
		q->rx.prod++;
	}
	pvn_publish(&q->rx, q->to_chan);

	while ((skb = __skb_dequeue(&q->held))) {
		packets++;
		dev_consume_skb_any(skb);
	}
	netdev_tx_completed_queue(txq_of(q), packets, q->held_bytes);
	q->held_bytes = 0;
}

/* ------------------------------------------------------------------- plan */

/**
 * struct to_plan - how a packet is laid out
 * @slots: ring slots that it takes, extra info included
 * @tight: fill each page of the guest before the next is begun
 */
struct to_plan {
	u32 slots;
	bool tight;
};

/* A packet that is not packed tightly: pages so far, and bytes in the last. */
struct loose {
	u32 slots;
	u32 used;
};

static void count_range(struct loose *l, u32 offset, u32 len)
{
	u32 part;

	offset &= ~PAGE_MASK;
	for (; len; len -= part, offset = 0) {
		part = min_t(u32, len, PAGE_SIZE - offset);
		if (l->used + part > PVN_GRANT_SIZE) {
			l->slots++;
			l->used = 0;
		}
		l->used += part;
	}
}

static void count_skb(struct loose *l, const struct sk_buff *skb)
{
	u32 i;

	count_range(l, offset_in_page(skb->data), skb_headlen(skb));
	for (i = 0; i < skb_shinfo(skb)->nr_frags; i++) {
		const skb_frag_t *frag = &skb_shinfo(skb)->frags[i];

		count_range(l, skb_frag_off(frag), skb_frag_size(frag));
	}
}

/* A copy to a mapped page costs what its bytes cost: then fewer slots are better. */
static struct to_plan plan(const struct pvn_vq *q, const struct sk_buff *skb)
{
	u32 extra = skb_shinfo(skb)->gso_size ? 1 : 0;
	struct loose l = { .slots = 1 };
	const struct sk_buff *part;

	if (!q->to_mapped) {
		count_skb(&l, skb);
		skb_walk_frags(skb, part)
			count_skb(&l, part);
		if (l.slots + extra <= room_wanted(q->vif))
			return (struct to_plan) { .slots = l.slots + extra };
	}
	return (struct to_plan) { .slots = pvn_slots(0, skb->len) + extra, .tight = true };
}

/* ------------------------------------------------------------------- hold */

/* Packets are dense when this many come in the time that one may be held. */
#define HOLD_DENSE	4u
/* With this many copies there is nothing to gain from more. */
#define HOLD_OPS	(PVN_TO_OPS / 2)

/* The average gap between packets, over about eight; a pause ends it. */
static bool dense(struct pvn_vq *q, u64 hold)
{
	u64 now = local_clock();
	u64 gap = now - q->last_local;

	q->last_local = now;
	if (gap > hold) {
		q->local_gap = hold;
		return false;
	}
	q->local_gap = (7 * q->local_gap + gap) / 8;
	return q->local_gap * HOLD_DENSE <= hold;
}

static bool may_hold(struct pvn_vq *q)
{
	u64 hold = READ_ONCE(pvn_hold_usecs) * (u64)NSEC_PER_USEC;

	if (!hold || !dense(q, hold) || q->nr_to_ops >= HOLD_OPS)
		return false;
	if (!hrtimer_is_queued(&q->hold))
		hrtimer_start(&q->hold, ns_to_ktime(hold), HRTIMER_MODE_REL_SOFT);
	return true;
}

static enum hrtimer_restart hold_ends(struct hrtimer *timer)
{
	napi_schedule(&container_of(timer, struct pvn_vq, hold)->to_napi);
	return HRTIMER_NORESTART;
}

/* ----------------------------------------------------------------- append */

/**
 * struct to_cursor - a packet that is being laid out
 * @q: the queue
 * @slot: ring slot that is being filled
 * @gref: its page
 * @mapped: its page when it is mapped here for writing, or NULL
 * @used: bytes of it
 * @started: there is such a slot
 * @tight: from the plan
 */
struct to_cursor {
	struct pvn_vq *q;
	u16 slot;
	grant_ref_t gref;
	const struct pvn_mapped *mapped;
	u32 used;
	bool started;
	bool tight;
};

/* Answers of one packet are chained by MORE_DATA, extra info aside. */
static void next_slot(struct to_cursor *c)
{
	struct pvn_vq *q = c->q;
	union pvn_rx_slot req;

	if (c->started)
		q->to_answer[c->slot].rsp.flags |= PVN_RXF_MORE_DATA;

	pvn_rx_slot_read(&q->rx, q->rx.cons, &req);
	c->slot = q->rx.cons++ & SLOT_MASK;
	c->gref = req.req.gref;
	c->mapped = pvn_map_find(q, c->gref);
	if (c->mapped && c->mapped->readonly)
		c->mapped = NULL;
	q->to_mapped = c->mapped;
	c->used = 0;
	c->started = true;
	q->to_answer[c->slot] = (union pvn_rx_slot) { .rsp = { .id = req.req.id } };
}

/* The first slot's flags; a GSO packet takes one more slot, right behind. */
static void start_packet(struct to_cursor *c, const struct sk_buff *skb)
{
	struct pvn_gso gso = pvn_skb_gso(skb);
	struct pvn_vq *q = c->q;
	struct pvn_rx_rsp *rsp;

	next_slot(c);
	rsp = &q->to_answer[c->slot].rsp;
	rsp->flags = pvn_rx_csum_flags(pvn_skb_csum(skb));
	if (gso.size) {
		rsp->flags |= PVN_RXF_EXTRA_INFO;
		pvn_extra_gso(&q->to_answer[q->rx.cons++ & SLOT_MASK].extra, gso);
	}
}

/* Bytes within one page of ours and one of the guest. */
static void copy_part(struct to_cursor *c, struct page *page, u32 offset, u32 len)
{
	struct pvn_vq *q = c->q;

	if (c->mapped) {
		pvn_copy(c->mapped->addr + c->used, page_address(page) + offset, len);
		q->to_stats.to_guest_mapped_copies++;
		return;
	}
	if (q->nr_to_ops == PVN_TO_OPS)
		run_copies(q);
	pvn_copy_to_guest(&q->to_op[q->nr_to_ops], q->vif->domid, c->gref, c->used,
			  page, offset, len);
	q->to_op_slot[q->nr_to_ops++] = c->slot;
}

/* Bytes within one page of ours. */
static void copy_within_page(struct to_cursor *c, struct page *page, u32 offset, u32 len)
{
	struct pvn_vq *q = c->q;
	u32 part;

	for (; len; offset += part, len -= part) {
		if (c->used + (c->tight ? 1 : len) > PVN_GRANT_SIZE)
			next_slot(c);
		part = min(len, PVN_GRANT_SIZE - c->used);
		copy_part(c, page, offset, part);
		c->used += part;
		if (q->to_answer[c->slot].rsp.status >= 0)
			q->to_answer[c->slot].rsp.status = c->used;
	}
}

static void copy_bytes(struct to_cursor *c, struct page *page, u32 offset, u32 len)
{
	u32 part;

	page += offset >> PAGE_SHIFT;
	offset &= ~PAGE_MASK;
	for (; len; len -= part, page++, offset = 0) {
		part = min_t(u32, len, PAGE_SIZE - offset);
		copy_within_page(c, page, offset, part);
	}
}

/* An skb without those in its frag_list. */
static void copy_skb(struct to_cursor *c, const struct sk_buff *skb)
{
	u32 i;

	copy_bytes(c, virt_to_page(skb->data), offset_in_page(skb->data), skb_headlen(skb));
	for (i = 0; i < skb_shinfo(skb)->nr_frags; i++) {
		const skb_frag_t *frag = &skb_shinfo(skb)->frags[i];

		copy_bytes(c, skb_frag_page(frag), skb_frag_off(frag), skb_frag_size(frag));
	}
}

static void add_packet(struct pvn_vq *q, struct sk_buff *skb, bool tight)
{
	struct to_cursor c = { .q = q, .tight = tight };
	u32 before = q->rx.cons;
	struct sk_buff *part;

	start_packet(&c, skb);
	copy_skb(&c, skb);
	skb_walk_frags(skb, part)
		copy_skb(&c, part);

	q->to_stats.to_guest_packets++;
	q->to_stats.to_guest_bytes += skb->len;
	q->to_stats.to_guest_slots += q->rx.cons - before;
	q->held_bytes += skb->len;
	__skb_queue_tail(&q->held, skb);
}

/* ------------------------------------------------------------- slow guest */

static unsigned int watch_interval(const struct pvn_vif *vif)
{
	if (!(vif->features & PVN_F_RX_NOTIFY))
		return msecs_to_jiffies(POLL_MSECS);
	return max(msecs_to_jiffies(pvn_drain_msecs) / 4, 1ul);
}

static void set_stalled(struct pvn_vq *q, bool stalled)
{
	struct pvn_vif *vif = q->vif;

	if (q->stalled == stalled)
		return;
	q->stalled = stalled;
	if (stalled) {
		q->to_stats.to_guest_stalls++;
		if (atomic_inc_return(&vif->stalled_queues) == 1)
			netif_carrier_off(vif->netdev);
		netdev_warn(vif->netdev, "guest does not read queue %u: carrier off\n", q->index);
	} else if (atomic_dec_and_test(&vif->stalled_queues) && !READ_ONCE(vif->broken)) {
		netif_carrier_on(vif->netdev);
		netdev_info(vif->netdev, "guest reads again: carrier on\n");
	}
}

/* A queue that is being torn down must not wake up. */
static void run_queue(struct pvn_vq *q)
{
	if (READ_ONCE(q->vif->running))
		netif_tx_wake_queue(txq_of(q));
}

static void have_room(struct pvn_vq *q)
{
	q->stopped = false;
	q->draining = false;
	set_stalled(q, false);
	run_queue(q);
}

/* Stop before the next packet might not fit; the guest's event wakes us. */
static void stop(struct pvn_vq *q)
{
	flush(q);
	netif_tx_stop_queue(txq_of(q));
	q->to_stats.to_guest_queue_stops++;
	q->stopped = true;
	q->stopped_at = jiffies;
	if (arm_room(q) >= room_wanted(q->vif))
		have_room(q);
	else
		schedule_delayed_work(&q->watch, watch_interval(q->vif));
}

static void check_room(struct pvn_vq *q)
{
	if (q->stopped && arm_room(q) >= room_wanted(q->vif))
		have_room(q);
}

static bool waited(const struct pvn_vq *q, unsigned int msecs)
{
	return time_after_eq(jiffies, q->stopped_at + msecs_to_jiffies(msecs));
}

/* The queue runs but drops: what the qdisc holds for this guest goes too. */
static void start_draining(struct pvn_vq *q)
{
	q->draining = true;
	q->to_stats.to_guest_drains++;
	run_queue(q);
}

static void watch_stopped(struct pvn_vq *q)
{
	check_room(q);
	if (!q->stopped)
		return;
	if (!q->draining && waited(q, pvn_drain_msecs))
		start_draining(q);
	if (pvn_stall_msecs && (q->vif->features & PVN_F_RX_NOTIFY) &&
	    waited(q, pvn_stall_msecs))
		set_stalled(q, true);
	schedule_delayed_work(&q->watch, watch_interval(q->vif));
}

static void watch(struct work_struct *work)
{
	struct pvn_vq *q = container_of(to_delayed_work(work), struct pvn_vq, watch);
	struct netdev_queue *txq = txq_of(q);

	__netif_tx_lock_bh(txq);
	if (!READ_ONCE(q->vif->broken))
		watch_stopped(q);
	__netif_tx_unlock_bh(txq);
}

/* ------------------------------------------------------------- the verbs */

/**
 * pvn_to_init() - ready to be started
 * @q: the queue
 */
void pvn_to_init(struct pvn_vq *q)
{
	pvn_rx_ring_attach_back(&q->rx, q->ring_page[1]);
	q->seen = q->rx.cons;
	__skb_queue_head_init(&q->held);
	hrtimer_setup(&q->hold, hold_ends, CLOCK_MONOTONIC, HRTIMER_MODE_REL_SOFT);
	INIT_DELAYED_WORK(&q->watch, watch);
}

/**
 * pvn_to_start() - wait for room, then send
 * @q: the queue; its NAPI is enabled
 *
 * Context: process, BH on.
 */
void pvn_to_start(struct pvn_vq *q)
{
	struct netdev_queue *txq = txq_of(q);

	__netif_tx_lock_bh(txq);
	stop(q);
	__netif_tx_unlock_bh(txq);
}

/**
 * pvn_to_drop_held() - forget the packets that wait for their copy
 * @q: the queue; nothing transmits, its NAPI, timer and watch are stopped
 *
 * Context: process.
 */
void pvn_to_drop_held(struct pvn_vq *q)
{
	__skb_queue_purge(&q->held);
	q->held_bytes = 0;
	q->nr_to_ops = 0;
	netdev_tx_reset_queue(txq_of(q));
}

static bool can_send(struct pvn_vq *q, const struct sk_buff *skb, u32 slots)
{
	struct pvn_vif *vif = q->vif;

	if (READ_ONCE(vif->broken) || q->draining)
		return false;
	if (slots > room_wanted(vif) || skb->len < ETH_HLEN)
		return false;
	return room(q) >= slots;
}

/**
 * pvn_to_xmit() - ndo_start_xmit: a packet for the guest
 * @skb: the packet
 * @netdev: vifD.N
 *
 * Context: BH off, or interrupts off (netpoll).
 */
netdev_tx_t pvn_to_xmit(struct sk_buff *skb, struct net_device *netdev)
{
	struct pvn_vif *vif = netdev_priv(netdev);
	struct pvn_vq *q = vif->queue[skb_get_queue_mapping(skb)];

	struct to_plan p = plan(q, skb);
	unsigned int len = skb->len;

	if (unlikely(!can_send(q, skb, p.slots))) {
		q->to_stats.to_guest_dropped++;
		dev_kfree_skb_any(skb);
		return NETDEV_TX_OK;
	}

	skb_tx_timestamp(skb);
	netdev_tx_sent_queue(txq_of(q), len);
	add_packet(q, skb, p.tight);

	if (room(q) < room_wanted(vif))
		stop(q);
	else if (netdev_xmit_more() || in_serving_softirq())
		napi_schedule(&q->to_napi);	/* more may come in this round */
	else if (!q->nr_to_ops || !may_hold(q))
		flush(q);
	return NETDEV_TX_OK;
}

/**
 * pvn_to_poll() - NAPI poll: flush, and look for room
 * @napi: of the queue
 * @budget: not used: nothing is received here
 */
int pvn_to_poll(struct napi_struct *napi, int budget)
{
	struct pvn_vq *q = container_of(napi, struct pvn_vq, to_napi);
	struct netdev_queue *txq = txq_of(q);

	__netif_tx_lock(txq, smp_processor_id());
	if (!READ_ONCE(q->vif->broken)) {
		flush(q);
		room(q);
		check_room(q);
	}
	__netif_tx_unlock(txq);

	if (napi_complete_done(napi, 0) && !READ_ONCE(q->vif->broken))
		pvn_chan_done(q->to_chan, PVN_USER_RX);
	return 0;
}
