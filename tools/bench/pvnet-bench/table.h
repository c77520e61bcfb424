/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _BENCH_TABLE_H
#define _BENCH_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum form { FORM_TERMINAL, FORM_MARKDOWN, FORM_CSV };

struct table {
	size_t columns, cells;
	char **cell;		/* row by row; the first row is the header */
};

void table_init(struct table *t, size_t columns);

/* The next cell, from the left, then in the next row */
__attribute__((__format__(__printf__, 2, 3)))
void table_add(struct table *t, const char *fmt, ...);

/* A number; NAN leaves the cell as "-" */
void table_number(struct table *t, enum form form, double value);

/* A probability */
void table_p(struct table *t, enum form form, double p);

void table_print(const struct table *t, enum form form, FILE *out);
void table_free(struct table *t);

#endif
