/* ws_test.c - a client's and a server's frames, well and badly formed, in one
 * piece, byte by byte and cut at random, always with the same events. */
#include "net/ws.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/must.h"

#define MESSAGE_MAX 70000
#define FRAGMENTS_MAX 8

enum how { MASKED, UNMASKED, AS_16_BITS, AS_64_BITS, AS_2_TO_63, HEAD_ONLY };

struct part {
	uint8_t first; /* FIN, RSV and opcode */
	enum how how;
	struct text body;
};

struct example {
	const char *name;
	const char *events;
	struct part parts[10];
};

static const struct ws_limits limits = {MESSAGE_MAX, FRAGMENTS_MAX};
static const struct ws_limits client_limits = {MESSAGE_MAX, FRAGMENTS_MAX, .of_server = true};
static bool of_server; /* the frames are a server's: masked and not change places */
static char big[MESSAGE_MAX + 1];

/* clang-format off */
#define B(literal) {(literal), sizeof(literal) - 1}
#define T(literal) MASKED, B(literal)
#define BIG(n) MASKED, {big, n}
/* clang-format on */

static const struct example examples[] = {
	{"an empty text", "text:. ", {{0x81, T("")}}},
	{"a text", "text:hello. ", {{0x81, T("hello")}}},
	{"two texts", "text:one. text:two. ", {{0x81, T("one")}, {0x81, T("two")}}},
	{"125 bytes", "text#125 ", {{0x81, BIG(125)}}},
	{"126 bytes", "text#126 ", {{0x81, BIG(126)}}},
	{"65535 bytes", "text#65535 ", {{0x81, BIG(65535)}}},
	{"65536 bytes", "text#65536 ", {{0x81, BIG(65536)}}},
	{"the longest message", "text#70000 ", {{0x81, BIG(MESSAGE_MAX)}}},
	{"one byte more", "bad:1009 ", {{0x81, BIG(MESSAGE_MAX + 1)}}},
	{"an empty binary", "binary:. ", {{0x82, T("")}}},
	{"binary that is not text", "binary:\xff\xfe. ", {{0x82, T("\xff\xfe")}}},

	{"a ping", "ping:. ", {{0x89, T("")}}},
	{"a ping with a body", "ping:abc. ", {{0x89, T("abc")}}},
	{"the longest ping", "ping#125 ", {{0x89, BIG(125)}}},
	{"a ping too long", "bad:1002 ", {{0x89, BIG(126)}}},
	{"a pong nobody asked for", "pong:x. text:y. ", {{0x8A, T("x")}, {0x81, T("y")}}},
	{"ten pings",
         "ping:0. ping:1. ping:2. ping:3. ping:4. ping:5. ping:6. ping:7. ping:8. ping:9. ",
         {{0x89, T("0")},
          {0x89, T("1")},
          {0x89, T("2")},
          {0x89, T("3")},
          {0x89, T("4")},
          {0x89, T("5")},
          {0x89, T("6")},
          {0x89, T("7")},
          {0x89, T("8")},
          {0x89, T("9")}}},

	{"RSV1", "bad:1002 ", {{0xC1, T("x")}}},
	{"RSV2", "bad:1002 ", {{0xA1, T("x")}}},
	{"RSV3", "bad:1002 ", {{0x91, T("x")}}},
	{"RSV on a ping", "text:a. bad:1002 ", {{0x81, T("a")}, {0xC9, T("")}}},
	{"opcode 3", "bad:1002 ", {{0x83, T("")}}},
	{"opcode 4", "bad:1002 ", {{0x84, T("")}}},
	{"opcode 5", "bad:1002 ", {{0x85, T("x")}}},
	{"opcode 6", "bad:1002 ", {{0x86, T("")}}},
	{"opcode 7", "bad:1002 ", {{0x87, T("")}}},
	{"opcode 11", "bad:1002 ", {{0x8B, T("")}}},
	{"opcode 12", "bad:1002 ", {{0x8C, T("x")}}},
	{"opcode 13", "bad:1002 ", {{0x8D, T("")}}},
	{"opcode 14", "bad:1002 ", {{0x8E, T("")}}},
	{"opcode 15", "bad:1002 ", {{0x8F, T("")}}},
	{"no mask", "bad:1002 ", {{0x81, UNMASKED, B("x")}}},
	{"no mask on a ping", "bad:1002 ", {{0x89, UNMASKED, B("")}}},
	{"5 bytes with a 16-bit length", "bad:1002 ", {{0x81, AS_16_BITS, B("hello")}}},
	{"5 bytes with a 64-bit length", "bad:1002 ", {{0x81, AS_64_BITS, B("hello")}}},
	{"65535 bytes with a 64-bit length", "bad:1002 ", {{0x81, AS_64_BITS, {big, 65535}}}},
	{"a length of 2^63", "bad:1002 ", {{0x81, AS_2_TO_63, B("")}}},

	{"two fragments", "text:hello. ", {{0x01, T("hel")}, {0x80, T("lo")}}},
	{"fragments of nothing", "text:. ", {{0x01, T("")}, {0x00, T("")}, {0x80, T("")}}},
	{"nothing, then something", "text:x. ", {{0x01, T("")}, {0x80, T("x")}}},
	{"binary in fragments", "binary:\xff\xfe. ", {{0x02, T("\xff")}, {0x80, T("\xfe")}}},
	{"a ping between fragments",
         "ping:p. text:hello. ",
         {{0x01, T("hel")}, {0x89, T("p")}, {0x80, T("lo")}}},
	{"a close between fragments", "close:1000:. ", {{0x01, T("hel")}, {0x88, T("\x03\xe8")}}},
	{"a fragmented ping", "bad:1002 ", {{0x09, T("x")}, {0x80, T("y")}}},
	{"a fragmented close", "bad:1002 ", {{0x08, T("")}}},
	{"more of nothing", "bad:1002 ", {{0x80, T("x")}}},
	{"more of nothing, not the last", "bad:1002 ", {{0x00, T("x")}}},
	{"more after a whole text", "text:a. bad:1002 ", {{0x81, T("a")}, {0x80, T("x")}}},
	{"a text inside a text", "bad:1002 ", {{0x01, T("a")}, {0x81, T("b")}}},
	{"a binary inside a text", "bad:1002 ", {{0x01, T("a")}, {0x02, T("b")}}},
	{"as many fragments as allowed",
         "text:abcdefgh. ",
         {{0x01, T("a")},
          {0x00, T("b")},
          {0x00, T("c")},
          {0x00, T("d")},
          {0x00, T("e")},
          {0x00, T("f")},
          {0x00, T("g")},
          {0x80, T("h")}}},
	{"one fragment more",
         "bad:1008 ",
         {{0x01, T("a")},
          {0x00, T("b")},
          {0x00, T("c")},
          {0x00, T("d")},
          {0x00, T("e")},
          {0x00, T("f")},
          {0x00, T("g")},
          {0x00, T("h")},
          {0x80, T("i")}}},
	{"fragments that are too big together",
         "bad:1009 ",
         {{0x02, BIG(MESSAGE_MAX - 10)}, {0x80, BIG(11)}}},
	{"fragments that just fit",
         "binary#70000 ",
         {{0x02, BIG(MESSAGE_MAX - 10)}, {0x80, BIG(10)}}},

	{"text of many scripts",
         "text:\xce\xba\xe1\xbd\xb9\xcf\x83\xf0\x9f\x9a\x82. ",
         {{0x81, T("\xce\xba\xe1\xbd\xb9\xcf\x83\xf0\x9f\x9a\x82")}}},
	{"a character across fragments",
         "text:\xf0\x9f\x9a\x82. ",
         {{0x01, T("\xf0\x9f")}, {0x80, T("\x9a\x82")}}},
	{"a character across a ping",
         "ping:. text:\xf0\x9f\x9a\x82. ",
         {{0x01, T("\xf0\x9f")}, {0x89, T("")}, {0x80, T("\x9a\x82")}}},
	{"half a character at the end", "bad:1007 ", {{0x81, T("ab\xf0\x9f")}}},
	{"half a character, then another message",
         "bad:1007 ",
         {{0x01, T("\xc3")}, {0x80, T("")}, {0x81, T("x")}}},
	{"an overlong form", "bad:1007 ", {{0x81, T("\xc0\xaf")}}},
	{"a surrogate", "bad:1007 ", {{0x81, T("\xed\xa0\x80")}}},
	{"beyond U+10FFFF", "bad:1007 ", {{0x81, T("\xf4\x90\x80\x80")}}},
	{"a lone continuation", "bad:1007 ", {{0x81, T("a\x80")}}},
	{"not text in the second fragment", "bad:1007 ", {{0x01, T("a")}, {0x00, T("\xff")}}},
	{"a ping need not be text", "ping:\xff. ", {{0x89, T("\xff")}}},

	{"a close", "close:1005:. ", {{0x88, T("")}}},
	{"a close of one byte", "bad:1002 ", {{0x88, T("\x03")}}},
	{"a close with a code", "close:1000:. ", {{0x88, T("\x03\xe8")}}},
	{"a close with a reason",
         "close:1001:bye. ",
         {{0x88, T("\x03\xe9"
                   "bye")}}},
	{"a close whose reason is not text", "bad:1007 ", {{0x88, T("\x03\xe8\xff")}}},
	{"a close whose reason ends early", "bad:1007 ", {{0x88, T("\x03\xe8\xc3")}}},
	{"the longest close", "bad:1002 ", {{0x88, BIG(125)}}},
	{"a close too long", "bad:1002 ", {{0x88, BIG(126)}}},
};

/* Any mask will do, but one whose bytes differ finds more. */
static const uint8_t mask[4] = {0x37, 0xfa, 0x21, 0x3d};

static void add_byte(struct buf *out, unsigned c)
{
	buf_add_char(out, (char)c);
}

static bool is_masked(enum how how)
{
	return (how != UNMASKED) != of_server;
}

static void add_length(struct buf *out, uint64_t len, enum how how)
{
	unsigned bit = is_masked(how) ? 0x80 : 0, n;

	if (how == AS_2_TO_63)
		len = (uint64_t)1 << 63;
	n = how == AS_16_BITS ? 2 : how == AS_64_BITS || len > 0xFFFF ? 8 : len > 125 ? 2 : 0;
	add_byte(out, bit | (n == 0 ? (unsigned)len : n == 2 ? 126 : 127));
	for (unsigned i = n; i-- > 0;)
		add_byte(out, len >> 8 * i & 0xFF);
}

static void add_part(struct buf *out, const struct part *part)
{
	add_byte(out, part->first);
	add_length(out, part->body.len, part->how);
	if (!is_masked(part->how)) {
		buf_add(out, part->body);
		return;
	}
	buf_add(out, (struct text){(const char *)mask, 4});
	for (size_t i = 0; part->how != HEAD_ONLY && i < part->body.len; i++)
		add_byte(out, (uint8_t)part->body.at[i] ^ mask[i & 3]);
}

static void add_parts(struct buf *out, const struct example *e)
{
	for (size_t i = 0; i < 10 && e->parts[i].body.at; i++)
		add_part(out, &e->parts[i]);
}

static void note(struct buf *log, enum ws_event event, const struct ws_news *news)
{
	static const char *const names[] = {"wait", "text",  "binary", "ping",
	                                    "pong", "close", "bad"};

	buf_print(log, "%s", names[event]);
	if (event == WS_BAD || event == WS_CLOSE)
		buf_print(log, ":%u", news->code);
	if (event != WS_BAD && news->body.len > 100)
		buf_print(log, "#%zu", news->body.len);
	else if (event != WS_BAD)
		buf_print(log, ":%.*s.", TEXT_ARG(news->body));
	buf_add_char(log, ' ');
}

/* Feeds one piece; false when there is nothing to read after it. */
static bool feed(struct ws_reader *r, char *at, size_t n, struct buf *log)
{
	struct ws_news news = {0};
	enum ws_event event;

	while ((event = ws_read(r, &at, &n, &news)) != WS_WAIT) {
		note(log, event, &news);
		if (event == WS_BAD || event == WS_CLOSE)
			return false;
	}
	assert_int_equal(n, 0);
	return true;
}

/* Pieces of the given size; 0: of random sizes. */
static void run(const struct buf *bytes, size_t size, struct buf *log)
{
	struct ws_reader r;
	size_t at = 0;
	bool open = true;

	ws_init(&r, of_server ? &client_limits : &limits);
	buf_clear(log);
	while (open && at < bytes->len) {
		size_t n = size ? size : 1 + (size_t)(lrand48() % 40);
		char *piece;

		if (n > bytes->len - at)
			n = bytes->len - at;
		piece = must_alloc(n); /* its own block, so that an overrun is seen */
		memcpy(piece, bytes->at + at, n);
		open = feed(&r, piece, n, log);
		at += n;
		free(piece);
	}
	ws_finish(&r);
}

static void check(const struct example *e, const struct buf *bytes, size_t size)
{
	struct buf log;

	buf_init(&log, MIB);
	run(bytes, size, &log);
	buf_add_char(&log, '\0');
	if (strcmp(log.at, e->events) != 0)
		fail_msg("%s, by %zu: %s instead of %s", e->name, size, log.at, e->events);
	buf_finish(&log);
}

static void the_same_events_come_however_the_bytes_are_cut(void **state)
{
	for (size_t i = 0; i < sizeof(examples) / sizeof(examples[0]); i++) {
		struct buf bytes;

		buf_init(&bytes, MIB);
		add_parts(&bytes, &examples[i]);
		check(&examples[i], &bytes, bytes.len);
		check(&examples[i], &bytes, 1);
		check(&examples[i], &bytes, 2);
		check(&examples[i], &bytes, 7);
		for (int round = 0; round < 20; round++)
			check(&examples[i], &bytes, 0);
		buf_finish(&bytes);
	}
}

static void a_servers_frames_are_read_as_well_as_a_clients(void **state)
{
	of_server = true;
	the_same_events_come_however_the_bytes_are_cut(state);
	of_server = false;
}

static void close_codes_are_those_that_may_be_sent(void **state)
{
	static const struct {
		unsigned from, to;
	} good[] = {{1000, 1003}, {1007, 1014}, {3000, 4999}};

	for (unsigned code = 0; code <= 65535; code += code < 6000 ? 1 : 997) {
		char body[2] = {(char)(code >> 8), (char)code};
		struct part part = {0x88, MASKED, {body, 2}};
		struct ws_reader r;
		struct buf bytes, log;
		bool ok = false;

		for (int i = 0; i < 3; i++)
			ok |= code >= good[i].from && code <= good[i].to;
		buf_init(&bytes, KIB);
		buf_init(&log, KIB);
		add_part(&bytes, &part);
		ws_init(&r, &limits);
		feed(&r, bytes.at, bytes.len, &log);
		assert_memory_equal(log.at, ok ? "clos" : "bad:", 4);
		ws_finish(&r);
		buf_finish(&bytes);
		buf_finish(&log);
	}
}

static void a_message_whole_in_the_input_is_not_copied(void **state)
{
	struct part part = {0x81, MASKED, TEXT("hello")};
	struct ws_reader r;
	struct ws_news news;
	struct buf bytes;
	char *at;
	size_t n;

	buf_init(&bytes, KIB);
	add_part(&bytes, &part);
	add_part(&bytes, &part);
	at = bytes.at;
	n = bytes.len;
	ws_init(&r, &limits);
	assert_int_equal(ws_read(&r, &at, &n, &news), WS_TEXT);
	assert_ptr_equal(news.body.at, bytes.at + 6);
	assert_int_equal(ws_read(&r, &at, &n, &news), WS_TEXT);
	assert_ptr_equal(news.body.at, bytes.at + 17);
	assert_int_equal(ws_read(&r, &at, &n, &news), WS_WAIT);
	assert_null(r.message.at);
	ws_finish(&r);
	buf_finish(&bytes);
}

static void an_idle_reader_holds_no_memory(void **state)
{
	struct part parts[] = {
		{0x01, MASKED, TEXT("a")}, {0x89, MASKED, TEXT("bcd")}, {0x80, MASKED, TEXT("e")}};
	struct ws_reader r;
	struct buf bytes, log;

	buf_init(&bytes, KIB);
	buf_init(&log, KIB);
	for (int i = 0; i < 3; i++)
		add_part(&bytes, &parts[i]);
	ws_init(&r, &limits);
	for (size_t i = 0; i < bytes.len; i++)
		assert_true(feed(&r, bytes.at + i, 1, &log));
	assert_null(r.message.at);
	assert_null(r.control);
	assert_true(sizeof(r) <= 128);
	ws_finish(&r);
	buf_finish(&bytes);
	buf_finish(&log);
}

static void what_is_not_text_fails_before_its_frame_is_whole(void **state)
{
	struct part part = {0x81, HEAD_ONLY, {big, 60000}};
	struct ws_reader r;
	struct buf bytes, log;

	buf_init(&bytes, KIB);
	buf_init(&log, KIB);
	add_part(&bytes, &part);
	add_byte(&bytes, 'a' ^ mask[0]);
	add_byte(&bytes, 0xff ^ mask[1]);
	ws_init(&r, &limits);
	assert_false(feed(&r, bytes.at, bytes.len, &log));
	assert_memory_equal(log.at, "bad:1007", 8);
	ws_finish(&r);
	buf_finish(&bytes);
	buf_finish(&log);
}

static void a_frame_too_big_fails_before_its_payload_comes(void **state)
{
	struct part part = {0x81, HEAD_ONLY, {big, MESSAGE_MAX + 1}};
	struct ws_reader r;
	struct buf bytes, log;

	buf_init(&bytes, KIB);
	buf_init(&log, KIB);
	add_part(&bytes, &part);
	ws_init(&r, &limits);
	assert_false(feed(&r, bytes.at, bytes.len, &log));
	assert_memory_equal(log.at, "bad:1009", 8);
	assert_null(r.message.at);
	ws_finish(&r);
	buf_finish(&bytes);
	buf_finish(&log);
}

/* Frames of one byte, each but the first a continuation, until something comes of them. */
static enum ws_event read_pieces(const struct ws_limits *most, unsigned n, struct ws_news *news)
{
	struct ws_reader r;
	enum ws_event event = WS_WAIT;

	ws_init(&r, most);
	for (unsigned i = 0; i < n && event == WS_WAIT; i++) {
		char frame[] = {(char)(i ? WS_OP_MORE : WS_OP_TEXT), 1, 'x'};
		char *at = frame;
		size_t left = sizeof(frame);

		frame[0] = (char)(frame[0] | (i == n - 1 ? 0x80 : 0));
		event = ws_read(&r, &at, &left, news);
		assert_true(event != WS_TEXT || news->body.len == n);
	}
	ws_finish(&r);
	return event;
}

static void the_highest_limit_of_fragments_is_one(void **state)
{
	static const struct ws_limits most = {MIB, UINT16_MAX, .of_server = true};
	struct ws_news news;

	assert_int_equal(read_pieces(&most, UINT16_MAX, &news), WS_TEXT);
	assert_int_equal(read_pieces(&most, UINT16_MAX + 1, &news), WS_BAD);
	assert_int_equal(news.code, 1008);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_events_come_however_the_bytes_are_cut),
		cmocka_unit_test(a_servers_frames_are_read_as_well_as_a_clients),
		cmocka_unit_test(close_codes_are_those_that_may_be_sent),
		cmocka_unit_test(a_message_whole_in_the_input_is_not_copied),
		cmocka_unit_test(an_idle_reader_holds_no_memory),
		cmocka_unit_test(what_is_not_text_fails_before_its_frame_is_whole),
		cmocka_unit_test(a_frame_too_big_fails_before_its_payload_comes),
		cmocka_unit_test(the_highest_limit_of_fragments_is_one),
	};

	memset(big, 'b', sizeof(big));
	return cmocka_run_group_tests(tests, NULL, NULL);
}
