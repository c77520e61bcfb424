// SPDX-License-Identifier: GPL-2.0
#include "aa.h"
#include "options.h"
#include "plans.h"
#include "report.h"
#include "run.h"

const struct command commands[] = {
	{ "run", "PLAN -o FILE", "make the runs of a plan", FOR_RUN, 1, 1, run_command,
	  "Each run is in FILE as soon as it is made, and Ctrl-C keeps what is done.\n" },
	{ "report", "FILE", "what was measured", FOR_REPORT, 1, 1, report_command, NULL },
	{ "compare", "FILE[:VARIANT] [FILE[:VARIANT]]", "a verdict for each cell", FOR_COMPARE, 1,
	  2, verdict_command,
	  "One FILE: its variants with the first of them. Two: the same variants of both, or those named.\n" },
	{ "aa", "PLAN -o FILE, or FILE.json", "the tool's own test: a variant against itself",
	  FOR_AA, 1, 1, aa_command, NULL },
	{ "plans", "", "the plans that come with the tool", FOR_PLANS, 0, 0, plans_command, NULL },
	{ "man", "", "print the manual page", FOR_MAN, 0, 0, options_man, NULL },
	{ }
};
