/* sections.c - named pieces of bytes, written and found. */
#include "base/sections.h"

#include <string.h>

#define LENGTH_BYTES 8

static void put_length(char *at, uint64_t length)
{
	for (unsigned i = 0; i < LENGTH_BYTES; i++)
		at[i] = (char)(unsigned char)(length >> (8 * i));
}

static uint64_t get_length(const char *at)
{
	uint64_t length = 0;

	for (unsigned i = LENGTH_BYTES; i-- > 0;)
		length = length << 8 | (unsigned char)at[i];
	return length;
}

size_t section_begin(struct buf *out, const char *name)
{
	static const char none[LENGTH_BYTES];

	buf_add(out, (struct text){name, strlen(name) + 1});
	buf_add(out, (struct text){none, sizeof(none)});
	return out->len;
}

void section_end(struct buf *out, size_t begun)
{
	if (!out->full)
		put_length(out->at + begun - LENGTH_BYTES, out->len - begun);
}

struct text section_find(struct text all, const char *name)
{
	while (all.len) {
		const char *nul = memchr(all.at, '\0', all.len);
		size_t head = nul ? (size_t)(nul - all.at) + 1 + LENGTH_BYTES : 0;
		uint64_t length;

		if (!nul || head > all.len)
			break;
		length = get_length(nul + 1);
		if (length > all.len - head)
			break;
		if (strcmp(all.at, name) == 0)
			return (struct text){all.at + head, length};
		all = (struct text){all.at + head + length, all.len - head - length};
	}
	return TEXT("");
}
