// SPDX-License-Identifier: GPL-2.0
#include <stdint.h>

#include "check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct result r;

	parse_iperf3((const char *)data, size, &r);
	check_result(&r);
	return 0;
}
