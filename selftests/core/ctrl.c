// SPDX-License-Identifier: GPL-2.0
/* Control messages: which can be carried out, and lists of grants. */
#include <string.h>

#include <pvnet/core.h>

#include "ktap.h"

static u32 check(u16 type, u32 queue, u32 entries, u32 nr_queues)
{
	struct pvn_ctrl_req req = {
		.id = 7, .type = type, .data = { queue, 99, entries },
	};

	return pvn_ctrl_check(&req, nr_queues);
}

/* netif.h knows 0 to 10, hash messages among them; we carry out three. */
static void types(void)
{
	u32 type;

	for (type = 0; type < 0x10000; type++) {
		bool known = type >= 8 && type <= 10;

		test_context("type %u", type);
		EXPECT_EQ(check(type, 0, 1, 1), known ? PVN_CTRL_STATUS_SUCCESS :
							PVN_CTRL_STATUS_NOT_SUPPORTED);
	}
}

static void queues(void)
{
	static const u32 queue[] = { 0, 1, 2, 3, 4, 5, 255, 0x80000000, 0xFFFFFFFF };
	u32 type, nr, i;

	for (type = 8; type <= 10; type++)
	for (nr = 0; nr <= 4; nr++)
	for (i = 0; i < ARRAY_SIZE(queue); i++) {
		test_context("type %u, queue %u of %u", type, queue[i], nr);
		EXPECT_EQ(check(type, queue[i], 1, nr),
			  queue[i] < nr ? PVN_CTRL_STATUS_SUCCESS : PVN_CTRL_STATUS_INVALID_PARAMETER);
	}
}

/* A page holds 512 entries. */
static void entries(void)
{
	static const u32 nr[] = { 0, 1, 511, 512, 513, 0x1FFFFFFF, 0x20000000, 0x20000001, 0xFFFFFFFF };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(nr); i++) {
		u32 want = nr[i] >= 1 && nr[i] <= 512 ? PVN_CTRL_STATUS_SUCCESS :
							PVN_CTRL_STATUS_INVALID_PARAMETER;

		test_context("%u entries", nr[i]);
		EXPECT_EQ(check(PVN_CTRL_ADD_GREF_MAPPING, 0, nr[i], 1), want);
		EXPECT_EQ(check(PVN_CTRL_DEL_GREF_MAPPING, 0, nr[i], 1), want);
		EXPECT_EQ(check(PVN_CTRL_GET_GREF_MAPPING_SIZE, 0, nr[i], 1), PVN_CTRL_STATUS_SUCCESS);
	}
}

/* A flag that nobody knows fails a list wherever it stands; a status does not. */
static void lists(void)
{
	struct pvn_gref list[PVN_GREF_LIST_MAX] = {};
	u32 at, bit;

	EXPECT(pvn_gref_list_ok(list, PVN_GREF_LIST_MAX));
	memset(list, 0xFF, sizeof(list));
	EXPECT(pvn_gref_list_ok(list, 0));
	for (at = 0; at < PVN_GREF_LIST_MAX; at++)
		list[at].flags = at % 2;
	EXPECT(pvn_gref_list_ok(list, PVN_GREF_LIST_MAX));

	for (at = 0; at < PVN_GREF_LIST_MAX; at += 73)
	for (bit = 1; bit < 16; bit++) {
		test_context("entry %u, flag bit %u", at, bit);
		list[at].flags = 1u << bit;
		EXPECT(!pvn_gref_list_ok(list, PVN_GREF_LIST_MAX));
		EXPECT(!pvn_gref_list_ok(list, at + 1));
		EXPECT(pvn_gref_list_ok(list, at));
		list[at].flags = 0;
	}
}

SUITE(ctrl,
	{ "only messages on grant mappings", types },
	{ "queues that there are", queues },
	{ "lists that fit in a page", entries },
	{ "flags of a list", lists });
