// SPDX-License-Identifier: GPL-2.0
/*
 * Where the bytes of a packet from the guest go.
 *
 * Each copy costs a grant operation, so a piece is not split over two pages
 * when another page can be had. Only a packet of many small pieces is packed
 * tightly, because an skb has room for 17 fragments.
 */
#include <linux/export.h>
#include <linux/minmax.h>

#include <pvnet/core.h>

/**
 * pvn_linear_len() - how much of a packet goes to the skb's linear area
 * @pkt: parsed, PVN_OK
 * @linear_max: a packet of at most this length is linear as a whole
 *
 * Of larger ones the header area, whatever slots it is spread over; the whole
 * first piece when that is hardly more, since it then is what the sender
 * keeps its headers in.
 *
 * Return: bytes, not more than @pkt->len; may be more than a @linear_max below
 * twice the header area.
 */
u32 pvn_linear_len(const struct pvn_tx_pkt *pkt, u32 linear_max)
{
	if (pkt->len <= linear_max)
		return pkt->len;
	if (pkt->piece[0].size > PVN_PULL_LEN &&
	    pkt->piece[0].size <= 2 * PVN_PULL_LEN)
		return pkt->piece[0].size;
	return min(pkt->len, PVN_PULL_LEN);
}
EXPORT_SYMBOL_GPL(pvn_linear_len);

static bool add_seg(struct pvn_place *place, u32 piece, u32 frag, u32 src,
		    u32 len, u32 dst)
{
	if (place->nr_segs == PVN_PLACE_SEGS)
		return false;
	place->seg[place->nr_segs++] = (struct pvn_seg) {
		.piece = piece, .frag = frag, .src = src, .len = len, .dst = dst,
	};
	return true;
}

/* The linear area need not start at a page border: split where it crosses one. */
static bool place_linear(struct pvn_place *place, u32 piece, u32 src, u32 len,
			 u32 dst, u32 linear_offset)
{
	u32 room, part;

	for (; len; src += part, dst += part, len -= part) {
		room = PVN_GRANT_SIZE - ((linear_offset + dst) & (PVN_GRANT_SIZE - 1));
		part = min(len, room);
		if (!add_seg(place, piece, PVN_SEG_LINEAR, src, part, dst))
			return false;
	}
	return true;
}

static bool place_frag(struct pvn_place *place, u32 piece, u32 src, u32 len,
		       bool tight)
{
	u32 used, part;

	for (; len; src += part, len -= part) {
		used = place->nr_frags ? place->frag_len[place->nr_frags - 1] :
					 PVN_GRANT_SIZE;
		if (used == PVN_GRANT_SIZE ||
		    (!tight && used + len > PVN_GRANT_SIZE)) {
			if (place->nr_frags == PVN_PLACE_FRAGS)
				return false;
			place->frag_len[place->nr_frags++] = 0;
			used = 0;
		}
		part = min(len, PVN_GRANT_SIZE - used);
		if (!add_seg(place, piece, place->nr_frags - 1, src, part, used))
			return false;
		place->frag_len[place->nr_frags - 1] += part;
	}
	return true;
}

static bool place_all(const struct pvn_tx_pkt *pkt, u32 linear,
		      u32 linear_offset, bool tight, struct pvn_place *place)
{
	u32 done = 0, i;

	place->nr_segs = 0;
	place->nr_frags = 0;

	for (i = 0; i < pkt->nr_pieces; i++) {
		u32 src = pkt->piece[i].offset;
		u32 len = pkt->piece[i].size;
		u32 head = min(len, linear - done);

		if (!place_linear(place, i, src, head, done, linear_offset))
			return false;
		done += head;
		if (!place_frag(place, i, src + head, len - head, tight))
			return false;
	}
	return true;
}

/**
 * pvn_place() - lay out the copies of a packet
 * @pkt: parsed, PVN_OK
 * @linear: bytes that go to the linear area, from pvn_linear_len()
 * @linear_offset: where in its page the linear area starts
 * @place: filled in
 *
 * Each byte is copied once, no copy crosses a page on either side, and none
 * is empty.
 *
 * Return: false when the packet cannot be laid out. This cannot happen for
 * pvn_linear_len(pkt, linear_max) with linear_max up to a page; callers treat
 * it as a packet to drop.
 */
bool pvn_place(const struct pvn_tx_pkt *pkt, u32 linear, u32 linear_offset,
	       struct pvn_place *place)
{
	return place_all(pkt, linear, linear_offset, false, place) ||
	       place_all(pkt, linear, linear_offset, true, place);
}
EXPORT_SYMBOL_GPL(pvn_place);
