/* show_verb.c - `signalbox show`: checks, prints and plays shows, without a box. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/play.h"
#include "cli/verbs.h"

#define SIGNAL_MAX MIB
#define STAGE_MAX (64 * MIB)
#define FPS_MAX 1000

/* ---- files ---- */

/* At most max bytes of a file, or of standard input for "-". */
static bool read_file(const char *path, size_t max, struct buf *out, struct error *why)
{
	FILE *in = strcmp(path, "-") == 0 ? stdin : fopen(path, "re");
	char piece[4096];
	size_t n;

	buf_init(out, max);
	if (!in)
		return error_errno(why, "%s", path);
	while ((n = fread(piece, 1, sizeof(piece), in)) > 0 && !out->full)
		buf_add(out, (struct text){piece, n});
	if (in != stdin)
		fclose(in);
	return !out->full || error_set(why, "%s: larger than %zu bytes", path, max);
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

/* ---- check and export ---- */

static void ignore(void *self, struct text json)
{
}

static int check(struct command_context *context, const char *path)
{
	const struct play_options options = {.command = ignore};
	struct error why = {""};
	struct show *show = read_show(path, &why);
	struct play *play = show ? play_create(show, &options, &why) : NULL;
	bool good = play;

	if (show && !play)
		name_file(path, &why);
	if (good)
		out_print(&context->out,
		          "%s: good, %zu entities, %zu choreographies, %zu bindings\n", path,
		          yyjson_arr_size(yyjson_obj_get(show->scene, "entities")),
		          yyjson_arr_size(show->choreographies), yyjson_arr_size(show->bindings));
	else
		say("%s", why.words);
	play_destroy(play);
	show_destroy(show);
	return good ? STATUS_DONE : STATUS_FAILED;
}

/* ---- run ---- */

struct performance {
	FILE *out;
	struct play *play;
	struct json_reader reader;
	double first_ms; /* the clock begins with the first signal */
	bool has_begun;
};

static void write_command(void *self, struct text json)
{
	struct performance *p = self;

	fwrite(json.at, 1, json.len, p->out);
	putc('\n', p->out);
}

static bool play_line(struct performance *p, struct text line, struct error *why)
{
	yyjson_doc *doc = json_read(&p->reader, line, why);
	yyjson_val *root = yyjson_doc_get_root(doc);
	struct cue cue = {
		.type = show_text(root, "type"),
		.source = show_text(root, "source"),
		.correlation = show_text(root, "correlationId"),
		.payload = yyjson_obj_get(root, "payload"),
	};
	double at = show_number(root, "timestamp", NAN);

	if (!doc)
		return false;
	if (cue.type.len == 0 || !yyjson_is_obj(cue.payload) || isnan(at))
		return error_set(why, "a signal has a type, a timestamp and a payload");
	if (!p->has_begun)
		p->first_ms = at;
	p->has_begun = true;
	play_signal(p->play, &cue, at - p->first_ms);
	return true;
}

static bool play_lines(struct performance *p, const char *path, struct error *why)
{
	FILE *in = strcmp(path, "-") == 0 ? stdin : fopen(path, "re");
	unsigned long number = 0;
	size_t room = 0;
	char *line = NULL;
	ssize_t len;
	bool good = true;

	if (!in)
		return error_errno(why, "%s", path);
	while (good && (len = getline(&line, &room, in)) > 0) {
		struct text text = text_trim((struct text){line, (size_t)len});

		number++;
		good = text.len == 0 || play_line(p, text, why);
	}
	free(line);
	if (in != stdin)
		fclose(in);
	return good || error_within(why, "%s:%lu", path, number);
}

static bool write_stage(struct performance *p, const char *path, double now_ms, struct error *why)
{
	FILE *out = fopen(path, "we");
	struct buf text;
	bool good;

	if (!out)
		return error_errno(why, "%s", path);
	buf_init(&text, STAGE_MAX);
	play_stage(p->play, now_ms, &text);
	buf_add_char(&text, '\n');
	good = fwrite(text.at, 1, text.len, out) == text.len;
	good = fclose(out) == 0 && good;
	buf_finish(&text);
	return good || error_errno(why, "%s", path);
}

static bool perform(struct performance *p, const struct options *options, struct error *why)
{
	const char *stage = options_value(options, "stage");
	double end;

	if (!play_lines(p, options_value(options, "signals"), why))
		return false;
	end = play_end(p->play);
	return !stage || write_stage(p, stage, end, why);
}

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

static bool perform_show(const struct show *show, FILE *out, double frame_ms,
                         const struct options *options, struct error *why)
{
	struct performance p = {.out = out};
	const struct play_options how = {&p, write_command, frame_ms};
	bool good;

	p.play = play_create(show, &how, why);
	if (!p.play)
		return name_file(options->words[1], why);
	json_reader_init(&p.reader, SIGNAL_MAX);
	good = perform(&p, options, why);
	json_reader_finish(&p.reader);
	play_destroy(p.play);
	return good;
}

static int run_show(const struct options *options, double frame_ms)
{
	const char *path = options_value(options, "out");
	bool to_stdout = strcmp(path, "-") == 0;
	struct error why = {""};
	struct show *show = read_show(options->words[1], &why);
	FILE *out = show ? to_stdout ? stdout : fopen(path, "we") : NULL;
	bool good = out && perform_show(show, out, frame_ms, options, &why);

	if (show && !out)
		error_errno(&why, "%s", path);
	if (out && (to_stdout ? fflush(out) : fclose(out)) != 0 && good)
		good = error_errno(&why, "%s", path);
	if (!good)
		say("%s", why.words);
	show_destroy(show);
	return good ? STATUS_DONE : STATUS_FAILED;
}

static int run(const struct options *options)
{
	double frame_ms;

	if (options->word_count != 2)
		return command_misused(&command_show, "`show run` needs one show");
	if (!options_has(options, "signals") || !options_has(options, "out"))
		return command_misused(&command_show, "`show run` needs --signals and --out");
	if (!read_fps(options_value(options, "fps"), &frame_ms))
		return command_misused(&command_show, "--fps: a number from 1 to %d", FPS_MAX);
	return run_show(options, frame_ms);
}

static int show_verb(struct command_context *context, const struct options *options)
{
	const char *what = options->word_count ? options->words[0] : "";

	if (strcmp(what, "run") == 0)
		return run(options);
	if (strcmp(what, "check") == 0 && options->word_count == 2)
		return check(context, options->words[1]);
	if (strcmp(what, "check") == 0)
		return command_misused(&command_show, "`show check` needs one file");
	if (strcmp(what, "export") != 0 || options->word_count != 1)
		return command_misused(&command_show, "there are check, export and run");
	out_add(&context->out, show_default());
	return STATUS_DONE;
}

static const struct option own[] = {
	{"signals", 's', "FILE", "of run: signals to play, one JSON envelope a line"},
	{"out", 'o', "FILE", "of run: where the commands go, one JSON object a line"},
	{"fps", 'f', "N", "of run: in frames, with updates; else at the very time"},
	{"stage", 0, "FILE", "of run: also write how the stage looks at the end"},
	{0},
};
static const struct option_group own_group = {"Options", own};
static const struct option_group *const groups[] = {&own_group, &options_common, NULL};

const struct command command_show = {
	.name = "show",
	.summary = "check, print and play shows",
	.usage = "check SHOW | export | run SHOW --signals FILE --out FILE",
	.examples = "  signalbox show export > mine.json\n"
		    "  signalbox show check mine.json\n"
		    "  signalbox show run mine.json --signals day.ndjson --out commands.ndjson\n",
	.about = "A show says what a stage looks like and what signals do on it. SHOW is a\n"
		 "file, `-` for standard input, or `default` for the one in the program, which\n"
		 "`export` prints. `check` tells the first fault with its JSON pointer.\n"
		 "\n"
		 "`run` plays a recording by the timestamps of its signals, as quickly as it\n"
		 "can: the same files give the same commands, to the byte. Times count from\n"
		 "the first signal. It needs no box.\n",
	.groups = groups,
	.run = show_verb,
};
