/* openclaw_approvals.c - what a gateway asks a person to decide.
 *
 * A command or a plugin's request is a prompt by the gateway's own id, with exactly the
 * decisions that the gateway would take.
 */
#include "base/put.h"
#include "base/utf8.h"
#include "parse/inside.h"
#include "parse/openclaw_frame.h"
#include "parse/tool_words.h"

#define INPUT_MAX (256 * KIB)
#define WORDS_MAX (16 * KIB) /* that a prompt holds */
#define RULE_PART_MAX 512    /* bytes of a command or a path in what a rule says */

/* What is asked is in the metadata, for whoever wants all of it. */
static void change_state(struct openclaw_frame *f, const char *from, const char *to,
                         const char *why)
{
	openclaw_frame_begin(f, "agent_state_change");
	make_text(&f->p->make, "from", text_of(from));
	make_text(&f->p->make, "to", text_of(to));
	make_text(&f->p->make, "reason", text_of(why));
	if (f->payload) {
		openclaw_frame_metadata(f);
		make_json(&f->p->make, why, f->payload);
	}
	openclaw_frame_end(f);
}

/* ---- what is asked ---- */

static yyjson_val *request_of(const struct openclaw_frame *f)
{
	yyjson_val *request = yyjson_obj_get(f->payload, "request");

	return yyjson_is_obj(request) ? request : f->payload;
}

/* Members that say who asks, and what the gateway needs for itself. */
static bool is_about_asking(struct text name)
{
	static const char *const names[] = {"id",
	                                    "request",
	                                    "agentId",
	                                    "sessionKey",
	                                    "sessionId",
	                                    "runId",
	                                    "toolCallId",
	                                    "createdAtMs",
	                                    "expiresAtMs",
	                                    "approvalKind",
	                                    "commandSpans",
	                                    "allowedDecisions",
	                                    "unavailableDecisions",
	                                    "systemRunBinding",
	                                    "cronExecutionSource",
	                                    "cronOperationBinding",
	                                    "commandAnalysis",
	                                    NULL};

	for (size_t i = 0; names[i]; i++)
		if (text_is(name, names[i]))
			return true;
	return text_starts(name, TEXT("turnSource"));
}

/* All else, where it says something. */
static void openclaw_approvals_add_input(struct buf *out, yyjson_val *request)
{
	yyjson_obj_iter each = yyjson_obj_iter_with(request);
	const char *between = "{";
	yyjson_val *key;

	while ((key = yyjson_obj_iter_next(&each))) {
		yyjson_val *value = yyjson_obj_iter_get_val(key);

		if (yyjson_is_null(value) || is_about_asking(json_text(key)))
			continue;
		buf_add(out, text_of(between));
		buf_add_json(out, json_text(key));
		buf_add_char(out, ':');
		if (!json_add(out, value))
			out->full = true;
		between = ",";
	}
	buf_add(out, *between == '{' ? TEXT("{}") : TEXT("}"));
}

/* ---- what may be decided ---- */

static bool openclaw_approvals_has_word(yyjson_val *list, const char *word)
{
	yyjson_arr_iter each = yyjson_arr_iter_with(list);
	yyjson_val *one;

	while ((one = yyjson_arr_iter_next(&each)))
		if (yyjson_equals_str(one, word))
			return true;
	return false;
}

/* A gateway of early 2026 does not say, and takes any. */
static bool openclaw_approvals_takes(yyjson_val *request, const char *decision)
{
	yyjson_val *allowed = yyjson_obj_get(request, "allowedDecisions");

	return (!allowed || openclaw_approvals_has_word(allowed, decision)) &&
	       !openclaw_approvals_has_word(yyjson_obj_get(request, "unavailableDecisions"),
	                                    decision);
}

static void add_part(struct buf *out, struct text part)
{
	struct text shown = utf8_cut(part, RULE_PART_MAX);

	buf_add(out, shown);
	if (shown.len < part.len)
		buf_add(out, TEXT("..."));
}

/* What "always" writes, and where. */
static void openclaw_approvals_add_rule(struct buf *out, const struct openclaw_frame *f,
                                        yyjson_val *request)
{
	struct text command = json_text_at(request, "command");
	struct text path = json_text_at(request, "resolvedPath");
	struct text cwd = json_text_at(request, "cwd");
	bool is_exact = yyjson_obj_get(request, "allowedDecisions") != NULL;

	if (!command.len) {
		buf_add(out, TEXT("the gateway does not ask again for: "));
		add_part(out, json_text_at(request, "title"));
		return;
	}
	add_part(out, is_exact || !path.len ? command : path);
	if (!is_exact)
		buf_add(out, TEXT(", with any arguments,"));
	else if (cwd.len)
		buf_add(out, TEXT(", in "));
	if (is_exact)
		add_part(out, cwd);
	buf_add(out, TEXT(" goes to the exec allowlist of agent "));
	add_part(out, f->agent);
	buf_add(out, TEXT(" on the gateway"));
}

static void openclaw_approvals_add_options(struct buf *out, const struct openclaw_frame *f,
                                           yyjson_val *request)
{
	struct buf rule;

	buf_add_char(out, '[');
	if (openclaw_approvals_takes(request, "allow-once")) {
		put_object(out, NULL);
		put_word(out, "label", "Allow once");
		put_word(out, "value", "allow-once");
		put_end(out);
		buf_add_char(out, ',');
	}
	if (openclaw_approvals_takes(request, "allow-always")) {
		buf_init(&rule, 4 * KIB);
		openclaw_approvals_add_rule(&rule, f, request);
		put_object(out, NULL);
		put_word(out, "label", "Allow always");
		put_word(out, "value", "allow-always");
		put_word(out, "needs", "control");
		put_text(out, "rule", buf_text(&rule));
		buf_add(out, TEXT("},"));
		buf_finish(&rule);
	}
	put_object(out, NULL);
	put_word(out, "label", "Deny");
	put_word(out, "value", "deny");
	put_bool(out, "safe", true);
	put_end(out);
	put_list_end(out);
}

/* ---- the prompt ---- */

static struct text tool_of(yyjson_val *request)
{
	static const char *const names[] = {"toolName", "pluginId", NULL};
	struct text name = json_text(openclaw_frame_first(request, names));

	if (name.len)
		return name;
	return yyjson_obj_get(request, "command") ? TEXT("exec") : TEXT("plugin");
}

/* Said again, it begins with why: `note` is of our own transport. */
static void make_words(struct openclaw_frame *f, struct text tool, yyjson_val *input)
{
	struct text note = json_text_at(f->payload, "note");
	struct buf words;

	buf_init(&words, 2 * WORDS_MAX);
	if (note.len) {
		buf_add(&words, note);
		buf_add_char(&words, '\n');
	}
	tool_words(&words, tool, input, WORDS_MAX);
	make_text(&f->p->make, "prompt", buf_text(&words));
	buf_finish(&words);
}

static void make_tool(struct openclaw_frame *f, yyjson_val *request)
{
	struct buf json;
	yyjson_doc *input;

	buf_init(&json, INPUT_MAX);
	openclaw_approvals_add_input(&json, request);
	input = json.full ? NULL : yyjson_read_opts(json.at, json.len, 0, &json_memory, NULL);
	make_words(f, tool_of(request), input ? yyjson_doc_get_root(input) : request);
	make_text(&f->p->make, "tool", tool_of(request));
	if (input)
		make_raw(&f->p->make, "input", buf_text(&json));
	make_u64(&f->p->make, "inputBytes", json.len);
	yyjson_doc_free(input);
	buf_finish(&json);
}

static void give_prompt(struct openclaw_frame *f)
{
	yyjson_val *request = request_of(f);
	yyjson_val *deadline = yyjson_obj_get(f->payload, "expiresAtMs");
	struct text id = json_text_at(f->payload, "id");
	struct buf options;

	if (id.len == 0)
		return;
	openclaw_frame_begin_bare(f, "prompt");
	make_text(&f->p->make, "id", id);
	make_text(&f->p->make, "type", TEXT("select"));
	make_tool(f, request);
	buf_init(&options, 16 * KIB);
	openclaw_approvals_add_options(&options, f, request);
	make_raw(&f->p->make, "options", buf_text(&options));
	buf_finish(&options);
	if (yyjson_is_uint(deadline))
		make_json(&f->p->make, "deadline", deadline);
	make_text(&f->p->make, "invokeid", f->agent);
	openclaw_frame_end(f);
}

void openclaw_frame_approval_asked(struct openclaw_frame *f)
{
	change_state(f, "acting", "waiting", "approval");
	give_prompt(f);
}

void openclaw_frame_approval_decided(struct openclaw_frame *f)
{
	change_state(f, "waiting", "acting", "approval");
}

void openclaw_frame_question_asked(struct openclaw_frame *f)
{
	change_state(f, "acting", "waiting", "question");
}

void openclaw_frame_question_answered(struct openclaw_frame *f)
{
	change_state(f, "waiting", "acting", "question");
}
