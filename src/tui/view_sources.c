/* view_sources.c - the sources of the box: what it is connected to, and how that is. */
#include <stdio.h>
#include <stdlib.h>

#include "tui/inside.h"
#include "tui/rows.h"

struct sources_view {
	struct rows rows;
	struct json_reader reader;
};

static bool view_sources_is_shown(const struct tui *tui, const struct board_source *source)
{
	return !tui->filter[0] || strcasestr(source->raw, tui->filter);
}

static const struct board_source *shown_at(const struct tui *tui, size_t wanted)
{
	for (size_t i = 0; i < tui->board.source_count; i++)
		if (view_sources_is_shown(tui, &tui->board.sources[i]) && wanted-- == 0)
			return &tui->board.sources[i];
	return NULL;
}

static size_t shown_count(const struct tui *tui)
{
	size_t count = 0;

	for (size_t i = 0; i < tui->board.source_count; i++)
		count += view_sources_is_shown(tui, &tui->board.sources[i]);
	return count;
}

static void sources_open(struct tui *tui, void *self)
{
	struct sources_view *view = self;

	json_reader_init(&view->reader, BOARD_MESSAGE_MAX);
}

static void sources_close(struct tui *tui, void *self)
{
	struct sources_view *view = self;

	json_reader_finish(&view->reader);
}

static enum style style_of(struct text state)
{
	static const struct {
		const char *state;
		enum style style;
	} table[] = {
		{"connected", STYLE_DONE},
		{"streaming", STYLE_STREAMING},
		{"connecting", STYLE_WAITING},
		{"error", STYLE_ERROR},
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		if (text_is(state, table[i].state))
			return table[i].style;
	return STYLE_DIM;
}

static void draw_one(struct sources_view *view, const struct board_source *source, struct pen pen)
{
	yyjson_val *root =
		yyjson_doc_get_root(json_read(&view->reader, text_of(source->raw), NULL));
	struct text state = json_text_at(root, "state");
	struct text error = json_text_at(root, "error");
	struct text last = json_text_at(root, "lastError");
	double signals = 0, rate = 0;
	uint8_t chosen = pen.style & STYLE_CHOSEN;

	json_number(yyjson_obj_get(root, "signals"), &signals);
	json_number(yyjson_obj_get(root, "eventsPerSecond"), &rate);
	pen_put(&pen, TEXT(" "));
	pen_fit(&pen, json_text_at(root, "name"), 18);
	pen_put(&pen, TEXT(" "));
	pen.style = style_of(state) | chosen;
	pen_fit(&pen, state, 12);
	pen.style = STYLE_DIM | chosen;
	pen_fit(&pen, json_text_at(root, "protocol"), 10);
	pen.style = STYLE_METRIC | chosen;
	pen_print(&pen, " %8.0f %5.0f/s  ", signals, rate);
	pen.style = (error.len ? STYLE_ERROR : STYLE_PLAIN) | chosen;
	if (!error.len)
		error = last.len ? last : json_text_at(root, "url");
	pen_put(&pen, error);
	pen_rest(&pen);
}

static void sources_draw(struct tui *tui, void *self, struct area area)
{
	struct sources_view *view = self;
	struct pen head = pen_at(area, 0, 0, STYLE_DIM);

	pen_put(&head, TEXT(" name               state       protocol    signals  rate   where"));
	area = area_rows(area, 1, area.rows);
	rows_fit(&view->rows, shown_count(tui), area);
	for (int i = 0; i < area.rows; i++) {
		const struct board_source *source = shown_at(tui, view->rows.top + (size_t)i);

		if (source)
			draw_one(view, source, pen_at(area, i, 0, rows_style(&view->rows, i)));
	}
}

static void sources_note(struct tui *tui, void *self, struct buf *out)
{
	if (tui->filter[0])
		buf_print(out, "/%s · ", tui->filter);
	buf_print(out, "%zu", shown_count(tui));
}

static bool sources_press(struct tui *tui, void *self, const struct press *press)
{
	struct sources_view *view = self;
	const struct board_source *source;
	struct buf name;

	if (rows_press(&view->rows, press))
		return true;
	if (press->code == '/') {
		typing_begin(tui, '/');
		return true;
	}
	if (press->code == 'h' || press->code == 'q' || press->code == PRESS_BACKSPACE) {
		tui_close(tui);
		return true;
	}
	source = shown_at(tui, view->rows.chosen);
	if ((press->code != PRESS_ENTER && press->code != PRESS_DOUBLE) || !source)
		return false;
	buf_init(&name, 4 * KIB);
	buf_print(&name, "source %s", source->id);
	tui_open(tui, &view_page, buf_text(&name));
	buf_finish(&name);
	return true;
}

const struct view view_sources = {
	.name = "sources",
	.title = "SOURCES",
	.hints = "j/k choose · Enter all of it · / filter · Esc close",
	.place = VIEW_OVERLAY,
	.size = sizeof(struct sources_view),
	.open = sources_open,
	.close = sources_close,
	.draw = sources_draw,
	.note = sources_note,
	.press = sources_press,
};
