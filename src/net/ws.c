/* ws.c - reading and writing WebSocket frames.
 *
 * A frame header is read where it lies; only one that came in pieces is gathered
 * in the reader.  Payload is unmasked in place.  Data is copied only when its
 * message is not whole in the input, so the common case touches each byte once
 * to unmask and once to check it. */
#include "net/ws.h"

#include <assert.h>
#include <openssl/evp.h>
#include <openssl/sha.h>
#include <stdlib.h>

#include "base/must.h"
#include "base/random.h"

#define CONTROL_MAX 125
#define REASON_MAX (CONTROL_MAX - 2)

enum {
	CODE_PROTOCOL = 1002,
	CODE_NONE = 1005,
	CODE_NOT_TEXT = 1007,
	CODE_POLICY = 1008,
	CODE_TOO_BIG = 1009,
};

void ws_init(struct ws_reader *r, const struct ws_limits *limits)
{
	*r = (struct ws_reader){.limits = limits};
	buf_init(&r->message, limits->message_max);
	utf8_init(&r->utf8);
}

void ws_set_limits(struct ws_reader *r, const struct ws_limits *limits)
{
	r->limits = limits;
	r->message.max = limits->message_max;
}

void ws_finish(struct ws_reader *r)
{
	buf_finish(&r->message);
	free(r->control);
	r->control = NULL;
}

/* Why a message is passed over; the first is none. */
enum { WHOLE, SPOILT_TEXT, SPOILT_SIZE, SPOILT_COUNT };

static const uint16_t spoilt_codes[] = {
	[SPOILT_TEXT] = CODE_NOT_TEXT,
	[SPOILT_SIZE] = CODE_TOO_BIG,
	[SPOILT_COUNT] = CODE_POLICY,
};

static enum ws_event bad(struct ws_news *news, uint16_t code)
{
	news->code = code;
	return WS_BAD;
}

static bool ws_is_control(uint8_t opcode)
{
	return opcode & 8;
}

/* How long the header is that begins with these two bytes. */
static size_t header_length(const uint8_t *h)
{
	uint8_t len = h[1] & 0x7F;

	return 2 + (len == 127 ? 8 : len == 126 ? 2 : 0) + (h[1] & 0x80 ? 4 : 0);
}

/* Would this frame be one more than a message may have? */
static bool has_too_many(const struct ws_reader *r, uint8_t opcode)
{
	return opcode == WS_OP_MORE && r->fragments + 1u >= r->limits->fragments_max;
}

/* What the first two bytes already say; 0, or the code to close with. */
static uint16_t check_start(const struct ws_reader *r, const uint8_t *h)
{
	uint8_t opcode = h[0] & 0x0F;

	if (h[0] & 0x70 || ((h[1] & 0x80) == 0) != r->limits->of_server)
		return CODE_PROTOCOL;
	if (ws_is_control(opcode)) {
		if (opcode > WS_OP_PONG || !(h[0] & 0x80) || (h[1] & 0x7F) > CONTROL_MAX)
			return CODE_PROTOCOL;
		return 0;
	}
	if (opcode > WS_OP_BINARY || (opcode == WS_OP_MORE) != (r->message_opcode != 0))
		return CODE_PROTOCOL;
	return has_too_many(r, opcode) && !r->limits->forgives ? CODE_POLICY : 0;
}

/* From here on nothing of this message is kept. */
static void ws_spoil(struct ws_reader *r, unsigned why)
{
	assert(why != WHOLE);
	if (!r->spoilt)
		r->spoilt = why & 3;
	buf_clear(&r->message);
}

/* A frame of data begins; false when it ends the connection. */
static bool count_frame(struct ws_reader *r, uint64_t len)
{
	assert(r->message.len <= r->limits->message_max);
	if (len > r->limits->message_max - r->message.len) {
		if (!r->limits->forgives || len > UINT32_MAX)
			return false;
		ws_spoil(r, SPOILT_SIZE);
	}
	if (r->opcode != WS_OP_MORE)
		r->message_opcode = r->opcode;
	else if (has_too_many(r, r->opcode))
		ws_spoil(r, SPOILT_COUNT);
	else
		r->fragments++;
	return true;
}

/* A length must be written in the shortest way. */
static bool read_length(const uint8_t *h, uint64_t *len)
{
	unsigned n = (h[1] & 0x7F) == 127 ? 8 : 2;

	*len = h[1] & 0x7F;
	if (*len < 126)
		return true;
	*len = 0;
	for (unsigned i = 0; i < n; i++)
		*len = *len << 8 | h[2 + i];
	return n == 2 ? *len > 125 : *len > 0xFFFF && *len >> 63 == 0;
}

static uint16_t start_frame(struct ws_reader *r, const uint8_t *h, size_t n)
{
	uint16_t code = check_start(r, h);
	uint64_t len;

	if (code)
		return code;
	if (!read_length(h, &len))
		return CODE_PROTOCOL;
	r->opcode = h[0] & 0x0F;
	if (!ws_is_control(r->opcode) && !count_frame(r, len))
		return CODE_TOO_BIG;
	r->left = (uint32_t)len;
	r->fin = h[0] & 0x80;
	if (!r->limits->of_server)
		memcpy(r->mask, h + n - 4, 4);
	r->mask_at = 0;
	r->control_len = 0;
	r->in_frame = true;
	return 0;
}

/* Takes a header from the input; false while it is not whole. */
static bool take_header(struct ws_reader *r, char **bytes, size_t *n, uint16_t *code)
{
	const uint8_t *h = (const uint8_t *)*bytes;
	size_t len;

	if (r->head_len == 0 && *n >= 2 && *n >= (len = header_length(h))) {
		*code = start_frame(r, h, len);
		*bytes += len;
		*n -= len;
		return true;
	}
	while (*n && (r->head_len < 2 || r->head_len < header_length(r->head))) {
		assert(r->head_len < sizeof(r->head));
		r->head[r->head_len++] = (uint8_t) * *bytes;
		++*bytes;
		--*n;
		/* What the start says is not kept for the end. */
		if (r->head_len == 2 && (*code = check_start(r, r->head)))
			return true;
	}
	if (r->head_len < 2 || r->head_len < header_length(r->head))
		return false;
	*code = start_frame(r, r->head, r->head_len);
	r->head_len = 0;
	return true;
}

/* Says whether all of it is ASCII, which costs next to nothing here and saves
 * most text a check of its own.  Sixteen bytes at a time, and without a branch, so
 * that compilers can use wide registers. */
static bool unmask(char *at, size_t n, const uint8_t mask[4], unsigned mask_at)
{
	uint8_t turned[8];
	uint64_t wide, words[2], seen = 0;
	size_t i = 0;

	for (unsigned k = 0; k < 8; k++)
		turned[k] = mask[(mask_at + k) & 3];
	memcpy(&wide, turned, 8);
	for (; i + 16 <= n; i += 16) {
		memcpy(words, at + i, 16);
		words[0] ^= wide;
		words[1] ^= wide;
		seen |= words[0] | words[1];
		memcpy(at + i, words, 16);
	}
	for (; i < n; i++) {
		at[i] = (char)(at[i] ^ turned[i & 7]);
		seen |= (uint8_t)at[i];
	}
	return !(seen & 0x8080808080808080u);
}

/* As much of the frame's payload as is there, unmasked. */
static struct text take_payload(struct ws_reader *r, char **bytes, size_t *n)
{
	struct text piece = {*bytes, *n < r->left ? *n : r->left};

	assert(piece.len <= r->left);
	r->is_ascii = unmask(*bytes, piece.len, r->mask, r->mask_at);
	r->mask_at = (r->mask_at + piece.len) & 3;
	r->left -= (uint32_t)piece.len;
	*bytes += piece.len;
	*n -= piece.len;
	assert(r->mask_at < 4);
	return piece;
}

static bool is_close_code(unsigned code)
{
	return (code >= 1000 && code <= 1003) || (code >= 1007 && code <= 1014) ||
	       (code >= 3000 && code <= 4999);
}

static enum ws_event give_close(struct text body, struct ws_news *news)
{
	const uint8_t *b = (const uint8_t *)body.at;

	news->code = CODE_NONE;
	news->body = (struct text){0};
	if (body.len == 0)
		return WS_CLOSE;
	if (body.len == 1 || !is_close_code((unsigned)b[0] << 8 | b[1]))
		return bad(news, CODE_PROTOCOL);
	news->code = (uint16_t)(b[0] << 8 | b[1]);
	news->body = (struct text){body.at + 2, body.len - 2};
	return utf8_is_valid(news->body) ? WS_CLOSE : bad(news, CODE_NOT_TEXT);
}

static enum ws_event ws_read_control(struct ws_reader *r, char **bytes, size_t *n,
                                     struct ws_news *news)
{
	struct text body = take_payload(r, bytes, n);

	assert(ws_is_control(r->opcode));
	if (r->left || r->control_len) {
		if (!r->control)
			r->control = must_alloc(CONTROL_MAX);
		assert(r->control_len + body.len <= CONTROL_MAX);
		if (body.len)
			memcpy(r->control + r->control_len, body.at, body.len);
		r->control_len = (uint8_t)(r->control_len + body.len);
		body = (struct text){(char *)r->control, r->control_len};
	}
	if (r->left)
		return WS_WAIT;
	r->in_frame = false;
	if (r->opcode == WS_OP_CLOSE)
		return give_close(body, news);
	news->body = body;
	return r->opcode == WS_OP_PING ? WS_PING : WS_PONG;
}

static enum ws_event end_spoilt(struct ws_reader *r, struct ws_news *news)
{
	assert(r->spoilt != WHOLE && r->message.len == 0);
	news->code = spoilt_codes[r->spoilt];
	r->spoilt = WHOLE;
	r->message_opcode = 0;
	r->fragments = 0;
	utf8_init(&r->utf8);
	return WS_SPOILT;
}

static enum ws_event read_data(struct ws_reader *r, char **bytes, size_t *n, struct ws_news *news)
{
	struct text piece = take_payload(r, bytes, n);
	bool is_text = r->message_opcode == WS_OP_TEXT;
	bool whole = r->left == 0 && r->fin;

	assert(r->message_opcode == WS_OP_TEXT || r->message_opcode == WS_OP_BINARY);
	if (!r->spoilt && is_text && !(r->is_ascii && utf8_is_whole(&r->utf8)) &&
	    (!utf8_feed(&r->utf8, piece) || (whole && !utf8_is_whole(&r->utf8)))) {
		if (!r->limits->forgives)
			return bad(news, CODE_NOT_TEXT);
		ws_spoil(r, SPOILT_TEXT);
	}
	r->in_frame = r->left > 0;
	if (r->spoilt)
		return whole ? end_spoilt(r, news) : WS_WAIT;
	if (whole && r->message.len == 0) {
		news->body = piece;
	} else {
		buf_add(&r->message, piece);
		news->body = buf_text(&r->message);
	}
	if (!whole)
		return WS_WAIT;
	r->message_opcode = 0;
	r->fragments = 0;
	return is_text ? WS_TEXT : WS_BINARY;
}

/* What the last event gave a view of is over now. */
static void ws_forget(struct ws_reader *r)
{
	if (r->message.at && !r->message_opcode)
		buf_finish(&r->message);
	if (r->control && !(r->in_frame && ws_is_control(r->opcode))) {
		free(r->control);
		r->control = NULL;
	}
}

enum ws_event ws_read(struct ws_reader *r, char **bytes, size_t *n, struct ws_news *news)
{
	enum ws_event event;
	uint16_t code = 0;

	ws_forget(r);
	do {
		if (!r->in_frame && !take_header(r, bytes, n, &code))
			return WS_WAIT;
		if (code)
			return bad(news, code);
		event = ws_is_control(r->opcode) ? ws_read_control(r, bytes, n, news)
		                                 : read_data(r, bytes, n, news);
	} while (event == WS_WAIT && *n);
	return event;
}

size_t ws_header(char out[WS_HEADER_MAX], enum ws_opcode op, uint64_t len)
{
	unsigned n = len < 126 ? 0 : len <= 0xFFFF ? 2 : 8;

	out[0] = (char)(0x80 | op);
	out[1] = (char)(n == 0 ? len : n == 2 ? 126 : 127);
	for (unsigned i = 0; i < n; i++)
		out[2 + i] = (char)(len >> 8 * (n - 1 - i));
	assert(2 + n <= WS_HEADER_MAX);
	return 2 + n;
}

bool ws_add_frame(struct buf *out, enum ws_opcode op, struct text body)
{
	char header[WS_HEADER_MAX];
	size_t n = ws_header(header, op, body.len);
	char *to = buf_reserve(out, n + body.len);

	if (!to)
		return false;
	memcpy(to, header, n);
	if (body.len)
		memcpy(to + n, body.at, body.len);
	out->len += n + body.len;
	return true;
}

bool ws_add_masked(struct buf *out, enum ws_opcode op, struct text body)
{
	char header[WS_HEADER_MAX];
	size_t n = ws_header(header, op, body.len);
	char *to = buf_reserve(out, n + 4 + body.len);
	uint8_t mask[4];

	if (!to)
		return false;
	random_bytes(mask, sizeof(mask));
	header[1] = (char)(header[1] | 0x80);
	memcpy(to, header, n);
	memcpy(to + n, mask, 4);
	if (body.len)
		memcpy(to + n + 4, body.at, body.len);
	unmask(to + n + 4, body.len, mask, 0);
	out->len += n + 4 + body.len;
	return true;
}

/* What a close frame holds. */
static struct text close_body(char body[CONTROL_MAX], uint16_t code, struct text reason)
{
	if (code == CODE_NONE)
		return (struct text){0};
	body[0] = (char)(code >> 8);
	body[1] = (char)code;
	reason = utf8_cut(reason, REASON_MAX);
	if (reason.len)
		memcpy(body + 2, reason.at, reason.len);
	assert(reason.len <= REASON_MAX);
	return (struct text){body, 2 + reason.len};
}

bool ws_add_close(struct buf *out, uint16_t code, struct text reason)
{
	char body[CONTROL_MAX];

	return ws_add_frame(out, WS_OP_CLOSE, close_body(body, code, reason));
}

bool ws_add_masked_close(struct buf *out, uint16_t code, struct text reason)
{
	char body[CONTROL_MAX];

	return ws_add_masked(out, WS_OP_CLOSE, close_body(body, code, reason));
}

/* Base64 of 16 bytes: 22 characters and two signs of equality. */
static bool ws_is_key(struct text key)
{
	static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				       "0123456789+/";

	if (key.len != 24 || key.at[22] != '=' || key.at[23] != '=')
		return false;
	for (size_t i = 0; i < 22; i++)
		if (!memchr(alphabet, key.at[i], sizeof(alphabet) - 1))
			return false;
	return true;
}

/* Looked up once: SHA1() does it for each call, which is more than half of its work. */
static const EVP_MD *sha1(void)
{
	static EVP_MD *found;

	if (!found)
		found = EVP_MD_fetch(NULL, "SHA1", NULL);
	return found;
}

bool ws_accept(struct text key, char out[WS_ACCEPT_LEN + 1])
{
	static const char guid[] = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
	unsigned char both[24 + sizeof(guid) - 1], digest[SHA_DIGEST_LENGTH];

	if (!ws_is_key(key))
		return false;
	memcpy(both, key.at, 24);
	memcpy(both + 24, guid, sizeof(guid) - 1);
	if (!sha1() || !EVP_Digest(both, sizeof(both), digest, NULL, sha1(), NULL))
		must_give_up("libcrypto gives no SHA-1");
	EVP_EncodeBlock((unsigned char *)out, digest, sizeof(digest));
	return true;
}
