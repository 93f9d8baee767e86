/* chunk.c - hostile replies: however their tokens come, the same pieces are made of them, none
 * is longer than it may be, and none leaves a fence open.
 *
 * The first four bytes say how it is cut: unit and preference, length, lines, and the length of a
 * token.
 */
#include <stdlib.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "deliver/chunk.h"
#include "deliver/fence.h"
#include "lib/hold.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_piece(const struct chunk_options *options, const struct chunk_piece *piece)
{
	unsigned most = options->max_chars / 8 < 64 ? (unsigned)(options->max_chars / 8) : 64;
	struct fence open = fence_after(piece->text, &(struct fence){0}, most);
	size_t lines = 0;

	must_hold(chunk_length(options->unit, piece->text) <= options->max_chars);
	must_hold(open.mark == '\0');
	for (size_t i = 0; i < piece->text.len; i++)
		lines += piece->text.at[i] == '\n' || i + 1 == piece->text.len;
	must_hold(!options->max_lines || lines <= options->max_lines);
}

static void cut_all(const struct chunk_options *options, struct text t, size_t step,
                    struct buf *told)
{
	struct chunker *c = chunker_create(options);
	bool is_text = utf8_is_valid(t);
	struct chunk_piece piece;

	buf_init(told, 64 * MIB);
	do {
		size_t n = t.len < step ? t.len : step;

		must_hold(chunk_add(c, (struct text){t.at, n}));
		t = (struct text){t.at + n, t.len - n};
		if (t.len == 0)
			chunk_flush(c);
		while (chunk_take(c, &piece)) {
			if (is_text)
				check_piece(options, &piece);
			buf_add(told, piece.text);
			buf_print(told, "|%d", (int)piece.gap);
		}
		must_hold(chunk_held(c).len <= 4 * options->max_chars + 4);
	} while (t.len);
	chunker_destroy(c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct chunk_options options;
	struct buf at_once, in_tokens;
	struct text t;

	if (size < 4)
		return 0;
	options = (struct chunk_options){
		.unit = (enum chunk_unit)(data[0] % 3),
		.break_preference = (enum chunk_break)(1 + data[0] / 3 % 3),
		.max_chars = CHUNK_LEAST_CHARS + data[1],
		.max_lines = data[2] % 2 ? CHUNK_LEAST_LINES + data[2] / 16 : 0,
	};
	options.min_chars = 1 + (options.max_chars - 1) * (data[2] / 2 % 8) / 8;
	options.paragraph_from = data[0] & 64 ? 1 : data[0] & 128 ? options.min_chars : 0;
	t = (struct text){(const char *)data + 4, size - 4};
	cut_all(&options, t, size, &at_once);
	cut_all(&options, t, data[3] % 32 + 1, &in_tokens);
	must_hold(!utf8_is_valid(t) || text_equal(buf_text(&at_once), buf_text(&in_tokens)));
	buf_finish(&at_once);
	buf_finish(&in_tokens);
	return 0;
}
