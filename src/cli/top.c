/* top.c - `signalbox top`: the terminal UI. */
#include "cli/verbs.h"
#include "tui/tui.h"

#define JSON_MAX (64 * MIB)

static int print_state(struct command_context *context, const char *path)
{
	struct buf out;
	struct error why;
	int status = STATUS_FAILED;

	buf_init(&out, JSON_MAX);
	if (tui_replay_json(path, &out, &why)) {
		out_add(&context->out, buf_text(&out));
		status = STATUS_DONE;
	} else {
		say("%s", why.words);
	}
	buf_finish(&out);
	return status;
}

static int replay(const char *path, enum tui_timing timing)
{
	struct error why;

	if (tui_replay(path, timing, &why))
		return STATUS_DONE;
	say("%s", why.words);
	return STATUS_FAILED;
}

static int top(struct command_context *context, const struct options *options)
{
	const char *path = options_value(options, "replay");
	const char *pace = options_value(options, "timing");
	enum tui_timing timing = TUI_INSTANT;

	if (options->word_count > 0)
		return command_misused(&command_top, "'%s' is too much", options->words[0]);
	if (pace && !tui_timing_of(text_of(pace), &timing))
		return command_misused(
			&command_top, "--timing wants instant, paced or wallclock, not '%s'", pace);
	if (options_has(options, "once") != options_has(options, "json"))
		return command_misused(&command_top, "--once and --json go together");
	if (!path)
		return command_misused(&command_top, "--replay FILE is missing");
	if (options_has(options, "once"))
		return print_state(context, path);
	return replay(path, timing);
}

static const struct option own[] = {
	{"replay", 'r', "FILE", "a transcript, or the directory with one, instead of a box"},
	{"timing", 0, "PACE", "of a replay: instant, paced or wallclock", "instant"},
	{"once", 0, .help = "print the state once, and end; with --json"},
	{"json", 'j', .help = "as JSON, for scripts; with --once"},
	{0},
};
static const struct option_group own_group = {"Options", own};
static const struct option_group *const groups[] = {&own_group, &options_box, &options_common,
                                                    NULL};

const struct command command_top = {
	.name = "top",
	.summary = "watch agents at work in the terminal",
	.usage = "[OPTIONS]",
	.examples = "  signalbox top --replay transcript.jsonl\n"
		    "  signalbox top --replay run/ --timing wallclock\n"
		    "  signalbox top --replay run/ --once --json | jq .invocations\n",
	.about = "A pane with who works and a log of what happens. Keys: Tab gives the keys to\n"
		 "the other pane, m shows one on the whole screen, j k g G scroll, s c p step,\n"
		 "continue and pause a run, q leaves, Ctrl-C ends the run and leaves. The mouse\n"
		 "works too. NO_COLOR is heeded.\n",
	.groups = groups,
	.run = top,
};
