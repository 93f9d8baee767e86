/* plain_test.c - what is read without a document says the same as with one, however it is cut. */
#include "parse/plain.h"

#include <stdio.h>

#include "parse/fixture.h"
#include "parse/kinds.h"

#define ROUNDS 20000
#define START "{\"type\":\"content_block_delta\",\"index\":"
#define TEXT_START START "0,\"delta\":{\"type\":\"text_delta\",\"text\":"

static unsigned random_below(unsigned *random, unsigned below)
{
	*random = *random * 1103515245 + 12345;
	return (*random >> 16) % below;
}

static void assert_words(const char *event, const char *expected)
{
	struct text words = plain_text_delta(text_of(event));

	if (!text_is(words, expected))
		fail_msg("%s: %.*s instead of %s", event, TEXT_ARG(words), expected);
}

static void words_are_given_as_they_stand(void **state)
{
	assert_words(TEXT_START "\"\"}}", "\"\"");
	assert_words(TEXT_START "\"Hi, \xC3\xBC!\"}}", "\"Hi, \xC3\xBC!\"");
	assert_words(TEXT_START "\"a\\n\\t\\r\\\"\\\\\"}    }", "\"a\\n\\t\\r\\\"\\\\\"");
	assert_words(START "12,\"delta\":{\"type\":\"text_delta\",\"text\":\"a\"}}", "\"a\"");
}

static void what_is_written_otherwise_is_for_a_document(void **state)
{
	static const char *const others[] = {
		"",
		"{",
		"[]",
		START,
		START "01,\"delta\":{\"type\":\"text_delta\",\"text\":\"a\"}}",
		START "-1,\"delta\":{\"type\":\"text_delta\",\"text\":\"a\"}}",
		START ",\"delta\":{\"type\":\"text_delta\",\"text\":\"a\"}}",
		START "1234567890,\"delta\":{\"type\":\"text_delta\",\"text\":\"a\"}}",
		START "0,\"delta\":{\"type\":\"thinking_delta\",\"thinking\":\"a\"}}",
		TEXT_START,
		TEXT_START "\"",
		TEXT_START "\"a",
		TEXT_START "\"a\\",
		TEXT_START "\"a\"",
		TEXT_START "\"a\"}",
		TEXT_START "\"a\"}}}",
		TEXT_START "\"a\"}} ",
		TEXT_START "\"a\",\"more\":1}}",
		TEXT_START "\"a\"},\"more\":1}",
		TEXT_START "null}}",
		TEXT_START "\"\\u0041\"}}",
		TEXT_START "\"\\/\"}}",
		TEXT_START "\"\\b\"}}",
		TEXT_START "\"\x7F\"}}",
		TEXT_START "\"a\tb\"}}",
		TEXT_START "\"\xC3\"}}",
		TEXT_START "\"\xED\xA0\x80\"}}",
	};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (plain_text_delta(text_of(others[i])).at)
			fail_msg("%s is taken for plain", others[i]);
	assert_null(plain_text_delta((struct text){NULL, 0}).at);
}

/* An event of this room's commonest kind, with all that words can have in them; now and then one
 * of its bytes is another. */
static void write_event(struct buf *out, unsigned *random)
{
	static const char *const pieces[] = {
		"a",
		"signal ",
		"\\n",
		"\\\"",
		"\\\\",
		"\\t",
		"\\r",
		"\\/",
		"\\u0041",
		"\\ud83d\\ude00",
		"\\ud83d",
		"\x7F",
		"\xC3\xBC",
		"\xE4\xBF\xA1",
		"\\b",
		"0123456789abcdef",
		"\xF0\x9F\x9A\x82",
		"\x01",
		"\xC3",
		"",
		"{\\\"a\\\":",
	};
	unsigned count = random_below(random, 8);
	size_t start = out->len;

	buf_print(out, START "%u,\"delta\":{\"type\":\"text_delta\",\"text\":\"",
	          random_below(random, 3) * 7);
	while (count--)
		buf_add(out,
		        text_of(pieces[random_below(random, sizeof(pieces) / sizeof(pieces[0]))]));
	buf_add(out, TEXT("\"}"));
	buf_print(out, "%*s}", (int)random_below(random, 4), "");
	if (random_below(random, 8) == 0)
		out->at[start + random_below(random, (unsigned)(out->len - start))] =
			(char)random_below(random, 256);
}

static void a_document_would_say_the_same(void **state)
{
	unsigned random = 1, plain = 0;
	struct buf event, spaced;
	struct taken one, other;

	buf_init(&event, KIB);
	buf_init(&spaced, KIB);
	taken_init(&one, &parse_anthropic);
	taken_init(&other, &parse_anthropic);
	for (unsigned i = 0; i < ROUNDS; i++) {
		buf_clear(&event);
		buf_clear(&spaced);
		buf_clear(&one.lines);
		buf_clear(&other.lines);
		write_event(&event, &random);
		buf_add(&spaced, TEXT(" ")); /* nothing that begins so is plain */
		buf_add(&spaced, buf_text(&event));
		plain += plain_text_delta(buf_text(&event)).len > 0;
		assert_null(plain_text_delta(buf_text(&spaced)).at);
		parse_message(one.parse, buf_text(&event));
		parse_message(other.parse, buf_text(&spaced));
		if (one.bads != other.bads ||
		    !text_equal(buf_text(&one.lines), buf_text(&other.lines)))
			fail_msg("event %u: %.*s gives %.*s instead of %.*s", i,
			         TEXT_ARG(buf_text(&event)), TEXT_ARG(buf_text(&one.lines)),
			         TEXT_ARG(buf_text(&other.lines)));
	}
	assert_in_range(plain, ROUNDS / 10, ROUNDS * 9 / 10);
	taken_finish(&one);
	taken_finish(&other);
	buf_finish(&event);
	buf_finish(&spaced);
}

/* Feeds it all in pieces of up to `most` bytes. */
static void feed_cut(struct taken *t, struct text bytes, unsigned *random, unsigned most)
{
	taken_init(t, &parse_anthropic);
	while (bytes.len) {
		size_t n = 1 + random_below(random, most);

		n = n < bytes.len ? n : bytes.len;
		parse_feed(t->parse, (struct text){bytes.at, n});
		bytes = (struct text){bytes.at + n, bytes.len - n};
	}
	parse_end(t->parse, NULL);
}

static void a_stream_says_the_same_however_it_is_cut(void **state)
{
	static const char *const ends[] = {"\n", "\r", "\r\n"};
	unsigned random = 1;
	struct buf stream;

	buf_init(&stream, MIB);
	for (unsigned round = 0; round < 100; round++) {
		const char *end = ends[round % 3];
		struct taken bytewise, cut;

		buf_clear(&stream);
		for (unsigned i = 0; i < 20; i++) {
			buf_print(&stream, "event: content_block_delta%sdata:%s", end,
			          i % 2 ? " " : "");
			write_event(&stream, &random);
			buf_print(&stream, "%s%s", end, end);
		}
		feed_cut(&bytewise, buf_text(&stream), &random, 1);
		feed_cut(&cut, buf_text(&stream), &random, 1 + random_below(&random, 600));
		assert_int_equal(cut.bads, bytewise.bads);
		if (!text_equal(buf_text(&cut.lines), buf_text(&bytewise.lines)))
			fail_msg("%.*s gives %.*s instead of %.*s", TEXT_ARG(buf_text(&stream)),
			         TEXT_ARG(buf_text(&cut.lines)),
			         TEXT_ARG(buf_text(&bytewise.lines)));
		taken_finish(&bytewise);
		taken_finish(&cut);
	}
	buf_finish(&stream);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_are_given_as_they_stand),
		cmocka_unit_test(what_is_written_otherwise_is_for_a_document),
		cmocka_unit_test(a_document_would_say_the_same),
		cmocka_unit_test(a_stream_says_the_same_however_it_is_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
