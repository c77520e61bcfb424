// SPDX-License-Identifier: GPL-2.0
/* The suites of the datapath, on a fake kernel. */
#include "world.h"

extern const struct suite rx_suite, from_guest_suite, pair_suite;

const struct suite *const test_suites[] = { &rx_suite, &from_guest_suite, &pair_suite, NULL };
