/* actions.c - what the keys of the main screen do. */
#include <stdio.h>

#include "tui/inside.h"

static void focus_next(struct tui *tui, struct text argument)
{
	tui->focus = (tui->focus + 1) % PANES;
}

static void maximise(struct tui *tui, struct text argument)
{
	tui->is_maximised = !tui->is_maximised;
}

static void restore_or_interrupt(struct tui *tui, struct text argument)
{
	if (tui->is_maximised)
		tui->is_maximised = false;
	else
		tui_control(tui, "ui-interrupt");
}

static void leave(struct tui *tui, struct text argument)
{
	tui_quit(tui);
}

/* A screen of one run ends that with itself, as the reference does.  One that shows them
 * all was not begun by any of them: it asks first.  On a recording nobody else hears it. */
static void quit_run(struct tui *tui, struct text argument)
{
	if (tui->line.is_shared && !tui->model.fold.finished && tui->quit_until_ms < tui->now_ms) {
		tui->quit_until_ms = tui->now_ms + TUI_SAY_MS;
		tui_say(tui, "Ctrl-C again ends the run that spoke last; q leaves it alone");
		return;
	}
	if (tui->line.send && !tui->model.fold.finished)
		tui_control(tui, "ui-quit");
	tui_quit(tui);
}

static void step(struct tui *tui, struct text argument)
{
	char frame[80];
	uint64_t n;

	if (!text_to_u64(argument, &n)) {
		tui_control(tui, "step");
		return;
	}
	snprintf(frame, sizeof(frame), "{\"kind\":\"control\",\"op\":\"step\",\"n\":%llu}",
	         (unsigned long long)n);
	tui_send(tui, text_of(frame));
}

static void go_on(struct tui *tui, struct text argument)
{
	tui_control(tui, "continue");
}

static void hold(struct tui *tui, struct text argument)
{
	tui_control(tui, "pause");
}

static void arm(struct tui *tui, struct text argument)
{
	tui_control(tui, "arm");
}

const struct action actions_main[] = {
	{PRESS_TAB, "focus", "the keys to the other pane", focus_next},
	{'m', "max", "one pane on all of the screen, and back", maximise},
	{PRESS_ESCAPE, "interrupt", "both panes again; else interrupt what the agent does",
         restore_or_interrupt},
	{'s', "step", "let a paused run do one step, or so many", step},
	{'c', "continue", "let a paused run go on", go_on},
	{'p', "pause", "pause the run", hold},
	{'P', "arm", "pause when something comes from outside", arm},
	{'q', "leave", "leave this screen; the run goes on", leave},
	{PRESS_CTRL('c'), "quit", "end the run, and leave", quit_run},
	{0},
};
