/* known_test.c - people and codes. */
#include "deliver/known.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static const unsigned char key[KNOWN_KEY] = "a key of thirty-two bytes, or so";
static const unsigned char other[KNOWN_KEY] = "another key of thirty-two bytes.";

static struct known_person *wait_as(struct known *k, const char *sender, const char *account,
                                    double now_ms)
{
	return known_wait(k,
	                  (const struct text[KNOWN_WORDS]){[KNOWN_IDENTITY] = text_of(sender),
	                                                   [KNOWN_NAME] = TEXT("Bob"),
	                                                   [KNOWN_ACCOUNT] = text_of(account),
	                                                   [KNOWN_PEER] = TEXT("room"),
	                                                   [KNOWN_REQUEST] = text_of(sender)},
	                  now_ms);
}

static struct known_who at(const char *identity, const char *account, const char *server)
{
	return (struct known_who){text_of(identity), text_of(account), text_of(server), false};
}

static void only_the_right_code_finds_who_waits(void **state)
{
	char code[KNOWN_CODE_LEN + 1], upper[KNOWN_CODE_LEN + 3];
	struct known_person *bob;
	struct known k;

	known_init(&k);
	bob = wait_as(&k, "file:bob", "desk", 0);
	assert_non_null(wait_as(&k, "file:cid", "desk", 0));
	known_code(key, TEXT("file:bob"), code);
	assert_ptr_equal(known_by_code(&k, key, text_of(code)), bob);
	snprintf(upper, sizeof(upper), " %s\n", code);
	for (size_t i = 0; upper[i]; i++)
		upper[i] = (char)(upper[i] >= 'a' && upper[i] <= 'f' ? upper[i] - 32 : upper[i]);
	assert_ptr_equal(known_by_code(&k, key, text_of(upper)), bob);
	assert_null(known_by_code(&k, other, text_of(code)));
	assert_null(known_by_code(&k, key, TEXT("")));
	code[3] = code[3] == '0' ? '1' : '0';
	assert_null(known_by_code(&k, key, text_of(code)));
	known_finish(&k);
}

static void three_wait_an_account_for_an_hour(void **state)
{
	struct known_who first = at("a:1", "desk", NULL), second = at("a:2", "desk", NULL);
	struct known k;

	known_init(&k);
	assert_non_null(wait_as(&k, "a:1", "desk", 0));
	assert_non_null(wait_as(&k, "a:2", "desk", 1));
	assert_non_null(wait_as(&k, "a:3", "desk", 2));
	assert_null(wait_as(&k, "a:4", "desk", 3));
	assert_non_null(wait_as(&k, "b:4", "other", 3));
	assert_false(known_expire(&k, KNOWN_WAIT_MS - 1));
	assert_true(known_expire(&k, KNOWN_WAIT_MS));
	assert_null(known_waiting(&k, &first));
	assert_non_null(known_waiting(&k, &second));
	assert_non_null(wait_as(&k, "a:4", "desk", KNOWN_WAIT_MS));
	assert_true(known_expire(&k, 10 * KNOWN_WAIT_MS));
	assert_true(list_is_empty(&k.waiting));
	known_finish(&k);
}

static void a_file_has_all_of_it(void **state)
{
	struct known_who third = at("a:3", "desk", NULL), waits = at("a:waits", "desk", NULL);
	struct known k, read;
	struct error why;
	struct buf file;

	known_init(&k);
	known_init(&read);
	buf_init(&file, KNOWN_FILE_MAX);
	for (unsigned i = 0; i < 10; i++) {
		char sender[16];

		snprintf(sender, sizeof(sender), "a:%u", i);
		assert_true(known_let_in(&k, wait_as(&k, sender, "desk", i), text_of(sender),
		                         TEXT("model")));
	}
	assert_non_null(wait_as(&k, "a:waits", "desk", 7));
	known_put(&k, &file);
	assert_true(known_read(&read, buf_text(&file), &why));
	assert_int_equal(read.count, 10);
	assert_true(text_is(known_word(known_by_name(&read, TEXT("a:3")), KNOWN_AGENT), "model"));
	assert_true(known_waiting(&read, &waits)->at_ms == 7);
	known_drop(&read, known_find(&read, &third));
	assert_null(known_find(&read, &third));
	assert_int_equal(read.count, 9);
	assert_false(known_read(&read, TEXT("[1]"), &why));
	known_finish(&k);
	known_finish(&read);
	buf_finish(&file);
}

static void somebody_is_known_where_they_were_let_in(void **state)
{
	static const char file[] =
		"{\"people\":[{\"identity\":\"irc:ada\",\"name\":\"Ada\",\"agent\":\"m\","
		"\"account\":\"libera\",\"request\":\"1\"},"
		"{\"identity\":\"irc:ada\",\"name\":\"Another\",\"agent\":\"m\","
		"\"account\":\"oftc\",\"request\":\"2\",\"server\":\"ircs://a\"}]}";
	struct known_who here = at("irc:ada", "libera", "ircs://b");
	struct known_who there = at("irc:ada", "oftc", "ircs://a");
	struct known_who moved = at("irc:ada", "oftc", "ircs://b");
	struct known_who nowhere = at("irc:ada", "third", NULL);
	struct error why;
	struct known k;

	known_init(&k);
	assert_true(known_read(&k, TEXT(file), &why));
	assert_int_equal(k.count, 2);
	assert_true(text_is(known_word(known_find(&k, &here), KNOWN_NAME), "Ada"));
	assert_true(text_is(known_word(known_find(&k, &there), KNOWN_NAME), "Another"));
	assert_null(known_find(&k, &moved));
	assert_null(known_find(&k, &nowhere));
	nowhere.is_everywhere = true;
	assert_non_null(known_find(&k, &nowhere));
	known_finish(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_the_right_code_finds_who_waits),
		cmocka_unit_test(three_wait_an_account_for_an_hour),
		cmocka_unit_test(a_file_has_all_of_it),
		cmocka_unit_test(somebody_is_known_where_they_were_let_in),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
