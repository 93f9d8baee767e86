/* halves.c - finding torn characters in the text of an event, and joining them.
 *
 * Only the members in which words and inputs grow are looked at, and only in events that
 * can have something torn in them, or while something is held.
 */
#include "parse/halves.h"

#include <assert.h>
#include <string.h>

#include "base/utf8.h"

#define ESCAPE_LEN 6 /* \ud83d */
#define NOTHING TEXT("\\ufffd")

/* Where we are in an event. */
struct halves_walk {
	struct halves *h;
	struct text event;
	size_t at;
	struct text key;     /* of the value that comes next */
	uint64_t index;      /* the last that was named */
	size_t copied;       /* bytes of the event that are in out */
	bool has_last_index; /* the member that was read is one */
};

static bool is_growing(struct text key)
{
	static const char *const keys[] = {
		"content",           "text",      "delta",     "thinking",     "reasoning",
		"reasoning_content", "arguments", "input",     "partial_json", "refusal",
		"response",          "summary",   "transcript"};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (text_is(key, keys[i]))
			return true;
	return false;
}

/* --- what is torn ------------------------------------------------------------------ */

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The code of an escape \uXXXX at the start of t; -1: it is none. */
static int escape(struct text t)
{
	int code = 0;

	if (t.len < ESCAPE_LEN || t.at[0] != '\\' || t.at[1] != 'u')
		return -1;
	for (int i = 2; i < ESCAPE_LEN; i++) {
		int value = digit(t.at[i]);

		if (value < 0)
			return -1;
		code = code * 16 + value;
	}
	return code;
}

static bool halves_is_high(int code)
{
	return code >= 0xD800 && code <= 0xDBFF;
}

static bool halves_is_low(int code)
{
	return code >= 0xDC00 && code <= 0xDFFF;
}

static bool is_continuation(char c)
{
	return ((unsigned char)c & 0xC0) == 0x80;
}

/* How long the character is that this byte begins; 0: it begins none of several bytes. */
static size_t halves_wanted(char c)
{
	unsigned char lead = (unsigned char)c;

	if (lead >= 0xC2 && lead <= 0xDF)
		return 2;
	if (lead >= 0xE0 && lead <= 0xEF)
		return 3;
	return lead >= 0xF0 && lead <= 0xF4 ? 4 : 0;
}

/* The bytes at the end that are the first of a character. */
static size_t torn_bytes(struct text words)
{
	for (size_t n = 1; n <= 3 && n <= words.len; n++) {
		char c = words.at[words.len - n];

		if (halves_wanted(c) > n)
			return n;
		if (!is_continuation(c))
			return 0;
	}
	return 0;
}

/* The same of the first half of a pair.  A backslash behind another one is none. */
static size_t torn_escape(struct text words)
{
	struct text last = {words.at + words.len - ESCAPE_LEN, ESCAPE_LEN};
	size_t before = 0;

	if (words.len < ESCAPE_LEN || !halves_is_high(escape(last)))
		return 0;
	while (before < words.len - ESCAPE_LEN && last.at[-1 - (ptrdiff_t)before] == '\\')
		before++;
	return before % 2 ? 0 : ESCAPE_LEN;
}

static size_t torn_tail(struct text words)
{
	size_t n = torn_escape(words);

	return n ? n : torn_bytes(words);
}

static bool halves_goes_on(const struct half *half, struct text words)
{
	if (half->bytes[0] == '\\')
		return halves_is_low(escape(words));
	return words.len && is_continuation(words.at[0]);
}

/* --- what is held ------------------------------------------------------------------ */

static bool halves_is_of(const struct half *half, const struct halves_walk *w)
{
	return half->key[0] && half->index == w->index && text_is(w->key, half->key);
}

static struct half *held_for(const struct halves_walk *w)
{
	for (unsigned i = 0; i < HALVES_MAX; i++)
		if (halves_is_of(&w->h->held[i], w))
			return &w->h->held[i];
	return NULL;
}

static bool holds_any(const struct halves *h)
{
	for (unsigned i = 0; i < HALVES_MAX; i++)
		if (h->held[i].key[0])
			return true;
	return false;
}

static void halves_hold(struct halves_walk *w, struct text tail)
{
	struct half *half = &w->h->held[w->h->count++ % HALVES_MAX];

	assert(w->key.len < HALVES_KEY_MAX && tail.len <= sizeof(half->bytes));
	*half = (struct half){.index = w->index, .len = tail.len};
	if (w->key.len)
		memcpy(half->key, w->key.at, w->key.len);
	memcpy(half->bytes, tail.at, tail.len);
}

/* --- an event ---------------------------------------------------------------------- */

/* The words of a growing member are at `from` to `to`. */
static void join(struct halves_walk *w, size_t from, size_t to)
{
	struct text words = {w->event.at + from, to - from};
	struct half *half = held_for(w);
	struct buf *out = &w->h->out;
	size_t start, n;

	assert(from <= to && to <= w->event.len && w->copied <= from);
	if (words.len == 0 || (!half && torn_tail(words) == 0))
		return;
	buf_add(out, (struct text){w->event.at + w->copied, from - w->copied});
	start = out->len;
	if (half)
		buf_add(out, halves_goes_on(half, words) ? (struct text){half->bytes, half->len}
		                                         : NOTHING);
	if (half)
		half->key[0] = '\0';
	buf_add(out, words);
	w->copied = to;
	if (out->full)
		return;
	n = torn_tail((struct text){out->at + start, out->len - start});
	if (n == 0)
		return;
	halves_hold(w, (struct text){out->at + out->len - n, n});
	out->len -= n;
}

/* The text that begins behind the quote at w->at, and moves on behind its end. */
static struct text take_string(struct halves_walk *w)
{
	size_t from = ++w->at;

	assert(w->at <= w->event.len + 1);
	while (w->at < w->event.len && w->event.at[w->at] != '"')
		w->at += w->event.at[w->at] == '\\' ? 2 : 1;
	if (w->at > w->event.len)
		w->at = w->event.len;
	return (struct text){w->event.at + from, w->at++ - from};
}

static bool halves_is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool halves_is_key(const struct halves_walk *w)
{
	size_t at = w->at;

	while (at < w->event.len && halves_is_space(w->event.at[at]))
		at++;
	return at < w->event.len && w->event.at[at] == ':';
}

static void halves_take_text(struct halves_walk *w)
{
	struct text string = take_string(w);
	size_t from = (size_t)(string.at - w->event.at);

	if (halves_is_key(w)) {
		w->key = string;
		w->has_last_index = text_is(string, "index") || text_is(string, "output_index");
	} else if (is_growing(w->key)) {
		join(w, from, from + string.len);
	}
}

static void take_digit(struct halves_walk *w)
{
	if (w->has_last_index)
		w->index = 0;
	while (w->at < w->event.len && w->event.at[w->at] >= '0' && w->event.at[w->at] <= '9') {
		if (w->has_last_index)
			w->index = w->index * 10 + (uint64_t)(w->event.at[w->at] - '0');
		w->at++;
	}
	w->has_last_index = false;
}

/* Is an escape of a half of a pair in it, or what looks like one?  Backslashes are rare. */
static bool has_surrogate(struct text event)
{
	const char *at = event.at, *end = event.len ? event.at + event.len : event.at;

	while (end - at >= 3 && (at = memchr(at, '\\', (size_t)(end - at) - 2))) {
		if (at[1] == 'u' && (at[2] | 0x20) == 'd')
			return true;
		at++;
	}
	return false;
}

static bool may_be_torn(struct text event)
{
	return has_surrogate(event) || !utf8_is_valid(event);
}

struct text halves_join(struct halves *h, struct text event)
{
	struct halves_walk w = {.h = h, .event = event};

	if (!holds_any(h) && !may_be_torn(event))
		return event;
	buf_clear(&h->out);
	while (w.at < event.len) {
		char c = event.at[w.at];

		if (c == '"')
			halves_take_text(&w);
		else if (c >= '0' && c <= '9')
			take_digit(&w);
		else
			w.at++;
	}
	if (w.copied == 0)
		return event;
	buf_add(&h->out, (struct text){event.at + w.copied, event.len - w.copied});
	return h->out.full ? event : buf_text(&h->out);
}
