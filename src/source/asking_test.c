/* asking_test.c - one question after the other, and what goes back. */
#include "source/asking.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct askings all;

static void add_answer(struct asking *q, yyjson_val *record)
{
	assert_true(yyjson_is_obj(record));
	buf_add(&q->answers, q->answers.len ? TEXT(";") : TEXT(""));
	buf_add(&q->answers, buf_text(&q->values));
}

static int begin(void **state)
{
	all = (struct askings){.prefix = "q:", .record_max = 4 * KIB, .answer = add_answer};
	askings_init(&all);
	return 0;
}

static int end(void **state)
{
	askings_forget(&all);
	assert_int_equal(all.count, 0);
	return 0;
}

#define OPTIONS "\"options\":[{\"label\":\"Red\"},{\"label\":\"Blue\"}]"
#define TWO \
	"[{\"question\":\"Which?\",\"header\":\"A\"," OPTIONS "}," \
	"{\"question\":\"And now?\",\"header\":\"B\"," OPTIONS "}]"

static struct asking *learn(const char *json)
{
	yyjson_doc *doc = yyjson_read(json, strlen(json), 0);
	struct asking *q = asking_learn(&all, yyjson_doc_get_root(doc));

	yyjson_doc_free(doc);
	return q;
}

static void assert_prompt(const struct asking *q, const char *wanted)
{
	char own[ASKING_PROMPT_MAX];

	asking_prompt(q, own);
	assert_string_equal(own, wanted);
	assert_ptr_equal(asking_of_prompt(&all, text_of(wanted)), q);
}

static void assert_answers(const struct asking *q, const char *wanted)
{
	assert_true(text_is(buf_text(&q->answers), wanted));
}

static void questions_are_asked_one_after_the_other(void **state)
{
	struct asking *q = learn("{\"id\":\"x\",\"questions\":" TWO "}");

	assert_non_null(q);
	assert_int_equal(q->count, 2);
	assert_prompt(q, "q:x#0");
	assert_false(asking_take(q, TEXT("\"Red\"")));
	assert_prompt(q, "q:x#1");
	assert_null(asking_of_prompt(&all, TEXT("q:x#0")));
	assert_false(asking_take(q, TEXT("\"(other)\"")));
	assert_prompt(q, "q:x#1+");
	assert_true(asking_take(q, TEXT("\"Green, if there is\"")));
	assert_answers(q, "\"Red\";\"Green, if there is\"");
	/* Its prompt is the last that was asked. */
	assert_prompt(q, "q:x#1+");
	assert_int_equal(asking_number(q), 1);
}

static void what_was_refused_is_asked_from_the_first(void **state)
{
	struct asking *q = learn("{\"id\":\"x\",\"questions\":" TWO "}");
	yyjson_doc *record = yyjson_read(q->record, strlen(q->record), 0);
	struct buf out;

	asking_take(q, TEXT("\"Red\""));
	asking_take(q, TEXT("\"(other)\""));
	q->is_sent = true;
	asking_begin_again(q, "It did not take that.");
	assert_prompt(q, "q:x#0");
	assert_answers(q, "");
	assert_false(q->is_sent);
	buf_init(&out, 4 * KIB);
	asking_members(q, yyjson_doc_get_root(record), 0, &out);
	buf_add_char(&out, '\0');
	assert_non_null(strstr(out.at, "It did not take that."));
	assert_non_null(strstr(out.at, "Which?"));
	asking_take(q, TEXT("\"Blue\""));
	assert_null(q->note);
	buf_finish(&out);
	yyjson_doc_free(record);
}

static void a_request_is_known_by_its_id(void **state)
{
	struct asking *q = learn("{\"id\":\"x\",\"questions\":" TWO "}");
	struct buf long_one;

	assert_ptr_equal(learn("{\"id\":\"x\",\"questions\":[]}"), q);
	assert_ptr_equal(asking_find(&all, TEXT("x")), q);
	assert_null(learn("{\"id\":\"\",\"questions\":" TWO "}"));
	assert_null(learn("{\"id\":\"y\",\"questions\":[]}"));
	assert_null(learn("{\"questions\":" TWO "}"));
	buf_init(&long_one, 8 * KIB);
	buf_add(&long_one, TEXT("{\"id\":\"z\",\"more\":\""));
	while (long_one.len < 5 * KIB)
		buf_add_char(&long_one, 'a');
	buf_add(&long_one, TEXT("\",\"questions\":" TWO "}"));
	buf_add_char(&long_one, '\0');
	assert_null(learn(long_one.at));
	buf_finish(&long_one);
	assert_int_equal(all.count, 1);
	q->is_listed = true;
	askings_unlist(&all);
	assert_false(q->is_listed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(questions_are_asked_one_after_the_other, begin,
	                                        end),
		cmocka_unit_test_setup_teardown(what_was_refused_is_asked_from_the_first, begin,
	                                        end),
		cmocka_unit_test_setup_teardown(a_request_is_known_by_its_id, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
