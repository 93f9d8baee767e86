/* device_test.c - the key and its file, and what is signed: the first test of
 * RFC 8032, section 7.1, and the payloads letter by letter. */
#include "parse/openclaw_claim.h"
#include "source/openclaw/device.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/must.h"

#define RFC_SEED "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A"

struct world {
	char dir[64];
	char *file;
};

static int set_up(void **state)
{
	struct world *w = must_zero(1, sizeof(*w));

	snprintf(w->dir, sizeof(w->dir), "/tmp/device-XXXXXX");
	assert_non_null(mkdtemp(w->dir));
	w->file = must_print("%s/openclaw-device.json", w->dir);
	*state = w;
	return 0;
}

static int tear_down(void **state)
{
	struct world *w = *state;

	unlink(w->file);
	rmdir(w->dir);
	free(w->file);
	free(w);
	return 0;
}

static void write_file(const struct world *w, const char *words, mode_t mode)
{
	FILE *out = fopen(w->file, "w");

	assert_non_null(out);
	fputs(words, out);
	assert_int_equal(fclose(out), 0);
	assert_int_equal(chmod(w->file, mode), 0);
}

static struct device *load(const struct world *w)
{
	struct error why;
	struct device *d = device_load(w->dir, &why);

	assert_non_null(d);
	return d;
}

static void a_known_key_signs_as_the_standard_says(void **state)
{
	char signature[DEVICE_SIGNATURE_LEN + 1];
	struct device *d;

	write_file(*state, "{\"version\":1,\"key\":\"" RFC_SEED "\"}", 0600);
	d = load(*state);
	assert_string_equal(device_public_key(d), "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo");
	assert_string_equal(device_id(d),
	                    "21fe31dfa154a261626bf854046fd2271b7bed4b6abe45aa58877ef47f9721b9");
	device_sign(d, TEXT(""), signature);
	assert_string_equal(signature,
	                    "5VZDAMNgrHKQhuLMgG6CioSHfx645dl02HPgZSJJAVVfuIIVkKM7rMYeOXAc"
	                    "-bRr0lv18FlbviRlUUFDjnoQCw");
	device_destroy(d);
}

static void the_key_is_made_once_and_is_ours_alone(void **state)
{
	struct world *w = *state;
	struct device *first, *second;
	struct stat st;

	assert_false(device_exists(w->dir));
	first = load(w);
	assert_true(device_exists(w->dir));
	assert_int_equal(stat(w->file, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	second = load(w);
	assert_string_equal(device_id(first), device_id(second));
	assert_int_equal(strlen(device_id(first)), DEVICE_ID_LEN);
	assert_int_equal(strlen(device_public_key(first)), DEVICE_KEY_LEN);
	device_destroy(first);
	device_destroy(second);
}

static void tokens_are_kept_by_gateway(void **state)
{
	struct device *d = load(*state);
	struct error why;

	assert_null(device_token(d, "ws://a"));
	assert_true(device_keep_token(d, "ws://a", "one\"", &why));
	assert_true(device_keep_token(d, "ws://b", "two", &why));
	assert_true(device_keep_token(d, "ws://a", "three\"", &why));
	device_destroy(d);
	d = load(*state);
	assert_string_equal(device_token(d, "ws://a"), "three\"");
	assert_string_equal(device_token(d, "ws://b"), "two");
	assert_true(device_keep_token(d, "ws://a", NULL, &why));
	device_destroy(d);
	d = load(*state);
	assert_null(device_token(d, "ws://a"));
	assert_string_equal(device_token(d, "ws://b"), "two");
	device_destroy(d);
}

static void only_so_many_gateways_are_remembered(void **state)
{
	struct device *d = load(*state);
	struct error why;
	char url[32];

	for (int i = 0; i < 70; i++) {
		snprintf(url, sizeof(url), "ws://%d", i);
		assert_true(device_keep_token(d, url, "t", &why));
	}
	assert_null(device_token(d, "ws://0"));
	assert_non_null(device_token(d, "ws://69"));
	device_destroy(d);
}

static void a_file_that_others_can_read_is_refused(void **state)
{
	struct world *w = *state;
	struct error why;

	write_file(w, "{\"key\":\"" RFC_SEED "\"}", 0640);
	assert_null(device_load(w->dir, &why));
	assert_non_null(strstr(why.words, "chmod 600"));
}

static void a_broken_file_is_not_written_over(void **state)
{
	struct world *w = *state;
	static const char *const broken[] = {
		"",
		"{",
		"{}",
		"{\"key\":7}",
		"{\"key\":\"short\"}",
		"{\"key\":\"!!!xne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A\"}"};

	for (size_t i = 0; i < sizeof(broken) / sizeof(*broken); i++) {
		struct error why;
		struct stat st;

		write_file(w, broken[i], 0600);
		assert_null(device_load(w->dir, &why));
		assert_non_null(strstr(why.words, "no key"));
		assert_int_equal(stat(w->file, &st), 0);
		assert_int_equal(st.st_size, strlen(broken[i]));
	}
}

static void check_payload(const struct openclaw_claim *claim, const char *expected)
{
	struct buf out;

	buf_init(&out, 4 * KIB);
	openclaw_claim_add(&out, claim);
	assert_int_equal(out.len, strlen(expected));
	assert_memory_equal(out.at, expected, out.len);
	buf_finish(&out);
}

static void the_payload_is_what_the_gateway_puts_together(void **state)
{
	struct openclaw_claim claim = {
		.version = 2,
		.id = TEXT("abc"),
		.client = TEXT("gateway-client"),
		.mode = TEXT("backend"),
		.role = TEXT("operator"),
		.scopes = TEXT("operator.read,operator.write"),
		.signed_at = 1794702273353,
		.token = TEXT("T"),
		.nonce = TEXT("n-1"),
		.platform = TEXT("linux"),
	};

	check_payload(&claim, "v2|abc|gateway-client|backend|operator|operator.read,operator.write|"
	                      "1794702273353|T|n-1");
	claim.version = 3;
	check_payload(&claim, "v3|abc|gateway-client|backend|operator|operator.read,operator.write|"
	                      "1794702273353|T|n-1|linux|");
	claim.token = (struct text){0};
	check_payload(&claim, "v3|abc|gateway-client|backend|operator|operator.read,operator.write|"
	                      "1794702273353||n-1|linux|");
}

#define world_test(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		world_test(a_known_key_signs_as_the_standard_says),
		world_test(the_key_is_made_once_and_is_ours_alone),
		world_test(tokens_are_kept_by_gateway),
		world_test(only_so_many_gateways_are_remembered),
		world_test(a_file_that_others_can_read_is_refused),
		world_test(a_broken_file_is_not_written_over),
		world_test(the_payload_is_what_the_gateway_puts_together),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
