/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _BENCH_AA_H
#define _BENCH_AA_H

#include "options.h"

/*
 * The tool's own test: one variant against itself, many times. What is called
 * different, though it is the same, must be about ALPHA of the cases.
 */
int aa_command(const struct options *o);

#endif
