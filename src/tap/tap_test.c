/* tap_test.c - files: replaced in one step, with their mode, where links lead. */
#include "tap/tap.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/must.h"

static char *top; /* of each test */

static char *in_top(const char *name)
{
	return must_print("%s/%s", top, name);
}

static int make_top(void **state)
{
	top = must_dup("/tmp/sb-tap-XXXXXX");
	return mkdtemp(top) ? 0 : -1;
}

static int remove_top(void **state)
{
	char program[] = "rm", how[] = "-rf", *argv[] = {program, how, top, NULL};
	pid_t child = fork();

	if (child == 0) {
		execvp(argv[0], argv);
		_exit(127);
	}
	waitpid(child, NULL, 0);
	free(top);
	return 0;
}

static void put(const char *name, const char *text, mode_t mode)
{
	char *path = in_top(name);
	FILE *out = fopen(path, "w");

	assert_non_null(out);
	fputs(text, out);
	fclose(out);
	chmod(path, mode);
	free(path);
}

static void assert_file(const char *name, const char *text)
{
	char *path = in_top(name), got[64 * KIB] = "";
	FILE *in = fopen(path, "r");

	if (!text) {
		assert_null(in);
	} else {
		assert_non_null(in);
		got[fread(got, 1, sizeof(got) - 1, in)] = '\0';
		fclose(in);
		assert_string_equal(got, text);
	}
	free(path);
}

static mode_t mode_of(const char *name)
{
	char *path = in_top(name);
	struct stat st;

	assert_int_equal(lstat(path, &st), 0);
	free(path);
	return st.st_mode;
}

static struct tap_target user(void)
{
	return (struct tap_target){.config = top, .home = top, .data = "/d"};
}

static void assert_state(const struct tap_target *target, enum tap_state want)
{
	struct tap_report report;
	struct error why;

	if (!tap_look(target, &report, &why))
		fail_msg("%s", why.words);
	assert_int_equal(report.state, want);
	tap_report_finish(&report);
}

static void do_install(const struct tap_target *target)
{
	struct tap_report report;
	struct error why;

	if (!tap_install(target, &report, &why))
		fail_msg("%s", why.words);
	assert_int_equal(report.state, TAP_INSTALLED);
	tap_report_finish(&report);
	assert_state(target, TAP_INSTALLED);
}

static void do_uninstall(const struct tap_target *target)
{
	struct tap_report report;
	struct error why;

	if (!tap_uninstall(target, &report, &why))
		fail_msg("%s", why.words);
	assert_int_equal(report.state, TAP_ABSENT);
	tap_report_finish(&report);
	assert_state(target, TAP_ABSENT);
}

static void a_file_comes_back_with_its_bytes_and_mode(void **state)
{
	struct tap_target target = user();

	put("settings.json", "{\"a\": 1}\n", 0640);
	assert_state(&target, TAP_ABSENT);
	do_install(&target);
	assert_int_equal(mode_of("settings.json") & 07777, 0640);
	assert_file("settings.json.before-signalbox", "{\"a\": 1}\n");
	do_install(&target);
	do_uninstall(&target);
	assert_file("settings.json", "{\"a\": 1}\n");
	assert_int_equal(mode_of("settings.json") & 07777, 0640);
	assert_file("settings.json.before-signalbox", NULL);
}

static void no_file_leaves_no_file(void **state)
{
	struct tap_target target = user();

	do_uninstall(&target);
	do_install(&target);
	assert_int_equal(mode_of("settings.json") & 07777, 0600);
	do_uninstall(&target);
	assert_file("settings.json", NULL);
}

static void a_project_has_a_file_of_its_own(void **state)
{
	struct tap_target target = user();

	target.project = top;
	do_install(&target);
	assert_file("settings.json", NULL);
	do_uninstall(&target);
	assert_file(".claude/settings.local.json", NULL);
}

static void a_link_is_followed_and_stays(void **state)
{
	struct tap_target target = user();
	char *link = in_top("settings.json");

	put("real.json", "{}", 0644);
	assert_int_equal(symlink("real.json", link), 0);
	do_install(&target);
	assert_true(S_ISLNK(mode_of("settings.json")));
	do_uninstall(&target);
	assert_true(S_ISLNK(mode_of("settings.json")));
	assert_file("real.json", "{}");
	free(link);
}

static void assert_refused(const struct tap_target *target, const char *words)
{
	struct tap_report report;
	struct error why = {""};

	assert_false(tap_install(target, &report, &why));
	tap_report_finish(&report);
	if (!strstr(why.words, words))
		fail_msg("no '%s' in '%s'", words, why.words);
}

static void a_link_out_of_a_project_is_refused(void **state)
{
	struct tap_target target = user();
	char *project = in_top("project"), *claude = in_top("project/.claude");
	char *link = in_top("project/.claude/settings.local.json");

	mkdir(project, 0700);
	mkdir(claude, 0700);
	put("victim.json", "{}", 0600);
	assert_int_equal(symlink("../../victim.json", link), 0);
	target.project = project;
	assert_refused(&target, "outside of");
	unlink(link);
	rmdir(claude);
	assert_int_equal(symlink("..", claude), 0);
	assert_refused(&target, "outside of");
	assert_file("victim.json", "{}");
	free(link);
	free(claude);
	free(project);
}

static void what_cannot_be_understood_is_left_as_it_is(void **state)
{
	struct tap_target target = user();
	char *path = in_top("settings.json");

	put("settings.json", "{\n  oops\n}", 0600);
	assert_refused(&target, "line 2, column 3");
	assert_file("settings.json", "{\n  oops\n}");
	unlink(path);
	mkdir(path, 0700);
	assert_refused(&target, "is not a file");
	rmdir(path);
	assert_int_equal(symlink("nowhere", path), 0);
	assert_refused(&target, "leads nowhere");
	target.config = NULL;
	assert_refused(&target, "no home");
	target.project = "/nonexistent/x";
	assert_refused(&target, "/nonexistent/x");
	free(path);
}

static void hooks_for_another_box_are_outdated(void **state)
{
	struct tap_target target = user();
	struct tap_report report;

	put("settings.json", "{}", 0600);
	do_install(&target);
	target.data = "/other";
	assert_state(&target, TAP_OUTDATED);
	assert_true(tap_look(&target, &report, NULL));
	assert_false(report.is_here);
	tap_report_finish(&report);
	do_install(&target);
	assert_file("settings.json.before-signalbox", "{}");
	do_uninstall(&target);
	assert_file("settings.json", "{}");
}

/* A claude on the PATH, as npm leaves it. */
static void put_claude(const char *version)
{
	char *package =
		must_print("{\"name\":\"@anthropic-ai/claude-code\",\"version\":\"%s\"}", version);

	put("claude", "#!/bin/sh\n", 0755);
	put("package.json", package, 0644);
	free(package);
}

static void a_version_that_came_or_went_makes_them_outdated(void **state)
{
	struct tap_target target = user();
	struct tap_report report;

	target.path = top;
	put_claude("2.1.250");
	do_install(&target);
	put_claude("2.1.325");
	assert_true(tap_look(&target, &report, NULL));
	assert_int_equal(report.state, TAP_OUTDATED);
	assert_true(report.is_here && !report.unknown);
	tap_report_finish(&report);
	put_claude("2.1.97");
	assert_true(tap_look(&target, &report, NULL));
	assert_int_equal(report.state, TAP_OUTDATED);
	assert_string_equal(report.unknown, "UserPromptExpansion");
	assert_true(report.claude.is_known && report.claude.version.patch == 97);
	tap_report_finish(&report);
	do_install(&target);
	do_uninstall(&target);
}

static void a_backup_that_differs_is_kept(void **state)
{
	struct tap_target target = user();

	put("settings.json", "{}", 0600);
	do_install(&target);
	put("settings.json", "{\"mine\": 1}", 0600);
	do_uninstall(&target);
	assert_file("settings.json", "{\"mine\": 1}");
	assert_file("settings.json.before-signalbox", "{}");
}

static void print_writes_nothing(void **state)
{
	struct tap_target target = user();
	struct buf out;

	target.data = "it's";
	assert_true(tap_print(&target, &out, NULL));
	assert_non_null(memmem(out.at, out.len, "it'\\\\''s' # signalbox tap", 24));
	buf_finish(&out);
	assert_file("settings.json", NULL);
}

static void preview(const struct tap_target *target, bool installs, struct tap_change *change)
{
	struct error why;

	if (!tap_preview(target, installs, change, &why))
		fail_msg("%s", why.words);
	buf_add_char(&change->diff, '\0');
}

static void what_was_shown_is_what_is_done(void **state)
{
	struct tap_target target = user();
	struct tap_change change;

	put("settings.json", "{\n  \"a\": 1\n}\n", 0600);
	preview(&target, true, &change);
	assert_file("settings.json", "{\n  \"a\": 1\n}\n");
	assert_non_null(strstr(change.diff.at, "\n-  \"a\": 1\n+  \"a\": 1,\n+  \"hooks\": {\n"));
	assert_int_equal(strlen(change.tag), TAP_TAG_LEN);
	target.tag = change.tag;
	do_install(&target);
	tap_change_finish(&change);
	preview(&target, false, &change);
	assert_non_null(strstr(change.diff.at, "\n+  \"a\": 1\n"));
	target.tag = change.tag;
	do_uninstall(&target);
	tap_change_finish(&change);
	assert_file("settings.json", "{\n  \"a\": 1\n}\n");
}

static void what_changed_since_it_was_shown_is_not_done(void **state)
{
	struct tap_target target = user();
	struct tap_change change;

	preview(&target, true, &change);
	assert_non_null(strstr(change.diff.at, "--- /dev/null\n"));
	target.tag = change.tag;
	put("settings.json", "{}", 0600);
	assert_refused(&target, "look again");
	assert_file("settings.json", "{}");
	tap_change_finish(&change);
	preview(&target, true, &change);
	target.tag = change.tag;
	target.approves = true; /* that is another change */
	assert_refused(&target, "look again");
	target.approves = false;
	do_install(&target);
	tap_change_finish(&change);
}

static void what_would_change_nothing_has_no_diff(void **state)
{
	struct tap_target target = user();
	struct tap_change change;

	preview(&target, false, &change);
	assert_string_equal(change.diff.at, "");
	tap_change_finish(&change);
	do_install(&target);
	preview(&target, true, &change);
	assert_string_equal(change.diff.at, "");
	tap_change_finish(&change);
}

static void a_warning_is_given_when_no_hook_would_run(void **state)
{
	struct tap_report report = {.file = must_dup("/f\"")};
	struct buf out;

	assert_null(tap_report_warning(&report));
	report.disabled = true;
	buf_init(&out, 4 * KIB);
	tap_report_json(&report, &out);
	assert_true(text_starts(buf_text(&out),
	                        TEXT("\"state\":\"absent\",\"hooks\":0,\"approve\":false,"
	                             "\"file\":\"/f\\\"\",\"warn")));
	buf_finish(&out);
	assert_non_null(strstr(tap_report_warning(&report), "disableAllHooks"));
	tap_report_finish(&report);
}

static void the_users_directory_is_where_claude_says(void **state)
{
	char *dir = tap_config_dir("/c", "/h");

	assert_string_equal(dir, "/c");
	free(dir);
	dir = tap_config_dir("", "/h");
	assert_string_equal(dir, "/h/.claude");
	free(dir);
	assert_null(tap_config_dir(NULL, ""));
}

#define IN_TOP(name) cmocka_unit_test_setup_teardown(name, make_top, remove_top)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_TOP(a_file_comes_back_with_its_bytes_and_mode),
		IN_TOP(no_file_leaves_no_file),
		IN_TOP(a_project_has_a_file_of_its_own),
		IN_TOP(a_link_is_followed_and_stays),
		IN_TOP(a_link_out_of_a_project_is_refused),
		IN_TOP(what_cannot_be_understood_is_left_as_it_is),
		IN_TOP(hooks_for_another_box_are_outdated),
		IN_TOP(a_version_that_came_or_went_makes_them_outdated),
		IN_TOP(a_backup_that_differs_is_kept),
		IN_TOP(print_writes_nothing),
		IN_TOP(what_was_shown_is_what_is_done),
		IN_TOP(what_changed_since_it_was_shown_is_not_done),
		IN_TOP(what_would_change_nothing_has_no_diff),
		cmocka_unit_test(a_warning_is_given_when_no_hook_would_run),
		cmocka_unit_test(the_users_directory_is_where_claude_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
