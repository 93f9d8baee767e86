/* translate.c - what signals are in the run dialect. */
#include "run/translate.h"

#include <stdlib.h>

#include "base/must.h"
#include "base/utf8.h"
#include "bus/admit.h"
#include "run/inside.h"
#include "run/raw.h"

/* One signal under translation. */
struct work {
	struct translate *t;
	const struct translation *of;
	yyjson_val *payload;
	struct text invoke, session;
	struct name *name;
	size_t head;   /* of the frame that is being written */
	bool has_data; /* it has a member already */
};

/* --- writing an event ------------------------------------------------------ */

static void begin(struct work *w, struct text event)
{
	struct buf *out = w->of->scratch;

	buf_clear(out);
	out->full = false;
	buf_add(out, TEXT("{\"kind\":\"event\",\"seq\":"));
	w->head = out->len;
	buf_add(out, TEXT(",\"ts\":"));
	json_add_number(out, w->of->s->at_ms);
	buf_add(out, TEXT(",\"event\":"));
	buf_add_json(out, event);
	buf_add(out, TEXT(",\"data\":"));
	w->has_data = false;
}

static struct buf *member(struct work *w, const char *name)
{
	struct buf *out = w->of->scratch;

	buf_add(out, w->has_data ? TEXT(",\"") : TEXT("{\""));
	buf_add(out, text_of(name));
	buf_add(out, TEXT("\":"));
	w->has_data = true;
	return out;
}

static void give_text(struct work *w, const char *name, struct text text)
{
	buf_add_json(member(w, name), text);
}

static void finish(struct work *w)
{
	struct buf *out = w->of->scratch;
	struct text all;

	buf_add_char(out, '}');
	if (out->full)
		return;
	all = buf_text(out);
	w->of->each(w->of->self, &(struct pieces){
					 .head = {all.at, w->head},
					 .tail = {all.at + w->head, all.len - w->head},
					 .is_numbered = true,
				 });
}

/* Every event of a model says whose it is. */
static void end(struct work *w)
{
	give_text(w, "invokeid", w->invoke);
	give_text(w, "session-id", w->session);
	buf_add_char(w->of->scratch, '}');
	finish(w);
}

static struct text field(const struct work *w, const char *name)
{
	return json_text(yyjson_obj_get(w->payload, name));
}

/* --- models ---------------------------------------------------------------- */

static void start(struct work *w)
{
	struct name *n = w->name;

	n->is_started = true;
	n->has_failed = n->has_usage = false;
	n->start_ms = w->of->s->at_ms;
	names_drop_words(w->t, n);
	begin(w, TEXT("llm/start"));
	if (n->model)
		give_text(w, "model", text_of(n->model));
	end(w);
}

static void need_start(struct work *w)
{
	if (!w->name->is_started)
		start(w);
}

static void tell_dispatch(struct work *w)
{
	struct text words = field(w, "description");

	begin(w, TEXT("llm/user-message"));
	give_text(w, "text", words.len ? words : field(w, "taskId"));
	end(w);
	start(w);
}

static void tell_delta(struct work *w, const char *type)
{
	struct text words = field(w, "content");

	need_start(w);
	begin(w, TEXT("llm/delta"));
	give_text(w, "type", text_of(type));
	give_text(w, "text", words);
	if (w->name->model)
		give_text(w, "model", text_of(w->name->model));
	end(w);
}

static void tell_words(struct work *w)
{
	tell_delta(w, "text-delta");
	names_keep_words(w->t, w->name, field(w, "content"));
}

static void tell_thinking(struct work *w)
{
	tell_delta(w, "thinking-delta");
}

/* It is told with the next response. */
static void tell_usage(struct work *w)
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

static void give_tool(struct work *w, struct buf *out)
{
	yyjson_val *input = raw_key(w->payload, "input");
	struct text call = field(w, "callId");

	buf_add(out, TEXT("{\"type\":\"tool_use\""));
	if (call.len) {
		buf_add(out, TEXT(",\"id\":"));
		buf_add_json(out, call);
	}
	buf_add(out, TEXT(",\"name\":"));
	buf_add_json(out, field(w, "toolName"));
	buf_add(out, TEXT(",\"input\":"));
	buf_add(out, input ? raw_value(w->of->reader, w->of->s->line, input) : TEXT("{}"));
	buf_add_char(out, '}');
}

/* What was said since it began, or since the last one; then what it is for. */
static void give_content(struct work *w, bool has_tool)
{
	struct text words = buf_text(&w->name->words);
	struct buf *out = member(w, "content");

	if (!words.len && !has_tool)
		words = field(w, "result");
	buf_add_char(out, '[');
	if (words.len) {
		buf_add(out, TEXT("{\"type\":\"text\",\"text\":"));
		buf_add_json(out, words);
		buf_add_char(out, '}');
	}
	if (words.len && has_tool)
		buf_add_char(out, ',');
	if (has_tool)
		give_tool(w, out);
	buf_add_char(out, ']');
}

static void respond(struct work *w, bool has_tool)
{
	struct name *n = w->name;
	double elapsed_ms = w->of->s->at_ms - n->start_ms;

	begin(w, TEXT("llm/response"));
	give_content(w, has_tool);
	give_text(w, "stop-reason", has_tool ? TEXT("tool_use") : TEXT("end_turn"));
	if (n->has_usage)
		buf_print(member(w, "usage"), "{\"input-tokens\":%llu,\"output-tokens\":%llu}",
		          (unsigned long long)n->input_tokens,
		          (unsigned long long)n->output_tokens);
	if (n->model)
		give_text(w, "model", text_of(n->model));
	json_add_number(member(w, "elapsed-ms"), elapsed_ms > 0 ? elapsed_ms : 0);
	end(w);
	n->has_usage = false;
	names_drop_words(w->t, n);
}

static void tell_call(struct work *w)
{
	need_start(w);
	respond(w, true);
}

/* As a person would see it: a text as it is, all else as JSON. */
static void give_preview(struct work *w, yyjson_val *output)
{
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

static void tell_result(struct work *w)
{
	yyjson_val *output = yyjson_obj_get(w->payload, "output");
	bool failed = yyjson_is_false(yyjson_obj_get(w->payload, "success"));

	need_start(w);
	begin(w, TEXT("llm/tool-result"));
	give_text(w, "tool", field(w, "toolName"));
	buf_add(member(w, "is-error"), failed ? TEXT("true") : TEXT("false"));
	if (output)
		give_preview(w, output);
	end(w);
}

static void fail(struct work *w, struct text words)
{
	need_start(w);
	begin(w, TEXT("llm/error"));
	give_text(w, "message", words);
	end(w);
	w->name->has_failed = true;
}

static void tell_error(struct work *w)
{
	fail(w, field(w, "message"));
}

static void tell_completion(struct work *w)
{
	bool failed = yyjson_is_false(yyjson_obj_get(w->payload, "success"));
	struct text result = field(w, "result");

	need_start(w);
	if (!failed)
		respond(w, false);
	else if (!w->name->has_failed)
		fail(w, result.len ? result : TEXT("it failed"));
	begin(w, TEXT("llm/worker-exit"));
	give_text(w, "reason", failed ? TEXT("error") : TEXT("done"));
	end(w);
	names_remove(w->t, w->invoke);
}

/* --- states, people, and all else ------------------------------------------ */

static void give_config(struct work *w, struct buf *out, const char *state)
{
	buf_add_char(out, '[');
	buf_add_json(out, w->invoke);
	buf_add_char(out, ',');
	buf_add_json(out, field(w, state));
	buf_add_char(out, ']');
}

static void tell_phase(struct work *w)
{
	struct buf config, more;

	buf_init(&config, TRANSLATE_FRAME_MAX);
	buf_init(&more, TRANSLATE_FRAME_MAX);
	give_config(w, &config, "to");
	buf_add(&more, TEXT(",\"breadcrumb\":"));
	buf_add(&more, buf_text(&config));
	buf_add(&more, TEXT(",\"siblings\":[\"idle\",\"thinking\",\"acting\",\"waiting\","
	                    "\"done\",\"error\"]"));
	buf_add_char(&more, '\0');
	if (!config.full && !more.full)
		translate_phase(w->t, w->of, buf_text(&config), more.at);
	buf_finish(&config);
	buf_finish(&more);
}

static void tell_state(struct work *w)
{
	struct text reason = field(w, "reason");

	tell_phase(w);
	begin(w, TEXT("runner/event-processed"));
	give_text(w, "event-name", w->of->s->type);
	give_config(w, member(w, "config-before"), "from");
	give_config(w, member(w, "config-after"), "to");
	if (reason.len)
		give_text(w, "reason", reason);
	give_text(w, "session-id", w->session);
	buf_add_char(w->of->scratch, '}');
	finish(w);
}

static void give_kind(struct work *w)
{
	struct text type = field(w, "type");

	give_text(w, "kind", text_is(type, "multi") ? TEXT("multi-select") : type);
}

static void end_human(struct work *w)
{
	struct text invoke = field(w, "invokeid");

	if (invoke.len)
		give_text(w, "invokeid", invoke);
	give_text(w, "session-id", w->session);
	buf_add_char(w->of->scratch, '}');
	finish(w);
}

static void tell_prompt(struct work *w)
{
	begin(w, TEXT("human-input/start"));
	give_kind(w);
	give_text(w, "prompt", field(w, "prompt"));
	end_human(w);
}

static void give_raw(struct work *w, const char *name, const char *as)
{
	yyjson_val *key = raw_key(w->payload, name);

	if (key)
		buf_add(member(w, as), raw_value(w->of->reader, w->of->s->line, key));
}

static void tell_answer(struct work *w)
{
	bool cancelled = !yyjson_obj_get(w->payload, "value");

	begin(w, cancelled ? TEXT("human-input/cancelled") : TEXT("human-input/answer"));
	give_kind(w);
	give_raw(w, "value", "answer");
	give_raw(w, "by", "by");
	end_human(w);
}

static void tell_closed(struct work *w)
{
	begin(w, TEXT("human-input/cancelled"));
	give_kind(w);
	give_text(w, "reason", field(w, "why"));
	end_human(w);
}

static void tell_settled(struct work *w)
{
	begin(w, TEXT("human-input/settled"));
	give_kind(w);
	give_raw(w, "by", "by");
	give_raw(w, "decision", "decision");
	end_human(w);
}

static void tell_nothing(struct work *w)
{
}

/* An event of that name, with what it says. */
static void tell_other(struct work *w)
{
	yyjson_val *payload = raw_key(w->of->envelope, "payload");

	begin(w, w->of->s->type);
	buf_add(w->of->scratch, raw_value(w->of->reader, w->of->s->line, payload));
	finish(w);
}

static const struct {
	const char *type;
	bool of_box; /* it counts when the box says it */
	void (*tell)(struct work *w);
} others[] = {
	{"prompt", false, tell_prompt},       {"answer", true, tell_answer},
	{"prompt.closed", true, tell_closed}, {"prompt.settled", true, tell_settled},
	{"prompt.told", true, tell_nothing},
};

static void tell_by_name(struct work *w)
{
	const struct signal *s = w->of->s;
	bool is_box = text_equal(s->source, SOURCE_OF_BOX);

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		if (text_is(s->type, others[i].type) && (is_box || !others[i].of_box)) {
			others[i].tell(w);
			return;
		}
	}
	tell_other(w);
}

/* --- one signal ------------------------------------------------------------ */

static void (*const tellers[KIND_COUNT])(struct work *w) = {
	[KIND_OTHER] = tell_by_name,     [KIND_TASK_DISPATCH] = tell_dispatch,
	[KIND_TOOL_CALL] = tell_call,    [KIND_TOOL_RESULT] = tell_result,
	[KIND_TOKEN_USAGE] = tell_usage, [KIND_AGENT_STATE_CHANGE] = tell_state,
	[KIND_ERROR] = tell_error,       [KIND_COMPLETION] = tell_completion,
	[KIND_TEXT_DELTA] = tell_words,  [KIND_THINKING] = tell_thinking,
};

struct text translate_run(const struct signal *s)
{
	bool has_own = s->correlation.len > 0;
	struct text run = has_own ? s->correlation : s->source;

	if (run.len > TRANSLATE_RUN_MAX ||
	    (!has_own && (text_equal(run, SOURCE_OF_BOX) || text_is(run, "stage"))))
		return TEXT("");
	return run;
}

static struct text invoke_of(yyjson_val *payload, struct text source)
{
	struct text agent = json_text(yyjson_obj_get(payload, "agentId"));
	struct text to = json_text(yyjson_obj_get(payload, "to"));

	return agent.len ? agent : to.len ? to : source;
}

void translate_signal(struct translate *t, const struct translation *of)
{
	struct work w = {.t = t, .of = of, .session = translate_run(of->s)};
	enum signal_kind kind = of->s->kind;
	bool is_dialect;
	struct text raw = translate_origin(of->reader, of->s->line, of->envelope, &is_dialect);

	if (raw.len)
		translate_frame(t, of, raw);
	t->is_dialect = t->is_dialect || is_dialect;
	if (t->is_dialect)
		return;
	w.payload = yyjson_obj_get(of->envelope, "payload");
	w.invoke = invoke_of(w.payload, of->s->source);
	if (kind != KIND_OTHER && kind != KIND_AGENT_STATE_CHANGE && tellers[kind]) {
		w.name = names_find(t, w.invoke);
	}
	(tellers[kind] ? tellers[kind] : tell_other)(&w);
}

void translate_init(struct translate *t)
{
	*t = (struct translate){0};
	map_init(&t->names);
}

void translate_finish(struct translate *t)
{
	names_forget(t);
	map_finish(&t->names);
	free(t->phase);
}
