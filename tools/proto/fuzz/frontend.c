// SPDX-License-Identifier: GPL-2.0
/*
 * The frontend against a hostile backend: any answer on either ring, any index, grants
 * that it does not let go, while the guest sends packets of its own.
 */
#include "queue.h"

static struct pvn_sring *ring(u32 i)
{
	return (struct pvn_sring *)w.page[i];
}

static void rx_answer(void)
{
	u32 at = take(1), shape = take(1), i;
	union pvn_rx_slot slot;

	take_words((u32 *)&slot, PVN_WORDS(slot));
	if (shape & 1) {	/* likely to be accepted */
		slot.rsp.offset &= 0x7ff;
		slot.rsp.status &= 0x7ff;
		slot.rsp.flags &= shape & 2 ? 15 : 7;
	}
	for (i = 0; i <= (shape >> 4); i++)
		pvn_rx_slot_write(&w.vq->rx, at + i, &slot);
}

static void tx_answer(void)
{
	union pvn_tx_slot slot = {};
	u32 at = take(1);

	slot.rsp.id = take(1);
	slot.rsp.status = take(1) % 4 - 2;
	if (slot.rsp.status == -2)
		take_words((u32 *)&slot, PVN_WORDS(slot));
	pvn_tx_slot_write(&w.vq->tx, at, &slot);
}

/* What an honest backend would answer next. */
static void tx_answer_well(void)
{
	union pvn_tx_slot slot;
	u16 id;

	pvn_tx_slot_read(&w.vq->tx, ring(0)->rsp_prod, &slot);
	id = slot.req.id;
	slot = (union pvn_tx_slot) { .rsp = { .id = id } };
	pvn_tx_slot_write(&w.vq->tx, ring(0)->rsp_prod++, &slot);
}

static void move(u32 *shared)
{
	u32 by = take(1);

	*shared = by == 255 ? take(4) : *shared + by % 32;
}

static void guest_sends(void)
{
	static u8 bytes[65536];

	if (!w.guest.txq.stopped)
		pvn_front_xmit(make_skb(14 + take(2) % (PVN_MAX_PACKET - 13), bytes), &w.guest);
}

/* As its NAPI does: not any more once it is broken. */
static void poll(void)
{
	if (!w.front->broken && pvn_tx_reap(w.q, 64))
		pvn_rx_poll(w.q, 64);
}

static void step(void)
{
	switch (take(1) % 10) {
	case 0: case 1:
		rx_answer();
		break;
	case 2:
		move(&ring(1)->rsp_prod);
		break;
	case 3:
		tx_answer();
		break;
	case 4:
		tx_answer_well();
		break;
	case 5:
		move(&ring(0)->rsp_prod);
		break;
	case 6:
		move((u32 *)w.page[take(1) % 2] + take(1) % 4);
		break;
	case 7: case 8:
		guest_sends();
		break;
	case 9:
		poll();
		break;
	}
}

/* No id is free twice; what the backend can write is handed over only by agreement. */
static void check(void)
{
	CHECK(w.q->id_tail - w.q->id_head <= PVN_TX_RING_SLOTS);
	CHECK(w.q->rx.prod - w.q->rx.cons <= PVN_RX_RING_SLOTS);
	CHECK(!w.q->persist || w.q->persist->nr_out <= PVN_RX_SPARE);
	drop_received(w.mode->handover);
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
