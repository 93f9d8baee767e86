/* heard_test.c - answers of servers that hear, cut anywhere, and what is none. */
#include "voice/heard.h"

#include "base/fixture.h"

#define STREAM "text/event-stream; charset=utf-8"
#define DELTA(words) "data: {\"type\":\"transcript.text.delta\",\"delta\":\"" words "\"}\n\n"
#define DONE(words) "data: {\"type\":\"transcript.text.done\",\"text\":\"" words "\"}\n\n"

/* In pieces of every size, the last news and the words or the reason. */
static void assert_heard(const char *type, const char *answer, const char *expected)
{
	size_t len = strlen(answer);

	for (size_t piece = 1; piece <= len + 1; piece++) {
		enum heard_news news = HEARD_NOTHING;
		struct heard_answer heard;
		struct error why;
		struct text said;

		heard_init(&heard);
		assert_true(heard_begin(&heard, text_of(type), &why));
		for (size_t i = 0; i < len && news < HEARD_ALL; i += piece)
			news = heard_feed(&heard, (struct text){answer + i,
			                                        len - i < piece ? len - i : piece});
		if (news < HEARD_ALL)
			news = heard_end(&heard);
		said = news == HEARD_ALL ? text_trim(buf_text(&heard.words))
		                         : text_of(heard.why.words);
		assert_true(news == HEARD_ALL || news == HEARD_BROKEN);
		assert_int_equal(said.len, strlen(expected));
		assert_memory_equal(said.at, expected, said.len);
		heard_finish(&heard);
	}
}

static void one_object_has_the_words(void **state)
{
	assert_heard("application/json", "{\"text\":\" run it\\n now \"}", "run it now");
	assert_heard("", "{\"task\":\"transcribe\",\"text\":\"run\",\"segments\":[]}", "run");
	assert_heard("text/plain; charset=utf-8", "run it\n", "run it");
	assert_heard("application/json", "{\"text\":\"\"}", "");
}

static void a_stream_has_them_in_parts(void **state)
{
	assert_heard(STREAM, DELTA("run ") DELTA("it") DONE("Run it."), "Run it.");
	assert_heard(STREAM, DONE("Run it.") "data: [DONE]\n\n", "Run it.");
	assert_heard(STREAM, "data: {\"type\":\"other\",\"text\":\"no\"}\n\n" DONE("yes"), "yes");
	assert_heard(STREAM, "data: {\"text\":\"run it\"}\n\ndata: {\"text\":\"now\"}\n\n",
	             "run it now");
	assert_heard(STREAM, "", "");
}

static void parts_are_told_as_they_come(void **state)
{
	struct heard_answer heard;
	struct error why;

	heard_init(&heard);
	heard_begin(&heard, TEXT(STREAM), &why);
	assert_int_equal(heard_feed(&heard, TEXT(DELTA("run"))), HEARD_SOME);
	assert_int_equal(heard_feed(&heard, TEXT("data: {\"type\":\"trans")), HEARD_NOTHING);
	assert_int_equal(heard_feed(&heard, TEXT("cript.text.delta\",\"delta\":\" it\"}\n\n")),
	                 HEARD_SOME);
	assert_memory_equal(heard.words.at, "run it", heard.words.len);
	assert_int_equal(heard_feed(&heard, TEXT(DONE("Run it."))), HEARD_ALL);
	heard_finish(&heard);
}

static void what_is_no_answer_is_said(void **state)
{
	assert_heard("application/json", "<html>", "the engine's answer is no JSON");
	assert_heard("application/json", "[1]",
	             "the engine's answer has another shape than OpenAI's");
	assert_heard("application/json", "{\"text\":7}",
	             "the engine's answer has another shape than OpenAI's");
	assert_heard("application/json", "{\"error\":\"no 'file' field\"}",
	             "the engine says: no 'file' field");
	assert_heard(STREAM, "data: {\"error\":{\"message\":\"no weights\"}}\n\n",
	             "the engine says: no weights");
	assert_heard(STREAM, "data: {\"type\":\"error\"}\n\n",
	             "the engine says that it failed, and not why");
	assert_heard(STREAM, "data: nothing\n\n", "an event of the engine is no JSON");
	assert_heard(STREAM, DELTA("run "), "the engine's answer broke off");
}

static void a_page_for_people_is_no_answer(void **state)
{
	struct heard_answer heard;
	struct error why;

	heard_init(&heard);
	assert_false(heard_begin(&heard, TEXT("text/html; charset=utf-8"), &why));
	assert_string_equal(why.words, "the engine answers with text/html, not with words in JSON");
	heard_finish(&heard);
}

static void what_is_too_long_is_broken(void **state)
{
	static char words[64 * KIB];
	struct heard_answer heard;
	struct error why;
	enum heard_news news = HEARD_NOTHING;

	memset(words, 'a', sizeof(words));
	heard_init(&heard);
	heard_begin(&heard, TEXT("application/json"), &why);
	for (unsigned i = 0; i < 17 && news < HEARD_ALL; i++)
		news = heard_feed(&heard, (struct text){words, sizeof(words)});
	assert_int_equal(news, HEARD_BROKEN);
	heard_finish(&heard);
}

static void notes_of_other_sounds_are_no_speech(void **state)
{
	static const char *const silent[] = {"",        " ", "[BLANK_AUDIO]", "(wind blowing)",
	                                     "*sighs*", NULL};
	static const char *const spoken[] = {"run", "(run) it (now)", "[a] b [c]", "it (now)",
	                                     NULL};

	for (const char *const *words = silent; *words; words++)
		assert_false(heard_is_speech(text_of(*words)));
	for (const char *const *words = spoken; *words; words++)
		assert_true(heard_is_speech(text_of(*words)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_object_has_the_words),
		cmocka_unit_test(a_stream_has_them_in_parts),
		cmocka_unit_test(parts_are_told_as_they_come),
		cmocka_unit_test(what_is_no_answer_is_said),
		cmocka_unit_test(a_page_for_people_is_no_answer),
		cmocka_unit_test(what_is_too_long_is_broken),
		cmocka_unit_test(notes_of_other_sounds_are_no_speech),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
