// SPDX-License-Identifier: GPL-2.0
/* The parser of packets to the guest. */
#include <string.h>

#include <pvnet/core.h>

#include "ktap.h"

#define VALID	1	/* not as on the tx ring */
#define BLANK	2
#define MORE	4
#define EXTRA	8

#define RSP(_offset, _status, _flags) \
	{ .rsp = { .id = 3, .offset = (_offset), .flags = (_flags), \
		   .status = (_status) } }
#define GSO(_size, _type, _more) \
	{ .extra = { .type = 1, .flags = (_more), \
		     .u.gso = { .size = (_size), .type = (_type) } } }
#define INFO(_type, _more) \
	{ .extra = { .type = (_type), .flags = (_more) } }

#define E_SHORT		"packet is too short"
#define E_STATUS	"backend reports an error"
#define E_OUTSIDE	"data outside of the page"
#define E_INCOMPLETE	"packet is incomplete"
#define E_NOEXTRA	"extra info slot missing"
#define E_EXTRAS	"too many extra info slots"
#define E_EXTRA		"invalid extra info"
#define E_OFFERED	"extra info of a feature that was not offered"
#define E_SLOTS		"too many slots"

static const struct vector {
	const char *name;
	u32 n;
	union pvn_rx_slot slot[8];
	enum pvn_verdict want;
	u32 nr_slots, nr_extra, nr_pieces, len;
	const char *error;
} vectors[] = {
	{ "one slot", 1, { RSP(0, 60, 0) }, PVN_OK, 1, 0, 1, 60 },
	{ "shortest", 1, { RSP(0, 14, 0) }, PVN_OK, 1, 0, 1, 14 },
	{ "13 bytes", 1, { RSP(0, 13, 0) }, PVN_DROP, 1, 0, 1, 13, E_SHORT },
	{ "nothing", 1, { RSP(0, 0, 0) }, PVN_DROP, 1, 0, 1, 0, E_SHORT },
	{ "whole page", 1, { RSP(0, 4096, 0) }, PVN_OK, 1, 0, 1, 4096 },
	{ "page and a byte", 1, { RSP(0, 4097, 0) }, PVN_DROP, 1, 0, 1, 0, E_OUTSIDE },
	{ "up to the page's end", 1, { RSP(4082, 14, 0) }, PVN_OK, 1, 0, 1, 14 },
	{ "over the page's end", 1, { RSP(4083, 14, 0) },
	  PVN_DROP, 1, 0, 1, 0, E_OUTSIDE },
	{ "offset 65535", 1, { RSP(65535, 14, 0) }, PVN_DROP, 1, 0, 1, 0, E_OUTSIDE },
	{ "largest status", 1, { RSP(65535, 32767, 0) },
	  PVN_DROP, 1, 0, 1, 0, E_OUTSIDE },
	{ "error", 1, { RSP(0, -1, 0) }, PVN_DROP, 1, 0, 1, 0, E_STATUS },
	{ "dropped", 1, { RSP(0, -2, 0) }, PVN_DROP, 1, 0, 1, 0, E_STATUS },
	{ "most negative", 1, { RSP(65535, -32768, 0) },
	  PVN_DROP, 1, 0, 1, 0, E_STATUS },
	{ "two slots", 2, { RSP(0, 60, MORE), RSP(0, 20, 0) }, PVN_OK, 2, 0, 2, 80 },
	{ "7 and 7 bytes", 2, { RSP(0, 7, MORE), RSP(0, 7, 0) }, PVN_OK, 2, 0, 2, 14 },
	{ "empty piece", 3, { RSP(0, 60, MORE), RSP(0, 0, MORE), RSP(0, 20, 0) },
	  PVN_OK, 3, 0, 3, 80 },
	{ "next packet is not ours", 2, { RSP(0, 60, 0), RSP(0, -1, MORE) },
	  PVN_OK, 1, 0, 1, 60 },
	{ "error in the middle: all of it goes", 3,
	  { RSP(0, 60, MORE), RSP(0, -1, MORE), RSP(0, 20, 0) },
	  PVN_DROP, 3, 0, 3, 80, E_STATUS },
	{ "error in the first: all of it goes", 3,
	  { RSP(0, -1, MORE), RSP(0, 60, MORE), RSP(0, 20, 0) },
	  PVN_DROP, 3, 0, 3, 80, E_STATUS },
	{ "incomplete", 1, { RSP(0, 60, MORE) }, PVN_FATAL, .error = E_INCOMPLETE },
	{ "incomplete after an error", 2, { RSP(0, -1, MORE), RSP(0, 60, MORE) },
	  PVN_FATAL, .error = E_INCOMPLETE },
	{ "TCPv4", 2, { RSP(0, 60, EXTRA), GSO(1448, 1, 0) }, PVN_OK, 2, 1, 1, 60 },
	{ "TCPv6 between the pieces", 3,
	  { RSP(0, 60, EXTRA | MORE), GSO(1428, 2, 0), RSP(0, 1000, 0) },
	  PVN_OK, 3, 1, 2, 1060 },
	{ "GSO and hash", 4,
	  { RSP(0, 60, EXTRA | MORE), GSO(1448, 1, 1), INFO(4, 0), RSP(0, 9, 0) },
	  PVN_OK, 4, 2, 2, 69 },
	{ "XDP headroom", 2, { RSP(0, 60, EXTRA), INFO(5, 0) }, PVN_OK, 2, 1, 1, 60 },
	{ "extra info missing", 1, { RSP(0, 60, EXTRA) },
	  PVN_FATAL, .error = E_NOEXTRA },
	{ "extra info missing after an error", 1, { RSP(0, -1, EXTRA) },
	  PVN_FATAL, .error = E_NOEXTRA },
	{ "more extra info missing", 2, { RSP(0, 60, EXTRA), GSO(1448, 1, 1) },
	  PVN_FATAL, .error = E_NOEXTRA },
	{ "six times extra info", 7,
	  { RSP(0, 60, EXTRA), INFO(4, 1), INFO(4, 1), INFO(4, 1), INFO(4, 1),
	    INFO(4, 1), INFO(4, 0) }, PVN_FATAL, .error = E_EXTRAS },
	{ "GSO size 0 (FR-07)", 2, { RSP(0, 60, EXTRA), GSO(0, 1, 0) },
	  PVN_FATAL, .error = E_EXTRA },
	{ "GSO type 3", 2, { RSP(0, 60, EXTRA), GSO(1448, 3, 0) },
	  PVN_FATAL, .error = E_EXTRA },
	{ "type 0", 2, { RSP(0, 60, EXTRA), INFO(0, 0) }, PVN_FATAL, .error = E_EXTRA },
	{ "multicast", 2, { RSP(0, 60, EXTRA), INFO(2, 0) },
	  PVN_DROP, 2, 1, 1, 60, E_OFFERED },
	{ "error with extra info", 3,
	  { RSP(0, -1, EXTRA | MORE), GSO(1448, 1, 0), RSP(0, 9, 0) },
	  PVN_DROP, 3, 1, 2, 9, E_STATUS },
	{}
};

static void run_vectors(void)
{
	const struct vector *v;

	for (v = vectors; v->name; v++) {
		struct pvn_rx_pkt pkt;

		test_context("%s", v->name);
		memset(&pkt, 0xff, sizeof(pkt));
		EXPECT_EQ(pvn_rx_parse(v->slot, v->n, &pkt), v->want);
		EXPECT_STR(pkt.error, v->error);
		if (v->want == PVN_FATAL)
			continue;
		EXPECT_EQ(pkt.nr_slots, v->nr_slots);
		EXPECT_EQ(pkt.nr_extra, v->nr_extra);
		EXPECT_EQ(pkt.nr_pieces, v->nr_pieces);
		EXPECT_EQ(pkt.len, v->len);
	}
}

static void gso_values(void)
{
	static const union pvn_rx_slot v6[] = { RSP(0, 60, EXTRA | BLANK),
						INFO(4, 1), GSO(1428, 2, 0) };
	static const union pvn_rx_slot good[] = { RSP(0, 60, VALID) };
	struct pvn_rx_pkt pkt;

	EXPECT_EQ(pvn_rx_parse(v6, 3, &pkt), PVN_OK);
	EXPECT_EQ(pkt.gso.size, 1428);
	EXPECT_EQ(pkt.gso.type, PVN_GSO_TCPV6);
	EXPECT_EQ(pkt.csum, PVN_CSUM_BLANK);
	EXPECT_EQ(pvn_rx_parse(good, 1, &pkt), PVN_OK);
	EXPECT_EQ(pkt.gso.size, 0);
	EXPECT_EQ(pkt.csum, PVN_CSUM_GOOD);
}

/* A whole ring of one packet: dropped, and all of its slots are known. */
static void chain_length(void)
{
	union pvn_rx_slot slot[257];
	struct pvn_rx_pkt pkt;
	u32 n, i, extra;

	for (n = 1; n <= 256; n++)
	for (extra = 0; extra < 2; extra++) {
		memset(slot, 0, sizeof(slot));
		for (i = 0; i < n; i++) {
			u32 pos = i ? i + extra : 0;

			slot[pos].rsp.status = 100;
			slot[pos].rsp.flags = i + 1 < n ? MORE : 0;
		}
		if (extra) {
			slot[0].rsp.flags |= EXTRA;
			slot[1].extra = (struct pvn_extra) { .type = 4 };
		}
		test_context("%u pieces", n);
		EXPECT_EQ(pvn_rx_parse(slot, n + extra, &pkt),
			  n > 18 ? PVN_DROP : PVN_OK);
		EXPECT_STR(pkt.error, n > 18 ? E_SLOTS : NULL);
		EXPECT_EQ(pkt.nr_slots, n + extra);
		EXPECT_EQ(pkt.nr_pieces, n);
		EXPECT_EQ(pkt.len, 100 * n);
	}
}

static enum pvn_verdict oracle(const union pvn_rx_slot *s, u32 n, u32 *nr_slots)
{
	u32 extras = 0, pieces, i, len = 0;
	bool drop = false;

	if (s[0].rsp.flags & EXTRA) {
		do {
			const struct pvn_extra *e = &s[++extras].extra;

			if (extras >= n || extras > 5 || !e->type || e->type > 5)
				return PVN_FATAL;
			if (e->type == 1 && (!e->u.gso.size ||
					     e->u.gso.type < 1 || e->u.gso.type > 2))
				return PVN_FATAL;
			drop |= e->type == 2 || e->type == 3;
		} while (s[extras].extra.flags & 1);
	}
	for (pieces = 0; ; pieces++) {
		i = pieces ? extras + pieces : 0;
		if (i >= n)
			return PVN_FATAL;
		if (s[i].rsp.status < 0 || s[i].rsp.offset + s[i].rsp.status > 4096)
			drop = true;
		len += s[i].rsp.status;
		if (!(s[i].rsp.flags & MORE))
			break;
	}
	*nr_slots = extras + pieces + 1;
	return drop || pieces + 1 > 18 || len < 14 ? PVN_DROP : PVN_OK;
}

static void random_chains(void)
{
	static const u32 status[] = { 0, 1, 14, 1500, 4095, 4096, 4097, 0xffff, 0x7fff };
	union pvn_rx_slot slot[64];
	struct pvn_rx_pkt pkt;
	u32 round, i, n, longer, nr_slots;
	enum pvn_verdict v, want;

	for (round = 0; round < 200000; round++) {
		n = 1 + rand_below(rand_below(4) ? 8 : 64);
		longer = rand_below(24);
		for (i = 0; i < n; i++)
			slot[i].rsp = (struct pvn_rx_rsp) {
				.id = i,
				.offset = rand_below(8) ? 0 : test_rand(),
				.flags = rand_below(longer + 1) ? MORE : 0,
				.status = rand_pick(status, rand_below(16) ? 6 : 9),
			};
		for (i = 1; !rand_below(3) && i < n && i < 8; i++) {
			slot[0].rsp.flags |= EXTRA;
			slot[i].extra.type = rand_below(16) ? 1 + rand_below(5) : 0;
			slot[i].extra.u.gso.type = 1 + rand_below(2);
			slot[i].extra.u.gso.size = rand_below(16) ? 1448 : 0;
		}
		test_context("round %u", round);
		want = oracle(slot, n, &nr_slots);
		v = pvn_rx_parse(slot, n, &pkt);
		EXPECT_EQ(v, want);
		EXPECT_EQ(!pkt.error, v == PVN_OK);
		if (v != PVN_FATAL && want != PVN_FATAL)
			EXPECT_EQ(pkt.nr_slots, nr_slots);
	}
}

SUITE(rx,
	{ "vectors", run_vectors },
	{ "GSO and checksum", gso_values },
	{ "length of the chain", chain_length },
	{ "random chains against a second parser", random_chains });
