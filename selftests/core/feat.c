// SPDX-License-Identifier: GPL-2.0
/* Features: what is in xenstore, and what follows from it. */
#include <stdio.h>
#include <string.h>

#include <pvnet/core.h>

#include "ktap.h"

#define STORE_KEYS	32

struct store {
	struct {
		char key[48];
		unsigned int value;
	} entry[STORE_KEYS];
	u32 nr;
	u32 fail_at;		/* fail the n-th write */
	u32 reads;
};

static unsigned int get(void *ctx, const char *key)
{
	struct store *s = ctx;
	u32 i;

	s->reads++;
	for (i = 0; i < s->nr; i++)
		if (!strcmp(s->entry[i].key, key))
			return s->entry[i].value;
	return 0;
}

static int put(void *ctx, const char *key, unsigned int value)
{
	struct store *s = ctx;

	if (s->fail_at && s->nr + 1 == s->fail_at)
		return -5;
	snprintf(s->entry[s->nr].key, sizeof(s->entry[0].key), "%s", key);
	s->entry[s->nr++].value = value;
	return 0;
}

#define ALL_COMMON (PVN_F_SG | PVN_F_GSO_TCPV4 | PVN_F_GSO_TCPV6 | \
		    PVN_F_CSUM_IPV4 | PVN_F_CSUM_IPV6 | PVN_F_RX_COPY)
#define ALL_FRONT	(ALL_COMMON | PVN_F_RX_NOTIFY)
#define ALL_BACK	(ALL_COMMON | PVN_F_SPLIT_EVENTS | PVN_F_CTRL_RING)

/* From netif.h, by hand: key, writer, and the value that means "yes". */
static const struct {
	const char *key;
	enum pvn_side writer;
	u32 bit;
	unsigned int yes;
} keys[] = {
	{ "feature-sg", PVN_FRONT, PVN_F_SG, 1 },
	{ "feature-gso-tcpv4", PVN_FRONT, PVN_F_GSO_TCPV4, 1 },
	{ "feature-gso-tcpv6", PVN_FRONT, PVN_F_GSO_TCPV6, 1 },
	{ "feature-no-csum-offload", PVN_FRONT, PVN_F_CSUM_IPV4, 0 },
	{ "feature-ipv6-csum-offload", PVN_FRONT, PVN_F_CSUM_IPV6, 1 },
	{ "feature-rx-notify", PVN_FRONT, PVN_F_RX_NOTIFY, 1 },
	{ "request-rx-copy", PVN_FRONT, PVN_F_RX_COPY, 1 },
	{ "feature-sg", PVN_BACK, PVN_F_SG, 1 },
	{ "feature-gso-tcpv4", PVN_BACK, PVN_F_GSO_TCPV4, 1 },
	{ "feature-gso-tcpv6", PVN_BACK, PVN_F_GSO_TCPV6, 1 },
	{ "feature-no-csum-offload", PVN_BACK, PVN_F_CSUM_IPV4, 0 },
	{ "feature-ipv6-csum-offload", PVN_BACK, PVN_F_CSUM_IPV6, 1 },
	{ "feature-rx-copy", PVN_BACK, PVN_F_RX_COPY, 1 },
	{ "feature-split-event-channels", PVN_BACK, PVN_F_SPLIT_EVENTS, 1 },
	{ "feature-ctrl-ring", PVN_BACK, PVN_F_CTRL_RING, 1 },
};

static u32 count_keys(enum pvn_side writer)
{
	u32 n = 0;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(keys); i++)
		n += keys[i].writer == writer;
	return n;
}

/* A peer that says nothing takes checksums of IPv4, and nothing else. */
static void silent_peer(void)
{
	struct store s = {};

	EXPECT_EQ(pvn_features_read(PVN_FRONT, get, &s), PVN_F_CSUM_IPV4);
	EXPECT_EQ(pvn_features_read(PVN_BACK, get, &s), PVN_F_CSUM_IPV4);
}

static void one_key(void)
{
	size_t i;
	unsigned int value;

	for (i = 0; i < ARRAY_SIZE(keys); i++)
	for (value = 0; value < 3; value++) {
		struct store s = {};
		u32 want = PVN_F_CSUM_IPV4;

		put(&s, keys[i].key, value);
		if (!!value == keys[i].yes)
			want |= keys[i].bit;
		else
			want &= ~keys[i].bit;
		test_context("%s = %u", keys[i].key, value);
		EXPECT_EQ(pvn_features_read(keys[i].writer, get, &s), want);
		EXPECT_EQ(s.reads, count_keys(keys[i].writer));
	}
}

/* All sets of features: each key once, nothing of the other end, and back. */
static void write_read(enum pvn_side writer, u32 all)
{
	u32 features;
	size_t i;

	for (features = 0; features < 512; features++) {
		struct store s = {}, expect = {};

		test_context("writer %d, features %#x", writer, features);
		EXPECT_EQ(pvn_features_write(writer, features, put, &s), 0);
		EXPECT_EQ(s.nr, count_keys(writer));
		for (i = 0; i < ARRAY_SIZE(keys); i++) {
			unsigned int yes = keys[i].yes;

			if (keys[i].writer != writer)
				continue;
			put(&expect, keys[i].key,
			    features & keys[i].bit ? yes : !yes);
			EXPECT_EQ(get(&s, keys[i].key), get(&expect, keys[i].key));
		}
		EXPECT_EQ(pvn_features_read(writer, get, &s), features & all);
	}
}

static void front_writes(void)
{
	write_read(PVN_FRONT, ALL_FRONT);
}

static void back_writes(void)
{
	write_read(PVN_BACK, ALL_BACK);
}

static void write_fails(void)
{
	u32 i;

	for (i = 1; i <= count_keys(PVN_BACK); i++) {
		struct store s = { .fail_at = i };

		EXPECT_EQ(pvn_features_write(PVN_BACK, ALL_BACK, put, &s), -5);
		EXPECT_EQ(s.nr, i - 1);
	}
}

/* What GSO needs, for each family: multi-slot packets and blank checksums. */
static void usable(void)
{
	u32 f;

	for (f = 0; f < 256; f++) {
		bool v4 = (f & PVN_F_GSO_TCPV4) && (f & PVN_F_SG) && (f & PVN_F_CSUM_IPV4);
		bool v6 = (f & PVN_F_GSO_TCPV6) && (f & PVN_F_SG) && (f & PVN_F_CSUM_IPV6);
		u32 gso = PVN_F_GSO_TCPV4 | PVN_F_GSO_TCPV6;

		test_context("features %#x", f);
		EXPECT_EQ(pvn_features_usable(f),
			  (f & ~gso) | (v4 ? PVN_F_GSO_TCPV4 : 0) |
			  (v6 ? PVN_F_GSO_TCPV6 : 0));
	}
}

SUITE(feat,
	{ "a peer that says nothing", silent_peer },
	{ "each key alone", one_key },
	{ "frontend writes, backend reads", front_writes },
	{ "backend writes, frontend reads", back_writes },
	{ "a write fails", write_fails },
	{ "preconditions", usable });
