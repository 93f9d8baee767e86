/* spoken.c - fuzz: answers of agents, read out in sentences: the same ones, token by token. */
#include <stdlib.h>

#include "voice/spoken.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define INPUT_MAX (16 * KIB)

static void add_sentence(void *self, struct text words)
{
	buf_add(self, words);
	buf_add_char(self, '\n');
}

static void read_out(struct text answer, size_t piece, struct buf *out)
{
	struct recital_listener listener = {out, add_sentence};
	struct recital recital;

	spoken_init(&recital, &listener);
	for (size_t i = 0; i < answer.len; i += piece)
		spoken_feed(&recital,
		            (struct text){answer.at + i,
		                          answer.len - i < piece ? answer.len - i : piece});
	spoken_end(&recital);
	spoken_finish(&recital);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct text answer = {(const char *)data, size};
	struct buf whole, tokens;

	if (size > INPUT_MAX)
		return 0;
	buf_init(&whole, MIB);
	buf_init(&tokens, MIB);
	read_out(answer, size + 1, &whole);
	read_out(answer, 3, &tokens);
	if (!text_equal(buf_text(&whole), buf_text(&tokens)))
		abort();
	buf_finish(&whole);
	buf_finish(&tokens);
	return 0;
}
