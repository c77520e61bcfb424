/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The Xen network wire format: what both ends read and write in shared memory.
 *
 * Facts from Xen's public headers io/netif.h and io/ring.h. pvnet has its own
 * definitions because Linux's copy lacks the control messages 8 to 10, and
 * because this file must also build in userspace. A unit test compares every
 * size and offset with Xen's own header.
 */
#ifndef _PVNET_ABI_H
#define _PVNET_ABI_H

#include <linux/build_bug.h>
#include <linux/stddef.h>
#include <linux/types.h>

/* A grant covers 4 KiB, whatever the page size of the kernel. */
#define PVN_GRANT_SHIFT		12
#define PVN_GRANT_SIZE		(1u << PVN_GRANT_SHIFT)

#define PVN_TX_RING_SLOTS	256u	/* 12-byte slots on a 4 KiB page */
#define PVN_RX_RING_SLOTS	256u	/* 8-byte slots */
#define PVN_CTRL_RING_SLOTS	128u	/* 16-byte slots */

#define PVN_MAX_PACKET		0xFFFFu	/* the size field has 16 bits */
#define PVN_SLOTS_MIN		18u	/* what each backend accepts per packet */
#define PVN_ETH_HLEN		14u	/* no first slot may be shorter */

/**
 * struct pvn_sring - the head of a shared ring page, followed by the slots
 * @req_prod: requests published, by the frontend
 * @req_event: the backend wants an event when @req_prod passes this
 * @rsp_prod: responses published, by the backend
 * @rsp_event: the frontend wants an event when @rsp_prod passes this
 * @pad: reserved
 */
struct pvn_sring {
	u32 req_prod;
	u32 req_event;
	u32 rsp_prod;
	u32 rsp_event;
	u8 pad[48];
};

/**
 * struct pvn_tx_req - a piece of a packet from the guest
 * @gref: grant of the 4 KiB page that holds the bytes, readable
 * @offset: first byte in that page
 * @flags: PVN_TXF_*
 * @id: chosen by the frontend, echoed in the response
 * @size: first slot of a packet: bytes of the whole packet; else of this piece
 */
struct pvn_tx_req {
	u32 gref;
	u16 offset;
	u16 flags;
	u16 id;
	u16 size;
};

#define PVN_TXF_CSUM_BLANK	(1u << 0)	/* checksum to be filled in */
#define PVN_TXF_DATA_VALIDATED	(1u << 1)	/* checksum known to be good */
#define PVN_TXF_MORE_DATA	(1u << 2)	/* the packet goes on in the next slot */
#define PVN_TXF_EXTRA_INFO	(1u << 3)	/* extra info slots follow */

struct pvn_tx_rsp {
	u16 id;
	s16 status;		/* PVN_RSP_* */
};

/**
 * struct pvn_rx_req - an empty buffer of the guest
 * @id: chosen by the frontend, echoed in the response
 * @pad: zero
 * @gref: grant of a whole 4 KiB page, writable
 */
struct pvn_rx_req {
	u16 id;
	u16 pad;
	u32 gref;
};

/**
 * struct pvn_rx_rsp - a piece of a packet to the guest
 * @id: of the request in the same ring slot
 * @offset: first byte in the page
 * @flags: PVN_RXF_*; mind that the first two have swapped places against tx
 * @status: bytes in this page, or a negative PVN_RSP_*
 */
struct pvn_rx_rsp {
	u16 id;
	u16 offset;
	u16 flags;
	s16 status;
};

#define PVN_RXF_DATA_VALIDATED	(1u << 0)
#define PVN_RXF_CSUM_BLANK	(1u << 1)
#define PVN_RXF_MORE_DATA	(1u << 2)
#define PVN_RXF_EXTRA_INFO	(1u << 3)

#define PVN_RSP_DROPPED		(-2)
#define PVN_RSP_ERROR		(-1)
#define PVN_RSP_OKAY		0
#define PVN_RSP_NULL		1	/* answers an extra info slot; its id means nothing */

/**
 * struct pvn_extra - extra info, in the place of a slot
 * @type: PVN_EXTRA_*
 * @flags: PVN_EXTRAF_MORE when another one follows
 * @u: by @type
 */
struct pvn_extra {
	u8 type;
	u8 flags;
	union {
		struct {
			u16 size;	/* bytes of payload per segment (MSS) */
			u8 type;	/* PVN_GSO_* */
			u8 pad;
			u16 features;	/* zero */
		} gso;
		u8 mcast_addr[6];
		struct {
			u8 type;
			u8 algorithm;
			u8 value[4];
		} hash;
		u16 xdp_headroom;
		u16 pad[3];
	} u;
};

#define PVN_EXTRA_NONE		0
#define PVN_EXTRA_GSO		1
#define PVN_EXTRA_MCAST_ADD	2
#define PVN_EXTRA_MCAST_DEL	3
#define PVN_EXTRA_HASH		4
#define PVN_EXTRA_XDP		5	/* Linux only; not in Xen's header */
#define PVN_EXTRA_TYPES		6	/* one more than the last */
#define PVN_EXTRAF_MORE		(1u << 0)

#define PVN_GSO_NONE		0
#define PVN_GSO_TCPV4		1
#define PVN_GSO_TCPV6		2

struct pvn_ctrl_req {
	u16 id;
	u16 type;		/* PVN_CTRL_* */
	u32 data[3];
};

struct pvn_ctrl_rsp {
	u16 id;
	u16 type;
	u32 status;		/* PVN_CTRL_STATUS_* */
	u32 data;
};

#define PVN_CTRL_GET_GREF_MAPPING_SIZE	8
#define PVN_CTRL_ADD_GREF_MAPPING	9
#define PVN_CTRL_DEL_GREF_MAPPING	10

#define PVN_CTRL_STATUS_SUCCESS			0
#define PVN_CTRL_STATUS_NOT_SUPPORTED		1
#define PVN_CTRL_STATUS_INVALID_PARAMETER	2
#define PVN_CTRL_STATUS_BUFFER_OVERFLOW		3

/**
 * struct pvn_gref - an entry of the list page of messages 9 and 10
 * @ref: grant reference
 * @flags: PVN_GREF_READONLY or 0
 * @status: PVN_CTRL_STATUS_*, written by the backend for message 10
 */
struct pvn_gref {
	u32 ref;
	u16 flags;
	u16 status;
};

#define PVN_GREF_READONLY	(1u << 0)
#define PVN_GREF_LIST_MAX	(PVN_GRANT_SIZE / 8)	/* the list is one page */

/**
 * union pvn_tx_slot - a slot of the guest tx ring
 * @req: from the frontend
 * @extra: from the frontend, after a request with PVN_TXF_EXTRA_INFO
 * @rsp: from the backend; the rest of the slot is zeroed
 */
union pvn_tx_slot {
	struct pvn_tx_req req;
	struct pvn_extra extra;
	struct pvn_tx_rsp rsp;
};

/**
 * union pvn_rx_slot - a slot of the guest rx ring
 * @req: from the frontend
 * @rsp: from the backend
 * @extra: from the backend, after a response with PVN_RXF_EXTRA_INFO
 */
union pvn_rx_slot {
	struct pvn_rx_req req;
	struct pvn_rx_rsp rsp;
	struct pvn_extra extra;
};

/**
 * union pvn_ctrl_slot - a slot of the control ring
 * @req: from the frontend
 * @rsp: from the backend; the rest of the slot is zeroed
 */
union pvn_ctrl_slot {
	struct pvn_ctrl_req req;
	struct pvn_ctrl_rsp rsp;
};

static_assert(sizeof(struct pvn_sring) == 64);
static_assert(offsetof(struct pvn_sring, rsp_event) == 12);
static_assert(sizeof(struct pvn_tx_req) == 12);
static_assert(offsetof(struct pvn_tx_req, size) == 10);
static_assert(sizeof(struct pvn_tx_rsp) == 4);
static_assert(sizeof(struct pvn_rx_req) == 8);
static_assert(offsetof(struct pvn_rx_req, gref) == 4);
static_assert(sizeof(struct pvn_rx_rsp) == 8);
static_assert(offsetof(struct pvn_rx_rsp, status) == 6);
static_assert(sizeof(struct pvn_extra) == 8);
static_assert(offsetof(struct pvn_extra, u.gso.type) == 4);
static_assert(sizeof(struct pvn_ctrl_req) == 16);
static_assert(sizeof(struct pvn_ctrl_rsp) == 12);
static_assert(sizeof(struct pvn_gref) == 8);
static_assert(sizeof(union pvn_tx_slot) == 12);
static_assert(sizeof(union pvn_rx_slot) == 8);
static_assert(sizeof(union pvn_ctrl_slot) == 16);
static_assert(PVN_GREF_LIST_MAX * sizeof(struct pvn_gref) == PVN_GRANT_SIZE);

#endif
