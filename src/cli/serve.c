/* serve.c - `signalbox serve`: from options to the running program. */
#include "cli/check.h"
#include "cli/command.h"
#include "config/keys.h"

extern const struct command command_serve;

/* What the configuration is made from, each time it is read. */
struct origins {
	const struct command_context *context;
	const struct options *options;
};

static bool read_again(void *self, struct config *fresh, struct error *why)
{
	const struct origins *from = self;

	if (!command_load(from->context, from->options, fresh, why))
		return false;
	if (check_config(from->context, fresh, why))
		return true;
	config_finish(fresh);
	return false;
}

/* It may be a slip, and the box does not do what was meant. */
static void warn_of_stray(void *self, const char *words)
{
	log_warn("config", "%s", words);
}

static int serve(struct command_context *context, const struct options *options)
{
	struct origins from = {context, options};
	struct box_options box = {.reload = read_again,
	                          .self = &from,
	                          .demo = options_has(options, "demo"),
	                          .echo = options_has(options, "echo")};
	struct error why;
	struct config config;
	int status;

	if (options->word_count > 0)
		return command_misused(&command_serve, "unexpected argument '%s'",
		                       options->words[0]);
	if (!read_again(&from, &config, &why)) {
		out_say("%s", why.words);
		return check_status(&why);
	}
	log_set_level(config.log.level);
	log_set_format(config.log.format);
	keys_strays(&config, context->env, warn_of_stray, NULL);
	box.config = &config;
	status = context->serve(&box);
	config_finish(&config);
	return status;
}

static const struct option own[] = {
	{"listen", 'l', "ADDR", "listen here, on the loopback; may be repeated", "127.0.0.1:7446",
         "listen"},
	{"demo", 0, .help = "play the built-in scenarios, with a data directory of its own"},
	{"demo-speed", 0, "X", "how fast, 2 is twice as fast", "1", "demo.speed"},
	{"echo", 0, .help = "offer /echo, for conformance suites"},
	{"log-level", 0, "LEVEL", "error, warn, info or debug", "info", "log.level"},
	{0},
};
static const struct option_group own_group = {"Options", own};
static const struct option_group *const groups[] = {&own_group, &options_where, &options_common,
                                                    NULL};

const struct command command_serve = {
	.name = "serve",
	.summary = "run the box: receive, store and serve signals",
	.usage = "[OPTIONS]",
	.examples = "  signalbox serve --demo\n"
		    "  signalbox serve --listen 127.0.0.1:8000 --data /srv/box\n"
		    "  SIGNALBOX_AUTH_LOCAL=none signalbox serve\n",
	.about = "Runs in the foreground until SIGTERM or SIGINT, then writes out what it has,\n"
		 "tells its clients and ends with 0. It listens on the Unix socket DATA/sock\n"
		 "too; the addresses it really has are in DATA/listen, one a line. `signalbox\n"
		 "help config` lists what can be set by the file and the environment.\n",
	.groups = groups,
	.run = serve,
};
