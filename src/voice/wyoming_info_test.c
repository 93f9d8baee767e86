/* wyoming_info_test.c - what engines say of themselves, and what a box makes of it. */
#include "voice/wyoming_info.h"

#include "base/fixture.h"

static struct wyoming_info info;

static void read_info(enum wyoming_part part, const char *name, const char *language,
                      const char *data)
{
	yyjson_doc *doc = yyjson_read(data, strlen(data), 0);
	struct wyoming_event event = {.more = yyjson_doc_get_root(doc)};

	assert_non_null(doc);
	wyoming_info_read(&event, part, &(struct wyoming_wish){name, language}, &info);
	yyjson_doc_free(doc);
}

#define WHISPER \
	"{\"asr\":[{\"name\":\"old\",\"installed\":false,\"models\":[{\"name\":\"x\"}]}," \
	"{\"name\":\"faster-whisper\",\"installed\":true," \
	"\"supports_transcript_streaming\":true,\"models\":[" \
	"{\"name\":\"base\",\"installed\":true,\"languages\":[\"en\",\"de\",\"en\"]}]}]}"

static void the_first_that_is_installed_counts(void **state)
{
	read_info(WYOMING_ASR, NULL, "en-US", WHISPER);
	assert_true(info.is_there);
	assert_true(info.streams);
	assert_string_equal(info.program, "faster-whisper");
	assert_string_equal(info.used, "base");
	assert_int_equal(info.language_count, 2);
	assert_string_equal(info.languages[1], "de");
	assert_string_equal(info.lacks.words, "");
	read_info(WYOMING_TTS, NULL, NULL, WHISPER);
	assert_false(info.is_there);
}

static void what_is_lacking_is_told_in_words(void **state)
{
	read_info(WYOMING_ASR, "large", NULL, WHISPER);
	assert_string_equal(info.lacks.words, "it has no model 'large', but base");
	assert_string_equal(info.used, "");
	read_info(WYOMING_ASR, "base", "fr", WHISPER);
	assert_string_equal(info.lacks.words, "it does not name the language 'fr'");
	read_info(WYOMING_TTS, "amy", NULL, "{\"tts\":[{\"voices\":[]}]}");
	assert_true(info.is_there);
	assert_string_equal(info.lacks.words, "it has no voice 'amy', but none");
}

#define PIPER(more) \
	"{\"tts\":[{\"name\":\"piper\",\"voices\":[{\"name\":\"a\",\"languages\":[\"en_US\"]}," \
	"{\"name\":\"b\",\"languages\":[\"de_DE\"]},{\"name\":\"c\"},{\"name\":\"d\"}," \
	"{\"name\":\"e\",\"installed\":false}" more "]},{\"name\":\"second\"," \
	"\"supports_synthesize_streaming\":true,\"voices\":[{\"name\":\"z\"}]}]}"

static void of_several_it_may_be_any(void **state)
{
	read_info(WYOMING_TTS, NULL, "de", PIPER(""));
	assert_string_equal(info.program, "piper");
	assert_string_equal(info.used, "");
	assert_false(info.streams);
	assert_int_equal(info.language_count, 2);
	assert_string_equal(info.lacks.words, "");
	read_info(WYOMING_TTS, "z", NULL, PIPER(""));
	assert_string_equal(info.program, "second");
	assert_string_equal(info.used, "z");
	assert_true(info.streams);
	read_info(WYOMING_TTS, "e", NULL, PIPER(",{\"name\":\"f\"},{\"name\":\"g\"}"));
	assert_string_equal(info.lacks.words, "it has no voice 'e', but a, b, c, d and 2 more");
}

static void nonsense_is_nobody(void **state)
{
	static const char *const nonsense[] = {"{}", "{\"asr\":7}", "{\"asr\":[]}",
	                                       "{\"asr\":[[],\"x\",null,7]}",
	                                       "{\"asr\":{\"name\":\"x\"}}"};

	for (size_t i = 0; i < sizeof(nonsense) / sizeof(*nonsense); i++) {
		read_info(WYOMING_ASR, "x", "en", nonsense[i]);
		assert_false(info.is_there);
	}
	read_info(WYOMING_ASR, NULL, "en", "{\"asr\":[{\"name\":[],\"models\":{\"name\":1}}]}");
	assert_true(info.is_there);
	assert_string_equal(info.program, "");
	assert_string_equal(info.lacks.words, "");
}

static void hostile_words_are_cut_and_made_visible(void **state)
{
	char data[8 * 1024];
	int at = snprintf(data, sizeof(data),
	                  "{\"asr\":[{\"name\":\"a\\u001b[2J\\u202eb\\u0000c\",\"models\":["
	                  "{\"name\":\"");

	for (int i = 0; i < 200; i++)
		at += snprintf(data + at, sizeof(data) - (size_t)at, "\xe6\x97\xa5");
	at += snprintf(data + at, sizeof(data) - (size_t)at, "\",\"languages\":[");
	for (int i = 0; i < 99; i++)
		at += snprintf(data + at, sizeof(data) - (size_t)at, "\"l%d\",", i);
	snprintf(data + at, sizeof(data) - (size_t)at, "7]}]}]}");
	read_info(WYOMING_ASR, NULL, "l98", data);
	assert_string_equal(info.program, "a\\u001b[2J\\u202eb\\u0000c");
	assert_int_equal(strlen(info.used), 78);
	assert_int_equal(info.language_count, INFO_LANGUAGES_MAX);
	assert_string_equal(info.lacks.words, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_that_is_installed_counts),
		cmocka_unit_test(what_is_lacking_is_told_in_words),
		cmocka_unit_test(of_several_it_may_be_any),
		cmocka_unit_test(nonsense_is_nobody),
		cmocka_unit_test(hostile_words_are_cut_and_made_visible),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
