/* claude_hook.c - what Claude Code tells its hooks, one JSON object an event.
 *
 * Each hook is a message of its own: but for limits, nothing is remembered from one to the next,
 * so it does not matter which process or connection brought it.  A session is the
 * correlationId; prompt, subagent and tool use are in the metadata.  An event
 * without a signal of its own keeps its name as the type, one that we do not know
 * becomes `event`; both have all that was told as their payload.  What is known of the
 * session (where it is, its mode, its transcript) is in the metadata of each.
 */
#include <stdlib.h>

#include "base/map.h"
#include "base/put.h"
#include "parse/claude_status.h"
#include "parse/claude_work.h"
#include "parse/inside.h"
#include "parse/kinds.h"

#define LIMITS_MAX 1024
#define LIMITS_SESSIONS 64 /* the one that told nothing for longest is forgotten */
#define LIMITS_AGAIN_MS 300000
#define LIMITS_SEED 0x6c696d73
#define USED_MAX 1e6

/* What is remembered: the limits that each session told last, lest they fill the log.  Sessions of
 * one account know of them at different times. */
struct told_limits {
	uint64_t session, limits; /* hashes; session 0: none */
	int64_t at_ms;
};

struct hook_limit {
	const char *name;
	unsigned minutes; /* 0: it has no length */
};

struct claude_hook {
	struct parse *p;
	yyjson_val *root;
	struct text name;
	struct text agent; /* whose doing it is */
};

static struct text claude_hook_field(const struct claude_hook *h, const char *name)
{
	return json_text_at(h->root, name);
}

static struct text field_or(const struct claude_hook *h, const char *name, const char *otherwise)
{
	struct text found = claude_hook_field(h, name);

	return found.len ? found : text_of(otherwise);
}

/* --- envelopes ----------------------------------------------------------------- */

static void claude_hook_begin(const struct claude_hook *h, const char *type)
{
	parse_begin_as(h->p, &(struct make_head){
				     .type = type,
				     .type_text = h->name,
				     .source = TEXT("adapter:tap"),
				     .correlation = claude_hook_field(h, "session_id"),
			     });
}

/* `more`, ended by NULL, are members of the event that its signal has no room for. */
static void claude_hook_end(const struct claude_hook *h, const char *const *more)
{
	static const char *const always[] = {"prompt_id", "agent_id",        "tool_use_id",
	                                     "cwd",       "permission_mode", "transcript_path",
	                                     "model",     "session_title",   NULL};

	make_metadata(&h->p->make);
	make_text(&h->p->make, "hook", h->name);
	for (const char *const *name = always; *name; name++)
		make_given(&h->p->make, *name, claude_hook_field(h, *name));
	for (; more && *more; more++)
		make_json(&h->p->make, *more, yyjson_obj_get(h->root, *more));
	make_json(&h->p->make, "effort", yyjson_obj_get(h->root, "effort"));
	make_json(&h->p->make, "cut", yyjson_obj_get(h->root, "cut"));
	if (h->p->is_late)
		make_bool(&h->p->make, "late", true);
	parse_give(h->p);
}

static void give_whole(const struct claude_hook *h, const char *type)
{
	claude_hook_begin(h, type);
	make_members(&h->p->make, h->root);
	claude_hook_end(h, NULL);
}

static void give_verbatim(const struct claude_hook *h)
{
	give_whole(h, NULL);
}

/* Empty words are no reason; whose state it is, is known. */
struct state_change {
	const char *from, *to;
	struct text reason;
};

static void claude_hook_give_state(const struct claude_hook *h, const struct state_change *change,
                                   const char *const *more)
{
	claude_hook_begin(h, "agent_state_change");
	make_text(&h->p->make, "agentId", h->agent);
	make_text(&h->p->make, "from", text_of(change->from));
	make_text(&h->p->make, "to", text_of(change->to));
	make_given(&h->p->make, "reason", change->reason);
	claude_hook_end(h, more);
}

/* --- sessions and prompts -------------------------------------------------------- */

static void take_session_start(const struct claude_hook *h)
{
	claude_hook_give_state(
		h, &(struct state_change){"idle", "thinking", claude_hook_field(h, "source")},
		NULL);
}

static void take_session_end(const struct claude_hook *h)
{
	claude_hook_give_state(
		h, &(struct state_change){"done", "idle", claude_hook_field(h, "reason")}, NULL);
}

/* Claude Code speaks to itself in the words of a user: when a task in the background
 * ends, when a timer wakes it.  Older ones do not say so but for the tag. */
static bool is_synthetic(const struct claude_hook *h)
{
	struct text source = claude_hook_field(h, "source");

	if (text_starts(text_trim(claude_hook_field(h, "prompt")), TEXT("<task-notification>")))
		return true;
	return source.len && !text_is(source, "user") && !text_is(source, "sdk");
}

static void take_prompt(const struct claude_hook *h)
{
	struct text task = claude_hook_field(h, "prompt_id");

	if (is_synthetic(h)) {
		claude_hook_begin(h, "event");
		make_members(&h->p->make, h->root);
		make_bool(&h->p->make, "synthetic", true);
		claude_hook_end(h, NULL);
		return;
	}
	claude_hook_begin(h, "task_dispatch");
	make_text(&h->p->make, "taskId", task.len ? task : field_or(h, "session_id", "unknown"));
	make_text(&h->p->make, "from", TEXT("user"));
	make_text(&h->p->make, "to", h->agent);
	make_text(&h->p->make, "description", claude_hook_field(h, "prompt"));
	claude_hook_end(h, NULL);
}

static void claude_hook_take_message(const struct claude_hook *h)
{
	static const char *const more[] = {"turn_id", "message_id", "final", NULL};
	yyjson_val *index = yyjson_obj_get(h->root, "index");
	struct text words = claude_hook_field(h, "delta");

	if (words.len == 0)
		return;
	claude_hook_begin(h, "text_delta");
	make_text(&h->p->make, "agentId", h->agent);
	make_text(&h->p->make, "content", words);
	if (yyjson_is_uint(index))
		make_json(&h->p->make, "index", index);
	claude_hook_end(h, more);
}

/* --- tools ----------------------------------------------------------------------- */

static const char *const tool_more[] = {"duration_ms", "is_interrupt", "mcp_server", NULL};

static void claude_hook_begin_tool(const struct claude_hook *h, const char *type)
{
	claude_hook_begin(h, type);
	make_text(&h->p->make, "toolName", field_or(h, "tool_name", "unknown"));
	make_text(&h->p->make, "agentId", h->agent);
	make_given(&h->p->make, "callId", claude_hook_field(h, "tool_use_id"));
}

static void take_tool_call(const struct claude_hook *h)
{
	claude_hook_begin_tool(h, "tool_call");
	make_object(&h->p->make, "input", yyjson_obj_get(h->root, "tool_input"));
	claude_hook_end(h, tool_more);
}

/* {"NAME": what the tool said}; nothing when it said nothing. */
static void add_output(const struct claude_hook *h, const char *name, yyjson_val *said)
{
	struct buf output;
	char *json = NULL;
	size_t len;

	if (said && !yyjson_is_null(said) && !yyjson_equals_str(said, ""))
		json = yyjson_val_write(said, YYJSON_WRITE_NOFLAG, &len);
	if (!json)
		return;
	buf_init(&output, len + strlen(name) + 8);
	put_object(&output, NULL);
	put_json(&output, name, (struct text){json, len});
	buf_add_char(&output, '}');
	make_raw(&h->p->make, "output", buf_text(&output));
	buf_finish(&output);
	free(json);
}

/* What it did to the plan or to a file. */
static void give_work(const struct claude_hook *h)
{
	const struct claude_use use = {.tool = claude_hook_field(h, "tool_name"),
	                               .agent = h->agent,
	                               .call = claude_hook_field(h, "tool_use_id"),
	                               .input = yyjson_obj_get(h->root, "tool_input"),
	                               .result = yyjson_obj_get(h->root, "tool_response")};
	const char *type = claude_work_type(&use);

	if (!type)
		return;
	claude_hook_begin(h, type);
	claude_work_add(&use, &h->p->make);
	claude_hook_end(h, NULL);
}

static void take_tool_result(const struct claude_hook *h)
{
	claude_hook_begin_tool(h, "tool_result");
	make_bool(&h->p->make, "success", true);
	add_output(h, "response", yyjson_obj_get(h->root, "tool_response"));
	claude_hook_end(h, tool_more);
	give_work(h);
}

static void take_tool_failure(const struct claude_hook *h)
{
	claude_hook_begin_tool(h, "tool_result");
	make_bool(&h->p->make, "success", false);
	add_output(h, "error", yyjson_obj_get(h->root, "error"));
	claude_hook_end(h, tool_more);

	claude_hook_begin(h, "error");
	make_text(&h->p->make, "agentId", h->agent);
	make_text(&h->p->make, "message", field_or(h, "error", "Tool use failed"));
	make_text(&h->p->make, "severity", TEXT("error"));
	make_given(&h->p->make, "code", claude_hook_field(h, "tool_name"));
	claude_hook_end(h, NULL);
}

/* --- stops and subagents ------------------------------------------------------------ */

static void take_stop(const struct claude_hook *h)
{
	claude_hook_give_state(h, &(struct state_change){"acting", "done", {NULL, 0}}, NULL);
}

static void take_stop_failure(const struct claude_hook *h)
{
	struct text details = claude_hook_field(h, "error_details");

	claude_hook_begin(h, "error");
	make_text(&h->p->make, "agentId", h->agent);
	make_text(&h->p->make, "message",
	          details.len ? details : field_or(h, "error", "Turn failed"));
	make_text(&h->p->make, "severity", TEXT("error"));
	make_given(&h->p->make, "code", claude_hook_field(h, "error"));
	claude_hook_end(h, NULL);
}

static void take_subagent_start(const struct claude_hook *h)
{
	claude_hook_begin(h, "task_dispatch");
	make_text(&h->p->make, "taskId", field_or(h, "agent_id", "unknown"));
	make_text(&h->p->make, "from", TEXT("claude"));
	make_text(&h->p->make, "to", field_or(h, "agent_type", "subagent"));
	claude_hook_end(h, NULL);
}

/* Compaction stops without having started, has an empty type, and is no subagent. */
static bool is_compaction(const struct claude_hook *h)
{
	yyjson_val *type = yyjson_obj_get(h->root, "agent_type");

	return yyjson_is_str(type) && yyjson_get_len(type) == 0;
}

static void take_subagent_stop(const struct claude_hook *h)
{
	if (is_compaction(h)) {
		give_whole(h, "event");
		return;
	}
	claude_hook_begin(h, "completion");
	make_text(&h->p->make, "taskId", field_or(h, "agent_id", "unknown"));
	make_given(&h->p->make, "agentId", claude_hook_field(h, "agent_type"));
	make_bool(&h->p->make, "success", true);
	make_given(&h->p->make, "result", claude_hook_field(h, "last_assistant_message"));
	claude_hook_end(h, NULL);
}

/* --- waiting for a person ------------------------------------------------------------ */

static void take_permission(const struct claude_hook *h)
{
	static const char *const more[] = {"tool_name", "tool_input", "permission_suggestions",
	                                   NULL};

	claude_hook_give_state(h, &(struct state_change){"acting", "waiting", TEXT("permission")},
	                       more);
}

static void take_elicitation(const struct claude_hook *h)
{
	static const char *const more[] = {"mcp_server_name",  "mode", "url", "elicitation_id",
	                                   "requested_schema", NULL};

	claude_hook_give_state(
		h, &(struct state_change){"acting", "waiting", claude_hook_field(h, "message")},
		more);
}

/* Most ask for attention; these report that something is done. */
static void take_notification(const struct claude_hook *h)
{
	static const char *const more[] = {"notification_type", "title", NULL};
	static const char *const reports[] = {"auth_success", "elicitation_complete",
	                                      "elicitation_response", "agent_completed", NULL};
	struct text kind = claude_hook_field(h, "notification_type");

	for (const char *const *report = reports; *report; report++)
		if (text_is(kind, *report)) {
			give_verbatim(h);
			return;
		}
	claude_hook_give_state(
		h, &(struct state_change){"acting", "waiting", claude_hook_field(h, "message")},
		more);
}

/* --- limits ------------------------------------------------------------------------ */

static void put_limit(struct buf *out, yyjson_val *limits, const struct hook_limit *limit)
{
	yyjson_val *window = yyjson_obj_get(limits, limit->name);
	double used, resets;

	if (!json_number(yyjson_obj_get(window, "used_percentage"), &used) || !(used >= 0) ||
	    used > USED_MAX)
		return;
	put_object(out, NULL);
	if (limit->minutes)
		put_u64(out, "minutes", limit->minutes);
	else
		put_word(out, "name", "spend");
	put_key(out, "used");
	json_add_number(out, used);
	if (json_number(yyjson_obj_get(window, "resets_at"), &resets) && resets > 0 && resets < 4e9)
		put_u64(out, "resetsAt", (uint64_t)resets * 1000);
	put_end(out);
}

/* Its own, or the one that it may have. */
static struct told_limits *told_by(struct told_limits *all, uint64_t session)
{
	struct told_limits *found = &all[0];

	for (int i = 0; i < LIMITS_SESSIONS; i++) {
		if (all[i].session == session)
			return &all[i];
		if (found->session && (!all[i].session || all[i].at_ms < found->at_ms))
			found = &all[i];
	}
	return found;
}

/* A status line is drawn each second, maybe: the same limits are told each five minutes. */
static bool are_limits_news(const struct claude_hook *h, struct text windows)
{
	uint64_t session = map_hash(LIMITS_SEED, claude_hook_field(h, "session_id")) | 1;
	uint64_t limits = map_hash(LIMITS_SEED, windows);
	struct told_limits *told = told_by(parse_state(h->p), session);

	if (told->session == session && told->limits == limits &&
	    h->p->at_ms - told->at_ms < LIMITS_AGAIN_MS)
		return false;
	*told = (struct told_limits){session, limits, h->p->at_ms};
	return true;
}

/* What Claude Code tells its status line, and no hook; our own command calls it so. */
static void take_status_line(const struct claude_hook *h)
{
	static const struct hook_limit known[] = {
		{"five_hour", 300}, {"seven_day", 10080}, {"spend_limit", 0}};
	yyjson_val *limits = yyjson_obj_get(h->root, "rate_limits");
	struct buf windows;

	buf_init(&windows, LIMITS_MAX);
	put_list(&windows, NULL);
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		put_limit(&windows, limits, &known[i]);
	put_list_end(&windows);
	if (windows.len > 2 && !windows.full && are_limits_news(h, buf_text(&windows))) {
		claude_hook_begin(h, "agent.limits");
		make_text(&h->p->make, "agentId", h->agent);
		make_word(&h->p->make, "harness", "claude-code");
		make_raw(&h->p->make, "windows", buf_text(&windows));
		make_given(&h->p->make, "account", json_text_at(h->root, "account"));
		claude_hook_end(h, NULL);
	}
	buf_finish(&windows);
}

/* --- all of them ------------------------------------------------------------------- */

static const struct {
	const char *name;
	void (*take)(const struct claude_hook *h);
} hooks[] = {
	{"SessionStart", take_session_start},
	{"SessionEnd", take_session_end},
	{"Setup", give_verbatim},
	{"UserPromptSubmit", take_prompt},
	{"UserPromptExpansion", give_verbatim},
	{"PreToolUse", take_tool_call},
	{"PermissionRequest", take_permission},
	{"PermissionDenied", give_verbatim},
	{"PostToolUse", take_tool_result},
	{"PostToolUseFailure", take_tool_failure},
	{"PostToolBatch", give_verbatim},
	{"MessageDisplay", claude_hook_take_message},
	{"Notification", take_notification},
	{"Stop", take_stop},
	{"StopFailure", take_stop_failure},
	{"SubagentStart", take_subagent_start},
	{"SubagentStop", take_subagent_stop},
	{"PreCompact", give_verbatim},
	{"PostCompact", give_verbatim},
	{"PreModelSwitch", give_verbatim},
	{"PostModelSwitch", give_verbatim},
	{"TeammateIdle", give_verbatim},
	{"TaskCreated", give_verbatim},
	{"TaskCompleted", give_verbatim},
	{"Elicitation", take_elicitation},
	{"ElicitationResult", give_verbatim},
	{"ConfigChange", give_verbatim},
	{"InstructionsLoaded", give_verbatim},
	{"CwdChanged", give_verbatim},
	{"FileChanged", give_verbatim},
	{"DirectoryAdded", give_verbatim},
	{"WorktreeCreate", give_verbatim},
	{"WorktreeRemove", give_verbatim},
	{CLAUDE_STATUS_LINE, take_status_line},
};

/* Inside a subagent it is that one's doing. */
static struct text claude_hook_agent_of(const struct claude_hook *h)
{
	if (claude_hook_field(h, "agent_id").len == 0)
		return TEXT("claude");
	return field_or(h, "agent_type", "subagent");
}

static void claude_hook_take(struct parse *p, const struct parse_event *event)
{
	struct text raw = text_trim(event->data);
	struct claude_hook h = {.p = p};

	h.root = raw.len ? parse_json(p, raw) : NULL;
	if (!h.root)
		return;
	h.name = claude_hook_field(&h, "hook_event_name");
	if (h.name.len == 0) {
		parse_bad(p, "a hook without hook_event_name");
		return;
	}
	h.agent = claude_hook_agent_of(&h);
	for (size_t i = 0; i < sizeof(hooks) / sizeof(hooks[0]); i++)
		if (text_is(h.name, hooks[i].name)) {
			hooks[i].take(&h);
			return;
		}
	give_whole(&h, "event");
}

const struct parse_kind parse_claude_hook = {
	.name = "claude-hook",
	.summary = "what Claude Code tells its hooks, a line each",
	.framing = FRAMING_LINES,
	.size = LIMITS_SESSIONS * sizeof(struct told_limits),
	.event = claude_hook_take,
};
