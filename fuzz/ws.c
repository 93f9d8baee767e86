/* ws.c - a hostile client's frames: the same events come however they are cut,
 * and what is given as a message keeps its promises.
 *
 * The first byte says how to cut, and by its highest bit whether the rest is
 * frames as they come or the text of a message to be framed and read back. */
#include "net/ws.h"

#include <stdlib.h>

#include "base/must.h"

#define MESSAGE_MAX 2000

static const struct ws_limits limits = {MESSAGE_MAX, 16};

static void must(bool holds)
{
	if (!holds)
		abort();
}

static void check(enum ws_event event, const struct ws_news *news)
{
	if (event == WS_TEXT)
		must(utf8_is_valid(news->body) && news->body.len <= MESSAGE_MAX);
	if (event == WS_BINARY)
		must(news->body.len <= MESSAGE_MAX);
	if (event == WS_PING || event == WS_PONG)
		must(news->body.len <= 125);
	if (event == WS_CLOSE)
		must(utf8_is_valid(news->body) && news->code >= 1000 && news->code < 5000);
	if (event == WS_BAD)
		must(news->code == 1002 || (news->code >= 1007 && news->code <= 1009));
}

/* Everything that came of the bytes, cut in pieces of changing size. */
static void run(const uint8_t *data, size_t n, size_t cut, struct buf *log)
{
	struct ws_reader r;
	enum ws_event event = WS_WAIT;

	ws_init(&r, &limits);
	while (n && event != WS_BAD && event != WS_CLOSE) {
		size_t size = cut < n ? cut : n, left = size;
		char *piece = must_alloc(size), *at = piece;
		struct ws_news news = {0};

		memcpy(piece, data, size);
		data += size;
		n -= size;
		cut = cut * 7 % 61 + 1;
		while ((event = ws_read(&r, &at, &left, &news)) != WS_WAIT) {
			check(event, &news);
			buf_print(log, "%d %u ", event, news.code);
			if (event == WS_BAD || event == WS_CLOSE)
				break;
			buf_add(log, news.body);
		}
		must(event != WS_WAIT || left == 0);
		free(piece);
	}
	ws_finish(&r);
}

static void add_masked(struct buf *out, uint8_t first, struct text body)
{
	static const uint8_t mask[4] = {0x9c, 0x01, 0x7f, 0xe2};
	char header[WS_HEADER_MAX];
	size_t n = ws_header(header, WS_OP_TEXT, body.len);

	header[0] = (char)first;
	header[1] = (char)(header[1] | 0x80);
	buf_add(out, (struct text){header, n});
	buf_add(out, (struct text){(const char *)mask, 4});
	for (size_t i = 0; i < body.len; i++)
		buf_add_char(out, (char)((uint8_t)body.at[i] ^ mask[i & 3]));
}

/* A message in two fragments, with a ping between, is read back as it was. */
static void read_back(struct text message, size_t cut)
{
	size_t half = message.len / 2;
	struct buf frames, log, wanted;

	buf_init(&frames, MIB);
	buf_init(&log, MIB);
	buf_init(&wanted, MIB);
	add_masked(&frames, WS_OP_BINARY, (struct text){message.at, half});
	add_masked(&frames, 0x80 | WS_OP_PING, TEXT("ping"));
	add_masked(&frames, 0x80, (struct text){message.at + half, message.len - half});
	run((const uint8_t *)frames.at, frames.len, cut, &log);
	buf_print(&wanted, "%d 0 ping%d 0 ", WS_PING, WS_BINARY);
	buf_add(&wanted, message);
	must(text_equal(buf_text(&log), buf_text(&wanted)));
	buf_finish(&frames);
	buf_finish(&log);
	buf_finish(&wanted);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct buf whole, cut;

	if (n < 2)
		return 0;
	if (data[0] & 0x80 && n <= MESSAGE_MAX) {
		read_back((struct text){(const char *)data + 1, n - 1}, (data[0] & 0x7F) + 1u);
		return 0;
	}
	buf_init(&whole, 64 * MIB);
	buf_init(&cut, 64 * MIB);
	run(data + 1, n - 1, n, &whole);
	run(data + 1, n - 1, (data[0] & 0x7F) + 1u, &cut);
	must(text_equal(buf_text(&whole), buf_text(&cut)));
	buf_finish(&whole);
	buf_finish(&cut);
	return 0;
}
