// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "order.h"

/* Numbers 0 to n - 1, as the plan wants them in this block */
static void arrange(const struct plan *p, gsl_rng *rng, unsigned int block, unsigned int *v,
		    size_t n)
{
	bool backwards = p->order == ORDER_ABBA && block % 2;
	size_t i;

	for (i = 0; i < n; i++)
		v[i] = backwards ? n - 1 - i : i;
	if (p->order == ORDER_SHUFFLED)
		gsl_ran_shuffle(rng, v, n, sizeof(*v));
}

static size_t add_group(const struct plan *p, gsl_rng *rng, unsigned int block,
			unsigned int variant, unsigned int *cells, struct step *step)
{
	unsigned int place;
	size_t i, n = 0;

	for (place = 0; place < p->group; place++) {
		arrange(p, rng, block, cells, p->cells);
		for (i = 0; i < p->cells; i++, n++)
			step[n] = (struct step) { block, place, variant, cells[i], !n };
	}
	return n;
}

struct step *order_make(const struct plan *p, unsigned int seed, size_t *n)
{
	unsigned int *variants = calloc(p->variants, sizeof(*variants));
	unsigned int *cells = calloc(p->cells, sizeof(*cells));
	unsigned int block, blocks = p->repeats / p->group;
	struct step *step = calloc(p->repeats * p->variants * p->cells, sizeof(*step));
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	size_t i;

	if (!variants || !cells || !step || !rng)
		exit(1);
	gsl_rng_set(rng, seed);
	*n = 0;
	for (block = 0; block < blocks; block++) {
		arrange(p, rng, block, variants, p->variants);
		for (i = 0; i < p->variants; i++)
			*n += add_group(p, rng, block, variants[i], cells, step + *n);
	}
	gsl_rng_free(rng);
	free(variants);
	free(cells);
	return step;
}
