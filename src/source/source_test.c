/* source_test.c - states, retries, floods, asks: what follows from what a transport
 * reports.  The transports are the test's own. */
#include "source/source.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/random.h"
#include "net/account.h"
#include "source/back.h"
#include "source/backoff.h"
#include "source/fixture.h"

/* ---- two transports that do what they are told ---- */

static struct {
	struct source *source; /* of the line that was opened last */
	unsigned opens, closes;
	bool cannot, is_hushed;
	bool says_after; /* live, after it was closed */
	unsigned hushes;
	char sent[64], run[RANDOM_UUID_LEN], model[32];
	unsigned cancels;
	uint64_t ticket;
} fake;

static const struct backoff_rule impatient = {1, 4, 0, 3, 5};

static void *fake_open(struct source *source, struct error *why)
{
	fake.opens++;
	fake.source = source;
	if (fake.cannot)
		error_set(why, "no such thing");
	return fake.cannot ? NULL : &fake;
}

static void fake_close(void *self)
{
	fake.closes++;
	if (fake.says_after)
		source_live(fake.source);
}

static bool fake_send(void *self, struct text message, struct error *why)
{
	snprintf(fake.sent, sizeof(fake.sent), "%.*s", TEXT_ARG(message));
	return true;
}

static bool fake_reply(void *self, const struct back_outcome *reply, struct error *why)
{
	assert_non_null(self);
	return true;
}

static bool fake_ask(void *self, const struct back_ask *ask, struct error *why)
{
	if (text_is(ask->prompt, "no"))
		return error_set(why, "it will not");
	memcpy(fake.run, ask->run.at, RANDOM_UUID_LEN);
	return true;
}

static enum back_answer fake_cancel(void *self, const struct back_control *control,
                                    struct error *why)
{
	struct text run = control->run;
	bool is_mine = run.len == RANDOM_UUID_LEN && memcmp(run.at, fake.run, RANDOM_UUID_LEN) == 0;

	if (text_is(run, "asked-there")) {
		fake.ticket = control->ticket;
		return BACK_TAKEN;
	}
	if (text_is(run, "its-own"))
		is_mine = true;
	fake.cancels += is_mine;
	memset(fake.run, 0, sizeof(fake.run));
	return is_mine ? BACK_DONE : BACK_UNKNOWN;
}

static void fake_hush(void *self, bool hush)
{
	fake.is_hushed = hush;
	fake.hushes++;
}

static const struct transport able = {
	.protocol = "websocket",
	.schemes = source_schemes_ws,
	.open = fake_open,
	.close = fake_close,
	.send = fake_send,
	.reply = fake_reply,
	.ask = fake_ask,
	.cancel = fake_cancel,
	.hush = fake_hush,
	.retry = &impatient,
};
static const struct transport plain = {
	.protocol = "sse",
	.schemes = source_schemes_http,
	.open = fake_open,
	.close = fake_close,
};

const struct transport *const transports[] = {&able, &plain, NULL};

const struct transport *transport_find(struct text protocol)
{
	for (unsigned i = 0; transports[i]; i++)
		if (text_is(protocol, transports[i]->protocol))
			return transports[i];
	return NULL;
}

/* ---- helpers ---- */

static int begin(void **state)
{
	log_set_level(LOG_ERROR);
	memset(&fake, 0, sizeof(fake));
	return fixture_set_up(state);
}

static struct source *add_wish(struct source_wish wish)
{
	struct error why = {""};

	if (sources_add(fixture.sources, &wish, &why) != BACK_DONE)
		fail_msg("%s", why.words);
	return sources_last(fixture.sources);
}

static struct source *add(const char *id, const char *url)
{
	return add_wish(
		(struct source_wish){.id = text_of(id), .url = text_of(url), .connect = true});
}

static struct source *add_live(const char *id)
{
	struct source *s = add(id, "ws://127.0.0.1:1/");

	source_live(s);
	return s;
}

static bool shows(const struct source *s, const char *words)
{
	struct buf json;
	bool yes;

	buf_init(&json, MIB);
	source_json(s, &json);
	yes = memmem(json.at, json.len, words, strlen(words)) != NULL;
	buf_finish(&json);
	return yes;
}

static void lose(struct source *s, const char *why)
{
	source_lost(s, &(struct loss){.why = why});
	fixture_turns(2);
}

static bool is_opened_twice(void)
{
	return fake.opens == 2;
}

/* ---- states ---- */

static void a_source_connects_and_says_so(void **state)
{
	struct source *s = add("ada", "ws://127.0.0.1:1/");

	assert_true(fixture_hears("signalbox {\"type\":\"source.state\",\"source\":\"signalbox\","
	                          "\"payload\":{\"sourceId\":\"ada\",\"from\":\"disconnected\","
	                          "\"to\":\"connecting\"}}"));
	assert_int_equal(source_state(s), SOURCE_CONNECTING);
	source_live(s);
	assert_true(fixture_hears("\"from\":\"connecting\",\"to\":\"connected\"}"));
	source_live(s);
	assert_false(fixture_hears("source.state"));
	assert_true(shows(s, "\"connects\":1"));
	assert_int_equal(fake.opens, 1);
}

static void a_loss_is_closed_at_the_end_of_the_turn_and_tried_again(void **state)
{
	struct source *s = add_live("ada");

	source_lost(s, &(struct loss){.why = "the \"line\" broke"});
	assert_int_equal(fake.closes, 0);
	fixture_turns(2);
	assert_int_equal(fake.closes, 1);
	assert_int_equal(source_state(s), SOURCE_CONNECTING);
	assert_true(fixture_hears("\"from\":\"connected\",\"to\":\"connecting\","
	                          "\"error\":\"the \\\"line\\\" broke\"}"));
	assert_true(shows(s, "\"attempt\":1,\"retryAt\":1"));
	fixture_wait(is_opened_twice);
	source_live(s);
	assert_int_equal(source_state(s), SOURCE_CONNECTED);
	assert_true(shows(s, "\"error\":null"));
	assert_true(shows(s, "\"attempt\":0,\"retryAt\":null"));
	assert_true(shows(s, "\"lastError\":\"the \\\"line\\\" broke\""));
	assert_true(shows(s, "\"connects\":2"));
}

static void a_fault_is_told_once_and_another_one_too(void **state)
{
	struct source *s = add("ada", "ws://127.0.0.1:1/");

	lose(s, "refused");
	assert_true(fixture_hears("\"from\":\"connecting\",\"to\":\"connecting\","
	                          "\"error\":\"refused\""));
	fixture_wait(is_opened_twice);
	lose(s, "refused");
	assert_false(fixture_hears("source.state"));
	assert_true(shows(s, "\"attempt\":2"));
	fake.opens = 1;
	fixture_wait(is_opened_twice);
	lose(s, "no route");
	assert_true(fixture_hears("\"error\":\"no route\""));
}

static bool is_given_up(void)
{
	struct source *s = sources_find(fixture.sources, TEXT("ada"));

	if (fake.opens == 2) {
		fake.opens = 1;
		source_lost(s, &(struct loss){.why = "refused"});
	}
	return source_state(s) == SOURCE_ERROR;
}

static void a_rule_with_an_end_ends_in_an_error(void **state)
{
	struct source *s = add_live("ada");

	source_lost(s, &(struct loss){0});
	fixture_wait(is_given_up);
	assert_true(shows(s, "\"error\":\"given up after 3 tries: refused\""));
	assert_true(fixture_hears("\"error\":\"the other end closed the connection\""));
	assert_true(
		fixture_hears("\"to\":\"error\",\"error\":\"given up after 3 tries: refused\""));
	assert_int_equal(fake.closes, 4);
	/* It stays one while it is tried, now and then, until it is there again. */
	assert_false(shows(s, "\"retryAt\":null"));
	fixture_wait(is_opened_twice);
	assert_int_equal(source_state(s), SOURCE_ERROR);
	lose(s, "refused");
	assert_int_equal(source_state(s), SOURCE_ERROR);
	fake.opens = 1;
	fixture_wait(is_opened_twice);
	source_live(s);
	assert_int_equal(source_state(s), SOURCE_CONNECTED);
}

static void a_loss_for_good_stays(void **state)
{
	struct source *s = add_live("ada");
	struct error why;

	source_lost(s, &(struct loss){.why = "401", .for_good = true});
	fixture_turns(2);
	assert_int_equal(source_state(s), SOURCE_ERROR);
	assert_true(shows(s, "\"retryAt\":null"));
	assert_int_equal(sources_connect(fixture.sources, TEXT("ada"), &why), BACK_DONE);
	assert_int_equal(source_state(s), SOURCE_CONNECTING);
	assert_int_equal(fake.opens, 2);
}

static void one_that_came_to_its_end_is_disconnected(void **state)
{
	struct source *s = add_live("ada");

	source_lost(s, &(struct loss){.for_good = true});
	fixture_turns(2);
	assert_int_equal(source_state(s), SOURCE_DISCONNECTED);
	assert_true(shows(s, "\"enabled\":false"));
}

static void one_that_cannot_be_opened_is_an_error(void **state)
{
	struct source *s;

	fake.cannot = true;
	s = add("ada", "ws://127.0.0.1:1/");
	assert_int_equal(source_state(s), SOURCE_ERROR);
	assert_true(shows(s, "\"error\":\"no such thing\""));
	assert_int_equal(fake.closes, 0);
}

static void a_protocol_that_nobody_speaks_cannot_be_connected(void **state)
{
	struct source_wish wish = {.id = TEXT("local:codex"),
	                           .url = TEXT("ws://127.0.0.1:4500"),
	                           .protocol = TEXT("codex"),
	                           .is_local = true};
	struct error why;

	add_wish(wish);
	assert_int_equal(sources_connect(fixture.sources, wish.id, &why), BACK_NOT_SUPPORTED);
	assert_non_null(strstr(why.words, "codex"));
}

static void whoever_disconnects_stops_the_retries(void **state)
{
	struct source *s = add_live("ada");
	struct error why;

	lose(s, "cut");
	assert_int_equal(sources_disconnect(fixture.sources, TEXT("ada"), &why), BACK_DONE);
	assert_int_equal(source_state(s), SOURCE_DISCONNECTED);
	assert_true(shows(s, "\"retryAt\":null"));
	usleep(300000);
	fixture_turns(3);
	assert_int_equal(fake.opens, 1);
}

static void facts_after_a_loss_are_not_heard(void **state)
{
	struct source *s = add_live("ada");
	struct error why;

	source_lost(s, &(struct loss){.why = "cut"});
	source_live(s);
	source_lost(s, &(struct loss){.why = "cut again", .for_good = true});
	fixture_turns(2);
	assert_int_equal(source_state(s), SOURCE_CONNECTING);
	fixture_wait(is_opened_twice);
	source_live(s);
	fake.says_after = true;
	sources_disconnect(fixture.sources, TEXT("ada"), &why);
	assert_int_equal(source_state(s), SOURCE_DISCONNECTED);
}

static void one_that_speaks_another_protocol_is_opened_again(void **state)
{
	struct source *s = add("ada", "ws://127.0.0.1:1/");

	assert_true(source_is_guessed(s));
	source_become(s, "sse");
	assert_int_equal(fake.closes, 0);
	fixture_turns(2);
	assert_int_equal(fake.closes, 1);
	assert_int_equal(fake.opens, 2);
	assert_int_equal(source_state(s), SOURCE_CONNECTING);
	assert_true(shows(s, "\"protocol\":\"sse\""));
}

static void a_peer_that_asks_for_patience_gets_it(void **state)
{
	struct source *s = add_live("ada");
	struct buf json;
	const char *at;

	source_lost(s, &(struct loss){.why = "429", .retry_after_ms = 60000});
	fixture_turns(2);
	buf_init(&json, MIB);
	source_json(s, &json);
	buf_add_char(&json, '\0');
	at = strstr(json.at, "\"retryAt\":");
	assert_true(strtoll(at + 10, NULL, 10) > clock_wall_ms() + 50000);
	buf_finish(&json);
}

static void what_is_found_is_available(void **state)
{
	struct source *s = add_wish((struct source_wish){
		.id = TEXT("local:x"), .url = TEXT("ws://127.0.0.1:1/"), .is_local = true});

	source_set_available(s, false);
	assert_int_equal(source_state(s), SOURCE_UNAVAILABLE);
	assert_true(fixture_hears("\"to\":\"unavailable\""));
	source_set_available(s, true);
	assert_int_equal(source_state(s), SOURCE_DISCONNECTED);
	sources_connect(fixture.sources, TEXT("local:x"), NULL);
	source_set_available(s, false);
	assert_int_equal(source_state(s), SOURCE_CONNECTING);
	source_lost(s, &(struct loss){.why = "401", .for_good = true});
	fixture_turns(2);
	source_set_available(s, true);
	assert_int_equal(source_state(s), SOURCE_DISCONNECTED);
}

static void what_is_gone_is_waited_for_by_its_line(void **state)
{
	struct source *s = add_live("ada");

	source_gone(s, "unplugged");
	assert_int_equal(source_state(s), SOURCE_UNAVAILABLE);
	assert_true(shows(s, "\"error\":\"unplugged\""));
	source_set_available(s, true);
	assert_int_equal(source_state(s), SOURCE_UNAVAILABLE);
	source_live(s);
	assert_int_equal(source_state(s), SOURCE_CONNECTED);
	assert_true(shows(s, "\"connects\":2"));
}

/* ---- signals ---- */

static void signals_are_from_the_source_and_counted(void **state)
{
	struct source *s = add_live("ada");

	source_received(s, TEXT("{\"type\":\"x\"}"));
	source_received(s, TEXT("garbage"));
	source_bad(s, "half a frame");
	assert_true(fixture_hears("ada {\"type\":\"x\"}\n"));
	assert_true(shows(s, "\"signals\":2,\"bytes\":19,\"badFrames\":2,"));
	assert_true(shows(s, "\"lastError\":\"half a frame\""));
}

static void flood(struct source *s, unsigned from, unsigned to)
{
	char envelope[1024];

	for (unsigned i = from; i < to; i++) {
		snprintf(envelope, sizeof(envelope), "{\"n\":%06u,\"x\":\"%900d\"}", i, 7);
		source_received(s, text_of(envelope));
	}
}

static bool all_are_heard(void)
{
	return fixture.heard_count == 3000;
}

static void a_flood_is_taken_a_share_a_turn_and_in_order(void **state)
{
	struct source *s = add_live("ada");
	char words[32];

	fixture.heard_count = 0;
	flood(s, 0, 3000);
	assert_in_range(fixture.heard_count, 100, 400);
	assert_true(fake.is_hushed);
	fixture_wait(all_are_heard);
	assert_int_equal(source_state(s), SOURCE_CONNECTED);
	for (unsigned i = 0; i < 3000; i++) {
		snprintf(words, sizeof(words), "{\"n\":%06u,", i);
		assert_true(fixture_hears(words));
	}
	assert_false(fake.is_hushed);
	assert_int_equal(fake.hushes, 2);
	assert_true(shows(s, "\"dropped\":0"));
}

static void a_flood_does_not_starve_another_source(void **state)
{
	struct source *s = add_live("ada"), *quiet = add_live("bob");

	flood(s, 0, 3000);
	fixture_turns(2);
	source_received(quiet, TEXT("{\"quiet\":true}"));
	assert_true(fixture_hears("bob {\"quiet\":true}"));
	assert_true(fixture.heard_count < 2000);
}

static bool the_last_is_heard(void)
{
	return fixture_hears("{\"n\":011999,");
}

/* Of the source, and of nothing that it said. */
static void a_flood_without_end_is_a_loss(void **state)
{
	struct source *s = add_live("ada");

	flood(s, 0, 12000);
	fixture_turns(2);
	assert_int_equal(source_state(s), SOURCE_CONNECTING);
	assert_true(shows(s, "\"error\":\"it sends more than can be taken\""));
	assert_true(shows(s, "\"signals\":12000,"));
	assert_true(shows(s, "\"dropped\":0"));
	fixture_wait(the_last_is_heard);
}

static void what_waits_is_taken_before_a_source_goes(void **state)
{
	struct source *s = add_live("ada");

	fixture.heard_count = 0;
	flood(s, 0, 1000);
	sources_remove(fixture.sources, TEXT("ada"), NULL);
	assert_true(fixture.heard_count > 1000); /* and its last state */
}

static bool fifteen_are_heard(void)
{
	return fixture.heard_count == 15;
}

static void one_that_is_too_fast_is_not_read_and_loses_nothing(void **state)
{
	struct source *s = add_live("ada"), *other = add_live("bob");
	uint64_t begun = clock_mono_ns();
	char words[32];

	accounts_set_limits(fixture.accounts, &(struct account_limits){.rate = 10});
	fixture.heard_count = 0;
	flood(s, 0, 14);
	assert_int_equal(fixture.heard_count, 10); /* what a second may bring comes at once */
	assert_true(fake.is_hushed);
	assert_int_equal(fixture.accounts->counts.held, 1);
	fixture_turns(3);
	assert_int_equal(fixture.heard_count, 10);
	source_received(other, TEXT("{\"quiet\":true}")); /* has its own share */
	assert_int_equal(fixture.heard_count, 11);
	fixture_wait(fifteen_are_heard);
	assert_true(clock_mono_ns() - begun >= 300000000);
	assert_false(fake.is_hushed);
	for (unsigned i = 0; i < 14; i++) {
		snprintf(words, sizeof(words), "{\"n\":%06u,", i);
		assert_true(fixture_hears(words));
	}
}

static void a_ceiling_that_is_lifted_lets_it_go_on(void **state)
{
	struct source *s = add_live("ada");

	accounts_set_limits(fixture.accounts, &(struct account_limits){.rate = 1});
	fixture.heard_count = 0;
	flood(s, 0, 15);
	assert_int_equal(fixture.heard_count, 1);
	accounts_set_limits(fixture.accounts, &(struct account_limits){0});
	fixture_wait(fifteen_are_heard);
	assert_false(fake.is_hushed);
}

/* ---- telling ---- */

static bool is_told(void)
{
	return fixture.told > 0;
}

static bool told(const struct buf *what, const char *words)
{
	return memmem(what->at, what->len, words, strlen(words)) != NULL;
}

static void changes_of_a_turn_are_told_together(void **state)
{
	add("ada", "ws://127.0.0.1:1/");
	add_live("bob");
	fixture_wait(is_told);
	assert_int_equal(fixture.told, 1);
	assert_true(told(&fixture.changed, "[{\"id\":\"ada\""));
	assert_true(told(&fixture.changed, "},{\"id\":\"bob\""));
	assert_true(told(&fixture.removed, "[]"));
	fixture.told = 0;
	sources_remove(fixture.sources, TEXT("ada"), NULL);
	fixture_wait(is_told);
	assert_true(told(&fixture.changed, "[]"));
	assert_true(told(&fixture.removed, "[\"ada\"]"));
}

static void counters_are_told_within_a_second_or_so(void **state)
{
	struct source *s = add_live("ada");

	fixture_wait(is_told);
	fixture.told = 0;
	source_received(s, TEXT("{}"));
	source_received(s, TEXT("{}"));
	fixture_turns(3);
	assert_int_equal(fixture.told, 0);
	fixture_wait(is_told);
	assert_true(told(&fixture.changed, "\"signals\":2"));
}

/* ---- the list ---- */

static enum back_answer change(const char *id, struct source_wish wish, struct error *why)
{
	return sources_change(fixture.sources, text_of(id), &wish, why);
}

static void ids_and_names_are_known_while_they_are_there(void **state)
{
	struct sources *all = fixture.sources;

	add_wish((struct source_wish){
		.id = TEXT("ada"), .name = TEXT("Ada"), .url = TEXT("ws://127.0.0.1:1/")});
	assert_true(sources_knows(all, TEXT("ada")) && sources_knows(all, TEXT("Ada")));
	change("ada", (struct source_wish){.name = TEXT("Bela")}, NULL);
	assert_true(sources_knows(all, TEXT("Bela")) && !sources_knows(all, TEXT("Ada")));
	sources_remove(all, TEXT("ada"), NULL);
	assert_false(sources_knows(all, TEXT("Bela")) || sources_knows(all, TEXT("ada")));
	assert_null(sources_find(all, TEXT("ada")));
}

static void what_nobody_said_is_made(void **state)
{
	struct source *s = add("", "ws://127.0.0.1:1/"), *next;

	assert_int_equal(source_id(s).len, 8);
	assert_int_equal(source_name(s).len, strlen("source-xxxx"));
	assert_true(text_starts(source_name(s), TEXT("source-")));
	assert_true(shows(s, "\"color\":\"#5B8DEF\""));
	next = add("", "ws://127.0.0.1:2/");
	assert_true(shows(next, "\"color\":\"#E8A851\""));
	assert_false(text_equal(source_id(s), source_id(next)));
}

static void nonsense_is_refused_in_words(void **state)
{
	static const struct source_wish bad[] = {
		{.id = TEXT("a")},
		{.id = TEXT("a b"), .url = TEXT("ws://h/")},
		{.id = TEXT("signalbox"), .url = TEXT("ws://h/")},
		{.id = TEXT("demo"), .url = TEXT("ws://h/")},
		{.id = TEXT("local:x"), .url = TEXT("ws://h/")},
		{.url = TEXT("ftp://h/")},
		{.url = TEXT("ws://user:secret@h/")},
		{.url = TEXT("ws://h/"), .protocol = TEXT("telnet")},
		{.url = TEXT("ws://h/"), .name = TEXT("a\033[31m")},
		{.url = TEXT("ws://h/"), .credential = TEXT("two\r\nlines")},
		{.url = TEXT("ws://h/"), .color = TEXT("red")},
	};
	struct error why;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		why.words[0] = '\0';
		assert_int_equal(sources_add(fixture.sources, &bad[i], &why), BACK_INVALID);
		assert_true(why.words[0]);
		assert_null(strstr(why.words, "secret"));
	}
}

static void two_cannot_have_one_id(void **state)
{
	struct source_wish wish = {.id = TEXT("ada"), .url = TEXT("ws://127.0.0.1:1/")};
	struct error why;

	add_wish(wish);
	assert_int_equal(sources_add(fixture.sources, &wish, &why), BACK_CONFLICT);
}

static void a_source_can_be_moved_and_its_credential_stays_behind(void **state)
{
	struct source *s = add_wish((struct source_wish){.id = TEXT("ada"),
	                                                 .url = TEXT("ws://127.0.0.1:1/"),
	                                                 .credential = TEXT("secret"),
	                                                 .connect = true});
	struct error why;

	source_live(s);
	assert_string_equal(source_credential(s), "secret");
	assert_int_equal(change("ada", (struct source_wish){.name = TEXT("Ada")}, &why), BACK_DONE);
	assert_int_equal(fake.opens, 1);
	assert_int_equal(
		change("ada", (struct source_wish){.url = TEXT("ws://127.0.0.1:2/")}, &why),
		BACK_DONE);
	assert_null(source_credential(s));
	assert_int_equal(fake.opens, 2);
	assert_int_equal(source_state(s), SOURCE_CONNECTING);
	assert_int_equal(change("ada", (struct source_wish){.credential = TEXT("new")}, &why),
	                 BACK_DONE);
	assert_int_equal(fake.opens, 3);
	assert_int_equal(change("ada", (struct source_wish){.id = TEXT("bob")}, &why),
	                 BACK_INVALID);
	assert_true(shows(s, "\"hasCredential\":true"));
	change("ada", (struct source_wish){.forgets_credential = true}, &why);
	assert_true(shows(s, "\"hasCredential\":false"));
}

static void what_is_not_ours_to_change_is_refused(void **state)
{
	struct source_wish local = {
		.id = TEXT("local:x"), .url = TEXT("ws://127.0.0.1:1/"), .is_local = true};
	struct source_wish configured = {
		.id = TEXT("conf"), .url = TEXT("ws://127.0.0.1:1/"), .is_configured = true};
	struct source_wish moved = {.url = TEXT("ws://127.0.0.1:2/")};
	struct error why;

	add_wish(local);
	add_wish(configured);
	assert_int_equal(change("local:x", moved, &why), BACK_CONFLICT);
	assert_int_equal(change("conf", moved, &why), BACK_CONFLICT);
	assert_int_equal(change("local:x", (struct source_wish){.model = TEXT("m")}, &why),
	                 BACK_DONE);
	assert_int_equal(change("local:x", (struct source_wish){.credential = TEXT("c")}, &why),
	                 BACK_DONE);
	assert_int_equal(sources_remove(fixture.sources, local.id, &why), BACK_CONFLICT);
	assert_int_equal(sources_remove(fixture.sources, configured.id, &why), BACK_CONFLICT);
	assert_int_equal(sources_remove(fixture.sources, TEXT("nobody"), &why), BACK_UNKNOWN);
}

static void models_are_listed_and_one_is_chosen(void **state)
{
	struct source *s = add_live("ada");
	struct text models[] = {TEXT("small"), TEXT(""), TEXT("big")};

	assert_int_equal(source_model(s).len, 0);
	source_set_models(s, models, 3);
	assert_true(shows(s, "\"models\":[\"small\",\"big\"],\"model\":\"small\""));
	change("ada", (struct source_wish){.model = TEXT("big")}, NULL);
	assert_true(text_is(source_model(s), "big"));
}

/* ---- asking ---- */

/* run gets the id, a new one each time. */
static enum back_answer ask_of(struct text source, struct back_ask *ask, char run[RANDOM_UUID_LEN],
                               struct error *why)
{
	random_uuid(run);
	ask->source = source;
	ask->run = (struct text){run, RANDOM_UUID_LEN};
	return sources_ask(fixture.sources, ask, why);
}

static enum back_answer cancel(struct text run)
{
	struct error why;

	return sources_cancel(fixture.sources,
	                      &(struct back_control){.run = run, .op = TEXT("cancel")}, &why);
}

static void a_run_has_an_id_and_can_be_cancelled_once(void **state)
{
	struct back_ask ask = {.prompt = TEXT("hello")};
	char run[RANDOM_UUID_LEN];
	struct text id = {run, RANDOM_UUID_LEN};
	struct error why;

	add_live("ada");
	assert_int_equal(ask_of(TEXT("ada"), &ask, run, &why), BACK_DONE);
	assert_memory_equal(run, fake.run, RANDOM_UUID_LEN);
	assert_int_equal(sources_ask(fixture.sources, &ask, &why), BACK_CONFLICT);
	assert_int_equal(cancel(id), BACK_DONE);
	assert_int_equal(cancel(id), BACK_CONFLICT);
	assert_int_equal(cancel(TEXT("nobody")), BACK_UNKNOWN);
	assert_int_equal(cancel(TEXT("its-own")), BACK_DONE);
	assert_int_equal(fake.cancels, 2);
}

static void what_was_taken_has_its_verdict_later(void **state)
{
	struct back_control control = {
		.run = TEXT("asked-there"), .op = TEXT("interrupt"), .ticket = 7};
	struct error why;

	add_live("ada");
	assert_int_equal(sources_control(fixture.sources, &control, &why), BACK_TAKEN);
	assert_int_equal(fake.ticket, 7);
	assert_null(fixture.verdict_why);
	source_verdict(sources_find(fixture.sources, TEXT("ada")), fake.ticket, BACK_REFUSED,
	               "not from you");
	assert_int_equal(fixture.verdict_ticket, 7);
	assert_int_equal(fixture.verdict, BACK_REFUSED);
	assert_string_equal(fixture.verdict_why, "not from you");
}

static void not_everybody_can_be_asked(void **state)
{
	struct sources *all = fixture.sources;
	struct back_ask ask = {.prompt = TEXT("no")};
	char run[RANDOM_UUID_LEN];
	struct error why;

	add("sse", "http://127.0.0.1:1/");
	add("ada", "ws://127.0.0.1:1/");
	assert_int_equal(ask_of(TEXT("x"), &ask, run, &why), BACK_UNKNOWN);
	assert_int_equal(ask_of(TEXT("sse"), &ask, run, &why), BACK_NOT_SUPPORTED);
	assert_int_equal(ask_of(TEXT("ada"), &ask, run, &why), BACK_CONFLICT);
	source_live(sources_find(all, TEXT("ada")));
	assert_int_equal(ask_of(TEXT("ada"), &ask, run, &why), BACK_CONFLICT);
	assert_string_equal(why.words, "it will not");
	assert_int_equal(sources_send(all, TEXT("sse"), TEXT("hi"), &why), BACK_NOT_SUPPORTED);
	assert_int_equal(sources_send(all, TEXT("ada"), TEXT("hi"), &why), BACK_DONE);
	assert_string_equal(fake.sent, "hi");
}

static void a_run_of_a_source_that_went_is_over(void **state)
{
	struct back_ask ask = {.prompt = TEXT("hello")};
	char run[RANDOM_UUID_LEN];
	struct error why;

	add_live("ada");
	ask_of(TEXT("ada"), &ask, run, &why);
	sources_remove(fixture.sources, TEXT("ada"), &why);
	assert_int_equal(cancel((struct text){run, RANDOM_UUID_LEN}), BACK_CONFLICT);
}

static void nothing_goes_out_while_the_box_stops(void **state)
{
	struct back_outcome reply = {.run = TEXT("r"), .id = TEXT("p")};
	struct sources *all = fixture.sources;
	struct back_ask ask = {.prompt = TEXT("hello")};
	char run[RANDOM_UUID_LEN];
	struct error why;

	add_live("ada");
	sources_stop(all);
	assert_int_equal(sources_reply(all, TEXT("ada"), &reply, &why), BACK_CONFLICT);
	assert_int_equal(ask_of(TEXT("ada"), &ask, run, &why), BACK_CONFLICT);
	assert_int_equal(sources_send(all, TEXT("ada"), TEXT("hi"), &why), BACK_CONFLICT);
	assert_string_equal(why.words, "the box is stopping");
	assert_string_equal(fake.sent, "");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, fixture_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_source_connects_and_says_so),
		TEST(a_loss_is_closed_at_the_end_of_the_turn_and_tried_again),
		TEST(a_fault_is_told_once_and_another_one_too),
		TEST(a_rule_with_an_end_ends_in_an_error),
		TEST(a_loss_for_good_stays),
		TEST(one_that_came_to_its_end_is_disconnected),
		TEST(one_that_cannot_be_opened_is_an_error),
		TEST(a_protocol_that_nobody_speaks_cannot_be_connected),
		TEST(whoever_disconnects_stops_the_retries),
		TEST(facts_after_a_loss_are_not_heard),
		TEST(one_that_speaks_another_protocol_is_opened_again),
		TEST(a_peer_that_asks_for_patience_gets_it),
		TEST(what_is_found_is_available),
		TEST(what_is_gone_is_waited_for_by_its_line),
		TEST(signals_are_from_the_source_and_counted),
		TEST(a_flood_is_taken_a_share_a_turn_and_in_order),
		TEST(a_flood_does_not_starve_another_source),
		TEST(one_that_is_too_fast_is_not_read_and_loses_nothing),
		TEST(a_ceiling_that_is_lifted_lets_it_go_on),
		TEST(a_flood_without_end_is_a_loss),
		TEST(what_waits_is_taken_before_a_source_goes),
		TEST(changes_of_a_turn_are_told_together),
		TEST(counters_are_told_within_a_second_or_so),
		TEST(ids_and_names_are_known_while_they_are_there),
		TEST(what_nobody_said_is_made),
		TEST(nonsense_is_refused_in_words),
		TEST(two_cannot_have_one_id),
		TEST(a_source_can_be_moved_and_its_credential_stays_behind),
		TEST(what_is_not_ours_to_change_is_refused),
		TEST(models_are_listed_and_one_is_chosen),
		TEST(a_run_has_an_id_and_can_be_cancelled_once),
		TEST(what_was_taken_has_its_verdict_later),
		TEST(not_everybody_can_be_asked),
		TEST(a_run_of_a_source_that_went_is_over),
		TEST(nothing_goes_out_while_the_box_stops),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
