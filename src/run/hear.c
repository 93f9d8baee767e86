/* hear.c - what signals mean for the run that they are of. */
#include "run/hear.h"

#include <stdlib.h>

#include "base/must.h"
#include "bus/admit.h"
#include "run/inside.h"
#include "run/raw.h"
#include "signal/session.h"

#define CONFIG_MAX (8 * MIB) /* of a phase, as JSON; a longer one is none */

/* One signal, on its way to being events. */
struct hear_work {
	struct hearing *h;
	const struct signal *s;
	run_event_fn *each;
	void *self;
	yyjson_val *payload;
	struct text invoke, session, part, parent;
	struct name *name;
};

static struct text field(const struct hear_work *w, const char *name)
{
	return json_text_at(w->payload, name);
}

static struct run_event event(const struct hear_work *w, enum run_event_kind kind)
{
	return (struct run_event){
		.kind = kind,
		.is_counted = true,
		.ts = w->s->at_ms,
		.invoke = w->invoke,
		.session = w->session,
		.part = w->part,
		.parent = w->parent,
	};
}

/* Of its model, too. */
static struct run_event event_of_model(const struct hear_work *w, enum run_event_kind kind)
{
	struct run_event e = event(w, kind);

	if (w->name->model)
		e.model = text_of(w->name->model);
	return e;
}

static void tell(const struct hear_work *w, const struct run_event *e)
{
	w->each(w->self, e);
}

/* ---- models ---- */

static void start(struct hear_work *w)
{
	struct name *n = w->name;
	struct run_event e = event_of_model(w, RUN_BEGAN);

	n->is_started = true;
	n->has_failed = n->has_usage = false;
	n->start_ms = w->s->at_ms;
	names_drop_words(w->h, n);
	tell(w, &e);
}

static void need_start(struct hear_work *w)
{
	if (!w->name->is_started)
		start(w);
}

static void hear_dispatch(struct hear_work *w)
{
	struct run_event e = event(w, RUN_TOLD);

	e.from = field(w, "from");
	e.task = field(w, "taskId");
	e.text = field(w, "description");
	if (!e.text.len)
		e.text = e.task;
	tell(w, &e);
	start(w);
	w->name->task = e.task.len && e.task.len <= TRANSLATE_RUN_MAX &&
	                                !memchr(e.task.at, '\0', e.task.len)
	                        ? text_dup(e.task)
	                        : NULL;
}

/* Pieces of one message are numbered; where the message has an id, the first of them begins it. */
static bool begins_message(const struct hear_work *w)
{
	yyjson_val *metadata = yyjson_obj_get(w->s->envelope, "metadata");
	yyjson_val *index = yyjson_obj_get(w->payload, "index");

	return yyjson_is_uint(index) && yyjson_get_uint(index) == 0 &&
	       json_text_at(metadata, "message_id").len > 0;
}

static void hear_piece(struct hear_work *w, bool is_thought)
{
	struct run_event e;

	need_start(w);
	e = event_of_model(w, RUN_SAID);
	e.is_thought = is_thought;
	e.text = field(w, "content");
	e.begins = begins_message(w);
	tell(w, &e);
	if (e.begins && !is_thought && w->name->words.len)
		names_keep_words(w->h, w->name, TEXT("\n\n"));
	if (!is_thought)
		names_keep_words(w->h, w->name, e.text);
}

static void hear_words(struct hear_work *w)
{
	hear_piece(w, false);
}

static void hear_thinking(struct hear_work *w)
{
	hear_piece(w, true);
}

/* It is told with the next reply. */
static void hear_usage(struct hear_work *w)
{
	struct name *n = w->name;
	struct text model = field(w, "model");

	n->has_usage = true;
	n->input_tokens = yyjson_get_uint(yyjson_obj_get(w->payload, "promptTokens"));
	n->output_tokens = yyjson_get_uint(yyjson_obj_get(w->payload, "completionTokens"));
	if (model.len && model.len <= TRANSLATE_RUN_MAX) {
		free(n->model);
		n->model = text_dup(model);
	}
}

/* What was said since it began, or since the last one; and what it calls, if it does. */
static void reply(struct hear_work *w, struct run_event *e)
{
	struct name *n = w->name;
	double elapsed_ms = w->s->at_ms - n->start_ms;

	if (n->words.len)
		e->text = buf_text(&n->words);
	e->has_usage = n->has_usage;
	e->input_tokens = n->has_usage ? n->input_tokens : 0;
	e->output_tokens = n->has_usage ? n->output_tokens : 0;
	e->elapsed_ms = elapsed_ms > 0 ? elapsed_ms : 0;
	tell(w, e);
	n->has_usage = false;
	names_drop_words(w->h, n);
}

static void hear_call(struct hear_work *w)
{
	struct run_event e;

	need_start(w);
	e = event_of_model(w, RUN_REPLIED);
	e.has_call = true;
	e.tool = field(w, "toolName");
	e.call = field(w, "callId");
	e.input = yyjson_obj_get(w->payload, "input");
	reply(w, &e);
}

static bool says_failed(const struct hear_work *w)
{
	return yyjson_is_false(yyjson_obj_get(w->payload, "success"));
}

static void hear_result(struct hear_work *w)
{
	struct run_event e;

	need_start(w);
	e = event(w, RUN_RETURNED);
	e.tool = field(w, "toolName");
	e.call = field(w, "callId");
	e.has_failed = says_failed(w);
	e.output = yyjson_obj_get(w->payload, "output");
	tell(w, &e);
}

static void fail(struct hear_work *w, struct text words)
{
	struct run_event e;

	need_start(w);
	e = event(w, RUN_FAILED);
	e.text = words;
	tell(w, &e);
	w->name->has_failed = true;
}

static void hear_error(struct hear_work *w)
{
	fail(w, field(w, "message"));
}

static void drop_task(struct name *n)
{
	free(n->task);
	n->task = NULL;
}

/* A source that was asked may answer under another name, that of its model. */
static void end_asked(struct hear_work *w, bool has_failed)
{
	struct run_event e = event(w, RUN_LEFT);
	struct text asked;

	e.part = e.parent = TEXT("");
	e.has_failed = has_failed;
	while ((asked = names_given(w->h, field(w, "taskId"), w->name)).len) {
		char *name = text_dup(asked);

		e.invoke = (struct text){name, asked.len};
		tell(w, &e);
		names_remove(w->h, e.invoke);
		free(name);
	}
}

/* Parsers of streams put the reason to stop, or a count, where others have their last words. */
static bool says_how_it_ended(const struct hear_work *w, struct text result)
{
	yyjson_val *metadata = yyjson_obj_get(w->s->envelope, "metadata");

	return text_equal(result, json_text_at(metadata, "stopReason")) ||
	       text_is(result, "Anthropic stream completed") ||
	       (text_starts(result, TEXT("Stream completed (")) &&
	        text_ends(result, TEXT(" chunks)")));
}

static void hear_completion(struct hear_work *w)
{
	struct text result = field(w, "result");
	bool failed = says_failed(w);
	struct run_event e;

	need_start(w);
	if (!failed) {
		e = event_of_model(w, RUN_REPLIED);
		e.text = result;
		e.is_note = !w->name->words.len && says_how_it_ended(w, result);
		reply(w, &e);
	} else if (!w->name->has_failed) {
		fail(w, result.len ? result : TEXT("it failed"));
	}
	e = event(w, RUN_LEFT);
	e.has_failed = failed;
	tell(w, &e);
	end_asked(w, failed);
	names_remove(w->h, w->invoke);
}

/* ---- states ---- */

/* A configuration is told once, and before the event that brings it. */
static void tell_phase(const struct hear_work *w, struct run_event *e)
{
	struct hearing *h = w->h;

	if (h->phase && text_is(e->config_json, h->phase))
		return;
	free(h->phase);
	h->phase = text_dup(e->config_json);
	tell(w, e);
}

static void hear_state(struct hear_work *w)
{
	struct text to = field(w, "to");
	const struct text config[] = {w->invoke, to.at ? to : TEXT("")};
	struct run_event e = event(w, RUN_PHASE);
	struct buf json;

	buf_init(&json, CONFIG_MAX);
	buf_add_char(&json, '[');
	buf_add_json(&json, config[0]);
	buf_add_char(&json, ',');
	buf_add_json(&json, config[1]);
	buf_add_char(&json, ']');
	e.is_counted = false;
	e.config = e.breadcrumb = (struct run_states){.texts = config, .count = 2};
	e.siblings = (struct run_states){.texts = run_agent_states, .count = RUN_AGENT_STATES};
	e.config_json = buf_text(&json);
	if (!json.full)
		tell_phase(w, &e);
	buf_finish(&json);
	e = event(w, RUN_MOVED);
	e.config = (struct run_states){.texts = config, .count = 2};
	tell(w, &e);
}

/* ---- people, and all else ---- */

/* What a signal of another type is: a prompt, what the box says of one, or an event of
 * that name. */
static enum run_event_kind kind_of_prompt(const struct hear_work *w)
{
	static const struct {
		const char *type;
		enum run_event_kind kind;
	} ours[] = {
		{"answer", RUN_ANSWERED},
		{"prompt.closed", RUN_CLOSED},
		{"prompt.settled", RUN_SETTLED},
		{"prompt.told", RUN_UNREAD},
	};
	const struct signal *s = w->s;

	if (text_is(s->type, "prompt"))
		return RUN_ASKED;
	if (!text_equal(s->source, SOURCE_OF_BOX))
		return RUN_NOTED;
	for (size_t i = 0; i < sizeof(ours) / sizeof(*ours); i++)
		if (text_is(s->type, ours[i].type))
			return ours[i].kind;
	return RUN_NOTED;
}

static void hear_other(struct hear_work *w)
{
	struct run_event e = {.form = RUN_NAMED, .ts = w->s->at_ms};

	if (w->s->type.len)
		event_of_name(&e, w->s->type, w->payload);
	tell(w, &e);
}

/* Both at once: what somebody wrote to the box, and what the box said to it. */
static void hear_command(const struct hear_work *w)
{
	struct run_event e = event(w, RUN_TOLD);

	e.text = field(w, "command");
	tell(w, &e);
	e = event(w, RUN_REPLIED);
	e.text = field(w, "answer");
	tell(w, &e);
	e = event(w, RUN_LEFT);
	tell(w, &e);
}

static void hear_by_name(struct hear_work *w)
{
	enum run_event_kind kind = kind_of_prompt(w);
	struct run_event e = event(w, kind);

	if (session_is_command(w->s->type, w->s->source)) {
		hear_command(w);
		return;
	}
	if (kind == RUN_NOTED)
		hear_other(w);
	if (kind == RUN_NOTED || kind == RUN_UNREAD)
		return;
	e.invoke = field(w, "invokeid");
	if (kind == RUN_ANSWERED && !yyjson_obj_get(w->payload, "value"))
		e.kind = RUN_CLOSED;
	tell(w, &e);
}

/* ---- what an agent of the run dialect sent ---- */

/* An agent that does not tell its phases has them in what it tells of itself. */
static void phase_of_event(const struct hear_work *w, const struct run_event *moved,
                           const struct frame *frame)
{
	struct run_event e = {.kind = RUN_PHASE, .ts = w->s->at_ms, .config = moved->config};
	const char *name = text_is(frame->event, "runner/start-config") ? "config" : "config-after";

	if (moved->kind != RUN_MOVED || !moved->config.array)
		return;
	e.config_json = raw_value(w->s->reader, w->s->line, raw_key(frame->data, name));
	tell_phase(w, &e);
}

static void hear_frame(const struct hear_work *w, yyjson_val *root)
{
	struct hearing *h = w->h;
	struct run_event e = {.form = RUN_FRAMED};
	struct frame frame;

	if (text_is(json_text_at(root, "kind"), "prompt") || yyjson_obj_size(root) == 0)
		return;
	if (frame_take(&frame, root, NULL)) {
		event_of_frame(&e, &frame);
		phase_of_event(w, &e, &frame);
	}
	if (e.kind == RUN_PHASE && e.config.array) {
		free(h->phase);
		h->phase = text_dup(raw_value(w->s->reader, w->s->line, raw_key(root, "config")));
	}
	tell(w, &e);
}

/* ---- one signal ---- */

static void (*const hearers[KIND_COUNT])(struct hear_work *w) = {
	[KIND_OTHER] = hear_by_name,     [KIND_TASK_DISPATCH] = hear_dispatch,
	[KIND_TOOL_CALL] = hear_call,    [KIND_TOOL_RESULT] = hear_result,
	[KIND_TOKEN_USAGE] = hear_usage, [KIND_AGENT_STATE_CHANGE] = hear_state,
	[KIND_ERROR] = hear_error,       [KIND_COMPLETION] = hear_completion,
	[KIND_TEXT_DELTA] = hear_words,  [KIND_THINKING] = hear_thinking,
};

bool run_is_told(const struct signal *s)
{
	return s->kind == KIND_OTHER && text_is(s->type, "gateway.frame");
}

struct text run_of_signal(const struct signal *s)
{
	bool has_own = s->correlation.len > 0;
	struct text run = has_own ? s->correlation : s->source;

	if (run.len > TRANSLATE_RUN_MAX ||
	    (!has_own && (text_equal(run, SOURCE_OF_BOX) || text_is(run, "stage") ||
	                  run_is_told(s) || text_starts(s->type, TEXT("usage.")))))
		return TEXT("");
	return run;
}

static struct text invoke_of(yyjson_val *payload, struct text source)
{
	struct text agent = json_text_at(payload, "agentId");
	struct text to = json_text_at(payload, "to");

	return agent.len ? agent : to.len ? to : source;
}

void hear_signal(struct hearing *h, const struct signal *s, run_event_fn *each, void *self)
{
	struct hear_work w = {.h = h, .s = s, .each = each, .self = self};
	yyjson_val *metadata = yyjson_obj_get(s->envelope, "metadata");
	yyjson_val *origin = yyjson_obj_get(metadata, "origin");
	enum signal_kind kind = s->kind;

	if (origin && text_is(json_text_at(origin, "dialect"), "run")) {
		yyjson_val *frame = yyjson_obj_get(origin, "frame");

		/* That a session is paused is also told of agents that do not speak it. */
		if (!text_is(json_text_at(frame, "kind"), "debug"))
			h->is_dialect = true;
		hear_frame(&w, frame);
		return;
	}
	if (h->is_dialect || run_is_told(s))
		return;
	w.payload = yyjson_obj_get(s->envelope, "payload");
	w.session = run_of_signal(s);
	w.invoke = invoke_of(w.payload, s->source);
	if (metadata) {
		w.part = json_text_at(metadata, "agent_id");
		w.parent = json_text_at(metadata, "parent_tool_use_id");
	}
	if (kind != KIND_OTHER && kind != KIND_AGENT_STATE_CHANGE && hearers[kind])
		w.name = names_find(h, w.invoke);
	if (w.name && w.name->task && kind != KIND_TOKEN_USAGE)
		drop_task(w.name);
	(hearers[kind] ? hearers[kind] : hear_other)(&w);
}

void hearing_init(struct hearing *h)
{
	*h = (struct hearing){0};
	map_init(&h->names);
}

void hearing_finish(struct hearing *h)
{
	names_forget(h);
	map_finish(&h->names);
	free(h->phase);
}
