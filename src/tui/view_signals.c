/* view_signals.c - the newest signals of the box, as they come.
 *
 * It follows them until one is chosen, and again from the end on.  The box sends them
 * only while this is open.
 */
#include <stdio.h>
#include <time.h>

#include "tui/inside.h"
#include "tui/log.h"
#include "tui/look.h"

#define SUMMARY_MAX 400
#define NAME_COLS 18
#define NAME_BYTES_MAX (2 * KIB)

struct signals_view {
	struct json_reader reader;
	bool is_held;
	uint64_t seq; /* of the chosen one, when it is held */
	int page;
};

static bool view_signals_is_shown(const struct tui *tui, const struct board_signal *signal)
{
	return !tui->filter[0] || strcasestr(signal->raw, tui->filter);
}

static void signals_open(struct tui *tui, void *self)
{
	struct signals_view *view = self;

	json_reader_init(&view->reader, BOARD_MESSAGE_MAX);
	if (tui->line.follow)
		tui->line.follow(tui->line.self, true);
}

static void signals_close(struct tui *tui, void *self)
{
	struct signals_view *view = self;

	json_reader_finish(&view->reader);
	if (tui->line.follow)
		tui->line.follow(tui->line.self, false);
}

/* ---- choosing ---- */

/* One above the end of those up to `seq`; count when there is none. */
static size_t last_up_to(const struct tui *tui, uint64_t seq)
{
	const struct board *board = &tui->board;

	for (size_t i = board->signal_count; i > 0; i--) {
		const struct board_signal *signal = board_signal(board, i - 1);

		if (signal->seq <= seq && view_signals_is_shown(tui, signal))
			return i - 1;
	}
	return board->signal_count;
}

static size_t chosen_at(const struct tui *tui, const struct signals_view *view)
{
	size_t at = last_up_to(tui, view->is_held ? view->seq : UINT64_MAX);

	if (at < tui->board.signal_count)
		return at;
	for (at = 0; at < tui->board.signal_count; at++)
		if (view_signals_is_shown(tui, board_signal(&tui->board, at)))
			break;
	return at;
}

static void view_signals_move(struct tui *tui, struct signals_view *view, int by)
{
	const struct board *board = &tui->board;
	size_t at = chosen_at(tui, view), to = at;

	while (by != 0 && at < board->signal_count) {
		to = by > 0 ? to + 1 : to - 1; /* wraps below 0, past the end */
		if (to >= board->signal_count)
			break;
		if (!view_signals_is_shown(tui, board_signal(board, to)))
			continue;
		at = to;
		by += by > 0 ? -1 : 1;
	}
	if (at == board->signal_count)
		return;
	view->seq = board_signal(board, at)->seq;
	view->is_held = by <= 0 || to < board->signal_count;
}

static void open_chosen(struct tui *tui, const struct signals_view *view)
{
	size_t at = chosen_at(tui, view);
	char words[40];

	if (at == tui->board.signal_count)
		return;
	snprintf(words, sizeof(words), "signal %llu",
	         (unsigned long long)board_signal(&tui->board, at)->seq);
	tui_open(tui, &view_page, text_of(words));
}

static bool signals_press(struct tui *tui, void *self, const struct press *press)
{
	struct signals_view *view = self;

	switch (press->code) {
	case 'j':
	case PRESS_DOWN:
	case PRESS_WHEEL_DOWN:
		view_signals_move(tui, view, 1);
		return true;
	case 'k':
	case PRESS_UP:
	case PRESS_WHEEL_UP:
		view_signals_move(tui, view, -1);
		return true;
	case PRESS_PAGE_DOWN:
		view_signals_move(tui, view, view->page);
		return true;
	case PRESS_PAGE_UP:
		view_signals_move(tui, view, -view->page);
		return true;
	case 'g':
	case PRESS_HOME:
		view_signals_move(tui, view, -BOARD_SIGNALS_MAX);
		return true;
	case 'G':
	case PRESS_END:
		view->is_held = false;
		return true;
	case '/':
		typing_begin(tui, '/');
		return true;
	case PRESS_ENTER:
		open_chosen(tui, view);
		return true;
	case 'h':
	case 'q':
	case PRESS_BACKSPACE:
		tui_close(tui);
		return true;
	default:
		return false;
	}
}

/* ---- drawing ---- */

static void put_time(struct pen *pen, double ms)
{
	time_t seconds = (time_t)(ms / 1000);
	char clock[16] = "--:--:--";
	struct tm tm;

	if (ms > 0 && localtime_r(&seconds, &tm))
		strftime(clock, sizeof(clock), "%H:%M:%S", &tm);
	pen_styled(pen, STYLE_TIME, text_of(clock));
}

/* Its session by its name, or where it came from. */
static void put_whose(struct tui *tui, yyjson_val *root, struct pen *pen)
{
	struct text source = json_text_at(root, "source"),
		    run = json_text_at(root, "correlationId");
	yyjson_val *payload = yyjson_obj_get(root, "payload");
	struct invoked of = {run.len ? run : source, json_text_at(payload, "agentId"),
	                     json_text_at(yyjson_obj_get(root, "metadata"), "agent_id")};
	struct named who = named_find(&tui->board.sessions, &of);
	uint8_t chosen = pen->style & STYLE_CHOSEN;
	struct buf name;

	buf_init(&name, NAME_BYTES_MAX);
	if (who.member)
		named_add(&name, &who);
	else
		buf_add(&name, source);
	pen->style = model_hue(&tui->model, who.member ? json_text_at(who.member, "id") : source) |
	             chosen;
	look_put_name(pen, buf_text(&name), NAME_COLS);
	buf_finish(&name);
}

static void draw_one(struct tui *tui, struct signals_view *view, const struct board_signal *signal,
                     struct pen pen)
{
	yyjson_val *root = yyjson_doc_get_root(
		json_read(&view->reader, (struct text){signal->raw, signal->len}, NULL));
	uint8_t chosen = pen.style & STYLE_CHOSEN;
	struct buf summary;
	double ts = 0;

	json_number(yyjson_obj_get(root, "timestamp"), &ts);
	pen_print(&pen, "%8llu ", (unsigned long long)signal->seq);
	put_time(&pen, ts);
	pen_put(&pen, TEXT(" "));
	put_whose(tui, root, &pen);
	pen.style = STYLE_PHASE | chosen;
	pen_put(&pen, TEXT(" "));
	pen_fit(&pen, json_text_at(root, "type"), 18);
	pen.style = STYLE_PLAIN | chosen;
	pen_put(&pen, TEXT(" "));
	buf_init(&summary, 2 * SUMMARY_MAX);
	log_add_value(&summary, yyjson_obj_get(root, "payload"), SUMMARY_MAX);
	pen_put(&pen, buf_text(&summary));
	buf_finish(&summary);
	pen_rest(&pen);
}

/* The chosen one is the lowest that is shown, unless there is room below the last. */
static void signals_draw(struct tui *tui, void *self, struct area area)
{
	struct signals_view *view = self;
	const struct board *board = &tui->board;
	size_t chosen = chosen_at(tui, view), shown[CANVAS_ROWS_MAX];
	int count = 0;

	view->page = area.rows;
	for (size_t i = chosen; i < board->signal_count && count < area.rows; i--)
		if (view_signals_is_shown(tui, board_signal(board, i)))
			shown[count++] = i;
	for (int row = 0; row < count; row++) {
		size_t at = shown[count - 1 - row];
		uint8_t style = view->is_held && at == chosen ? STYLE_CHOSEN : 0;

		draw_one(tui, view, board_signal(board, at), pen_at(area, row, 0, style));
	}
}

static void signals_note(struct tui *tui, void *self, struct buf *out)
{
	const struct signals_view *view = self;

	if (tui->filter[0])
		buf_print(out, "/%s · ", tui->filter);
	if (view->is_held)
		buf_add(out, TEXT("G follows · "));
	buf_print(out, "%llu", (unsigned long long)tui->board.signals_ever);
	if (tui->board.missed)
		buf_print(out, " · %llu left out", (unsigned long long)tui->board.missed);
}

const struct view view_signals = {
	.name = "signals",
	.title = "SIGNALS",
	.hints = "j/k choose · G follow · Enter all of it · / filter · Esc close",
	.place = VIEW_OVERLAY,
	.size = sizeof(struct signals_view),
	.open = signals_open,
	.close = signals_close,
	.draw = signals_draw,
	.note = signals_note,
	.press = signals_press,
};
