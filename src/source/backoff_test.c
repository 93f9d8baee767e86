/* backoff_test.c - the waits between two tries, the colours, and what a URL says. */
#include "source/backoff.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "source/palette.h"
#include "source/source.h"

static void the_usual_wait_doubles_from_half_a_second_to_thirty(void **state)
{
	static const unsigned waits[] = {500, 1000, 2000, 4000, 8000, 16000, 30000, 30000};
	struct backoff b = {0};
	unsigned ms;

	for (size_t i = 0; i < 8; i++) {
		assert_true(backoff_next(&b, &backoff_usual, 0, 0, &ms));
		assert_int_equal(ms, waits[i]);
	}
	for (size_t i = 0; i < 100000; i++)
		assert_true(backoff_next(&b, &backoff_usual, 0, 0, &ms));
	assert_int_equal(ms, 30000);
}

static void a_run_is_never_waited_for_longer_than_ten_seconds(void **state)
{
	static const unsigned waits[] = {500, 1000, 2000, 4000, 8000, 10000, 10000};
	struct backoff b = {0};
	unsigned ms;

	for (size_t i = 0; i < 7; i++) {
		assert_true(backoff_next(&b, &backoff_run, 0, 0, &ms));
		assert_int_equal(ms, waits[i]);
	}
}

static void chance_adds_up_to_a_quarter(void **state)
{
	struct backoff b = {0};
	unsigned ms;

	assert_true(backoff_next(&b, &backoff_usual, 0.5, 0, &ms));
	assert_int_equal(ms, 562);
	b.tries = 20;
	assert_true(backoff_next(&b, &backoff_usual, 0.999999, 0, &ms));
	assert_in_range(ms, 37499, 37500);
}

static void openclaw_is_tried_ten_times_and_then_every_five_minutes(void **state)
{
	static const unsigned waits[] = {1000,  2000,  4000,  8000,  16000,
	                                 30000, 30000, 30000, 30000, 30000};
	struct backoff b = {0};
	unsigned ms;

	for (size_t i = 0; i < 10; i++) {
		assert_true(backoff_next(&b, &backoff_openclaw, 0.9, 0, &ms));
		assert_int_equal(ms, waits[i]);
	}
	for (size_t i = 0; i < 3; i++) {
		assert_false(backoff_next(&b, &backoff_openclaw, 0, 0, &ms));
		assert_int_equal(ms, 5 * 60 * 1000);
	}
	b.tries = 0;
	assert_true(backoff_next(&b, &backoff_openclaw, 0, 0, &ms));
	assert_int_equal(ms, 1000);
}

static void a_peers_wish_is_honoured_for_an_hour_at_most(void **state)
{
	struct backoff b = {0};
	unsigned ms;

	assert_true(backoff_next(&b, &backoff_usual, 0, 120000, &ms));
	assert_int_equal(ms, 120000);
	assert_true(backoff_next(&b, &backoff_usual, 0, 3, &ms));
	assert_int_equal(ms, 1000);
	assert_true(backoff_next(&b, &backoff_usual, 0, UINT32_MAX, &ms));
	assert_int_equal(ms, BACKOFF_PATIENCE_MS);
}

static void services_of_this_machine_have_their_colours(void **state)
{
	assert_string_equal(palette_local(TEXT("local:claude-code")), "#E8A851");
	assert_string_equal(palette_local(TEXT("local:openclaw")), "#5B8DEF");
	assert_string_equal(palette_local(TEXT("local:lm-studio")), "#4EC9B0");
	assert_string_equal(palette_local(TEXT("local:ollama")), "#6A9955");
	assert_null(palette_local(TEXT("local:codex")));
	assert_null(palette_local(TEXT("ollama")));
}

static void the_palette_goes_round(void **state)
{
	assert_string_equal(palette_color(0), "#5B8DEF");
	assert_string_equal(palette_color(7), "#4DC9F6");
	assert_string_equal(palette_color(8), "#5B8DEF");
	for (unsigned i = 0; i < PALETTE_SIZE; i++) {
		assert_true(palette_is_color(text_of(palette_color(i))));
		for (unsigned j = 0; j < i; j++)
			assert_string_not_equal(palette_color(i), palette_color(j));
	}
}

static void a_colour_has_six_digits(void **state)
{
	static const char *const bad[] = {"",        "red",      "#fff",    "5B8DEF7",
	                                  "#5B8DEG", "#5B8DEF0", "#5B8DEF;"};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_false(palette_is_color(text_of(bad[i])));
	assert_false(palette_is_color((struct text){"#5B8DE\0", 7}));
	assert_true(palette_is_color(TEXT("#5b8def")));
}

static void a_url_says_what_is_spoken_there(void **state)
{
	static const struct {
		const char *url, *protocol;
	} cases[] = {
		{"midi://hw/1", "midi"},
		{"ws://127.0.0.1:18789", "openclaw"},
		{"WSS://Host:18789/x", "openclaw"},
		{"https://x/openclaw", "openclaw"},
		{"http://openclaw.local/", "openclaw"},
		{"ws://127.0.0.1:1234/18789", "websocket"},
		{"ws://127.0.0.1:8080/?port=18789", "websocket"},
		{"ws://h187890:80/", "websocket"},
		{"ws://anthropic", "websocket"},
		{" wss://test.example/signals ", "websocket"},
		{"https://api.anthropic.com", "anthropic"},
		{"http://127.0.0.1:11434", "sse"},
		{"http://127.0.0.1:18788", "sse"},
		{"scenario:demo", "scenario"},
		{"scenario:/tmp/openclaw.ndjson", "scenario"},
		{"", "sse"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_string_equal(source_detect(text_of(cases[i].url)), cases[i].protocol);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_usual_wait_doubles_from_half_a_second_to_thirty),
		cmocka_unit_test(a_run_is_never_waited_for_longer_than_ten_seconds),
		cmocka_unit_test(chance_adds_up_to_a_quarter),
		cmocka_unit_test(openclaw_is_tried_ten_times_and_then_every_five_minutes),
		cmocka_unit_test(a_peers_wish_is_honoured_for_an_hour_at_most),
		cmocka_unit_test(services_of_this_machine_have_their_colours),
		cmocka_unit_test(the_palette_goes_round),
		cmocka_unit_test(a_colour_has_six_digits),
		cmocka_unit_test(a_url_says_what_is_spoken_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
