/* SPDX-License-Identifier: GPL-2.0 */
/* A file of results: the plan as it was, a record of the ends, and the runs so far. */
#ifndef _BENCH_STORE_H
#define _BENCH_STORE_H

#include <jansson.h>

#include "order.h"
#include "result.h"

#define STORE_FORMAT	1

/* What a plan comes to: a run may only be resumed with the same. */
json_t *store_new(const struct plan *p, unsigned int seed);

/* NULL, and *why to be freed */
json_t *store_load(const char *path, char **why);

/* Through a new file beside it: what is on disk is whole at all times. NULL, or why not, to be freed */
char *store_save(const json_t *root, const char *path);

/* NULL, or what differs, to be freed */
char *store_differs(const json_t *root, const struct plan *p);

/* The run of a step, or NULL */
json_t *store_find(const json_t *root, const struct plan *p, const struct step *s);
json_t *store_run(const struct plan *p, const struct step *s, const struct result *r);

#endif
