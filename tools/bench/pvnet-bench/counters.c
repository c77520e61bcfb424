// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counters.h"
#include "text.h"

/* q3_tx_packets is tx_packets of a queue. */
static const char *without_queue(const char *name)
{
	const char *rest = name + 1;

	if (*name != 'q' || !isdigit((unsigned char)*rest))
		return name;
	while (isdigit((unsigned char)*rest))
		rest++;
	return *rest == '_' ? rest + 1 : name;
}

static void add(json_t *counters, const char *name, long long value)
{
	json_int_t sum = json_integer_value(json_object_get(counters, name));

	json_object_set_new(counters, name, json_integer((unsigned long long)sum + value));
}

json_t *counters_read(const char *text)
{
	char *copy = text_format("%s", text), *rest = copy, *line, *colon, *end, *value;
	json_t *counters = json_object();

	while ((line = strsep(&rest, "\n"))) {
		colon = strrchr(line, ':');
		if (!colon)
			continue;
		*colon = '\0';
		value = text_trim(colon + 1);
		if (!isdigit((unsigned char)*value))
			continue;
		add(counters, without_queue(text_trim(line)), strtoll(value, &end, 10));
	}
	free(copy);
	return counters;
}

json_t *counters_added(const json_t *before, const json_t *after)
{
	json_t *added = json_object(), *value;
	const char *name;
	json_int_t more;

	json_object_foreach((json_t *)after, name, value) {
		more = json_integer_value(value) -
		       json_integer_value(json_object_get(before, name));
		if (more >= 0)
			json_object_set_new(added, name, json_integer(more));
	}
	return added;
}
