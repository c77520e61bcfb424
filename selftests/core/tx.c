// SPDX-License-Identifier: GPL-2.0
/* The parser of packets from the guest. */
#include <string.h>

#include <pvnet/core.h>

#include "ktap.h"

#define BLANK	1
#define VALID	2
#define MORE	4
#define EXTRA	8

#define REQ(_offset, _size, _flags) \
	{ .req = { .gref = 0x100 + (_offset), .offset = (_offset), \
		   .flags = (_flags), .id = 9, .size = (_size) } }
#define GSO(_size, _type, _more) \
	{ .extra = { .type = 1, .flags = (_more), \
		     .u.gso = { .size = (_size), .type = (_type) } } }
#define INFO(_type, _more) \
	{ .extra = { .type = (_type), .flags = (_more) } }

#define N_SLOTS	16

/* What the log shall say, so that the order of the checks is fixed too. */
#define E_SHORT		"packet is too short"
#define E_CROSS		"slot crosses a page"
#define E_LARGER	"slots are larger than the packet"
#define E_INCOMPLETE	"packet is incomplete"
#define E_NOEXTRA	"extra info slot missing"
#define E_EXTRAS	"too many extra info slots"
#define E_EXTRA		"invalid extra info"
#define E_OFFERED	"extra info of a feature that was not offered"
#define E_SLOTS		"too many slots"
#define E_FATAL		"far too many slots"

struct vector {
	const char *name;
	u32 n;			/* slots in the snapshot */
	union pvn_tx_slot slot[N_SLOTS];
	enum pvn_verdict want;
	u32 nr_slots, nr_extra, nr_pieces;
	const char *error;
};

static const struct vector simple[] = {
	{ "one slot", 1, { REQ(100, 60, 0) }, PVN_OK, 1, 0, 1 },
	{ "shortest", 1, { REQ(0, 14, 0) }, PVN_OK, 1, 0, 1 },
	{ "13 bytes", 1, { REQ(0, 13, 0) }, PVN_DROP, 1, 0, 1, E_SHORT },
	{ "nothing", 1, { REQ(0, 0, 0) }, PVN_DROP, 1, 0, 1, E_SHORT },
	{ "whole page", 1, { REQ(0, 4096, 0) }, PVN_OK, 1, 0, 1 },
	{ "up to the page's end", 1, { REQ(4082, 14, 0) }, PVN_OK, 1, 0, 1 },
	{ "next packet is not ours", 2, { REQ(0, 60, 0), REQ(0, 61, MORE) },
	  PVN_OK, 1, 0, 1 },
	{ "unknown flags", 1, { REQ(0, 60, 0xfff0) }, PVN_OK, 1, 0, 1 },
	{ "two slots", 2, { REQ(0, 60, MORE), REQ(0, 20, 0) }, PVN_OK, 2, 0, 2 },
	{ "14 bytes in two slots", 2, { REQ(0, 14, MORE), REQ(0, 13, 0) },
	  PVN_OK, 2, 0, 2 },
	{ "first piece is empty", 2, { REQ(0, 60, MORE), REQ(0, 60, 0) },
	  PVN_OK, 2, 0, 2 },
	{ "64 KiB", 2 + 14, { REQ(0, 65535, MORE), REQ(0, 4096, MORE),
	  REQ(0, 4096, MORE), REQ(0, 4096, MORE), REQ(0, 4096, MORE),
	  REQ(0, 4096, MORE), REQ(0, 4096, MORE), REQ(0, 4096, MORE),
	  REQ(0, 4096, MORE), REQ(0, 4096, MORE), REQ(0, 4096, MORE),
	  REQ(0, 4096, MORE), REQ(0, 4096, MORE), REQ(0, 4096, MORE),
	  REQ(0, 4096, MORE), REQ(0, 4095, 0) }, PVN_OK, 16, 0, 16 },
	{}
};

/* FR-02: fatal, whatever else is wrong with the packet. */
static const struct vector pages[] = {
	{ "2872 + 1460", 1, { REQ(2872, 1460, 0) }, PVN_FATAL, .error = E_CROSS },
	{ "4095 + 2", 1, { REQ(4095, 2, 0) }, PVN_FATAL, .error = E_CROSS },
	{ "4096 + 1", 1, { REQ(4096, 1, 0) }, PVN_FATAL, .error = E_CROSS },
	{ "0 + 65535", 1, { REQ(0, 65535, 0) }, PVN_FATAL, .error = E_CROSS },
	{ "1 + 4096", 1, { REQ(1, 4096, 0) }, PVN_FATAL, .error = E_CROSS },
	{ "65535 + 65535", 1, { REQ(65535, 65535, 0) }, PVN_FATAL, .error = E_CROSS },
	{ "65535 + 1", 1, { REQ(65535, 1, 0) }, PVN_FATAL, .error = E_CROSS },
	{ "second slot 4095 + 2", 2, { REQ(0, 60, MORE), REQ(4095, 2, 0) },
	  PVN_FATAL, .error = E_CROSS },
	{ "second slot 1 + 4096", 2, { REQ(0, 5000, MORE), REQ(1, 4096, 0) },
	  PVN_FATAL, .error = E_CROSS },
	{ "second slot 65535 + 1", 2, { REQ(0, 60, MORE), REQ(65535, 1, 0) },
	  PVN_FATAL, .error = E_CROSS },
	{ "second slot 4096 + 0", 2, { REQ(0, 60, MORE), REQ(4096, 0, 0) },
	  PVN_OK, 2, 0, 2 },
	{ "first crosses by what the second leaves", 2,
	  { REQ(4000, 150, MORE), REQ(0, 53, 0) }, PVN_FATAL, .error = E_CROSS },
	{ "first just does not", 2,
	  { REQ(4000, 150, MORE), REQ(0, 54, 0) }, PVN_OK, 2, 0, 2 },
	{ "after a drop", 3,
	  { REQ(0, 60, MORE), REQ(0, 61, MORE), REQ(4095, 2, 0) },
	  PVN_FATAL, .error = E_CROSS },
	{ "after multicast", 3,
	  { REQ(0, 60, MORE | EXTRA), INFO(2, 0), REQ(4095, 2, 0) },
	  PVN_FATAL, .error = E_CROSS },
	{}
};

/* Sizes that do not add up: drop, and skip the whole of it. */
static const struct vector sums[] = {
	{ "rest is larger by one", 2, { REQ(0, 60, MORE), REQ(0, 61, 0) },
	  PVN_DROP, 2, 0, 2, E_LARGER },
	{ "in the third", 4,
	  { REQ(0, 60, MORE), REQ(0, 30, MORE), REQ(0, 31, MORE), REQ(0, 0, 0) },
	  PVN_DROP, 4, 0, 4, E_LARGER },
	{ "a total of zero", 2, { REQ(0, 0, MORE), REQ(0, 1, 0) },
	  PVN_DROP, 2, 0, 2, E_LARGER },
	{ "all empty (XSA-448)", 4,
	  { REQ(0, 0, MORE), REQ(0, 0, MORE), REQ(0, 0, MORE), REQ(0, 0, 0) },
	  PVN_DROP, 4, 0, 4, E_SHORT },
	{ "empty slots among others (XSA-448)", 5,
	  { REQ(0, 60, MORE), REQ(0, 0, MORE), REQ(7, 20, MORE), REQ(0, 0, MORE),
	    REQ(4095, 0, 0) }, PVN_OK, 5, 0, 5 },
	{ "13 bytes in two slots", 2, { REQ(0, 13, MORE), REQ(0, 6, 0) },
	  PVN_DROP, 2, 0, 2, E_SHORT },
	{}
};

static const struct vector incomplete[] = {
	{ "one of two", 1, { REQ(0, 60, MORE) }, PVN_FATAL, .error = E_INCOMPLETE },
	{ "two of three", 2, { REQ(0, 60, MORE), REQ(0, 6, MORE) },
	  PVN_FATAL, .error = E_INCOMPLETE },
	{ "after its extra info", 2, { REQ(0, 60, MORE | EXTRA), GSO(1000, 1, 0) },
	  PVN_FATAL, .error = E_INCOMPLETE },
	{ "extra info itself", 1, { REQ(0, 60, EXTRA) },
	  PVN_FATAL, .error = E_NOEXTRA },
	{ "more extra info", 2, { REQ(0, 60, EXTRA), GSO(1000, 1, 1) },
	  PVN_FATAL, .error = E_NOEXTRA },
	{ "after a drop", 2, { REQ(0, 60, MORE), REQ(0, 61, MORE) },
	  PVN_FATAL, .error = E_INCOMPLETE },
	{}
};

static const struct vector extras[] = {
	{ "TCPv4", 2, { REQ(0, 60, EXTRA | BLANK), GSO(1448, 1, 0) }, PVN_OK, 2, 1, 1 },
	{ "TCPv6", 2, { REQ(0, 60, EXTRA | BLANK), GSO(1428, 2, 0) }, PVN_OK, 2, 1, 1 },
	{ "between the pieces", 4,
	  { REQ(0, 60, EXTRA | MORE), GSO(1448, 1, 0), REQ(1, 20, MORE), REQ(2, 3, 0) },
	  PVN_OK, 4, 1, 3 },
	{ "GSO and hash", 3, { REQ(0, 60, EXTRA), GSO(1448, 1, 1), INFO(4, 0) },
	  PVN_OK, 3, 2, 1 },
	{ "hash, XDP and GSO", 4,
	  { REQ(0, 60, EXTRA), INFO(4, 1), INFO(5, 1), GSO(1448, 1, 0) },
	  PVN_OK, 4, 3, 1 },
	{ "five are enough", 6,
	  { REQ(0, 60, EXTRA), INFO(4, 1), INFO(4, 1), INFO(4, 1), INFO(4, 1),
	    INFO(4, 0) }, PVN_OK, 6, 5, 1 },
	{ "six are not", 7,
	  { REQ(0, 60, EXTRA), INFO(4, 1), INFO(4, 1), INFO(4, 1), INFO(4, 1),
	    INFO(4, 1), INFO(4, 0) }, PVN_FATAL, .error = E_EXTRAS },
	{ "GSO size 0 (FR-07)", 2, { REQ(0, 60, EXTRA), GSO(0, 1, 0) },
	  PVN_FATAL, .error = E_EXTRA },
	{ "GSO type 0", 2, { REQ(0, 60, EXTRA), GSO(1448, 0, 0) },
	  PVN_FATAL, .error = E_EXTRA },
	{ "GSO type 3", 2, { REQ(0, 60, EXTRA), GSO(1448, 3, 0) },
	  PVN_FATAL, .error = E_EXTRA },
	{ "type 0", 2, { REQ(0, 60, EXTRA), INFO(0, 0) }, PVN_FATAL, .error = E_EXTRA },
	{ "type 6", 2, { REQ(0, 60, EXTRA), INFO(6, 0) }, PVN_FATAL, .error = E_EXTRA },
	{ "second is invalid", 3, { REQ(0, 60, EXTRA), GSO(1448, 1, 1), INFO(0, 0) },
	  PVN_FATAL, .error = E_EXTRA },
	{ "multicast", 2, { REQ(0, 14, EXTRA), INFO(2, 0) },
	  PVN_DROP, 2, 1, 1, E_OFFERED },
	{ "multicast on nothing", 2, { REQ(0, 0, EXTRA), INFO(3, 0) },
	  PVN_DROP, 2, 1, 1, E_OFFERED },
	{ "multicast and GSO", 3, { REQ(0, 60, EXTRA), INFO(2, 1), GSO(1448, 1, 0) },
	  PVN_DROP, 3, 2, 1, E_OFFERED },
	{ "multicast with pieces", 4,
	  { REQ(0, 60, EXTRA | MORE), INFO(3, 0), REQ(0, 5, MORE), REQ(0, 5, 0) },
	  PVN_DROP, 4, 1, 3, E_OFFERED },
	{}
};

/* The parser must not write to its snapshot, nor depend on what @pkt held. */
static void parse(const union pvn_tx_slot *snap, u32 n, u32 fatal,
		  struct pvn_tx_pkt *pkt, enum pvn_verdict *v)
{
	union pvn_tx_slot copy[80];
	struct pvn_tx_pkt other;

	memcpy(copy, snap, n * sizeof(*snap));
	memset(pkt, 0xff, sizeof(*pkt));
	memset(&other, 0, sizeof(other));
	*v = pvn_tx_parse(copy, n, fatal, pkt);
	EXPECT(!memcmp(copy, snap, n * sizeof(*snap)));
	EXPECT_EQ(pvn_tx_parse(copy, n, fatal, &other), *v);
	EXPECT_STR(other.error, pkt->error);
	if (*v != PVN_FATAL)
		EXPECT_EQ(other.nr_slots, pkt->nr_slots);
}

/* Independent of the parser: the first piece is what the others leave. */
static void expect_pieces(const union pvn_tx_slot *slot, const struct pvn_tx_pkt *pkt)
{
	u32 i, rest = 0;

	EXPECT_EQ(pkt->len, slot[0].req.size);
	for (i = 1; i < pkt->nr_pieces; i++) {
		const struct pvn_tx_req *req = &slot[pkt->nr_extra + i].req;

		EXPECT_EQ(pkt->piece[i].gref, req->gref);
		EXPECT_EQ(pkt->piece[i].offset, req->offset);
		EXPECT_EQ(pkt->piece[i].size, req->size);
		rest += req->size;
	}
	EXPECT_EQ(pkt->piece[0].gref, slot[0].req.gref);
	EXPECT_EQ(pkt->piece[0].offset, slot[0].req.offset);
	EXPECT_EQ(pkt->piece[0].size, slot[0].req.size - rest);
}

static void run_vectors(const struct vector *v)
{
	struct pvn_tx_pkt pkt;
	enum pvn_verdict verdict;

	for (; v->name; v++) {
		test_context("%s", v->name);
		parse(v->slot, v->n, 20, &pkt, &verdict);
		EXPECT_EQ(verdict, v->want);
		EXPECT_STR(pkt.error, v->error);
		if (verdict == PVN_FATAL || v->want == PVN_FATAL)
			continue;
		EXPECT_EQ(pkt.nr_slots, v->nr_slots);
		EXPECT_EQ(pkt.nr_extra, v->nr_extra);
		EXPECT_EQ(pkt.nr_pieces, v->nr_pieces);
		if (verdict == PVN_OK && v->want == PVN_OK)
			expect_pieces(v->slot, &pkt);
	}
}

static void run_simple(void)
{
	run_vectors(simple);
}

static void run_pages(void)
{
	run_vectors(pages);
}

static void run_sums(void)
{
	run_vectors(sums);
}

static void run_incomplete(void)
{
	run_vectors(incomplete);
}

static void run_extras(void)
{
	run_vectors(extras);
}

static void gso_values(void)
{
	static const union pvn_tx_slot v6[] = { REQ(0, 60, EXTRA | BLANK | VALID),
						INFO(4, 1), GSO(1428, 2, 0) };
	static const union pvn_tx_slot none[] = { REQ(0, 60, VALID) };
	struct pvn_tx_pkt pkt;
	enum pvn_verdict v;

	parse(v6, 3, 20, &pkt, &v);
	EXPECT_EQ(v, PVN_OK);
	EXPECT_EQ(pkt.gso.size, 1428);
	EXPECT_EQ(pkt.gso.type, PVN_GSO_TCPV6);
	EXPECT_EQ(pkt.csum, PVN_CSUM_BLANK);

	parse(none, 1, 20, &pkt, &v);
	EXPECT_EQ(v, PVN_OK);
	EXPECT_EQ(pkt.gso.size, 0);
	EXPECT_EQ(pkt.gso.type, 0);
	EXPECT_EQ(pkt.csum, PVN_CSUM_GOOD);
}

/* FR-01: 18 pieces pass, more are dropped, and from the limit on it is an attack. */
static void chain_length(void)
{
	static const u32 limits[] = { 18, 19, 20, 40, PVN_TX_CHAIN_MAX };
	union pvn_tx_slot slot[80];
	struct pvn_tx_pkt pkt;
	enum pvn_verdict v, want;
	u32 i, n, fatal, extra;

	for (i = 0; i < ARRAY_SIZE(limits) * 2; i++)
	for (n = 1; n <= 70; n++) {
		u32 k;

		fatal = limits[i / 2];
		extra = i & 1;
		memset(slot, 0, sizeof(slot));
		for (k = 0; k < n; k++) {
			u32 pos = k ? k + extra : 0;

			slot[pos].req.size = k ? 10 : 1000;
			slot[pos].req.flags = k + 1 < n ? MORE : 0;
		}
		if (extra) {
			slot[0].req.flags |= EXTRA;
			slot[1].extra = (struct pvn_extra) { .type = 4 };
		}
		want = n >= fatal && n > 1 ? PVN_FATAL :
		       n > 18 ? PVN_DROP : PVN_OK;
		test_context("%u pieces, limit %u", n, fatal);
		parse(slot, n + extra, fatal, &pkt, &v);
		EXPECT_EQ(v, want);
		EXPECT_STR(pkt.error, want == PVN_FATAL ? E_FATAL :
				      want == PVN_DROP ? E_SLOTS : NULL);
		if (v == PVN_FATAL)
			continue;
		EXPECT_EQ(pkt.nr_slots, n + extra);
		EXPECT_EQ(pkt.nr_pieces, n);
	}
}

/* A chain as long as the limit that also ends early: what ends first counts. */
static void check_order(void)
{
	union pvn_tx_slot slot[20];
	struct pvn_tx_pkt pkt;
	enum pvn_verdict v;
	u32 i;

	memset(slot, 0, sizeof(slot));
	for (i = 0; i < 20; i++)
		slot[i].req.flags = MORE;
	parse(slot, 19, 20, &pkt, &v);
	EXPECT_EQ(v, PVN_FATAL);
	EXPECT_STR(pkt.error, E_INCOMPLETE);
	parse(slot, 20, 20, &pkt, &v);
	EXPECT_EQ(v, PVN_FATAL);
	EXPECT_STR(pkt.error, E_FATAL);
}

/* A second opinion, in two passes: collect the chain, then judge it. */
static enum pvn_verdict oracle(const union pvn_tx_slot *s, u32 n, u32 fatal,
			       u32 *nr_slots)
{
	u32 extras = 0, pieces = 1, i, rest = 0;
	bool drop = false, larger = false;

	if (s[0].req.flags & EXTRA) {
		do {
			const struct pvn_extra *e = &s[++extras].extra;

			if (extras >= n || extras > 5)
				return PVN_FATAL;
			if (e->type == 0 || e->type > 5)
				return PVN_FATAL;
			if (e->type == 1 && (!e->u.gso.size ||
					     e->u.gso.type < 1 || e->u.gso.type > 2))
				return PVN_FATAL;
			drop |= e->type == 2 || e->type == 3;
		} while (s[extras].extra.flags & 1);
	}
	for (i = 0; s[i].req.flags & MORE; pieces++) {
		i = extras + pieces;
		if (i >= n || pieces + 1 >= fatal)
			return PVN_FATAL;
		if (s[i].req.offset + s[i].req.size > 4096)
			return PVN_FATAL;
		if (rest + s[i].req.size > s[0].req.size)
			larger = true;
		else
			rest += s[i].req.size;
	}
	*nr_slots = extras + pieces;
	if (drop || larger)
		return PVN_DROP;
	if (s[0].req.offset + (s[0].req.size - rest) > 4096)
		return PVN_FATAL;
	return pieces > 18 || s[0].req.size < 14 ? PVN_DROP : PVN_OK;
}

static void against_oracle(const union pvn_tx_slot *slot, u32 n, u32 fatal)
{
	struct pvn_tx_pkt pkt;
	enum pvn_verdict v, want;
	u32 nr_slots = 0;

	want = oracle(slot, n, fatal, &nr_slots);
	parse(slot, n, fatal, &pkt, &v);
	EXPECT_EQ(v, want);
	EXPECT_EQ(!pkt.error, v == PVN_OK);
	if (v == PVN_FATAL || want == PVN_FATAL)
		return;
	EXPECT_EQ(pkt.nr_slots, nr_slots);
	if (v == PVN_OK && want == PVN_OK)
		expect_pieces(slot, &pkt);
}

/* FR-04: equal later slots of each size, totals around their sum, all flags. */
static void grid(void)
{
	static const u32 sizes[] = { 0, 1, 13, 14, 15, 127, 128, 129, 4095, 4096 };
	union pvn_tx_slot slot[24];
	u32 a, b, n, flags, t, k;

	for (a = 0; a < ARRAY_SIZE(sizes); a++)
	for (b = 0; b < ARRAY_SIZE(sizes); b++)
	for (n = 1; n <= 20; n++)
	for (flags = 0; flags < 8; flags++)
	for (t = 0; t < 3; t++) {
		u32 sum = sizes[a] + (n - 1) * sizes[b] + t - 1;

		memset(slot, 0, sizeof(slot));
		if (sum > 65535)
			continue;
		slot[0].req.size = sum;
		slot[0].req.flags = (flags & 1 ? BLANK : 0) | (flags & 2 ? EXTRA : 0);
		if (flags & 2)
			slot[1].extra = (struct pvn_extra) {
				.type = 1, .u.gso = { .size = 536, .type = 1 } };
		for (k = 1; k < n; k++)
			slot[k + !!(flags & 2)].req.size = sizes[b];
		for (k = 0; k < n - !(flags & 4); k++)
			slot[k ? k + !!(flags & 2) : 0].req.flags |= MORE;
		test_context("%u then %u x %u, flags %u", sizes[a], n - 1,
			     sizes[b], flags);
		against_oracle(slot, n + !!(flags & 2), 20);
	}
}

/* Anything: mostly plausible, so that the chains get long. */
static void random_chains(void)
{
	static const u32 sizes[] = { 0, 1, 14, 60, 128, 1500, 4095, 4096 };
	static const u32 totals[] = { 0, 13, 14, 60, 4096, 20000, 65535 };
	union pvn_tx_slot slot[70];
	u32 round, i, n, longer;

	for (round = 0; round < 200000; round++) {
		n = 1 + rand_below(rand_below(4) ? 8 : 66);
		longer = rand_below(24);
		for (i = 0; i < n; i++) {
			struct pvn_tx_req *req = &slot[i].req;

			*req = (struct pvn_tx_req) {
				.gref = test_rand(),
				.size = rand_pick(sizes, ARRAY_SIZE(sizes)),
				.flags = rand_below(longer + 1) ? MORE : 0,
			};
			if (rand_below(4))
				req->offset = rand_below(4097 - req->size);
			else if (!rand_below(8))
				req->offset = test_rand();
		}
		slot[0].req.size = rand_below(2) ? test_rand() :
				   rand_pick(totals, ARRAY_SIZE(totals));
		if (!rand_below(3)) {
			slot[0].req.flags |= EXTRA;
			for (i = 1; i < n && i < 8; i++) {
				slot[i].extra.type = rand_below(16) ? 1 + rand_below(5) : 6;
				slot[i].extra.u.gso.type = 1 + rand_below(2);
				slot[i].extra.u.gso.size = rand_below(16) ? 1448 : 0;
				slot[i].extra.flags = rand_below(2);
				if (!slot[i].extra.flags)
					break;
			}
		}
		test_context("round %u", round);
		against_oracle(slot, n, 18 + rand_below(47));
	}
}

SUITE(tx,
	{ "simple packets", run_simple },
	{ "page borders (FR-02)", run_pages },
	{ "sizes that do not add up", run_sums },
	{ "incomplete packets", run_incomplete },
	{ "extra info", run_extras },
	{ "GSO and checksum", gso_values },
	{ "length of the chain (FR-01)", chain_length },
	{ "order of the checks", check_order },
	{ "grid of sizes and counts (FR-04)", grid },
	{ "random chains against a second parser", random_chains });
