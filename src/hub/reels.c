/* reels.c - the reels of a hub, one for each encoding, and how a signal gets onto them. */
#include <assert.h>

#include "hub/dialect.h"
#include "hub/inside.h"
#include "journal/reader.h"
#include "journal/sieve.h"

#define HUB_FRAME_MIN 64 /* most frames are longer: sizes the reel's index */

/* --- a signal comes ------------------------------------------------------- */

/* Whom the sweep will visit first is fetched while the turn still has other work. */
static void fetch_first(const struct tape *tape)
{
	for (unsigned i = 0; i < HUB_FETCH_CLIENTS && i < tape->client_count; i++)
		__builtin_prefetch(tape->clients[(tape->next + i) % tape->client_count]);
}

void hub_mark(struct hub *hub, struct tape *tape)
{
	tape->left = tape->client_count;
	tape->behind = false;
	if (!list_is_empty(&tape->in_dirty))
		return;
	list_add(&hub->dirty, &tape->in_dirty);
	fetch_first(tape);
}

struct spooled {
	struct hub *hub;
	uint64_t start;
	size_t len;
	uint64_t clients; /* that will get it */
};

/* Walks from the end, because falling behind swaps the last client in. */
static void shed(struct tape *tape, uint64_t oldest)
{
	for (unsigned i = tape->client_count; i > 0; i--) {
		struct client *c = tape->clients[i - 1];

		if (c->cursor < tape_head(tape) && tape_on_reel(tape, c->cursor) < oldest)
			client_fall_behind(c);
	}
}

static void spool_to_tape(void *self, struct tape *tape)
{
	struct spooled *spooled = self;

	if (tape->count == TAPE_EXTENTS_MAX) {
		uint64_t middle = tape_middle(tape);

		shed(tape, middle);
		tape_drop_before(tape, middle);
	}
	spooled->clients += tape->client_count;
	tape_add(tape, spooled->start, spooled->len);
	hub_mark(spooled->hub, tape);
}

/* The oldest byte that a client may still stand at: not too many bytes behind, and not so
 * many signals, of which some have no bytes, that the index forgets its place. */
static uint64_t oldest_place(const struct hub *hub, const struct reel *reel)
{
	size_t behind = hub->options.behind_max;
	uint64_t by_bytes = reel->head > behind ? reel->head - behind : 0, by_index = 0;

	if (reel->next_seq - reel->first_seq > reel->frames_max / 2)
		by_index = reel_start(reel, reel->next_seq - reel->frames_max / 2);
	return by_bytes > by_index ? by_bytes : by_index;
}

/* Whoever is too far behind must leave before the ring's tail comes by. */
static void guard(struct hub *hub, struct hub_reel *r)
{
	uint64_t oldest = oldest_place(hub, &r->reel);

	r->guarded_at = r->reel.head;
	r->guarded_seq = r->reel.next_seq;
	if (!oldest)
		return;
	list_each(&r->board.tapes, l)
		shed(list_of(l, struct tape, in_all), oldest);
}

static bool is_guard_due(const struct hub_reel *r)
{
	return r->reel.head - r->guarded_at > HUB_GUARD_EVERY ||
	       r->reel.next_seq - r->guarded_seq > r->reel.frames_max / 4;
}

void hub_spool(struct hub *hub, struct hub_reel *r, const struct signal *s)
{
	const struct encoding *e = r->encoding;
	size_t most = encoding_most(e, s->line.len);
	char *out = reel_reserve(&r->reel, most);
	size_t len =
		e->encode(r->memory, out, s->line, s->seq, journal_epoch(hub->options.journal));
	struct spooled spooled = {hub, r->reel.head, len, 0};

	assert(len <= most);
	reel_commit(&r->reel, len);
	if (len) {
		hub->counts.frames++;
		if (r->board.all) {
			spooled.clients = r->board.all->client_count;
			hub_mark(hub, r->board.all);
		}
		if (r->board.by_key.count)
			switchboard_route(&r->board, s, spool_to_tape, &spooled);
		*tally_of(&hub->told, s->source, s->kind) += spooled.clients;
	}
	if (is_guard_due(r))
		guard(hub, r);
}

/* --- life ------------------------------------------------------------------- */

/* Between two looks at who lags a client may get this far behind; beyond it the
 * tail could pass a cursor. */
static size_t reel_size(const struct hub_options *o, const struct encoding *e)
{
	size_t frame = encoding_most(e, o->ws.message_max + HUB_ENVELOPE_MAX);
	size_t need = o->behind_max + HUB_GUARD_EVERY + 2 * frame;
	size_t size = MIB;

	while (size < need)
		size *= 2;
	return size;
}

struct hub_reel *hub_open_reel(struct hub *hub, const struct hub_dialect *dialect)
{
	const struct encoding *e = dialect->dialect->encoding;
	struct hub_reel *r = hub->reels;
	size_t size;

	if (!e)
		return NULL;
	for (; r < hub->reels + hub->reel_count; r++)
		if (r->encoding == e)
			return r;
	hub->reel_count++;
	r->encoding = e;
	r->of = dialect->of;
	size = reel_size(&hub->options, e);
	reel_init(&r->reel, size, size / HUB_FRAME_MIN);
	switchboard_init(&r->board);
	return r;
}

void hub_close_reel(struct hub_reel *r)
{
	switchboard_finish(&r->board);
	reel_finish(&r->reel);
}

void hub_use_reel(struct hub *hub, struct hub_reel *r)
{
	uint64_t next = journal_last_seq(hub->options.journal) + 1;

	if (r->users++)
		return;
	reel_reset(&r->reel, next);
	r->guarded_at = r->reel.head;
	r->guarded_seq = next;
	if (r->encoding->make)
		r->memory = r->encoding->make(r->of, next);
}

void hub_leave_reel(struct hub_reel *r)
{
	if (--r->users || !r->memory)
		return;
	r->encoding->free(r->memory);
	r->memory = NULL;
}

void client_sift(struct client *c, struct journal_reader *from)
{
	if (!c->tape->is_all && !client_dialect(c)->encoding->make)
		journal_reader_sift(from, journal_sieve_of(&c->tape->filter));
}
