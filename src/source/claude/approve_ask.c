/* approve_ask.c - a permission as a question, and its answer as a decision.
 *
 * The shapes of what a hook prints are Claude Code's own.
 */
#include "source/claude/approve_ask.h"

#include "base/must.h"
#include "base/put.h"
#include "base/visible.h"
#include "parse/tool_words.h"

#define WORDS_MAX (16 * KIB) /* of what is asked: a prompt holds so many */
#define RULE_MAX (4 * KIB)   /* of what `always` writes, in words */
#define EDIT_MAX (32 * KIB)  /* of an input that may be changed */
#define LEVELS_MAX 48        /* of an input that is told: a signal holds 64 */

bool approve_read(struct approve_request *r, struct json_reader *reader, struct text payload)
{
	yyjson_val *root = yyjson_doc_get_root(json_read(reader, payload, NULL));
	bool is_inside = json_text(yyjson_obj_get(root, "agent_id")).len > 0;

	*r = (struct approve_request){
		.session = json_text(yyjson_obj_get(root, "session_id")),
		.event = json_text(yyjson_obj_get(root, "hook_event_name")),
		.tool = json_text(yyjson_obj_get(root, "tool_name")),
		.tool_use = json_text(yyjson_obj_get(root, "tool_use_id")),
		.prompt = json_text(yyjson_obj_get(root, "prompt_id")),
		.transcript = json_text(yyjson_obj_get(root, "transcript_path")),
		.input = yyjson_obj_get(root, "tool_input"),
		.suggestions = yyjson_obj_get(root, "permission_suggestions"),
	};
	if (is_inside)
		r->agent = json_text(yyjson_obj_get(root, "agent_type"));
	return r->session.len > 0 && !memchr(r->session.at, '\0', r->session.len);
}

/* CONFIG/projects/NAME/SESSION.jsonl: the registry is CONFIG/sessions. */
char *approve_sessions(struct text transcript)
{
	static const struct text projects = {"/projects/", 10};
	const char *at = transcript.len
	                         ? memmem(transcript.at, transcript.len, projects.at, projects.len)
	                         : NULL,
		   *next;

	while (at && (next = memmem(at + 1, transcript.len - (size_t)(at + 1 - transcript.at),
	                            projects.at, projects.len)))
		at = next;
	if (!at || transcript.at[0] != '/' || memchr(transcript.at, '\0', transcript.len))
		return NULL;
	return must_print("%.*s/sessions", (int)(at - transcript.at), transcript.at);
}

/* ---- the rule of "always" ---- */

/* Where Claude Code keeps what it is told to remember, as its documents call it. */
static struct text approve_ask_place_of(struct text destination)
{
	static const struct {
		const char *name;
		struct text place;
	} places[] = {
		{"session", {"for this session", 16}},
		{"localSettings", {"in .claude/settings.local.json", 30}},
		{"projectSettings", {"in .claude/settings.json", 24}},
		{"userSettings", {"in ~/.claude/settings.json", 26}},
	};

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (text_is(destination, places[i].name))
			return places[i].place;
	return (struct text){NULL, 0};
}

/* `Bash(make:*)`, as it is written in a settings file. */
static void add_rule(struct buf *out, yyjson_val *rule)
{
	struct text content = json_text(yyjson_obj_get(rule, "ruleContent"));

	visible_add(out, json_text(yyjson_obj_get(rule, "toolName")), VISIBLE_MARK_LINES);
	if (!content.len)
		return;
	buf_add_char(out, '(');
	visible_add(out, content, VISIBLE_MARK_LINES);
	buf_add_char(out, ')');
}

static void add_listed(struct buf *out, yyjson_val *list, const char *between,
                       void (*add)(struct buf *out, yyjson_val *one))
{
	size_t i, max;
	yyjson_val *one;

	yyjson_arr_foreach(list, i, max, one)
	{
		if (i > 0)
			buf_add(out, text_of(between));
		add(out, one);
	}
}

static void approve_ask_add_text(struct buf *out, yyjson_val *text)
{
	visible_add(out, json_text(text), VISIBLE_MARK_LINES);
}

/* Of a rule and of a change that we have words for, every member is in them. */
static bool are_plain(yyjson_val *rules)
{
	yyjson_val *rule;
	size_t i, max;

	yyjson_arr_foreach(rules, i, max, rule)
	{
		size_t known = (yyjson_obj_get(rule, "toolName") != NULL) +
		               (yyjson_obj_get(rule, "ruleContent") != NULL);

		if (yyjson_obj_size(rule) != known)
			return false;
	}
	return true;
}

/* False: it is of no kind that we have words for. */
static bool add_change(struct buf *out, yyjson_val *change)
{
	struct text type = json_text(yyjson_obj_get(change, "type"));
	struct text behavior = json_text(yyjson_obj_get(change, "behavior"));
	yyjson_val *rules = yyjson_obj_get(change, "rules");
	yyjson_val *directories = yyjson_obj_get(change, "directories");
	yyjson_val *mode = yyjson_obj_get(change, "mode");

	if (yyjson_obj_size(change) > (rules ? 4u : 3u))
		return false;
	if (text_is(type, "addRules") && yyjson_arr_size(rules) && are_plain(rules)) {
		visible_add(out, behavior, VISIBLE_MARK_LINES);
		buf_add_char(out, ' ');
		add_listed(out, rules, ", ", add_rule);
	} else if (text_is(type, "addDirectories") && yyjson_arr_size(directories)) {
		buf_add(out, TEXT("add the directory "));
		add_listed(out, directories, ", ", approve_ask_add_text);
	} else if (text_is(type, "setMode") && yyjson_is_str(mode)) {
		buf_add(out, TEXT("permission mode "));
		approve_ask_add_text(out, mode);
	} else {
		return false;
	}
	return true;
}

/* A change that we have no words for is shown as it is. */
static void add_suggestion(struct buf *out, yyjson_val *change)
{
	struct text place = approve_ask_place_of(json_text(yyjson_obj_get(change, "destination")));
	struct buf json;

	if (place.len && add_change(out, change)) {
		buf_add_char(out, ' ');
		buf_add(out, place);
		return;
	}
	buf_init(&json, RULE_MAX);
	out->full |= !json_add(&json, change);
	visible_add(out, buf_text(&json), VISIBLE_MARK_LINES);
	buf_finish(&json);
}

static bool add_rules(struct buf *out, yyjson_val *suggestions)
{
	add_listed(out, suggestions, "; ", add_suggestion);
	return out->len > 0 && !out->full;
}

/* Only where the agent says what it would write, and where that can be shown whole. */
static void add_always(struct buf *out, yyjson_val *suggestions)
{
	struct buf rules;

	buf_init(&rules, RULE_MAX);
	if (add_rules(&rules, suggestions)) {
		put_object(out, NULL);
		put_word(out, "label", "Allow always");
		put_word(out, "value", "always");
		put_text(out, "rule", buf_text(&rules));
		put_word(out, "needs", "control");
		put_end(out);
	}
	buf_finish(&rules);
}

/* ---- the question ---- */

static void approve_ask_add_options(struct buf *out, const struct approve_request *r,
                                    struct text input)
{
	put_list(out, "options");
	put_object(out, NULL);
	put_word(out, "label", "Allow");
	put_word(out, "value", "allow");
	if (yyjson_is_obj(r->input) && input.len <= EDIT_MAX &&
	    !json_is_deeper(r->input, LEVELS_MAX)) {
		put_json(out, "edit", input);
	}
	buf_add_char(out, '}');
	add_always(out, r->suggestions);
	put_object(out, NULL);
	put_word(out, "label", "Deny");
	put_word(out, "value", "deny");
	put_bool(out, "safe", true);
	put_end(out);
	put_object(out, NULL);
	put_word(out, "label", "Deny and stop");
	put_word(out, "value", "stop");
	put_end(out);
	put_list_end(out);
}

void approve_ask(struct buf *out, const struct approve_request *r, struct text input)
{
	struct buf words;

	put_word(out, "type", "select");
	put_key(out, "prompt");
	buf_init(&words, WORDS_MAX);
	tool_words(&words, r->tool, r->input, WORDS_MAX);
	buf_add_json(out, buf_text(&words));
	buf_finish(&words);
	put_text(out, "tool", r->tool);
	if (input.len && input.len <= APPROVE_INPUT_TOLD && !json_is_deeper(r->input, LEVELS_MAX)) {
		put_json(out, "input", input);
	}
	if (input.len)
		put_u64(out, "inputBytes", input.len);
	approve_ask_add_options(out, r, input);
}

/* The words of who decided against it, for the agent. */
#define DENIED "\"behavior\":\"deny\",\"message\":\"A person said no to this.\""

struct text approve_word(yyjson_val *value)
{
	return json_text(yyjson_is_obj(value) ? yyjson_obj_get(value, "value") : value);
}

static void add_decision(struct buf *out, yyjson_val *value, const char *suggestions)
{
	yyjson_val *edit = yyjson_obj_get(value, "edit");
	struct text word = approve_word(value);

	if (text_is(word, "allow"))
		put_word(out, "behavior", "allow");
	else if (text_is(word, "always") && suggestions) {
		put_word(out, "behavior", "allow");
		put_json(out, "updatedPermissions", text_of(suggestions));
	} else if (text_is(word, "deny"))
		buf_add(out, TEXT(DENIED));
	else if (text_is(word, "stop"))
		buf_add(out, TEXT(DENIED ",\"interrupt\":true"));
	if (yyjson_is_obj(edit) && text_is(word, "allow")) {
		put_key(out, "updatedInput");
		json_add(out, edit);
	}
}

static void add_decided(struct buf *out, struct text decision)
{
	put_object(out, NULL);
	put_object(out, "hookSpecificOutput");
	put_word(out, "hookEventName", "PermissionRequest");
	put_object(out, "decision");
	buf_add(out, decision);
	put_end(out);
	put_end(out);
	put_end(out);
}

void approve_decide(struct buf *out, yyjson_val *value, const char *suggestions)
{
	struct buf decision;

	buf_init(&decision, out->max);
	add_decision(&decision, value, suggestions);
	if (decision.full)
		out->full = true;
	if (decision.len)
		add_decided(out, buf_text(&decision));
	buf_finish(&decision);
}

/* Behind the other members: so it is the one that counts, whatever the input has. */
void approve_answer(struct buf *out, struct text input, struct text answers)
{
	struct buf decision;

	buf_init(&decision, out->max);
	put_word(&decision, "behavior", "allow");
	put_json(&decision, "updatedInput",
	         (struct text){input.at, input.len - 1}); /* without its brace */
	buf_add_char(&decision, ',');
	put_object(&decision, "answers");
	buf_add(&decision, answers);
	put_end(&decision);
	put_end(&decision);
	if (decision.full)
		out->full = true;
	add_decided(out, buf_text(&decision));
	buf_finish(&decision);
}
