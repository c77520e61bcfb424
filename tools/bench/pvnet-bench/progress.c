// SPDX-License-Identifier: GPL-2.0
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "exec.h"
#include "progress.h"

#define BAR	24

static const struct progress *shown;
static bool on_terminal;
static double drawn;		/* when it was last */

void progress_time(double seconds, char *text, size_t size)
{
	int minutes = ceil(seconds / 60);

	if (seconds < 90)
		snprintf(text, size, "%.0f s", ceil(seconds));
	else if (minutes < 90)
		snprintf(text, size, "%d min", minutes);
	else
		snprintf(text, size, "%d h %d min", minutes / 60, minutes % 60);
}

static void erase(void)
{
	if (on_terminal)
		fprintf(stderr, "\r\033[K");
}

static void draw(void)
{
	double spent = exec_now() - shown->began, now = fmax(0, shown->expected - spent);
	int full = shown->total ? BAR * shown->done / shown->total : 0;
	char bar[BAR + 1], left[40];

	/* Commands tick at each bit of output. */
	if (exec_now() < drawn + 0.25)
		return;
	drawn = exec_now();
	memset(bar, '.', BAR);
	memset(bar, '#', full);
	bar[BAR] = '\0';
	progress_time(shown->left + now, left, sizeof(left));
	erase();
	fprintf(stderr, "[%s] %zu/%zu  left %s  %s %.0f s", bar, shown->done, shown->total, left,
		shown->what, spent);
	fflush(stderr);
}

void progress_begin(const struct progress *p)
{
	shown = p;
	on_terminal = isatty(STDERR_FILENO);
	exec_tick = on_terminal ? draw : NULL;
}

void progress_end(void)
{
	erase();
	exec_tick = NULL;
}

void progress_line(const char *fmt, ...)
{
	va_list ap;

	erase();
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	fflush(stdout);
}
