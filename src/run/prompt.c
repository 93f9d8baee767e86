/* prompt.c - reading a question, and telling it. */
#include "run/prompt.h"

#include <stdlib.h>

#include "base/must.h"
#include "base/put.h"
#include "base/utf8.h"
#include "base/visible.h"
#include "run/inside.h"
#include "signal/json.h"

#define OPTION_MAX (48 * KIB)  /* of JSON, with what may be changed: a longer one is left out */
#define DEFAULT_MAX (64 * KIB) /* of JSON, likewise */
#define INPUT_MAX (4 * MIB)    /* of JSON, likewise: more than a signal can hold */
#define NOTE_MAX 64            /* bytes of words that say what is missing */
#define LARGEST_WHOLE 9007199254740992.0

const char *prompt_type_name(enum prompt_type type)
{
	static const char *const names[] = {"text", "select", "multi", "confirm"};

	return names[type];
}

const char *prompt_state_name(enum prompt_state state)
{
	static const char *const names[] = {"open", "answered", "cancelled", "expired"};

	return names[state];
}

/* --- reading --------------------------------------------------------------- */

static enum prompt_type type_of(struct text word)
{
	for (unsigned i = 0; i < PROMPT_TYPES; i++)
		if (text_is(word, prompt_type_name((enum prompt_type)i)))
			return (enum prompt_type)i;
	return text_is(word, "multi-select") ? PROMPT_MULTI : PROMPT_TEXT;
}

static struct text own(struct text t)
{
	return t.at ? (struct text){text_dup(t), t.len} : (struct text){NULL, 0};
}

static struct text own_name(struct text t)
{
	return own(t.len && t.len <= PROMPT_NAME_MAX ? t : (struct text){NULL, 0});
}

static char *json_dup(yyjson_val *value, size_t max)
{
	struct buf out;
	char *copy = NULL;

	buf_init(&out, max);
	if (json_add(&out, value))
		copy = text_dup(buf_text(&out));
	buf_finish(&out);
	return copy;
}

/* What is shown of an option that has no label: its value, without quotes. */
static bool add_label(struct buf *out, yyjson_val *label, yyjson_val *value)
{
	struct buf shown;
	bool good;

	if (yyjson_is_str(label))
		return buf_add_json(out, json_text(label));
	if (yyjson_is_str(value))
		return buf_add_json(out, json_text(value));
	buf_init(&shown, OPTION_MAX);
	good = json_add(&shown, label ? label : value) && buf_add_json(out, buf_text(&shown));
	buf_finish(&shown);
	return good;
}

static bool write_option(struct buf *out, yyjson_val *option)
{
	yyjson_val *label = yyjson_obj_get(option, "label");
	yyjson_val *value = yyjson_is_obj(option) ? yyjson_obj_get(option, "value") : option;
	yyjson_val *edit = yyjson_obj_get(option, "edit");
	struct text rule = json_text(yyjson_obj_get(option, "rule"));

	if (!value)
		value = label;
	if (!value)
		return false;
	put_object(out, NULL);
	put_key(out, "label");
	add_label(out, label, value);
	put_key(out, "value");
	json_add(out, value);
	if (edit) {
		put_key(out, "edit");
		json_add(out, edit);
	}
	if (rule.len) {
		put_text(out, "rule", rule);
	}
	if (prompt_option_needs(option))
		put_word(out, "needs", "control");
	if (yyjson_is_true(yyjson_obj_get(option, "safe")))
		put_bool(out, "safe", true);
	return buf_add_char(out, '}') && !out->full;
}

/* NULL when there is none that fits. */
static char *read_options(yyjson_val *options)
{
	yyjson_arr_iter it = yyjson_arr_iter_with(options);
	yyjson_val *option;
	struct buf all, one;
	char *copy = NULL;

	buf_init(&all, PROMPT_OPTIONS_MAX);
	while ((option = yyjson_arr_iter_next(&it))) {
		buf_init(&one, OPTION_MAX);
		if (write_option(&one, option) && all.len + one.len + 2 <= all.max) {
			buf_add_char(&all, all.len ? ',' : '[');
			buf_add(&all, buf_text(&one));
		}
		buf_finish(&one);
	}
	if (all.len && buf_add_char(&all, ']'))
		copy = text_dup(buf_text(&all));
	buf_finish(&all);
	return copy;
}

static const char *words_for(enum prompt_type type)
{
	static const char *const words[] = {"?", "Select:", "Select any:", "Confirm?"};

	return words[type];
}

static void read_default(struct prompt *p, yyjson_val *value)
{
	if (value && prompt_takes(p, value, NULL))
		p->other = json_dup(value, DEFAULT_MAX);
}

static int64_t read_time(yyjson_val *value)
{
	double ms;

	return json_number(value, &ms) && ms >= 1 && ms < LARGEST_WHOLE ? (int64_t)ms : 0;
}

/* Whole, or cut at a character and with how much is missing. */
static struct text own_words(struct text words)
{
	struct text shown = utf8_cut(words, PROMPT_WORDS_MAX - NOTE_MAX);
	struct buf out;

	if (words.len <= PROMPT_WORDS_MAX)
		return own(words);
	buf_init(&out, PROMPT_WORDS_MAX);
	buf_add(&out, shown);
	buf_print(&out, "\n... AND %zu" VISIBLE_MISSING, words.len - shown.len);
	return buf_text(&out);
}

static void read_tool(struct prompt *p, yyjson_val *payload)
{
	yyjson_val *input = yyjson_obj_get(payload, "input");
	double bytes;

	p->tool = own_name(json_text(yyjson_obj_get(payload, "tool")));
	p->input = input ? json_dup(input, INPUT_MAX) : NULL;
	if (p->input)
		p->input_len = strlen(p->input);
	else if (json_number(yyjson_obj_get(payload, "inputBytes"), &bytes) && bytes >= 1 &&
	         bytes < LARGEST_WHOLE)
		p->input_len = (uint64_t)bytes;
}

struct prompt *prompt_create(const struct signal *s, yyjson_val *payload, const char *id)
{
	struct prompt *p = must_zero(1, sizeof(*p));
	struct text words = json_text(yyjson_obj_get(payload, "prompt"));

	memcpy(p->id, id, PROMPT_ID_LEN);
	p->run = text_dup(s->correlation.len ? s->correlation : s->source);
	p->source = text_dup(s->source);
	p->own_id = own_name(json_text(yyjson_obj_get(payload, "id")));
	p->invoke = own_name(json_text(yyjson_obj_get(payload, "invokeid")));
	p->seq = s->seq;
	p->at_ms = s->at_ms >= 1 && s->at_ms < LARGEST_WHOLE ? (int64_t)s->at_ms : 0;
	p->type = type_of(json_text(yyjson_obj_get(payload, "type")));
	if (p->type == PROMPT_SELECT || p->type == PROMPT_MULTI) {
		p->options = read_options(yyjson_obj_get(payload, "options"));
		if (!p->options)
			p->type = PROMPT_TEXT;
	}
	if (!words.len)
		words = text_of(words_for(p->type));
	p->words = own_words(words);
	read_tool(p, payload);
	read_default(p, yyjson_obj_get(payload, "default"));
	p->deadline_ms = read_time(yyjson_obj_get(payload, "deadline"));
	list_init(&p->in_open);
	list_init(&p->in_closed);
	prompt_weigh(p);
	return p;
}

static void drop(char **text)
{
	free(*text);
	*text = NULL;
}

static void drop_text(struct text *t)
{
	free((char *)t->at);
	*t = (struct text){NULL, 0};
}

void prompt_destroy(struct prompt *p)
{
	if (!p)
		return;
	list_remove(&p->in_open);
	list_remove(&p->in_closed);
	prompt_slim(p);
	free(p->run);
	free(p->source);
	drop_text(&p->own_id);
	free(p->by);
	free(p->why);
	free(p->settled);
	free(p);
}

void prompt_slim(struct prompt *p)
{
	drop_text(&p->invoke);
	drop_text(&p->words);
	drop_text(&p->tool);
	drop(&p->input);
	drop(&p->options);
	drop(&p->other);
	drop(&p->frame);
	drop(&p->value);
}

size_t prompt_weigh(struct prompt *p)
{
	const char *const texts[] = {p->run,   p->source, p->options, p->other, p->frame,
	                             p->value, p->by,     p->why,     p->input, p->settled};

	p->bytes = sizeof(*p) + p->own_id.len + p->invoke.len + p->words.len + p->tool.len;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		p->bytes += texts[i] ? strlen(texts[i]) + 1 : 0;
	return p->bytes;
}

static bool same(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

bool prompt_is_like(const struct prompt *p, const struct prompt *other)
{
	return p->type == other->type && text_equal(p->words, other->words) &&
	       same(p->options, other->options) && same(p->other, other->other) &&
	       same(p->input, other->input);
}

/* --- telling --------------------------------------------------------------- */

static void member_text(struct buf *out, const char *name, struct text t)
{
	if (!t.at)
		return;
	put_text(out, name, t);
}

static void add_input(const struct prompt *p, struct buf *out, size_t max)
{
	member_text(out, "tool", p->tool);
	if (p->input && p->input_len <= max)
		json_member_json(out, "input", p->input);
	if (p->input_len)
		json_member_count(out, "inputBytes", p->input_len);
}

static void add_names(const struct prompt *p, struct buf *out)
{
	put_object(out, NULL);
	put_word(out, "id", p->id);
	json_member_text(out, "run", p->run);
	json_member_text(out, "source", p->source);
	member_text(out, "invokeid", p->invoke);
}

static void add_state(const struct prompt *p, struct buf *out)
{
	if (p->deadline_ms)
		put_i64(out, "deadline", p->deadline_ms);
	json_member_text(out, "state", prompt_state_name(p->state));
	json_member_json(out, "by", p->by);
	json_member_text(out, "why", p->why);
	json_member_json(out, "settled", p->settled);
}

/* input_max: of an input that is told, too. */
static void add_members(const struct prompt *p, enum answers may, size_t input_max, struct buf *out)
{
	struct offered_options offer;

	offered_options_init(&offer, p, may);
	add_names(p, out);
	json_member_text(out, "type", prompt_type_name(p->type));
	member_text(out, "prompt", p->words);
	add_input(p, out, input_max);
	json_member_json(out, "options", offer.options);
	json_member_json(out, "default", offer.other);
	add_state(p, out);
	offered_options_finish(&offer);
}

static void add_glance(const struct prompt *p, struct buf *out)
{
	add_names(p, out);
	member_text(out, "prompt", p->words);
	add_state(p, out);
	put_bool(out, "answerable", false);
}

void prompt_json(const struct prompt *p, enum answers may, struct buf *out)
{
	if (prompt_is_answerable(p, may))
		add_members(p, may, PROMPT_INPUT_SHOWN, out);
	else
		add_glance(p, out);
	buf_add_char(out, '}');
}

void prompt_save(const struct prompt *p, struct buf *out)
{
	add_members(p, ANSWERS_ALL, INPUT_MAX, out);
	member_text(out, "own", p->own_id);
	json_member_json(out, "value", p->value);
	json_member_text(out, "frame", p->frame);
	put_i64(out, "at", p->at_ms);
	put_u64(out, "seq", p->seq);
	put_u64(out, "end", p->end_seq);
	put_bool(out, "told", p->told);
	put_end(out);
}

static enum prompt_state state_of(struct text word)
{
	for (unsigned i = 0; i < PROMPT_STATES; i++)
		if (text_is(word, prompt_state_name((enum prompt_state)i)))
			return (enum prompt_state)i;
	return PROMPT_STATES;
}

static char *load_text(yyjson_val *saved, const char *name)
{
	struct text t = json_text(yyjson_obj_get(saved, name));

	return t.at ? text_dup(t) : NULL;
}

static char *load_json(yyjson_val *saved, const char *name)
{
	yyjson_val *value = yyjson_obj_get(saved, name);

	return value ? json_dup(value, 2 * PROMPT_VALUE_MAX) : NULL;
}

struct prompt *prompt_load(yyjson_val *saved)
{
	struct text id = json_text(yyjson_obj_get(saved, "id"));
	enum prompt_state state = state_of(json_text(yyjson_obj_get(saved, "state")));
	struct prompt *p;

	if (id.len != PROMPT_ID_LEN || state == PROMPT_STATES ||
	    !yyjson_is_str(yyjson_obj_get(saved, "run")) ||
	    !yyjson_is_str(yyjson_obj_get(saved, "source")))
		return NULL;
	p = must_zero(1, sizeof(*p));
	memcpy(p->id, id.at, id.len);
	p->state = state;
	p->run = load_text(saved, "run");
	p->source = load_text(saved, "source");
	p->own_id = own(json_text(yyjson_obj_get(saved, "own")));
	p->invoke = own(json_text(yyjson_obj_get(saved, "invokeid")));
	p->type = type_of(json_text(yyjson_obj_get(saved, "type")));
	p->words = own(json_text(yyjson_obj_get(saved, "prompt")));
	read_tool(p, saved);
	p->options = load_json(saved, "options");
	p->other = load_json(saved, "default");
	p->deadline_ms = read_time(yyjson_obj_get(saved, "deadline"));
	p->at_ms = read_time(yyjson_obj_get(saved, "at"));
	p->by = load_json(saved, "by");
	p->why = load_text(saved, "why");
	p->settled = load_json(saved, "settled");
	p->value = load_json(saved, "value");
	p->frame = load_text(saved, "frame");
	p->seq = yyjson_get_uint(yyjson_obj_get(saved, "seq"));
	p->end_seq = yyjson_get_uint(yyjson_obj_get(saved, "end"));
	p->told = yyjson_get_bool(yyjson_obj_get(saved, "told"));
	list_init(&p->in_open);
	list_init(&p->in_closed);
	prompt_weigh(p);
	return p;
}
