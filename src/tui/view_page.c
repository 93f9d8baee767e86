/* view_page.c - one signal or one source, all of it, as it came.
 *
 * Opened with `signal SEQ` or `source ID`.
 */
#include <stdlib.h>
#include <yyjson.h>

#include "tui/inside.h"
#include "tui/paper.h"

struct page_view {
	struct paper paper;
	char *name;
};

static const char *raw_signal(const struct board *board, struct text seq)
{
	uint64_t wanted;

	if (!text_to_u64(seq, &wanted))
		return NULL;
	for (size_t i = 0; i < board->signal_count; i++)
		if (board_signal(board, i)->seq == wanted)
			return board_signal(board, i)->raw;
	return NULL;
}

static const char *raw_source(const struct board *board, struct text id)
{
	for (size_t i = 0; i < board->source_count; i++)
		if (text_is(id, board->sources[i].id))
			return board->sources[i].raw;
	return NULL;
}

static void add_pretty(struct page_view *view, struct text raw)
{
	yyjson_doc *doc = yyjson_read(raw.at, raw.len, YYJSON_READ_NUMBER_AS_RAW);
	size_t len = 0;
	char *pretty = doc ? yyjson_write(doc, YYJSON_WRITE_PRETTY_TWO_SPACES, &len) : NULL;

	paper_add(&view->paper, STYLE_PLAIN, pretty ? (struct text){pretty, len} : raw);
	free(pretty);
	yyjson_doc_free(doc);
}

static void page_open(struct tui *tui, void *self)
{
	struct page_view *view = self;
	struct text rest, kind = text_cut(tui_argument(tui), ' ', &rest);
	const char *raw = text_is(kind, "signal") ? raw_signal(&tui->board, rest)
	                                          : raw_source(&tui->board, rest);

	paper_init(&view->paper);
	view->paper.is_begun = true;
	view->name = text_dup(tui_argument(tui));
	if (raw)
		add_pretty(view, text_of(raw));
	else
		paper_add(&view->paper, STYLE_DIM, TEXT("it is not kept here any more"));
}

static void page_close(struct tui *tui, void *self)
{
	struct page_view *view = self;

	paper_finish(&view->paper);
	free(view->name);
}

static void page_draw(struct tui *tui, void *self, struct area area)
{
	struct page_view *view = self;

	paper_draw(&view->paper, area);
}

static void page_note(struct tui *tui, void *self, struct buf *out)
{
	const struct page_view *view = self;

	buf_add(out, text_of(view->name));
}

static bool page_press(struct tui *tui, void *self, const struct press *press)
{
	struct page_view *view = self;
	struct buf out;

	if (paper_press(&view->paper, press))
		return true;
	if ((press->code == 'y' || press->code == 'Y') && tui->copy) {
		buf_init(&out, PAPER_MAX);
		paper_copy(&view->paper, 0, false, &out);
		tui->copy(tui->copy_self, buf_text(&out));
		tui_say(tui, "copied");
		buf_finish(&out);
		return true;
	}
	if (press->code == 'h' || press->code == 'q' || press->code == PRESS_BACKSPACE) {
		tui_close(tui);
		return true;
	}
	return false;
}

const struct view view_page = {
	.name = "page",
	.title = "DETAIL",
	.hints = "j/k b PgUp/PgDn g/G scroll · y copy · h back · Esc close",
	.place = VIEW_OVERLAY,
	.size = sizeof(struct page_view),
	.open = page_open,
	.close = page_close,
	.draw = page_draw,
	.note = page_note,
	.press = page_press,
};
