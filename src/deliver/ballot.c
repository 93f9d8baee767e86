/* ballot.c - prompts in words, and words as answers. */
#include "deliver/ballot.h"

#include <stdlib.h>

#include "base/put.h"
#include "base/visible.h"
#include "parse/tool_words.h"
#include "run/prompt_frame.h"
#include "signal/json.h"

#define TEXT_MAX (256 * KIB)
#define CHOICES_MAX (64 * KIB)
#define ALL_MAX 256 /* numbers of a multi */
#define READ_ELSEWHERE \
	"\n\nThat is not all of it. `signalbox prompts` and the page (`signalbox open`) show it."
#define CHOOSE_ELSEWHERE " It can be answered there."

static yyjson_doc *read_json(struct text json)
{
	return json.len ? yyjson_read_opts((char *)json.at, json.len, YYJSON_READ_BIGNUM_AS_RAW,
	                                   &json_memory, NULL)
	                : NULL;
}

/* ---- what is shown ---- */

static bool has_within(struct text all, struct text part)
{
	return part.len && memmem(all.at, all.len, part.at, part.len);
}

/* Its words, and the input of the tool that waits for it, unless they say that. */
void ballot_put_words(const struct prompt *p, struct buf *out)
{
	yyjson_doc *doc = read_json(text_of(p->input));
	struct buf all, made;

	buf_init(&all, TEXT_MAX);
	buf_init(&made, 2 * PROMPT_WORDS_MAX);
	buf_add(&all, p->words);
	if (doc) {
		tool_words(&made, p->tool.len ? p->tool : TEXT("tool"), yyjson_doc_get_root(doc),
		           PROMPT_WORDS_MAX);
		if (!has_within(p->words, buf_text(&made))) {
			buf_add_char(&all, '\n');
			buf_add(&all, buf_text(&made));
		}
	}
	if (p->source && p->source[0]) {
		visible_add(out, text_of(p->source), VISIBLE_MARK_LINES);
		buf_add(out, TEXT(" asks:\n"));
	}
	visible_add(out, buf_text(&all), VISIBLE_KEEP_LINES);
	buf_finish(&all);
	buf_finish(&made);
	yyjson_doc_free(doc);
}

static size_t count_lines(struct text t)
{
	size_t n = 1;

	for (size_t i = 0; i < t.len; i++)
		n += t.at[i] == '\n';
	return n;
}

static bool fits(const struct buf *text, const struct chunk_limit *limit)
{
	return !text->full && chunk_length(limit->unit, buf_text(text)) <= limit->max &&
	       (!limit->lines || count_lines(buf_text(text)) <= limit->lines);
}

/* ---- what is offered ---- */

/* What would hold for more than this once, or change what was asked for. */
static bool is_lasting(const struct prompt *p, yyjson_val *option)
{
	struct text value = json_text_at(option, "value");

	if (yyjson_obj_get(option, "needs") || yyjson_obj_get(option, "rule"))
		return true;
	return p->tool.len && (text_is(value, "always") || text_is(value, "allow-always"));
}

static void put_choice(struct ballot *q, struct text label, struct text value, bool is_safe)
{
	struct buf shown;

	buf_init(&shown, VISIBLE_GROWTH * label.len + 1);
	visible_add(&shown, label, VISIBLE_MARK_LINES);
	put_object(&q->choices, NULL);
	put_text(&q->choices, "label", buf_text(&shown));
	put_json(&q->choices, "value", value);
	if (is_safe)
		put_bool(&q->choices, "safe", true);
	put_end(&q->choices);
	buf_finish(&shown);
	q->count++;
}

static void put_option(struct ballot *q, yyjson_val *option)
{
	struct text label = json_text_at(option, "label");
	struct buf value;

	buf_init(&value, CHOICES_MAX);
	json_add(&value, yyjson_obj_get(option, "value"));
	if (!value.full)
		put_choice(q, label.len ? label : buf_text(&value), buf_text(&value),
		           yyjson_is_true(yyjson_obj_get(option, "safe")));
	buf_finish(&value);
}

static void offer(struct ballot *q, const struct prompt *p, bool only_safe)
{
	yyjson_doc *doc = read_json(text_of(p->options));
	yyjson_val *option;
	size_t at, count;

	buf_clear(&q->choices);
	q->count = 0;
	put_list(&q->choices, NULL);
	if (p->type == PROMPT_CONFIRM) {
		if (!only_safe)
			put_choice(q, TEXT("Yes"), TEXT("true"), false);
		put_choice(q, TEXT("No"), TEXT("false"), true);
	} else if (p->type != PROMPT_TEXT) {
		yyjson_arr_foreach(yyjson_doc_get_root(doc), at, count, option)
		{
			if (!is_lasting(p, option) &&
			    (!only_safe || yyjson_is_true(yyjson_obj_get(option, "safe"))))
				put_option(q, option);
		}
	}
	put_list_end(&q->choices);
	yyjson_doc_free(doc);
}

/* ---- the message ---- */

static void list_choices(struct ballot *q, unsigned first)
{
	yyjson_doc *doc = read_json(buf_text(&q->choices));
	yyjson_val *one;
	size_t at, count;

	buf_add_char(&q->text, '\n');
	yyjson_arr_foreach(yyjson_doc_get_root(doc), at, count, one)
	{
		struct text label = json_text_at(one, "label");

		buf_print(&q->text, "\n%zu  %.*s", first + at, TEXT_ARG(label));
	}
	yyjson_doc_free(doc);
}

static bool labels_fit(const struct ballot *q, unsigned most)
{
	yyjson_doc *doc = most ? read_json(buf_text(&q->choices)) : NULL;
	bool good = true;
	yyjson_val *one;
	size_t at, count;

	yyjson_arr_foreach(yyjson_doc_get_root(doc), at, count, one)
	{
		good = good && chunk_length(CHUNK_POINTS, json_text_at(one, "label")) <= most;
	}
	yyjson_doc_free(doc);
	return good;
}

static void say_how(struct ballot *q, const struct prompt *p, const struct ballot_reader *r)
{
	bool is_typed = p->type == PROMPT_TEXT || p->type == PROMPT_MULTI;

	if (is_typed && (r->only_safe || r->cannot_type)) {
		q->count = 0;
		return;
	}
	if (p->type == PROMPT_TEXT) {
		buf_print(&q->text, "\n\nType %u and your answer.", r->first);
		q->count = 1;
		return;
	}
	q->has_buttons = p->type != PROMPT_MULTI && q->count && q->count <= r->buttons &&
	                 labels_fit(q, r->button_chars);
	if (!q->count || q->has_buttons)
		return;
	if (r->cannot_type) {
		q->count = 0;
		return;
	}
	list_choices(q, r->first);
	if (p->type != PROMPT_MULTI) {
		buf_add(&q->text, TEXT("\nType the number."));
		return;
	}
	buf_print(&q->text, "\n%u  none of them\nType the numbers, with spaces between.",
	          r->first + q->count);
	q->count++;
}

/* Only what is safe, and where all of it is. */
static void make_narrow(struct ballot *q, const struct prompt *p, const struct ballot_reader *r)
{
	struct chunk_limit limit = r->limit;
	struct buf words;
	bool can_choose;

	buf_init(&words, TEXT_MAX);
	ballot_put_words(p, &words);
	offer(q, p, true);
	if (q->count > BALLOT_CHOICES_MAX || p->type == PROMPT_MULTI)
		offer(q, &(struct prompt){.type = PROMPT_TEXT}, true);
	can_choose = q->count > 0 || (p->type == PROMPT_TEXT && !p->tool.len);
	for (size_t room = limit.max;; room /= 2) {
		size_t reach = chunk_reach(limit.unit, buf_text(&words), room);

		buf_clear(&q->text);
		q->text.full = false;
		buf_add(&q->text, (struct text){words.at, reach});
		buf_add(&q->text, TEXT(READ_ELSEWHERE));
		if (can_choose)
			say_how(q, p, r);
		if (!can_choose || (r->cannot_type && !q->has_buttons))
			buf_add(&q->text, TEXT(CHOOSE_ELSEWHERE));
		if (fits(&q->text, &limit) || room < CHUNK_LEAST_CHARS)
			break;
	}
	buf_finish(&words);
}

void ballot_init(struct ballot *q, const struct prompt *p, const struct ballot_reader *r)
{
	bool is_whole = !prompt_is_cut(p) && (p->input || !p->input_len);

	*q = (struct ballot){.count = 0};
	buf_init(&q->text, TEXT_MAX);
	buf_init(&q->choices, CHOICES_MAX);
	if (is_whole) {
		ballot_put_words(p, &q->text);
		offer(q, p, r->only_safe);
		is_whole = q->count <= BALLOT_CHOICES_MAX && !q->choices.full;
		say_how(q, p, r);
	}
	if (!is_whole || !fits(&q->text, &r->limit))
		make_narrow(q, p, r);
	else if (!q->count)
		buf_add(&q->text, TEXT("\n\nIt can be answered on the page (`signalbox open`)."));
}

void ballot_finish(struct ballot *q)
{
	buf_finish(&q->text);
	buf_finish(&q->choices);
}

/* ---- answers ---- */

bool ballot_choice(struct text choices, unsigned index, struct buf *value, struct buf *label)
{
	yyjson_doc *doc = read_json(choices);
	yyjson_val *one = yyjson_arr_get(yyjson_doc_get_root(doc), index);

	if (one && value)
		json_add(value, yyjson_obj_get(one, "value"));
	if (one && label)
		buf_add(label, json_text_at(one, "label"));
	yyjson_doc_free(doc);
	return one != NULL;
}

/* Which choice a word names, from 0 on; false: none. */
static bool read_choice(const struct ballot_asked *a, yyjson_val *list, struct text word,
                        size_t *index)
{
	yyjson_val *one;
	size_t at, count = yyjson_arr_size(list);
	uint64_t n;

	if (text_ends(word, TEXT(".")))
		word.len--;
	if (text_to_u64(word, &n)) {
		if (n >= a->first && n - a->first < count)
			*index = (size_t)(n - a->first);
		else if (a->by_place && n >= 1 && n <= count)
			*index = (size_t)n - 1;
		else
			return false;
		return true;
	}
	yyjson_arr_foreach(list, at, count, one)
	{
		if (a->by_place && text_equal_nocase(word, json_text_at(one, "label"))) {
			*index = at;
			return true;
		}
	}
	return false;
}

/* The next word, at spaces and commas. */
static struct text next_word(struct text *rest)
{
	size_t n = 0;
	struct text word;

	while (rest->len && (rest->at[0] == ' ' || rest->at[0] == ',')) {
		rest->at++;
		rest->len--;
	}
	while (n < rest->len && rest->at[n] != ' ' && rest->at[n] != ',')
		n++;
	word = (struct text){rest->at, n};
	rest->at += n;
	rest->len -= n;
	return word;
}

static bool read_several(const struct ballot_asked *a, yyjson_val *list, struct text said,
                         struct buf *value)
{
	struct text rest = said, word;
	size_t index, count = 0;
	uint64_t none;

	if (text_to_u64(said, &none) && none == a->first + yyjson_arr_size(list))
		return buf_add(value, TEXT("[]"));
	put_list(value, NULL);
	while ((word = next_word(&rest)).len) {
		if (++count > ALL_MAX || !read_choice(a, list, word, &index))
			return false;
		if (count > 1)
			buf_add_char(value, ',');
		json_add(value, yyjson_obj_get(yyjson_arr_get(list, index), "value"));
	}
	put_list_end(value);
	return count > 0;
}

/* "7 the text", or the text alone where it is clear what it answers. */
static bool read_text(const struct ballot_asked *a, struct text said, struct buf *value)
{
	struct text rest, word = text_cut(said, ' ', &rest);
	uint64_t n;

	if (text_to_u64(word, &n) && n == a->first && text_trim(rest).len)
		return buf_add_json(value, text_trim(rest));
	return a->by_place && buf_add_json(value, said);
}

bool ballot_read(const struct ballot_asked *a, struct text said, struct buf *value)
{
	yyjson_doc *doc = read_json(a->choices);
	yyjson_val *list = yyjson_doc_get_root(doc);
	size_t index = 0;
	bool good;

	said = text_trim(said);
	if (a->type == PROMPT_TEXT) {
		good = said.len && read_text(a, said, value);
	} else if (a->type == PROMPT_MULTI) {
		good = said.len && read_several(a, list, said, value);
	} else {
		good = read_choice(a, list, said, &index);
		if (good)
			json_add(value, yyjson_obj_get(yyjson_arr_get(list, index), "value"));
	}
	yyjson_doc_free(doc);
	return good && !value->full;
}

/* ---- the end ---- */

static void put_label(const struct prompt *p, struct text choices, struct buf *out)
{
	yyjson_doc *doc = read_json(choices), *answer = read_json(text_of(p->value));
	yyjson_val *one;
	size_t at, count;

	yyjson_arr_foreach(yyjson_doc_get_root(doc), at, count, one)
	{
		struct text label = json_text_at(one, "label");

		if (!answer ||
		    !yyjson_equals(yyjson_obj_get(one, "value"), yyjson_doc_get_root(answer)))
			continue;
		buf_print(out, ": %.*s", TEXT_ARG(label));
		break;
	}
	yyjson_doc_free(doc);
	yyjson_doc_free(answer);
}

void ballot_put_end(const struct prompt *p, struct text choices, struct buf *out)
{
	yyjson_doc *by = p ? read_json(text_of(p->by)) : NULL;
	struct text user = json_text_at(yyjson_doc_get_root(by), "user");

	if (p && user.len) {
		visible_add(out, user, VISIBLE_MARK_LINES);
		buf_add(out, p->state == PROMPT_ANSWERED ? TEXT(" answered") : TEXT(" declined"));
		if (p->state == PROMPT_ANSWERED)
			put_label(p, choices, out);
	} else if (p && p->why) {
		buf_add(out, TEXT("No longer open: "));
		visible_add(out, text_of(p->why), VISIBLE_MARK_LINES);
	} else {
		buf_add(out, TEXT("No longer open"));
	}
	buf_add_char(out, '.');
	yyjson_doc_free(by);
}
