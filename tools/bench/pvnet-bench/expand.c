// SPDX-License-Identifier: GPL-2.0
/* From a plan's texts to commands: %{NAME}, and the command lines of cells */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan.h"
#include "result.h"
#include "text.h"

double cell_seconds(const struct plan *p, const struct cell *c)
{
	return c->seconds > 0 ? c->seconds : p->seconds;
}

double cell_warmup(const struct plan *p, const struct cell *c)
{
	return c->warmup >= 0 ? c->warmup : p->warmup;
}

double cell_longest(const struct plan *p, const struct cell *c)
{
	const char *i = c->global ? strstr(c->global, "-i") : NULL;
	double most = 1;

	/* netperf takes a maximum below 3 for 3. */
	if (i && sscanf(i + 2, " %lf", &most) == 1 && most < 3)
		most = 3;
	return most * cell_seconds(p, c) + cell_warmup(p, c);
}

/* The value of a name that the tool itself gives */
static bool own_name(const struct plan *p, const struct run_vars *run, const char *name,
		     char *number, const char **value)
{
	int i;

	*value = number;
	for (i = 0; i < NR_ENDS; i++)
		if (!strcmp(name, end_names[i])) {
			*value = p->end[i].address;
			return *value != NULL;
		}
	if (!run)
		return false;
	if (!strcmp(name, "variant"))
		*value = run->variant->name;
	else if (!strcmp(name, "cell") && run->cell)
		*value = run->cell->name;
	else if (!strcmp(name, "seconds") && run->cell)
		sprintf(number, "%g", cell_seconds(p, run->cell));
	else if (!strcmp(name, "warmup") && run->cell)
		sprintf(number, "%g", cell_warmup(p, run->cell));
	else if (!strcmp(name, "block"))
		sprintf(number, "%u", run->block);
	else if (!strcmp(name, "place"))
		sprintf(number, "%u", run->place);
	else
		return false;
	return true;
}

static bool value_of(const struct plan *p, const struct run_vars *run, const char *name,
		     char *number, const char **value)
{
	size_t i;

	for (i = 0; i < p->vars; i++)
		if (!strcmp(p->var[i].name, name)) {
			*value = p->var[i].value;
			return true;
		}
	return own_name(p, run, name, number, value);
}

/* Values may have %{NAME} in them; deep says how deep this one is. */
static bool expand_into(FILE *out, const struct plan *p, const struct run_vars *run,
			const char *text, int deep, char **unknown)
{
	char name[64], number[40];
	const char *value, *open;
	size_t len;

	while ((open = strstr(text, "%{"))) {
		fwrite(text, 1, open - text, out);
		len = strcspn(open + 2, "}");
		snprintf(name, sizeof(name), "%.*s", (int)len, open + 2);
		if (deep > 8 || open[2 + len] != '}' || !value_of(p, run, name, number, &value)) {
			*unknown = text_format("%s", name);
			return false;
		}
		if (!expand_into(out, p, run, value, deep + 1, unknown))
			return false;
		text = open + 2 + len + 1;
	}
	fputs(text, out);
	return true;
}

char *plan_expand(const struct plan *p, const struct run_vars *run, const char *text,
		  char **unknown)
{
	char *expanded;
	size_t len;
	FILE *out = open_memstream(&expanded, &len);
	bool good;

	if (!out)
		exit(1);
	good = expand_into(out, p, run, text, 0, unknown);
	fclose(out);
	if (good)
		return expanded;
	free(expanded);
	return NULL;
}

static void iperf3_command(FILE *out, const struct plan *p, const struct cell *c)
{
	/* -J for the client, and the receiver's intervals from the server's -J */
	fprintf(out, "%s -J --get-server-output -c %%{%s} -t %g", p->iperf3,
		end_names[!c->at], cell_seconds(p, c));
	if (cell_warmup(p, c) > 0)
		fprintf(out, " -O %g", cell_warmup(p, c));
	if (c->direction == FROM_SERVER)
		fprintf(out, " -R");
	if (c->test == TEST_UDP)
		fprintf(out, " -u -b %s", c->rate ?: "0");
	else if (c->rate)
		fprintf(out, " -b %s", c->rate);
	if (c->size)
		fprintf(out, " -l %s", c->size);
	if (c->socket)
		fprintf(out, " -w %s", c->socket);
	if (c->streams)
		fprintf(out, " -P %s", c->streams);
	if (c->options)
		fprintf(out, " %s", c->options);
}

static enum netperf_test netperf_test_of(const struct cell *c)
{
	switch (c->test) {
	case TEST_UDP:
		return UDP_STREAM;
	case TEST_TCP_RR:
		return TCP_RR;
	case TEST_TCP_CRR:
		return TCP_CRR;
	case TEST_UDP_RR:
		return UDP_RR;
	}
	return c->direction == FROM_SERVER ? TCP_MAERTS : TCP_STREAM;
}

/* Keys are found whatever else is printed. UDP needs -R 1, else netperf does not route. */
static void netperf_command(FILE *out, const struct plan *p, const struct cell *c, double seconds)
{
	enum netperf_test test = netperf_test_of(c);

	fprintf(out, "%s -H %%{%s} -t %s -l %.0f %s%s--", p->netperf, end_names[!c->at],
		netperf_tests[test], seconds < 1 ? 1 : seconds, c->global ?: "",
		c->global ? " " : "");
	fprintf(out,
		" -k THROUGHPUT,THROUGHPUT_UNITS,ELAPSED_TIME,LOCAL_SEND_THROUGHPUT,"
		"REMOTE_RECV_THROUGHPUT,LOCAL_RECV_THROUGHPUT,REMOTE_SEND_THROUGHPUT,CONFIDENCE_LEVEL,"
		"P50_LATENCY,P99_LATENCY,CONFIDENCE_INTERVAL,CONFIDENCE_ITERATION,THROUGHPUT_CONFID,LOCAL_CPU_CONFID,REMOTE_CPU_CONFID");
	if (c->test == TEST_UDP || c->test == TEST_UDP_RR)
		fprintf(out, " -R 1");
	if (c->size)
		fprintf(out, " %s %s", test == TCP_MAERTS ? "-M" : "-m", c->size);
	if (c->socket)
		fprintf(out, " -s %s -S %s", c->socket, c->socket);
	if (c->request)
		fprintf(out, " -r %s", c->request);
	if (c->options)
		fprintf(out, " %s", c->options);
}

char *cell_command(const struct plan *p, const struct cell *c, bool warmup)
{
	char *command;
	size_t len;
	FILE *out;

	if (warmup && (c->tool == TOOL_IPERF3 || cell_warmup(p, c) <= 0))
		return NULL;
	out = open_memstream(&command, &len);
	if (!out)
		exit(1);
	if (c->tool == TOOL_IPERF3)
		iperf3_command(out, p, c);
	else
		netperf_command(out, p, c, warmup ? cell_warmup(p, c) : cell_seconds(p, c));
	fclose(out);
	return command;
}
