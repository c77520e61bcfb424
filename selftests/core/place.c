// SPDX-License-Identifier: GPL-2.0
/* Where the bytes of a packet from the guest go: FR-03, FR-04, XSA-423, XSA-432. */
#include <string.h>

#include <pvnet/core.h>

#include "ktap.h"
#include "../../tools/proto/place_check.h"

static void add_piece(struct pvn_tx_pkt *pkt, u32 offset, u32 size)
{
	pkt->piece[pkt->nr_pieces++] = (struct pvn_piece) {
		.gref = pkt->nr_pieces, .offset = offset, .size = size };
	pkt->len += size;
}

static void expect_placed(const struct pvn_tx_pkt *pkt, u32 linear,
			  u32 linear_offset, struct pvn_place *place)
{
	memset(place, 0xff, sizeof(*place));
	if (!pvn_place(pkt, linear, linear_offset, place)) {
		EXPECT(!"placed");
		return;
	}
	EXPECT_STR(place_check(pkt, linear, linear_offset, place), NULL);
}

static void linear_table(void)
{
	static const struct {
		u32 first, len, max, want;
	} v[] = {
		{ 60, 60, 128, 60 }, { 60, 60, 4096, 60 },
		{ 128, 128, 128, 128 },
		{ 129, 129, 128, 129 },		/* hardly more: all of it */
		{ 14, 1514, 128, 128 },
		{ 66, 1514, 128, 128 },
		{ 128, 1514, 128, 128 },
		{ 129, 1514, 128, 129 },
		{ 256, 1514, 128, 256 },
		{ 257, 1514, 128, 128 },
		{ 1514, 1514, 128, 128 },
		{ 1514, 1514, 1514, 1514 },
		{ 1514, 1514, 1513, 128 },
		{ 0, 65535, 4096, 128 },
		{ 4096, 65535, 4096, 128 },
		{ 50, 100, 64, 100 },		/* all that there is */
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(v); i++) {
		struct pvn_tx_pkt pkt = { .nr_pieces = 2, .len = v[i].len };

		pkt.piece[0].size = v[i].first;
		test_context("first %u of %u, max %u", v[i].first, v[i].len, v[i].max);
		EXPECT_EQ(pvn_linear_len(&pkt, v[i].max), v[i].want);
	}
}

/* Two small packets, copy by copy. */
static void by_hand(void)
{
	static const struct pvn_seg want[] = {
		{ .piece = 0, .frag = PVN_SEG_LINEAR, .src = 10, .len = 100, .dst = 0 },
		{ .piece = 1, .frag = PVN_SEG_LINEAR, .src = 20, .len = 6, .dst = 100 },
		{ .piece = 1, .frag = PVN_SEG_LINEAR, .src = 26, .len = 22, .dst = 106 },
		{ .piece = 1, .frag = 0, .src = 48, .len = 3000, .dst = 0 },
		{ .piece = 2, .frag = 0, .src = 0, .len = 1096, .dst = 3000 },
		{ .piece = 3, .frag = 1, .src = 0, .len = 1, .dst = 0 },
	};
	struct pvn_tx_pkt pkt = {};
	struct pvn_place place;

	add_piece(&pkt, 10, 100);
	add_piece(&pkt, 20, 3028);
	add_piece(&pkt, 0, 1096);
	add_piece(&pkt, 0, 1);
	expect_placed(&pkt, 128, 4096 - 106, &place);
	EXPECT_EQ(place.nr_segs, ARRAY_SIZE(want));
	EXPECT_EQ(place.nr_frags, 2);
	EXPECT_EQ(place.frag_len[0], 4096);
	EXPECT_EQ(place.frag_len[1], 1);
	EXPECT(!memcmp(place.seg, want, sizeof(want)));
}

/* 18 pieces of most of a page: 18 pages if each were whole, 16 packed. */
static void packed(void)
{
	struct pvn_tx_pkt pkt = {};
	struct pvn_place place;
	u32 i;

	for (i = 0; i < 18; i++)
		add_piece(&pkt, i, 3640);
	EXPECT_EQ(pkt.len, 65520);
	EXPECT_EQ(place_loose_pages(&pkt, 128), 18);
	expect_placed(&pkt, 128, 0, &place);
	EXPECT_EQ(place.nr_frags, 16);
}

/* 17 pages still do without packing. */
static void not_packed(void)
{
	struct pvn_tx_pkt pkt = {};
	struct pvn_place place;
	u32 i;

	add_piece(&pkt, 0, 128);
	for (i = 0; i < 17; i++)
		add_piece(&pkt, i, 3640);
	expect_placed(&pkt, 128, 0, &place);
	EXPECT_EQ(place.nr_frags, 17);
	EXPECT_EQ(place.nr_segs, 18);
}

/* FR-04: as a backend would call it, over all borders of the linear area. */
static void grid(void)
{
	static const u32 sizes[] = { 0, 1, 13, 14, 15, 127, 128, 129, 4095, 4096 };
	static const u32 offsets[] = { 0, 1, 64, 3968, 3969, 4082, 4095, 8191 };
	static const u32 maxs[] = { 128, 256, 1500, 4096 };
	struct pvn_place place;
	u32 a, b, n, o, m, i;

	for (a = 0; a < ARRAY_SIZE(sizes); a++)
	for (b = 0; b < ARRAY_SIZE(sizes); b++)
	for (n = 1; n <= 18; n++) {
		struct pvn_tx_pkt pkt = {};

		add_piece(&pkt, 4096 - sizes[a], sizes[a]);
		for (i = 1; i < n; i++)
			add_piece(&pkt, i % 2 ? 0 : 4096 - sizes[b], sizes[b]);
		if (pkt.len < 14 || pkt.len > 65535)
			continue;
		for (o = 0; o < ARRAY_SIZE(offsets); o++)
		for (m = 0; m < ARRAY_SIZE(maxs); m++) {
			test_context("%u then %u x %u at %u, max %u", sizes[a],
				     n - 1, sizes[b], offsets[o], maxs[m]);
			expect_placed(&pkt, pvn_linear_len(&pkt, maxs[m]),
				      offsets[o], &place);
		}
	}
}

/* FR-03: one frame, cut at each pair of positions. */
static void cut_twice(void)
{
	struct pvn_place place;
	u32 i, j;

	for (i = 0; i <= 300; i++)
	for (j = i; j <= 300; j++) {
		struct pvn_tx_pkt pkt = {};

		add_piece(&pkt, 4096 - i, i);
		add_piece(&pkt, (i * 7 + j) % 3700, j - i);
		add_piece(&pkt, 0, 300 - j);
		test_context("cut at %u and %u", i, j);
		expect_placed(&pkt, pvn_linear_len(&pkt, 128), 4000, &place);
	}
}

static u32 random_size(u32 kind)
{
	switch (kind) {
	case 0:
		return rand_below(8);
	case 1:
		return rand_below(300);
	case 2:
		return 3500 + rand_below(597);
	default:
		return rand_below(4097);
	}
}

static void random_packets(void)
{
	struct pvn_place place;
	u32 round, i, n, kind;

	for (round = 0; round < 200000; round++) {
		struct pvn_tx_pkt pkt = {};

		n = 1 + rand_below(18);
		kind = rand_below(5);
		for (i = 0; i < n; i++) {
			u32 size = random_size(kind == 4 ? rand_below(4) : kind);

			if (pkt.len + size > 65535)
				size = 65535 - pkt.len;
			add_piece(&pkt, rand_below(4097 - size), size);
		}
		if (pkt.len < 14)
			continue;
		test_context("round %u, %u bytes in %u pieces", round, pkt.len, n);
		expect_placed(&pkt, pvn_linear_len(&pkt, 64 + rand_below(4033)),
			      rand_below(8192), &place);
	}
}

/* A caller's mistake is an answer, not an overrun. */
static void too_much(void)
{
	struct pvn_tx_pkt pkt = {};
	struct pvn_place place;
	u32 i;

	for (i = 0; i < 18; i++)
		add_piece(&pkt, 0, 4096);
	EXPECT(!pvn_place(&pkt, 0, 0, &place));
}

SUITE(place,
	{ "length of the linear area", linear_table },
	{ "a packet by hand", by_hand },
	{ "18 large pieces are packed", packed },
	{ "17 pages are not packed", not_packed },
	{ "grid of sizes and counts (FR-04)", grid },
	{ "a frame cut at each pair of positions (FR-03)", cut_twice },
	{ "random packets", random_packets },
	{ "more than fits", too_much });
