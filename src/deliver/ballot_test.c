/* ballot_test.c - prompts in chats: what is shown and offered, and what answers them. */
#include "deliver/ballot.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "deliver/button.h"

static const char tool_options[] = "[{\"label\":\"Allow\",\"value\":\"allow\",\"edit\":{}},"
				   "{\"label\":\"Always\",\"value\":\"always\"},"
				   "{\"label\":\"Write\",\"value\":\"w\",\"rule\":\"x\"},"
				   "{\"label\":\"Change\",\"value\":\"c\",\"needs\":\"control\"},"
				   "{\"label\":\"Deny\",\"value\":\"deny\",\"safe\":true}]";

static struct prompt tool_prompt(const char *words, const char *input)
{
	return (struct prompt){.type = PROMPT_SELECT,
	                       .source = (char *)"claude",
	                       .words = text_of(words),
	                       .tool = TEXT("Bash"),
	                       .input = (char *)input,
	                       .input_len = strlen(input),
	                       .options = (char *)tool_options};
}

static struct ballot_reader reader(size_t max, unsigned buttons)
{
	return (struct ballot_reader){
		.limit = {CHUNK_POINTS, max, 0}, .buttons = buttons, .first = 4};
}

static bool has(const struct buf *b, const char *part)
{
	return b->len && memmem(b->at, b->len, part, strlen(part));
}

static void what_lasts_is_never_offered(void **state)
{
	struct prompt p = tool_prompt("Bash: make", "{\"command\":\"make\"}");
	struct ballot_reader r = reader(1000, 5);
	struct ballot b;

	ballot_init(&b, &p, &r);
	assert_true(b.has_buttons);
	assert_int_equal(b.count, 2);
	assert_true(has(&b.choices, "\"Allow\"") && has(&b.choices, "\"Deny\""));
	assert_false(has(&b.choices, "Always") || has(&b.choices, "Write") ||
	             has(&b.choices, "Change"));
	assert_true(text_is(buf_text(&b.text), "claude asks:\nBash: make"));
	ballot_finish(&b);
	r.only_safe = true;
	ballot_init(&b, &p, &r);
	assert_int_equal(b.count, 1);
	assert_true(has(&b.choices, "Deny"));
	ballot_finish(&b);
}

/* Whatever the limit is: either all of it is there, or nothing but Deny is offered. */
static void nothing_is_allowed_that_is_not_shown_whole(void **state)
{
	const char *input = "{\"command\":\"make all the things that there are to be made\"}";
	struct prompt p = tool_prompt("May I?", input);

	for (size_t max = 40; max < 300; max++) {
		for (unsigned buttons = 0; buttons < 6; buttons += 5) {
			struct ballot_reader r = reader(max, buttons);
			struct ballot b;
			bool allows;

			ballot_init(&b, &p, &r);
			allows = has(&b.choices, "Allow");
			assert_int_equal(allows, !has(&b.text, "not all of it"));
			if (allows)
				assert_true(has(&b.text, "things that there are to be made") &&
				            chunk_length(CHUNK_POINTS, buf_text(&b.text)) <= max);
			ballot_finish(&b);
		}
	}
}

static void an_input_that_is_elsewhere_is_not_allowed(void **state)
{
	struct prompt p = tool_prompt("Bash: make", "{}");
	struct ballot_reader r = reader(1000, 5);
	struct ballot b;

	p.input = NULL;
	p.input_len = 70000;
	ballot_init(&b, &p, &r);
	assert_int_equal(b.count, 1);
	assert_true(has(&b.choices, "Deny"));
	ballot_finish(&b);
}

static bool reads(const struct ballot_asked *asked, const char *said, const char *wanted)
{
	struct buf value;
	bool good;

	buf_init(&value, 4 * KIB);
	good = ballot_read(asked, text_of(said), &value);
	if (good && wanted)
		assert_true(text_is(buf_text(&value), wanted));
	buf_finish(&value);
	return good;
}

static void numbers_and_texts_are_answers(void **state)
{
	const struct text choices = TEXT("[{\"label\":\"Yes\",\"value\":true},"
	                                 "{\"label\":\"No\",\"value\":{\"a\":[1]}}]");
	struct ballot_asked a = {.type = PROMPT_SELECT, .choices = choices, .first = 4};

	assert_true(reads(&a, " 4 ", "true"));
	assert_true(reads(&a, "5.", "{\"a\":[1]}"));
	assert_false(reads(&a, "1", NULL) || reads(&a, "6", NULL) || reads(&a, "yes", NULL) ||
	             reads(&a, "4 5", NULL) || reads(&a, "", NULL));
	a.by_place = true;
	assert_true(reads(&a, "1", "true") && reads(&a, "no", "{\"a\":[1]}"));
	a = (struct ballot_asked){.type = PROMPT_MULTI, .choices = choices, .first = 4};
	assert_true(reads(&a, "5, 4", "[{\"a\":[1]},true]") && reads(&a, "6", "[]"));
	assert_false(reads(&a, "5, 9", NULL) || reads(&a, "none", NULL) || reads(&a, ",", NULL) ||
	             reads(&a, NULL, NULL));
	a = (struct ballot_asked){.type = PROMPT_TEXT, .choices = TEXT("[]"), .first = 4};
	assert_true(reads(&a, "4 \"hm\"", "\"\\\"hm\\\"\""));
	assert_false(reads(&a, "hm", NULL) || reads(&a, "4", NULL) || reads(&a, "4 ", NULL));
	a.by_place = true;
	assert_true(reads(&a, "hm", "\"hm\""));
}

static void codes_are_of_one_value_and_one_key(void **state)
{
	unsigned char key[BUTTON_KEY] = {1}, other[BUTTON_KEY] = {2};
	const struct button_codes codes = {key}, others = {other}, none = {NULL};
	struct letter l = {.words = {[LETTER_ID] = (char *)"L",
	                             [LETTER_BUTTONS] = (char *)"yes",
	                             [LETTER_CODES] = (char *)"safe",
	                             [LETTER_CHOICES] =
	                                     (char *)"[{\"label\":\"Allow\",\"value\":1},"
	                                             "{\"label\":\"Deny\",\"value\":2,"
	                                             "\"safe\":true}]"}};
	struct text value, delivery;
	struct buttons b;
	unsigned index;

	buttons_init(&b, &l, &codes);
	assert_int_equal(b.count, 2);
	assert_int_equal(b.at[0].code.len, 0);
	assert_true(button_read_code(&codes, b.at[1].code, &value));
	assert_true(button_read(value, &delivery, &index) && index == 1);
	assert_true(text_is(delivery, "L") && button_has_code(&l, 1) && !button_has_code(&l, 0));
	assert_false(button_read_code(&others, b.at[1].code, &value) ||
	             button_read_code(&none, b.at[1].code, &value));
	b.codes[1][2] = '0'; /* L:0 with the code of L:1 */
	assert_false(button_read_code(&codes, b.at[1].code, &value));
	assert_false(button_read(TEXT("L"), &delivery, &index) ||
	             button_read(TEXT("L:99"), &delivery, &index) ||
	             button_read(TEXT(":1"), &delivery, &index));
	buttons_finish(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_lasts_is_never_offered),
		cmocka_unit_test(nothing_is_allowed_that_is_not_shown_whole),
		cmocka_unit_test(an_input_that_is_elsewhere_is_not_allowed),
		cmocka_unit_test(numbers_and_texts_are_answers),
		cmocka_unit_test(codes_are_of_one_value_and_one_key),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
