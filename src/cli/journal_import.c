/* journal_import.c - `signalbox journal import`: lines of a file into a running box.
 *
 * In batches, each acknowledged when it is on the disk.  Every line has an id, of its own
 * or ours, so a batch whose answer was lost is sent again without harm.
 */
#include <yyjson.h>

#include "base/put.h"
#include "cli/batch.h"
#include "cli/interrupt.h"
#include "cli/journal_verbs.h"
#include "cli/lines.h"
#include "cli/progress.h"
#include "cli/remote.h"
#include "cli/verbs.h"

#define REFUSED_SAID 100 /* lines that are named; all are counted */

struct import {
	struct remote *remote;
	struct lines *lines;
	struct progress progress;
	struct batch batch;
	uint64_t skip;
	uint64_t accepted, rejected, left_out;
	uint64_t first_seq, last_seq;
	uint64_t sent; /* lines of the file, the last of which was told of */
};

static struct import import; /* holds the places of 10,000 lines */

static void say_refused(void *self, uint64_t line, const char *words)
{
	struct import *i = self;

	progress_clear(&i->progress);
	if (i->rejected++ < REFUSED_SAID)
		out_say("line %llu: %s", (unsigned long long)line, words);
}

static bool send_batch(struct import *i, struct error *why)
{
	struct batch_answer answer = {.refused = say_refused, .self = i};
	uint64_t named = i->rejected;

	if (i->batch.count) {
		if (!batch_send(&i->batch, i->remote, &answer, why))
			return false;
		named = i->rejected - named;
		i->rejected += answer.rejected > named ? answer.rejected - named : 0;
		i->accepted += answer.accepted;
		if (!i->first_seq)
			i->first_seq = answer.first_seq;
		if (answer.last_seq > i->last_seq)
			i->last_seq = answer.last_seq;
	}
	i->sent = lines_number(i->lines);
	return true;
}

/* What the box itself said where it was recorded, and the gaps of a history: neither is
 * anybody's signal. */
static bool is_of_a_box(struct text line)
{
	yyjson_doc *doc;
	yyjson_val *root;
	bool is;

	if (text_starts(line, TEXT("{\"op\":\"gap\",")))
		return true;
	if (!memmem(line.at, line.len, "signalbox", 9))
		return false;
	doc = yyjson_read(line.at, line.len, 0);
	root = yyjson_doc_get_root(doc);
	is = yyjson_equals_str(yyjson_obj_get(root, "source"), "signalbox");
	yyjson_doc_free(doc);
	return is;
}

static bool take_line(struct import *i, struct text line, struct error *why)
{
	uint64_t number = lines_number(i->lines);

	if (line.len == 0 || number <= i->skip)
		return true;
	if (is_of_a_box(line)) {
		i->left_out++;
		return true;
	}
	batch_add(&i->batch, line, number);
	return !batch_is_full(&i->batch) || send_batch(i, why);
}

static bool take_all(struct import *i, struct error *why)
{
	struct text line;

	while (!interrupt_came()) {
		switch (lines_next(i->lines, &line, why)) {
		case LINES_ONE:
			if (!take_line(i, line, why))
				return false;
			break;
		case LINES_TOO_LONG:
			say_refused(i, lines_number(i->lines), "too long");
			break;
		case LINES_BAD:
			return error_within(why, "after line %llu",
			                    (unsigned long long)lines_number(i->lines));
		case LINES_END:
			return send_batch(i, why);
		}
		progress_tell(&i->progress, lines_done(i->lines));
	}
	return error_set(why, "interrupted");
}

static void show_import(struct out *out, const struct import *i, bool json, bool good)
{
	if (json) {
		put_object(&out->bytes, NULL);
		put_bool(&out->bytes, "ok", good && !i->rejected);
		put_u64(&out->bytes, "accepted", i->accepted);
		put_u64(&out->bytes, "rejected", i->rejected);
		put_u64(&out->bytes, "leftOut", i->left_out);
		put_u64(&out->bytes, "lines", i->sent);
		put_u64(&out->bytes, "firstSeq", i->first_seq);
		put_u64(&out->bytes, "lastSeq", i->last_seq);
		put_end(&out->bytes);
		buf_add_char(&out->bytes, '\n');
	} else
		out_print(out, "%llu accepted, %llu rejected, %llu left out\n",
		          (unsigned long long)i->accepted, (unsigned long long)i->rejected,
		          (unsigned long long)i->left_out);
}

static int run_import(struct command_context *context, const struct options *options)
{
	struct error why;
	bool good;

	batch_init(&import.batch);
	import.progress = (struct progress){.what = "import", .total = lines_total(import.lines)};
	progress_begin(&import.progress, context);
	interrupt_watch();
	good = take_all(&import, &why);
	progress_clear(&import.progress);
	batch_finish(&import.batch);
	show_import(&context->out, &import, options_has(options, "json"), good);
	if (!good)
		out_say("%s; lines 1 to %llu are done: go on with --skip %llu", why.words,
		        (unsigned long long)import.sent, (unsigned long long)import.sent);
	return good && !import.rejected ? STATUS_DONE : STATUS_FAILED;
}

int journal_verb_import(struct command_context *context, const struct options *options)
{
	const char *skip = options_value(options, "skip");
	struct error why;
	int status;

	import = (struct import){0};
	if (skip && !text_to_u64(text_of(skip), &import.skip))
		return command_misused(&command_journal, "--skip wants a number of lines");
	import.lines = lines_open(options->words[1], &why);
	if (!import.lines) {
		out_say("%s", why.words);
		return STATUS_FAILED;
	}
	import.sent = import.skip;
	import.remote = remote_create(&command_journal, context, options, &status);
	if (import.remote)
		status = run_import(context, options);
	remote_destroy(import.remote);
	lines_close(import.lines);
	return status;
}
