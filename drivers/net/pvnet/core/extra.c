// SPDX-License-Identifier: GPL-2.0
/* Extra info slots and checksum flags: building and parsing. */
#include <linux/export.h>
#include <linux/string.h>

#include <pvnet/core.h>

/**
 * pvn_tx_csum_flags() - PVN_TXF_* for a checksum state
 * @csum: state of the packet that the guest sends
 *
 * A blank checksum is also "validated": it cannot be damaged on a wire that
 * does not exist (netif.h, both rings).
 */
u16 pvn_tx_csum_flags(enum pvn_csum csum)
{
	switch (csum) {
	case PVN_CSUM_BLANK:
		return PVN_TXF_CSUM_BLANK | PVN_TXF_DATA_VALIDATED;
	case PVN_CSUM_GOOD:
		return PVN_TXF_DATA_VALIDATED;
	default:
		return 0;
	}
}
EXPORT_SYMBOL_GPL(pvn_tx_csum_flags);

/**
 * pvn_rx_csum_flags() - PVN_RXF_* for a checksum state
 * @csum: state of the packet that goes to the guest
 */
u16 pvn_rx_csum_flags(enum pvn_csum csum)
{
	switch (csum) {
	case PVN_CSUM_BLANK:
		return PVN_RXF_CSUM_BLANK | PVN_RXF_DATA_VALIDATED;
	case PVN_CSUM_GOOD:
		return PVN_RXF_DATA_VALIDATED;
	default:
		return 0;
	}
}
EXPORT_SYMBOL_GPL(pvn_rx_csum_flags);

static enum pvn_csum csum_state(bool blank, bool validated)
{
	if (blank)
		return PVN_CSUM_BLANK;
	return validated ? PVN_CSUM_GOOD : PVN_CSUM_UNKNOWN;
}

/**
 * pvn_tx_csum() - checksum state of a packet from the guest
 * @flags: of its first slot
 */
enum pvn_csum pvn_tx_csum(u16 flags)
{
	return csum_state(flags & PVN_TXF_CSUM_BLANK,
			  flags & PVN_TXF_DATA_VALIDATED);
}

/**
 * pvn_rx_csum() - checksum state of a packet to the guest
 * @flags: of its first slot
 */
enum pvn_csum pvn_rx_csum(u16 flags)
{
	return csum_state(flags & PVN_RXF_CSUM_BLANK,
			  flags & PVN_RXF_DATA_VALIDATED);
}

/**
 * pvn_extra_gso() - build the extra info of a GSO packet
 * @extra: filled in, no MORE flag
 * @gso: size not 0
 */
void pvn_extra_gso(struct pvn_extra *extra, struct pvn_gso gso)
{
	memset(extra, 0, sizeof(*extra));
	extra->type = PVN_EXTRA_GSO;
	extra->u.gso.size = gso.size;
	extra->u.gso.type = gso.type;
}
EXPORT_SYMBOL_GPL(pvn_extra_gso);

/**
 * pvn_extra_parse() - take what matters from an extra info slot
 * @extra: private copy
 * @gso: set when this is a GSO slot
 *
 * A hash or an XDP headroom is only advice and may be ignored. Multicast
 * control comes on a request that carries no packet.
 *
 * Return: PVN_OK; PVN_DROP when no packet is described; PVN_FATAL when the
 * slot makes no sense.
 */
enum pvn_verdict pvn_extra_parse(const struct pvn_extra *extra,
				 struct pvn_gso *gso)
{
	switch (extra->type) {
	case PVN_EXTRA_GSO:
		if (!extra->u.gso.size)
			return PVN_FATAL;
		if (extra->u.gso.type != PVN_GSO_TCPV4 &&
		    extra->u.gso.type != PVN_GSO_TCPV6)
			return PVN_FATAL;
		gso->size = extra->u.gso.size;
		gso->type = extra->u.gso.type;
		return PVN_OK;
	case PVN_EXTRA_HASH:
	case PVN_EXTRA_XDP:
		return PVN_OK;
	case PVN_EXTRA_MCAST_ADD:
	case PVN_EXTRA_MCAST_DEL:
		return PVN_DROP;
	default:
		return PVN_FATAL;
	}
}
