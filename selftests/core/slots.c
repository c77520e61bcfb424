// SPDX-License-Identifier: GPL-2.0
/* How many grants a range touches, and where pieces stand in a chain. */
#include <string.h>

#include <pvnet/core.h>

#include "ktap.h"

/* By hand: a slot for each page that holds at least one byte. */
static u32 slots_oracle(u32 offset, u32 len)
{
	return len ? (offset + len - 1) / 4096 - offset / 4096 + 1 : 0;
}

static void slots_table(void)
{
	static const struct {
		u32 offset, len, want;
	} v[] = {
		{ 0, 0, 0 }, { 0, 1, 1 }, { 0, 4096, 1 }, { 0, 4097, 2 },
		{ 4095, 1, 1 }, { 4095, 2, 2 }, { 4095, 4098, 3 },
		{ 2872, 1460, 2 },		/* FR-02 */
		{ 4083, 14, 2 }, { 4082, 14, 1 },	/* FR-05 */
		{ 0, 65535, 16 }, { 1, 65535, 16 }, { 2, 65535, 17 },
		{ 4095, 65535, 17 },
		{ 4096, 1, 1 }, { 3 * 4096 + 4095, 2, 2 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(v); i++) {
		test_context("offset %u length %u", v[i].offset, v[i].len);
		EXPECT_EQ(pvn_slots(v[i].offset, v[i].len), v[i].want);
	}
}

static void slots_all_offsets(void)
{
	u32 offset, i;

	for (offset = 0; offset < 2 * 4096; offset++) {
		for (i = 0; i < 64; i++) {
			u32 len = i < 16 ? 4096 * i + 4096 - offset % 4096 :
					   1 + rand_below(65535);

			test_context("offset %u length %u", offset, len);
			EXPECT_EQ(pvn_slots(offset, len), slots_oracle(offset, len));
			EXPECT_EQ(pvn_slots(offset, len + 1),
				  slots_oracle(offset, len + 1));
		}
	}
}

/* First piece, extra info, other pieces: on both rings. */
static void chain_pos(void)
{
	static const u32 want[3][4] = {
		{ 0, 1, 2, 3 },
		{ 0, 2, 3, 4 },
		{ 0, 3, 4, 5 },
	};
	u32 extra, i;

	for (extra = 0; extra < 3; extra++)
		for (i = 0; i < 4; i++)
			EXPECT_EQ(pvn_chain_pos(extra, i), want[extra][i]);
}

SUITE(slots,
	{ "vectors", slots_table },
	{ "all offsets against an oracle", slots_all_offsets },
	{ "position of a piece in its chain", chain_pos });
