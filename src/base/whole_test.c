/* whole_test.c - files that are there whole or not at all. */
#include "base/whole.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/must.h"

#define STRICT (WHOLE_PRIVATE | WHOLE_NO_LINK)

static char dir[64];
static char path[128], other[128];

static int set_up(void **state)
{
	snprintf(dir, sizeof(dir), "/tmp/whole-test-XXXXXX");
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/file", dir);
	snprintf(other, sizeof(other), "%s/other", dir);
	return 0;
}

static int tear_down(void **state)
{
	unlink(path);
	unlink(other);
	return rmdir(dir); /* fails if a draft was left */
}

static void expect(const char *at, const char *bytes, mode_t mode)
{
	struct stat st;
	struct buf got;
	int fd = open(at, O_RDONLY | O_CLOEXEC);

	buf_init(&got, 64 * KIB);
	assert_true(fd >= 0 && whole_read(fd, &got));
	close(fd);
	assert_true(text_is(buf_text(&got), bytes));
	assert_int_equal(stat(at, &st), 0);
	assert_int_equal(st.st_mode & 07777, mode);
	buf_finish(&got);
}

static void it_is_replaced_with_the_mode_that_is_wanted(void **state)
{
	mode_t was = umask(077);

	assert_true(whole_replace(path, 0600, TEXT("one"), NULL));
	expect(path, "one", 0600);
	assert_true(whole_replace(path, 0644, TEXT("another"), NULL));
	expect(path, "another", 0644);
	assert_true(whole_replace(path, 0600, TEXT(""), NULL));
	expect(path, "", 0600);
	umask(was);
}

static void a_link_is_replaced_and_not_followed(void **state)
{
	assert_true(whole_replace(other, 0600, TEXT("theirs"), NULL));
	assert_int_equal(symlink(other, path), 0);
	assert_true(whole_replace(path, 0600, TEXT("ours"), NULL));
	expect(other, "theirs", 0600);
	expect(path, "ours", 0600);
}

static void what_cannot_be_replaced_is_told_and_leaves_nothing(void **state)
{
	struct error why;

	assert_int_equal(mkdir(path, 0700), 0);
	assert_false(whole_replace(path, 0600, TEXT("x"), &why));
	assert_true(text_starts(text_of(why.words), text_of(path)));
	assert_int_equal(rmdir(path), 0);
	assert_false(whole_replace("/nonexistent/place/file", 0600, TEXT("x"), &why));
	assert_int_equal(errno, ENOENT);
	assert_non_null(strstr(why.words, "No such file"));
}

static void it_is_created_where_nothing_is_and_nowhere_else(void **state)
{
	struct error why;

	assert_true(whole_create(path, 0600, TEXT("first"), &why));
	expect(path, "first", 0600);
	assert_false(whole_create(path, 0600, TEXT("second"), &why));
	assert_int_equal(errno, EEXIST);
	expect(path, "first", 0600);
}

static bool reads(unsigned demands, const char *bytes, struct error *why)
{
	struct buf got;
	bool good;

	buf_init(&got, 64 * KIB);
	good = whole_load(path, demands, &got, why);
	if (good)
		assert_true(text_is(buf_text(&got), bytes));
	whole_forget(&got);
	return good;
}

static void only_a_private_file_is_read(void **state)
{
	struct error why;

	assert_false(reads(STRICT, "", &why));
	assert_int_equal(errno, ENOENT);
	assert_true(whole_replace(path, 0600, TEXT("secret"), NULL));
	assert_true(reads(STRICT, "secret", &why));
	assert_int_equal(chmod(path, 0640), 0);
	assert_false(reads(STRICT, "", &why));
	assert_int_not_equal(errno, ENOENT);
	assert_non_null(strstr(why.words, "can be read by others (mode 0640); chmod 600"));
	assert_true(reads(WHOLE_NO_LINK, "secret", &why));
	assert_int_equal(chmod(path, 0400), 0);
	assert_true(reads(STRICT, "secret", &why));
}

static void a_link_is_read_only_where_it_may_be(void **state)
{
	struct error why;

	assert_true(whole_replace(other, 0600, TEXT("secret"), NULL));
	assert_int_equal(symlink(other, path), 0);
	assert_false(reads(STRICT, "", &why));
	assert_true(reads(WHOLE_PRIVATE, "secret", &why));
}

static void what_is_no_file_is_not_read(void **state)
{
	struct error why;

	assert_int_equal(mkfifo(path, 0600), 0);
	assert_false(reads(STRICT, "", &why));
	assert_non_null(strstr(why.words, "is not a file"));
}

static void what_is_too_big_is_told(void **state)
{
	char *much = must_zero(1, 100 * KIB);
	struct error why;

	memset(much, 'x', 100 * KIB);
	assert_true(whole_replace(path, 0600, (struct text){much, 100 * KIB}, NULL));
	assert_false(reads(STRICT, "", &why));
	assert_non_null(strstr(why.words, "is too big"));
	much[64 * KIB] = '\0'; /* so much fits exactly */
	assert_true(whole_replace(path, 0600, (struct text){much, 64 * KIB}, NULL));
	assert_true(reads(STRICT, much, &why));
	free(much);
}

static void only_a_private_directory_is_ours(void **state)
{
	struct error why;

	assert_false(whole_dir_is_private("/nonexistent/dir", &why));
	assert_int_equal(errno, ENOENT);
	assert_false(whole_dir_is_private("/dev/null", &why));
	assert_int_not_equal(errno, ENOENT);
	assert_non_null(strstr(why.words, "not a directory"));
	assert_int_equal(mkdir(path, 0700), 0);
	assert_true(whole_dir_is_private(path, &why));
	assert_int_equal(chmod(path, 0710), 0);
	assert_false(whole_dir_is_private(path, &why));
	assert_non_null(strstr(why.words, "(mode 0710); chmod 700 "));
	assert_int_equal(rmdir(path), 0);
}

static void a_name_without_a_directory_is_of_this_one(void **state)
{
	assert_true(whole_sync_name("file"));
	assert_true(whole_sync_name("/file"));
	assert_false(whole_sync_name("/nonexistent/file"));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(it_is_replaced_with_the_mode_that_is_wanted),
		TEST(a_link_is_replaced_and_not_followed),
		TEST(what_cannot_be_replaced_is_told_and_leaves_nothing),
		TEST(it_is_created_where_nothing_is_and_nowhere_else),
		TEST(only_a_private_file_is_read),
		TEST(a_link_is_read_only_where_it_may_be),
		TEST(what_is_no_file_is_not_read),
		TEST(what_is_too_big_is_told),
		TEST(only_a_private_directory_is_ours),
		TEST(a_name_without_a_directory_is_of_this_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
