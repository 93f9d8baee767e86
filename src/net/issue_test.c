/* issue_test.c - certificates of our own making, as OpenSSL itself judges them. */
#include "net/issue.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include "net/tls.h"

static char path[] = "/tmp/issue-XXXXXX";

static void make_file(const char *const *names, size_t count)
{
	struct issue_names wish = {.count = count};
	struct error why;
	struct buf pem;
	FILE *out = fopen(path, "w");
	bool made;

	for (size_t i = 0; i < count; i++)
		wish.all[i] = names[i];
	buf_init(&pem, 64 * KIB);
	made = issue_make(&wish, &pem, &why);
	assert_true(made);
	assert_non_null(out);
	assert_int_equal(fwrite(pem.at, 1, pem.len, out), pem.len);
	fclose(out);
	buf_finish(&pem);
}

static const char *const names[] = {"192.0.2.7", "box.example", "localhost", "::1"};

static void it_is_good_for_its_names_and_no_other(void **state)
{
	make_file(names, 4);
	for (size_t i = 0; i < 4; i++)
		assert_true(issue_is_good(path, names[i]));
	assert_false(issue_is_good(path, "192.0.2.8"));
	assert_false(issue_is_good(path, "example"));
	assert_false(issue_is_good(path, "a.box.example"));
	assert_false(issue_is_good("/nonexistent/file", "localhost"));
}

static void it_says_what_it_is_for(void **state)
{
	struct issue_kept kept;

	make_file(names, 4);
	assert_true(issue_lasts(path));
	issue_read_names(path, &kept);
	assert_int_equal(kept.count, 4);
	for (size_t i = 0; i < 4; i++)
		assert_string_equal(kept.all[i], names[i]);
	assert_false(issue_lasts("/nonexistent/file"));
	issue_read_names("/nonexistent/file", &kept);
	assert_int_equal(kept.count, 0);
}

static void a_server_can_use_it(void **state)
{
	struct error why;
	struct tls_context *context;

	make_file(names, 4);
	context = tls_context_server(path, path, &why);
	assert_non_null(context);
	tls_context_destroy(context);
}

static X509 *next_cert(FILE *in)
{
	X509 *cert = PEM_read_X509(in, NULL, NULL, NULL);

	assert_non_null(cert);
	return cert;
}

/* The file has one private key, and that is not the voucher's: with it nothing can be signed
 * that a phone would take. */
static void what_vouches_has_no_key_any_more(void **state)
{
	FILE *in;
	EVP_PKEY *key, *public;
	X509 *leaf, *voucher;

	make_file(names, 4);
	in = fopen(path, "r");
	assert_non_null(in);
	key = PEM_read_PrivateKey(in, NULL, NULL, NULL);
	leaf = next_cert(in);
	voucher = next_cert(in);
	assert_non_null(key);
	assert_null(PEM_read_X509(in, NULL, NULL, NULL));
	rewind(in);
	public = X509_get_pubkey(voucher);
	assert_int_equal(X509_check_private_key(leaf, key), 1);
	assert_int_equal(X509_check_private_key(voucher, key), 0);
	assert_int_equal(X509_verify(leaf, public), 1);
	assert_int_equal(X509_check_ca(voucher), 1);
	assert_int_equal(X509_check_ca(leaf), 0);
	EVP_PKEY_free(public);
	EVP_PKEY_free(key);
	X509_free(leaf);
	X509_free(voucher);
	fclose(in);
}

static void the_voucher_can_be_handed_out(void **state)
{
	char print[ISSUE_PRINT_LEN + 1];
	struct error why;
	struct buf pem;
	bool told;

	make_file(names, 4);
	buf_init(&pem, 64 * KIB);
	told = issue_voucher(path, &pem, print, &why);
	assert_true(told);
	assert_int_equal(strlen(print), ISSUE_PRINT_LEN);
	buf_add_char(&pem, '\0');
	assert_non_null(strstr(pem.at, "BEGIN CERTIFICATE"));
	assert_null(strstr(pem.at, "PRIVATE"));
	buf_finish(&pem);
}

static void a_name_that_would_say_more_is_refused(void **state)
{
	static const char *const bad[] = {"", "a,DNS:evil.example", "a b", "a\nb", "*.example"};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct issue_names wish = {.all = {bad[i]}, .count = 1};
		struct error why;
		struct buf pem;
		bool made;

		buf_init(&pem, 64 * KIB);
		made = issue_make(&wish, &pem, &why);
		assert_false(made);
		buf_finish(&pem);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_is_good_for_its_names_and_no_other),
		cmocka_unit_test(it_says_what_it_is_for),
		cmocka_unit_test(a_server_can_use_it),
		cmocka_unit_test(what_vouches_has_no_key_any_more),
		cmocka_unit_test(the_voucher_can_be_handed_out),
		cmocka_unit_test(a_name_that_would_say_more_is_refused),
	};
	int fd = mkstemp(path), failed;

	if (fd < 0)
		return 1;
	close(fd);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(path);
	return failed;
}
