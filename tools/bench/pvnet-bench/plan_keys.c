// SPDX-License-Identifier: GPL-2.0
/* All that may be in a plan. The parser, `plans --keys` and the man page read these tables. */
#include "plan.h"

const char *const end_names[] = { "client", "server", NULL };

static const char *const tools[] = { "iperf3", "netperf", NULL };
static const char *const tests[] = { "tcp", "udp", "tcp-rr", "tcp-crr", "udp-rr", NULL };
static const char *const directions[] = { "to-server", "from-server", NULL };
static const char *const orders[] = { "shuffled", "abba", "fixed", NULL };

#define TEXT(type, field, about) \
	{ #field, KEY_TEXT, offsetof(struct type, field), 0, 0, NULL, about }
#define COUNT(type, field, min, max, about) \
	{ #field, KEY_COUNT, offsetof(struct type, field), min, max, NULL, about }
#define NUMBER(type, field, min, max, about) \
	{ #field, KEY_NUMBER, offsetof(struct type, field), min, max, NULL, about }
#define CHOICE(type, field, list, about) \
	{ #field, KEY_CHOICE, offsetof(struct type, field), 0, 0, list, about }
#define END { NULL }

static const struct plan_key plan_keys[] = {
	TEXT(plan, name, "short name; default: that of the file"),
	TEXT(plan, title, "what is measured, for people"),
	COUNT(plan, repeats, 1, 10000,
	      "runs of each cell with each variant (10). Fixed before it starts"),
	COUNT(plan, group, 1, 1000,
	      "runs of each cell after one switch to a variant (1); repeats is a multiple"),
	TEXT(plan, cold,
	     "command run here before each switch, such as a reboot; then groups, not runs, are compared"),
	TEXT(plan, before, "command run here before each run"),
	NUMBER(plan, seconds, 0.1, 86400, "measured seconds of a run (10)"),
	NUMBER(plan, warmup, 0, 3600,
	       "seconds before them that do not count (0); netperf: a run of its own"),
	CHOICE(plan, order, orders,
	       "of variants and cells in a block: shuffled; abba: each second block backwards; fixed"),
	COUNT(plan, seed, 0, 4294967295.,
	      "of the shuffling; default: drawn, printed, and stored with the results"),
	NUMBER(plan, margin, 0.01, 100, "percent; a difference inside it is of no interest (2)"),
	NUMBER(plan, timeout, 1, 86400, "seconds that a command may take beyond its run (60)"),
	NUMBER(plan, settle, 0, 3600, "seconds to wait after a switch (0)"),
	COUNT(plan, failures, 1, 10000, "give up after so many failed runs in a row (5)"),
	TEXT(plan, iperf3, "the program (iperf3)"),
	TEXT(plan, netperf, "the program (netperf)"),
	END
};

#define SMALL(field, about) \
	{ #field, KEY_NUMBER, offsetof(struct plan, small_##field), 0.0001, 1, NULL, about }

static const struct plan_key small_keys[] = {
	SMALL(repeats, "factor with --small; there are never fewer than 5 of them"),
	SMALL(seconds, "factor with --small; never under 1 s"),
	SMALL(warmup, "factor with --small"),
	END
};

static const struct plan_key end_keys[] = {
	TEXT(end, prefix,
	     "reaches this end: gets the command as one more argument (ssh -o BatchMode=yes guest); empty: here"),
	TEXT(end, address, "that the other end connects to; %{client} and %{server} elsewhere"),
	TEXT(end, prepare,
	     "command run there after each switch; starts the servers: iperf3 -s -J -D; netserver"),
	TEXT(end, counters,
	     "command that prints NAME: NUMBER lines, before and after each run: ethtool -S eth0"),
	TEXT(end, record, "command whose output is stored once: versions, modules, offloads"),
	END
};

static const struct plan_key variant_keys[] = {
	TEXT(variant, about, "for people"),
	{ "client", KEY_TEXT, offsetof(struct variant, command[END_CLIENT]), 0, 0, NULL,
	  "command at the client's end that switches to this variant" },
	{ "server", KEY_TEXT, offsetof(struct variant, command[END_SERVER]), 0, 0, NULL,
	  "the same at the server's end; runs first" },
	TEXT(variant, check, "command run here that fails unless the variant is in use"),
	END
};

static const struct plan_key cell_keys[] = {
	TEXT(cell, about, "for people"),
	CHOICE(cell, tool, tools, "iperf3 or netperf"),
	CHOICE(cell, test, tests, "tcp, udp; with netperf also tcp-rr, tcp-crr, udp-rr"),
	CHOICE(cell, direction, directions, "of the data of tcp and udp: to-server, from-server"),
	CHOICE(cell, at, end_names, "which end runs the tool: client, server"),
	TEXT(cell, size, "bytes of a write (iperf3 -l, netperf -m)"),
	TEXT(cell, socket, "bytes of socket buffers at both ends (iperf3 -w, netperf -s and -S)"),
	TEXT(cell, request, "bytes of request and response, of the rr tests (netperf -r)"),
	TEXT(cell, rate, "of an iperf3 UDP sender (-b); 0: no limit"),
	TEXT(cell, streams, "how many at once (iperf3 -P)"),
	TEXT(cell, options, "more options; netperf: those after --"),
	TEXT(cell, global, "netperf's options before --, such as -I 95,5 -i 10,3"),
	NUMBER(cell, seconds, 0.1, 86400, "instead of the plan's"),
	NUMBER(cell, warmup, 0, 3600, "instead of the plan's"),
	END
};

const struct plan_section plan_sections[] = {
	{ "plan", false, plan_keys, "how to measure" },
	{ "small", false, small_keys, "what --small makes of it, for the testbed" },
	{ "vars", false, NULL,
	  "NAME = VALUE, for %{NAME} elsewhere; --set NAME=VALUE goes over it" },
	{ "end", true, end_keys, "[end client], [end server]: where the programs run" },
	{ "variant", true, variant_keys, "what is compared; others are compared with the first" },
	{ "cell", true, cell_keys, "what is measured" },
	{ NULL }
};
