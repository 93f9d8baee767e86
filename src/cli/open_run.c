/* open_run.c - `signalbox open-run`: a recorded run in the terminal UI, without a box. */
#include "cli/command.h"
#include "tui/tui.h"

extern const struct command command_open_run;

static int open_run(struct command_context *context, const struct options *options)
{
	const char *pace = options_value(options, "timing");
	struct tui_recording recording = {.path = options->words[0]};
	struct error why;

	if (options->word_count != 1 || !*options->words[0])
		return command_misused(&command_open_run,
		                       "a transcript or its directory is needed");
	if (pace && !tui_timing_of(text_of(pace), &recording.timing))
		return command_misused(&command_open_run,
		                       "--timing wants instant, paced or wallclock, not '%s'",
		                       pace);
	if (tui_replay(&recording, &why))
		return STATUS_DONE;
	out_say("%s", why.words);
	return STATUS_FAILED;
}

static const struct option own[] = {
	{"timing", 0, "PACE", "instant, paced (40 ms a frame) or wallclock", "instant"},
	{0},
};
static const struct option_group own_group = {"Options", own};
static const struct option_group *const groups[] = {&own_group, &options_common, NULL};

const struct command command_open_run = {
	.name = "open-run",
	.summary = "show a recorded run in the terminal",
	.usage = "FILE|DIR [--timing PACE]",
	.examples = "  signalbox run export RUN --out transcript.jsonl\n"
		    "  signalbox open-run transcript.jsonl --timing wallclock\n",
	.about = "FILE is a transcript as `signalbox run export` and Escapement write it, DIR a\n"
		 "directory with a transcript.jsonl. It is shown by the same views as a run\n"
		 "that goes on, and nothing is sent anywhere. A wallclock replay takes as long\n"
		 "as the run did, but never more than 250 ms between two frames.\n",
	.groups = groups,
	.run = open_run,
};
