/* options_test.c - reading argv. */
#include "cli/options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static const struct option own[] = {
	{"listen", 'l', "ADDR", "where", .key = "listen"},
	{"quiet", 'q', .help = "hush"},
	{"json", 'j', .help = "as JSON"},
	{"count", 'n', "N", "how many"},
	{0},
};
static const struct option more[] = {{"help", 'h', .help = "help"}, {0}};
static const struct option_group one = {"Options", own}, two = {"Common", more};
static const struct option_group *const groups[] = {&one, &two, NULL};

/* The words are parted by one space each. */
static bool parse(struct options *o, const char *line, struct error *why)
{
	static char copy[200], *argv[20];
	int argc = 0;
	struct text rest = text_of(line);

	memcpy(copy, line, strlen(line) + 1);
	for (char *c = copy; *c; c++)
		if (*c == ' ')
			*c = '\0';
	for (char *c = copy; rest.at && rest.len; c += strlen(c) + 1) {
		argv[argc++] = c;
		text_cut(rest, ' ', &rest);
	}
	return options_parse(o, groups, argc, argv, why);
}

static void options_stand_anywhere_and_in_every_form(void **state)
{
	static const char *const lines[] = {
		"--listen a --json word", "word --json --listen=a", "-l a word -j", "-jla word",
		"-j -la -- word",
	};

	for (unsigned i = 0; i < 5; i++) {
		struct options o;

		assert_true(parse(&o, lines[i], NULL));
		assert_string_equal(options_value(&o, "listen"), "a");
		assert_true(options_has(&o, "json"));
		assert_false(options_has(&o, "quiet"));
		assert_int_equal(o.word_count, 1);
		assert_string_equal(o.words[0], "word");
		options_finish(&o);
	}
}

static void repeated_ones_are_kept_in_order_and_the_last_one_wins(void **state)
{
	struct options o;

	assert_true(parse(&o, "-l a -l b --listen c", NULL));
	assert_int_equal(o.given_count, 3);
	assert_string_equal(o.given[0].value, "a");
	assert_string_equal(o.given[1].value, "b");
	assert_string_equal(options_value(&o, "listen"), "c");
	options_finish(&o);
}

static void two_dashes_end_the_options_and_one_is_a_word(void **state)
{
	struct options o;

	assert_true(parse(&o, "- -- --json -q --", NULL));
	assert_int_equal(o.given_count, 0);
	assert_int_equal(o.word_count, 4);
	assert_string_equal(o.words[0], "-");
	assert_string_equal(o.words[1], "--json");
	assert_string_equal(o.words[3], "--");
	options_finish(&o);
}

static void a_value_may_be_empty_or_look_like_an_option(void **state)
{
	struct options o;

	assert_true(parse(&o, "--listen= --count --json", NULL));
	assert_string_equal(options_value(&o, "listen"), "");
	assert_string_equal(options_value(&o, "count"), "--json");
	assert_false(options_has(&o, "json"));
	options_finish(&o);
}

static void assert_words(const char *line, const char *words)
{
	struct options o;
	struct error why = {""};

	assert_false(parse(&o, line, &why));
	assert_string_equal(why.words, words);
}

static void an_unknown_one_suggests_the_near_one(void **state)
{
	assert_words("--lisen a", "unknown option '--lisen', did you mean '--listen'?");
	assert_words("--jsno", "unknown option '--jsno', did you mean '--json'?");
	assert_words("--frobnicate=1", "unknown option '--frobnicate'");
	assert_words("-x", "unknown option '-x'");
	assert_words("-jx", "unknown option '-x'");
}

static void a_missing_value_and_one_too_many_are_told(void **state)
{
	assert_words("--listen", "--listen wants ADDR");
	assert_words("-jn", "--count wants N");
	assert_words("--json=yes", "--json takes no value");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(options_stand_anywhere_and_in_every_form),
		cmocka_unit_test(repeated_ones_are_kept_in_order_and_the_last_one_wins),
		cmocka_unit_test(two_dashes_end_the_options_and_one_is_a_word),
		cmocka_unit_test(a_value_may_be_empty_or_look_like_an_option),
		cmocka_unit_test(an_unknown_one_suggests_the_near_one),
		cmocka_unit_test(a_missing_value_and_one_too_many_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
