// SPDX-License-Identifier: GPL-2.0
/* One extra info slot, and all checksum flags. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pvn_extra *extra, again;
	struct pvn_gso gso = {};

	if (size < sizeof(*extra))
		return 0;
	extra = exact_copy(data, sizeof(*extra));
	if (pvn_extra_parse(extra, &gso) == PVN_OK && extra->type == PVN_EXTRA_GSO) {
		struct pvn_gso copy = {};

		CHECK(gso.size);
		check_gso(gso);
		pvn_extra_gso(&again, gso);
		CHECK(pvn_extra_parse(&again, &copy) == PVN_OK);
		CHECK(copy.size == gso.size && copy.type == gso.type);
	} else {
		CHECK(!gso.size && !gso.type);
	}
	if (size >= sizeof(*extra) + 2) {
		u16 flags = data[sizeof(*extra)] | data[sizeof(*extra) + 1] << 8;

		CHECK(pvn_tx_csum(pvn_tx_csum_flags(pvn_tx_csum(flags))) == pvn_tx_csum(flags));
		CHECK(pvn_rx_csum(pvn_rx_csum_flags(pvn_rx_csum(flags))) == pvn_rx_csum(flags));
	}
	free(extra);
	return 0;
}
