// SPDX-License-Identifier: GPL-2.0
/* Each text as the output of each test: what is right for one is wrong for another. */
#include <stdint.h>

#include "check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct result r;
	char *err = strndup((const char *)data, size);
	int test;

	for (test = 0; err && test < NR_NETPERF_TESTS; test++) {
		parse_netperf(test, size & 1 ? "10^6bits/s" : NULL, (const char *)data, size,
			      size & 2 ? err : NULL, &r);
		check_result(&r);
	}
	free(err);
	return 0;
}
