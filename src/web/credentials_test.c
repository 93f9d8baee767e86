/* credentials_test.c - the token's file, its modes, and the comparison. */
#include "web/credentials.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/must.h"
#include "config/config.h"

static char base[] = "/tmp/credentials-XXXXXX";
static char data[64], token_path[80], other_path[80];

static void write_file(const char *path, const char *words, mode_t mode)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(words, file);
	fclose(file);
	assert_int_equal(chmod(path, mode), 0);
}

/* Reads what is there, without its newline. */
static void read_file(const char *path, char out[TOKEN_LEN + 2])
{
	FILE *file = fopen(path, "r");

	assert_non_null(file);
	assert_non_null(fgets(out, TOKEN_LEN + 2, file));
	fclose(file);
	assert_int_equal(out[TOKEN_LEN], '\n');
	out[TOKEN_LEN] = '\0';
}

static int set_up(void **state)
{
	unlink(token_path);
	unlink(other_path);
	rmdir(data);
	return mkdir(data, 0700);
}

static struct credentials *load(struct error *why)
{
	struct config config = {.data = data};

	*why = (struct error){""};
	return credentials_load(&config, why);
}

static void the_first_start_makes_a_token(void **state)
{
	char token[TOKEN_LEN + 2], again[TOKEN_LEN + 2];
	struct caller caller;
	struct credentials *c;
	struct error why;
	struct stat s;

	assert_int_equal(rmdir(data), 0);
	c = load(&why);
	assert_non_null(c);
	assert_int_equal(stat(data, &s), 0);
	assert_int_equal(s.st_mode & 07777, 0700);
	assert_int_equal(stat(token_path, &s), 0);
	assert_int_equal(s.st_mode & 07777, 0600);
	assert_int_equal(s.st_size, TOKEN_LEN + 1);
	read_file(token_path, token);
	assert_true(credentials_find(c, text_of(token), &caller));
	assert_int_equal(caller.scopes, SCOPE_ALL);
	credentials_destroy(c);
	c = load(&why);
	assert_non_null(c);
	read_file(token_path, again);
	assert_string_equal(token, again);
	credentials_destroy(c);
}

static void a_wrong_token_is_nobody(void **state)
{
	struct caller caller = {0};
	struct error why;
	struct credentials *c = load(&why);
	char token[TOKEN_LEN + 2];

	assert_non_null(c);
	read_file(token_path, token);
	assert_false(credentials_find(c, TEXT(""), &caller));
	assert_false(credentials_find(c, (struct text){token, TOKEN_LEN - 1}, &caller));
	token[TOKEN_LEN - 1] ^= 1;
	assert_false(credentials_find(c, text_of(token), &caller));
	assert_int_equal(caller.scopes, 0);
	credentials_destroy(c);
}

static void refuse_with(const char *words)
{
	struct error why;

	assert_null(load(&why));
	if (!strstr(why.words, words))
		fail_msg("'%s' does not say '%s'", why.words, words);
}

static void a_token_that_others_can_read_is_refused(void **state)
{
	static const mode_t modes[] = {0644, 0640, 0604, 0660, 0620, 0610, 0601};
	struct error why;

	credentials_destroy(load(&why));
	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++) {
		assert_int_equal(chmod(token_path, modes[i]), 0);
		refuse_with("chmod 600");
	}
	assert_int_equal(chmod(token_path, 0400), 0);
	credentials_destroy(load(&why));
}

static void a_data_directory_open_to_others_is_refused(void **state)
{
	assert_int_equal(chmod(data, 0755), 0);
	refuse_with("chmod 700");
	assert_int_equal(chmod(data, 0710), 0);
	refuse_with("chmod 700");
	assert_int_equal(chmod(data, 0700), 0);
}

static void a_link_is_not_followed(void **state)
{
	char token[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\n";

	write_file(other_path, token, 0600);
	assert_int_equal(symlink(other_path, token_path), 0);
	refuse_with("token");
}

static void rubbish_is_no_token(void **state)
{
	static const char *const rubbish[] = {
		"",
		"\n",
		"secret\n",
		"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcde\n",
		"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0\n",
		"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdeg\n",
	};

	for (size_t i = 0; i < sizeof(rubbish) / sizeof(*rubbish); i++) {
		write_file(token_path, rubbish[i], 0600);
		refuse_with("hexadecimal");
	}
}

static void a_file_that_is_none_is_refused(void **state)
{
	assert_int_equal(mkfifo(token_path, 0600), 0);
	refuse_with("is not a file");
}

static void more_tokens_have_the_scopes_of_the_configuration(void **state)
{
	char token[] = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff\n";
	char name[] = "watcher";
	struct config_token more = {.name = name, .file = other_path, .scopes = SCOPE_OBSERVE};
	struct config config = {.data = data, .auth = {.tokens = &more, .token_count = 1}};
	struct caller caller;
	struct credentials *c;
	struct error why;

	write_file(other_path, token, 0600);
	c = credentials_load(&config, &why);
	assert_non_null(c);
	assert_true(credentials_find(c, (struct text){token, TOKEN_LEN}, &caller));
	assert_int_equal(caller.scopes, SCOPE_OBSERVE);
	assert_true(caller.has_credential);
	assert_string_equal(caller.name, "watcher");
	credentials_destroy(c);

	assert_int_equal(chmod(other_path, 0644), 0);
	assert_null(credentials_load(&config, &why));
	assert_non_null(strstr(why.words, "watcher"));
	assert_non_null(strstr(why.words, "chmod 600"));
	assert_int_equal(unlink(other_path), 0);
	assert_null(credentials_load(&config, &why));
	assert_non_null(strstr(why.words, "watcher"));
}

/* Who may give files away tries it with its own, anybody else with root's. */
static void another_users_file_is_refused(void **state)
{
	char name[] = "foreign", file[] = "/etc/passwd";
	struct config_token foreign = {.name = name, .file = file, .scopes = SCOPE_OBSERVE};
	struct config config = {.data = data, .auth = {.tokens = &foreign, .token_count = 1}};
	struct error why;

	if (geteuid() != 0) {
		assert_null(credentials_load(&config, &why));
		assert_non_null(strstr(why.words, "another user"));
		return;
	}
	credentials_destroy(load(&why));
	assert_int_equal(chown(token_path, 12345, 12345), 0);
	refuse_with("another user");
	assert_int_equal(chown(token_path, 0, 0), 0);
	assert_int_equal(chown(data, 12345, 12345), 0);
	refuse_with("another user");
	assert_int_equal(chown(data, 0, 0), 0);
}

/* One bit of difference anywhere is a difference, and only none is none. */
static void digests_are_compared_whole(void **state)
{
	unsigned char a[DIGEST_LEN], b[DIGEST_LEN];

	credentials_digest(TEXT("one"), a);
	credentials_digest(TEXT("one"), b);
	assert_true(credentials_same(a, b));
	for (size_t bit = 0; bit < DIGEST_LEN * 8; bit++) {
		b[bit / 8] ^= (unsigned char)(1u << bit % 8);
		assert_false(credentials_same(a, b));
		b[bit / 8] ^= (unsigned char)(1u << bit % 8);
	}
	assert_true(credentials_same(a, b));
}

static void a_digest_is_sha_256(void **state)
{
	static const unsigned char abc[DIGEST_LEN] = {
		0xba, 0x78, 0x16, 0xbf, 0x8f, 0x01, 0xcf, 0xea, 0x41, 0x41, 0x40,
		0xde, 0x5d, 0xae, 0x22, 0x23, 0xb0, 0x03, 0x61, 0xa3, 0x96, 0x17,
		0x7a, 0x9c, 0xb4, 0x10, 0xff, 0x61, 0xf2, 0x00, 0x15, 0xad,
	};
	unsigned char digest[DIGEST_LEN];

	credentials_digest(TEXT("abc"), digest);
	assert_memory_equal(digest, abc, DIGEST_LEN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(the_first_start_makes_a_token, set_up),
		cmocka_unit_test_setup(a_wrong_token_is_nobody, set_up),
		cmocka_unit_test_setup(a_token_that_others_can_read_is_refused, set_up),
		cmocka_unit_test_setup(a_data_directory_open_to_others_is_refused, set_up),
		cmocka_unit_test_setup(a_link_is_not_followed, set_up),
		cmocka_unit_test_setup(rubbish_is_no_token, set_up),
		cmocka_unit_test_setup(a_file_that_is_none_is_refused, set_up),
		cmocka_unit_test_setup(more_tokens_have_the_scopes_of_the_configuration, set_up),
		cmocka_unit_test_setup(another_users_file_is_refused, set_up),
		cmocka_unit_test(digests_are_compared_whole),
		cmocka_unit_test(a_digest_is_sha_256),
	};
	int failed;

	umask(0);
	if (!mkdtemp(base))
		return 1;
	snprintf(data, sizeof(data), "%s/data", base);
	snprintf(token_path, sizeof(token_path), "%s/token", data);
	snprintf(other_path, sizeof(other_path), "%s/other", data);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(token_path);
	unlink(other_path);
	rmdir(data);
	rmdir(base);
	return failed;
}
