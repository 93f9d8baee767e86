/* log_test.c - lines for the operator: text or JSON, one each, and as loud as a room may be. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <yyjson.h>

#include "base/log.h"

/* What is written to standard error while the function runs. */
static const char *caught(void (*fn)(void))
{
	static char got[32768];
	int was = dup(STDERR_FILENO);
	FILE *file = tmpfile();
	size_t n;

	assert_non_null(file);
	dup2(fileno(file), STDERR_FILENO);
	fn();
	dup2(was, STDERR_FILENO);
	close(was);
	rewind(file);
	n = fread(got, 1, sizeof(got) - 1, file);
	got[n] = '\0';
	fclose(file);
	return got;
}

static int restore(void **state)
{
	log_set_format(LOG_TEXT);
	log_set_level(LOG_INFO);
	log_set_rooms(NULL, 0);
	return 0;
}

static void log_hostile(void)
{
	log_info("net", "from %s", "\x1b[2J\"quoted\" \\ a\nb\x01\xff \xE2\x80\xAE end");
}

static void a_text_line_is_one_safe_line(void **state)
{
	const char *line = caught(log_hostile);

	assert_non_null(strstr(line, "Z info net: from \xEF\xBF\xBD[2J\"quoted\" \\ a b"));
	assert_ptr_equal(strchr(line, '\n'), line + strlen(line) - 1);
}

static void a_json_line_is_json_whatever_is_in_it(void **state)
{
	const char *line, *message;
	yyjson_doc *doc;
	yyjson_val *root;

	log_set_format(LOG_JSON);
	line = caught(log_hostile);
	assert_ptr_equal(strchr(line, '\n'), line + strlen(line) - 1);
	doc = yyjson_read(line, strlen(line), 0);
	assert_non_null(doc);
	root = yyjson_doc_get_root(doc);
	assert_int_equal(yyjson_obj_size(root), 4);
	assert_string_equal(yyjson_get_str(yyjson_obj_get(root, "level")), "info");
	assert_string_equal(yyjson_get_str(yyjson_obj_get(root, "room")), "net");
	assert_int_equal(strlen(yyjson_get_str(yyjson_obj_get(root, "time"))),
	                 strlen("2026-01-01T00:00:00.000Z"));
	message = yyjson_get_str(yyjson_obj_get(root, "message"));
	assert_non_null(strstr(message, "\"quoted\" \\ a b"));
	assert_null(strchr(message, '\x1b'));
	yyjson_doc_free(doc);
}

static void log_much(void)
{
	char words[10000];

	memset(words, '"', sizeof(words) - 1);
	words[sizeof(words) - 1] = '\0';
	log_info("net", "%s", words);
	memset(words, 1, sizeof(words) - 1);
	log_info("net", "%s", words);
}

static void a_json_line_that_is_cut_is_still_json(void **state)
{
	const char *lines, *end;
	yyjson_doc *doc;

	log_set_format(LOG_JSON);
	lines = caught(log_much);
	for (int i = 0; i < 2; i++, lines = end + 1) {
		end = strchr(lines, '\n');
		assert_non_null(end);
		doc = yyjson_read(lines, (size_t)(end - lines), 0);
		assert_non_null(doc);
		assert_true(yyjson_get_len(yyjson_obj_get(yyjson_doc_get_root(doc), "message")) >
		            1000);
		yyjson_doc_free(doc);
	}
	assert_string_equal(lines, "");
}

static void a_text_line_has_an_end(void **state)
{
	const char *lines = caught(log_much);

	assert_true(strlen(lines) > 2000 && strlen(lines) < 16000);
	assert_int_equal(lines[strlen(lines) - 1], '\n');
}

static void log_little(void)
{
	log_debug("net", "not said");
	log_set_level(LOG_DEBUG);
	log_debug("net", "said");
	log_set_level(LOG_INFO);
}

static void a_level_that_is_not_wanted_is_silent(void **state)
{
	const char *line = caught(log_little);

	assert_null(strstr(line, "not said"));
	assert_non_null(strstr(line, "debug net: said\n"));
}

static void log_of_rooms(void)
{
	log_debug("hub", "hub debug");
	log_info("web", "web info");
	log_warn("web", "web warn");
	log_info("net", "net info");
	log_debug("net", "net debug");
}

static void a_room_is_as_loud_as_its_own_level(void **state)
{
	static char first[] = "web=debug", second[] = "hub=debug", third[] = "web=warn";
	char *rules[] = {first, second, third};
	const char *lines;

	log_set_rooms(rules, 3);
	lines = caught(log_of_rooms);
	assert_non_null(strstr(lines, "debug hub: hub debug\n"));
	assert_null(strstr(lines, "web info"));
	assert_non_null(strstr(lines, "web warn"));
	assert_non_null(strstr(lines, "net info"));
	assert_null(strstr(lines, "net debug"));
	log_set_rooms(rules, 0);
	lines = caught(log_of_rooms);
	assert_null(strstr(lines, "hub debug"));
	assert_non_null(strstr(lines, "web info"));
}

static void more_rooms_than_there_is_room_for_are_left_out(void **state)
{
	static char other[] = "other=error", hub[] = "hub=debug";
	static char *rules[LOG_ROOMS_MAX + 1];

	for (int i = 0; i < LOG_ROOMS_MAX; i++)
		rules[i] = other;
	rules[LOG_ROOMS_MAX] = hub;
	log_set_rooms(rules, LOG_ROOMS_MAX + 1);
	assert_null(strstr(caught(log_of_rooms), "hub debug"));
}

static void what_is_no_rule_is_refused_with_words(void **state)
{
	static const char *const bad[] = {"",         "hub",       "hub=",        "=debug",
	                                  "hub=loud", "Hub=debug", "hub=debug=x", "a b=info"};
	struct error why;

	assert_true(log_check_room(TEXT("hub=debug"), NULL));
	assert_true(log_check_room(TEXT("web=error"), NULL));
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		assert_false(log_check_room(text_of(bad[i]), &why));
		assert_non_null(strstr(why.words, "hub=debug"));
	}
}

#define MANY 2000 /* lines: more than a pipe of one page takes */

/* Logs them into a pipe that nobody reads, then one more while it is read; what was read. */
static const char *log_unread(void)
{
	static char got[2 * 65536];
	int was = dup(STDERR_FILENO), ends[2];
	ssize_t n, more;

	assert_int_equal(pipe(ends), 0);
	assert_true(fcntl(ends[1], F_SETPIPE_SZ, 4096) > 0);
	dup2(ends[1], STDERR_FILENO);
	for (int i = 0; i < MANY; i++)
		log_info("net", "a line of about as many bytes as others have");
	n = read(ends[0], got, sizeof(got) / 2);
	log_info("net", "the last one");
	dup2(was, STDERR_FILENO);
	close(was);
	close(ends[1]);
	assert_true(n > 0);
	while ((more = read(ends[0], got + n, sizeof(got) - 1 - (size_t)n)) > 0)
		n += more;
	close(ends[0]);
	got[n] = '\0';
	return got;
}

static void a_log_that_nobody_reads_stops_nobody_and_tells_what_is_lost(void **state)
{
	const char *lines, *told;
	int kept = 0;

	alarm(60); /* or it would wait for ever */
	lines = log_unread();
	alarm(0);
	told = strstr(lines, "Z warn log: lines that nobody read, and that are lost: ");
	assert_non_null(told);
	for (const char *at = lines; (at = strstr(at, "a line of")) && at < told; at++)
		kept++;
	assert_int_equal(kept + strtol(strstr(told, "lost: ") + strlen("lost: "), NULL, 10), MANY);
	assert_non_null(strstr(told, "Z info net: the last one\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_text_line_is_one_safe_line),
		cmocka_unit_test(a_text_line_has_an_end),
		cmocka_unit_test(a_level_that_is_not_wanted_is_silent),
		cmocka_unit_test_teardown(a_json_line_is_json_whatever_is_in_it, restore),
		cmocka_unit_test_teardown(a_json_line_that_is_cut_is_still_json, restore),
		cmocka_unit_test_teardown(a_room_is_as_loud_as_its_own_level, restore),
		cmocka_unit_test_teardown(more_rooms_than_there_is_room_for_are_left_out, restore),
		cmocka_unit_test(what_is_no_rule_is_refused_with_words),
		cmocka_unit_test(a_log_that_nobody_reads_stops_nobody_and_tells_what_is_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
