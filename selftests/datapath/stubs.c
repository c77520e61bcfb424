// SPDX-License-Identifier: GPL-2.0
/* What the datapath's files call in files that are not built here. */
#include "front.h"
#include "back.h"

#include <pvnet/skb.h>

unsigned int pvn_front_max_persistent = 65536;
unsigned int pvn_fatal_slots = 20;
unsigned int pvn_drain_msecs = 10000;
unsigned int pvn_stall_msecs = 60000;
unsigned int pvn_hold_usecs = 50;

void pvn_front_broken(struct pvn_front *front, const char *why)
{
	front->broken = true;
}

void pvn_vif_broken(struct pvn_vif *vif, const char *why)
{
	vif->broken = true;
}

unsigned int pvn_skb_mischarged(const struct sk_buff *skb)
{
	return 0;
}

struct sk_buff *pvn_skb_offloads(struct sk_buff *skb, enum pvn_csum csum, struct pvn_gso gso)
{
	skb_shinfo(skb)->gso_size = gso.size;
	skb_shinfo(skb)->gso_type = gso.type;
	return skb;
}

enum pvn_csum pvn_skb_csum(const struct sk_buff *skb)
{
	return PVN_CSUM_UNKNOWN;
}

struct pvn_gso pvn_skb_gso(const struct sk_buff *skb)
{
	return (struct pvn_gso) {
		.size = skb_shinfo(skb)->gso_size, .type = skb_shinfo(skb)->gso_type,
	};
}

/* Nobody sleeps here, so nobody is woken. */
void pvn_publish(struct pvn_ring *ring, struct pvn_chan *chan)
{
	if (pvn_ring_publish(ring))
		chan->stats.raised++;
}

void pvn_flush(struct pvn_ring *ring, struct pvn_chan *chan)
{
}

u32 pvn_arm(struct pvn_ring *ring, u32 k)
{
	return pvn_ring_arm(ring, k);
}

void pvn_chan_worked(struct pvn_chan *chan)
{
}

void pvn_chan_done(struct pvn_chan *chan, int user)
{
}

void pvn_wake_begin(struct pvn_wake *w)
{
}

void pvn_wake_served(struct pvn_wake *w, u32 slots)
{
}

bool pvn_wake_arm(struct pvn_wake *w, u32 most, u64 packets, u64 bytes)
{
	return true;
}
