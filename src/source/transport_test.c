/* transport_test.c - a transport that nobody knows but its own table: all that is said of it, to
 * clients and in words, comes from there. */
#include "source/transport.h"

#include "base/log.h"
#include "source/fixture.h"

static void *open_nothing(struct source *source, struct error *why)
{
	error_set(why, "there is nothing");
	return NULL;
}

static void close_nothing(void *self)
{
}

static bool ask_nothing(void *self, const struct back_ask *ask, struct error *why)
{
	return error_set(why, "there is nothing");
}

static bool is_thing(struct text url)
{
	return text_ends(url, TEXT("/thing"));
}

static char *find_nothing(void)
{
	return NULL;
}

static const struct transport wire = {
	.protocol = "wire",
	.label = "Wire",
	.schemes = source_schemes_ws,
	.open = open_nothing,
	.close = close_nothing,
};
static const struct transport lines = {
	.protocol = "lines",
	.label = "Lines",
	.schemes = source_schemes_http,
	.may_become = "thing",
	.open = open_nothing,
	.close = close_nothing,
};
static const char *const thing_schemes[] = {"thing:", NULL};
static const struct transport thing = {
	.protocol = "thing",
	.label = "Thing",
	.schemes = thing_schemes,
	.reads_url = true,
	.recognises = is_thing,
	.credential = "pass",
	.needs_credential = true,
	.has_main_session = true,
	.own_credential = find_nothing,
	.owner = "Maker",
	.open = open_nothing,
	.close = close_nothing,
	.ask = ask_nothing,
};
static const struct transport chosen = {
	.protocol = "chosen",
	.label = "Chosen",
	.open = open_nothing,
	.close = close_nothing,
};

const struct transport *const transports[] = {&wire, &lines, &thing, &chosen, NULL};

const struct transport *transport_find(struct text protocol)
{
	for (unsigned i = 0; transports[i]; i++)
		if (text_is(protocol, transports[i]->protocol))
			return transports[i];
	return NULL;
}

static int begin(void **state)
{
	log_set_level(LOG_ERROR);
	return fixture_set_up(state);
}

static void clients_are_told_of_it(void **state)
{
	struct buf out;

	buf_init(&out, 16 * KIB);
	sources_protocols_json(&out);
	buf_add_char(&out, '\0');
	assert_string_equal(
		out.at,
		"[{\"name\":\"wire\",\"label\":\"Wire\",\"schemes\":[\"ws\",\"wss\"],\"can\":[],"
		"\"credential\":null,\"needsCredential\":false,\"ownCredential\":null,"
		"\"mainSession\":false},"
		"{\"name\":\"lines\",\"label\":\"Lines\",\"schemes\":[\"http\",\"https\"],"
		"\"can\":[],\"credential\":null,\"needsCredential\":false,\"ownCredential\":null,"
		"\"mainSession\":false},"
		"{\"name\":\"thing\",\"label\":\"Thing\",\"schemes\":[\"thing\"],\"can\":[\"ask\"],"
		"\"credential\":\"pass\",\"needsCredential\":true,\"ownCredential\":\"Maker\","
		"\"mainSession\":true},"
		"{\"name\":\"chosen\",\"label\":\"Chosen\",\"schemes\":[],\"can\":[],"
		"\"credential\":null,\"needsCredential\":false,\"ownCredential\":null,"
		"\"mainSession\":false}]");
	buf_finish(&out);
}

static void check_seen(const char *url, const char *want)
{
	struct buf out;

	buf_init(&out, 16 * KIB);
	sources_recognise(fixture.sources, text_of(url), &out);
	if (!text_starts(buf_text(&out), text_of(want)))
		fail_msg("%s: %.*s", url, TEXT_ARG(buf_text(&out)));
	buf_finish(&out);
}

static void its_urls_are_recognised(void **state)
{
	check_seen("THING:x", "\"protocol\":\"thing\"");
	check_seen("ws://h/thing", "\"protocol\":\"thing\",\"mayBecome\":\"wire\"");
	check_seen("http://h/thing", "\"protocol\":\"thing\",\"mayBecome\":\"lines\"");
	check_seen("ws://h/", "\"protocol\":\"wire\",\"mayBecome\":null");
	check_seen("http://h/", "\"protocol\":\"lines\",\"mayBecome\":\"thing\"");
	check_seen("ftp://h/", "\"protocol\":\"lines\"");
}

static void refuses(struct source_wish wish, const char *words)
{
	struct error why = {""};

	wish.id = TEXT("a");
	assert_int_equal(sources_add(fixture.sources, &wish, &why), BACK_INVALID);
	if (!strstr(why.words, words))
		fail_msg("no '%s' in '%s'", words, why.words);
}

static void words_of_refusal_name_it(void **state)
{
	struct error why = {""};

	refuses((struct source_wish){.url = TEXT("ws://h/"), .protocol = TEXT("x")},
	        "there are wire, lines, thing, chosen, and auto");
	refuses((struct source_wish){.url = TEXT("ws://h/"), .credential_from = TEXT("wire")},
	        "from thing only");
	refuses((struct source_wish){.url = TEXT("ws://h/"), .credential_from = TEXT("thing")},
	        "only a source of the protocol thing takes its pass");
	refuses((struct source_wish){.url = TEXT("ws://h/thing"), .credential_from = TEXT("thing")},
	        "Maker's own pass goes to an address of this machine only");
	assert_true(source_check_scheme(TEXT("thing:x"), &why));
	assert_false(source_check_scheme(TEXT("ftp://h"), &why));
	assert_non_null(strstr(why.words, "one of ws://, wss://, http://, https://, thing:"));
}

static void its_own_urls_are_taken_as_they_are(void **state)
{
	struct source_wish wish = {.id = TEXT("a"), .url = TEXT("thing:any thing")};

	assert_int_equal(sources_add(fixture.sources, &wish, NULL), BACK_DONE);
	refuses((struct source_wish){.url = TEXT("ws://any thing")}, "");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, fixture_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(clients_are_told_of_it),
		TEST(its_urls_are_recognised),
		TEST(words_of_refusal_name_it),
		TEST(its_own_urls_are_taken_as_they_are),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
