/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _BENCH_RUN_H
#define _BENCH_RUN_H

#include "options.h"
#include "plan.h"

int run_command(const struct options *o);

/* Runs the plan; 0 if each run has a number */
int run_plan(const struct plan *p, const struct options *o);

/* The plan of the options, or NULL with its errors printed */
struct plan *run_load_plan(const char *path, const struct options *o);

#endif
