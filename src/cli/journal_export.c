/* journal_export.c - `signalbox journal export`: the lines of a journal, as they are.
 *
 * From the box if one answers, else from its files.  Either way a gap is said on standard
 * error, and only signals are written.
 */
#include <stdlib.h>
#include <unistd.h>
#include <yyjson.h>

#include "base/must.h"
#include "base/put.h"
#include "cli/interrupt.h"
#include "cli/journal_verbs.h"
#include "cli/pause.h"
#include "cli/progress.h"
#include "cli/remote.h"
#include "cli/sink.h"
#include "cli/verbs.h"
#include "journal/files.h"
#include "signal/signal.h"

#define STATUS_MS 10000
#define LINE_MAX_LEN (256 * MIB) /* more than any signal is long */
#define FRUITLESS_MAX 5          /* times that the line breaks with nothing heard */

struct journal_export {
	struct sink *sink;
	struct progress progress;
	struct journal_stretch stretch;
	uint64_t signals, first, last, gaps;
	uint64_t start;  /* the first seq that can come, for the progress */
	struct buf part; /* of a line whose end is still to come, or of a refusal */
};

static void say_gap(struct journal_export *e, uint64_t from, uint64_t to, const char *why)
{
	e->gaps++;
	progress_clear(&e->progress);
	out_say("gap: signals %llu to %llu are missing (%s)", (unsigned long long)from,
	        (unsigned long long)to, why);
}

static void note_line(struct journal_export *e, uint64_t seq)
{
	e->signals++;
	if (!e->first)
		e->first = seq;
	e->last = seq;
}

/* ---- of a box ---- */

static void read_gap(struct journal_export *e, struct text line)
{
	yyjson_doc *doc = yyjson_read(line.at, line.len, 0);
	yyjson_val *root = yyjson_doc_get_root(doc);
	uint64_t to = yyjson_get_uint(yyjson_obj_get(root, "to"));
	const char *why = yyjson_get_str(yyjson_obj_get(root, "why"));

	say_gap(e, yyjson_get_uint(yyjson_obj_get(root, "from")), to, why ? why : "?");
	if (to > e->last)
		e->last = to;
	yyjson_doc_free(doc);
}

/* With its newline. */
static bool take_line(struct journal_export *e, struct text line)
{
	uint64_t seq = signal_seq_of(line);

	if (seq == 0) {
		read_gap(e, line);
		return true;
	}
	note_line(e, seq);
	if (seq >= e->start)
		progress_tell(&e->progress, seq - e->start);
	return sink_add(e->sink, line);
}

static bool take_bytes(void *self, long status, struct text bytes)
{
	struct journal_export *e = self;
	int end;

	if (status != 200)
		return buf_add(&e->part, bytes);
	while ((end = text_find(bytes, '\n')) >= 0) {
		struct text line = {bytes.at, (size_t)end + 1};

		bytes = (struct text){bytes.at + line.len, bytes.len - line.len};
		if (e->part.len) {
			if (!buf_add(&e->part, line) || !take_line(e, buf_text(&e->part)))
				return false;
			buf_clear(&e->part);
		} else if (!take_line(e, line)) {
			return false;
		}
	}
	return buf_add(&e->part, bytes);
}

static bool export_goes_on(void *self)
{
	return !interrupt_came();
}

/* What there is now: signals that come later are not waited for. */
static enum remote_result ask_extent(struct journal_export *e, struct remote *remote,
                                     struct error *why)
{
	const struct remote_request request = {
		.method = "GET", .path = "/api/status", .timeout_ms = STATUS_MS};
	enum remote_result result;
	struct buf body;
	long status;

	result = remote_fetch(remote, &request, &status, &body, why);
	if (result == REMOTE_ANSWERED && status != 200) {
		remote_refusal(status, buf_text(&body), why);
		result = REMOTE_LOST;
	} else if (result == REMOTE_ANSWERED) {
		yyjson_doc *doc = yyjson_read(body.at, body.len, 0);
		yyjson_val *root = yyjson_doc_get_root(doc);
		yyjson_val *journal = yyjson_obj_get(root, "journal");
		uint64_t seq = yyjson_get_uint(yyjson_obj_get(root, "seq"));

		e->start = yyjson_get_uint(yyjson_obj_get(journal, "firstSeq"));
		if (!e->stretch.to || e->stretch.to > seq)
			e->stretch.to = seq;
		yyjson_doc_free(doc);
	}
	buf_finish(&body);
	return result;
}

static char *next_path(const struct journal_export *e)
{
	unsigned long long before = (unsigned long long)e->stretch.to + 1;

	if (e->last)
		return must_print("/api/signals?format=ndjson&after=%llu&before=%llu",
		                  (unsigned long long)e->last, before);
	return must_print("/api/signals?format=ndjson&after=%s&before=%llu", e->stretch.after,
	                  before);
}

static bool export_once(struct journal_export *e, struct remote *remote, enum remote_result *result,
                        struct error *why)
{
	struct remote_request request = {
		.method = "GET", .heard = take_bytes, .goes_on = export_goes_on, .self = e};
	char *path = next_path(e);
	long status;

	request.path = path;
	buf_clear(&e->part);
	*result = remote_run(remote, &request, &status, why);
	free(path);
	if (*result == REMOTE_ANSWERED && status == 200)
		return true;
	if (*result == REMOTE_ANSWERED)
		remote_refusal(status, buf_text(&e->part), why);
	else if (*result == REMOTE_ENOUGH)
		error_set(why, interrupt_came() ? "interrupted" : "it could not be written");
	return false;
}

/* A line that broke is taken up where it was. */
static bool export_box(struct journal_export *e, struct remote *remote, struct error *why)
{
	unsigned fruitless = 0, ms = PAUSE_FIRST_MS;
	enum remote_result result;

	for (;;) {
		uint64_t before = e->last;

		if (export_once(e, remote, &result, why))
			return true;
		fruitless = e->last > before ? 0 : fruitless + 1;
		if (result == REMOTE_ENOUGH || result == REMOTE_ANSWERED ||
		    fruitless > FRUITLESS_MAX)
			return false;
		ms = pause_for(ms);
	}
}

/* ---- of files ---- */

struct from_files {
	struct journal_export *export;
	struct journal_files files;
};

static bool take_lines(void *self, uint64_t first, struct text lines)
{
	struct from_files *f = self;
	struct text rest = lines;

	f->export->progress.total = f->files.total;
	progress_tell(&f->export->progress, f->files.done);
	for (; rest.len > 0; first++) {
		text_cut(rest, '\n', &rest);
		note_line(f->export, first);
	}
	return sink_add(f->export->sink, lines) && !interrupt_came();
}

static void take_gap(void *self, const struct gap *gap)
{
	struct from_files *f = self;

	say_gap(f->export, gap->from, gap->to, gap->why);
}

static bool export_files(struct journal_export *e, const char *data, struct error *why)
{
	struct from_files f = {
		.export = e,
		.files = {.to = e->stretch.to, .lines = take_lines, .gap = take_gap, .self = &f},
	};

	e->progress.unit = PROGRESS_BYTES;
	positions_parse(text_of(e->stretch.after), &f.files.after);
	if (!journal_files_read(data, &f.files, why))
		return journal_is_absent(data, why);
	return !interrupt_came() || error_set(why, "interrupted");
}

/* ---- the verb ---- */

static bool export_it(struct journal_export *e, struct remote *remote, bool may_be_files,
                      struct error *why)
{
	struct positions after;
	bool good;

	switch (ask_extent(e, remote, why)) {
	case REMOTE_ANSWERED:
		positions_parse(text_of(e->stretch.after), &after);
		if (after.all[0].seq >= e->start)
			e->start = after.all[0].seq + 1;
		if (e->stretch.to >= e->start)
			e->progress.total = e->stretch.to - e->start + 1;
		buf_init(&e->part, LINE_MAX_LEN);
		good = export_box(e, remote, why);
		buf_finish(&e->part);
		return good;
	case REMOTE_NOBODY:
		return may_be_files && export_files(e, remote_data(remote), why);
	default:
		return false;
	}
}

static void show_export(struct command_context *context, const struct options *options,
                        const struct journal_export *e, const char *path)
{
	if (options_has(options, "json")) {
		put_object(&context->out.bytes, NULL);
		put_bool(&context->out.bytes, "ok", true);
		put_u64(&context->out.bytes, "signals", e->signals);
		put_u64(&context->out.bytes, "gaps", e->gaps);
		put_u64(&context->out.bytes, "firstSeq", e->first);
		put_u64(&context->out.bytes, "lastSeq", e->last);
		put_end(&context->out.bytes);
		buf_add_char(&context->out.bytes, '\n');
	} else if (e->signals)
		out_say("%llu signals, %llu to %llu, in %s", (unsigned long long)e->signals,
		        (unsigned long long)e->first, (unsigned long long)e->last, path);
	else
		out_say("no signals in %s", path);
}

static int finish(struct command_context *context, const struct options *options,
                  struct journal_export *e, struct error *why, bool good)
{
	const char *path = options_value(options, "output");
	bool is_deserted = !path && context->out.failure;

	progress_clear(&e->progress);
	if (!sink_close(e->sink, good ? why : NULL))
		good = false;
	if (is_deserted)
		return STATUS_DONE; /* out_finish knows whether that is a failure */
	if (!good) {
		out_say("%s%s%s", why->words, e->signals && path ? "; not whole: " : "",
		        e->signals && path ? path : "");
		return STATUS_FAILED;
	}
	if (path)
		show_export(context, options, e, path);
	return STATUS_DONE;
}

int journal_verb_export(struct command_context *context, const struct options *options)
{
	struct journal_export e = {.progress = {.what = "export", .unit = PROGRESS_SIGNALS}};
	const char *path = options_value(options, "output");
	struct error why = {""};
	struct remote *remote;
	int status;

	if (path && strcmp(path, "-") == 0)
		path = NULL;
	if (!journal_stretch_read(options, &e.stretch, &why))
		return command_misused(&command_journal, "%s", why.words);
	if (!path && options_has(options, "json"))
		return command_misused(&command_journal, "--json goes with --output FILE: what is "
		                                         "exported is JSON already");
	remote = remote_create(&command_journal, context, options, &status);
	if (!remote)
		return status;
	interrupt_watch();
	e.sink = sink_open(path, &context->out, &why);
	if (e.sink && (path || !isatty(1)))
		progress_begin(&e.progress, context);
	status = STATUS_FAILED;
	if (e.sink)
		status = finish(context, options, &e, &why,
		                export_it(&e, remote, !options_has(options, "url"), &why));
	else
		out_say("%s", why.words);
	remote_destroy(remote);
	return status;
}
