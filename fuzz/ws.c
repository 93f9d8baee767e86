/* ws.c - a hostile peer's frames: the same events come however they are cut, and
 * what is given as a message keeps its promises.
 *
 * The first byte says how to cut; by its highest bit whether the rest is frames as
 * they come or the text of a message to be framed and read back; and by the next
 * whether they are a server's and not a client's. */
#include "net/ws.h"

#include <stdlib.h>

#include "base/must.h"

#define MESSAGE_MAX 2000

#define READ_BACK 0x80
#define OF_SERVER 0x40

static const struct ws_limits of_client = {MESSAGE_MAX, 16};
static const struct ws_limits of_server = {MESSAGE_MAX, 16, .of_server = true};

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
static void run(const struct ws_limits *limits, struct text bytes, size_t cut, struct buf *log)
{
	struct ws_reader r;
	enum ws_event event = WS_WAIT;

	ws_init(&r, limits);
	while (bytes.len && event != WS_BAD && event != WS_CLOSE) {
		size_t size = cut < bytes.len ? cut : bytes.len, left = size;
		char *piece = must_alloc(size), *at = piece;
		struct ws_news news = {0};

		memcpy(piece, bytes.at, size);
		bytes = (struct text){bytes.at + size, bytes.len - size};
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

/* A frame as we write it, but with this first byte. */
static void add(struct buf *out, bool masked, uint8_t first, struct text body)
{
	size_t at = out->len;

	must(masked ? ws_add_masked(out, WS_OP_TEXT, body) : ws_add_frame(out, WS_OP_TEXT, body));
	out->at[at] = (char)first;
}

/* A message in two fragments, with a ping between, is read back as it was. */
static void read_back(const struct ws_limits *limits, struct text message, size_t cut)
{
	bool masked = !limits->of_server;
	size_t half = message.len / 2;
	struct buf frames, log, wanted;

	buf_init(&frames, MIB);
	buf_init(&log, MIB);
	buf_init(&wanted, MIB);
	add(&frames, masked, WS_OP_BINARY, (struct text){message.at, half});
	add(&frames, masked, 0x80 | WS_OP_PING, TEXT("ping"));
	add(&frames, masked, 0x80, (struct text){message.at + half, message.len - half});
	run(limits, buf_text(&frames), cut, &log);
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
	const struct ws_limits *limits;
	struct buf whole, cut;
	struct text bytes;
	size_t size;

	if (n < 2)
		return 0;
	limits = data[0] & OF_SERVER ? &of_server : &of_client;
	size = (data[0] & 0x3F) + 1u;
	bytes = (struct text){(const char *)data + 1, n - 1};
	if (data[0] & READ_BACK && n <= MESSAGE_MAX) {
		read_back(limits, bytes, size);
		return 0;
	}
	buf_init(&whole, 64 * MIB);
	buf_init(&cut, 64 * MIB);
	run(limits, bytes, n, &whole);
	run(limits, bytes, size, &cut);
	must(text_equal(buf_text(&whole), buf_text(&cut)));
	buf_finish(&whole);
	buf_finish(&cut);
	return 0;
}
