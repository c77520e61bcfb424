/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _BENCH_REPORT_H
#define _BENCH_REPORT_H

#include <jansson.h>

#include "options.h"
#include "table.h"

int report_command(const struct options *o);
int verdict_command(const struct options *o);

enum form report_form(const struct options *o);

/* Where notes go: not into CSV */
FILE *report_notes(enum form form);

/* NULL, with the reason printed */
json_t *report_load(const char *path);

/* The i-th name of "variants", or NULL */
const char *report_variant(const json_t *root, size_t i);
const char *report_cell(const json_t *root, size_t i);

/* cost.c */
void cost_table(const json_t *root, enum form form);

#endif
