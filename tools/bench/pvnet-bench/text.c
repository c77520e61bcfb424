// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

#define CHUNK	65536

char *text_read(const char *path, size_t *len)
{
	FILE *file = fopen(path, "r");
	char *text = NULL, *more;
	size_t got;

	if (!file)
		return NULL;
	*len = 0;
	do {
		more = realloc(text, *len + CHUNK + 1);
		if (!more)
			break;
		text = more;
		got = fread(text + *len, 1, CHUNK, file);
		*len += got;
		text[*len] = '\0';
	} while (got);
	if (!more || ferror(file)) {
		int error = more ? errno : ENOMEM;

		free(text);
		fclose(file);
		errno = error;
		return NULL;
	}
	fclose(file);
	return text;
}

char *text_trim(char *s)
{
	char *end = s + strlen(s);

	while (end > s && isspace((unsigned char)end[-1]))
		*--end = '\0';
	while (isspace((unsigned char)*s))
		s++;
	return s;
}

char *text_format(const char *fmt, ...)
{
	va_list ap;
	char *s;

	va_start(ap, fmt);
	if (vasprintf(&s, fmt, ap) < 0) {
		fprintf(stderr, "pvnet-bench: out of memory\n");
		exit(1);
	}
	va_end(ap);
	return s;
}
