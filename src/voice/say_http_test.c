/* say_http_test.c - sentences become sound in their order, whatever the server does. */
#include <stdio.h>

#include "base/base64.h"
#include "base/fixture.h"
#include "base/must.h"
#include "net/request.h"
#include "net/test_server.h"
#include "voice/means.h"

static struct server server;
static struct voice_around around;
static struct voice_means means;
static struct buf sound, told;
static bool over;
static unsigned facts;
static void *work;
static const struct voice_role *const role = &voice_say_http;

static void on_told(void *self, uint64_t turn, const struct voice_fact *fact)
{
	assert_int_equal(turn, 7);
	assert_false(over);
	if (fact->kind == FACT_STIRRED)
		return;
	facts++;
	if (fact->kind == FACT_SOUND) {
		assert_int_equal(fact->rate, 24000);
		assert_true(base64_read(fact->text, &sound));
		return;
	}
	over = true;
	role->stop(work); /* as a session does */
	work = NULL;
	if (fact->kind == FACT_QUIET)
		buf_add(&told, TEXT("quiet"));
	else
		buf_print(&told, "%.*s|%.*s%s", TEXT_ARG(fact->text),
		          TEXT_ARG(voice_codes[fact->code]), fact->retryable ? " again" : "");
}

static int set_up(void **state)
{
	around.loop = loop_create();
	around.requests = requests_create(around.loop);
	means = (struct voice_means){.around = &around};
	buf_init(&told, 4 * KIB);
	buf_init(&sound, 16 * MIB);
	over = false;
	facts = 0;
	server = (struct server){0};
	return 0;
}

static int take_down(void **state)
{
	voice_place_finish(&means.place);
	buf_finish(&told);
	buf_finish(&sound);
	requests_destroy(around.requests);
	loop_destroy(around.loop);
	return 0;
}

static void begin(void (*serve)(struct server *))
{
	char address[64];
	struct error why;

	server.serve = serve;
	assert_true(server_start(&server));
	snprintf(address, sizeof(address), "http://127.0.0.1:%u/v1", server.port);
	assert_true(voice_place_read(text_of(address), &means.place, &why));
	work = role->begin(&means, &(struct voice_ear){.turn = 7, .told = on_told}, 0);
}

/* As a session does: what waits for its time is called then. */
static bool run_to_end(void)
{
	for (int i = 0; i < 2000 && !over; i++) {
		run_for(around.loop, 5);
		while (!over && role->due(work) <= loop_now_ms(around.loop))
			role->tick(work, loop_now_ms(around.loop));
	}
	return over;
}

static void finish(const char *expected)
{
	if (expected) {
		assert_true(run_to_end());
		buf_add_char(&told, '\0');
		assert_string_equal(told.at, expected);
	}
	if (work)
		role->stop(work);
	work = NULL;
	run_for(around.loop, 10);
	server_finish(&server);
}

#define HEAD(status, type) \
	"HTTP/1.1 " status "\r\nConnection: close\r\nContent-Type: " type "\r\n\r\n"

static void await_wish(struct server *s)
{
	server_await(s, "\"response_format\":\"pcm\"}");
}

/* Which sentence it is stands at its begin: that many samples of that number. */
static void say_number(struct server *s, size_t odd)
{
	const char *input = memmem(s->heard.at, s->heard.len, "\"input\":\"", 9);
	char samples[6000];

	memset(samples, input[9] - '0', sizeof(samples));
	server_say(s, TEXT(HEAD("200 OK", "audio/pcm")));
	for (size_t i = 0; i < sizeof(samples); i += odd) {
		server_say(s, (struct text){samples + i,
		                            sizeof(samples) - i < odd ? sizeof(samples) - i : odd});
		usleep(500);
	}
}

static void say_in_odd_pieces(struct server *s)
{
	await_wish(s);
	assert_true(server_heard(s, "POST /v1/audio/speech HTTP/1.1\r\n"));
	assert_true(server_heard(s, "Content-Type: application/json\r\n"));
	assert_true(server_heard(s, "Authorization: Bearer sesame\r\n"));
	assert_true(server_heard(s, "{\"model\":\"kokoro\",\"input\":\""));
	assert_true(server_heard(s, "\",\"voice\":\"af_heart\",\"response_format\":\"pcm\"}"));
	say_number(s, 777);
}

static void sentences_are_said_in_their_order(void **state)
{
	means.model = must_dup("kokoro");
	means.voice = must_dup("af_heart");
	means.credential = must_dup("sesame");
	begin(say_in_odd_pieces);
	role->feed(work, TEXT("1 is the first one. 2 is ano"), 0);
	role->feed(work, TEXT("ther. 3 comes then. "), 0);
	run_for(around.loop, 20);
	role->feed(work, TEXT("4 is the last of them."), 0);
	role->end(work, 0);
	finish("quiet");
	assert_int_equal(server.conns, 4);
	assert_int_equal(sound.len, 4 * 6000);
	for (size_t i = 0; i < sound.len; i++)
		assert_int_equal(sound.at[i], 1 + i / 6000);
	free(means.model);
	free(means.voice);
	free(means.credential);
}

static void nothing_to_say_is_quiet(void **state)
{
	begin(say_in_odd_pieces);
	role->feed(work, TEXT("  \n"), 0);
	role->end(work, 0);
	finish("quiet");
	assert_int_equal(server.conns, 0);
}

static void say_a_file(struct server *s)
{
	static const char silence[44100];

	await_wish(s);
	server_say(s, TEXT(HEAD("200 OK", "audio/wav") "RIFF\xff\xff\xff\xffWAVEfmt \x10\0\0\0\1\0"
	                                               "\2\0\x22\x56\0\0\x88\x58\1\0\4\0\x10\0"
	                                               "data\xff\xff\xff\xff"));
	server_say(s, (struct text){silence, sizeof(silence)});
	server_say(s, (struct text){silence, sizeof(silence)});
}

static void a_file_of_another_rate_is_converted(void **state)
{
	begin(say_a_file);
	role->feed(work, TEXT("1."), 0);
	role->end(work, 0);
	finish("quiet");
	assert_in_range(sound.len / 2, 23990, 24010);
}

static void say_floats(struct server *s)
{
	static const char rest[20000];

	await_wish(s);
	server_say(s, TEXT(HEAD("200 OK", "audio/wav") "RIFF\xff\xff\xff\xffWAVEfmt \x10\0\0\0\3\0"
	                                               "\1\0\xc0\x5d\0\0\0\x77\1\0\4\0\x20\0"
	                                               "data\xff\xff\xff\xff"));
	server_say(s, (struct text){rest, sizeof(rest)});
}

static void floats_are_refused_in_words(void **state)
{
	begin(say_floats);
	role->feed(work, TEXT("1."), 0);
	role->end(work, 0);
	finish("a WAV file with 32 bits of format 3; PCM of 16 bits is known|engine_unavailable");
	assert_int_equal(sound.len, 0);
}

static void say_mp3(struct server *s)
{
	await_wish(s);
	server_say(s, TEXT(HEAD("200 OK", "audio/mpeg") "ID3abcdef"));
}

static void what_would_be_noise_is_refused(void **state)
{
	begin(say_mp3);
	role->feed(work, TEXT("1."), 0);
	role->end(work, 0);
	finish("the engine answers with audio/mpeg, not with PCM or WAV|engine_unavailable");
	assert_int_equal(sound.len, 0);
}

static void refuse(struct server *s)
{
	await_wish(s);
	server_say(
		s,
		TEXT(HEAD("400 Bad Request",
	                  "application/json") "{\"detail\":\"no voice alloy for sesame-street\"}"));
}

static void a_refusal_is_told_in_words(void **state)
{
	means.credential = must_dup("sesame-street");
	begin(refuse);
	role->feed(work, TEXT("1. 2. 3. "), 0);
	finish("the engine answers 400 Bad Request: no voice alloy for *************|"
	       "engine_unavailable");
	free(means.credential);
}

static void say_and_break(struct server *s)
{
	await_wish(s);
	if (server_heard(s, "\"input\":\"2"))
		server_say(s, TEXT("HTTP/1.1 200 OK\r\nContent-Type: audio/pcm\r\nContent-Length: "
		                   "900\r\n\r\nabcdef"));
	else
		say_number(s, 999);
}

static void a_server_that_dies_is_told_after_what_it_said(void **state)
{
	begin(say_and_break);
	role->feed(work, TEXT("1 is the first one. 2 is another."), 0);
	role->end(work, 0);
	assert_true(run_until(around.loop, &over));
	assert_non_null(memmem(told.at, told.len, "the connection to 127.0.0.1 broke", 33));
	assert_true(text_ends(buf_text(&told), TEXT("|engine_unavailable again")));
	assert_in_range(sound.len, 6000, 6006);
	finish(NULL);
}

static void say_for_a_minute(struct server *s)
{
	static const char second[48000];

	await_wish(s);
	server_say(s, TEXT(HEAD("200 OK", "audio/pcm")));
	for (unsigned i = 0; i < 60; i++)
		if (!server_say(s, (struct text){second, sizeof(second)}))
			return;
}

static void no_more_is_told_than_sounds_soon(void **state)
{
	begin(say_for_a_minute);
	role->feed(work, TEXT("1."), 0);
	role->end(work, 0);
	run_for(around.loop, 1500);
	assert_in_range(sound.len, 5 * 48000, 12 * 48000);
	assert_in_range(role->due(work), 1, VOICE_NEVER - 1);
	assert_false(over);
	finish(NULL);
}

static void say_without_end(struct server *s)
{
	static const char second[24 * KIB];

	await_wish(s);
	server_say(s, TEXT(HEAD("200 OK", "audio/wav") "RIFF\xff\xff\xff\xffWAVEfmt \x10\0\0\0\1\0"
	                                               "\1\0\xa0\x0f\0\0\x40\x1f\0\0\2\0\x10\0"));
	while (server_say(s, (struct text){second, sizeof(second)}))
		;
}

static void a_head_without_end_is_cut_off(void **state)
{
	begin(say_without_end);
	role->feed(work, TEXT("1."), 0);
	role->end(work, 0);
	finish("a WAV file without sound|engine_unavailable");
}

static void stopping_closes_the_connection_at_once(void **state)
{
	unsigned before;

	begin(say_for_a_minute);
	role->feed(work, TEXT("1 is the first one. 2 is another. "), 0);
	while (!facts)
		run_for(around.loop, 2);
	role->stop(work);
	work = NULL;
	before = facts;
	run_for(around.loop, 100);
	assert_int_equal(facts, before);
	finish(NULL);
}

#define SAYS(f) cmocka_unit_test_setup_teardown(f, set_up, take_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		SAYS(sentences_are_said_in_their_order),
		SAYS(nothing_to_say_is_quiet),
		SAYS(a_file_of_another_rate_is_converted),
		SAYS(floats_are_refused_in_words),
		SAYS(what_would_be_noise_is_refused),
		SAYS(a_refusal_is_told_in_words),
		SAYS(a_server_that_dies_is_told_after_what_it_said),
		SAYS(no_more_is_told_than_sounds_soon),
		SAYS(a_head_without_end_is_cut_off),
		SAYS(stopping_closes_the_connection_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
