/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The only accessors of shared ring memory.
 *
 * A ring is seen from one end: "out" is what this end produces (requests in
 * the frontend, responses in the backend), "in" is what it consumes. So the
 * same code serves all four combinations of ring and end.
 *
 * Whatever the peer can write is copied in, once, by pvn_ring_read() and
 * pvn_ring_pending(). Nothing else may look at it, and nothing that this end
 * has published is ever read back.
 *
 * Publishing and arming decide who is woken, so only notify/ calls
 * pvn_ring_publish() and pvn_ring_arm().
 */
#ifndef _PVNET_RING_H
#define _PVNET_RING_H

#include <linux/compiler.h>
#include <linux/string.h>
#include <linux/types.h>
#include <asm/barrier.h>

#include <pvnet/abi.h>

/* Memory that the peer writes at any time: never dereferenced outside this file. */
#ifdef __CHECKER__
#define __xshared	__attribute__((noderef, address_space(__xshared)))
#else
#define __xshared
#endif

/**
 * struct pvn_ring - one shared ring, seen from one end
 * @prod_out: shared; what this end has published
 * @prod_in: shared; what the peer has published
 * @event_out: shared; where the peer wants to be woken
 * @event_in: shared; where this end wants to be woken
 * @slots: shared; the slots
 * @nr: number of slots, a power of two
 * @words: size of a slot in 32-bit words
 * @prod: private; next index to produce at
 * @pub: private; @prod as last published
 * @cons: private; next index to consume at
 *
 * @prod and @pub belong to the producing context, @cons to the consuming one.
 */
struct pvn_ring {
	u32 __xshared *prod_out;
	u32 __xshared *prod_in;
	u32 __xshared *event_out;
	u32 __xshared *event_in;
	u32 __xshared *slots;
	u32 nr;
	u32 words;
	u32 prod;
	u32 pub;
	u32 cons;
};

#define pvn_shared_load(p)	READ_ONCE(*(const u32 __force *)(p))
#define pvn_shared_store(p, v)	WRITE_ONCE(*(u32 __force *)(p), v)

/**
 * pvn_sring_init() - prepare a zeroed page as a shared ring
 * @page: 4 KiB that no peer can see yet
 *
 * Both event indices start at 1: the first slot wakes the peer.
 */
static inline void pvn_sring_init(void *page)
{
	struct pvn_sring *s = page;

	s->req_event = 1;
	s->rsp_event = 1;
}

static inline void pvn_ring_attach(struct pvn_ring *r, void *page,
				   u32 nr, size_t slot_size)
{
	memset(r, 0, sizeof(*r));
	r->slots = (u32 __force __xshared *)(page + sizeof(struct pvn_sring));
	r->nr = nr;
	r->words = slot_size / sizeof(u32);
}

/**
 * pvn_ring_attach_front() - see a ring from the frontend
 * @r: the ring
 * @page: the shared page, after pvn_sring_init()
 * @nr: number of slots
 * @slot_size: bytes of a slot, a multiple of 4
 */
static inline void pvn_ring_attach_front(struct pvn_ring *r, void *page,
					 u32 nr, size_t slot_size)
{
	struct pvn_sring *s = page;

	pvn_ring_attach(r, page, nr, slot_size);
	r->prod_out = (u32 __force __xshared *)&s->req_prod;
	r->prod_in = (u32 __force __xshared *)&s->rsp_prod;
	r->event_out = (u32 __force __xshared *)&s->req_event;
	r->event_in = (u32 __force __xshared *)&s->rsp_event;
}

/**
 * pvn_ring_attach_back() - see a ring from the backend
 * @r: the ring
 * @page: the frontend's page, mapped here
 * @nr: number of slots
 * @slot_size: bytes of a slot, a multiple of 4
 *
 * A frontend may have queued requests before the backend attached, and one
 * that survived a restart of its backend goes on from where it was: so start
 * from the response index in the page, which only a backend writes. What the
 * frontend can make of that index is checked by pvn_ring_pending().
 */
static inline void pvn_ring_attach_back(struct pvn_ring *r, void *page,
					u32 nr, size_t slot_size)
{
	struct pvn_sring *s = page;

	pvn_ring_attach(r, page, nr, slot_size);
	r->prod_out = (u32 __force __xshared *)&s->rsp_prod;
	r->prod_in = (u32 __force __xshared *)&s->req_prod;
	r->event_out = (u32 __force __xshared *)&s->rsp_event;
	r->event_in = (u32 __force __xshared *)&s->req_event;
	r->prod = pvn_shared_load(r->prod_out);
	r->pub = r->prod;
	r->cons = r->prod;
}

/**
 * pvn_ring_pending() - how many slots the peer has published and we not consumed
 * @r: the ring
 *
 * The count is a hint from the peer: more than @r->nr is a protocol violation
 * that the caller must treat as such. Orders the reads of these slots after it.
 *
 * Return: number of slots, unchecked.
 */
static inline u32 pvn_ring_pending(const struct pvn_ring *r)
{
	u32 prod = pvn_shared_load(r->prod_in);

	virt_rmb();	/* A: pairs with the peer's publish */
	return prod - r->cons;
}

/**
 * pvn_ring_read() - copy a slot in
 * @r: the ring
 * @idx: index of the slot; any value
 * @dst: private memory
 * @words: how many 32-bit words, at most @r->words; constant at each caller
 */
static __always_inline void pvn_ring_read(const struct pvn_ring *r, u32 idx,
					  u32 *dst, u32 words)
{
	const u32 __xshared *src = r->slots + (idx & (r->nr - 1)) * r->words;
	u32 i;

	for (i = 0; i < words; i++)
		dst[i] = pvn_shared_load(src + i);
}

/**
 * pvn_ring_write() - write a slot
 * @r: the ring
 * @idx: index of the slot; any value
 * @src: private memory
 * @words: how many 32-bit words, at most @r->words; constant at each caller
 */
static __always_inline void pvn_ring_write(const struct pvn_ring *r, u32 idx,
					   const u32 *src, u32 words)
{
	u32 __xshared *dst = r->slots + (idx & (r->nr - 1)) * r->words;
	u32 i;

	for (i = 0; i < words; i++)
		pvn_shared_store(dst + i, src[i]);
}

/**
 * pvn_ring_publish() - let the peer see all that was produced
 * @r: the ring
 *
 * Return: true when the peer asked for an event somewhere in what is new.
 */
static inline bool __must_check pvn_ring_publish(struct pvn_ring *r)
{
	u32 old = r->pub, new = r->prod;

	if (new == old)
		return false;
	WRITE_ONCE(r->pub, new);	/* first: answers are checked against it */
	virt_wmb();	/* B: slots before the index; pairs with A in the peer */
	pvn_shared_store(r->prod_out, new);
	virt_mb();	/* C: index before the event; pairs with D in the peer */
	return new - pvn_shared_load(r->event_out) < new - old;
}

/**
 * pvn_ring_waits() - does the peer wait for more than the next slot?
 * @r: the ring
 *
 * A hint, like all that the peer writes.
 */
static inline bool pvn_ring_waits(const struct pvn_ring *r)
{
	u32 beyond = pvn_shared_load(r->event_out) - r->pub;

	return beyond >= 2 && beyond <= r->nr;
}

/**
 * pvn_ring_arm() - ask for an event when the @k-th unconsumed slot appears
 * @r: the ring
 * @k: 1 for the next slot
 *
 * Return: how many slots are pending already, as pvn_ring_pending(): when that
 * is @k or more, the event may never come.
 */
static inline u32 __must_check pvn_ring_arm(struct pvn_ring *r, u32 k)
{
	pvn_shared_store(r->event_in, r->cons + k);
	virt_mb();	/* D: event before the index; pairs with C in the peer */
	return pvn_ring_pending(r);
}

/*
 * Typed access. The slots of both rings are whole numbers of words, aligned.
 */
#define PVN_WORDS(type)	(sizeof(type) / sizeof(u32))

static inline void pvn_tx_ring_attach_front(struct pvn_ring *r, void *page)
{
	pvn_ring_attach_front(r, page, PVN_TX_RING_SLOTS, sizeof(union pvn_tx_slot));
}

static inline void pvn_rx_ring_attach_front(struct pvn_ring *r, void *page)
{
	pvn_ring_attach_front(r, page, PVN_RX_RING_SLOTS, sizeof(union pvn_rx_slot));
}

static inline void pvn_tx_ring_attach_back(struct pvn_ring *r, void *page)
{
	pvn_ring_attach_back(r, page, PVN_TX_RING_SLOTS, sizeof(union pvn_tx_slot));
}

static inline void pvn_rx_ring_attach_back(struct pvn_ring *r, void *page)
{
	pvn_ring_attach_back(r, page, PVN_RX_RING_SLOTS, sizeof(union pvn_rx_slot));
}

static inline void pvn_ctrl_ring_attach_front(struct pvn_ring *r, void *page)
{
	pvn_ring_attach_front(r, page, PVN_CTRL_RING_SLOTS, sizeof(union pvn_ctrl_slot));
}

static inline void pvn_ctrl_ring_attach_back(struct pvn_ring *r, void *page)
{
	pvn_ring_attach_back(r, page, PVN_CTRL_RING_SLOTS, sizeof(union pvn_ctrl_slot));
}

static inline void pvn_tx_slot_read(const struct pvn_ring *r, u32 idx,
				    union pvn_tx_slot *slot)
{
	pvn_ring_read(r, idx, (u32 *)slot, PVN_WORDS(*slot));
}

static inline void pvn_tx_slot_write(const struct pvn_ring *r, u32 idx,
				     const union pvn_tx_slot *slot)
{
	pvn_ring_write(r, idx, (const u32 *)slot, PVN_WORDS(*slot));
}

static inline void pvn_tx_rsp_read(const struct pvn_ring *r, u32 idx,
				   struct pvn_tx_rsp *rsp)
{
	pvn_ring_read(r, idx, (u32 *)rsp, PVN_WORDS(*rsp));
}

static inline void pvn_rx_slot_read(const struct pvn_ring *r, u32 idx,
				    union pvn_rx_slot *slot)
{
	pvn_ring_read(r, idx, (u32 *)slot, PVN_WORDS(*slot));
}

static inline void pvn_rx_slot_write(const struct pvn_ring *r, u32 idx,
				     const union pvn_rx_slot *slot)
{
	pvn_ring_write(r, idx, (const u32 *)slot, PVN_WORDS(*slot));
}

static inline void pvn_ctrl_slot_read(const struct pvn_ring *r, u32 idx,
				      union pvn_ctrl_slot *slot)
{
	pvn_ring_read(r, idx, (u32 *)slot, PVN_WORDS(*slot));
}

static inline void pvn_ctrl_slot_write(const struct pvn_ring *r, u32 idx,
				       const union pvn_ctrl_slot *slot)
{
	pvn_ring_write(r, idx, (const u32 *)slot, PVN_WORDS(*slot));
}

/**
 * pvn_ring_unused() - room for more produced slots
 * @r: the ring; requests, seen from the frontend
 *
 * Return: how many slots can be produced before the oldest one that still
 * waits for its answer would be overwritten.
 */
static inline u32 pvn_ring_unused(const struct pvn_ring *r)
{
	return r->nr - (r->prod - READ_ONCE(r->cons));
}

#endif
