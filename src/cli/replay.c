/* replay.c - `signalbox replay`: signals of the past, once more, as if they happened now. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/put.h"
#include "cli/batch.h"
#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/lines.h"
#include "cli/past.h"
#include "cli/progress.h"
#include "cli/replayed.h"
#include "cli/show.h"

extern const struct command command_replay;

#define NAP_MS 100 /* so that Ctrl-C and the bar are not kept waiting */
#define STEP_COLUMNS 100
#define SPEED_MIN 1e-3
#define SPEED_MAX 1e9

struct replay {
	struct command_context *context;
	struct remote *remote;
	struct lines *lines; /* one of the two */
	struct past *past;
	struct replayed one;
	struct progress progress;
	struct batch batch;
	struct buf envelope;

	double speed;
	int keys; /* with --step: where Enter comes from; else -1 */
	bool is_over;

	bool has_base;
	double base_ms;    /* the timestamp of the first */
	uint64_t began_ns; /* when that was sent */

	uint64_t number; /* of the signal at hand, from 1 */
	uint64_t replayed, rejected, left_out;
	uint64_t last_past; /* the old seq of the last that was sent */
	uint64_t first_seq, last_seq;
};

static struct replay replay; /* holds the places of 10,000 lines */

/* ---- out ---- */

static void say_refused(void *self, uint64_t number, const char *words)
{
	struct replay *r = self;

	progress_clear(&r->progress);
	out_say("signal %llu: %s", (unsigned long long)number, words);
}

static bool send_batch(struct replay *r, struct error *why)
{
	struct batch_answer answer = {.refused = say_refused, .self = r};

	if (r->batch.count == 0)
		return true;
	if (!batch_send(&r->batch, r->remote, &answer, why))
		return false;
	r->replayed += answer.accepted;
	r->rejected += answer.rejected;
	if (!r->first_seq)
		r->first_seq = answer.first_seq;
	if (answer.last_seq)
		r->last_seq = answer.last_seq;
	return true;
}

static bool send_one(struct replay *r, struct error *why)
{
	buf_clear(&r->envelope);
	replayed_add(&r->envelope, &r->one);
	if (r->envelope.full)
		return error_set(why, "signal %llu is too long", (unsigned long long)r->number);
	batch_add(&r->batch, buf_text(&r->envelope), r->number);
	if (r->one.seq)
		r->last_past = r->one.seq;
	return (r->keys < 0 && !batch_is_full(&r->batch)) || send_batch(r, why);
}

/* ---- when ---- */

static void tell_progress(struct replay *r)
{
	progress_tell(&r->progress, r->past ? past_done(r->past) : lines_done(r->lines));
}

/* Milliseconds until the signal at hand is due; 0: it is.  A timestamp that goes back, or
 * is none, is now. */
static double wait_of(struct replay *r)
{
	double passed, due;

	if (!r->one.has_time)
		return 0;
	if (!r->has_base) {
		r->has_base = true;
		r->base_ms = r->one.at_ms;
		r->began_ns = clock_mono_ns();
	}
	passed = (double)(clock_mono_ns() - r->began_ns) / 1e6;
	due = (r->one.at_ms - r->base_ms) / r->speed;
	return due > passed ? due - passed : 0;
}

static bool wait_until_due(struct replay *r, struct error *why)
{
	double wait = wait_of(r);

	if (wait > 0 && !send_batch(r, why))
		return false;
	for (; wait > 0 && !interrupt_came(); wait = wait_of(r)) {
		poll(NULL, 0, wait < NAP_MS ? (int)ceil(wait) : NAP_MS);
		tell_progress(r);
	}
	return true;
}

/* Shows the signal and waits for Enter; without any more of those it is over. */
static void wait_for_key(struct replay *r)
{
	char key = 0;

	show_signal(&r->context->out, r->one.line, STEP_COLUMNS, NULL);
	out_flush(&r->context->out);
	while (key != '\n' && !interrupt_came()) {
		ssize_t n = read(r->keys, &key, 1);

		if (n == 0 || (n < 0 && errno != EINTR)) {
			r->is_over = true;
			return;
		}
	}
}

/* ---- in ---- */

static bool next_line(struct replay *r, struct text *line, struct error *why)
{
	enum lines_answer answer;

	if (r->past) {
		enum past_answer past = past_next(r->past, line, why);

		r->is_over = past == PAST_END;
		return past != PAST_BAD;
	}
	do
		answer = lines_next(r->lines, line, why);
	while (answer == LINES_ONE && line->len == 0);
	r->is_over = answer == LINES_END;
	if (answer == LINES_TOO_LONG)
		*line = TEXT("");
	return answer != LINES_BAD || interrupt_came();
}

static bool take_line(struct replay *r, struct text line, struct error *why)
{
	struct error wrong;

	r->number++;
	if (!replayed_read(&r->one, line, &wrong)) {
		r->rejected++;
		say_refused(r, r->number, line.len ? wrong.words : "too long");
		return true;
	}
	if (!replayed_may_go(&r->one)) {
		r->left_out++;
		return true;
	}
	if (r->keys >= 0)
		wait_for_key(r);
	else if (!wait_until_due(r, why))
		return false;
	return r->is_over || interrupt_came() || send_one(r, why);
}

static bool take_all(struct replay *r, struct error *why)
{
	struct text line;

	while (!interrupt_came()) {
		if (!next_line(r, &line, why))
			return false;
		if (r->is_over || interrupt_came())
			break;
		if (!take_line(r, line, why))
			return false;
		if (r->is_over)
			break;
		tell_progress(r);
	}
	return send_batch(r, why);
}

/* ---- the verb ---- */

static void show_replay(struct replay *r, bool json, bool good)
{
	struct out *out = &r->context->out;

	if (json) {
		put_object(&out->bytes, NULL);
		put_bool(&out->bytes, "ok", good && !r->rejected);
		put_u64(&out->bytes, "replayed", r->replayed);
		put_u64(&out->bytes, "rejected", r->rejected);
		put_u64(&out->bytes, "leftOut", r->left_out);
		put_bool(&out->bytes, "interrupted", interrupt_came());
		put_u64(&out->bytes, "upTo", r->last_past);
		put_u64(&out->bytes, "firstSeq", r->first_seq);
		put_u64(&out->bytes, "lastSeq", r->last_seq);
		put_end(&out->bytes);
		buf_add_char(&out->bytes, '\n');
		return;
	}
	out_print(out, "%llu replayed, %llu rejected, %llu left out",
	          (unsigned long long)r->replayed, (unsigned long long)r->rejected,
	          (unsigned long long)r->left_out);
	if (interrupt_came() && r->last_past)
		out_print(out, "; interrupted after %llu", (unsigned long long)r->last_past);
	else if (interrupt_came())
		out_print(out, "; interrupted");
	out_print(out, "\n");
}

static int run_replay_plan(struct replay *r, const struct options *options)
{
	struct error why;
	bool good;

	replayed_init(&r->one);
	r->one.epoch = r->past ? past_epoch(r->past) : NULL;
	batch_init(&r->batch);
	buf_init(&r->envelope, 16 * MIB);
	r->progress = (struct progress){
		.what = "replay",
		.unit = r->past ? PROGRESS_SIGNALS : PROGRESS_BYTES,
		.total = r->past ? past_total(r->past) : lines_total(r->lines),
	};
	if (r->keys < 0)
		progress_begin(&r->progress, r->context);
	interrupt_watch();
	good = take_all(r, &why);
	progress_clear(&r->progress);
	show_replay(r, options_has(options, "json"), good);
	if (!good)
		out_say("%s", why.words);
	replayed_finish(&r->one);
	batch_finish(&r->batch);
	buf_finish(&r->envelope);
	return good && !r->rejected ? STATUS_DONE : STATUS_FAILED;
}

static bool read_speed(const struct options *options, double *out)
{
	const char *value = options_value(options, "speed");
	char *end;

	*out = 1;
	if (!value)
		return true;
	*out = strtod(value, &end);
	return end != value && !*end && *out >= SPEED_MIN && *out <= SPEED_MAX;
}

/* Keys come from standard input, unless the signals do. */
static bool open_keys(struct replay *r, const char *file, struct error *why)
{
	r->keys = 0;
	if (!file || strcmp(file, "-") != 0)
		return true;
	r->keys = open("/dev/tty", O_RDONLY | O_CLOEXEC);
	return r->keys >= 0 || error_errno(why, "--step needs a terminal");
}

static const char *misuse(const struct options *options)
{
	bool has_file = options->word_count > 0, has_from = options_has(options, "from");
	double speed;

	if (options->word_count > 1)
		return "one file at a time";
	if (has_file == has_from)
		return "a file, or --from POS of the box's own journal";
	if (has_file && options_has(options, "to"))
		return "--to goes with --from";
	if (options_has(options, "step") && options_has(options, "speed"))
		return "--speed or --step, not both";
	return read_speed(options, &speed) ? NULL : "--speed wants a number above 0";
}

static bool open_all(struct replay *r, const struct options *options, struct error *why)
{
	const char *file = options->word_count ? options->words[0] : NULL;
	struct journal_stretch stretch;

	if (options_has(options, "step") && !open_keys(r, file, why))
		return false;
	if (file)
		r->lines = lines_open(file, why);
	else if (journal_stretch_read(options, &stretch, why))
		r->past = past_open(r->remote, &stretch, why);
	return r->lines || r->past;
}

static int replay_run(struct command_context *context, const struct options *options)
{
	const char *wrong = misuse(options);
	struct replay *r = &replay;
	struct error why;
	int status;

	if (wrong)
		return command_misused(&command_replay, "%s", wrong);
	*r = (struct replay){.context = context, .keys = -1};
	read_speed(options, &r->speed);
	r->remote = remote_create(&command_replay, context, options, &status);
	if (!r->remote)
		return status;
	if (open_all(r, options, &why)) {
		status = run_replay_plan(r, options);
	} else {
		out_say("%s", why.words);
		status = STATUS_FAILED;
	}
	lines_close(r->lines);
	past_close(r->past);
	if (r->keys > 0)
		close(r->keys);
	remote_destroy(r->remote);
	return status;
}

static const struct option own[] = {
	{"from", 'f', "POS", "what the box has after this SEQ or EPOCH-SEQ; 0: all there is"},
	{"to", 't', "POS", "with --from: this is the last one", "the present"},
	{"speed", 0, "X", "so many times as fast as it happened", "1"},
	{"step", 0, .help = "wait for Enter before each signal"},
	{"json", 'j', .help = "what came of it, as one JSON object"},
	{0},
};
static const struct option_group own_group = {"Options", own};
static const struct option_group *const groups[] = {&own_group, &options_box, &options_common,
                                                    NULL};

const struct command command_replay = {
	.name = "replay",
	.summary = "let signals of the past happen once more",
	.usage = "FILE | --from POS [--to POS] [--speed X | --step]",
	.examples = "  signalbox replay yesterday.ndjson.zst --speed 10\n"
		    "  signalbox replay --from 1000 --to 2000 --step\n"
		    "  zcat run-7.ndjson.gz | signalbox replay -\n",
	.about = "Each signal is sent to the running box as long after the one before as its\n"
		 "timestamp says. It gets a new id, a new seq and the present as its timestamp;\n"
		 "what it was is in metadata.replay, with its position when the box's own\n"
		 "journal is replayed. What only a box or a person may say is left out and\n"
		 "counted: sources signalbox and stage, prompts and their answers, controls, and\n"
		 "types that begin with user. source. or journal. Ctrl-C ends it and says how far\n"
		 "it got.\n",
	.groups = groups,
	.run = replay_run,
};
