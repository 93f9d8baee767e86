/* handle_words_test.c - what is asked by Wyoming, and how it is answered. */
#include "voice/handle_words.h"

#include <stdio.h>

#include "base/fixture.h"

static struct wyoming_reader reader;
static struct error why;

/* The wish in an event with this data; its text is valid until the next one. */
static bool wishes(const char *data, struct handle_wish *wish)
{
	struct wyoming_event event;
	struct buf line;
	bool good;

	wyoming_reader_finish(&reader);
	wyoming_reader_init(&reader);
	buf_init(&line, 64 * KIB);
	wyoming_write(&line, "transcript", text_of(data), TEXT(""));
	assert_true(wyoming_reader_add(&reader, buf_text(&line)));
	assert_int_equal(wyoming_read(&reader, &event, &why), WYOMING_EVENT);
	assert_true(handle_is_wish(event.type));
	good = handle_read_wish(&event, wish, &why);
	buf_finish(&line);
	return good;
}

static void a_transcript_names_its_conversation_or_has_none(void **state)
{
	struct handle_wish wish;

	assert_true(wishes("{\"text\":\" lights on \",\"context\":{\"conversation_id\":\"01AB\"}}",
	                   &wish));
	assert_true(text_is(wish.text, "lights on"));
	assert_string_equal(wish.session, "wyoming:01AB");
	assert_true(wishes("{\"text\":\"x\"}", &wish));
	assert_string_equal(wish.session, "");
	assert_true(wishes("{\"text\":\"x\",\"context\":null}", &wish));
	assert_true(wishes("{\"text\":\"x\",\"context\":{\"conversation_id\":7}}", &wish));
	assert_string_equal(wish.session, "");
}

static void what_cannot_be_asked_is_refused_in_words(void **state)
{
	struct handle_wish wish;
	char many[HANDLE_TEXT_MAX + 64];

	assert_false(wishes("{\"text\":\"  \"}", &wish));
	assert_string_equal(why.words, "there are no words in it");
	assert_false(wishes("{}", &wish));
	assert_false(wishes("{\"text\":[1]}", &wish));
	assert_false(wishes("{\"text\":\"x\",\"context\":{\"conversation_id\":\"a\\nb\"}}", &wish));
	snprintf(many, sizeof(many), "{\"text\":\"%0*d\"}", (int)HANDLE_TEXT_MAX + 1, 1);
	assert_false(wishes(many, &wish));
	assert_string_equal(why.words, "that is longer than 16384 bytes");
}

static void an_event_without_a_text_has_no_data(void **state)
{
	struct buf out;

	buf_init(&out, 4 * KIB);
	handle_write_text(&out, "handled-stop", (struct text){0});
	assert_true(
		text_is(buf_text(&out), "{\"type\":\"handled-stop\",\"version\":\"1.10.2\"}\n"));
	buf_clear(&out);
	handle_write_text(&out, "handled", TEXT("Yes."));
	assert_true(text_is(buf_text(&out),
	                    "{\"type\":\"handled\",\"version\":\"1.10.2\",\"data_length\":15}\n"
	                    "{\"text\":\"Yes.\"}"));
	buf_finish(&out);
}

static int close_reader(void **state)
{
	wyoming_reader_finish(&reader);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_transcript_names_its_conversation_or_has_none),
		cmocka_unit_test(what_cannot_be_asked_is_refused_in_words),
		cmocka_unit_test(an_event_without_a_text_has_no_data),
	};

	wyoming_reader_init(&reader);
	return cmocka_run_group_tests(tests, NULL, close_reader);
}
