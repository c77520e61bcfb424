// SPDX-License-Identifier: GPL-2.0
/*
 * Receive: the guest posts pages, the backend fills them.
 *
 * A response is in the ring slot of its request (netif.h), so buffers are
 * found by slot and the id is not believed. A buffer is a page with a grant.
 * Small packets are copied out and their pages posted again as they are, still
 * granted; the pages of large ones go to the stack.
 *
 * There are two kinds of pages. Those of the pool lose their grant when they go
 * to the stack, and others take their place. Those that are granted for good
 * (persist.c) keep it, and are posted again when the stack has let them go; they
 * only go there when the ring can be filled up with others, and when the backend
 * may write what the stack reads. Otherwise the packet is copied to pages of the
 * pool. The ring may hold both kinds.
 */
#include <linux/etherdevice.h>
#include <linux/netdevice.h>
#include <linux/skbuff.h>

#include <pvnet/skb.h>

#include "front.h"

/* With fewer buffers than this a backend may find no room for a packet. */
#define RX_POSTED_MIN	(PVN_SLOTS_MIN + 1)
#define RX_RETRY	(HZ / 10)
#define RX_HEAD		PVN_PULL_LEN

/**
 * pvn_rx_init() - ready to post
 * @q: the queue
 */
void pvn_rx_init(struct pvn_queue *q)
{
	pvn_rx_ring_attach_front(&q->rx, q->ring_page[1]);
}

/* ---------------------------------------------------------------- buffers */

/* Take the page out of a buffer, so that the backend can no longer write it. */
static struct page *revoke(struct pvn_queue *q, struct pvn_rx_buf *buf)
{
	struct page *page = buf->page;

	if (!gnttab_end_foreign_access_ref(buf->gref)) {
		pvn_front_broken(q->front, "receive grant is still in use");
		return NULL;
	}
	buf->page = NULL;
	return page;
}

/* Pages of the pool are not kept while they are not posted any more. */
static void drop_page(struct pvn_queue *q, struct pvn_rx_buf *buf)
{
	struct page *page = revoke(q, buf);

	if (page)
		page_pool_put_full_page(q->pool, page, false);
}

static void give_back(struct pvn_queue *q, struct pvn_rx_buf *buf)
{
	if (buf->persist != PVN_RX_OF_POOL) {
		if (buf->handed)
			pvn_persist_handed(q, buf->persist);
		else
			q->persist->free[q->persist->nr_free++] = buf->persist;
		return;
	}
	if (buf->page && READ_ONCE(q->rx_live))
		drop_page(q, buf);
	q->spare[q->nr_spare++] = *buf;
}

static struct pvn_rx_buf persistent_buf(struct pvn_queue *q)
{
	struct pvn_persist *p = q->persist;
	u16 i = p->free[--p->nr_free];

	return (struct pvn_rx_buf) { .page = p->rx[i].page, .gref = p->rx[i].gref, .persist = i };
}

/*
 * Pages that come back from the stack may hold what it has made of them, and
 * an untrusted backend sees the whole page.
 */
static bool fill_buf(struct pvn_queue *q, struct pvn_rx_buf *buf)
{
	struct pvn_front *front = q->front;
	struct page *page;

	page = page_pool_alloc_pages(q->pool, GFP_ATOMIC | __GFP_NOWARN | __GFP_ZERO);
	if (!page) {
		q->rx_stats.rx_alloc_failed++;
		return false;
	}
	if (!front->trusted)
		clear_page(page_address(page));
	gnttab_page_grant_foreign_access_ref_one(buf->gref, front->xdev->otherend_id,
						 page, 0);
	buf->page = page;
	return true;
}

/* What is posted next; false when there is nothing. */
static bool next_buf(struct pvn_queue *q, struct pvn_rx_buf *buf)
{
	if (smp_load_acquire(&q->rx_live) && q->persist->nr_free) {	/* pairs with J */
		*buf = persistent_buf(q);
		return true;
	}
	if (!q->nr_spare)
		return false;
	*buf = q->spare[q->nr_spare - 1];
	if (!buf->page && !fill_buf(q, buf))
		return false;
	q->nr_spare--;
	return true;
}

/**
 * pvn_rx_refill() - post all buffers that can be had
 * @q: the queue
 *
 * With too few posted, the backend may have nothing to send an event for: so
 * try again by the clock.
 */
void pvn_rx_refill(struct pvn_queue *q)
{
	union pvn_rx_slot slot = {};
	struct pvn_rx_buf buf;

	while (q->rx.prod - q->rx.cons < PVN_RX_RING_SLOTS && next_buf(q, &buf)) {
		slot.req.id = q->rx.prod & (PVN_RX_RING_SLOTS - 1);
		slot.req.gref = buf.gref;
		q->rx_buf[slot.req.id] = buf;
		pvn_rx_slot_write(&q->rx, q->rx.prod, &slot);
		q->rx.prod++;
	}
	if (q->rx.prod != q->rx.pub)
		pvn_publish(&q->rx, q->rx_chan);
	if (q->rx.prod - q->rx.cons < RX_POSTED_MIN)
		schedule_delayed_work(&q->refill, RX_RETRY);
}

/* Buffers of responses leave their slots in order. */
static struct pvn_rx_buf *buf_at(struct pvn_queue *q, u32 idx)
{
	return &q->rx_buf[idx & (PVN_RX_RING_SLOTS - 1)];
}

/* ----------------------------------------------------------------- packets */

/**
 * struct rx_cursor - a packet that is being taken off the ring
 * @q: the queue
 * @pkt: as parsed
 * @snap: its responses
 */
struct rx_cursor {
	struct pvn_queue *q;
	struct pvn_rx_pkt pkt;
	const union pvn_rx_slot *snap;
};

static const struct pvn_rx_rsp *piece(const struct rx_cursor *c, u32 i)
{
	return &c->snap[pvn_chain_pos(c->pkt.nr_extra, i)].rsp;
}

static struct pvn_rx_buf *piece_buf(const struct rx_cursor *c, u32 i)
{
	return buf_at(c->q, c->q->rx.cons + pvn_chain_pos(c->pkt.nr_extra, i));
}

static void copy_piece(struct sk_buff *skb, const struct rx_cursor *c, u32 i, u32 len)
{
	const void *src = page_address(piece_buf(c, i)->page) + piece(c, i)->offset;

	skb_put_data(skb, src, len);
}

/* Pages stay with the queue, granted as they are. */
static struct sk_buff *build_copied(const struct rx_cursor *c)
{
	struct sk_buff *skb = pvn_rx_alloc_skb(c->q, c->pkt.len);
	u32 i;

	if (!skb)
		return NULL;
	for (i = 0; i < c->pkt.nr_pieces; i++)
		copy_piece(skb, c, i, piece(c, i)->status);
	c->q->rx_stats.rx_copied++;
	return skb;
}

/*
 * The first piece is copied as a whole when it is only headers, or when the
 * others need all the fragments that an skb has.
 */
static u32 head_len(const struct rx_cursor *c)
{
	u32 first = piece(c, 0)->status;

	if (first <= 2 * RX_HEAD || c->pkt.nr_pieces > MAX_SKB_FRAGS)
		return first;
	return RX_HEAD;
}

/* A page goes to the stack. */
static bool add_piece(struct sk_buff *skb, const struct rx_cursor *c, u32 i, u32 skip)
{
	const struct pvn_rx_rsp *rsp = piece(c, i);
	struct pvn_rx_buf *buf = piece_buf(c, i);
	struct page *page = buf->page;

	if (rsp->status == skip)
		return true;
	if (buf->persist != PVN_RX_OF_POOL) {
		pvn_rx_add_held_page(skb, page, rsp->offset + skip, rsp->status - skip);
		buf->handed = true;
	} else {
		page = revoke(c->q, buf);
		if (!page)
			return false;
		pvn_rx_add_page(skb, page, rsp->offset + skip, rsp->status - skip);
	}
	c->q->rx_stats.rx_pages++;
	return true;
}

static struct sk_buff *build_paged(const struct rx_cursor *c)
{
	u32 head = head_len(c);
	struct sk_buff *skb = pvn_rx_alloc_skb(c->q, head);
	u32 i;

	if (!skb)
		return NULL;
	copy_piece(skb, c, 0, head);
	for (i = 0; i < c->pkt.nr_pieces; i++) {
		if (!add_piece(skb, c, i, i ? 0 : head)) {
			kfree_skb(skb);
			return NULL;
		}
	}
	return skb;
}

/* Room for @len bytes in pages of the pool. */
static bool add_pool_pages(struct sk_buff *skb, const struct rx_cursor *c, u32 len)
{
	struct page *page;
	u32 part;

	for (; len; len -= part) {
		page = page_pool_alloc_pages(c->q->pool, GFP_ATOMIC | __GFP_NOWARN);
		if (!page)
			return false;
		part = min_t(u32, len, PAGE_SIZE);
		pvn_rx_add_page(skb, page, 0, part);
	}
	return true;
}

/* Into an skb that has room for all of it. */
static void store_pieces(struct sk_buff *skb, const struct rx_cursor *c)
{
	u32 at = 0, i;

	for (i = 0; i < c->pkt.nr_pieces; i++) {
		const struct pvn_rx_rsp *rsp = piece(c, i);

		skb_store_bits(skb, at, page_address(piece_buf(c, i)->page) + rsp->offset,
			       rsp->status);
		at += rsp->status;
	}
}

/* All bytes go to memory of the guest's own. */
static struct sk_buff *build_copied_out(const struct rx_cursor *c)
{
	u32 head = min_t(u32, c->pkt.len, RX_HEAD);
	struct sk_buff *skb = pvn_rx_alloc_skb(c->q, head);

	if (!skb)
		return NULL;
	__skb_put(skb, head);
	if (!add_pool_pages(skb, c, c->pkt.len - head)) {
		kfree_skb(skb);
		return NULL;
	}
	store_pieces(skb, c);
	c->q->rx_stats.rx_copied_out++;
	return skb;
}

static u32 count_persistent(const struct rx_cursor *c)
{
	u32 n = 0, i;

	for (i = 0; i < c->pkt.nr_pieces; i++)
		n += piece_buf(c, i)->persist != PVN_RX_OF_POOL;
	return n;
}

/*
 * An skb has fragments of one kind only, since those of the pool are recycled by
 * a mark on the skb.
 */
static struct sk_buff *build(const struct rx_cursor *c)
{
	u32 persistent;

	if (c->pkt.len <= READ_ONCE(c->q->front->rx_copybreak))
		return build_copied(c);
	persistent = count_persistent(c);
	if (!persistent)
		return build_paged(c);
	if (persistent == c->pkt.nr_pieces && pvn_persist_can_hand(c->q, persistent))
		return build_paged(c);
	return build_copied_out(c);
}

static void deliver(const struct rx_cursor *c, struct sk_buff *skb)
{
	struct pvn_queue *q = c->q;

	q->rx_stats.rx_packets++;
	q->rx_stats.rx_bytes += skb->len;
	q->rx_stats.rx_mischarged += pvn_skb_mischarged(skb);

	skb->protocol = eth_type_trans(skb, q->front->netdev);
	skb_record_rx_queue(skb, q->index);
	skb = pvn_skb_offloads(skb, c->pkt.csum, c->pkt.gso);
	if (skb)
		napi_gro_receive(&q->napi, skb);
	else
		q->rx_stats.rx_errors++;
}

/* Whatever became of the packet, its buffers are ours again. */
static void consume(const struct rx_cursor *c)
{
	struct pvn_queue *q = c->q;
	u32 i;

	for (i = 0; i < c->pkt.nr_slots; i++)
		give_back(q, buf_at(q, q->rx.cons + i));
	q->rx.cons += c->pkt.nr_slots;
	q->rx_stats.rx_slots += c->pkt.nr_slots;
}

static void receive(struct rx_cursor *c, enum pvn_verdict verdict)
{
	struct pvn_queue *q = c->q;
	struct sk_buff *skb = NULL;

	if (verdict != PVN_OK) {
		q->rx_stats.rx_errors++;
		netdev_dbg(q->front->netdev, "packet refused: %s\n", c->pkt.error);
	} else {
		skb = build(c);
		if (!skb)
			q->rx_stats.rx_dropped++;
	}
	consume(c);
	if (skb)
		deliver(c, skb);
}

static u32 take_snapshot(struct pvn_queue *q)
{
	u32 n = pvn_ring_pending(&q->rx), i;

	if (n > q->rx.pub - q->rx.cons) {
		pvn_front_broken(q->front, "more rx responses than requests");
		return 0;
	}
	for (i = 0; i < n; i++)
		pvn_rx_slot_read(&q->rx, q->rx.cons + i, &q->rx_snap[i]);
	return n;
}

/**
 * pvn_rx_poll() - take packets off the guest rx ring and post buffers again
 * @q: the queue
 * @budget: packets to take at most
 *
 * Return: packets taken; @budget also when the backend was found broken.
 */
int pvn_rx_poll(struct pvn_queue *q, int budget)
{
	struct rx_cursor c = { .q = q };
	enum pvn_verdict verdict;
	u32 n = take_snapshot(q), i;
	int work = 0;

	for (i = 0; i < n && work < budget; i += c.pkt.nr_slots) {
		c.snap = &q->rx_snap[i];
		verdict = pvn_rx_parse(c.snap, n - i, &c.pkt);
		if (verdict == PVN_FATAL) {
			pvn_front_broken(q->front, c.pkt.error);
			return budget;
		}
		receive(&c, verdict);
		work++;
	}
	if (READ_ONCE(q->front->broken))
		return budget;
	if (i) {
		pvn_chan_worked(q->rx_chan);
		pvn_wake_served(&q->rx_wake, i);
	}
	pvn_rx_refill(q);
	return work;
}

/**
 * pvn_rx_drain() - take all buffers back for good
 * @q: the queue; NAPI is disabled and the backend has been asked to close
 *
 * A page whose grant cannot be ended is freed by the kernel when it can.
 */
void pvn_rx_drain(struct pvn_queue *q)
{
	struct pvn_rx_buf *buf;
	u32 idx;

	WRITE_ONCE(q->rx_live, false);
	for (idx = q->rx.cons; idx != q->rx.prod; idx++)
		give_back(q, buf_at(q, idx));
	q->rx.cons = q->rx.prod;

	while (q->nr_spare) {
		buf = &q->spare[--q->nr_spare];
		if (!buf->page) {
			gnttab_free_grant_reference(buf->gref);
			continue;
		}
		get_page(buf->page);
		gnttab_end_foreign_access(buf->gref, buf->page);
		page_pool_put_full_page(q->pool, buf->page, false);
	}
}
