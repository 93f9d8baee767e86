/* top.c - hostile frames, keys and sizes: a screen is drawn, and only what may be shown.
 *
 * The first byte of a line says what it is: a key, a place of the mouse, a size, c, an
 * answer with the sessions, or b, what the box says of itself; all else is a frame.
 */
#include <locale.h>
#include <stdlib.h>

#include "base/must.h"
#include "base/utf8.h"
#include "crew/roll.h"
#include "crew/words.h"
#include "signal/json.h"
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
	tui_draw(tui, rows, cols);
	look(&tui->canvas);
}

static uint8_t byte_of(struct text line, size_t at)
{
	return at < line.len ? (uint8_t)line.at[at] : 0;
}

static void say(yyjson_val *member, double now_ms)
{
	yyjson_val *state = yyjson_obj_get(member, "state");
	struct buf words;

	buf_init(&words, 64 * KIB);
	words_state(&words, state);
	words_clock(&words, state, now_ms);
	words_plan(&words, member);
	words_tokens(&words, member);
	words_cost(&words, member);
	buf_finish(&words);
}

/* Groups never go back in a list, and each is found by its handle. */
static void take_crew(struct text answer)
{
	struct roll roll;

	if (!roll_read(&roll, answer))
		return;
	for (size_t i = 0; i < roll.count; i++) {
		struct text handle = json_text_at(roll.members[i], "handle");

		say(roll.members[i], roll.at_ms);
		if ((i > 0 && roll_group(roll.members[i]) < roll_group(roll.members[i - 1])) ||
		    (handle.len && !roll_find(&roll, handle)))
			abort();
	}
	roll_finish(&roll);
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
	case 'c':
		take_crew((struct text){line.at + 1, line.len - 1});
		break;
	case 'b':
		board_hear(&tui->board, (struct text){line.at + 1, line.len - 1});
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
	tui->line.is_shared = tui->begins_with_crew = true;
	tui->now_ms = 1780798860000;
	while (rest.len > 0 && !tui->wants_quit)
		take(tui, text_cut(rest, '\n', &rest));
	draw(tui, 24, 80);
	draw(tui, 30, 120);
	tui_finish(tui);
	free(tui);
	return 0;
}
