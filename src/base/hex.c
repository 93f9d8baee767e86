/* hex.c - four bits to a digit. */
#include "base/hex.h"

static const char digits[] = "0123456789abcdef";

int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)(c | 0x20);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

void hex_write(char *out, const void *bytes, size_t n)
{
	const unsigned char *at = bytes;

	for (size_t i = 0; i < n; i++) {
		out[2 * i] = digits[at[i] >> 4];
		out[2 * i + 1] = digits[at[i] & 15];
	}
	out[2 * n] = '\0';
}

bool hex_read(struct text hex, void *bytes, size_t n)
{
	unsigned char *out = bytes;

	if (hex.len != 2 * n)
		return false;
	for (size_t i = 0; i < n; i++) {
		int high = hex_digit(hex.at[2 * i]), low = hex_digit(hex.at[2 * i + 1]);

		if (high < 0 || low < 0)
			return false;
		out[i] = (unsigned char)(high << 4 | low);
	}
	return true;
}
