/* actions_more.c - what opens views, looks for things and changes what is watched. */
#include <stdio.h>

#include "tui/crew.h"

static const struct text none;

static void inspect(struct tui *tui, struct text argument)
{
	tui_open(tui, &view_inspect, argument);
}

static void help(struct tui *tui, struct text argument)
{
	tui_open(tui, &view_inspect, TEXT("help"));
}

static void invocations(struct tui *tui, struct text argument)
{
	tui_open(tui, &view_inspect, TEXT("invocations"));
}

static void chart(struct tui *tui, struct text argument)
{
	tui_open(tui, &view_inspect, TEXT("chart"));
}

static void status(struct tui *tui, struct text argument)
{
	tui_open(tui, &view_inspect, TEXT("status"));
}

static void artifacts(struct tui *tui, struct text argument)
{
	tui_open(tui, &view_inspect, TEXT("artifacts"));
}

static void sources(struct tui *tui, struct text argument)
{
	tui_open(tui, &view_sources, none);
}

static void signals(struct tui *tui, struct text argument)
{
	tui_open(tui, &view_signals, none);
}

static void type_command(struct tui *tui, struct text argument)
{
	typing_begin(tui, ':');
}

/* By its key it is typed, by its word it is there. */
static void filter(struct tui *tui, struct text argument)
{
	if (argument.at)
		typing_filter(tui, argument);
	else
		typing_begin(tui, '/');
}

static void turn_next(struct tui *tui, struct text argument)
{
	steer(tui, "turn-next", 0);
}

static void turn_back(struct tui *tui, struct text argument)
{
	steer(tui, "turn-back", 0);
}

/* A handle stands for the run of its session. */
static struct text run_of(const struct tui *tui, struct text name)
{
	struct text run = json_text_at(roll_find(&tui->board.sessions.roll, name), "run");

	return run.len ? run : name;
}

static struct text actions_name_of(const struct tui *tui, struct text run)
{
	struct text handle = json_text_at(sessions_find(&tui->board.sessions, run), "handle");

	return handle.len ? handle : run;
}

static void actions_more_watch(struct tui *tui, struct text argument)
{
	if (!tui->line.watch) {
		tui_say(tui, "this is a recording: there is nothing else to watch");
		return;
	}
	tui_watch_run(tui, run_of(tui, argument));
	tui->is_visiting = !tui->line.is_shared;
	if (tui->watched[0])
		tui_say(tui, "only %.*s", TEXT_ARG(actions_name_of(tui, text_of(tui->watched))));
	else
		tui_say(tui, "all sessions");
}

static void crew(struct tui *tui, struct text argument)
{
	if (!tui->line.watch) {
		tui_say(tui, "this is a recording: there are no sessions");
		return;
	}
	if (!tui->line.is_shared)
		actions_more_watch(tui, none);
	tui->is_visiting = false;
	tui->begins_with_crew = true;
}

static void bell(struct tui *tui, struct text argument)
{
	tui->is_silent = !tui->is_silent;
	tui_say(tui, "the bell is %s", tui->is_silent ? "off" : "on");
}

const struct action actions_more[] = {
	{'i', "inspect", "the inspector; with a word, that page of it", inspect},
	{'?', "help", "this", help},
	{'1', "invocations", "who works, and what each was sent and replied", invocations},
	{'2', "chart", "states, and the way through them", chart},
	{'3', "status", "the run and the line, in numbers", status},
	{'v', "states", NULL, status},
	{'4', "artifacts", "where what was made lies", artifacts},
	{'a', "files", NULL, artifacts},
	{'o', "menu", NULL, artifacts},
	{'S', "sources", "what the box is connected to", sources},
	{'L', "signals", "all signals, as they come", signals},
	{'/', "filter", "show only what has these words", filter},
	{':', "command", "type one of these words, with what it takes", type_command},
	{'n', "turn-next", "a debugger's next turn", turn_next},
	{'b', "turn-back", "a debugger's turn before", turn_back},
	{0, "watch", "one session alone, by its handle or id; without one all", actions_more_watch},
	{'C', "crew", "all sessions, who waits for you first", crew},
	{0, "bell", "no bell for what needs you, or one again", bell},
	{0},
};
