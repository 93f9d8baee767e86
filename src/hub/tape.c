/* tape.c - extents, and the array of clients.
 *
 * A client's place in the array is kept in the client, so leaving is a swap with
 * the last one; a sweep that is under way may then visit somebody twice, never
 * leave somebody out.
 */
#include "hub/tape.h"

#include <assert.h>
#include <stdlib.h>

#include "base/must.h"
#include "hub/client.h"

#define TAPE_EXTENTS_FIRST 4

struct tape *tape_create(struct reel *reel, struct filter *filter)
{
	struct tape *tape = must_zero(1, sizeof(*tape));
	struct buf key;

	tape->reel = reel;
	tape->filter = *filter;
	filter_init(filter);
	tape->is_all = filter_is_all(&tape->filter);
	tape->whole_from = reel->head;
	buf_init(&key, MIB);
	filter_key(&tape->filter, &key);
	tape->key = key.at;
	tape->key_len = key.len;
	list_init(&tape->in_dirty);
	list_init(&tape->in_all);
	return tape;
}

void tape_destroy(struct tape *tape)
{
	if (!tape)
		return;
	assert(tape->client_count == 0);
	list_remove(&tape->in_dirty);
	list_remove(&tape->in_all);
	filter_finish(&tape->filter);
	free(tape->extents);
	free(tape->clients);
	free(tape->key);
	free(tape);
}

/* --- extents ------------------------------------------------------------- */

static struct extent *extent_at(const struct tape *tape, unsigned i)
{
	assert(tape->extents_room && (tape->extents_room & (tape->extents_room - 1)) == 0);
	return &tape->extents[(tape->first + i) & (tape->extents_room - 1)];
}

uint64_t tape_middle(const struct tape *tape)
{
	assert(tape->count > 0);
	return extent_at(tape, tape->count / 2)->start;
}

void tape_drop_before(struct tape *tape, uint64_t start)
{
	while (tape->count && extent_at(tape, 0)->start < start) {
		struct extent *e = extent_at(tape, 0);

		tape->whole_from = e->start + e->len;
		tape->first++;
		tape->count--;
	}
}

static void grow_extents(struct tape *tape)
{
	unsigned room = tape->extents_room ? tape->extents_room * 2 : TAPE_EXTENTS_FIRST;
	struct extent *more = must_alloc(room * sizeof(*more));

	for (unsigned i = 0; i < tape->count; i++)
		more[i] = *extent_at(tape, i);
	free(tape->extents);
	tape->extents = more;
	tape->extents_room = room;
	tape->first = 0;
}

void tape_add(struct tape *tape, uint64_t start, size_t len)
{
	struct extent *last = tape->count ? extent_at(tape, tape->count - 1) : NULL;

	if (tape->is_all || len == 0)
		return;
	if (last && last->start + last->len == start) {
		last->len += len;
		tape->head += len;
		return;
	}
	if (tape->count == tape->extents_room)
		grow_extents(tape);
	*extent_at(tape, tape->count++) = (struct extent){tape->head, start, len};
	tape->head += len;
	assert(tape->count <= tape->extents_room);
}

/* The index of the extent that `at` is in; at < head. */
static unsigned find_extent(const struct tape *tape, uint64_t at)
{
	unsigned low = 0, high = tape->count;

	assert(tape->count > 0 && at < tape->head);
	while (high - low > 1) {
		unsigned mid = low + (high - low) / 2;

		if (extent_at(tape, mid)->at <= at)
			low = mid;
		else
			high = mid;
	}
	return low;
}

uint64_t tape_on_reel(const struct tape *tape, uint64_t at)
{
	const struct extent *e;

	if (tape->is_all)
		return at;
	if (at >= tape->head)
		return tape->reel->head;
	e = extent_at(tape, find_extent(tape, at));
	return e->start + (at - e->at);
}

/* --- positions ----------------------------------------------------------- */

uint64_t tape_head(const struct tape *tape)
{
	return tape->is_all ? tape->reel->head : tape->head;
}

bool tape_place(const struct tape *tape, uint64_t seq, uint64_t *at)
{
	const struct reel *reel = tape->reel;
	uint64_t start;

	if (seq < reel->first_seq || seq > reel->next_seq)
		return false;
	start = reel_start(reel, seq);
	if (tape->is_all) {
		*at = start;
		return true;
	}
	if (start < tape->whole_from && seq != reel->next_seq)
		return false;
	for (unsigned i = tape->count; i > 0; i--) {
		const struct extent *e = extent_at(tape, i - 1);

		if (e->start + e->len <= start) {
			*at = e->at + e->len;
			return true;
		}
		if (e->start <= start) {
			*at = e->at + (start - e->start);
			return true;
		}
	}
	*at = tape->count ? extent_at(tape, 0)->at : tape->head;
	return true;
}

uint64_t tape_frame_end(const struct tape *tape, uint64_t at)
{
	uint64_t where, seq;

	if (at >= tape_head(tape))
		return at;
	where = tape_on_reel(tape, at);
	seq = reel_seq_at(tape->reel, where);
	if (reel_start(tape->reel, seq) == where)
		return at;
	return at + (reel_start(tape->reel, seq + 1) - where);
}

uint64_t tape_next_seq(const struct tape *tape, uint64_t at)
{
	if (at >= tape_head(tape))
		return tape->reel->next_seq;
	return reel_seq_at(tape->reel, tape_on_reel(tape, at));
}

struct text tape_from(const struct tape *tape, uint64_t at, struct buf *scratch)
{
	unsigned i;
	const struct extent *e;

	assert(at <= tape_head(tape));
	if (tape->is_all)
		return (struct text){reel_bytes(tape->reel, at), tape->reel->head - at};
	if (at >= tape->head)
		return (struct text){NULL, 0};
	i = find_extent(tape, at);
	e = extent_at(tape, i);
	if (i + 1 == tape->count)
		return (struct text){reel_bytes(tape->reel, e->start + (at - e->at)),
		                     e->len - (at - e->at)};
	buf_clear(scratch);
	for (; i < tape->count; i++, at = e->at + e->len) {
		struct text piece;

		e = extent_at(tape, i);
		piece = (struct text){reel_bytes(tape->reel, e->start + (at - e->at)),
		                      e->len - (at - e->at)};
		if (piece.len > scratch->max - scratch->len)
			piece.len = scratch->max - scratch->len;
		buf_add(scratch, piece);
		if (scratch->len == scratch->max)
			break;
	}
	return buf_text(scratch);
}

void tape_forget(struct tape *tape)
{
	tape->count = tape->first = 0;
	tape->whole_from = tape->reel->head;
}

/* --- clients ------------------------------------------------------------- */

void tape_join(struct tape *tape, struct client *client)
{
	if (tape->client_count == tape->client_room) {
		tape->client_room = tape->client_room ? tape->client_room * 2 : 1;
		tape->clients =
			must_grow(tape->clients, tape->client_room * sizeof(*tape->clients));
	}
	client->place = tape->client_count;
	tape->clients[tape->client_count++] = client;
	/* News may be waiting for the sweep, which counts those it will visit. */
	tape->left = tape->client_count;
	assert(tape->client_count <= tape->client_room);
}

void tape_leave(struct tape *tape, struct client *client)
{
	struct client *last = tape->clients[--tape->client_count];

	assert(client->place <= tape->client_count && tape->clients[client->place] == client);
	tape->clients[client->place] = last;
	last->place = client->place;
	/* The one that moved may have been due later in the sweep: look at all
	 * of them again, which costs nothing for those who have their news. */
	if (tape->left)
		tape->left = tape->client_count;
}
