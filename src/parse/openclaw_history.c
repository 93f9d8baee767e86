/* openclaw_history.c - a gateway's transcripts: what was said while nobody listened.
 *
 * A gateway keeps no past of its events.  It has the transcript of each session, in which
 * every message has a number, and what it remembers of the run that is under way.  So after
 * a loss the messages behind the newest number that is known are told, then what is under
 * way goes on where it was, and what is not under way any more has its end.
 */
#include "parse/inside.h"
#include "parse/openclaw_frame.h"

/* A session that is not known may have begun just before the line was lost. */
#define SLACK_MS 5000

/* What the gateway says of a session's runs; of one that it does not list, is it over? */
struct activity {
	yyjson_val *ids;      /* an array: all of them */
	struct text underway; /* one of them */
	bool is_known;        /* whether there are others */
};

/* ---- messages ---- */

static yyjson_val *meta_of(yyjson_val *message)
{
	return yyjson_obj_get(message, "__openclaw");
}

/* RUN of `RUN:user`, by which a message was sent. */
static struct text run_of_key(struct text key)
{
	static const struct text end = {":user", 5};

	if (key.len > end.len && memcmp(key.at + key.len - end.len, end.at, end.len) == 0)
		return (struct text){key.at, key.len - end.len};
	return (struct text){NULL, 0};
}

static struct text run_of_message(yyjson_val *message)
{
	struct text run = json_text_at(meta_of(message), "runId");

	return run.len ? run : run_of_key(json_text_at(message, "idempotencyKey"));
}

static bool is_role(yyjson_val *message, const char *role)
{
	return yyjson_equals_str(yyjson_obj_get(message, "role"), role);
}

/* The run is that of the message; an answer that names none belongs to the one before it. */
static void turn_to(struct openclaw_frame *f, yyjson_val *message)
{
	struct text run = run_of_message(message);

	if (run.len || is_role(message, "user")) {
		f->run_id = run;
		f->run = gateway_run_of(f->gateway, run);
	}
	if (f->run_id.len)
		gateway_run_in_session(f->run, f->session);
}

static void tell_user(struct openclaw_frame *f, yyjson_val *message)
{
	struct text words = openclaw_frame_message_text(f, message);
	yyjson_val *provenance = yyjson_obj_get(message, "provenance");

	if (f->run->is_told)
		return;
	f->run->is_told = true;
	openclaw_frame_begin(f, "task_dispatch");
	make_text(&f->p->make, "taskId",
	          f->run_id.len ? f->run_id : json_text_at(meta_of(message), "id"));
	make_text(&f->p->make, "from", provenance ? TEXT("openclaw") : TEXT("user"));
	make_text(&f->p->make, "to", f->agent);
	make_text(&f->p->make, "description", words);
	openclaw_frame_end(f);
}

static void tell_calls(struct openclaw_frame *f, yyjson_val *message)
{
	yyjson_arr_iter each = yyjson_arr_iter_with(yyjson_obj_get(message, "content"));
	yyjson_val *block;

	while ((block = yyjson_arr_iter_next(&each))) {
		struct openclaw_tool tool = {
			.name = json_text_at(block, "name"),
			.id = json_text_at(block, "id"),
			.value = yyjson_obj_get(block, "arguments"),
		};

		if (yyjson_equals_str(yyjson_obj_get(block, "type"), "toolCall"))
			openclaw_frame_tool_call(f, &tool);
	}
}

static void tell_result(struct openclaw_frame *f, yyjson_val *message)
{
	struct openclaw_tool tool = {
		.name = json_text_at(message, "toolName"),
		.id = json_text_at(message, "toolCallId"),
		.value = yyjson_obj_get(message, "content"),
		.failed = yyjson_is_true(yyjson_obj_get(message, "isError")),
	};

	openclaw_frame_tool_result(f, &tool);
}

static void tell_message(struct openclaw_frame *f, yyjson_val *message)
{
	struct text words;

	turn_to(f, message);
	if (is_role(message, "user")) {
		tell_user(f, message);
	} else if (is_role(message, "toolResult")) {
		tell_result(f, message);
	} else if (is_role(message, "assistant")) {
		words = openclaw_frame_message_text(f, message);
		f->run->has_error =
			yyjson_equals_str(yyjson_obj_get(message, "stopReason"), "error");
		f->run->has_reply = words.len > 0 && !f->run->has_error;
		if (words.len)
			openclaw_frame_say_missed(f, words);
		tell_calls(f, message);
	}
}

/* As it is written: what an agent says comes as its own events, too. */
void openclaw_frame_session_message(struct openclaw_frame *f)
{
	yyjson_val *message = yyjson_obj_get(f->payload, "message");
	uint64_t seq = yyjson_get_uint(yyjson_obj_get(f->payload, "messageSeq"));
	struct gateway_session *session = gateway_session_of(f->gateway, f->session);

	if (seq > session->seq)
		session->seq = seq;
	if (is_role(message, "user")) {
		turn_to(f, message);
		f->run->hello = f->gateway->hello;
		tell_user(f, message);
	}
}

/* ---- a transcript ---- */

static double time_of(yyjson_val *message)
{
	double at_ms = 0;

	if (!json_number(yyjson_obj_get(meta_of(message), "recordTimestampMs"), &at_ms))
		json_number(yyjson_obj_get(message, "timestamp"), &at_ms);
	return at_ms;
}

/* Of a session that we have heard of, all behind what we know; of another, what came since
 * the gateway was heard last, or belongs to what is under way. */
static bool is_missed(struct openclaw_frame *f, const struct gateway_session *session,
                      yyjson_val *message, struct text underway)
{
	double since_ms = f->gateway->since_ms;
	uint64_t seq = yyjson_get_uint(yyjson_obj_get(meta_of(message), "seq"));

	if (!seq || (session->seq && seq <= session->seq))
		return false;
	return session->seq || (since_ms > 0 && time_of(message) > since_ms - SLACK_MS) ||
	       (underway.len && text_equal(run_of_message(message), underway));
}

static void tell_missed(struct openclaw_frame *f, yyjson_val *messages, struct text underway)
{
	struct gateway_session *session = gateway_session_of(f->gateway, f->session);
	const struct gateway_session before = *session;
	yyjson_arr_iter each = yyjson_arr_iter_with(messages);
	yyjson_val *message;

	while ((message = yyjson_arr_iter_next(&each))) {
		uint64_t seq = yyjson_get_uint(yyjson_obj_get(meta_of(message), "seq"));

		session->seq = seq > session->seq ? seq : session->seq;
		if (is_missed(f, &before, message, underway))
			tell_message(f, message);
	}
}

/* ---- what is under way ---- */

static void replay_events(struct openclaw_frame *f, yyjson_val *events)
{
	yyjson_arr_iter each = yyjson_arr_iter_with(events);
	yyjson_val *history = f->payload;
	yyjson_val *event;

	f->event = TEXT("agent");
	while ((event = yyjson_arr_iter_next(&each))) {
		f->payload = event;
		f->data = yyjson_obj_get(event, "data");
		if (yyjson_is_obj(f->data))
			openclaw_frame_agent(f);
	}
	f->payload = history;
	f->data = NULL;
}

static void openclaw_history_go_on(struct openclaw_frame *f, yyjson_val *run)
{
	struct text words = json_text_at(run, "text");

	f->run_id = json_text_at(run, "runId");
	f->run = gateway_run_of(f->gateway, f->run_id);
	gateway_run_in_session(f->run, f->session);
	f->run->hello = f->gateway->hello;
	if (!f->run->is_begun)
		openclaw_frame_start(f);
	gateway_run_speaks(f->run, VOICE_AGENT);
	if (words.len)
		openclaw_frame_say_rest(f, words);
	replay_events(f, yyjson_obj_get(run, "events"));
}

static bool has_text(yyjson_val *list, uint64_t hash)
{
	yyjson_arr_iter each = yyjson_arr_iter_with(list);
	yyjson_val *one;

	while ((one = yyjson_arr_iter_next(&each)))
		if (openclaw_hash_of(json_text(one)) == hash)
			return true;
	return false;
}

/* One that was not heard of on this connection, and is not under way. */
static bool is_left(const struct openclaw_frame *f, const struct gateway_run *run,
                    const struct activity *a)
{
	return run->key && !run->is_over && run->session == openclaw_hash_of(f->session) &&
	       run->hello < f->gateway->hello && run->key != openclaw_hash_of(a->underway) &&
	       a->is_known && !has_text(a->ids, run->key);
}

static void end_left(struct openclaw_frame *f, const struct activity *a)
{
	for (size_t i = 0; i < OPENCLAW_RUNS; i++) {
		struct gateway_run *run = &f->gateway->runs[i];

		if (!is_left(f, run, a))
			continue;
		f->run = run;
		f->run_id = text_of(run->id);
		if (run->has_reply)
			openclaw_frame_complete(f, true, TEXT(""));
		else
			openclaw_frame_fail(
				f,
				run->has_error
					? TEXT("the run failed while the gateway was away")
					: TEXT("the gateway was away, and does not go on with "
			                       "this run"),
				TEXT("lost"));
	}
}

void openclaw_frame_history(struct openclaw_frame *f)
{
	yyjson_val *history = f->payload;
	yyjson_val *info = yyjson_obj_get(history, "sessionInfo");
	yyjson_val *underway = yyjson_obj_get(history, "inFlightRun");
	struct activity a = {
		.ids = yyjson_obj_get(info, "activeRunIds"),
		.underway = json_text_at(underway, "runId"),
		.is_known = yyjson_is_arr(yyjson_obj_get(info, "activeRunIds")) ||
	                    yyjson_is_false(yyjson_obj_get(info, "hasActiveRun")),
	};

	f->session = json_text_at(history, "sessionKey");
	f->agent = json_text_at(info, "agentId");
	f->agent = f->agent.len ? f->agent : TEXT("openclaw");
	f->run_id = TEXT("");
	f->run = &f->gateway->nobody;
	f->is_past = true;
	if (!f->session.len)
		return;
	tell_missed(f, yyjson_obj_get(history, "messages"), a.underway);
	if (a.underway.len)
		openclaw_history_go_on(f, underway);
	end_left(f, &a);
}
