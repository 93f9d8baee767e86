/* spoken_test.c - answers of agents, and the sentences that are read out of them. */
#include "voice/spoken.h"

#include <stdlib.h>

#include "base/fixture.h"
#include "base/random.h"

static const struct {
	const char *answer, *sentences; /* these with a | between them */
} cases[] = {
	/* where a sentence ends */
	{"Done.", "Done."},
	{"Done. Next one.", "Done.|Next one."},
	{"Is it? Yes! Good.", "Is it?|Yes!|Good."},
	{"no stop at all", "no stop at all"},
	{"Wait... what happened?", "Wait... what happened?"},
	{"Dr. Smith met Mrs. Jones. They spoke.", "Dr. Smith met Mrs. Jones.|They spoke."},
	{"It is fast, e.g. 3 ms. Fine.", "It is fast, for example 3 ms.|Fine."},
	{"That is, i.e. this.", "That is, that is this."},
	{"Logs, traces, etc. are there.", "Logs, traces, and so on are there."},
	{"J. R. Tolkien wrote it.", "J. R. Tolkien wrote it."},
	{"So did I. Then we left.", "So did I.|Then we left."},
	{"Version 1.2.3 is out. It is 3.5 times faster.",
         "Version 1.2.3 is out.|It is 3.5 times faster."},
	{"It was 2024. Then came 2025.", "It was 2024.|Then came 2025."},
	{"Fig. 3 shows it.", "Fig. 3 shows it."},
	{"See No. 5. It works.", "See No. 5.|It works."},
	{"Open main.c and run it.", "Open main.c and run it."},
	{"He said \"Done.\" Then he left.", "He said \"Done.\"|Then he left."},
	{"He said \xe2\x80\x9cGo.\xe2\x80\x9d She went.",
         "He said \xe2\x80\x9cGo.\xe2\x80\x9d|She went."},
	{"(It works.) Good.", "(It works.)|Good."},
	{"Use Yahoo! today.", "Use Yahoo! today."},
	{"\xe5\xae\x8c\xe4\xba\x86\xe3\x80\x82\xe6\xac\xa1\xe3\x80\x82",
         "\xe5\xae\x8c\xe4\xba\x86\xe3\x80\x82|\xe6\xac\xa1\xe3\x80\x82"},
	{"", ""},
	{"...", ""},
	{"   \n\n  ", ""},
	/* lines and blocks */
	{"One line\ngoes on here.", "One line goes on here."},
	{"A paragraph\n\nAnother", "A paragraph|Another"},
	{"Done.\nnext line", "Done.|next line"},
	{"# A title\nText here.", "A title|Text here."},
	{"### Steps\n\n- one\n- two\n", "Steps|one|two"},
	{"* first\n* second", "first|second"},
	{"1. Stop it\n2. Start it", "1, Stop it|2, Start it"},
	{"12) Go on", "12, Go on"},
	{"> quoted words", "quoted words"},
	{"Do this:\n- a\n- b", "Do this:|a|b"},
	{"a\r\nb\r\n\r\nc", "a b|c"},
	{"#hashtag here", "#hashtag here"},
	{"-5 degrees", "-5 degrees"},
	{"---\nNew part.", "New part."},
	/* tables */
	{"| name | size |\n|---|---|\n| box | 3 MB |", "name, size|box, 3 MB"},
	{"| a |\nAfter it.", "a|After it."},
	/* code */
	{"Try:\n```py\nprint('x. Y')\n```\nThat is all.",
         "Try:|Here is some code, Python.|That is all."},
	{"```\nx = 1\n```", "Here is some code."},
	{"~~~sh\n```\n~~~\nok", "Here is some code, shell.|ok"},
	{"```js\nnever closed. Not read.", "Here is some code, JavaScript."},
	{"  ```c\n  int x;\n  ```\nDone.", "Here is some code, C.|Done."},
	{"Call `box.run. Now` there.", "Call box.run. Now there."},
	{"The file `main_loop.c` is long.", "The file main loop.c is long."},
	/* marks */
	{"**Bold** and *soft* and __more__.", "Bold and soft and more."},
	{"**Done.** Next.", "Done.|Next."},
	{"snake_case_name is it.", "snake case name is it."},
	{"~~old~~ new", "old new"},
	{"a \\* b \\_ c", "a * b _ c"},
	{"3 * 4 is 12.", "3 times 4 is 12."},
	{"a<br>b </b>c", "a b c"},
	/* addresses */
	{"See [the docs](https://a.example/b?c=1) now.", "See the docs now."},
	{"See https://example.com/a/b?c=d. It helps.", "See a link to example.com.|It helps."},
	{"See <https://example.com/a>.", "See a link to example.com."},
	{"![a cat](http://x.example/c.png) there", "a picture, a cat there"},
	{"[not a link] here", "[not a link] here"},
	/* sounds */
	{"Great \xf0\x9f\x8e\x89 work!", "Great work!"},
	{"\xf0\x9f\x91\x8d", ""},
	{"a -> b, c => d", "a to b, c to d"},
	{"n >= 3 and n <= 5", "n at least 3 and n at most 5"},
	{"cats vs. dogs", "cats versus dogs"},
	{"caf\xc3\xa9 is open.", "caf\xc3\xa9 is open."},
	{"bad \xff\xfe bytes \x1b[1m.", "bad bytes [1m."},
};

static struct buf told;
static uint64_t seed = 1;

static void on_sentence(void *self, struct text words)
{
	if (told.len)
		buf_add_char(&told, '|');
	buf_add(&told, words);
}

/* The sentences of an answer in pieces of at most this size. */
static const char *read_out(struct text answer, size_t most)
{
	struct recital_listener listener = {NULL, on_sentence};
	struct recital recital;

	buf_clear(&told);
	spoken_init(&recital, &listener);
	while (answer.len) {
		size_t len = 1 + random_draw(&seed) % most;

		len = len < answer.len ? len : answer.len;
		spoken_feed(&recital, (struct text){answer.at, len});
		answer = (struct text){answer.at + len, answer.len - len};
	}
	spoken_end(&recital);
	spoken_finish(&recital);
	buf_add_char(&told, '\0');
	return told.at;
}

static int set_up(void **state)
{
	buf_init(&told, 4 * MIB);
	return 0;
}

static int take_down(void **state)
{
	buf_finish(&told);
	return 0;
}

static void answers_are_read_out_in_sentences(void **state)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(read_out(text_of(cases[i].answer), 1000), cases[i].sentences);
}

static void tokens_of_any_size_give_the_same(void **state)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		for (size_t most = 1; most < 8; most++)
			assert_string_equal(read_out(text_of(cases[i].answer), most),
			                    cases[i].sentences);
}

/* Any join of the cases, so that every state meets every other. */
static void long_answers_give_the_same_too(void **state)
{
	struct buf answer;
	char *whole;

	buf_init(&answer, MIB);
	for (unsigned round = 0; round < 300; round++) {
		buf_clear(&answer);
		for (unsigned i = 0; i < 30; i++) {
			buf_add(&answer, text_of(cases[random_draw(&seed) %
			                               (sizeof(cases) / sizeof(cases[0]))]
			                                 .answer));
			buf_add(&answer, text_of((const char *[]){" ", "\n", "\n\n",
			                                          ""}[random_draw(&seed) % 4]));
		}
		whole = strdup(read_out(buf_text(&answer), MIB));
		assert_string_equal(read_out(buf_text(&answer), 1 + random_draw(&seed) % 9), whole);
		free(whole);
	}
	buf_finish(&answer);
}

static void check_length(void *self, struct text words)
{
	size_t *total = self;

	assert_true(words.len <= SPOKEN_MAX + 4);
	*total += words.len;
}

static void what_never_ends_is_cut(void **state)
{
	size_t total = 0;
	struct recital_listener listener = {&total, check_length};
	struct recital recital;

	spoken_init(&recital, &listener);
	for (unsigned i = 0; i < 1000; i++)
		spoken_feed(&recital, TEXT("word and word, "));
	for (unsigned i = 0; i < 2000; i++)
		spoken_feed(&recital, TEXT("x"));
	spoken_end(&recital);
	assert_true(total > 16000);
	spoken_finish(&recital);
}

/* Within the time of a test: what takes a line must not move all that follow. */
static void an_answer_of_lines_alone_costs_no_more_than_another(void **state)
{
	static const char *const lines[] = {"\n", "a\n", "- a\n", "```\nb\n", "|a|\n"};
	size_t total = 0;
	struct recital_listener listener = {&total, check_length};
	struct recital recital;
	struct buf answer;

	buf_init(&answer, 4 * MIB);
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		buf_clear(&answer);
		while (answer.len < 4 * MIB - 8)
			buf_add(&answer, text_of(lines[i]));
		spoken_init(&recital, &listener);
		spoken_feed(&recital, buf_text(&answer));
		spoken_end(&recital);
		spoken_finish(&recital);
	}
	assert_true(total > 2 * MIB);
	buf_finish(&answer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(answers_are_read_out_in_sentences, set_up,
	                                        take_down),
		cmocka_unit_test_setup_teardown(tokens_of_any_size_give_the_same, set_up,
	                                        take_down),
		cmocka_unit_test_setup_teardown(long_answers_give_the_same_too, set_up, take_down),
		cmocka_unit_test(what_never_ends_is_cut),
		cmocka_unit_test(an_answer_of_lines_alone_costs_no_more_than_another),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
