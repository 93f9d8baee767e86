/* admit_test.c - what is refused, what is mended, and what is left alone. */
#include "bus/admit.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/must.h"
#include "signal/json.h"

#define NOW 1700000000000
#define WHOLE(member) \
	"{\"id\":\"i\",\"type\":\"x\",\"timestamp\":1,\"source\":\"s\",\"payload\":{}" member "}"
#define CORPUS "../shared/vectors/json/test_parsing"

static const struct admit_options warn = {ADMIT_WARN, 64 * KIB, 64};
static int64_t now(void)
{
	return NOW;
}

static int64_t now_and_a_bit(void)
{
	return NOW + 77;
}

static const struct admit_from nobody = {.name = {"conn", 4}, .now_ms = now};

static struct admit *admit, *client_admit;
static struct draft draft;
static struct error why;

static int start(void **state)
{
	admit = admit_create(&warn);
	return 0;
}

static int stop(void **state)
{
	admit_destroy(admit);
	admit_destroy(client_admit);
	return 0;
}

static enum admit_reason reading(struct text raw)
{
	draft = (struct draft){0};
	why.words[0] = '\0';
	return admit_read(admit, raw, &nobody, &draft, &why);
}

static void assert_admitted(const char *raw)
{
	if (reading(text_of(raw)) != ADMIT_OK)
		fail_msg("%s: %s", raw, why.words);
}

static void assert_refused(const char *raw, const char *reason)
{
	const char *name = admit_reason_name(reading(text_of(raw)));

	if (strcmp(name, reason) != 0 || why.words[0] == '\0')
		fail_msg("%s: %s, not %s; %s", raw, name, reason, why.words);
}

static void assert_text(struct text t, const char *wanted)
{
	if (!text_is(t, wanted))
		fail_msg("got %.*s\nnot %s", TEXT_ARG(t), wanted);
}

/* What the body must be when nothing random is in it. */
static void assert_body(const char *raw, const char *body)
{
	assert_admitted(raw);
	assert_text(draft.body, body);
}

/* --- left alone ------------------------------------------------------------ */

static void a_whole_envelope_is_its_own_body(void **state)
{
	const char *raw =
		"{\"id\":\"a\",\"type\":\"tool_call\",\"timestamp\":12.5,\"source\":\"s\","
		"\"correlationId\":\"c\",\"metadata\":{\"k\":[1,2]},"
		"\"payload\":{\"toolName\":\"t\",\"agentId\":\"a\"}}";

	assert_body(raw, raw + 1);
	assert_int_equal(admit_stable(&draft).len, draft.body.len);
	assert_text(draft.id, "a");
	assert_text(draft.type, "tool_call");
	assert_text(draft.source, "s");
	assert_text(draft.correlation, "c");
	assert_int_equal(draft.kind, KIND_TOOL_CALL);
	assert_true(draft.at_ms == 12.5);
	assert_false(draft.breaks_schema);
}

static void a_plain_one_is_not_even_copied(void **state)
{
	const char *raw = WHOLE("");

	assert_body(raw, raw + 1);
	assert_ptr_equal(draft.body.at, raw + 1);
}

static void white_space_around_the_object_is_not_kept(void **state)
{
	assert_body(" \r\n\t" WHOLE("") "\n \r\n", &WHOLE("")[1]);
}

static void odd_but_legal_json_is_carried_through(void **state)
{
	const char *raw =
		WHOLE(",\"metadata\":{\"n\":[1E+2,-0,1e999,123456789012345678901234567890],"
	              "\"a\":1,\"a\":2,\"\\u0000\":\"\\ud83d\\ude00 \xF0\x9F\x98\x80\"}");

	assert_body(raw, raw + 1);
}

static void an_escaped_lone_surrogate_is_admitted_as_written(void **state)
{
	static const char *const alone[] = {"\\ud800",        "\\uDfFf",     "\\ud800\\ud800",
	                                    "\\udc00\\ud800", "\\\\\\ud834", "\\ud800\\n",
	                                    "\\ud800\\u0041"};

	for (size_t i = 0; i < sizeof(alone) / sizeof(alone[0]); i++) {
		char *raw = must_print(WHOLE(",\"metadata\":{\"%s\":\"%s\"}"), alone[i], alone[i]);

		assert_body(raw, raw + 1);
		free(raw);
	}
	assert_admitted("{\"type\":\"t\",\"id\":\"\\ud800!\"}");
	assert_text(draft.id, "\xEF\xBF\xBD!");
}

static void an_escaped_name_is_the_name(void **state)
{
	assert_body("{\"\\u0069d\":\"a\\n\",\"t\\u0079pe\":\"x\",\"timestamp\":1,\"source\":\"s\","
	            "\"payload\":{}}",
	            "\"\\u0069d\":\"a\\n\",\"t\\u0079pe\":\"x\",\"timestamp\":1,\"source\":\"s\","
	            "\"payload\":{}}");
	assert_text(draft.id, "a\n");
}

/* --- filled ---------------------------------------------------------------- */

static void what_is_missing_is_filled_in_one_order(void **state)
{
	assert_admitted("{\"type\":\"x\"}");
	assert_int_equal(draft.id.len, 36);
	assert_text(draft.source, "conn");
	assert_true(draft.at_ms == NOW);

	char *wanted =
		must_print("\"type\":\"x\",\"id\":\"%.*s\",\"source\":\"conn\",\"payload\":{},"
	                   "\"timestamp\": 1700000000000}",
	                   TEXT_ARG(draft.id));

	assert_text(draft.body, wanted);
	assert_int_equal(admit_stable(&draft).len,
	                 strlen(wanted) - strlen(",\"timestamp\": 1700000000000}"));
	free(wanted);
}

static void two_fills_get_two_ids(void **state)
{
	char first[36];

	assert_admitted("{\"type\":\"x\"}");
	memcpy(first, draft.id.at, sizeof(first));
	assert_admitted("{\"type\":\"x\"}");
	assert_memory_not_equal(first, draft.id.at, sizeof(first));
}

static void a_null_is_as_good_as_missing(void **state)
{
	assert_body("{\"timestamp\":null,\"id\":\"a\" , \"type\":\"x\",\"source\":null,"
	            "\"payload\":null}",
	            "\"id\":\"a\",\"type\":\"x\",\"source\":\"conn\",\"payload\":{},"
	            "\"timestamp\": 1700000000000}");
	assert_admitted("{\"id\":null,\"type\":\"x\"}");
	assert_int_equal(draft.id.len, 36);
}

static void an_empty_string_or_a_zero_is_not_missing(void **state)
{
	assert_body("{\"id\":\"\",\"type\":\"\",\"timestamp\":0,\"source\":\"\",\"payload\":{}}",
	            "\"id\":\"\",\"type\":\"\",\"timestamp\":0,\"source\":\"\",\"payload\":{}}");
	assert_int_equal(draft.id.len, 0);
}

static void a_retry_without_a_timestamp_has_the_same_stable_bytes(void **state)
{
	struct text raw = TEXT("{\"id\":\"a\",\"type\":\"x\"}");
	struct admit_from later = {.name = TEXT("conn"), .now_ms = now_and_a_bit};
	struct draft again;
	char first[200];
	size_t len;

	assert_int_equal(reading(raw), ADMIT_OK);
	len = admit_stable(&draft).len;
	assert_true(len < draft.body.len);
	memcpy(first, draft.body.at, len);
	assert_int_equal(admit_read(admit, raw, &later, &again, &why), ADMIT_OK);
	assert_int_equal(admit_stable(&again).len, len);
	assert_memory_equal(again.body.at, first, len);
	assert_true(again.at_ms == NOW + 77);
}

/* Whether it is read in place or by a document: the metadata that goes makes one of it. */
static void a_timestamp_that_looks_filled_in_is_carried_through(void **state)
{
	static const char *const heads[] = {"", "\"metadata\":{\"origin\":1},"};
	struct buf line;

	buf_init(&line, KIB);
	for (int i = 0; i < 2; i++) {
		char *raw = must_print("{%s\"id\":\"a\",\"type\":\"x\",\"source\":\"s\","
		                       "\"payload\":{},\"timestamp\": 1700000000001}",
		                       heads[i]);

		assert_admitted(raw);
		assert_non_null(
			strstr(draft.body.at, "\"payload\":{},\"timestamp\": 1700000000001}"));
		assert_int_equal(draft.filled, 0);
		buf_clear(&line);
		admit_stamp(&line, 12, &draft);
		assert_true(text_is(buf_text(&line), "{\"seq\":12 ,"));
		buf_add(&line, draft.body);
		assert_true(text_equal(admit_stable_line(buf_text(&line)), draft.body));
		free(raw);
	}
	assert_admitted("{\"id\":\"a\",\"type\":\"x\"}");
	buf_clear(&line);
	admit_stamp(&line, 13, &draft);
	assert_true(text_is(buf_text(&line), "{\"seq\":13,"));
	buf_add(&line, draft.body);
	assert_true(text_equal(admit_stable_line(buf_text(&line)), admit_stable(&draft)));
	assert_true(draft.filled > 0);
	buf_finish(&line);
}

static void a_name_that_is_not_plain_is_written_as_json(void **state)
{
	struct admit_from from = {.name = TEXT("a\"b\n")};

	assert_int_equal(admit_read(admit, TEXT("{\"id\":\"i\",\"type\":\"x\",\"timestamp\":1}"),
	                            &from, &draft, &why),
	                 ADMIT_OK);
	assert_text(draft.body,
	            "\"id\":\"i\",\"type\":\"x\",\"timestamp\":1,\"source\":\"a\\\"b\\n\","
	            "\"payload\":{}}");
}

/* --- wrapped --------------------------------------------------------------- */

static void an_object_without_a_string_type_is_an_event(void **state)
{
	static const char *const objects[] = {"{}", "{\"type\":null}", "{\"type\":5,\"id\":7}",
	                                      "{\"a\":1,\"a\":2}", "{ \"payload\" : [] }"};

	for (size_t i = 0; i < sizeof(objects) / sizeof(objects[0]); i++) {
		char *wanted;

		assert_admitted(objects[i]);
		assert_text(draft.type, "event");
		assert_int_equal(draft.kind, KIND_OTHER);
		assert_int_equal(draft.correlation.len, 0);
		wanted = must_print("\"type\":\"event\",\"payload\":%s,\"id\":\"%.*s\",\"source\":"
		                    "\"conn\",\"timestamp\": 1700000000000}",
		                    objects[i], TEXT_ARG(draft.id));
		assert_text(draft.body, wanted);
		free(wanted);
	}
}

/* --- cut ------------------------------------------------------------------- */

static void a_seq_is_cut_wherever_it_stands(void **state)
{
	const char *rest =
		"\"id\":\"i\",\"type\":\"x\",\"timestamp\":1,\"source\":\"s\",\"payload\":{}}";

	assert_body(WHOLE(",\"seq\":[{\"a\":\"}\"}]"), rest);
	assert_body("{\"seq\":7,\"id\":\"i\",\"type\":\"x\",\"timestamp\":1,\"source\":\"s\","
	            "\"payload\":{}}",
	            rest);
	assert_body(
		"{ \"id\":\"i\" , \"seq\" : null,\"type\":\"x\",\"timestamp\":1,\"source\":\"s\","
		"\"payload\":{} }",
		rest);
	assert_body("{\"id\":\"i\",\"type\":\"x\",\"timestamp\":1,\"source\":\"s\",\"payload\":{},"
	            "\"\\u0073eq\":1}",
	            rest);
}

static void an_origin_is_cut_out_of_the_metadata(void **state)
{
	static const char *const cases[][2] = {
		{"{\"origin\":1}", "{}"},
		{"{ \"origin\" : {\"origin\":[\"}\"]} , \"a\" : 1 }", "{\"a\" : 1}"},
		{"{\"a\":1,\"origin\":\"\\\"},\"}", "{\"a\":1}"},
		{"{\"a\":{\"origin\":1},\"\\u006frigin\":2,\"b\":3,\"origin\":4}",
	         "{\"a\":{\"origin\":1},\"b\":3}"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *raw = must_print(WHOLE(",\"metadata\" : %s"), cases[i][0]);
		char *body = must_print(&WHOLE(",\"metadata\" : %s")[1], cases[i][1]);

		assert_body(raw, body);
		free(raw);
		free(body);
	}
}

static void an_origin_elsewhere_stays(void **state)
{
	const char *raw =
		"{\"id\":\"i\",\"type\":\"x\",\"timestamp\":1,\"source\":\"s\","
		"\"payload\":{\"origin\":1,\"seq\":2},\"metadata\":{\"a\":{\"origin\":1}}}";

	assert_body(raw, raw + 1);
}

static void an_origin_of_a_parser_stays(void **state)
{
	const struct admit_from ours = {.name = {"conn", 4}, .now_ms = now, .keeps_origin = true};
	const char *raw = WHOLE(",\"metadata\":{\"a\":1,\"origin\":{\"dialect\":\"run\"}}");
	struct draft out = {0};

	assert_int_equal(admit_read(admit, text_of(raw), &ours, &out, &why), ADMIT_OK);
	assert_text(out.body, raw + 1);
}

static void a_line_stays_a_line(void **state)
{
	assert_body("{\r\n\t\"id\": \"i\",\n\"type\":\"x\",\n \"timestamp\":1,\"source\":\"s\","
	            "\"payload\":{\n\"a\":\"\\n\"\n}\n}\n",
	            "  \t\"id\": \"i\", \"type\":\"x\",  \"timestamp\":1,\"source\":\"s\","
	            "\"payload\":{ \"a\":\"\\n\" } }");
	assert_refused(WHOLE(",\"metadata\":{\"a\":\"\n\"}"), "not_json");
	assert_refused(WHOLE(",\"metadata\":{\"a\":\"\r\"}"), "not_json");
}

/* --- refused --------------------------------------------------------------- */

static void what_is_not_json_is_refused(void **state)
{
	static const char *const bad[] = {
		"",
		" ",
		"{",
		"{\"type\":\"x\"",
		"{\"type\":\"x\"}}",
		"{\"type\":\"x\",}",
		"{'type':'x'}",
		"\xEF\xBB\xBF{\"type\":\"x\"}",
		"{\"type\":\"x\",\"a\":01}",
		"{\"type\":\"x\",\"a\":NaN}",
		"{\"type\":\"\xFF\"}",
		"{\"\xC0\x80\":1}",
		"{\"type\":\"\xED\xA0\x80\"}",
		"{\"type\":\"x\"} // no",
		"{\"type\":\"\\ud80\"}",
		"{\"type\":\"\\ud800\\u\"}",
		"{\"type\":\"\\",
		"nul",
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_refused(bad[i], "not_json");
	assert_int_equal(reading(TEXT("{\"type\":\"x\"}\0")), ADMIT_NOT_JSON);
	assert_int_equal(reading(TEXT("{\"type\":\"\0\"}")), ADMIT_NOT_JSON);
}

static void what_is_not_an_object_is_refused(void **state)
{
	assert_refused("[]", "not_object");
	assert_refused("[{\"type\":\"x\"}]", "not_object");
	assert_refused("null", "not_object");
	assert_refused("12", "not_object");
	assert_refused("1e999", "not_object");
	assert_refused("\"{}\"", "not_object");
}

static void what_is_too_big_is_refused(void **state)
{
	size_t frame = strlen("{\"type\":\"\"}");
	char *raw = must_alloc(64 * KIB + 2);

	for (size_t extra = 0; extra < 2; extra++) {
		size_t len = 64 * KIB + extra;

		memset(raw, 'x', len);
		memcpy(raw, "{\"type\":\"", frame - 2);
		memcpy(raw + len - 2, "\"}", 2);
		assert_int_equal(reading((struct text){raw, len}),
		                 extra ? ADMIT_TOO_BIG : ADMIT_OK);
		assert_int_equal(
			admit_read(admit, (struct text){raw, len},
		                   &(struct admit_from){.name = TEXT("box"), .is_box = true},
		                   &draft, &why),
			ADMIT_OK);
	}
	free(raw);
}

static void a_name_without_end_is_refused(void **state)
{
	struct text endless = {must_zero(2, ADMIT_OWN_MAX), 2 * ADMIT_OWN_MAX};
	struct admit_from from = {.name = endless, .prefix = TEXT("local/")};

	assert_int_equal(admit_read(admit, TEXT("{\"type\":\"x\"}"), &from, &draft, &why),
	                 ADMIT_TOO_BIG);
	from = (struct admit_from){.name = endless};
	assert_int_equal(admit_read(admit, TEXT("{\"type\":\"x\"}"), &from, &draft, &why),
	                 ADMIT_TOO_BIG);
	assert_admitted("{\"type\":\"x\"}");
	free((char *)endless.at);
}

static enum admit_reason nested(const char *before, unsigned levels, const char *after)
{
	struct buf raw;
	enum admit_reason reason;

	buf_init(&raw, 64 * KIB);
	buf_add(&raw, text_of(before));
	for (unsigned i = 0; i < levels; i++)
		buf_add_char(&raw, '[');
	for (unsigned i = 0; i < levels; i++)
		buf_add_char(&raw, ']');
	buf_add(&raw, text_of(after));
	reason = reading(buf_text(&raw));
	buf_finish(&raw);
	return reason;
}

static void what_is_too_deep_is_refused(void **state)
{
	const char *before = "{\"type\":\"x\",\"payload\":{\"s\":\"[[{{\\\"[{\",\"a\":",
		   *after = "}}";

	assert_int_equal(nested(before, 62, after), ADMIT_OK);
	assert_int_equal(nested(before, 63, after), ADMIT_TOO_DEEP);
	assert_int_equal(nested(before, 10000, after), ADMIT_TOO_DEEP);
	/* The envelope around it is a level too. */
	assert_int_equal(nested("{\"a\":", 62, "}"), ADMIT_OK);
	assert_int_equal(nested("{\"a\":", 63, "}"), ADMIT_TOO_DEEP);
}

static void width_is_not_depth(void **state)
{
	struct buf raw;

	buf_init(&raw, 64 * KIB);
	buf_add(&raw, TEXT("{\"type\":\"x\",\"payload\":{\"a\":["));
	for (unsigned i = 0; i < 1000; i++)
		buf_add(&raw, TEXT("{\"b\":[]},"));
	buf_add(&raw, TEXT("\"\\\"[[\"]}}"));
	assert_int_equal(reading(buf_text(&raw)), ADMIT_OK);
	buf_finish(&raw);
}

static void a_member_of_the_envelope_twice_is_refused(void **state)
{
	assert_refused(WHOLE(",\"id\":\"i\""), "duplicate");
	assert_refused(WHOLE(",\"i\\u0064\":\"j\""), "duplicate");
	assert_refused(WHOLE(",\"type\":null"), "duplicate");
	assert_refused(WHOLE(",\"seq\":1,\"seq\":1"), "duplicate");
	assert_refused(WHOLE(",\"foo\":1,\"bar\":2,\"foo\":3"), "duplicate");
	assert_refused(WHOLE(",\"f\\u006fo\":1,\"foo\":3"), "duplicate");
	assert_admitted(WHOLE(",\"foo\":1,\"bar\":2"));
}

static void wrong_types_are_refused(void **state)
{
	static const char *const bad[] = {
		"{\"type\":\"x\",\"id\":1}",
		"{\"type\":\"x\",\"id\":{}}",
		"{\"type\":\"x\\u0000\"}",
		"{\"type\":\"x\",\"id\":\"\\u0000\"}",
		"{\"type\":\"x\",\"source\":\"a\\u0000b\"}",
		"{\"type\":\"x\",\"correlationId\":\"a\\u0000\"}",
		"{\"type\":\"x\",\"source\":false}",
		"{\"type\":\"x\",\"correlationId\":1}",
		"{\"type\":\"x\",\"correlationId\":null}",
		"{\"type\":\"x\",\"timestamp\":\"1\"}",
		"{\"type\":\"x\",\"timestamp\":1e999}",
		"{\"type\":\"x\",\"payload\":[]}",
		"{\"type\":\"x\",\"payload\":\"{}\"}",
		"{\"type\":\"x\",\"metadata\":[]}",
		"{\"type\":\"x\",\"metadata\":null}",
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_refused(bad[i], "wrong_type");
}

static void any_finite_number_is_a_timestamp(void **state)
{
	assert_admitted("{\"type\":\"x\",\"timestamp\":-1.5e3}");
	assert_true(draft.at_ms == -1500);
	assert_admitted("{\"type\":\"x\",\"timestamp\":123456789012345678901234567890}");
	assert_true(draft.at_ms == 123456789012345678901234567890.0);
	assert_admitted("{\"type\":\"x\",\"timestamp\":1700000000123}");
	assert_true(draft.at_ms == 1700000000123.0);
	assert_admitted("{\"type\":\"x\",\"timestamp\":-0}");
}

/* --- the schema ------------------------------------------------------------ */

static enum admit_reason in_mode(enum admit_mode mode, const char *raw)
{
	struct admit_options options = warn;
	struct admit *other;
	enum admit_reason reason;

	options.mode = mode;
	other = admit_create(&options);
	reason = admit_read(other, text_of(raw), &nobody, &draft, &why);
	admit_destroy(other);
	return reason;
}

static void each_mode_does_what_it_says(void **state)
{
	static const char *const broken[] = {
		WHOLE(",\"foo\":1"),
		"{\"type\":\"error\",\"payload\":{\"message\":\"m\"}}",
		"{\"type\":\"error\"}",
	};

	for (size_t i = 0; i < sizeof(broken) / sizeof(broken[0]); i++) {
		assert_int_equal(in_mode(ADMIT_OFF, broken[i]), ADMIT_OK);
		assert_false(draft.breaks_schema);
		assert_int_equal(in_mode(ADMIT_WARN, broken[i]), ADMIT_OK);
		assert_true(draft.breaks_schema);
		assert_true(draft.broken.words[0] == '/');
		assert_int_equal(in_mode(ADMIT_STRICT, broken[i]), ADMIT_SCHEMA);
		assert_true(why.words[0] == '/');
	}
	assert_int_equal(in_mode(ADMIT_STRICT, "{}"), ADMIT_OK);
	assert_int_equal(in_mode(ADMIT_STRICT, WHOLE(",\"seq\":-1,\"metadata\":{\"origin\":1}")),
	                 ADMIT_OK);
	assert_int_equal(in_mode(ADMIT_STRICT,
	                         "{\"type\":\"thinking\",\"payload\":{\"agentId\":\"a\","
	                         "\"content\":\"\",\"sessionKey\":\"k\"}}"),
	                 ADMIT_OK);
}

/* --- what people do --------------------------------------------------------- */

static enum admit_reason by_client(enum admit_mode mode, const char *raw)
{
	struct admit_options options = {mode, 64 * KIB, 64};
	struct admit_from from = nobody;

	from.is_client = true;
	admit_destroy(client_admit);
	client_admit = admit_create(&options);
	return admit_read(client_admit, text_of(raw), &from, &draft, &why);
}

static void what_people_do_comes_from_the_stage(void **state)
{
	static const char *const sources[] = {"", "\"source\":\"me\",", "\"source\":null,",
	                                      "\"source\":\"\\u0073tage!\","};

	for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++) {
		char *raw = must_print("{\"id\":\"i\",%s\"type\":\"user.click\",\"timestamp\":1,"
		                       "\"payload\":{\"target\":\"t\"}}",
		                       sources[i]);

		assert_int_equal(by_client(ADMIT_WARN, raw), ADMIT_OK);
		assert_text(draft.body, "\"id\":\"i\",\"type\":\"user.click\",\"timestamp\":1,"
		                        "\"payload\":{\"target\":\"t\"},\"source\":\"stage\"}");
		assert_text(draft.source, "stage");
		free(raw);
	}
}

static void who_says_the_stage_is_left_alone(void **state)
{
	const char *raw = "{\"id\":\"i\",\"source\":\"stage\",\"type\":\"user.wave\","
			  "\"timestamp\":1,\"payload\":{}}";

	assert_int_equal(by_client(ADMIT_WARN, raw), ADMIT_OK);
	assert_text(draft.body, raw + 1);
	assert_text(draft.source, "stage");
}

static void all_else_keeps_its_source(void **state)
{
	assert_int_equal(by_client(ADMIT_WARN, WHOLE("")), ADMIT_OK);
	assert_text(draft.source, "s");
	assert_admitted("{\"type\":\"user.point\",\"source\":\"s\"}"); /* by a source of ours */
	assert_text(draft.source, "s");
}

static void what_people_do_keeps_its_schema(void **state)
{
	static const char *const broken[] = {
		"{\"type\":\"user.click\"}",
		"{\"type\":\"user.move\",\"payload\":{\"entityId\":\"a\"}}",
		"{\"type\":\"user.wave\",\"more\":1}",
	};

	for (size_t i = 0; i < sizeof(broken) / sizeof(broken[0]); i++) {
		assert_int_equal(by_client(ADMIT_OFF, broken[i]), ADMIT_OK);
		assert_int_equal(by_client(ADMIT_WARN, broken[i]), ADMIT_SCHEMA);
		assert_true(why.words[0] == '/');
		assert_int_equal(by_client(ADMIT_STRICT, broken[i]), ADMIT_SCHEMA);
		assert_int_equal(in_mode(ADMIT_WARN, broken[i]), ADMIT_OK);
	}
}

/* --- what only we say -------------------------------------------------------- */

static void nobody_else_speaks_as_the_box(void **state)
{
	const char *raw = "{\"type\":\"answer\",\"source\":\"\\u0073ignalbox\"}";
	struct admit_from from = nobody;

	assert_refused(raw, "forbidden");
	from.is_client = true;
	assert_int_equal(admit_read(admit, text_of(raw), &from, &draft, &why), ADMIT_FORBIDDEN);
	from = nobody;
	from.name = SOURCE_OF_BOX;
	assert_int_equal(admit_read(admit, TEXT("{\"type\":\"x\"}"), &from, &draft, &why),
	                 ADMIT_FORBIDDEN);
	from.is_box = true;
	assert_int_equal(admit_read(admit, text_of(raw), &from, &draft, &why), ADMIT_OK);
}

/* --- a producer without a credential --------------------------------------- */

static bool not_openai(void *self, struct text source)
{
	return !text_is(source, "openai");
}

static enum admit_reason from_local(const char *raw)
{
	struct admit_from from = {TEXT("conn"), now, TEXT("local/"), not_openai, NULL};

	return admit_read(admit, text_of(raw), &from, &draft, &why);
}

static void an_uncredentialled_source_gets_a_prefix(void **state)
{
	assert_int_equal(from_local("{\"id\":\"i\",\"type\":\"x\",\"source\" : \"a\\n\\u0062\" , "
	                            "\"timestamp\":1,\"payload\":{}}"),
	                 ADMIT_OK);
	assert_text(draft.body, "\"id\":\"i\",\"type\":\"x\",\"source\" : \"local/a\\n\\u0062\" , "
	                        "\"timestamp\":1,\"payload\":{}}");
	assert_text(draft.source, "local/a\nb");
	assert_int_equal(from_local("{\"id\":\"i\",\"type\":\"x\",\"timestamp\":1}"), ADMIT_OK);
	assert_text(draft.body, "\"id\":\"i\",\"type\":\"x\",\"timestamp\":1,"
	                        "\"source\":\"local/conn\",\"payload\":{}}");
	assert_text(draft.source, "local/conn");
	assert_int_equal(from_local("{\"a\":1}"), ADMIT_OK);
	assert_text(draft.source, "local/conn");
}

static void some_types_are_closed_without_a_credential(void **state)
{
	static const char *const closed[] = {"prompt",         "answer",      "control",
	                                     "user.click",     "user.",       "user.anything",
	                                     "source.up",      "journal.gap", "pr\\u006fmpt",
	                                     "prompt.settled", "command.told"};
	static const char *const open[] = {"user",  "prompts", "answered",  "sources",
	                                   "error", "x.user.", "command.go"};

	for (size_t i = 0; i < sizeof(closed) / sizeof(closed[0]); i++) {
		char *raw = must_print("{\"type\":\"%s\"}", closed[i]);

		assert_int_equal(from_local(raw), ADMIT_FORBIDDEN);
		assert_non_null(strstr(why.words, "token"));
		assert_admitted(raw);
		free(raw);
	}
	for (size_t i = 0; i < sizeof(open) / sizeof(open[0]); i++) {
		char *raw = must_print("{\"type\":\"%s\"}", open[i]);

		assert_int_equal(from_local(raw), ADMIT_OK);
		free(raw);
	}
}

static void a_configured_name_is_closed_without_a_credential(void **state)
{
	assert_int_equal(from_local("{\"type\":\"x\",\"source\":\"open\\u0061i\"}"),
	                 ADMIT_FORBIDDEN);
	assert_int_equal(from_local("{\"type\":\"x\",\"source\":\"mine\"}"), ADMIT_OK);
	assert_admitted("{\"type\":\"x\",\"source\":\"openai\"}");
}

/* --- the corpus ------------------------------------------------------------ */

static void read_whole(const char *path, struct buf *out)
{
	FILE *file = fopen(path, "rb");
	size_t got;

	assert_non_null(file);
	do {
		char *at = buf_reserve(out, 4 * KIB);

		assert_non_null(at);
		got = fread(at, 1, 4 * KIB, file);
		out->len += got;
	} while (got);
	fclose(file);
}

/* The first letter of the file says what must come of it. */
static void try_corpus_file(const char *name, const char *head)
{
	char *path = must_print(CORPUS "/%s", name);
	enum admit_reason reason;
	struct buf raw;

	buf_init(&raw, MIB);
	buf_add(&raw, text_of(head));
	read_whole(path, &raw);
	buf_add(&raw, TEXT("}}"));
	reason = reading(buf_text(&raw));
	if ((name[0] == 'y' && reason != ADMIT_OK) || (name[0] == 'n' && reason == ADMIT_OK))
		fail_msg("%s: %s %s", name, admit_reason_name(reason), why.words);
	if (reason == ADMIT_OK)
		assert_null(memchr(draft.body.at, '\n', draft.body.len));
	buf_finish(&raw);
	free(path);
}

static void the_parsing_corpus_is_judged_as_it_says(void **state)
{
	DIR *dir = opendir(CORPUS);
	struct dirent *entry;
	unsigned count = 0;

	if (!dir) {
		print_message("# skipped: %s is not there\n", CORPUS);
		skip();
		return;
	}
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		try_corpus_file(entry->d_name, "{\"type\":\"x\",\"payload\":{\"v\":");
		try_corpus_file(entry->d_name, "{\"id\":\"i\",\"type\":\"x\",\"timestamp\":1,"
		                               "\"source\":\"s\",\"payload\":{\"v\":");
		count++;
	}
	closedir(dir);
	assert_true(count > 300);
}

static void names_and_ends_are_harmless(void **state)
{
	for (enum admit_reason r = 0; r < ADMIT_REASONS; r++)
		assert_true(admit_reason_name(r)[0] != '\0');
	admit_destroy(NULL);
	assert_int_equal(admit_read(admit, TEXT("["), &nobody, &draft, NULL), ADMIT_NOT_JSON);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_whole_envelope_is_its_own_body),
		cmocka_unit_test(a_plain_one_is_not_even_copied),
		cmocka_unit_test(white_space_around_the_object_is_not_kept),
		cmocka_unit_test(odd_but_legal_json_is_carried_through),
		cmocka_unit_test(an_escaped_lone_surrogate_is_admitted_as_written),
		cmocka_unit_test(an_escaped_name_is_the_name),
		cmocka_unit_test(what_is_missing_is_filled_in_one_order),
		cmocka_unit_test(a_timestamp_that_looks_filled_in_is_carried_through),
		cmocka_unit_test(two_fills_get_two_ids),
		cmocka_unit_test(a_null_is_as_good_as_missing),
		cmocka_unit_test(an_empty_string_or_a_zero_is_not_missing),
		cmocka_unit_test(a_retry_without_a_timestamp_has_the_same_stable_bytes),
		cmocka_unit_test(a_name_that_is_not_plain_is_written_as_json),
		cmocka_unit_test(an_object_without_a_string_type_is_an_event),
		cmocka_unit_test(a_seq_is_cut_wherever_it_stands),
		cmocka_unit_test(an_origin_is_cut_out_of_the_metadata),
		cmocka_unit_test(an_origin_elsewhere_stays),
		cmocka_unit_test(an_origin_of_a_parser_stays),
		cmocka_unit_test(a_line_stays_a_line),
		cmocka_unit_test(what_is_not_json_is_refused),
		cmocka_unit_test(what_is_not_an_object_is_refused),
		cmocka_unit_test(what_is_too_big_is_refused),
		cmocka_unit_test(a_name_without_end_is_refused),
		cmocka_unit_test(what_is_too_deep_is_refused),
		cmocka_unit_test(width_is_not_depth),
		cmocka_unit_test(a_member_of_the_envelope_twice_is_refused),
		cmocka_unit_test(wrong_types_are_refused),
		cmocka_unit_test(any_finite_number_is_a_timestamp),
		cmocka_unit_test(each_mode_does_what_it_says),
		cmocka_unit_test(what_people_do_comes_from_the_stage),
		cmocka_unit_test(who_says_the_stage_is_left_alone),
		cmocka_unit_test(all_else_keeps_its_source),
		cmocka_unit_test(what_people_do_keeps_its_schema),
		cmocka_unit_test(nobody_else_speaks_as_the_box),
		cmocka_unit_test(an_uncredentialled_source_gets_a_prefix),
		cmocka_unit_test(some_types_are_closed_without_a_credential),
		cmocka_unit_test(a_configured_name_is_closed_without_a_credential),
		cmocka_unit_test(the_parsing_corpus_is_judged_as_it_says),
		cmocka_unit_test(names_and_ends_are_harmless),
	};

	return cmocka_run_group_tests(tests, start, stop);
}
