/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _BENCH_ORDER_H
#define _BENCH_ORDER_H

#include "plan.h"

/*
 * One run of a cell with a variant. A block is one pass over all variants; in it
 * each variant is switched to once, and its group of runs is made. Runs of the same
 * block and place are near in time, so they are compared as pairs.
 */
struct step {
	unsigned int block, place, variant, cell;
	bool first;		/* after a switch */
};

/* The whole plan's steps, to be freed; the same seed gives the same order. */
struct step *order_make(const struct plan *p, unsigned int seed, size_t *n);

#endif
