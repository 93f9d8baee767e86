/* import.c - `signalbox import`: what agents spent before there was a box.
 *
 * All files are read to the end; then the box is asked which responses it has counted, and told
 * the others.  Who is cut off begins again, and nothing is counted twice.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/must.h"
#include "base/put.h"
#include "base/whole.h"
#include "cli/batch.h"
#include "cli/import_files.h"
#include "cli/import_told.h"
#include "cli/import_zstd.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "crew/ledger.h"
#include "parse/parse.h"

extern const struct command command_import;

#define PIECE (1 * MIB)
#define LINE_MAX_BYTES (64 * MIB) /* a longer one is passed over */
#define PLACE_MAX (8 * KIB)
#define KNOWN_MS 30000
#define KNOWN_PIECE 2000
#define KNOWN_BYTES (512 * KIB)

struct past_import {
	const struct command_context *context;
	struct import_files files;
	struct ledger ledger;
	struct import_told told;
	struct progress progress;
	struct remote *remote; /* NULL: nobody is asked or told */
	struct batch batch;
	uint64_t done; /* bytes */
	char *piece;
	struct parse *parse; /* of the file that is being read */
};

static struct past_import past; /* holds the places of 10,000 lines */

/* ---- reading ---- */

static void past_signal(void *self, struct text envelope)
{
	ledger_take(self, envelope);
}

static void past_bad(void *self, const char *why)
{
	past.told.bad++;
}

static uint64_t count_lines(struct text piece)
{
	const char *at = piece.at, *end = at + piece.len;
	uint64_t lines = 0;

	while (at < end && (at = memchr(at, '\n', (size_t)(end - at)))) {
		lines++;
		at++;
	}
	return lines;
}

/* False: an interruption. */
static bool take_piece(void *self, struct text piece, uint64_t read)
{
	struct past_import *p = self;

	parse_feed(p->parse, piece);
	p->told.lines += count_lines(piece);
	p->done += read;
	progress_tell(&p->progress, p->done);
	return !interrupt_came();
}

/* False: an interruption, or the file cannot be read. */
static bool read_pieces(struct past_import *p, int fd)
{
	for (;;) {
		ssize_t n = read(fd, p->piece, PIECE);

		if (n < 0 && errno == EINTR && !interrupt_came())
			continue;
		if (n <= 0)
			return n == 0;
		if (!take_piece(p, (struct text){p->piece, (size_t)n}, (uint64_t)n))
			return false;
	}
}

/* Of transcripts that do not say where their session worked. */
static void find_place(struct past_import *p, const struct import_file *file, struct text session)
{
	const char *before = file->kind->within ? strstr(file->path, file->kind->within) : NULL;
	struct error why;
	struct buf cwd;
	char *path;

	if (!before || !file->kind->place)
		return;
	path = must_print("%.*s/%s", (int)(before - file->path), file->path, file->kind->place);
	buf_init(&cwd, PLACE_MAX);
	if (whole_load(path, WHOLE_NO_LINK, &cwd, &why))
		ledger_place(&p->ledger, session, text_trim(buf_text(&cwd)));
	buf_finish(&cwd);
	free(path);
}

static bool read_file(struct past_import *p, const struct import_file *file)
{
	const struct parse_options how = {
		.source = TEXT("import"),
		.event_max = LINE_MAX_BYTES,
		.self = &p->ledger,
		.signal = past_signal,
		.bad = past_bad,
	};
	int fd = open(file->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	bool good;

	if (fd < 0)
		return false;
	p->parse = parse_create(parse_find(text_of(file->kind->protocol)), &how);
	if (text_ends(text_of(file->path), TEXT(".json")))
		parse_set_framing(p->parse, FRAMING_WHOLE);
	good = text_ends(text_of(file->path), TEXT(".zst"))
	               ? import_zstd_read(&(struct import_zstd){fd, p, take_piece})
	               : read_pieces(p, fd);
	parse_end(p->parse, NULL);
	find_place(p, file, parse_correlation(p->parse));
	parse_destroy(p->parse);
	close(fd);
	return good;
}

static bool read_files(struct past_import *p, struct error *why)
{
	p->piece = must_alloc(PIECE);
	for (size_t i = 0; i < p->files.count && !interrupt_came(); i++) {
		const struct import_file *file = &p->files.list[i];

		if (read_file(p, file)) {
			p->told.files++;
			p->told.bytes += file->bytes;
		} else if (!interrupt_came()) {
			progress_clear(&p->progress);
			out_say("%s: %s", file->path, strerror(errno));
			p->told.unread++;
		}
	}
	free(p->piece);
	return !interrupt_came() || error_set(why, "interrupted");
}

/* ---- what the box has ---- */

/* Responses from..to of the ledger. */
struct past_piece {
	struct past_import *import;
	uint32_t from, to;
};

static bool mark_known(const struct past_piece *piece, struct text answer)
{
	struct ledger_response *of = piece->import->ledger.responses + piece->from;
	uint32_t count = piece->to - piece->from;
	yyjson_doc *doc = yyjson_read(answer.at, answer.len, 0);
	yyjson_val *root = yyjson_doc_get_root(doc), *one;
	yyjson_val *unknown = yyjson_obj_get(root, "unknown");
	yyjson_arr_iter strange = yyjson_arr_iter_with(unknown);
	yyjson_arr_iter growing = yyjson_arr_iter_with(yyjson_obj_get(root, "growing"));
	bool good = yyjson_is_arr(unknown);

	for (uint32_t i = 0; i < count; i++)
		of[i].is_known = true;
	while ((one = yyjson_arr_iter_next(&strange)))
		if (yyjson_get_uint(one) < count)
			of[yyjson_get_uint(one)].is_known = false;
	while ((one = yyjson_arr_iter_next(&growing)))
		if (yyjson_get_uint(one) < count)
			of[yyjson_get_uint(one)].may_grow = true;
	yyjson_doc_free(doc);
	return good;
}

/* As many as one request may have: to is moved. */
static void write_piece(struct past_piece *piece, struct buf *body)
{
	const struct ledger *ledger = &piece->import->ledger;

	piece->to = piece->from;
	put_object(body, NULL);
	put_list(body, "ids");
	while (piece->to < ledger->response_count && piece->to - piece->from < KNOWN_PIECE &&
	       body->len < KNOWN_BYTES)
		put_word(body, NULL, ledger->responses[piece->to++].id);
	put_list_end(body);
	put_end(body);
}

static bool ask_known(struct past_piece *piece, struct error *why)
{
	struct remote_request request = {.method = "POST",
	                                 .path = "/api/usage/known",
	                                 .type = "application/json",
	                                 .may_repeat = true,
	                                 .timeout_ms = KNOWN_MS};
	struct buf body, answer;
	bool good;

	buf_init(&body, MIB);
	write_piece(piece, &body);
	request.body = buf_text(&body);
	good = remote_ask(piece->import->remote, &request, &answer, why);
	if (good && !mark_known(piece, buf_text(&answer)))
		good = error_set(why, "the box did not say which responses it has");
	buf_finish(&body);
	buf_finish(&answer);
	return good;
}

static bool find_known(struct past_import *p, struct error *why)
{
	struct past_piece piece = {.import = p};

	for (; piece.from < p->ledger.response_count; piece.from = piece.to) {
		if (interrupt_came())
			return error_set(why, "interrupted");
		if (!ask_known(&piece, why))
			return false;
	}
	p->told.is_asked = true;
	return true;
}

/* ---- telling the box ---- */

static void mark_taken(const struct past_piece *piece, bool taken)
{
	for (uint32_t i = piece->from; i < piece->to; i++)
		piece->import->ledger.responses[i].is_taken = taken;
}

/* The number of a line is that of its first response. */
static void past_refused(void *self, uint64_t line, const char *words)
{
	struct past_import *p = self;
	struct past_piece piece = {p, (uint32_t)line, (uint32_t)line};
	struct buf again;

	buf_init(&again, MIB);
	ledger_write(&p->ledger, &piece.to, (double)clock_wall_ms(), &again);
	buf_finish(&again);
	mark_taken(&piece, false);
	p->told.refused++;
	out_say("%s", words);
}

static bool send_batch(struct past_piece *piece, struct error *why)
{
	struct past_import *p = piece->import;
	struct batch_answer answer = {.refused = past_refused, .self = p};
	bool good;

	mark_taken(piece, true);
	good = batch_send(&p->batch, p->remote, &answer, why);
	if (!good)
		mark_taken(piece, false);
	piece->from = piece->to;
	return good;
}

static bool send_all(struct past_import *p, struct error *why)
{
	struct past_piece piece = {.import = p};
	bool more = true;
	struct buf one;

	while (more) {
		uint32_t from = piece.to;

		buf_init(&one, MIB);
		more = ledger_write(&p->ledger, &piece.to, (double)clock_wall_ms(), &one);
		if (more)
			batch_add(&p->batch, buf_text(&one), from);
		buf_finish(&one);
		if (p->batch.count && (!more || batch_is_full(&p->batch)) &&
		    !send_batch(&piece, why))
			return false;
		if (interrupt_came())
			return error_set(why, "interrupted");
	}
	return !p->told.refused || error_set(why, "the box refused some of it");
}

/* ---- the verb ---- */

static bool find_files(struct past_import *p, const struct options *options,
                       const struct import_kind *kind, struct error *why)
{
	for (size_t i = 0; i < options->word_count; i++)
		if (!import_files_add(&p->files, options->words[i], kind, why))
			return false;
	for (const struct import_kind *const *each = import_kinds;
	     options->word_count == 0 && *each; each++)
		if (!kind || kind == *each)
			import_files_add_known(&p->files, p->context, *each);
	import_files_sort(&p->files);
	return true;
}

static bool import_all(struct past_import *p, bool sends, struct error *why)
{
	bool good;

	p->progress = (struct progress){.what = "import", .total = p->files.bytes};
	progress_begin(&p->progress, p->context);
	interrupt_watch();
	good = read_files(p, why);
	progress_clear(&p->progress);
	ledger_sort(&p->ledger);
	good = good && (!p->remote || find_known(p, why));
	good = good && (!sends || send_all(p, why));
	import_told_add(&p->told, &p->ledger);
	return good;
}

static int run_import(struct past_import *p, struct command_context *context,
                      const struct options *options, const struct import_kind *kind)
{
	bool is_trial = options_has(options, "dry-run"), good;
	uint64_t began = clock_mono_ns();
	struct error why;
	int status;

	if (!find_files(p, options, kind, &why)) {
		out_say("%s", why.words);
		return STATUS_FAILED;
	}
	p->remote = remote_create(&command_import, context, options, &status);
	if (!p->remote)
		return status;
	p->told.is_trial = is_trial;
	p->told.left_out = p->files.left_out;
	good = import_all(p, !is_trial, &why);
	p->told.ms = (clock_mono_ns() - began) / 1000000;
	p->told.is_good = good;
	import_told_show(&p->told, &context->out, options_has(options, "json"));
	if (!good)
		out_say("%s; run it again: what is counted stays counted once", why.words);
	remote_destroy(p->remote);
	return good && !p->told.unread ? STATUS_DONE : STATUS_FAILED;
}

static int import(struct command_context *context, const struct options *options)
{
	const char *from = options_value(options, "from");
	const struct import_kind *kind = from ? import_kind_find(from) : NULL;
	int status;

	if (from && !kind)
		return command_misused(&command_import, "--from is claude, codex or gemini");
	past = (struct past_import){.context = context};
	import_files_init(&past.files);
	ledger_init(&past.ledger);
	batch_init(&past.batch);
	status = run_import(&past, context, options, kind);
	batch_finish(&past.batch);
	ledger_finish(&past.ledger);
	import_files_finish(&past.files);
	return status;
}

static const struct option own[] = {
	{"from", 'f', "PROGRAM", "claude, codex or gemini: read its transcripts alone"},
	{"dry-run", 'n', .help = "read and say what would be counted, and change nothing"},
	{"json", 'j', .help = "print what was done as a JSON object"},
	{0},
};
static const struct option_group own_group = {"Options", own};
static const struct option_group *const groups[] = {&own_group, &options_box, &options_common,
                                                    NULL};

const struct command command_import = {
	.name = "import",
	.summary = "count what agents spent before there was a box",
	.usage = "[--from PROGRAM] [--dry-run] [PATH...]",
	.examples = "  signalbox import --dry-run\n"
		    "  signalbox import\n"
		    "  signalbox import ~/backup/.claude/projects\n",
	.about = "Reads the transcripts that agents keep, at their usual places or in the files\n"
		 "and folders that are named, and tells the box what each response cost, with\n"
		 "its time. Only counts, times, models and folders are told, no words of a\n"
		 "conversation. A response that the box has counted is not counted again, so it\n"
		 "may be run as often as you like, and run again when it was cut off.\n",
	.groups = groups,
	.run = import,
};
