/* secret_test.c - token files and their modes. */
#include "cli/secret.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/must.h"

static void a_new_one_is_private_and_can_be_read(void **state)
{
	char secret[SECRET_LEN + 1];
	struct stat st;

	assert_true(secret_create("t", NULL));
	assert_int_equal(stat("t", &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(st.st_size, SECRET_LEN + 1);
	assert_true(secret_read("t", secret, NULL));
	assert_int_equal(strspn(secret, "0123456789abcdef"), SECRET_LEN);
	unlink("t");
}

static void an_old_one_is_not_overwritten_but_replaced(void **state)
{
	char before[SECRET_LEN + 1], after[SECRET_LEN + 1];
	struct error why;

	assert_true(secret_create("t", NULL));
	assert_false(secret_create("t", &why));
	assert_string_equal(why.words, "t is there already");
	assert_true(secret_read("t", before, NULL));
	assert_true(secret_replace("t", NULL));
	assert_true(secret_read("t", after, NULL));
	assert_string_not_equal(before, after);
	unlink("t");
}

static void one_that_others_can_read_is_refused(void **state)
{
	char secret[SECRET_LEN + 1];
	struct error why;

	assert_true(secret_create("t", NULL));
	assert_int_equal(chmod("t", 0640), 0);
	assert_false(secret_read("t", secret, &why));
	assert_non_null(strstr(why.words, "can be read by others"));
	unlink("t");
}

static void what_is_no_token_is_refused(void **state)
{
	static const char *const contents[] = {"", "short\n", "x"};
	char secret[SECRET_LEN + 1], big[70];
	struct error why;

	memset(big, 'Z', sizeof(big) - 1);
	big[sizeof(big) - 1] = '\0';
	for (unsigned i = 0; i < 4; i++) {
		int fd = open("t", O_WRONLY | O_CREAT | O_EXCL, 0600);
		const char *content = i < 3 ? contents[i] : big;

		assert_int_equal(write(fd, content, strlen(content)), strlen(content));
		close(fd);
		assert_false(secret_read("t", secret, &why));
		assert_non_null(strstr(why.words, "64 hexadecimal characters"));
		unlink("t");
	}
	assert_false(secret_read(".", secret, &why));
	assert_false(secret_read("nothing", secret, &why));
}

static int enter_a_directory(void **state)
{
	char dir[] = "/tmp/secret-test-XXXXXX";

	if (!mkdtemp(dir) || chdir(dir) != 0)
		return -1;
	*state = must_dup(dir);
	return 0;
}

static int leave_the_directory(void **state)
{
	int result = chdir("/") != 0 || rmdir(*state) != 0;

	free(*state);
	return result;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_new_one_is_private_and_can_be_read),
		cmocka_unit_test(an_old_one_is_not_overwritten_but_replaced),
		cmocka_unit_test(one_that_others_can_read_is_refused),
		cmocka_unit_test(what_is_no_token_is_refused),
	};

	return cmocka_run_group_tests(tests, enter_a_directory, leave_the_directory);
}
