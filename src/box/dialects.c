/* dialects.c - the languages that clients speak, one row each.
 *
 * A new one has a row here, with what makes and frees its own state, if it has any.
 */
#include "box/dialects.h"

#include "base/buf.h"
#include "box/attend.h"
#include "box/bare.h"
#include "box/pairing.h"
#include "box/parts.h"
#include "box/usage.h"
#include "config/config.h"
#include "config/fields.h"
#include "escapement/escapement.h"
#include "gateway/gateway.h"
#include "hub/dialect.h"
#include "hub/hub.h"
#include "native/native.h"
#include "play/house/playhouse.h"
#include "source/known.h"
#include "source/source.h"
#include "voice/handle.h"
#include "voice/voice.h"

#define NAMES_MAX 512

/* ---- what they are made of ---- */

static struct native_moment look_at_stage(void *self, struct buf *out)
{
	struct playhouse *p = ((struct box *)self)->playhouse;
	double at_ms = playhouse_look(p, out);

	return (struct native_moment){theatre_version(playhouse_theatre(p)), at_ms};
}

static bool stage_since(void *self, uint64_t version, native_command_fn *each, void *of)
{
	return playhouse_since(((struct box *)self)->playhouse, version, each, of);
}

static void *make_native(struct box *box)
{
	struct native_options o = {
		.self = box,
		.sources = box_list_sources,
		.protocols = sources_protocols_json,
		.stage = {.self = box, .look = look_at_stage, .since = stage_since},
		.prompts = box->prompts,
		.crew = box->crew,
		.matters = box_matters,
	};

	box->native = native_create(&o);
	return box->native;
}

static void free_native(void *of)
{
	native_destroy(of);
}

static void *make_run(struct box *box)
{
	struct escapement_options o = {
		.runs = box->runs,
		.prompts = box->prompts,
		.bus = box->bus,
		.message_max = box->config->limits.message,
	};

	box->escapement = escapement_create(&o);
	return box->escapement;
}

static void free_run(void *of)
{
	escapement_destroy(of);
}

static void each_askable(void *self, void (*each)(void *of, struct text source), void *of)
{
	const struct sources *sources = ((struct box *)self)->sources;

	for (struct source *s = sources_next(sources, NULL); s; s = sources_next(sources, s))
		if (source_takes_asks(s))
			each(of, source_id(s));
}

static void each_model(void *self, void (*each)(void *of, struct text source, struct text model),
                       void *of)
{
	const struct sources *sources = ((struct box *)self)->sources;

	for (struct source *s = sources_next(sources, NULL); s; s = sources_next(sources, s)) {
		each(of, source_id(s), source_model(s));
		for (size_t i = 0; i < source_model_count(s); i++)
			each(of, source_id(s), source_model_at(s, i));
	}
}

static void *make_gateway(struct box *box)
{
	struct gateway_options o = {
		.config = config_group(box->config, &gateway_settings),
		.loop = box->loop,
		.bus = box->bus,
		.journal = box->journal,
		.runs = box->runs,
		.prompts = box->prompts,
		.crew = box->crew,
		.spending = box_spending(box),
		.self = box,
		.askable = each_askable,
		.models = each_model,
		.data = box->config->data,
		.token_mark = box_token_mark,
		.token_scopes = box_token_scopes,
	};

	return gateway_create(&o);
}

static void reload_gateway(struct box *box, void *of)
{
	gateway_reload(of, config_group(box->config, &gateway_settings));
}

static void free_gateway(void *of)
{
	gateway_destroy(of);
}

static void *make_voice(struct box *box)
{
	struct voice_options o = {
		.config = config_group(box->config, &voice_settings),
		.loop = box->loop,
		.bus = box->bus,
		.back = box_back(box),
		.data = box->config->data,
		.message_max = box->config->limits.message,
	};

	return voice_create(&o);
}

static void reload_voice(struct box *box, void *of)
{
	voice_reload(of, config_group(box->config, &voice_settings));
}

static void free_voice(void *of)
{
	voice_destroy(of);
}

static const struct {
	const struct dialect *dialect;
	void *(*make)(struct box *box); /* NULL: it needs nothing */
	void (*free)(void *of);
	void (*reload)(struct box *box, void *of); /* NULL: it has nothing of the configuration */
	bool on_request;                           /* --echo */
} rows[] = {
	{&dialect_native, make_native, free_native},
	{&dialect_signals},
	{&dialect_sse},
	{&dialect_run, make_run, free_run},
	{&dialect_gateway, make_gateway, free_gateway, reload_gateway},
	{&dialect_voice, make_voice, free_voice, reload_voice},
	{&dialect_echo, .on_request = true},
};

#define ROWS (sizeof(rows) / sizeof(*rows))

_Static_assert(ROWS <= BOX_DIALECTS_MAX, "every dialect fits the list that the hub is given");

size_t box_make_dialects(struct box *box, struct hub_dialect *out)
{
	size_t count = 0;

	box_make_bare(box);
	for (size_t i = 0; i < ROWS; i++) {
		if (rows[i].on_request && !box->options->echo)
			continue;
		box->made[i] = rows[i].make ? rows[i].make(box) : NULL;
		out[count++] = (struct hub_dialect){rows[i].dialect, box->made[i]};
	}
	return count;
}

void *box_of_dialect(const struct box *box, const struct dialect *dialect)
{
	for (size_t i = 0; i < ROWS; i++)
		if (rows[i].dialect == dialect)
			return box->made[i];
	return NULL;
}

void box_free_dialects(struct box *box)
{
	box_close_bare(box);
	box->native = NULL;
	box->escapement = NULL;
	for (size_t i = 0; i < ROWS; i++)
		if (box->made[i])
			rows[i].free(box->made[i]);
}

void box_follow_dialects(struct box *box)
{
	for (size_t i = 0; i < ROWS; i++)
		if (rows[i].reload && box->made[i])
			rows[i].reload(box, box->made[i]);
}

void box_declare_dialects(void)
{
	for (size_t i = 0; i < ROWS; i++)
		if (rows[i].dialect->settings)
			config_add_group(rows[i].dialect->settings);
}

/* ---- what they are told ---- */

void box_tell(struct box *box, const struct news *news)
{
	if (box->hub)
		hub_tell(box->hub, news);
}

/* ---- which of them a listener may pin ---- */

bool box_can_pin(struct text name, struct error *why)
{
	struct buf names;

	if (box_is_bare(name))
		return true;
	buf_init(&names, NAMES_MAX);
	for (size_t i = 0; i < ROWS; i++) {
		if (!rows[i].dialect->pins)
			continue;
		if (text_is(name, rows[i].dialect->name)) {
			buf_finish(&names);
			return true;
		}
		buf_print(&names, "%s%s", names.len ? ", " : "", rows[i].dialect->name);
	}
	buf_print(&names, ", %s", HANDLE_DIALECT);
	error_set(why, "'%.*s' is no dialect that a listener can pin; there are %.*s",
	          TEXT_ARG(name), TEXT_ARG(buf_text(&names)));
	buf_finish(&names);
	return false;
}
