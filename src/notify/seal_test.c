/* seal_test.c - the example of RFC 8291, section 5 and appendix A, byte for byte. */
#include "notify/seal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <openssl/evp.h>

#include "base/base64url.h"

#define PLAIN "When I grow up, I want to be a watermelon"
#define BROWSER \
	"BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
#define AUTH "BTBZMqHH6r4Tts7J_aSIgg"
#define SECRET "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"
#define POINT \
	"BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8"
#define SALT "DGv6ra1nlYgDCS1FRnbzlw"
#define SEALED \
	"DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27ml" \
	"mlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPT" \
	"pK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"

static struct seal_keys keys;
static struct seal_once once;

static void take(const char *words, void *bytes, size_t n)
{
	bool read = base64url_read(text_of(words), bytes, n);

	assert_true(read);
}

static int set_up(void **state)
{
	take(BROWSER, keys.point, sizeof(keys.point));
	take(AUTH, keys.auth, sizeof(keys.auth));
	take(SECRET, once.secret, sizeof(once.secret));
	take(SALT, once.salt, sizeof(once.salt));
	return 0;
}

static void the_example_of_the_standard(void **state)
{
	struct buf sealed, words;
	bool written;

	buf_init(&sealed, 8 * KIB);
	buf_init(&words, 8 * KIB);
	written = seal_write(&keys, &once, TEXT(PLAIN), &sealed);
	assert_true(written);
	base64url_add(&words, sealed.at, sealed.len);
	buf_add_char(&words, '\0');
	assert_string_equal(words.at, SEALED);
	buf_finish(&words);
	buf_finish(&sealed);
}

static void a_secret_has_its_point(void **state)
{
	unsigned char point[CURVE_POINT], wanted[CURVE_POINT];
	static const unsigned char none[CURVE_SECRET];
	bool made = curve_point(once.secret, point);

	assert_true(made);
	take(POINT, wanted, sizeof(wanted));
	assert_memory_equal(point, wanted, CURVE_POINT);
	assert_true(curve_has(point));
	assert_false(curve_point(none, point));
}

static void a_point_that_is_none_is_refused(void **state)
{
	static const unsigned char nothing[CURVE_POINT];
	struct seal_keys bad = keys;
	struct buf sealed;
	bool written;

	buf_init(&sealed, 8 * KIB);
	bad.point[40] ^= 1;
	written = seal_write(&bad, &once, TEXT(PLAIN), &sealed);
	assert_false(written);
	assert_false(curve_has(bad.point));
	assert_false(curve_has(nothing));
	buf_finish(&sealed);
}

static void too_much_is_refused(void **state)
{
	static char much[SEAL_PLAIN_MAX + 1];
	struct buf sealed;
	bool written;

	buf_init(&sealed, 8 * KIB);
	written = seal_write(&keys, &once, (struct text){much, sizeof(much)}, &sealed);
	assert_false(written);
	written = seal_write(&keys, &once, (struct text){much, SEAL_PLAIN_MAX}, &sealed);
	assert_true(written);
	assert_true(sealed.len <= 4096);
	buf_finish(&sealed);
}

static void each_message_has_keys_of_its_own(void **state)
{
	struct seal_once other;

	seal_draw(&other);
	assert_memory_not_equal(other.secret, once.secret, CURVE_SECRET);
	assert_memory_not_equal(other.salt, once.salt, SEAL_SALT);
}

static void bytes_come_back(void **state)
{
	for (size_t n = 0; n < 70; n++) {
		unsigned char bytes[70], back[70];
		struct buf words;
		bool read;

		for (size_t i = 0; i < n; i++)
			bytes[i] = (unsigned char)(i * 37 + n);
		buf_init(&words, 1 * KIB);
		base64url_add(&words, bytes, n);
		read = base64url_read(buf_text(&words), back, n);
		assert_true(read);
		assert_memory_equal(bytes, back, n);
		read = base64url_read(buf_text(&words), back, n + 1);
		assert_false(read);
		buf_finish(&words);
	}
	assert_false(base64url_read(TEXT("AA+A"), (char[3]){0}, 3));
	assert_false(base64url_read(TEXT("AB"), (char[1]){0}, 1));
	assert_true(base64url_read(TEXT("AA=="), (char[1]){0}, 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(the_example_of_the_standard, set_up),
		cmocka_unit_test_setup(a_secret_has_its_point, set_up),
		cmocka_unit_test_setup(a_point_that_is_none_is_refused, set_up),
		cmocka_unit_test_setup(too_much_is_refused, set_up),
		cmocka_unit_test_setup(each_message_has_keys_of_its_own, set_up),
		cmocka_unit_test(bytes_come_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
