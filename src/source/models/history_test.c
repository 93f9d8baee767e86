/* history_test.c - what goes with the next prompt, and what is forgotten. */
#include "source/models/history.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define OUT_MAX (2 * MIB)

static struct buf written(struct histories *h, const char *session)
{
	struct buf out;

	buf_init(&out, OUT_MAX);
	histories_write(h, text_of(session), &out);
	return out;
}

static void expect(struct histories *h, const char *session, const char *want)
{
	struct buf out = written(h, session);

	assert_true(text_equal(buf_text(&out), text_of(want)));
	buf_finish(&out);
}

static size_t count_turns(struct histories *h, const char *session)
{
	struct buf out = written(h, session);
	size_t n = 0;

	for (size_t i = 0; i + 15 < out.len; i++)
		n += memcmp(out.at + i, "{\"role\":\"user\",", 15) == 0;
	buf_finish(&out);
	return n;
}

static void a_session_has_its_own_turns_in_their_order(void **state)
{
	struct histories *h = histories_create();

	expect(h, "a", "");
	histories_note(h, TEXT("a"), TEXT("1"), TEXT("one"));
	histories_note(h, TEXT("b"), TEXT("x"), TEXT("y"));
	histories_note(h, TEXT("a"), TEXT("\"2\""), TEXT("two\n"));
	expect(h, "a",
	       "{\"role\":\"user\",\"content\":\"1\"},{\"role\":\"assistant\",\"content\":\"one\"},"
	       "{\"role\":\"user\",\"content\":\"\\\"2\\\"\"},"
	       "{\"role\":\"assistant\",\"content\":\"two\\n\"},");
	expect(h, "b",
	       "{\"role\":\"user\",\"content\":\"x\"},{\"role\":\"assistant\",\"content\":\"y\"},");
	histories_destroy(h);
}

static void the_oldest_turns_go_first(void **state)
{
	struct histories *h = histories_create();
	char prompt[16];

	for (int i = 0; i < HISTORY_TURNS + 3; i++) {
		snprintf(prompt, sizeof(prompt), "p%d", i);
		histories_note(h, TEXT("s"), text_of(prompt), TEXT("a"));
	}
	assert_int_equal(count_turns(h, "s"), HISTORY_TURNS);

	struct buf out = written(h, "s");

	assert_true(text_starts(buf_text(&out), TEXT("{\"role\":\"user\",\"content\":\"p3\"}")));
	buf_finish(&out);
	histories_destroy(h);
}

static void a_long_answer_pushes_the_others_out(void **state)
{
	struct histories *h = histories_create();
	size_t half = HISTORY_BYTES / 2 + 1;
	char *words = malloc(2 * half);

	memset(words, 'w', 2 * half);
	histories_note(h, TEXT("s"), TEXT("1"), TEXT("a"));
	histories_note(h, TEXT("s"), TEXT("2"), (struct text){words, half});
	assert_int_equal(count_turns(h, "s"), 2);
	histories_note(h, TEXT("s"), TEXT("3"), (struct text){words, half});
	assert_int_equal(count_turns(h, "s"), 1);
	histories_note(h, TEXT("s"), TEXT("4"), (struct text){words, 2 * half});
	assert_int_equal(count_turns(h, "s"), 0);
	free(words);
	histories_destroy(h);
}

static void the_session_that_is_quiet_longest_is_forgotten(void **state)
{
	struct histories *h = histories_create();
	char name[16];

	for (int i = 0; i < HISTORY_SESSIONS; i++) {
		snprintf(name, sizeof(name), "s%d", i);
		histories_note(h, text_of(name), TEXT("p"), TEXT("a"));
	}
	histories_note(h, TEXT("s0"), TEXT("p"), TEXT("a"));
	histories_note(h, TEXT("new"), TEXT("p"), TEXT("a"));
	assert_int_equal(count_turns(h, "s0"), 2);
	assert_int_equal(count_turns(h, "s1"), 0);
	assert_int_equal(count_turns(h, "new"), 1);
	histories_destroy(h);
	histories_destroy(NULL);
}

int main(void)
{
	const struct CMUnitTest all[] = {
		cmocka_unit_test(a_session_has_its_own_turns_in_their_order),
		cmocka_unit_test(the_oldest_turns_go_first),
		cmocka_unit_test(a_long_answer_pushes_the_others_out),
		cmocka_unit_test(the_session_that_is_quiet_longest_is_forgotten),
	};

	return cmocka_run_group_tests(all, NULL, NULL);
}
