// SPDX-License-Identifier: GPL-2.0
/* The suites of core/ and of the other pure files. */
#include "ktap.h"

extern const struct suite slots_suite, ring_suite, extra_suite, tx_suite,
	rx_suite, place_suite, feat_suite, state_suite, ctrl_suite,
	batch_suite, abi_suite;

const struct suite *const test_suites[] = {
	&slots_suite, &ring_suite, &extra_suite, &tx_suite, &rx_suite,
	&place_suite, &feat_suite, &state_suite, &ctrl_suite, &batch_suite,
	&abi_suite, NULL,
};
