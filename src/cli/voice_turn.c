/* voice_turn.c - see voice_turn.h. */
#include "cli/voice_turn.h"

#include <poll.h>

#include "base/clock.h"
#include "cli/interrupt.h"
#include "cli/voice_call.h"
#include "cli/voice_sound.h"
#include "net/loop.h"

#define ANSWER_MS (5 * 60 * 1000) /* since the last event */
#define CANCEL_MS 5000            /* for the box to say that it stopped */
#define LOOK_MS 100               /* at most, between two looks at Ctrl-C */

struct turning {
	struct voice_call *call;
	const struct voice_turn_listener *listener;
	struct voice_turned *told;
	struct text rest;  /* sound that did not go yet */
	uint64_t began_ms; /* its first piece went; 0: the session is not ready */
	uint64_t ended_ms; /* all of it was said; 0: not yet */
	uint64_t heard_ms; /* the box said something */
	bool is_whole;     /* the answer is */
	bool is_over, has_failed;
	struct error why;
};

static uint64_t turn_now_ms(void)
{
	return clock_mono_ns() / 1000000;
}

static void end_badly(struct turning *t, struct text words)
{
	t->is_over = t->has_failed = true;
	error_set(&t->why, "%.*s", TEXT_ARG(words));
}

/* ---- out ---- */

/* What was spoken by now; false: some of it has to wait. */
static bool say_due(struct turning *t, size_t whole, uint64_t at_ms)
{
	size_t due = (size_t)((at_ms - t->began_ms) / VOICE_CHUNK_MS + 1) * VOICE_CHUNK_BYTES;

	while (t->rest.len && whole - t->rest.len < due) {
		size_t len = t->rest.len < VOICE_CHUNK_BYTES ? t->rest.len : VOICE_CHUNK_BYTES;

		if (!voice_call_speak(t->call, (struct text){t->rest.at, len}))
			return false;
		t->rest = (struct text){t->rest.at + len, t->rest.len - len};
	}
	return true;
}

static void speak_on(struct turning *t, size_t whole)
{
	uint64_t at_ms = turn_now_ms();

	if (!t->began_ms || t->ended_ms || t->told->is_cancelled || !say_due(t, whole, at_ms) ||
	    t->rest.len)
		return;
	if (voice_call_commit(t->call))
		t->ended_ms = t->heard_ms = at_ms;
}

static void cancel_turn(struct turning *t)
{
	t->told->is_cancelled = true;
	t->heard_ms = turn_now_ms();
	if (!t->began_ms || !voice_call_cancel(t->call))
		t->is_over = true;
}

/* ---- in ---- */

static void note_time(const struct turning *t, int64_t *ms)
{
	if (*ms < 0 && t->ended_ms)
		*ms = (int64_t)(turn_now_ms() - t->ended_ms);
}

/* At rest after the answer, after a cancel, or after what went wrong. */
static void take_state(struct turning *t, struct text state)
{
	if (text_is(state, "idle") && (t->is_whole || t->told->is_cancelled))
		t->is_over = true;
}

static void take_final(struct turning *t, struct text words)
{
	note_time(t, &t->told->final_ms);
	buf_clear(&t->told->final);
	buf_add(&t->told->final, words);
	t->listener->final(t->listener->self, words);
}

static void take_delta(struct turning *t, struct text words)
{
	note_time(t, &t->told->text_ms);
	buf_add(&t->told->answer, words);
	t->listener->delta(t->listener->self, words);
}

static void keep_sound(struct turning *t, const struct voice_news *news)
{
	note_time(t, &t->told->sound_ms);
	t->told->rate = news->rate;
	buf_add(&t->told->pcm, news->text);
}

static void take_end(struct turning *t)
{
	note_time(t, &t->told->end_ms);
	t->is_whole = true;
}

static void on_told(void *self, const struct voice_news *news)
{
	struct turning *t = self;

	t->heard_ms = turn_now_ms();
	if (t->is_over)
		return;
	switch (news->kind) {
	case VOICE_READY:
		t->began_ms = t->heard_ms;
		break;
	case VOICE_STATE:
		take_state(t, news->text);
		break;
	case VOICE_PARTIAL:
		t->listener->partial(t->listener->self, news->text);
		break;
	case VOICE_FINAL:
		take_final(t, news->text);
		break;
	case VOICE_DELTA:
		take_delta(t, news->text);
		break;
	case VOICE_COMPLETED:
		take_end(t);
		break;
	case VOICE_SOUND:
		keep_sound(t, news);
		break;
	case VOICE_CLEAR:
		buf_clear(&t->told->pcm);
		break;
	case VOICE_TROUBLE:
	case VOICE_LOST:
		end_badly(t, news->text);
		break;
	}
}

/* ---- a turn ---- */

static void wait_turn(struct turning *t, struct loop *loop)
{
	struct pollfd poll_fd = {.fd = loop_fd(loop), .events = POLLIN};
	int wait_ms = t->ended_ms ? LOOK_MS : VOICE_CHUNK_MS;
	int patience = loop_patience(loop);

	if (patience < 0 || patience > wait_ms)
		patience = wait_ms;
	poll(&poll_fd, 1, patience);
	loop_step(loop, false);
}

static void look_at_clock(struct turning *t)
{
	uint64_t silent_ms = turn_now_ms() - t->heard_ms;

	if (t->told->is_cancelled && silent_ms > CANCEL_MS)
		t->is_over = true;
	else if (silent_ms > ANSWER_MS)
		end_badly(t, TEXT("the box does not answer"));
}

bool voice_turn(struct remote *remote, const struct voice_question *question,
                const struct voice_turn_listener *listener, struct voice_turned *told,
                struct error *why)
{
	struct loop *loop = remote_target(remote).loop;
	struct turning t = {.listener = listener,
	                    .told = told,
	                    .rest = question->pcm,
	                    .heard_ms = turn_now_ms()};

	t.call = voice_call_begin(
		&(struct voice_call_options){
			.remote = remote, .source = question->source, .self = &t, .told = on_told},
		why);
	if (!t.call)
		return false;
	while (!t.is_over) {
		wait_turn(&t, loop);
		if (interrupt_came() && !told->is_cancelled && !t.is_over)
			cancel_turn(&t);
		if (!t.is_over)
			speak_on(&t, question->pcm.len);
		if (!t.is_over)
			look_at_clock(&t);
	}
	voice_call_end(t.call);
	loop_step(loop, false);
	if (t.has_failed)
		error_set(why, "%s", t.why.words);
	return !t.has_failed;
}

void voice_turned_init(struct voice_turned *told)
{
	*told = (struct voice_turned){.final_ms = -1, .text_ms = -1, .sound_ms = -1, .end_ms = -1};
	buf_init(&told->final, VOICE_TURN_WORDS_MAX);
	buf_init(&told->answer, VOICE_TURN_WORDS_MAX);
	buf_init(&told->pcm, VOICE_ANSWER_MAX);
}

void voice_turned_finish(struct voice_turned *told)
{
	buf_finish(&told->final);
	buf_finish(&told->answer);
	buf_finish(&told->pcm);
}
