/* plain_test.c - Markdown without its marks. */
#include "deliver/plain.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static void assert_text(struct text got, const char *wanted)
{
	char *words = text_dup(got);

	assert_string_equal(words, wanted);
	free(words);
}

static void assert_plain(const char *markdown, const char *wanted)
{
	struct buf out;

	buf_init(&out, 4096);
	plain_add(&out, text_of(markdown));
	assert_text(buf_text(&out), wanted);
	buf_finish(&out);
}

static void words_stay_and_marks_go(void **state)
{
	assert_plain("## A heading\nsome **strong** words, 2*3, __init__ and #tag",
	             "A heading\nsome strong words, 2*3, __init__ and #tag");
	assert_plain("see [the page](https://example.org/a) or [x]",
	             "see the page (https://example.org/a) or [x]");
	assert_plain("[https://a.b](https://a.b)", "https://a.b");
	assert_plain("", "");
	assert_plain("[a](b", "[a](b");
}

static void code_stays_as_it_is(void **state)
{
	assert_plain("run `a **b**` now", "run a **b** now");
	assert_plain("``a ` b``", "a ` b");
	assert_plain("an open ` mark", "an open ` mark");
	assert_plain("before\n```c\nint **p; # [a](b)\n```\nafter **x**",
	             "before\nint **p; # [a](b)\nafter x");
	assert_plain("~~~\nan open fence\n```", "an open fence\n```");
}

static void controls_are_left_out(void **state)
{
	assert_plain("a\x1b[31mb\x01\x7f\tc", "a[31mb\tc");
	assert_plain("```\na\x01\n```", "a");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_stay_and_marks_go),
		cmocka_unit_test(code_stays_as_it_is),
		cmocka_unit_test(controls_are_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
