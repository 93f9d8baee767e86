/* actions.c - what the keys of the main screen do. */
#include "tui/crew.h"

/* Around: the panes, and the question if there is one. */
static void focus_next(struct tui *tui, struct text argument)
{
	if (tui->modal.view && tui->is_aside && tui->focus == PANE_CREW) {
		tui->is_aside = false; /* it is the question of one of these */
		return;
	}
	if (tui->modal.view && tui->focus == PANES - 1)
		tui->is_aside = false;
	tui->focus = (tui->focus + 1) % PANES;
	if (tui->focus == PANE_CREW && !tui_has_crew(tui))
		tui->focus = PANE_LIVE;
}

static void maximise(struct tui *tui, struct text argument)
{
	tui->is_maximised = !tui->is_maximised;
}

/* What was changed about this screen is as it was; no agent ever hears of it. */
static void restore(struct tui *tui, struct text argument)
{
	if (tui->is_maximised)
		tui->is_maximised = false;
	else if (tui->filter[0])
		typing_filter(tui, TEXT(""));
	else if (tui->is_visiting)
		tui_action(tui, TEXT("crew"), (struct text){0});
}

static void actions_interrupt(struct tui *tui, struct text argument)
{
	steer(tui, "ui-interrupt", 0);
}

static void actions_leave(struct tui *tui, struct text argument)
{
	tui_quit(tui);
}

static void quit_run(struct tui *tui, struct text argument)
{
	steer_quit(tui);
}

static void actions_step(struct tui *tui, struct text argument)
{
	uint64_t n;

	steer(tui, "step", text_to_u64(argument, &n) ? n : 0);
}

static void actions_go_on(struct tui *tui, struct text argument)
{
	steer(tui, "continue", 0);
}

static void actions_hold(struct tui *tui, struct text argument)
{
	steer(tui, "pause", 0);
}

static void arm(struct tui *tui, struct text argument)
{
	steer(tui, "arm", 0);
}

const struct action actions_main[] = {
	{PRESS_TAB, "focus", "the keys to the other pane", focus_next},
	{'m', "max", "one pane on all of the screen, and back", maximise},
	{PRESS_ESCAPE, "back",
         "both panes again, no filter, out of a question; nothing of an agent's", restore},
	{'x', "interrupt", "interrupt what the run does, after a question that names it",
         actions_interrupt},
	{'s', "step", "let a paused run do one step, or so many", actions_step},
	{'c', "continue", "let a paused run go on", actions_go_on},
	{'p', "pause", "pause the run", actions_hold},
	{'P', "arm", "pause when something comes from outside", arm},
	{'q', "leave", "leave this screen; the run goes on", actions_leave},
	{PRESS_CTRL('c'), "quit", "end the run, and leave", quit_run},
	{0},
};
