/* SPDX-License-Identifier: GPL-2.0 */
/*
 * pvnet-core: what both ends share. Pure functions on private copies: no
 * kernel state, no shared memory, no allocation. The same source is built into
 * pvnet-core.ko, the userspace unit tests and the fuzzers.
 */
#ifndef _PVNET_CORE_H
#define _PVNET_CORE_H

#include <linux/compiler.h>
#include <linux/types.h>

#include <pvnet/abi.h>

/**
 * enum pvn_verdict - what to do with a packet that the peer described
 * @PVN_OK: take it
 * @PVN_DROP: answer its slots with an error and go on
 * @PVN_FATAL: the peer breaks the protocol; nothing more can be believed
 */
enum pvn_verdict {
	PVN_OK,
	PVN_DROP,
	PVN_FATAL,
};

/* ------------------------------------------------------------------ slots */

/**
 * pvn_slots() - 4 KiB grants touched by a range
 * @offset: of the first byte, from any page start
 * @len: bytes
 *
 * Return: number of slots that the range takes on a ring.
 */
static inline u32 pvn_slots(u32 offset, u32 len)
{
	if (!len)
		return 0;
	offset &= PVN_GRANT_SIZE - 1;
	return (offset + len + PVN_GRANT_SIZE - 1) >> PVN_GRANT_SHIFT;
}

/**
 * pvn_chain_pos() - where in a packet's slots its i-th piece of data is
 * @nr_extra: number of extra info slots
 * @i: 0 for the first piece
 *
 * On both rings a packet is: first piece, extra info slots, other pieces.
 */
static inline u32 pvn_chain_pos(u32 nr_extra, u32 i)
{
	return i ? nr_extra + i : 0;
}

/* --------------------------------------------------------------- checksum */

/**
 * enum pvn_csum - the three states of a packet's transport checksum
 * @PVN_CSUM_UNKNOWN: filled in, nobody has looked whether it is right
 * @PVN_CSUM_BLANK: only the pseudo header is summed; it must be finished, or
 *	passed on with this mark
 * @PVN_CSUM_GOOD: filled in and known to be right
 */
enum pvn_csum {
	PVN_CSUM_UNKNOWN,
	PVN_CSUM_BLANK,
	PVN_CSUM_GOOD,
};

u16 pvn_tx_csum_flags(enum pvn_csum csum);
u16 pvn_rx_csum_flags(enum pvn_csum csum);
enum pvn_csum pvn_tx_csum(u16 flags);
enum pvn_csum pvn_rx_csum(u16 flags);

/* ------------------------------------------------------------- extra info */

/**
 * struct pvn_gso - segmentation that the receiver has to do
 * @size: payload bytes per segment, 0 = not a GSO packet
 * @type: PVN_GSO_*
 */
struct pvn_gso {
	u16 size;
	u8 type;
};

void pvn_extra_gso(struct pvn_extra *extra, struct pvn_gso gso);
enum pvn_verdict __must_check pvn_extra_parse(const struct pvn_extra *extra,
					      struct pvn_gso *gso);

/* ---------------------------------------------- packets from the guest */

/* The largest chain that fatal_skb_slots may allow us to walk. */
#define PVN_TX_CHAIN_MAX	64u

/**
 * struct pvn_piece - consecutive bytes of a packet in one granted page
 * @gref: grant
 * @offset: first byte
 * @size: bytes, may be 0; @offset + @size <= 4096
 */
struct pvn_piece {
	u32 gref;
	u16 offset;
	u16 size;
};

/**
 * struct pvn_tx_pkt - a packet from the guest, as its slots describe it
 * @nr_slots: ring slots, extra info included; valid unless PVN_FATAL
 * @nr_extra: extra info slots among them
 * @nr_pieces: pieces of data; only these have an id to answer
 * @len: bytes of the packet
 * @csum: its checksum
 * @gso: its segmentation
 * @piece: the pieces; only valid with PVN_OK
 * @error: with PVN_DROP and PVN_FATAL: which check failed, for the log
 */
struct pvn_tx_pkt {
	u32 nr_slots;
	u32 nr_extra;
	u32 nr_pieces;
	u32 len;
	enum pvn_csum csum;
	struct pvn_gso gso;
	struct pvn_piece piece[PVN_SLOTS_MIN];
	const char *error;
};

enum pvn_verdict __must_check pvn_tx_parse(const union pvn_tx_slot *snap,
					   u32 n, u32 fatal_slots,
					   struct pvn_tx_pkt *pkt);

/* The header area of a packet that does not fit in a linear buffer: no
 * protocol header that a driver or netfilter needs may be left in a fragment.
 */
#define PVN_PULL_LEN		128u
#define PVN_PLACE_FRAGS		17u
#define PVN_PLACE_SEGS		(2 * PVN_SLOTS_MIN + 4)
#define PVN_SEG_LINEAR		0xFF

/**
 * struct pvn_seg - one copy: from one piece to one page
 * @piece: index of the source piece
 * @src: offset in the source page
 * @len: bytes, not 0
 * @frag: index of the destination page, or PVN_SEG_LINEAR
 * @dst: offset in the destination page, or from the start of the linear area
 */
struct pvn_seg {
	u8 piece;
	u8 frag;
	u16 src;
	u16 len;
	u16 dst;
};

/**
 * struct pvn_place - where the bytes of a packet go
 * @nr_segs: copies
 * @nr_frags: destination pages
 * @frag_len: bytes in each page, from its start
 * @seg: the copies, in packet order
 */
struct pvn_place {
	u32 nr_segs;
	u32 nr_frags;
	u16 frag_len[PVN_PLACE_FRAGS];
	struct pvn_seg seg[PVN_PLACE_SEGS];
};

u32 pvn_linear_len(const struct pvn_tx_pkt *pkt, u32 linear_max);
bool __must_check pvn_place(const struct pvn_tx_pkt *pkt, u32 linear,
			    u32 linear_offset, struct pvn_place *place);

/* ------------------------------------------------ packets to the guest */

/**
 * struct pvn_rx_pkt - a packet to the guest, as its responses describe it
 * @nr_slots: ring slots, extra info included; valid unless PVN_FATAL
 * @nr_extra: extra info slots among them
 * @nr_pieces: pieces of data
 * @len: bytes of the packet
 * @csum: its checksum
 * @gso: its segmentation
 * @error: with PVN_DROP and PVN_FATAL: which check failed, for the log
 */
struct pvn_rx_pkt {
	u32 nr_slots;
	u32 nr_extra;
	u32 nr_pieces;
	u32 len;
	enum pvn_csum csum;
	struct pvn_gso gso;
	const char *error;
};

enum pvn_verdict __must_check pvn_rx_parse(const union pvn_rx_slot *snap,
					   u32 n, struct pvn_rx_pkt *pkt);

/* ----------------------------------------------------------- control ring */

u32 pvn_ctrl_check(const struct pvn_ctrl_req *req, u32 nr_queues);
bool __must_check pvn_gref_list_ok(const struct pvn_gref *list, u32 nr);

/* --------------------------------------------------------------- features */

enum pvn_side {
	PVN_FRONT,
	PVN_BACK,
};

/* What an end can take, as its peer sees it. */
#define PVN_F_SG		(1u << 0)	/* packets of more than one slot */
#define PVN_F_GSO_TCPV4		(1u << 1)
#define PVN_F_GSO_TCPV6		(1u << 2)
#define PVN_F_CSUM_IPV4		(1u << 3)	/* blank checksums; default on */
#define PVN_F_CSUM_IPV6		(1u << 4)
#define PVN_F_RX_COPY		(1u << 5)	/* the only kind of receive there is */
#define PVN_F_RX_NOTIFY		(1u << 6)	/* events when rx requests are posted */
#define PVN_F_SPLIT_EVENTS	(1u << 7)	/* one event channel a direction */
#define PVN_F_CTRL_RING		(1u << 8)	/* a control ring may be set up */

/**
 * struct pvn_feature - a key in xenstore
 * @key: name
 * @bit: PVN_F_*
 * @writer: the end that says so
 * @inverted: 1 in the store means that the feature is missing
 */
struct pvn_feature {
	const char *key;
	u32 bit;
	enum pvn_side writer;
	bool inverted;
};

typedef unsigned int (*pvn_key_get_t)(void *ctx, const char *key);
typedef int (*pvn_key_put_t)(void *ctx, const char *key, unsigned int value);

u32 pvn_features_read(enum pvn_side writer, pvn_key_get_t get, void *ctx);
int __must_check pvn_features_write(enum pvn_side writer, u32 features,
				    pvn_key_put_t put, void *ctx);
u32 pvn_features_usable(u32 features);

/* ----------------------------------------------------------------- states */

/**
 * enum pvn_action - what an end does when its peer's state has changed
 * @PVN_ACT_NONE: nothing
 * @PVN_ACT_CONNECT: set up the rings and say Connected
 * @PVN_ACT_LIVE: the peer is ready: carrier on, announce
 * @PVN_ACT_PREPARE: be ready for a new frontend: close if need be, then InitWait
 * @PVN_ACT_CLOSE: disconnect; the frontend then says Closed, the backend what
 *	the frontend says: Closing or Closed
 * @PVN_ACT_REMOVE: disconnect, say Closed, and the device goes away
 */
enum pvn_action {
	PVN_ACT_NONE,
	PVN_ACT_CONNECT,
	PVN_ACT_LIVE,
	PVN_ACT_PREPARE,
	PVN_ACT_CLOSE,
	PVN_ACT_REMOVE,
};

/* Values of enum xenbus_state, fixed by Xen's public io/xenbus.h. */
enum pvn_state {
	PVN_ST_UNKNOWN,
	PVN_ST_INITIALISING,
	PVN_ST_INIT_WAIT,
	PVN_ST_INITIALISED,
	PVN_ST_CONNECTED,
	PVN_ST_CLOSING,
	PVN_ST_CLOSED,
	PVN_ST_RECONFIGURING,
	PVN_ST_RECONFIGURED,
	PVN_ST_COUNT,
};

enum pvn_action pvn_front_action(unsigned int own, unsigned int backend);
enum pvn_action pvn_back_action(unsigned int own, unsigned int frontend,
				bool online);

#endif
