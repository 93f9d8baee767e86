/* view_log.c - the LOG pane: what happened, newest at the bottom.
 *
 * It follows what comes until somebody scrolls up, and again from the end on.
 */
#include <time.h>

#include "tui/inside.h"
#include "tui/look.h"

#define TAG_COLS 10
#define NAME_COLS 18 /* of a session */
#define WIDE_NAME_COLS 22
#define WIDE_COLS 90
#define NAME_MAX_BYTES (2 * KIB)

struct log_view {
	bool is_held;    /* it does not follow */
	uint64_t bottom; /* the number of the line below the lowest shown, when it is held */
	int page;        /* rows that were drawn last */
};

/* ---- whose a line is ---- */

static struct named line_who(const struct tui *tui, const struct line *line)
{
	return named_find(&tui->board.sessions,
	                  &(struct invoked){text_of(line->run), text_of(line->invoke),
	                                    text_of(line->session)});
}

/* Its session's name, or its own tag. */
static void add_tag(struct buf *out, const struct tui *tui, const struct line *line)
{
	struct named who = line_who(tui, line);

	if (who.member)
		named_add(out, &who);
	else
		buf_add(out, text_of(line->tag));
}

static bool has_words(const struct tui *tui, const struct line *line)
{
	struct buf tag;
	bool has;

	if (strcasestr(line->words, tui->filter))
		return true;
	buf_init(&tag, NAME_MAX_BYTES);
	add_tag(&tag, tui, line);
	has = text_has_nocase(buf_text(&tag), text_of(tui->filter));
	buf_finish(&tag);
	return has;
}

/* What an agent says of its own state is not shown beside that of its session. */
static bool view_log_is_shown(const struct tui *tui, const struct line *line)
{
	if (line->is_state && line_who(tui, line).member)
		return false;
	return tui->filter[0] == '\0' || has_words(tui, line);
}

/* ---- lines by their number, which they keep when older ones go ---- */

static uint64_t first_number(const struct model *model)
{
	return model->lines_ever - model->line_count;
}

static const struct line *line_of(const struct model *model, uint64_t number)
{
	return model_line(model, (size_t)(number - first_number(model)));
}

static uint64_t bottom_of(const struct tui *tui, const struct log_view *view)
{
	const struct model *model = &tui->model;

	if (!view->is_held)
		return model->lines_ever;
	return view->bottom < first_number(model) ? first_number(model) : view->bottom;
}

/* ---- scrolling ---- */

/* So many lines that are shown further up; stays where all above are on the screen. */
static void scroll_up(struct tui *tui, struct log_view *view, int by)
{
	const struct model *model = &tui->model;
	uint64_t top = bottom_of(tui, view), bottom = top;
	int above = -view->page;

	while (top > first_number(model) && above < by)
		above += view_log_is_shown(tui, line_of(model, --top));
	for (; above > 0 && bottom > first_number(model); above--)
		while (bottom > first_number(model) &&
		       !view_log_is_shown(tui, line_of(model, --bottom)))
			;
	view->is_held = bottom < model->lines_ever;
	view->bottom = bottom;
}

static void scroll_down(struct tui *tui, struct log_view *view, int by)
{
	const struct model *model = &tui->model;
	uint64_t bottom = bottom_of(tui, view);

	while (bottom < model->lines_ever && by > 0)
		by -= view_log_is_shown(tui, line_of(model, bottom++));
	view->is_held = bottom < model->lines_ever;
	view->bottom = bottom;
}

static bool log_press(struct tui *tui, void *self, const struct press *press)
{
	struct log_view *view = self;
	int page = view->page > 1 ? view->page - 1 : 1;

	switch (press->code) {
	case 'k':
	case PRESS_UP:
		scroll_up(tui, view, 1);
		return true;
	case 'j':
	case PRESS_DOWN:
		scroll_down(tui, view, 1);
		return true;
	case PRESS_WHEEL_UP:
		scroll_up(tui, view, 3);
		return true;
	case PRESS_WHEEL_DOWN:
		scroll_down(tui, view, 3);
		return true;
	case PRESS_PAGE_UP:
		scroll_up(tui, view, page);
		return true;
	case PRESS_PAGE_DOWN:
		scroll_down(tui, view, page);
		return true;
	case 'g':
	case PRESS_HOME:
		scroll_up(tui, view, MODEL_LINES_MAX);
		return true;
	case 'G':
	case PRESS_END:
		view->is_held = false;
		return true;
	case PRESS_ENTER:
		return tui_action(tui, TEXT("transcript"), (struct text){0});
	default:
		return false;
	}
}

/* ---- drawing ---- */

static int tag_cols(const struct tui *tui, struct area area)
{
	if (!tui->board.sessions.roll.count)
		return TAG_COLS;
	return area.cols >= WIDE_COLS ? WIDE_NAME_COLS : NAME_COLS;
}

/* A session has one colour, whoever of it speaks. */
static uint8_t hue_of(struct tui *tui, const struct line *line)
{
	struct text id = json_text_at(line_who(tui, line).member, "id");

	return id.len && line->style >= STYLE_HUE ? model_hue(&tui->model, id) : line->style;
}

static void draw_line(struct tui *tui, struct pen *pen, const struct line *line)
{
	struct buf tag;
	time_t seconds = (time_t)(line->ts / 1000);
	struct tm tm;
	char clock[16] = "--:--:--";

	if (line->ts > 0 && localtime_r(&seconds, &tm))
		strftime(clock, sizeof(clock), "%H:%M:%S", &tm);
	pen_styled(pen, STYLE_TIME, text_of(clock));
	pen_put(pen, TEXT(" "));
	buf_init(&tag, NAME_MAX_BYTES);
	add_tag(&tag, tui, line);
	pen->style = hue_of(tui, line);
	look_put_name(pen, buf_text(&tag), tag_cols(tui, pen->area));
	buf_finish(&tag);
	pen_put(pen, TEXT(" "));
	pen_put(pen, text_of(line->glyph));
	pen_put(pen, TEXT(" "));
	pen->style = line->is_error ? STYLE_ERROR : STYLE_PLAIN;
	pen_put(pen, text_of(line->words));
}

static void log_draw(struct tui *tui, void *self, struct area area)
{
	struct log_view *view = self;
	const struct model *model = &tui->model;
	uint64_t number = bottom_of(tui, view);
	uint64_t shown[CANVAS_ROWS_MAX];
	int count = 0;

	view->page = area.rows;
	while (number > first_number(model) && count < area.rows)
		if (view_log_is_shown(tui, line_of(model, --number)))
			shown[count++] = number;
	for (int row = 0; row < count; row++) {
		struct pen pen = pen_at(area, row, 0, STYLE_PLAIN);

		draw_line(tui, &pen, line_of(model, shown[count - 1 - row]));
	}
}

static void log_note(struct tui *tui, void *self, struct buf *out)
{
	const struct log_view *view = self;

	if (tui->filter[0])
		buf_print(out, "/%s", tui->filter);
	if (view->is_held)
		buf_print(out, "%s%llu below", out->len ? " · " : "",
		          (unsigned long long)(tui->model.lines_ever - bottom_of(tui, view)));
}

const struct view view_log = {
	.name = "log",
	.title = "LOG",
	.hints = "j/k scroll · g/G ends · Tab focus · m max · q leave",
	.place = VIEW_PANE,
	.size = sizeof(struct log_view),
	.draw = log_draw,
	.note = log_note,
	.press = log_press,
};
