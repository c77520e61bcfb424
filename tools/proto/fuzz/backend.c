// SPDX-License-Identifier: GPL-2.0
/*
 * The backend against a hostile frontend: any slot on either ring, any index, grants that
 * are good, of the wrong kind or none, while the host sends packets of its own.
 */
#include "queue.h"

static struct pvn_sring *ring(u32 i)
{
	return (struct pvn_sring *)w.page[i];
}

/* A grant that works (its page is one of the frontend's), or any number. */
static u32 any_grant(bool rx)
{
	u32 how = take(1), i = take(1);

	if (how & 1)
		return how << 24 | i;
	if (w.mode->persistent && how & 2)
		return rx && w.q->persist->nr_rx ? w.q->persist->rx[i].gref : w.q->persist->stage[i].gref;
	return rx ? w.q->rx_buf[i].gref : w.q->tx_buf[i].gref;
}

static void tx_slot(void)
{
	u32 at = take(1), shape = take(1), i;
	union pvn_tx_slot slot;

	take_words((u32 *)&slot, PVN_WORDS(slot));
	if (shape & 1)		/* likely to be accepted: small, a grant that works */
		slot.req = (struct pvn_tx_req) {
			.gref = any_grant(false), .offset = slot.req.offset & 0x7ff,
			.size = slot.req.size & (shape & 2 ? 0x7fff : 0x7ff), .flags = slot.req.flags & 15,
			.id = slot.req.id,
		};
	for (i = 0; i <= (shape >> 4); i++)
		pvn_tx_slot_write(&w.q->tx, at + i, &slot);
}

static void rx_slot(void)
{
	u32 at = take(1);
	union pvn_rx_slot slot;

	take_words((u32 *)&slot, PVN_WORDS(slot));
	if (slot.req.pad & 1)
		slot.req.gref = any_grant(true);
	pvn_rx_slot_write(&w.q->rx, at, &slot);
}

static void move(u32 *shared)
{
	u32 by = take(1);

	*shared = by == 255 ? take(4) : *shared + by % 64;
}

static void host_sends(void)
{
	static u8 bytes[65536];

	if (!w.host.txq.stopped)
		pvn_to_xmit(make_skb(14 + take(2) % (PVN_MAX_PACKET - 13), bytes), &w.host);
}

static void step(void)
{
	switch (take(1) % 10) {
	case 0: case 1: case 2:
		tx_slot();
		break;
	case 3:
		move(&ring(0)->req_prod);
		break;
	case 4:
		rx_slot();
		break;
	case 5:
		move(&ring(1)->req_prod);
		break;
	case 6:		/* the backend's own indices are not safe from the frontend either */
		move((u32 *)w.page[take(1) % 2] + 1 + take(1) % 3);
		break;
	case 7:
		pvn_from_poll(&w.vq->from_napi, 1 + take(1) % 64);
		break;
	case 8:
		host_sends();
		break;
	case 9:
		w.vq->hold.queued = false;
		pvn_to_poll(&w.vq->to_napi, 64);
		break;
	}
}

/* Each slot has one answer at most, and nothing of the guest's reaches the stack. */
static void check(void)
{
	CHECK(w.vq->tx.cons - w.vq->tx.prod == 0);
	CHECK(w.vq->rx.cons - w.vq->rx.prod <= PVN_RX_RING_SLOTS);
	CHECK(w.vq->nr_to_ops <= PVN_TO_OPS);
	drop_received(false);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	queue_begin(data, size);
	while (left) {
		step();
		check();
	}
	pair_end();
	return 0;
}
