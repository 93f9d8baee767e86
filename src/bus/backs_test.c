/* backs_test.c - which back end something goes to, and what becomes of what was taken. */
#include "bus/backs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "bus/bus.h"
#include "bus/call.h"
#include "bus/fixture.h"

static struct backs *backs;
static struct back front;
static struct bus_listener listener;
static unsigned records;
static char recorded[512];

struct fake {
	const char *run, *op; /* that it knows; that it can do to it; NULL: any */
	enum back_answer answer;
	unsigned controls, others;
	uint64_t ticket;
	char asked[BACK_RUN_MAX + 1]; /* the last run */
	char did[16];                 /* the last op */
};
static struct fake first, second;
static struct back_end ends[2];
static struct error why;

/* ---- two back ends ---- */

static enum back_answer fake_control(void *self, const struct back_control *c, struct error *e)
{
	struct fake *f = self;

	if (!text_is(c->run, f->run))
		return BACK_UNKNOWN;
	f->controls++;
	f->ticket = c->ticket;
	snprintf(f->did, sizeof(f->did), "%.*s", TEXT_ARG(c->op));
	return f->answer;
}

static bool fake_can(void *self, struct text run, struct text op)
{
	const struct fake *f = self;

	return f->op && text_is(run, f->run) && text_is(op, f->op);
}

static enum back_answer fake_ask(void *self, const struct back_ask *ask, struct error *e)
{
	struct fake *f = self;

	if (!text_is(ask->source, f->run))
		return BACK_UNKNOWN;
	f->others++;
	snprintf(f->asked, sizeof(f->asked), "%.*s", TEXT_ARG(ask->run));
	return BACK_DONE;
}

static enum back_answer fake_call(void *self, const struct back_call *call, struct error *e)
{
	struct fake *f = self;

	if (!text_is(call->source, f->run))
		return BACK_UNKNOWN;
	f->ticket = call->ticket;
	return call->is_question ? BACK_DONE : BACK_TAKEN;
}

static enum back_answer fake_send(void *self, struct text source, struct text message,
                                  struct error *e)
{
	struct fake *f = self;

	if (!text_is(source, f->run))
		return BACK_UNKNOWN;
	f->others++;
	return BACK_DONE;
}

static enum back_answer fake_tell(void *self, const struct back_deed *deed, struct error *e)
{
	return fake_send(self, deed->run, TEXT(""), e);
}

static enum back_answer fake_settle(void *self, const struct back_outcome *o, struct error *e)
{
	return fake_send(self, o->source, TEXT(""), e);
}

static void fake_look(void *self, struct text source, struct text id)
{
	((struct fake *)self)->others += text_is(source, ((struct fake *)self)->run);
}

static struct text fake_input(void *self, struct text source, struct text id)
{
	return text_is(source, ((struct fake *)self)->run) ? TEXT("{}") : TEXT("");
}

static bool is_free(void *self, struct text run, struct error *e)
{
	return !text_is(run, "taken") || error_set(e, "there is one");
}

static enum back_answer nobody(void *self, const struct back_control *c, struct error *e)
{
	error_set(e, "nobody here");
	return BACK_NOT_SUPPORTED;
}

/* ---- prompts ---- */

static enum back_answer take_reply(void *self, const struct back_reply *reply, struct error *e)
{
	assert_ptr_equal(self, &first);
	return text_is(reply->prompt, "p") ? BACK_TAKEN : BACK_UNKNOWN;
}

static void drop_of(void *self, void *of)
{
}

static void list_none(void *self, enum answers may, struct buf *out)
{
	buf_add(out, TEXT("[]"));
}

static enum back_answer no_input(void *self, struct text prompt, struct buf *out, struct error *e)
{
	return BACK_UNKNOWN;
}

/* ---- a bus ---- */

static void heard(struct bus_listener *t, const struct signal *s)
{
	records++;
	snprintf(recorded, sizeof(recorded), "%.*s", TEXT_ARG(s->line));
}

static int set_up(void **state)
{
	struct backs_options o = {.is_free = is_free, .missing = nobody};
	struct back_prompts prompts = {.self = &first,
	                               .reply = take_reply,
	                               .forget = drop_of,
	                               .list = list_none,
	                               .input = no_input};

	fixture_open();
	listener = (struct bus_listener){.name = "test", .heard = heard};
	bus_add_listener(fixture_bus, &listener);
	o.bus = fixture_bus;
	backs = backs_create(&o);
	front = backs_front(backs, &prompts);
	first = (struct fake){.run = "a", .answer = BACK_DONE};
	second = (struct fake){.run = "b", .answer = BACK_DONE};
	for (size_t i = 0; i < 2; i++) {
		ends[i] = (struct back_end){
			.name = "fake",
			.self = i ? &second : &first,
			.ask = fake_ask,
			.cancel = fake_control,
			.control = fake_control,
			.can = fake_can,
			.send = fake_send,
			.call = fake_call,
			.tell = fake_tell,
			.settle = fake_settle,
			.look = fake_look,
			.input = fake_input,
		};
		backs_add(backs, &ends[i]);
	}
	records = 0;
	return 0;
}

static int tear_down(void **state)
{
	backs_destroy(backs);
	bus_remove_listener(fixture_bus, &listener);
	fixture_close();
	return 0;
}

/* ---- choosing ---- */

static enum back_answer control(const char *run, const char *op, const struct back_ear *ear)
{
	struct back_control c = {
		.run = text_of(run),
		.op = text_of(op),
		.n = 2,
		.who = {.user = TEXT("anna"), .screen = TEXT("page")},
	};

	if (ear)
		c.ear = *ear;
	return front.control(front.self, &c, &why);
}

static void a_control_goes_to_the_first_that_can_do_it(void **state)
{
	first.run = second.run = "x";
	second.op = "pause";
	assert_int_equal(control("x", "pause", NULL), BACK_DONE);
	assert_int_equal(first.controls, 0);
	assert_int_equal(second.controls, 1);
	first.op = "pause";
	assert_int_equal(control("x", "pause", NULL), BACK_DONE);
	assert_int_equal(first.controls, 1);
	assert_int_equal(second.controls, 1);
	assert_true(front.can(front.self, TEXT("x"), TEXT("pause")));
	assert_false(front.can(front.self, TEXT("x"), TEXT("step")));
}

static void where_nobody_can_it_goes_to_the_first_that_knows_the_run(void **state)
{
	second.answer = BACK_NOT_SUPPORTED;
	assert_int_equal(control("b", "step", NULL), BACK_NOT_SUPPORTED);
	assert_int_equal(second.controls, 1);
	assert_int_equal(first.controls, 0);
	assert_int_equal(records, 0);
	second.run = "a";
	assert_int_equal(control("a", "step", NULL), BACK_DONE);
	assert_int_equal(first.controls, 1);
	assert_int_equal(second.controls, 1);
}

static void a_run_that_nobody_knows_is_missing(void **state)
{
	assert_int_equal(control("c", "pause", NULL), BACK_NOT_SUPPORTED);
	assert_string_equal(why.words, "nobody here");
	assert_int_equal(records, 0);
}

static void a_word_that_is_no_control_reaches_nobody(void **state)
{
	assert_int_equal(control("a", "fly", NULL), BACK_INVALID);
	assert_string_equal(why.words, "nobody can fly a run");
	assert_int_equal(first.controls, 0);
}

static void the_words_inside_are_ours(void **state)
{
	second.run = "a";
	second.op = "quit";
	assert_int_equal(control("a", "ui-quit", NULL), BACK_DONE);
	assert_string_equal(second.did, "quit");
	assert_non_null(strstr(recorded, "\"do\":\"ui-quit\""));
	assert_true(front.can(front.self, TEXT("a"), TEXT("ui-quit")));
	assert_false(front.can(front.self, TEXT("a"), TEXT("ui-interrupt")));
	assert_int_equal(control("a", "ui-interrupt", NULL), BACK_DONE);
	assert_string_equal(first.did, "interrupt");
	assert_true(text_is(back_wire_of(TEXT("interrupt")), "ui-interrupt"));
	/* No wire has them. */
	assert_int_equal(control("a", "quit", NULL), BACK_INVALID);
	assert_false(front.can(front.self, TEXT("a"), TEXT("quit")));
	assert_true(text_is(back_op_of(TEXT("turn-next")), "turn-next"));
}

static void everything_else_goes_to_the_first_that_knows_it(void **state)
{
	struct back_ask ask = {.source = TEXT("b")};
	char run[BACK_RUN_MAX + 1];

	assert_int_equal(front.ask(front.self, &ask, run, &why), BACK_DONE);
	assert_int_equal(front.send(front.self, TEXT("b"), TEXT("hi"), &why), BACK_DONE);
	assert_int_equal(front.send(front.self, TEXT("c"), TEXT("hi"), &why), BACK_UNKNOWN);
	assert_int_equal(backs_tell(backs, &(struct back_deed){.run = TEXT("b")}, &why), BACK_DONE);
	assert_int_equal(backs_settle(backs, &(struct back_outcome){.source = TEXT("b")}, &why),
	                 BACK_DONE);
	backs_look(backs, TEXT("b"), TEXT("1"));
	assert_int_equal(second.others, 5);
	assert_int_equal(first.others, 0);
	assert_true(text_is(backs_input(backs, TEXT("b"), TEXT("1")), "{}"));
	assert_int_equal(backs_input(backs, TEXT("c"), TEXT("1")).len, 0);
}

static void a_run_has_the_id_that_its_caller_gave_or_one_of_ours(void **state)
{
	static const char *const wrong[] = {"", "two\nlines", "\x7f", "\xc2\x85", "half \xc3"};
	struct back_ask ask = {.source = TEXT("a")};
	char run[BACK_RUN_MAX + 1], long_id[BACK_RUN_MAX + 2];

	assert_int_equal(front.ask(front.self, &ask, run, &why), BACK_DONE);
	assert_int_equal(strlen(run), 36);
	assert_string_equal(first.asked, run);
	ask.run = TEXT("mine");
	assert_int_equal(front.ask(front.self, &ask, run, &why), BACK_DONE);
	assert_string_equal(run, "mine");
	assert_string_equal(first.asked, "mine");
	memset(long_id, 'x', sizeof(long_id));
	ask.run = (struct text){long_id, BACK_RUN_MAX};
	assert_int_equal(front.ask(front.self, &ask, run, &why), BACK_DONE);
	assert_int_equal(strlen(first.asked), BACK_RUN_MAX);
	ask.run.len++;
	assert_int_equal(front.ask(front.self, &ask, run, &why), BACK_INVALID);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		ask.run = text_of(wrong[i]);
		assert_int_equal(front.ask(front.self, &ask, run, &why), BACK_INVALID);
	}
	assert_int_equal(first.others, 3);
}

static void an_id_that_a_run_has_is_refused(void **state)
{
	struct back_ask ask = {.source = TEXT("a"), .run = TEXT("taken")};
	char run[BACK_RUN_MAX + 1];

	assert_int_equal(front.ask(front.self, &ask, run, &why), BACK_CONFLICT);
	assert_string_equal(why.words, "there is one");
	assert_int_equal(first.others, 0);
}

static void a_reply_goes_to_the_prompts(void **state)
{
	struct back_reply reply = {.prompt = TEXT("p")};

	assert_int_equal(front.reply(front.self, &reply, &why), BACK_TAKEN);
	reply.prompt = TEXT("q");
	assert_int_equal(front.reply(front.self, &reply, &why), BACK_UNKNOWN);
}

static void when_all_are_gone_nobody_is_asked(void **state)
{
	backs_stop(backs);
	assert_int_equal(front.send(front.self, TEXT("a"), TEXT("hi"), &why), BACK_UNKNOWN);
	assert_int_equal(control("a", "pause", NULL), BACK_NOT_SUPPORTED);
	assert_int_equal(first.others + first.controls, 0);
}

/* ---- verdicts ---- */

struct told {
	unsigned times;
	enum back_answer verdict;
	struct error why;
};

static void told(void *of, const struct back_verdict *verdict)
{
	struct told *t = of;

	t->times++;
	t->verdict = verdict->answer;
	t->why = *verdict->why;
}

static void what_is_done_at_once_is_recorded_at_once(void **state)
{
	assert_int_equal(control("a", "step", NULL), BACK_DONE);
	assert_int_equal(records, 1);
	assert_non_null(strstr(recorded, "\"payload\":{\"run\":\"a\",\"do\":\"step\",\"n\":2,"
	                                 "\"by\":{\"user\":\"anna\",\"screen\":\"page\"}}"));
}

static void what_is_taken_is_recorded_and_told_with_its_verdict(void **state)
{
	struct told t = {0};
	struct back_ear ear = {told, &t};

	first.answer = BACK_TAKEN;
	assert_int_equal(control("a", "pause", &ear), BACK_TAKEN);
	assert_int_equal(records, 0);
	backs_verdict(backs, first.ticket + 1, BACK_DONE, NULL);
	assert_int_equal(t.times, 0);
	backs_verdict(backs, first.ticket, BACK_DONE, NULL);
	backs_verdict(backs, first.ticket, BACK_DONE, NULL);
	assert_int_equal(t.times, 1);
	assert_int_equal(t.verdict, BACK_DONE);
	assert_int_equal(records, 1);
	assert_int_equal(control("a", "pause", &ear), BACK_TAKEN);
	backs_verdict(backs, first.ticket, BACK_REFUSED, "not now");
	assert_int_equal(t.verdict, BACK_REFUSED);
	assert_string_equal(t.why.words, "not now");
	assert_int_equal(records, 1);
}

static void a_cancel_waits_likewise_and_leaves_no_record(void **state)
{
	struct told t = {0};
	struct back_ear ear = {told, &t};

	second.answer = BACK_TAKEN;
	assert_int_equal(front.cancel(front.self, TEXT("b"), &ear, &why), BACK_TAKEN);
	backs_verdict(backs, second.ticket, BACK_DONE, NULL);
	assert_int_equal(t.times, 1);
	assert_int_equal(records, 0);
}

static void a_call_is_told_of_once_and_has_longer(void **state)
{
	struct told t = {0};
	struct back_call c = {.source = TEXT("b"), .method = TEXT("m"), .ear = {told, &t}};
	struct back_call stranger = {.source = TEXT("x"), .method = TEXT("m"), .ear = {told, &t}};

	assert_int_equal(front.call(front.self, &stranger, &why), BACK_UNKNOWN);
	assert_int_equal(front.call(front.self, &c, &why), BACK_TAKEN);
	for (unsigned i = 0; i <= BACK_CALL_S; i++)
		backs_tick(backs);
	assert_int_equal(t.times, 0);
	backs_called(backs, second.ticket,
	             &(struct back_verdict){.answer = BACK_REFUSED, .why = &why});
	backs_called(backs, second.ticket,
	             &(struct back_verdict){.answer = BACK_DONE, .why = &why});
	assert_int_equal(t.times, 1);
	assert_int_equal(t.verdict, BACK_REFUSED);
	c.is_question = true;
	assert_int_equal(front.call(front.self, &c, &why), BACK_DONE);
	assert_int_equal(records, 0);
}

static void who_does_not_answer_in_time_is_silent(void **state)
{
	struct told t = {0};
	struct back_ear ear = {told, &t};

	first.answer = BACK_TAKEN;
	assert_int_equal(control("a", "pause", &ear), BACK_TAKEN);
	for (unsigned i = 0; i < BACKS_WAIT_S; i++)
		backs_tick(backs);
	assert_int_equal(t.times, 0);
	backs_tick(backs);
	assert_int_equal(t.times, 1);
	assert_int_equal(t.verdict, BACK_SILENT);
	backs_verdict(backs, first.ticket, BACK_DONE, NULL);
	assert_int_equal(t.times, 1);
	assert_int_equal(records, 0);
}

static void who_is_forgotten_is_not_told_and_it_is_recorded(void **state)
{
	struct told t = {0};
	struct back_ear ear = {told, &t};

	first.answer = BACK_TAKEN;
	assert_int_equal(control("a", "pause", &ear), BACK_TAKEN);
	front.forget(front.self, &t);
	backs_verdict(backs, first.ticket, BACK_DONE, NULL);
	assert_int_equal(t.times, 0);
	assert_int_equal(records, 1);
}

static void only_so_many_wait(void **state)
{
	first.answer = BACK_TAKEN;
	for (unsigned i = 0; i < BACKS_WAITING_MAX; i++)
		assert_int_equal(control("a", "pause", NULL), BACK_TAKEN);
	assert_int_equal(control("a", "pause", NULL), BACK_CONFLICT);
	backs_verdict(backs, first.ticket - 1, BACK_DONE, NULL);
	assert_int_equal(control("a", "pause", NULL), BACK_TAKEN);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_control_goes_to_the_first_that_can_do_it),
		TEST(where_nobody_can_it_goes_to_the_first_that_knows_the_run),
		TEST(a_run_that_nobody_knows_is_missing),
		TEST(a_word_that_is_no_control_reaches_nobody),
		TEST(the_words_inside_are_ours),
		TEST(everything_else_goes_to_the_first_that_knows_it),
		TEST(a_run_has_the_id_that_its_caller_gave_or_one_of_ours),
		TEST(an_id_that_a_run_has_is_refused),
		TEST(a_reply_goes_to_the_prompts),
		TEST(when_all_are_gone_nobody_is_asked),
		TEST(what_is_done_at_once_is_recorded_at_once),
		TEST(what_is_taken_is_recorded_and_told_with_its_verdict),
		TEST(a_cancel_waits_likewise_and_leaves_no_record),
		TEST(a_call_is_told_of_once_and_has_longer),
		TEST(who_does_not_answer_in_time_is_silent),
		TEST(who_is_forgotten_is_not_told_and_it_is_recorded),
		TEST(only_so_many_wait),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
