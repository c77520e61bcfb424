/* SPDX-License-Identifier: GPL-2.0 */
/* What both ends do with skbs (kernel only). */
#ifndef _PVNET_SKB_H
#define _PVNET_SKB_H

#include <linux/etherdevice.h>
#include <linux/if_vlan.h>
#include <linux/skbuff.h>

#include <pvnet/core.h>

/* A VLAN header must fit on top of the largest packet. */
#define PVN_MAX_MTU	(PVN_MAX_PACKET - VLAN_ETH_HLEN)

struct sk_buff *pvn_skb_offloads(struct sk_buff *skb, enum pvn_csum csum,
				 struct pvn_gso gso);
enum pvn_csum pvn_skb_csum(const struct sk_buff *skb);
struct pvn_gso pvn_skb_gso(const struct sk_buff *skb);

#endif
