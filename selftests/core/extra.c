// SPDX-License-Identifier: GPL-2.0
/* Checksum states (FR-15) and extra info. */
#include <string.h>

#include <pvnet/core.h>

#include "ktap.h"

/*
 * The flags as numbers from netif.h, not by name: that the two rings have
 * blank and validated in swapped places is what must not get lost.
 */
static const struct {
	enum pvn_csum csum;
	u16 tx, rx;
} built[] = {
	{ PVN_CSUM_UNKNOWN,	0, 0 },
	{ PVN_CSUM_BLANK,	3, 3 },
	{ PVN_CSUM_GOOD,	2, 1 },
};

static void csum_build(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(built); i++) {
		test_context("state %d", built[i].csum);
		EXPECT_EQ(pvn_tx_csum_flags(built[i].csum), built[i].tx);
		EXPECT_EQ(pvn_rx_csum_flags(built[i].csum), built[i].rx);
		EXPECT_EQ(pvn_tx_csum(built[i].tx), built[i].csum);
		EXPECT_EQ(pvn_rx_csum(built[i].rx), built[i].csum);
	}
	EXPECT_EQ(pvn_tx_csum_flags((enum pvn_csum)77), 0);
	EXPECT_EQ(pvn_rx_csum_flags((enum pvn_csum)77), 0);
}

/* All flags: a blank checksum is blank, whatever else is said. */
static void csum_parse(void)
{
	static const enum pvn_csum tx[4] = {
		PVN_CSUM_UNKNOWN, PVN_CSUM_BLANK, PVN_CSUM_GOOD, PVN_CSUM_BLANK };
	static const enum pvn_csum rx[4] = {
		PVN_CSUM_UNKNOWN, PVN_CSUM_GOOD, PVN_CSUM_BLANK, PVN_CSUM_BLANK };
	u32 flags;

	for (flags = 0; flags < 0x10000; flags++) {
		test_context("flags %#x", flags);
		EXPECT_EQ(pvn_tx_csum(flags), tx[flags & 3]);
		EXPECT_EQ(pvn_rx_csum(flags), rx[flags & 3]);
	}
}

static void gso_build(void)
{
	static const u8 want[8] = { 1, 0, 0xa8, 0x05, 2, 0, 0, 0 };
	struct pvn_gso gso = { .size = 1448, .type = PVN_GSO_TCPV6 };
	struct pvn_extra extra;
	struct pvn_gso back = {};

	memset(&extra, 0xff, sizeof(extra));
	pvn_extra_gso(&extra, gso);
	EXPECT(!memcmp(&extra, want, 8));
	EXPECT_EQ(pvn_extra_parse(&extra, &back), PVN_OK);
	EXPECT_EQ(back.size, 1448);
	EXPECT_EQ(back.type, PVN_GSO_TCPV6);
}

static enum pvn_verdict parse_oracle(u32 type, u32 size, u32 gso_type)
{
	switch (type) {
	case 1:
		return size && (gso_type == 1 || gso_type == 2) ? PVN_OK : PVN_FATAL;
	case 2: case 3:
		return PVN_DROP;
	case 4: case 5:
		return PVN_OK;
	}
	return PVN_FATAL;
}

static void parse_all(void)
{
	static const u32 sizes[] = { 0, 1, 536, 1448, 65535 };
	u32 type, i, gso_type, flags;

	for (type = 0; type < 256; type++)
	for (i = 0; i < ARRAY_SIZE(sizes); i++)
	for (gso_type = 0; gso_type < 256; gso_type++)
	for (flags = 0; flags < 256; flags += 85) {
		struct pvn_extra extra = { .type = type, .flags = flags };
		struct pvn_gso gso = { .size = 77, .type = 78 };
		bool taken;

		extra.u.gso.size = sizes[i];
		extra.u.gso.type = gso_type;
		test_context("type %u size %u gso type %u", type, sizes[i], gso_type);
		EXPECT_EQ(pvn_extra_parse(&extra, &gso),
			  parse_oracle(type, sizes[i], gso_type));
		taken = type == 1 && parse_oracle(1, sizes[i], gso_type) == PVN_OK;
		EXPECT_EQ(gso.size, taken ? sizes[i] : 77);
		EXPECT_EQ(gso.type, taken ? gso_type : 78);
	}
}

SUITE(extra,
	{ "checksum: flags of the three states", csum_build },
	{ "checksum: states of all flags", csum_parse },
	{ "GSO slot in memory", gso_build },
	{ "all types and GSO values", parse_all });
