// SPDX-License-Identifier: GPL-2.0
/* A ring full of bytes from the backend, consumed as a frontend does. */
#include "fuzz.h"

static void check_ok(const struct pvn_rx_pkt *pkt, const union pvn_rx_slot *snap)
{
	u32 sum = 0, i;

	CHECK(!pkt->error);
	CHECK(pkt->nr_pieces >= 1 && pkt->nr_pieces <= PVN_SLOTS_MIN);
	CHECK(pkt->len >= PVN_ETH_HLEN);
	for (i = 0; i < pkt->nr_pieces; i++) {
		const struct pvn_rx_rsp *rsp = &snap[pvn_chain_pos(pkt->nr_extra, i)].rsp;

		CHECK(rsp->status >= 0);
		CHECK(rsp->offset + rsp->status <= (int)PVN_GRANT_SIZE);
		sum += rsp->status;
	}
	CHECK(sum == pkt->len);
	check_gso(pkt->gso);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	u32 n = size / sizeof(union pvn_rx_slot), at = 0;
	union pvn_rx_slot *snap;

	if (!n)
		return 0;
	snap = exact_copy(data, n * sizeof(*snap));
	while (at < n) {
		struct pvn_rx_pkt pkt;
		enum pvn_verdict v = pvn_rx_parse(snap + at, n - at, &pkt);

		if (v == PVN_OK)
			check_ok(&pkt, snap + at);
		else
			CHECK(pkt.error);
		if (v == PVN_FATAL)
			break;
		CHECK(pkt.nr_slots == pkt.nr_extra + pkt.nr_pieces);
		CHECK(pkt.nr_slots >= 1 && pkt.nr_slots <= n - at);
		at += pkt.nr_slots;
	}
	free(snap);
	return 0;
}
