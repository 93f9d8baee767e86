/* seats.c - counting by who it is, and whose turn it is to go. */
#include "net/seats.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/log.h"
#include "base/must.h"
#include "net/conn.h"

#define TELL_MS 1000

enum { EVICTED, TURNED_AWAY };

static void seats_log_untold(struct deadline *deadline)
{
	struct seats *p = list_of(deadline, struct seats, tell);

	if (p->untold[EVICTED])
		log_warn("net", "connections closed to make room for others: %u, the last of %s",
		         p->untold[EVICTED], p->worst);
	if (p->untold[TURNED_AWAY])
		log_warn("net", "connections turned away for want of places (%u): %u", p->max,
		         p->untold[TURNED_AWAY]);
	p->untold[EVICTED] = p->untold[TURNED_AWAY] = 0;
}

static void seats_note(struct seats *p, int what)
{
	assert(what == EVICTED || what == TURNED_AWAY);
	if (p->untold[EVICTED] + p->untold[TURNED_AWAY] == 0)
		deadline_set(p->loop, &p->tell, TELL_MS);
	p->untold[what]++;
}

void seats_init(struct seats *p, struct loop *loop, unsigned max)
{
	*p = (struct seats){
		.loop = loop, .own = geteuid(), .max = max, .tell.fire = seats_log_untold};
	peer_line_init(&p->line);
	inputs_init(&p->inputs, loop);
	slices_init(&p->slices, loop);
	map_init(&p->parties);
	pool_init(&p->pool, sizeof(struct seat));
}

void seats_finish(struct seats *p)
{
	deadline_clear(&p->tell);
	seats_log_untold(&p->tell);
	peer_line_finish(&p->line);
	inputs_finish(&p->inputs);
	slices_finish(&p->slices);
	map_finish(&p->parties);
	pool_finish(&p->pool);
}

unsigned seats_taken(const struct seats *p)
{
	unsigned n = 0;

	for (int i = 0; i < PLACE_KINDS; i++)
		n += p->counts[i];
	return n;
}

static enum place seats_place_of(const struct seats *p, const struct peer *peer)
{
	bool is_ours = peer->uid_known && (peer->uid == p->own || peer->uid == 0);

	if (peer->is_unix)
		return PLACE_UNIX;
	return peer->is_loopback && is_ours ? PLACE_OWN : PLACE_UNKNOWN;
}

static bool has_room(const struct seats *p, enum place place)
{
	unsigned n = 0;

	if (place == PLACE_UNKNOWN && p->counts[PLACE_UNKNOWN] >= place_strangers(p->max))
		return false;
	for (int i = PLACE_KINDS - 1; i >= 0; i--) {
		n += p->counts[i];
		if (i <= (int)place && n >= place_most(p->max, (enum place)i))
			return false;
	}
	return true;
}

/* ---- parties of the unknown ---- */

static void join_party(struct seats *p, struct seat *seat)
{
	char name[PEER_NAME_MAX];
	struct party *party;

	assert(!seat->party && seat->place == PLACE_UNKNOWN);
	peer_name(&seat->peer, name);
	party = map_get(&p->parties, text_of(name));
	if (!party) {
		party = must_zero(1, sizeof(*party));
		list_init(&party->seats);
		snprintf(party->name, sizeof(party->name), "%s", name);
		map_set(&p->parties, text_of(name), party);
	}
	party->count++;
	seat->party = party;
	list_add(&party->seats, &seat->in_party);
}

static void leave_party(struct seat *seat)
{
	struct party *party = seat->party;

	if (!party)
		return;
	list_remove(&seat->in_party);
	seat->party = NULL;
	assert(party->count > 0);
	if (--party->count)
		return;
	map_remove(&seat->seats->parties, text_of(party->name));
	free(party);
}

static struct party *biggest_party(const struct seats *p)
{
	struct party *biggest = NULL;
	struct text name;
	void *value;

	for (size_t at = 0; map_next(&p->parties, &at, &name, &value);) {
		struct party *party = value;

		if (!biggest || party->count > biggest->count)
			biggest = party;
	}
	return biggest;
}

static bool evict(struct seats *p)
{
	struct party *party = biggest_party(p);
	struct seat *seat;

	if (!party)
		return false;
	seat = list_of(party->seats.next, struct seat, in_party);
	seats_note(p, EVICTED);
	p->evicted++;
	snprintf(p->worst, sizeof(p->worst), "%s", party->name);
	assert(seat->place == PLACE_UNKNOWN && seat->party == party);
	/* It counts no more, though it is closed only at the end of the turn. */
	input_forget(seat);
	assert(p->counts[PLACE_UNKNOWN] > 0);
	p->counts[PLACE_UNKNOWN]--;
	leave_party(seat);
	seat->place = PLACE_KINDS;
	conn_fail(seat->conn);
	return true;
}

/* ---- coming and going ---- */

bool seats_meet(struct seats *p, int fd, struct peer *peer)
{
	/* One that is gone again is no loss. */
	return peer_ask(&p->line, fd, peer) && seats_admit(p, peer);
}

bool seats_admit(struct seats *p, const struct peer *peer)
{
	while (!has_room(p, seats_place_of(p, peer)))
		if (!evict(p)) {
			seats_note(p, TURNED_AWAY);
			p->turned_away++;
			return false;
		}
	return true;
}

struct seat *seats_give(struct seats *p, struct conn *conn, const struct peer *peer)
{
	struct seat *seat = pool_take(&p->pool);

	seat->seats = p;
	seat->conn = conn;
	seat->peer = *peer;
	seat->place = seats_place_of(p, peer);
	list_init(&seat->in_ready);
	p->counts[seat->place]++;
	if (seat->place == PLACE_UNKNOWN)
		join_party(p, seat);
	return seat;
}

void seats_leave(struct seat *seat)
{
	if (!seat)
		return;
	input_forget(seat);
	list_remove(&seat->in_ready);
	if (seat->place < PLACE_KINDS)
		seat->seats->counts[seat->place]--;
	assert(!seat->input);
	leave_party(seat);
	pool_give(&seat->seats->pool, seat);
}

void seats_vouch(struct seat *seat)
{
	if (!seat || seat->place != PLACE_UNKNOWN)
		return;
	input_vouch(seat);
	leave_party(seat);
	assert(seat->seats->counts[PLACE_UNKNOWN] > 0);
	seat->seats->counts[PLACE_UNKNOWN]--;
	seat->seats->counts[PLACE_KNOWN]++;
	seat->place = PLACE_KNOWN;
}
