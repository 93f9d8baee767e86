/* describe.c - a source as JSON: what clients see of it.  Never its credential. */
#include "base/put.h"
#include "source/found.h"
#include "source/inside.h"

static void describe_add_member(struct buf *out, const char *name, const char *value)
{
	put_key(out, name);
	if (value)
		buf_add_json(out, text_of(value));
	else
		buf_add(out, TEXT("null"));
}

static void add_bool(struct buf *out, const char *name, bool value)
{
	put_bool(out, name, value);
}

/* 0 is never. */
static void describe_add_time(struct buf *out, const char *name, int64_t ms)
{
	if (ms)
		put_i64(out, name, ms);
	else
		put_word(out, name, NULL);
}

static void add_models(struct buf *out, const struct source *s)
{
	struct text model = source_model(s);

	put_list(out, "models");
	for (size_t i = 0; i < s->model_count; i++)
		put_word(out, NULL, s->models[i]);
	put_list_end(out);
	put_key(out, "model");
	if (model.len)
		buf_add_json(out, model);
	else
		buf_add(out, TEXT("null"));
}

static void add_abilities(struct buf *out, const struct transport *t)
{
	bool can[] = {t && t->ask, t && t->cancel, t && t->send};
	static const char *const names[] = {"ask", "cancel", "send"};
	const char *comma = "";

	put_list(out, "can");
	for (unsigned i = 0; i < 3; i++) {
		if (!can[i])
			continue;
		buf_print(out, "%s\"%s\"", comma, names[i]);
		comma = ",";
	}
	buf_add_char(out, ']');
}

/* How many signals came in the last whole second. */
static unsigned rate(const struct source *s)
{
	const struct source_counts *n = &s->counts;
	uint64_t second = loop_now_ms(s->all->options.loop) / 1000;

	if (second == n->second)
		return n->before;
	return second == n->second + 1 ? n->here : 0;
}

static void add_counters(struct buf *out, const struct source *s)
{
	const struct source_counts *n = &s->counts;

	put_u64(out, "eventsPerSecond", rate(s));
	put_u64(out, "signals", n->signals);
	put_u64(out, "bytes", n->bytes);
	put_u64(out, "badFrames", n->bad);
	put_u64(out, "dropped", n->dropped);
	put_u64(out, "connects", n->connects);
	describe_add_time(out, "lastSignalAt", n->last_ms);
}

/* All that a form has to know before there is a source, and a card beside its source. */
static void add_protocol(struct buf *out, const struct transport *t)
{
	put_object(out, NULL);
	put_word(out, "name", t->protocol);
	put_word(out, "label", t->label);
	put_list(out, "schemes");
	for (const char *const *scheme = t->schemes; scheme && *scheme; scheme++) {
		struct text rest;

		put_text(out, NULL, text_cut(text_of(*scheme), ':', &rest));
	}
	put_list_end(out);
	add_abilities(out, t);
	put_word(out, "credential", t->credential);
	put_bool(out, "needsCredential", t->needs_credential);
	put_word(out, "ownCredential", t->owner);
	put_bool(out, "mainSession", t->has_main_session);
	put_end(out);
}

void sources_protocols_json(struct buf *out)
{
	put_list(out, NULL);
	for (const struct transport *const *t = transports; *t; t++)
		add_protocol(out, *t);
	put_list_end(out);
}

void source_json(const struct source *s, struct buf *out)
{
	put_object(out, NULL);
	put_word(out, "id", s->id);
	describe_add_member(out, "name", s->name);
	describe_add_member(out, "url", s->url);
	describe_add_member(out, "protocol", s->protocol);
	describe_add_member(out, "category", s->is_local ? "local" : "remote");
	describe_add_member(out, "color", s->color);
	describe_add_member(out, "state", source_state_name(s->state));
	describe_add_member(out, "error", s->error);
	add_bool(out, "enabled", s->is_wanted);
	add_bool(out, "configured", s->is_configured);
	add_bool(out, "hasCredential", s->credential != NULL);
	describe_add_member(out, "credentialFrom", found_from(s));
	add_models(out, s);
	add_abilities(out, s->transport);
	put_u64(out, "attempt", s->state == SOURCE_CONNECTED ? 0 : s->backoff.tries);
	describe_add_time(out, "retryAt", s->retry_at_ms);
	add_counters(out, s);
	describe_add_member(out, "lastError", s->last_error);
	if (s->meta) {
		put_json(out, "meta", text_of(s->meta));
	}
	buf_add_char(out, '}');
}

void sources_json(const struct sources *all, struct buf *out)
{
	const char *comma = "";

	buf_add_char(out, '[');
	for (struct source *s = sources_next(all, NULL); s; s = sources_next(all, s)) {
		buf_add(out, text_of(comma));
		source_json(s, out);
		comma = ",";
	}
	buf_add_char(out, ']');
}
