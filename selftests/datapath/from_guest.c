// SPDX-License-Identifier: GPL-2.0
/*
 * The backend's path of packets from the guest: any shape, from pages that are mapped
 * and pages that are not. Each arrives byte for byte and charged for what it pins;
 * each request is answered once, in order, and nothing of the guest's is kept.
 */
#include "back.h"
#include "world.h"

#define NR_PAGES	18u

static struct {
	struct pvn_vif *vif;
	struct pvn_vq *q;
	struct page_pool pool;
	struct pvn_ring front;
	struct page *guest[NR_PAGES];
	grant_ref_t gref[NR_PAGES];
	struct pvn_mapped mapped[NR_PAGES];
	u8 page[PAGE_SIZE] __attribute__((aligned(4096)));
	unsigned long live_before;
	u16 next_id;
	u8 bytes[65536];
} w;

/* ------------------------------------------------------------------- queue */

static void guest_page(u32 i, bool map)
{
	grant_ref_t head;

	w.guest[i] = alloc_page(0);
	EXPECT(!gnttab_alloc_grant_references(1, &head));
	w.gref[i] = gnttab_claim_grant_reference(&head);
	gnttab_page_grant_foreign_access_ref_one(w.gref[i], 0, w.guest[i], true);
	w.mapped[i] = (struct pvn_mapped) { .addr = page_address(w.guest[i]), .mapped = true };
	w.q->mapped.entry[w.gref[i]] = map ? &w.mapped[i] : NULL;
	w.q->map_stats.mapped_pages += map;
}

/* @map_one_in: 1 = all pages of the guest are mapped, 2 = each other one, 0 = none */
static void begin(u32 map_one_in)
{
	u32 i;

	w.live_before = fake_live;
	w.vif = calloc(1, sizeof(*w.vif));
	w.q = calloc(1, sizeof(*w.q));
	w.q->vif = w.vif;
	w.q->pool = &w.pool;
	w.q->from_chan = w.q->chan;
	memset(w.page, 0, sizeof(w.page));
	pvn_sring_init(w.page);
	pvn_tx_ring_attach_front(&w.front, w.page);
	pvn_tx_ring_attach_back(&w.q->tx, w.page);
	for (i = 0; i < NR_PAGES; i++)
		guest_page(i, map_one_in && i % map_one_in == 0);
}

static void end(void)
{
	u32 i;

	for (i = 0; i < NR_PAGES; i++)
		gnttab_end_foreign_access(w.gref[i], w.guest[i]);
	EXPECT_EQ(w.pool.out, 0);
	EXPECT_EQ(fake_live, w.live_before);
	free(w.q);
	free(w.vif);
}

/* ---------------------------------------------------------------- frontend */

static void put_packet(const struct shape *s)
{
	u32 i, at = 0;

	random_bytes(w.bytes, s->len);
	for (i = 0; i < s->nr; i++) {
		u8 *to = (u8 *)page_address(w.guest[i]) + s->offset[i];
		union pvn_tx_slot slot = { .req = {
			.gref = w.gref[i], .offset = s->offset[i], .id = w.next_id + i,
			.size = i ? s->size[i] : s->len,
			.flags = i + 1 < s->nr ? PVN_TXF_MORE_DATA : 0 } };

		memcpy(to, w.bytes + at, s->size[i]);
		at += s->size[i];
		pvn_tx_slot_write(&w.front, w.front.prod++, &slot);
	}
	EXPECT(pvn_ring_publish(&w.front) || true);
}

static void check_answers(const struct shape *s, s16 status)
{
	struct pvn_tx_rsp rsp;
	u32 i;

	EXPECT_EQ(pvn_ring_pending(&w.front), s->nr);
	for (i = 0; i < s->nr; i++) {
		pvn_tx_rsp_read(&w.front, w.front.cons++, &rsp);
		EXPECT_EQ(rsp.id, (u16)(w.next_id + i));
		EXPECT_EQ(rsp.status, status);
	}
	w.next_id += s->nr;
}

static void check_packet(struct sk_buff *skb, const struct shape *s)
{
	static u8 got[65536];
	unsigned long live = fake_live;
	u32 charged = skb->truesize;

	EXPECT_EQ(skb->len, s->len);
	fake_skb_read(skb, got);
	EXPECT(!memcmp(got, w.bytes, s->len));
	kfree_skb(skb);
	EXPECT_EQ(charged, live - fake_live);
}

static void exchange(const struct shape *s)
{
	struct sk_buff *skb;

	put_packet(s);
	pvn_from_poll(&w.q->from_napi, 64);
	EXPECT(!w.vif->broken);
	skb = fake_received();
	check_answers(s, skb ? PVN_RSP_OKAY : PVN_RSP_ERROR);
	if (skb)
		check_packet(skb, s);
}

/* ------------------------------------------------------------------- tests */

static void each_mapping(void (*run)(u32 map))
{
	u32 map;

	for (map = 0; map <= 2; map++) {
		begin(map);
		run(map);
		test_context("mapped one in %u: drained", map);
		end();
	}
}

static void run_lengths(u32 map)
{
	struct shape s;
	u32 len;

	for (len = 14; len <= 65535; len += len < 9000 ? 1 : 37) {
		test_context("mapped one in %u: %u bytes", map, len);
		s = dense_shape(len);
		exchange(&s);
	}
	EXPECT_EQ(w.q->from_stats.from_guest_dropped + w.q->from_stats.from_guest_errors, 0);
}

static void lengths(void)
{
	each_mapping(run_lengths);
}

static void run_shapes(u32 map)
{
	struct shape s;
	u32 i;

	for (i = 0; i < 6000; i++) {
		s = random_shape(random_len());
		test_context("mapped one in %u: %u bytes in %u pieces", map, s.len, s.nr);
		exchange(&s);
	}
	EXPECT_EQ(w.q->from_stats.from_guest_dropped + w.q->from_stats.from_guest_errors, 0);
	EXPECT(map == 1 ? !w.q->from_stats.from_guest_copy_ops :
			  w.q->from_stats.from_guest_copy_ops);
}

static void shapes(void)
{
	each_mapping(run_shapes);
}

static void run_no_memory(u32 map)
{
	u32 i, sent = 3000;
	struct shape s;

	for (i = 0; i < sent; i++) {
		s = random_shape(random_len());
		test_context("mapped one in %u: packet %u, without memory", map, i);
		fake_fail_at = 1 + rand_below(20);
		exchange(&s);
		fake_fail_at = 0;
	}
	EXPECT(w.q->from_stats.from_guest_dropped);
	EXPECT_EQ(w.q->from_stats.from_guest_packets + w.q->from_stats.from_guest_dropped, sent);
}

static void no_memory(void)
{
	each_mapping(run_no_memory);
}

/* A grant that is none: the packet is refused, the ones around it arrive. */
static void bad_grant(void)
{
	struct shape s = dense_shape(9000);
	grant_ref_t good;
	u32 i;

	begin(0);
	for (i = 0; i < 3; i++) {
		good = w.gref[i];
		w.gref[i] = 4095;
		exchange(&s);
		w.gref[i] = good;
		exchange(&s);
	}
	EXPECT_EQ(w.q->from_stats.from_guest_packets, 3);
	EXPECT_EQ(w.q->from_stats.from_guest_errors, 3);
	end();
}

SUITE(from_guest,
	{ "every length is whole, and charged for what it pins", lengths },
	{ "every shape is whole, and charged for what it pins", shapes },
	{ "without memory a packet is lost, and nothing else", no_memory },
	{ "a bad grant costs its packet only", bad_grant });
