/* translate.c - events, written as frames of the run dialect. */
#include "run/translate.h"

#include "base/utf8.h"
#include "run/inside.h"
#include "run/raw.h"

/* A frame that is being written. */
struct translate_work {
	const struct signal *s;
	const struct run_event *e;
	struct buf *out;
	yyjson_val *payload; /* of the signal */
	size_t head;         /* of the frame: what is before its number */
	bool has_data;       /* it has a member already */
};

/* --- writing an event ------------------------------------------------------ */

#define HEAD "{\"kind\":\"event\",\"seq\":"
#define DELTA ",\"event\":\"llm/delta\",\"data\":{\"type\":\""

static void begin_event(struct translate_work *w, struct text event)
{
	w->head = sizeof(HEAD) - 1;
	buf_add(w->out, TEXT(HEAD ",\"ts\":"));
	json_add_number(w->out, w->e->ts);
	buf_add(w->out, TEXT(",\"event\":"));
	buf_add_json(w->out, event);
	buf_add(w->out, TEXT(",\"data\":"));
}

static struct buf *member(struct translate_work *w, const char *name)
{
	buf_add(w->out, w->has_data ? TEXT(",\"") : TEXT("{\""));
	buf_add(w->out, text_of(name));
	buf_add(w->out, TEXT("\":"));
	w->has_data = true;
	return w->out;
}

static void give_text(struct translate_work *w, const char *name, struct text text)
{
	buf_add_json(member(w, name), text);
}

static void give_known(struct translate_work *w, const char *name, struct text text)
{
	if (text.len)
		give_text(w, name, text);
}

static void give_model(struct translate_work *w)
{
	if (w->e->model.at)
		give_text(w, "model", w->e->model);
}

static void end_event(struct translate_work *w)
{
	buf_add(w->out, TEXT("}}"));
}

/* Every event of a model says whose it is. */
static void end_model(struct translate_work *w)
{
	give_text(w, "invokeid", w->e->invoke);
	give_text(w, "session-id", w->e->session);
	give_known(w, "subagent", w->e->part);
	end_event(w);
}

static struct text field(const struct translate_work *w, const char *name)
{
	return json_text_at(w->payload, name);
}

/* --- models ---------------------------------------------------------------- */

static void write_told(struct translate_work *w)
{
	begin_event(w, TEXT("llm/user-message"));
	give_text(w, "text", w->e->text);
	end_model(w);
}

static void write_began(struct translate_work *w)
{
	begin_event(w, TEXT("llm/start"));
	give_model(w);
	end_model(w);
}

/* Most events are of this kind: it is written in as few pieces as can be. */
static void write_said(struct translate_work *w)
{
	w->head = sizeof(HEAD) - 1;
	w->has_data = true;
	buf_add(w->out, TEXT(HEAD ",\"ts\":"));
	json_add_number(w->out, w->e->ts);
	buf_add(w->out, w->e->is_thought ? TEXT(DELTA "thinking-delta\",\"text\":")
	                                 : TEXT(DELTA "text-delta\",\"text\":"));
	buf_add_json(w->out, w->e->text);
	give_model(w);
	buf_add(w->out, TEXT(",\"invokeid\":"));
	buf_add_json(w->out, w->e->invoke);
	buf_add(w->out, TEXT(",\"session-id\":"));
	buf_add_json(w->out, w->e->session);
	give_known(w, "subagent", w->e->part);
	end_event(w);
}

static void give_tool(struct translate_work *w)
{
	yyjson_val *input = raw_key(w->payload, "input");

	buf_add(w->out, TEXT("{\"type\":\"tool_use\""));
	give_known(w, "id", w->e->call);
	buf_add(w->out, TEXT(",\"name\":"));
	buf_add_json(w->out, w->e->tool);
	buf_add(w->out, TEXT(",\"input\":"));
	buf_add(w->out, input ? raw_value(w->s->reader, w->s->line, input) : TEXT("{}"));
	buf_add_char(w->out, '}');
}

static void give_content(struct translate_work *w)
{
	struct text words = w->e->text;

	buf_add_char(member(w, "content"), '[');
	if (words.len) {
		buf_add(w->out, TEXT("{\"type\":\"text\",\"text\":"));
		buf_add_json(w->out, words);
		buf_add_char(w->out, '}');
	}
	if (words.len && w->e->has_call)
		buf_add_char(w->out, ',');
	if (w->e->has_call)
		give_tool(w);
	buf_add_char(w->out, ']');
}

static void write_reply(struct translate_work *w)
{
	const struct run_event *e = w->e;

	begin_event(w, TEXT("llm/response"));
	give_content(w);
	give_text(w, "stop-reason", e->has_call ? TEXT("tool_use") : TEXT("end_turn"));
	if (e->has_usage)
		buf_print(member(w, "usage"), "{\"input-tokens\":%llu,\"output-tokens\":%llu}",
		          (unsigned long long)e->input_tokens,
		          (unsigned long long)e->output_tokens);
	give_model(w);
	json_add_number(member(w, "elapsed-ms"), e->elapsed_ms);
	end_model(w);
}

/* As a person would see it: a text as it is, all else as JSON. */
static void give_preview(struct translate_work *w)
{
	yyjson_val *output = w->e->output;
	yyjson_val *value = yyjson_obj_size(output) == 1 ? yyjson_obj_get(output, "value") : NULL;
	struct buf shown;
	struct text t;

	buf_init(&shown, TRANSLATE_FRAME_MAX);
	if (!yyjson_is_str(value))
		json_add(&shown, value ? value : output);
	t = yyjson_is_str(value) ? json_text(value) : buf_text(&shown);
	give_text(w, "content-preview", utf8_cut(t, TRANSLATE_PREVIEW_MAX));
	buf_finish(&shown);
}

static void write_returned(struct translate_work *w)
{
	begin_event(w, TEXT("llm/tool-result"));
	give_text(w, "tool", w->e->tool);
	buf_add(member(w, "is-error"), w->e->has_failed ? TEXT("true") : TEXT("false"));
	if (w->e->output)
		give_preview(w);
	end_model(w);
}

static void write_failed(struct translate_work *w)
{
	begin_event(w, TEXT("llm/error"));
	give_text(w, "message", w->e->text);
	end_model(w);
}

static void write_left(struct translate_work *w)
{
	begin_event(w, TEXT("llm/worker-exit"));
	give_text(w, "reason", w->e->has_failed ? TEXT("error") : TEXT("done"));
	end_model(w);
}

/* --- states ---------------------------------------------------------------- */

static void add_states(struct buf *out, const struct run_states *states)
{
	struct run_states_walk walk = run_states_walk(states);
	const char *between = "[";
	struct text name;

	for (; run_states_next(&walk, &name); between = ",") {
		buf_add(out, text_of(between));
		buf_add_json(out, name);
	}
	buf_add(out, states->count ? TEXT("]") : TEXT("[]"));
}

/* The configuration as its agent wrote it; what is around it, if that is known. */
static void write_phase(struct translate_work *w)
{
	const struct run_event *e = w->e;

	buf_add(w->out, TEXT("{\"kind\":\"phase\",\"ts\":"));
	json_add_number(w->out, e->ts);
	buf_add(w->out, TEXT(",\"config\":"));
	buf_add(w->out, e->config_json);
	if (e->siblings.count) {
		buf_add(w->out, TEXT(",\"breadcrumb\":"));
		buf_add(w->out, e->config_json);
		buf_add(w->out, TEXT(",\"siblings\":"));
		add_states(w->out, &e->siblings);
	}
	buf_add_char(w->out, '}');
}

static void write_moved(struct translate_work *w)
{
	const struct text before[] = {w->e->invoke, field(w, "from")};
	struct text reason = field(w, "reason");

	begin_event(w, TEXT("runner/event-processed"));
	give_text(w, "event-name", w->s->type);
	add_states(member(w, "config-before"), &(struct run_states){.texts = before, .count = 2});
	add_states(member(w, "config-after"), &w->e->config);
	give_known(w, "reason", reason);
	give_text(w, "session-id", w->e->session);
	end_event(w);
}

/* --- people, and all else -------------------------------------------------- */

static void begin_human(struct translate_work *w, struct text event)
{
	struct text type = field(w, "type");

	begin_event(w, event);
	give_text(w, "kind", text_is(type, "multi") ? TEXT("multi-select") : type);
}

static void end_human(struct translate_work *w)
{
	give_known(w, "invokeid", w->e->invoke);
	give_text(w, "session-id", w->e->session);
	end_event(w);
}

static void write_asked(struct translate_work *w)
{
	begin_human(w, TEXT("human-input/start"));
	give_text(w, "prompt", field(w, "prompt"));
	end_human(w);
}

static void give_raw(struct translate_work *w, const char *name, const char *as)
{
	yyjson_val *key = raw_key(w->payload, name);

	if (key)
		buf_add(member(w, as), raw_value(w->s->reader, w->s->line, key));
}

static void write_answered(struct translate_work *w)
{
	begin_human(w, TEXT("human-input/answer"));
	give_raw(w, "value", "answer");
	give_raw(w, "by", "by");
	end_human(w);
}

/* Somebody said that they will not, or nobody can any more. */
static void write_closed(struct translate_work *w)
{
	begin_human(w, TEXT("human-input/cancelled"));
	if (text_is(w->s->type, "answer"))
		give_raw(w, "by", "by");
	else
		give_text(w, "reason", field(w, "why"));
	end_human(w);
}

static void write_settled(struct translate_work *w)
{
	begin_human(w, TEXT("human-input/settled"));
	give_raw(w, "by", "by");
	give_raw(w, "decision", "decision");
	end_human(w);
}

/* An event of the signal's name, with what it says. */
static void write_named(struct translate_work *w)
{
	yyjson_val *payload = raw_key(w->s->envelope, "payload");

	begin_event(w, w->s->type);
	buf_add(w->out, raw_value(w->s->reader, w->s->line, payload));
	buf_add_char(w->out, '}');
}

/* --- one event ------------------------------------------------------------- */

static void (*const writers[])(struct translate_work *w) = {
	[RUN_TOLD] = write_told,         [RUN_BEGAN] = write_began,
	[RUN_SAID] = write_said,         [RUN_REPLIED] = write_reply,
	[RUN_RETURNED] = write_returned, [RUN_FAILED] = write_failed,
	[RUN_LEFT] = write_left,         [RUN_ASKED] = write_asked,
	[RUN_ANSWERED] = write_answered, [RUN_CLOSED] = write_closed,
	[RUN_SETTLED] = write_settled,   [RUN_MOVED] = write_moved,
	[RUN_PHASE] = write_phase,
};

bool translate_event(const struct signal *s, const struct run_event *e, struct buf *scratch,
                     struct frame_pieces *out)
{
	struct translate_work w = {.s = s, .e = e, .out = scratch};
	struct text all;

	if (e->form == RUN_FRAMED) {
		pieces_of_agent(out, s);
		return true;
	}
	w.payload = yyjson_obj_get(s->envelope, "payload");
	buf_clear(scratch);
	scratch->full = false;
	(e->form == RUN_NAMED ? write_named : writers[e->kind])(&w);
	all = buf_text(scratch);
	*out = (struct frame_pieces){
		.head = {all.at, w.head ? w.head : all.len},
		.is_numbered = w.head > 0,
	};
	if (w.head)
		out->tail = (struct text){all.at + w.head, all.len - w.head};
	return !scratch->full;
}
