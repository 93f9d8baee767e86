/* discover.c - the probes, and what is done with what they find.
 *
 * A look is one round of probes; everybody who asks while it is under way gets its outcome.  A
 * port that answers is a service, but not yet trusted: OpenClaw is connected by itself only when
 * its own configuration, a file of our user, names a token and the listener is our user's too.
 */
#include "source/discover/discover.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <uv.h>

#include "base/list.h"
#include "base/log.h"
#include "base/map.h"
#include "base/must.h"
#include "base/put.h"
#include "base/random.h"
#include "net/address.h"
#include "net/dial.h"
#include "net/loop.h"
#include "net/peer.h"
#include "source/found.h"
#include "source/local.h"
#include "source/midi/midi_found.h"
#include "source/models/models.h"
#include "source/openclaw/openclaw_config.h"
#include "source/source.h"

#define PROBE_MS 300
#define ANSWER_MAX (4 * MIB)

enum service_index { CLAUDE_CODE, OPENCLAW, LM_STUDIO, OLLAMA, CODEX, OPENCODE, SERVICES };

static const struct service_facts {
	const char *id, *label, *protocol, *spoken;
	const char *scheme; /* of its URL; NULL: it has no address */
	bool lists_models;  /* it is asked for its models; else whether it accepts */
	bool needs_key;
} known[SERVICES] = {
	[CLAUDE_CODE] = {"local:claude-code", "Claude Code", "hook", "sse", NULL, false, false},
	[OPENCLAW] = {"local:openclaw", "OpenClaw", "openclaw", NULL, "ws", false, true},
	[LM_STUDIO] = {"local:lm-studio", "LM Studio", MODELS_PROTOCOL, NULL, "http", true, true},
	[OLLAMA] = {"local:ollama", "Ollama", MODELS_PROTOCOL, NULL, "http", true, false},
	[CODEX] = {"local:codex", "Codex", "codex", NULL, "ws", false, false},
	[OPENCODE] = {"local:opencode", "opencode", "opencode", NULL, "http", false, false},
};

struct probe {
	struct discover *discover;
	enum service_index service;
	char *address, *url;
	bool is_there;
	struct dial *dial;     /* under way */
	struct models *models; /* likewise */
	struct text *names;    /* what it listed: one block, texts and bytes */
	size_t name_count;
};

struct discover_ask {
	struct link in_discover; /* discover.asks */
	void (*done)(void *of, struct text json);
	void *of;
};

struct discover {
	struct discover_options options;
	struct probe probes[SERVICES];
	struct midi_found *midi;
	unsigned pending; /* of the look that is under way */
	bool is_looking, midi_pending;
	bool applies, asked;  /* the sources follow it; somebody wanted that */
	struct link asks;     /* discover_ask.in_discover */
	struct later ending;  /* the look may be over */
	uv_timer_t *midi_end; /* nobody waits longer for JACK than for the others */
	struct deadline next;
	uint64_t seed, tried; /* a hash of the token that was tried; 0: none */
};

/* ---- Claude Code ---- */

static bool is_program(const char *dir, size_t len)
{
	char *path = must_print("%.*s/claude", (int)len, dir);
	struct stat st;
	bool found = stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;

	free(path);
	return found;
}

static bool is_on_path(const char *path)
{
	struct text rest = text_of(path);

	while (rest.len) {
		struct text dir = text_cut(rest, ':', &rest);

		if (dir.len && is_program(dir.at, dir.len))
			return true;
	}
	return false;
}

static bool has_claude_code(void)
{
	const char *home = getenv("HOME"), *config = getenv("CLAUDE_CONFIG_DIR");
	char *dir;
	struct stat st;
	bool found;

	if (is_on_path(getenv("PATH")))
		return true;
	if (!home && !config)
		return false;
	dir = config ? must_dup(config) : must_print("%s/.claude", home);
	found = stat(dir, &st) == 0 && S_ISDIR(st.st_mode);
	free(dir);
	return found;
}

/* ---- the outcome ---- */

static struct local_service describe(const struct probe *p)
{
	const struct service_facts *k = &known[p->service];
	struct local_service s = {
		.id = text_of(k->id),
		.label = text_of(k->label),
		.protocol = text_of(k->protocol),
		.spoken = text_of(k->spoken),
		.url = text_of(p->url),
		.is_there = p->is_there,
		.needs_key = k->needs_key,
		.models = p->names,
		.model_count = p->name_count,
	};
	const struct discover_options *o = &p->discover->options;

	if (p->service == CLAUDE_CODE) {
		s.is_hook = true;
		s.comes = o->tapped && o->tapped(o->self);
	}
	return s;
}

static bool is_our_listener(const char *address)
{
	struct address at;
	uid_t uid;

	return address_parse(&at, address, NULL) && peer_of_listener(&at.sa.any, &uid) &&
	       uid == geteuid();
}

/* Once for each token, and again when the gateway was away: whoever disconnects it
 * wants it disconnected. */
static void connect_openclaw(struct discover *d)
{
	const struct probe *p = &d->probes[OPENCLAW];
	struct source *s = sources_find(d->options.sources, text_of(known[OPENCLAW].id));
	struct openclaw_config config;
	struct error why;
	uint64_t token;

	if (!p->is_there)
		d->tried = 0;
	if (!d->options.connects || !p->is_there || !s || source_state(s) != SOURCE_DISCONNECTED)
		return;
	openclaw_config_read(&config, openclaw_env);
	token = config.token ? map_hash(d->seed, text_of(config.token)) | 1 : 0;
	openclaw_config_finish(&config);
	if (!token || token == d->tried)
		return;
	d->tried = token;
	if (!is_our_listener(p->address))
		log_warn("source", "%s: the port is held by another user: not connected", p->url);
	else if (sources_connect(d->options.sources, source_id(s), &why) != BACK_DONE)
		log_warn("source", "%s: %s", p->url, why.words);
}

static void apply(struct discover *d)
{
	struct local_service found[SERVICES];
	struct local_look look = {.services = found, .count = SERVICES, .keeps_errors = !d->asked};

	for (size_t i = 0; i < SERVICES; i++)
		found[i] = describe(&d->probes[i]);
	local_reconcile(d->options.sources, &look);
	midi_found_apply(d->midi, d->options.sources, !d->asked);
	connect_openclaw(d);
}

static void add_answer(struct discover *d, struct buf *out)
{
	put_object(out, NULL);
	put_list(out, "services");
	for (size_t i = 0; i < SERVICES; i++) {
		struct local_service s = describe(&d->probes[i]);

		local_add_json(out, &s);
	}
	put_list_end(out);
	put_key(out, "midi");
	midi_found_json(d->midi, out);
	buf_add(out, TEXT("}\n"));
}

static void answer_all(struct discover *d)
{
	struct buf out;

	buf_init(&out, ANSWER_MAX);
	add_answer(d, &out);
	while (!list_is_empty(&d->asks)) {
		struct discover_ask *ask = list_of(d->asks.next, struct discover_ask, in_discover);

		list_remove(&ask->in_discover);
		ask->done(ask->of, buf_text(&out));
		free(ask);
	}
	buf_finish(&out);
}

static void end_look(struct later *later)
{
	struct discover *d = list_of(later, struct discover, ending);

	if (!d->is_looking || d->pending || d->midi_pending)
		return;
	d->is_looking = false;
	uv_timer_stop(d->midi_end);
	if (d->applies)
		apply(d);
	d->applies = d->asked = false;
	answer_all(d);
	if (d->options.interval_ms)
		deadline_set(d->options.loop, &d->next, d->options.interval_ms);
}

static void maybe_end(struct discover *d)
{
	loop_later(d->options.loop, &d->ending);
}

/* ---- the probes ---- */

static void forget_names(struct probe *p)
{
	free(p->names);
	p->names = NULL;
	p->name_count = 0;
}

static void keep_names(struct probe *p, const struct text *names, size_t n)
{
	size_t bytes = 0;
	char *at;

	for (size_t i = 0; i < n; i++)
		bytes += names[i].len;
	p->names = must_alloc(n * sizeof(*names) + bytes);
	at = (char *)(p->names + n);
	for (size_t i = 0; i < n; i++) {
		if (names[i].len)
			memcpy(at, names[i].at, names[i].len);
		p->names[i] = (struct text){at, names[i].len};
		at += names[i].len;
	}
	p->name_count = n;
}

static void probed(struct probe *p, bool is_there)
{
	p->is_there = is_there;
	p->discover->pending--;
	maybe_end(p->discover);
}

static void accepted(void *self, int fd)
{
	struct probe *p = self;

	close(fd);
	p->dial = NULL;
	probed(p, true);
}

static void refused(void *self, const char *why)
{
	((struct probe *)self)->dial = NULL;
	probed(self, false);
}

static void listed(void *self, const struct models_answer *answer)
{
	struct probe *p = self;
	bool is_there = answer->status >= 200 && answer->status < 300;

	p->models = NULL;
	forget_names(p);
	if (is_there && answer->count)
		keep_names(p, answer->names, answer->count);
	probed(p, is_there);
}

static void knock(struct probe *p)
{
	struct address at;
	struct text port;
	char *name = text_dup(text_cut(text_of(p->address), ':', &port));
	struct dial_options o = {
		.host = name,
		.port = (uint16_t)(address_parse(&at, p->address, NULL) ? address_port(&at) : 0),
		.ms = PROBE_MS,
		.self = p,
		.connected = accepted,
		.failed = refused};

	p->dial = dial_start(p->discover->options.loop, &o);
	free(name);
}

static void ask_for_models(struct probe *p)
{
	struct models_options o = {
		.url = p->url,
		.path = "/v1/models",
		.list = "data",
		.name = "id",
		.total_ms = PROBE_MS,
		.self = p,
		.done = listed,
	};

	p->models = models_ask(p->discover->options.requests, &o, NULL);
}

static void begin_probe(struct probe *p)
{
	const struct service_facts *k = &known[p->service];

	p->discover->pending++;
	if (!k->scheme) {
		probed(p, has_claude_code());
		return;
	}
	if (k->lists_models)
		ask_for_models(p);
	else
		knock(p);
	if (!p->dial && !p->models)
		probed(p, false);
}

/* OpenClaw's port may be changed while we run. */
static void place_openclaw(struct discover *d)
{
	struct probe *p = &d->probes[OPENCLAW];
	struct openclaw_config config;

	if (d->options.at.openclaw)
		return;
	openclaw_config_read(&config, openclaw_env);
	free(p->address);
	free(p->url);
	p->address = must_print("127.0.0.1:%u", config.port);
	p->url = must_print("ws://%s", p->address);
	openclaw_config_finish(&config);
}

static void midi_is_late(uv_timer_t *timer)
{
	struct discover *d = timer->data;

	d->midi_pending = false;
	maybe_end(d);
}

static void discover_look(struct discover *d)
{
	if (d->is_looking)
		return;
	d->is_looking = true;
	deadline_clear(&d->next);
	place_openclaw(d);
	found_look(d->options.sources); /* whoever takes a token is told */
	d->midi_pending = midi_found_look(d->midi);
	if (d->midi_pending)
		uv_timer_start(d->midi_end, midi_is_late, PROBE_MS, 0);
	for (size_t i = 0; i < SERVICES; i++)
		begin_probe(&d->probes[i]);
}

/* JACK has told what ports there are, because we asked or because one came or went. */
static void midi_told(void *self)
{
	struct discover *d = self;

	if (d->midi_pending) {
		d->midi_pending = false;
		maybe_end(d);
	}
	midi_found_apply(d->midi, d->options.sources, false);
}

static void is_time(struct deadline *deadline)
{
	struct discover *d = list_of(deadline, struct discover, next);

	d->applies = true;
	discover_look(d);
}

/* ---- life ---- */

struct discover_ask *discover_ask(struct discover *d, bool rescan,
                                  void (*done)(void *of, struct text json), void *of)
{
	struct discover_ask *ask = must_zero(1, sizeof(*ask));

	ask->done = done;
	ask->of = of;
	list_add(&d->asks, &ask->in_discover);
	d->applies = d->applies || rescan;
	d->asked = d->asked || rescan;
	discover_look(d);
	return ask;
}

void discover_forget(struct discover_ask *ask)
{
	list_remove(&ask->in_discover);
	free(ask);
}

static void discover_place(struct discover *d, enum service_index service, const char *address)
{
	struct probe *p = &d->probes[service];

	p->discover = d;
	p->service = service;
	p->address = must_dup(address);
	p->url = address ? must_print("%s://%s", known[service].scheme, address)
	                 : must_dup("/__signals__/stream");
}

struct discover *discover_create(const struct discover_options *options)
{
	struct discover *d = must_zero(1, sizeof(*d));

	d->options = *options;
	list_init(&d->asks);
	d->ending.run = end_look;
	d->next.fire = is_time;
	random_bytes(&d->seed, sizeof(d->seed));
	discover_place(d, CLAUDE_CODE, NULL);
	discover_place(d, OPENCLAW, options->at.openclaw);
	discover_place(d, LM_STUDIO, options->at.lm_studio);
	discover_place(d, OLLAMA, options->at.ollama);
	discover_place(d, CODEX, options->at.codex);
	discover_place(d, OPENCODE, options->at.opencode);
	d->midi_end = must_zero(1, sizeof(*d->midi_end));
	d->midi_end->data = d;
	uv_timer_init(loop_uv(options->loop), d->midi_end);
	d->midi = midi_found_create(options->loop, midi_told, d);
	if (options->interval_ms) {
		d->applies = true;
		discover_look(d);
	}
	return d;
}

static void free_timer(uv_handle_t *timer)
{
	free(timer);
}

void discover_destroy(struct discover *d)
{
	if (!d)
		return;
	answer_all(d); /* as far as it is known: nobody is left waiting */
	for (size_t i = 0; i < SERVICES; i++) {
		struct probe *p = &d->probes[i];

		dial_stop(p->dial);
		models_cancel(p->models);
		forget_names(p);
		free(p->address);
		free(p->url);
	}
	midi_found_destroy(d->midi);
	loop_forget(&d->ending);
	deadline_clear(&d->next);
	uv_close((uv_handle_t *)d->midi_end, free_timer);
	free(d);
}
