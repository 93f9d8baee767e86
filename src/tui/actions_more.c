/* actions_more.c - what opens views, looks for things and changes what is watched. */
#include <stdio.h>

#include "tui/inside.h"

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

static void actions_more_watch(struct tui *tui, struct text argument)
{
	char session[FOLD_NAME_MAX];

	if (!tui->line.watch) {
		tui_say(tui, "this is a recording: there is nothing else to watch");
		return;
	}
	snprintf(session, sizeof(session), "%.*s", TEXT_ARG(argument));
	tui->line.is_shared = !session[0];
	tui->line.watch(tui->line.self, text_of(session));
	tui_say(tui, session[0] ? "only %s" : "all runs%s", session);
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
	{0, "watch", "one run alone, by its id; without an id all", actions_more_watch},
	{0},
};
