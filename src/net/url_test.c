/* url_test.c - URLs that are read, and spellings that are not. */
#include "net/url.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static const struct {
	const char *url, *scheme, *host;
	unsigned port;
	const char *path, *query;
} good[] = {
	{"http://example.com", "http", "example.com", 80, "/", NULL},
	{"https://example.com/", "https", "example.com", 443, "/", NULL},
	{"ws://127.0.0.1:18789", "ws", "127.0.0.1", 18789, "/", NULL},
	{"WSS://Gate.Example.COM:8443/Ws?a=B&c", "wss", "gate.example.com", 8443, "/Ws", "a=B&c"},
	{"http://[::1]:11434/v1/models", "http", "::1", 11434, "/v1/models", NULL},
	{"http://[2001:DB8::1]", "http", "2001:db8::1", 80, "/", NULL},
	{"http://host?x", "http", "host", 80, "/", "x"},
	{"http://host?", "http", "host", 80, "/", ""},
	{"http://a_b.c-d/%2F;p=1/@x:y", "http", "a_b.c-d", 80, "/%2F;p=1/@x:y", NULL},
	{"http://1.example", "http", "1.example", 80, "/", NULL},
	{"http://10.0.0.1:65535/", "http", "10.0.0.1", 65535, "/", NULL},
	{"http://localhost/?q=http://u:p@h/", "http", "localhost", 80, "/", "q=http://u:p@h/"},
};

static const char *const bad[] = {
	"",
	"http",
	"http:",
	"http:/host",
	"//host",
	"host:80",
	"ftp://host",
	"file:///etc/passwd",
	"javascript://x",
	"http://",
	"http:///path",
	"http://:80",
	"http://user@host",
	"http://user:secret@host/",
	"http://@host",
	"http://host:",
	"http://host:0",
	"http://host:65536",
	"http://host:+80",
	"http://host:80x",
	"http://host:000080",
	"http://host:80:80",
	"http://127.1",
	"http://127.0.0.1.",
	"http://2130706433",
	"http://0x7f000001",
	"http://0x7f.0.0.1",
	"http://0177.0.0.1",
	"http://127.0.0.01",
	"http://127.0.0.256",
	"http://1.2.3.4.5",
	"http://example.1",
	"http://example.0x1",
	"http://0.0.0.0:11434",
	"http://169.254.169.254/latest/meta-data/",
	"ws://[::]/",
	"http://[::ffff:169.254.169.254]/",
	"http://[fe80::1]/",
	"http://[2002:a9fe:a9fe::]/",
	"http://[2001:0:a9fe:a9fe::1]/",
	"http://[64:ff9b::7f00:1]/",
	"http://[64:ff9b:1::a9fe:a9fe]/",
	"http://[::7f00:1]/",
	"http://[::ffff:0:a9fe:a9fe]/",
	"http://[fec0::1]/",
	"http://[FD00:EC2::254]/",
	"http://100.100.100.200/",
	"http://168.63.129.16/",
	"http://2852039166/",
	"http://0xa9.254.169.254/",
	"http://0251.0376.0251.0376/",
	"http://169.254.43518/",
	"http://169.254.169.254./",
	"http://metadata/",
	"http://METADATA.google.internal/computeMetadata/v1/",
	"http://metadata.google.internal./",
	"http://instance-data.ec2.internal/",
	"http://[::1",
	"http://::1",
	"http://[::1]x",
	"http://[::1]:",
	"http://[]",
	"http://[127.0.0.1]",
	"http://[fe80::1%25eth0]",
	"http://[::g]",
	"http://host.",
	"http://.host",
	"http://a..b",
	"http://-a.b",
	"http://a-.b",
	"http://ho st",
	"http://ho%73t",
	"http://h\xc3\xb6st",
	"http://host\\@evil",
	"http://host/a b",
	"http://host/\r\nX: y",
	"http://host/\x7f",
	"http://host/%",
	"http://host/%2",
	"http://host/%zz",
	"http://host/#part",
	"http://host#part",
	"http://host/<>",
	" http://host",
	"http://host ",
};

static void good_urls_are_cut_to_their_pieces(void **state)
{
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		struct error why = {""};
		struct url url;

		if (!url_parse(&url, text_of(good[i].url), &why))
			fail_msg("%s: %s", good[i].url, why.words);
		assert_true(text_is(url.scheme, good[i].scheme));
		assert_string_equal(url.host, good[i].host);
		assert_int_equal(url.port, good[i].port);
		assert_true(text_is(url.path, good[i].path));
		assert_int_equal(url.query.at != NULL, good[i].query != NULL);
		assert_true(text_equal(url.query, text_of(good[i].query)));
		assert_int_equal(url.is_ws, url.scheme.at[0] == 'w');
		assert_int_equal(url.is_secure, url.scheme.at[url.scheme.len - 1] == 's' &&
		                                        !text_is(url.scheme, "ws"));
	}
}

static void doubtful_urls_are_refused(void **state)
{
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct error why = {""};
		struct url url;

		if (url_parse(&url, text_of(bad[i]), &why))
			fail_msg("%s was taken", bad[i]);
		assert_true(why.words[0]);
	}
	assert_false(url_parse(&(struct url){0}, TEXT("http://a/\0b"), NULL));
}

static void the_ceilings_hold(void **state)
{
	char text[URL_MAX + 2] = "http://";
	struct url url;

	memset(text + 7, 'a', sizeof(text) - 7);
	assert_false(url_parse(&url, (struct text){text, 7 + 64}, NULL));
	assert_true(url_parse(&url, (struct text){text, 7 + 63}, NULL));
	for (size_t i = 7 + 50; i < sizeof(text); i += 50)
		text[i] = '.';
	assert_true(url_parse(&url, (struct text){text, 7 + URL_HOST_MAX}, NULL));
	assert_false(url_parse(&url, (struct text){text, 7 + URL_HOST_MAX + 1}, NULL));
	text[8] = '/';
	assert_true(url_parse(&url, (struct text){text, URL_MAX}, NULL));
	assert_false(url_parse(&url, (struct text){text, URL_MAX + 1}, NULL));
}

static void the_authority_is_as_it_is_written(void **state)
{
	struct url url;

	assert_true(url_parse(&url, TEXT("ws://[::1]:80/x"), NULL));
	assert_true(text_is(url.authority, "[::1]:80"));
	assert_true(url.is_literal);
	assert_true(url_parse(&url, TEXT("ws://Host/x"), NULL));
	assert_true(text_is(url.authority, "Host"));
	assert_false(url.is_literal);
}

static void loopback_is_known_by_its_name(void **state)
{
	static const struct {
		const char *url;
		bool is_loopback;
	} table[] = {
		{"http://localhost", true},           {"http://LOCALHOST", true},
		{"http://a.localhost", true},         {"http://127.0.0.1", true},
		{"http://127.9.9.9", true},           {"http://[::1]", true},
		{"http://[0:0:0:0:0:0:0:1]", true},   {"http://[2001:db8::1]", false},
		{"http://128.0.0.1", false},          {"http://127.evil.com", false},
		{"http://localhost.evil.com", false}, {"http://notlocalhost", false},
		{"http://xlocalhost", false},
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct url url;

		assert_true(url_parse(&url, text_of(table[i].url), NULL));
		if (url_is_loopback(&url) != table[i].is_loopback)
			fail_msg("%s", table[i].url);
	}
}

static void a_base_ends_without_slashes(void **state)
{
	assert_true(text_is(url_base(TEXT("https://a.b/c//")), "https://a.b/c"));
	assert_true(text_is(url_base(TEXT("https://a.b")), "https://a.b"));
	assert_true(text_is(url_base(TEXT("/")), ""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good_urls_are_cut_to_their_pieces),
		cmocka_unit_test(doubtful_urls_are_refused),
		cmocka_unit_test(the_ceilings_hold),
		cmocka_unit_test(the_authority_is_as_it_is_written),
		cmocka_unit_test(loopback_is_known_by_its_name),
		cmocka_unit_test(a_base_ends_without_slashes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
