/* dispatch_test.c - one order, pauses, and what is not for people. */
#include "deliver/dispatch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static struct dispatch *make(enum dispatch_pace pace, int64_t min_ms, int64_t max_ms)
{
	const struct dispatch_options options = {.delay = {pace, min_ms, max_ms}, .seed = 7};

	return dispatch_create(&options);
}

static bool add_at(struct dispatch *d, enum dispatch_kind kind, const char *text, int64_t now_ms)
{
	static uint64_t number;
	const struct payload payload = {.text = text_of(text)};
	const struct dispatch_item item = {kind, ++number, &payload};

	return dispatch_enqueue(d, &item, now_ms, NULL);
}

/* What is to be sent now; "" for nothing, "late" for a block that took too long. */
static const char *next_at(struct dispatch *d, int64_t now_ms, struct dispatch_item *item)
{
	static char text[64];
	enum dispatch_step step = dispatch_next(d, now_ms, item);

	if (step == DISPATCH_WAITS)
		return "";
	if (step == DISPATCH_LATE)
		return "late";
	snprintf(text, sizeof(text), "%.*s", TEXT_ARG(item->payload->text));
	return text;
}

static void kinds_share_one_order(void **state)
{
	struct dispatch *d = make(DISPATCH_PACE_OFF, 0, 0);
	struct dispatch_item item;

	assert_true(dispatch_is_idle(d));
	assert_true(add_at(d, DISPATCH_BLOCK, "one", 0));
	assert_true(add_at(d, DISPATCH_TOOL, "two", 0));
	assert_true(add_at(d, DISPATCH_FINAL, "three", 0));
	assert_true(add_at(d, DISPATCH_BLOCK, "four", 0));
	assert_string_equal(next_at(d, 0, &item), "one");
	assert_int_equal(item.kind, DISPATCH_BLOCK);
	assert_string_equal(next_at(d, 0, &item), ""); /* one at a time */
	assert_false(dispatch_is_idle(d));
	assert_true(dispatch_done(d, item.number, 5));
	assert_string_equal(next_at(d, 5, &item), "two");
	assert_int_equal(item.kind, DISPATCH_TOOL);
	assert_true(dispatch_done(d, item.number, 5));
	assert_string_equal(next_at(d, 5, &item), "three");
	assert_int_equal(item.kind, DISPATCH_FINAL);
	assert_true(dispatch_done(d, item.number, 5));
	assert_string_equal(next_at(d, 5, &item), "four");
	assert_true(dispatch_done(d, item.number, 5));
	assert_false(dispatch_done(d, item.number, 5));
	assert_true(dispatch_is_idle(d));
	assert_int_equal(dispatch_due(d), INT64_MAX);
	dispatch_destroy(d);
	dispatch_destroy(NULL);
}

static void only_blocks_after_the_first_pause(void **state)
{
	struct dispatch *d = make(DISPATCH_PACE_CUSTOM, 100, 100);
	struct dispatch_item item;

	add_at(d, DISPATCH_TOOL, "tool", 0);
	add_at(d, DISPATCH_BLOCK, "first", 0);
	add_at(d, DISPATCH_TOOL, "tool again", 0);
	add_at(d, DISPATCH_BLOCK, "second", 0);
	add_at(d, DISPATCH_FINAL, "final", 0);
	assert_string_equal(next_at(d, 0, &item), "tool");
	dispatch_done(d, item.number, 10);
	assert_string_equal(next_at(d, 10, &item), "first");
	dispatch_done(d, item.number, 20);
	assert_string_equal(next_at(d, 20, &item), "tool again");
	dispatch_done(d, item.number, 30);
	assert_string_equal(next_at(d, 30, &item), "");
	assert_int_equal(dispatch_due(d), 130); /* from the answer to the one before */
	assert_string_equal(next_at(d, 129, &item), "");
	assert_string_equal(next_at(d, 130, &item), "second");
	dispatch_done(d, item.number, 140);
	assert_string_equal(next_at(d, 140, &item), "final");
	dispatch_destroy(d);
}

static void a_block_that_finds_nobody_pauses_from_then_on(void **state)
{
	struct dispatch *d = make(DISPATCH_PACE_CUSTOM, 100, 100);
	struct dispatch_item item;

	add_at(d, DISPATCH_BLOCK, "first", 0);
	next_at(d, 0, &item);
	dispatch_done(d, item.number, 0);
	add_at(d, DISPATCH_BLOCK, "second", 5000);
	assert_int_equal(dispatch_due(d), 5100);
	assert_string_equal(next_at(d, 5100, &item), "second");
	dispatch_destroy(d);
}

/* The pause before the second of two blocks. */
static int64_t pause_of(enum dispatch_pace pace, int64_t min_ms, int64_t max_ms, uint64_t seed)
{
	const struct dispatch_options options = {.delay = {pace, min_ms, max_ms}, .seed = seed};
	struct dispatch *d = dispatch_create(&options);
	struct dispatch_item item;
	int64_t due;

	add_at(d, DISPATCH_BLOCK, "first", 0);
	add_at(d, DISPATCH_BLOCK, "second", 0);
	next_at(d, 0, &item);
	dispatch_done(d, item.number, 0);
	due = dispatch_due(d);
	dispatch_destroy(d);
	return due;
}

static void each_pace_has_its_pauses(void **state)
{
	int64_t least = INT64_MAX, most = 0;

	for (uint64_t seed = 1; seed < 3000; seed++) {
		int64_t natural = pause_of(DISPATCH_PACE_NATURAL, 0, 0, seed * 0x9E3779B97F4A7C15u);
		int64_t custom = pause_of(DISPATCH_PACE_CUSTOM, 5, 7, seed * 0x9E3779B97F4A7C15u);

		assert_in_range(natural, 800, 2500);
		assert_in_range(custom, 5, 7);
		least = natural < least ? natural : least;
		most = natural > most ? natural : most;
	}
	assert_true(least < 850 && most > 2450);
	assert_int_equal(pause_of(DISPATCH_PACE_OFF, 500, 600, 1), 0);
	assert_int_equal(pause_of(DISPATCH_PACE_UNSET, 500, 600, 1), 0);
	assert_int_equal(pause_of(DISPATCH_PACE_CUSTOM, 300, 200, 0), 300);
}

static void paces_have_names_and_on_is_natural(void **state)
{
	enum dispatch_pace pace = DISPATCH_PACE_UNSET;

	assert_true(dispatch_read_pace(TEXT("on"), &pace));
	assert_int_equal(pace, DISPATCH_PACE_NATURAL);
	assert_true(dispatch_read_pace(TEXT("off"), &pace));
	assert_int_equal(pace, DISPATCH_PACE_OFF);
	assert_true(dispatch_read_pace(TEXT("natural"), &pace));
	assert_int_equal(pace, DISPATCH_PACE_NATURAL);
	assert_true(dispatch_read_pace(TEXT("custom"), &pace));
	assert_int_equal(pace, DISPATCH_PACE_CUSTOM);
	assert_false(dispatch_read_pace(TEXT("yes"), &pace));
}

static void the_agent_is_over_the_channel(void **state)
{
	const struct dispatch_delay general = {DISPATCH_PACE_NATURAL, 0, 0};
	const struct dispatch_delay channel = {DISPATCH_PACE_CUSTOM, 1, 2};
	const struct dispatch_delay agent = {DISPATCH_PACE_OFF, 0, 0}, unset = {0};

	assert_int_equal(dispatch_resolve(NULL, NULL, NULL).pace, DISPATCH_PACE_OFF);
	assert_int_equal(dispatch_resolve(&general, NULL, &unset).pace, DISPATCH_PACE_NATURAL);
	assert_int_equal(dispatch_resolve(&general, &channel, &unset).max_ms, 2);
	assert_int_equal(dispatch_resolve(&general, &channel, &agent).pace, DISPATCH_PACE_OFF);
}

static void a_block_has_15_seconds_and_others_as_long_as_they_take(void **state)
{
	struct dispatch *d = make(DISPATCH_PACE_OFF, 0, 0);
	struct dispatch_item item;

	add_at(d, DISPATCH_BLOCK, "block", 0);
	add_at(d, DISPATCH_FINAL, "final", 0);
	next_at(d, 1000, &item);
	assert_int_equal(dispatch_due(d), 16000);
	assert_string_equal(next_at(d, 15999, &item), "");
	assert_string_equal(next_at(d, 16000, &item), "late");
	assert_true(text_is(item.payload->text, "block"));
	assert_false(dispatch_done(d, item.number, 16001)); /* the answer comes too late */
	assert_string_equal(next_at(d, 16001, &item), "final");
	assert_int_equal(dispatch_due(d), INT64_MAX);
	assert_string_equal(next_at(d, 1000000, &item), "");
	dispatch_destroy(d);
}

static void blocks_that_wait_can_be_dropped(void **state)
{
	struct dispatch *d = make(DISPATCH_PACE_CUSTOM, 100, 100);
	struct dispatch_item item;

	add_at(d, DISPATCH_BLOCK, "first", 0);
	next_at(d, 0, &item);
	dispatch_done(d, item.number, 0);
	add_at(d, DISPATCH_BLOCK, "second", 0);
	add_at(d, DISPATCH_FINAL, "final", 0);
	add_at(d, DISPATCH_BLOCK, "third", 0);
	dispatch_drop_blocks(d, 10);
	assert_int_equal(dispatch_due(d), 10);
	assert_string_equal(next_at(d, 10, &item), "final");
	dispatch_drop_blocks(d, 10); /* what is on its way stays */
	assert_true(dispatch_done(d, item.number, 11));
	assert_true(dispatch_is_idle(d));
	dispatch_destroy(d);
}

static void too_many_are_refused(void **state)
{
	struct dispatch *d = make(DISPATCH_PACE_OFF, 0, 0);
	const struct payload payload = {.text = TEXT("one more")};
	const struct dispatch_item item = {DISPATCH_TOOL, 1, &payload};
	enum dispatch_refusal why = DISPATCH_IS_EMPTY;

	for (unsigned i = 0; i < DISPATCH_WAITING_MAX; i++)
		assert_true(dispatch_enqueue(d, &item, 0, &why));
	assert_false(dispatch_enqueue(d, &item, 0, &why));
	assert_int_equal(why, DISPATCH_IS_FULL);
	dispatch_destroy(d);
}

static void the_payload_comes_whole(void **state)
{
	const struct text media[] = {TEXT("https://example.org/a.png"), TEXT("b.ogg")};
	const struct payload payload = {TEXT("text"), media, 2, TEXT("42"), true};
	const struct dispatch_item item = {DISPATCH_TOOL, 9, &payload};
	struct dispatch *d = make(DISPATCH_PACE_OFF, 0, 0);
	struct dispatch_item out;

	assert_true(dispatch_enqueue(d, &item, 0, NULL));
	assert_int_equal(dispatch_next(d, 0, &out), DISPATCH_SENDS);
	assert_int_equal(out.number, 9);
	assert_int_equal(out.payload->media_count, 2);
	assert_true(text_equal(out.payload->media[0], media[0]));
	assert_true(text_equal(out.payload->media[1], media[1]));
	assert_true(text_is(out.payload->reply_to, "42"));
	assert_true(out.payload->is_voice);
	dispatch_destroy(d);
}

/* --- what is for people ------------------------------------------------------------------ */

static struct text one_picture[] = {{"a.png", 5}};

static void expect(const struct normal_options *o, const char *text, bool has_media,
                   enum normal_answer answer, const char *shown)
{
	const struct payload payload = {
		.text = text_of(text), .media = one_picture, .media_count = has_media};
	struct buf out;

	buf_init(&out, 64 * KIB);
	if (normal_text(o, &payload, &out) != answer)
		fail_msg("<%s> is answered otherwise", text);
	buf_add_char(&out, '\0');
	assert_string_equal(out.at, shown);
	buf_finish(&out);
}

static const struct normal_options plain;

static void empty_texts_are_skipped(void **state)
{
	expect(&plain, "", false, NORMAL_EMPTY, "");
	expect(&plain, " \n\t", false, NORMAL_EMPTY, "");
	expect(&plain, "\x01\x02", false, NORMAL_EMPTY, "");
	expect(&plain, "", true, NORMAL_TAKEN, "");
	expect(&plain, "Hello", false, NORMAL_TAKEN, "Hello");
}

static void silent_texts_are_skipped(void **state)
{
	expect(&plain, "NO_REPLY", false, NORMAL_SILENT, "");
	expect(&plain, "  NO_REPLY  ", false, NORMAL_SILENT, "");
	expect(&plain, "NO_REPLY because of that", false, NORMAL_SILENT, "");
	expect(&plain, "Thinking done. NO_REPLY.**", false, NORMAL_SILENT, "");
	expect(&plain, "NO_REPLYING is a word", false, NORMAL_TAKEN, "NO_REPLYING is a word");
	expect(&plain, "MY_NO_REPLY", false, NORMAL_TAKEN, "MY_NO_REPLY");
	expect(&plain, "it said NO_REPLY to me", false, NORMAL_TAKEN, "it said NO_REPLY to me");
	expect(&plain, "NO_REPLY", true, NORMAL_TAKEN, "");
}

static void heartbeats_are_stripped_at_both_ends(void **state)
{
	expect(&plain, "HEARTBEAT_OK", false, NORMAL_HEARTBEAT, "");
	expect(&plain, "HEARTBEAT_OK HEARTBEAT_OK", false, NORMAL_HEARTBEAT, "");
	expect(&plain, "**HEARTBEAT_OK**", false, NORMAL_HEARTBEAT, "");
	expect(&plain, "<b>HEARTBEAT_OK</b>", false, NORMAL_HEARTBEAT, "");
	expect(&plain, "`HEARTBEAT_OK`", false, NORMAL_HEARTBEAT, "");
	expect(&plain, "HEARTBEAT_OK All   is\nwell. HEARTBEAT_OK", false, NORMAL_TAKEN,
	       "All is well.");
	expect(&plain, "HEARTBEAT_OK", true, NORMAL_TAKEN, "");
	expect(&plain, "say HEARTBEAT_OK when well", false, NORMAL_TAKEN,
	       "say HEARTBEAT_OK when well");
}

/* Each of them looking for its end to the end of the text would take minutes. */
static void tags_without_an_end_are_read_once(void **state)
{
	struct payload payload = {0};
	struct buf text, out;

	buf_init(&text, 8 * MIB);
	buf_init(&out, 8 * MIB);
	buf_add(&text, TEXT("<b>HEARTBEAT_OK "));
	for (size_t i = 0; i < 4 * MIB; i++)
		buf_add_char(&text, '<');
	payload.text = buf_text(&text);
	assert_int_equal(normal_text(&plain, &payload, &out), NORMAL_TAKEN);
	assert_int_equal(out.len, 4 * MIB);
	buf_finish(&text);
	buf_finish(&out);
}

static void a_short_remark_of_a_heartbeat_is_skipped(void **state)
{
	const struct normal_options heartbeat = {.is_heartbeat = true};
	char text[400];

	expect(&heartbeat, "HEARTBEAT_OK nothing new", false, NORMAL_HEARTBEAT, "");
	expect(&heartbeat, "The disk is full.", false, NORMAL_TAKEN, "The disk is full.");
	snprintf(text, sizeof(text), "HEARTBEAT_OK %0300d", 0);
	expect(&heartbeat, text, false, NORMAL_HEARTBEAT, "");
	snprintf(text, sizeof(text), "HEARTBEAT_OK %0301d", 0);
	expect(&heartbeat, text, false, NORMAL_TAKEN, text + strlen("HEARTBEAT_OK "));
}

static void controls_are_taken_out(void **state)
{
	expect(&plain,
	       "a\x1b[31mb\r\n\tc\x7f\xC2\x9B"
	       "d",
	       false, NORMAL_TAKEN, "a[31mb\r\n\tcd");
	expect(&plain, "a\xFFz", false, NORMAL_TAKEN, "a\xEF\xBF\xBDz");
	expect(&plain, "grün 😀", false, NORMAL_TAKEN, "grün 😀");
}

/* A zero-width space, joiners, marks of direction, blanks that are no spaces. */
static void what_nobody_sees_is_not_sent(void **state)
{
	static const struct normal_options prefixed = {.response_prefix = {"bot:", 4}};
	static const char zero[] =
		"\xE2\x80\x8B \xE2\x80\x8D\xEF\xBB\xBF\n\xE2\x80\x8E\xE2\x81\xA0";

	expect(&plain, zero, false, NORMAL_EMPTY, "");
	expect(&plain, "\xC2\xA0\xE3\x80\x80", false, NORMAL_EMPTY, "");
	expect(&prefixed, zero, false, NORMAL_EMPTY, "");
	expect(&plain, zero, true, NORMAL_TAKEN, "");
	expect(&plain, "\xE2\x80\x8B.", false, NORMAL_TAKEN, "\xE2\x80\x8B.");
}

static void noncharacters_are_taken_out(void **state)
{
	expect(&plain, "a\xEF\xBF\xBE\xEF\xBF\xBF\xEF\xB7\x90\xEF\xB7\xAF\xF0\x9F\xBF\xBEz", false,
	       NORMAL_TAKEN, "az");
	expect(&plain, "\xEF\xB7\x8F\xEF\xB7\xB0\xEF\xBF\xBD", false, NORMAL_TAKEN,
	       "\xEF\xB7\x8F\xEF\xB7\xB0\xEF\xBF\xBD");
	expect(&plain, "\xEF\xBF\xBF", false, NORMAL_EMPTY, "");
}

static void the_prefix_is_put_before_once(void **state)
{
	const struct normal_options o = {
		.response_prefix = TEXT(
			"[{model}|{ModelFull}|{provider}|{thinkingLevel}|{identity.name}|{a}|{"),
		.names = {TEXT("opus"), TEXT("x/opus"), TEXT("x"), TEXT("high"), TEXT("")},
	};
	const char *prefix = "[opus|x/opus|x|high|{identity.name}|{a}|{";
	const struct normal_options bot = {.response_prefix = TEXT("[bot]")};

	char expected[128];

	snprintf(expected, sizeof(expected), "%s Hello", prefix);
	expect(&o, "Hello", false, NORMAL_TAKEN, expected);
	expect(&o, expected, false, NORMAL_TAKEN, expected);
	expect(&bot, "Hello", false, NORMAL_TAKEN, "[bot] Hello");
	expect(&bot, "[bot] Hello", false, NORMAL_TAKEN, "[bot] Hello");
	expect(&bot, "", true, NORMAL_TAKEN, "");
}

static void a_piece_with_its_prefix_keeps_the_limit(void **state)
{
	const struct normal_options o = {.response_prefix = TEXT("[{model}]\n"),
	                                 .names = {.model = TEXT("grün 😀")},
	                                 .limit = {CHUNK_UTF16, 100, 6}};
	struct chunk_limit limit = normal_limit(&o);
	struct chunk_options chunking;
	struct chunk_piece piece;
	struct chunker *c;
	unsigned pieces = 0;
	char text[301] = "";

	memset(text, 'x', 300);
	chunk_resolve(&chunking, &limit, NULL, NULL, NULL);
	c = chunker_create(&chunking);
	assert_true(chunk_add(c, text_of(text)));
	chunk_flush(c);
	for (; chunk_take(c, &piece); pieces++) {
		const struct payload payload = {.text = piece.text};
		struct buf out;

		buf_init(&out, 4 * KIB);
		assert_int_equal(normal_text(&o, &payload, &out), NORMAL_TAKEN);
		assert_true(text_starts(buf_text(&out), TEXT("[grün 😀]\n ")));
		assert_in_range(chunk_length(CHUNK_UTF16, buf_text(&out)), 1, 100);
		buf_finish(&out);
	}
	assert_int_equal(pieces, 4);
	assert_int_equal(limit.lines, 5);
	chunker_destroy(c);
}

static void a_prefix_without_room_is_left_out(void **state)
{
	struct normal_options o = {.response_prefix = TEXT("[bot]"),
	                           .limit = {CHUNK_UTF16, CHUNK_LEAST_CHARS + 5, 0}};

	expect(&o, "Hello", false, NORMAL_TAKEN, "Hello");
	assert_int_equal(normal_limit(&o).max, CHUNK_LEAST_CHARS + 5);
	o.limit.max++;
	expect(&o, "Hello", false, NORMAL_TAKEN, "[bot] Hello");
	assert_int_equal(normal_limit(&o).max, CHUNK_LEAST_CHARS);
}

static void the_dispatcher_says_why_it_took_nothing(void **state)
{
	static const struct {
		const char *text;
		enum dispatch_refusal why;
	} cases[] = {
		{" ", DISPATCH_IS_EMPTY},
		{"NO_REPLY", DISPATCH_IS_SILENT},
		{"HEARTBEAT_OK", DISPATCH_IS_HEARTBEAT},
	};
	struct dispatch *d = make(DISPATCH_PACE_OFF, 0, 0);

	for (unsigned i = 0; i < 3; i++) {
		const struct payload payload = {.text = text_of(cases[i].text)};
		const struct dispatch_item item = {DISPATCH_BLOCK, 1, &payload};
		enum dispatch_refusal why = DISPATCH_IS_FULL;

		assert_false(dispatch_enqueue(d, &item, 0, &why));
		assert_int_equal(why, cases[i].why);
	}
	assert_true(dispatch_is_idle(d));
	dispatch_destroy(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kinds_share_one_order),
		cmocka_unit_test(only_blocks_after_the_first_pause),
		cmocka_unit_test(a_block_that_finds_nobody_pauses_from_then_on),
		cmocka_unit_test(each_pace_has_its_pauses),
		cmocka_unit_test(paces_have_names_and_on_is_natural),
		cmocka_unit_test(the_agent_is_over_the_channel),
		cmocka_unit_test(a_block_has_15_seconds_and_others_as_long_as_they_take),
		cmocka_unit_test(blocks_that_wait_can_be_dropped),
		cmocka_unit_test(too_many_are_refused),
		cmocka_unit_test(the_payload_comes_whole),
		cmocka_unit_test(empty_texts_are_skipped),
		cmocka_unit_test(silent_texts_are_skipped),
		cmocka_unit_test(heartbeats_are_stripped_at_both_ends),
		cmocka_unit_test(tags_without_an_end_are_read_once),
		cmocka_unit_test(a_short_remark_of_a_heartbeat_is_skipped),
		cmocka_unit_test(controls_are_taken_out),
		cmocka_unit_test(what_nobody_sees_is_not_sent),
		cmocka_unit_test(noncharacters_are_taken_out),
		cmocka_unit_test(the_prefix_is_put_before_once),
		cmocka_unit_test(a_piece_with_its_prefix_keeps_the_limit),
		cmocka_unit_test(a_prefix_without_room_is_left_out),
		cmocka_unit_test(the_dispatcher_says_why_it_took_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
