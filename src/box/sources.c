/* sources.c - where sources come from and who hears of them. */
#include "source/source.h"

#include <stdlib.h>

#include "base/log.h"
#include "base/must.h"
#include "base/whole.h"
#include "box/parts.h"
#include "box/voice.h"
#include "bus/bus.h"
#include "config/config.h"
#include "net/request.h"
#include "play/house/playhouse.h"
#include "run/runs.h"
#include "source/known.h"
#include "source/resume.h"
#include "source/store.h"
#include "web/listens.h"

#define SECRET_MAX (8 * KIB)

static void sources_changed(void *self, struct text changed, struct text removed)
{
	box_tell(self, &(struct news){NEWS_SOURCES, .changed = changed, .removed = removed});
}

void box_list_sources(void *self, struct buf *out)
{
	sources_json(((struct box *)self)->sources, out);
}

static bool bus_asks_name(void *self, struct text name)
{
	return sources_knows(((struct box *)self)->sources, name);
}

static struct text position_of(void *self, struct text source)
{
	return resume_position(((struct box *)self)->resume, source);
}

static void each_run(void *self, struct text source,
                     void (*each)(void *of, struct text run, struct text at), void *of)
{
	resume_each_run(((struct box *)self)->resume, source, each, of);
}

static bool is_live(void *self, struct text run)
{
	const struct run *known = runs_find(((struct box *)self)->runs, run);

	return known && fold_totals(&known->fold).live > 0;
}

static struct text source_of(void *self, struct text run)
{
	return theatre_source(playhouse_theatre(((struct box *)self)->playhouse), run);
}

bool box_make_sources(struct box *box, struct error *why)
{
	struct sources_options o = {
		.loop = box->loop,
		.bus = box->bus,
		.accounts = box->accounts,
		.data = box->config->data,
		.silence_ms = box->config->limits.silence_ms,
		.changed = sources_changed,
		.withdrew = box_withdraw_prompt,
		.verdict = box_tell_verdict,
		.called = box_tell_called,
		.decided = box_decide_prompt,
		.asks_again = box_tell_prompts,
		.position = position_of,
		.each_run = each_run,
		.is_live = is_live,
		.source_of = source_of,
		.each_prompt = box_each_prompt,
		.self = box,
	};

	o.requests = box->requests = requests_create(box->loop);
	box_begin_voice(box);
	box->sources = sources_create(&o, why);
	if (!box->sources)
		return false;
	bus_set_names(box->bus, bus_asks_name, box);
	return true;
}

/* --- where they come from ------------------------------------------------------- */

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

	if (sources_add(box->sources, &demo, &why) != BACK_DONE)
		log_warn("box", "the demo: %s", why.words);
	free(url);
}

typedef bool wish_fn(struct box *box, const struct source_wish *wish, struct error *why);

static bool add(struct box *box, const struct source_wish *wish, struct error *why)
{
	return sources_add(box->sources, wish, why) == BACK_DONE;
}

static bool look_at(struct box *box, const struct source_wish *wish, struct error *why)
{
	return source_wish_is_good(wish, why);
}

/* Does something with what a row of the configuration wishes. */
static bool with_configured(struct box *box, const struct config_source *c, wish_fn *fn,
                            struct error *why)
{
	struct source_wish wish = {
		.id = text_of(c->id),
		.name = text_of(c->name ? c->name : c->id),
		.url = text_of(c->url),
		.protocol = text_of(c->protocol),
		.credential = text_of(c->credential),
		.model = text_of(c->model),
		.connect = c->connect,
		.is_configured = true,
	};
	struct buf secret;
	bool good = true;

	buf_init(&secret, SECRET_MAX);
	if (c->credential_file) {
		good = whole_load_secret(c->credential_file, &secret, why);
		wish.credential = buf_text(&secret);
	}
	good = good && !web_leads_home(box->web, box->config, wish.url, why) && fn(box, &wish, why);
	whole_forget(&secret);
	return good || error_within(why, "sources: '%s'", c->id);
}

bool box_start_sources(struct box *box, struct error *why)
{
	for (size_t i = 0; i < box->config->source_count; i++)
		if (!with_configured(box, &box->config->sources[i], add, why))
			return false;
	sources_load(box->sources);
	if (box->options->demo)
		add_demo(box);
	return true;
}

bool box_are_sources_good(const struct config *config, struct error *why)
{
	struct box none = {.config = config};

	for (size_t i = 0; i < config->source_count; i++)
		if (!with_configured(&none, &config->sources[i], look_at, why))
			return false;
	return store_is_usable(config->data, why);
}

/* --- another configuration -------------------------------------------------------- */

static bool same_text(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool same_row(const struct config_source *a, const struct config_source *b)
{
	return same_text(a->id, b->id) && same_text(a->name, b->name) &&
	       same_text(a->url, b->url) && same_text(a->protocol, b->protocol) &&
	       same_text(a->model, b->model) && same_text(a->credential, b->credential) &&
	       same_text(a->credential_file, b->credential_file) && a->connect == b->connect;
}

static bool has_row(const struct config *config, const struct config_source *row)
{
	for (size_t i = 0; i < config->source_count; i++)
		if (same_row(&config->sources[i], row))
			return true;
	return false;
}

/* Another credential stands in its file than the one that it has. */
static bool has_new_secret(struct box *box, const struct config_source *row)
{
	const struct source *source = sources_find(box->sources, text_of(row->id));
	struct buf secret;
	struct error why;
	bool is_new;

	if (!row->credential_file || !source)
		return false;
	buf_init(&secret, SECRET_MAX);
	is_new = whole_load_secret(row->credential_file, &secret, &why) &&
	         !text_equal(buf_text(&secret), text_of(source_credential(source)));
	whole_forget(&secret);
	return is_new;
}

bool box_check_sources(struct box *box, const struct config *fresh, struct error *why)
{
	struct box then = {.config = fresh}; /* where it listens now does not matter */

	for (size_t i = 0; i < fresh->source_count; i++)
		if ((!has_row(box->config, &fresh->sources[i]) ||
		     fresh->sources[i].credential_file) &&
		    !with_configured(&then, &fresh->sources[i], look_at, why))
			return false;
	return true;
}

void box_follow_sources(struct box *box, const struct config *old)
{
	struct error why;

	for (size_t i = 0; i < old->source_count; i++)
		if (!has_row(box->config, &old->sources[i]) ||
		    has_new_secret(box, &old->sources[i]))
			sources_withdraw(box->sources, text_of(old->sources[i].id));
	for (size_t i = 0; i < box->config->source_count; i++)
		if ((!has_row(old, &box->config->sources[i]) ||
		     !sources_find(box->sources, text_of(box->config->sources[i].id))) &&
		    !with_configured(box, &box->config->sources[i], add, &why))
			log_error("box", "%s", why.words);
}
