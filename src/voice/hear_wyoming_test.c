/* hear_wyoming_test.c - what a session is told of engines that hear, err and hang up. */
#include "voice/means.h"

#include "base/fixture.h"
#include "net/test_server.h"

static struct server server;
static struct voice_around around;
static struct voice_means means = {.around = &around};
static struct buf told;
static bool over;
static void *work;
static const struct voice_role *const role = &voice_hear_wyoming;

static void on_told(void *self, uint64_t turn, const struct voice_fact *fact)
{
	static const char *const kinds[FACT_KINDS] = {
		[FACT_PARTIAL] = "partial", [FACT_FINAL] = "final", [FACT_FAILED] = "failed"};

	assert_int_equal(turn, 7);
	buf_print(&told, "%s:%.*s|", kinds[fact->kind], TEXT_ARG(fact->text));
	if (fact->kind == FACT_FAILED)
		buf_print(&told, "%.*s|", TEXT_ARG(voice_codes[fact->code]));
	over = fact->kind != FACT_PARTIAL;
	if (over) {
		role->stop(work); /* as a session does */
		work = NULL;
	}
}

static int set_up(void **state)
{
	around.loop = loop_create();
	buf_init(&told, 4 * KIB);
	over = false;
	server = (struct server){0};
	return 0;
}

static int take_down(void **state)
{
	voice_place_finish(&means.place);
	buf_finish(&told);
	loop_destroy(around.loop);
	return 0;
}

static void begin(void (*serve)(struct server *))
{
	char address[64];
	struct error why;

	server.serve = serve;
	assert_true(server_start(&server));
	snprintf(address, sizeof(address), "tcp://127.0.0.1:%u", server.port);
	assert_true(voice_place_read(text_of(address), &means.place, &why));
	work = role->begin(&means, &(struct voice_ear){.turn = 7, .told = on_told}, 0);
}

static void assert_told(const char *expected)
{
	assert_true(run_until(around.loop, &over));
	buf_add_char(&told, '\0');
	assert_string_equal(told.at, expected);
	if (work)
		role->stop(work);
	run_for(around.loop, 10);
	server_finish(&server);
}

static void hear_and_answer(struct server *s)
{
	server_await(s, "{\"partials\":true}");
	server_await(s, "{\"rate\":16000,\"width\":2,\"channels\":1}");
	server_await(s, "\"payload_length\":4");
	server_await(s, "abcd");
	server_say(s, TEXT("{\"type\":\"transcript-partial\",\"data\":{\"text\":\"run\"}}\n"
	                   "{\"type\":\"transcript-partial\",\"data\":{\"text\":\"rum\"}}\n"
	                   "{\"type\":\"transcript-start\"}\n"
	                   "{\"type\":\"transcript-chunk\",\"data\":{\"text\":\"run \"}}\n"
	                   "{\"type\":\"transcript-chunk\",\"data\":{\"text\":\"it\"}}\n"));
	server_await(s, "ef");
	server_await(s, "audio-stop");
	server_say(s, TEXT("{\"type\":\"transcript\",\"data\":{\"text\":\" run it \"}}\n"
	                   "{\"type\":\"transcript-stop\"}\n"));
	server_await_close(s);
}

static void sound_becomes_words(void **state)
{
	begin(hear_and_answer);
	role->feed(work, TEXT("YWJjZGU="), 0); /* abcde: a half of a sample is left */
	role->feed(work, TEXT("Zg=="), 0);     /* f */
	role->end(work, 0);
	assert_told("partial:run|partial:rum|partial:run |partial:run it|final:run it|");
}

static void add_words_and_stop(struct server *s)
{
	server_await(s, "audio-stop");
	server_say(s, TEXT("{\"type\":\"transcript-start\"}\n"
	                   "{\"type\":\"transcript-chunk\",\"data\":{\"text\":\"run\"}}\n"
	                   "{\"type\":\"transcript-chunk\",\"data\":{\"text\":\" it\"}}\n"
	                   "{\"type\":\"transcript-stop\"}\n"));
	server_await_close(s);
}

static void pieces_without_a_whole_are_the_words(void **state)
{
	begin(add_words_and_stop);
	role->feed(work, TEXT("YWJj"), 0);
	role->end(work, 0);
	assert_told("partial:run|partial:run it|final:run it|");
}

static void say_nothing_heard(struct server *s)
{
	server_await(s, "audio-stop");
	server_say(s, TEXT("{\"type\":\"transcript\",\"data\":{\"text\":\" \"}}\n"));
	server_await_close(s);
}

static void no_words_are_no_speech(void **state)
{
	begin(say_nothing_heard);
	role->feed(work, TEXT("YWJj"), 0);
	role->end(work, 0);
	assert_told("failed:nothing was said that can be understood|no_speech|");
}

static void wait_for_close(struct server *s)
{
	server_await_close(s);
}

static void no_sound_is_no_speech(void **state)
{
	begin(wait_for_close);
	role->end(work, 0);
	assert_told("failed:there was no sound|no_speech|");
}

static void a_chunk_that_is_no_sound_is_refused(void **state)
{
	begin(wait_for_close);
	role->feed(work, TEXT("not base64"), 0);
	assert_told("failed:a chunk is PCM of 16 bits, mono, 16 kHz, in base64, of at most 1 MiB|"
	            "invalid_message|");
}

static void what_is_too_long_is_refused(void **state)
{
	static char chunk[400 * KIB];

	memset(chunk, 'A', sizeof(chunk));
	begin(wait_for_close);
	for (unsigned i = 0; i < 20 && work; i++)
		role->feed(work, (struct text){chunk, sizeof(chunk)}, 0);
	assert_told("failed:an utterance may last two minutes|too_long|");
}

static void say_error(struct server *s)
{
	server_say(s, TEXT("{\"type\":\"error\",\"data\":{\"text\":\"no weights\"}}\n"));
	server_await_close(s);
}

static void what_the_engine_says_is_told(void **state)
{
	begin(say_error);
	assert_told("failed:the engine says: no weights|engine_unavailable|");
}

static void hang_up(struct server *s)
{
	server_await(s, "audio-start");
}

static void an_engine_that_dies_is_told(void **state)
{
	begin(hang_up);
	assert_told("failed:the engine closed the connection|engine_unavailable|");
}

static void stopping_closes_the_connection(void **state)
{
	begin(wait_for_close);
	role->feed(work, TEXT("YWJj"), 0);
	run_for(around.loop, 20);
	role->stop(work);
	work = NULL;
	run_for(around.loop, 20);
	server_finish(&server);
	assert_int_equal(told.len, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(sound_becomes_words, set_up, take_down),
		cmocka_unit_test_setup_teardown(pieces_without_a_whole_are_the_words, set_up,
	                                        take_down),
		cmocka_unit_test_setup_teardown(no_words_are_no_speech, set_up, take_down),
		cmocka_unit_test_setup_teardown(no_sound_is_no_speech, set_up, take_down),
		cmocka_unit_test_setup_teardown(a_chunk_that_is_no_sound_is_refused, set_up,
	                                        take_down),
		cmocka_unit_test_setup_teardown(what_is_too_long_is_refused, set_up, take_down),
		cmocka_unit_test_setup_teardown(what_the_engine_says_is_told, set_up, take_down),
		cmocka_unit_test_setup_teardown(an_engine_that_dies_is_told, set_up, take_down),
		cmocka_unit_test_setup_teardown(stopping_closes_the_connection, set_up, take_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
