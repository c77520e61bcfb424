/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _BENCH_EXEC_H
#define _BENCH_EXEC_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

struct output {
	char *out, *err;	/* with a NUL after them */
	size_t out_len, err_len;
	int status;		/* 0 to 255; 128 + signal */
	bool timed_out, interrupted, too_long;
	char *failed;		/* why it could not be run at all */
};

/* Set by Ctrl-C; commands end early then. */
extern volatile sig_atomic_t exec_interrupted;
void exec_catch_signals(void);

/* Called about four times a second while a command runs */
extern void (*exec_tick)(void);

/*
 * Runs command with a shell, or by prefix, which gets it as its last argument;
 * ends it, with all its children, after timeout seconds.
 */
void exec_run(const char *prefix, const char *command, double timeout, struct output *o);
void exec_free(struct output *o);

/* Why it is no success, to be freed; NULL if it is one */
char *exec_why(const struct output *o, double timeout);

double exec_now(void);
void exec_sleep(double seconds);

#endif
