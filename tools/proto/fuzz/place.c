// SPDX-License-Identifier: GPL-2.0
/*
 * From slots to bytes: build a chain, parse it, plan the copies, make them
 * between buffers that ASan guards, and compare.
 *
 * Input: linear_max, linear_offset (2 bytes each), then offset and size of
 * each piece (2 bytes each). They are cut to what fits, so that most inputs
 * are packets.
 */
#include "fuzz.h"
#include "../place_check.h"

static u32 take16(const uint8_t **data, size_t *size)
{
	u32 v;

	if (*size < 2)
		return 0;
	v = (*data)[0] | (*data)[1] << 8;
	*data += 2;
	*size -= 2;
	return v;
}

static u8 pattern(u32 at)
{
	return at * 2654435761u >> 24;
}

/* Each piece in a page of its own, with the packet's bytes where they belong. */
static void fill_pages(const struct pvn_tx_pkt *pkt, u8 **page)
{
	u32 at = 0, i, k;

	for (i = 0; i < pkt->nr_pieces; i++) {
		page[i] = malloc(PLACE_PAGE);
		memset(page[i], 0, PLACE_PAGE);
		for (k = 0; k < pkt->piece[i].size; k++)
			page[i][pkt->piece[i].offset + k] = pattern(at++);
	}
}

static void copy_and_compare(const struct pvn_tx_pkt *pkt, u32 linear,
			     const struct pvn_place *place)
{
	u8 *src[PVN_SLOTS_MIN], *dst[PVN_PLACE_FRAGS], *head = malloc(linear + !linear);
	u32 i, k, at = 0;

	fill_pages(pkt, src);
	for (i = 0; i < place->nr_frags; i++)
		dst[i] = malloc(place->frag_len[i]);

	for (i = 0; i < place->nr_segs; i++) {
		const struct pvn_seg *seg = &place->seg[i];
		u8 *to = seg->frag == PVN_SEG_LINEAR ? head : dst[seg->frag];

		memcpy(to + seg->dst, src[seg->piece] + seg->src, seg->len);
	}
	for (k = 0; k < linear; k++)
		CHECK(head[k] == pattern(at++));
	for (i = 0; i < place->nr_frags; i++)
		for (k = 0; k < place->frag_len[i]; k++)
			CHECK(dst[i][k] == pattern(at++));
	CHECK(at == pkt->len);

	for (i = 0; i < pkt->nr_pieces; i++)
		free(src[i]);
	for (i = 0; i < place->nr_frags; i++)
		free(dst[i]);
	free(head);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	u32 linear_max = 1 + take16(&data, &size) % PLACE_PAGE;
	u32 linear_offset = take16(&data, &size), linear, n = 0, total = 0;
	union pvn_tx_slot slot[PVN_SLOTS_MIN] = {};
	struct pvn_place place;
	struct pvn_tx_pkt pkt;
	const char *error;

	while (size >= 4 && n < PVN_SLOTS_MIN) {
		struct pvn_tx_req *req = &slot[n++].req;

		req->offset = take16(&data, &size) % (PLACE_PAGE + 1);
		req->size = take16(&data, &size) % (PLACE_PAGE - req->offset + 1);
		if (total + req->size > PVN_MAX_PACKET)
			req->size = PVN_MAX_PACKET - total;
		total += req->size;
		if (n > 1)
			slot[n - 2].req.flags = PVN_TXF_MORE_DATA;
	}
	if (!n)
		return 0;
	slot[0].req.size = total;
	if (pvn_tx_parse(slot, n, 20, &pkt) != PVN_OK) {
		CHECK(total < PVN_ETH_HLEN);
		return 0;
	}
	linear = pvn_linear_len(&pkt, linear_max);
	CHECK(linear && linear <= pkt.len);
	CHECK(pvn_place(&pkt, linear, linear_offset, &place));
	error = place_check(&pkt, linear, linear_offset, &place);
	if (error)
		fprintf(stderr, "%s\n", error);
	CHECK(!error);
	copy_and_compare(&pkt, linear, &place);
	return 0;
}
