/* openclaw_streams.c - `agent` and `chat`: the two ways in which a gateway tells of
 * a run.
 *
 * Order of a real run: agent lifecycle start, agent assistant and chat delta side by
 * side (either may be ahead), agent lifecycle end, chat final.  An abort comes as
 * chat aborted first, and then as lifecycle end and error too.  The first end is the
 * run's; only a run whose words come from chat waits for chat's.
 */
#include <stdio.h>

#include "parse/inside.h"
#include "parse/openclaw_frame.h"

#define MEDIA_MAX (64 * KIB) /* of a list of files, as JSON; a longer one is none */

static bool openclaw_streams_is_one_of(struct text word, const char *const *words)
{
	for (; *words; words++)
		if (text_is(word, *words))
			return true;
	return false;
}

static const char *const starts[] = {"start", "started", NULL};
static const char *const ends[] = {"end", "completed", "done", "result", NULL};
static const char *const failures[] = {"error", "failed", NULL};
static const char *const chat_ends[] = {"final", "aborted", "error", NULL};

struct text openclaw_frame_phase(const struct openclaw_frame *f)
{
	static const char *const names[] = {"phase", "status", NULL};

	return json_text(openclaw_frame_first(f->data, names));
}

bool openclaw_frame_is_start(struct text phase)
{
	return openclaw_streams_is_one_of(phase, starts);
}

bool openclaw_frame_is_end(struct text phase)
{
	return openclaw_streams_is_one_of(phase, ends);
}

/* --- agent: lifecycle ------------------------------------------------------------ */

void openclaw_frame_start(struct openclaw_frame *f)
{
	struct text parent = json_text_at(f->payload, "spawnedBy");

	f->run->is_begun = true;
	openclaw_frame_begin(f, "agent_state_change");
	make_text(&f->p->make, "from", TEXT("idle"));
	make_text(&f->p->make, "to", TEXT("acting"));
	if (parent.len) {
		openclaw_frame_metadata(f);
		make_text(&f->p->make, "spawnedBy", parent);
	}
	openclaw_frame_end(f);
}

static void keep_model(struct openclaw_frame *f)
{
	struct text model = json_text_at(f->data, "model");

	if (model.len && model.len < sizeof(f->run->model)) {
		memcpy(f->run->model, model.at, model.len);
		f->run->model[model.len] = '\0';
	}
}

/* What the gateway says was the whole reply, where it is one to be seen. */
static void say_reply(struct openclaw_frame *f)
{
	yyjson_val *reply = yyjson_obj_get(f->data, "terminalReply");
	yyjson_val *text = yyjson_obj_get(reply, "text");

	if (yyjson_is_str(text) && text_is(json_text_at(reply, "disposition"), "visible"))
		openclaw_frame_say_rest(f, json_text(text));
}

/* A gateway tells the end of what is said in a session by chat, too, a moment later. */
static void owe_chat(struct openclaw_frame *f, enum openclaw_end end)
{
	struct text why = json_text_at(f->data, "stopReason");

	if (f->run->is_over || f->is_past || !f->gateway->protocol || !f->run_id.len ||
	    !f->session.len)
		return;
	f->run->owes_chat = f->gateway->owes = true;
	f->run->is_late = false;
	if (why.len < sizeof(f->run->stop))
		snprintf(f->run->stop, sizeof(f->run->stop), "%.*s", TEXT_ARG(why));
	f->run->end = end;
}

static void openclaw_streams_take_end(struct openclaw_frame *f)
{
	static const char *const names[] = {"message", "error", NULL};
	bool aborted = yyjson_is_true(yyjson_obj_get(f->data, "aborted"));
	struct text why = json_text_at(f->data, "stopReason");

	f->is_again = f->run->is_closed;
	if (f->run->voice == VOICE_CHAT)
		return;
	if (openclaw_streams_is_one_of(openclaw_frame_phase(f), failures) && !aborted) {
		owe_chat(f, OPENCLAW_ERROR);
		openclaw_frame_fail(f, json_text(openclaw_frame_first(f->data, names)),
		                    json_text_at(f->data, "code"));
		return;
	}
	owe_chat(f, aborted ? OPENCLAW_ABORTED : OPENCLAW_FINAL);
	if (!f->run->is_over)
		say_reply(f);
	openclaw_frame_complete(f, !aborted, why);
}

static void take_lifecycle(struct openclaw_frame *f)
{
	struct text phase = openclaw_frame_phase(f);

	if (text_is(phase, "model"))
		keep_model(f);
	if (openclaw_streams_is_one_of(phase, starts))
		openclaw_frame_start(f);
	else if (openclaw_streams_is_one_of(phase, ends) ||
	         openclaw_streams_is_one_of(phase, failures))
		openclaw_streams_take_end(f);
	else if (f->gateway->protocol && f->run_id.len && !f->run->is_over)
		openclaw_frame_event(f); /* screens of the same gateway know it */
}

/* --- agent: words ------------------------------------------------------------------- */

/* An empty delta is a delta: `text` does not stand in for it. */
static struct text delta_of(const struct openclaw_frame *f)
{
	static const char *const names[] = {"delta", "content", NULL};

	return json_text(openclaw_frame_first(f->data, names));
}

/* Pictures and files that go with its words.  A frame that says nothing else is still told. */
static void take_media(struct openclaw_frame *f)
{
	yyjson_val *urls = yyjson_obj_get(f->data, "mediaUrls");
	bool had_given = f->has_given;
	struct buf json;

	buf_init(&json, MEDIA_MAX);
	if (yyjson_arr_size(urls) && json_add(&json, urls) && !json.full) {
		openclaw_frame_begin(f, "agent.media");
		make_raw(&f->p->make, "mediaUrls", buf_text(&json));
		if (yyjson_is_true(yyjson_obj_get(f->data, "audioAsVoice")))
			make_raw(&f->p->make, "audioAsVoice", TEXT("true"));
		openclaw_frame_end(f);
		f->has_given = had_given;
	}
	buf_finish(&json);
}

static void take_assistant(struct openclaw_frame *f)
{
	struct openclaw_words words = {delta_of(f), json_text_at(f->data, "text"), false};

	openclaw_frame_say(f, VOICE_AGENT, &words);
	take_media(f);
}

static void take_thinking(struct openclaw_frame *f)
{
	struct text words = delta_of(f);

	if (!words.at)
		words = json_text_at(f->data, "text");
	if (words.len == 0)
		return;
	openclaw_frame_begin(f, "thinking");
	make_text(&f->p->make, "content", words);
	openclaw_frame_end(f);
}

/* A status is told by both; who is second with the same one is not heard, unless there are screens
 * that know both. */
static void take_status(struct openclaw_frame *f, struct text phase)
{
	uint64_t hash = openclaw_hash_of(phase);

	if (phase.len && f->run->phase == hash && !f->gateway->protocol)
		return;
	f->run->phase = hash;
	openclaw_frame_event(f);
}

/* Numbers have holes for what we may not see; what is not newer was told already, to us
 * as one who follows the session, or before the line was lost. */
static bool openclaw_streams_is_known(struct openclaw_frame *f)
{
	uint64_t seq = yyjson_get_uint(yyjson_obj_get(f->payload, "seq"));

	if (seq && seq <= f->run->seq)
		return true;
	f->run->seq = seq ? seq : f->run->seq;
	return false;
}

void openclaw_frame_agent(struct openclaw_frame *f)
{
	struct text stream = json_text_at(f->payload, "stream");

	if (openclaw_streams_is_known(f)) {
		f->is_again = f->is_stale = true;
		return;
	}
	gateway_run_speaks(f->run, VOICE_AGENT);
	if (text_is(stream, "lifecycle"))
		take_lifecycle(f);
	else if (text_is(stream, "tool"))
		openclaw_frame_tool(f);
	else if (text_is(stream, "assistant"))
		take_assistant(f);
	else if (text_is(stream, "thinking"))
		take_thinking(f);
	else if (text_is(stream, "usage"))
		openclaw_frame_usage_so_far(f, f->data);
	else if (text_is(stream, "run_status"))
		take_status(f, openclaw_frame_phase(f));
	else
		openclaw_frame_event(f);
}

/* --- chat ------------------------------------------------------------------------- */

struct text openclaw_frame_message_text(struct openclaw_frame *f, yyjson_val *message)
{
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
		if (text_is(json_text_at(part, "type"), "text"))
			buf_add(words, json_text_at(part, "text"));
	return buf_text(words);
}

static void take_delta(struct openclaw_frame *f)
{
	struct openclaw_words words = {
		.delta = json_text_at(f->payload, "deltaText"),
		.replaces = yyjson_is_true(yyjson_obj_get(f->payload, "replace")),
	};

	words.all = openclaw_frame_message_text(f, yyjson_obj_get(f->payload, "message"));
	openclaw_frame_say(f, VOICE_CHAT, &words);
}

static void take_final(struct openclaw_frame *f, bool success)
{
	struct text all = openclaw_frame_message_text(f, yyjson_obj_get(f->payload, "message"));
	yyjson_val *usage = yyjson_obj_get(f->payload, "usage");

	f->all = all;
	if (all.len)
		openclaw_frame_say_rest(f, all);
	openclaw_frame_usage_so_far(f, usage);
	openclaw_frame_complete(f, success, json_text_at(f->payload, "stopReason"));
}

static void take_failure(struct openclaw_frame *f)
{
	f->all = openclaw_frame_message_text(f, yyjson_obj_get(f->payload, "message"));
	openclaw_frame_fail(f, json_text_at(f->payload, "errorMessage"),
	                    json_text_at(f->payload, "errorKind"));
}

void openclaw_frame_chat(struct openclaw_frame *f)
{
	struct text state = json_text_at(f->payload, "state");

	if (openclaw_streams_is_one_of(state, chat_ends)) {
		f->is_again = f->run->is_closed || (f->run->is_over && !f->run->owes_chat);
		f->run->owes_chat = false;
	}
	if (text_is(state, "delta"))
		take_delta(f);
	else if (text_is(state, "final"))
		take_final(f, true);
	else if (text_is(state, "aborted"))
		take_final(f, false);
	else if (text_is(state, "error"))
		take_failure(f);
	else if (text_is(state, "status"))
		take_status(f, json_text_at(f->payload, "phase"));
	else
		openclaw_frame_event(f);
}
