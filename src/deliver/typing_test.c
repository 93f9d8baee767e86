/* typing_test.c - tables of what is sent when, by a clock that is only a number. */
#include "deliver/typing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/buf.h"

/* --- a clock and what is sent ------------------------------------------------------------ */

struct stage {
	struct typing_signaler typing;
	int64_t now_ms;
	char sent[1024];
};

static void send_all(struct stage *s)
{
	enum typing_act act;

	while ((act = typing_next(&s->typing, s->now_ms)) != TYPING_NOTHING) {
		size_t n = strlen(s->sent);

		snprintf(s->sent + n, sizeof(s->sent) - n, "%s%lld%s", n ? " " : "",
		         (long long)s->now_ms, act == TYPING_HIDE ? "-" : "");
	}
}

/* Lets the time pass, and wakes up only when it is due. */
static void pass_until(struct stage *s, int64_t end_ms)
{
	send_all(s);
	while (typing_due(&s->typing) <= end_ms) {
		int64_t due = typing_due(&s->typing);

		s->now_ms = due > s->now_ms ? due : s->now_ms;
		send_all(s);
	}
	s->now_ms = end_ms;
}

static void begin(struct stage *s, enum typing_mode mode, int64_t interval_ms)
{
	*s = (struct stage){.now_ms = 0};
	typing_init(&s->typing, mode, interval_ms);
}

enum what {
	RUN_START,
	MESSAGE_START,
	TEXT_DELTA,
	REASONING_DELTA,
	TOOL_START,
	SILENT_TEXT,
	SENDING,
	SENT,
	RUN_OVER,
	CANCEL,
	FAIL,
	LOSE,
};

static void happen(struct stage *s, enum what what)
{
	struct typing_signaler *t = &s->typing;

	switch (what) {
	case RUN_START:
		typing_run_start(t, s->now_ms);
		break;
	case MESSAGE_START:
		typing_message_start(t, s->now_ms);
		break;
	case TEXT_DELTA:
		typing_text_delta(t, TEXT("Hello"), s->now_ms);
		break;
	case REASONING_DELTA:
		typing_reasoning_delta(t, s->now_ms);
		break;
	case TOOL_START:
		typing_tool_start(t, s->now_ms);
		break;
	case SILENT_TEXT:
		typing_text_delta(t, TEXT("NO_REPLY"), s->now_ms);
		break;
	case SENDING:
	case SENT:
		typing_sent(t, what == SENT);
		break;
	case RUN_OVER:
		typing_run_over(t);
		break;
	default:
		typing_stop(t, what == CANCEL ? TYPING_IS_CANCELLED
		               : what == FAIL ? TYPING_IS_FAILED
		                              : TYPING_IS_LOST);
	}
}

struct moment {
	int64_t at_ms;
	enum what what;
};

struct play {
	const char *name;
	enum typing_mode mode;
	int64_t interval_ms;
	struct moment moments[8];
	int64_t end_ms;
	const char *sent; /* when it was shown, and with "-" when it was taken back */
	enum typing_end end;
};

static void perform(const struct play *play)
{
	struct stage s;

	begin(&s, play->mode, play->interval_ms);
	for (unsigned i = 0; i < 8 && (i == 0 || play->moments[i].at_ms); i++) {
		pass_until(&s, play->moments[i].at_ms);
		happen(&s, play->moments[i].what);
		send_all(&s);
	}
	pass_until(&s, play->end_ms);
	if (strcmp(s.sent, play->sent) != 0)
		fail_msg("%s: sent \"%s\", not \"%s\"", play->name, s.sent, play->sent);
	assert_int_equal(s.typing.end, play->end);
}

static void perform_all(const struct play *plays, size_t count)
{
	for (size_t i = 0; i < count; i++)
		perform(&plays[i]);
}

#define PERFORM(plays) perform_all(plays, sizeof(plays) / sizeof(*(plays)))

/* --- the tables -------------------------------------------------------------------------- */

static const struct play beginnings[] = {
	{"instant shows at the start of the run",
         TYPING_INSTANT,
         6000,
         {{0, RUN_START}},
         1000,
         "0",
         TYPING_GOES_ON},
	{"message does not", TYPING_MESSAGE, 6000, {{0, RUN_START}}, 1000, "", TYPING_GOES_ON},
	{"thinking does not", TYPING_THINKING, 6000, {{0, RUN_START}}, 1000, "", TYPING_GOES_ON},
	{"never does not", TYPING_NEVER, 6000, {{0, RUN_START}}, 1000, "", TYPING_GOES_ON},

	{"the first message shows nothing before its text",
         TYPING_MESSAGE,
         6000,
         {{0, MESSAGE_START}, {500, TEXT_DELTA}},
         1000,
         "500",
         TYPING_GOES_ON},
	{"nor does it in instant",
         TYPING_INSTANT,
         6000,
         {{0, MESSAGE_START}},
         1000,
         "",
         TYPING_GOES_ON},

	{"text shows in instant",
         TYPING_INSTANT,
         6000,
         {{0, TEXT_DELTA}},
         1000,
         "0",
         TYPING_GOES_ON},
	{"text shows in message",
         TYPING_MESSAGE,
         6000,
         {{0, TEXT_DELTA}},
         1000,
         "0",
         TYPING_GOES_ON},
	{"text shows in thinking",
         TYPING_THINKING,
         6000,
         {{0, TEXT_DELTA}},
         1000,
         "0",
         TYPING_GOES_ON},
	{"text shows never", TYPING_NEVER, 6000, {{0, TEXT_DELTA}}, 1000, "", TYPING_GOES_ON},

	{"reasoning without text shows nothing",
         TYPING_THINKING,
         6000,
         {{0, REASONING_DELTA}},
         1000,
         "",
         TYPING_GOES_ON},
	{"reasoning in instant shows nothing",
         TYPING_INSTANT,
         6000,
         {{0, REASONING_DELTA}},
         1000,
         "",
         TYPING_GOES_ON},
	{"reasoning in message shows nothing",
         TYPING_MESSAGE,
         6000,
         {{0, REASONING_DELTA}},
         1000,
         "",
         TYPING_GOES_ON},

	{"a tool shows in instant",
         TYPING_INSTANT,
         6000,
         {{0, TOOL_START}},
         1000,
         "0",
         TYPING_GOES_ON},
	{"a tool shows in message",
         TYPING_MESSAGE,
         6000,
         {{0, TOOL_START}},
         1000,
         "0",
         TYPING_GOES_ON},
	{"a tool shows in thinking",
         TYPING_THINKING,
         6000,
         {{0, TOOL_START}},
         1000,
         "0",
         TYPING_GOES_ON},
	{"a tool shows never", TYPING_NEVER, 6000, {{0, TOOL_START}}, 1000, "", TYPING_GOES_ON},
};

static void each_mode_begins_with_its_signals(void **state)
{
	PERFORM(beginnings);
}

static void it_is_shown_again_at_every_interval(void **state)
{
	static const struct play plays[] = {
		{"Telegram",
	         TYPING_INSTANT,
	         3000,
	         {{0, RUN_START}},
	         10000,
	         "0 3000 6000 9000",
	         TYPING_GOES_ON},
		{"Discord",
	         TYPING_INSTANT,
	         5000,
	         {{0, RUN_START}},
	         11000,
	         "0 5000 10000",
	         TYPING_GOES_ON},
		{"others",
	         TYPING_INSTANT,
	         6000,
	         {{0, RUN_START}},
	         13000,
	         "0 6000 12000",
	         TYPING_GOES_ON},
		{"tokens and tools do not hurry it",
	         TYPING_INSTANT,
	         6000,
	         {{0, RUN_START}, {1000, TOOL_START}, {2000, TEXT_DELTA}, {7000, TOOL_START}},
	         13000,
	         "0 6000 12000",
	         TYPING_GOES_ON},
	};

	PERFORM(plays);
}

static void it_ends_when_the_run_is_over_and_everything_is_sent(void **state)
{
	static const struct play plays[] = {
		{"the run is over last",
	         TYPING_INSTANT,
	         6000,
	         {{0, RUN_START}, {1000, SENDING}, {2000, SENT}, {8000, RUN_OVER}},
	         30000,
	         "0 6000 8000-",
	         TYPING_IS_DONE},
		{"the message is sent last",
	         TYPING_INSTANT,
	         6000,
	         {{0, RUN_START}, {1000, SENDING}, {2000, RUN_OVER}, {8000, SENT}},
	         30000,
	         "0 6000 8000-",
	         TYPING_IS_DONE},
		{"nothing was to be sent",
	         TYPING_INSTANT,
	         6000,
	         {{0, RUN_START}, {1000, RUN_OVER}},
	         30000,
	         "0 1000-",
	         TYPING_IS_DONE},
		{"sent is not over",
	         TYPING_INSTANT,
	         6000,
	         {{0, RUN_START}, {1000, SENDING}, {2000, SENT}},
	         7000,
	         "0 6000",
	         TYPING_GOES_ON},
		{"nothing was shown, nothing is taken back",
	         TYPING_MESSAGE,
	         6000,
	         {{0, RUN_START}, {1000, RUN_OVER}},
	         9000,
	         "",
	         TYPING_IS_DONE},
	};

	PERFORM(plays);
}

static void it_ends_after_two_minutes_without_activity(void **state)
{
	static const struct play plays[] = {
		{"silence",
	         TYPING_INSTANT,
	         50000,
	         {{0, RUN_START}},
	         300000,
	         "0 50000 100000 120000-",
	         TYPING_IS_SILENT},
		{"a tool counts from its start",
	         TYPING_INSTANT,
	         50000,
	         {{0, RUN_START}, {70000, TOOL_START}},
	         300000,
	         "0 50000 100000 150000 190000-",
	         TYPING_IS_SILENT},
		{"so does text",
	         TYPING_MESSAGE,
	         50000,
	         {{0, TEXT_DELTA}, {70000, TEXT_DELTA}},
	         300000,
	         "0 50000 100000 150000 190000-",
	         TYPING_IS_SILENT},
		{"so does reasoning behind text",
	         TYPING_THINKING,
	         50000,
	         {{0, TEXT_DELTA}, {70000, REASONING_DELTA}},
	         300000,
	         "0 50000 100000 150000 190000-",
	         TYPING_IS_SILENT},
		{"so does a second message",
	         TYPING_MESSAGE,
	         50000,
	         {{0, TEXT_DELTA}, {70000, MESSAGE_START}},
	         300000,
	         "0 50000 100000 150000 190000-",
	         TYPING_IS_SILENT},
	};

	PERFORM(plays);
}

static void it_ends_on_cancel_error_and_loss(void **state)
{
	static const struct play plays[] = {
		{"cancel",
	         TYPING_INSTANT,
	         6000,
	         {{0, RUN_START}, {1000, CANCEL}},
	         30000,
	         "0 1000-",
	         TYPING_IS_CANCELLED},
		{"error",
	         TYPING_INSTANT,
	         6000,
	         {{0, RUN_START}, {1000, FAIL}},
	         30000,
	         "0 1000-",
	         TYPING_IS_FAILED},
		{"loss of the channel",
	         TYPING_INSTANT,
	         6000,
	         {{0, RUN_START}, {1000, LOSE}},
	         30000,
	         "0 1000-",
	         TYPING_IS_LOST},
		{"the first reason stays",
	         TYPING_INSTANT,
	         6000,
	         {{0, RUN_START}, {1000, CANCEL}, {2000, FAIL}, {3000, RUN_OVER}},
	         30000,
	         "0 1000-",
	         TYPING_IS_CANCELLED},
	};

	PERFORM(plays);
}

static void once_ended_it_does_not_begin_again(void **state)
{
	static const struct play plays[] = {
		{"late signals",
	         TYPING_INSTANT,
	         6000,
	         {{0, RUN_START},
	          {1000, RUN_OVER},
	          {2000, TEXT_DELTA},
	          {3000, TOOL_START},
	          {4000, RUN_START},
	          {5000, MESSAGE_START}},
	         30000,
	         "0 1000-",
	         TYPING_IS_DONE},
		{"late signals while a message is on its way",
	         TYPING_MESSAGE,
	         6000,
	         {{0, SENDING}, {1000, RUN_OVER}, {2000, TEXT_DELTA}, {3000, TOOL_START}},
	         30000,
	         "",
	         TYPING_GOES_ON},
		{"after silence",
	         TYPING_INSTANT,
	         100000,
	         {{0, RUN_START}, {130000, TOOL_START}, {140000, TEXT_DELTA}},
	         300000,
	         "0 100000 120000-",
	         TYPING_IS_SILENT},
		{"before it began",
	         TYPING_MESSAGE,
	         6000,
	         {{0, CANCEL}, {1000, TEXT_DELTA}},
	         30000,
	         "",
	         TYPING_IS_CANCELLED},
	};

	PERFORM(plays);
}

static void tokens_that_are_for_the_box_show_nothing(void **state)
{
	static const char *const parts[] = {"  NO", "_RE", "PLY"};
	static const char *const heart[] = {"HEART", "BEAT_OK", ""};
	static const char *const other[] = {"NO", "_R", "ISK here"};
	struct stage s;

	static const struct play whole[] = {
		{"at once",
	         TYPING_INSTANT,
	         6000,
	         {{0, SILENT_TEXT}, {1000, RUN_OVER}},
	         9000,
	         "",
	         TYPING_IS_DONE},
	};

	PERFORM(whole);
	begin(&s, TYPING_MESSAGE, 6000);
	for (unsigned i = 0; i < 3; i++) {
		typing_text_delta(&s.typing, text_of(parts[i]), 0);
		assert_int_equal(typing_next(&s.typing, 0), TYPING_NOTHING);
	}
	typing_message_start(&s.typing, 0);
	for (unsigned i = 0; i < 3; i++) {
		typing_text_delta(&s.typing, text_of(heart[i]), 0);
		assert_int_equal(typing_next(&s.typing, 0), TYPING_NOTHING);
	}
	typing_message_start(&s.typing, 0);
	for (unsigned i = 0; i < 3; i++)
		typing_text_delta(&s.typing, text_of(other[i]), 0);
	assert_int_equal(typing_next(&s.typing, 0), TYPING_SHOW);
	begin(&s, TYPING_MESSAGE, 6000);
	typing_text_delta(&s.typing, TEXT(" \n"), 0);
	assert_int_equal(typing_next(&s.typing, 0), TYPING_NOTHING);
	typing_text_delta(&s.typing, TEXT("a text that is longer than the beginning that is kept"),
	                  0);
	assert_int_equal(typing_next(&s.typing, 0), TYPING_SHOW);
}

/* --- the choice -------------------------------------------------------------------------- */

static void the_mode_is_chosen_by_turn_and_channel(void **state)
{
	const struct typing_channel *telegram = typing_channel(TEXT("telegram"));
	const struct typing_channel *slack = typing_channel(TEXT("slack"));
	const struct typing_channel *imessage = typing_channel(TEXT("imessage"));
	const struct typing_turn heartbeat = {.is_heartbeat = true, .is_direct = true};
	const struct typing_turn direct = {.is_direct = true}, mentioned = {.is_mentioned = true};
	const struct typing_turn group = {0}, thread = {.is_direct = true, .is_in_thread = true};

	assert_int_equal(typing_resolve(TYPING_INSTANT, &heartbeat, telegram), TYPING_NEVER);
	assert_int_equal(typing_resolve(TYPING_THINKING, &group, telegram), TYPING_THINKING);
	assert_int_equal(typing_resolve(TYPING_UNSET, &direct, telegram), TYPING_INSTANT);
	assert_int_equal(typing_resolve(TYPING_UNSET, &mentioned, telegram), TYPING_INSTANT);
	assert_int_equal(typing_resolve(TYPING_UNSET, &group, telegram), TYPING_MESSAGE);
	assert_int_equal(typing_resolve(TYPING_UNSET, &direct, slack), TYPING_NEVER);
	assert_int_equal(typing_resolve(TYPING_UNSET, &thread, slack), TYPING_INSTANT);
	assert_int_equal(typing_resolve(TYPING_INSTANT, &direct, imessage), TYPING_NEVER);
}

static void each_channel_has_its_interval(void **state)
{
	assert_int_equal(typing_channel(TEXT("telegram"))->interval_ms, 3000);
	assert_int_equal(typing_channel(TEXT("discord"))->interval_ms, 5000);
	assert_int_equal(typing_channel(TEXT("xmpp"))->interval_ms, 6000);
	assert_int_equal(typing_channel(TEXT("xmpp"))->place, TYPING_EVERYWHERE);
	assert_int_equal(typing_channel(TEXT(""))->interval_ms, 6000);
}

static void modes_have_names(void **state)
{
	enum typing_mode mode = TYPING_UNSET;

	assert_true(typing_read_mode(TEXT("instant"), &mode));
	assert_int_equal(mode, TYPING_INSTANT);
	assert_true(typing_read_mode(TEXT("message"), &mode));
	assert_int_equal(mode, TYPING_MESSAGE);
	assert_true(typing_read_mode(TEXT("thinking"), &mode));
	assert_int_equal(mode, TYPING_THINKING);
	assert_true(typing_read_mode(TEXT("never"), &mode));
	assert_int_equal(mode, TYPING_NEVER);
	assert_false(typing_read_mode(TEXT("always"), &mode));
	assert_false(typing_read_mode(TEXT(""), &mode));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_mode_begins_with_its_signals),
		cmocka_unit_test(it_is_shown_again_at_every_interval),
		cmocka_unit_test(it_ends_when_the_run_is_over_and_everything_is_sent),
		cmocka_unit_test(it_ends_after_two_minutes_without_activity),
		cmocka_unit_test(it_ends_on_cancel_error_and_loss),
		cmocka_unit_test(once_ended_it_does_not_begin_again),
		cmocka_unit_test(tokens_that_are_for_the_box_show_nothing),
		cmocka_unit_test(the_mode_is_chosen_by_turn_and_channel),
		cmocka_unit_test(each_channel_has_its_interval),
		cmocka_unit_test(modes_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
