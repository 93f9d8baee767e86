/* blocks_test.c - from tokens to blocks, by a clock that is only a number. */
#include "deliver/blocks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "deliver/dispatch.h"

static const struct chunk_limit limit = {CHUNK_UTF16, 4096, 0};

/* Cut at 40, gathered from 20 to 40, idle after a second. */
static struct pipeline_options small_options(void)
{
	return (struct pipeline_options){
		.chunking = {CHUNK_UTF16, 20, 40, 0, CHUNK_PARAGRAPH, 0},
		.coalescing = {CHUNK_UTF16, 20, 40, 1000, "\n\n", false, GATHER_IDLE_SENDS},
	};
}

static struct pipeline *make(void)
{
	struct pipeline_options options = small_options();

	return pipeline_create(&options);
}

static void say(struct pipeline *p, const char *text, int64_t now_ms)
{
	assert_true(pipeline_say(p, text_of(text), now_ms));
}

static bool enqueue(struct pipeline *p, const char *text, int64_t now_ms)
{
	return pipeline_enqueue(p, &(struct payload){.text = text_of(text)}, now_ms);
}

/* The texts of all blocks that may be taken, with bars between; media as [URL], "v" for voice, and
 * what they answer as >ID. */
static const char *taken(struct pipeline *p)
{
	static char all[4096];
	struct pipeline_block b;
	int n = 0;

	all[0] = '\0';
	while (pipeline_take(p, &b)) {
		const struct payload *one = b.payload;

		n += snprintf(all + n, sizeof(all) - (size_t)n, "%s%.*s", n ? "|" : "",
		              TEXT_ARG(one->text));
		for (size_t i = 0; i < one->media_count; i++)
			n += snprintf(all + n, sizeof(all) - (size_t)n, "[%.*s]%s",
			              TEXT_ARG(one->media[i]), one->is_voice ? "v" : "");
		if (one->reply_to.len)
			n += snprintf(all + n, sizeof(all) - (size_t)n, ">%.*s",
			              TEXT_ARG(one->reply_to));
	}
	return all;
}

static const char *final_of(struct pipeline *p, const char *text)
{
	static char all[4096];
	struct payload rest;

	if (!pipeline_final(p, &(struct payload){.text = text_of(text)}, &rest))
		return "(nothing)";
	snprintf(all, sizeof(all), "%.*s", TEXT_ARG(rest.text));
	return all;
}

/* --- the configuration ------------------------------------------------------------------- */

static void defaults_are_800_1200_and_a_second(void **state)
{
	const struct gather_levels none = {0};
	struct chunk_options chunking;
	struct gather_options o;

	chunk_resolve(&chunking, &limit, NULL, NULL, NULL);
	gather_resolve(&o, &none, &limit, &chunking);
	assert_int_equal(o.min_chars, 800);
	assert_int_equal(o.max_chars, 1200);
	assert_int_equal(o.idle_ms, 1000);
	assert_string_equal(o.joiner, "\n\n");
	assert_false(o.flush_on_enqueue);
	assert_int_equal(o.idle, GATHER_IDLE_SENDS);
}

static void the_joiner_is_that_of_the_preference(void **state)
{
	const struct gather_levels none = {0};
	struct chunk_options chunking;
	struct gather_options o;

	chunk_resolve(&chunking, &limit, &(struct chunk_wish){.break_preference = CHUNK_NEWLINE},
	              NULL, NULL);
	gather_resolve(&o, &none, &limit, &chunking);
	assert_string_equal(o.joiner, "\n");
	chunk_resolve(&chunking, &limit, &(struct chunk_wish){.break_preference = CHUNK_SENTENCE},
	              NULL, NULL);
	gather_resolve(&o, &none, &limit, &chunking);
	assert_string_equal(o.joiner, " ");
	chunk_resolve(&chunking, &limit, &(struct chunk_wish){.flush_on_paragraph = CHUNK_ON}, NULL,
	              NULL);
	gather_resolve(&o, &none, &limit, &chunking);
	assert_true(o.flush_on_enqueue);
}

static void account_over_channel_over_the_rest(void **state)
{
	const struct gather_wish general = {1500,      9000,     500,
	                                    TEXT("-"), CHUNK_ON, GATHER_IDLE_GATED};
	const struct gather_wish channel = {.min_chars = 700,
	                                    .joiner = TEXT("12345678901234567890")};
	const struct gather_wish account = {.flush_on_enqueue = CHUNK_OFF, .max_chars = 600};
	struct gather_levels levels = {.general = &general};
	struct chunk_options chunking;
	struct gather_options o;

	chunk_resolve(&chunking, &limit, NULL, NULL, NULL);
	gather_resolve(&o, &levels, &limit, &chunking);
	assert_int_equal(o.min_chars, 1500);
	assert_int_equal(o.max_chars, 4096); /* the channel's limit */
	assert_int_equal(o.idle_ms, 500);
	assert_string_equal(o.joiner, "-");
	assert_true(o.flush_on_enqueue);
	assert_int_equal(o.idle, GATHER_IDLE_GATED);
	levels = (struct gather_levels){&general, &channel, &account};
	gather_resolve(&o, &levels, &limit, &chunking);
	assert_int_equal(o.min_chars, 700);
	assert_int_equal(o.max_chars, 700); /* not below min */
	assert_string_equal(o.joiner, "1234567890123456");
	assert_false(o.flush_on_enqueue);
}

/* --- gathering --------------------------------------------------------------------------- */

static void texts_are_joined_until_they_are_long_enough(void **state)
{
	struct pipeline *p = make();

	assert_true(enqueue(p, "one", 0));
	assert_true(enqueue(p, "two", 0));
	assert_string_equal(taken(p), "");
	/* 8 and a joiner and 31 are more than 40: the first leave, the last is held. */
	assert_true(enqueue(p, "a text of exactly 31 characters", 0));
	assert_string_equal(taken(p), "one\n\ntwo");
	/* Exactly 40 leaves at once. */
	assert_true(enqueue(p, "seven .", 0));
	assert_string_equal(taken(p), "a text of exactly 31 characters\n\nseven .");
	/* One that is long enough by itself is not held. */
	assert_true(enqueue(p, "short", 0));
	assert_true(enqueue(p, "this one has forty characters by itself.", 0));
	assert_string_equal(taken(p), "short|this one has forty characters by itself.");
	pipeline_destroy(p);
	pipeline_destroy(NULL);
}

static void blank_texts_are_ignored(void **state)
{
	struct pipeline *p = make();

	assert_false(enqueue(p, "", 0));
	assert_false(enqueue(p, " \n ", 0));
	assert_int_equal(pipeline_due(p), INT64_MAX);
	pipeline_destroy(p);
}

static void a_paragraph_break_flushes_from_min_on(void **state)
{
	struct pipeline *p = make();

	say(p, "Short.\n\n", 0);
	assert_string_equal(taken(p), "");
	say(p, "Twenty characters.\n\n", 0);
	assert_string_equal(taken(p), "Short.\n\nTwenty characters.");
	assert_true(enqueue(p, "brief\n\n", 0));
	assert_string_equal(taken(p), "");
	assert_true(enqueue(p, "but now it is enough\n\n", 0));
	assert_string_equal(taken(p), "brief\n\n\n\nbut now it is enough\n\n");
	pipeline_destroy(p);
}

static void flush_on_enqueue_sends_each_by_itself(void **state)
{
	struct pipeline_options o = small_options();
	struct pipeline *p;

	o.coalescing.flush_on_enqueue = true;
	p = pipeline_create(&o);
	assert_true(enqueue(p, "one", 0));
	assert_true(enqueue(p, "two", 0));
	assert_string_equal(taken(p), "one|two");
	pipeline_destroy(p);
}

static void a_payload_that_is_too_long_is_cut(void **state)
{
	const struct payload payload = {
		.text = TEXT("First words of thirty characters. And then there are more words."),
		.reply_to = TEXT("7")};
	struct pipeline_options o = small_options();
	struct pipeline *p = make();

	say(p, "```\ncode\n", 0);
	assert_true(pipeline_enqueue(p, &payload, 0));
	pipeline_flush(p);
	assert_string_equal(taken(p), "```\ncode\n```\n|First words of thirty characters.>7|"
	                              "And then there are more words.");
	assert_false(pipeline_enqueue(p, &payload, 0));
	pipeline_destroy(p);
	o.chunking.max_lines = o.coalescing.max_lines = 4;
	p = pipeline_create(&o);
	assert_true(enqueue(p, "1\n2\n3\n4\n5", 0));
	pipeline_flush(p);
	assert_string_equal(taken(p), "1\n2\n3\n4|5");
	pipeline_destroy(p);
}

static void another_reply_target_or_a_voice_begins_a_block(void **state)
{
	struct pipeline *p = make();
	struct payload one = {.text = TEXT("one"), .reply_to = TEXT("7")};

	pipeline_enqueue(p, &one, 0);
	one.text = TEXT("two");
	pipeline_enqueue(p, &one, 0);
	one.reply_to = TEXT("8");
	one.text = TEXT("three");
	pipeline_enqueue(p, &one, 0);
	assert_string_equal(taken(p), "one\n\ntwo>7");
	one.is_voice = true;
	one.text = TEXT("four");
	pipeline_enqueue(p, &one, 0);
	assert_string_equal(taken(p), "three>8");
	pipeline_flush(p);
	assert_string_equal(taken(p), "four>8");
	pipeline_destroy(p);
}

static void pieces_of_one_text_are_joined_as_they_were_parted(void **state)
{
	struct pipeline_options o = small_options();
	struct pipeline *p;

	o.coalescing.max_chars = 200;
	o.coalescing.min_chars = 150;
	p = pipeline_create(&o);
	say(p,
	    "One two three four five six seven eight nine ten. Eleven twelve.\nThirteen fourteen.",
	    0);
	pipeline_flush(p);
	assert_string_equal(taken(p),
	                    "One two three four five six seven eight nine ten. Eleven twelve."
	                    "\nThirteen fourteen.");
	pipeline_destroy(p);
}

static void gathered_texts_keep_the_limit_of_lines(void **state)
{
	const struct chunk_limit discord = {CHUNK_UTF16, 2000, 4};
	const struct gather_levels none = {0};
	struct pipeline_options o = {0};
	struct pipeline *p;

	chunk_resolve(&o.chunking, &discord, NULL, NULL, NULL);
	gather_resolve(&o.coalescing, &none, &discord, &o.chunking);
	p = pipeline_create(&o);
	say(p, "1\n2\n3\n4\n5\n6\n7\n8\n9\n", 0);
	pipeline_flush(p);
	assert_string_equal(taken(p), "1\n2\n3\n4|5\n6\n7\n8|9\n");
	assert_true(enqueue(p, "a\nb", 0)); /* with a blank line between they are five */
	assert_true(enqueue(p, "c\nd", 0));
	assert_true(enqueue(p, "e", 0));
	pipeline_flush(p);
	assert_string_equal(taken(p), "a\nb|c\nd\n\ne");
	pipeline_destroy(p);
}

static void only_the_first_block_of_tokens_answers(void **state)
{
	struct pipeline_options o = small_options();
	struct pipeline *p;

	o.reply_to = TEXT("7");
	p = pipeline_create(&o);
	say(p, "First words of thirty characters. And then there are more words. And an end.", 0);
	pipeline_flush(p);
	assert_string_equal(taken(p), "First words of thirty characters.>7|"
	                              "And then there are more words.|And an end.");
	pipeline_destroy(p);
}

/* --- time -------------------------------------------------------------------------------- */

static void the_idle_flush_sends_what_there_is(void **state)
{
	struct pipeline *p = make();

	say(p, "Let me ", 100);
	say(p, "look.", 600);
	assert_int_equal(pipeline_due(p), 1600);
	pipeline_tick(p, 1599);
	assert_string_equal(taken(p), "");
	pipeline_tick(p, 1600);
	assert_string_equal(taken(p), "Let me look.");
	assert_int_equal(pipeline_due(p), INT64_MAX);
	say(p, " Found it.", 5000);
	assert_int_equal(pipeline_due(p), 6000);
	pipeline_tick(p, 6000);
	assert_string_equal(taken(p), "Found it.");
	pipeline_destroy(p);
}

static void a_gated_idle_flush_waits_for_min(void **state)
{
	struct pipeline_options o = small_options();
	struct pipeline *p;

	o.coalescing.idle = GATHER_IDLE_GATED;
	p = pipeline_create(&o);
	enqueue(p, "short", 0);
	assert_int_equal(pipeline_due(p), 1000);
	pipeline_tick(p, 1000);
	assert_string_equal(taken(p), "");
	assert_int_equal(pipeline_due(p), 2000); /* it is armed again */
	enqueue(p, "and now long enough", 1500);
	pipeline_tick(p, 2500);
	assert_string_equal(taken(p), "short\n\nand now long enough");
	/* What is not cut yet waits for its cut or for the end. */
	say(p, "tokens", 3000);
	assert_int_equal(pipeline_due(p), INT64_MAX);
	pipeline_flush(p);
	assert_string_equal(taken(p), "tokens");
	pipeline_destroy(p);
}

static void an_idle_flush_in_code_closes_and_opens_the_fence(void **state)
{
	struct pipeline *p = make();

	say(p, "```c\nint x;\n", 0);
	pipeline_tick(p, 1000);
	assert_string_equal(taken(p), "```c\nint x;\n```\n");
	say(p, "int y;\n```", 2000);
	pipeline_flush(p);
	assert_string_equal(taken(p), "```c\nint y;\n```");
	pipeline_destroy(p);
}

/* --- media ------------------------------------------------------------------------------- */

static void put_media(struct pipeline *p, const char *text, const char *url, bool is_voice)
{
	const struct text media[] = {text_of(url)};

	assert_true(pipeline_enqueue(p,
	                             &(struct payload){.text = text_of(text),
	                                               .media = media,
	                                               .media_count = 1,
	                                               .is_voice = is_voice},
	                             0));
}

static void media_leave_behind_what_was_said_before(void **state)
{
	struct pipeline *p = make();

	enqueue(p, "Look", 0);
	say(p, "here:", 0);
	put_media(p, "", "a.png", false);
	say(p, "Nice?", 0);
	put_media(p, "caption", "b.png", false);
	assert_string_equal(taken(p), "Look\n\nhere:|[a.png]|Nice?|caption[b.png]");
	pipeline_destroy(p);
}

static void audio_is_held_and_one_voice_makes_all_of_it_voices(void **state)
{
	struct pipeline *p = make();

	put_media(p, "", "https://example.org/a.OGG?x=1", false);
	put_media(p, "", "b.png", false);
	say(p, "text", 0);
	put_media(p, "", "c.mp3", true);
	assert_string_equal(taken(p), "[b.png]");
	pipeline_flush(p);
	assert_string_equal(taken(p), "text|[https://example.org/a.OGG?x=1]v|[c.mp3]v");
	put_media(p, "", "d.wav", false);
	pipeline_flush(p);
	assert_string_equal(taken(p), "[d.wav]v");
	pipeline_destroy(p);
}

static void the_hold_may_be_all_media_or_none(void **state)
{
	struct pipeline_options o = small_options();
	struct pipeline *p;

	o.hold = PIPELINE_HOLDS_MEDIA;
	p = pipeline_create(&o);
	put_media(p, "", "b.png", true);
	put_media(p, "", "a.flac", false);
	assert_string_equal(taken(p), "");
	pipeline_flush(p);
	assert_string_equal(taken(p), "[b.png]v|[a.flac]v");
	pipeline_destroy(p);
	o.hold = PIPELINE_HOLDS_NONE;
	p = pipeline_create(&o);
	put_media(p, "", "a.ogg", false);
	assert_string_equal(taken(p), "[a.ogg]");
	pipeline_destroy(p);
}

static void too_many_held_leave_at_once(void **state)
{
	struct pipeline *p = make();
	char name[32];

	for (unsigned i = 0; i < PIPELINE_HELD_MAX; i++) {
		snprintf(name, sizeof(name), "%u.ogg", i);
		put_media(p, "", name, false);
	}
	assert_string_equal(taken(p), "");
	put_media(p, "", "last.ogg", false);
	assert_string_equal(taken(p), "[last.ogg]");
	pipeline_destroy(p);
}

/* --- once -------------------------------------------------------------------------------- */

static void the_same_message_leaves_once_in_a_turn(void **state)
{
	struct pipeline *p = make();
	struct payload other = {.text = TEXT("one"), .reply_to = TEXT("7")};

	enqueue(p, "one", 0);
	pipeline_flush(p);
	assert_string_equal(taken(p), "one");
	enqueue(p, " one\n", 0); /* space is no difference */
	pipeline_flush(p);
	assert_string_equal(taken(p), "");
	pipeline_enqueue(p, &other, 0); /* the target is */
	pipeline_flush(p);
	assert_string_equal(taken(p), "one>7");
	put_media(p, "one", "a.png", false); /* and media are */
	assert_string_equal(taken(p), "one[a.png]");
	assert_false(pipeline_enqueue(
		p,
		&(struct payload){.text = TEXT("one"), .media = &TEXT("a.png"), .media_count = 1},
		0));
	pipeline_destroy(p);
}

static void equal_pieces_of_one_text_all_leave(void **state)
{
	struct pipeline *p = make();
	struct payload rest;
	char text[121];

	memset(text, 'x', 120);
	text[120] = '\0';
	say(p, text, 0);
	pipeline_flush(p);
	assert_int_equal(strlen(taken(p)), 120 + 2);
	pipeline_settle(p, 1, PIPELINE_ACCEPTED);
	pipeline_settle(p, 2, PIPELINE_REFUSED);
	pipeline_settle(p, 3, PIPELINE_ACCEPTED);
	assert_true(pipeline_final(p, &(struct payload){.text = text_of(text)}, &rest));
	assert_int_equal(rest.text.len, 40);
	pipeline_destroy(p);
}

static void has_sent_knows_what_was_accepted(void **state)
{
	const struct payload one = {.text = TEXT("one")}, two = {.text = TEXT("two")};
	struct pipeline *p = make();

	pipeline_enqueue(p, &one, 0);
	pipeline_flush(p);
	assert_false(pipeline_has_sent(p, &one));
	assert_string_equal(taken(p), "one");
	assert_false(pipeline_has_sent(p, &one));
	pipeline_settle(p, 1, PIPELINE_ACCEPTED);
	assert_true(pipeline_has_sent(p, &one));
	assert_false(pipeline_has_sent(p, &two));
	pipeline_settle(p, 1, PIPELINE_REFUSED); /* settled is settled */
	assert_true(pipeline_has_sent(p, &one));
	pipeline_destroy(p);
}

/* --- the final --------------------------------------------------------------------------- */

static void a_final_that_was_streamed_is_not_sent_again(void **state)
{
	struct pipeline *p = make();

	say(p, "First words of thirty characters. And more of them.", 0);
	pipeline_flush(p);
	assert_string_equal(taken(p), "First words of thirty characters.|And more of them.");
	pipeline_settle(p, 1, PIPELINE_ACCEPTED);
	pipeline_settle(p, 2, PIPELINE_ACCEPTED);
	assert_string_equal(final_of(p, "First words of thirty characters.\nAnd more of them. "),
	                    "(nothing)");
	pipeline_destroy(p);
}

static void a_final_is_compared_with_each_message(void **state)
{
	struct pipeline *p = make();

	say(p, "I will look.", 0);
	pipeline_begin_message(p);
	say(p, "It is done.", 0);
	pipeline_begin_message(p);
	pipeline_flush(p);
	assert_string_equal(taken(p), "I will look.|It is done.");
	pipeline_settle(p, 1, PIPELINE_ACCEPTED);
	pipeline_settle(p, 2, PIPELINE_ACCEPTED);
	assert_string_equal(final_of(p, "I will look."), "(nothing)");
	assert_string_equal(final_of(p, "It is done."), "(nothing)");
	assert_string_equal(final_of(p, "I will look.It is done."), "(nothing)");
	assert_string_equal(final_of(p, "Sorry, I encountered an error."),
	                    "Sorry, I encountered an error.");
	pipeline_destroy(p);
}

static void a_final_that_is_still_held_is_sent_once(void **state)
{
	struct pipeline *p = make();

	say(p, "All of it.", 0);
	assert_string_equal(final_of(p, "All of it."), "All of it.");
	pipeline_destroy(p);
}

static void a_final_without_blocks_is_sent_whole(void **state)
{
	struct pipeline *p = make();

	assert_string_equal(final_of(p, "All of it."), "All of it.");
	pipeline_destroy(p);
}

static void media_of_the_final_are_sent_though_its_text_was(void **state)
{
	const struct text media[] = {TEXT("a.png")};
	const struct payload final = {
		.text = TEXT("Look:"), .media = media, .media_count = 1, .reply_to = TEXT("7")};
	struct pipeline *p = make();
	struct payload rest;

	say(p, "Look:", 0);
	pipeline_flush(p);
	taken(p);
	pipeline_settle(p, 1, PIPELINE_ACCEPTED);
	assert_true(pipeline_final(p, &final, &rest));
	assert_int_equal(rest.text.len, 0);
	assert_int_equal(rest.media_count, 1);
	assert_true(text_is(rest.reply_to, "7"));
	pipeline_destroy(p);
}

static void what_was_refused_goes_with_the_final(void **state)
{
	struct pipeline *p = make();

	say(p, "First words of thirty characters. And then there are more words. And an end.", 0);
	pipeline_flush(p);
	taken(p);
	pipeline_settle(p, 1, PIPELINE_ACCEPTED);
	pipeline_settle(p, 2, PIPELINE_REFUSED);
	pipeline_settle(p, 3, PIPELINE_ACCEPTED);
	assert_false(pipeline_gave_up(p));
	assert_string_equal(final_of(p, "First words of thirty characters. And then there are more "
	                                "words. And an end."),
	                    "And then there are more words.");
	pipeline_destroy(p);
}

static void without_an_answer_the_rest_is_given_up_for_the_final(void **state)
{
	struct pipeline *p = make();

	say(p, "First words of thirty characters. And then there are more words. ", 0);
	say(p, "Another sentence comes behind it. And", 0);
	assert_string_equal(taken(p), "First words of thirty characters.");
	pipeline_settle(p, 1, PIPELINE_UNKNOWN);
	assert_true(pipeline_gave_up(p));
	say(p, " an end.", 0);
	pipeline_flush(p);
	assert_string_equal(taken(p), "");
	assert_int_equal(pipeline_due(p), INT64_MAX);
	/* All but the first, which nobody knows of, joined as it was. */
	assert_string_equal(
		final_of(p, "First words of thirty characters. And then there are more "
	                    "words. Another sentence comes behind it. And an end."),
		"And then there are more words. Another sentence comes behind it. And an "
		"end.");
	pipeline_destroy(p);
}

static void media_that_were_not_accepted_go_with_the_final(void **state)
{
	struct pipeline *p = make();
	struct payload rest;

	put_media(p, "caption", "a.png", false);
	put_media(p, "", "b.ogg", false);
	taken(p);
	pipeline_settle(p, 1, PIPELINE_REFUSED);
	assert_true(pipeline_final(p, &(struct payload){.text = TEXT("Done.")}, &rest));
	assert_true(text_is(rest.text, "caption\n\nDone."));
	assert_int_equal(rest.media_count, 2);
	assert_true(text_is(rest.media[1], "b.ogg"));
	pipeline_destroy(p);
}

static void skipped_blocks_are_no_loss(void **state)
{
	struct pipeline *p = make();

	say(p, "NO_REPLY", 0);
	pipeline_flush(p);
	taken(p);
	pipeline_settle(p, 1, PIPELINE_SKIPPED);
	assert_string_equal(final_of(p, "NO_REPLY"), "(nothing)");
	pipeline_destroy(p);
}

static void after_a_stop_nothing_leaves_and_nothing_is_taken(void **state)
{
	struct pipeline *p = make();

	say(p, "held", 0);
	pipeline_stop(p);
	assert_false(pipeline_say(p, TEXT("more"), 0));
	assert_false(enqueue(p, "more", 0));
	assert_string_equal(taken(p), "");
	assert_int_equal(pipeline_due(p), INT64_MAX);
	pipeline_tick(p, 100000);
	assert_string_equal(final_of(p, "held"), "held");
	pipeline_destroy(p);
}

/* A pipeline with as many blocks as may wait: "text 0", "text 1" and so on. */
static struct pipeline *make_full(struct buf *all)
{
	struct pipeline_options o = small_options();
	struct pipeline *p;

	o.coalescing.flush_on_enqueue = true;
	p = pipeline_create(&o);
	buf_init(all, 64 * KIB);
	for (unsigned n = 0; n < PIPELINE_WAITING_MAX; n++) {
		size_t from = all->len;

		buf_print(all, "text %u", n);
		assert_true(pipeline_enqueue(
			p, &(struct payload){.text = {all->at + from, all->len - from}}, 0));
		buf_add(all, TEXT("\n\n"));
	}
	return p;
}

static void accept_all(struct pipeline *p)
{
	struct pipeline_block b;

	while (pipeline_take(p, &b))
		pipeline_settle(p, b.number, PIPELINE_ACCEPTED);
}

static void a_block_without_room_goes_with_the_final(void **state)
{
	const struct text media[] = {TEXT("a.png")};
	struct payload rest, picture = {.text = TEXT("caption"), .media = media, .media_count = 1};
	struct pipeline *p;
	struct buf all;

	p = make_full(&all);
	assert_true(enqueue(p, "one more", 0));
	accept_all(p);
	assert_false(pipeline_enqueue(p, &picture, 0));
	assert_false(pipeline_say(p, TEXT("token"), 0));
	assert_string_equal(final_of(p, "Done."), "one more\n\nDone.");
	pipeline_destroy(p);
	buf_finish(&all);
	p = make_full(&all);
	assert_true(pipeline_enqueue(p, &picture, 0));
	accept_all(p);
	assert_true(pipeline_final(p, &(struct payload){.text = TEXT("Done.")}, &rest));
	assert_true(text_is(rest.text, "caption\n\nDone."));
	assert_int_equal(rest.media_count, 1);
	pipeline_destroy(p);
	buf_finish(&all);
}

static void after_an_overflow_nothing_that_waits_is_lost(void **state)
{
	struct payload rest;
	struct buf all;
	struct pipeline *p = make_full(&all);

	assert_true(enqueue(p, "one more", 0));
	assert_false(pipeline_say(p, TEXT("token"), 0));
	assert_true(pipeline_final(p, &(struct payload){.text = TEXT("Done.")}, &rest));
	buf_add(&all, TEXT("one more\n\nDone."));
	assert_true(text_equal(rest.text, buf_text(&all)));
	pipeline_destroy(p);
	buf_finish(&all);
}

static void after_an_overflow_a_whole_final_is_sent_alone(void **state)
{
	struct payload rest;
	struct buf all;
	struct pipeline *p = make_full(&all);

	assert_true(enqueue(p, "one more", 0));
	assert_false(pipeline_say(p, TEXT("token"), 0));
	buf_add(&all, TEXT("one more token"));
	assert_true(pipeline_final(p, &(struct payload){.text = buf_text(&all)}, &rest));
	assert_true(text_equal(rest.text, buf_text(&all)));
	pipeline_destroy(p);
	buf_finish(&all);
}

/* --- all of it --------------------------------------------------------------------------- */

struct chat {
	struct pipeline *pipeline;
	struct dispatch *dispatch;
	int64_t now_ms;
	int64_t silent_from, silent_to; /* blocks that begin then get no answer */
	char log[4096];
};

static void run_chat(struct chat *c)
{
	struct pipeline_block b;
	struct dispatch_item item;
	enum dispatch_step step;

	while (pipeline_take(c->pipeline, &b))
		if (!dispatch_enqueue(c->dispatch,
		                      &(struct dispatch_item){DISPATCH_BLOCK, b.number, b.payload},
		                      c->now_ms, NULL))
			pipeline_settle(c->pipeline, b.number, PIPELINE_SKIPPED);
	while ((step = dispatch_next(c->dispatch, c->now_ms, &item)) != DISPATCH_WAITS) {
		size_t n = strlen(c->log);

		if (step == DISPATCH_LATE) {
			pipeline_settle(c->pipeline, item.number, PIPELINE_UNKNOWN);
			dispatch_drop_blocks(c->dispatch, c->now_ms);
			continue;
		}
		snprintf(c->log + n, sizeof(c->log) - n, "%lld %.*s\n", (long long)c->now_ms,
		         TEXT_ARG(item.payload->text));
		if (c->now_ms >= c->silent_from && c->now_ms < c->silent_to)
			continue;
		dispatch_done(c->dispatch, item.number, c->now_ms);
		if (item.kind == DISPATCH_BLOCK)
			pipeline_settle(c->pipeline, item.number, PIPELINE_ACCEPTED);
	}
}

static void run_until(struct chat *c, int64_t end_ms)
{
	for (;;) {
		int64_t idle = pipeline_due(c->pipeline), sends = dispatch_due(c->dispatch);
		int64_t due = idle < sends ? idle : sends;

		if (due > end_ms)
			break;
		c->now_ms = due > c->now_ms ? due : c->now_ms;
		pipeline_tick(c->pipeline, c->now_ms);
		run_chat(c);
	}
	c->now_ms = end_ms;
}

static void open_chat(struct chat *c)
{
	const struct dispatch_options options = {.delay = {DISPATCH_PACE_CUSTOM, 100, 100}};

	*c = (struct chat){.pipeline = make(), .dispatch = dispatch_create(&options)};
}

static void hear(struct chat *c, const char *token, int64_t now_ms)
{
	run_until(c, now_ms);
	say(c->pipeline, token, now_ms);
	run_chat(c);
}

static void close_chat(struct chat *c, const char *final, const char *log)
{
	struct payload rest;

	pipeline_flush(c->pipeline);
	run_chat(c);
	run_until(c, c->now_ms + 60000);
	if (pipeline_final(c->pipeline, &(struct payload){.text = text_of(final)}, &rest)) {
		dispatch_enqueue(c->dispatch, &(struct dispatch_item){DISPATCH_FINAL, 0, &rest},
		                 c->now_ms, NULL);
		c->silent_to = 0;
		run_chat(c);
	}
	assert_string_equal(c->log, log);
	assert_true(dispatch_is_idle(c->dispatch));
	pipeline_destroy(c->pipeline);
	dispatch_destroy(c->dispatch);
}

static void a_turn_from_tokens_to_messages(void **state)
{
	struct chat c;

	open_chat(&c);
	hear(&c, "Let me look.", 0);
	hear(&c, " First words of thirty characters. ", 2000);
	hear(&c, "And then there are more words. An end.", 2050);
	close_chat(
		&c,
		"Let me look. First words of thirty characters. And then there are more words. An "
		"end.",
		"1000 Let me look.\n2150 First words of thirty characters.\n"
		"2250 And then there are more words. An end.\n");
}

static void a_turn_whose_second_block_is_not_answered(void **state)
{
	struct chat c;

	open_chat(&c);
	c.silent_from = 2000;
	c.silent_to = 3000;
	hear(&c, "Let me look.", 0);
	hear(&c, " First words of thirty characters. ", 2000);
	hear(&c, "And then there are more words. ", 2050);
	hear(&c, "Something else. An end.", 2060);
	/* 15 seconds after the second left nobody knows; then all that follows is one final. */
	close_chat(&c,
	           "Let me look. First words of thirty characters. And then there are more words. "
	           "Something else. An end.",
	           "1000 Let me look.\n2160 First words of thirty characters.\n"
	           "62060 And then there are more words. Something else. An end.\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults_are_800_1200_and_a_second),
		cmocka_unit_test(the_joiner_is_that_of_the_preference),
		cmocka_unit_test(account_over_channel_over_the_rest),
		cmocka_unit_test(texts_are_joined_until_they_are_long_enough),
		cmocka_unit_test(blank_texts_are_ignored),
		cmocka_unit_test(a_paragraph_break_flushes_from_min_on),
		cmocka_unit_test(flush_on_enqueue_sends_each_by_itself),
		cmocka_unit_test(a_payload_that_is_too_long_is_cut),
		cmocka_unit_test(another_reply_target_or_a_voice_begins_a_block),
		cmocka_unit_test(pieces_of_one_text_are_joined_as_they_were_parted),
		cmocka_unit_test(gathered_texts_keep_the_limit_of_lines),
		cmocka_unit_test(only_the_first_block_of_tokens_answers),
		cmocka_unit_test(the_idle_flush_sends_what_there_is),
		cmocka_unit_test(a_gated_idle_flush_waits_for_min),
		cmocka_unit_test(an_idle_flush_in_code_closes_and_opens_the_fence),
		cmocka_unit_test(media_leave_behind_what_was_said_before),
		cmocka_unit_test(audio_is_held_and_one_voice_makes_all_of_it_voices),
		cmocka_unit_test(the_hold_may_be_all_media_or_none),
		cmocka_unit_test(too_many_held_leave_at_once),
		cmocka_unit_test(the_same_message_leaves_once_in_a_turn),
		cmocka_unit_test(equal_pieces_of_one_text_all_leave),
		cmocka_unit_test(has_sent_knows_what_was_accepted),
		cmocka_unit_test(a_final_that_was_streamed_is_not_sent_again),
		cmocka_unit_test(a_final_is_compared_with_each_message),
		cmocka_unit_test(a_final_that_is_still_held_is_sent_once),
		cmocka_unit_test(a_final_without_blocks_is_sent_whole),
		cmocka_unit_test(media_of_the_final_are_sent_though_its_text_was),
		cmocka_unit_test(what_was_refused_goes_with_the_final),
		cmocka_unit_test(without_an_answer_the_rest_is_given_up_for_the_final),
		cmocka_unit_test(media_that_were_not_accepted_go_with_the_final),
		cmocka_unit_test(skipped_blocks_are_no_loss),
		cmocka_unit_test(after_a_stop_nothing_leaves_and_nothing_is_taken),
		cmocka_unit_test(a_block_without_room_goes_with_the_final),
		cmocka_unit_test(after_an_overflow_nothing_that_waits_is_lost),
		cmocka_unit_test(after_an_overflow_a_whole_final_is_sent_alone),
		cmocka_unit_test(a_turn_from_tokens_to_messages),
		cmocka_unit_test(a_turn_whose_second_block_is_not_answered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
