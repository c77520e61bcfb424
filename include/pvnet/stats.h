/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The counters of both ends, named once. Each list is one group of counters
 * that one context writes; it makes a struct of u64 and the names that
 * `ethtool -S` prints, per queue and in this order.
 */
#ifndef _PVNET_STATS_H
#define _PVNET_STATS_H

#include <linux/types.h>

/* Frontend, written by ndo_start_xmit under the queue's lock. */
#define PVN_FRONT_TX_STATS(x)						\
	x(tx_packets)		/* given to the ring */			\
	x(tx_bytes)							\
	x(tx_slots)		/* extra info included */		\
	x(tx_dropped)		/* too large, or no memory to bounce */	\
	x(tx_linearized)	/* shape not fit for the ring: copied */ \
	x(tx_bounced)		/* backend not trusted: copied */	\
	x(tx_staged)		/* copied to pages that are granted for good */ \
	x(tx_queue_stops)

/* Frontend, written by NAPI. */
#define PVN_FRONT_RX_STATS(x)						\
	x(rx_packets)							\
	x(rx_bytes)							\
	x(rx_slots)							\
	x(rx_copied)		/* packets copied to a right-sized buffer */ \
	x(rx_pages)		/* pages handed to the stack */		\
	x(rx_copied_out)	/* large packets copied: pages may not go to the stack */ \
	x(rx_dropped)		/* no memory for the skb */		\
	x(rx_errors)		/* damaged or refused by the backend */	\
	x(rx_alloc_failed)	/* no page to post */			\
	x(rx_mischarged)	/* by the truesize audit */		\
	x(tx_completed)							\
	x(tx_errors)		/* slots that the backend answered with an error */

/* Frontend, written by the scheme's work: what is, not what was. */
#define PVN_FRONT_SCHEME_STATS(x)					\
	x(persistent_tx)	/* packets go through pages that are granted for good */ \
	x(persistent_rx)	/* such pages are posted */		\
	x(persistent_pages)	/* how many there are */		\
	x(persistent_out)	/* receive pages that the stack holds */

/* Backend, written by the control ring's work: what is, not what was. */
#define PVN_BACK_MAP_STATS(x)						\
	x(mapped_pages)		/* of the guest, that stay mapped */

/* Backend, written by the from-guest NAPI. */
#define PVN_BACK_FROM_STATS(x)						\
	x(from_guest_packets)						\
	x(from_guest_bytes)						\
	x(from_guest_slots)						\
	x(from_guest_dropped)	/* no memory, or offloads that make no sense */ \
	x(from_guest_errors)	/* refused: malformed, or the copy failed */ \
	x(from_guest_copy_ops)						\
	x(from_guest_copy_calls)					\
	x(from_guest_copy_bytes)					\
	x(from_guest_mapped_copies) /* from pages that stay mapped */	\
	x(from_guest_mischarged) /* by the truesize audit */

/* Backend, written under the netdev tx queue's lock. */
#define PVN_BACK_TO_STATS(x)						\
	x(to_guest_packets)						\
	x(to_guest_bytes)						\
	x(to_guest_slots)						\
	x(to_guest_dropped)	/* too large, guest not reading, or shut down */ \
	x(to_guest_errors)	/* the copy failed */			\
	x(to_guest_copy_ops)						\
	x(to_guest_copy_calls)						\
	x(to_guest_copy_bytes)						\
	x(to_guest_mapped_copies) /* to pages that stay mapped */	\
	x(to_guest_queue_stops)						\
	x(to_guest_drains)	/* guest did not read for the drain time */ \
	x(to_guest_stalls)	/* ... nor for the stall time: carrier off */

/* Both ends, per event channel direction. */
#define PVN_CHAN_STATS(x)						\
	x(raised)		/* events sent */			\
	x(held)			/* publications without an event */	\
	x(flushed)		/* events sent since no more would follow */ \
	x(events)		/* events received */			\
	x(spurious)		/* of these, without any work */

/* Both ends, per consumer that lets slots gather; written by its NAPI. */
#define PVN_WAKE_STATS(x)						\
	x(consumed)		/* slots */				\
	x(wakes)		/* times that it was asleep and is no more */ \
	x(wake_slots)		/* slots that were there then */	\
	x(wake_empty)		/* wakes that found none */		\
	x(filled)		/* as many as asked for, K > 1 */	\
	x(expired)		/* the time was over first, with slots */ \
	x(idle)			/* ... without any: the last of a stream */ \
	x(timers)		/* timer interrupts */			\
	x(k)			/* slots that are asked for now */	\
	x(hold_usecs)		/* for how long, when K > 1 */		\
	x(hold_usecs_max)	/* the longest that a slot can have waited for a wake-up */

#define PVN_STAT_FIELD(name)	u64 name;
#define PVN_STAT_NAME(name)	#name,

struct pvn_front_tx_stats { PVN_FRONT_TX_STATS(PVN_STAT_FIELD) };
struct pvn_front_rx_stats { PVN_FRONT_RX_STATS(PVN_STAT_FIELD) };
struct pvn_front_scheme_stats { PVN_FRONT_SCHEME_STATS(PVN_STAT_FIELD) };
struct pvn_back_map_stats { PVN_BACK_MAP_STATS(PVN_STAT_FIELD) };
struct pvn_back_from_stats { PVN_BACK_FROM_STATS(PVN_STAT_FIELD) };
struct pvn_back_to_stats { PVN_BACK_TO_STATS(PVN_STAT_FIELD) };
struct pvn_chan_stats { PVN_CHAN_STATS(PVN_STAT_FIELD) };
struct pvn_wake_stats { PVN_WAKE_STATS(PVN_STAT_FIELD) };

#define PVN_STAT_COUNT(type)	(sizeof(type) / sizeof(u64))

#endif
