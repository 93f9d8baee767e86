/* show_verb.c - `signalbox show`: checks and plays shows without a box, and says which
 * show a box plays. */
#include <stdio.h>

#include "base/put.h"
#include "cli/perform.h"
#include "cli/show_box.h"
#include "cli/verbs.h"

#define FPS_MAX 1000

/* ---- files ---- */

/* At most max bytes of a file, or of standard input for "-". */
static bool read_file(const char *path, size_t max, struct buf *out, struct error *why)
{
	FILE *in = strcmp(path, "-") == 0 ? stdin : fopen(path, "re");
	bool good = true;
	char piece[4096];
	size_t n;

	buf_init(out, max);
	if (!in)
		return error_errno(why, "%s", path);
	while ((n = fread(piece, 1, sizeof(piece), in)) > 0 && !out->full)
		buf_add(out, (struct text){piece, n});
	if (out->full)
		good = error_set(why, "%s: larger than %zu bytes", path, max);
	else if (ferror(in))
		good = error_errno(why, "%s", path);
	if (in != stdin)
		fclose(in);
	return good;
}

/* A fault of the document itself has an empty pointer. */
static bool name_file(const char *path, struct error *why)
{
	struct error inner = *why;
	bool is_root = strncmp(inner.words, ": ", 2) == 0;

	return error_set(why, "%s: %.180s", path, inner.words + (is_root ? 2 : 0));
}

static struct show *read_show(const char *path, struct error *why)
{
	struct show *show = NULL;
	struct buf text;

	if (strcmp(path, "default") == 0)
		return show_read(show_default(), why);
	if (read_file(path, SHOW_MAX, &text, why)) {
		show = show_read(buf_text(&text), why);
		if (!show)
			name_file(path, why);
	}
	buf_finish(&text);
	return show;
}

/* ---- check ---- */

/* show: NULL when it is not good. */
static void check_json(struct out *out, const struct show *show, const struct error *why)
{
	struct buf json;

	buf_init(&json, 64 * KIB);
	if (show) {
		put_object(&json, NULL);
		put_bool(&json, "ok", true);
		put_u64(&json, "entities",
		        yyjson_arr_size(yyjson_obj_get(show->scene, "entities")));
		put_u64(&json, "choreographies", yyjson_arr_size(show->choreographies));
		put_u64(&json, "bindings", yyjson_arr_size(show->bindings));
	} else {
		put_object(&json, NULL);
		put_bool(&json, "ok", false);
		put_word(&json, "error", why->words);
	}
	buf_add(&json, TEXT("}\n"));
	out_add(out, buf_text(&json));
	buf_finish(&json);
}

static int check(struct command_context *context, const struct options *options)
{
	const char *path = options->words[1];
	struct error why = {""};
	struct show *show = read_show(path, &why);
	bool good = show && (perform_check(show, &why) || name_file(path, &why));

	if (options_has(options, "json"))
		check_json(&context->out, good ? show : NULL, &why);
	else if (good)
		out_print(&context->out,
		          "%s: good, %zu entities, %zu choreographies, %zu bindings\n", path,
		          yyjson_arr_size(yyjson_obj_get(show->scene, "entities")),
		          yyjson_arr_size(show->choreographies), yyjson_arr_size(show->bindings));
	if (!good)
		out_say("%s", why.words);
	show_destroy(show);
	return good ? STATUS_DONE : STATUS_FAILED;
}

/* ---- run ---- */

static bool read_fps(const char *given, double *frame_ms)
{
	uint64_t fps;

	*frame_ms = 0;
	if (!given)
		return true;
	if (!text_to_u64(text_of(given), &fps) || fps == 0 || fps > FPS_MAX)
		return false;
	*frame_ms = 1000.0 / (double)fps;
	return true;
}

static int run_show(const struct options *options, double frame_ms)
{
	const char *path = options_value(options, "out");
	bool to_stdout = strcmp(path, "-") == 0;
	struct error why = {""};
	struct show *show = read_show(options->words[1], &why);
	FILE *out = show ? to_stdout ? stdout : fopen(path, "we") : NULL;
	const struct perform how = {show, options_value(options, "signals"), out,
	                            options_value(options, "stage"), frame_ms};
	bool good = out && perform(&how, &why);

	if (show && !out)
		error_errno(&why, "%s", path);
	if (out && (to_stdout ? fflush(out) : fclose(out)) != 0 && good)
		good = error_errno(&why, "%s", path);
	if (!good)
		out_say("%s", why.words);
	show_destroy(show);
	return good ? STATUS_DONE : STATUS_FAILED;
}

static int run_verb(struct command_context *context, const struct options *options)
{
	double frame_ms;

	if (!options_has(options, "signals") || !options_has(options, "out"))
		return command_misused(&command_show, "`show run` needs --signals and --out");
	if (!read_fps(options_value(options, "fps"), &frame_ms))
		return command_misused(&command_show, "--fps: a number from 1 to %d", FPS_MAX);
	return run_show(options, frame_ms);
}

/* ---- the show of a box ---- */

static int export(struct command_context *context, const struct options *options)
{
	if (!options_has(options, "default"))
		return show_box_export(context, options);
	out_add(&context->out, show_default());
	return STATUS_DONE;
}

static int use_file(struct command_context *context, const struct options *options,
                    const char *path)
{
	struct error why = {""};
	struct buf text;
	int status = STATUS_FAILED;

	if (read_file(path, SHOW_MAX, &text, &why))
		status = show_box_use(context, options, path, buf_text(&text));
	else
		out_say("%s", why.words);
	buf_finish(&text);
	return status;
}

static int use(struct command_context *context, const struct options *options)
{
	const char *path = options->word_count > 1 ? options->words[1] : "default";

	if (strcmp(path, "default") == 0)
		return show_box_use(context, options, "the show in the program", show_default());
	return use_file(context, options, path);
}

/* ---- the verb ---- */

static int start_show(struct command_context *context, const struct options *options)
{
	return show_box_run(context, options, true);
}

static int stop(struct command_context *context, const struct options *options)
{
	return show_box_run(context, options, false);
}

static const struct show_act {
	const char *name;
	bool wants_show;
	bool has_default; /* it may have --default, which stands for a show */
	int (*run)(struct command_context *context, const struct options *options);
} acts[] = {
	{"check", true, false, check},
	{"export", false, true, export},
	{"use", true, true, use},
	{"start", false, false, start_show},
	{"stop", false, false, stop},
	{"run", true, false, run_verb},
	{0},
};

static int show_verb(struct command_context *context, const struct options *options)
{
	const char *what = options->word_count ? options->words[0] : "";
	bool is_default = options_has(options, "default");
	const struct show_act *act = acts;
	size_t words;

	while (act->name && strcmp(act->name, what) != 0)
		act++;
	if (!act->name)
		return command_misworded(&command_show, options);
	words = act->wants_show && !(act->has_default && is_default) ? 2 : 1;
	if (options->word_count != words)
		return command_misused(&command_show, "`show %s` %s", what,
		                       words == 2 ? "needs one show" : "takes nothing more");
	if (is_default && !act->has_default)
		return command_misused(&command_show, "--default goes with export and use");
	return act->run(context, options);
}

static const struct option own[] = {
	{"default", 0, NULL, "of export and use: the show in the program"},
	{"json", 'j', .help = "of check: as one JSON object; export is JSON anyway"},
	{"signals", 's', "FILE", "of run: signals to play, one JSON envelope a line"},
	{"out", 'o', "FILE", "of run: where the commands go, one JSON object a line"},
	{"fps", 'f', "N", "of run: in frames, with updates; else at the very time"},
	{"stage", 0, "FILE", "of run: also write how the stage looks at the end"},
	{0},
};
static const struct option_group own_group = {"Options", own};
static const struct option_group *const groups[] = {&own_group, &options_box, &options_common,
                                                    NULL};

static const char *const words[] = {"export", "check", "use", "start", "stop", "run", NULL};

const struct command command_show = {
	.name = "show",
	.summary = "check and play shows, say which one the box plays",
	.usage = "export | check SHOW | use SHOW | start | stop | run SHOW -s FILE -o FILE",
	.examples = "  signalbox show export > mine.json\n"
		    "  signalbox show check mine.json\n"
		    "  signalbox show use mine.json\n"
		    "  signalbox show run mine.json --signals day.ndjson --out commands.ndjson\n",
	.about = "A show says what a stage looks like and what signals do on it. SHOW is a\n"
		 "file, `-` for standard input, or `default` for the one in the program.\n"
		 "`check` tells the first fault with its JSON pointer.\n"
		 "\n"
		 "`export` prints the show that the box plays, or with --default the one in the\n"
		 "program, which needs no box. `use` has the box play another one from now on,\n"
		 "also when it starts again; with --default that of the program. `stop` puts\n"
		 "everything back to where it was when the show began; `start` goes on.\n"
		 "\n"
		 "`run` plays a recording by the timestamps of its signals, as quickly as it\n"
		 "can: the same files give the same commands, to the byte. Times count from\n"
		 "the first signal. It needs no box.\n",
	.words = words,
	.groups = groups,
	.run = show_verb,
};
