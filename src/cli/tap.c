/* tap.c - `signalbox tap`: Claude Code's hooks, with or without a running box. */
#include <stdlib.h>

#include "base/must.h"
#include "base/put.h"
#include "cli/command.h"
#include "tap/tap.h"

extern const struct command command_tap;

/* ---- what is said ---- */

static void show_tap(struct out *out, const struct tap_report *r)
{
	const char *warning = tap_report_warning(r);
	char version[VERSION_ROOM];

	out_print(out, "%s", tap_state_name(r->state));
	if (r->hooks)
		out_print(out, ", %u hooks%s", r->hooks,
		          r->approves ? ", some of which decide" : "");
	out_print(out, ": %s\n", r->file);
	if (r->hooks && r->claude.where)
		out_print(out, "for Claude Code %s: %s\n",
		          r->claude.is_known ? version_print(r->claude.version, version)
		                             : "of an unknown version",
		          r->claude.where);
	if (r->backup)
		out_print(out, "as it was before: %s\n", r->backup);
	if (r->unknown)
		out_say("Claude Code %s does not know %s: it may pass over the whole file",
		        version_print(r->claude.version, version), r->unknown);
	if (r->state == TAP_OUTDATED)
		out_say("for another box or version, or not all of them: run "
		        "`signalbox tap install` "
		        "again");
	if (warning)
		out_say("%s", warning);
}

static void show_tap_json(struct out *out, const struct tap_report *r)
{
	struct buf json;

	buf_init(&json, 64 * KIB);
	tap_report_json(r, &json);
	put_object(&out->bytes, NULL);
	put_bool(&out->bytes, "ok", true);
	buf_add_char(&out->bytes, ',');
	out_add(out, buf_text(&json));
	out_print(out, "}\n");
	buf_finish(&json);
}

static int print(struct command_context *context, const struct tap_target *target)
{
	struct error why;
	struct buf text;
	bool good = tap_print(target, &text, &why);

	if (good)
		out_add(&context->out, buf_text(&text));
	else
		out_say("%s", why.words);
	buf_finish(&text);
	return good ? STATUS_DONE : STATUS_FAILED;
}

/* What would change, as a unified diff, and nothing is written. */
static int preview(struct command_context *context, const struct options *options, bool installs,
                   const struct tap_target *target)
{
	struct tap_change change;
	struct error why;
	struct buf json;
	bool good = tap_preview(target, installs, &change, &why);

	buf_init(&json, 32 * MIB);
	if (good)
		tap_change_json(&change, &json);
	if (!good) {
		out_say("%s", why.words);
	} else if (options_has(options, "json")) {
		put_object(&context->out.bytes, NULL);
		put_bool(&context->out.bytes, "ok", true);
		buf_add_char(&context->out.bytes, ',');
		out_add(&context->out, buf_text(&json));
		out_print(&context->out, "}\n");
	} else {
		out_add(&context->out, buf_text(&change.diff));
	}
	buf_finish(&json);
	tap_change_finish(&change);
	return good ? STATUS_DONE : STATUS_FAILED;
}

/* ---- the verb ---- */

typedef bool tap_fn(const struct tap_target *target, struct tap_report *report, struct error *why);

static tap_fn *find_step(const char *word)
{
	static const struct {
		const char *word;
		tap_fn *step;
	} steps[] = {
		{"install", tap_install},
		{"uninstall", tap_uninstall},
		{"status", tap_look},
	};

	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++)
		if (strcmp(word, steps[i].word) == 0)
			return steps[i].step;
	return NULL;
}

static int act(struct command_context *context, const struct options *options, tap_fn *step,
               const struct tap_target *target)
{
	struct tap_report report;
	struct error why;
	bool good = step(target, &report, &why);

	if (!good)
		out_say("%s", why.words);
	else
		(options_has(options, "json") ? show_tap_json : show_tap)(&context->out, &report);
	good = good && (step != tap_look || report.state == TAP_INSTALLED);
	tap_report_finish(&report);
	return good ? STATUS_DONE : STATUS_FAILED;
}

static int do_step(struct command_context *context, const struct options *options, tap_fn *step,
                   const struct tap_target *target)
{
	if (!step)
		return print(context, target);
	if (options_has(options, "dry-run"))
		return preview(context, options, step == tap_install, target);
	return act(context, options, step, target);
}

static int tap(struct command_context *context, const struct options *options)
{
	const char *word = options->word_count == 1 ? options->words[0] : "";
	tap_fn *step = find_step(word);
	struct tap_target target = {.project = options_value(options, "project"),
	                            .approves = options_has(options, "approve")};
	struct config config;
	char *dir;
	int status;

	if (!step && strcmp(word, "print") != 0)
		return command_misworded(&command_tap, options);
	if (target.project && options_has(options, "user"))
		return command_misused(&command_tap, "--user or --project, not both");
	if (target.approves && (step == tap_uninstall || step == tap_look))
		return command_misused(&command_tap, "--approve is for install and print");
	if (options_has(options, "dry-run") && (!step || step == tap_look))
		return command_misused(&command_tap, "--dry-run is for install and uninstall");
	if (!command_config(context, options, &config))
		return STATUS_CONFIG;
	target.config = dir = tap_config_dir(command_env(context, "CLAUDE_CONFIG_DIR"),
	                                     command_env(context, "HOME"));
	target.home = command_env(context, "HOME");
	target.path = command_env(context, "PATH");
	target.data = config.data;
	status = do_step(context, options, step, &target);
	free(dir);
	config_finish(&config);
	return status;
}

static const struct option own[] = {
	{"user", 'u', .help = "the user's settings: ~/.claude/settings.json, which is the default"},
	{"project", 'p', "DIR", "this project's settings: DIR/.claude/settings.local.json"},
	{"approve", 'a', .help = "let people on any screen answer what it asks permission for"},
	{"dry-run", 'n', .help = "of install and uninstall: show the change, and make none"},
	{"json", 'j', .help = "say it as a JSON object"},
	{0},
};
static const struct option_group own_group = {"Options", own};
static const struct option_group *const groups[] = {&own_group, &options_where, &options_common,
                                                    NULL};

static const char *const words[] = {"install", "uninstall", "status", "print", NULL};

const struct command command_tap = {
	.name = "tap",
	.summary = "let Claude Code report to the box",
	.usage = "install [--approve] | uninstall | status | print  [--user | --project DIR]",
	.examples = "  signalbox tap install\n"
		    "  signalbox tap install --approve\n"
		    "  signalbox tap install --dry-run\n"
		    "  signalbox tap print --project .\n"
		    "  signalbox tap uninstall\n",
	.about = "Puts hooks into the settings of Claude Code and takes them out again. Nothing\n"
		 "else in the file is touched; uninstall gives back the very bytes from before,\n"
		 "or takes out only the hooks when somebody changed the file since. `print`\n"
		 "shows the file as install would write it; --dry-run shows the change, as a\n"
		 "diff that patch understands. A hook decides nothing and holds nobody up,\n"
		 "whether or not the box is there. No box needs to run for this.\n"
		 "\n"
		 "With --approve two hooks decide: a permission that Claude Code asks for is a\n"
		 "prompt on every screen, and the first answer allows or denies it; a session\n"
		 "can be paused before its next tool (`signalbox control`). Without an answer,\n"
		 "or without a box, Claude Code asks in its own dialog. Any process of your\n"
		 "user that can read the box's directory can answer too.\n"
		 "\n"
		 "`status` ends with 1 unless everything is installed.\n",
	.words = words,
	.groups = groups,
	.run = tap,
};
