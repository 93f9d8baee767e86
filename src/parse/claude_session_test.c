/* claude_session_test.c - registry files as several versions wrote them. */
#include "parse/claude_session.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/proc.h"
#include "signal/json.h"

static const char newest[] =
	"{\"pid\":23957,\"sessionId\":\"64258725-d363-41d7-bcc2-4b8cf0f227b4\","
	"\"cwd\":\"/src/x\",\"startedAt\":1794818666568,\"procStart\":\"129967\","
	"\"version\":\"2.1.250\",\"peerProtocol\":1,\"peerFeatures\":[\"notify_idle\"],"
	"\"kind\":\"interactive\",\"entrypoint\":\"cli\","
	"\"pidDomain\":\"linux:4c3ac127:pid:[4026531836]\",\"name\":\"x-e8\","
	"\"nameSource\":\"derived\",\"status\":\"waiting\","
	"\"waitingFor\":\"permission prompt\",\"statusUpdatedAt\":1794818666600,"
	"\"updatedAt\":1794818666601}";

/* 2.1.90 to 2.1.101 */
static const char old[] = "{\"pid\":23957,\"sessionId\":\"64258725\",\"cwd\":\"/src/x\","
			  "\"startedAt\":1794818666568,\"kind\":\"interactive\","
			  "\"entrypoint\":\"cli\"}";

static struct json_reader reader;
static struct claude_session session;
static struct proc process;
static struct error why;

static int start(void **state)
{
	json_reader_init(&reader, CLAUDE_SESSION_MAX);
	process = (struct proc){129967, 1794818666000, "pid:[4026531836]", "4c3ac127"};
	return 0;
}

static int stop(void **state)
{
	json_reader_finish(&reader);
	return 0;
}

static void read_well(const char *raw)
{
	if (!claude_session_read(&reader, text_of(raw), &session, &why))
		fail_msg("%s: %s", raw, why.words);
}

static void every_member_is_read(void **state)
{
	read_well(newest);
	assert_int_equal(session.pid, 23957);
	assert_true(text_is(session.id, "64258725-d363-41d7-bcc2-4b8cf0f227b4"));
	assert_true(text_is(session.cwd, "/src/x"));
	assert_true(text_is(session.version, "2.1.250"));
	assert_true(text_is(session.kind, "interactive"));
	assert_true(text_is(session.entrypoint, "cli"));
	assert_true(text_is(session.name, "x-e8"));
	assert_true(text_is(session.name_source, "derived"));
	assert_true(text_is(session.status, "waiting"));
	assert_true(text_is(session.waiting_for, "permission prompt"));
	assert_true(text_is(session.proc_start, "129967"));
	assert_true(text_is(session.pid_domain, "linux:4c3ac127:pid:[4026531836]"));
	assert_int_equal(session.started_ms, 1794818666568);
	assert_int_equal(session.status_ms, 1794818666600);
	assert_int_equal(session.updated_ms, 1794818666601);
}

static void what_an_old_version_leaves_out_is_empty(void **state)
{
	read_well(old);
	assert_true(text_is(session.id, "64258725"));
	assert_int_equal(session.version.len, 0);
	assert_int_equal(session.status.len, 0);
	assert_int_equal(session.proc_start.len, 0);
	assert_int_equal(session.status_ms, 0);
}

static void a_file_that_is_being_written_is_refused(void **state)
{
	static const char *const bad[] = {
		"",
		"{",
		"[]",
		"null",
		"{\"pid\":1}",
		"{\"sessionId\":\"a\"}",
		"{\"pid\":\"1\",\"sessionId\":\"a\"}",
		"{\"pid\":-1,\"sessionId\":\"a\"}",
		"{\"pid\":1e300,\"sessionId\":\"a\"}",
		"{\"pid\":2147483648,\"sessionId\":\"a\"}",
		"{\"pid\":1,\"sessionId\":\"\"}",
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		why.words[0] = '\0';
		assert_false(claude_session_read(&reader, text_of(bad[i]), &session, &why));
		assert_true(why.words[0] != '\0');
	}
}

static void members_of_another_kind_are_as_if_they_were_not_there(void **state)
{
	read_well("{\"pid\":1,\"sessionId\":\"a\",\"status\":7,\"startedAt\":\"x\",\"cwd\":null}");
	assert_int_equal(session.status.len, 0);
	assert_int_equal(session.started_ms, 0);
	assert_int_equal(session.cwd.len, 0);
}

static void the_process_that_began_then_and_there_is_the_session(void **state)
{
	read_well(newest);
	assert_true(claude_session_is(&session, &process));
	process.start++;
	assert_false(claude_session_is(&session, &process));
}

static void a_number_from_another_namespace_or_machine_is_another_process(void **state)
{
	struct proc here = process;

	read_well(newest);
	memcpy(process.space, "pid:[4026531837]", sizeof("pid:[4026531837]"));
	assert_false(claude_session_is(&session, &process));
	process = here;
	memcpy(process.machine, "5d4bd238", sizeof("5d4bd238"));
	assert_false(claude_session_is(&session, &process));
	process.machine[0] = '\0';
	assert_true(claude_session_is(&session, &process));
	session.pid_domain = TEXT("linux");
	assert_false(claude_session_is(&session, &process));
}

static void without_its_start_a_later_process_is_another(void **state)
{
	read_well(old);
	assert_true(claude_session_is(&session, &process));
	process.began_ms = session.started_ms + 60 * 1000;
	assert_false(claude_session_is(&session, &process));
}

static bool is_task(const char *raw, struct claude_task *task)
{
	return claude_task_read(&reader, text_of(raw), task);
}

static void a_task_has_a_subject_and_a_status_that_is_known(void **state)
{
	struct claude_task task;

	assert_true(is_task("{\"id\":\"1\",\"subject\":\"a\",\"status\":\"in_progress\"}", &task));
	assert_true(text_is(task.subject, "a"));
	assert_int_equal(task.status, CLAUDE_TASK_IN_PROGRESS);
	assert_false(task.is_internal);
	assert_true(is_task("{\"subject\":\"a\",\"status\":\"completed\","
	                    "\"metadata\":{\"_internal\":true}}",
	                    &task));
	assert_int_equal(task.status, CLAUDE_TASK_COMPLETED);
	assert_true(task.is_internal);
	assert_false(is_task("{\"subject\":\"a\",\"status\":\"deleted\"}", &task));
	assert_false(is_task("{\"subject\":\"\",\"status\":\"pending\"}", &task));
	assert_false(is_task("{\"subject\":{},\"status\":\"pending\"}", &task));
	assert_false(is_task("[]", &task));
	assert_false(is_task("{\"subject\":\"a\",\"sta", &task));
	assert_false(is_task("", &task));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(every_member_is_read, start, stop),
		cmocka_unit_test_setup_teardown(what_an_old_version_leaves_out_is_empty, start,
	                                        stop),
		cmocka_unit_test_setup_teardown(a_file_that_is_being_written_is_refused, start,
	                                        stop),
		cmocka_unit_test_setup_teardown(
			members_of_another_kind_are_as_if_they_were_not_there, start, stop),
		cmocka_unit_test_setup_teardown(
			the_process_that_began_then_and_there_is_the_session, start, stop),
		cmocka_unit_test_setup_teardown(
			a_number_from_another_namespace_or_machine_is_another_process, start, stop),
		cmocka_unit_test_setup_teardown(a_task_has_a_subject_and_a_status_that_is_known,
	                                        start, stop),
		cmocka_unit_test_setup_teardown(without_its_start_a_later_process_is_another, start,
	                                        stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
