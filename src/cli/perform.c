/* perform.c - reads a recording, plays it, and writes what is told. */
#include "cli/perform.h"

#include <math.h>
#include <stdlib.h>

#include "play/play.h"
#include "play/whose.h"

#define SIGNAL_MAX MIB
#define STAGE_MAX (64 * MIB)
#define COMMAND_MAX (16 * MIB) /* its params come from one signal, which is smaller */

struct performing {
	FILE *out;
	struct play *play;
	struct whose whose;
	struct json_reader reader;
	struct buf json;
	double first_ms; /* the clock begins with the first signal */
	bool has_begun;
};

static void write_command(void *self, const struct stage_command *command, uint64_t version)
{
	struct performing *p = self;

	buf_clear(&p->json);
	command_json(command, &p->json);
	buf_add_char(&p->json, '\n');
	fwrite(p->json.at, 1, p->json.len, p->out);
}

static bool play_line(struct performing *p, struct text line, struct error *why)
{
	yyjson_doc *doc = json_read(&p->reader, line, why);
	yyjson_val *root = yyjson_doc_get_root(doc);
	struct cue cue = {
		.type = json_text_at(root, "type"),
		.source = json_text_at(root, "source"),
		.correlation = json_text_at(root, "correlationId"),
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
	whose_cast(&p->whose, &cue, yyjson_obj_get(root, "metadata"));
	play_signal(p->play, &cue, at - p->first_ms);
	return true;
}

static bool play_lines(struct performing *p, const char *path, struct error *why)
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
		good = (text.len == 0 || play_line(p, text, why)) ||
		       error_within(why, "%s:%lu", path, number);
	}
	if (good && ferror(in))
		good = error_errno(why, "%s", path);
	free(line);
	if (in != stdin)
		fclose(in);
	return good;
}

static bool write_stage(struct performing *p, const char *path, double now_ms, struct error *why)
{
	FILE *out = fopen(path, "we");
	struct buf text;
	bool good;

	if (!out)
		return error_errno(why, "%s", path);
	buf_init(&text, STAGE_MAX);
	buf_add_char(&text, '{');
	play_look(p->play, now_ms, &text);
	buf_add(&text, TEXT("}\n"));
	good = fwrite(text.at, 1, text.len, out) == text.len;
	good = fclose(out) == 0 && good;
	buf_finish(&text);
	return good || error_errno(why, "%s", path);
}

bool perform(const struct perform *how, struct error *why)
{
	struct performing p = {.out = how->out};
	const struct play_options options = {&p, write_command, how->frame_ms};
	bool good;

	p.play = play_create(how->show, &options, why);
	if (!p.play)
		return false;
	whose_init(&p.whose);
	json_reader_init(&p.reader, SIGNAL_MAX);
	buf_init(&p.json, COMMAND_MAX);
	good = play_lines(&p, how->signals, why);
	if (good) {
		double end = play_end(p.play);

		good = !how->stage || write_stage(&p, how->stage, end, why);
	}
	buf_finish(&p.json);
	json_reader_finish(&p.reader);
	whose_finish(&p.whose);
	play_destroy(p.play);
	return good;
}

static void ignore(void *self, const struct stage_command *command, uint64_t version)
{
}

bool perform_check(const struct show *show, struct error *why)
{
	const struct play_options options = {.command = ignore};
	struct play *play = play_create(show, &options, why);
	bool good = play;

	play_destroy(play);
	return good;
}
