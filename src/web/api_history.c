/* api_history.c - GET /api/signals: what is in the journal.
 *
 * Four ways to go through it.  Files are read on the journal's thread; what came of it is
 * taken and told in slices at the ends of turns, so that the loop never waits for a search:
 *
 *   forward   from `after` on, in one JSON answer
 *   backward  without `after`: the newest that match, found in windows that are
 *             each read forward, the newest window first
 *   stream    ndjson: from `after` to the present, at the reader's pace
 *   find      ndjson with a limit and no `after`: backward to where the newest
 *             that match begin, remembering nothing else, and from there a stream
 *
 * A JSON answer comes after a second at the latest, with what was found until
 * then and `next`: the `after` (forward) or `before` (backward) to go on with, or
 * null at the end.
 */
#include <assert.h>
#include <stdlib.h>

#include "base/must.h"
#include "base/put.h"
#include "journal/journal.h"
#include "web/inside.h"
#include "web/search.h"

#define SEARCHES_MAX 32         /* at once: each may hold an answer */
#define TURN_BYTES (512 * KIB)  /* that all of them read in one turn */
#define SLICE_BYTES (128 * KIB) /* that one of them reads in one turn */
#define SEARCH_MS 1000
#define SEARCH_MS_MOST 10000   /* while not even one window is through */
#define ANSWER_BYTES (4 * MIB) /* of signals; one is always given */
#define WINDOW_FIRST 1024      /* signals, when there is a filter */
#define WINDOW_MAX 65536

enum history_way { FORWARD, BACKWARD, STREAM, FIND };

struct history {
	struct web *web;
	struct http *http;
	struct query query;
	struct search search;
	enum history_way way;
	uint64_t started_ms;
	bool begun;             /* stream and find: the head is out */
	bool blocked;           /* stream: the peer reads more slowly than we */
	uint64_t lower, window; /* backward and find: the window under way starts here */
	size_t kept, kept_gaps; /* backward: found in the windows before it */
	bool has_left;          /* backward: a window is through */
	uint64_t end, newer;    /* find: where to end; how many match behind the window */
	bool is_telling;        /* an answer in JSON is under way */
	size_t told;            /* hits that were told in it */
	uint64_t next;          /* its `next`; 0: there is no more */
	struct link in_web;     /* web.searches */
};

static void history_destroy(struct history *h)
{
	list_remove(&h->in_web);
	assert(h->web->search_count > 0);
	h->web->search_count--;
	search_finish(&h->search);
	query_finish(&h->query);
	free(h);
}

/* ---- answers ---- */

static void add_gaps(struct buf *out, const struct history *h)
{
	const struct search *s = &h->search;

	put_list_end(out);
	put_list(out, "gaps");
	for (size_t i = 0; i < s->gap_count; i++) {
		size_t nth = h->way == BACKWARD ? s->gap_count - 1 - i : i;

		search_add_gap(out, NULL, &s->gaps[nth]);
	}
	buf_add_char(out, ']');
}

static void add_end(struct buf *out, const struct history *h)
{
	const char *epoch = journal_epoch(h->web->options.journal);

	add_gaps(out, h);
	if (h->next)
		buf_print(out, ",\"next\":\"%s-%llu\"}\n", epoch, (unsigned long long)h->next);
	else {
		put_word(out, "next", NULL);
		put_end(out);
		buf_add_char(out, '\n');
	}
}

/* The next piece of the answer: SLICE_BYTES of it, and what is left of a signal.  True: that
 * was the last. */
static bool add_piece(struct buf *out, struct history *h)
{
	const struct search *s = &h->search;

	if (h->told == 0) {
		put_object(out, NULL);
		put_bool(out, "ok", true);
		put_word(out, "epoch", journal_epoch(h->web->options.journal));
		put_list(out, "signals");
	}
	for (; h->told < s->hit_count && out->len < SLICE_BYTES; h->told++) {
		const struct search_hit *hit =
			&s->hits[h->way == BACKWARD ? s->hit_count - 1 - h->told : h->told];

		if (h->told)
			buf_add_char(out, ',');
		buf_add(out, (struct text){s->found.at + hit->at, hit->len});
	}
	if (h->told < s->hit_count)
		return false;
	add_end(out, h);
	return true;
}

/* A short answer is told at once, and a long one a piece a turn; true: there is more of it. */
static bool answer_json(struct history *h, uint64_t next)
{
	struct buf out;
	bool is_whole;

	h->next = next;
	buf_init(&out, h->search.found.len + (SEARCH_GAPS + 4) * 128);
	is_whole = add_piece(&out, h);
	if (is_whole) {
		web_answer(h->http, &out);
		history_destroy(h);
	} else {
		http_answer_begin(h->http, 200, "application/json", NULL);
		h->blocked = !http_more(h->http, buf_text(&out));
		h->is_telling = true;
	}
	buf_finish(&out);
	return !is_whole;
}

static bool step_tell(struct history *h, size_t *budget)
{
	bool is_last;
	struct buf out;

	buf_init(&out, h->search.found.len + (SEARCH_GAPS + 4) * 128);
	is_last = add_piece(&out, h);
	h->blocked = !http_more(h->http, buf_text(&out));
	*budget -= out.len < *budget ? out.len : *budget;
	buf_finish(&out);
	if (!is_last)
		return !h->blocked;
	http_answer_end(h->http);
	history_destroy(h);
	return false;
}

static uint64_t elapsed_ms(const struct history *h)
{
	return loop_now_ms(h->web->options.loop) - h->started_ms;
}

/* ---- forward ---- */

/* Each step answers whether there is more to do now; a step that answered the
 * request has destroyed h. */
static bool step_forward(struct history *h, size_t *budget)
{
	enum search_answer answer = search_run(&h->search, budget);
	uint64_t next = search_at(&h->search) - 1;
	bool more = answer == SEARCH_MORE;

	if ((more || answer == SEARCH_COLD) && elapsed_ms(h) < SEARCH_MS)
		return more;
	return answer_json(h, answer == SEARCH_DONE || next + 1 >= h->search.until ? 0 : next);
}

/* ---- backward ---- */

static void enter_window(struct history *h)
{
	uint64_t first = journal_first_seq(h->web->options.journal);
	uint64_t until = h->search.until;

	h->lower = until > first + h->window ? until - h->window : first;
	search_rewind(&h->search, h->kept, h->kept_gaps, h->lower);
}

static void widen_window(struct history *h)
{
	if (h->window < WINDOW_MAX)
		h->window *= 2;
}

static void reverse_hits(struct search_hit *hits, size_t count)
{
	for (size_t i = 0; i < count / 2; i++) {
		struct search_hit one = hits[i];

		hits[i] = hits[count - 1 - i];
		hits[count - 1 - i] = one;
	}
}

/* A window is through: what was found in it is put behind what is newer. */
static void leave_window(struct history *h)
{
	struct search *s = &h->search;

	for (size_t i = h->kept_gaps; i < s->gap_count; i++)
		if (s->gaps[i].to >= s->until)
			s->gaps[i].to = s->until - 1;
	if (s->hit_count > h->kept)
		reverse_hits(s->hits + h->kept, s->hit_count - h->kept);
	if (s->hit_count > h->query.limit)
		s->hit_count = h->query.limit;
	h->kept = s->hit_count;
	h->kept_gaps = s->gap_count;
	s->until = h->lower;
	h->has_left = true;
	widen_window(h);
}

static bool answer_backward(struct history *h)
{
	const struct search *s = &h->search;
	uint64_t first = journal_first_seq(h->web->options.journal);
	uint64_t next = s->until;

	if (h->kept == h->query.limit)
		next = s->hits[h->kept - 1].seq;
	return answer_json(h, next > first ? next : 0);
}

/* Is it time to answer with what there is?  Not before one window is through:
 * every answer gets somewhere. */
static bool is_late(const struct history *h)
{
	return elapsed_ms(h) >= (h->has_left ? SEARCH_MS : SEARCH_MS_MOST);
}

static bool step_backward(struct history *h, size_t *budget)
{
	enum search_answer answer = search_run(&h->search, budget);

	if (answer == SEARCH_DONE) {
		leave_window(h);
		if (h->kept < h->query.limit && !is_late(h) &&
		    h->lower > journal_first_seq(h->web->options.journal)) {
			enter_window(h);
			return true;
		}
	} else if (answer == SEARCH_ENOUGH && h->kept == 0 && h->window > 1) {
		/* More than an answer may hold: what is newest in it is wanted. */
		h->window = h->window > 8 ? h->window / 8 : 1;
		enter_window(h);
		return true;
	} else if (answer != SEARCH_ENOUGH && !is_late(h)) {
		return answer == SEARCH_MORE;
	} else {
		search_rewind(&h->search, h->kept, h->kept_gaps, h->lower);
	}
	return answer_backward(h);
}

/* ---- stream ---- */

static void begin_stream(struct history *h)
{
	if (!h->begun)
		http_answer_begin(h->http, 200, "application/x-ndjson", NULL);
	h->begun = true;
}

static bool step_stream(struct history *h, size_t *budget)
{
	enum search_answer answer = search_run(&h->search, budget);
	struct search *s = &h->search;
	bool over =
		answer == SEARCH_DONE || (answer == SEARCH_ENOUGH && s->hit_count >= s->hits_max);

	begin_stream(h);
	if (s->found.len)
		h->blocked = !http_more(h->http, buf_text(&s->found));
	s->hits_max -= s->hit_count;
	s->hit_count = 0;
	buf_clear(&s->found);
	if (!over)
		return answer != SEARCH_COLD && !h->blocked;
	http_answer_end(h->http);
	history_destroy(h);
	return false;
}

static void become_stream(struct history *h)
{
	struct search *s = &h->search;

	h->way = STREAM;
	s->only_seqs = false;
	s->gaps_as_lines = true;
	s->bytes_max = SLICE_BYTES;
	if (h->query.has_limit)
		s->hits_max = h->query.limit;
}

/* ---- find ---- */

static bool found(struct history *h, uint64_t start)
{
	h->search.until = h->end;
	search_rewind(&h->search, 0, 0, start);
	become_stream(h);
	return true;
}

static bool step_find(struct history *h, size_t *budget)
{
	enum search_answer answer = search_run(&h->search, budget);
	uint64_t missing = h->query.limit - h->newer;
	struct search *s = &h->search;

	/* A search through everything may take long: its reader hears at once that
	 * there will be an answer. */
	begin_stream(h);
	if (answer != SEARCH_DONE)
		return answer == SEARCH_MORE;
	if (s->hit_count >= missing)
		return found(h, s->hits[s->hit_count - missing].seq);
	if (h->lower <= journal_first_seq(h->web->options.journal))
		return found(h, h->lower);
	h->newer += s->hit_count;
	s->until = h->lower;
	widen_window(h);
	enter_window(h);
	return true;
}

/* ---- all of them ---- */

bool api_history_turn(struct web *web)
{
	static bool (*const steps[])(struct history * h, size_t * budget) = {
		[FORWARD] = step_forward,
		[BACKWARD] = step_backward,
		[STREAM] = step_stream,
		[FIND] = step_find,
	};
	size_t budget = TURN_BYTES;
	bool more = false;

	loop_slice(web->options.loop, SLICE_NS);
	/* Whoever had a slice goes to the end of the queue. */
	for (unsigned n = web->search_count; n > 0 && !list_is_empty(&web->searches); n--) {
		struct history *h = list_of(web->searches.next, struct history, in_web);
		size_t slice = budget < SLICE_BYTES ? budget : SLICE_BYTES;

		if (budget == 0 || loop_slice_is_over(web->options.loop))
			return true;
		budget -= slice;
		list_remove(&h->in_web);
		list_add(&web->searches, &h->in_web);
		if (!h->blocked)
			more = (h->is_telling ? step_tell : steps[h->way])(h, &slice) || more;
		budget += slice;
	}
	return more;
}

static void writable(void *self, struct http *http)
{
	struct history *h = self;

	h->blocked = false;
}

static void ignore_piece(void *self, struct http *http, struct text bytes)
{
}

static void ignore_whole(void *self, struct http *http)
{
}

static void reader_left(void *self, struct http *http)
{
	history_destroy(self);
}

static void start_backward(struct history *h)
{
	h->search.bytes_max = ANSWER_BYTES;
	h->window = query_filters(&h->query) ? WINDOW_FIRST : h->query.limit;
	enter_window(h);
}

/* Where everything matches, the seqs say where to start. */
static void start_find(struct history *h)
{
	uint64_t first = journal_first_seq(h->web->options.journal);
	uint64_t limit = h->query.limit;

	h->end = h->search.until;
	if (query_filters(&h->query)) {
		h->search.only_seqs = true;
		h->window = WINDOW_FIRST;
		enter_window(h);
	} else {
		found(h, h->end - first > limit ? h->end - limit : first);
	}
}

static enum history_way way_of(const struct query *q)
{
	if (q->is_ndjson)
		return q->has_limit && !q->has_after ? FIND : STREAM;
	return q->has_after ? FORWARD : BACKWARD;
}

static void start_reading(struct history *h)
{
	struct journal *journal = h->web->options.journal;
	uint64_t first = journal_first_seq(journal);
	uint64_t end = journal_last_seq(journal) + 1;
	struct search *s = &h->search;

	search_init(s, journal, &h->query);
	s->until = h->query.before < end ? h->query.before : end;
	h->way = way_of(&h->query);
	if ((h->way == BACKWARD || h->way == FIND) && s->until < first)
		s->until = first;
	switch (h->way) {
	case FORWARD:
		s->bytes_max = ANSWER_BYTES;
		s->hits_max = h->query.limit;
		break;
	case BACKWARD:
		start_backward(h);
		break;
	case STREAM:
		become_stream(h);
		break;
	case FIND:
		start_find(h);
		break;
	}
}

void api_history(struct call *call)
{
	static const struct http_handler handler = {ignore_piece, ignore_whole, writable,
	                                            reader_left};
	struct web *web = call->web;
	struct history *h;
	struct query query;
	struct error why;

	if (!query_parse(&query, http_request(call->http)->query, &why)) {
		web_refuse(call->http, 400, why.words, NULL);
		return;
	}
	if (web->search_count == SEARCHES_MAX) {
		query_finish(&query);
		web_refuse(call->http, 503, "too many searches at once", "Retry-After: 1\r\n");
		return;
	}
	h = must_zero(1, sizeof(*h));
	h->web = web;
	h->http = call->http;
	h->query = query;
	h->started_ms = loop_now_ms(web->options.loop);
	start_reading(h);
	list_add(&web->searches, &h->in_web);
	assert(web->search_count < SEARCHES_MAX);
	web->search_count++;
	web_tick(web);
	http_accept(call->http, 0, &handler, h);
}
