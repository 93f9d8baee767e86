/* guard_test.c - every spelling that is not exactly ours stays outside. */
#include "web/guard.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct guard guard;

static int set_up(void **state)
{
	guard_init(&guard);
	guard_add_address(&guard, "127.0.0.1:7446", 7446, 80);
	guard_add_host(&guard, "box.example:8443");
	guard_add_guest(&guard, "https://studio.example");
	return 0;
}

static int tear_down(void **state)
{
	guard_finish(&guard);
	return 0;
}

static enum guard_answer check_host(const char *host, bool is_unix)
{
	struct guard_view view = {.host = text_of(host), .is_unix = is_unix};

	return guard_check(&guard, &view);
}

static enum guard_answer check_origin(const char *origin)
{
	struct guard_view view = {.host = TEXT("127.0.0.1:7446"), .origin = text_of(origin)};

	return guard_check(&guard, &view);
}

static enum guard_answer check_site(const char *site, const char *origin, bool changes)
{
	struct guard_view view = {
		.host = TEXT("127.0.0.1:7446"),
		.origin = text_of(origin),
		.site = text_of(site),
		.changes = changes,
	};

	return guard_check(&guard, &view);
}

static enum guard_answer check_here(const char *host, const char *origin, bool is_secure)
{
	struct guard_view view = {.host = text_of(host),
	                          .origin = text_of(origin),
	                          .here = TEXT("192.0.2.7:7447"),
	                          .is_secure = is_secure};

	return guard_check(&guard, &view);
}

/* Where devices come in. */
static void the_address_it_came_to_passes(void **state)
{
	assert_int_equal(check_here("192.0.2.7:7447", NULL, true), GUARD_PASSES);
	assert_int_equal(check_here("192.0.2.7:7447", "https://192.0.2.7:7447", true),
	                 GUARD_PASSES);
	assert_int_equal(check_here("192.0.2.7:7447", "http://192.0.2.7:7447", true),
	                 GUARD_WRONG_ORIGIN);
	assert_int_equal(check_here("192.0.2.7:7447", "https://192.0.2.7", true),
	                 GUARD_WRONG_ORIGIN);
	assert_int_equal(check_here("192.0.2.7", NULL, true), GUARD_WRONG_HOST);
	assert_int_equal(check_here("192.0.2.77:7447", NULL, true), GUARD_WRONG_HOST);
	assert_int_equal(check_here("192.0.2.7:7447.evil.com", NULL, true), GUARD_WRONG_HOST);
	assert_int_equal(check_here("", NULL, true), GUARD_WRONG_HOST);
	assert_int_equal(check_host("192.0.2.7:7447", false), GUARD_WRONG_HOST);
}

static void a_listed_host_passes(void **state)
{
	assert_int_equal(check_host("127.0.0.1:7446", false), GUARD_PASSES);
	assert_int_equal(check_host("localhost:7446", false), GUARD_PASSES);
	assert_int_equal(check_host("[::1]:7446", false), GUARD_PASSES);
	assert_int_equal(check_host("LOCALHOST:7446", false), GUARD_PASSES);
	assert_int_equal(check_host("Box.Example:8443", false), GUARD_PASSES);
	assert_int_equal(check_host("box.example:8443", false), GUARD_PASSES);
}

static const char *const foreign_hosts[] = {
	"",
	" ",
	"evil.com",
	"evil.com:7446",
	"127.evil.com",
	"127.evil.com:7446",
	"127.0.0.1.evil.com",
	"127.0.0.1.evil.com:7446",
	"evil.com.127.0.0.1:7446",
	"localhost.evil.com:7446",
	"localhost:7446.evil.com",
	"localhost:7446.evil",
	"evil-localhost:7446",
	"evil.localhost:7446",
	"127.0.0.1",
	"localhost",
	"[::1]",
	"::1",
	"::1:7446",
	"127.0.0.1:80",
	"127.0.0.1:74460",
	"127.0.0.1:744",
	"127.0.0.1:07446",
	"127.0.0.1:+7446",
	"127.0.0.1:7446 ",
	" 127.0.0.1:7446",
	"127.0.0.1:7446,evil.com",
	"127.0.0.1:7446:7446",
	"127.0.0.1:",
	":7446",
	"127.0.0.1.:7446",
	"localhost.:7446",
	"0x7f.1:7446",
	"0x7f000001:7446",
	"0177.0.0.1:7446",
	"2130706433:7446",
	"127.1:7446",
	"127.0.1:7446",
	"127.0.0.2:7446",
	"0.0.0.0:7446",
	"0:7446",
	"[::ffff:127.0.0.1]:7446",
	"[0:0:0:0:0:0:0:1]:7446",
	"[::1%25lo]:7446",
	"[::]:7446",
	"user@127.0.0.1:7446",
	"user:pass@localhost:7446",
	"127.0.0.1:7446@evil.com",
	"127.0.0.1:7446/",
	"127.0.0.1:7446#",
	"http://127.0.0.1:7446",
	"loc\xC4\xB1lhost:7446",
	"\xE2\x91\xA0\xE2\x91\xA1\xE2\x91\xA6.0.0.1:7446",
	"box.example",
	"box.example:7446",
	"xbox.example:8443",
	"box.example:8443.evil.com",
};

static void any_other_host_is_refused(void **state)
{
	for (size_t i = 0; i < sizeof(foreign_hosts) / sizeof(*foreign_hosts); i++) {
		if (check_host(foreign_hosts[i], false) != GUARD_WRONG_HOST)
			fail_msg("'%s' passed", foreign_hosts[i]);
	}
}

static void a_host_with_a_nul_in_it_is_refused(void **state)
{
	static const char bytes[] = "127.0.0.1:7446\0.evil.com";
	struct guard_view view = {.host = {bytes, sizeof(bytes) - 1}};

	assert_int_equal(guard_check(&guard, &view), GUARD_WRONG_HOST);
}

static void the_unix_socket_knows_localhost_and_the_list(void **state)
{
	assert_int_equal(check_host("localhost", true), GUARD_PASSES);
	assert_int_equal(check_host("127.0.0.1:7446", true), GUARD_PASSES);
	assert_int_equal(check_host("evil.com", true), GUARD_WRONG_HOST);
	assert_int_equal(check_host("", true), GUARD_WRONG_HOST);
	assert_int_equal(check_host("localhost.", true), GUARD_WRONG_HOST);
}

static void our_own_origins_and_guests_pass(void **state)
{
	assert_int_equal(check_origin(NULL), GUARD_PASSES);
	assert_int_equal(check_origin("http://127.0.0.1:7446"), GUARD_PASSES);
	assert_int_equal(check_origin("http://localhost:7446"), GUARD_PASSES);
	assert_int_equal(check_origin("http://[::1]:7446"), GUARD_PASSES);
	assert_int_equal(check_origin("http://box.example:8443"), GUARD_PASSES);
	assert_int_equal(check_origin("https://studio.example"), GUARD_PASSES);
}

static void any_other_origin_is_refused(void **state)
{
	static const char *const origins[] = {
		"",
		"null",
		"file://",
		"https://127.0.0.1:7446",
		"ws://127.0.0.1:7446",
		"HTTP://127.0.0.1:7446",
		"http://127.0.0.1",
		"http://127.0.0.1:80",
		"http://127.0.0.1:7446/",
		"http://127.0.0.1:7446.evil.com",
		"http://127.0.0.1:7446@evil.com",
		"http://evil.com@127.0.0.1:7446",
		"http://evil.com",
		"http://evil.com#http://127.0.0.1:7446",
		"http://127.evil.com:7446",
		"http://127.0.0.1.evil.com:7446",
		"http://localhost.evil.com:7446",
		"http://LOCALHOST:7446",
		"http://localhost.:7446",
		"http://2130706433:7446",
		"http://0x7f.1:7446",
		"http://127.0.0.1:7446, http://evil.com",
		"http://127.0.0.1:7446 http://evil.com",
		"http:/127.0.0.1:7446",
		"//127.0.0.1:7446",
		"127.0.0.1:7446",
		"http://studio.example",
		"https://studio.example:443",
		"https://studio.example/",
		"https://studio.example.evil.com",
		"https://xstudio.example",
		"chrome-extension://abcdef",
	};

	for (size_t i = 0; i < sizeof(origins) / sizeof(*origins); i++) {
		if (check_origin(origins[i]) != GUARD_WRONG_ORIGIN)
			fail_msg("'%s' passed", origins[i]);
	}
}

static void the_host_is_asked_before_the_origin(void **state)
{
	struct guard_view view = {.host = TEXT("evil.com"), .origin = TEXT("http://evil.com")};

	assert_int_equal(guard_check(&guard, &view), GUARD_WRONG_HOST);
}

static void another_site_may_look_but_not_change(void **state)
{
	assert_int_equal(check_site("cross-site", NULL, false), GUARD_PASSES);
	assert_int_equal(check_site("cross-site", NULL, true), GUARD_WRONG_SITE);
	assert_int_equal(check_site("same-site", NULL, true), GUARD_WRONG_SITE);
	assert_int_equal(check_site("", NULL, true), GUARD_WRONG_SITE);
	assert_int_equal(check_site("Same-Origin", NULL, true), GUARD_WRONG_SITE);
	assert_int_equal(check_site("same-origin", NULL, true), GUARD_PASSES);
	assert_int_equal(check_site("none", NULL, true), GUARD_PASSES);
	assert_int_equal(check_site(NULL, NULL, true), GUARD_PASSES);
}

static void a_guest_is_another_site_by_nature(void **state)
{
	assert_int_equal(check_site("cross-site", "https://studio.example", true), GUARD_PASSES);
	assert_int_equal(check_site("cross-site", "http://127.0.0.1:7446", true), GUARD_WRONG_SITE);
	assert_int_equal(guard_guest(&guard, TEXT("https://studio.example")), 0);
	assert_int_equal(guard_guest(&guard, TEXT("http://127.0.0.1:7446")), -1);
	assert_int_equal(guard_guest(&guard, TEXT("")), -1);
}

static void port_80_may_be_left_out_where_it_is_ours(void **state)
{
	struct guard plain;
	struct guard_view view = {.host = TEXT("localhost"), .origin = TEXT("http://localhost")};

	guard_init(&plain);
	guard_add_address(&plain, "127.0.0.1:80", 80, 80);
	assert_int_equal(guard_check(&plain, &view), GUARD_PASSES);
	guard_finish(&plain);
}

static void nothing_passes_an_empty_guard(void **state)
{
	struct guard empty;
	struct guard_view view = {0};

	guard_init(&empty);
	guard_add_host(&empty, "");
	guard_add_guest(&empty, "");
	assert_int_equal(guard_check(&empty, &view), GUARD_WRONG_HOST);
	guard_finish(&empty);
}

static void every_refusal_has_words(void **state)
{
	assert_string_not_equal(guard_words(GUARD_WRONG_HOST), "");
	assert_string_not_equal(guard_words(GUARD_WRONG_ORIGIN), "");
	assert_string_not_equal(guard_words(GUARD_WRONG_SITE), "");
}

static void a_page_of_this_machine_is_known_by_all_of_its_origin(void **state)
{
	static const char *const good[] = {"http://localhost", "http://localhost:5173",
	                                   "https://127.0.0.1:1", "http://[::1]:65535"};
	static const char *const bad[] = {
		"",
		"null",
		"localhost:5173",
		"ftp://localhost",
		"http://localhost.evil.example",
		"http://localhost:",
		"http://localhost:0",
		"http://localhost:65536",
		"http://localhost:80/",
		"http://localhost:80@evil.example",
		"http://127.0.0.1.evil.example:80",
		"http://Localhost",
		"http://evil.example/http://localhost",
	};

	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
		assert_true(guard_is_loopback(text_of(good[i])));
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_false(guard_is_loopback(text_of(bad[i])));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_address_it_came_to_passes),
		cmocka_unit_test(a_listed_host_passes),
		cmocka_unit_test(any_other_host_is_refused),
		cmocka_unit_test(a_host_with_a_nul_in_it_is_refused),
		cmocka_unit_test(the_unix_socket_knows_localhost_and_the_list),
		cmocka_unit_test(our_own_origins_and_guests_pass),
		cmocka_unit_test(any_other_origin_is_refused),
		cmocka_unit_test(the_host_is_asked_before_the_origin),
		cmocka_unit_test(another_site_may_look_but_not_change),
		cmocka_unit_test(a_guest_is_another_site_by_nature),
		cmocka_unit_test(port_80_may_be_left_out_where_it_is_ours),
		cmocka_unit_test(nothing_passes_an_empty_guard),
		cmocka_unit_test(every_refusal_has_words),
		cmocka_unit_test(a_page_of_this_machine_is_known_by_all_of_its_origin),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
