/* approve_ask.c - a permission as a question, and its answer as a decision.
 *
 * The shapes of what a hook prints are Claude Code's own.
 */
#include "source/approve_ask.h"

#define WORDS_MAX (12 * KIB) /* of what is asked: a prompt holds 16 */
#define INPUT_MAX (16 * MIB)
#define EDIT_MAX (32 * KIB) /* of an input that may be changed */

bool approve_read(struct approve_request *r, struct json_reader *reader, struct text payload)
{
	yyjson_val *root = yyjson_doc_get_root(json_read(reader, payload, NULL));
	bool is_inside = json_text(yyjson_obj_get(root, "agent_id")).len > 0;

	*r = (struct approve_request){
		.session = json_text(yyjson_obj_get(root, "session_id")),
		.event = json_text(yyjson_obj_get(root, "hook_event_name")),
		.tool = json_text(yyjson_obj_get(root, "tool_name")),
		.input = yyjson_obj_get(root, "tool_input"),
		.suggestions = yyjson_obj_get(root, "permission_suggestions"),
	};
	if (is_inside)
		r->agent = json_text(yyjson_obj_get(root, "agent_type"));
	return r->session.len > 0;
}

/* What is wanted, in words: the command itself where there is one.  Whoever allows it must
 * know if there is more of it than is shown. */
static void add_words(struct buf *out, const struct approve_request *r)
{
	struct text command = json_text(yyjson_obj_get(r->input, "command"));
	struct buf words;

	buf_init(&words, INPUT_MAX);
	buf_add(&words, r->tool);
	buf_add(&words, TEXT(": "));
	if (command.len)
		buf_add(&words, command);
	else if (r->input)
		json_add(&words, r->input);
	if (words.len > WORDS_MAX) {
		size_t more = words.len - WORDS_MAX;

		words.len = WORDS_MAX;
		buf_print(&words, " ... AND %zu BYTES MORE THAT ARE NOT SHOWN", more);
	}
	buf_add_json(out, buf_text(&words));
	buf_finish(&words);
}

static void add_options(struct buf *out, const struct approve_request *r)
{
	struct buf input;

	buf_init(&input, EDIT_MAX);
	buf_add(out, TEXT(",\"options\":[{\"label\":\"Allow\",\"value\":\"allow\""));
	if (yyjson_is_obj(r->input) && json_add(&input, r->input)) {
		buf_add(out, TEXT(",\"edit\":"));
		buf_add(out, buf_text(&input));
	}
	buf_add_char(out, '}');
	if (yyjson_arr_size(r->suggestions))
		buf_add(out, TEXT(",{\"label\":\"Allow always\",\"value\":\"always\"}"));
	buf_add(out, TEXT(",{\"label\":\"Deny\",\"value\":\"deny\"},"
	                  "{\"label\":\"Deny and stop\",\"value\":\"stop\"}]"));
	buf_finish(&input);
}

void approve_ask(struct buf *out, const struct approve_request *r)
{
	add_words(out, r);
	add_options(out, r);
}

/* The words of who decided against it, for the agent. */
#define DENIED "\"behavior\":\"deny\",\"message\":\"A person said no to this.\""

static void add_decision(struct buf *out, yyjson_val *value, const char *suggestions)
{
	yyjson_val *edit = yyjson_obj_get(value, "edit");
	struct text word = json_text(yyjson_is_obj(value) ? yyjson_obj_get(value, "value") : value);

	if (text_is(word, "allow"))
		buf_add(out, TEXT("\"behavior\":\"allow\""));
	else if (text_is(word, "always") && suggestions)
		buf_print(out, "\"behavior\":\"allow\",\"updatedPermissions\":%s", suggestions);
	else if (text_is(word, "deny"))
		buf_add(out, TEXT(DENIED));
	else if (text_is(word, "stop"))
		buf_add(out, TEXT(DENIED ",\"interrupt\":true"));
	if (yyjson_is_obj(edit) && text_is(word, "allow")) {
		buf_add(out, TEXT(",\"updatedInput\":"));
		json_add(out, edit);
	}
}

void approve_decide(struct buf *out, yyjson_val *value, const char *suggestions)
{
	struct buf decision;

	buf_init(&decision, out->max);
	add_decision(&decision, value, suggestions);
	if (decision.full)
		out->full = true;
	if (decision.len) {
		buf_add(out, TEXT("{\"hookSpecificOutput\":{\"hookEventName\":"
		                  "\"PermissionRequest\",\"decision\":{"));
		buf_add(out, buf_text(&decision));
		buf_add(out, TEXT("}}}"));
	}
	buf_finish(&decision);
}
