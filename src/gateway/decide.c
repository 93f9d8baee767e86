/* decide.c - which options are decisions, and what is shown of what they decide on. */
#include "gateway/decide.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/put.h"
#include "base/utf8.h"
#include "base/visible.h"
#include "parse/tool_words.h"
#include "run/prompt_frame.h"
#include "signal/json.h"

#define SHOWN_MAX (16 * KIB) /* bytes; clients take so many characters */
#define NOTE_MAX 160
#define TO_THE_PAGE \
	"\nThat is not all of it: it can be denied here, and allowed on the page (signalbox open)."

static const char *const names[] = {"allow-once", "allow-always", "deny"};

const char *decide_name(enum gateway_decision decision)
{
	return decision < DECISIONS ? names[decision] : NULL;
}

enum gateway_decision decide_of(struct text name)
{
	unsigned i = 0;

	while (i < DECISIONS && !text_is(name, names[i]))
		i++;
	return (enum gateway_decision)i;
}

/* ---- options ---- */

/* What agents call them. */
static enum gateway_decision decide_of_value(yyjson_val *value)
{
	static const struct {
		const char *word;
		enum gateway_decision decision;
	} rows[] = {
		{"allow-once", DECIDE_ONCE},     {"allow", DECIDE_ONCE},    {"once", DECIDE_ONCE},
		{"allow-always", DECIDE_ALWAYS}, {"always", DECIDE_ALWAYS}, {"deny", DECIDE_DENY},
		{"reject", DECIDE_DENY},         {"stop", DECIDE_DENY},
	};

	if (yyjson_is_bool(value))
		return yyjson_get_bool(value) ? DECIDE_ONCE : DECIDE_DENY;
	if (yyjson_is_obj(value))
		value = yyjson_obj_get(value, "value");
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (yyjson_equals_str(value, rows[i].word))
			return rows[i].decision;
	return DECISIONS;
}

static yyjson_doc *read_json(const char *json)
{
	return json ? yyjson_read_opts((char *)json, strlen(json), YYJSON_READ_BIGNUM_AS_RAW,
	                               &json_memory, NULL)
	            : NULL;
}

/* The first option of each decision; NULL: there is none. */
static void find_options(yyjson_doc *options, yyjson_val *found[DECISIONS])
{
	yyjson_val *option;
	size_t i, count;

	for (i = 0; i < DECISIONS; i++)
		found[i] = NULL;
	yyjson_arr_foreach(yyjson_doc_get_root(options), i, count, option)
	{
		enum gateway_decision d = decide_of_value(yyjson_obj_get(option, "value"));

		if (d < DECISIONS && !found[d])
			found[d] = option;
	}
}

enum gateway_decision decide_answered(const struct prompt *p)
{
	yyjson_doc *doc = read_json(p->value);
	enum gateway_decision decided = DECISIONS;

	if (doc)
		decided = decide_of_value(yyjson_doc_get_root(doc));
	else if (p->state == PROMPT_EXPIRED || (p->state == PROMPT_CANCELLED && p->by))
		decided = DECIDE_DENY; /* its agent goes on without it */
	yyjson_doc_free(doc);
	return decided;
}

/* ---- what it is ---- */

static bool has_command(const struct prompt *p)
{
	yyjson_doc *doc = read_json(p->input);
	bool has = json_text_at(yyjson_doc_get_root(doc), "command").len > 0;

	yyjson_doc_free(doc);
	return has;
}

enum decide_kind decide_kind(const struct prompt *p)
{
	yyjson_val *found[DECISIONS];
	yyjson_doc *options;
	bool decides;

	if (p->type == PROMPT_CONFIRM)
		return has_command(p) ? DECIDE_EXEC : DECIDE_PLUGIN;
	if (p->type != PROMPT_SELECT || !p->tool.len)
		return DECIDE_NOTHING;
	options = read_json(p->options);
	find_options(options, found);
	decides = found[DECIDE_ONCE] && found[DECIDE_DENY];
	yyjson_doc_free(options);
	if (!decides)
		return DECIDE_NOTHING;
	return has_command(p) ? DECIDE_EXEC : DECIDE_PLUGIN;
}

/* ---- what is shown ---- */

static const char *const told[] = {"cwd", "host", "security", "ask", "resolvedPath"};

/* Has the request a member for everything that this input says? */
static bool is_plain_input(yyjson_val *input)
{
	yyjson_val *key, *value;
	size_t i, count;

	yyjson_obj_foreach(input, i, count, key, value)
	{
		bool is_known =
			yyjson_equals_str(key, "command") || yyjson_equals_str(key, "description");

		for (size_t n = 0; n < sizeof(told) / sizeof(*told); n++)
			is_known |= yyjson_equals_str(key, told[n]);
		if (!is_known || !yyjson_is_str(value))
			return false;
	}
	return true;
}

static struct text tool_name(const struct prompt *p)
{
	return p->tool.len ? p->tool : TEXT("command");
}

/* Takes `KEY: VALUE`, with this mark before it, off the words. */
static bool take_said(struct text *words, const char *mark, struct text key, struct text value)
{
	struct text rest = *words;
	struct text parts[] = {text_of(mark), key, TEXT(": "), value};

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		if (!text_starts(rest, parts[i]))
			return false;
		rest.at += parts[i].len;
		rest.len -= parts[i].len;
	}
	if (rest.len && rest.at[0] != '\n')
		return false;
	*words = rest;
	return true;
}

static bool take_member(struct text *words, yyjson_val *input)
{
	yyjson_val *key, *value;
	size_t i, count;

	yyjson_obj_foreach(input, i, count, key, value)
	{
		if (take_said(words, "\n", json_text(key), json_text(value)))
			return true;
	}
	return false;
}

/* `TOOL: COMMAND`, at the beginning. */
static bool take_command(struct text *words, const struct prompt *p, yyjson_val *input)
{
	return take_said(words, "", tool_name(p), json_text_at(input, "command"));
}

/* Do the words say `TOOL: COMMAND`, and else only what members say? */
static bool are_words_of(const struct prompt *p, yyjson_val *input, struct text ours)
{
	struct text rest = p->words;

	if (text_equal(ours, rest))
		return true;
	if (!take_command(&rest, p, input))
		return false;
	while (rest.len)
		if (!take_member(&rest, input))
			return false;
	return true;
}

/* Do they end with ours, as those do that say something before?  Or begin with the command? */
static bool have_command(const struct prompt *p, yyjson_val *input, struct text ours)
{
	struct text rest = p->words;

	if (take_command(&rest, p, input))
		return true;
	if (rest.len <= ours.len || rest.at[rest.len - ours.len - 1] != '\n')
		return false;
	return text_equal(ours, (struct text){rest.at + rest.len - ours.len, ours.len});
}

/* The command alone where the request has members for all else; or what its agent says of it,
 * and the command, if that does not name it. */
static void add_command(struct buf *words, const struct prompt *p, yyjson_val *input,
                        bool has_members)
{
	struct buf made;
	struct text ours;

	buf_init(&made, PROMPT_WORDS_MAX);
	tool_words(&made, tool_name(p), input, PROMPT_WORDS_MAX);
	ours = buf_text(&made);
	if (has_members && !prompt_is_cut(p) && is_plain_input(input) &&
	    are_words_of(p, input, ours)) {
		buf_add(words, json_text_at(input, "command"));
	} else {
		buf_add(words, p->words);
		if (!text_equal(ours, p->words) && !have_command(p, input, ours)) {
			buf_add_char(words, '\n');
			buf_add(words, ours);
		}
	}
	buf_finish(&made);
}

/* False: that was not all. */
static bool show_words(struct deciding *d, struct text words)
{
	struct text whole;

	buf_init(&d->words, VISIBLE_GROWTH * words.len + 2 * SHOWN_MAX);
	visible_add(&d->words, words, VISIBLE_KEEP_LINES);
	whole = buf_text(&d->words);
	if (whole.len <= SHOWN_MAX - NOTE_MAX)
		return true;
	d->words.len = utf8_cut(whole, SHOWN_MAX - NOTE_MAX).len;
	return false;
}

/* What allow-always writes is part of what is allowed: it is offered where that is shown. */
static void show_rule(struct deciding *d, size_t max)
{
	struct buf line;

	buf_init(&line, SHOWN_MAX);
	buf_add(&line, TEXT("\nAllow always writes: "));
	visible_add(&line, text_of(d->rule), VISIBLE_MARK_LINES);
	if (line.full || d->words.len + line.len > max)
		buf_clear(&d->value[DECIDE_ALWAYS]);
	else
		buf_add(&d->words, buf_text(&line));
	buf_finish(&line);
}

static void show(struct deciding *d, const struct prompt *p, const struct decide_reader *reader)
{
	size_t max =
		reader->is_narrow && d->kind == DECIDE_PLUGIN ? DECIDE_SHORT : SHOWN_MAX - NOTE_MAX;
	struct buf words;
	bool is_whole;

	d->input = decide_kind(p) == DECIDE_EXEC ? read_json(p->input) : NULL;
	buf_init(&words, p->words.len + PROMPT_WORDS_MAX + (d->input ? strlen(p->input) : 0) + 1);
	if (d->input)
		add_command(&words, p, yyjson_doc_get_root(d->input), d->kind == DECIDE_EXEC);
	else
		buf_add(&words, p->words);
	is_whole = show_words(d, buf_text(&words)) && !words.full && !prompt_is_cut(p) &&
	           d->words.len <= max;
	buf_finish(&words);
	if (is_whole && d->rule && d->value[DECIDE_ALWAYS].len)
		show_rule(d, max);
	if (is_whole)
		return;
	buf_clear(&d->value[DECIDE_ONCE]);
	buf_clear(&d->value[DECIDE_ALWAYS]);
	buf_add(&d->words, TEXT(TO_THE_PAGE));
}

static void offer_options(struct deciding *d, const struct prompt *p, enum answers may)
{
	yyjson_doc *options = read_json(p->options);
	yyjson_val *found[DECISIONS];
	struct text rule;

	find_options(options, found);
	rule = json_text_at(found[DECIDE_ALWAYS], "rule");
	d->rule = rule.len ? text_dup(rule) : NULL;
	for (size_t i = 0; i < DECISIONS; i++)
		if (found[i] && (may == ANSWERS_ALL || !yyjson_obj_get(found[i], "needs")))
			json_add(&d->value[i], yyjson_obj_get(found[i], "value"));
	yyjson_doc_free(options);
}

static void offer(struct deciding *d, const struct prompt *p, enum answers may)
{
	for (size_t i = 0; i < DECISIONS; i++)
		buf_init(&d->value[i], PROMPT_VALUE_MAX);
	if (p->type != PROMPT_CONFIRM) {
		offer_options(d, p, may);
		return;
	}
	/* A yes or no takes these two alone, whatever options it has. */
	buf_add(&d->value[DECIDE_ONCE], TEXT("true"));
	buf_add(&d->value[DECIDE_DENY], TEXT("false"));
}

void deciding_init(struct deciding *d, const struct prompt *p, const struct decide_reader *reader)
{
	struct buf title;

	*d = (struct deciding){.kind = decide_kind(p), .tool = p->tool};
	if (reader->is_narrow && reader->knows_plugin && d->kind == DECIDE_EXEC)
		d->kind = DECIDE_PLUGIN; /* the terminal UI shows no others */
	offer(d, p, reader->may);
	show(d, p, reader);
	if (!reader->knows_plugin && d->kind == DECIDE_PLUGIN)
		d->kind = DECIDE_EXEC;
	buf_init(&title, VISIBLE_GROWTH * PROMPT_NAME_MAX);
	visible_add(&title, d->tool, VISIBLE_MARK_LINES);
	snprintf(d->title, sizeof(d->title), "%.*s",
	         TEXT_ARG(utf8_cut(buf_text(&title), sizeof(d->title) - 1)));
	buf_finish(&title);
	if (!d->title[0])
		snprintf(d->title, sizeof(d->title), "Yes or no?");
}

void deciding_finish(struct deciding *d)
{
	for (size_t i = 0; i < DECISIONS; i++)
		buf_finish(&d->value[i]);
	buf_finish(&d->words);
	free(d->rule);
	yyjson_doc_free(d->input);
}

/* ---- writing ---- */

void deciding_put_allowed(const struct deciding *d, struct buf *out)
{
	put_list(out, "allowedDecisions");
	for (size_t i = 0; i < DECISIONS; i++)
		if (d->value[i].len)
			put_word(out, NULL, names[i]);
	put_list_end(out);
}

static void put_visible(struct buf *out, const char *key, struct text words)
{
	struct buf seen;

	buf_init(&seen, VISIBLE_GROWTH * words.len);
	visible_add(&seen, words, VISIBLE_MARK_LINES);
	put_text(out, key, buf_text(&seen));
	buf_finish(&seen);
}

static void put_told(const struct deciding *d, const char *key, struct buf *out)
{
	struct text word = json_text_at(yyjson_doc_get_root(d->input), key);

	if (word.len)
		put_visible(out, key, word);
	else
		put_word(out, key, NULL);
}

void deciding_put_request(const struct deciding *d, struct buf *out)
{
	if (d->kind == DECIDE_EXEC) {
		put_text(out, "command", buf_text(&d->words));
		for (size_t i = 0; i < sizeof(told) / sizeof(*told); i++)
			put_told(d, told[i], out);
	} else {
		put_word(out, "pluginId", NULL);
		put_word(out, "title", d->title);
		put_text(out, "description", buf_text(&d->words));
		put_word(out, "severity", "warning");
		put_word(out, "toolName", d->title);
	}
	deciding_put_allowed(d, out);
}

/* A description is short there; a detail is not. */
static void put_description(const struct deciding *d, struct buf *out)
{
	struct text words = buf_text(&d->words);
	struct buf brief;

	if (words.len <= DECIDE_SHORT) {
		put_text(out, "description", words);
		return;
	}
	buf_init(&brief, DECIDE_SHORT);
	buf_add(&brief, utf8_cut(words, DECIDE_SHORT - 3));
	buf_add(&brief, TEXT("..."));
	put_text(out, "description", buf_text(&brief));
	put_text(out, "detail", words);
	buf_finish(&brief);
}

void deciding_put_presentation(const struct deciding *d, struct buf *out)
{
	struct text cwd = json_text_at(yyjson_doc_get_root(d->input), "cwd");
	struct buf where;

	buf_init(&where, cwd.len + 8);
	buf_print(&where, "cwd: %.*s", TEXT_ARG(cwd));
	put_word(out, "kind", d->kind == DECIDE_EXEC ? "exec" : "plugin");
	if (d->kind == DECIDE_EXEC) {
		put_text(out, "commandText", buf_text(&d->words));
		put_told(d, "host", out);
		if (cwd.len)
			put_visible(out, "warningText", buf_text(&where));
	} else {
		put_word(out, "title", d->title);
		put_description(d, out);
		put_word(out, "severity", "warning");
		put_word(out, "toolName", d->title);
	}
	deciding_put_allowed(d, out);
	buf_finish(&where);
}
