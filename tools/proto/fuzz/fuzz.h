/* SPDX-License-Identifier: GPL-2.0 */
/* For libFuzzer targets. */
#ifndef _PROTO_FUZZ_H
#define _PROTO_FUZZ_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pvnet/core.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(cond) do { \
		if (!(cond)) { \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #cond); \
			abort(); \
		} \
	} while (0)

/* A heap copy of exactly the slots that there are: ASan sees one too many. */
static inline void *exact_copy(const void *data, size_t size)
{
	void *copy = malloc(size);

	memcpy(copy, data, size);
	return copy;
}

static inline void check_gso(struct pvn_gso gso)
{
	CHECK(!gso.size || gso.type == PVN_GSO_TCPV4 || gso.type == PVN_GSO_TCPV6);
}

#endif
