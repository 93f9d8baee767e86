/* openclaw_streams.c - `agent` and `chat`: the two ways in which a gateway tells of
 * a run.
 *
 * Order of a real run: agent lifecycle start, agent assistant and chat delta side by
 * side (either may be ahead), agent lifecycle end, chat final.  An abort comes as
 * chat aborted first, and then as lifecycle end and error too.  The first end is the
 * run's; only a run whose words come from chat waits for chat's.
 */
#include "parse/inside.h"
#include "parse/openclaw.h"

static bool is_one_of(struct text word, const char *const *words)
{
	for (; *words; words++)
		if (text_is(word, *words))
			return true;
	return false;
}

static const char *const starts[] = {"start", "started", NULL};
static const char *const ends[] = {"end", "completed", "done", "result", NULL};
static const char *const failures[] = {"error", "failed", NULL};

static struct text phase_of(const struct frame *f)
{
	static const char *const names[] = {"phase", "status", NULL};

	return json_text(frame_first(f->data, names));
}

/* --- agent: lifecycle ------------------------------------------------------------ */

static void give_start(struct frame *f)
{
	struct text parent = json_text(yyjson_obj_get(f->payload, "spawnedBy"));

	frame_begin(f, "agent_state_change");
	make_text(f->p, "from", TEXT("idle"));
	make_text(f->p, "to", TEXT("acting"));
	if (parent.len) {
		frame_metadata(f);
		make_text(f->p, "spawnedBy", parent);
	}
	frame_end(f);
}

static void keep_model(struct frame *f)
{
	struct text model = json_text(yyjson_obj_get(f->data, "model"));

	if (model.len && model.len < sizeof(f->run->model)) {
		memcpy(f->run->model, model.at, model.len);
		f->run->model[model.len] = '\0';
	}
}

/* What the gateway says was the whole reply, where it is one to be seen. */
static void say_reply(struct frame *f)
{
	yyjson_val *reply = yyjson_obj_get(f->data, "terminalReply");
	yyjson_val *text = yyjson_obj_get(reply, "text");

	if (yyjson_is_str(text) &&
	    text_is(json_text(yyjson_obj_get(reply, "disposition")), "visible"))
		frame_say_rest(f, json_text(text));
}

static void take_end(struct frame *f)
{
	static const char *const names[] = {"message", "error", NULL};
	bool aborted = yyjson_is_true(yyjson_obj_get(f->data, "aborted"));
	struct text why = json_text(yyjson_obj_get(f->data, "stopReason"));

	if (f->run->voice == VOICE_CHAT)
		return;
	if (is_one_of(phase_of(f), failures) && !aborted) {
		frame_fail(f, json_text(frame_first(f->data, names)),
		           json_text(yyjson_obj_get(f->data, "code")));
		return;
	}
	if (!f->run->is_over)
		say_reply(f);
	frame_complete(f, !aborted, why);
}

static void take_lifecycle(struct frame *f)
{
	struct text phase = phase_of(f);

	if (is_one_of(phase, starts))
		give_start(f);
	else if (text_is(phase, "model"))
		keep_model(f);
	else if (is_one_of(phase, ends) || is_one_of(phase, failures))
		take_end(f);
}

/* --- agent: tools and words -------------------------------------------------------- */

static void begin_tool(struct frame *f, const char *type)
{
	static const char *const names[] = {"name", "toolName", "tool", NULL};
	static const char *const ids[] = {"toolCallId", "callId", "id", NULL};
	struct text name = json_text(frame_first(f->data, names));

	frame_begin(f, type);
	make_text(f->p, "toolName", name.len ? name : TEXT("unknown"));
	make_given(f->p, "callId", json_text(frame_first(f->data, ids)));
}

static void take_tool(struct frame *f)
{
	static const char *const inputs[] = {"args", "input", NULL};
	static const char *const outputs[] = {"output", "result", NULL};
	struct text phase = phase_of(f);

	if (is_one_of(phase, starts)) {
		begin_tool(f, "tool_call");
		make_object(f->p, "input", frame_first(f->data, inputs));
	} else if (is_one_of(phase, ends)) {
		begin_tool(f, "tool_result");
		make_bool(f->p, "success",
		          !yyjson_is_true(yyjson_obj_get(f->data, "isError")) &&
		                  !yyjson_is_false(yyjson_obj_get(f->data, "success")));
		make_object(f->p, "output", frame_first(f->data, outputs));
	} else if (text_is(phase, "update")) {
		/* Without what there is of the result: each update has all of it again,
		 * and the last comes with the end. */
		begin_tool(f, "event");
		make_text(f->p, "eventCategory", f->event);
		make_text(f->p, "stream", TEXT("tool"));
		make_text(f->p, "phase", phase);
	} else {
		return;
	}
	frame_end(f);
}

/* An empty delta is a delta: `text` does not stand in for it. */
static struct text delta_of(const struct frame *f)
{
	static const char *const names[] = {"delta", "content", NULL};

	return json_text(frame_first(f->data, names));
}

static void take_assistant(struct frame *f)
{
	struct words words = {delta_of(f), json_text(yyjson_obj_get(f->data, "text")), false};

	if (run_speaks(f->run, VOICE_AGENT))
		frame_say(f, &words);
}

static void take_thinking(struct frame *f)
{
	struct text words = delta_of(f);

	if (!words.at)
		words = json_text(yyjson_obj_get(f->data, "text"));
	if (words.len == 0)
		return;
	frame_begin(f, "thinking");
	make_text(f->p, "content", words);
	frame_end(f);
}

/* A status is told by both; who is second with the same one is not heard. */
static void take_status(struct frame *f, struct text phase)
{
	uint64_t hash = hash_of(phase);

	if (phase.len && f->run->phase == hash)
		return;
	f->run->phase = hash;
	frame_event(f);
}

void frame_agent(struct frame *f)
{
	struct text stream = json_text(yyjson_obj_get(f->payload, "stream"));

	run_speaks(f->run, VOICE_AGENT);
	if (text_is(stream, "lifecycle"))
		take_lifecycle(f);
	else if (text_is(stream, "tool"))
		take_tool(f);
	else if (text_is(stream, "assistant"))
		take_assistant(f);
	else if (text_is(stream, "thinking"))
		take_thinking(f);
	else if (text_is(stream, "usage"))
		f->run->has_usage |= frame_usage(f, f->data);
	else if (text_is(stream, "run_status"))
		take_status(f, phase_of(f));
	else
		frame_event(f);
}

/* --- chat ------------------------------------------------------------------------- */

/* The text of a message; NULL pointer: it has none.  Joined if it is in parts. */
static struct text message_text(struct frame *f)
{
	yyjson_val *message = yyjson_obj_get(f->payload, "message");
	yyjson_val *content = yyjson_obj_get(message, "content");
	struct buf *words = &f->gateway->words;
	yyjson_arr_iter iter;
	yyjson_val *part;

	if (yyjson_is_str(message))
		return json_text(message);
	if (!yyjson_is_arr(content))
		return json_text(content ? content : yyjson_obj_get(message, "text"));
	words->max = parse_options(f->p)->event_max;
	buf_clear(words);
	iter = yyjson_arr_iter_with(content);
	while ((part = yyjson_arr_iter_next(&iter)))
		if (text_is(json_text(yyjson_obj_get(part, "type")), "text"))
			buf_add(words, json_text(yyjson_obj_get(part, "text")));
	return buf_text(words);
}

static void take_delta(struct frame *f)
{
	struct words words = {
		.delta = json_text(yyjson_obj_get(f->payload, "deltaText")),
		.replaces = yyjson_is_true(yyjson_obj_get(f->payload, "replace")),
	};

	if (!run_speaks(f->run, VOICE_CHAT))
		return;
	words.all = message_text(f);
	frame_say(f, &words);
}

static void take_final(struct frame *f, bool success)
{
	struct text all = message_text(f);
	yyjson_val *usage = yyjson_obj_get(f->payload, "usage");

	if (all.len)
		frame_say_rest(f, all);
	if (!f->run->has_usage)
		f->run->has_usage = frame_usage(f, usage);
	frame_complete(f, success, json_text(yyjson_obj_get(f->payload, "stopReason")));
}

void frame_chat(struct frame *f)
{
	struct text state = json_text(yyjson_obj_get(f->payload, "state"));

	if (text_is(state, "delta"))
		take_delta(f);
	else if (text_is(state, "final"))
		take_final(f, true);
	else if (text_is(state, "aborted"))
		take_final(f, false);
	else if (text_is(state, "error"))
		frame_fail(f, json_text(yyjson_obj_get(f->payload, "errorMessage")),
		           json_text(yyjson_obj_get(f->payload, "errorKind")));
	else if (text_is(state, "status"))
		take_status(f, json_text(yyjson_obj_get(f->payload, "phase")));
	else
		frame_event(f);
}
