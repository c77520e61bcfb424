/* SPDX-License-Identifier: GPL-2.0 */
/* What must hold for a result, whatever the text was. */
#ifndef _BENCH_FUZZ_CHECK_H
#define _BENCH_FUZZ_CHECK_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../result.h"

static inline void require(int cond)
{
	if (!cond)
		abort();
}

static inline void check_result(const struct result *r)
{
	size_t i;

	require(memchr(r->failed, '\0', sizeof(r->failed)) != NULL);
	if (*r->failed) {
		require(isnan(r->goodput) && isnan(r->sent) && isnan(r->loss) && !r->nr_samples);
		return;
	}
	require(r->goodput > 0 && r->goodput <= FASTEST && r->seconds > 0);
	require(isnan(r->sent) || (r->sent >= 0 && r->sent <= FASTEST));
	require(isnan(r->loss) || (r->loss >= 0 && r->loss <= 1));
	require(isnan(r->p50) || (r->p50 >= 0 && r->p99 >= r->p50));
	require(r->warmup >= 0 && r->nr_samples <= MOST_SAMPLES);
	for (i = 0; i < r->nr_samples; i++)
		require(r->sample[i] >= 0);
}

#endif
