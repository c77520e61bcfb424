// SPDX-License-Identifier: GPL-2.0
/* A ring full of bytes from the guest, consumed as a backend does. */
#include "fuzz.h"

static void check_ok(const struct pvn_tx_pkt *pkt)
{
	u32 sum = 0, i;

	CHECK(!pkt->error);
	CHECK(pkt->nr_pieces >= 1 && pkt->nr_pieces <= PVN_SLOTS_MIN);
	CHECK(pkt->len >= PVN_ETH_HLEN && pkt->len <= PVN_MAX_PACKET);
	for (i = 0; i < pkt->nr_pieces; i++) {
		CHECK(pkt->piece[i].offset + pkt->piece[i].size <= PVN_GRANT_SIZE);
		sum += pkt->piece[i].size;
	}
	CHECK(sum == pkt->len);
	check_gso(pkt->gso);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	u32 n, at = 0, fatal;
	union pvn_tx_slot *snap;

	if (size < 1 + sizeof(*snap))
		return 0;
	fatal = PVN_SLOTS_MIN + *data % (PVN_TX_CHAIN_MAX - PVN_SLOTS_MIN + 1);
	n = (size - 1) / sizeof(*snap);
	snap = exact_copy(data + 1, n * sizeof(*snap));

	while (at < n) {
		struct pvn_tx_pkt pkt;
		enum pvn_verdict v = pvn_tx_parse(snap + at, n - at, fatal, &pkt);

		if (v == PVN_OK)
			check_ok(&pkt);
		else
			CHECK(pkt.error);
		if (v == PVN_FATAL)
			break;
		CHECK(pkt.nr_slots == pkt.nr_extra + pkt.nr_pieces);
		CHECK(pkt.nr_slots >= 1 && pkt.nr_slots <= n - at);
		CHECK(pkt.nr_pieces < fatal && pkt.nr_extra < PVN_EXTRA_TYPES);
		at += pkt.nr_slots;
	}
	free(snap);
	return 0;
}
