/* deeds_test.c - what people do reaches a back end, and a command leaves a receipt. */
#include "bus/deeds.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "bus/backs.h"
#include "bus/bus.h"
#include "bus/fixture.h"

#define COMMAND "{\"entityId\":\"poet\",\"action\":\"wave\"}"

static struct backs *backs;
static struct deeds *deeds;
static struct back_end end;
static struct bus_listener listener;
static enum back_answer answer;
static bool is_reached; /* it is known whom a deed concerns that names no run */
static char told[64];   /* type, source and run of the last deed */
static size_t told_count;
static char lines[8][512]; /* all signals */
static size_t count;

static enum back_answer tell(void *self, const struct back_deed *deed, struct error *why)
{
	snprintf(told, sizeof(told), "%.*s %.*s %.*s", TEXT_ARG(deed->signal->type),
	         TEXT_ARG(deed->source), TEXT_ARG(deed->run));
	told_count++;
	if (answer != BACK_DONE)
		error_set(why, "it sleeps");
	return answer;
}

static bool concerned(void *self, const struct signal *s, struct back_deed *deed)
{
	deed->run = TEXT("r1");
	deed->source = TEXT("crew");
	return is_reached || s->correlation.len;
}

static void heard(struct bus_listener *t, const struct signal *s)
{
	snprintf(lines[count++], sizeof(lines[0]), "%.*s", TEXT_ARG(s->line));
}

static int set_up(void **state)
{
	fixture_open();
	backs = backs_create(&(struct backs_options){.bus = fixture_bus});
	end = (struct back_end){.name = "end", .tell = tell};
	backs_add(backs, &end);
	deeds = deeds_create(&(struct deeds_options){
		.bus = fixture_bus, .backs = backs, .concerned = concerned});
	listener = (struct bus_listener){.name = "test", .heard = heard};
	bus_add_listener(fixture_bus, &listener);
	answer = BACK_DONE;
	is_reached = true;
	told[0] = '\0';
	told_count = count = 0;
	return 0;
}

static int tear_down(void **state)
{
	bus_remove_listener(fixture_bus, &listener);
	fixture_close();
	deeds_destroy(deeds);
	backs_destroy(backs);
	return 0;
}

static void emit(const char *raw, bool is_client)
{
	struct bus_emit e = {.from = bus_from(fixture_bus, TEXT("somebody"), true),
	                     .raw = text_of(raw)};
	struct bus_verdict verdict;

	e.from.is_client = is_client;
	bus_admit(fixture_bus, &e, &verdict);
	assert_int_equal(verdict.answer, BUS_ACCEPTED);
}

static void a_command_is_told_and_has_a_receipt(void **state)
{
	emit("{\"type\":\"user.command\",\"id\":\"c1\",\"payload\":" COMMAND "}", true);
	assert_string_equal(told, "user.command crew r1");
	assert_int_equal(count, 2);
	assert_non_null(strstr(lines[1], "\"type\":\"command.told\""));
	assert_non_null(strstr(lines[1], "\"correlationId\":\"r1\""));
	assert_non_null(strstr(lines[1], "\"payload\":{\"signal\":\"c1\",\"told\":true}"));
}

static void one_that_nobody_takes_says_why(void **state)
{
	answer = BACK_CONFLICT;
	emit("{\"type\":\"user.command\",\"id\":\"c2\",\"payload\":" COMMAND "}", true);
	assert_non_null(
		strstr(lines[1], "{\"signal\":\"c2\",\"told\":false,\"why\":\"it sleeps\"}"));
}

static void only_a_command_has_one(void **state)
{
	emit("{\"type\":\"user.click\",\"id\":\"c3\",\"payload\":{\"target\":\"poet\"}}", true);
	assert_string_equal(told, "user.click crew r1");
	assert_int_equal(count, 1);
}

static void what_a_source_says_is_no_deed(void **state)
{
	emit("{\"type\":\"user.command\",\"id\":\"c4\",\"payload\":{}}", false);
	emit("{\"type\":\"text_delta\",\"id\":\"c5\",\"payload\":{}}", true);
	assert_string_equal(told, "");
	assert_int_equal(count, 2);
}

static void one_waits_until_it_is_known_whom_it_concerns(void **state)
{
	is_reached = false;
	emit("{\"type\":\"user.command\",\"id\":\"c6\",\"payload\":" COMMAND "}", true);
	emit("{\"type\":\"user.click\",\"id\":\"c7\",\"payload\":{\"target\":\"poet\"}}", true);
	deeds_go_on(deeds);
	assert_int_equal(told_count, 0);
	emit("{\"type\":\"user.point\",\"id\":\"c8\",\"correlationId\":\"r1\","
	     "\"payload\":{\"position\":{\"x\":1,\"y\":1}}}",
	     true);
	assert_string_equal(told, "user.point crew r1"); /* of this it is known */
	assert_int_equal(count, 3);
	is_reached = true;
	deeds_go_on(deeds);
	assert_int_equal(told_count, 3);
	assert_string_equal(told, "user.click crew r1");
	assert_non_null(strstr(lines[3], "\"payload\":{\"signal\":\"c6\",\"told\":true}"));
	deeds_go_on(deeds); /* once */
	assert_int_equal(told_count, 3);
}

static void at_a_stop_none_waits_on(void **state)
{
	is_reached = false;
	emit("{\"type\":\"user.command\",\"id\":\"c6\",\"payload\":" COMMAND "}", true);
	deeds_stop(deeds);
	assert_int_equal(count, 2);
	assert_non_null(
		strstr(lines[1], "{\"signal\":\"c6\",\"told\":false,\"why\":\"the box stops\"}"));
	emit("{\"type\":\"user.command\",\"id\":\"c7\",\"payload\":" COMMAND "}", true);
	assert_non_null(strstr(lines[3], "\"told\":false,\"why\":\"the box stops\"}"));
	deeds_go_on(deeds);
	assert_int_equal(told_count, 0);
}

static void not_too_many_wait(void **state)
{
	is_reached = false;
	for (int i = 0; i < 256; i++) {
		count = 0;
		emit("{\"type\":\"user.click\",\"payload\":{\"target\":\"poet\"}}", true);
	}
	count = 0;
	emit("{\"type\":\"user.command\",\"id\":\"c9\",\"payload\":" COMMAND "}", true);
	assert_non_null(strstr(lines[1], "{\"signal\":\"c9\",\"told\":false,\"why\":\"too many "));
	is_reached = true;
	deeds_go_on(deeds);
	assert_int_equal(told_count, 256);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_command_is_told_and_has_a_receipt, set_up,
	                                        tear_down),
		cmocka_unit_test_setup_teardown(one_that_nobody_takes_says_why, set_up, tear_down),
		cmocka_unit_test_setup_teardown(only_a_command_has_one, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_a_source_says_is_no_deed, set_up, tear_down),
		cmocka_unit_test_setup_teardown(one_waits_until_it_is_known_whom_it_concerns,
	                                        set_up, tear_down),
		cmocka_unit_test_setup_teardown(at_a_stop_none_waits_on, set_up, tear_down),
		cmocka_unit_test_setup_teardown(not_too_many_wait, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
