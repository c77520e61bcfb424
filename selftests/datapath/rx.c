// SPDX-License-Identifier: GPL-2.0
/*
 * The frontend's receive path: any shape of packet, in both schemes. Each arrives
 * byte for byte; what it is charged is what its end sets free; every page and
 * grant is there again when the queue is drained.
 */
#include "front.h"
#include "world.h"

#define HOLD	40u

struct mode {
	const char *name;
	bool persistent, handover, trusted;
	u32 copybreak;
};

static struct {
	struct pvn_front *front;
	struct pvn_queue *q;
	struct xenbus_device xdev;
	struct page_pool pool;
	struct pvn_ring back;
	u8 page[PAGE_SIZE] __attribute__((aligned(4096)));
	unsigned long live_before;
	unsigned int grants_before;
	u8 bytes[65536];
} w;

/* Packets that the stack has not freed yet, and what was in them. */
static struct { struct sk_buff *skb; u8 *bytes; } held[HOLD];
static u32 nr_held;

/* ------------------------------------------------------------------- queue */

static void spare_buffers(struct pvn_queue *q)
{
	grant_ref_t head;
	u32 i;

	EXPECT(!gnttab_alloc_grant_references(PVN_RX_RING_SLOTS, &head));
	for (i = 0; i < PVN_RX_RING_SLOTS; i++)
		q->spare[q->nr_spare++] = (struct pvn_rx_buf) {
			.gref = gnttab_claim_grant_reference(&head),
			.persist = PVN_RX_OF_POOL,
		};
}

static void begin(const struct mode *m)
{
	w.live_before = fake_live;
	w.grants_before = fake_grants();
	w.front = calloc(1, sizeof(*w.front));
	w.q = calloc(1, sizeof(*w.q));
	w.front->xdev = &w.xdev;
	w.front->trusted = m->trusted;
	w.front->handover = m->handover;
	w.front->rx_copybreak = m->copybreak;
	w.q->front = w.front;
	w.q->pool = &w.pool;
	w.q->rx_chan = w.q->chan;
	w.q->ring_page[1] = memset(w.page, 0, sizeof(w.page));
	pvn_sring_init(w.page);
	spare_buffers(w.q);
	pvn_rx_init(w.q);
	pvn_rx_ring_attach_back(&w.back, w.page);
	pvn_rx_refill(w.q);
	if (m->persistent) {	/* while buffers of the pool are on the ring */
		EXPECT(pvn_persist_create(w.q, 4096));
		w.q->rx_live = true;
	}
}

static void free_oldest(void)
{
	static u8 got[65536];
	struct sk_buff *skb = held[0].skb;
	u32 charged = skb->truesize, out = pvn_persist_count_out(w.q);
	unsigned long live = fake_live;

	fake_skb_read(skb, got);
	EXPECT(!memcmp(got, held[0].bytes, skb->len));
	kfree_skb(skb);
	EXPECT_EQ(charged, live - fake_live + (out - pvn_persist_count_out(w.q)) * PAGE_SIZE);
	free(held[0].bytes);
	memmove(held, held + 1, --nr_held * sizeof(*held));
}

static void end(void)
{
	while (nr_held)
		free_oldest();
	pvn_rx_drain(w.q);
	pvn_persist_destroy(w.q);
	EXPECT_EQ(w.pool.out, 0);
	EXPECT_EQ(fake_live, w.live_before);
	EXPECT_EQ(fake_grants(), w.grants_before);
	free(w.q);
	free(w.front);
}

/* ----------------------------------------------------------------- backend */

static bool put_piece(const struct shape *s, u32 i, const u8 *bytes)
{
	union pvn_rx_slot req, rsp = {};
	u8 *page;

	pvn_rx_slot_read(&w.back, w.back.cons++, &req);
	page = fake_granted(req.req.gref, true);
	if (!page)
		return false;
	memcpy(page + s->offset[i], bytes, s->size[i]);
	rsp.rsp.id = req.req.id;
	rsp.rsp.offset = s->offset[i];
	rsp.rsp.status = s->size[i];
	rsp.rsp.flags = i + 1 < s->nr ? PVN_RXF_MORE_DATA : 0;
	pvn_rx_slot_write(&w.back, w.back.prod++, &rsp);
	return true;
}

static void put_packet(const struct shape *s)
{
	u32 i, at = 0;

	random_bytes(w.bytes, s->len);
	EXPECT(pvn_ring_pending(&w.back) >= s->nr);
	for (i = 0; i < s->nr; i++) {
		EXPECT(put_piece(s, i, w.bytes + at));
		at += s->size[i];
	}
	EXPECT(pvn_ring_publish(&w.back) || true);
}

/* One packet; it is held for a while, since pages that come back early show late. */
static void exchange(const struct shape *s)
{
	struct sk_buff *skb;

	put_packet(s);
	EXPECT_EQ(pvn_rx_poll(w.q, 64), 1);
	EXPECT(!w.front->broken);
	skb = fake_received();
	if (!skb)
		return;
	EXPECT_EQ(skb->len, s->len);
	EXPECT(skb->truesize >= skb->len);
	EXPECT(w.front->handover || !pvn_persist_count_out(w.q));
	held[nr_held].skb = skb;
	held[nr_held].bytes = memcpy(malloc(s->len), w.bytes, s->len);
	if (++nr_held == HOLD)
		free_oldest();
}

/* ------------------------------------------------------------------- tests */

static const struct mode modes[] = {
	{ "copy", false, false, true, 1522 },
	{ "copy, copybreak 0", false, false, true, 0 },
	{ "copy, copybreak 4096", false, false, true, 4096 },
	{ "copy, not trusted", false, false, false, 1522 },
	{ "persistent", true, true, true, 1522 },
	{ "persistent, copybreak 0", true, true, true, 0 },
	{ "persistent, copybreak 4096", true, true, true, 4096 },
	{ "persistent, nothing handed over", true, false, true, 1522 },
	{ "persistent, not trusted", true, false, false, 0 },
};

static void each_mode(void (*run)(const struct mode *m))
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(modes); i++) {
		begin(&modes[i]);
		run(&modes[i]);
		test_context("%s: drained", modes[i].name);
		end();
	}
}

static void run_lengths(const struct mode *m)
{
	struct shape s;
	u32 len;

	for (len = 14; len <= 65535; len += len < 9000 ? 1 : 37) {
		test_context("%s: %u bytes", m->name, len);
		s = dense_shape(len);
		exchange(&s);
	}
	EXPECT_EQ(w.q->rx_stats.rx_dropped + w.q->rx_stats.rx_errors, 0);
}

static void lengths(void)
{
	each_mode(run_lengths);
}

static void run_shapes(const struct mode *m)
{
	struct shape s;
	u32 i;

	for (i = 0; i < 4000; i++) {
		s = random_shape(random_len());
		test_context("%s: %u bytes in %u pieces", m->name, s.len, s.nr);
		exchange(&s);
	}
	EXPECT_EQ(w.q->rx_stats.rx_dropped + w.q->rx_stats.rx_errors, 0);
}

static void shapes(void)
{
	each_mode(run_shapes);
}

/* Each allocation fails now and then: the packet is lost, and nothing else. */
static void run_no_memory(const struct mode *m)
{
	u64 arrived = 0, sent = 2000;
	struct shape s;
	u32 i;

	for (i = 0; i < sent; i++) {
		s = random_shape(random_len());
		test_context("%s: packet %u, without memory", m->name, i);
		fake_fail_at = 1 + rand_below(40);
		exchange(&s);
		fake_fail_at = 0;
		pvn_rx_refill(w.q);
	}
	arrived = w.q->rx_stats.rx_packets;
	EXPECT(arrived && arrived < sent);
	EXPECT_EQ(arrived + w.q->rx_stats.rx_dropped, sent);
}

static void no_memory(void)
{
	each_mode(run_no_memory);
}

/* Who never frees takes the spare pages, and no more: the ring goes on with the rest. */
static void slow_reader(void)
{
	const struct mode *m = &modes[4];
	struct sk_buff *kept[PVN_RX_SPARE];
	u32 n = 0, i;
	struct shape s = dense_shape(4096);

	begin(m);
	for (i = 0; i < 2 * PVN_RX_RING_SLOTS; i++)	/* until those of the pool are used up */
		exchange(&s);
	while (nr_held)
		free_oldest();
	for (i = 0; i < 4 * PVN_RX_SPARE; i++) {
		put_packet(&s);
		EXPECT_EQ(pvn_rx_poll(w.q, 64), 1);
		if (n < ARRAY_SIZE(kept))
			kept[n++] = fake_received();
		else
			kfree_skb(fake_received());
	}
	EXPECT_EQ(w.q->rx_stats.rx_dropped, 0);
	EXPECT(w.q->rx_stats.rx_copied_out >= 4 * PVN_RX_SPARE - ARRAY_SIZE(kept));
	EXPECT(pvn_persist_count_out(w.q) <= PVN_RX_SPARE);
	EXPECT(w.q->rx.prod - w.q->rx.cons == PVN_RX_RING_SLOTS);
	while (n)
		kfree_skb(kept[--n]);
	end();
}

/* A backend that keeps a grant: that is the end of the queue, and its page is not given away. */
static void grant_in_use(void)
{
	struct shape s = dense_shape(12000);
	union pvn_rx_slot req;
	unsigned long live;

	begin(&modes[0]);
	live = fake_live;
	pvn_rx_slot_read(&w.back, w.back.cons + 1, &req);
	fake_grant_in_use = req.req.gref;
	put_packet(&s);
	EXPECT_EQ(pvn_rx_poll(w.q, 64), 64);
	EXPECT(w.front->broken);
	EXPECT(!fake_received());
	EXPECT(fake_live <= live);
	EXPECT(fake_granted(fake_grant_in_use, true));
	fake_grant_in_use = 0;
	end();
}

SUITE(rx,
	{ "every length is whole, and charged for what it pins", lengths },
	{ "every shape is whole, and charged for what it pins", shapes },
	{ "without memory a packet is lost, and nothing else", no_memory },
	{ "a reader that never frees has the spare pages only", slow_reader },
	{ "a grant that is kept ends the queue", grant_in_use });
