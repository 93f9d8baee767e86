/* typed.c - typing, and going about in what was typed.
 *
 * The cursor stands only where a character with all its marks begins.
 */
#include "tui/typed.h"

#include <assert.h>

void typed_init(struct typed *typed)
{
	*typed = (struct typed){0};
	buf_init(&typed->text, TYPED_MAX);
}

void typed_finish(struct typed *typed)
{
	buf_finish(&typed->text);
}

void typed_set(struct typed *typed, struct text text)
{
	buf_clear(&typed->text);
	buf_add(&typed->text, text);
	typed->at = typed->text.len;
}

/* ---- characters ---- */

/* How many bytes the next glyph has with all that belongs to it. */
static size_t typed_step(const struct typed *typed, size_t from)
{
	struct text rest = {typed->text.at + from, typed->text.len - from};
	struct glyph glyph;

	assert(from <= typed->text.len);
	wide_next(&rest, &glyph);
	return typed->text.len - from - rest.len;
}

static size_t before(const struct typed *typed)
{
	size_t at = 0, last = 0;

	assert(typed->at <= typed->text.len);
	while (at < typed->at) {
		last = at;
		at += typed_step(typed, at);
	}
	return last;
}

static void typed_cut(struct typed *typed, size_t from, size_t to)
{
	struct buf *text = &typed->text;

	assert(from <= to && to <= text->len);
	if (to > from)
		memmove(text->at + from, text->at + to, text->len - to);
	text->len -= to - from;
	typed->at = from;
}

static size_t encode(uint32_t code, char out[4])
{
	if (code < 0x80) {
		out[0] = (char)code;
		return 1;
	}
	if (code < 0x800) {
		out[0] = (char)(0xC0 | code >> 6);
		out[1] = (char)(0x80 | (code & 0x3F));
		return 2;
	}
	if (code < 0x10000) {
		out[0] = (char)(0xE0 | code >> 12);
		out[1] = (char)(0x80 | (code >> 6 & 0x3F));
		out[2] = (char)(0x80 | (code & 0x3F));
		return 3;
	}
	out[0] = (char)(0xF0 | code >> 18);
	out[1] = (char)(0x80 | (code >> 12 & 0x3F));
	out[2] = (char)(0x80 | (code >> 6 & 0x3F));
	out[3] = (char)(0x80 | (code & 0x3F));
	return 4;
}

static void insert(struct typed *typed, uint32_t code)
{
	struct buf *text = &typed->text;
	char bytes[4];
	size_t len = encode(code, bytes), behind = text->len - typed->at;

	if (!buf_add(text, (struct text){bytes, len}))
		return;
	memmove(text->at + typed->at + len, text->at + typed->at, behind);
	memcpy(text->at + typed->at, bytes, len);
	typed->at += len;
}

/* ---- keys ---- */

static void cut_word(struct typed *typed)
{
	size_t from = typed->at;

	while (from > 0 && typed->text.at[from - 1] == ' ')
		from--;
	while (from > 0 && typed->text.at[from - 1] != ' ')
		from--;
	typed_cut(typed, from, typed->at);
}

static bool is_text(uint32_t code)
{
	return code >= ' ' && code < PRESS_SPECIAL && code != PRESS_BACKSPACE &&
	       !(code >= 0x80 && code < 0xA0) && !(code >= 0xD800 && code < 0xE000);
}

bool typed_press(struct typed *typed, const struct press *press)
{
	switch (press->code) {
	case PRESS_BACKSPACE:
	case PRESS_CTRL('h'):
		typed_cut(typed, before(typed), typed->at);
		return true;
	case PRESS_DELETE:
		if (typed->at < typed->text.len)
			typed_cut(typed, typed->at, typed->at + typed_step(typed, typed->at));
		return true;
	case PRESS_LEFT:
		typed->at = before(typed);
		return true;
	case PRESS_RIGHT:
		if (typed->at < typed->text.len)
			typed->at += typed_step(typed, typed->at);
		return true;
	case PRESS_HOME:
	case PRESS_CTRL('a'):
		typed->at = 0;
		return true;
	case PRESS_END:
	case PRESS_CTRL('e'):
		typed->at = typed->text.len;
		return true;
	case PRESS_CTRL('u'):
		typed_cut(typed, 0, typed->at);
		return true;
	case PRESS_CTRL('w'):
		cut_word(typed);
		return true;
	default:
		if (!is_text(press->code))
			return false;
		insert(typed, press->code);
		return true;
	}
}

bool typed_paste(struct typed *typed, const struct press *press)
{
	if (press->code == PRESS_ENTER || press->code == PRESS_TAB || is_text(press->code))
		insert(typed, press->code);
	return true;
}

/* ---- drawing ---- */

struct pen typed_draw(const struct typed *typed, struct pen pen)
{
	int room = pen_left(&pen) - 1; /* the cursor may stand behind it all */
	struct text all = buf_text(&typed->text);
	struct pen cursor;

	pen_put(&pen, wide_end((struct text){all.at, typed->at}, room));
	cursor = pen;
	if (typed->at < all.len)
		pen_put(&pen, (struct text){all.at + typed->at, all.len - typed->at});
	return cursor;
}
