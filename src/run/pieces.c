/* pieces.c - frames that an agent sent, opened where their number is. */
#include "run/inside.h"
#include "run/raw.h"

void pieces_add(const struct pieces *p, bool merged, uint64_t number, struct buf *out)
{
	uint64_t own;

	buf_add(out, p->head);
	if (p->is_agents && !merged && text_to_u64(p->own, &own)) {
		buf_add(out, p->own);
	} else if (p->is_numbered) {
		if (p->is_agents && !p->own.len)
			buf_add(out, TEXT(",\"seq\":"));
		buf_add_u64(out, number);
	}
	buf_add(out, p->tail);
}

struct text translate_origin(const struct json_reader *reader, struct text line,
                             yyjson_val *envelope, bool *is_dialect)
{
	yyjson_val *origin = yyjson_obj_get(yyjson_obj_get(envelope, "metadata"), "origin");
	yyjson_val *frame = raw_key(origin, "frame");

	*is_dialect = text_is(json_text(yyjson_obj_get(origin, "dialect")), "run");
	if (!*is_dialect || !yyjson_is_obj(yyjson_obj_get(origin, "frame")))
		return TEXT("");
	return raw_value(reader, line, frame);
}

/* ---- phases ---- */

static bool is_new(const struct translate *t, struct text config)
{
	return !t->phase || !text_is(config, t->phase);
}

static void keep_phase(struct translate *t, struct text config)
{
	free(t->phase);
	t->phase = text_dup(config);
}

void translate_phase(struct translate *t, const struct translation *of, struct text config,
                     const char *more)
{
	struct buf *out = of->scratch;

	if (!is_new(t, config))
		return;
	keep_phase(t, config);
	buf_clear(out);
	out->full = false;
	buf_add(out, TEXT("{\"kind\":\"phase\",\"ts\":"));
	json_add_number(out, of->s->at_ms);
	buf_add(out, TEXT(",\"config\":"));
	buf_add(out, config);
	buf_add(out, text_of(more));
	buf_add_char(out, '}');
	if (!out->full)
		of->each(of->self, &(struct pieces){.head = buf_text(out)});
}

/* The configuration that a frame of an agent brings, as it wrote it; empty: it brings none. */
static struct text config_of(const struct translation *of, yyjson_val *frame, const char *name)
{
	yyjson_val *key = raw_key(frame, name);

	if (!yyjson_is_arr(yyjson_obj_get(frame, name)))
		return TEXT("");
	return raw_value(of->reader, of->s->line, key);
}

/* An agent that does not tell its phases has them in what it tells of itself. */
static void phase_of_event(struct translate *t, const struct translation *of, yyjson_val *frame)
{
	struct text event = json_text(yyjson_obj_get(frame, "event"));
	yyjson_val *data = yyjson_obj_get(frame, "data");
	struct text config = TEXT("");

	if (text_is(event, "runner/event-processed"))
		config = config_of(of, data, "config-after");
	else if (text_is(event, "runner/start-config"))
		config = config_of(of, data, "config");
	if (config.len)
		translate_phase(t, of, config, "");
}

/* ---- frames of agents ---- */

/* What an agent sent, as it was; an event opens where its number is, or could be. */
void translate_frame(struct translate *t, const struct translation *of, struct text raw)
{
	yyjson_val *origin = yyjson_obj_get(yyjson_obj_get(of->envelope, "metadata"), "origin");
	yyjson_val *frame = yyjson_obj_get(origin, "frame");
	yyjson_val *kind = raw_key(frame, "kind"), *seq = raw_key(frame, "seq");
	struct text name = json_text(yyjson_obj_get(frame, "kind")), config;
	struct pieces p = {.head = raw, .is_agents = true};
	struct text at;

	if (text_is(name, "prompt") || yyjson_obj_size(frame) == 0)
		return;
	config = text_is(name, "phase") ? config_of(of, frame, "config") : TEXT("");
	if (config.len)
		keep_phase(t, config);
	p.is_numbered = !kind || text_is(name, "event");
	if (p.is_numbered)
		phase_of_event(t, of, frame);
	if (p.is_numbered && seq) {
		p.own = raw_value(of->reader, of->s->line, seq);
		p.head = raw_before(raw, p.own);
		p.tail = raw_after(raw, p.own);
	} else if (p.is_numbered) {
		at = kind ? raw_value(of->reader, of->s->line, kind)
		          : (struct text){raw.at, raw.len - 1};
		p.tail = raw_after(raw, at);
		p.head = raw_before(raw, p.tail);
	}
	of->each(of->self, &p);
}
