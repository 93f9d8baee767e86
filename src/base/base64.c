/* base64.c - see base64.h. */
#include "base/base64.h"

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void base64_add(struct buf *out, struct text bytes)
{
	const unsigned char *at = (const unsigned char *)bytes.at;

	for (size_t i = 0; i < bytes.len; i += 3) {
		size_t left = bytes.len - i;
		uint32_t n = (uint32_t)at[i] << 16 | (left > 1 ? (uint32_t)at[i + 1] << 8 : 0) |
		             (left > 2 ? at[i + 2] : 0);
		char four[4] = {digits[n >> 18], digits[n >> 12 & 63],
		                left > 1 ? digits[n >> 6 & 63] : '=',
		                left > 2 ? digits[n & 63] : '='};

		buf_add(out, (struct text){four, sizeof(four)});
	}
}

static int digit_of(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* Four characters, the last `padding` of which are "=".  What the padding leaves out is 0. */
static bool read_four(const char *four, unsigned padding, char bytes[3])
{
	uint32_t n = 0;

	for (unsigned i = 0; i < 4; i++) {
		int digit = i < 4 - padding ? digit_of(four[i]) : 0;

		if (digit < 0)
			return false;
		n = n << 6 | (uint32_t)digit;
	}
	if (n & ((1U << (8 * padding)) - 1))
		return false;
	bytes[0] = (char)(n >> 16);
	bytes[1] = (char)(n >> 8);
	bytes[2] = (char)n;
	return true;
}

bool base64_read(struct text text, struct buf *out)
{
	unsigned padding = text_ends(text, TEXT("==")) ? 2 : text_ends(text, TEXT("=")) ? 1 : 0;
	size_t before = out->len;
	char bytes[3];

	if (text.len % 4 || !buf_reserve(out, text.len / 4 * 3))
		return false;
	for (size_t i = 0; i < text.len; i += 4) {
		unsigned missing = i + 4 == text.len ? padding : 0;

		if (!read_four(text.at + i, missing, bytes)) {
			out->len = before;
			return false;
		}
		buf_add(out, (struct text){bytes, 3 - missing});
	}
	return true;
}
