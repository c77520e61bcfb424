// SPDX-License-Identifier: GPL-2.0
/*
 * Packets from the guest: copied out of its pages, a batch in one hypercall.
 *
 * A poll copies all requests in, lays out the copies of as many packets as
 * there is budget for, runs them, answers, and hands the packets on. The
 * guest's slots and pages are free before the stack sees the packet.
 */
#include <linux/etherdevice.h>
#include <linux/netdevice.h>

#include <pvnet/copy.h>
#include <pvnet/skb.h>

#include "back.h"

/* A full frame with two VLAN tags, and then some, needs no fragment. */
#define LINEAR_MAX	1536u

static_assert(PVN_PLACE_FRAGS <= MAX_SKB_FRAGS);

/* ----------------------------------------------------------------- gather */

static struct page *dest_page(const struct sk_buff *skb, const struct pvn_seg *seg, u32 *offset)
{
	void *linear = skb->data + seg->dst;

	if (seg->frag == PVN_SEG_LINEAR) {
		*offset = offset_in_page(linear);
		return virt_to_page(linear);
	}
	*offset = seg->dst;
	return skb_frag_page(&skb_shinfo(skb)->frags[seg->frag]);
}

/*
 * From a mapped page at once, from others by grant copies that are run later. The
 * guest can write either page while we do: what is there is packet, no more, and
 * nobody has looked at it yet.
 */
static void add_copies(struct pvn_vq *q, struct pvn_from_pkt *p, u32 op,
		       const struct pvn_tx_pkt *pkt, const struct pvn_place *place)
{
	u32 i, dst;

	p->op = op;
	for (i = 0; i < place->nr_segs; i++) {
		const struct pvn_seg *seg = &place->seg[i];
		u32 gref = pkt->piece[seg->piece].gref;
		struct page *page = dest_page(p->skb, seg, &dst);
		const struct pvn_mapped *m = pvn_map_find(q, gref);

		if (m) {
			pvn_copy(page_address(page) + dst, m->addr + seg->src, seg->len);
			q->from_stats.from_guest_mapped_copies++;
		} else {
			pvn_copy_from_guest(&q->from_op[op + p->nr_ops++], q->vif->domid,
					    gref, seg->src, page, dst, seg->len);
		}
	}
}

static bool alloc_frags(struct pvn_vq *q, struct sk_buff *skb, const struct pvn_place *place)
{
	u32 i;

	for (i = 0; i < place->nr_frags; i++)
		if (!pvn_from_add_page(q, skb, place->frag_len[i]))
			return false;
	return true;
}

/* Memory for the packet, and the copies that fill it. */
static void prepare(struct pvn_vq *q, struct pvn_from_pkt *p, u32 op,
		    const struct pvn_tx_pkt *pkt)
{
	u32 linear = pvn_linear_len(pkt, LINEAR_MAX);
	struct pvn_place place;

	p->skb = pvn_from_alloc_skb(q, linear);
	if (!p->skb)
		goto drop;
	if (!pvn_place(pkt, linear, offset_in_page(p->skb->data), &place))
		goto drop;
	if (!alloc_frags(q, p->skb, &place))
		goto drop;
	add_copies(q, p, op, pkt, &place);
	return;

drop:
	kfree_skb(p->skb);
	p->skb = NULL;
	q->from_stats.from_guest_dropped++;
}

static u32 take_snapshot(struct pvn_vq *q)
{
	u32 n = pvn_ring_pending(&q->tx), i;

	if (n > PVN_TX_RING_SLOTS) {
		pvn_vif_broken(q->vif, "more tx requests than the ring holds");
		return 0;
	}
	for (i = 0; i < n; i++)
		pvn_tx_slot_read(&q->tx, q->tx.cons + i, &q->from_snap[i]);
	return n;
}

/* Fill the batch; returns how many packets, and how many copies in @nr_ops. */
static u32 gather(struct pvn_vq *q, u32 max, u32 *nr_ops)
{
	u32 n = take_snapshot(q), at = 0, nr = 0;
	enum pvn_verdict verdict;
	struct pvn_tx_pkt pkt;

	*nr_ops = 0;
	while (at < n && nr < max && *nr_ops + PVN_PLACE_SEGS <= PVN_FROM_OPS) {
		struct pvn_from_pkt *p = &q->from_pkt[nr++];

		verdict = pvn_tx_parse(&q->from_snap[at], n - at, pvn_fatal_slots, &pkt);
		if (verdict == PVN_FATAL) {
			pvn_vif_broken(q->vif, pkt.error);
			nr--;
			break;
		}
		*p = (struct pvn_from_pkt) {
			.snap = at, .nr_slots = pkt.nr_slots, .nr_extra = pkt.nr_extra,
			.csum = pkt.csum, .gso = pkt.gso,
		};
		at += pkt.nr_slots;
		if (verdict == PVN_OK) {
			prepare(q, p, *nr_ops, &pkt);
			*nr_ops += p->nr_ops;
		} else {
			q->from_stats.from_guest_errors++;
			netdev_dbg(q->vif->netdev, "packet refused: %s\n", pkt.error);
		}
	}
	q->tx.cons += at;
	q->from_stats.from_guest_slots += at;
	return nr;
}

/* ---------------------------------------------------------------- finish */

static void run_copies(struct pvn_vq *q, u32 nr_ops)
{
	u32 i;

	if (!nr_ops)
		return;
	q->from_stats.from_guest_copy_calls++;
	q->from_stats.from_guest_copy_ops += nr_ops;
	for (i = 0; i < nr_ops; i++)
		q->from_stats.from_guest_copy_bytes += q->from_op[i].len;

	if (!pvn_copy_run(q->from_op, nr_ops))
		return;
	pvn_vif_broken(q->vif, "grant copy hypercall failed");
	for (i = 0; i < nr_ops; i++)
		q->from_op[i].status = GNTST_general_error;
}

static void check_copies(struct pvn_vq *q, struct pvn_from_pkt *p)
{
	u32 i;

	for (i = 0; p->skb && i < p->nr_ops; i++) {
		if (q->from_op[p->op + i].status == GNTST_okay)
			continue;
		netdev_dbg(q->vif->netdev, "grant copy failed: %d\n",
			   q->from_op[p->op + i].status);
		q->from_stats.from_guest_errors++;
		kfree_skb(p->skb);
		p->skb = NULL;
	}
}

/* Extra info slots are answered too, by a response that means nothing. */
static void answer(struct pvn_vq *q, const struct pvn_from_pkt *p)
{
	s16 status = p->skb ? PVN_RSP_OKAY : PVN_RSP_ERROR;
	u32 i;

	for (i = 0; i < p->nr_slots; i++) {
		union pvn_tx_slot slot = {};

		if (i >= 1 && i <= p->nr_extra) {
			slot.rsp.status = PVN_RSP_NULL;
		} else {
			slot.rsp.id = q->from_snap[p->snap + i].req.id;
			slot.rsp.status = status;
		}
		pvn_tx_slot_write(&q->tx, q->tx.prod++, &slot);
	}
}

static void deliver(struct pvn_vq *q, const struct pvn_from_pkt *p)
{
	struct sk_buff *skb = p->skb;

	q->from_stats.from_guest_packets++;
	q->from_stats.from_guest_bytes += skb->len;
	q->from_stats.from_guest_mischarged += pvn_skb_mischarged(skb);

	skb->protocol = eth_type_trans(skb, q->vif->netdev);
	skb_record_rx_queue(skb, q->index);
	skb = pvn_skb_offloads(skb, p->csum, p->gso);
	if (skb)
		napi_gro_receive(&q->from_napi, skb);
	else
		q->from_stats.from_guest_dropped++;
}

static u32 do_batch(struct pvn_vq *q, u32 max)
{
	u32 before = q->tx.cons, nr_ops, nr = gather(q, max, &nr_ops), i;

	if (!nr)
		return 0;
	run_copies(q, nr_ops);
	for (i = 0; i < nr; i++) {
		check_copies(q, &q->from_pkt[i]);
		answer(q, &q->from_pkt[i]);
	}
	pvn_publish(&q->tx, q->from_chan);
	pvn_chan_worked(q->from_chan);

	for (i = 0; i < nr; i++)
		if (q->from_pkt[i].skb)
			deliver(q, &q->from_pkt[i]);
	pvn_wake_served(&q->from_wake, q->tx.cons - before);
	return nr;
}

/**
 * pvn_from_poll() - NAPI poll of the guest tx ring
 * @napi: of the queue
 * @budget: packets to take at most
 */
int pvn_from_poll(struct napi_struct *napi, int budget)
{
	struct pvn_vq *q = container_of(napi, struct pvn_vq, from_napi);
	u32 work = 0, nr;

	if (!budget)
		return 0;
	pvn_wake_begin(&q->from_wake);
	do {
		nr = do_batch(q, min_t(u32, budget - work, PVN_FROM_BATCH));
		work += nr;
	} while (nr && work < budget);

	if (unlikely(READ_ONCE(q->vif->broken))) {
		napi_complete_done(napi, 0);
		return 0;
	}
	if (work == budget)
		return work;
	if (!pvn_wake_arm(&q->from_wake, PVN_BATCH_MAX, q->from_stats.from_guest_packets,
			  q->from_stats.from_guest_bytes))
		return budget;
	if (napi_complete_done(napi, work))
		pvn_chan_done(q->from_chan, PVN_USER_TX);
	return work;
}
