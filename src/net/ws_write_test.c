/* ws_write_test.c - frames as they are written, to the byte. */
#include "net/ws.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void headers_are_written_in_the_shortest_way(void **state)
{
	static const struct {
		uint64_t len;
		size_t n;
		const char *bytes;
	} table[] = {
		{0, 2, "\x81\x00"},
		{125, 2, "\x81\x7d"},
		{126, 4, "\x81\x7e\x00\x7e"},
		{65535, 4, "\x81\x7e\xff\xff"},
		{65536, 10, "\x81\x7f\x00\x00\x00\x00\x00\x01\x00\x00"},
	};
	char out[WS_HEADER_MAX];

	for (int i = 0; i < 5; i++) {
		assert_int_equal(ws_header(out, WS_OP_TEXT, table[i].len), table[i].n);
		assert_memory_equal(out, table[i].bytes, table[i].n);
	}
}

static void a_frame_that_does_not_fit_is_not_begun(void **state)
{
	struct buf out;

	buf_init(&out, 6);
	assert_true(ws_add_frame(&out, WS_OP_PING, TEXT("abcd")));
	assert_memory_equal(out.at,
	                    "\x89\x04"
	                    "abcd",
	                    6);
	assert_false(ws_add_frame(&out, WS_OP_PING, TEXT("")));
	assert_int_equal(out.len, 6);
	buf_finish(&out);
}

static void a_long_reason_is_cut_between_characters(void **state)
{
	char reason[200];
	struct buf out;

	memset(reason, 'x', sizeof(reason));
	memcpy(reason + 122, "\xc3\xa4", 2); /* its second half would not fit */
	buf_init(&out, KIB);
	assert_true(ws_add_close(&out, 1008, (struct text){reason, sizeof(reason)}));
	assert_int_equal(out.len, 2 + 2 + 122);
	assert_memory_equal(out.at, "\x88\x7c\x03\xf0xx", 6);
	buf_clear(&out);
	assert_true(ws_add_close(&out, 1005, TEXT("not sent")));
	assert_int_equal(out.len, 2);
	buf_clear(&out);
	assert_true(ws_add_close(&out, 1001, TEXT("bye")));
	assert_memory_equal(out.at,
	                    "\x88\x05\x03\xe9"
	                    "bye",
	                    7);
	buf_finish(&out);
}

/* One frame, taken apart by the server's reader. */
static void read_back(enum ws_opcode op, struct text body)
{
	static const struct ws_limits limits = {MIB, 1};
	struct ws_reader r;
	struct ws_news news = {0};
	struct buf bytes;
	char *at;
	size_t n;

	buf_init(&bytes, MIB);
	assert_true(ws_add_masked(&bytes, op, body));
	at = bytes.at;
	n = bytes.len;
	ws_init(&r, &limits);
	assert_int_equal(ws_read(&r, &at, &n, &news), op == WS_OP_TEXT ? WS_TEXT : WS_PING);
	assert_true(text_equal(news.body, body));
	assert_int_equal(ws_read(&r, &at, &n, &news), WS_WAIT);
	ws_finish(&r);
	buf_finish(&bytes);
}

static void what_a_client_masks_is_read_back(void **state)
{
	static const size_t sizes[] = {0, 1, 3, 125, 126, 65535, 65536, 70001};
	static char big[70001];
	struct buf out;

	for (size_t i = 0; i < sizeof(big); i++)
		big[i] = (char)('a' + i % 23);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		read_back(WS_OP_TEXT, (struct text){big, sizes[i]});
	read_back(WS_OP_PING, TEXT("ping"));
	buf_init(&out, 9);
	assert_false(ws_add_masked(&out, WS_OP_PING, TEXT("abcd")));
	assert_int_equal(out.len, 0);
	buf_finish(&out);
}

static void a_client_masks_its_close_with_another_key_each_time(void **state)
{
	struct buf out;

	buf_init(&out, KIB);
	for (int i = 0; i < 4; i++)
		assert_true(ws_add_masked_close(&out, 1001, TEXT("bye")));
	assert_int_equal(out.len, 4 * 11);
	assert_memory_equal(out.at, "\x88\x85", 2);
	assert_int_equal((out.at[6] ^ out.at[2]) & 0xFF, 0x03);
	assert_int_equal((out.at[7] ^ out.at[3]) & 0xFF, 0xe9);
	assert_int_equal((out.at[8] ^ out.at[4]) & 0xFF, 'b');
	assert_int_not_equal(memcmp(out.at, out.at + 11, 11), 0);
	assert_int_not_equal(memcmp(out.at, out.at + 22, 11), 0);
	buf_finish(&out);
}

static void the_key_of_the_standard_is_accepted(void **state)
{
	char out[WS_ACCEPT_LEN + 1];

	assert_true(ws_accept(TEXT("dGhlIHNhbXBsZSBub25jZQ=="), out));
	assert_string_equal(out, "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
	assert_false(ws_accept(TEXT(""), out));
	assert_false(ws_accept(TEXT("dGhlIHNhbXBsZSBub25jZQ="), out));
	assert_false(ws_accept(TEXT("dGhlIHNhbXBsZSBub25jZQ==="), out));
	assert_false(ws_accept(TEXT("dGhlIHNhbXBsZSBub25jZQ=x"), out));
	assert_false(ws_accept(TEXT("dGhlIHNhbXBs\0SBub25jZQ=="), out));
	assert_false(ws_accept(TEXT("dGhlIHNhbXBsZSBub25jZ-=="), out));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(headers_are_written_in_the_shortest_way),
		cmocka_unit_test(a_frame_that_does_not_fit_is_not_begun),
		cmocka_unit_test(a_long_reason_is_cut_between_characters),
		cmocka_unit_test(what_a_client_masks_is_read_back),
		cmocka_unit_test(a_client_masks_its_close_with_another_key_each_time),
		cmocka_unit_test(the_key_of_the_standard_is_accepted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
