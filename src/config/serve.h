/* serve.h - what `signalbox serve` asks of the running program.
 *
 * Here because the command line fills it and box.c reads it, and the one may
 * not include the other.
 */
#ifndef CONFIG_SERVE_H
#define CONFIG_SERVE_H

#include <stdbool.h>

#include "base/error.h"
#include "base/text.h"

struct config;

struct box_options {
	const struct config *config;
	/* Reads the configuration again, as it was read the first time, into what the caller
	 * finishes; false: why says where the fault is. */
	bool (*reload)(void *self, struct config *fresh, struct error *why);
	void *self;
	bool demo; /* play the built-in scenarios; their speed is config->demo.speed */
	bool echo; /* offer /echo to conformance suites */
};

/* Serves until it is told to stop; answers with the exit code of the program. */
typedef int box_run_fn(const struct box_options *options);

/* Would a box start with it?  Asks what the start asks, of the same functions, but makes and
 * changes nothing; who has the ports and DATA at the moment is not asked. */
typedef bool box_check_fn(const struct config *config, struct error *why);

#endif
