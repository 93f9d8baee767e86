/* voice_talk.c - see voice_talk.h.
 *
 * What is pressed, what the box tells and what the microphone gives each change the phase, by the
 * functions of their section; the loop at the end only waits for them.  After a cancel the box
 * may still have sent something of that turn: it is dropped until the box says that it rests.
 */
#include "cli/voice_talk.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/hold.h"
#include "cli/keyboard.h"
#include "cli/page.h"
#include "cli/soundcard.h"
#include "cli/voice_call.h"
#include "cli/voice_here.h"
#include "cli/voice_sound.h"
#include "net/interrupt.h"
#include "net/loop.h"

#define LOOK_MS 100 /* between two looks at the level, while it listens */
#define REST_MS 1000
#define UTTERANCE_MAX ((size_t)VOICE_RATE * 2 * VOICE_QUESTION_S)
#define SPEECH_MAX (1 * MIB)
#define LEVELS 8
#define QUIETEST_BIT 6 /* of a sample: what is below is silence */

enum talk_phase { TALK_CONNECTS, TALK_RESTS, TALK_LISTENS, TALK_THINKS, TALK_SPEAKS };

struct voice_talk {
	struct out *out;
	struct loop *loop;
	struct voice_call *call;
	struct soundcard *card;
	struct page page;
	struct hold hold;
	enum talk_phase phase;
	struct buf speech; /* that is no whole chunk yet */
	size_t said;       /* bytes of this utterance that went */
	int peak, level;   /* since the last look; what is shown of it */
	uint64_t looked_ms;
	int interrupts;
	bool drops;   /* what comes belongs to a turn that was cancelled */
	bool is_mute; /* which was said */
	bool is_over, has_failed;
	struct error why;
};

static uint64_t talk_now_ms(void)
{
	return clock_mono_ns() / 1000000;
}

static void say_line(struct voice_talk *t, const char *before, struct text words)
{
	struct buf line;

	buf_init(&line, 8 * MIB);
	buf_add(&line, text_of(before));
	buf_add(&line, words);
	page_add_line(&t->page, buf_text(&line));
	buf_finish(&line);
}

/* ---- turns ---- */

/* Whatever was under way; what stands there of an answer stays. */
static void stop_turn(struct voice_talk *t)
{
	if (t->phase == TALK_LISTENS)
		page_set_line(&t->page, TEXT(""));
	page_end_line(&t->page);
	hold_close(&t->hold);
	soundcard_stop(t->card);
	soundcard_silence(t->card);
	if (t->phase != TALK_CONNECTS)
		t->phase = TALK_RESTS;
}

static void talk_cancel(struct voice_talk *t)
{
	bool was_busy = t->phase > TALK_RESTS;

	stop_turn(t);
	if (!was_busy)
		return;
	t->drops = voice_call_cancel(t->call);
	say_line(t, "(cancelled)", TEXT(""));
}

static void fail_turn(struct voice_talk *t, const char *words)
{
	bool was_busy = t->phase > TALK_RESTS;

	stop_turn(t);
	if (was_busy)
		t->drops = voice_call_cancel(t->call);
	say_line(t, "", text_of(words));
}

static void begin_listening(struct voice_talk *t)
{
	bool interrupts = t->phase > TALK_RESTS;
	struct hold hold = t->hold; /* which stopping the turn closes */
	struct error why;

	stop_turn(t);
	if (interrupts)
		t->drops = voice_call_cancel(t->call);
	buf_clear(&t->speech);
	t->said = 0;
	t->peak = t->level = 0;
	t->is_mute = false;
	if (!soundcard_record(t->card, &why)) {
		say_line(t, "", text_of(why.words));
		return;
	}
	t->hold = hold;
	t->phase = TALK_LISTENS;
}

static bool send_speech(struct voice_talk *t, size_t len)
{
	bool good = voice_call_speak(t->call, (struct text){t->speech.at, len});

	t->said += len;
	buf_drop(&t->speech, len);
	if (!good)
		fail_turn(t, "the box does not take the sound: the network is too slow");
	return good;
}

static void end_listening(struct voice_talk *t)
{
	size_t rest = t->speech.len & ~(size_t)1; /* whole samples */

	hold_close(&t->hold);
	soundcard_stop(t->card);
	if (rest && !send_speech(t, rest))
		return;
	if (!t->said) {
		fail_turn(t, "the microphone was not open yet");
		return;
	}
	t->phase = TALK_THINKS;
	if (!voice_call_commit(t->call))
		fail_turn(t, "the box does not take the sound: the network is too slow");
}

/* ---- microphone and loudspeaker ---- */

static void note_peak(struct voice_talk *t, struct text chunk)
{
	for (size_t i = 0; i + 1 < chunk.len; i += 2) {
		int sample =
			(int16_t)((unsigned char)chunk.at[i] | (unsigned char)chunk.at[i + 1] << 8);

		if (abs(sample) > t->peak)
			t->peak = abs(sample);
	}
}

static void on_heard(void *self, struct text bytes)
{
	struct voice_talk *t = self;

	buf_add(&t->speech, bytes);
	while (t->phase == TALK_LISTENS && t->speech.len >= VOICE_CHUNK_BYTES) {
		note_peak(t, (struct text){t->speech.at, VOICE_CHUNK_BYTES});
		if (!send_speech(t, VOICE_CHUNK_BYTES))
			return;
		if (t->said >= UTTERANCE_MAX) {
			buf_clear(&t->speech);
			end_listening(t);
		}
	}
}

static void on_deaf(void *self, const char *why)
{
	fail_turn(self, why);
}

static void on_mute(void *self, const char *why)
{
	struct voice_talk *t = self;

	if (!t->is_mute)
		say_line(t, "the answer cannot be played: ", text_of(why));
	t->is_mute = true;
}

/* ---- what the box tells ---- */

static void take_state(struct voice_talk *t, struct text state)
{
	bool is_turn = t->phase == TALK_THINKS || t->phase == TALK_SPEAKS;

	if (is_turn && text_is(state, "thinking"))
		t->phase = TALK_THINKS;
	else if (is_turn && text_is(state, "speaking"))
		t->phase = TALK_SPEAKS;
	else if (is_turn && text_is(state, "idle")) {
		page_end_line(&t->page);
		soundcard_end(t->card);
		t->phase = TALK_RESTS;
	}
}

static void show_partial(struct voice_talk *t, struct text words)
{
	struct buf line;

	buf_init(&line, 8 * MIB);
	buf_add(&line, TEXT("you: "));
	buf_add(&line, words);
	page_set_line(&t->page, buf_text(&line));
	buf_finish(&line);
}

static void end_talk(struct voice_talk *t, struct text why)
{
	t->is_over = t->has_failed = true;
	error_set(&t->why, "%.*s", TEXT_ARG(why));
}

static void take_news(struct voice_talk *t, const struct voice_news *news)
{
	switch (news->kind) {
	case VOICE_READY:
		t->phase = TALK_RESTS;
		break;
	case VOICE_STATE:
		take_state(t, news->text);
		break;
	case VOICE_PARTIAL:
		show_partial(t, news->text);
		break;
	case VOICE_FINAL:
		page_set_line(&t->page, TEXT(""));
		say_line(t, "you: ", news->text);
		break;
	case VOICE_DELTA:
		page_grow_line(&t->page, news->text);
		break;
	case VOICE_COMPLETED:
		page_end_line(&t->page);
		break;
	case VOICE_SOUND:
		if (!t->is_mute)
			soundcard_play(t->card, news->rate, news->text);
		break;
	case VOICE_CLEAR:
		soundcard_silence(t->card);
		break;
	case VOICE_TROUBLE:
		stop_turn(t);
		say_line(t, "", news->text);
		break;
	case VOICE_LOST:
		end_talk(t, news->text);
		break;
	}
}

static void on_told(void *self, const struct voice_news *news)
{
	struct voice_talk *t = self;

	if (!t->drops || news->kind == VOICE_LOST)
		take_news(t, news);
	else if (news->kind == VOICE_STATE && text_is(news->text, "idle"))
		t->drops = false;
}

/* ---- keys and interrupts ---- */

static void act_on(struct voice_talk *t, enum hold_says says)
{
	if (says == HOLD_BEGINS)
		begin_listening(t);
	else if (says == HOLD_ENDS)
		end_listening(t);
}

static void flush_page(struct voice_talk *t)
{
	buf_add(&t->out->bytes, buf_text(&t->page.out));
	buf_clear(&t->page.out);
	if (out_flush(t->out))
		return;
	t->is_over = true;
	t->out->failure = EPIPE; /* whoever sat there has gone, which is no failure */
}

static void suspend_talk(struct voice_talk *t)
{
	talk_cancel(t);
	page_hide(&t->page);
	flush_page(t);
	keyboard_give_back();
	interrupt_suspend();
	keyboard_take_again();
	page_resize(&t->page, keyboard_width());
}

static void press_key(struct voice_talk *t, char key)
{
	if (key == 'q' || key == 'Q' || key == KEY_CTRL('c') || key == KEY_CTRL('d'))
		t->is_over = true;
	else if (key == KEY_CTRL('z'))
		suspend_talk(t);
	else if (key == 'c' || key == 'C' || key == KEY_ESCAPE)
		talk_cancel(t);
	else if (key == KEY_ENTER && t->phase == TALK_LISTENS)
		end_listening(t);
	else if (key == ' ' && t->phase != TALK_CONNECTS)
		act_on(t, hold_press(&t->hold, talk_now_ms()));
}

static void read_keys(struct voice_talk *t)
{
	char keys[64];
	int count = keyboard_read(keys, (int)sizeof(keys));

	if (count < 0)
		t->is_over = true;
	for (int i = 0; i < count && !t->is_over; i++)
		press_key(t, keys[i]);
}

static void read_interrupts(struct voice_talk *t)
{
	struct interrupt_caught caught;

	while (!t->is_over && interrupt_read(t->interrupts, &caught)) {
		if (caught.is_suspend) {
			suspend_talk(t);
		} else if (caught.is_resume) {
			keyboard_take_again();
			page_show(&t->page);
		} else if (caught.is_resize) {
			page_resize(&t->page, keyboard_width());
		} else {
			t->is_over = true;
		}
	}
}

/* ---- how things stand ---- */

static void look_at_level(struct voice_talk *t, uint64_t now_ms)
{
	if (now_ms - t->looked_ms < LOOK_MS)
		return;
	t->looked_ms = now_ms;
	for (t->level = 0; t->level < LEVELS && t->peak >> (QUIETEST_BIT + t->level); t->level++)
		;
	t->peak = 0;
}

static void put_listening(const struct voice_talk *t, struct buf *out)
{
	unsigned seconds = (unsigned)(t->said / 2 / VOICE_RATE);

	if (!t->said) {
		buf_add(out, TEXT("○ the microphone opens   c: cancel   q: leave"));
		return;
	}
	buf_add(out, TEXT("● listening "));
	for (int i = 0; i < LEVELS; i++)
		buf_add(out, i < t->level ? TEXT("▮") : TEXT("▯"));
	buf_print(out, " %u:%02u   space or Enter: done   c: cancel   q: leave", seconds / 60,
	          seconds % 60);
}

static void show_status(struct voice_talk *t)
{
	static const char *const words[] = {
		[TALK_CONNECTS] = "… connecting   q: leave",
		[TALK_RESTS] = "space: speak   q: leave",
		[TALK_THINKS] = "… thinking   space: speak again   c: cancel   q: leave",
		[TALK_SPEAKS] = "♪ speaking   space: interrupt   c: cancel   q: leave",
	};
	struct buf status;

	buf_init(&status, KIB);
	if (t->phase == TALK_LISTENS)
		put_listening(t, &status);
	else
		buf_add(&status, text_of(words[t->phase]));
	page_set_status(&t->page, buf_text(&status));
	buf_finish(&status);
	flush_page(t);
}

/* ---- the loop ---- */

static int shorter(int wait_ms, int other_ms)
{
	return other_ms >= 0 && other_ms < wait_ms ? other_ms : wait_ms;
}

static void wait_talk(struct voice_talk *t)
{
	struct pollfd fds[] = {{loop_fd(t->loop), POLLIN, 0},
	                       {STDIN_FILENO, POLLIN, 0},
	                       {t->interrupts, POLLIN, 0}};
	int wait_ms = t->phase == TALK_LISTENS ? LOOK_MS : REST_MS;

	wait_ms = shorter(wait_ms, loop_patience(t->loop));
	wait_ms = shorter(wait_ms, hold_patience(&t->hold, talk_now_ms()));
	poll(fds, 3, wait_ms);
	loop_step(t->loop, false);
	if (fds[1].revents && !t->is_over)
		read_keys(t);
	if (fds[2].revents && !t->is_over)
		read_interrupts(t);
	if (t->is_over)
		return;
	act_on(t, hold_look(&t->hold, talk_now_ms()));
	look_at_level(t, talk_now_ms());
	show_status(t);
}

static void say_warnings(struct voice_talk *t, struct text warnings)
{
	for (struct text rest = warnings; rest.len;)
		say_line(t, "", text_cut(rest, '\n', &rest));
	say_line(t,
	         "Press the space bar, speak, and press it again; or hold it down while you speak.",
	         TEXT(""));
}

static void run_talk(struct voice_talk *t, struct remote *remote, const char *source)
{
	const struct voice_call_options options = {
		.remote = remote, .source = source, .self = t, .told = on_told};

	t->card =
		soundcard_create(t->loop, &(struct soundcard_user){t, on_heard, on_deaf, on_mute});
	t->call = voice_call_begin(&options, &t->why);
	t->has_failed = t->is_over = !t->call;
	show_status(t);
	while (!t->is_over)
		wait_talk(t);
	page_end_line(&t->page);
	page_hide(&t->page);
	flush_page(t);
	soundcard_destroy(t->card);
	voice_call_end(t->call);
	loop_step(t->loop, false);
}

/* The terminal is ours from here to the end of this. */
static bool take_terminal(struct voice_talk *t, struct error *why)
{
	t->interrupts = interrupt_catch_screen();
	if (t->interrupts < 0)
		return error_errno(why, "signals");
	if (keyboard_take(why))
		return true;
	close(t->interrupts);
	return false;
}

int voice_talk(struct command_context *context, struct remote *remote, const char *source)
{
	struct voice_talk t = {.out = &context->out, .loop = remote_target(remote).loop};
	struct buf warnings;

	buf_init(&warnings, 64 * KIB);
	if (!voice_here_warn(remote, &warnings, &t.why) || !take_terminal(&t, &t.why)) {
		out_say("%s", t.why.words);
		buf_finish(&warnings);
		return STATUS_FAILED;
	}
	page_init(&t.page, keyboard_width());
	buf_init(&t.speech, SPEECH_MAX);
	say_warnings(&t, buf_text(&warnings));
	run_talk(&t, remote, source);
	keyboard_give_back();
	close(t.interrupts);
	page_finish(&t.page);
	buf_finish(&t.speech);
	buf_finish(&warnings);
	if (t.has_failed)
		out_say("%s", t.why.words);
	return t.has_failed ? STATUS_FAILED : STATUS_DONE;
}
