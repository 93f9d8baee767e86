/* tui.c - the loop of a screen: keys and frames in, a picture out.
 *
 * Frames only change the model; the screen is drawn at most every DRAW_MS, however many
 * come, so that a flood of them never stands between a key and what it does.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>
#include <uv.h>

#include "base/clock.h"
#include "base/must.h"
#include "net/interrupt.h"
#include "tui/feed.h"
#include "tui/inside.h"
#include "tui/term.h"

#define DRAW_MS 16

struct tui_session {
	struct tui tui;
	struct term *term;
	struct loop *loop;
	int interrupts;
	int input; /* readable when the keyboard is; see watch_input() */
	uv_poll_t keys, caught;
	uv_timer_t timer;
	struct turn turn;
	uint64_t drawn_ms; /* of the loop's clock */
};

/* ---- drawing ---- */

static void draw(struct tui_session *show)
{
	struct tui *tui = &show->tui;
	int rows, cols;

	tui->now_ms = clock_wall_ms();
	if (tui->board.bells.due > 0 && !tui->is_silent)
		term_ring(show->term);
	tui->board.bells.due = 0;
	term_size(show->term, &rows, &cols);
	tui_draw(tui, rows, cols);
	term_show(show->term, &tui->canvas, tui->has_cursor ? tui->cursor_row : -1,
	          tui->cursor_col);
	show->drawn_ms = loop_now_ms(show->loop);
}

/* What moves, moves; what only counts seconds does that. */
static void timer_fired(uv_timer_t *timer)
{
	struct tui_session *show = timer->data;
	bool moves = tui_moves(&show->tui);

	draw(show);
	if (moves)
		uv_timer_start(timer, timer_fired, TUI_TICK_MS, 0);
	else if (!show->tui.is_recording)
		uv_timer_start(timer, timer_fired, 1000, 0);
}

/* After each turn: if something changed, draw it soon, but not more often than that. */
static bool tui_end_turn(struct turn *turn)
{
	struct tui_session *show =
		(struct tui_session *)((char *)turn - offsetof(struct tui_session, turn));
	uint64_t since = loop_now_ms(show->loop) - show->drawn_ms;

	if (show->tui.wants_quit) {
		loop_stop(show->loop);
		return false;
	}
	if (!show->tui.is_dirty)
		return false;
	show->tui.is_dirty = false;
	if (since >= DRAW_MS)
		timer_fired(&show->timer);
	else
		uv_timer_start(&show->timer, timer_fired, DRAW_MS - since, 0);
	return false;
}

/* ---- what comes in ---- */

static void keys_came(uv_poll_t *poll, int status, int events)
{
	struct tui_session *show = poll->data;
	struct press press;

	show->tui.now_ms = clock_wall_ms();
	while (!show->tui.wants_quit && term_read(show->term, &press)) {
		if (press.code == PRESS_CTRL('z'))
			term_suspend(show->term);
		else if (press.code == PRESS_CTRL('l'))
			term_again(show->term);
		else
			tui_press(&show->tui, &press);
		tui_redraw(&show->tui);
	}
	if (status < 0 || !isatty(STDIN_FILENO))
		tui_quit(&show->tui); /* the terminal is gone */
}

static void interrupt_came(uv_poll_t *poll, int status, int events)
{
	struct tui_session *show = poll->data;
	struct interrupt_caught caught;

	while (interrupt_read(show->interrupts, &caught)) {
		if (caught.is_resize)
			term_resized(show->term);
		else if (caught.is_resume)
			term_resumed(show->term);
		else if (caught.is_suspend)
			term_suspend(show->term);
		else
			tui_quit(&show->tui);
		tui_redraw(&show->tui);
	}
}

/* ---- beginning and end ---- */

/* libuv makes what it watches non-blocking.  The terminal is also our output, and that
 * of whoever started us: so it watches somebody who watches. */
static bool watch_input(struct tui_session *show, struct error *why)
{
	struct epoll_event event = {.events = EPOLLIN};

	show->input = epoll_create1(EPOLL_CLOEXEC);
	if (show->input >= 0 && epoll_ctl(show->input, EPOLL_CTL_ADD, STDIN_FILENO, &event) == 0)
		return true;
	return errno == EPERM ? error_set(why, "this needs a terminal") /* it is a file */
	                      : error_errno(why, "the keyboard");
}

static bool catch_interrupts(struct tui_session *show, struct error *why)
{
	show->interrupts = interrupt_catch_screen();
	return show->interrupts >= 0 || error_errno(why, "signals");
}

static void tui_copy(void *self, struct text text)
{
	struct tui_session *show = self;

	term_copy(show->term, text);
}

static void tui_begin(struct tui_session *show)
{
	uv_loop_t *uv = loop_uv(show->loop);

	uv_poll_init(uv, &show->keys, show->input);
	uv_poll_init(uv, &show->caught, show->interrupts);
	uv_timer_init(uv, &show->timer);
	show->keys.data = show->caught.data = show->timer.data = show;
	uv_poll_start(&show->keys, UV_READABLE, keys_came);
	uv_poll_start(&show->caught, UV_READABLE, interrupt_came);
	show->tui.copy = tui_copy;
	show->tui.copy_self = show;
	show->tui.now_ms = clock_wall_ms();
	tui_redraw(&show->tui);
}

static void tui_end(struct tui_session *show)
{
	uv_close((uv_handle_t *)&show->keys, NULL);
	uv_close((uv_handle_t *)&show->caught, NULL);
	uv_close((uv_handle_t *)&show->timer, NULL);
	loop_remove_turn(&show->turn);
}

bool feed_show(const struct tui_feed *feed, struct error *why)
{
	struct tui_session *show = must_zero(1, sizeof(*show));
	bool started = false;

	show->interrupts = show->input = -1;
	show->loop = loop_create();
	tui_init(&show->tui);
	if (catch_interrupts(show, why) && watch_input(show, why))
		show->term = term_create(feed->background, why);
	if (show->term) {
		tui_begin(show);
		started = feed->start(feed->self, show->loop, &show->tui, why);
		/* After the feed's own turn, so that its news is drawn. */
		show->turn.end = tui_end_turn;
		loop_add_turn(show->loop, &show->turn);
		if (started)
			loop_run(show->loop);
		feed->stop(feed->self);
		tui_end(show);
	}
	term_destroy(show->term);
	tui_finish(&show->tui);
	loop_destroy(show->loop);
	if (show->interrupts >= 0)
		close(show->interrupts);
	if (show->input >= 0)
		close(show->input);
	free(show);
	return started;
}
