// SPDX-License-Identifier: GPL-2.0
/* Chains of slots and responses, to packets. */
#include <linux/export.h>
#include <linux/string.h>

#include <pvnet/core.h>

static enum pvn_verdict fail(const char **error, const char *what,
			     enum pvn_verdict verdict)
{
	*error = what;
	return verdict;
}

/* The worse of two: a later slot may turn a drop into a fatal error. */
static enum pvn_verdict worst(enum pvn_verdict a, enum pvn_verdict b)
{
	return a > b ? a : b;
}

/*
 * Walk the extra info slots that start at @snap[1]. Both rings put them
 * there; @stride is the size of a slot. Their number is bounded: each type
 * makes sense once.
 */
static enum pvn_verdict parse_extras(const void *snap, size_t stride, u32 n,
				     u32 *nr_extra, struct pvn_gso *gso,
				     const char **error)
{
	enum pvn_verdict v = PVN_OK, one;
	const struct pvn_extra *extra;

	do {
		if (++*nr_extra >= n)
			return fail(error, "extra info slot missing", PVN_FATAL);
		if (*nr_extra >= PVN_EXTRA_TYPES)
			return fail(error, "too many extra info slots", PVN_FATAL);

		extra = snap + *nr_extra * stride;
		one = pvn_extra_parse(extra, gso);
		if (one == PVN_FATAL)
			return fail(error, "invalid extra info", PVN_FATAL);
		if (one == PVN_DROP)
			*error = "extra info of a feature that was not offered";
		v = worst(v, one);
	} while (extra->flags & PVN_EXTRAF_MORE);

	return v;
}

/* Take the size of a later piece out of the first, which holds the total. */
static enum pvn_verdict parse_tx_piece(const struct pvn_tx_req *req, u32 *first,
				       const char **error)
{
	if (req->offset + req->size > PVN_GRANT_SIZE)
		return fail(error, "slot crosses a page", PVN_FATAL);
	if (req->size > *first)
		return fail(error, "slots are larger than the packet", PVN_DROP);
	*first -= req->size;
	return PVN_OK;
}

static void keep_piece(struct pvn_tx_pkt *pkt, u32 i,
		       const struct pvn_tx_req *req, u32 size)
{
	if (i < PVN_SLOTS_MIN)
		pkt->piece[i] = (struct pvn_piece) {
			.gref = req->gref,
			.offset = req->offset,
			.size = size,
		};
}

/**
 * pvn_tx_parse() - understand the next packet from the guest
 * @snap: private copy of the slots, the packet's first at @snap[0]
 * @n: slots in @snap, at least 1
 * @fatal_slots: a chain of this many pieces or more is an attack, not a
 *	mistake; at most PVN_TX_CHAIN_MAX
 * @pkt: filled in
 *
 * The first slot's size is that of the whole packet (netif.h), so what it
 * really holds is known at the end of the chain. A frontend publishes whole
 * packets: a chain that ends in the middle is an error.
 *
 * Return: the verdict; unless it is PVN_FATAL, @pkt->nr_slots are to be
 * consumed and answered.
 */
enum pvn_verdict pvn_tx_parse(const union pvn_tx_slot *snap, u32 n,
			      u32 fatal_slots, struct pvn_tx_pkt *pkt)
{
	const struct pvn_tx_req *req = &snap[0].req;
	enum pvn_verdict v = PVN_OK;
	u32 first = req->size;

	memset(pkt, 0, offsetof(struct pvn_tx_pkt, piece));
	pkt->error = NULL;
	pkt->len = req->size;
	pkt->csum = pvn_tx_csum(req->flags);

	if (req->flags & PVN_TXF_EXTRA_INFO)
		v = parse_extras(snap, sizeof(*snap), n, &pkt->nr_extra,
				 &pkt->gso, &pkt->error);
	if (v == PVN_FATAL)
		return v;

	pkt->nr_pieces = 1;
	while (req->flags & PVN_TXF_MORE_DATA) {
		u32 pos = pvn_chain_pos(pkt->nr_extra, pkt->nr_pieces);

		if (pos >= n)
			return fail(&pkt->error, "packet is incomplete", PVN_FATAL);
		if (pkt->nr_pieces + 1 >= fatal_slots)
			return fail(&pkt->error, "far too many slots", PVN_FATAL);

		req = &snap[pos].req;
		v = worst(v, parse_tx_piece(req, &first, &pkt->error));
		if (v == PVN_FATAL)
			return v;
		keep_piece(pkt, pkt->nr_pieces++, req, req->size);
	}
	pkt->nr_slots = pkt->nr_extra + pkt->nr_pieces;

	req = &snap[0].req;
	keep_piece(pkt, 0, req, first);
	if (v != PVN_OK)
		return v;
	if (req->offset + first > PVN_GRANT_SIZE)
		return fail(&pkt->error, "slot crosses a page", PVN_FATAL);
	if (pkt->nr_pieces > PVN_SLOTS_MIN)
		return fail(&pkt->error, "too many slots", PVN_DROP);
	if (pkt->len < PVN_ETH_HLEN)
		return fail(&pkt->error, "packet is too short", PVN_DROP);
	return PVN_OK;
}
EXPORT_SYMBOL_GPL(pvn_tx_parse);

/* A negative status is the backend's way to say that it lost this packet. */
static enum pvn_verdict parse_rx_piece(const struct pvn_rx_rsp *rsp,
				       struct pvn_rx_pkt *pkt)
{
	if (rsp->status < 0)
		return fail(&pkt->error, "backend reports an error", PVN_DROP);
	if (rsp->offset + rsp->status > PVN_GRANT_SIZE)
		return fail(&pkt->error, "data outside of the page", PVN_DROP);
	pkt->len += rsp->status;
	return PVN_OK;
}

/**
 * pvn_rx_parse() - understand the next packet to the guest
 * @snap: private copy of the responses, the packet's first at @snap[0]
 * @n: responses in @snap, at least 1 and at most the ring
 * @pkt: filled in
 *
 * Return: the verdict; unless it is PVN_FATAL, @pkt->nr_slots are to be
 * consumed and their pages to be taken back.
 */
enum pvn_verdict pvn_rx_parse(const union pvn_rx_slot *snap, u32 n,
			      struct pvn_rx_pkt *pkt)
{
	const struct pvn_rx_rsp *rsp = &snap[0].rsp;
	enum pvn_verdict v;

	memset(pkt, 0, sizeof(*pkt));
	pkt->csum = pvn_rx_csum(rsp->flags);
	v = parse_rx_piece(rsp, pkt);

	if (rsp->flags & PVN_RXF_EXTRA_INFO)
		v = worst(v, parse_extras(snap, sizeof(*snap), n, &pkt->nr_extra,
					  &pkt->gso, &pkt->error));
	if (v == PVN_FATAL)
		return v;

	pkt->nr_pieces = 1;
	while (rsp->flags & PVN_RXF_MORE_DATA) {
		u32 pos = pvn_chain_pos(pkt->nr_extra, pkt->nr_pieces);

		if (pos >= n)
			return fail(&pkt->error, "packet is incomplete", PVN_FATAL);
		rsp = &snap[pos].rsp;
		v = worst(v, parse_rx_piece(rsp, pkt));
		pkt->nr_pieces++;
	}
	pkt->nr_slots = pkt->nr_extra + pkt->nr_pieces;

	if (v != PVN_OK)
		return v;
	if (pkt->nr_pieces > PVN_SLOTS_MIN)
		return fail(&pkt->error, "too many slots", PVN_DROP);
	if (pkt->len < PVN_ETH_HLEN)
		return fail(&pkt->error, "packet is too short", PVN_DROP);
	return PVN_OK;
}
EXPORT_SYMBOL_GPL(pvn_rx_parse);
