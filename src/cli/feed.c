/* feed.c - standard input into batches: line by line, or signal by signal. */
#include "cli/feed.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include "base/put.h"
#include "cli/batch.h"

#define LINE_LEN_MAX (16 * MIB) /* the box takes less */
#define PIECE (64 * KIB)

struct feed {
	struct out *out;
	struct remote *remote;
	enum feed_ack ack;
	struct buf input; /* the beginning of the next line */
	bool skipping;    /* the rest of a line that is too long */
	uint64_t line;
	uint64_t accepted, rejected;
	struct batch batch;

	struct parse *parse; /* NULL: each line is a signal */
	bool is_lost;        /* a batch of what was parsed could not be sent */
	uint64_t bad;
	struct error last_bad;
};

static void say_refused(void *self, uint64_t line, const char *words)
{
	const struct feed *feed = self;

	out_say("%s %llu: %s", feed->parse ? "signal" : "line", (unsigned long long)line, words);
}

static void show_answer(struct feed *feed, const struct batch_answer *a)
{
	struct out *out = feed->out;

	if (feed->ack == ACK_JSON) {
		put_object(&out->bytes, NULL);
		put_u64(&out->bytes, "accepted", a->accepted);
		put_u64(&out->bytes, "rejected", a->rejected);
		put_u64(&out->bytes, "firstSeq", a->first_seq);
		put_u64(&out->bytes, "lastSeq", a->last_seq);
		put_end(&out->bytes);
		buf_add_char(&out->bytes, '\n');
	} else if (feed->ack == ACK_SEQ && a->accepted == 1)
		out_print(out, "%llu\n", (unsigned long long)a->last_seq);
	else if (feed->ack == ACK_SEQ && a->accepted > 1)
		out_print(out, "%llu..%llu\n", (unsigned long long)a->first_seq,
		          (unsigned long long)a->last_seq);
	out_flush(out); /* a reader that left is no reason to stop sending */
}

static bool send_batch(struct feed *feed)
{
	struct batch_answer answer = {.refused = say_refused, .self = feed};
	struct error why;

	if (feed->batch.count == 0)
		return true;
	if (!batch_send(&feed->batch, feed->remote, &answer, &why)) {
		out_say("%s", why.words);
		return false;
	}
	feed->accepted += answer.accepted;
	feed->rejected += answer.rejected;
	show_answer(feed, &answer);
	return true;
}

static bool take_line(struct feed *feed, struct text line)
{
	line = text_trim(line);
	feed->line++;
	if (line.len == 0)
		return true;
	batch_add(&feed->batch, line, feed->line);
	return !batch_is_full(&feed->batch) || send_batch(feed);
}

static void refuse_long(struct feed *feed)
{
	feed->line++;
	feed->rejected++;
	feed->skipping = true;
	buf_clear(&feed->input);
	out_say("line %llu: longer than %zu MiB", (unsigned long long)feed->line,
	        LINE_LEN_MAX / MIB);
}

/* The end of a line that may have begun in an earlier piece. */
static bool end_line(struct feed *feed, struct text rest)
{
	bool good = true;

	if (feed->skipping)
		feed->skipping = false;
	else if (feed->input.len == 0)
		good = take_line(feed, rest);
	else if (buf_add(&feed->input, rest))
		good = take_line(feed, buf_text(&feed->input));
	else {
		refuse_long(feed);
		feed->skipping = false;
	}
	buf_clear(&feed->input);
	return good;
}

static bool take_piece(struct feed *feed, struct text piece)
{
	int end;

	while ((end = text_find(piece, '\n')) >= 0) {
		if (!end_line(feed, (struct text){piece.at, (size_t)end}))
			return false;
		piece = (struct text){piece.at + end + 1, piece.len - (size_t)end - 1};
	}
	if (!feed->skipping && piece.len && !buf_add(&feed->input, piece))
		refuse_long(feed);
	return true;
}

/* ---- what is parsed ---- */

static void take_signal(void *self, struct text envelope)
{
	struct feed *feed = self;

	if (!feed->is_lost && !take_line(feed, envelope))
		feed->is_lost = true;
}

static void take_bad(void *self, const char *why)
{
	struct feed *feed = self;

	feed->bad++;
	error_set(&feed->last_bad, "%s", why);
}

static bool take_bytes(struct feed *feed, struct text piece)
{
	if (!feed->parse)
		return take_piece(feed, piece);
	parse_feed(feed->parse, piece);
	return !feed->is_lost;
}

static bool take_end(struct feed *feed)
{
	if (feed->parse)
		parse_end(feed->parse, NULL);
	else if (feed->input.len && !end_line(feed, TEXT("")))
		return false;
	return !feed->is_lost && send_batch(feed);
}

/* ---- the input ---- */

static bool input_pauses(void)
{
	struct pollfd input = {.fd = 0, .events = POLLIN};

	return poll(&input, 1, 0) == 0;
}

static bool take_input(struct feed *feed)
{
	static char piece[PIECE];

	for (;;) {
		ssize_t n;

		if (input_pauses() && !send_batch(feed))
			return false;
		n = read(0, piece, sizeof(piece));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			out_say("standard input: %s", strerror(errno));
			return false;
		}
		if (n == 0)
			return take_end(feed);
		if (!take_bytes(feed, (struct text){piece, (size_t)n}))
			return false;
	}
}

static int run_feed(struct feed *feed)
{
	bool good;

	buf_init(&feed->input, LINE_LEN_MAX);
	batch_init(&feed->batch);
	good = take_input(feed);
	batch_finish(&feed->batch);
	buf_finish(&feed->input);
	if (feed->bad)
		out_say("%llu pieces of the input were not understood: %s",
		        (unsigned long long)feed->bad, feed->last_bad.words);
	if (feed->rejected)
		out_say("%llu accepted, %llu rejected", (unsigned long long)feed->accepted,
		        (unsigned long long)feed->rejected);
	return good && !feed->rejected && !feed->bad ? STATUS_DONE : STATUS_FAILED;
}

static struct feed feed; /* holds the places of 10,000 lines */

int feed_input(struct out *out, struct remote *remote, enum feed_ack ack)
{
	feed = (struct feed){.out = out, .remote = remote, .ack = ack};
	return run_feed(&feed);
}

int feed_parsed(struct out *out, struct remote *remote, enum feed_ack ack,
                const struct parse_kind *kind, const struct parse_options *options)
{
	struct parse_options o = *options;
	int status;

	feed = (struct feed){.out = out, .remote = remote, .ack = ack};
	o.self = &feed;
	o.signal = take_signal;
	o.bad = take_bad;
	feed.parse = parse_create(kind, &o);
	status = run_feed(&feed);
	parse_destroy(feed.parse);
	return status;
}
