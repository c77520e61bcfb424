// SPDX-License-Identifier: GPL-2.0
/*
 * Both ends, joined: what either sends arrives at the other, byte for byte and in
 * order, whatever the shape of the skb. Afterwards all memory and all grants are
 * where they were, BQL's account is level, and nothing was lost for its shape.
 */
#include "front.h"
#include "back.h"
#include "world.h"

struct mode {
	const char *name;
	bool trusted, persistent, mapped, sg, handover;
};

static const struct mode modes[] = {
	{ "copy", .trusted = true, .sg = true },
	{ "copy, not trusted", .sg = true },
	{ "copy, no scatter-gather", .trusted = true },
	{ "persistent", .trusted = true, .sg = true, .persistent = true, .mapped = true, .handover = true },
	{ "persistent, nothing handed over", .sg = true, .persistent = true, .mapped = true },
	{ "persistent, not mapped", .trusted = true, .sg = true, .persistent = true, .handover = true },
};

static struct {
	const struct mode *mode;
	struct pvn_front *front;
	struct pvn_queue *q, *queue[1];
	struct pvn_vif *vif;
	struct pvn_vq *vq, *vqueue[1];
	struct net_device guest, host;
	struct xenbus_device xdev;
	struct page_pool rx_pool, from_pool;
	struct pvn_mapped mapped[4096];
	u8 page[2][PAGE_SIZE] __attribute__((aligned(4096)));
	unsigned long live_before;
	unsigned int grants_before;
} w;

/* ------------------------------------------------------------------ set up */

static grant_ref_t new_grant(void)
{
	grant_ref_t head;

	EXPECT(!gnttab_alloc_grant_references(1, &head));
	return gnttab_claim_grant_reference(&head);
}

static void begin_front(const struct mode *m)
{
	u32 i;

	w.front = calloc(1, sizeof(*w.front));
	w.q = calloc(1, sizeof(*w.q));
	w.queue[0] = w.q;
	w.guest = (struct net_device) { .priv = w.front, .reg_state = NETREG_REGISTERED };
	w.front->netdev = &w.guest;
	w.front->xdev = &w.xdev;
	w.front->queue = w.queue;
	w.front->features = m->sg ? PVN_F_SG : 0;
	w.front->trusted = m->trusted;
	w.front->handover = m->handover;
	w.front->rx_copybreak = 1522;
	w.q->front = w.front;
	w.q->pool = &w.rx_pool;
	w.q->tx_chan = w.q->chan;
	w.q->rx_chan = w.q->chan;
	for (i = 0; i < 2; i++) {
		w.q->ring_page[i] = memset(w.page[i], 0, PAGE_SIZE);
		pvn_sring_init(w.page[i]);
	}
	for (i = 0; i < PVN_TX_RING_SLOTS; i++) {
		w.q->tx_buf[i].gref = new_grant();
		w.q->spare[w.q->nr_spare++] = (struct pvn_rx_buf) {
			.gref = new_grant(), .persist = PVN_RX_OF_POOL,
		};
	}
	pvn_tx_init(w.q);
	pvn_rx_init(w.q);
	if (m->persistent) {
		EXPECT(pvn_persist_create(w.q, 4096));
		w.q->rx_live = true;
		w.q->stage_live = true;
	}
	pvn_rx_refill(w.q);
}

static void map(const struct pvn_granted *g, u32 nr, bool readonly)
{
	u32 i;

	for (i = 0; i < nr; i++) {
		grant_ref_t ref = g[i].gref;

		w.mapped[ref] = (struct pvn_mapped) {
			.addr = fake_granted(ref, !readonly), .mapped = true, .readonly = readonly,
		};
		w.vq->mapped.entry[ref] = &w.mapped[ref];
		w.vq->map_stats.mapped_pages++;
	}
}

static void begin_back(const struct mode *m)
{
	w.vif = calloc(1, sizeof(*w.vif));
	w.vq = calloc(1, sizeof(*w.vq));
	w.vqueue[0] = w.vq;
	w.host = (struct net_device) { .priv = w.vif };
	w.vif->netdev = &w.host;
	w.vif->queue = w.vqueue;
	w.vif->features = (m->sg ? PVN_F_SG : 0) | PVN_F_RX_NOTIFY;
	w.vif->running = true;
	w.vq->vif = w.vif;
	w.vq->pool = &w.from_pool;
	w.vq->from_chan = w.vq->chan;
	w.vq->to_chan = w.vq->chan;
	w.vq->ring_page[1] = w.page[1];
	pvn_tx_ring_attach_back(&w.vq->tx, w.page[0]);
	pvn_to_init(w.vq);
	pvn_to_start(w.vq);
	if (m->mapped) {
		map(w.q->persist->stage, w.q->persist->nr_stage, true);
		map(w.q->persist->rx, w.q->persist->nr_rx, false);
	}
}

static void begin(const struct mode *m)
{
	w.mode = m;
	w.live_before = fake_live;
	w.grants_before = fake_grants();
	begin_front(m);
	begin_back(m);
	EXPECT(!w.host.txq.stopped);
}

static void end(void)
{
	pvn_to_drop_held(w.vq);
	pvn_tx_drain(w.q);
	pvn_rx_drain(w.q);
	pvn_persist_destroy(w.q);
	EXPECT_EQ(w.rx_pool.out + w.from_pool.out, 0);
	EXPECT_EQ(fake_live, w.live_before);
	EXPECT_EQ(fake_grants(), w.grants_before);
	free(w.q);
	free(w.front);
	free(w.vq);
	free(w.vif);
}

/* -------------------------------------------------------------------- skbs */

static struct napi_struct nobody;

/* @head bytes in the head, at any offset, the rest in up to 17 fragments of any pages. */
static struct sk_buff *make_part(u32 *left, u32 head)
{
	/* In a large head a page border can be anywhere: also within the Ethernet header. */
	u32 pad = rand_below(8) ? rand_below(64) : 4096 - NET_SKB_PAD - rand_below(20);
	struct sk_buff *skb = napi_alloc_skb(&nobody, pad + head);
	u32 nr = rand_below(MAX_SKB_FRAGS + 1), i;

	skb->data += pad;
	skb->tail += pad;
	__skb_put(skb, head);
	*left -= head;
	for (i = 0; i < nr && *left; i++) {
		u32 pages = 1 + rand_below(8);
		u32 most = min(*left, pages * 4096), size = 1 + rand_below(most);

		skb_add_rx_frag(skb, i, fake_alloc_pages(pages),
				rand_below(pages * 4096 - size + 1), size, pages * PAGE_SIZE);
		*left -= size;
	}
	return skb;
}

/* Any shape: what does not fit into one skb goes to those of its frag_list. */
static struct sk_buff *make_skb(u32 len, const u8 *bytes)
{
	u32 left = len;
	struct sk_buff *skb = make_part(&left, rand_below(4) ? 1 + rand_below(min(len, 4096u)) : len);
	struct sk_buff **at = &skb_shinfo(skb)->frag_list;

	while (left) {
		*at = make_part(&left, rand_below(2) ? left : rand_below(left + 1));
		skb->len += (*at)->len;
		skb->data_len += (*at)->len;
		skb->truesize += (*at)->truesize;
		at = &(*at)->next;
	}
	if (w.mode->sg && !rand_below(3)) {
		skb_shinfo(skb)->gso_size = 536;
		skb_shinfo(skb)->gso_type = PVN_GSO_TCPV4;
	}
	skb_store_bits(skb, 0, bytes, len);
	return skb;
}

/* --------------------------------------------------------------- exchange */

#define BURST	60u

static struct { u8 bytes[65536]; u32 len; u16 gso; } sent[BURST];

static void check_arrived(u32 nr)
{
	static u8 got[65536];
	u32 i;

	for (i = 0; i < nr; i++) {
		struct sk_buff *skb = fake_received();

		if (!skb) {
			test_fail(__FILE__, __LINE__, "packet %u of %u is missing", i, nr);
			return;
		}
		EXPECT_EQ(skb->len, sent[i].len);
		EXPECT_EQ(skb_shinfo(skb)->gso_size, sent[i].gso);
		fake_skb_read(skb, got);
		EXPECT(!memcmp(got, sent[i].bytes, skb->len));
		kfree_skb(skb);
	}
	EXPECT(!fake_received());
}

/* Give packets to @xmit until its queue stops, or the burst is over. */
static u32 send_burst(netdev_tx_t (*xmit)(struct sk_buff *, struct net_device *),
		      struct net_device *dev)
{
	u32 n, burst = 1 + rand_below(BURST);

	for (n = 0; n < burst && !dev->txq.stopped; n++) {
		u64 slots = w.vq->to_stats.to_guest_slots;
		struct sk_buff *skb;

		sent[n].len = w.mode->sg ? random_len() : 14 + rand_below(4083);
		random_bytes(sent[n].bytes, sent[n].len);
		skb = make_skb(sent[n].len, sent[n].bytes);
		sent[n].gso = skb_shinfo(skb)->gso_size;
		fake_xmit_more = n + 1 < burst && rand_below(2);
		xmit(skb, dev);
		EXPECT(w.vq->to_stats.to_guest_slots - slots <= PVN_SLOTS_MIN);
	}
	fake_xmit_more = false;
	return n;
}

/* Any backend takes what is on the ring: no more slots than all allow, a header in the first. */
static void check_requests(void)
{
	static union pvn_tx_slot snap[PVN_TX_RING_SLOTS];
	u32 n = pvn_ring_pending(&w.vq->tx), at, i;
	struct pvn_tx_pkt pkt;

	EXPECT(n <= PVN_TX_RING_SLOTS);
	for (i = 0; i < n; i++)
		pvn_tx_slot_read(&w.vq->tx, w.vq->tx.cons + i, &snap[i]);
	for (at = 0; at < n; at += pkt.nr_slots) {
		EXPECT_EQ(pvn_tx_parse(&snap[at], n - at, pvn_fatal_slots, &pkt), PVN_OK);
		EXPECT(pkt.piece[0].size >= ETH_HLEN);
		EXPECT(pkt.nr_pieces <= (w.mode->sg ? PVN_SLOTS_MIN : 1));
	}
}

static void from_guest_burst(void)
{
	unsigned long live = fake_live;
	u32 n = send_burst(pvn_front_xmit, &w.guest);

	pvn_publish(&w.q->tx, w.q->tx_chan);
	check_requests();
	pvn_from_poll(&w.vq->from_napi, 64);
	check_arrived(n);
	EXPECT(pvn_tx_reap(w.q, 64));
	EXPECT_EQ(w.guest.txq.in_flight, 0);
	EXPECT(!w.guest.txq.stopped);
	EXPECT_EQ(fake_live, live);
}

static void to_guest_burst(void)
{
	u32 n = send_burst(pvn_to_xmit, &w.host);

	w.vq->hold.queued = false;
	pvn_to_poll(&w.vq->to_napi, 64);
	EXPECT_EQ(w.host.txq.in_flight, 0);
	EXPECT_EQ(pvn_rx_poll(w.q, 64), n);
	check_arrived(n);
	pvn_to_poll(&w.vq->to_napi, 64);
	EXPECT(!w.host.txq.stopped);
}

static void each_mode(void (*burst)(void), u32 times)
{
	u32 i, k;

	for (i = 0; i < ARRAY_SIZE(modes); i++) {
		test_context("%s", modes[i].name);
		begin(&modes[i]);
		for (k = 0; k < times; k++)
			burst();
		EXPECT(!w.front->broken && !w.vif->broken);
		EXPECT_EQ(w.q->tx_stats.tx_dropped + w.q->rx_stats.rx_errors, 0);
		EXPECT_EQ(w.vq->from_stats.from_guest_errors, 0);
		EXPECT_EQ(w.vq->to_stats.to_guest_dropped + w.vq->to_stats.to_guest_errors, 0);
		if (modes[i].mapped)
			EXPECT_EQ(w.vq->from_stats.from_guest_copy_ops, 0);
		end();
	}
}

static void from_guest(void)
{
	each_mode(from_guest_burst, 300);
}

static void to_guest(void)
{
	each_mode(to_guest_burst, 300);
}

/* Both ends go away with packets on their way in either direction. */
static void cut(void)
{
	u32 i, k;

	for (i = 0; i < ARRAY_SIZE(modes); i++) {
		for (k = 0; k < 30; k++) {
			test_context("%s", modes[i].name);
			begin(&modes[i]);
			from_guest_burst();
			send_burst(pvn_front_xmit, &w.guest);
			send_burst(pvn_to_xmit, &w.host);
			end();
		}
	}
}

/* A guest that does not read: its queue stops, then drops, and recovers when it reads. */
static void slow_guest(void)
{
	u8 bytes[1514] = {};
	u32 i, n = 0;

	test_context("slow guest");
	begin(&modes[0]);
	while (!w.host.txq.stopped && n++ < 1000)
		pvn_to_xmit(make_skb(sizeof(bytes), bytes), &w.host);
	EXPECT(n >= PVN_RX_RING_SLOTS / PVN_SLOTS_MIN && n < 1000);
	EXPECT_EQ(w.vq->to_stats.to_guest_dropped, 0);
	EXPECT(w.vq->watch.scheduled);
	pvn_rx_poll(w.q, 64);
	for (i = 0; i < 64; i++)
		kfree_skb(fake_received());
	pvn_rx_poll(w.q, 256);
	while (w.q->rx_stats.rx_packets > i) {
		kfree_skb(fake_received());
		i++;
	}
	pvn_to_poll(&w.vq->to_napi, 64);
	EXPECT(!w.host.txq.stopped);
	to_guest_burst();
	end();
}

/* Nothing is sent that the peer could refuse: too long, or too short for a frame. */
static void not_sent(void)
{
	static u8 bytes[65536];
	u32 len;

	begin(&modes[0]);
	for (len = 1; len < 14; len++)
		pvn_front_xmit(make_skb(len, bytes), &w.guest);
	pvn_front_xmit(make_skb(65536, bytes), &w.guest);
	EXPECT_EQ(w.q->tx_stats.tx_dropped, 14);
	EXPECT_EQ(w.guest.txq.in_flight, 0);
	pvn_from_poll(&w.vq->from_napi, 64);
	EXPECT(!fake_received());
	end();
}

/* A buffer whose grant is none: the packet that falls into it is lost, the next is not. */
static void bad_buffer(void)
{
	union pvn_rx_slot slot = { .req = { .gref = 4095 } };
	struct sk_buff *skb;

	test_context("bad buffer");
	begin(&modes[0]);
	slot.req.id = w.vq->rx.cons;
	pvn_rx_slot_write(&w.q->rx, w.vq->rx.cons, &slot);
	memset(sent[0].bytes, 0x11, 60);
	pvn_to_xmit(make_skb(60, sent[0].bytes), &w.host);
	skb = make_skb(60, sent[0].bytes);
	sent[0].len = 60;
	sent[0].gso = skb_shinfo(skb)->gso_size;
	pvn_to_xmit(skb, &w.host);
	pvn_to_poll(&w.vq->to_napi, 64);
	EXPECT_EQ(pvn_rx_poll(w.q, 64), 2);
	EXPECT_EQ(w.vq->to_stats.to_guest_errors, 1);
	EXPECT_EQ(w.q->rx_stats.rx_errors, 1);
	check_arrived(1);
	end();
}

SUITE(pair,
	{ "from the guest: every shape arrives", from_guest },
	{ "to the guest: every shape arrives", to_guest },
	{ "cut in the middle: nothing is left", cut },
	{ "a guest that does not read stops the queue, and no more", slow_guest },
	{ "a bad buffer costs one packet", bad_buffer },
	{ "what is no frame is not sent", not_sent });
