/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whole queues against a hostile peer, on the fake kernel: the input is a program of the
 * peer's (and of the host's or the guest's own traffic), a byte for what to do and
 * bytes for how. The fake kernel and ASan find what is freed twice, used after it or
 * given away; the end of the pair finds what is lost.
 */
#ifndef _PROTO_FUZZ_QUEUE_H
#define _PROTO_FUZZ_QUEUE_H

#include "fuzz.h"

#include "pair.h"

static const uint8_t *input;
static size_t left;

static u32 take(u32 bytes)
{
	u32 v = 0;

	while (bytes--) {
		v = v << 8 | (left ? *input : 0);
		input += !!left;
		left -= !!left;
	}
	return v;
}

/* The next @words, as the peer would store them. */
static void take_words(u32 *to, u32 words)
{
	while (words--)
		*to++ = take(4);
}

static u32 rand_state;

u32 test_rand(void)
{
	rand_state ^= rand_state << 13;
	rand_state ^= rand_state >> 17;
	rand_state ^= rand_state << 5;
	return rand_state;
}

void test_fail(const char *file, int line, const char *fmt, ...)
{
	fprintf(stderr, "%s:%d: %s\n", file, line, fmt);
	abort();
}

void test_context(const char *fmt, ...)
{
}

static void queue_begin(const uint8_t *data, size_t size)
{
	input = data;
	left = size;
	rand_state = 0x5eed;
	pair_begin(&pair_modes[take(1) % PAIR_MODES]);
}

/* What reached the stack: readable, of a sane size, and nothing that the peer may still write. */
static void drop_received(bool granted_pages_allowed)
{
	static u8 bytes[65536];
	struct sk_buff *skb;
	int i;

	while ((skb = fake_received())) {
		CHECK(skb->len >= ETH_HLEN && skb->len <= PVN_MAX_PACKET);
		CHECK(skb->truesize >= skb->len);
		for (i = 0; i < skb_shinfo(skb)->nr_frags; i++)
			CHECK(granted_pages_allowed || !skb_shinfo(skb)->frags[i].page->grants);
		fake_skb_read(skb, bytes);
		kfree_skb(skb);
	}
}

#endif
