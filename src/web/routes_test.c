/* routes_test.c - the table of routes, content types, the page's files, and what
 * a query means. */
#include "web/routes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "net/caller.h"
#include "web/etag.h"
#include "web/files.h"
#include "web/query.h"

/* ---- routes ---- */

static void a_route_is_found_by_method_and_path(void **state)
{
	const struct route *r;
	struct route_part part;
	struct buf allow;

	buf_init(&allow, 100);
	r = routes_find(TEXT("POST"), TEXT("/api/signal"), &part, &allow);
	assert_non_null(r);
	assert_int_equal(r->scope, SCOPE_EMIT);
	r = routes_find(TEXT("HEAD"), TEXT("/healthz"), &part, &allow);
	assert_non_null(r);
	assert_int_equal(r->scope, 0);
	assert_int_equal(allow.len, 0);
	buf_finish(&allow);
}

static void a_wrong_method_is_told_the_right_ones(void **state)
{
	struct route_part part;
	struct buf allow;

	buf_init(&allow, 100);
	assert_null(routes_find(TEXT("DELETE"), TEXT("/api/signals"), &part, &allow));
	assert_true(text_is(buf_text(&allow), "GET, HEAD"));
	buf_clear(&allow);
	assert_null(routes_find(TEXT("GET"), TEXT("/api/signal"), &part, &allow));
	assert_true(text_is(buf_text(&allow), "POST"));
	buf_finish(&allow);
}

static void a_path_is_exact(void **state)
{
	static const char *const paths[] = {
		"",  "/api",          "/api/signal/", "/api//signal", "/API/signal",
		"/", "/api/./signal", "/healthz/",    "/healthz%00",  "/api/signal;x",
	};
	struct route_part part;
	struct buf allow;

	buf_init(&allow, 100);
	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++)
		assert_null(routes_find(TEXT("POST"), text_of(paths[i]), &part, &allow));
	assert_int_equal(allow.len, 0);
	buf_finish(&allow);
}

static bool finds_part(const char *method, const char *path, const char *wanted)
{
	struct route_part part;
	struct buf allow;
	bool found;

	buf_init(&allow, 100);
	found = routes_find(text_of(method), text_of(path), &part, &allow) &&
	        text_is((struct text){part.at, part.len}, wanted);
	buf_finish(&allow);
	return found;
}

static void a_star_is_one_part_of_a_path_decoded(void **state)
{
	static const char *const others[] = {
		"/api/sources/",         "/api/sources/a/b",  "/api/sources/a/",
		"/api/sources//connect", "/api/sources/%",    "/api/sources/%4",
		"/api/sources/%00",      "/api/sources/a%zz", "/api%2Fsources%2Fa",
		"//api/sources/a",
	};
	char path[ROUTE_PART_MAX + 100] = "/api/sources/";

	assert_true(finds_part("DELETE", "/api/sources/ada", "ada"));
	assert_true(finds_part("POST", "/api/sources/local:x/connect", "local:x"));
	assert_true(finds_part("POST", "/api/sources/local%3ax%2Fy/connect", "local:x/y"));
	assert_true(finds_part("PATCH", "/api/sources/a+b", "a+b"));
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		assert_false(finds_part("DELETE", others[i], ""));
		assert_false(finds_part("DELETE", others[i], "a"));
		assert_false(finds_part("POST", others[i], ""));
	}
	memset(path + strlen(path), 'x', ROUTE_PART_MAX + 1);
	assert_false(finds_part("DELETE", path, ""));
	path[strlen(path) - 1] = '\0';
	assert_true(finds_part("DELETE", path, path + strlen("/api/sources/")));
}

static void nothing_that_changes_is_a_get(void **state)
{
	for (const struct route *r = routes; r->method; r++) {
		if (strcmp(r->method, "GET") == 0)
			assert_int_equal(r->types, 0);
		else
			assert_int_not_equal(r->types, 0);
	}
}

static void only_json_is_json(void **state)
{
	assert_int_equal(routes_type(TEXT("application/json")), ROUTE_JSON | ROUTE_NOTHING);
	assert_int_equal(routes_type(TEXT("Application/JSON; charset=utf-8")),
	                 ROUTE_JSON | ROUTE_NOTHING);
	assert_int_equal(routes_type(TEXT("application/x-ndjson")), ROUTE_NDJSON);
	assert_int_equal(routes_type(TEXT("")), 0);
	assert_int_equal(routes_type(TEXT("text/plain")), 0);
	assert_int_equal(routes_type(TEXT("text/plain; application/json")), 0);
	assert_int_equal(routes_type(TEXT("application/jsonx")), 0);
	assert_int_equal(routes_type(TEXT("application/json, text/plain")), 0);
	assert_int_equal(routes_type(TEXT("multipart/form-data; boundary=a")), 0);
	assert_int_equal(routes_type(TEXT("application/x-www-form-urlencoded")), 0);
}

static void nothing_is_no_body_or_an_empty_object(void **state)
{
	assert_true(routes_is_nothing(TEXT("")));
	assert_true(routes_is_nothing(TEXT(" \r\n")));
	assert_true(routes_is_nothing(TEXT("{}")));
	assert_true(routes_is_nothing(TEXT(" { } ")));
	assert_false(routes_is_nothing(TEXT("{")));
	assert_false(routes_is_nothing(TEXT("{}{}")));
	assert_false(routes_is_nothing(TEXT("[]")));
	assert_false(routes_is_nothing(TEXT("{\"a\":1}")));
}

/* ---- files ---- */

static void the_root_is_the_index(void **state)
{
	assert_non_null(files_find(TEXT("/")));
	assert_ptr_equal(files_find(TEXT("/")), files_find(TEXT("/index.html")));
}

static void a_file_has_one_spelling(void **state)
{
	static const char *const paths[] = {
		"",
		"index.html",
		"//index.html",
		"/./index.html",
		"/%2e/index.html",
		"/INDEX.HTML",
		"/index.html/",
		"/index.html%00",
		"/../index.html",
		"/index.htm",
		"/etc/passwd",
		"/../etc/passwd",
		"/..%2fetc/passwd",
	};

	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++)
		assert_null(files_find(text_of(paths[i])));
}

static void a_known_file_is_not_sent_again(void **state)
{
	const struct web_file file = {
		.path = "/a", .etag = "\"abc\"", .packed_etag = "\"abc-gzip\""};

	assert_true(files_is_known(&file, TEXT("\"abc-gzip\"")));
	assert_true(files_is_known(&file, TEXT("\"abc\"")));
	assert_true(files_is_known(&file, TEXT("\"x\", W/\"abc\"")));
	assert_true(files_is_known(&file, TEXT("*")));
	assert_false(files_is_known(&file, TEXT("")));
	assert_false(files_is_known(&file, TEXT("abc")));
	assert_false(files_is_known(&file, TEXT("\"abcd\"")));
}

static void gzip_is_for_those_who_want_it(void **state)
{
	static const char *const wanted[] = {
		"gzip",
		"x-gzip",
		"GZip",
		"gzip, deflate, br, zstd",
		"br;q=1.0, gzip;q=0.8, *;q=0.1",
		"*",
		"gzip;q=0.001",
		"gzip; q=1",
		"identity;q=0.5, gzip;q=0.5",
		"identity;q=0, *;q=0.3",
	};
	static const char *const unwanted[] = {
		"",
		"identity",
		"br",
		"gzip;q=0",
		"gzip;q=0.000",
		"gzip;q=0.0, *",
		"*;q=0",
		"gzipped",
		"identity, gzip;q=0.5",
		"gzip;level=9",
		"gzip;q=",
		"deflate, not-gzip",
		",,;,",
	};

	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++)
		assert_true(files_wants_packed(text_of(wanted[i])));
	for (size_t i = 0; i < sizeof(unwanted) / sizeof(*unwanted); i++)
		assert_false(files_wants_packed(text_of(unwanted[i])));
}

/* What a browser keeps for ever must never be another file of the same name. */
static void only_a_name_with_a_hash_is_for_ever(void **state)
{
	unsigned lasting = 0;

	for (const struct web_file *f = web_files; f->path; f++) {
		lasting += f->never_changes;
		assert_true(f->plain.len > 0);
		if (f->packed.len > 0) /* a picture is packed already */
			assert_memory_equal(f->packed.at, "\x1f\x8b", 2);
	}
	assert_false(files_find(TEXT("/"))->never_changes);
	assert_true(lasting >= 3);
}

static void a_weak_tag_is_not_enough_to_change_something(void **state)
{
	assert_true(etag_is_in(TEXT("\"a\", \"b\""), TEXT("\"b\"")));
	assert_true(etag_is_in(TEXT(" * "), TEXT("\"b\"")));
	assert_true(etag_is_in_weakly(TEXT("W/\"b\""), TEXT("\"b\"")));
	assert_false(etag_is_in(TEXT("W/\"b\""), TEXT("\"b\"")));
	assert_false(etag_is_in(TEXT(""), TEXT("\"b\"")));
	assert_false(etag_is_in(TEXT("b"), TEXT("\"b\"")));
}

/* ---- queries ---- */

static bool parses(const char *text, struct query *query)
{
	struct error why = {""};
	bool ok = query_parse(query, text_of(text), &why);

	assert_true(ok || why.words[0]);
	return ok;
}

static void a_query_has_defaults(void **state)
{
	struct query q;

	assert_true(parses("", &q));
	assert_false(q.has_after);
	assert_false(q.is_ndjson);
	assert_false(query_filters(&q));
	assert_int_equal(q.limit, QUERY_LIMIT);
	assert_true(q.before == UINT64_MAX);
	query_finish(&q);
}

static void a_query_is_read_whole(void **state)
{
	struct query q;

	assert_true(parses("after=12&before=0123456789ab-99&limit=5&type=a,b*&type=c&source=x%2Fy"
	                   "&correlationId=r+1&q=%22&format=ndjson&",
	                   &q));
	assert_true(q.has_after && q.has_limit && q.is_ndjson);
	assert_int_equal(q.after.all[0].seq, 12);
	assert_int_equal(q.before, 99);
	assert_int_equal(q.limit, 5);
	assert_int_equal(q.filter.type_count, 3);
	assert_string_equal(q.filter.types[1], "b*");
	assert_string_equal(q.filter.sources[0], "x/y");
	assert_string_equal(q.filter.correlation, "r 1");
	assert_string_equal(q.contains, "\"");
	query_finish(&q);
}

static void a_bad_query_is_refused_in_words(void **state)
{
	static const char *const queries[] = {
		"after=x", "after=-1",    "before=",        "limit=0",   "limit=-1",
		"limit=x", "limit=10001", "format=xml",     "tpye=a",    "q=%zz",
		"after",   "=1",          "type=a&limit=0", "limit=1e3", "type=%",
		"type=",   "type=a,,b",   "source=",        "type",      "correlationId=",
	};
	struct query q;

	for (size_t i = 0; i < sizeof(queries) / sizeof(*queries); i++) {
		if (parses(queries[i], &q))
			fail_msg("'%s' was read", queries[i]);
	}
	assert_true(parses("limit=1000000&format=ndjson", &q));
	query_finish(&q);
}

static bool matches(const char *text, const char *line)
{
	struct signal_reader *reader = signal_reader_create();
	struct query q;
	bool yes;

	assert_true(parses(text, &q));
	yes = query_matches(&q, text_of(line), reader);
	query_finish(&q);
	signal_reader_destroy(reader);
	return yes;
}

static void a_line_matches_what_is_meant(void **state)
{
	static const char line[] =
		"{\"seq\":7,\"id\":\"i\",\"type\":\"tool_call\",\"timestamp\":1,\"source\":\"s\","
		"\"correlationId\":\"c\",\"payload\":{\"word\":\"needle\"}}";

	assert_true(matches("", line));
	assert_true(matches("type=tool_call", line));
	assert_true(matches("type=x,tool_*", line));
	assert_true(matches("type=*", line));
	assert_false(matches("type=tool", line));
	assert_false(matches("type=tool_call_*", line));
	assert_true(matches("source=x&source=s", line));
	assert_false(matches("source=S", line));
	assert_true(matches("correlationId=c", line));
	assert_false(matches("correlationId=cc", line));
	assert_true(matches("q=needle", line));
	assert_true(matches("q=Needle", line));
	assert_false(matches("q=noodle", line));
	assert_true(matches("type=tool_*&source=s&correlationId=c&q=word", line));
	assert_false(matches("type=tool_*&source=s&correlationId=d&q=word", line));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_route_is_found_by_method_and_path),
		cmocka_unit_test(a_wrong_method_is_told_the_right_ones),
		cmocka_unit_test(a_path_is_exact),
		cmocka_unit_test(a_star_is_one_part_of_a_path_decoded),
		cmocka_unit_test(nothing_that_changes_is_a_get),
		cmocka_unit_test(only_json_is_json),
		cmocka_unit_test(nothing_is_no_body_or_an_empty_object),
		cmocka_unit_test(the_root_is_the_index),
		cmocka_unit_test(a_file_has_one_spelling),
		cmocka_unit_test(a_known_file_is_not_sent_again),
		cmocka_unit_test(gzip_is_for_those_who_want_it),
		cmocka_unit_test(only_a_name_with_a_hash_is_for_ever),
		cmocka_unit_test(a_weak_tag_is_not_enough_to_change_something),
		cmocka_unit_test(a_query_has_defaults),
		cmocka_unit_test(a_query_is_read_whole),
		cmocka_unit_test(a_bad_query_is_refused_in_words),
		cmocka_unit_test(a_line_matches_what_is_meant),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
