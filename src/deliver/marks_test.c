/* marks_test.c - which marks a line has, by a style that shows them all. */
#include "deliver/marks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static size_t put_letter(struct marks_page *p, struct text t, size_t at)
{
	buf_add_char(p->out, t.at[at]);
	return at + 1;
}

static void put_words(struct marks_page *p, struct text words)
{
	buf_print(p->out, "(%.*s)", TEXT_ARG(words));
}

static void put_code(struct marks_page *p, struct text code)
{
	buf_print(p->out, "{%.*s}", TEXT_ARG(code));
}

static bool put_link(struct marks_page *p, struct text words, struct text address)
{
	if (text_is(address, "no"))
		return false;
	buf_print(p->out, "<%.*s=%.*s>", TEXT_ARG(words), TEXT_ARG(address));
	return true;
}

static struct marks_style style = {
	.signs = {[MARKS_STRONG] = {"B(", ")B"},
                  [MARKS_EMPHASIS] = {"I(", ")I"},
                  [MARKS_STRUCK] = {"S(", ")S"}},
	.quote = "|",
	.letter = put_letter,
	.words = put_words,
	.code = put_code,
	.link = put_link,
};

static void shows(const char *line, const char *wanted)
{
	struct buf out;

	buf_init(&out, 4 * KIB);
	marks_put_line(&(struct marks_page){&style, &out, NULL}, text_of(line));
	buf_add_char(&out, '\0');
	assert_string_equal(out.at, wanted);
	buf_finish(&out);
}

static void emphasis_is_closed_or_text(void **state)
{
	shows("**a** __b__ ~~c~~ *d* _e_", "B(a)B B(b)B S(c)S I(d)I I(e)I");
	shows("**a *b* c**", "B(a I(b)I c)B");
	shows("**open and more", "**open and more");
	shows("2 * 3 * 4, a_b_c, ** a **", "2 * 3 * 4, a_b_c, ** a **");
	shows("\\*a\\* *b\\*c*", "*a* I(b*c)I");
	shows("**** a", "**** a");
	shows("", "");
}

static void emphasis_is_not_endless(void **state)
{
	shows("~~a **b __c *d _e_ d* c__ b** a~~", "S(a B(b B(c I(d _e_ d)I c)B b)B a)S");
}

static void code_is_as_it_is(void **state)
{
	shows("`**a**` ``b ` c``", "{**a**} {b ` c}");
	shows("`a ``b", "`a ``b");
	shows("``a`", "`{a}");
}

static void a_link_is_one_if_the_chat_takes_it(void **state)
{
	shows("[a b](c) [d](no) [](c) [a]() [a] [a](b", "<a b=c> [d](no) [](c) [a]() [a] [a](b");
	shows("**[a](b)**", "B(<a=b>)B");
}

static void a_line_begins_with_a_mark(void **state)
{
	shows("# a **b**", "B((a **b**))B");
	shows("####### a #b", "####### a #b");
	shows("# ", "");
	shows("- a\t", "\xE2\x80\xA2 a\t");
	shows("  + *a*", "  \xE2\x80\xA2 I(a)I");
	shows("> *a*", "| I(a)I");
	style.quote = NULL;
	shows("> *a*", "> I(a)I");
}

static void lines_are_code_between_fences(void **state)
{
	static const struct {
		const char *line;
		enum marks_line is;
	} lines[] = {
		{"a", MARKS_TEXT},        {"```this``` is none", MARKS_TEXT},
		{"  ````c", MARKS_OPENS}, {"```", MARKS_CODE},
		{"~~~~", MARKS_CODE},     {"`````", MARKS_CLOSES},
		{"    ```", MARKS_TEXT},  {"~~~ `a`", MARKS_OPENS},
		{"", MARKS_CODE},
	};
	struct fence fence = {0};

	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		assert_int_equal(marks_pass(&fence, text_of(lines[i].line)), lines[i].is);
	assert_int_equal(fence.mark, '~');
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(emphasis_is_closed_or_text),
		cmocka_unit_test(emphasis_is_not_endless),
		cmocka_unit_test(code_is_as_it_is),
		cmocka_unit_test(a_link_is_one_if_the_chat_takes_it),
		cmocka_unit_test(a_line_begins_with_a_mark),
		cmocka_unit_test(lines_are_code_between_fences),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
