// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "table.h"
#include "unit.h"

void table_init(struct table *t, size_t columns)
{
	*t = (struct table) { .columns = columns };
}

void table_add(struct table *t, const char *fmt, ...)
{
	va_list ap;

	t->cell = realloc(t->cell, (t->cells + 1) * sizeof(*t->cell));
	va_start(ap, fmt);
	if (!t->cell || vasprintf(&t->cell[t->cells], fmt, ap) < 0)
		exit(1);
	va_end(ap);
	t->cells++;
}

void table_number(struct table *t, enum form form, double value)
{
	char digits[40];

	if (isnan(value)) {
		table_add(t, "%s", form == FORM_CSV ? "" : "-");
	} else if (form == FORM_CSV) {
		table_add(t, "%.10g", value);
	} else {
		unit_digits(value, digits, sizeof(digits));
		table_add(t, "%s", digits);
	}
}

void table_p(struct table *t, enum form form, double p)
{
	if (form != FORM_CSV && p < 0.001)
		table_add(t, "<0.001");
	else
		table_number(t, form, p);
}

/* Letters take more bytes than columns in UTF-8. */
static size_t width_of(const char *s)
{
	size_t n = 0;

	for (; *s; s++)
		n += (*s & 0xc0) != 0x80;
	return n;
}

static size_t widest(const struct table *t, size_t column)
{
	size_t i, w, most = 0;

	for (i = column; i < t->cells; i += t->columns) {
		w = width_of(t->cell[i]);
		most = w > most ? w : most;
	}
	return most;
}

/* A column of figures: something below the header begins like a number, all else is a dash. */
static bool numeric(const struct table *t, size_t column)
{
	bool some = false;
	size_t i;

	for (i = column + t->columns; i < t->cells; i += t->columns) {
		const char *s = t->cell[i];

		if (isdigit((unsigned char)*s) ||
		    (strchr("-+<", *s) && isdigit((unsigned char)s[1])))
			some = true;
		else if (strcmp(s, "-") && *s)
			return false;
	}
	return some;
}

static void pad(FILE *out, size_t n)
{
	fprintf(out, "%*s", (int)n, "");
}

static void print_aligned(const struct table *t, enum form form, FILE *out, size_t row)
{
	size_t c;

	for (c = 0; c < t->columns; c++) {
		const char *s = t->cell[row * t->columns + c];
		size_t space = widest(t, c) - width_of(s);
		bool right = numeric(t, c), last = c + 1 == t->columns;

		fputs(form == FORM_MARKDOWN ? "| " : c ? "  " : "", out);
		if (right)
			pad(out, space);
		fputs(s, out);
		if (!right && (!last || form == FORM_MARKDOWN))
			pad(out, space);
		if (form == FORM_MARKDOWN)
			fputs(last ? " |" : " ", out);
	}
	fputc('\n', out);
}

static void print_rule(const struct table *t, FILE *out)
{
	size_t c;

	for (c = 0; c < t->columns; c++)
		fputs(numeric(t, c) ? "|---:" : "|---", out);
	fputs("|\n", out);
}

static void print_csv(const struct table *t, FILE *out, size_t row)
{
	const char *s;
	size_t c;

	for (c = 0; c < t->columns; c++) {
		s = t->cell[row * t->columns + c];
		if (c)
			fputc(',', out);
		if (!strpbrk(s, ",\"\n")) {
			fputs(s, out);
			continue;
		}
		fputc('"', out);
		for (; *s; s++)
			fputs(*s == '"' ? "\"\"" : (char[]) { *s, '\0' }, out);
		fputc('"', out);
	}
	fputc('\n', out);
}

void table_print(const struct table *t, enum form form, FILE *out)
{
	size_t row;

	for (row = 0; row < t->cells / t->columns; row++) {
		if (form == FORM_CSV)
			print_csv(t, out, row);
		else
			print_aligned(t, form, out, row);
		if (form == FORM_MARKDOWN && !row)
			print_rule(t, out);
	}
}

void table_free(struct table *t)
{
	while (t->cells)
		free(t->cell[--t->cells]);
	free(t->cell);
}
