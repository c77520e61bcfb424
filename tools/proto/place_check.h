/* SPDX-License-Identifier: GPL-2.0 */
/* What every plan of copies must hold to; for the unit test and the fuzzer. */
#ifndef _PROTO_PLACE_CHECK_H
#define _PROTO_PLACE_CHECK_H

#include <pvnet/core.h>

#define PLACE_PAGE	4096u

/* How many pages a plan without packing needs: each piece to one page. */
static inline u32 place_loose_pages(const struct pvn_tx_pkt *pkt, u32 linear)
{
	u32 pages = 0, used = PLACE_PAGE, i;

	for (i = 0; i < pkt->nr_pieces; i++) {
		u32 len = pkt->piece[i].size;
		u32 head = len < linear ? len : linear;

		linear -= head;
		len -= head;
		if (!len)
			continue;
		if (used + len > PLACE_PAGE) {
			pages++;
			used = 0;
		}
		used += len;
	}
	return pages;
}

/* Each copy is sane by itself. */
static inline const char *place_check_seg(const struct pvn_tx_pkt *pkt,
					  const struct pvn_place *place,
					  const struct pvn_seg *seg,
					  u32 linear, u32 linear_offset)
{
	u32 dst = seg->dst;

	if (!seg->len)
		return "empty copy";
	if (seg->piece >= pkt->nr_pieces)
		return "no such piece";
	if (seg->src + seg->len > PLACE_PAGE)
		return "copy crosses a source page";
	if (seg->frag == PVN_SEG_LINEAR) {
		if (dst + seg->len > linear)
			return "copy beyond the linear area";
		dst += linear_offset;
	} else if (seg->frag >= place->nr_frags) {
		return "no such page";
	} else if (dst + seg->len > place->frag_len[seg->frag]) {
		return "copy beyond the page's length";
	}
	if (dst / PLACE_PAGE != (dst + seg->len - 1) / PLACE_PAGE)
		return "copy crosses a destination page";
	return NULL;
}

/* Nothing is copied more often than it has to be. */
static inline const char *place_check_cost(const struct pvn_tx_pkt *pkt,
					   const struct pvn_place *place,
					   u32 linear, u32 linear_offset)
{
	u32 loose = place_loose_pages(pkt, linear), i, in_pages = 0, pages;
	u32 last = ~0u;

	pages = place->nr_frags;
	if (linear)
		pages += (linear_offset % PLACE_PAGE + linear - 1) / PLACE_PAGE + 1;
	if (place->nr_segs > pkt->nr_pieces + pages + 1)
		return "more copies than pieces and pages";
	if (loose > PVN_PLACE_FRAGS)
		return NULL;
	if (place->nr_frags != loose)
		return "packed without need";
	for (i = 0; i < place->nr_segs; i++) {
		if (place->seg[i].frag == PVN_SEG_LINEAR)
			continue;
		if (place->seg[i].piece == last)
			return "piece is split without need";
		last = place->seg[i].piece;
		in_pages++;
	}
	return in_pages > pkt->nr_pieces ? "more copies than pieces" : NULL;
}

/*
 * Walks source and destination side by side: each byte once, in order, the
 * linear area first, then page after page.
 *
 * Return: NULL, or what is wrong.
 */
static inline const char *place_check(const struct pvn_tx_pkt *pkt, u32 linear,
				      u32 linear_offset,
				      const struct pvn_place *place)
{
	u32 piece = 0, taken = 0, done = 0, frag = 0, filled = 0, i;
	const char *error;

	if (place->nr_segs > PVN_PLACE_SEGS)
		return "too many copies";
	if (place->nr_frags > PVN_PLACE_FRAGS)
		return "too many pages";

	for (i = 0; i < place->nr_segs; i++) {
		const struct pvn_seg *seg = &place->seg[i];

		error = place_check_seg(pkt, place, seg, linear, linear_offset);
		if (error)
			return error;
		while (piece < pkt->nr_pieces && taken == pkt->piece[piece].size) {
			piece++;
			taken = 0;
		}
		if (seg->piece != piece || seg->src != pkt->piece[piece].offset + taken)
			return "source bytes out of order";
		taken += seg->len;
		if (taken > pkt->piece[piece].size)
			return "copy beyond the piece";

		if (seg->frag == PVN_SEG_LINEAR) {
			if (seg->dst != done)
				return "linear area out of order";
		} else {
			if (done < linear)
				return "linear area is not full";
			if (frag != seg->frag && filled == place->frag_len[frag]) {
				frag++;
				filled = 0;
			}
			if (frag != seg->frag || seg->dst != filled)
				return "pages out of order";
			filled += seg->len;
		}
		done += seg->len;
	}
	if (done != pkt->len)
		return "bytes missing";
	if (place->nr_frags && (frag != place->nr_frags - 1 ||
				filled != place->frag_len[frag]))
		return "last page is not full";
	for (i = 0; i < place->nr_frags; i++)
		if (!place->frag_len[i] || place->frag_len[i] > PLACE_PAGE)
			return "page with a bad length";
	return place_check_cost(pkt, place, linear, linear_offset);
}

#endif
