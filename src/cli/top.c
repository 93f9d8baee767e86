/* top.c - `signalbox top`: the terminal UI. */
#include <stdlib.h>

#include "base/must.h"
#include "base/scan.h"
#include "cli/command.h"
#include "cli/follow.h"
#include "cli/members.h"
#include "cli/remote.h"
#include "tui/tui.h"

extern const struct command command_top;

#define JSON_MAX (64 * MIB)
#define PATH_MAX_LEN (4 * KIB)
#define ANSWER_MS 10000

static int failed(const struct error *why)
{
	out_say("%s", why->words);
	return STATUS_FAILED;
}

/* ---- a recording ---- */

static int print_recording(struct command_context *context, const char *path)
{
	struct buf out;
	struct error why;
	bool done;

	buf_init(&out, JSON_MAX);
	done = tui_replay_json(path, &out, &why);
	if (done)
		out_add(&context->out, buf_text(&out));
	buf_finish(&out);
	return done ? STATUS_DONE : failed(&why);
}

static int replay(struct command_context *context, const struct options *options,
                  struct tui_recording *recording)
{
	struct error why;

	if (options_has(options, "session"))
		return command_misused(&command_top, "--session is for a box, not for a recording");
	if (options_has(options, "once"))
		return print_recording(context, recording->path);
	return tui_replay(recording, &why) ? STATUS_DONE : failed(&why);
}

/* ---- a box ---- */

/* A member of an answer, as it is written there. */
static void copy_member(struct buf *out, struct text answer, const char *name)
{
	struct text key, value;
	struct scan scan;

	scan_object(&scan, answer);
	while (scan_member(&scan, &key, &value))
		if (text_is(key, name))
			buf_add(out, value);
}

static bool add_answer(struct remote *remote, const char *path, const char *name, struct buf *out,
                       struct error *why)
{
	const struct remote_request request = {
		.method = "GET", .path = path, .timeout_ms = ANSWER_MS};
	struct buf body;

	if (!remote_ask(remote, &request, &body, why))
		return false;
	copy_member(out, buf_text(&body), name);
	buf_finish(&body);
	return true;
}

/* One run as `/api/runs/ID` has it. */
static bool gather_run(struct remote *remote, const char *session, struct buf *out,
                       struct error *why)
{
	struct buf path;
	bool done;

	buf_init(&path, PATH_MAX_LEN);
	buf_add(&path, TEXT("/api/runs/"));
	follow_add_escaped(&path, text_of(session));
	buf_add_char(&path, '\0');
	done = path.full ? error_set(why, "that name is too long")
	                 : add_answer(remote, path.at, "run", out, why);
	buf_finish(&path);
	return done;
}

/* All sessions and runs, what they ask, and the sources. */
static bool gather_all(struct remote *remote, struct buf *out, struct error *why)
{
	static const struct {
		const char *name, *path, *member;
	} parts[] = {
		{"crew", ROLL_PATH, "members"},
		{"runs", "/api/runs", "runs"},
		{"prompts", "/api/prompts", "prompts"},
		{"sources", "/api/sources", "sources"},
	};
	bool done = true;

	for (size_t i = 0; done && i < sizeof(parts) / sizeof(*parts); i++) {
		buf_print(out, "%c\"%s\":", i ? ',' : '{', parts[i].name);
		done = add_answer(remote, parts[i].path, parts[i].member, out, why);
	}
	buf_add_char(out, '}');
	return done;
}

static int print_box(struct command_context *context, struct remote *remote, const char *session)
{
	struct buf out;
	struct error why;
	bool done;

	buf_init(&out, JSON_MAX);
	done = session ? gather_run(remote, session, &out, &why) : gather_all(remote, &out, &why);
	if (done) {
		out_add(&context->out, buf_text(&out));
		out_print(&context->out, "\n");
	}
	buf_finish(&out);
	return done ? STATUS_DONE : failed(&why);
}

/* There must be a box at the start; later it is waited for. */
static int watch_box(struct remote *remote, const char *session, const struct tui_box *how)
{
	struct remote_target target = remote_target(remote);
	struct tui_box box = {target.base, target.sock,     target.authorization,
	                      session,     how->background, how->is_silent};
	struct error why;
	struct buf status;
	bool shown;

	buf_init(&status, JSON_MAX);
	shown = add_answer(remote, "/api/status", "epoch", &status, &why) && tui_watch(&box, &why);
	buf_finish(&status);
	return shown ? STATUS_DONE : failed(&why);
}

/* One that is not known yet may begin later, by the id that is given. */
static char *find_run(struct remote *remote, const char *session)
{
	struct error why;
	char *run;

	if (!session)
		return NULL;
	run = members_run(remote, session, &why);
	return run ? run : must_dup(session);
}

static int watch(struct command_context *context, const struct options *options,
                 enum tui_background background)
{
	const struct tui_box how = {.background = background,
	                            .is_silent = options_has(options, "no-bell")};
	const char *session = options_value(options, "session");
	struct remote *remote;
	char *run;
	int status;

	if (session && !*session)
		return command_misused(&command_top, "--session wants the id of a run");
	remote = remote_create(&command_top, context, options, &status);
	if (!remote)
		return status;
	run = find_run(remote, session);
	status = options_has(options, "once") ? print_box(context, remote, run)
	                                      : watch_box(remote, run, &how);
	free(run);
	remote_destroy(remote);
	return status;
}

static int top(struct command_context *context, const struct options *options)
{
	const char *pace = options_value(options, "timing");
	const char *background = options_value(options, "background");
	struct tui_recording recording = {.path = options_value(options, "replay")};

	if (options->word_count > 0)
		return command_misused(&command_top, "unexpected argument '%s'", options->words[0]);
	if (pace && !tui_timing_of(text_of(pace), &recording.timing))
		return command_misused(
			&command_top, "--timing wants instant, paced or wallclock, not '%s'", pace);
	if (background && !tui_background_of(text_of(background), &recording.background))
		return command_misused(&command_top,
		                       "--background wants auto, dark or light, not '%s'",
		                       background);
	if (pace && !options_has(options, "replay"))
		return command_misused(&command_top, "--timing is for --replay");
	if (options_has(options, "once") != options_has(options, "json"))
		return command_misused(&command_top, "--once and --json go together");
	return options_has(options, "replay") ? replay(context, options, &recording)
	                                      : watch(context, options, recording.background);
}

static const struct option own[] = {
	{"session", 's', "RUN", "only this session, by its handle or its id", "all"},
	{"replay", 'r', "FILE", "a transcript, or the directory with one, instead of a box"},
	{"timing", 0, "PACE", "of a replay: instant, paced or wallclock", "instant"},
	{"background", 0, "WHICH", "behind the text: dark, light, or auto, which asks the terminal",
         "auto"},
	{"no-bell", 0, .help = "do not ring for what needs you"},
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
	.examples = "  signalbox top\n"
		    "  signalbox top --session checkout-2\n"
		    "  signalbox top --once --json | jq '.crew'\n"
		    "  signalbox top --replay run/ --timing wallclock\n",
	.about = "Every session, those that wait for you first, what each does and for how long;\n"
		 "below it who works and a log of what happens. Enter shows one session alone,\n"
		 "Esc all of them again, a goes to its question, n to the next that waits. What\n"
		 "agents ask is asked here, and answered by keys; a bell rings once for each\n"
		 "matter: one waits, failed or is done after long work, or the budget is passed.\n"
		 "? lists all keys. Tab gives the keys to the other\n"
		 "pane, m shows one on the whole screen, j k g G scroll, Enter opens the\n"
		 "transcript, i inspects, S shows the sources, L the signals, / filters, : takes\n"
		 "a command. s c p P step, continue, pause and arm a run, x interrupts it after\n"
		 "a question that names it. Esc goes back and never touches an agent: it leaves\n"
		 "a question without answering it. q leaves, Ctrl-C ends the run and leaves;\n"
		 "where all runs are shown it asks first. The mouse works too. NO_COLOR is\n"
		 "heeded.\n"
		 "\n"
		 "Of a question nothing is chosen from the start but what is safe, and nothing\n"
		 "else is taken before all of it was on the screen: PgDn reads on.\n"
		 "\n"
		 "There must be a box at the start; when it goes away later it is waited for.\n"
		 "--once --json prints one run of --session as `GET /api/runs/ID` has it, else\n"
		 "crew (the sessions), runs, prompts and sources.\n",
	.groups = groups,
	.run = top,
};
