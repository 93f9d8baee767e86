/* hear_http_test.c - what a session is told of servers in the shape of OpenAI that hear. */
#include <stdio.h>

#include "base/fixture.h"
#include "base/must.h"
#include "net/request.h"
#include "net/test_server.h"
#include "voice/means.h"

static struct server server;
static struct voice_around around;
static struct voice_means means;
static struct buf told;
static bool over;
static void *work;
static const struct voice_role *const role = &voice_hear_http;

static void on_told(void *self, uint64_t turn, const struct voice_fact *fact)
{
	static const char *const kinds[FACT_KINDS] = {
		[FACT_PARTIAL] = "partial", [FACT_FINAL] = "final", [FACT_FAILED] = "failed"};

	assert_int_equal(turn, 7);
	over = fact->kind != FACT_PARTIAL;
	if (over) {
		role->stop(work); /* as a session does, before it passes the words on */
		work = NULL;
	}
	buf_print(&told, "%s:%.*s|", kinds[fact->kind], TEXT_ARG(fact->text));
	if (fact->kind == FACT_FAILED)
		buf_print(&told, "%.*s%s|", TEXT_ARG(voice_codes[fact->code]),
		          fact->retryable ? " again" : "");
}

static int set_up(void **state)
{
	around.loop = loop_create();
	around.requests = requests_create(around.loop);
	means = (struct voice_means){.around = &around};
	buf_init(&told, 4 * KIB);
	over = false;
	server = (struct server){0};
	return 0;
}

static int take_down(void **state)
{
	voice_place_finish(&means.place);
	buf_finish(&told);
	requests_destroy(around.requests);
	loop_destroy(around.loop);
	return 0;
}

static void begin_at(unsigned port)
{
	char address[64];
	struct error why;

	snprintf(address, sizeof(address), "http://127.0.0.1:%u/v1/", port);
	assert_true(voice_place_read(text_of(address), &means.place, &why));
	work = role->begin(&means, &(struct voice_ear){.turn = 7, .told = on_told}, 0);
}

static void begin(void (*serve)(struct server *))
{
	server.serve = serve;
	assert_true(server_start(&server));
	begin_at(server.port);
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

/* Sound, and all of it; the server answers like this. */
static void ask(void (*serve)(struct server *))
{
	begin(serve);
	role->feed(work, TEXT("YWJj"), 0);
	role->feed(work, TEXT("ZGU="), 0); /* abcde: half a sample is left over */
	role->end(work, 0);
}

#define HEAD(status, type) \
	"HTTP/1.1 " status "\r\nConnection: close\r\nContent-Type: " type "\r\n\r\n"

static void hear_and_stream(struct server *s)
{
	server_await(s, "--\r\n");
	assert_true(server_heard(s, "POST /v1/audio/transcriptions HTTP/1.1\r\n"));
	assert_true(server_heard(s, "Content-Type: multipart/form-data; boundary="));
	assert_true(server_heard(s, "Authorization: Bearer sesame"));
	assert_true(server_heard(s, "name=\"model\"\r\n\r\nbase.en\r\n"));
	assert_true(server_heard(s, "name=\"language\"\r\n\r\nen\r\n"));
	assert_true(server_heard(s, "name=\"response_format\"\r\n\r\njson\r\n"));
	assert_true(server_heard(s, "name=\"stream\"\r\n\r\ntrue\r\n"));
	assert_true(server_heard(s, "name=\"file\"; filename=\"speech.wav\"\r\nContent-Type: "
	                            "audio/wav\r\n\r\nRIFF"));
	assert_non_null(memmem(s->heard.at, s->heard.len,
	                       "\x80\x3e\0\0\0\x7d\0\0\2\0\x10\0data\4\0\0\0abcd\r\n--", 26));
	server_say(
		s,
		TEXT(HEAD("200 OK",
	                  "text/event-stream") "data: {\"type\":"
	                                       "\"transcript.text.delta\",\"delta\":\"run\"}\n\n"));
}

static void finish_stream(struct server *s)
{
	hear_and_stream(s);
	usleep(50000);
	server_say(s, TEXT("data: {\"type\":\"transcript.text.delta\",\"delta\":\" it\"}\n\n"));
	usleep(50000);
	server_say(s, TEXT("data: {\"type\":\"transcript.text.done\",\"text\":\"Run it.\"}\n\n"));
}

static void sound_becomes_words_in_parts(void **state)
{
	means.model = must_dup("base.en");
	means.language = must_dup("en");
	means.credential = must_dup("sesame");
	ask(finish_stream);
	assert_told("partial:run|partial:run it|final:Run it.|");
	free(means.model);
	free(means.language);
	free(means.credential);
}

static void answer_plainly(struct server *s)
{
	server_await(s, "--\r\n");
	assert_true(server_heard(s, "name=\"model\"\r\n\r\nwhisper-1\r\n"));
	assert_false(server_heard(s, "Authorization"));
	assert_false(server_heard(s, "language"));
	server_say(s, TEXT(HEAD("200 OK", "application/json") "{\"text\":\" run it\\n\"}"));
}

static void an_object_is_an_answer_too(void **state)
{
	ask(answer_plainly);
	assert_told("final:run it|");
}

static void answer_nothing(struct server *s)
{
	server_await(s, "--\r\n");
	server_say(s, TEXT(HEAD("200 OK", "application/json") "{\"text\":\" [BLANK_AUDIO]\"}"));
}

static void silence_is_no_speech(void **state)
{
	ask(answer_nothing);
	assert_told("failed:nothing was said that can be understood|no_speech again|");
}

static void serve_nobody(struct server *s)
{
	server_await_close(s);
}

static void no_sound_is_no_speech(void **state)
{
	begin(serve_nobody);
	role->feed(work, TEXT("YQ=="), 0);
	role->end(work, 0);
	assert_told("failed:there was no sound|no_speech again|");
}

static void a_chunk_that_is_no_sound_is_refused(void **state)
{
	begin(serve_nobody);
	role->feed(work, TEXT("not base64"), 0);
	assert_told("failed:a chunk is PCM of 16 bits, mono, 16 kHz, in base64, of at most 1 MiB|"
	            "invalid_message|");
}

static void what_is_too_long_is_refused(void **state)
{
	static char chunk[400 * KIB];

	memset(chunk, 'A', sizeof(chunk));
	begin(serve_nobody);
	for (unsigned i = 0; i < 20 && work; i++)
		role->feed(work, (struct text){chunk, sizeof(chunk)}, 0);
	assert_told("failed:an utterance may last two minutes|too_long|");
}

static void refuse_key(struct server *s)
{
	server_await(s, "--\r\n");
	server_say(
		s,
		TEXT(HEAD(
			"401 Unauthorized",
			"application/json") "{\"error\":{\"message\":\"bad key sesame-street\"}}"));
}

static void a_refused_credential_is_told_and_not_shown(void **state)
{
	means.credential = must_dup("sesame-street");
	ask(refuse_key);
	assert_told("failed:the engine answers 401 Unauthorized: bad key *************|"
	            "engine_unavailable|");
	free(means.credential);
}

static void have_no_such_route(struct server *s)
{
	server_await(s, "--\r\n");
	server_say(s, TEXT(HEAD("404 Not Found", "text/html") "<html>nginx</html>"));
}

static void a_wrong_place_is_told(void **state)
{
	ask(have_no_such_route);
	assert_told("failed:the engine answers 404 Not Found|engine_unavailable|");
}

static void find_it_too_large(struct server *s)
{
	server_await(s, "--\r\n");
	server_say(s, TEXT(HEAD("413 Content Too Large", "text/plain") "25 MB"));
}

static void what_a_server_finds_too_large_is_too_long(void **state)
{
	ask(find_it_too_large);
	assert_told("failed:the engine answers 413 Content Too Large: 25 MB|too_long|");
}

static void be_busy(struct server *s)
{
	server_await(s, "--\r\n");
	server_say(s, TEXT(HEAD("503 Service Unavailable",
	                        "application/json") "{\"detail\":\"loading\"}"));
}

static void a_busy_server_may_be_asked_again(void **state)
{
	ask(be_busy);
	assert_told("failed:the engine answers 503 Service Unavailable: loading|"
	            "engine_unavailable again|");
}

static void serve_a_page(struct server *s)
{
	server_await(s, "--\r\n");
	server_say(s, TEXT(HEAD("200 OK", "text/html") "<html>Welcome</html>"));
}

static void a_page_for_people_is_no_answer(void **state)
{
	ask(serve_a_page);
	assert_told("failed:the engine answers with text/html, not with words in JSON|"
	            "engine_unavailable|");
}

static void redirect(struct server *s)
{
	server_await(s, "--\r\n");
	server_say(s, TEXT("HTTP/1.1 307 Temporary Redirect\r\nConnection: close\r\n"
	                   "Location: http://127.0.0.1:1/v1\r\nContent-Length: 0\r\n\r\n"));
}

static void a_redirect_is_not_followed(void **state)
{
	ask(redirect);
	assert_told("failed:the engine: 127.0.0.1 answers with a redirect (307) to "
	            "http://127.0.0.1:1/v1, which is not followed|engine_unavailable again|");
	assert_int_equal(server.conns, 1);
}

static void hang_up(struct server *s)
{
	server_await(s, "--\r\n");
}

static void a_server_that_dies_is_told(void **state)
{
	ask(hang_up);
	assert_told("failed:the engine: 127.0.0.1 closed the connection without a response|"
	            "engine_unavailable again|");
}

static void nobody_there_is_told(void **state)
{
	begin(serve_nobody);
	role->stop(work);
	server_finish(&server);
	voice_place_finish(&means.place);
	begin_at(server.port);
	role->feed(work, TEXT("YWJj"), 0);
	role->end(work, 0);
	assert_true(run_until(around.loop, &over));
	buf_add_char(&told, '\0');
	assert_non_null(
		strstr(told.at, "cannot be reached: Connection refused|engine_unavailable again|"));
}

static void pour(struct server *s)
{
	static char words[64 * KIB];

	memset(words, ' ', sizeof(words));
	server_await(s, "--\r\n");
	server_say(s, TEXT(HEAD("200 OK", "application/json") "{"));
	for (unsigned i = 0; i < 160; i++)
		if (!server_say(s, (struct text){words, sizeof(words)}))
			return;
}

static void an_answer_without_end_is_cut_off(void **state)
{
	ask(pour);
	assert_told("failed:the engine: the response of 127.0.0.1 is longer than 1048576 bytes|"
	            "engine_unavailable again|");
}

static void stopping_closes_the_connection(void **state)
{
	ask(serve_nobody);
	run_for(around.loop, 50);
	assert_int_equal(server.closes, 0);
	role->stop(work);
	work = NULL;
	run_for(around.loop, 100);
	assert_int_equal(server.closes, 1);
	server_finish(&server);
	assert_int_equal(told.len, 0);
}

#define HEARS(f) cmocka_unit_test_setup_teardown(f, set_up, take_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		HEARS(sound_becomes_words_in_parts),
		HEARS(an_object_is_an_answer_too),
		HEARS(silence_is_no_speech),
		HEARS(no_sound_is_no_speech),
		HEARS(a_chunk_that_is_no_sound_is_refused),
		HEARS(what_is_too_long_is_refused),
		HEARS(a_refused_credential_is_told_and_not_shown),
		HEARS(a_wrong_place_is_told),
		HEARS(what_a_server_finds_too_large_is_too_long),
		HEARS(a_busy_server_may_be_asked_again),
		HEARS(a_page_for_people_is_no_answer),
		HEARS(a_redirect_is_not_followed),
		HEARS(a_server_that_dies_is_told),
		HEARS(nobody_there_is_told),
		HEARS(an_answer_without_end_is_cut_off),
		HEARS(stopping_closes_the_connection),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
