// SPDX-License-Identifier: GPL-2.0
/*
 * Transmit: the guest shows the backend the pages of each skb.
 *
 * An skb whose shape fits goes out as it is, cut at page borders. Any other
 * (too many slots, fragment lists, an Ethernet header that is split by a page
 * border, or any skb at all when the backend is not trusted) is copied to
 * pages of its own, one by one, so no large allocation is needed. Nothing is
 * dropped for its shape.
 *
 * With persistent grants each skb is copied to staging pages. They belong to
 * ids, so whoever has an id has room, and the skb is kept until it is answered:
 * sockets and BQL see the wire, not the copy.
 *
 * Ids go from NAPI to xmit through free_id[], a ring with one writer at each
 * end; cons of the guest tx ring is written by NAPI, prod by xmit. The first
 * slot of a packet keeps the packet's state, and answers may come in any order,
 * so ids go back packet by packet: there can be room on the ring but no ids.
 */
#include <linux/if_vlan.h>
#include <linux/mm.h>
#include <linux/netdevice.h>

#include <pvnet/copy.h>
#include <pvnet/skb.h>

#include "front.h"

/* What the largest packet takes: its pieces and a GSO slot. */
#define TX_ROOM		(PVN_SLOTS_MIN + 1)
#define ID_MASK		(PVN_TX_RING_SLOTS - 1)
#define BOUNCE_PAGES	(DIV_ROUND_UP(PVN_MAX_PACKET, PAGE_SIZE))

/**
 * pvn_tx_init() - ready to send
 * @q: the queue
 */
void pvn_tx_init(struct pvn_queue *q)
{
	u32 i;

	pvn_tx_ring_attach_front(&q->tx, q->ring_page[0]);
	for (i = 0; i < PVN_TX_RING_SLOTS; i++)
		q->free_id[i] = i;
	q->id_head = 0;
	q->id_tail = PVN_TX_RING_SLOTS;
}

/* Slots that can be sent; xmit and NAPI agree on it through E, F and G. */
static u32 tx_room(const struct pvn_queue *q)
{
	u32 ids = smp_load_acquire(&q->id_tail) - READ_ONCE(q->id_head);

	return min(ids, pvn_ring_unused(&q->tx));
}

/* ------------------------------------------------------------------- xmit */

/**
 * struct tx_cursor - a packet that is being put on the ring
 * @q: the queue
 * @skb: the packet
 * @gso: its segmentation
 * @nr_pieces: how many pieces it will have
 * @done: how many it has
 * @head: id of the first
 * @last: id of the last so far
 */
struct tx_cursor {
	struct pvn_queue *q;
	struct sk_buff *skb;
	struct pvn_gso gso;
	u32 nr_pieces;
	u32 done;
	u16 head;
	u16 last;
};

static u32 frag_offset(const skb_frag_t *frag, struct page **page)
{
	u32 offset = skb_frag_off(frag);

	*page = skb_frag_page(frag) + (offset >> PAGE_SHIFT);
	return offset & ~PAGE_MASK;
}

/* Slots of an skb that is shown as it is. */
static u32 count_slots(const struct sk_buff *skb)
{
	u32 slots = pvn_slots(offset_in_page(skb->data), skb_headlen(skb));
	u32 i;

	for (i = 0; i < skb_shinfo(skb)->nr_frags; i++) {
		const skb_frag_t *frag = &skb_shinfo(skb)->frags[i];

		slots += pvn_slots(skb_frag_off(frag), skb_frag_size(frag));
	}
	return slots;
}

/* Backends refuse a first slot that is shorter than an Ethernet header. */
static bool head_is_split(const struct sk_buff *skb)
{
	return min_t(u32, skb_headlen(skb), PAGE_SIZE - offset_in_page(skb->data)) < ETH_HLEN;
}

/* Slots of an skb that can be shown as it is; 0 when it cannot. */
static u32 fitting_slots(const struct pvn_front *front, const struct sk_buff *skb)
{
	u32 max = front->features & PVN_F_SG ? PVN_SLOTS_MIN : 1;
	u32 slots;

	if (!front->trusted || skb_has_frag_list(skb) || head_is_split(skb))
		return 0;
	slots = count_slots(skb);
	return slots <= max ? slots : 0;
}

static void put_gso(struct tx_cursor *c)
{
	union pvn_tx_slot slot = {};

	pvn_extra_gso(&slot.extra, c->gso);
	pvn_tx_slot_write(&c->q->tx, c->q->tx.prod++, &slot);
}

static u16 take_id(struct tx_cursor *c)
{
	struct pvn_queue *q = c->q;
	u16 id = q->free_id[q->id_head & ID_MASK];

	WRITE_ONCE(q->id_head, q->id_head + 1);
	return id;
}

/* The next slot, for bytes in the page of @gref. */
static void put_slot(struct tx_cursor *c, u16 id, grant_ref_t gref, u32 offset, u32 len)
{
	struct pvn_queue *q = c->q;
	struct pvn_tx_buf *buf = &q->tx_buf[id];
	union pvn_tx_slot slot = {
		.req = { .gref = gref, .offset = offset, .id = id, .size = len },
	};

	if (!c->done) {
		c->head = id;
		buf->skb = c->skb;
		buf->nr = c->nr_pieces;
		buf->left = c->nr_pieces;
		slot.req.size = c->skb->len;
		slot.req.flags = pvn_tx_csum_flags(pvn_skb_csum(c->skb));
		if (c->gso.size)
			slot.req.flags |= PVN_TXF_EXTRA_INFO;
	} else {
		q->tx_buf[c->last].next = id;
	}
	if (c->done + 1 < c->nr_pieces)
		slot.req.flags |= PVN_TXF_MORE_DATA;
	c->last = id;
	buf->head = c->head;
	buf->busy = true;

	pvn_tx_slot_write(&q->tx, q->tx.prod++, &slot);
	if (!c->done++ && c->gso.size)
		put_gso(c);
}

/* One piece, within a page that is granted for it. */
static void put_piece(struct tx_cursor *c, struct page *page, u32 offset, u32 len,
		      struct page *bounce)
{
	u16 id = take_id(c);
	struct pvn_tx_buf *buf = &c->q->tx_buf[id];

	gnttab_page_grant_foreign_access_ref_one(buf->gref, c->q->front->xdev->otherend_id,
						 page, 1);
	buf->bounce = bounce;
	buf->staged = false;
	put_slot(c, id, buf->gref, offset, len);
}

static void put_range(struct tx_cursor *c, struct page *page, u32 offset, u32 len)
{
	u32 part;

	for (; len; len -= part, page++, offset = 0) {
		part = min_t(u32, len, PAGE_SIZE - offset);
		put_piece(c, page, offset, part, NULL);
	}
}

static void put_skb(struct tx_cursor *c)
{
	const struct skb_shared_info *si = skb_shinfo(c->skb);
	struct page *page;
	u32 i, offset;

	put_range(c, virt_to_page(c->skb->data), offset_in_page(c->skb->data),
		  skb_headlen(c->skb));
	for (i = 0; i < si->nr_frags; i++) {
		offset = frag_offset(&si->frags[i], &page);
		put_range(c, page, offset, skb_frag_size(&si->frags[i]));
	}
}

static bool alloc_pages_for(struct page **pages, u32 n)
{
	u32 i;

	for (i = 0; i < n; i++) {
		pages[i] = alloc_page(GFP_ATOMIC | __GFP_NOWARN | __GFP_ZERO);
		if (!pages[i])
			break;
	}
	if (i == n)
		return true;
	while (i)
		__free_page(pages[--i]);
	return false;
}

/* The rest of the last page is zero: the backend sees packet bytes only. */
static bool put_bounced(struct tx_cursor *c)
{
	struct page *pages[BOUNCE_PAGES];
	u32 offset, len, i;

	c->nr_pieces = pvn_slots(0, c->skb->len);
	if (!alloc_pages_for(pages, c->nr_pieces))
		return false;
	for (i = 0, offset = 0; i < c->nr_pieces; i++, offset += len) {
		len = min_t(u32, c->skb->len - offset, PAGE_SIZE);
		skb_copy_bits(c->skb, offset, page_address(pages[i]), len);
		put_piece(c, pages[i], 0, len, pages[i]);
	}
	return true;
}

/**
 * struct stage_source - the bytes of an skb, in order
 * @seq: where they are read
 * @read: bytes that were read
 * @src: the next ones
 * @left: how many of these are in one piece
 */
struct stage_source {
	struct skb_seq_state seq;
	u32 read;
	const u8 *src;
	u32 left;
};

static void stage_bytes(struct stage_source *s, u8 *dst, u32 len)
{
	u32 part;

	for (; len; len -= part, dst += part) {
		if (!s->left)
			s->left = skb_seq_read(s->read, &s->src, &s->seq);
		if (!s->left)
			return;		/* an skb that is shorter than it says */
		part = min(len, s->left);
		pvn_copy(dst, s->src, part);
		s->src += part;
		s->left -= part;
		s->read += part;
	}
}

/* The next @len bytes, in the staging page of the next id. */
static void put_staged(struct tx_cursor *c, struct stage_source *s, u32 len)
{
	u16 id = take_id(c);
	u32 page = id, offset = 0;
	const struct pvn_granted *g;

	if (c->skb->len <= PVN_STAGE_SMALL) {
		page = PVN_TX_RING_SLOTS + id / PVN_STAGE_SHARED;
		offset = id % PVN_STAGE_SHARED * PVN_STAGE_SMALL;
	}
	g = &c->q->persist->stage[page];
	stage_bytes(s, page_address(g->page) + offset, len);
	c->q->tx_buf[id].staged = true;
	put_slot(c, id, g->gref, offset, len);
}

static void put_all_staged(struct tx_cursor *c)
{
	struct stage_source s = {};
	u32 left = c->skb->len, len;

	c->nr_pieces = pvn_slots(0, left);
	skb_prepare_seq_read(c->skb, 0, left, &s.seq);
	for (; left; left -= len) {
		len = min_t(u32, left, PAGE_SIZE);
		put_staged(c, &s, len);
	}
	skb_abort_seq_read(&s.seq);
	c->q->tx_stats.tx_staged++;
}

static bool put_granted(struct tx_cursor *c)
{
	struct pvn_front *front = c->q->front;

	c->nr_pieces = fitting_slots(front, c->skb);
	if (c->nr_pieces) {
		put_skb(c);
		return true;
	}
	if (!put_bounced(c))
		return false;
	if (front->trusted)
		c->q->tx_stats.tx_linearized++;
	else
		c->q->tx_stats.tx_bounced++;
	return true;
}

/* Put the whole packet on the ring; false when it cannot be sent. */
static bool put_packet(struct pvn_queue *q, struct sk_buff *skb)
{
	struct tx_cursor c = { .q = q, .skb = skb, .gso = pvn_skb_gso(skb) };
	u32 before = q->tx.prod;

	if (skb->len > PVN_MAX_PACKET || skb->len < ETH_HLEN)
		return false;
	if (skb->len > PAGE_SIZE && !(q->front->features & PVN_F_SG))
		return false;

	if (smp_load_acquire(&q->stage_live))	/* pairs with I */
		put_all_staged(&c);
	else if (!put_granted(&c))
		return false;
	q->tx_stats.tx_slots += q->tx.prod - before;
	return true;
}

/* Stop before the next packet might not fit; NAPI wakes us. */
static void stop_if_full(struct pvn_queue *q, struct netdev_queue *txq)
{
	if (tx_room(q) >= TX_ROOM)
		return;
	netif_tx_stop_queue(txq);
	q->tx_stats.tx_queue_stops++;
	smp_mb();	/* E: stopped before the last look; pairs with F in wake() */
	if (tx_room(q) >= TX_ROOM)
		netif_tx_start_queue(txq);
}

/**
 * pvn_front_xmit() - ndo_start_xmit
 * @skb: the packet
 * @netdev: the device
 *
 * Publishes once per burst. Context: BH off, or interrupts off (netpoll).
 */
netdev_tx_t pvn_front_xmit(struct sk_buff *skb, struct net_device *netdev)
{
	struct pvn_front *front = netdev_priv(netdev);
	struct pvn_queue *q = front->queue[skb_get_queue_mapping(skb)];
	struct netdev_queue *txq = netdev_get_tx_queue(netdev, q->index);
	bool more = netdev_xmit_more();
	unsigned int len = skb->len;

	if (unlikely(READ_ONCE(front->broken)) || !put_packet(q, skb)) {
		q->tx_stats.tx_dropped++;
		dev_kfree_skb_any(skb);
		len = 0;
	} else {
		q->tx_stats.tx_packets++;
		q->tx_stats.tx_bytes += len;
		skb_tx_timestamp(skb);
		stop_if_full(q, txq);
	}

	if (len)
		more = !__netdev_tx_sent_queue(txq, len, more);
	if (!more || netif_xmit_stopped(txq))
		pvn_publish(&q->tx, q->tx_chan);
	if (netif_xmit_stopped(txq))
		pvn_flush(&q->tx, q->tx_chan);
	return NETDEV_TX_OK;
}

/* ------------------------------------------------------------------- reap */

/**
 * struct tx_done - what a reap has finished
 * @packets: for BQL
 * @bytes: for BQL
 * @id_tail: of free_id[], not shown to xmit yet
 */
struct tx_done {
	unsigned int packets;
	unsigned int bytes;
	u32 id_tail;
};

/* All slots of a packet are answered. */
static void finish_packet(struct pvn_queue *q, u16 id, int budget, struct tx_done *done)
{
	struct pvn_tx_buf *head = &q->tx_buf[id];
	u16 i;

	done->packets++;
	done->bytes += head->skb->len;
	napi_consume_skb(head->skb, budget);
	head->skb = NULL;
	for (i = 0; i < head->nr; i++, id = q->tx_buf[id].next)
		q->free_id[done->id_tail++ & ID_MASK] = id;
}

/* The backend has answered a slot: take its grant back, then what it showed. */
static bool finish_slot(struct pvn_queue *q, const struct pvn_tx_rsp *rsp, int budget,
			struct tx_done *done)
{
	struct pvn_tx_buf *buf;

	if (rsp->status == PVN_RSP_NULL)
		return true;
	if (rsp->id >= PVN_TX_RING_SLOTS || !q->tx_buf[rsp->id].busy) {
		pvn_front_broken(q->front, "tx response for a slot that is not pending");
		return false;
	}
	buf = &q->tx_buf[rsp->id];
	if (!buf->staged && !gnttab_end_foreign_access_ref(buf->gref)) {
		pvn_front_broken(q->front, "transmit grant is still in use");
		return false;
	}
	if (rsp->status != PVN_RSP_OKAY)
		q->rx_stats.tx_errors++;
	if (buf->bounce)
		__free_page(buf->bounce);
	buf->bounce = NULL;
	buf->busy = false;
	if (!--q->tx_buf[buf->head].left)
		finish_packet(q, buf->head, budget, done);
	return true;
}

static void wake(struct pvn_queue *q, struct netdev_queue *txq)
{
	smp_mb();	/* F: cons before the look at the queue; pairs with E */
	if (netif_tx_queue_stopped(txq) && tx_room(q) >= TX_ROOM &&
	    !READ_ONCE(q->front->broken))
		netif_tx_wake_queue(txq);
}

/**
 * pvn_tx_reap() - take answers off the guest tx ring
 * @q: the queue
 * @budget: of the poll
 *
 * Context: NAPI.
 * Return: false when the backend was found broken.
 */
bool pvn_tx_reap(struct pvn_queue *q, int budget)
{
	struct netdev_queue *txq = netdev_get_tx_queue(q->front->netdev, q->index);
	u32 n = pvn_ring_pending(&q->tx), i;
	struct tx_done done = { .id_tail = q->id_tail };
	struct pvn_tx_rsp rsp;

	if (n > READ_ONCE(q->tx.pub) - q->tx.cons) {
		pvn_front_broken(q->front, "more tx responses than requests");
		return false;
	}
	if (!n)
		return true;

	for (i = 0; i < n; i++) {
		pvn_tx_rsp_read(&q->tx, q->tx.cons + i, &rsp);
		if (!finish_slot(q, &rsp, budget, &done))
			return false;
	}
	WRITE_ONCE(q->tx.cons, q->tx.cons + n);
	smp_store_release(&q->id_tail, done.id_tail);	/* G: ids before their count */
	pvn_chan_worked(q->tx_chan);
	q->rx_stats.tx_completed += done.packets;
	netdev_tx_completed_queue(txq, done.packets, done.bytes);
	wake(q, txq);
	return true;
}

/* ------------------------------------------------------------------ drain */

/*
 * A grant that the backend does not let go pins what it shows. The kernel
 * frees the grant when it can, but there is no such help for an skb's memory:
 * it is never freed, rather than reused under the backend's eyes.
 */
static bool end_for_good(struct pvn_tx_buf *buf)
{
	if (!buf->busy || buf->staged) {
		gnttab_free_grant_reference(buf->gref);
		return true;
	}
	if (buf->bounce) {
		gnttab_end_foreign_access(buf->gref, buf->bounce);
		return true;
	}
	if (gnttab_try_end_foreign_access(buf->gref))
		return true;
	gnttab_end_foreign_access(buf->gref, NULL);
	return false;
}

/**
 * pvn_tx_drain() - forget all packets for good
 * @q: the queue; nothing transmits, NAPI is disabled and the backend has been
 *	asked to close
 */
void pvn_tx_drain(struct pvn_queue *q)
{
	DECLARE_BITMAP(pinned, PVN_TX_RING_SLOTS) = {};
	u32 id, leaked;

	for (id = 0; id < PVN_TX_RING_SLOTS; id++)
		if (!end_for_good(&q->tx_buf[id]))
			__set_bit(q->tx_buf[id].head, pinned);

	for (id = 0; id < PVN_TX_RING_SLOTS; id++)
		if (q->tx_buf[id].skb && !test_bit(id, pinned))
			dev_kfree_skb_any(q->tx_buf[id].skb);

	leaked = bitmap_weight(pinned, PVN_TX_RING_SLOTS);
	if (leaked)
		dev_warn(&q->front->xdev->dev,
			 "%u packets leaked: the backend still holds their grants\n", leaked);
	if (q->front->netdev->reg_state == NETREG_REGISTERED)
		netdev_tx_reset_queue(netdev_get_tx_queue(q->front->netdev, q->index));
}
