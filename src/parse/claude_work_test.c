/* claude_work_test.c - plans and changes, of whatever a tool may have said. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "parse/claude_work.h"
#include "signal/json.h"

struct work_case {
	const char *tool, *input, *result;
	const char *type, *payload; /* NULL: it says nothing */
};

static void check(const struct work_case *c)
{
	yyjson_doc *input = yyjson_read(c->input, strlen(c->input), 0);
	yyjson_doc *result = yyjson_read(c->result, strlen(c->result), 0);
	const struct claude_use use = {.tool = text_of(c->tool),
	                               .agent = TEXT("claude"),
	                               .call = TEXT("T"),
	                               .input = yyjson_doc_get_root(input),
	                               .result = yyjson_doc_get_root(result)};
	const char *type = claude_work_type(&use);
	struct make m;
	struct buf out;

	assert_true(!type == !c->type);
	if (type) {
		assert_string_equal(type, c->type);
		buf_init(&out, MIB);
		make_begin(&m, &out, &(struct make_head){.type = type});
		make_payload(&m);
		claude_work_add(&use, &m);
		assert_true(make_end(&m));
		buf_add_char(&out, '\0');
		assert_non_null(strstr(out.at, "\"payload\":"));
		assert_string_equal(strstr(out.at, "\"payload\":") + 10, c->payload);
		buf_finish(&out);
	}
	yyjson_doc_free(input);
	yyjson_doc_free(result);
}

static void check_all(const struct work_case *cases, size_t count)
{
	for (size_t i = 0; i < count; i++)
		check(&cases[i]);
}

#define CHECK_ALL(cases) check_all(cases, sizeof(cases) / sizeof(cases[0]))
#define PLAN(whole, items) "{\"agentId\":\"claude\",\"whole\":" whole ",\"items\":[" items "]}}"
#define CHANGE(path, kind, added, removed) \
	"{\"agentId\":\"claude\",\"path\":\"" path "\",\"kind\":\"" kind "\",\"added\":" added \
	",\"removed\":" removed ",\"callId\":\"T\"}}"

static void a_todo_list_is_the_whole_plan(void **state)
{
	static const struct work_case cases[] = {
		{"TodoWrite",
	         "{\"todos\":[{\"content\":\"a\",\"status\":\"completed\",\"activeForm\":\"A\"},"
	         "{\"content\":\"b\",\"status\":\"odd\",\"id\":7},{\"id\":\"x\",\"subject\":\"c\","
	         "\"status\":\"in_progress\"}]}",
	         "{}", "agent.plan",
	         PLAN("true", "{\"text\":\"a\",\"status\":\"completed\"},"
	                      "{\"id\":\"7\",\"text\":\"b\",\"status\":\"pending\"},"
	                      "{\"id\":\"x\",\"text\":\"c\",\"status\":\"in_progress\"}")},
		{"TodoWrite", "{\"todos\":[]}", "null", "agent.plan", PLAN("true", "")},
		{"TodoWrite", "{\"todos\":3}", "{}", NULL, NULL},
		{"TodoWrite", "{\"cut\":true}", "{}", NULL, NULL},
	};

	CHECK_ALL(cases);
}

static void a_task_is_one_item_of_it(void **state)
{
	static const struct work_case cases[] = {
		{"TaskCreate", "{\"subject\":\"a\",\"description\":\"long\"}",
	         "{\"task\":{\"id\":\"1\",\"subject\":\"a\"}}", "agent.plan",
	         PLAN("false", "{\"id\":\"1\",\"text\":\"a\",\"status\":\"pending\"}")},
		{"TaskCreate", "{\"subject\":\"a\"}", "\"no\"", NULL, NULL},
		{"TaskUpdate", "{\"taskId\":\"1\",\"status\":\"completed\"}", "{\"success\":true}",
	         "agent.plan", PLAN("false", "{\"id\":\"1\",\"status\":\"completed\"}")},
		{"TaskUpdate", "{\"taskId\":1,\"subject\":\"b\",\"status\":\"deleted\"}", "{}",
	         "agent.plan",
	         PLAN("false", "{\"id\":\"1\",\"text\":\"b\",\"status\":\"deleted\"}")},
		{"TaskUpdate", "{\"taskId\":\"1\",\"status\":\"completed\"}", "{\"success\":false}",
	         NULL, NULL},
		{"TaskUpdate", "{\"taskId\":\"1\",\"owner\":\"x\"}", "{}", NULL, NULL},
		{"TaskList", "{}", "{}", NULL, NULL},
	};

	CHECK_ALL(cases);
}

static void an_edit_has_the_lines_of_its_patch(void **state)
{
	static const struct work_case cases[] = {
		{"Edit", "{\"file_path\":\"/x\"}",
	         "{\"filePath\":\"/a\",\"structuredPatch\":[{\"lines\":[\" k\",\"-o\",\"+n\","
	         "\"+m\",7]},{\"lines\":[\"-p\"]},5]}",
	         "agent.change", CHANGE("/a", "update", "2", "2")},
		{"Write", "{\"file_path\":\"/a\",\"content\":\"1\\n2\\n3\"}",
	         "{\"type\":\"create\",\"filePath\":\"/a\",\"structuredPatch\":[]}", "agent.change",
	         CHANGE("/a", "create", "3", "0")},
		{"Write", "{\"file_path\":\"/a\",\"content\":\"\"}",
	         "{\"type\":\"create\",\"content\":\"\"}", "agent.change",
	         CHANGE("/a", "create", "0", "0")},
		{"Write", "{\"file_path\":\"/a\"}", "\"File created\"", NULL, NULL},
		{"Edit", "{}", "{\"structuredPatch\":[]}", NULL, NULL},
		{"NotebookEdit", "{\"notebook_path\":\"/n\",\"new_source\":\"a\\nb\\n\"}",
	         "{\"old_source\":\"z\"}", "agent.change", CHANGE("/n", "update", "2", "1")},
		{"NotebookEdit", "{\"notebook_path\":\"/n\",\"edit_mode\":\"delete\"}", "{}",
	         "agent.change", CHANGE("/n", "update", "0", "0")},
		{"Read", "{\"file_path\":\"/a\"}", "{\"filePath\":\"/a\"}", NULL, NULL},
	};

	CHECK_ALL(cases);
}

/* However long its items are, and however many: the signal has room for it. */
static void a_huge_plan_is_cut(void **state)
{
	struct buf json, out;
	yyjson_doc *doc;
	struct claude_use use = {.tool = TEXT("TodoWrite"), .agent = TEXT("claude")};
	struct make m;

	buf_init(&json, 16 * MIB);
	buf_add(&json, TEXT("{\"todos\":["));
	for (unsigned i = 0; i < 1000; i++) {
		buf_print(&json, "%s{\"content\":\"", i ? "," : "");
		for (unsigned k = 0; k < 1000; k++)
			buf_add(&json, TEXT("\\u0001"));
		buf_add(&json, TEXT("\"}"));
	}
	buf_add(&json, TEXT("]}"));
	doc = yyjson_read(json.at, json.len, 0);
	use.input = yyjson_doc_get_root(doc);
	assert_non_null(use.input);
	buf_init(&out, MIB);
	make_begin(&m, &out, &(struct make_head){.type = claude_work_type(&use)});
	make_payload(&m);
	claude_work_add(&use, &m);
	assert_true(make_end(&m));
	assert_true(out.len > 200 * 512);
	yyjson_doc_free(doc);
	doc = yyjson_read(out.at, out.len, 0);
	assert_non_null(doc);
	yyjson_doc_free(doc);
	buf_finish(&out);
	buf_finish(&json);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_todo_list_is_the_whole_plan),
		cmocka_unit_test(a_task_is_one_item_of_it),
		cmocka_unit_test(an_edit_has_the_lines_of_its_patch),
		cmocka_unit_test(a_huge_plan_is_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
