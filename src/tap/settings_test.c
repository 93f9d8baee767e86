/* settings_test.c - in and out of every kind of file, to the byte. */
#include "tap/settings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <yyjson.h>

#include <cmocka.h>

#include "tap/events.h"

#define URL "http://127.0.0.1:7446/api/hooks/claude-code"
#define COMMAND "'/usr/bin/signalbox' hook --data '/d \"x\"'"

#define NEWEST \
	{ \
		9, 9, 9 \
	}

static const struct settings_wish wish = {NEWEST, COMMAND};

static unsigned event_count(void)
{
	unsigned n = 0;

	while (tap_events[n].name)
		n++;
	return n;
}

/* The hooks of one event in a text that must be JSON; the caller frees doc. */
static yyjson_val *groups_of(struct text text, const char *event, yyjson_doc **doc)
{
	if (text_starts(text, TEXT("\xef\xbb\xbf")))
		text = (struct text){text.at + 3, text.len - 3};
	*doc = yyjson_read(text.at, text.len, YYJSON_READ_NUMBER_AS_RAW);
	assert_non_null(*doc);
	return yyjson_obj_get(yyjson_obj_get(yyjson_doc_get_root(*doc), "hooks"), event);
}

static void assert_installed(struct text text)
{
	for (const struct tap_event *e = tap_events; e->name; e++) {
		yyjson_doc *doc;
		yyjson_val *groups = groups_of(text, e->name, &doc);
		yyjson_val *group = yyjson_arr_get_last(groups);
		yyjson_val *hook = yyjson_arr_get_first(yyjson_obj_get(group, "hooks"));

		assert_non_null(hook);
		assert_string_equal(yyjson_get_str(yyjson_obj_get(hook, "type")), "command");
		assert_string_equal(yyjson_get_str(yyjson_obj_get(hook, "command")),
		                    COMMAND " # signalbox tap");
		assert_int_equal(yyjson_get_bool(yyjson_obj_get(hook, "async")), e->is_async);
		yyjson_doc_free(doc);
	}
}

static void assert_uninstalls_to(struct text from, struct text want, bool want_gone)
{
	struct buf out;
	bool gone;

	assert_true(settings_uninstall(from, &out, &gone, NULL));
	assert_int_equal(gone, want_gone);
	if (!text_equal(buf_text(&out), want))
		fail_msg("'%.*s' and not '%.*s'", TEXT_ARG(buf_text(&out)), TEXT_ARG(want));
	buf_finish(&out);
}

static void assert_round_trip(struct text before, bool is_there)
{
	struct buf out, again;

	assert_true(settings_install(before, is_there, &wish, &out, NULL));
	assert_installed(buf_text(&out));
	assert_uninstalls_to(buf_text(&out), before, !is_there);
	assert_true(settings_install(buf_text(&out), true, &wish, &again, NULL));
	assert_true(text_equal(buf_text(&out), buf_text(&again)));
	buf_finish(&again);
	buf_finish(&out);
}

static const char *const files[] = {
	"{}",
	"{}\n",
	"{\n}\n",
	"{ }",
	"{\r}",
	"{\r\n}\r\n",
	" \n{\"a\":1}",
	"{\"a\":1}",
	"{\"hooks\":{}}",
	"{\"hooks\":{},\"a\":1}",
	"{\"hooks\":{ },\n\"a\":1}",
	"{\n  \"model\": \"opus\"\n}\n",
	"{\n\t\"model\": \"opus\"\n}\n",
	"{\r\n    \"model\": \"opus\"\r\n}\r\n",
	"\xef\xbb\xbf{\n  \"model\": \"opus\"\n}\n",
	"{\n  \"hooks\": {}\n}\n",
	"{\n  \"hooks\": {\n  }\n}\n",
	"{\n  \"hooks\": {\"Stop\": [], \"PreToolUse\": [  ]}, \"x\": [\n ] }\n",
	"{\n  \"hooks\": {\n    \"Stop\": [\n      {\n        \"hooks\": [{\"type\":\"command\","
	"\"command\":\"say done\"}]\n      }\n    ]\n  },\n  \"env\": {\"A\": \"}]\"}\n}\n",
	"{\"h\\u006foks\": {\"St\\u006fp\": [{\"hooks\": []}]}}",
	"{\"hooks\": {\"WorktreeCreate\": [{\"hooks\": [{\"type\": \"command\", \"command\": "
	"\"make-tree\"}]}], \"Mine\": [1, \"x\", null]}}",
	"{\"n\": 1e999, \"big\": 123456789012345678901234567890}",
};

static void install_then_uninstall_is_the_identity(void **state)
{
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		assert_round_trip(text_of(files[i]), true);
}

static void no_file_before_is_no_file_after(void **state)
{
	assert_round_trip(TEXT(""), false);
}

static void an_empty_file_stays_one(void **state)
{
	assert_round_trip(TEXT(""), true);
	assert_round_trip(TEXT(" \n"), true);
	assert_round_trip(TEXT("\r\n"), true);
	assert_round_trip(TEXT("\xef\xbb\xbf"), true);
}

static unsigned count(const struct buf *text, const char *words)
{
	unsigned n = 0;

	for (const char *at = text->at;
	     (at = memmem(at, (size_t)(text->at + text->len - at), words, strlen(words))); at++)
		n++;
	return n;
}

static void two_hooks_decide_where_that_is_wanted(void **state)
{
	static const struct settings_wish deciding = {NEWEST, COMMAND,
	                                              "'box' hook --decide --data 'd'"};

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		struct text before = text_of(files[i]);
		struct settings_look look;
		struct buf with, again, without;
		bool gone = false;

		assert_true(settings_install(before, true, &deciding, &with, NULL));
		assert_int_equal(count(&with, " hook --decide "), 2);
		assert_true(settings_look(buf_text(&with), &look, NULL) && look.approves);
		assert_true(settings_install(buf_text(&with), true, &wish, &again, NULL));
		assert_int_equal(count(&again, " hook --decide "), 0);
		assert_true(settings_look(buf_text(&again), &look, NULL) && !look.approves);
		assert_true(settings_uninstall(buf_text(&with), &without, &gone, NULL));
		assert_true(text_equal(buf_text(&without), before));
		buf_finish(&with);
		buf_finish(&again);
		buf_finish(&without);
	}
}

/* The bytes of before stand in after, in order, with ours between them. */
static void nothing_that_was_there_is_moved(void **state)
{
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		const char *want = files[i];
		struct buf out;

		assert_true(settings_install(text_of(files[i]), true, &wish, &out, NULL));
		for (size_t at = 0; at < out.len && *want; at++)
			if (out.at[at] == *want)
				want++;
		assert_int_equal(*want, '\0');
		buf_finish(&out);
	}
}

static void assert_holds(struct text text, const char *part)
{
	if (!memmem(text.at, text.len, part, strlen(part)))
		fail_msg("no '%s' in '%.*s'", part, TEXT_ARG(text));
}

static void indentation_and_newlines_are_followed(void **state)
{
	static const struct {
		const char *file, *part;
	} cases[] = {
		{"{}\n", "{\n  \"hooks\": {\n    \"SessionStart\": ["},
		{"{\n\t\"a\": 1\n}\n", "1,\n\t\"hooks\": {\n\t\t\"SessionStart\": ["},
		{"{\r\n    \"a\": 1\r\n}", "1,\r\n    \"hooks\": {\r\n        \"SessionStart\": ["},
		{"{\"a\": 1}", "{\"a\": 1, \"hooks\": {\"SessionStart\": ["},
		{"{\n  \"hooks\": {\n    \"Stop\": []\n  }\n}",
	         "\"Stop\": [\n      {\"hooks\": [{\"type\": \"command\""},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct buf out;

		assert_true(settings_install(text_of(cases[i].file), true, &wish, &out, NULL));
		assert_holds(buf_text(&out), cases[i].part);
		buf_finish(&out);
	}
}

static void the_worktree_is_left_alone(void **state)
{
	struct buf out;

	assert_true(settings_install(TEXT("{}"), true, &wish, &out, NULL));
	assert_null(memmem(out.at, out.len, "WorktreeCreate", 14));
	assert_non_null(memmem(out.at, out.len, "WorktreeRemove", 14));
	buf_finish(&out);
}

/* Puts `with` where `part` first is. */
static void change(struct buf *text, const char *part, const char *with)
{
	const char *at = memmem(text->at, text->len, part, strlen(part));
	struct buf out;

	assert_non_null(at);
	buf_init(&out, 4 * MIB);
	buf_add(&out, (struct text){text->at, (size_t)(at - text->at)});
	buf_add(&out, text_of(with));
	at += strlen(part);
	buf_add(&out, (struct text){at, (size_t)(text->at + text->len - at)});
	buf_finish(text);
	*text = out;
}

/* As an install wrote them when most hooks spoke to a port. */
static void make_old(struct buf *text)
{
	static const char *const commands[] = {
		"{\"type\": \"command\", \"command\": \"x # signalbox tap\", \"timeout\": 5}",
		"{\"type\": \"command\", \"command\": \"x # signalbox tap\", \"timeout\": 5, "
		"\"async\": true}"};

	for (int i = 0; i < 2; i++)
		while (memmem(text->at, text->len, commands[i], strlen(commands[i])))
			change(text, commands[i],
			       "{\"type\": \"http\", \"url\": \"" URL "\", \"timeout\": 1}");
}

static void commands_take_the_place_of_hooks_that_speak_to_a_port(void **state)
{
	static const struct settings_wish before = {NEWEST, "x"};
	struct settings_look look;
	struct buf old, now;

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		assert_true(settings_install(text_of(files[i]), true, &before, &old, NULL));
		make_old(&old);
		assert_true(settings_look(buf_text(&old), &look, NULL));
		assert_int_equal(look.old, event_count());
		assert_uninstalls_to(buf_text(&old), text_of(files[i]), false);
		assert_true(settings_install(buf_text(&old), true, &wish, &now, NULL));
		assert_installed(buf_text(&now));
		assert_null(memmem(now.at, now.len, "http", 4));
		assert_true(settings_look(buf_text(&now), &look, NULL) && look.old == 0);
		assert_uninstalls_to(buf_text(&now), text_of(files[i]), false);
		buf_finish(&old);
		buf_finish(&now);
	}
}

/* Of the events that a version knows, each has one hook, and no other stands in the file. */
static void a_version_gets_the_events_that_it_knows(void **state)
{
	static const struct {
		struct version version;
		unsigned events;
		const char *newest, *lacks;
	} cases[] = {
		{{1, 0, 38}, 4, "PreToolUse", "SubagentStop"},
		{{2, 0, 77}, 12, "PostToolUseFailure", "Setup"},
		{{2, 1, 50}, 17, "WorktreeRemove", "Elicitation"},
		{{2, 1, 97}, 26, "PermissionDenied", "UserPromptExpansion"},
		{{2, 1, 250}, 29, "DirectoryAdded", "PreModelSwitch"},
		{{2, 1, 325}, 31, "PostModelSwitch", "PostToolBatch"},
		{{3, 0, 0}, 31, "PostModelSwitch", "WorktreeCreate"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct settings_wish old = {cases[i].version, "x"};
		struct buf out;
		yyjson_doc *doc;

		assert_true(settings_install(TEXT("{}"), true, &old, &out, NULL));
		assert_int_equal(count(&out, " # signalbox tap"), cases[i].events);
		assert_non_null(groups_of(buf_text(&out), cases[i].newest, &doc));
		yyjson_doc_free(doc);
		assert_null(groups_of(buf_text(&out), cases[i].lacks, &doc));
		yyjson_doc_free(doc);
		assert_uninstalls_to(buf_text(&out), TEXT("{}"), false);
		buf_finish(&out);
	}
}

static void a_version_without_hooks_is_refused(void **state)
{
	const struct settings_wish none = {{1, 0, 37}, "x"};
	struct error why;
	struct buf out;

	assert_false(settings_install(TEXT("{}"), true, &none, &out, &why));
	assert_string_equal(why.words, "this version of Claude Code has no hooks");
	buf_finish(&out);
}

/* From one version to another and back, the file is as if the first had never been. */
static void another_version_gets_its_own_events(void **state)
{
	const struct settings_wish old = {{2, 0, 77}, COMMAND};
	struct buf first, second, third;

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		assert_true(settings_install(text_of(files[i]), true, &old, &first, NULL));
		assert_true(settings_install(buf_text(&first), true, &wish, &second, NULL));
		assert_installed(buf_text(&second));
		assert_true(settings_install(buf_text(&second), true, &old, &third, NULL));
		assert_true(text_equal(buf_text(&first), buf_text(&third)));
		assert_uninstalls_to(buf_text(&third), text_of(files[i]), false);
		buf_finish(&first);
		buf_finish(&second);
		buf_finish(&third);
	}
}

static void changes_since_stay_and_only_ours_go(void **state)
{
	struct buf out;

	assert_true(settings_install(TEXT(""), false, &wish, &out, NULL));
	change(&out, "{\n", "{\n  \"model\": \"opus\",\n");
	assert_uninstalls_to(buf_text(&out), TEXT("{\n  \"model\": \"opus\"\n}\n"), false);
	buf_finish(&out);

	assert_true(settings_install(TEXT("{}"), true, &wish, &out, NULL));
	change(&out, "\"Stop\": [", "\"Stop\": [{\"hooks\": [{\"type\": \"x\"}]}, ");
	assert_uninstalls_to(
		buf_text(&out),
		TEXT("{\n  \"hooks\": {\n    \"Stop\": [{\"hooks\": [{\"type\": \"x\"}]}]\n  }\n}"),
		false);
	buf_finish(&out);

	assert_true(settings_install(TEXT("{}"), true, &wish, &out, NULL));
	change(&out, "\"Stop\": [{\"hooks\": [", "\"Stop\": [{\"hooks\": [{\"type\": \"x\"}, ");
	assert_uninstalls_to(
		buf_text(&out),
		TEXT("{\n  \"hooks\": {\n    \"Stop\": [{\"hooks\": [{\"type\": \"x\"}]}]\n  }\n}"),
		false);
	buf_finish(&out);
}

static void a_file_that_was_rewritten_without_our_tags_is_cleaned(void **state)
{
	struct buf out;
	char tag[] = ", \"signalbox\": \"hooks\"";

	assert_true(settings_install(TEXT("{}"), true, &wish, &out, NULL));
	while (memmem(out.at, out.len, tag, strlen(tag)))
		change(&out, tag, "");
	assert_uninstalls_to(buf_text(&out), TEXT("{}"), false);
	buf_finish(&out);
}

static void hooks_of_others_are_not_ours(void **state)
{
	static const char theirs[] =
		"{\"hooks\": {\"Stop\": [{\"hooks\": ["
		"{\"type\": \"http\", \"url\": \"https://x.org/api/hooks/claude-code\"},"
		"{\"type\": \"http\", \"url\": \"http://127.0.0.1.x.org/api/hooks/claude-code\"},"
		"{\"type\": \"http\", \"url\": \"http://127.0.0.1:7446/api/signal\"},"
		"{\"type\": \"command\", \"command\": \"signalbox hook\"}, 5, {\"type\": 1}]}, "
		"[]]}}";
	struct settings_look look;

	assert_true(settings_look(TEXT(theirs), &look, NULL));
	assert_int_equal(look.hooks, 0);
	assert_uninstalls_to(TEXT(theirs), TEXT(theirs), false);
}

static void broken_files_are_refused_with_their_place(void **state)
{
	static const struct {
		const char *file, *words;
	} cases[] = {
		{"{\n  \"a\": 1,\n}", "line 2, column 9: "},
		{"{\n  // why\n}", "line 2, column 3: a comment"},
		{"{\"\xc3\xa9\": x}", "line 1, column 7: "},
		{"[1]", "line 1, column 1: settings are a JSON object"},
		{"{\"hooks\": []}", "line 1, column 11: `hooks` is not an object"},
		{"{\"hooks\": {},\n \"hooks\": {}}",
	         "line 2, column 2: `hooks` stands here a second"},
		{"{\"hooks\": {\"Stop\": 1}}", "line 1, column 20: the hooks of an event"},
		{"{\"hooks\": {\"Stop\": [],\n\"St\\u006fp\": []}}",
	         "line 2, column 1: this event"},
		{"{\"a\": 1} {}", "line 1, column 10: "},
		{"{", "line 1, column 2: "},
		{"{\"a\": \"\xff\"}", "line 1, column "},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct error why;
		struct buf out;

		assert_false(settings_install(text_of(cases[i].file), true, &wish, &out, &why));
		if (strncmp(why.words, cases[i].words, strlen(cases[i].words)) != 0)
			fail_msg("%s: %s", cases[i].file, why.words);
		assert_int_equal(out.len, 0);
		buf_finish(&out);
	}
}

static void a_file_without_end_is_refused(void **state)
{
	char *big = malloc(SETTINGS_MAX + 2);
	struct error why;
	struct buf out;

	memset(big, ' ', SETTINGS_MAX + 2);
	memcpy(big, "{}", 2);
	assert_false(
		settings_install((struct text){big, SETTINGS_MAX + 2}, true, &wish, &out, &why));
	assert_string_equal(why.words, "longer than 1 MiB");
	buf_finish(&out);
	free(big);
}

static void the_switches_of_the_file_are_seen(void **state)
{
	struct settings_look look;

	assert_true(settings_look(TEXT("{\"disableAllHooks\": true}"), &look, NULL));
	assert_true(look.disabled);
	assert_true(settings_look(TEXT("{\"disableAllHooks\": false}"), &look, NULL));
	assert_false(look.disabled);
}

/* yyjson gives a number its length, and no text to go with it. */
static void a_type_that_is_a_number_or_a_list_is_not_ours(void **state)
{
	static const char *const types[] = {"1234567", "1234", "[1,2,3,4,5,6,7]",
	                                    "{\"a\":1,\"b\":2,\"c\":3,\"d\":4}"};

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		char text[300];
		struct settings_look look;

		snprintf(
			text, sizeof(text),
			"{\"hooks\":{\"Stop\":[{\"hooks\":[{\"type\":%s,\"url\":%s,\"command\":%s}]"
			"}]}}",
			types[i], types[i], types[i]);
		assert_true(settings_look(text_of(text), &look, NULL));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(install_then_uninstall_is_the_identity),
		cmocka_unit_test(no_file_before_is_no_file_after),
		cmocka_unit_test(an_empty_file_stays_one),
		cmocka_unit_test(two_hooks_decide_where_that_is_wanted),
		cmocka_unit_test(nothing_that_was_there_is_moved),
		cmocka_unit_test(indentation_and_newlines_are_followed),
		cmocka_unit_test(the_worktree_is_left_alone),
		cmocka_unit_test(commands_take_the_place_of_hooks_that_speak_to_a_port),
		cmocka_unit_test(a_version_gets_the_events_that_it_knows),
		cmocka_unit_test(a_version_without_hooks_is_refused),
		cmocka_unit_test(another_version_gets_its_own_events),
		cmocka_unit_test(changes_since_stay_and_only_ours_go),
		cmocka_unit_test(a_file_that_was_rewritten_without_our_tags_is_cleaned),
		cmocka_unit_test(hooks_of_others_are_not_ours),
		cmocka_unit_test(broken_files_are_refused_with_their_place),
		cmocka_unit_test(a_file_without_end_is_refused),
		cmocka_unit_test(the_switches_of_the_file_are_seen),
		cmocka_unit_test(a_type_that_is_a_number_or_a_list_is_not_ours),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
