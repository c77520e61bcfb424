/* SPDX-License-Identifier: GPL-2.0 */
/* Small things with strings and files */
#ifndef _BENCH_TEXT_H
#define _BENCH_TEXT_H

#include <stddef.h>

/* The whole file, with a NUL after it; NULL and errno */
char *text_read(const char *path, size_t *len);

/* Without spaces at both ends; in place */
char *text_trim(char *s);

/* asprintf() that ends the program when there is no memory */
__attribute__((__format__(__printf__, 1, 2)))
char *text_format(const char *fmt, ...);

#endif
