/* session_say_test.c - turns of engines that are no script: what they tell, in any order. */
#include "voice/session.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/buf.h"

#define LOG_MAX (64 * KIB)

/* An engine whose works write down what they are given; the test tells the facts. */
static struct voice_ear ears[VOICE_PARTS];
static struct buf log_;
static bool is_refused; /* what is fed fails at once */

struct job {
	enum voice_part part;
	bool is_at_work;
};
static struct job jobs[VOICE_PARTS] = {
	{VOICE_HEAR, false}, {VOICE_THINK, false}, {VOICE_SAY, false}};
static const char *const names[VOICE_PARTS] = {"hear", "think", "say"};

static void *begin_job(struct job *job, const struct voice_ear *ear)
{
	assert_false(job->is_at_work);
	job->is_at_work = true;
	ears[job->part] = *ear;
	return job;
}

static void *begin_hear(const void *self, const struct voice_ear *ear, uint64_t now_ms)
{
	return begin_job(&jobs[VOICE_HEAR], ear);
}

static void *begin_think(const void *self, const struct voice_ear *ear, uint64_t now_ms)
{
	return begin_job(&jobs[VOICE_THINK], ear);
}

static void *begin_say(const void *self, const struct voice_ear *ear, uint64_t now_ms)
{
	return begin_job(&jobs[VOICE_SAY], ear);
}

static void tell_fact(enum voice_part part, enum voice_fact_kind kind, const char *text)
{
	struct voice_ear ear = ears[part];

	ear.told(ear.self, ear.turn,
	         &(struct voice_fact){.kind = kind,
	                              .text = text_of(text),
	                              .code = VOICE_ENGINE_UNAVAILABLE,
	                              .retryable = true,
	                              .rate = 16000});
}

static void feed_job(void *work, struct text piece, uint64_t now_ms)
{
	const struct job *job = work;

	buf_print(&log_, "%s<%.*s> ", names[job->part], TEXT_ARG(piece));
	if (is_refused && job->part == VOICE_SAY)
		tell_fact(VOICE_SAY, FACT_FAILED, "no voice");
}

static void end_job(void *work, uint64_t now_ms)
{
	buf_print(&log_, "%s. ", names[((const struct job *)work)->part]);
}

static void stop_job(void *work)
{
	struct job *job = work;

	assert_true(job->is_at_work);
	job->is_at_work = false;
	buf_print(&log_, "-%s ", names[job->part]);
}

static const struct voice_role hear_role = {begin_hear, feed_job, end_job, stop_job, NULL, NULL};
static const struct voice_role think_role = {begin_think, feed_job, end_job, stop_job, NULL, NULL};
static const struct voice_role say_role = {begin_say, feed_job, end_job, stop_job, NULL, NULL};

static const struct voice_engine engine = {
	.name = "test",
	.parts = {[VOICE_HEAR] = &hear_role, [VOICE_THINK] = &think_role, [VOICE_SAY] = &say_role},
};

/* ---- the session ---- */

static void note_said(void *self, const struct voice_said *said)
{
	struct text more = said->text;

	if (said->event == TOLD_SESSION_STATE)
		more = voice_states[said->state];
	else if (said->event == TOLD_RESPONSE_COMPLETED || said->event == TOLD_OUTPUT_AUDIO_CLEAR)
		more = TEXT("");
	buf_print(&log_, "%.*s(%.*s) ", TEXT_ARG(voice_told[said->event].type), TEXT_ARG(more));
}

static void note_mark(void *self, uint64_t turn, enum voice_mark mark)
{
	static const char *const words[] = {"BEGAN", "HEARD", "DONE", "CANCELLED", "FAILED"};

	buf_print(&log_, "%s ", words[mark]);
}

static const struct voice_desk desk = {NULL, note_said, note_mark};

static void begin_session(struct voice_session *s)
{
	is_refused = false;
	buf_init(&log_, LOG_MAX);
	voice_session_init(s, &engine, &desk);
	s->is_spoken = true;
}

static void check_log(const char *expected)
{
	buf_add_char(&log_, '\0');
	assert_string_equal(log_.at, expected);
	buf_clear(&log_);
}

static void end_session(struct voice_session *s)
{
	voice_session_finish(s);
	for (int i = 0; i < VOICE_PARTS; i++)
		assert_false(jobs[i].is_at_work);
	buf_finish(&log_);
}

static void speak(struct voice_session *s)
{
	voice_session_hear(s, INPUT_TEXT, TEXT("hi"), 0);
	tell_fact(VOICE_THINK, FACT_DELTA, "One. ");
	buf_clear(&log_);
}

/* ---- what they do ---- */

static void an_answer_is_over_when_it_was_said(void **state)
{
	struct voice_session s;

	begin_session(&s);
	voice_session_hear(&s, INPUT_APPEND, TEXT("AAAA"), 0);
	tell_fact(VOICE_HEAR, FACT_SPEECH_STARTED, "");
	tell_fact(VOICE_HEAR, FACT_PARTIAL, "he");
	tell_fact(VOICE_HEAR, FACT_SPEECH_STOPPED, "");
	voice_session_hear(&s, INPUT_COMMIT, TEXT(""), 0);
	tell_fact(VOICE_HEAR, FACT_PARTIAL, "hell");
	tell_fact(VOICE_HEAR, FACT_FINAL, "hello");
	check_log("BEGAN session.state(listening) hear<AAAA> speech.started() "
	          "transcript.partial(he) "
	          "speech.stopped() HEARD hear. transcript.partial(hell) "
	          "-hear transcript.final(hello) "
	          "session.state(thinking) "
	          "think<hello> think. ");
	tell_fact(VOICE_THINK, FACT_TOOL_STARTED, "clock");
	tell_fact(VOICE_THINK, FACT_TOOL_FINISHED, "clock");
	tell_fact(VOICE_THINK, FACT_DELTA, "One. ");
	tell_fact(VOICE_SAY, FACT_SOUND, "BBBB");
	tell_fact(VOICE_THINK, FACT_DELTA, "Two.");
	tell_fact(VOICE_THINK, FACT_WHOLE, "");
	check_log("tool.started(clock) tool.finished(clock) session.state(speaking) "
	          "response.text.delta(One. ) say<One. > output_audio.delta(BBBB) "
	          "response.text.delta(Two.) say<Two.> say. ");
	tell_fact(VOICE_SAY, FACT_SOUND, "CCCC");
	tell_fact(VOICE_SAY, FACT_QUIET, "");
	check_log("output_audio.delta(CCCC) -think -say response.completed() DONE "
	          "session.state(idle) ");
	end_session(&s);
}

static void a_cancel_stops_all_of_it_and_nothing_follows(void **state)
{
	struct voice_session s;

	begin_session(&s);
	speak(&s);
	voice_session_hear(&s, INPUT_CANCEL, TEXT(""), 0);
	check_log("-think -say output_audio.clear() CANCELLED session.state(idle) ");
	tell_fact(VOICE_SAY, FACT_SOUND, "BBBB");
	tell_fact(VOICE_THINK, FACT_DELTA, "Two.");
	tell_fact(VOICE_SAY, FACT_QUIET, "");
	tell_fact(VOICE_THINK, FACT_FAILED, "late");
	check_log("");
	voice_session_hear(&s, INPUT_TEXT, TEXT("again"), 0);
	buf_clear(&log_);
	ears[VOICE_SAY].turn = 1;
	tell_fact(VOICE_SAY, FACT_SOUND, "of the turn before");
	check_log("");
	end_session(&s);
}

static void who_plays_no_sound_gets_text(void **state)
{
	struct voice_session s;

	begin_session(&s);
	s.is_spoken = false;
	speak(&s);
	tell_fact(VOICE_THINK, FACT_WHOLE, "");
	check_log("-think response.completed() DONE session.state(idle) ");
	end_session(&s);
}

static void an_answer_without_words_is_one(void **state)
{
	struct voice_session s;

	begin_session(&s);
	voice_session_hear(&s, INPUT_TEXT, TEXT("hi"), 0);
	buf_clear(&log_);
	tell_fact(VOICE_THINK, FACT_WHOLE, "");
	check_log("-think response.completed() DONE session.state(idle) ");
	end_session(&s);
}

static void a_fault_ends_the_turn_in_words(void **state)
{
	struct voice_session s;

	begin_session(&s);
	voice_session_hear(&s, INPUT_COMMIT, TEXT(""), 0);
	buf_clear(&log_);
	tell_fact(VOICE_HEAR, FACT_FAILED, "deaf");
	check_log("-hear error(deaf) FAILED session.state(idle) ");
	is_refused = true;
	voice_session_hear(&s, INPUT_TEXT, TEXT("hi"), 0);
	buf_clear(&log_);
	tell_fact(VOICE_THINK, FACT_DELTA, "One. ");
	check_log("session.state(speaking) response.text.delta(One. ) say<One. > -think -say "
	          "output_audio.clear() error(no voice) FAILED session.state(idle) ");
	end_session(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_answer_is_over_when_it_was_said),
		cmocka_unit_test(a_cancel_stops_all_of_it_and_nothing_follows),
		cmocka_unit_test(who_plays_no_sound_gets_text),
		cmocka_unit_test(an_answer_without_words_is_one),
		cmocka_unit_test(a_fault_ends_the_turn_in_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
