// SPDX-License-Identifier: GPL-2.0

#include <gsl/gsl_errno.h>

#include "options.h"

int main(int argc, char **argv)
{
	struct options o;
	int status;
	const struct command *c = options_parse(argc, argv, &o, &status);

	/* What cannot be computed is NAN and shown as such, no reason to abort. */
	gsl_set_error_handler_off();
	return c ? c->run(&o) : status;
}
