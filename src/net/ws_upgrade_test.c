/* ws_upgrade_test.c - what we ask for, and which answers are taken for a yes. */
#include "net/ws_upgrade.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "net/url.h"

#define KEY "dGhlIHNhbXBsZSBub25jZQ=="
#define ACCEPT "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"
#define YES "HTTP/1.1 101 Switching Protocols\r\n"
#define BOTH "Upgrade: websocket\r\nConnection: Upgrade\r\n"

static const struct {
	const char *head;
	int status;
	const char *why; /* NULL: it is taken */
} table[] = {
	{YES BOTH ACCEPT "\r\n", 101, NULL},
	{YES "upgrade: WebSocket\r\nconnection: keep-alive, upgrade\r\n" ACCEPT "\r\n", 101, NULL},
	{YES BOTH ACCEPT "Server: x\r\nSec-WebSocket-Extensions:\r\n\r\n", 101, NULL},
	{YES "Connection: a\r\n" BOTH ACCEPT "\r\n", 101, NULL},
	{YES "Upgrade: websocket\r\n" ACCEPT "\r\n", 101, "the connection"},
	{YES "Connection: upgrade\r\n" ACCEPT "\r\n", 101, "to a WebSocket"},
	{YES "Upgrade: h2c\r\nConnection: upgrade\r\n" ACCEPT "\r\n", 101, "to a WebSocket"},
	{YES "Upgrade: websocket\r\n" BOTH ACCEPT "\r\n", 101, "to a WebSocket"},
	{YES "Upgrade: websocket\r\nConnection: close\r\n" ACCEPT "\r\n", 101, "the connection"},
	{YES BOTH "\r\n", 101, "Sec-WebSocket-Accept"},
	{YES BOTH "Sec-WebSocket-Accept: AAAAAAAAAAAAAAAAAAAAAAAAAAA=\r\n\r\n", 101,
         "Sec-WebSocket-Accept"},
	{YES BOTH ACCEPT ACCEPT "\r\n", 101, "Sec-WebSocket-Accept"},
	{YES BOTH ACCEPT "Sec-WebSocket-Extensions: permessage-deflate\r\n\r\n", 101,
         "an extension"},
	{YES BOTH ACCEPT "Sec-WebSocket-Protocol: chat\r\n\r\n", 101, "a subprotocol"},
	{"HTTP/1.0 101 Switching Protocols\r\n" BOTH ACCEPT "\r\n", 101, "status 101"},
	{"HTTP/1.1 200 OK\r\n" BOTH ACCEPT "Content-Length: 0\r\n\r\n", 200, "status 200"},
	{"HTTP/1.1 401 Unauthorized\r\n\r\n", 401, "requires a credential (401)"},
	{"HTTP/1.1 403 Forbidden\r\n\r\n", 403, "forbids it (403)"},
	{"HTTP/1.1 404 Not Found\r\n\r\n", 404, "nothing at this path (404)"},
	{"HTTP/1.0 404 Not Found\r\n\r\n", 404, "nothing at this path (404)"},
	{"HTTP/1.1 426 Upgrade Required\r\n\r\n", 426, "(426)"},
	{"HTTP/1.1 429 Too Many Requests\r\n\r\n", 429, "(429)"},
	{"HTTP/1.1 503 Busy\r\n\r\n", 503, "status 503"},
	{"HTTP/1.1 301 Moved\r\nLocation: wss://other.example/ws\r\n\r\n", 301,
         "a redirect (301) to wss://other.example/ws, which is not followed"},
	{"HTTP/1.1 307 Moved\r\n\r\n", 307, "status 307"},
	{"SSH-2.0-OpenSSH\r\n\r\n", 0, "is not HTTP"},
	{"\r\n\r\n", 0, "is not HTTP"},
	{"HTTP/2 101 Yes\r\n" BOTH ACCEPT "\r\n", 0, "is not HTTP"},
	{YES BOTH ACCEPT "A\r\n\r\n", 0, "is not HTTP"},
	{YES BOTH ACCEPT, 0, "is not HTTP"},
};

static void only_the_right_answer_is_a_yes(void **state)
{
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct error why = {""};
		int status = -1;
		bool taken = ws_upgrade_check(text_of(table[i].head), KEY, &status, &why);

		if (taken != !table[i].why || status != table[i].status ||
		    (table[i].why && !strstr(why.words, table[i].why)))
			fail_msg("%s gives %d, %d, %s", table[i].head, taken, status, why.words);
	}
}

static void long_fields_do_no_harm(void **state)
{
	struct error why = {""};
	struct buf head;
	int status;

	buf_init(&head, 64 * KIB);
	buf_print(&head, "%s", YES BOTH ACCEPT);
	buf_print(&head, "Sec-WebSocket-%0500d: x\r\nUpgrade-%0500d: x\r\n", 1, 2);
	buf_print(&head, "Server: %01000d\r\n\r\n", 3);
	assert_true(ws_upgrade_check(buf_text(&head), KEY, &status, &why));
	buf_clear(&head);
	buf_print(&head, "HTTP/1.1 302 Found\r\nLocation: http://%01000d/\r\n\r\n", 4);
	assert_false(ws_upgrade_check(buf_text(&head), KEY, &status, &why));
	assert_int_equal(status, 302);
	buf_finish(&head);
}

static void the_request_is_as_the_standard_wants_it(void **state)
{
	static const char *const headers[] = {"Authorization: Bearer x", NULL};
	char key[WS_KEY_LEN + 1], other[WS_KEY_LEN + 1], line[100];
	struct error why;
	struct url url;
	struct buf out;

	buf_init(&out, KIB);
	assert_true(url_parse(&url, TEXT("wss://[::1]:18789/ws?a=b"), &why));
	assert_true(ws_upgrade_ask(&out, &url, headers, key, &why));
	buf_add_char(&out, '\0');
	assert_int_equal(strncmp(out.at, "GET /ws?a=b HTTP/1.1\r\nHost: [::1]:18789\r\n", 41), 0);
	assert_non_null(strstr(out.at, "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"));
	assert_non_null(strstr(out.at, "\r\nSec-WebSocket-Version: 13\r\n"));
	snprintf(line, sizeof(line), "\r\nSec-WebSocket-Key: %s\r\n", key);
	assert_non_null(strstr(out.at, line));
	assert_non_null(strstr(out.at, "\r\nAuthorization: Bearer x\r\n\r\n"));
	buf_clear(&out);
	assert_true(ws_upgrade_ask(&out, &url, NULL, other, &why));
	assert_string_not_equal(key, other);
	buf_finish(&out);
}

static void headers_that_would_be_two_are_refused(void **state)
{
	static const char *const two[] = {"X: y\r\nZ: w", NULL};
	static const char *const one[] = {"X: y", NULL};
	char key[WS_KEY_LEN + 1];
	struct error why;
	struct url url;
	struct buf out;

	assert_true(url_parse(&url, TEXT("ws://a/"), &why));
	buf_init(&out, KIB);
	assert_false(ws_upgrade_ask(&out, &url, two, key, &why));
	buf_finish(&out);
	buf_init(&out, 100);
	assert_false(ws_upgrade_ask(&out, &url, one, key, &why));
	assert_non_null(strstr(why.words, "too long"));
	buf_finish(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_the_right_answer_is_a_yes),
		cmocka_unit_test(long_fields_do_no_harm),
		cmocka_unit_test(the_request_is_as_the_standard_wants_it),
		cmocka_unit_test(headers_that_would_be_two_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
