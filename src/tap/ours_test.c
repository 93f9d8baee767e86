/* ours_test.c - which hooks are ours, and of which kind. */
#include "tap/ours.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/buf.h"

static void kinds_are_told_apart(void **state)
{
	static const struct {
		const char *hook;
		enum ours is;
	} cases[] = {
		{"{\"type\":\"command\",\"command\":\"'/b' hook --data '/d' # signalbox tap\"}",
	         OURS_COMMAND},
		{"{\"type\":\"command\",\"command\":\"'/b' hook --decide --data '/d' # signalbox "
	         "tap\"}",
	         OURS_DECIDES},
		{"{\"type\":\"http\",\"url\":\"http://127.0.0.1:7446/api/hooks/claude-code\"}",
	         OURS_OLD},
		{"{\"type\":\"http\",\"url\":\"http://[::1]:1/api/hooks/claude-code\"}", OURS_OLD},
		{"{\"type\":\"http\",\"url\":\"http://[::1]/api/hooks/claude-code\"}", OURS_OLD},
		{"{\"type\":\"http\",\"url\":\"http://127.0.0.2:7446/api/hooks/claude-code\"}",
	         OURS_OLD},
		{"{\"type\":\"http\",\"url\":\"http://192.168.1.7/api/hooks/claude-code\"}",
	         OURS_OLD},
		{"{\"type\":\"http\",\"url\":\"http://localhost:1/api/hooks/claude-code\"}",
	         OURS_OLD},
		{"{\"type\":\"http\",\"url\":\"http://team.example/api/hooks/claude-code\"}",
	         OURS_NOT},
		{"{\"type\":\"http\",\"url\":\"http://127.0.0.1:7446/x/api/hooks/claude-code\"}",
	         OURS_NOT},
		{"{\"type\":\"http\",\"url\":\"http:/api/hooks/claude-code\"}", OURS_NOT},
		{"{\"type\":\"http\"}", OURS_NOT},
		{"{\"type\":\"http\",\"url\":\"http://127.0.0.1.x/api/hooks/claude-code\"}",
	         OURS_NOT},
		{"{\"type\":\"command\",\"command\":\"signalbox hook\"}", OURS_NOT},
		{"{\"type\":\"prompt\",\"command\":\"x # signalbox tap\"}", OURS_NOT},
		{"5", OURS_NOT},
		{"{", OURS_NOT},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		if (ours_is(text_of(cases[i].hook)) != cases[i].is)
			fail_msg("%s", cases[i].hook);
}

static void gather(void *self, const struct ours_hook *hook)
{
	buf_print(self, "%.*s %d %.*s|", TEXT_ARG(hook->event), (int)hook->is,
	          TEXT_ARG(hook->where));
}

static void each_is_told_with_its_event(void **state)
{
	static const char settings[] =
		"\xef\xbb\xbf{\"hooks\":{\"Stop\":[{\"hooks\":[{\"type\":\"command\",\"command\":"
		"\"'b' hook # signalbox tap\"},{\"type\":\"command\",\"command\":\"say\"}]}],"
		"\"PreToolUse\":[7,{\"hooks\":[{\"type\":\"http\",\"url\":"
		"\"http://localhost/api/hooks/claude-code\"}]}],\"X\":7}}";
	struct buf out;

	buf_init(&out, KIB);
	ours_each(TEXT(settings), gather, &out);
	assert_true(text_is(buf_text(&out), "Stop 1 'b' hook|PreToolUse 3 "
	                                    "http://localhost/api/hooks/claude-code|"));
	buf_clear(&out);
	ours_each(TEXT("{\"hooks\": oops"), gather, &out);
	ours_each(TEXT("{\"hooks\": []}"), gather, &out);
	ours_each(TEXT(""), gather, &out);
	assert_int_equal(out.len, 0);
	buf_finish(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kinds_are_told_apart),
		cmocka_unit_test(each_is_told_with_its_event),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
