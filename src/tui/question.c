/* question.c - what is asked, read from its frame. */
#include "tui/question.h"

#include "base/visible.h"
#include "signal/json.h"

#define LABEL_MAX (4 * KIB)

static yyjson_val *opts_of(yyjson_val *frame)
{
	return yyjson_obj_get(frame, "opts");
}

yyjson_val *question_default(yyjson_val *frame)
{
	return yyjson_obj_get(opts_of(frame), "default");
}

size_t question_option_count(yyjson_val *frame)
{
	size_t count = yyjson_arr_size(yyjson_obj_get(opts_of(frame), "options"));

	return count < QUESTION_OPTIONS_MAX ? count : QUESTION_OPTIONS_MAX;
}

enum way question_way(yyjson_val *frame)
{
	struct text type = json_text_at(frame, "type");

	if (text_is(type, "confirm"))
		return WAY_CONFIRM;
	if (text_is(type, "select") && question_option_count(frame) > 0)
		return WAY_SELECT;
	return text_is(type, "multi") && question_option_count(frame) > 0 ? WAY_MULTI : WAY_TEXT;
}

yyjson_val *question_option(yyjson_val *frame, size_t at)
{
	return yyjson_arr_get(yyjson_obj_get(opts_of(frame), "options"), at);
}

yyjson_val *question_value(yyjson_val *option)
{
	return yyjson_is_obj(option) ? yyjson_obj_get(option, "value") : option;
}

bool question_is_safe(yyjson_val *option)
{
	return yyjson_is_true(yyjson_obj_get(option, "safe"));
}

bool question_is_answer(yyjson_val *option)
{
	return !yyjson_is_false(yyjson_obj_get(option, "answers"));
}

void question_words(yyjson_val *frame, struct buf *out)
{
	static const char *const others[] = {"?", "Select:", "Select any:", "Confirm?"};
	struct text words = json_text_at(opts_of(frame), "prompt");

	visible_add(out, words.len ? words : text_of(others[question_way(frame)]),
	            VISIBLE_KEEP_LINES);
}

static void question_add_label(yyjson_val *option, struct buf *out)
{
	yyjson_val *label = yyjson_is_obj(option) ? yyjson_obj_get(option, "label") : option;
	struct buf json;

	if (!label)
		label = yyjson_obj_get(option, "value");
	if (yyjson_is_str(label)) {
		visible_add(out, json_text(label), VISIBLE_MARK_LINES);
		return;
	}
	buf_init(&json, LABEL_MAX);
	json_add(&json, label);
	visible_add(out, buf_text(&json), VISIBLE_MARK_LINES);
	buf_finish(&json);
}

static bool is_default(yyjson_val *frame, yyjson_val *option)
{
	yyjson_val *other = question_default(frame), *value = question_value(option), *one;
	size_t at, count;

	if (other && yyjson_equals(value, other))
		return true;
	yyjson_arr_foreach(other, at, count, one)
	{
		if (yyjson_equals(value, one))
			return true;
	}
	return false;
}

void question_option_words(yyjson_val *frame, yyjson_val *option, struct buf *out)
{
	struct text rule = json_text_at(option, "rule");

	question_add_label(option, out);
	if (rule.len) {
		buf_add(out, TEXT(" \u2014 "));
		visible_add(out, rule, VISIBLE_MARK_LINES);
	}
	if (is_default(frame, option))
		buf_add(out, TEXT(" (default)"));
}
