/* inquiry.c - options by name or number, and words that hide nothing. */
#include "gateway/inquiry.h"

#include <stdio.h>

#include "base/put.h"
#include "base/visible.h"
#include "run/prompt_frame.h"
#include "signal/json.h"

#define WORDS_MAX (512 * KIB)
#define OPTIONS_MAX 4 /* that a question may have */
#define TO_THE_PAGE \
	"\nThat is not all of it: the rest is on the page (signalbox open), where it is answered."

/* ---- options ---- */

static bool is_offered(const struct inquiry *q, yyjson_val *option)
{
	return (q->may == ANSWERS_ALL || !yyjson_obj_get(option, "needs")) &&
	       (!q->is_cut || yyjson_is_true(yyjson_obj_get(option, "safe")));
}

static struct text option_name(yyjson_val *option)
{
	return text_trim(json_text_at(option, "label"));
}

/* Numbered where names alone would not do. */
static bool needs_numbers(const struct inquiry *q)
{
	yyjson_val *all = yyjson_doc_get_root(q->options), *option, *other;
	size_t i, j, count, offered = 0;

	yyjson_arr_foreach(all, i, count, option)
	{
		if (!is_offered(q, option))
			continue;
		offered++;
		for (j = 0; j < i; j++) {
			other = yyjson_arr_get(all, j);
			if (is_offered(q, other) &&
			    text_equal(option_name(option), option_name(other)))
				return true;
		}
		if (!option_name(option).len || offered > OPTIONS_MAX)
			return true;
	}
	return false;
}

void inquiry_init(struct inquiry *q, const struct prompt *p, enum answers may)
{
	*q = (struct inquiry){.may = may};
	if (p->options)
		q->options = yyjson_read_opts(p->options, strlen(p->options),
		                              YYJSON_READ_BIGNUM_AS_RAW, &json_memory, NULL);
	q->is_cut = p->type == PROMPT_SELECT && prompt_is_cut(p);
	q->is_listed = needs_numbers(q);
}

void inquiry_finish(struct inquiry *q)
{
	yyjson_doc_free(q->options);
}

/* ---- writing ---- */

static void add_visible(struct buf *out, struct text words, enum visible_lines lines)
{
	struct buf seen;

	buf_init(&seen, VISIBLE_GROWTH * words.len);
	visible_add(&seen, words, lines);
	buf_add(out, buf_text(&seen));
	buf_finish(&seen);
}

/* `Allow always: what it writes`. */
static void add_option_name(struct buf *out, yyjson_val *option)
{
	struct text rule = json_text_at(option, "rule");

	add_visible(out, option_name(option), VISIBLE_MARK_LINES);
	if (rule.len)
		buf_add(out, TEXT(": "));
	add_visible(out, rule, VISIBLE_MARK_LINES);
}

void inquiry_put_words(const struct inquiry *q, const struct prompt *p, struct buf *out)
{
	yyjson_val *option;
	struct buf words;
	size_t i, count, n = 0;

	buf_init(&words, WORDS_MAX);
	add_visible(&words, p->words, VISIBLE_KEEP_LINES);
	if (q->is_cut)
		buf_add(&words, TEXT(TO_THE_PAGE));
	yyjson_arr_foreach(yyjson_doc_get_root(q->options), i, count, option)
	{
		if (!q->is_listed || !is_offered(q, option))
			continue;
		buf_print(&words, "\n%zu. ", ++n);
		add_option_name(&words, option);
	}
	if (q->is_listed && p->type == PROMPT_MULTI)
		buf_add(&words, TEXT("\nAnswer with numbers, and commas between them."));
	put_text(out, "question", buf_text(&words));
	out->full |= words.full;
	buf_finish(&words);
}

void inquiry_put_options(const struct inquiry *q, struct buf *out)
{
	yyjson_val *option;
	struct buf name;
	size_t i, count;

	put_list(out, "options");
	yyjson_arr_foreach(yyjson_doc_get_root(q->options), i, count, option)
	{
		if (q->is_listed || !is_offered(q, option))
			continue;
		buf_init(&name, WORDS_MAX);
		add_visible(&name, option_name(option), VISIBLE_MARK_LINES);
		put_object(out, NULL);
		put_text(out, "label", buf_text(&name));
		buf_clear(&name);
		add_visible(&name, json_text_at(option, "rule"), VISIBLE_MARK_LINES);
		if (name.len)
			put_text(out, "description", buf_text(&name));
		put_end(out);
		buf_finish(&name);
	}
	put_list_end(out);
}

/* The name of the option with this value; a value that no option has is a text of its own. */
static void put_chosen(const struct inquiry *q, yyjson_val *value, struct buf *out)
{
	yyjson_val *option;
	struct buf name;
	size_t i, count;

	buf_init(&name, PROMPT_VALUE_MAX);
	yyjson_arr_foreach(yyjson_doc_get_root(q->options), i, count, option)
	{
		if (!name.len && yyjson_equals(yyjson_obj_get(option, "value"), value))
			add_visible(&name, option_name(option), VISIBLE_MARK_LINES);
	}
	if (!name.len && yyjson_is_str(value))
		buf_add(&name, json_text(value));
	else if (!name.len)
		json_add(&name, value);
	put_text(out, NULL, buf_text(&name));
	buf_finish(&name);
}

void inquiry_put_answers(const struct inquiry *q, const struct prompt *p, struct buf *out)
{
	yyjson_doc *doc = yyjson_read_opts(p->value, strlen(p->value), YYJSON_READ_BIGNUM_AS_RAW,
	                                   &json_memory, NULL);
	yyjson_val *value = yyjson_doc_get_root(doc), *one;
	size_t i, count;

	put_object(out, "answers");
	put_object(out, "answers");
	put_list(out, INQUIRY_ID);
	if (!yyjson_is_arr(value))
		put_chosen(q, value, out);
	yyjson_arr_foreach(value, i, count, one)
	{
		put_chosen(q, one, out);
	}
	put_list_end(out);
	put_end(out);
	put_end(out);
	yyjson_doc_free(doc);
}

/* By its name as it was shown, or by its number where options are numbered. */
yyjson_val *inquiry_option(const struct inquiry *q, struct text called)
{
	yyjson_val *option, *found = NULL;
	size_t i, count, n = 0;
	struct buf shown;
	char number[24];

	buf_init(&shown, WORDS_MAX);
	yyjson_arr_foreach(yyjson_doc_get_root(q->options), i, count, option)
	{
		if (found || !is_offered(q, option))
			continue;
		snprintf(number, sizeof(number), "%zu", ++n);
		buf_clear(&shown);
		add_visible(&shown, option_name(option), VISIBLE_MARK_LINES);
		if (text_equal(called, buf_text(&shown)) ||
		    (q->is_listed && text_is(called, number)))
			found = option;
	}
	buf_finish(&shown);
	return found;
}
