/* inputs.c - one list for each share, and whose turn it is to go. */
#include "net/inputs.h"

#include <assert.h>
#include <stdio.h>

#include "base/log.h"
#include "net/conn.h"
#include "net/seats.h"

#define TELL_MS 1000

struct input {
	struct inputs *all;
	struct seat *seat;
	struct party *party; /* of the unknown */
	struct link in_list; /* inputs.lists[place] */
	size_t bytes;
	enum place place;
	struct deadline deadline;
	uint64_t due_ms;
	unsigned left_ms; /* while it is paused */
	bool timed, paused;
	bool last_call; /* its time is over: only what is here already is looked at */
};

static void log_untold(struct deadline *deadline)
{
	struct inputs *all = list_of(deadline, struct inputs, tell);

	if (all->untold)
		log_warn("net",
		         "unfinished messages cut off because all of them are too much "
		         "(%zu bytes): %u, the last of %s",
		         all->max, all->untold, all->worst);
	all->untold = 0;
}

void inputs_init(struct inputs *all, struct loop *loop)
{
	*all = (struct inputs){.loop = loop, .tell.fire = log_untold};
	for (int i = 0; i < PLACE_KINDS; i++)
		list_init(&all->lists[i]);
	pool_init(&all->pool, sizeof(struct input));
}

void inputs_finish(struct inputs *all)
{
	deadline_clear(&all->tell);
	log_untold(&all->tell);
	pool_finish(&all->pool);
}

void inputs_set_max(struct inputs *all, size_t max)
{
	all->max = max;
}

/* ---- its time ---- */

static void cut_off(struct input *input, enum conn_fault why)
{
	struct conn *conn = input->seat->conn;

	assert(input->seat->input == input);
	input_forget(input->seat);
	if (conn->closing || conn->broken)
		return;
	if (conn->user && conn->user->cut)
		conn->user->cut(conn, why);
	else
		conn_fail(conn);
}

/* A machine that slept, or was busy with others, has not read what came in time: that is
 * done once more before anybody is judged. */
static void on_due(struct deadline *deadline)
{
	struct input *input = list_of(deadline, struct input, deadline);

	assert(input->timed && !input->paused);
	if (!input->last_call) {
		input->last_call = true;
		deadline_set(input->all->loop, deadline, 0);
		return;
	}
	input->all->late++;
	cut_off(input, CONN_LATE);
}

static void run_clock(struct input *input, unsigned ms)
{
	input->due_ms = loop_now_ms(input->all->loop) + ms;
	input->last_call = false;
	deadline_set(input->all->loop, &input->deadline, ms);
}

void input_pause(struct seat *seat, bool pause)
{
	struct input *input = seat ? seat->input : NULL;
	uint64_t now;

	if (!input || !input->timed || input->paused == pause)
		return;
	input->paused = pause;
	if (!pause) {
		run_clock(input, input->left_ms);
		return;
	}
	now = loop_now_ms(input->all->loop);
	input->left_ms = input->due_ms > now ? (unsigned)(input->due_ms - now) : 0;
	deadline_clear(&input->deadline);
}

/* ---- the ceiling ---- */

/* The first place from which on there is more than may be; PLACE_KINDS: none. */
static enum place overfull(const struct inputs *all)
{
	size_t n = 0;
	enum place found = PLACE_KINDS;

	if (all->max == 0)
		return PLACE_KINDS;
	if (all->held[PLACE_UNKNOWN] > place_strangers(all->max))
		return PLACE_UNKNOWN;
	for (int i = PLACE_KINDS - 1; i >= 0; i--) {
		n += all->held[i];
		if (n > place_most(all->max, (enum place)i))
			found = (enum place)i;
	}
	return found;
}

static bool goes_before(const struct input *a, const struct input *b)
{
	size_t of_a = a->party ? a->party->held : 0, of_b = b->party ? b->party->held : 0;

	return of_a > of_b || (of_a == of_b && a->bytes > b->bytes);
}

/* It holds no less than what came just now, so that one is enough, or nearly. */
static struct input *victim(const struct inputs *all, enum place from)
{
	struct input *found = NULL;

	for (int i = PLACE_KINDS - 1; i >= (int)from && !found; i--)
		list_each(&all->lists[i], l) {
			struct input *input = list_of(l, struct input, in_list);

			if (input->bytes && (!found || goes_before(input, found)))
				found = input;
		}
	return found;
}

static void inputs_make_room(struct inputs *all)
{
	struct input *input;
	enum place place;

	while ((place = overfull(all)) < PLACE_KINDS && (input = victim(all, place))) {
		if (all->untold++ == 0)
			deadline_set(all->loop, &all->tell, TELL_MS);
		all->crowded++;
		peer_name(&input->seat->peer, all->worst);
		cut_off(input, CONN_CROWDED);
	}
}

/* ---- coming and going ---- */

static void inputs_count(struct input *input, size_t bytes)
{
	size_t *held = &input->all->held[input->place];

	assert(*held >= input->bytes);
	*held = *held - input->bytes + bytes;
	assert(!input->party || input->party->held >= input->bytes);
	if (input->party)
		input->party->held = input->party->held - input->bytes + bytes;
	input->bytes = bytes;
}

static struct input *inputs_begin(struct seat *seat, unsigned ms)
{
	struct inputs *all = &seat->seats->inputs;
	struct input *input = pool_take(&all->pool);

	assert(!seat->input && seat->place < PLACE_KINDS);
	input->all = all;
	input->seat = seat;
	input->place = seat->place;
	input->party = seat->party;
	input->deadline.fire = on_due;
	input->timed = ms != 0;
	input->paused = seat->conn->hushed;
	input->left_ms = ms;
	list_add(&all->lists[input->place], &input->in_list);
	if (input->timed && !input->paused)
		run_clock(input, ms);
	seat->input = input;
	return input;
}

void input_hold(struct conn *conn, size_t bytes, unsigned ms)
{
	struct seat *seat = conn->seat;
	struct input *input;

	/* One that was not accepted is our own doing, and one without a place leaves. */
	if (!seat || seat->place == PLACE_KINDS)
		return;
	input = seat->input ? seat->input : inputs_begin(seat, ms);
	if (bytes == input->bytes)
		return;
	inputs_count(input, bytes);
	inputs_make_room(input->all);
}

void input_forget(struct seat *seat)
{
	struct input *input = seat->input;

	if (!input)
		return;
	seat->input = NULL;
	inputs_count(input, 0);
	list_remove(&input->in_list);
	deadline_clear(&input->deadline);
	pool_give(&input->all->pool, input);
}

void input_end(struct conn *conn)
{
	if (conn->seat)
		input_forget(conn->seat);
}

void input_vouch(struct seat *seat)
{
	struct input *input = seat->input;
	size_t bytes = input ? input->bytes : 0;

	if (!input)
		return;
	inputs_count(input, 0);
	assert(input->bytes == 0);
	input->party = NULL;
	input->place = PLACE_KNOWN;
	list_remove(&input->in_list);
	list_add(&input->all->lists[PLACE_KNOWN], &input->in_list);
	inputs_count(input, bytes);
}
