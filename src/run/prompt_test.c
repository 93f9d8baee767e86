/* prompt_test.c - how a question is read, and which answers it takes. */
#include "run/prompt.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/must.h"
#include "run/prompt_frame.h"

static const char id[] = "abcdefghijklmnopqrstuvwxyz";

static struct prompt *made(const char *payload)
{
	struct signal s = {.seq = 7, .source = TEXT("me"), .correlation = TEXT("run-1")};
	yyjson_doc *doc = yyjson_read(payload, strlen(payload), 0);
	struct prompt *p;

	assert_non_null(doc);
	p = prompt_create(&s, yyjson_doc_get_root(doc), id);
	yyjson_doc_free(doc);
	return p;
}

static void assert_json_for(const struct prompt *p, enum answers may, const char *wanted)
{
	struct buf out;

	buf_init(&out, MIB);
	prompt_json(p, may, &out);
	buf_add_char(&out, '\0');
	assert_string_equal(out.at, wanted);
	buf_finish(&out);
}

static void assert_json(const struct prompt *p, const char *wanted)
{
	assert_json_for(p, ANSWERS_ALL, wanted);
}

static bool takes(const struct prompt *p, const char *value)
{
	yyjson_doc *doc = yyjson_read(value, strlen(value), 0);
	struct error why = {""};
	bool good;

	assert_non_null(doc);
	good = prompt_takes(p, yyjson_doc_get_root(doc), &why);
	assert_true(good == (why.words[0] == '\0'));
	yyjson_doc_free(doc);
	return good;
}

#define HEAD "{\"id\":\"abcdefghijklmnopqrstuvwxyz\",\"run\":\"run-1\",\"source\":\"me\","

static void a_question_is_told_as_it_was_asked(void **state)
{
	struct prompt *p = made(
		"{\"id\":\"own#1\",\"type\":\"select\",\"prompt\":\"Which?\",\"invokeid\":\"i\","
		"\"options\":[{\"label\":\"Blue\",\"value\":\"b\"},3,{\"value\":true},\"x\"],"
		"\"default\":3,\"deadline\":1700000000000}");

	assert_json(p, HEAD "\"invokeid\":\"i\",\"type\":\"select\",\"prompt\":\"Which?\","
	                    "\"options\":[{\"label\":\"Blue\",\"value\":\"b\"},"
	                    "{\"label\":\"3\",\"value\":3},{\"label\":\"true\",\"value\":true},"
	                    "{\"label\":\"x\",\"value\":\"x\"}],\"default\":3,"
	                    "\"deadline\":1700000000000,\"state\":\"open\"}");
	assert_true(text_is(p->own_id, "own#1"));
	prompt_destroy(p);
}

static void what_makes_no_sense_is_asked_as_text(void **state)
{
	static const char *const odd[] = {
		"{}",
		"{\"type\":7,\"prompt\":[]}",
		"{\"type\":\"riddle\",\"id\":5,\"invokeid\":null}",
		"{\"type\":\"select\"}",
		"{\"type\":\"multi\",\"options\":[]}",
		"{\"type\":\"select\",\"options\":[{}]}",
		"{\"type\":\"text\",\"default\":1,\"deadline\":\"soon\"}",
	};

	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		struct prompt *p = made(odd[i]);

		assert_json(p, HEAD "\"type\":\"text\",\"prompt\":\"?\",\"state\":\"open\"}");
		prompt_destroy(p);
	}
}

static void a_text_takes_a_string(void **state)
{
	struct prompt *p = made("{\"type\":\"text\",\"prompt\":\"?\"}");

	assert_true(takes(p, "\"\""));
	assert_true(takes(p, "\"a\""));
	assert_false(takes(p, "1"));
	assert_false(takes(p, "null"));
	assert_false(takes(p, "[\"a\"]"));
	prompt_destroy(p);
}

static void a_confirm_takes_a_boolean(void **state)
{
	struct prompt *p = made("{\"type\":\"confirm\",\"default\":false}");

	assert_true(takes(p, "true"));
	assert_true(takes(p, "false"));
	assert_false(takes(p, "\"true\""));
	assert_false(takes(p, "1"));
	assert_string_equal(p->other, "false");
	assert_true(text_is(p->words, "Confirm?"));
	prompt_destroy(p);
}

static void a_select_takes_the_value_of_an_option(void **state)
{
	struct prompt *p = made("{\"type\":\"select\",\"default\":\"Blue\",\"options\":"
	                        "[{\"label\":\"Blue\",\"value\":\"b\"},2,"
	                        "{\"label\":\"As\",\"value\":\"as\",\"edit\":{\"cmd\":\"ls\"}}]}");

	assert_true(takes(p, "\"b\""));
	assert_true(takes(p, "2"));
	assert_true(takes(p, "\"as\""));
	assert_true(takes(p, "{\"value\":\"as\",\"edit\":{\"cmd\":\"ls -l\"}}"));
	assert_false(takes(p, "{\"value\":\"b\",\"edit\":{}}"));
	assert_false(takes(p, "{\"value\":\"as\"}"));
	assert_false(takes(p, "\"Blue\""));
	assert_false(takes(p, "\"2\""));
	assert_false(takes(p, "[\"b\"]"));
	assert_null(p->other); /* it would be no answer */
	prompt_destroy(p);
}

static void a_multi_takes_each_option_once(void **state)
{
	struct prompt *p = made("{\"type\":\"multi-select\",\"default\":[1],\"options\":[1,2,3]}");

	assert_int_equal(p->type, PROMPT_MULTI);
	assert_true(takes(p, "[]"));
	assert_true(takes(p, "[3,1]"));
	assert_false(takes(p, "[1,1]"));
	assert_false(takes(p, "[4]"));
	assert_false(takes(p, "[1,2,3,1]"));
	assert_false(takes(p, "1"));
	assert_string_equal(p->other, "[1]");
	prompt_destroy(p);
}

static void long_words_and_many_options_are_cut(void **state)
{
	struct buf json;
	struct prompt *p;
	yyjson_doc *doc;

	buf_init(&json, 8 * MIB);
	buf_add(&json, TEXT("{\"type\":\"multi\",\"prompt\":\"a"));
	for (size_t i = 0; i < PROMPT_WORDS_MAX; i++)
		buf_add(&json, TEXT("\u00e9"));
	buf_add(&json, TEXT("\",\"options\":[1"));
	for (size_t i = 2; i < 20000; i++)
		buf_print(&json, ",%zu", i);
	buf_add(&json, TEXT("]}"));
	buf_add_char(&json, '\0');
	p = made(json.at);
	assert_true(p->words.len <= PROMPT_WORDS_MAX && p->words.len > PROMPT_WORDS_MAX - 65);
	assert_non_null(memmem(p->words.at, p->words.len, "\xc3\xa9\n... AND ", 10));
	assert_true(strlen(p->options) <= PROMPT_OPTIONS_MAX);
	doc = yyjson_read(p->options, strlen(p->options), 0);
	assert_true(yyjson_arr_size(yyjson_doc_get_root(doc)) > 1000);
	yyjson_doc_free(doc);
	prompt_destroy(p);
	buf_finish(&json);
}

static void a_nul_hides_nothing(void **state)
{
	struct prompt *p = made(
		"{\"id\":\"a\\u0000b\",\"type\":\"select\",\"invokeid\":\"i\\u0000j\","
		"\"prompt\":\"ls\\u0000; rm\",\"tool\":\"T\\u0000\",\"input\":{\"x\":\"\\u0000y\"},"
		"\"options\":[{\"label\":\"l\\u0000m\",\"value\":\"\\u0000\"}]}");

	assert_true(text_equal(p->own_id, TEXT("a\0b")));
	assert_json(p, HEAD
	            "\"invokeid\":\"i\\u0000j\",\"type\":\"select\",\"prompt\":\"ls\\u0000; rm\","
	            "\"tool\":\"T\\u0000\",\"input\":{\"x\":\"\\u0000y\"},\"inputBytes\":15,"
	            "\"options\":[{\"label\":\"l\\u0000m\",\"value\":\"\\u0000\"}],"
	            "\"state\":\"open\"}");
	assert_true(takes(p, "\"\\u0000\""));
	assert_false(takes(p, "\"\""));
	prompt_destroy(p);
}

static bool needs(const struct prompt *p, const char *value)
{
	yyjson_doc *doc = yyjson_read(value, strlen(value), 0);
	bool does = prompt_needs_control(p, yyjson_doc_get_root(doc));

	yyjson_doc_free(doc);
	return does;
}

static void what_changes_more_needs_more(void **state)
{
	struct prompt *p = made("{\"type\":\"select\",\"prompt\":\"?\",\"options\":["
	                        "{\"label\":\"A\",\"value\":\"allow\",\"edit\":{\"a\":1}},"
	                        "{\"value\":\"always\",\"rule\":\"allow B\",\"needs\":\"control\"},"
	                        "{\"value\":\"odd\",\"needs\":7},"
	                        "{\"value\":\"deny\",\"safe\":true}]}");

	assert_json(p, HEAD "\"type\":\"select\",\"prompt\":\"?\",\"options\":["
	                    "{\"label\":\"A\",\"value\":\"allow\",\"edit\":{\"a\":1}},"
	                    "{\"label\":\"always\",\"value\":\"always\",\"rule\":\"allow B\","
	                    "\"needs\":\"control\"},"
	                    "{\"label\":\"odd\",\"value\":\"odd\",\"needs\":\"control\"},"
	                    "{\"label\":\"deny\",\"value\":\"deny\",\"safe\":true}],"
	                    "\"state\":\"open\"}");
	assert_false(needs(p, "\"allow\""));
	assert_true(needs(p, "{\"value\":\"allow\",\"edit\":{}}"));
	assert_true(needs(p, "\"always\""));
	assert_true(needs(p, "\"odd\""));
	assert_false(needs(p, "\"deny\""));
	prompt_destroy(p);
	p = made("{\"type\":\"multi\",\"options\":[1,{\"value\":2,\"needs\":\"control\"}]}");
	assert_false(needs(p, "[1]"));
	assert_true(needs(p, "[1,2]"));
	prompt_destroy(p);
}

static void who_may_not_answer_sees_that_it_is_asked(void **state)
{
	struct prompt *p =
		made("{\"type\":\"select\",\"prompt\":\"?\",\"options\":[1],\"default\":1,"
	             "\"tool\":\"T\",\"input\":{}}");

	assert_json_for(p, ANSWERS_NOTHING,
	                HEAD "\"prompt\":\"?\",\"state\":\"open\",\"answerable\":false}");
	prompt_destroy(p);
}

static void what_would_be_refused_is_not_offered(void **state)
{
	struct prompt *p =
		made("{\"type\":\"select\",\"prompt\":\"?\",\"default\":\"always\",\"options\":["
	             "{\"label\":\"a\",\"value\":1,\"edit\":{\"b\":1}},"
	             "{\"label\":\"c\",\"value\":\"always\",\"rule\":\"r\",\"needs\":\"control\"},"
	             "{\"label\":\"d\",\"value\":2.5}]}");

	assert_json_for(p, ANSWERS_PLAIN,
	                HEAD "\"type\":\"select\",\"prompt\":\"?\",\"options\":["
	                     "{\"label\":\"a\",\"value\":1},"
	                     "{\"label\":\"d\",\"value\":2.5}],"
	                     "\"state\":\"open\"}");
	assert_true(prompt_is_answerable(p, ANSWERS_PLAIN));
	prompt_destroy(p);
	p = made("{\"type\":\"select\",\"prompt\":\"?\","
	         "\"options\":[{\"value\":1,\"needs\":\"control\"}]}");
	assert_false(prompt_is_answerable(p, ANSWERS_PLAIN));
	assert_true(prompt_is_answerable(p, ANSWERS_ALL));
	assert_json_for(p, ANSWERS_PLAIN,
	                HEAD "\"prompt\":\"?\",\"state\":\"open\",\"answerable\":false}");
	prompt_destroy(p);
	p = made("{\"type\":\"text\",\"prompt\":\"?\"}");
	assert_true(prompt_is_answerable(p, ANSWERS_PLAIN));
	assert_false(prompt_is_answerable(p, ANSWERS_NOTHING));
	prompt_destroy(p);
}

static void a_long_input_is_told_by_its_size(void **state)
{
	struct buf json, out;
	struct prompt *p;

	buf_init(&json, MIB);
	buf_init(&out, MIB);
	buf_add(&json, TEXT("{\"prompt\":\"?\",\"input\":\""));
	for (size_t i = 0; i < PROMPT_INPUT_SHOWN; i++)
		buf_add_char(&json, 'x');
	buf_add(&json, TEXT("\"}"));
	buf_add_char(&json, '\0');
	p = made(json.at);
	assert_int_equal(p->input_len, PROMPT_INPUT_SHOWN + 2);
	assert_int_equal(strlen(p->input), p->input_len);
	prompt_json(p, ANSWERS_ALL, &out);
	assert_null(memmem(out.at, out.len, "\"input\"", 7));
	assert_non_null(memmem(out.at, out.len, "\"inputBytes\":65538", 18));
	prompt_destroy(p);
	p = made("{\"prompt\":\"?\",\"inputBytes\":70000}");
	assert_int_equal(p->input_len, 70000);
	assert_null(p->input);
	prompt_destroy(p);
	buf_finish(&json);
	buf_finish(&out);
}

static void what_is_saved_is_loaded(void **state)
{
	struct prompt *p =
		made("{\"id\":\"o\",\"type\":\"select\",\"prompt\":\"\\u001b[31m\","
	             "\"options\":[1,{\"label\":\"l\",\"value\":{\"a\":[1]}}],"
	             "\"tool\":\"T\\u0000\",\"input\":[\"\\u0000\"],\"default\":1,\"deadline\":5}");
	struct prompt *again;
	struct buf one, two;
	yyjson_doc *doc;

	p->state = PROMPT_ANSWERED;
	p->value = must_dup("{\"a\":[1]}");
	p->by = must_dup("{\"user\":\"u\",\"screen\":\"s\"}");
	p->end_seq = 9;
	buf_init(&one, MIB);
	buf_init(&two, MIB);
	prompt_save(p, &one);
	doc = yyjson_read(one.at, one.len, 0);
	again = prompt_load(yyjson_doc_get_root(doc));
	assert_non_null(again);
	prompt_save(again, &two);
	assert_true(text_equal(buf_text(&one), buf_text(&two)));
	assert_int_equal(again->bytes, prompt_weigh(p));
	assert_true(prompt_is_like(p, again));
	yyjson_doc_free(doc);
	prompt_destroy(p);
	prompt_destroy(again);
	buf_finish(&one);
	buf_finish(&two);
}

/* ---- what is too long for the run dialect ---- */

static char *framed_for(const struct prompt *p, enum answers may)
{
	struct buf out;

	buf_init(&out, MIB);
	prompt_frame(p, may, &out);
	buf_add_char(&out, '\0');
	return out.at;
}

static char *framed(const struct prompt *p)
{
	return framed_for(p, ANSWERS_ALL);
}

static void a_frame_is_its_agents_where_nothing_is_left_out(void **state)
{
	struct prompt *p = made("{\"type\":\"select\",\"options\":[1,{\"value\":2,\"edit\":3}]}");
	char *frame;

	p->frame = must_dup("{\"kind\":\"prompt\",\"prompt-id\":\"own\",\"x\":1}");
	frame = framed_for(p, ANSWERS_ALL);
	assert_string_equal(
		frame,
		"{\"kind\":\"prompt\",\"prompt-id\":\"abcdefghijklmnopqrstuvwxyz\",\"x\":1}");
	free(frame);
	frame = framed_for(p, ANSWERS_PLAIN);
	assert_non_null(strstr(frame, "[{\"label\":\"1\",\"value\":1},"
	                              "{\"label\":\"2\",\"value\":2}]"));
	free(frame);
	free(p->options);
	p->options = must_dup("[{\"label\":\"1\",\"value\":1}]");
	frame = framed_for(p, ANSWERS_PLAIN);
	assert_non_null(strstr(frame, "\"x\":1"));
	free(frame);
	prompt_destroy(p);
}

/* A screen of the run dialect shows a label, and selects the first unless it is told. */
static void a_frame_says_the_rule_and_selects_what_is_safe(void **state)
{
	struct prompt *p =
		made("{\"type\":\"select\",\"prompt\":\"ls\\u0000 \\u202ex\\ny\",\"options\":["
	             "{\"label\":\"Yes\",\"value\":1,\"rule\":\"allow\\nB\",\"needs\":\"control\"},"
	             "{\"label\":\"No\",\"value\":0,\"safe\":true}]}");
	static const char words[] =
		"\"opts\":{\"prompt\":\"ls\\\\u0000 \\\\u202ex\\ny\",\"options\":["
		"{\"label\":\"Yes \xe2\x80\x94 allow\xe2\x86\xb5"
		"B\",\"value\":1,\"needs\":\"control\"},"
		"{\"label\":\"No\",\"value\":0,\"safe\":true}],\"default\":0}}";
	char *frame = framed(p);

	assert_non_null(strstr(frame, words));
	free(frame);
	p->frame = must_dup("{\"kind\":\"prompt\",\"prompt-id\":\"own\",\"x\":1}");
	frame = framed(p);
	assert_non_null(strstr(frame, words));
	free(frame);
	prompt_destroy(p);
}

static enum prompt_offer offers(const struct prompt *p, const char *value)
{
	yyjson_doc *doc = yyjson_read(value, strlen(value), 0);
	enum prompt_offer offer = prompt_frame_offers(p, yyjson_doc_get_root(doc));

	yyjson_doc_free(doc);
	return offer;
}

static struct prompt *made_long(const char *type, size_t len)
{
	char *words = must_alloc(len + 1), *payload;
	struct prompt *p;

	memset(words, 'x', len);
	words[len] = '\0';
	payload =
		must_print("{\"type\":\"%s\",\"prompt\":\"%s\",\"default\":\"allow\",\"options\":["
	                   "{\"label\":\"Allow\",\"value\":\"allow\"},"
	                   "{\"label\":\"Deny\",\"value\":\"deny\",\"safe\":true}]}",
	                   type, words);
	p = made(payload);
	free(payload);
	free(words);
	return p;
}

static void what_is_cut_can_only_be_declined_in_the_run_dialect(void **state)
{
	struct prompt *p = made_long("select", PROMPT_WORDS_MAX + 1);
	char *frame = framed(p);

	assert_true(prompt_is_cut(p));
	assert_null(strstr(frame, "allow"));
	assert_null(strstr(frame, "\"default\""));
	assert_non_null(strstr(frame, "\"options\":[{\"label\":\"Deny\",\"value\":\"deny\","
	                              "\"safe\":true},{\"label\":\"Open the page"));
	assert_int_equal(offers(p, "\"deny\""), PROMPT_OFFERED);
	assert_int_equal(offers(p, ""), PROMPT_OFFERED);
	assert_int_equal(offers(p, "\"allow\""), PROMPT_NOT_OFFERED);
	assert_int_equal(offers(p, "{\"value\":\"allow\",\"edit\":1}"), PROMPT_NOT_OFFERED);
	assert_int_equal(offers(p, "\"" PROMPT_OPEN_PAGE "\""), PROMPT_TO_THE_PAGE);
	free(frame);
	prompt_destroy(p);
	p = made_long("confirm", PROMPT_WORDS_MAX + 1);
	frame = framed(p);
	assert_non_null(strstr(frame, "\"type\":\"select\""));
	assert_int_equal(offers(p, "false"), PROMPT_OFFERED);
	assert_int_equal(offers(p, "true"), PROMPT_NOT_OFFERED);
	free(frame);
	prompt_destroy(p);
}

static void what_is_whole_can_be_chosen_in_the_run_dialect(void **state)
{
	struct prompt *p = made_long("select", PROMPT_WORDS_MAX);
	char *frame = framed(p);

	assert_false(prompt_is_cut(p));
	assert_non_null(strstr(frame, "\"value\":\"allow\""));
	assert_int_equal(offers(p, "\"allow\""), PROMPT_OFFERED);
	free(frame);
	prompt_destroy(p);
	p = made_long("text", PROMPT_WORDS_MAX + 1);
	assert_int_equal(offers(p, "\"allow\""), PROMPT_OFFERED);
	prompt_destroy(p);
}

static void a_large_input_is_not_all_in_the_words(void **state)
{
	struct prompt *p = made("{\"type\":\"select\",\"prompt\":\"Write\",\"tool\":\"Write\","
	                        "\"inputBytes\":16385,\"options\":[\"allow\"]}");

	assert_true(prompt_is_cut(p));
	assert_int_equal(offers(p, "\"allow\""), PROMPT_NOT_OFFERED);
	prompt_destroy(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_cut_can_only_be_declined_in_the_run_dialect),
		cmocka_unit_test(what_is_whole_can_be_chosen_in_the_run_dialect),
		cmocka_unit_test(a_large_input_is_not_all_in_the_words),
		cmocka_unit_test(a_question_is_told_as_it_was_asked),
		cmocka_unit_test(what_makes_no_sense_is_asked_as_text),
		cmocka_unit_test(a_text_takes_a_string),
		cmocka_unit_test(a_confirm_takes_a_boolean),
		cmocka_unit_test(a_select_takes_the_value_of_an_option),
		cmocka_unit_test(a_multi_takes_each_option_once),
		cmocka_unit_test(long_words_and_many_options_are_cut),
		cmocka_unit_test(a_nul_hides_nothing),
		cmocka_unit_test(what_changes_more_needs_more),
		cmocka_unit_test(who_may_not_answer_sees_that_it_is_asked),
		cmocka_unit_test(what_would_be_refused_is_not_offered),
		cmocka_unit_test(a_frame_is_its_agents_where_nothing_is_left_out),
		cmocka_unit_test(a_frame_says_the_rule_and_selects_what_is_safe),
		cmocka_unit_test(a_long_input_is_told_by_its_size),
		cmocka_unit_test(what_is_saved_is_loaded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
