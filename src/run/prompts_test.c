/* prompts_test.c - who is first, what a restart finds, and how much is kept. */
#include "run/prompts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/must.h"
#include "journal/reader.h"
#include "run/fixture.h"

static const char key[PROMPTS_KEY] = "0123456789abcdef0123456789abcde";

static struct prompts *prompts;
static struct bus_listener listener;
static bool agent_is_there;
static unsigned changes, deliveries, durables;
static char delivered[512]; /* "ID STATE VALUE" of the last */

static void heard(struct bus_listener *t, const struct signal *s)
{
	prompts_hear(prompts, s);
}

static void durable(struct bus_listener *t, uint64_t seq)
{
	prompts_durable(prompts, seq);
}

static void changed(void *self, const struct prompt *p)
{
	changes++;
}

static enum back_answer settle(void *self, const struct back_outcome *o, struct error *e)
{
	const struct prompt *p = o->prompt;

	assert_true(p->durable);
	if (!agent_is_there)
		return BACK_CONFLICT;
	deliveries++;
	snprintf(delivered, sizeof(delivered), "%.*s %s %s", TEXT_ARG(p->own_id),
	         prompt_state_name(p->state), p->value ? p->value : "-");
	return BACK_DONE;
}

static struct backs *backs;
static struct back_end agent = {.name = "test", .settle = settle};

static struct prompts *fresh(void)
{
	struct prompts_options o = {
		.bus = fixture_bus, .key = key, .changed = changed, .backs = backs};

	return prompts_create(&o);
}

static void begin(void)
{
	prompts = fresh();
	listener = (struct bus_listener){.name = "prompts", .heard = heard, .durable = durable};
	bus_add_listener(fixture_bus, &listener);
	agent_is_there = true;
	changes = deliveries = durables = 0;
	delivered[0] = '\0';
}

static int set_up(void **state)
{
	fixture_open(64 * MIB, 0);
	backs = backs_create(&(struct backs_options){.bus = fixture_bus});
	backs_add(backs, &agent);
	begin();
	return 0;
}

static int tear_down(void **state)
{
	bus_remove_listener(fixture_bus, &listener);
	prompts_destroy(prompts);
	backs_destroy(backs);
	fixture_close();
	return 0;
}

static const struct prompt *ask(const char *payload)
{
	char *raw = must_print(
		"{\"type\":\"prompt\",\"source\":\"me\",\"correlationId\":\"r\",\"payload\":%s}",
		payload);
	uint64_t seq = fixture_emit(raw);
	const struct prompt *p = NULL;

	free(raw);
	if (!list_is_empty(prompts_open(prompts)))
		p = list_of(prompts_open(prompts)->prev, struct prompt, in_open);
	return p && p->seq == seq ? p : NULL;
}

/* Asks, and keeps the id of the prompt. */
static void ask_for(const char *payload, char id[PROMPT_ID_LEN + 1])
{
	const struct prompt *p = ask(payload);

	assert_non_null(p);
	if (p)
		memcpy(id, p->id, PROMPT_ID_LEN + 1);
}

static void on_disk(void *of, const struct back_verdict *verdict)
{
	uint64_t seq = verdict->seq;

	assert_int_equal(verdict->answer, BACK_DONE);
	assert_true(seq <= journal_durable_seq(fixture_journal));
	durables++;
	if (of)
		*(uint64_t *)of = seq;
}

static struct error why;

static enum back_answer answer(const char *id, const char *value)
{
	struct back_reply a = {
		.prompt = text_of(id),
		.value = text_of(value),
		.who = {.user = TEXT("anna"), .screen = TEXT("terminal")},
		.ear = {.told = on_disk},
	};

	return prompts_answer(prompts, &a, &why);
}

static void save(struct prompts *all, struct buf *out)
{
	prompts_save_begin(all);
	while (prompts_save_more(all, out))
		;
}

static void assert_saved_alike(struct prompts *a, struct prompts *b)
{
	struct buf one, two;

	buf_init(&one, 64 * MIB);
	buf_init(&two, 64 * MIB);
	save(a, &one);
	save(b, &two);
	assert_true(text_equal(buf_text(&one), buf_text(&two)));
	buf_finish(&one);
	buf_finish(&two);
}

/* --- tests ----------------------------------------------------------------- */

static void the_first_answer_wins_and_the_agent_hears_it_when_it_is_durable(void **state)
{
	char id[PROMPT_ID_LEN + 1];

	ask_for("{\"id\":\"q\",\"type\":\"confirm\"}", id);
	assert_int_equal(answer(id, "1"), BACK_INVALID_VALUE);
	assert_int_equal(answer(id, "tru"), BACK_INVALID_VALUE);
	assert_int_equal(answer(id, "true"), BACK_TAKEN);
	assert_int_equal(deliveries, 0);
	assert_int_equal(answer(id, "false"), BACK_ALREADY);
	assert_string_equal(why.words, "already answered by anna at terminal");
	assert_int_equal(answer("nobody", "true"), BACK_UNKNOWN);
	fixture_settle();
	assert_int_equal(deliveries, 1);
	assert_int_equal(durables, 1);
	assert_string_equal(delivered, "q answered true");
	assert_int_equal(changes, 2);
	fixture_settle();
	assert_int_equal(deliveries, 1);
	assert_int_equal(answer(id, "false"), BACK_ALREADY);
}

static void a_prompt_may_be_cancelled_by_either_side(void **state)
{
	char one[PROMPT_ID_LEN + 1], two[PROMPT_ID_LEN + 1];

	ask_for("{\"id\":\"1\"}", one);
	ask_for("{\"id\":\"2\"}", two);
	assert_int_equal(answer(one, ""), BACK_TAKEN);
	fixture_settle();
	assert_string_equal(delivered, "1 cancelled -");
	prompts_cancel(prompts, text_of(two), "no longer needed");
	assert_int_equal(answer(two, "\"x\""), BACK_ALREADY);
	assert_string_equal(why.words, "already cancelled: no longer needed");
	prompts_cancel(prompts, text_of(two), "twice");
	prompts_cancel(prompts, TEXT("nobody"), "?");
	fixture_settle();
	assert_string_equal(delivered, "2 cancelled -");
	assert_int_equal(deliveries, 2);
}

static void a_deadline_ends_a_prompt_with_its_default(void **state)
{
	char one[PROMPT_ID_LEN + 1], two[PROMPT_ID_LEN + 1];

	ask_for("{\"id\":\"1\",\"type\":\"confirm\",\"default\":true,\"deadline\":1000}", one);
	ask_for("{\"id\":\"2\",\"deadline\":1001}", two);
	ask("{\"id\":\"3\"}");
	prompts_tick(prompts, 999);
	assert_int_equal(changes, 3);
	prompts_tick(prompts, 1000);
	fixture_settle();
	assert_string_equal(delivered, "1 expired true");
	assert_int_equal(answer(one, "false"), BACK_EXPIRED);
	prompts_tick(prompts, 5000);
	fixture_settle();
	assert_string_equal(delivered, "2 expired -");
	assert_int_equal(answer(two, "\"\""), BACK_EXPIRED);
	assert_int_equal(deliveries, 2);
}

static void who_forgets_is_not_called(void **state)
{
	uint64_t mine = 0;
	struct back_reply a = {.value = TEXT("\"\""), .ear = {on_disk, &mine}};

	a.prompt = text_of(ask("{}")->id);
	assert_int_equal(prompts_answer(prompts, &a, &why), BACK_TAKEN);
	prompts_forget(prompts, &mine);
	fixture_settle();
	assert_int_equal(durables, 0);
	assert_int_equal(deliveries, 1);
}

static void an_agent_that_returns_hears_what_it_missed(void **state)
{
	char id[PROMPT_ID_LEN + 1];

	agent_is_there = false;
	ask_for("{\"id\":\"q\"}", id);
	assert_int_equal(answer(id, "\"yes\""), BACK_TAKEN);
	fixture_settle();
	prompts_untold(prompts, TEXT("r"));
	assert_int_equal(deliveries, 0);
	agent_is_there = true;
	prompts_untold(prompts, TEXT("other"));
	assert_int_equal(deliveries, 0);
	prompts_untold(prompts, TEXT("r"));
	assert_string_equal(delivered, "q answered \"yes\"");
	prompts_untold(prompts, TEXT("r"));
	assert_int_equal(deliveries, 1);
}

static void the_same_question_again_is_the_same_and_another_takes_its_place(void **state)
{
	char first[PROMPT_ID_LEN + 1];
	const struct prompt *second;

	ask_for("{\"id\":\"q\",\"prompt\":\"a\"}", first);
	assert_null(ask("{\"id\":\"q\",\"prompt\":\"a\"}"));
	assert_int_equal(changes, 1);
	second = ask("{\"id\":\"q\",\"prompt\":\"b\"}");
	assert_non_null(second);
	assert_int_equal(changes, 3);
	assert_int_equal(prompts_find(prompts, text_of(first))->state, PROMPT_CANCELLED);
	assert_ptr_equal(prompts_find_own(prompts, TEXT("r"), TEXT("q")), second);
	assert_null(prompts_find_own(prompts, TEXT("x"), TEXT("q")));
	fixture_settle();
	assert_int_equal(deliveries, 0); /* the agent itself took it back */
}

static void only_the_box_ends_a_prompt(void **state)
{
	static const char format[] = "{\"type\":\"answer\",\"source\":\"%s\",\"payload\":"
				     "{\"prompt\":\"%s\",\"value\":\"x\"}}";
	char id[PROMPT_ID_LEN + 1], forged[256], own[256];

	ask_for("{\"id\":\"q\"}", id);
	snprintf(forged, sizeof(forged), format, "me", id);
	snprintf(own, sizeof(own), format, "signalbox", id);
	fixture_emit(forged);
	assert_int_equal(prompts_find(prompts, text_of(id))->state, PROMPT_OPEN);
	fixture_emit_as(own, true, false);
	assert_int_equal(prompts_find(prompts, text_of(id))->state, PROMPT_ANSWERED);
}

/* What a start does that finds no checkpoint. */
static struct prompts *folded_from_zero(void)
{
	struct journal_reader *reader = journal_reader_create(fixture_journal, 0);
	struct signal_reader *signals = signal_reader_create();
	struct prompts *again = fresh();
	enum journal_news news;
	struct text lines, line;
	struct signal s;
	struct gap gap;

	while ((news = journal_read(reader, 64 * KIB, &lines, &gap)) != JOURNAL_END) {
		if (news == JOURNAL_COLD) {
			journal_wait(fixture_journal, 100);
			journal_poll(fixture_journal);
		}
		while (news == JOURNAL_LINES && lines.len) {
			line = text_cut(lines, '\n', &lines);
			assert_true(signal_read(signals, line, &s, NULL));
			prompts_hear(again, &s);
			journal_reader_take(reader, line.len + 1, s.seq + 1);
		}
	}
	journal_reader_destroy(reader);
	signal_reader_destroy(signals);
	return again;
}

static struct prompts *saved_and_loaded(void)
{
	struct prompts *again = fresh();
	struct buf saved;

	buf_init(&saved, 64 * MIB);
	save(prompts, &saved);
	assert_true(prompts_load(again, buf_text(&saved)));
	buf_finish(&saved);
	return again;
}

static void a_restart_finds_everything_as_it_was(void **state)
{
	struct prompts *loaded, *folded;
	char id[PROMPT_ID_LEN + 1];

	ask("{\"id\":\"1\",\"prompt\":\"open\"}");
	assert_int_equal(answer(ask("{\"id\":\"2\"}")->id, "\"told\""), BACK_TAKEN);
	fixture_settle();
	agent_is_there = false;
	ask_for("{\"id\":\"3\",\"type\":\"multi\",\"options\":[1,2]}", id);
	assert_int_equal(answer(id, "[2]"), BACK_TAKEN);
	ask("{\"id\":\"4\",\"type\":\"confirm\",\"default\":true,\"deadline\":10}");
	prompts_tick(prompts, 10);
	ask("{\"id\":\"1\",\"prompt\":\"other\"}");
	fixture_settle();
	loaded = saved_and_loaded();
	folded = folded_from_zero();
	assert_saved_alike(prompts, loaded);
	assert_saved_alike(prompts, folded);
	prompts_destroy(loaded);
	prompts_destroy(prompts);
	prompts = folded;
	prompts_durable(prompts, journal_durable_seq(fixture_journal));
	assert_int_equal(answer(id, "[1]"), BACK_ALREADY);
	deliveries = 0;
	agent_is_there = true;
	prompts_untold(prompts, TEXT("r"));
	assert_int_equal(deliveries, 2); /* of 3 and 4; 2 was told, 1 the agent took back */
}

static void another_key_makes_other_ids(void **state)
{
	struct prompts_options o = {.bus = fixture_bus, .key = "another key, of the same length."};
	struct prompts *other = prompts_create(&o);
	struct signal s = {.seq = 1,
	                   .id = TEXT("i"),
	                   .type = TEXT("prompt"),
	                   .source = TEXT("s"),
	                   .line = TEXT("{\"payload\":{}}")};
	const struct prompt *a, *b;

	prompts_hear(prompts, &s);
	prompts_hear(other, &s);
	a = list_of(prompts_open(prompts)->next, struct prompt, in_open);
	b = list_of(prompts_open(other)->next, struct prompt, in_open);
	assert_int_equal(strlen(a->id), PROMPT_ID_LEN);
	assert_string_not_equal(a->id, b->id);
	prompts_hear(prompts, &s); /* twice is once */
	assert_ptr_equal(prompts_open(prompts)->next->next, prompts_open(prompts));
	prompts_destroy(other);
}

static void ten_thousand_prompts_are_answered_once_each(void **state)
{
	enum { MANY = 10000, BATCH = 500 };
	static char ids[MANY][PROMPT_ID_LEN + 1];
	struct prompts *loaded;
	unsigned taken = 0;

	for (unsigned i = 0; i < MANY; i++) {
		char payload[64];

		snprintf(payload, sizeof(payload), "{\"id\":\"%u\",\"type\":\"confirm\"}", i);
		ask_for(payload, ids[i]);
		if ((i + 1) % BATCH)
			continue;
		for (unsigned j = i + 1 - BATCH; j <= i; j++)
			for (unsigned racer = 0; racer < 8; racer++)
				taken += answer(ids[j], racer % 2 ? "true" : "false") == BACK_TAKEN;
		fixture_settle();
	}
	assert_int_equal(taken, MANY);
	assert_int_equal(deliveries, MANY);
	assert_int_equal(durables, MANY);
	assert_int_equal(answer(ids[0], "true"), BACK_ALREADY);
	loaded = saved_and_loaded();
	assert_saved_alike(prompts, loaded);
	prompts_destroy(loaded);
}

static void too_many_open_ones_close_the_oldest(void **state)
{
	char first[PROMPT_ID_LEN + 1];
	unsigned open = 0;

	ask_for("{\"id\":\"0\",\"type\":\"confirm\",\"default\":true}", first);
	for (unsigned i = 0; i < PROMPTS_OPEN_MAX; i++)
		assert_non_null(ask("{\"type\":\"confirm\"}"));
	list_each(prompts_open(prompts), l)
		open++;
	assert_int_equal(open, PROMPTS_OPEN_MAX);
	assert_int_equal(answer(first, "true"), BACK_EXPIRED);
	fixture_settle();
	assert_string_equal(delivered, "0 expired true");
}

static void what_is_kept_has_a_ceiling(void **state)
{
	enum { OPTIONS = 7500, MANY = 600 };
	struct buf payload, saved;

	buf_init(&payload, MIB);
	buf_add(&payload, TEXT("{\"type\":\"select\",\"options\":["));
	for (unsigned i = 0; i < OPTIONS; i++)
		buf_print(&payload, "%s%u", i ? "," : "", 100000 + i % 1000);
	buf_add(&payload, TEXT("]}"));
	buf_add_char(&payload, '\0');
	for (unsigned i = 0; i < MANY; i++)
		assert_non_null(ask(payload.at));
	fixture_settle();
	buf_init(&saved, 64 * MIB);
	save(prompts, &saved);
	assert_true(saved.len < PROMPTS_BYTES_MAX + MIB);
	assert_int_equal(deliveries > 100, true);
	buf_finish(&saved);
	buf_finish(&payload);
}

/* Answered, withdrawn, told, settled, forgotten, asked anew: each in between. */
static void what_happens_while_they_are_saved_is_not_in_it(void **state)
{
	static char words[9000];
	struct buf before, saved;
	char ids[8][PROMPT_ID_LEN + 1], payload[9100];
	unsigned pieces = 0;

	memset(words, 'x', sizeof words - 1);
	for (unsigned i = 0; i < 8; i++) {
		snprintf(payload, sizeof payload, "{\"id\":\"%u\",\"prompt\":\"%s\"}", i, words);
		ask_for(payload, ids[i]);
	}
	assert_int_equal(answer(ids[0], "\"a\""), BACK_TAKEN);
	fixture_settle();
	buf_init(&before, 64 * MIB);
	buf_init(&saved, 64 * MIB);
	save(prompts, &before);
	prompts_save_begin(prompts);
	for (bool more = true; more; pieces++) {
		more = prompts_save_more(prompts, &saved);
		assert_int_equal(answer(ids[pieces + 3], "\"a\""), BACK_TAKEN);
		prompts_cancel(prompts, text_of(ids[7]), "no more");
		ask("{\"id\":\"2\",\"prompt\":\"other\"}");
		ask("{\"id\":\"new\"}");
		fixture_settle();
	}
	assert_true(pieces > 2);
	assert_true(text_equal(buf_text(&before), buf_text(&saved)));
	buf_finish(&before);
	buf_finish(&saved);
}

static void a_damaged_checkpoint_is_refused(void **state)
{
	struct prompts *again = fresh();

	assert_false(prompts_load(again, TEXT("")));
	assert_false(prompts_load(again, TEXT("{}")));
	assert_true(prompts_load(again, TEXT("[1,{},{\"id\":\"x\"}]")));
	assert_true(list_is_empty(prompts_open(again)));
	prompts_destroy(again);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

/* What is told of a prompt is bounded, and so are its names. */
static void a_name_that_is_too_long_is_none(void **state)
{
	char *name = must_zero(1, 600000 + 1), *raw;
	const struct prompt *p;

	memset(name, 'n', 600000);
	raw = must_print("{\"type\":\"confirm\",\"id\":\"%s\",\"invokeid\":\"%.600s\"}", name,
	                 name);
	p = ask(raw);
	assert_non_null(p);
	assert_null(p->own_id.at);
	assert_null(p->invoke.at);
	free(raw);
	raw = must_print("{\"type\":\"prompt\",\"source\":\"me\",\"correlationId\":\"%s\","
	                 "\"payload\":{\"type\":\"confirm\"}}",
	                 name);
	fixture_emit(raw);
	assert_int_equal(prompts_open_count(prompts), 1);
	free(raw);
	free(name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_first_answer_wins_and_the_agent_hears_it_when_it_is_durable),
		TEST(a_prompt_may_be_cancelled_by_either_side),
		TEST(a_deadline_ends_a_prompt_with_its_default),
		TEST(who_forgets_is_not_called),
		TEST(an_agent_that_returns_hears_what_it_missed),
		TEST(the_same_question_again_is_the_same_and_another_takes_its_place),
		TEST(only_the_box_ends_a_prompt),
		TEST(a_restart_finds_everything_as_it_was),
		TEST(another_key_makes_other_ids),
		TEST(ten_thousand_prompts_are_answered_once_each),
		TEST(too_many_open_ones_close_the_oldest),
		TEST(what_is_kept_has_a_ceiling),
		TEST(what_happens_while_they_are_saved_is_not_in_it),
		TEST(a_damaged_checkpoint_is_refused),
		TEST(a_name_that_is_too_long_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
