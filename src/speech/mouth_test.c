/* mouth_test.c - what reaches a synthesiser of any text. */
#include "speech/mouth.h"

#include "base/fixture.h"

static void assert_plain(const char *sentence, const char *plain)
{
	struct buf out;

	buf_init(&out, KIB);
	mouth_put_plain(text_of(sentence), &out);
	buf_add_char(&out, '\0');
	assert_string_equal(out.at, plain);
	buf_finish(&out);
}

static void words_become_plain(void **state)
{
	assert_plain("It\xe2\x80\x99s done \xe2\x80\x94 \xe2\x80\x9cyes\xe2\x80\x9d.",
	             "It's done - \"yes\".");
	assert_plain("caf\xc3\xa9 M\xc3\xbcller", "cafe Muller");
	assert_plain("a\nb\x1b[1m\xff", "a b [1m ");
	assert_plain("\xe6\x97\xa5", " ");
	assert_plain("1234567890123456789012345678901234567890ab, c",
	             "1234567890123456789012345678901234567890 ab, c");
}

static void a_sentence_ends_with_its_mark(void **state)
{
	struct buf words;

	assert_int_equal(mouth_sentence(TEXT("Yes! No.")), 5);
	assert_int_equal(mouth_sentence(TEXT("It is 3.5 now")), 0);
	assert_int_equal(mouth_sentence(TEXT("a title\nmore")), 8);
	assert_int_equal(mouth_sentence(TEXT("")), 0);
	buf_init(&words, 4 * KIB);
	buf_add_char(&words, 'x');
	while (words.len < MOUTH_SENTENCE_MAX)
		buf_add(&words, TEXT("\xc3\xa9"));
	assert_int_equal(mouth_sentence(buf_text(&words)), MOUTH_SENTENCE_MAX - 1);
	buf_finish(&words);
}

static void an_unknown_voice_is_named(void **state)
{
	struct error why;

	assert_null(mouth_open(TEXT("nobody"), &why));
	assert_string_equal(why.words, "there is no voice nobody");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_become_plain),
		cmocka_unit_test(a_sentence_ends_with_its_mark),
		cmocka_unit_test(an_unknown_voice_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
