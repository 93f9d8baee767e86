/* buf.c - bounded growing bytes. */
#include "base/buf.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/must.h"
#include "base/utf8.h"

void buf_init(struct buf *b, size_t max)
{
	*b = (struct buf){.max = max};
}

void buf_finish(struct buf *b)
{
	free(b->at);
	buf_init(b, b->max);
}

char *buf_reserve(struct buf *b, size_t n)
{
	size_t room = b->room ? b->room : 64;

	assert(b->len <= b->room && b->room <= b->max);
	if (n > b->max - b->len) {
		b->full = true;
		return NULL;
	}
	if (b->at && n <= b->room - b->len)
		return b->at + b->len;
	while (room < b->len + n)
		room *= 2;
	if (room > b->max)
		room = b->max;
	b->at = must_grow(b->at, room);
	b->room = room;
	assert(n <= b->room - b->len);
	return b->at + b->len;
}

bool buf_add_grown(struct buf *b, struct text t)
{
	char *to;

	if (t.len == 0)
		return true;
	to = buf_reserve(b, t.len);
	if (!to)
		return false;
	memcpy(to, t.at, t.len);
	b->len += t.len;
	assert(b->len <= b->room);
	return true;
}

bool buf_add_char(struct buf *b, char c)
{
	return buf_add(b, (struct text){&c, 1});
}

bool buf_add_u64(struct buf *b, uint64_t n)
{
	char digits[TEXT_U64_MAX];

	return buf_add(b, text_of_u64(n, digits));
}

bool buf_print(struct buf *b, const char *format, ...)
{
	size_t room = b->at ? b->room - b->len : 0;
	va_list args;
	char *to;
	int n;

	va_start(args, format);
	n = vsnprintf(b->at ? b->at + b->len : NULL, room, format, args);
	va_end(args);
	assert(n >= 0);
	if ((size_t)n < room) {
		b->len += (size_t)n;
		return true;
	}
	to = buf_reserve(b, (size_t)n + 1);
	if (!to)
		return false;
	va_start(args, format);
	vsnprintf(to, (size_t)n + 1, format, args);
	va_end(args);
	b->len += (size_t)n;
	return true;
}

static bool buf_add_escaped(struct buf *b, unsigned char c)
{
	switch (c) {
	case '"':
		return buf_add(b, TEXT("\\\""));
	case '\\':
		return buf_add(b, TEXT("\\\\"));
	case '\n':
		return buf_add(b, TEXT("\\n"));
	case '\t':
		return buf_add(b, TEXT("\\t"));
	case '\r':
		return buf_add(b, TEXT("\\r"));
	default:
		return buf_print(b, "\\u%04x", c);
	}
}

/* The bytes of eight that JSON escapes, by a bit each; bytes that are plain may have one, too. */
static inline uint64_t escapes_in(const char *at)
{
	const uint64_t ones = 0x0101010101010101u, tops = ones << 7;
	uint64_t word, quote, backslash, del;

	memcpy(&word, at, 8);
	quote = (word ^ ones * '"') - ones;
	backslash = (word ^ ones * '\\') - ones;
	del = (word ^ ones * 0x7f) - ones;
	return ((word - ones * 0x20) | quote | backslash | del) & ~word & tops;
}

/* Are eight bytes ASCII that stands in JSON as it is? */
static inline bool buf_are_plain(const char *at)
{
	uint64_t word;

	memcpy(&word, at, 8);
	return (word & 0x8080808080808080u) == 0 && escapes_in(at) == 0;
}

/* Does a text stand in JSON as it is?  The last eight bytes overlap those before. */
static bool buf_is_plain(struct text t)
{
	char few[8] = "        ";
	struct text all = t.len < 8 ? (struct text){few, 8} : t;
	uint64_t tops, seen = 0;

	if (t.len && t.len < 8)
		memcpy(few, t.at, t.len);
	for (size_t i = 0; i < all.len; i += 8) {
		const char *at = all.at + (all.len - i < 8 ? all.len - 8 : i);

		if (escapes_in(at))
			return false;
		memcpy(&tops, at, 8);
		seen |= tops;
	}
	return (seen & 0x8080808080808080u) == 0 || utf8_is_valid(t);
}

/* Such text as a string, if there is room; most text is like that. */
static bool buf_add_quoted(struct buf *b, struct text t)
{
	char *at = buf_reserve(b, t.len + 2);

	if (!at)
		return false;
	*at++ = '"';
	if (t.len)
		memcpy(at, t.at, t.len);
	at[t.len] = '"';
	b->len += t.len + 2;
	return true;
}

/* The length of the run at the start of t that stands in JSON as it is. */
static size_t plain_run(struct text t)
{
	size_t i = 0;

	while (i < t.len) {
		unsigned char c = (unsigned char)t.at[i];
		size_t n = 1;

		if (t.len - i >= 8 && buf_are_plain(t.at + i)) {
			i += 8;
			continue;
		}
		if (c < 0x20 || c == '"' || c == '\\' || c == 0x7f)
			break;
		if (c >= 0x80 && (n = utf8_length((struct text){t.at + i, t.len - i})) == 0)
			break;
		i += n;
	}
	return i;
}

bool buf_add_json(struct buf *b, struct text t)
{
	size_t was = b->len;
	bool ok;

	if (buf_is_plain(t))
		return buf_add_quoted(b, t);
	ok = buf_add_char(b, '"');
	while (ok && t.len) {
		size_t n = plain_run(t);

		ok = buf_add(b, (struct text){t.at, n});
		t = (struct text){t.at + n, t.len - n};
		if (!ok || t.len == 0)
			break;
		ok = (unsigned char)t.at[0] < 0x80 ? buf_add_escaped(b, (unsigned char)t.at[0])
		                                   : buf_add(b, TEXT("\xEF\xBF\xBD"));
		t = (struct text){t.at + 1, t.len - 1};
	}
	if (ok && buf_add_char(b, '"'))
		return true;
	b->len = was;
	return false;
}

void buf_clear(struct buf *b)
{
	b->len = 0;
	b->full = false;
}

void buf_drop(struct buf *b, size_t n)
{
	if (n >= b->len) {
		buf_clear(b);
		return;
	}
	memmove(b->at, b->at + n, b->len - n);
	b->len -= n;
}
