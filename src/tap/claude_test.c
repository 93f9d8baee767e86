/* claude_test.c - the oldest Claude Code of a home, wherever it is. */
#include "tap/claude.h"

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
#include "base/proc.h"

static char *home;

static int make_home(void **state)
{
	home = must_dup("/tmp/sb-claude-XXXXXX");
	return mkdtemp(home) ? 0 : -1;
}

static int remove_home(void **state)
{
	char program[] = "rm", how[] = "-rf", *argv[] = {program, how, home, NULL};
	pid_t child = fork();

	if (child == 0) {
		execvp(argv[0], argv);
		_exit(127);
	}
	waitpid(child, NULL, 0);
	free(home);
	return 0;
}

/* With the directories above it. */
static char *put(const char *name, const char *text, mode_t mode)
{
	char *path = must_print("%s/%s", home, name);
	FILE *out;

	for (char *p = path + strlen(home) + 1; (p = strchr(p, '/')); p++) {
		*p = '\0';
		mkdir(path, 0700);
		*p = '/';
	}
	out = fopen(path, "w");
	assert_non_null(out);
	fputs(text, out);
	fclose(out);
	chmod(path, mode);
	return path;
}

static void put_package(const char *dir, const char *name, const char *version)
{
	char *file = must_print("%s/package.json", dir);
	char *text = must_print("{\"name\":\"%s\",\"version\":\"%s\"}", name, version);

	free(put(file, text, 0644));
	free(text);
	free(file);
}

static void link_to(const char *name, const char *target)
{
	char *path = put(name, "", 0600);

	unlink(path);
	assert_int_equal(symlink(target, path), 0);
	free(path);
}

/* "" for one whose version nobody knows, NULL for none at all. */
static void assert_found(const char *version)
{
	char *path = must_print("%s/bin:relative:%s/other", home, home);
	char *config = must_print("%s/.claude", home), out[VERSION_ROOM];
	struct claude_found found;

	claude_find(&(struct claude_places){path, home, config}, &found);
	if (version && !found.where)
		fail_msg("nothing, and not %s", version);
	if (!version && found.where)
		fail_msg("%s, and not nothing", found.where);
	assert_int_equal(found.is_known, version && *version);
	assert_string_equal(version_print(found.version, out),
	                    version && *version ? version : "2.0.77");
	claude_found_finish(&found);
	free(config);
	free(path);
}

static void without_any_the_version_is_supposed(void **state)
{
	struct claude_found found;

	assert_found(NULL);
	claude_find(&(struct claude_places){NULL, NULL, NULL}, &found);
	assert_null(found.where);
	claude_found_finish(&found);
}

static void the_package_of_a_program_on_the_path_is_read(void **state)
{
	free(put("lib/claude-code/cli.js", "#!/usr/bin/env node\n", 0755));
	put_package("lib/claude-code", "@anthropic-ai/claude-code", "2.1.90");
	link_to("bin/claude", "../lib/claude-code/cli.js");
	assert_found("2.1.90");
}

static void so_is_that_of_a_native_one(void **state)
{
	free(put("lib/claude-code/bin/claude.exe", "ELF", 0755));
	put_package("lib/claude-code", "@anthropic-ai/claude-code-linux-arm64", "2.1.250");
	link_to("bin/claude", "../lib/claude-code/bin/claude.exe");
	assert_found("2.1.250");
}

static void a_native_install_is_named_by_its_version(void **state)
{
	char *real = put(".local/share/claude/versions/2.1.325", "ELF", 0755);

	link_to(".local/bin/claude", real);
	assert_found("2.1.325");
	free(real);
	free(put(".local/share/claude/versions/2.1.101", "ELF", 0755));
	assert_found("2.1.101");
}

static void a_small_script_leads_to_the_packages_beside_it(void **state)
{
	free(put(".claude/local/claude", "#!/bin/sh\n", 0755));
	put_package(".claude/local/node_modules/@anthropic-ai/claude-code",
	            "@anthropic-ai/claude-code", "1.0.90");
	assert_found("1.0.90");
}

static void what_cannot_be_told_is_taken_for_old(void **state)
{
	free(put("bin/claude", "#!/bin/sh\n", 0755));
	assert_found("");
	put_package("bin", "somebody-elses", "9.9.9");
	assert_found("");
	free(put("bin/package.json", "{\"name\": oops", 0644));
	assert_found("");
	put_package("bin", "@anthropic-ai/claude-code", "2.1.325");
	assert_found("2.1.325");
}

static void a_file_that_cannot_be_run_is_no_program(void **state)
{
	free(put("bin/claude", "notes", 0644));
	assert_found(NULL);
}

static void extensions_of_editors_count(void **state)
{
	free(put(".vscode/extensions/anthropic.claude-code-2.1.97-linux-x64/x", "", 0600));
	free(put(".vscode/extensions/somebody.else-1.0.0/x", "", 0600));
	assert_found("2.1.97");
	free(put(".cursor-server/extensions/anthropic.claude-code-2.1.50/x", "", 0600));
	assert_found("2.1.50");
	free(put(".next-editor/extensions/anthropic.claude-code-2.0.77/x", "", 0600));
	assert_found("2.0.77");
}

static void each_node_of_nvm_may_have_one(void **state)
{
	put_package(".nvm/versions/node/v22.1.0/bin", "@anthropic-ai/claude-code", "2.1.40");
	free(put(".nvm/versions/node/v22.1.0/bin/claude", "", 0755));
	assert_found("2.1.40");
}

/* A file of the registry, for a process that began then. */
static void put_session(const char *name, pid_t pid, uint64_t start, const char *rest)
{
	char *text = must_print("{\"pid\":%d,\"sessionId\":\"s\",\"procStart\":\"%llu\"%s}",
	                        (int)pid, (unsigned long long)start, rest);

	free(put(name, text, 0600));
	free(text);
}

static void sessions_that_are_alive_count(void **state)
{
	struct proc me;

	assert_true(proc_look((uint64_t)getpid(), &me));
	put_session(".claude/sessions/1.json", getpid(), me.start + 1, ",\"version\":\"2.1.1\"");
	assert_found(NULL);
	put_session(".claude/sessions/2.json", getpid(), me.start, ",\"version\":\"2.1.300\"");
	assert_found("2.1.300");
	/* Files of other names are not opened. */
	put_session(".claude/sessions/3.ab.key", getpid(), me.start, ",\"version\":\"2.1.2\"");
	put_session(".claude/sessions/x.json", getpid(), me.start, ",\"version\":\"2.1.2\"");
	assert_found("2.1.300");
}

/* It is `HOME/lib/cli.js` that runs, whatever is on the PATH. */
static void a_session_that_does_not_say_its_version_is_known_by_its_command(void **state)
{
	char *program = put("lib/cli.js", "#!/bin/sh\necho\nread -r line\n", 0755);
	char name[64], byte;
	struct proc child;
	int to[2], from[2];
	pid_t pid;

	put_package("lib", "@anthropic-ai/claude-code", "2.1.91");
	assert_true(pipe(to) == 0 && pipe(from) == 0);
	pid = fork();
	if (pid == 0) {
		dup2(to[0], STDIN_FILENO);
		dup2(from[1], STDOUT_FILENO);
		close(to[1]);
		execl(program, program, (char *)NULL);
		_exit(127);
	}
	close(to[0]);
	close(from[1]);
	assert_int_equal(read(from[0], &byte, 1), 1);
	assert_true(proc_look((uint64_t)pid, &child));
	snprintf(name, sizeof(name), ".claude/sessions/%d.json", (int)pid);
	put_session(name, pid, child.start, "");
	assert_found("2.1.91");
	close(to[1]);
	close(from[0]);
	waitpid(pid, NULL, 0);
	assert_found(NULL);
	free(program);
}

#define IN_HOME(name) cmocka_unit_test_setup_teardown(name, make_home, remove_home)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_HOME(without_any_the_version_is_supposed),
		IN_HOME(the_package_of_a_program_on_the_path_is_read),
		IN_HOME(so_is_that_of_a_native_one),
		IN_HOME(a_native_install_is_named_by_its_version),
		IN_HOME(a_small_script_leads_to_the_packages_beside_it),
		IN_HOME(what_cannot_be_told_is_taken_for_old),
		IN_HOME(a_file_that_cannot_be_run_is_no_program),
		IN_HOME(extensions_of_editors_count),
		IN_HOME(each_node_of_nvm_may_have_one),
		IN_HOME(sessions_that_are_alive_count),
		IN_HOME(a_session_that_does_not_say_its_version_is_known_by_its_command),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
