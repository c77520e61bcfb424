// SPDX-License-Identifier: GPL-2.0
/* The table of xenstore features, and what follows from them. */
#include <linux/export.h>
#include <linux/kernel.h>

#include <pvnet/core.h>

/* Keys and their sense: netif.h. Each end reads what the other wrote. */
static const struct pvn_feature pvn_features[] = {
	{ "feature-sg",			PVN_F_SG,		PVN_FRONT },
	{ "feature-gso-tcpv4",		PVN_F_GSO_TCPV4,	PVN_FRONT },
	{ "feature-gso-tcpv6",		PVN_F_GSO_TCPV6,	PVN_FRONT },
	{ "feature-no-csum-offload",	PVN_F_CSUM_IPV4,	PVN_FRONT, true },
	{ "feature-ipv6-csum-offload",	PVN_F_CSUM_IPV6,	PVN_FRONT },
	{ "feature-rx-notify",		PVN_F_RX_NOTIFY,	PVN_FRONT },
	{ "request-rx-copy",		PVN_F_RX_COPY,		PVN_FRONT },

	{ "feature-sg",			PVN_F_SG,		PVN_BACK },
	{ "feature-gso-tcpv4",		PVN_F_GSO_TCPV4,	PVN_BACK },
	{ "feature-gso-tcpv6",		PVN_F_GSO_TCPV6,	PVN_BACK },
	{ "feature-no-csum-offload",	PVN_F_CSUM_IPV4,	PVN_BACK, true },
	{ "feature-ipv6-csum-offload",	PVN_F_CSUM_IPV6,	PVN_BACK },
	{ "feature-rx-copy",		PVN_F_RX_COPY,		PVN_BACK },
	{ "feature-split-event-channels", PVN_F_SPLIT_EVENTS,	PVN_BACK },
	{ "feature-ctrl-ring",		PVN_F_CTRL_RING,	PVN_BACK },
};

/**
 * pvn_features_read() - what the peer can take
 * @writer: the peer
 * @get: reads a key of the peer as a number, 0 when it is missing or no number
 * @ctx: for @get
 *
 * Return: PVN_F_*, as written. Read afresh at every connect.
 */
u32 pvn_features_read(enum pvn_side writer, pvn_key_get_t get, void *ctx)
{
	u32 features = 0;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(pvn_features); i++) {
		const struct pvn_feature *f = &pvn_features[i];

		if (f->writer == writer && !!get(ctx, f->key) != f->inverted)
			features |= f->bit;
	}
	return features;
}
EXPORT_SYMBOL_GPL(pvn_features_read);

/**
 * pvn_features_write() - say what this end can take
 * @writer: this end
 * @features: PVN_F_*
 * @put: writes a key; returns 0 or -errno
 * @ctx: for @put
 *
 * Return: 0, or the first error of @put.
 */
int pvn_features_write(enum pvn_side writer, u32 features, pvn_key_put_t put,
		       void *ctx)
{
	size_t i;
	int err;

	for (i = 0; i < ARRAY_SIZE(pvn_features); i++) {
		const struct pvn_feature *f = &pvn_features[i];

		if (f->writer != writer)
			continue;
		err = put(ctx, f->key, !!(features & f->bit) != f->inverted);
		if (err)
			return err;
	}
	return 0;
}
EXPORT_SYMBOL_GPL(pvn_features_write);

/**
 * pvn_features_usable() - features less those whose preconditions are missing
 * @features: PVN_F_* of the peer
 *
 * A GSO packet has several slots and a blank checksum.
 */
u32 pvn_features_usable(u32 features)
{
	if (!(features & PVN_F_SG))
		features &= ~(PVN_F_GSO_TCPV4 | PVN_F_GSO_TCPV6);
	if (!(features & PVN_F_CSUM_IPV4))
		features &= ~PVN_F_GSO_TCPV4;
	if (!(features & PVN_F_CSUM_IPV6))
		features &= ~PVN_F_GSO_TCPV6;
	return features;
}
EXPORT_SYMBOL_GPL(pvn_features_usable);
