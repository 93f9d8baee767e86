/* base64url.c - six bits to a character. */
#include "base/base64url.h"

#include <string.h>

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

void base64url_add(struct buf *out, const void *bytes, size_t n)
{
	const unsigned char *at = bytes;
	unsigned held = 0, bits = 0;

	for (size_t i = 0; i < n; i++) {
		held = held << 8 | at[i];
		for (bits += 8; bits >= 6; bits -= 6)
			buf_add_char(out, digits[held >> (bits - 6) & 63]);
		held &= (1u << bits) - 1;
	}
	if (bits)
		buf_add_char(out, digits[held << (6 - bits) & 63]);
}

/* Some browsers write the padding that others leave out: it makes fours, and is no longer. */
static struct text without_padding(struct text t)
{
	if (t.len % 4 != 0)
		return t;
	for (int i = 0; i < 2 && t.len && t.at[t.len - 1] == '='; i++)
		t.len--;
	return t;
}

bool base64url_read(struct text text, void *bytes, size_t n)
{
	unsigned char *out = bytes;
	unsigned held = 0, bits = 0;
	size_t len = 0;

	text = without_padding(text);
	if (text.len != (n * 8 + 5) / 6)
		return false;
	for (size_t i = 0; i < text.len; i++) {
		const char *found = text.at[i] ? strchr(digits, text.at[i]) : NULL;

		if (!found)
			return false;
		held = held << 6 | (unsigned)(found - digits);
		bits += 6;
		if (bits < 8)
			continue;
		bits -= 8;
		out[len++] = (unsigned char)(held >> bits);
		held &= (1u << bits) - 1;
	}
	return len == n && held == 0;
}
