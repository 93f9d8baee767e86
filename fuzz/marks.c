/* marks.c - fuzz: Markdown with signs of a chat, which are balanced and lose no code. */
#include <stdlib.h>

#include "deliver/marks.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define INPUT_MAX (4 * KIB)
#define OPEN "\x01"
#define CLOSE "\x02"

/* The letters that are put, each at most once. */
static size_t put_letter(struct marks_page *p, struct text t, size_t at)
{
	if (at >= t.len)
		abort();
	buf_add_char(p->out, t.at[at] == OPEN[0] || t.at[at] == CLOSE[0] ? '?' : t.at[at]);
	return at + 1;
}

static void put_words(struct marks_page *p, struct text words)
{
	for (size_t i = 0; i < words.len; i++)
		put_letter(p, words, i);
}

static void put_code(struct marks_page *p, struct text code)
{
	if (!code.len)
		abort();
	buf_add(p->out, TEXT(OPEN));
	put_words(p, code);
	buf_add(p->out, TEXT(CLOSE));
}

static bool put_link(struct marks_page *p, struct text words, struct text address)
{
	if (!words.len || !address.len || memchr(words.at, ']', words.len))
		abort();
	buf_add(p->out, TEXT(OPEN));
	put_words(p, words);
	put_words(p, address);
	buf_add(p->out, TEXT(CLOSE));
	return true;
}

static const struct marks_style style = {
	.signs = {[MARKS_STRONG] = {OPEN, CLOSE},
                  [MARKS_EMPHASIS] = {OPEN, CLOSE},
                  [MARKS_STRUCK] = {OPEN, CLOSE}},
	.quote = ">",
	.letter = put_letter,
	.words = put_words,
	.code = put_code,
	.link = put_link,
};

static void check_shown(struct text shown, size_t most)
{
	unsigned depth = 0;

	for (size_t i = 0; i < shown.len; i++) {
		if (shown.at[i] == CLOSE[0] && depth-- == 0)
			abort();
		depth += shown.at[i] == OPEN[0];
	}
	if (depth || shown.len > most)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct text rest = {(const char *)data, size}, line;
	struct fence fence = {0};
	struct buf out;

	if (size > INPUT_MAX)
		return 0;
	buf_init(&out, 8 * INPUT_MAX);
	while (rest.at) {
		bool was_open = fence.mark;
		enum marks_line is;

		line = text_cut(rest, '\n', &rest);
		is = marks_pass(&fence, line);
		if (was_open != (is == MARKS_CODE || is == MARKS_CLOSES))
			abort();
		buf_clear(&out);
		marks_put_line(&(struct marks_page){&style, &out, NULL}, line);
		check_shown(buf_text(&out),
		            2 * line.len + 2); /* a bullet is longer than its mark */
	}
	buf_finish(&out);
	return 0;
}
