/* top.c - hostile frames, keys and sizes: a screen is drawn, and only what may be shown.
 *
 * The first byte of a line says what it is: a key, a place of the mouse, or a size; all
 * else is a frame.
 */
#include <locale.h>
#include <stdlib.h>

#include "base/must.h"
#include "base/utf8.h"
#include "tui/inside.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static bool keep(void *self, struct text frame)
{
	yyjson_doc *doc = yyjson_read(frame.at, frame.len, 0);

	if (!doc)
		abort();
	yyjson_doc_free(doc);
	return true;
}

/* No cell moves anything, and wide ones have their other half. */
static void look(const struct canvas *canvas)
{
	for (int i = 0; i < canvas->rows * canvas->cols; i++) {
		const struct cell *cell = &canvas->cells[i];
		struct text at = {cell->glyph.at, cell->glyph.len};

		if (!utf8_is_valid(at) || (at.len == 0) != (cell->glyph.width == 0))
			abort();
		if (at.len && ((uint8_t)at.at[0] < 0x20 || at.at[0] == 0x7F))
			abort();
		if (cell->glyph.width == 2 &&
		    (i % canvas->cols == canvas->cols - 1 || cell[1].glyph.width != 0))
			abort();
	}
}

static void draw(struct tui *tui, int rows, int cols)
{
	tui->now_ms += 100;
	tui->tick++;
	tui_draw(tui, rows, cols);
	look(&tui->canvas);
}

static uint8_t byte_of(struct text line, size_t at)
{
	return at < line.len ? (uint8_t)line.at[at] : 0;
}

static void take(struct tui *tui, struct text line)
{
	struct press press = {
		.code = byte_of(line, 1), .row = byte_of(line, 2), .col = byte_of(line, 3)};

	switch (byte_of(line, 0)) {
	case 'k':
		tui_press(tui, &press);
		break;
	case 's':
		press.code = PRESS_SPECIAL + press.code % (PRESS_WHEEL_DOWN - PRESS_SPECIAL + 1);
		tui_press(tui, &press);
		break;
	case 'd':
		draw(tui, byte_of(line, 1) / 2, byte_of(line, 2));
		break;
	default:
		tui_hear(tui, line, NULL);
		break;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct text rest = {(const char *)bytes, size};
	struct tui *tui = must_alloc(sizeof(*tui));

	setlocale(LC_CTYPE, "C.UTF-8");
	tui_init(tui);
	tui->line.send = keep;
	tui->now_ms = 1780798860000;
	while (rest.len > 0 && !tui->wants_quit)
		take(tui, text_cut(rest, '\n', &rest));
	draw(tui, 24, 80);
	draw(tui, 30, 120);
	tui_finish(tui);
	free(tui);
	return 0;
}
