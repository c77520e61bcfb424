/* SPDX-License-Identifier: GPL-2.0 */
/* What both ends do with skbs (kernel only). */
#ifndef _PVNET_SKB_H
#define _PVNET_SKB_H

#include <linux/etherdevice.h>
#include <linux/if_vlan.h>
#include <linux/netdev_features.h>
#include <linux/skbuff.h>

#include <pvnet/core.h>

/* A VLAN header must fit on top of the largest packet. */
#define PVN_MAX_MTU	(PVN_MAX_PACKET - VLAN_ETH_HLEN)

/**
 * pvn_max_mtu() - the largest MTU towards a peer
 * @features: PVN_F_* of the peer
 */
static inline unsigned int pvn_max_mtu(u32 features)
{
	return features & PVN_F_SG ? PVN_MAX_MTU : ETH_DATA_LEN;
}

netdev_features_t pvn_netdev_missing(u32 features);
struct sk_buff *pvn_skb_offloads(struct sk_buff *skb, enum pvn_csum csum,
				 struct pvn_gso gso);
enum pvn_csum pvn_skb_csum(const struct sk_buff *skb);
struct pvn_gso pvn_skb_gso(const struct sk_buff *skb);

unsigned int pvn_skb_mischarged(const struct sk_buff *skb);

#endif
