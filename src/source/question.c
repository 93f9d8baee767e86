/* question.c - questions of agents as prompts, and answers their own way. */
#include "source/question.h"

#include "base/put.h"
#include "base/utf8.h"
#include "base/visible.h"
#include "signal/json.h"

#define QUESTIONS_MAX 16
#define CHOICES_MAX 16         /* of one question: those that a prompt holds */
#define QUESTION_MAX (8 * KIB) /* bytes of it: a prompt holds 16 */
#define PLAN_MAX (12 * KIB)    /* likewise */
#define LABEL_MAX 256          /* and of a description */
#define URL_MAX 2048

bool question_is(struct text tool)
{
	return text_is(tool, "AskUserQuestion");
}

/* One that a prompt cannot hold is asked like any other tool, and so is one that asks for more
 * than its plan: of a tool every member is shown. */
bool question_is_plan(struct text tool, yyjson_val *input)
{
	return text_is(tool, "ExitPlanMode") && yyjson_obj_size(input) == 1 &&
	       json_text(yyjson_obj_get(input, "plan")).len <= PLAN_MAX;
}

static bool is_short(yyjson_val *words, size_t max)
{
	struct text t = json_text(words);

	return t.len > 0 && t.len <= max;
}

static bool is_sane(yyjson_val *question)
{
	yyjson_val *options = yyjson_obj_get(question, "options"), *option;
	size_t i, max;

	if (!is_short(yyjson_obj_get(question, "question"), QUESTION_MAX) ||
	    yyjson_arr_size(options) > CHOICES_MAX)
		return false;
	yyjson_arr_foreach(options, i, max, option) if (!is_short(yyjson_obj_get(option, "label"),
	                                                          LABEL_MAX)) return false;
	return true;
}

size_t question_count(yyjson_val *input)
{
	yyjson_val *questions = yyjson_obj_get(input, "questions"), *question;
	size_t i, max;

	if (yyjson_arr_size(questions) > QUESTIONS_MAX)
		return 0;
	yyjson_arr_foreach(questions, i, max, question) if (!is_sane(question)) return 0;
	return yyjson_arr_size(questions);
}

/* ---- asking ---- */

static void question_add_words(struct buf *out, struct text before, struct text t)
{
	struct buf words;

	buf_init(&words, VISIBLE_GROWTH * t.len + before.len);
	buf_add(&words, before);
	visible_add(&words, t, VISIBLE_KEEP_LINES);
	buf_add_json(out, buf_text(&words));
	buf_finish(&words);
}

/* `Blue: the colour of the sea` */
static void question_add_label(struct buf *out, yyjson_val *option)
{
	struct text description = json_text(yyjson_obj_get(option, "description"));
	struct buf label;

	buf_init(&label, 3 * VISIBLE_GROWTH * LABEL_MAX);
	visible_add(&label, json_text(yyjson_obj_get(option, "label")), VISIBLE_MARK_LINES);
	if (description.len) {
		buf_add(&label, TEXT(": "));
		visible_add(&label, utf8_cut(description, LABEL_MAX), VISIBLE_MARK_LINES);
		if (description.len > LABEL_MAX)
			buf_add(&label, TEXT(" ... (cut)"));
	}
	buf_add_json(out, buf_text(&label));
	buf_finish(&label);
}

static void question_add_options(struct buf *out, yyjson_val *options, bool has_other)
{
	size_t i, max;
	yyjson_val *option;

	put_list(out, "options");
	yyjson_arr_foreach(options, i, max, option)
	{
		put_object(out, NULL);
		put_key(out, "label");
		question_add_label(out, option);
		put_text(out, "value", json_text(yyjson_obj_get(option, "label")));
		buf_add(out, i + 1 < max || has_other ? TEXT("},") : TEXT("}"));
	}
	if (has_other) {
		put_object(out, NULL);
		put_word(out, "label", "Other: an answer of your own");
		put_word(out, "value", QUESTION_OTHER);
		put_end(out);
	}
	buf_add_char(out, ']');
}

/* Where to look before one answers, if it says so. */
static void add_question(struct buf *out, yyjson_val *question, bool own, struct text note)
{
	struct text url = json_text(yyjson_obj_get(question, "url"));
	struct buf words;

	buf_init(&words, 2 * QUESTION_MAX);
	buf_add(&words, note);
	if (note.len)
		buf_add_char(&words, '\n');
	buf_add(&words, own ? TEXT("An answer of your own: ") : TEXT(""));
	buf_add(&words, json_text(yyjson_obj_get(question, "question")));
	if (url.len && url.len <= URL_MAX) {
		buf_add_char(&words, '\n');
		buf_add(&words, url);
	}
	question_add_words(out, TEXT(""), buf_text(&words));
	buf_finish(&words);
}

void question_ask(struct buf *out, yyjson_val *input, size_t n, unsigned how, struct text note)
{
	yyjson_val *question = yyjson_arr_get(yyjson_obj_get(input, "questions"), n);
	yyjson_val *options = yyjson_obj_get(question, "options");
	bool is_multi = yyjson_is_true(yyjson_obj_get(question, "multiSelect")) ||
	                yyjson_is_true(yyjson_obj_get(question, "multiple"));
	bool is_text = how & QUESTION_OWN || !yyjson_arr_size(options);
	bool has_other = how & QUESTION_STRICT
	                         ? yyjson_is_true(yyjson_obj_get(question, "isOther"))
	                         : !yyjson_is_false(yyjson_obj_get(question, "custom"));

	put_word(out, "type", is_text ? "text" : is_multi ? "multi" : "select");
	put_key(out, "prompt");
	add_question(out, question, how & QUESTION_OWN, note);
	if (!is_text)
		question_add_options(out, options, has_other);
}

void question_ask_plan(struct buf *out, yyjson_val *input)
{
	put_word(out, "type", "select");
	put_key(out, "prompt");
	question_add_words(out, TEXT("May it carry out its plan?\n"),
	                   json_text(yyjson_obj_get(input, "plan")));
	put_list(out, "options");
	put_object(out, NULL);
	put_word(out, "label", "Yes, carry it out");
	put_word(out, "value", "allow");
	put_end(out);
	put_object(out, NULL);
	put_word(out, "label", "No, keep planning");
	put_word(out, "value", "deny");
	put_bool(out, "safe", true);
	put_end(out);
	put_object(out, NULL);
	put_word(out, "label", "No, and stop");
	put_word(out, "value", "stop");
	put_end(out);
	put_list_end(out);
}

/* ---- answers ---- */

typedef void add_fn(struct buf *chosen, struct text word);

static void add_words_chosen(struct buf *chosen, struct text word)
{
	if (chosen->len)
		buf_add(chosen, TEXT(", "));
	buf_add(chosen, word);
}

static void add_value_chosen(struct buf *values, struct text word)
{
	if (values->len)
		buf_add_char(values, ',');
	buf_add_json(values, word);
}

static bool choose_one(struct buf *chosen, struct text word, bool own, add_fn *add)
{
	if (!own && text_is(word, QUESTION_OTHER))
		return true;
	add(chosen, word);
	return false;
}

static bool choose(struct buf *chosen, yyjson_val *value, bool own, add_fn *add)
{
	bool other = false;
	size_t i, max;
	yyjson_val *one;

	if (!yyjson_is_arr(value))
		return choose_one(chosen, json_text(value), own, add);
	yyjson_arr_foreach(value, i, max, one) other |=
		choose_one(chosen, json_text(one), own, add);
	return other;
}

bool question_choose(struct buf *chosen, yyjson_val *value, bool own)
{
	return choose(chosen, value, own, add_words_chosen);
}

bool question_choose_values(struct buf *values, yyjson_val *value, bool own)
{
	return choose(values, value, own, add_value_chosen);
}

void question_answer(struct buf *answers, yyjson_val *input, size_t n, struct text chosen)
{
	yyjson_val *question = yyjson_arr_get(yyjson_obj_get(input, "questions"), n);

	if (answers->len)
		buf_add_char(answers, ',');
	buf_add_json(answers, json_text(yyjson_obj_get(question, "question")));
	buf_add_char(answers, ':');
	buf_add_json(answers, chosen);
}

void question_answer_values(struct buf *answers, yyjson_val *input, size_t n, struct text values)
{
	yyjson_val *question = yyjson_arr_get(yyjson_obj_get(input, "questions"), n);

	if (answers->len)
		buf_add_char(answers, ',');
	buf_add_json(answers, json_text(yyjson_obj_get(question, "questionId")));
	buf_add(answers, TEXT(":["));
	buf_add(answers, values);
	buf_add_char(answers, ']');
}
