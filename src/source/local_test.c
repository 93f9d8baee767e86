/* local_test.c - what is found on this machine, folded into a real list of sources. */
#include "source/local.h"

#include "source/fixture.h"

#define ID "local:thing"

static const struct text old_models[] = {{"m1", 2}};
static const struct text new_models[] = {{"m1", 2}, {"m2", 2}};

/* One that nobody speaks to by itself: its address is never dialled here. */
static struct local_service thing(bool is_there)
{
	return (struct local_service){
		.id = TEXT(ID),
		.label = TEXT("Thing"),
		.protocol = TEXT("codex"),
		.url = TEXT("ws://127.0.0.1:1"),
		.is_there = is_there,
		.models = old_models,
		.model_count = is_there ? 1 : 0,
	};
}

static void look(const struct local_service *service, const char *prefix, bool keeps_errors)
{
	struct local_look l = {.services = service,
	                       .count = service ? 1 : 0,
	                       .prefix = text_of(prefix),
	                       .keeps_errors = keeps_errors};

	local_reconcile(fixture.sources, &l);
}

static enum source_state state_of(const char *id)
{
	struct source *s = sources_find(fixture.sources, text_of(id));

	assert_non_null(s);
	return source_state(s);
}

static void check_json(const char *id, const char *part)
{
	struct buf out;

	buf_init(&out, 64 * KIB);
	source_json(sources_find(fixture.sources, text_of(id)), &out);
	buf_add_char(&out, '\0');
	assert_non_null(strstr(out.at, part));
	buf_finish(&out);
}

static void what_was_never_found_is_not_listed(void **state)
{
	struct local_service s = thing(false);

	look(&s, NULL, false);
	assert_null(sources_find(fixture.sources, TEXT(ID)));
}

static void what_is_found_is_added_disconnected(void **state)
{
	struct local_service s = thing(true);

	look(&s, NULL, false);
	assert_int_equal(state_of(ID), SOURCE_DISCONNECTED);
	assert_true(source_is_local(sources_find(fixture.sources, TEXT(ID))));
	check_json(ID, "\"models\":[\"m1\"]");
	check_json(ID, "\"category\":\"local\"");
}

static void it_goes_and_comes_back_with_other_models(void **state)
{
	struct local_service here = thing(true), gone = thing(false);

	look(&here, NULL, false);
	look(&gone, NULL, false);
	assert_int_equal(state_of(ID), SOURCE_UNAVAILABLE);
	here.models = new_models;
	here.model_count = 2;
	look(&here, NULL, false);
	assert_int_equal(state_of(ID), SOURCE_DISCONNECTED);
	check_json(ID, "\"models\":[\"m1\",\"m2\"]");
}

static void only_what_a_look_is_about_can_be_missing(void **state)
{
	struct local_service here = thing(true);

	look(&here, NULL, false);
	look(NULL, NULL, false);
	look(NULL, "local:midi:", false);
	assert_int_equal(state_of(ID), SOURCE_DISCONNECTED);
	look(NULL, "local:th", false);
	assert_int_equal(state_of(ID), SOURCE_UNAVAILABLE);
}

static void sources_of_people_are_never_touched(void **state)
{
	struct source_wish mine = {.id = TEXT("local.thing"), .url = TEXT("ws://127.0.0.1:1")};
	struct local_service s = thing(false);

	assert_int_equal(sources_add(fixture.sources, &mine, NULL), BACK_DONE);
	s.id = mine.id;
	look(&s, "local", false);
	assert_int_equal(state_of("local.thing"), SOURCE_DISCONNECTED);
}

static void services_of_this_machine_come_first(void **state)
{
	struct source_wish mine = {.id = TEXT("mine"), .url = TEXT("ws://127.0.0.1:1")};
	struct local_service s = thing(true);

	assert_int_equal(sources_add(fixture.sources, &mine, NULL), BACK_DONE);
	look(&s, NULL, false);
	s.id = TEXT("local:other");
	look(&s, NULL, false);
	assert_true(text_is(source_id(sources_next(fixture.sources, NULL)), ID));
	assert_true(text_is(
		source_id(sources_next(fixture.sources, sources_find(fixture.sources, TEXT(ID)))),
		"local:other"));
}

static void one_that_moved_is_found_where_it_is(void **state)
{
	struct local_service s = thing(true);

	look(&s, NULL, false);
	s.url = TEXT("ws://127.0.0.1:2");
	look(&s, NULL, false);
	check_json(ID, "\"url\":\"ws://127.0.0.1:2\"");
}

/* midi://x is no port: opening it fails for good, at once. */
static void connected_and_failed_ones_keep_their_state(void **state)
{
	struct local_service s = thing(true);

	s.protocol = TEXT("midi");
	s.url = TEXT("midi://x");
	look(&s, NULL, false);
	assert_int_equal(sources_connect(fixture.sources, TEXT(ID), NULL), BACK_DONE);
	assert_int_equal(state_of(ID), SOURCE_ERROR);
	look(&s, NULL, true);
	assert_int_equal(state_of(ID), SOURCE_ERROR);
	look(&s, NULL, false);
	assert_int_equal(state_of(ID), SOURCE_DISCONNECTED);

	s.is_hook = s.comes = true;
	look(&s, NULL, false);
	assert_int_equal(state_of(ID), SOURCE_CONNECTED);
	s.is_hook = s.is_there = false;
	look(&s, NULL, false);
	look(NULL, "local:", false);
	assert_int_equal(state_of(ID), SOURCE_CONNECTED);
}

static void one_that_comes_by_itself_is_connected_while_it_does(void **state)
{
	struct local_service s = thing(true);

	s.is_hook = true;
	s.comes = true;
	look(&s, NULL, false);
	assert_int_equal(state_of(ID), SOURCE_CONNECTED);
	s.comes = false;
	look(&s, NULL, false);
	assert_int_equal(state_of(ID), SOURCE_DISCONNECTED);
	s.is_there = false;
	look(&s, NULL, false);
	assert_int_equal(state_of(ID), SOURCE_UNAVAILABLE);
}

static void a_service_is_told_in_the_shape_of_the_documents(void **state)
{
	static const char expected[] =
		"{\"id\":\"local:thing\",\"label\":\"Thing\",\"protocol\":\"sse\","
		"\"url\":\"ws://127.0.0.1:1\",\"available\":true,\"needsApiKey\":true,"
		"\"models\":[\"m1\"]}";
	struct local_service s = thing(true);
	struct buf out;

	s.spoken = TEXT("sse");
	s.needs_key = true;
	buf_init(&out, KIB);
	local_add_json(&out, &s);
	assert_int_equal(out.len, strlen(expected));
	assert_memory_equal(out.at, expected, out.len);
	buf_finish(&out);
}

#define fixture_test(name) cmocka_unit_test_setup_teardown(name, fixture_set_up, fixture_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		fixture_test(what_was_never_found_is_not_listed),
		fixture_test(what_is_found_is_added_disconnected),
		fixture_test(it_goes_and_comes_back_with_other_models),
		fixture_test(only_what_a_look_is_about_can_be_missing),
		fixture_test(sources_of_people_are_never_touched),
		fixture_test(services_of_this_machine_come_first),
		fixture_test(one_that_moved_is_found_where_it_is),
		fixture_test(connected_and_failed_ones_keep_their_state),
		fixture_test(one_that_comes_by_itself_is_connected_while_it_does),
		fixture_test(a_service_is_told_in_the_shape_of_the_documents),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
