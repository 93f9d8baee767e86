/* recognise_test.c - what a URL would be as a source, and which sources take a token
 * that is found. */
#include "source/found.h"

#include <sys/stat.h>

#include "base/log.h"
#include "base/must.h"
#include "source/fixture.h"

static int begin(void **state)
{
	log_set_level(LOG_ERROR);
	unsetenv("OPENCLAW_CONFIG_PATH");
	unsetenv("OPENCLAW_GATEWAY_TOKEN");
	if (fixture_set_up(state) != 0)
		return -1;
	return setenv("OPENCLAW_STATE_DIR", fixture.dir, 1);
}

/* ---- recognising ---- */

static void check(const char *url, const char *want)
{
	struct buf out;

	buf_init(&out, 16 * KIB);
	sources_recognise(fixture.sources, text_of(url), &out);
	buf_add_char(&out, '\0');
	assert_string_equal(out.at, want);
	buf_finish(&out);
}

static void a_url_says_what_it_speaks_and_how_it_may_be_called(void **state)
{
	check("wss://Lab.example/signals",
	      "\"protocol\":\"websocket\",\"mayBecome\":null,\"category\":\"remote\","
	      "\"id\":\"lab-example\",\"name\":\"lab.example\",\"known\":null");
	check("http://127.0.0.1:1234",
	      "\"protocol\":\"sse\",\"mayBecome\":\"openai\",\"category\":\"remote\","
	      "\"id\":\"127-0-0-1\",\"name\":\"127.0.0.1\",\"known\":null");
	check("https://api.anthropic.com",
	      "\"protocol\":\"anthropic\",\"mayBecome\":\"sse\",\"category\":\"remote\","
	      "\"id\":\"api-anthropic-com\",\"name\":\"api.anthropic.com\",\"known\":null");
	check("scenario:/a/day.ndjson?speed=2",
	      "\"protocol\":\"scenario\",\"mayBecome\":null,\"category\":\"remote\","
	      "\"id\":\"day-ndjson\",\"name\":\"day.ndjson\",\"known\":null");
}

static void what_is_typed_halfway_is_no_reason_to_fail(void **state)
{
	static const char *const halves[] = {
		"",          "h",     "http:", "http://", "ws://[", "://",
		"scenario:", "midi:", "/////", "a?b?c",   "\"\\",   "ws://u:p@h"};

	for (size_t i = 0; i < sizeof(halves) / sizeof(*halves); i++) {
		struct buf out;

		buf_init(&out, 16 * KIB);
		sources_recognise(fixture.sources, text_of(halves[i]), &out);
		assert_true(text_starts(buf_text(&out), TEXT("\"protocol\":\"")));
		assert_false(out.full);
		buf_finish(&out);
	}
}

static void add(const struct source_wish *wish, enum back_answer want, const char *words)
{
	struct error why = {""};

	assert_int_equal(sources_add(fixture.sources, wish, &why), want);
	if (!strstr(why.words, words))
		fail_msg("no '%s' in '%s'", words, why.words);
}

static void every_transport_says_what_people_have_to_know(void **state)
{
	for (const struct transport *const *t = transports; *t; t++) {
		if (!(*t)->label || !(*t)->schemes || !(*t)->schemes[0])
			fail_msg("%s has no label or no scheme", (*t)->protocol);
		assert_true(!(*t)->needs_credential || (*t)->credential);
		assert_int_equal(!(*t)->own_credential, !(*t)->owner);
		assert_true(!(*t)->may_become || transport_find(text_of((*t)->may_become)));
	}
}

static void an_id_that_is_taken_gets_a_number(void **state)
{
	struct source_wish wish = {.id = TEXT("lab"), .url = TEXT("ws://lab/")};

	add(&wish, BACK_DONE, "");
	wish.id = TEXT("lab-2");
	add(&wish, BACK_DONE, "");
	check("ws://lab/", "\"protocol\":\"websocket\",\"mayBecome\":null,\"category\":\"remote\","
	                   "\"id\":\"lab-3\",\"name\":\"lab\",\"known\":\"lab\"");
	check("ws://demo/", /* our own name is nobody's */
	      "\"protocol\":\"websocket\",\"mayBecome\":null,\"category\":\"remote\","
	      "\"id\":\"demo-2\",\"name\":\"demo\",\"known\":null");
}

/* ---- a token that is found ---- */

static void name_token(const char *token)
{
	char *text = must_print("{gateway: {auth: {token: '%s'}}}", token);

	fixture_write("openclaw.json", text);
	free(text);
}

static const char *from_of(const char *id)
{
	return found_from(sources_find(fixture.sources, text_of(id)));
}

static struct source_wish gateway(const char *url)
{
	return (struct source_wish){
		.id = TEXT("claw"), .url = text_of(url), .credential_from = TEXT("openclaw")};
}

static void a_token_is_taken_and_never_copied(void **state)
{
	struct source_wish wish = gateway("ws://127.0.0.1:18789");
	char *token, *rows;

	name_token("first");
	add(&wish, BACK_DONE, "");
	assert_string_equal(from_of("claw"), "openclaw");
	name_token("second");
	token = found_token(sources_find(fixture.sources, TEXT("claw")));
	assert_string_equal(token, "second");
	free(token);
	rows = fixture_read("sources.json");
	assert_non_null(strstr(rows, "\"credentialFrom\": \"openclaw\""));
	assert_null(strstr(rows, "first"));
	assert_null(fixture_read("source-credentials.json"));
	free(rows);
	fixture_restart();
	token = found_token(sources_find(fixture.sources, TEXT("claw")));
	assert_string_equal(token, "second");
	free(token);
}

static void it_is_for_gateways_of_this_machine_only(void **state)
{
	struct source_wish wish = gateway("wss://openclaw.example");

	name_token("t");
	add(&wish, BACK_INVALID, "of this machine only");
	wish.url = TEXT("ws://127.0.0.1:9000");
	add(&wish, BACK_INVALID, "protocol openclaw");
	wish = gateway("ws://127.0.0.1:18789");
	wish.credential_from = TEXT("elsewhere");
	add(&wish, BACK_INVALID, "from openclaw only");
	wish.credential_from = TEXT("openclaw");
	wish.credential = TEXT("mine");
	add(&wish, BACK_INVALID, "not both");
}

static void without_a_token_there_is_nothing_to_take(void **state)
{
	struct source_wish wish = gateway("ws://127.0.0.1:18789");

	add(&wish, BACK_CONFLICT, "names no token");
	assert_null(sources_find(fixture.sources, TEXT("claw")));
}

static void change(const struct source_wish *wish)
{
	struct error why = {""};

	if (sources_change(fixture.sources, TEXT("claw"), wish, &why) != BACK_DONE)
		fail_msg("%s", why.words);
}

static void whatever_else_is_said_ends_it(void **state)
{
	struct source_wish wish = gateway("ws://127.0.0.1:18789");
	struct source_wish takes = {.credential_from = TEXT("openclaw")};

	name_token("t");
	add(&wish, BACK_DONE, "");
	change(&(struct source_wish){.credential = TEXT("mine")});
	assert_string_equal(from_of("claw"), "user");
	change(&takes);
	assert_string_equal(from_of("claw"), "openclaw");
	change(&(struct source_wish){.forgets_credential = true});
	assert_null(from_of("claw"));
	change(&takes);
	change(&(struct source_wish){.url = TEXT("ws://openclaw.example")});
	assert_null(from_of("claw"));
	assert_null(found_token(sources_find(fixture.sources, TEXT("claw"))));
}

static void who_takes_it_is_told_when_it_is_gone(void **state)
{
	struct source_wish wish = gateway("ws://127.0.0.1:18789");

	name_token("t");
	add(&wish, BACK_DONE, "");
	fixture_turns(2);
	fixture.told = 0;
	fixture_write("openclaw.json", "{}");
	found_look(fixture.sources);
	fixture_turns(2);
	assert_int_equal(fixture.told, 1);
	assert_null(from_of("claw"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, fixture_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_url_says_what_it_speaks_and_how_it_may_be_called),
		TEST(what_is_typed_halfway_is_no_reason_to_fail),
		TEST(every_transport_says_what_people_have_to_know),
		TEST(an_id_that_is_taken_gets_a_number),
		TEST(a_token_is_taken_and_never_copied),
		TEST(it_is_for_gateways_of_this_machine_only),
		TEST(without_a_token_there_is_nothing_to_take),
		TEST(whatever_else_is_said_ends_it),
		TEST(who_takes_it_is_told_when_it_is_gone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
