/* brake_test.c - sessions that files hold. */
#include "base/brake.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fixture.h"
#include "base/must.h"

static int tear_down(void **state)
{
	fixture_drop("held/s");
	fixture_drop("held");
	return fixture_close(state);
}

static void what_has_no_file_is_free(void **state)
{
	uint64_t uses;

	assert_int_equal(brake_pass(fixture_dir, TEXT("s")), BRAKE_FREE);
	assert_false(brake_look(fixture_dir, TEXT("s"), &uses));
	assert_true(brake_release(fixture_dir, TEXT("s"), NULL));
}

static void what_is_held_passes_as_often_as_it_may(void **state)
{
	uint64_t uses;

	assert_true(brake_set(fixture_dir, TEXT("s"), 0, NULL));
	assert_int_equal(brake_pass(fixture_dir, TEXT("s")), BRAKE_HELD);
	assert_int_equal(brake_pass(fixture_dir, TEXT("other")), BRAKE_FREE);
	assert_true(brake_add(fixture_dir, TEXT("s"), 1, NULL));
	assert_true(brake_add(fixture_dir, TEXT("s"), 1, NULL));
	assert_true(brake_look(fixture_dir, TEXT("s"), &uses));
	assert_int_equal(uses, 2);
	assert_int_equal(brake_pass(fixture_dir, TEXT("s")), BRAKE_PASSED);
	assert_int_equal(brake_pass(fixture_dir, TEXT("s")), BRAKE_PASSED);
	assert_int_equal(brake_pass(fixture_dir, TEXT("s")), BRAKE_HELD);
	assert_true(brake_add(fixture_dir, TEXT("s"), UINT64_MAX, NULL));
	assert_true(brake_look(fixture_dir, TEXT("s"), &uses));
	assert_int_equal(uses, BRAKE_MAX);
	assert_true(brake_release(fixture_dir, TEXT("s"), NULL));
	assert_int_equal(brake_pass(fixture_dir, TEXT("s")), BRAKE_FREE);
}

static void a_file_that_is_not_understood_holds(void **state)
{
	char *path = must_print("%s/held/s", fixture_dir);
	FILE *f;

	assert_true(brake_set(fixture_dir, TEXT("s"), 5, NULL));
	f = fopen(path, "w");
	fputs("-1\n", f);
	fclose(f);
	assert_int_equal(brake_pass(fixture_dir, TEXT("s")), BRAKE_HELD);
	free(path);
}

static void a_name_that_leads_elsewhere_is_refused(void **state)
{
	struct error why;

	assert_false(brake_set(fixture_dir, TEXT("../s"), 0, &why));
	assert_false(brake_can(TEXT("")));
	assert_false(brake_can(TEXT("..")));
	assert_false(brake_can(TEXT("a\0b")));
	assert_true(brake_can(TEXT("0f8fad5b-d9cb-469f-a165-70867728950e")));
	assert_int_equal(brake_pass(fixture_dir, TEXT("../s")), BRAKE_FREE);
	assert_true(brake_release(fixture_dir, TEXT("../s"), NULL));
}

static void a_file_that_cannot_be_read_holds(void **state)
{
	char *path = must_print("%s/held/s", fixture_dir);

	assert_true(brake_set(fixture_dir, TEXT("s"), 5, NULL));
	assert_int_equal(unlink(path), 0);
	assert_int_equal(symlink("s", path), 0); /* root reads all but this */
	assert_int_equal(brake_pass(fixture_dir, TEXT("s")), BRAKE_HELD);
	free(path);
}

static void what_no_file_can_be_in_holds_nothing(void **state)
{
	char *held = must_print("%s/held", fixture_dir), *loop = must_print("%s/loop", fixture_dir);
	FILE *f = fopen(held, "w");

	fclose(f);
	assert_int_equal(brake_pass(fixture_dir, TEXT("s")), BRAKE_FREE);
	assert_int_equal(brake_pass(held, TEXT("s")), BRAKE_FREE);
	assert_int_equal(unlink(held), 0);
	assert_int_equal(symlink("loop", loop), 0);
	assert_int_equal(brake_pass(loop, TEXT("s")), BRAKE_FREE);
	assert_int_equal(unlink(loop), 0);
	free(held);
	free(loop);
}

static void count(void *self, struct text session)
{
	assert_true(text_is(session, "s"));
	++*(unsigned *)self;
}

static void those_that_are_held_are_listed(void **state)
{
	unsigned held = 0;

	brake_each(fixture_dir, count, &held);
	assert_int_equal(held, 0);
	assert_true(brake_set(fixture_dir, TEXT("s"), 0, NULL));
	brake_each(fixture_dir, count, &held);
	assert_int_equal(held, 1);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_open, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(what_has_no_file_is_free),
		TEST(what_is_held_passes_as_often_as_it_may),
		TEST(a_file_that_is_not_understood_holds),
		TEST(a_file_that_cannot_be_read_holds),
		TEST(what_no_file_can_be_in_holds_nothing),
		TEST(a_name_that_leads_elsewhere_is_refused),
		TEST(those_that_are_held_are_listed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
