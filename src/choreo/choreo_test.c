/* choreo_test.c - what choreographies say, and when. */
#include "choreo/choreo.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/must.h"
#include "choreo/fixture.h"

#define FRAMES \
	(const double[]) \
	{ \
		100, 200, 300, 400, 500, 600, 700, 800, 900, 1000, -1 \
	}

/* Plays it once, with exact ticks. */
static void assert_plays(const char *steps, const char *payload, const char *lines)
{
	char *document = must_print("[{\"on\":\"x\",\"steps\":%s}]", steps);
	struct troupe t;

	troupe_init(&t, document, false);
	assert_int_equal(troupe_hear(&t, "x", payload, NULL, 0), 1);
	troupe_run(&t, 1e6);
	assert_said(&t, lines);
	assert_int_equal(choreo_active(t.choreo), 0);
	troupe_finish(&t);
	free(document);
}

/* --- what is said ------------------------------------------------------------------ */

static void the_story_of_the_pigeon_is_told(void **state)
{
	assert_plays(
		"[{\"action\":\"move\",\"entity\":\"peon\",\"to\":\"signal.to\",\"duration\":800,"
		"\"easing\":\"easeInOut\"},"
		"{\"action\":\"spawn\",\"entity\":\"pigeon\",\"at\":\"signal.from\"},"
		"{\"action\":\"fly\",\"entity\":\"pigeon\",\"to\":\"signal.to\",\"duration\":1200,"
		"\"easing\":\"arc\"},"
		"{\"action\":\"onArrive\",\"steps\":["
		"{\"action\":\"destroy\",\"entity\":\"pigeon\"},"
		"{\"action\":\"flash\",\"target\":\"signal.to\",\"color\":\"#ffd700\","
		"\"duration\":300}]}]",
		"{\"from\":\"a\",\"to\":\"b\"}",
		"0 start perf-1 move peon {\"to\":\"b\"} 800 easeInOut\n"
		"800 complete perf-1 move peon {\"to\":\"b\"}\n"
		"800 execute perf-1 spawn pigeon {\"at\":\"a\"}\n"
		"800 start perf-1 fly pigeon {\"to\":\"b\"} 1200 arc\n"
		"2000 complete perf-1 fly pigeon {\"to\":\"b\"}\n"
		"2000 execute perf-1 destroy pigeon {}\n"
		"2000 start perf-1 flash b {\"color\":\"#ffd700\"} 300 linear\n"
		"2300 complete perf-1 flash b {\"color\":\"#ffd700\"}\n");
}

static void every_action_has_its_way(void **state)
{
	assert_plays(
		"[{\"action\":\"followRoute\",\"entity\":\"e\",\"route\":\"r\",\"reverse\":true,"
		"\"duration\":10},"
		"{\"action\":\"pulse\",\"entity\":\"e\",\"duration\":10},"
		"{\"action\":\"drawBeam\",\"entity\":\"e\",\"to\":\"f\",\"duration\":10},"
		"{\"action\":\"typeText\",\"entity\":\"e\",\"text\":\"signal.words\","
		"\"duration\":10},"
		"{\"action\":\"setAnimation\",\"entity\":\"e\",\"state\":\"run\",\"duration\":10},"
		"{\"action\":\"playSound\",\"sound\":\"boom\",\"volume\":0.5,\"duration\":10},"
		"{\"action\":\"wait\"},{\"action\":\"wait\",\"duration\":7},"
		"{\"action\":\"juggle\",\"entity\":\"e\"},"
		"{\"action\":\"juggle\",\"entity\":\"e\",\"duration\":10}]",
		"{\"words\":\"say \\\"so\\\"\"}",
		"0 start perf-1 followRoute e {\"route\":\"r\",\"reverse\":true} 10 linear\n"
		"10 complete perf-1 followRoute e {\"route\":\"r\",\"reverse\":true}\n"
		"10 start perf-1 pulse e {} 10 linear\n"
		"20 complete perf-1 pulse e {}\n"
		"20 start perf-1 drawBeam e {\"to\":\"f\"} 10 linear\n"
		"30 complete perf-1 drawBeam e {\"to\":\"f\"}\n"
		"30 start perf-1 typeText e {\"text\":\"say \\\"so\\\"\"} 10 linear\n"
		"40 complete perf-1 typeText e {\"text\":\"say \\\"so\\\"\"}\n"
		"40 execute perf-1 setAnimation e {\"state\":\"run\"}\n"
		"40 execute perf-1 playSound  {\"sound\":\"boom\",\"volume\":0.5}\n"
		"47 execute perf-1 juggle e {}\n"
		"47 start perf-1 juggle e {} 10 linear\n"
		"57 complete perf-1 juggle e {}\n");
}

static void a_delay_comes_once_before_the_start(void **state)
{
	struct troupe t;

	troupe_init(&t,
	            "[{\"on\":\"x\",\"steps\":[{\"action\":\"move\",\"entity\":\"a\",\"delay\":250,"
	            "\"duration\":300}]}]",
	            true);
	troupe_hear(&t, "x", "{}", NULL, 0);
	troupe_tick(&t, FRAMES);
	assert_said(&t, "400 start perf-1 move a {} 300 linear\n"
	                "400 update perf-1 move a {} 0 0\n"
	                "500 update perf-1 move a {} 0.3333333333333333 100\n"
	                "600 update perf-1 move a {} 0.6666666666666666 200\n"
	                "700 complete perf-1 move a {}\n");
	troupe_finish(&t);
	assert_plays("[{\"action\":\"spawn\",\"entity\":\"a\",\"delay\":5},"
	             "{\"action\":\"wait\",\"duration\":10,\"delay\":3},"
	             "{\"action\":\"move\",\"entity\":\"a\",\"delay\":2,\"duration\":4}]",
	             "{}",
	             "5 execute perf-1 spawn a {}\n"
	             "20 start perf-1 move a {} 4 linear\n"
	             "24 complete perf-1 move a {}\n");
}

static void values_are_looked_up_in_the_signal(void **state)
{
	assert_plays(
		"[{\"action\":\"a\",\"entity\":\"signal.list.1.name\",\"t\":\"signal.type\","
		"\"n\":\"signal.n\",\"deep\":\"signal.deep\",\"len\":\"signal.list.length\","
		"\"none\":\"signal.none\",\"in\":{\"x\":\"signal.n\"},\"null\":null,"
		"\"no\":\"signals.n\",\"yes\":\"signal.yes\"},"
		"{\"action\":\"b\",\"entity\":\"signal.n\"},"
		"{\"action\":\"c\",\"entity\":\"signal.none\",\"target\":\"e\"},"
		"{\"action\":\"d\",\"entity\":null,\"target\":\"e\",\"none\":\"signal.none\"},"
		"{\"action\":\"e\",\"entity\":\"\",\"target\":\"e\"}]",
		"{\"list\":[0,{\"name\":\"bob\"}],\"n\":7,\"deep\":{\"a\":[1.5]},\"yes\":true}",
		"0 execute perf-1 a bob {\"t\":\"x\",\"n\":7,\"deep\":{\"a\":[1.5]},\"len\":2,"
		"\"in\":{\"x\":\"signal.n\"},\"null\":null,\"no\":\"signals.n\",\"yes\":true}\n"
		"0 execute perf-1 b  {}\n"
		"0 execute perf-1 c  {}\n"
		"0 execute perf-1 d e {}\n"
		"0 execute perf-1 e  {}\n");
}

static void the_signal_may_be_gone_when_it_is_needed(void **state)
{
	struct troupe t;

	troupe_init(&t,
	            "[{\"on\":\"x\",\"steps\":[{\"action\":\"wait\",\"duration\":50},"
	            "{\"action\":\"say\",\"entity\":\"signal.who\",\"what\":\"signal.what\"}]}]",
	            false);
	troupe_hear(&t, "x", "{\"who\":\"a\",\"what\":\"1\"}", NULL, 0);
	troupe_hear(&t, "x", "{\"who\":\"b\",\"what\":[2]}", NULL, 0);
	troupe_run(&t, 100);
	assert_said(&t, "50 execute perf-1 say a {\"what\":\"1\"}\n"
	                "50 execute perf-2 say b {\"what\":[2]}\n");
	troupe_finish(&t);
}

/* --- structure --------------------------------------------------------------------- */

static void lanes_go_side_by_side_and_meet_at_the_end(void **state)
{
	assert_plays("[{\"action\":\"parallel\",\"steps\":["
	             "{\"action\":\"onArrive\",\"steps\":[{\"action\":\"a\",\"duration\":10},"
	             "{\"action\":\"b\",\"duration\":30}]},"
	             "{\"action\":\"parallel\",\"steps\":[{\"action\":\"c\",\"duration\":20},"
	             "{\"action\":\"d\"}]},{\"action\":\"wait\",\"duration\":35}]},"
	             "{\"action\":\"parallel\",\"steps\":[]},{\"action\":\"parallel\"},"
	             "{\"action\":\"end\"}]",
	             "{}",
	             "0 start perf-1 a  {} 10 linear\n"
	             "0 start perf-1 c  {} 20 linear\n"
	             "0 execute perf-1 d  {}\n"
	             "10 complete perf-1 a  {}\n"
	             "10 start perf-1 b  {} 30 linear\n"
	             "20 complete perf-1 c  {}\n"
	             "40 complete perf-1 b  {}\n"
	             "40 execute perf-1 end  {}\n");
}

static void an_on_interrupt_inside_is_an_action_that_says_nothing(void **state)
{
	assert_plays("[{\"action\":\"onArrive\",\"steps\":[{\"action\":\"onInterrupt\",\"steps\":"
	             "[{\"action\":\"never\"}],\"entity\":\"e\",\"x\":1}]},"
	             "{\"action\":\"parallel\",\"steps\":[{\"action\":\"onInterrupt\"}]},"
	             "{\"action\":\"onInterrupt\",\"steps\":[{\"action\":\"never\"}]}]",
	             "{}",
	             "0 execute perf-1 onInterrupt  {}\n"
	             "0 execute perf-1 onInterrupt  {}\n");
}

static void the_editor_s_form_means_the_same(void **state)
{
	struct troupe t;

	troupe_init(
		&t,
		"[{\"id\":\"c1\",\"on\":\"x\",\"when\":null,\"interrupts\":null,\"nodeX\":1,"
		"\"collapsed\":false,\"defaultTargetEntityId\":\"hero\",\"steps\":["
		"{\"id\":\"s1\",\"action\":\"move\",\"entity\":\"\",\"delay\":0,\"duration\":10,"
		"\"easing\":\"easeIn\",\"params\":{\"to\":\"signal.to\"}},"
		"{\"id\":\"s2\",\"action\":\"parallel\",\"children\":["
		"{\"id\":\"s3\",\"action\":\"flash\",\"target\":\"villain\",\"params\":{}},"
		"{\"id\":\"s4\",\"action\":\"flash\",\"entity\":\"b\",\"duration\":1,"
		"\"params\":{\"duration\":20,\"entity\":\"c\",\"easing\":\"arc\",\"id\":3}}]},"
		"{\"action\":\"bow\"}]},"
		"{\"id\":\"c2\",\"on\":\"x\",\"steps\":[{\"id\":\"s5\",\"action\":\"flash\","
		"\"entity\":\"\",\"target\":\"villain\",\"delay\":null,\"duration\":null,"
		"\"easing\":null,\"params\":{\"color\":\"red\"}}]}]",
		false);
	assert_int_equal(troupe_hear(&t, "x", "{\"to\":\"a\"}", "c", 0), 2);
	troupe_run(&t, 1000);
	assert_said(&t, "0 start perf-1 move hero {\"to\":\"a\"} 10 easeIn\n"
	                "0 execute perf-2 flash villain {\"color\":\"red\"}\n"
	                "10 complete perf-1 move hero {\"to\":\"a\"}\n"
	                "10 execute perf-1 flash hero {}\n"
	                "10 start perf-1 flash c {\"id\":3} 20 arc\n"
	                "30 complete perf-1 flash c {\"id\":3}\n"
	                "30 execute perf-1 bow hero {}\n");
	troupe_finish(&t);
}

/* --- interruption ------------------------------------------------------------------ */

#define INTERRUPTIBLE \
	"{\"on\":\"task\",\"steps\":[{\"action\":\"onInterrupt\",\"steps\":[{\"action\":\"drop\"," \
	"\"entity\":\"signal.a\"}]}," \
	"{\"action\":\"move\",\"entity\":\"signal.a\",\"duration\":100}," \
	"{\"action\":\"onInterrupt\",\"steps\":[{\"action\":\"flash\",\"entity\":\"signal.a\"," \
	"\"duration\":5}]}]}"
#define INTERRUPTS "{\"on\":\"error\",\"interrupts\":true,\"steps\":[{\"action\":\"boom\"}]}"

static void an_interruption_ends_those_of_its_correlation(void **state)
{
	struct troupe t;

	troupe_init(&t, "[" INTERRUPTIBLE "," INTERRUPTS "]", false);
	troupe_hear(&t, "task", "{\"a\":\"one\"}", "c1", 0);
	troupe_hear(&t, "task", "{\"a\":\"two\"}", "c2", 0);
	troupe_hear(&t, "task", "{\"a\":\"three\"}", NULL, 0);
	troupe_run(&t, 10);
	troupe_hear(&t, "task", "{\"a\":\"four\"}", "c1", 20);
	troupe_hear(&t, "error", "{}", "c1", 20);
	assert_int_equal(choreo_active(t.choreo), 5);
	troupe_run(&t, 1000);
	assert_said(&t, "0 start perf-1 move one {} 100 linear\n"
	                "0 start perf-2 move two {} 100 linear\n"
	                "0 start perf-3 move three {} 100 linear\n"
	                "20 interrupt perf-1 c1 error\n"
	                "20 interrupt perf-4 c1 error\n"
	                "20 execute perf-5 drop one {}\n"
	                "20 start perf-5 flash one {} 5 linear\n"
	                "20 execute perf-6 drop four {}\n"
	                "20 start perf-6 flash four {} 5 linear\n"
	                "20 execute perf-7 boom  {}\n"
	                "25 complete perf-5 flash one {}\n"
	                "25 complete perf-6 flash four {}\n"
	                "100 complete perf-2 move two {}\n"
	                "100 complete perf-3 move three {}\n");
	troupe_finish(&t);
}

static void what_an_interruption_begins_nobody_interrupts(void **state)
{
	struct troupe t;

	troupe_init(&t, "[" INTERRUPTIBLE "," INTERRUPTS "]", false);
	troupe_hear(&t, "task", "{\"a\":\"one\"}", "c1", 0);
	troupe_hear(&t, "error", "{}", "c1", 1);
	troupe_hear(&t, "error", "{}", "c1", 1);
	troupe_hear(&t, "error", "{}", NULL, 1);
	troupe_run(&t, 1000);
	assert_said(&t, "1 interrupt perf-1 c1 error\n"
	                "1 interrupt perf-3 c1 error\n"
	                "1 execute perf-2 drop one {}\n"
	                "1 start perf-2 flash one {} 5 linear\n"
	                "1 execute perf-4 boom  {}\n"
	                "1 execute perf-5 boom  {}\n"
	                "6 complete perf-2 flash one {}\n");
	troupe_finish(&t);
}

static void an_interruption_ends_what_the_same_signal_began(void **state)
{
	struct troupe t;

	troupe_init(&t,
	            "[{\"on\":\"x\",\"steps\":[{\"action\":\"a\"}]},"
	            "{\"on\":\"x\",\"interrupts\":true,\"steps\":[{\"action\":\"b\"}]}]",
	            false);
	assert_int_equal(troupe_hear(&t, "x", "{}", "c", 3), 2);
	troupe_run(&t, 10);
	assert_said(&t, "3 interrupt perf-1 c x\n3 execute perf-2 b  {}\n");
	troupe_finish(&t);
}

/* --- time -------------------------------------------------------------------------- */

static void the_next_tick_is_exactly_when_something_is_due(void **state)
{
	struct troupe t;

	troupe_init(&t,
	            "[{\"on\":\"x\",\"steps\":[{\"action\":\"a\",\"delay\":0.1,\"duration\":0.2},"
	            "{\"action\":\"wait\",\"duration\":1e-9}]},{\"on\":\"y\",\"steps\":[]}]",
	            false);
	assert_true(isinf(choreo_next(t.choreo)));
	troupe_hear(&t, "x", "{}", NULL, 1e12);
	assert_true(choreo_next(t.choreo) == 1e12);
	choreo_tick(t.choreo, 1e12);
	assert_true(choreo_next(t.choreo) == 1e12 + 0.1);
	choreo_tick(t.choreo, 1e12);
	choreo_tick(t.choreo, 1e12 + 0.05);
	assert_int_equal(t.said.len, 0);
	choreo_tick(t.choreo, 1e12 + 0.1);
	assert_true(choreo_next(t.choreo) == 1e12 + 0.1 + 0.2);
	choreo_tick(t.choreo, 1e12 + 0.1 + 0.2);
	assert_int_equal(choreo_active(t.choreo), 0);
	troupe_hear(&t, "y", "{}", NULL, 2e12);
	assert_int_equal(choreo_active(t.choreo), 1);
	choreo_tick(t.choreo, 2e12);
	assert_int_equal(choreo_active(t.choreo), 0);
	assert_true(isinf(choreo_next(t.choreo)));
	troupe_finish(&t);
}

static void a_clock_that_goes_back_stands_still(void **state)
{
	struct troupe t;

	troupe_init(&t, "[{\"on\":\"x\",\"steps\":[{\"action\":\"a\",\"duration\":10}]}]", true);
	troupe_hear(&t, "x", "{}", NULL, 100);
	choreo_tick(t.choreo, 100);
	choreo_tick(t.choreo, 50);
	choreo_tick(t.choreo, 200);
	assert_said(&t, "100 start perf-1 a  {} 10 linear\n"
	                "100 update perf-1 a  {} 0 0\n"
	                "100 update perf-1 a  {} 0 0\n"
	                "200 complete perf-1 a  {}\n");
	troupe_finish(&t);
}

static void a_late_tick_plays_in_the_order_of_beginning(void **state)
{
	struct troupe t;

	troupe_init(&t,
	            "[{\"on\":\"x\",\"steps\":[{\"action\":\"slow\",\"duration\":90}]},"
	            "{\"on\":\"x\",\"steps\":[{\"action\":\"quick\",\"duration\":10},"
	            "{\"action\":\"then\",\"duration\":10}]}]",
	            false);
	troupe_hear(&t, "x", "{}", NULL, 0);
	troupe_tick(&t, (const double[]){0, 200, 205, 300, -1});
	assert_said(&t, "0 start perf-1 slow  {} 90 linear\n"
	                "0 start perf-2 quick  {} 10 linear\n"
	                "200 complete perf-1 slow  {}\n"
	                "200 complete perf-2 quick  {}\n"
	                "200 start perf-2 then  {} 10 linear\n"
	                "300 complete perf-2 then  {}\n");
	troupe_finish(&t);
}

static void take_running(void *self, const struct stage_command *command)
{
	command_json(command, self);
}

static void who_comes_late_hears_what_is_under_way(void **state)
{
	struct troupe t;
	struct buf out;

	troupe_init(
		&t,
		"[{\"on\":\"x\",\"steps\":[{\"action\":\"parallel\",\"steps\":["
		"{\"action\":\"a\",\"entity\":\"signal.e\",\"duration\":100,\"easing\":\"easeIn\"},"
		"{\"action\":\"b\",\"duration\":10},{\"action\":\"c\",\"delay\":90,\"duration\":1},"
		"{\"action\":\"wait\",\"duration\":90}]}]},{\"on\":\"y\",\"steps\":"
		"[{\"action\":\"d\",\"duration\":100}]}]",
		false);
	troupe_hear(&t, "x", "{\"e\":\"bob\"}", NULL, 0);
	troupe_run(&t, 50);
	troupe_hear(&t, "y", "{}", NULL, 50);
	buf_init(&out, KIB);
	choreo_running(t.choreo, 50, take_running, &out);
	if (!text_is(buf_text(&out), "{\"kind\":\"start\",\"at\":50,\"performanceId\":\"perf-1\","
	                             "\"action\":\"a\",\"entityRef\":\"bob\",\"params\":{},"
	                             "\"duration\":100,\"easing\":\"easeIn\",\"progress\":0.25,"
	                             "\"elapsed\":50}"))
		fail_msg("%.*s", TEXT_ARG(buf_text(&out)));
	buf_finish(&out);
	troupe_finish(&t);
}

/* --- faults and ceilings ----------------------------------------------------------- */

static void ignore(void *self, const struct stage_command *command)
{
}

static const struct choreo_options silent = {.command = ignore};

static void assert_refused(const char *document, const char *words)
{
	yyjson_doc *doc = yyjson_read(document, strlen(document), 0);
	struct error why = {""};

	assert_non_null(doc);
	if (choreo_create(yyjson_doc_get_root(doc), &silent, &why))
		fail_msg("%s was taken", document);
	if (strcmp(why.words, words) != 0)
		fail_msg("%s: %s, not %s", document, why.words, words);
	yyjson_doc_free(doc);
}

static void a_fault_says_where_it_is(void **state)
{
	static const char *const cases[][2] = {
		{"{}", ": a list of choreographies is wanted"},
		{"[3]", "/0: a choreography is an object"},
		{"[{}]", "/0/steps: a list of steps is wanted"},
		{"[{\"steps\":[]},{\"steps\":{}}]", "/1/steps: a list of steps is wanted"},
		{"[{\"steps\":[],\"interrupts\":1}]", "/0/interrupts: true or false is wanted"},
		{"[{\"steps\":[],\"defaultTargetEntityId\":1}]",
	         "/0/defaultTargetEntityId: a string is wanted"},
		{"[{\"steps\":[7]}]", "/0/steps/0: a step is an object"},
		{"[{\"steps\":[{}]}]", "/0/steps/0/action: the name of an action is wanted"},
		{"[{\"steps\":[{\"action\":1}]}]", "/0/steps/0/action: a string is wanted"},
		{"[{\"steps\":[{\"action\":\"a\"},{\"action\":\"a\",\"delay\":\"1\"}]}]",
	         "/0/steps/1/delay: a number of milliseconds, at most an hour, is wanted"},
		{"[{\"steps\":[{\"action\":\"a\",\"duration\":-1}]}]",
	         "/0/steps/0/duration: a number of milliseconds, at most an hour, is wanted"},
		{"[{\"steps\":[{\"action\":\"a\",\"params\":{\"duration\":3600001}}]}]",
	         "/0/steps/0/params/duration: "
	         "a number of milliseconds, at most an hour, is wanted"},
		{"[{\"steps\":[{\"action\":\"a\",\"easing\":[]}]}]",
	         "/0/steps/0/easing: a string is wanted"},
		{"[{\"steps\":[{\"action\":\"a\",\"entity\":{}}]}]",
	         "/0/steps/0/entity: a string is wanted"},
		{"[{\"steps\":[{\"action\":\"a\",\"target\":0}]}]",
	         "/0/steps/0/target: a string is wanted"},
		{"[{\"steps\":[{\"action\":\"a\",\"to\":1,\"to\":2}]}]",
	         "/0/steps/0/to: given twice"},
		{"[{\"steps\":[{\"action\":\"a\",\"params\":{\"a/b\":1,\"a/b\":2}}]}]",
	         "/0/steps/0/params/a~1b: given twice"},
		{"[{\"steps\":[{\"action\":\"parallel\",\"steps\":[{\"action\":\"onArrive\","
	         "\"children\":[{\"action\":\"\"}]}]}]}]",
	         "/0/steps/0/steps/0/children/0/action: the name of an action is wanted"},
		{"[{\"steps\":[{\"action\":\"onInterrupt\",\"steps\":3}]}]",
	         "/0/steps/0/steps: a list of steps is wanted"},
		{"[{\"steps\":[{\"action\":\"parallel\",\"children\":3}]}]",
	         "/0/steps/0/children: a list of steps is wanted"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_refused(cases[i][0], cases[i][1]);
}

static void a_fault_in_a_condition_says_where_it_is(void **state)
{
	const char *document = "[{\"steps\":[],\"when\":7}]";
	yyjson_doc *doc = yyjson_read(document, strlen(document), 0);
	struct error why = {""};

	assert_null(choreo_create(yyjson_doc_get_root(doc), &silent, &why));
	assert_memory_equal(why.words, "/0/when", 7);
	yyjson_doc_free(doc);
}

/* head, then so many items with their number where a # stands, then tail. */
static void assert_many(const char *head, const char *item, unsigned count, const char *tail,
                        const char *words)
{
	struct text rest, before = text_cut(text_of(item), '#', &rest);
	struct buf out;

	buf_init(&out, 16 * MIB);
	buf_add(&out, text_of(head));
	for (unsigned i = 0; i < count; i++) {
		buf_add(&out, before);
		buf_add_u64(&out, i);
		buf_add(&out, rest);
	}
	buf_print(&out, "%s", tail);
	buf_add_char(&out, '\0');
	assert_refused(out.at, words);
	buf_finish(&out);
}

static void a_document_has_ceilings(void **state)
{
	assert_many("[{\"steps\":[", "{\"action\":\"a#\"},", 1000, "{\"action\":\"a\"}]}]",
	            "/0/steps/1000: more than 1000 steps");
	assert_many("[{\"steps\":[{\"action\":\"a\"", ",\"p#\":1", 65, "}]}]",
	            "/0/steps/0: more than 64 parameters");
	assert_many("[{\"steps\":[{\"action\":\"a\"}", ",{\"action\":\"a\",\"p\":\"signal.p#\"}",
	            257, "]}]", "/0/steps/257/p: more than 256 references");
	assert_many("[{\"steps\":[]}", ",{\"steps\":[],\"id\":\"#\"}", 4096, "]",
	            ": more than 4096 choreographies");
}

/* Lanes in lanes, so many; the string is the caller's to free. */
static char *nested(unsigned depth)
{
	struct buf out;

	buf_init(&out, MIB);
	buf_add(&out, TEXT("[{\"on\":\"x\",\"steps\":["));
	for (unsigned i = 0; i < depth; i++)
		buf_add(&out, TEXT("{\"action\":\"parallel\",\"steps\":["));
	buf_add(&out, TEXT("{\"action\":\"a\"}"));
	for (unsigned i = 0; i < depth; i++)
		buf_add(&out, TEXT("]}"));
	buf_add(&out, TEXT("]}]"));
	buf_add_char(&out, '\0');
	return out.at;
}

static void steps_are_nested_only_so_deep(void **state)
{
	char *deep = nested(16), *too_deep = nested(17);
	yyjson_doc *doc = yyjson_read(too_deep, strlen(too_deep), 0);
	struct error why = {""};
	struct troupe t;

	troupe_init(&t, deep, false);
	troupe_hear(&t, "x", "{}", NULL, 0);
	troupe_run(&t, 0);
	assert_said(&t, "0 execute perf-1 a  {}\n");
	troupe_finish(&t);
	assert_null(choreo_create(yyjson_doc_get_root(doc), &silent, &why));
	assert_non_null(strstr(why.words, "/steps/0/steps"));
	yyjson_doc_free(doc);
	free(deep);
	free(too_deep);
}

static void what_would_be_one_too_many_is_not_begun(void **state)
{
	struct troupe t;

	troupe_init(&t, "[{\"on\":\"x\",\"steps\":[{\"action\":\"wait\",\"duration\":10}]}]",
	            false);
	for (unsigned i = 0; i < CHOREO_ACTIVE_MAX; i++)
		assert_int_equal(troupe_hear(&t, "x", "{}", "c", 0), 1);
	assert_int_equal(troupe_hear(&t, "x", "{}", "c", 0), 0);
	assert_int_equal(choreo_active(t.choreo), CHOREO_ACTIVE_MAX);
	assert_int_equal(choreo_refused(t.choreo), 1);
	troupe_run(&t, 10);
	assert_int_equal(choreo_active(t.choreo), 0);
	assert_int_equal(troupe_hear(&t, "x", "{}", "c", 20), 1);
	troupe_finish(&t);
}

static void what_is_remembered_of_signals_has_a_ceiling(void **state)
{
	char *words = must_alloc(512 * KIB + 1);
	char *payload;
	unsigned begun = 0;
	struct troupe t;

	memset(words, 'a', 512 * KIB);
	words[512 * KIB] = '\0';
	payload = must_print("{\"w\":\"%s\"}", words);
	troupe_init(&t,
	            "[{\"on\":\"x\",\"steps\":[{\"action\":\"wait\",\"duration\":10},"
	            "{\"action\":\"say\",\"text\":\"signal.w\"}]},"
	            "{\"on\":\"y\",\"steps\":[{\"action\":\"wait\",\"duration\":10}]}]",
	            false);
	while (begun < 1000 && troupe_hear(&t, "x", payload, NULL, 0))
		begun++;
	assert_in_range(begun, 100, 128);
	choreo_destroy(t.choreo);
	t.choreo = choreo_create(t.choreographies, &silent, NULL);
	for (begun = 0; begun < 1000 && troupe_hear(&t, "y", "{}", words, 0); begun++)
		;
	assert_in_range(begun, 40, 42);
	troupe_finish(&t);
	free(payload);
	free(words);
}

static void a_parameter_without_room_is_left_out(void **state)
{
	struct buf quotes;
	struct troupe t;

	buf_init(&quotes, 2 * MIB);
	buf_add(&quotes, TEXT("{\"w\":\""));
	for (unsigned i = 0; i < 200 * KIB; i++)
		buf_add(&quotes, TEXT("\\u0001"));
	buf_add(&quotes, TEXT("\"}"));
	buf_add_char(&quotes, '\0');
	troupe_init(&t,
	            "[{\"on\":\"x\",\"steps\":[{\"action\":\"say\",\"a\":1,\"b\":\"signal.w\","
	            "\"c\":\"signal.w\",\"d\":\"signal.w\",\"e\":\"signal.w\",\"f\":2}]}]",
	            false);
	troupe_hear(&t, "x", quotes.at, NULL, 0);
	troupe_run(&t, 0);
	assert_non_null(memmem(t.said.at, t.said.len, "\"d\":\"", 5));
	assert_null(memmem(t.said.at, t.said.len, "\"e\":", 4));
	assert_non_null(memmem(t.said.at, t.said.len, "\"f\":2}", 6));
	troupe_finish(&t);
	buf_finish(&quotes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_story_of_the_pigeon_is_told),
		cmocka_unit_test(every_action_has_its_way),
		cmocka_unit_test(a_delay_comes_once_before_the_start),
		cmocka_unit_test(values_are_looked_up_in_the_signal),
		cmocka_unit_test(the_signal_may_be_gone_when_it_is_needed),
		cmocka_unit_test(lanes_go_side_by_side_and_meet_at_the_end),
		cmocka_unit_test(an_on_interrupt_inside_is_an_action_that_says_nothing),
		cmocka_unit_test(the_editor_s_form_means_the_same),
		cmocka_unit_test(an_interruption_ends_those_of_its_correlation),
		cmocka_unit_test(what_an_interruption_begins_nobody_interrupts),
		cmocka_unit_test(an_interruption_ends_what_the_same_signal_began),
		cmocka_unit_test(the_next_tick_is_exactly_when_something_is_due),
		cmocka_unit_test(a_clock_that_goes_back_stands_still),
		cmocka_unit_test(a_late_tick_plays_in_the_order_of_beginning),
		cmocka_unit_test(who_comes_late_hears_what_is_under_way),
		cmocka_unit_test(a_fault_says_where_it_is),
		cmocka_unit_test(a_fault_in_a_condition_says_where_it_is),
		cmocka_unit_test(a_document_has_ceilings),
		cmocka_unit_test(steps_are_nested_only_so_deep),
		cmocka_unit_test(what_would_be_one_too_many_is_not_begun),
		cmocka_unit_test(what_is_remembered_of_signals_has_a_ceiling),
		cmocka_unit_test(a_parameter_without_room_is_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
