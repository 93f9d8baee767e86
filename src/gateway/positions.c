/* positions.c - what a signal is to those who count positions, live and from the journal. */
#include "gateway/positions.h"

#include <stdlib.h>

#include "base/must.h"
#include "base/put.h"
#include "gateway/exact.h"
#include "gateway/methods.h"
#include "gateway/past.h"
#include "hub/hub.h"
#include "journal/reader.h"
#include "net/loop.h"
#include "run/recall.h"

#define READ_CHUNK (64 * KIB)

struct gateway_positions {
	struct link live, gone; /* gateway_exact.in_live */
	bool was_begun;         /* the run of a signal, before that */
};

struct gateway_positions *gateway_positions_create(void)
{
	struct gateway_positions *positions = must_zero(1, sizeof(*positions));

	list_init(&positions->live);
	list_init(&positions->gone);
	return positions;
}

/* ---- live ---- */

static unsigned protocol_bit(const struct gateway_exact *e)
{
	return 1U << e->view->protocol;
}

static void stop_reading(struct gateway_exact *e)
{
	journal_reader_destroy(e->reader);
	signal_reader_destroy(e->lines);
	gateway_pasts_destroy(e->pasts);
	e->reader = NULL;
	e->lines = NULL;
	e->pasts = NULL;
}

/* Takes the reader. */
static void go_read(struct gateway_exact *e, struct journal_reader *reader)
{
	stop_reading(e);
	list_remove(&e->in_live);
	e->reader = reader;
	e->lines = signal_reader_create();
	e->is_placed = false;
	e->pasts = gateway_pasts_create(gateway_of(e->view));
	client_work(e->view->client);
}

static void go_live(struct gateway_exact *e)
{
	stop_reading(e);
	list_remove(&e->in_live);
	list_add(&gateway_of(e->view)->positions->live, &e->in_live);
}

/* What a run said that was let go is read again, by each that is told of it. */
static unsigned take_along(struct gateway *g, const struct run *run)
{
	unsigned protocols = 0;

	list_each(&g->positions->live, l) {
		struct gateway_exact *e = list_of(l, struct gateway_exact, in_live);

		if (run->said && client_has_room(e->view->client)) {
			protocols |= protocol_bit(e);
			continue;
		}
		if (run->said)
			client_count_behind(e->view->client);
		go_read(e, journal_reader_create(g->options.journal, e->seq));
	}
	return protocols;
}

void gateway_positions_before(struct gateway *g, const struct run *run)
{
	g->positions->was_begun = run->said && !said_is_finished(run->said);
}

void gateway_positions_hear(struct gateway *g, struct run *run, const struct signal *s)
{
	struct exact_audience to = {.g = g, .live = &g->positions->live};
	struct exact_signal of = {run, run->said, run->signals, g->positions->was_begun, s};

	to.protocols = take_along(g, run);
	if (!to.protocols)
		return;
	gateway_exact_tell(&to, &of);
	list_each(&g->positions->live, l) {
		struct gateway_exact *e = list_of(l, struct gateway_exact, in_live);

		if (s->seq > e->seq)
			e->seq = s->seq;
		if (e->has_news)
			gateway_exact_say_position(e);
	}
}

/* ---- reading ---- */

/* False: what its run said before is read first. */
static bool tell_line(struct gateway_exact *e, struct text line)
{
	struct exact_audience to = {gateway_of(e->view), .one = e, .protocols = protocol_bit(e)};
	struct exact_signal of;
	struct gateway_past_run *past;
	struct signal s;

	if (!signal_read(e->lines, line, &s, NULL) || !gateway_pasts_want(e->pasts, &s)) {
		e->seq = signal_seq_of(line);
		return true;
	}
	past = gateway_pasts_find(e->pasts, &s);
	if (!past)
		return false;
	of.was_begun = !said_is_finished(gateway_past_said(past));
	gateway_past_hear(past, &s);
	of.run = gateway_past_run(past);
	of.said = gateway_past_said(past);
	of.number = of.run->signals;
	of.signal = &s;
	gateway_exact_tell(&to, &of);
	e->seq = s.seq;
	if (e->has_news)
		gateway_exact_say_position(e);
	return true;
}

/* As far as all runs are folded, and no further: so much is on the disk. */
static void tell_lines(struct gateway_exact *e, struct text lines, uint64_t until)
{
	uint64_t next = journal_reader_next(e->reader);
	struct client *c = e->view->client;
	struct text rest = lines, after, line;

	while (rest.len && client_has_room(c)) {
		line = text_cut(rest, '\n', &after);
		if (signal_seq_of(line) > until || !tell_line(e, line))
			break;
		rest = after;
		next = e->seq + 1;
	}
	journal_reader_take(e->reader, lines.len - rest.len, next);
}

static void stand_at_reader(struct gateway_exact *e)
{
	e->seq = journal_reader_next(e->reader) - 1;
	free(e->after);
	e->after = NULL;
}

static void tell_gap(struct gateway_exact *e, const struct gap *gap)
{
	gateway_pasts_forget(e->pasts);
	stand_at_reader(e);
	gateway_exact_say_gap(e, gap);
	gateway_exact_say_position(e);
}

/* It stands where the runs do. */
static bool has_caught_up(struct gateway_exact *e, uint64_t until)
{
	return e->is_placed && journal_reader_next(e->reader) > until;
}

static enum pump read_on(struct gateway_exact *e, size_t *budget)
{
	struct gateway *g = gateway_of(e->view);
	struct client *c = e->view->client;
	uint64_t until = runs_seq(g->options.runs);
	struct text lines;
	struct gap gap;

	if (loop_slice_is_over(g->options.loop)) /* of all who read */
		*budget = 0;
	if (*budget == 0)
		return PUMP_MORE;
	switch (journal_read(e->reader, READ_CHUNK, &lines, &gap)) {
	case JOURNAL_LINES:
		e->is_placed = true;
		stand_at_reader(e);
		*budget -= *budget < lines.len ? *budget : lines.len;
		tell_lines(e, lines, until);
		break;
	case JOURNAL_GAP:
		tell_gap(e, &gap);
		break;
	case JOURNAL_COLD:
		return PUMP_COLD;
	case JOURNAL_END:
		e->is_placed = true;
		stand_at_reader(e);
		break;
	}
	return c->state == CLIENT_CLOSING ? PUMP_IDLE : PUMP_MORE;
}

enum pump gateway_positions_pump(struct gateway_view *view, size_t *budget)
{
	struct gateway_exact *e = view->exact;
	struct runs *runs = gateway_of(view)->options.runs;
	enum pump news = PUMP_MORE;

	if (!e || !e->reader)
		return PUMP_IDLE;
	while (news == PUMP_MORE && client_has_room(view->client)) {
		news = gateway_pasts_read(e->pasts, budget);
		if (news != PUMP_IDLE)
			return news;
		if (!has_caught_up(e, runs_seq(runs))) {
			news = read_on(e, budget);
		} else if (gateway_pasts_are_kept(e->pasts)) {
			go_live(e);
			return PUMP_IDLE;
		} else {
			return PUMP_IDLE; /* until there is news of runs */
		}
		if (*budget == 0)
			return news;
	}
	return client_has_room(view->client) ? news : PUMP_IDLE;
}

/* It may be closed while it is told something: what it is told of goes at the end of the turn. */
void gateway_positions_leave(struct gateway_view *view)
{
	struct gateway_exact *e = view->exact;

	if (!e)
		return;
	view->exact = NULL;
	list_remove(&e->in_live);
	list_add(&gateway_of(view)->positions->gone, &e->in_live);
}

void gateway_positions_end_turn(struct gateway_positions *positions)
{
	list_each(&positions->gone, l) {
		struct gateway_exact *e = list_of(l, struct gateway_exact, in_live);

		list_remove(&e->in_live);
		stop_reading(e);
		free(e->after);
		free(e);
	}
}

void gateway_positions_destroy(struct gateway_positions *positions)
{
	gateway_positions_end_turn(positions);
	free(positions);
}

/* ---- the methods ---- */

static struct gateway_exact *exact_of(struct gateway_view *view)
{
	if (view->exact)
		return view->exact;
	view->exact = must_zero(1, sizeof(*view->exact));
	view->exact->view = view;
	list_init(&view->exact->in_live);
	gateway_leave_stream(view);
	gateway_join_stream(view);
	return view->exact;
}

static void answer_position(const struct gateway_call *call, struct text after, uint64_t seq)
{
	struct buf out;

	buf_init(&out, POSITIONS_ROOM + GATEWAY_POSITION_MAX);
	put_object(&out, NULL);
	if (after.len)
		put_text(&out, "position", after);
	else
		gateway_exact_put_position(&out, call->gateway, seq);
	put_end(&out);
	gateway_answer_buf(call, &out);
	buf_finish(&out);
}

/* The answer says where to come back to, if nothing follows. */
void gateway_events_subscribe(const struct gateway_call *call)
{
	struct text after = json_text_at(call->params, "after");
	struct gateway *g = call->gateway;
	struct positions positions;
	struct gateway_exact *e;

	if (!(call->view->caps & GATEWAY_POSITIONS)) {
		gateway_refuse(call, &(struct gateway_fault){FAULT_INVALID_REQUEST,
		                                             "events.subscribe needs the cap "
		                                             "signalbox-positions"});
		return;
	}
	if (yyjson_obj_get(call->params, "after") && !positions_parse(after, &positions)) {
		gateway_refuse(call, &(struct gateway_fault){FAULT_INVALID_REQUEST,
		                                             "after: " POSITIONS_WORDS});
		return;
	}
	e = exact_of(call->view);
	answer_position(call, after, runs_seq(g->options.runs));
	if (call->view->client->state == CLIENT_CLOSING)
		return;
	free(e->after);
	e->after = after.len ? text_dup(after) : NULL;
	if (after.len) {
		e->seq = 0;
		go_read(e, journal_reader_resume(g->options.journal, &positions));
	} else {
		e->seq = runs_seq(g->options.runs);
		go_live(e);
	}
}

void gateway_events_position(const struct gateway_call *call)
{
	const struct gateway_exact *e = call->view->exact;

	answer_position(call, e && e->after ? text_of(e->after) : TEXT(""),
	                e ? e->seq : runs_seq(call->gateway->options.runs));
}
