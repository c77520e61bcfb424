/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _BENCH_PLANS_H
#define _BENCH_PLANS_H

#include "options.h"

int plans_command(const struct options *o);
void plans_man(void (*print)(const char *text));

#endif
