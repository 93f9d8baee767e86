/* ahead_test.c - sessions whose hands are free: who speaks begins a turn, ends it by silence, and
 * interrupts; step by step, and in any order against a model that is none of a table. */
#include "voice/ahead.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/base64.h"
#include "base/must.h"
#include "base/random.h"
#include "voice/session.h"

#define LOG_MAX (256 * KIB)
#define SILENCE_MS 700
#define ROUNDS 10000
#define ROUND_OPS 60
#define BUSY "error mocked_turn_in_flight\n"

/* ---- an engine that does what the test says ---- */

struct job {
	struct voice_ear ear;
	uint64_t bytes; /* of sound that it was fed */
	bool is_ended, speaks;
};

static struct job *hearing[8], *thinking; /* those at work */
static unsigned hearings, begun;
static uint64_t told_ms; /* when facts are told */
static bool refuses;     /* whoever hears fails with the first sound */

static struct job *make_job(const struct voice_ear *ear)
{
	struct job *job = must_zero(1, sizeof(*job));

	job->ear = *ear;
	return job;
}

static void tell(struct job *job, enum voice_fact_kind kind, const char *text, enum voice_code code)
{
	struct voice_ear ear = job->ear;

	ear.told(ear.self, ear.turn,
	         &(struct voice_fact){
			 .kind = kind, .text = text_of(text), .code = code, .now_ms = told_ms});
}

static void *begin_hear(const void *of, const struct voice_ear *ear, uint64_t now_ms)
{
	assert_true(hearings < 2); /* that of the turn, and one ahead */
	begun++;
	return hearing[hearings++] = make_job(ear);
}

static void feed_hear(void *work, struct text piece, uint64_t now_ms)
{
	struct job *job = work;

	assert_false(job->is_ended);
	job->bytes += piece.len / 4 * 3;
	for (size_t i = piece.len; i && piece.at[i - 1] == '='; i--)
		job->bytes--;
	told_ms = now_ms;
	if (refuses)
		tell(job, FACT_FAILED, "no ears", VOICE_ENGINE_UNAVAILABLE);
}

static void end_job(void *work, uint64_t now_ms)
{
	((struct job *)work)->is_ended = true;
}

static void stop_hear(void *work)
{
	unsigned i = 0;

	while (i < hearings && hearing[i] != work)
		i++;
	assert_true(i < hearings);
	hearing[i] = hearing[--hearings];
	free(work);
}

static void *begin_think(const void *of, const struct voice_ear *ear, uint64_t now_ms)
{
	assert_null(thinking);
	return thinking = make_job(ear);
}

static void feed_think(void *work, struct text piece, uint64_t now_ms)
{
}

static void stop_think(void *work)
{
	assert_ptr_equal(work, thinking);
	thinking = NULL;
	free(work);
}

static const struct voice_role hears = {begin_hear, feed_hear, end_job, stop_hear, NULL, NULL};
static const struct voice_role thinks = {begin_think, feed_think, end_job, stop_think, NULL, NULL};

static const struct voice_engine finding = {
	.parts = {[VOICE_HEAR] = &hears, [VOICE_THINK] = &thinks}, .finds = VOICE_FINDS_ITSELF};
static const struct voice_engine gated = {.parts = {[VOICE_HEAR] = &hears, [VOICE_THINK] = &thinks},
                                          .finds = VOICE_FINDS_BY_GATE};

/* That listens, or is ended; NULL: none. */
static struct job *hearer(bool is_ended)
{
	for (unsigned i = 0; i < hearings; i++)
		if (hearing[i]->is_ended == is_ended)
			return hearing[i];
	return NULL;
}

/* ---- the session ---- */

struct bench {
	struct voice_session s;
	struct buf log;
	uint64_t now;
};

static void note_said(void *self, const struct voice_said *said)
{
	struct bench *b = self;
	struct text more = TEXT("");

	if (said->event == TOLD_SESSION_STATE)
		more = voice_states[said->state];
	else if (said->event == TOLD_ERROR)
		more = voice_codes[said->code];
	else if (said->event != TOLD_SPEECH_STOPPED && said->event != TOLD_SPEECH_STARTED &&
	         said->event != TOLD_OUTPUT_AUDIO_CLEAR && said->event != TOLD_RESPONSE_COMPLETED)
		more = said->text;
	buf_print(&b->log, "%.*s%s%.*s\n", TEXT_ARG(voice_told[said->event].type),
	          more.len ? " " : "", TEXT_ARG(more));
}

static void note_mark(void *self, uint64_t turn, enum voice_mark mark)
{
	static const char *const words[] = {"BEGAN", "HEARD", "DONE", "CANCELLED", "FAILED"};
	struct bench *b = self;

	buf_print(&b->log, "%s %llu\n", words[mark], (unsigned long long)turn);
}

static struct voice_desk desk;

static void bench_begin(struct bench *b, const struct voice_engine *engine)
{
	buf_init(&b->log, LOG_MAX);
	b->now = begun = 0;
	refuses = false;
	desk = (struct voice_desk){b, note_said, note_mark};
	voice_session_init(&b->s, engine, &desk);
	b->s.silence_ms = SILENCE_MS;
	voice_session_free_hands(&b->s, true);
}

static void bench_end(struct bench *b)
{
	voice_session_finish(&b->s);
	assert_int_equal(hearings, 0);
	assert_null(thinking);
	buf_finish(&b->log);
}

static void check_log(struct bench *b, const char *expected)
{
	buf_add_char(&b->log, '\0');
	assert_string_equal(b->log.at, expected);
	buf_clear(&b->log);
}

/* Sound of this loudness, in pieces of 20 ms. */
static void sound(struct bench *b, unsigned ms, int amplitude)
{
	char pcm[GATE_FRAME_BYTES];
	struct buf chunk;

	for (int i = 0; i < GATE_FRAME_BYTES / 2; i++) {
		int sample = i % 2 ? amplitude : -amplitude;

		pcm[2 * i] = (char)(sample & 0xFF);
		pcm[2 * i + 1] = (char)(sample >> 8 & 0xFF);
	}
	buf_init(&chunk, 2 * KIB);
	base64_add(&chunk, (struct text){pcm, sizeof(pcm)});
	for (unsigned at = 0; at < ms; at += GATE_FRAME_MS) {
		b->now += GATE_FRAME_MS;
		voice_session_hear(&b->s, INPUT_APPEND, buf_text(&chunk), b->now);
	}
	buf_finish(&chunk);
}

static void speaks(struct bench *b, unsigned ms)
{
	sound(b, ms, 4000);
}

static void is_silent(struct bench *b, unsigned ms)
{
	sound(b, ms, 10);
}

static void want(struct bench *b, enum voice_input input)
{
	voice_session_hear(&b->s, input, TEXT("typed"), b->now);
}

static unsigned ms_of(const struct job *job)
{
	return (unsigned)(job->bytes / 32);
}

/* ---- by the gate ---- */

#define SAID "BEGAN 1\nsession.state listening\nspeech.started\n"
#define HEARD "speech.stopped\nHEARD 1\n"
#define ANSWERS "transcript.final hello\nsession.state thinking\n"

static void silence_costs_nothing_and_is_no_turn(void **state)
{
	struct bench b;

	bench_begin(&b, &gated);
	is_silent(&b, 10 * 60 * 1000);
	check_log(&b, "");
	assert_int_equal(begun, 0);
	bench_end(&b);
}

static void who_speaks_has_a_turn_which_silence_ends(void **state)
{
	struct bench b;

	bench_begin(&b, &gated);
	is_silent(&b, 2000);
	speaks(&b, 1000);
	check_log(&b, SAID);
	assert_in_range(ms_of(hearing[0]), 1300, 1750); /* and what was before */
	is_silent(&b, SILENCE_MS - GATE_FRAME_MS);
	check_log(&b, "");
	is_silent(&b, GATE_FRAME_MS);
	check_log(&b, HEARD);
	assert_true(hearing[0]->is_ended);
	is_silent(&b, 1000);
	tell(hearing[0], FACT_FINAL, "hello", 0);
	tell(thinking, FACT_DELTA, "hi", 0);
	is_silent(&b, 1000);
	tell(thinking, FACT_WHOLE, "", 0);
	check_log(&b, ANSWERS "session.state speaking\nresponse.text.delta hi\n"
	                      "response.completed\nDONE 1\nsession.state listening\n");
	is_silent(&b, 60000);
	check_log(&b, "");
	bench_end(&b);
}

static void begin_answer(struct bench *b)
{
	is_silent(b, 1000);
	speaks(b, 500);
	is_silent(b, 2000);
	tell(hearing[0], FACT_FINAL, "hello", 0);
	buf_clear(&b->log);
}

static void speech_interrupts_after_a_moment_and_is_the_next_turn(void **state)
{
	struct bench b;

	bench_begin(&b, &gated);
	begin_answer(&b);
	speaks(&b, 380);
	check_log(&b, "");
	speaks(&b, 20);
	check_log(&b, "CANCELLED 1\nBEGAN 2\nsession.state listening\nspeech.started\n");
	assert_null(thinking);
	assert_int_equal(ms_of(hearing[0]), AHEAD_BEFORE_MS + AHEAD_BARGE_MS);
	is_silent(&b, 1000);
	tell(hearing[0], FACT_FINAL, "no", 0);
	tell(thinking, FACT_DELTA, "well", 0);
	buf_clear(&b.log);
	speaks(&b, 1000);
	check_log(&b, "output_audio.clear\nCANCELLED 2\nBEGAN 3\nsession.state listening\n"
	              "speech.started\n");
	bench_end(&b);
}

static void what_is_too_short_interrupts_nothing(void **state)
{
	struct bench b;

	bench_begin(&b, &gated);
	begin_answer(&b);
	for (int i = 0; i < 5; i++) {
		speaks(&b, 180);
		is_silent(&b, 1000);
	}
	check_log(&b, "");
	assert_non_null(thinking);
	bench_end(&b);
}

static void after_a_cancel_the_rest_of_the_sentence_is_no_turn(void **state)
{
	struct bench b;

	bench_begin(&b, &gated);
	is_silent(&b, 1000);
	speaks(&b, 500);
	buf_clear(&b.log);
	want(&b, INPUT_CANCEL);
	speaks(&b, 1000);
	is_silent(&b, 1000);
	check_log(&b, "CANCELLED 1\nsession.state listening\n");
	speaks(&b, 200);
	check_log(&b, "BEGAN 2\nsession.state listening\nspeech.started\n");
	bench_end(&b);
}

static void a_cough_is_no_error(void **state)
{
	struct bench b;

	bench_begin(&b, &gated);
	is_silent(&b, 1000);
	speaks(&b, 300);
	is_silent(&b, 1000);
	buf_clear(&b.log);
	tell(hearing[0], FACT_FAILED, "nothing", VOICE_NO_SPEECH);
	check_log(&b, "CANCELLED 1\nsession.state listening\n");
	want(&b, INPUT_COMMIT);
	tell(hearing[0], FACT_FAILED, "nothing", VOICE_NO_SPEECH);
	check_log(&b, "BEGAN 2\nHEARD 2\nerror no_speech\nFAILED 2\nsession.state listening\n");
	bench_end(&b);
}

static void push_to_talk_is_told_who_speaks_and_nothing_else_changes(void **state)
{
	struct bench b;

	bench_begin(&b, &gated);
	voice_session_free_hands(&b.s, false);
	b.s.tells_speech = true;
	is_silent(&b, 1000);
	check_log(&b, "BEGAN 1\nsession.state listening\n");
	speaks(&b, 1000);
	check_log(&b, "speech.started\n");
	is_silent(&b, 1000);
	check_log(&b, "speech.stopped\n");
	want(&b, INPUT_COMMIT);
	is_silent(&b, 20);
	check_log(&b, "HEARD 1\n" BUSY);
	assert_int_equal(ms_of(hearing[0]), 3000);
	bench_end(&b);
}

static void who_speaks_may_be_asked_for_in_the_middle_of_a_turn(void **state)
{
	struct bench b;

	bench_begin(&b, &gated);
	voice_session_finish(&b.s);
	voice_session_init(&b.s, &gated, &desk);
	is_silent(&b, 1000);
	buf_clear(&b.log);
	b.s.silence_ms = SILENCE_MS;
	b.s.tells_speech = true;
	is_silent(&b, 1000);
	speaks(&b, 500);
	check_log(&b, "speech.started\n");
	bench_end(&b);
}

/* As a connection does that takes no more. */
static void finish_at_speech(void *self, const struct voice_said *said)
{
	struct bench *b = self;

	note_said(self, said);
	if (said->event == TOLD_SPEECH_STARTED)
		voice_session_finish(&b->s);
}

static void who_is_finished_in_the_middle_of_a_chunk_hears_no_more(void **state)
{
	struct bench b;
	struct buf pcm, chunk;

	bench_begin(&b, &gated);
	is_silent(&b, 1000);
	desk.say = finish_at_speech;
	buf_init(&pcm, 64 * KIB);
	buf_init(&chunk, 128 * KIB);
	for (int i = 0; i < 16100; i++)
		buf_add(&pcm, i % 2 ? TEXT("\0\x10") : TEXT("\0\xf0"));
	base64_add(&chunk, buf_text(&pcm));
	voice_session_hear(&b.s, INPUT_APPEND, buf_text(&chunk), b.now);
	voice_session_hear(&b.s, INPUT_APPEND, buf_text(&chunk), b.now);
	check_log(&b, SAID "CANCELLED 1\n");
	buf_finish(&pcm);
	buf_finish(&chunk);
	bench_end(&b);
}

static void what_is_no_sound_is_told_and_pieces_may_have_any_length(void **state)
{
	struct bench b;

	bench_begin(&b, &gated);
	voice_session_hear(&b.s, INPUT_APPEND, TEXT("!"), 0);
	check_log(&b, "error invalid_message\n");
	for (int i = 0; i < 1000; i++)
		voice_session_hear(&b.s, INPUT_APPEND, TEXT("AAAA"), 0); /* three bytes */
	speaks(&b, 500);
	check_log(&b, SAID);
	bench_end(&b);
}

/* ---- by the engine ---- */

static void who_is_heard_ahead_hears_the_turn(void **state)
{
	struct bench b;

	bench_begin(&b, &finding);
	is_silent(&b, 1000);
	assert_int_equal(hearings, 1);
	assert_int_equal(hearing[0]->ear.silence_ms, SILENCE_MS);
	tell(hearing[0], FACT_PARTIAL, "noise", 0);
	check_log(&b, "");
	tell(hearing[0], FACT_SPEECH_STARTED, "", 0);
	check_log(&b, SAID);
	tell(hearing[0], FACT_PARTIAL, "hel", 0);
	is_silent(&b, 500);
	tell(hearing[0], FACT_SPEECH_STOPPED, "", 0);
	check_log(&b, "transcript.partial hel\n" HEARD);
	assert_int_equal(ms_of(hearing[0]), 1500);
	is_silent(&b, 100);
	assert_int_equal(hearings, 2);
	tell(hearer(true), FACT_FINAL, "hello", 0);
	check_log(&b, ANSWERS);
	tell(hearing[0], FACT_SPEECH_STARTED, "", 0);
	speaks(&b, AHEAD_BARGE_MS - VOICE_SPEECH_MS - GATE_FRAME_MS);
	check_log(&b, "");
	speaks(&b, 2 * GATE_FRAME_MS);
	check_log(&b, "CANCELLED 1\nBEGAN 2\nsession.state listening\nspeech.started\n");
	bench_end(&b);
}

static void a_work_that_hears_silence_is_renewed(void **state)
{
	struct bench b;

	bench_begin(&b, &finding);
	is_silent(&b, 10 * AHEAD_RENEW_MS);
	assert_int_equal(begun, 10);
	assert_int_equal(hearings, 1);
	check_log(&b, "");
	bench_end(&b);
}

static void an_engine_that_is_not_there_is_asked_now_and_then(void **state)
{
	struct bench b;

	bench_begin(&b, &finding);
	refuses = true;
	is_silent(&b, 2 * AHEAD_PAUSE_MS);
	check_log(&b, "error engine_unavailable\nerror engine_unavailable\n");
	assert_int_equal(begun, 2);
	refuses = false;
	is_silent(&b, AHEAD_PAUSE_MS);
	assert_int_equal(hearings, 1);
	bench_end(&b);
}

/* ---- the model ---- */

struct model {
	enum { REST, LISTEN, HEAR, THINK, SPEAK } phase;
	bool by_voice, is_wanted;
	unsigned spoken, turns;
	struct buf log;
};

static void line(struct model *m, const char *words)
{
	buf_print(&m->log, "%s\n", words);
}

static void turn_line(struct model *m, const char *words)
{
	buf_print(&m->log, "%s %u\n", words, m->turns);
}

static void at_rest(struct model *m, const char *mark)
{
	if (m->phase == SPEAK && mark[0] == 'C')
		line(m, "output_audio.clear");
	if (m->phase != REST)
		turn_line(m, mark);
	m->phase = REST;
}

static void new_turn(struct model *m, bool by_voice)
{
	m->turns++;
	m->by_voice = by_voice;
	turn_line(m, "BEGAN");
}

static void maybe_turn(struct model *m)
{
	if (!m->is_wanted || (m->phase != REST && m->spoken < 400 + SILENCE_MS))
		return;
	at_rest(m, "CANCELLED");
	new_turn(m, true);
	m->is_wanted = false;
	m->phase = LISTEN;
	line(m, "session.state listening");
	line(m, "speech.started");
}

static void model_sound(struct model *m)
{
	if (m->phase == LISTEN)
		return;
	m->spoken += 20;
	maybe_turn(m);
}

static void model_started(struct model *m)
{
	m->is_wanted = true;
	m->spoken = 250;
	maybe_turn(m);
}

static void model_stopped(struct model *m)
{
	m->is_wanted = false;
	if (m->phase != LISTEN)
		return;
	m->phase = HEAR;
	line(m, "speech.stopped");
	turn_line(m, "HEARD");
}

static void model_no_speech(struct model *m)
{
	if (!m->by_voice)
		line(m, "error no_speech");
	at_rest(m, m->by_voice ? "CANCELLED" : "FAILED");
	line(m, "session.state listening");
}

static void model_answer(struct model *m, bool is_whole)
{
	if (!is_whole && m->phase == THINK)
		line(m, "session.state speaking");
	line(m, is_whole ? "response.completed" : "response.text.delta d");
	if (!is_whole) {
		m->phase = SPEAK;
		return;
	}
	at_rest(m, "DONE");
	line(m, "session.state listening");
}

static void model_want(struct model *m, enum voice_input input)
{
	if (input != INPUT_CANCEL && m->phase != REST && m->phase != LISTEN) {
		buf_print(&m->log, BUSY);
		return;
	}
	if (input != INPUT_COMMIT)
		at_rest(m, "CANCELLED");
	if (input == INPUT_CANCEL) {
		line(m, "session.state listening");
		return;
	}
	if (m->phase == REST)
		new_turn(m, false);
	m->phase = input == INPUT_TEXT ? THINK : HEAR;
	if (input == INPUT_COMMIT) {
		turn_line(m, "HEARD");
		return;
	}
	line(m, "transcript.final typed");
	line(m, "session.state thinking");
}

/* ---- any order ---- */

/* Somebody begins to speak, or stops, for whoever listens. */
static void change_voice(struct model *m)
{
	struct job *job = hearer(false);

	if (!job)
		return;
	job->speaks = !job->speaks;
	if (job->speaks)
		model_started(m);
	else
		model_stopped(m);
	tell(job, job->speaks ? FACT_SPEECH_STARTED : FACT_SPEECH_STOPPED, "", 0);
}

static void end_hearing(struct model *m, bool is_speech)
{
	struct job *job = hearer(true);

	if (!job)
		return;
	if (is_speech) {
		line(m, "transcript.final said");
		line(m, "session.state thinking");
		m->phase = THINK;
		tell(job, FACT_FINAL, "said", 0);
	} else {
		model_no_speech(m);
		tell(job, FACT_FAILED, "nothing", VOICE_NO_SPEECH);
	}
}

static void go_on_answering(struct model *m, bool is_whole)
{
	if (!thinking)
		return;
	model_answer(m, is_whole);
	tell(thinking, is_whole ? FACT_WHOLE : FACT_DELTA, "d", 0);
}

static void do_anything(struct bench *b, struct model *m, uint64_t draw)
{
	static const enum voice_input wants[] = {INPUT_CANCEL, INPUT_TEXT, INPUT_COMMIT};
	unsigned op = draw % 16;

	if (op < 7) {
		for (unsigned i = 0; i < (draw >> 8U) % 40; i++) {
			model_sound(m);
			is_silent(b, GATE_FRAME_MS);
		}
	} else if (op < 10) {
		change_voice(m);
	} else if (op < 12) {
		end_hearing(m, draw >> 8U & 3U);
	} else if (op < 15) {
		go_on_answering(m, (draw >> 8U & 3U) == 0);
	} else {
		model_want(m, wants[(draw >> 8U) % 3]);
		want(b, wants[(draw >> 8U) % 3]);
	}
}

static void any_order_of_voices_and_wishes_is_as_the_model_says(void **state)
{
	uint64_t seed = 11;

	for (int i = 0; i < ROUNDS; i++) {
		struct model m = {.phase = REST};
		struct bench b;

		bench_begin(&b, &finding);
		buf_init(&m.log, LOG_MAX);
		for (int j = 0; j < ROUND_OPS; j++)
			do_anything(&b, &m, random_draw(&seed));
		buf_add_char(&m.log, '\0');
		check_log(&b, m.log.at);
		buf_finish(&m.log);
		bench_end(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(silence_costs_nothing_and_is_no_turn),
		cmocka_unit_test(who_speaks_has_a_turn_which_silence_ends),
		cmocka_unit_test(speech_interrupts_after_a_moment_and_is_the_next_turn),
		cmocka_unit_test(what_is_too_short_interrupts_nothing),
		cmocka_unit_test(after_a_cancel_the_rest_of_the_sentence_is_no_turn),
		cmocka_unit_test(a_cough_is_no_error),
		cmocka_unit_test(push_to_talk_is_told_who_speaks_and_nothing_else_changes),
		cmocka_unit_test(who_speaks_may_be_asked_for_in_the_middle_of_a_turn),
		cmocka_unit_test(who_is_finished_in_the_middle_of_a_chunk_hears_no_more),
		cmocka_unit_test(what_is_no_sound_is_told_and_pieces_may_have_any_length),
		cmocka_unit_test(who_is_heard_ahead_hears_the_turn),
		cmocka_unit_test(a_work_that_hears_silence_is_renewed),
		cmocka_unit_test(an_engine_that_is_not_there_is_asked_now_and_then),
		cmocka_unit_test(any_order_of_voices_and_wishes_is_as_the_model_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
