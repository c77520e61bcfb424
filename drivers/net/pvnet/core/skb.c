// SPDX-License-Identifier: GPL-2.0
/* From the wire's checksum, GSO and feature words to those of skbs and netdevs, for both ends. */
#include <linux/export.h>
#include <linux/if_vlan.h>
#include <linux/skbuff.h>

#include <pvnet/skb.h>

static unsigned int gso_type(u8 type)
{
	return type == PVN_GSO_TCPV4 ? SKB_GSO_TCPV4 : SKB_GSO_TCPV6;
}

/*
 * The stack finds the transport header of a blank checksum through the
 * innermost protocol, so a VLAN tag has to leave the payload first.
 */
static struct sk_buff *untag(struct sk_buff *skb)
{
	return eth_type_vlan(skb->protocol) ? skb_vlan_untag(skb) : skb;
}

/**
 * pvn_skb_offloads() - set up checksum and GSO state of a received packet
 * @skb: after eth_type_trans(); taken over on error
 * @csum: what the peer says of the checksum
 * @gso: what the peer says of segmentation
 *
 * The peer's word is checked: a blank checksum must be that of TCP or UDP over
 * IP, and a GSO packet is marked as coming from a dubious source, so that the
 * stack verifies its headers. A GSO packet without a blank checksum has no
 * sane checksum at all, since it is not one packet; its segments' sums are
 * computed anew.
 *
 * Context: softirq or process.
 * Return: the skb (not always the same), or NULL when it was dropped.
 */
struct sk_buff *pvn_skb_offloads(struct sk_buff *skb, enum pvn_csum csum,
				 struct pvn_gso gso)
{
	bool fixup = gso.size && csum != PVN_CSUM_BLANK;

	if (csum == PVN_CSUM_GOOD)
		skb->ip_summed = CHECKSUM_UNNECESSARY;

	if (gso.size) {
		skb_shinfo(skb)->gso_size = gso.size;
		skb_shinfo(skb)->gso_type = gso_type(gso.type) | SKB_GSO_DODGY;
		skb_shinfo(skb)->gso_segs = 0;
	}
	if (csum != PVN_CSUM_BLANK && !gso.size)
		return skb;

	skb = untag(skb);
	if (!skb)
		return NULL;
	skb->ip_summed = CHECKSUM_PARTIAL;
	skb_reset_network_header(skb);
	if (skb_checksum_setup(skb, fixup)) {
		kfree_skb(skb);
		return NULL;
	}
	return skb;
}
EXPORT_SYMBOL_GPL(pvn_skb_offloads);

/**
 * pvn_skb_csum() - the checksum state of a packet that the stack sends
 * @skb: the packet
 */
enum pvn_csum pvn_skb_csum(const struct sk_buff *skb)
{
	if (skb->ip_summed == CHECKSUM_PARTIAL)
		return PVN_CSUM_BLANK;
	return skb->ip_summed == CHECKSUM_UNNECESSARY ? PVN_CSUM_GOOD :
							 PVN_CSUM_UNKNOWN;
}
EXPORT_SYMBOL_GPL(pvn_skb_csum);

/**
 * pvn_skb_gso() - the segmentation of a packet that the stack sends
 * @skb: the packet
 *
 * Only gso_size decides: a type without a size is no GSO packet.
 */
struct pvn_gso pvn_skb_gso(const struct sk_buff *skb)
{
	const struct skb_shared_info *si = skb_shinfo(skb);
	struct pvn_gso gso = { .size = si->gso_size };

	if (!gso.size)
		return gso;
	gso.type = si->gso_type & SKB_GSO_TCPV6 ? PVN_GSO_TCPV6 : PVN_GSO_TCPV4;
	return gso;
}
EXPORT_SYMBOL_GPL(pvn_skb_gso);

/**
 * pvn_netdev_missing() - what a netdev cannot offer towards this peer
 * @features: PVN_F_* of the peer, usable ones
 */
netdev_features_t pvn_netdev_missing(u32 features)
{
	netdev_features_t missing = 0;

	if (!(features & PVN_F_SG))
		missing |= NETIF_F_SG | NETIF_F_FRAGLIST;
	if (!(features & PVN_F_CSUM_IPV4))
		missing |= NETIF_F_IP_CSUM;
	if (!(features & PVN_F_CSUM_IPV6))
		missing |= NETIF_F_IPV6_CSUM;
	if (!(features & PVN_F_GSO_TCPV4))
		missing |= NETIF_F_TSO;
	if (!(features & PVN_F_GSO_TCPV6))
		missing |= NETIF_F_TSO6;
	return missing;
}
EXPORT_SYMBOL_GPL(pvn_netdev_missing);
