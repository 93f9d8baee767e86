/* pieces.c - a text cut by the chunker, at once. */
#include "deliver/pieces.h"

static struct chunker *cut_all(const struct chunk_limit *limit, struct text text)
{
	struct chunk_wish whole = {.min_chars = limit->max / 2, .max_chars = limit->max};
	struct chunk_options options;
	struct chunker *chunker;

	chunk_resolve(&options, limit, NULL, NULL, &whole);
	chunker = chunker_create(&options);
	chunk_add(chunker, text);
	chunk_flush(chunker);
	return chunker;
}

unsigned pieces_cut(const struct chunk_limit *limit, struct text text, unsigned number,
                    struct buf *piece)
{
	struct chunker *chunker = cut_all(limit, text);
	struct chunk_piece one;
	unsigned count = 0;

	while (chunk_take(chunker, &one))
		if (++count == number)
			buf_add(piece, one.text);
	chunker_destroy(chunker);
	return count;
}

uint64_t pieces_mark(struct text piece)
{
	uint64_t hash = 0xCBF29CE484222325u;

	piece = text_trim(piece);
	for (size_t i = 0; i < piece.len; i++)
		hash = (hash ^ (uint8_t)piece.at[i]) * 0x100000001B3u;
	return hash ? hash : 1;
}

unsigned pieces_hash(const struct chunk_limit *limit, struct text text, uint64_t *hashes,
                     unsigned room)
{
	struct chunker *chunker = cut_all(limit, text);
	struct chunk_piece one;
	unsigned count = 0;

	while (chunk_take(chunker, &one)) {
		if (count < room)
			hashes[count] = pieces_mark(one.text);
		count++;
	}
	chunker_destroy(chunker);
	return count;
}
