/* session_test.c - the sequences of the protocol, event by event in virtual time, and random ones
 * against a model that is none of a table: a list of what is yet to come. */
#include "voice/session.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/random.h"
#include "voice/mock.h"

#define LOG_MAX (1 * MIB)
#define ROUNDS 10000
#define ROUND_OPS 30

#define USER "[mocked user] What is the current mocked vertical slice?"
#define FIRST "[mocked assistant] "
#define SECOND "This is a deterministic mocked response from the gateway vertical slice."
#define PARTIAL "[mocked partial] Placeholder push-to-talk transcript in progress"
#define COMPLETED "[mocked final] Placeholder push-to-talk transcript completed"
#define BUSY "Only one mocked turn can run per session at a time."

static const struct voice_mock_times times = {75, 150, 225, 300, 375};

/* ---- a session in virtual time, that writes down what it says ---- */

struct bench {
	struct voice_engine engine;
	struct voice_desk desk;
	struct voice_session session;
	struct buf log;
	uint64_t now;
};

static void bench_say(void *self, const struct voice_said *said)
{
	struct bench *b = self;
	bool has_text = said->event == TOLD_TRANSCRIPT_PARTIAL ||
	                said->event == TOLD_TRANSCRIPT_FINAL ||
	                said->event == TOLD_RESPONSE_TEXT_DELTA || said->event == TOLD_ERROR;

	buf_print(&b->log, "%llu %llu %.*s", (unsigned long long)b->now,
	          (unsigned long long)said->turn, TEXT_ARG(voice_told[said->event].type));
	if (said->event == TOLD_SESSION_STATE)
		buf_print(&b->log, " %.*s", TEXT_ARG(voice_states[said->state]));
	if (said->event == TOLD_ERROR)
		buf_print(&b->log, " %.*s%s", TEXT_ARG(voice_codes[said->code]),
		          said->retryable ? " retryable" : "");
	if (has_text)
		buf_print(&b->log, " %.*s", TEXT_ARG(said->text));
	buf_add_char(&b->log, '\n');
}

static void bench_mark(void *self, uint64_t turn, enum voice_mark mark)
{
	static const char *const names[] = {"began", "heard", "done", "cancelled", "failed"};
	struct bench *b = self;

	buf_print(&b->log, "%llu %llu (%s)\n", (unsigned long long)b->now, (unsigned long long)turn,
	          names[mark]);
}

static void bench_begin(struct bench *b)
{
	b->engine = voice_mock(&times);
	b->desk = (struct voice_desk){b, bench_say, bench_mark};
	b->now = 0;
	buf_init(&b->log, LOG_MAX);
	voice_session_init(&b->session, &b->engine, &b->desk);
}

static void bench_end(struct bench *b)
{
	voice_session_finish(&b->session);
	buf_finish(&b->log);
}

static void hear(struct bench *b, enum voice_input input)
{
	voice_session_hear(&b->session, input, TEXT("typed"), b->now);
}

/* Each moment that is due is a moment of its own. */
static void pass(struct bench *b, uint64_t ms)
{
	uint64_t until = b->now + ms;

	while (voice_session_due(&b->session) <= until) {
		b->now = voice_session_due(&b->session);
		voice_session_tick(&b->session, b->now);
	}
	b->now = until;
}

static void check_log(struct bench *b, const char *expected)
{
	buf_add_char(&b->log, '\0');
	assert_string_equal(b->log.at, expected);
	buf_clear(&b->log);
}

#define ANSWER(turn, final, speaking, first, second, end) \
	final " " turn " session.state thinking\n" speaking " " turn \
	      " session.state speaking\n" first " " turn " response.text.delta " FIRST "\n" second \
	      " " turn " response.text.delta " SECOND "\n" end " " turn \
	      " response.completed\n" end " " turn " (done)\n" end " 0 session.state idle\n"

static void a_triggered_turn_is_the_one_of_the_protocol(void **state)
{
	struct bench b;

	bench_begin(&b);
	hear(&b, INPUT_TRIGGER);
	pass(&b, 1000);
	check_log(&b,
	          "0 1 (began)\n"
	          "0 1 session.state listening\n"
	          "75 1 transcript.final " USER "\n" ANSWER("1", "75", "150", "225", "300", "375"));
	bench_end(&b);
}

static void push_to_talk_counts_its_chunks(void **state)
{
	struct bench b;

	bench_begin(&b);
	for (int i = 0; i < 3; i++)
		hear(&b, INPUT_APPEND);
	hear(&b, INPUT_COMMIT);
	pass(&b, 1000);
	check_log(&b, "0 1 (began)\n"
	              "0 1 session.state listening\n"
	              "0 1 transcript.partial " PARTIAL ".\n"
	              "0 1 transcript.partial " PARTIAL " (2 chunks).\n"
	              "0 1 transcript.partial " PARTIAL " (3 chunks).\n"
	              "0 1 (heard)\n"
	              "75 1 transcript.final " COMPLETED
	              " from 3 appended chunk(s).\n" ANSWER("1", "75", "150", "225", "300", "375"));
	hear(&b, INPUT_APPEND);
	hear(&b, INPUT_COMMIT);
	pass(&b, 1000);
	check_log(&b, "1000 2 (began)\n"
	              "1000 2 session.state listening\n"
	              "1000 2 transcript.partial " PARTIAL ".\n"
	              "1000 2 (heard)\n"
	              "1075 2 transcript.final " COMPLETED " from 1 appended chunk(s).\n" ANSWER(
			      "2", "1075", "1150", "1225", "1300", "1375"));
	bench_end(&b);
}

static void a_commit_without_sound_is_a_turn(void **state)
{
	struct bench b;

	bench_begin(&b);
	hear(&b, INPUT_COMMIT);
	pass(&b, 1000);
	check_log(&b, "0 1 (began)\n"
	              "0 1 (heard)\n"
	              "75 1 transcript.final " COMPLETED
	              " without appended audio.\n" ANSWER("1", "75", "150", "225", "300", "375"));
	hear(&b, INPUT_TRIGGER);
	pass(&b, 80);
	check_log(&b, "1000 2 (began)\n"
	              "1000 2 session.state listening\n"
	              "1075 2 transcript.final " USER "\n"
	              "1075 2 session.state thinking\n");
	bench_end(&b);
}

static void a_trigger_drops_what_was_heard(void **state)
{
	struct bench b;

	bench_begin(&b);
	hear(&b, INPUT_APPEND);
	hear(&b, INPUT_TRIGGER);
	pass(&b, 75);
	check_log(&b, "0 1 (began)\n"
	              "0 1 session.state listening\n"
	              "0 1 transcript.partial " PARTIAL ".\n"
	              "0 1 (cancelled)\n"
	              "0 2 (began)\n"
	              "0 2 session.state listening\n"
	              "75 2 transcript.final " USER "\n"
	              "75 2 session.state thinking\n");
	bench_end(&b);
}

static void a_start_says_readiness_and_state_and_changes_nothing(void **state)
{
	static const char *const seen[] = {"listening", "thinking", "speaking", "idle"};
	struct bench b;

	bench_begin(&b);
	hear(&b, INPUT_TRIGGER);
	for (int i = 0; i < 4; i++) {
		char expected[128];

		buf_clear(&b.log);
		hear(&b, INPUT_START);
		snprintf(expected, sizeof(expected),
		         "%llu %d session.ready\n%llu %d session.state %s\n",
		         (unsigned long long)b.now, i < 3, (unsigned long long)b.now, i < 3,
		         seen[i]);
		check_log(&b, expected);
		pass(&b, i < 2 ? 75 : 500);
	}
	bench_end(&b);
}

static void a_turn_is_not_disturbed(void **state)
{
	static const enum voice_input inputs[] = {INPUT_TRIGGER, INPUT_APPEND, INPUT_COMMIT,
	                                          INPUT_TEXT};
	struct bench b;

	bench_begin(&b);
	hear(&b, INPUT_TRIGGER);
	for (int i = 0; i < 3; i++) {
		buf_clear(&b.log);
		for (size_t j = 0; j < sizeof(inputs) / sizeof(*inputs); j++) {
			char expected[160];

			hear(&b, inputs[j]);
			snprintf(expected, sizeof(expected),
			         "%llu 1 error mocked_turn_in_flight retryable " BUSY "\n",
			         (unsigned long long)b.now);
			check_log(&b, expected);
		}
		pass(&b, 75);
	}
	buf_clear(&b.log);
	pass(&b, 1000);
	check_log(&b, "300 1 response.text.delta " SECOND "\n375 1 response.completed\n"
	              "375 1 (done)\n375 0 session.state idle\n");
	bench_end(&b);
}

/* In every phase: the state, and nothing of that turn after it. */
static void a_cancel_is_the_end_of_a_turn(void **state)
{
	struct bench b;

	bench_begin(&b);
	hear(&b, INPUT_CANCEL);
	check_log(&b, "0 0 session.state idle\n");
	hear(&b, INPUT_APPEND);
	buf_clear(&b.log);
	hear(&b, INPUT_CANCEL);
	pass(&b, 1000);
	check_log(&b, "0 1 (cancelled)\n0 0 session.state idle\n");
	for (uint64_t at = 0; at < 375; at += 5) {
		char expected[128];
		uint64_t turn = at / 5 + 2;
		bool speaks = at >= 150;

		hear(&b, INPUT_TRIGGER);
		pass(&b, at);
		buf_clear(&b.log);
		hear(&b, INPUT_CANCEL);
		pass(&b, 1000);
		b.now -= 1000;
		snprintf(expected, sizeof(expected),
		         "%.*s%llu %llu (cancelled)\n%llu 0 session.state idle\n", 0, "",
		         (unsigned long long)b.now, (unsigned long long)turn,
		         (unsigned long long)b.now);
		buf_add_char(&b.log, '\0');
		/* A loudspeaker is told, too; who has none is not (write.c). */
		assert_int_equal(strstr(b.log.at, "output_audio.clear") != NULL, speaks);
		assert_string_equal(speaks ? strchr(b.log.at, '\n') + 1 : b.log.at, expected);
		buf_clear(&b.log);
		b.now += 1000;
	}
	bench_end(&b);
}

static void what_was_typed_is_thought_about_at_once(void **state)
{
	struct bench b;

	bench_begin(&b);
	hear(&b, INPUT_TEXT);
	pass(&b, 1000);
	check_log(&b, "0 1 (began)\n"
	              "0 1 transcript.final typed\n" ANSWER("1", "0", "75", "150", "225", "300"));
	bench_end(&b);
}

static void hands_free_it_listens_at_rest(void **state)
{
	struct bench b;

	bench_begin(&b);
	b.session.hands_free = true;
	hear(&b, INPUT_TRIGGER);
	buf_clear(&b.log);
	hear(&b, INPUT_CANCEL);
	check_log(&b, "0 1 (cancelled)\n0 0 session.state listening\n");
	hear(&b, INPUT_TEXT);
	pass(&b, 299);
	buf_clear(&b.log);
	pass(&b, 1);
	check_log(&b, "300 2 response.completed\n300 2 (done)\n300 0 session.state listening\n");
	bench_end(&b);
}

static void who_comes_late_says_all_in_order(void **state)
{
	struct bench b;

	bench_begin(&b);
	hear(&b, INPUT_COMMIT);
	buf_clear(&b.log);
	b.now = 5000;
	voice_session_tick(&b.session, b.now);
	assert_int_equal(b.session.phase, PHASE_THINKING);
	b.now = 9000;
	voice_session_tick(&b.session, b.now);
	check_log(&b, "5000 1 transcript.final " COMPLETED " without appended audio.\n" ANSWER(
			      "1", "5000", "9000", "9000", "9000", "9000"));
	assert_true(voice_session_due(&b.session) == VOICE_NEVER);
	bench_end(&b);
}

/* A client may be closed by what it is told. */
static void say_and_finish(void *self, const struct voice_said *said)
{
	struct bench *b = self;

	bench_say(self, said);
	if (said->event == TOLD_TRANSCRIPT_FINAL)
		voice_session_finish(&b->session);
}

static void who_is_finished_by_its_own_words_does_nothing_more(void **state)
{
	struct bench b;

	bench_begin(&b);
	b.desk.say = say_and_finish;
	hear(&b, INPUT_COMMIT);
	pass(&b, 1000);
	check_log(&b, "0 1 (began)\n"
	              "0 1 (heard)\n"
	              "75 1 transcript.final " COMPLETED " without appended audio.\n"
	              "75 1 (cancelled)\n");
	hear(&b, INPUT_START);
	check_log(&b, "");
	bench_end(&b);
}

/* ---- the model: what is to come is a list, which a cancel empties ---- */

struct line {
	uint64_t at;
	char words[160];
};

struct model {
	struct line coming[8];
	unsigned count;
	bool in_flight, is_open; /* a turn runs; or sound came that was not committed */
	const char *value;       /* the last state that was reached */
	unsigned chunks;
	unsigned long long turn, now;
	struct buf log;
};

static void model_write(struct model *m, unsigned long long turn, const char *words)
{
	buf_print(&m->log, "%llu %llu %s\n", m->now, turn, words);
}

static void model_state(struct model *m, const char *value, unsigned long long turn)
{
	char words[64];

	m->value = value;
	snprintf(words, sizeof(words), "session.state %s", value);
	model_write(m, turn, words);
}

static void model_plan(struct model *m, unsigned after, const char *words)
{
	struct line *line = &m->coming[m->count++];

	line->at = m->now + after;
	snprintf(line->words, sizeof(line->words), "%s", words);
}

static void model_answer(struct model *m, unsigned from)
{
	model_plan(m, from, "session.state speaking");
	model_plan(m, from + 75, "response.text.delta " FIRST);
	model_plan(m, from + 150, "response.text.delta " SECOND);
	model_plan(m, from + 225, "response.completed");
	m->in_flight = true;
}

static void model_turn(struct model *m)
{
	m->turn++;
	model_write(m, m->turn, "(began)");
}

static void model_heard(struct model *m, const char *final)
{
	char words[160];

	snprintf(words, sizeof(words), "transcript.final %s", final);
	model_plan(m, 75, words);
	model_plan(m, 75, "session.state thinking");
	model_answer(m, 150);
}

static void model_drop(struct model *m)
{
	if (m->in_flight || m->is_open)
		model_write(m, m->turn, "(cancelled)");
	m->in_flight = m->is_open = false;
	m->chunks = m->count = 0;
}

static void model_append(struct model *m)
{
	char words[160];

	if (!m->is_open) {
		model_turn(m);
		model_state(m, "listening", m->turn);
	}
	m->is_open = true;
	m->chunks++;
	snprintf(words, sizeof(words),
	         m->chunks > 1 ? "transcript.partial " PARTIAL " (%u chunks)."
	                       : "transcript.partial " PARTIAL ".",
	         m->chunks);
	model_write(m, m->turn, words);
}

static void model_commit(struct model *m)
{
	char words[128];

	if (!m->is_open)
		model_turn(m);
	model_write(m, m->turn, "(heard)");
	snprintf(words, sizeof(words),
	         m->chunks ? COMPLETED " from %u appended chunk(s)."
	                   : COMPLETED " without appended audio.",
	         m->chunks);
	m->is_open = false;
	m->chunks = 0;
	m->value = "listening";
	model_heard(m, words);
}

static void model_cancel(struct model *m)
{
	if (m->in_flight && strcmp(m->value, "speaking") == 0)
		model_write(m, m->turn, "output_audio.clear");
	model_drop(m);
	model_state(m, "idle", 0);
}

static void model_trigger(struct model *m)
{
	model_drop(m);
	model_turn(m);
	model_state(m, "listening", m->turn);
	model_heard(m, USER);
}

static void model_text(struct model *m)
{
	model_drop(m);
	model_turn(m);
	model_write(m, m->turn, "transcript.final typed");
	model_state(m, "thinking", m->turn);
	model_answer(m, 75);
}

static void model_start(struct model *m)
{
	unsigned long long turn = m->in_flight || m->is_open ? m->turn : 0;

	model_write(m, turn, "session.ready");
	model_state(m, m->value, turn);
}

static void model_hear(struct model *m, enum voice_input input)
{
	if (input == INPUT_START)
		model_start(m);
	else if (input == INPUT_CANCEL)
		model_cancel(m);
	else if (m->in_flight)
		model_write(m, m->turn, "error mocked_turn_in_flight retryable " BUSY);
	else if (input == INPUT_APPEND)
		model_append(m);
	else if (input == INPUT_COMMIT)
		model_commit(m);
	else if (input == INPUT_TEXT)
		model_text(m);
	else
		model_trigger(m);
}

static void model_come(struct model *m, const char *words)
{
	static const char *const values[] = {"thinking", "speaking"};

	for (size_t i = 0; i < 2; i++)
		if (strstr(words, "session.state") == words && strstr(words, values[i]))
			m->value = values[i];
	model_write(m, m->turn, words);
	if (strcmp(words, "response.completed") == 0) {
		model_write(m, m->turn, "(done)");
		m->in_flight = false;
		model_state(m, "idle", 0);
	}
}

static void model_pass(struct model *m, uint64_t ms)
{
	unsigned long long until = m->now + ms;

	while (m->count && m->coming[0].at <= until) {
		struct line line = m->coming[0];

		memmove(m->coming, m->coming + 1, --m->count * sizeof(line));
		m->now = line.at;
		model_come(m, line.words);
	}
	m->now = until;
}

static void play_round(uint64_t *seed)
{
	struct model m = {.value = "idle"};
	struct bench b;

	bench_begin(&b);
	buf_init(&m.log, LOG_MAX);
	for (int i = 0; i < ROUND_OPS; i++) {
		uint64_t draw = random_draw(seed);
		enum voice_input input = (enum voice_input)(draw % INPUT_VOICE);
		uint64_t ms = draw >> 8U & 3U ? draw >> 16U & 127U : draw >> 16U & 511U;

		hear(&b, input);
		model_hear(&m, input);
		pass(&b, ms);
		model_pass(&m, ms);
	}
	buf_add_char(&m.log, '\0');
	check_log(&b, m.log.at);
	buf_finish(&m.log);
	bench_end(&b);
}

static void any_order_of_events_is_as_the_model_says(void **state)
{
	uint64_t seed = 20;

	for (int i = 0; i < ROUNDS; i++)
		play_round(&seed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_triggered_turn_is_the_one_of_the_protocol),
		cmocka_unit_test(push_to_talk_counts_its_chunks),
		cmocka_unit_test(a_commit_without_sound_is_a_turn),
		cmocka_unit_test(a_trigger_drops_what_was_heard),
		cmocka_unit_test(a_start_says_readiness_and_state_and_changes_nothing),
		cmocka_unit_test(a_turn_is_not_disturbed),
		cmocka_unit_test(a_cancel_is_the_end_of_a_turn),
		cmocka_unit_test(what_was_typed_is_thought_about_at_once),
		cmocka_unit_test(hands_free_it_listens_at_rest),
		cmocka_unit_test(who_comes_late_says_all_in_order),
		cmocka_unit_test(who_is_finished_by_its_own_words_does_nothing_more),
		cmocka_unit_test(any_order_of_events_is_as_the_model_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
