/* SPDX-License-Identifier: GPL-2.0 */
/* A queue of each end on the fake kernel, joined by their rings. */
#ifndef _SELFTESTS_PAIR_H
#define _SELFTESTS_PAIR_H

#include "front.h"
#include "back.h"
#include "world.h"

/**
 * struct mode - how the two agree
 * @name: for messages
 * @trusted: the frontend trusts the backend
 * @persistent: the frontend has granted pages for good, and uses them
 * @mapped: the backend has mapped them
 * @sg: packets may have several slots
 * @handover: granted pages may go to the stack
 */
struct mode {
	const char *name;
	bool trusted, persistent, mapped, sg, handover;
};

#define PAIR_MODES	6u
extern const struct mode pair_modes[PAIR_MODES];

struct pair {
	const struct mode *mode;
	struct pvn_front *front;
	struct pvn_queue *q, *queue[1];
	struct pvn_vif *vif;
	struct pvn_vq *vq, *vqueue[1];
	struct net_device guest, host;
	struct xenbus_device xdev;
	struct page_pool rx_pool, from_pool;
	struct pvn_mapped mapped[4096];
	u8 page[2][PAGE_SIZE] __attribute__((aligned(4096)));
	unsigned long live_before;
	unsigned int grants_before;
};

extern struct pair w;

void pair_begin(const struct mode *m);
void pair_end(void);
struct sk_buff *make_skb(u32 len, const u8 *bytes);

#endif
