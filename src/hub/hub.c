/* hub.c - from the bus to the reels, and at the end of the turn to the sockets. */
#include "hub/hub.h"

#include <stdlib.h>

#include "base/must.h"
#include "base/put.h"
#include "hub/acks.h"
#include "hub/inside.h"
#include "hub/person.h"
#include "hub/stats.h"
#include "journal/journal.h"
#include "net/http.h"

/* --- a signal comes ------------------------------------------------------- */

static void hear_bus(struct bus_listener *listener, const struct signal *s)
{
	struct hub *hub = list_of(listener, struct hub, listener);

	for (size_t i = 0; i < hub->reel_count; i++)
		if (hub->reels[i].users)
			hub_spool(hub, &hub->reels[i], s);
}

static void durable(struct bus_listener *listener, uint64_t seq)
{
	struct hub *hub = list_of(listener, struct hub, listener);

	hub->durable_seq = seq;
	list_each(&hub->waiting, l)
		client_tell_durable(list_of(l, struct acks, in_hub)->client);
}

/* --- the end of a turn ------------------------------------------------------ */

void client_work(struct client *c)
{
	if (list_is_empty(&c->in_work))
		list_add(&c->hub->work, &c->in_work);
}

struct text hub_news(struct hub *hub, const struct client *c)
{
	const struct tape *tape = c->tape;
	struct text news;

	if (hub->gathered == tape && hub->gathered_at == c->cursor &&
	    hub->gathered_head == tape->head)
		return buf_text(&hub->scratch);
	news = tape_from(tape, c->cursor, &hub->scratch);
	if (news.at != hub->scratch.at)
		return news;
	hub->gathered = tape;
	hub->gathered_at = c->cursor;
	hub->gathered_head = tape->head;
	return news;
}

static void client_free(struct client *c)
{
	list_remove(&c->in_work);
	acks_destroy(c->acks);
	client_free_person(c);
	buf_finish(&c->mine);
	ws_finish(&c->ws);
	pool_give(&c->hub->pool, c);
}

static void pump(struct client *c, size_t *budget)
{
	enum pump (*more)(struct client * client, size_t * budget) = client_dialect(c)->pump;

	if (!more || !client_has_view(c))
		return;
	switch (more(c, budget)) {
	case PUMP_IDLE:
		return;
	case PUMP_MORE:
		client_work(c);
		return;
	case PUMP_COLD:
		c->cold = true;
		return;
	}
}

/* One client's turn.  It stays in the work list while it can go on at once. */
static void work_on(struct client *c, size_t *budget)
{
	list_remove(&c->in_work);
	if (c->parted) {
		if (c->unstamped == 0) /* else the last stamp brings it back here */
			client_free(c);
		return;
	}
	if (c->state == CLIENT_READING && !c->cold)
		client_read_on(c, budget);
	if (c->parted || !client_flush(c))
		return;
	client_unhush(c);
	pump(c, budget);
	if (c->state == CLIENT_READING && !c->cold)
		client_work(c);
}

static void serve_work(struct hub *hub, unsigned *sends)
{
	size_t budget = HUB_READ_A_TURN;
	struct link *last = hub->work.prev;

	loop_slice(hub->options.loop, SLICE_NS); /* for all who read */
	while (!list_is_empty(&hub->work) && *sends) {
		struct link *l = hub->work.next;

		(*sends)--;
		work_on(list_of(l, struct client, in_work), &budget);
		if (l == last)
			return;
	}
}

/* The memory of those who come next is on its way while a send is made. */
static void fetch_ahead(const struct tape *tape)
{
	if (tape->next + HUB_FETCH_CLIENTS < tape->client_count)
		__builtin_prefetch(tape->clients[tape->next + HUB_FETCH_CLIENTS]);
	if (tape->next + 1 < tape->client_count)
		__builtin_prefetch(&tape->clients[tape->next + 1]->conn->fd);
}

/* True when the tape is done: everybody was visited since its last news. */
static bool sweep(struct tape *tape, unsigned *sends)
{
	uint64_t head = tape_head(tape);

	while (tape->left) {
		struct client *c;

		if (*sends == 0)
			return false;
		if (tape->next >= tape->client_count)
			tape->next = 0;
		c = tape->clients[tape->next++];
		fetch_ahead(tape);
		tape->left--;
		if (c->cursor == head)
			continue;
		(*sends)--;
		if (!client_flush(c))
			tape->behind = true;
	}
	return true;
}

static void serve_tapes(struct hub *hub, unsigned *sends)
{
	while (!list_is_empty(&hub->dirty) && *sends) {
		struct tape *tape = list_of(hub->dirty.next, struct tape, in_dirty);

		if (!sweep(tape, sends)) {
			/* The others' news do not wait for a big tape. */
			list_remove(&tape->in_dirty);
			list_add(&hub->dirty, &tape->in_dirty);
			return;
		}
		list_remove(&tape->in_dirty);
		if (tape->client_count == 0 && tape->readers == 0)
			switchboard_drop(&list_of(tape->reel, struct hub_reel, reel)->board, tape);
		else if (!tape->is_all && !tape->behind)
			tape_forget(tape);
	}
}

/* Whoever was hushed for a slow disk may speak again. */
static void unhush_all(struct hub *hub)
{
	if (journal_is_behind(hub->options.journal))
		return;
	hub->waits_for_disk = false;
	list_each(&hub->clients, l)
		client_unhush(list_of(l, struct client, in_all));
}

static bool turn_end(struct turn *turn)
{
	struct hub *hub = list_of(turn, struct hub, turn);
	unsigned own = HUB_SENDS_A_TURN / 2, shared = HUB_SENDS_A_TURN / 2;

	serve_work(hub, &own);
	shared += own;
	serve_tapes(hub, &shared);
	hub->gathered = NULL;
	for (size_t i = 0; i < hub->options.dialect_count; i++)
		if (hub->spoken[i].dialect->end_turn)
			hub->spoken[i].dialect->end_turn(hub->spoken[i].of);
	if (hub->waits_for_disk)
		unhush_all(hub);
	return !list_is_empty(&hub->work) || !list_is_empty(&hub->dirty);
}

void hub_warmed(struct hub *hub)
{
	list_each(&hub->clients, l) {
		struct client *c = list_of(l, struct client, in_all);

		if (!c->cold)
			continue;
		c->cold = false;
		client_work(c);
	}
}

void hub_tell(struct hub *hub, const struct news *news)
{
	for (size_t i = 0; i < hub->options.dialect_count; i++)
		if (hub->spoken[i].dialect->news)
			hub->spoken[i].dialect->news(hub->spoken[i].of, news);
}

/* --- life ------------------------------------------------------------------- */

void hub_set_times(struct hub *hub, unsigned ping_ms, unsigned pong_ms, unsigned message_ms)
{
	hub->options.message_ms = message_ms;
	hub->options.ping_ms = ping_ms;
	hub->options.pong_ms = pong_ms;
}

static void offer(struct hub *hub, const struct hub_options *options)
{
	hub->reels = must_zero(options->dialect_count, sizeof(*hub->reels));
	hub->spoken = must_zero(options->dialect_count, sizeof(*hub->spoken));
	for (size_t i = 0; i < options->dialect_count; i++) {
		const struct hub_dialect *d = &options->dialects[i];

		hub->spoken[i] = (struct spoken){d->dialect, d->of, hub_open_reel(hub, d),
		                                 must_zero(1, sizeof(struct pool))};
		pool_init(hub->spoken[i].people, sizeof(struct person) + d->dialect->view);
	}
	hub->options.dialects = NULL; /* the caller's */
}

struct hub *hub_create(const struct hub_options *options)
{
	struct hub *hub = must_zero(1, sizeof(*hub));

	hub->options = *options;
	hub->strangers = options->ws;
	if (hub->strangers.message_max > HUB_STRANGER_MAX)
		hub->strangers.message_max = HUB_STRANGER_MAX;
	hub->listener = (struct bus_listener){.name = "hub", .heard = hear_bus, .durable = durable};
	hub->turn.end = turn_end;
	tally_init(&hub->told);
	hub->durable_seq = journal_durable_seq(options->journal);
	hub->lines = signal_reader_create();
	coalesce_init(&hub->words, &coalesce_words, options->ws.message_max + HUB_ENVELOPE_MAX);
	buf_init(&hub->scratch, HUB_SCRATCH_MAX);
	pool_init(&hub->pool, sizeof(struct client));
	list_init(&hub->clients);
	list_init(&hub->work);
	list_init(&hub->held);
	hub->ease.fire = hub_ease;
	list_init(&hub->waiting);
	list_init(&hub->dirty);
	offer(hub, options);
	bus_add_listener(options->bus, &hub->listener);
	loop_add_turn(options->loop, &hub->turn);
	return hub;
}

void hub_destroy(struct hub *hub)
{
	if (!hub)
		return;
	list_each(&hub->clients, l)
		client_end(list_of(l, struct client, in_all));
	list_each(&hub->work, l)
		client_free(list_of(l, struct client, in_work));
	for (size_t i = 0; i < hub->reel_count; i++)
		hub_close_reel(&hub->reels[i]);
	bus_remove_listener(hub->options.bus, &hub->listener);
	loop_remove_turn(&hub->turn);
	deadline_clear(&hub->ease);
	signal_reader_destroy(hub->lines);
	coalesce_finish(&hub->words);
	buf_finish(&hub->scratch);
	pool_finish(&hub->pool);
	for (size_t i = 0; i < hub->options.dialect_count; i++) {
		pool_finish(hub->spoken[i].people);
		free(hub->spoken[i].people);
	}
	free(hub->spoken);
	free(hub->reels);
	free(hub);
}

void hub_hush(struct hub *hub)
{
	hub->draining = true;
	list_each(&hub->clients, l)
		conn_hush(list_of(l, struct client, in_all)->conn, true);
}

void hub_drain(struct hub *hub)
{
	hub->draining = true;
	list_each(&hub->clients, l) {
		struct client *c = list_of(l, struct client, in_all);

		client_dialect(c)->farewell(c);
	}
}

bool hub_is_empty(const struct hub *hub)
{
	return list_is_empty(&hub->clients);
}

unsigned long hub_clients(const struct hub *hub)
{
	return hub->counts.clients;
}

void hub_status(const struct hub *hub, struct buf *out)
{
	const struct hub_stats *n = &hub->counts;
	const struct hub_lag lag = hub_lag(hub);

	put_object(out, NULL);
	put_u64(out, "clients", n->clients);
	put_u64(out, "joined", n->joined);
	put_u64(out, "frames", n->frames);
	put_u64(out, "fellBehind", n->fell_behind);
	put_u64(out, "gaps", n->gaps);
	put_u64(out, "dropped", n->skipped);
	put_u64(out, "slowClosed", n->slow_closed);
	put_u64(out, "reading", lag.reading);
	put_u64(out, "lagBytes", lag.bytes);
	put_end(out);
}

struct hub_stats hub_stats(const struct hub *hub)
{
	return hub->counts;
}

static void look_at_lag(const struct tape *tape, struct hub_lag *lag)
{
	uint64_t head = tape_head(tape), bytes;

	lag->reading += tape->readers;
	for (unsigned i = 0; i < tape->client_count; i++) {
		if (tape->clients[i]->cursor == head)
			continue;
		bytes = tape->reel->head - tape_on_reel(tape, tape->clients[i]->cursor);
		if (bytes > lag->bytes)
			lag->bytes = bytes;
	}
}

struct hub_lag hub_lag(const struct hub *hub)
{
	struct hub_lag lag = {0};

	for (size_t i = 0; i < hub->reel_count; i++)
		list_each(&hub->reels[i].board.tapes, l)
			look_at_lag(list_of(l, struct tape, in_all), &lag);
	return lag;
}

const struct tally *hub_told(const struct hub *hub)
{
	return &hub->told;
}
