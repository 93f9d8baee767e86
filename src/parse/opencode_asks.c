/* opencode_asks.c - what opencode wants to be allowed, or to know, as a prompt by its own id. */
#include "base/put.h"
#include "base/utf8.h"
#include "parse/opencode_state.h"
#include "parse/tool_words.h"

#define INPUT_MAX (256 * KIB)
#define WORDS_MAX (16 * KIB)
#define RULE_MAX (2 * KIB)

/* What it is about: the patterns, and whatever the tool says besides. */
static void add_input(struct buf *out, yyjson_val *asked)
{
	static const char *const without[] = {"patterns", NULL};
	yyjson_val *patterns = yyjson_obj_get(asked, "patterns");

	put_object(out, NULL);
	put_key(out, without[0]);
	if (!yyjson_is_arr(patterns) || !json_add(out, patterns))
		buf_add(out, TEXT("[]"));
	json_add_members(out, yyjson_obj_get(asked, "metadata"), without, ',');
	buf_add_char(out, '}');
}

static void add_rule(struct buf *out, yyjson_val *asked)
{
	yyjson_arr_iter each = yyjson_arr_iter_with(yyjson_obj_get(asked, "always"));
	struct text tool = utf8_cut(json_text_at(asked, "permission"), 128);
	yyjson_val *one;
	unsigned count = 0;

	buf_add(out, TEXT("until it ends, opencode does not ask again for "));
	buf_add(out, tool);
	while ((one = yyjson_arr_iter_next(&each))) {
		buf_add(out, count++ ? TEXT(", ") : TEXT(": "));
		buf_add(out, utf8_cut(json_text(one), 256));
	}
}

static void add_option(struct buf *out, const char *label, const char *value)
{
	put_object(out, NULL);
	put_word(out, "label", label);
	put_word(out, "value", value);
}

static void make_options(struct parse *p, yyjson_val *asked)
{
	struct buf options, rule;

	buf_init(&options, 32 * KIB);
	buf_init(&rule, RULE_MAX);
	put_list(&options, NULL);
	add_option(&options, "Allow once", "once");
	put_end(&options);
	if (yyjson_arr_size(yyjson_obj_get(asked, "always"))) {
		add_rule(&rule, asked);
		add_option(&options, "Allow always", "always");
		put_word(&options, "needs", "control");
		put_text(&options, "rule", buf_text(&rule));
		put_end(&options);
	}
	add_option(&options, "Deny", "reject");
	put_bool(&options, "safe", true);
	put_end(&options);
	put_list_end(&options);
	make_raw(&p->make, "options", buf_text(&options));
	buf_finish(&rule);
	buf_finish(&options);
}

static void make_input(struct parse *p, yyjson_val *asked)
{
	struct text tool = utf8_cut(json_text_at(asked, "permission"), 256);
	struct buf json, words;
	yyjson_doc *input;

	buf_init(&json, INPUT_MAX);
	add_input(&json, asked);
	input = json.full ? NULL : yyjson_read_opts(json.at, json.len, 0, &json_memory, NULL);
	buf_init(&words, 2 * WORDS_MAX);
	tool_words(&words, tool, input ? yyjson_doc_get_root(input) : asked, WORDS_MAX);
	make_text(&p->make, "prompt", buf_text(&words));
	make_text(&p->make, "tool", tool);
	if (input)
		make_raw(&p->make, "input", buf_text(&json));
	make_u64(&p->make, "inputBytes", json.len);
	buf_finish(&words);
	yyjson_doc_free(input);
	buf_finish(&json);
}

void opencode_take_permission(struct parse *p, yyjson_val *asked)
{
	struct opencode_session *s = opencode_session(p, json_text_at(asked, "sessionID"));
	struct text id = json_text_at(asked, "id");
	struct speaker who;

	if (!s || !opencode_is_id(id))
		return;
	who = opencode_enter(p, s);
	parse_begin(p, "prompt");
	make_text(&p->make, "id", id);
	make_word(&p->make, "type", "select");
	make_input(p, asked);
	make_options(p, asked);
	make_text(&p->make, "invokeid", who.agent);
	speak_end(p, &who);
}

void opencode_tell_prompt(struct parse *p, struct text session, struct text members)
{
	struct opencode_session *s = opencode_session(p, session);
	struct speaker who;

	if (!s)
		return;
	who = opencode_enter(p, s);
	parse_begin(p, "prompt");
	make_text(&p->make, "invokeid", who.agent);
	buf_add_char(p->make.out, ',');
	buf_add(p->make.out, members);
	speak_end(p, &who);
}
