// SPDX-License-Identifier: GPL-2.0
/* The accessors of shared memory: both ends of both rings on one page. */
#include <stdlib.h>
#include <string.h>

#include <pvnet/ring.h>

#include "ktap.h"

/* Where 32-bit indices are about to wrap, and where they are not. */
static const u32 starts[] = { 0, 1, 255, 256, 0x7fffffff, 0xfffffffe,
			      0xffffffff, 0xffffff00 };

/* From the heap, so that ASan guards both of its ends. */
static void *page_alloc(void)
{
	void *page = aligned_alloc(4096, 4096);

	memset(page, 0, 4096);
	pvn_sring_init(page);
	return page;
}

/* Both ends at @start, as after a long run. */
static void *pair_at(struct pvn_ring *front, struct pvn_ring *back, u32 start,
		     size_t slot_size)
{
	void *page = page_alloc();
	struct pvn_sring *s = page;

	s->req_prod = start;
	s->rsp_prod = start;
	pvn_ring_attach_front(front, page, 256, slot_size);
	front->prod = start;
	front->pub = start;
	front->cons = start;
	pvn_ring_attach_back(back, page, 256, slot_size);
	return page;
}

static void init(void)
{
	struct pvn_sring *s = page_alloc();
	u8 *bytes = (u8 *)s;
	u32 i;

	EXPECT_EQ(s->req_prod, 0);
	EXPECT_EQ(s->rsp_prod, 0);
	EXPECT_EQ(s->req_event, 1);
	EXPECT_EQ(s->rsp_event, 1);
	for (i = 16; i < 4096; i++)
		EXPECT_EQ(bytes[i], 0);
	free(s);
}

/* The four words of the head, told apart by their content. */
static void attach(void)
{
	void *page = page_alloc();
	u32 *w = page;
	struct pvn_ring f, b;

	w[0] = 100;	/* req_prod */
	w[1] = 101;	/* req_event */
	w[2] = 90;	/* rsp_prod */
	w[3] = 91;	/* rsp_event */

	pvn_tx_ring_attach_front(&f, page);
	EXPECT(f.prod_out == &w[0] && f.event_out == &w[1]);
	EXPECT(f.prod_in == &w[2] && f.event_in == &w[3]);
	EXPECT(f.slots == &w[16]);
	EXPECT_EQ(f.nr, 256);
	EXPECT_EQ(f.words, 3);
	EXPECT_EQ(f.prod | f.pub | f.cons, 0);

	pvn_tx_ring_attach_back(&b, page);
	EXPECT(b.prod_out == &w[2] && b.event_out == &w[3]);
	EXPECT(b.prod_in == &w[0] && b.event_in == &w[1]);
	EXPECT(b.slots == &w[16]);
	EXPECT_EQ(b.words, 3);
	EXPECT_EQ(b.prod, 90);		/* goes on after its predecessor */
	EXPECT_EQ(b.pub, 90);
	EXPECT_EQ(b.cons, 90);
	EXPECT_EQ(pvn_ring_pending(&b), 10);

	pvn_rx_ring_attach_front(&f, page);
	EXPECT_EQ(f.nr, 256);
	EXPECT_EQ(f.words, 2);
	pvn_rx_ring_attach_back(&b, page);
	EXPECT_EQ(b.nr, 256);
	EXPECT_EQ(b.words, 2);
	free(page);
}

static void produce(struct pvn_ring *r, u32 n, u32 tag)
{
	u32 words[3];

	while (n--) {
		words[0] = r->prod;
		words[1] = ~r->prod;
		words[2] = tag;
		pvn_ring_write(r, r->prod++, words, r->words);
	}
	(void)!pvn_ring_publish(r);
}

static void consume(struct pvn_ring *r, u32 n, u32 tag)
{
	u32 words[3];

	while (n--) {
		pvn_ring_read(r, r->cons, words, r->words);
		EXPECT_EQ(words[0], r->cons);
		EXPECT_EQ(words[1], ~r->cons);
		if (r->words == 3)
			EXPECT_EQ(words[2], tag);
		r->cons++;
	}
}

/* Requests out, responses back, over every wrap of slots and indices. */
static void run_pair(u32 start, size_t slot_size)
{
	struct pvn_ring f, b;
	void *page = pair_at(&f, &b, start, slot_size);
	u32 i, n;

	for (i = 0; i < 64; i++) {
		n = rand_below(pvn_ring_unused(&f) + 1);
		produce(&f, n, 'q');
		EXPECT_EQ(pvn_ring_pending(&b), n);
		EXPECT_EQ(pvn_ring_unused(&f), 256 - n);
		consume(&b, n, 'q');
		EXPECT_EQ(pvn_ring_pending(&b), 0);
		produce(&b, n, 's');
		EXPECT_EQ(pvn_ring_pending(&f), n);
		consume(&f, n, 's');
		EXPECT_EQ(pvn_ring_unused(&f), 256);
	}
	free(page);
}

static void wrap_around(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(starts); i++) {
		test_context("start %#x", starts[i]);
		run_pair(starts[i], 12);
		run_pair(starts[i], 8);
	}
}

/* A slot's bytes are where netif.h says, and no neighbour's change. */
static void slot_bytes(void)
{
	static const union pvn_tx_slot slot = {
		.req = { 0x04030201, 0x0605, 0x0807, 0x0a09, 0x0c0b } };
	union pvn_tx_slot copy;
	struct pvn_tx_rsp rsp;
	struct pvn_ring r;
	u8 *page = page_alloc();
	u32 idx, i;

	for (idx = 0; idx < 512; idx++) {
		u32 at = 64 + (idx % 256) * 12;

		memset(page, 0xee, 4096);
		pvn_tx_ring_attach_front(&r, page);
		pvn_tx_slot_write(&r, idx, &slot);
		test_context("slot %u", idx);
		for (i = 0; i < 4096; i++)
			EXPECT_EQ(page[i], i >= at && i < at + 12 ?
					   i - at + 1 : 0xee);
		pvn_tx_slot_read(&r, idx, &copy);
		EXPECT(!memcmp(&copy, &slot, 12));
		pvn_tx_rsp_read(&r, idx, &rsp);
		EXPECT_EQ(rsp.id, 0x0201);
		EXPECT_EQ(rsp.status, 0x0403);
	}
	free(page);
}

static void rx_slot_bytes(void)
{
	static const union pvn_rx_slot slot = {
		.rsp = { 0x0201, 0x0403, 0x0605, 0x0807 } };
	union pvn_rx_slot copy;
	struct pvn_ring r;
	u8 *page = page_alloc();
	u32 i;

	memset(page, 0xee, 4096);
	pvn_rx_ring_attach_back(&r, page);
	pvn_rx_slot_write(&r, 256 + 255, &slot);
	for (i = 0; i < 4096; i++) {
		u32 at = 64 + 255 * 8;

		EXPECT_EQ(page[i], i >= at && i < at + 8 ? i - at + 1 : 0xee);
	}
	pvn_rx_slot_read(&r, 255, &copy);
	EXPECT(!memcmp(&copy, &slot, 8));
	free(page);
}

/* An event is due when the wanted index is one of those just published. */
static bool publish_oracle(u32 old, u32 n, u32 event)
{
	u32 i;

	for (i = 1; i <= n; i++)
		if (old + i == event)
			return true;
	return false;
}

static void publish_window(void)
{
	static const u32 counts[] = { 0, 1, 2, 3, 18, 255, 256 };
	struct pvn_ring f, b;
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(starts); i++) {
		for (j = 0; j < ARRAY_SIZE(counts); j++) {
			u32 n = counts[j], e;

			for (e = starts[i] - 300; e != starts[i] + 300; e++) {
				struct pvn_sring *s = pair_at(&f, &b, starts[i], 12);

				s->req_event = e;
				s->rsp_event = ~e;
				f.prod += n;
				test_context("old %#x, %u new, event %#x",
					     starts[i], n, e);
				EXPECT_EQ(pvn_ring_publish(&f),
					  publish_oracle(starts[i], n, e));
				EXPECT_EQ(s->req_prod, starts[i] + n);
				EXPECT_EQ(f.pub, starts[i] + n);
				EXPECT_EQ(s->rsp_prod, starts[i]);
				EXPECT_EQ(s->req_event, e);
				EXPECT(!pvn_ring_publish(&f));	/* only once */
				free(s);
			}
		}
	}
}

/* Publishing starts where the last one ended, not where the consumer is. */
static void publish_twice(void)
{
	struct pvn_ring f, b;
	struct pvn_sring *s = pair_at(&f, &b, 0xfffffffe, 12);

	s->req_event = 0xffffffff;
	f.prod += 3;
	EXPECT(pvn_ring_publish(&f));
	f.prod += 3;
	EXPECT(!pvn_ring_publish(&f));
	s->req_event = 5;
	f.prod += 1;
	EXPECT(pvn_ring_publish(&f));
	free(s);
}

static void arm(void)
{
	static const u32 ks[] = { 1, 2, 18, 256 };
	struct pvn_ring f, b;
	size_t i, j;
	u32 n;

	for (i = 0; i < ARRAY_SIZE(starts); i++) {
		for (j = 0; j < ARRAY_SIZE(ks); j++) {
			struct pvn_sring *s = pair_at(&f, &b, starts[i], 12);

			test_context("start %#x, %u", starts[i], ks[j]);
			EXPECT_EQ(pvn_ring_arm(&b, ks[j]), 0);
			EXPECT_EQ(s->req_event, starts[i] + ks[j]);
			EXPECT_EQ(s->rsp_event, 1);

			for (n = 1; n <= ks[j]; n++) {	/* exactly the k-th */
				f.prod++;
				EXPECT_EQ(pvn_ring_publish(&f), n == ks[j]);
			}
			EXPECT_EQ(pvn_ring_arm(&b, 1), ks[j]);
			free(s);
		}
	}
}

/* Whatever the peer writes, accesses stay in the page, and the count is seen. */
static void hostile(void)
{
	struct pvn_ring f, b;
	struct pvn_sring *s = pair_at(&f, &b, 0, 12);
	union pvn_tx_slot slot;
	u32 i;

	s->req_prod = 257;
	EXPECT(pvn_ring_pending(&b) > b.nr);
	s->req_prod = 256;
	EXPECT(pvn_ring_pending(&b) <= b.nr);
	s->req_prod = 0xffffffff;	/* went backwards */
	EXPECT(pvn_ring_pending(&b) > b.nr);
	s->req_prod = 0x80000000;
	EXPECT(pvn_ring_pending(&b) > b.nr);

	for (i = 0; i < 100000; i++) {
		s->req_prod = test_rand();
		s->req_event = test_rand();
		pvn_tx_slot_read(&b, test_rand(), &slot);
		(void)!pvn_ring_arm(&b, test_rand());
	}
	pvn_tx_slot_read(&b, 0xffffffff, &slot);
	free(s);
}

/* What this end has published is not read back: the peer can write there too. */
static void own_index_is_private(void)
{
	struct pvn_ring f, b;
	struct pvn_sring *s = pair_at(&f, &b, 10, 12);

	s->req_prod = 0x12345678;
	s->req_event = 11;
	f.prod++;
	EXPECT(pvn_ring_publish(&f));
	EXPECT_EQ(s->req_prod, 11);
	EXPECT_EQ(pvn_ring_unused(&f), 255);
	free(s);
}

SUITE(ring,
	{ "new page", init },
	{ "attach, also to a page in use", attach },
	{ "wrap-around of slots and indices", wrap_around },
	{ "tx slots in memory", slot_bytes },
	{ "rx slots in memory", rx_slot_bytes },
	{ "publish: event window", publish_window },
	{ "publish: one window after the other", publish_twice },
	{ "arm for the k-th slot", arm },
	{ "hostile indices", hostile },
	{ "own indices are private", own_index_is_private });
