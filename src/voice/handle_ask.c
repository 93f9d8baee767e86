/* handle_ask.c - one ask of a peer: from its words to the last piece of the answer. */
#include <stdio.h>

#include "base/log.h"
#include "net/loop.h"
#include "voice/handle_inside.h"

#define WORDS_MAX 512

/* ---- its end ---- */

static void end_ask(struct handle_guest *guest)
{
	struct handle_ask *ask = &guest->ask;

	answer_finish(&ask->answer);
	spoken_finish(&ask->recital);
	buf_finish(&ask->spoken);
	*ask = (struct handle_ask){0};
	if (guest->conn)
		conn_deadline(guest->conn, HANDLE_IDLE_MS);
}

void handle_stop_ask(struct handle_guest *guest)
{
	const struct back *back = &guest->handle->options.back;
	struct back_ear nobody = {0};
	struct error why;

	if (!handle_is_asking(guest))
		return;
	if (guest->ask.is_under_way &&
	    back->cancel(back->self, text_of(guest->ask.run), &nobody, &why) != BACK_DONE)
		log_debug("voice", "an ask that nobody waits for goes on: %s", why.words);
	end_ask(guest);
}

/* A client that was told the beginning waits for the end, too. */
static void tell_failure(struct handle_guest *guest, bool has_begun, struct text why)
{
	handle_send_text(guest, "not-handled", why);
	if (has_begun)
		handle_send_text(guest, "handled-stop", (struct text){0});
}

void handle_fail_ask(struct handle_guest *guest, const char *why)
{
	bool has_begun = guest->ask.has_begun;

	handle_stop_ask(guest);
	tell_failure(guest, has_begun, text_of(why));
}

/* ---- the answer ---- */

static void begin_answer(struct handle_guest *guest)
{
	if (!guest->ask.has_begun)
		handle_send_text(guest, "handled-start", (struct text){0});
	guest->ask.has_begun = true;
}

/* A space between two sentences, so that the pieces are the whole. */
static void on_sentence(void *self, struct text words)
{
	struct handle_guest *guest = self;
	struct buf *spoken = &guest->ask.spoken;
	size_t before = spoken->len;

	if (spoken->full || spoken->len + 1 + words.len > spoken->max) {
		spoken->full = true;
		return;
	}
	if (before)
		buf_add_char(spoken, ' ');
	buf_add(spoken, words);
	begin_answer(guest);
	handle_send_text(guest, "handled-chunk",
	                 (struct text){spoken->at + before, spoken->len - before});
}

static void on_words(void *self, struct text words)
{
	struct handle_guest *guest = self;

	spoken_feed(&guest->ask.recital, words);
}

static void tell_whole(struct handle_guest *guest)
{
	struct text spoken;

	spoken_end(&guest->ask.recital);
	begin_answer(guest);
	spoken = buf_text(&guest->ask.spoken);
	handle_send_text(guest, "handled", spoken.at ? spoken : TEXT(""));
	handle_send_text(guest, "handled-stop", (struct text){0});
	end_ask(guest);
}

static void tell_failed(struct handle_guest *guest)
{
	struct text why = answer_why(&guest->ask.answer);
	char words[WORDS_MAX];

	snprintf(words, sizeof(words), "%.*s", TEXT_ARG(why));
	guest->ask.is_under_way = false; /* it ended by itself */
	handle_fail_ask(guest, why.len ? words : "it was stopped");
}

void handle_hear(struct handle_guest *guest, const struct signal *s)
{
	switch (answer_hear(&guest->ask.answer, s, text_of(guest->ask.run))) {
	case ANSWER_GOES_ON:
		break;
	case ANSWER_WHOLE:
		tell_whole(guest);
		break;
	case ANSWER_CANCELLED:
	case ANSWER_FAILED:
		tell_failed(guest);
		break;
	}
}

/* ---- its beginning ---- */

static void begin_ask(struct handle_guest *guest)
{
	struct handle_ask *ask = &guest->ask;

	*ask = (struct handle_ask){.is_under_way = true};
	answer_init(&ask->answer, &(struct voice_answer_listener){.self = guest, .said = on_words});
	spoken_init(&ask->recital, &(struct recital_listener){guest, on_sentence});
	buf_init(&ask->spoken, HANDLE_SPOKEN_MAX);
	random_uuid(ask->run);
	conn_deadline(guest->conn, HANDLE_ANSWER_MS);
}

/* It may be over when the source has taken it: its signals are heard meanwhile. */
static void ask_source(struct handle_guest *guest, const struct handle_wish *wish,
                       struct text source)
{
	const struct back *back = &guest->handle->options.back;
	char run[RANDOM_UUID_LEN + 1], given[BACK_RUN_MAX + 1];
	struct back_ask ask = {
		.source = source,
		.run = {run, RANDOM_UUID_LEN},
		.prompt = wish->text,
		.session = text_of(wish->session),
	};
	struct error why;

	begin_ask(guest);
	memcpy(run, guest->ask.run, sizeof(run));
	if (back->ask(back->self, &ask, given, &why) == BACK_DONE ||
	    strcmp(run, guest->ask.run) != 0)
		return;
	guest->ask.is_under_way = false;
	handle_fail_ask(guest, why.words);
}

static bool may_ask(struct handle_guest *guest, struct error *why)
{
	struct handle *handle = guest->handle;
	unsigned wait_ms =
		handle_pace_ask(&handle->pace, guest->name, loop_now_ms(handle->options.loop));

	return !wait_ms || error_set(why, "%d asks a minute are all; the next one in %u seconds",
	                             HANDLE_ASKS, wait_ms / 1000 + 1);
}

void handle_ask(struct handle_guest *guest, const struct wyoming_event *event)
{
	const struct handle_options *options = &guest->handle->options;
	struct handle_place place;
	struct handle_wish wish;
	struct error why;

	if (handle_is_asking(guest))
		handle_send_text(guest, "error", TEXT("one at a time: an answer is on its way"));
	else if (!options->place(options->self, guest->conn, &place))
		handle_send_text(guest, "not-handled", TEXT("nobody is asked here any more"));
	else if (handle_read_wish(event, &wish, &why) && may_ask(guest, &why))
		ask_source(guest, &wish, place.source);
	else
		tell_failure(guest, false, text_of(why.words));
}
