// SPDX-License-Identifier: GPL-2.0
/*
 * Both ends, joined: what either sends arrives at the other, byte for byte and in
 * order, whatever the shape of the skb. Afterwards all memory and all grants are
 * where they were, BQL's account is level, and nothing was lost for its shape.
 */
#include "pair.h"

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

	for (i = 0; i < PAIR_MODES; i++) {
		test_context("%s", pair_modes[i].name);
		pair_begin(&pair_modes[i]);
		for (k = 0; k < times; k++)
			burst();
		EXPECT(!w.front->broken && !w.vif->broken);
		EXPECT_EQ(w.q->tx_stats.tx_dropped + w.q->rx_stats.rx_errors, 0);
		EXPECT_EQ(w.vq->from_stats.from_guest_errors, 0);
		EXPECT_EQ(w.vq->to_stats.to_guest_dropped + w.vq->to_stats.to_guest_errors, 0);
		if (pair_modes[i].mapped)
			EXPECT_EQ(w.vq->from_stats.from_guest_copy_ops, 0);
		pair_end();
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

	for (i = 0; i < PAIR_MODES; i++) {
		for (k = 0; k < 30; k++) {
			test_context("%s", pair_modes[i].name);
			pair_begin(&pair_modes[i]);
			from_guest_burst();
			send_burst(pvn_front_xmit, &w.guest);
			send_burst(pvn_to_xmit, &w.host);
			pair_end();
		}
	}
}

/* A guest that does not read: its queue stops, then drops, and recovers when it reads. */
static void slow_guest(void)
{
	u8 bytes[1514] = {};
	u32 i, n = 0;

	test_context("slow guest");
	pair_begin(&pair_modes[0]);
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
	pair_end();
}

/* Nothing is sent that the peer could refuse: too long, or too short for a frame. */
static void not_sent(void)
{
	static u8 bytes[65536];
	u32 len;

	pair_begin(&pair_modes[0]);
	for (len = 1; len < 14; len++)
		pvn_front_xmit(make_skb(len, bytes), &w.guest);
	pvn_front_xmit(make_skb(65536, bytes), &w.guest);
	EXPECT_EQ(w.q->tx_stats.tx_dropped, 14);
	EXPECT_EQ(w.guest.txq.in_flight, 0);
	pvn_from_poll(&w.vq->from_napi, 64);
	EXPECT(!fake_received());
	pair_end();
}

/* A buffer whose grant is none: the packet that falls into it is lost, the next is not. */
static void bad_buffer(void)
{
	union pvn_rx_slot slot = { .req = { .gref = 4095 } };
	struct sk_buff *skb;

	test_context("bad buffer");
	pair_begin(&pair_modes[0]);
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
	pair_end();
}

SUITE(pair,
	{ "from the guest: every shape arrives", from_guest },
	{ "to the guest: every shape arrives", to_guest },
	{ "cut in the middle: nothing is left", cut },
	{ "a guest that does not read stops the queue, and no more", slow_guest },
	{ "a bad buffer costs one packet", bad_buffer },
	{ "what is no frame is not sent", not_sent });
