/* positions.c - what a signal is to those who count positions, live and from the journal. */
#include "gateway/positions.h"

#include <stdlib.h>

#include "base/must.h"
#include "base/put.h"
#include "gateway/heartbeat.h"
#include "gateway/keys.h"
#include "gateway/methods.h"
#include "gateway/past.h"
#include "gateway/telling.h"
#include "hub/hub.h"
#include "journal/reader.h"
#include "net/loop.h"
#include "run/recall.h"

#define POSITION_MAX 256
#define READ_CHUNK (64 * KIB)

struct gateway_positions {
	struct link live, gone; /* gateway_exact.in_live */
	bool was_begun;         /* the run of a signal, before that */
};

struct gateway_exact {
	struct gateway_view *view;
	struct link in_live; /* gateway_positions.live; alone while it reads; .gone */
	uint64_t seq;        /* of the journal, up to which it was told */
	bool has_news;       /* of this signal */

	/* while it reads */
	struct journal_reader *reader;
	struct signal_reader *lines;
	bool is_placed; /* the journal has said where it stands */
	char *after;    /* where it came back to, until then */
	struct gateway_pasts *pasts;
};

struct gateway_positions *gateway_positions_create(void)
{
	struct gateway_positions *positions = must_zero(1, sizeof(*positions));

	list_init(&positions->live);
	list_init(&positions->gone);
	return positions;
}

/* ---- saying ---- */

static void begin_event(struct buf *out, const char *name, size_t max)
{
	buf_init(out, max);
	put_object(out, NULL);
	put_word(out, "type", "event");
	put_word(out, "event", name);
}

static void put_position(struct buf *out, const struct gateway *g, uint64_t seq)
{
	char words[EPOCH_LEN + 32];

	snprintf(words, sizeof(words), "%s-%llu", journal_epoch(g->options.journal),
	         (unsigned long long)seq);
	put_word(out, "position", words);
}

static void say_event(struct gateway_view *view, struct buf *out)
{
	put_end(out);
	if (!out->full)
		client_say_frame(view->client, WS_OP_TEXT, buf_text(out));
	buf_finish(out);
}

static void say_position(struct gateway_exact *e)
{
	struct buf out;

	e->has_news = false;
	begin_event(&out, "signalbox.position", POSITION_MAX);
	put_object(&out, "payload");
	put_position(&out, gateway_of(e->view), e->seq);
	put_end(&out);
	say_event(e->view, &out);
}

static void put_number(struct buf *out, const char *key, uint64_t n)
{
	char words[24];

	snprintf(words, sizeof(words), "%llu", (unsigned long long)n);
	put_word(out, key, words);
}

static void say_gap(struct gateway_exact *e, const struct gap *gap)
{
	struct buf out;

	client_count_gap(e->view->client);
	begin_event(&out, "signalbox.gap", POSITION_MAX);
	put_object(&out, "payload");
	put_number(&out, "from", gap->from);
	put_number(&out, "to", gap->to);
	put_word(&out, "why", gap->why);
	put_end(&out);
	say_event(e->view, &out);
}

/* ---- a signal ---- */

struct exact_ear {
	struct telling_ear ear;
	struct gateway *g;
	struct gateway_exact *one; /* NULL: all that are live */
	uint64_t seq;
};

static unsigned protocol_bit(const struct gateway_exact *e)
{
	return 1U << e->view->protocol;
}

static void take_for(const struct exact_ear *to, struct gateway_exact *e,
                     const struct gateway_event *event, struct text frame)
{
	if (e->view->protocol != event->protocol || e->seq >= to->seq ||
	    (event->family == GATEWAY_OF_TOOLS && !(e->view->caps & GATEWAY_TOOLS)))
		return;
	e->has_news = true;
	client_say_frame(e->view->client, WS_OP_TEXT, frame);
}

static void pass_event(struct telling_ear *ear, const struct gateway_event *event)
{
	struct exact_ear *to = list_of(ear, struct exact_ear, ear);
	struct buf out;

	begin_event(&out, event->name, TELLING_MAX + KIB);
	put_json(&out, "payload", event->payload);
	put_end(&out);
	if (to->one)
		take_for(to, to->one, event, buf_text(&out));
	else
		list_each(&to->g->positions->live, l)
			take_for(to, list_of(l, struct gateway_exact, in_live), event,
			         buf_text(&out));
	buf_finish(&out);
}

/* The newest words of an agent in this turn of the run: what its end tells. */
static uint64_t newest_words(const struct said *said)
{
	for (const struct link *l = said->messages.prev; l != &said->messages; l = l->prev) {
		const struct said_message *m = list_of(l, struct said_message, in_said);

		if (m->role == SAID_USER)
			return 0;
		if (m->role == SAID_ASSISTANT && said_text(&m->text).len)
			return m->number;
	}
	return 0;
}

/* A run with a signal that it has. */
struct exact_signal {
	const struct run *run;
	const struct said *said;
	uint64_t number; /* of the signal, in its run */
	bool was_begun;
};

static void tell_signal(struct exact_ear *to, const struct exact_signal *of, const struct signal *s)
{
	struct told_run told = {.id = of->run->id, .seq = of->number, .is_begun = of->was_begun};
	struct telling t = {to->g,   &told, of->said, s, yyjson_obj_get(s->envelope, "payload"),
	                    &to->ear};
	struct buf key;

	buf_init(&key, 2 * KIB);
	gateway_key_of_run(to->g, of->run, &key);
	told.key = text_dup(buf_text(&key));
	told.agent = text_dup(gateway_key_agent(buf_text(&key)));
	told.message = newest_words(of->said);
	told.text_seq = of->number;
	told.is_heartbeat = heartbeat_runs(s);
	told.thought.full = true; /* it is told piece by piece */
	list_init(&told.in_dirty);
	buf_init(&told.delta, TELLING_MAX);
	buf_init(&told.snapshot, TELLING_MAX);
	telling_signal(&t);
	buf_finish(&told.delta);
	buf_finish(&told.snapshot);
	free(told.key);
	free(told.agent);
	buf_finish(&key);
}

/* ---- live ---- */

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
	struct exact_ear to = {.ear.take = pass_event, .g = g, .seq = s->seq};
	struct exact_signal of = {run, run->said, run->signals, g->positions->was_begun};

	to.ear.protocols = take_along(g, run);
	if (!to.ear.protocols)
		return;
	tell_signal(&to, &of, s);
	list_each(&g->positions->live, l) {
		struct gateway_exact *e = list_of(l, struct gateway_exact, in_live);

		if (s->seq > e->seq)
			e->seq = s->seq;
		if (e->has_news)
			say_position(e);
	}
}

/* ---- reading ---- */

/* False: what its run said before is read first. */
static bool tell_line(struct gateway_exact *e, struct text line)
{
	struct gateway *g = gateway_of(e->view);
	struct exact_ear to = {{protocol_bit(e), pass_event}, g, e, 0};
	struct exact_signal of;
	struct gateway_past_run *past;
	struct signal s;

	if (!signal_read(e->lines, line, &s, NULL) || !gateway_pasts_want(&s)) {
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
	to.seq = s.seq;
	tell_signal(&to, &of, &s);
	e->seq = s.seq;
	if (e->has_news)
		say_position(e);
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
	say_gap(e, gap);
	say_position(e);
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

	buf_init(&out, POSITIONS_ROOM + POSITION_MAX);
	put_object(&out, NULL);
	if (after.len)
		put_text(&out, "position", after);
	else
		put_position(&out, call->gateway, seq);
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
		gateway_refuse(call, &(struct gateway_fault){"INVALID_REQUEST",
		                                             "events.subscribe needs the cap "
		                                             "signalbox-positions"});
		return;
	}
	if (yyjson_obj_get(call->params, "after") && !positions_parse(after, &positions)) {
		gateway_refuse(call, &(struct gateway_fault){"INVALID_REQUEST",
		                                             "after: " POSITIONS_WORDS});
		return;
	}
	runs_reach(g->options.runs);
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
