/* escapement.c - frames of the run dialect, as agents and hubs send them.
 *
 * Every frame gives at least one signal, and the first of them has the frame itself in
 * `metadata.origin`, so that a client of this dialect gets it back as it was.  Further
 * signals of the same frame say there that they come from this dialect, and no more.
 *
 * A frame that has no signal of its own is one with its name as the type and what it
 * says as the payload; one that takes a name of ours is an `event`.  Words are told when
 * they stream, and again by nothing: a response gives its text only if no delta came.
 */
#include <stdlib.h>

#include "base/map.h"
#include "base/put.h"
#include "parse/inside.h"
#include "parse/kinds.h"
#include "parse/speak.h"
#include "signal/kind.h"

/* A larger one is not told twice in its signal: only as it is. */
#define TWICE_MAX (384 * KIB)
#define PROMPT_ID_MAX 512
#define TYPE_MAX 128
#define STREAMS_MAX 1024 /* that are remembered; beyond it all are forgotten */

struct escapement_parse {
	struct map streams; /* invokeid NUL session-id of those that said something */
	struct buf key;
	struct buf origin;
	bool is_ready, names_itself;
};

struct escapement_frame {
	struct parse *p;
	struct escapement_parse *state;
	struct text raw;
	yyjson_val *root, *data; /* data is root where there is none */
	struct text event, agent, session;
	double ts;
	bool is_told; /* a signal has the frame in it */
};

static struct text escapement_field(const struct escapement_frame *f, const char *name)
{
	return json_text_at(f->data, name);
}

/* --- envelopes ----------------------------------------------------------------- */

static void escapement_begin(const struct escapement_frame *f, const char *type)
{
	parse_begin_as(f->p, &(struct make_head){.type = type, .at_ms = f->ts});
}

static void begin_agent(const struct escapement_frame *f, const char *type)
{
	escapement_begin(f, type);
	make_text(&f->p->make, "agentId", f->agent);
}

static void escapement_end(struct escapement_frame *f)
{
	struct buf *origin = &f->state->origin;

	make_metadata(&f->p->make);
	make_given(&f->p->make, "sessionId", f->session);
	buf_clear(origin);
	put_object(origin, NULL);
	put_word(origin, "dialect", "run");
	if (!f->is_told) {
		put_json(origin, "frame", f->raw);
	}
	buf_add_char(origin, '}');
	make_raw(&f->p->make, "origin", buf_text(origin));
	parse_give(f->p);
	f->is_told = true;
}

/* Types with a meaning of ours are not for whoever likes the name. */
static struct text escapement_type_of(struct text name)
{
	static const char *const ours[] = {"prompt", "answer", "control", "event", NULL};
	static const struct text families[] = {
		{"user.", 5}, {"source.", 7}, {"journal.", 8}, {"prompt.", 7}};

	for (const char *const *word = ours; *word; word++)
		if (text_is(name, *word))
			return TEXT("event");
	for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++)
		if (text_starts(name, families[i]))
			return TEXT("event");
	if (name.len == 0 || name.len > TYPE_MAX || kind_of(name) != KIND_OTHER)
		return TEXT("event");
	return name;
}

static bool is_of_frame(struct text key)
{
	return text_is(key, "kind") || text_is(key, "seq") || text_is(key, "ts") ||
	       text_is(key, "event");
}

/* A payload of what the frame says; of a large one only that it is. */
static void give_as(struct escapement_frame *f, struct text name)
{
	yyjson_obj_iter iter = yyjson_obj_iter_with(f->data);
	yyjson_val *key;

	parse_begin_as(f->p,
	               &(struct make_head){.type_text = escapement_type_of(name), .at_ms = f->ts});
	if (f->raw.len > TWICE_MAX)
		make_bool(&f->p->make, "large", true);
	while (f->raw.len <= TWICE_MAX && (key = yyjson_obj_iter_next(&iter)))
		if (f->data != f->root || !is_of_frame(json_text(key)))
			make_value(&f->p->make, json_text(key), yyjson_obj_iter_get_val(key));
	escapement_end(f);
}

static void escapement_give_verbatim(struct escapement_frame *f)
{
	give_as(f, f->event);
}

static void escapement_give_state(struct escapement_frame *f, const char *from, const char *to,
                                  struct text reason)
{
	begin_agent(f, "agent_state_change");
	make_text(&f->p->make, "from", text_of(from));
	make_text(&f->p->make, "to", text_of(to));
	make_given(&f->p->make, "reason", reason);
	escapement_end(f);
}

static void give_error(struct escapement_frame *f, const char *severity, const char *code)
{
	struct text message = escapement_field(f, "message");

	begin_agent(f, "error");
	make_text(&f->p->make, "message", message.len ? message : f->event);
	make_text(&f->p->make, "severity", text_of(severity));
	make_given(&f->p->make, "code", text_of(code));
	escapement_end(f);
}

/* --- who has streamed ------------------------------------------------------------ */

static struct text stream_key(struct escapement_frame *f)
{
	struct buf *key = &f->state->key;

	buf_clear(key);
	buf_add(key, f->agent);
	buf_add_char(key, '\0');
	buf_add(key, f->session);
	return buf_text(key);
}

static void note_stream(struct escapement_frame *f)
{
	struct map *streams = &f->state->streams;

	if (streams->count >= STREAMS_MAX) {
		map_finish(streams);
		map_init(streams);
	}
	map_set(streams, stream_key(f), f->state);
}

static bool escapement_end_stream(struct escapement_frame *f)
{
	return map_remove(&f->state->streams, stream_key(f)) != NULL;
}

/* --- models ---------------------------------------------------------------------- */

static void take_start(struct escapement_frame *f)
{
	escapement_end_stream(f);
	escapement_give_state(f, "idle", "thinking", escapement_field(f, "model"));
}

static void escapement_take_message(struct escapement_frame *f)
{
	struct text task = parse_options(f->p)->correlation;

	escapement_begin(f, "task_dispatch");
	make_text(&f->p->make, "taskId", task.len ? task : parse_options(f->p)->source);
	make_text(&f->p->make, "from", TEXT("user"));
	make_text(&f->p->make, "to", f->agent);
	make_text(&f->p->make, "description", escapement_field(f, "text"));
	escapement_end(f);
}

static void escapement_give_words(struct escapement_frame *f, const char *type, struct text words)
{
	begin_agent(f, type);
	make_text(&f->p->make, "content", words);
	escapement_end(f);
}

static void escapement_take_delta(struct escapement_frame *f)
{
	bool is_thought = text_is(escapement_field(f, "type"), "thinking-delta");

	if (!escapement_field(f, "text").at) {
		escapement_give_verbatim(f);
		return;
	}
	note_stream(f);
	escapement_give_words(f, is_thought ? "thinking" : "text_delta",
	                      escapement_field(f, "text"));
}

static void give_call(struct escapement_frame *f, yyjson_val *block)
{
	struct text name = json_text_at(block, "name");

	escapement_begin(f, "tool_call");
	make_text(&f->p->make, "toolName", name.len ? name : TEXT("unknown"));
	make_text(&f->p->make, "agentId", f->agent);
	make_given(&f->p->make, "callId", json_text_at(block, "id"));
	make_object(&f->p->make, "input", yyjson_obj_get(block, "input"));
	escapement_end(f);
}

static void give_block(struct escapement_frame *f, yyjson_val *block, bool has_streamed)
{
	struct text type = json_text_at(block, "type");
	struct text text = json_text_at(block, "text");
	struct text thought = json_text_at(block, "thinking");

	if (text_is(type, "tool_use"))
		give_call(f, block);
	else if (text_is(type, "text") && text.len && !has_streamed)
		escapement_give_words(f, "text_delta", text);
	else if (text_is(type, "thinking") && thought.len && !has_streamed)
		escapement_give_words(f, "thinking", thought);
}

static void take_response(struct escapement_frame *f)
{
	yyjson_arr_iter blocks = yyjson_arr_iter_with(yyjson_obj_get(f->data, "content"));
	yyjson_val *usage = yyjson_obj_get(f->data, "usage");
	bool has_streamed = escapement_end_stream(f);
	yyjson_val *block;

	while ((block = yyjson_arr_iter_next(&blocks)))
		give_block(f, block, has_streamed);
	if (yyjson_is_obj(usage)) {
		begin_agent(f, "token_usage");
		make_u64(&f->p->make, "promptTokens", speak_count(usage, "input-tokens"));
		make_u64(&f->p->make, "completionTokens", speak_count(usage, "output-tokens"));
		make_given(&f->p->make, "model", escapement_field(f, "model"));
		escapement_end(f);
	}
	if (!f->is_told)
		escapement_give_verbatim(f);
}

static void escapement_take_result(struct escapement_frame *f)
{
	yyjson_val *said = yyjson_obj_get(f->data, "content-preview");
	struct text tool = escapement_field(f, "tool");

	escapement_begin(f, "tool_result");
	make_text(&f->p->make, "toolName", tool.len ? tool : TEXT("unknown"));
	make_text(&f->p->make, "agentId", f->agent);
	make_bool(&f->p->make, "success", !yyjson_is_true(yyjson_obj_get(f->data, "is-error")));
	if (!yyjson_is_null(said))
		make_object(&f->p->make, "output", said);
	escapement_end(f);
}

static void escapement_take_error(struct escapement_frame *f)
{
	escapement_end_stream(f);
	give_error(f, "error", NULL);
}

static void take_warning(struct escapement_frame *f)
{
	give_error(f, "warning", "model");
}

static void end_task(struct escapement_frame *f, struct text task, bool success, struct text result)
{
	escapement_begin(f, "completion");
	make_text(&f->p->make, "taskId", task.len ? task : parse_options(f->p)->source);
	make_text(&f->p->make, "agentId", f->agent);
	make_bool(&f->p->make, "success", success);
	make_given(&f->p->make, "result", result);
	escapement_end(f);
}

static void take_exit(struct escapement_frame *f)
{
	struct text reason = escapement_field(f, "reason");

	escapement_end_stream(f);
	end_task(f, f->session.len ? f->session : f->agent, !text_is(reason, "error"), reason);
}

/* --- the runner and people --------------------------------------------------------- */

/* The innermost state of a configuration. */
static struct text leaf(const struct escapement_frame *f, const char *name)
{
	return json_text(yyjson_arr_get_last(yyjson_obj_get(f->data, name)));
}

/* The session of a transcript, where nobody said which it is. */
static void take_started(struct escapement_frame *f)
{
	if (f->state->names_itself)
		parse_set_correlation(f->p, f->session);
	escapement_give_state(f, "idle", "acting", escapement_field(f, "chart-id"));
}

static void escapement_take_config(struct escapement_frame *f)
{
	escapement_give_state(f, "acting", "acting", leaf(f, "config"));
}

static void take_processed(struct escapement_frame *f)
{
	escapement_give_state(f, "acting", "acting", leaf(f, "config-after"));
}

static void take_done(struct escapement_frame *f)
{
	end_task(f, parse_options(f->p)->correlation, true, leaf(f, "final-config"));
}

static void take_aborted(struct escapement_frame *f)
{
	end_task(f, parse_options(f->p)->correlation, false, escapement_field(f, "reason"));
}

static void take_waits(struct escapement_frame *f)
{
	struct text words = escapement_field(f, "prompt");

	escapement_give_state(f, "acting", "waiting",
	                      words.len ? words : escapement_field(f, "event-name"));
}

static void take_goes_on(struct escapement_frame *f)
{
	escapement_give_state(f, "waiting", "acting", (struct text){NULL, 0});
}

static const struct {
	const char *name;
	void (*take)(struct escapement_frame *f);
} events[] = {
	{"llm/delta", escapement_take_delta},
	{"llm/start", take_start},
	{"llm/user-message", escapement_take_message},
	{"llm/response", take_response},
	{"llm/tool-result", escapement_take_result},
	{"llm/error", escapement_take_error},
	{"llm/model-down", take_warning},
	{"llm/worker-exit", take_exit},
	{"runner/started", take_started},
	{"runner/start-config", escapement_take_config},
	{"runner/event-processed", take_processed},
	{"runner/done", take_done},
	{"runner/aborted", take_aborted},
	{"runner/error", escapement_take_error},
	{"human-input/start", take_waits},
	{"human-input/answer", take_goes_on},
	{"human-input/cancelled", take_goes_on},
	{"debug/awaiting-step", take_waits},
};

static void escapement_take_event(struct escapement_frame *f)
{
	yyjson_val *data = yyjson_obj_get(f->root, "data");

	f->data = yyjson_is_obj(data) ? data : f->root;
	if (escapement_field(f, "invokeid").len)
		f->agent = escapement_field(f, "invokeid");
	f->session = escapement_field(f, "session-id");
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		if (text_is(f->event, events[i].name) && f->raw.len <= TWICE_MAX) {
			events[i].take(f);
			return;
		}
	escapement_give_verbatim(f);
}

/* --- prompts --------------------------------------------------------------------- */

static const struct {
	const char *name, *type, *words;
} questions[] = {
	{"text", "text", "?"},
	{"select", "select", "Select:"},
	{"multi", "multi", "Select any:"},
	{"multi-select", "multi", "Select any:"},
	{"confirm", "confirm", "Confirm?"},
};

static void escapement_take_prompt(struct escapement_frame *f)
{
	struct text type = json_text_at(f->root, "type");
	struct text id = json_text_at(f->root, "prompt-id");
	yyjson_val *opts = yyjson_obj_get(f->root, "opts");
	struct text words = json_text_at(opts, "prompt");
	size_t i = 0, n = sizeof(questions) / sizeof(questions[0]);

	while (i < n && !text_is(type, questions[i].name))
		i++;
	if (id.len == 0 || id.len > PROMPT_ID_MAX || f->raw.len > TWICE_MAX) {
		parse_bad(f->p, "a prompt %s",
		          id.len == 0 ? "without a prompt-id" : "that is too large");
		return;
	}
	if (i == n)
		i = 0; /* what kind it is nobody knows: it is asked as text */
	escapement_begin(f, "prompt");
	make_text(&f->p->make, "id", id);
	make_text(&f->p->make, "type", text_of(questions[i].type));
	make_text(&f->p->make, "prompt", words.len ? words : text_of(questions[i].words));
	make_json(&f->p->make, "options", yyjson_obj_get(opts, "options"));
	make_json(&f->p->make, "default", yyjson_obj_get(opts, "default"));
	make_json(&f->p->make, "deadline", yyjson_obj_get(opts, "deadline"));
	make_given(&f->p->make, "invokeid", json_text_at(f->root, "invokeid"));
	escapement_end(f);
}

/* --- frames ------------------------------------------------------------------------ */

static void escapement_take_frame(struct escapement_frame *f)
{
	struct text kind = json_text_at(f->root, "kind");

	f->event = json_text_at(f->root, "event");
	if (kind.len == 0 || text_is(kind, "event")) {
		if (f->event.len)
			escapement_take_event(f);
		else
			parse_bad(f->p, "a frame without a kind and without an event");
	} else if (text_is(kind, "prompt")) {
		escapement_take_prompt(f);
	} else if (text_is(kind, "control")) {
		give_as(f, json_text_at(f->root, "op"));
	} else if (text_is(kind, "answer")) {
		parse_bad(f->p, "an answer, which an agent does not give");
	} else {
		give_as(f, kind);
	}
}

static void make_ready(struct parse *p, struct escapement_parse *state)
{
	map_init(&state->streams);
	buf_init(&state->key, parse_options(p)->event_max * 2 + 16);
	buf_init(&state->origin, parse_options(p)->event_max + 64);
	state->names_itself = parse_options(p)->correlation.len == 0;
	state->is_ready = true;
}

static void escapement_take(struct parse *p, const struct parse_event *event)
{
	struct escapement_frame f = {
		.p = p, .state = parse_state(p), .raw = text_trim(event->data)};

	if (!f.state->is_ready)
		make_ready(p, f.state);
	f.root = f.raw.len ? parse_json(p, f.raw) : NULL;
	if (!f.root)
		return;
	if (!yyjson_is_obj(f.root)) {
		parse_bad(p, "a frame that is not an object");
		return;
	}
	f.data = f.root;
	f.agent = parse_agent(p);
	json_number(yyjson_obj_get(f.root, "ts"), &f.ts);
	escapement_take_frame(&f);
}

static void escapement_finish(struct parse *p)
{
	struct escapement_parse *state = parse_state(p);

	map_finish(&state->streams);
	buf_finish(&state->key);
	buf_finish(&state->origin);
}

const struct parse_kind parse_escapement = {
	.name = "escapement",
	.summary = "frames of the run dialect, and transcripts, a line each",
	.framing = FRAMING_LINES,
	.size = sizeof(struct escapement_parse),
	.event = escapement_take,
	.finish = escapement_finish,
};
