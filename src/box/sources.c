/* sources.c - where sources come from and who hears of them. */
#include "source/source.h"

#include <stdlib.h>

#include "base/log.h"
#include "base/must.h"
#include "box/parts.h"
#include "bus/bus.h"
#include "config/config.h"
#include "hub/hub.h"
#include "net/request.h"

static void sources_changed(void *self, struct text changed, struct text removed)
{
}

bool box_make_sources(struct box *box, struct error *why)
{
	struct sources_options o = {
		.loop = box->loop,
		.bus = box->bus,
		.data = box->config->data,
		.changed = sources_changed,
		.self = box,
	};

	o.requests = box->requests = requests_create(box->loop);
	box->sources = sources_create(&o, why);
	return box->sources != NULL;
}

static void add_demo(struct box *box)
{
	char *url = must_print("scenario:demo?speed=%g", box->config->demo.speed);
	struct source_wish demo = {
		.id = TEXT("demo"),
		.name = TEXT("Demo"),
		.url = text_of(url),
		.is_local = true,
		.is_configured = true,
		.connect = true,
	};
	struct error why;

	if (sources_add(box->sources, &demo, &why) != SOURCE_DONE)
		log_warn("box", "the demo: %s", why.words);
	free(url);
}

void box_start_sources(struct box *box)
{
	if (box->options->demo)
		add_demo(box);
}
