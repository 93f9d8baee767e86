/* moment.c - signals as moments of a session. */
#include "crew/moment.h"

#include <math.h>

#include "bus/admit.h"

static struct text payload_text(const struct crew_heard *h, const char *name)
{
	return json_text_at(h->payload, name);
}

static bool is_hook(const struct crew_heard *h, const char *name)
{
	return text_is(h->hook, name);
}

static void say(struct crew_heard *h, enum crew_moment moment, struct text why)
{
	h->news.moment = moment;
	h->news.why = why;
}

/* ---- tools ---- */

struct text moment_target(yyjson_val *input)
{
	static const char *const names[] = {"file_path",   "filePath", "notebook_path", "command",
	                                    "path",        "pattern",  "url",           "query",
	                                    "description", "subject",  "prompt"};
	struct text rest;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct text found = text_trim(json_text_at(input, names[i]));

		if (found.len)
			return text_cut(found, '\n', &rest);
	}
	return TEXT("");
}

static void read_tool(struct crew_heard *h)
{
	h->news.tool = payload_text(h, "toolName");
	h->news.call = payload_text(h, "callId");
}

static void read_call(struct crew_heard *h)
{
	read_tool(h);
	h->news.target = moment_target(yyjson_obj_get(h->payload, "input"));
	say(h, MOMENT_CALLED, TEXT(""));
}

static void read_result(struct crew_heard *h)
{
	read_tool(h);
	say(h, MOMENT_RETURNED, TEXT(""));
}

/* ---- work and words ---- */

static void read_dispatch(struct crew_heard *h)
{
	h->task = payload_text(h, "description");
	h->from = payload_text(h, "from");
	if (!h->agent.len)
		h->agent = payload_text(h, "to");
	say(h, MOMENT_TOLD, TEXT(""));
}

static void read_words(struct crew_heard *h)
{
	say(h, MOMENT_SAID, TEXT(""));
}

static void read_thought(struct crew_heard *h)
{
	say(h, MOMENT_BUSY, TEXT(""));
}

/* Of a run that is one task, and of a program that has ended, it is the end of all.  Work that a
 * person cancelled has not failed. */
static void read_completion(struct crew_heard *h, const struct signal *s)
{
	yyjson_val *exit = yyjson_obj_get(h->metadata, "exitCode");
	bool failed = yyjson_is_false(yyjson_obj_get(h->payload, "success"));
	bool is_session =
		payload_text(h, "sessionKey").len || json_text_at(h->metadata, "session").len;
	bool is_whole =
		exit || (!is_session && text_equal(payload_text(h, "taskId"), s->correlation));

	if (yyjson_is_uint(exit) && yyjson_get_uint(exit) <= 255)
		h->news.exit = (int64_t)yyjson_get_uint(exit);
	h->ends_part = true;
	h->ends_task = is_whole && !exit;
	if (failed && !text_is(payload_text(h, "result"), "cancelled"))
		say(h, MOMENT_FAILED, payload_text(h, "result"));
	else
		say(h, is_whole ? MOMENT_ENDED : MOMENT_OVER,
		    failed ? TEXT("cancelled") : TEXT(""));
}

/* ---- errors ---- */

static bool is_limit(struct text words)
{
	return text_has_nocase(words, TEXT("rate_limit")) ||
	       text_has_nocase(words, TEXT("rate limit")) ||
	       text_has_nocase(words, TEXT("overloaded"));
}

/* A tool that fails is no session that fails, nor is a line that a program prints. */
static void read_error(struct crew_heard *h)
{
	struct text message = payload_text(h, "message"), code = payload_text(h, "code");

	if (yyjson_is_true(yyjson_obj_get(h->metadata, "printed"))) {
		say(h, MOMENT_SAID, TEXT(""));
	} else if (text_is(payload_text(h, "severity"), "warning")) {
		if (is_limit(code) || is_limit(message))
			say(h, MOMENT_HELD, message);
	} else if (!is_hook(h, "PostToolUseFailure")) {
		say(h, MOMENT_FAILED, message);
	}
}

/* ---- states that are told ---- */

/* Claude Code also says that it waits when it has been idle for a minute. */
static bool asks_person(const struct crew_heard *h, struct text reason)
{
	struct text kind = json_text_at(h->metadata, "notification_type");

	if (!is_hook(h, "Notification"))
		return true;
	if (kind.len)
		return !text_is(kind, "idle_prompt");
	return !text_has_nocase(reason, TEXT("waiting for your input"));
}

static void read_waiting(struct crew_heard *h, struct text reason)
{
	bool is_claude = h->hook.len > 0;

	if (is_claude && !asks_person(h, reason)) {
		say(h, MOMENT_NONE, TEXT(""));
		return;
	}
	h->news.tool = json_text_at(h->metadata, "tool_name");
	h->news.target = moment_target(yyjson_obj_get(h->metadata, "tool_input"));
	say(h, is_claude ? MOMENT_ASKED : MOMENT_HELD, reason);
}

/* A session that starts has nothing to do, but one that was compacted goes on as it was: at work,
 * or idle where a person wanted it. */
static void read_start(struct crew_heard *h, struct text reason)
{
	say(h, text_is(reason, "compact") ? MOMENT_NONE : MOMENT_BEGAN, TEXT(""));
}

static void read_state(struct crew_heard *h)
{
	static const struct {
		const char *to;
		enum crew_moment moment;
	} states[] = {
		{"idle", MOMENT_OVER}, {"thinking", MOMENT_BUSY}, {"acting", MOMENT_BUSY},
		{"done", MOMENT_OVER}, {"error", MOMENT_FAILED},
	};
	struct text to = payload_text(h, "to"), reason = payload_text(h, "reason");

	if (is_hook(h, "SessionStart")) {
		read_start(h, reason);
		return;
	}
	if (is_hook(h, "SessionEnd")) {
		say(h, MOMENT_ENDED, reason);
		return;
	}
	if (text_is(to, "waiting")) {
		read_waiting(h, reason);
		return;
	}
	for (size_t i = 0; i < sizeof(states) / sizeof(*states); i++)
		if (text_is(to, states[i].to))
			say(h, states[i].moment, reason);
}

/* ---- other types ---- */

static void read_facts(struct crew_heard *h)
{
	struct text status = payload_text(h, "status");

	if (text_is(status, "busy"))
		say(h, MOMENT_BUSY, TEXT(""));
	else if (text_is(status, "waiting"))
		say(h, MOMENT_ASKED, payload_text(h, "waitingFor"));
	else if (text_is(status, "idle"))
		say(h, MOMENT_OVER, TEXT(""));
}

static void read_turn(struct crew_heard *h)
{
	bool began = text_is(payload_text(h, "state"), "began");

	h->is_interrupted = text_is(payload_text(h, "state"), "interrupted");
	say(h, began ? MOMENT_BUSY : MOMENT_OVER, TEXT(""));
}

/* An agent of the run dialect says that its run is over, whatever became of it. */
static void read_run_end(struct crew_heard *h)
{
	say(h, MOMENT_ENDED, TEXT(""));
}

static void read_gone(struct crew_heard *h)
{
	h->is_left = yyjson_is_true(yyjson_obj_get(h->payload, "left"));
	say(h, h->is_left ? MOMENT_ENDED : MOMENT_VANISHED, payload_text(h, "why"));
}

static void read_prompt(struct crew_heard *h)
{
	h->news.tool = payload_text(h, "tool");
	say(h, MOMENT_ASKED, payload_text(h, "prompt"));
}

static void read_answer(struct crew_heard *h)
{
	say(h, MOMENT_ANSWERED, TEXT(""));
}

/* Claude Code wakes itself, in the words of a user. */
static void read_event(struct crew_heard *h)
{
	if (yyjson_is_true(yyjson_obj_get(h->payload, "synthetic")))
		say(h, MOMENT_TOLD, TEXT(""));
}

static void read_denied(struct crew_heard *h)
{
	h->news.tool = payload_text(h, "tool_name");
	h->news.call = payload_text(h, "tool_use_id");
	say(h, MOMENT_RETURNED, TEXT(""));
}

static void read_by_name(struct crew_heard *h, const struct signal *s)
{
	static const struct {
		const char *type;
		bool is_box;    /* it counts only when the box says it */
		bool is_agents; /* it is of a session, and makes one */
		void (*read)(struct crew_heard *h);
	} types[] = {
		{"session.facts", false, true, read_facts},
		{"session.turn", false, true, read_turn},
		{"session.gone", true, false, read_gone},
		{"run-finished", false, false, read_run_end},
		{"prompt", false, true, read_prompt},
		{"answer", true, false, read_answer},
		{"prompt.closed", true, false, read_answer},
		{"prompt.settled", true, false, read_answer},
		{"event", false, false, read_event},
		{"PermissionDenied", false, false, read_denied},
	};

	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
		if (!text_is(s->type, types[i].type))
			continue;
		if (types[i].is_box && !text_equal(s->source, SOURCE_OF_BOX))
			return;
		h->is_agents = types[i].is_agents;
		types[i].read(h);
	}
}

/* Of this century, that is: a time that is none makes no moment. */
static bool is_time(double at_ms)
{
	return at_ms > 0 && at_ms < 4102444800000.0;
}

void moment_read(struct crew_heard *h, const struct signal *s)
{
	*h = (struct crew_heard){
		.news = {.at_ms = is_time(s->at_ms) ? s->at_ms : 0, .exit = -1},
		.payload = yyjson_obj_get(s->envelope, "payload"),
		.metadata = yyjson_obj_get(s->envelope, "metadata"),
		.is_agents = true,
	};
	session_read(&h->session,
	             &(struct session_signal){s->type, s->source, h->payload, h->metadata});
	h->agent = payload_text(h, "agentId");
	h->part = json_text_at(h->metadata, "agent_id");
	h->parent = json_text_at(h->metadata, "parent_tool_use_id");
	h->spawner = json_text_at(h->metadata, "spawnedBy");
	h->hook = json_text_at(h->metadata, "hook");
	switch (s->kind) {
	case KIND_TASK_DISPATCH:
		read_dispatch(h);
		break;
	case KIND_TOOL_CALL:
		read_call(h);
		break;
	case KIND_TOOL_RESULT:
		read_result(h);
		break;
	case KIND_TEXT_DELTA:
		read_words(h);
		break;
	case KIND_THINKING:
		read_thought(h);
		break;
	case KIND_AGENT_STATE_CHANGE:
		read_state(h);
		break;
	case KIND_ERROR:
		read_error(h);
		break;
	case KIND_COMPLETION:
		read_completion(h, s);
		break;
	case KIND_TOKEN_USAGE:
		break;
	default:
		h->is_agents = false;
		read_by_name(h, s);
	}
}
