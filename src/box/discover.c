/* discover.c - what is found on this machine, for whoever asks. */
#include "source/discover/discover.h"

#include <stdlib.h>

#include "box/parts.h"
#include "config/config.h"
#include "source/claude/pauses.h"
#include "source/openclaw/openclaw_config.h"
#include "tap/tap.h"
#include "web/web.h"

/* Claude Code comes to us while our hooks are in its settings. */
static bool is_tapped(void *self)
{
	struct tap_target target;
	struct tap_report report;
	bool tapped;

	tap_own_target(&target, ((struct box *)self)->config->data);
	tapped = tap_look(&target, &report, NULL) && report.is_here;
	pauses_set_installed(((struct box *)self)->pauses, tapped && report.approves);
	tap_report_finish(&report);
	free((char *)target.config);
	return tapped;
}

void box_make_discover(struct box *box)
{
	const struct config_discover *c = &box->config->discover;
	struct discover_options o = {
		.loop = box->loop,
		.requests = box->requests,
		.sources = box->sources,
		.at = {c->openclaw, c->lm_studio, c->ollama, c->codex, c->opencode},
		.interval_ms = c->interval_ms,
		.connects = c->connect,
		.self = box,
		.tapped = is_tapped,
	};

	box->discover = discover_create(&o);
}

static void *ask_discover(void *self, bool rescan, web_found_fn *found, void *of)
{
	return discover_ask(((struct box *)self)->discover, rescan, found, of);
}

static void forget_ask(void *self, void *ask)
{
	discover_forget(ask);
}

static char *token(void *self)
{
	struct openclaw_config config;

	openclaw_config_read(&config, openclaw_env);
	return config.token; /* the rest of it holds no memory */
}

struct web_discovery box_discovery(struct box *box)
{
	return (struct web_discovery){
		.self = box, .ask = ask_discover, .forget = forget_ask, .openclaw_token = token};
}
