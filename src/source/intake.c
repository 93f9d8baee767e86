/* intake.c - from a source to the bus, a bounded piece a turn.
 *
 * Every signal costs its bytes and something besides.  In one turn of the loop a
 * source is taken up to its share, and all of them together up to a limit; what
 * comes beyond it waits in the source's backlog, in order, and is taken in the
 * next turns, a share of each source in turn.  A source with much in its backlog
 * is hushed if its transport can be; one whose backlog is full is lost, with words
 * that say so, and comes back later.  What it has said by then is taken all the
 * same: the end of a run may be among it.
 *
 * A source that is faster than limits.rate allows waits in the same way, for its second
 * instead of its turn, and is hushed at once: what is not read is not lost.
 */
#include "source/intake.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/must.h"
#include "bus/bus.h"
#include "source/inside.h"

#define INTAKE_SIGNAL 512             /* what a signal costs besides its bytes */
#define INTAKE_SHARE (256 * KIB)      /* of one source in a turn */
#define INTAKE_TURN (1 * MIB)         /* of all */
#define INTAKE_HUSH_AT (1 * MIB)      /* bytes of backlog */
#define INTAKE_COMPACT_AT (256 * KIB) /* bytes of it that are used up */

static void intake_admit(struct source *s, struct text envelope)
{
	struct bus_emit emit = {.raw = envelope,
	                        .from = bus_from(s->all->options.bus, text_of(s->id), true)};
	struct bus_verdict verdict;

	if (account_is_limited(s->account))
		account_charge(s->account, clock_mono_ns());
	emit.from.keeps_origin = s->transport && s->transport->keeps_origin;
	bus_admit(s->all->options.bus, &emit, &verdict);
	if (verdict.answer == BUS_FULL)
		s->counts.dropped++;
	if (verdict.answer != BUS_ACCEPTED)
		source_bad(s, verdict.why.words);
}

static bool intake_is_too_fast(const struct source *s)
{
	return account_is_limited(s->account) && account_wait(s->account, clock_mono_ns()) != 0;
}

static void spend(size_t *purse, size_t cost)
{
	*purse -= *purse < cost ? *purse : cost;
}

/* Admits it if there is something left to pay with; the last one may cost more. */
static bool afford(struct source *s, struct text envelope)
{
	struct sources *all = s->all;

	if (s->turn != all->turn) {
		s->turn = all->turn;
		s->share = INTAKE_SHARE;
	}
	if (s->share == 0 || all->left == 0 || intake_is_too_fast(s))
		return false;
	spend(&s->share, envelope.len + INTAKE_SIGNAL);
	spend(&all->left, envelope.len + INTAKE_SIGNAL);
	intake_admit(s, envelope);
	return true;
}

static void intake_hush(struct source *s, bool hush)
{
	if (s->is_hushed == hush || !s->line || !s->transport->hush)
		return;
	s->is_hushed = hush;
	s->transport->hush(s->line, hush);
}

/* ---- waiting ---- */

/* For the next turn, or until it may go on. */
static void wait_on(struct source *s)
{
	struct sources *all = s->all;

	if (!intake_is_too_fast(s)) {
		list_add(&all->waiting, &s->in_waiting);
		return;
	}
	all->options.accounts->counts.held += !s->is_held;
	s->is_held = true;
	list_add(&all->held, &s->in_waiting);
	deadline_set(all->options.loop, &all->ease, DEADLINE_TICK_MS);
}

static void ease(struct deadline *deadline)
{
	struct sources *all = list_of(deadline, struct sources, ease);

	list_each(&all->held, l) {
		struct source *s = list_of(l, struct source, in_waiting);

		if (intake_is_too_fast(s))
			continue;
		list_remove(&s->in_waiting);
		list_add(&all->waiting, &s->in_waiting);
	}
	if (!list_is_empty(&all->held))
		deadline_set(all->options.loop, deadline, DEADLINE_TICK_MS);
}

/* ---- the backlog: lengths and bytes, one after the other ---- */

static void intake_keep(struct source *s, struct text envelope)
{
	static const struct loss flood = {.why = "it sends more than can be taken"};
	uint32_t len = (uint32_t)envelope.len;

	if (s->backlog.len + sizeof(len) + envelope.len > s->backlog.max) {
		intake_flush(s);
		source_lost(s, &flood);
	}
	buf_add(&s->backlog, (struct text){(const char *)&len, sizeof(len)});
	buf_add(&s->backlog, envelope);
	if (list_is_empty(&s->in_waiting))
		wait_on(s);
	if (s->is_held || s->backlog.len - s->backlog_used > INTAKE_HUSH_AT)
		intake_hush(s, true);
}

static struct text first(const struct source *s)
{
	const char *at = s->backlog.at + s->backlog_used;
	uint32_t len;

	memcpy(&len, at, sizeof(len));
	return (struct text){at + sizeof(len), len};
}

static void drop_first(struct source *s, size_t len)
{
	s->backlog_used += sizeof(uint32_t) + len;
	if (s->backlog_used == s->backlog.len) {
		buf_finish(&s->backlog);
		s->backlog_used = 0;
	} else if (s->backlog_used > INTAKE_COMPACT_AT && s->backlog_used > s->backlog.len / 2) {
		buf_drop(&s->backlog, s->backlog_used);
		s->backlog_used = 0;
	}
}

void intake_take(struct source *s, struct text envelope)
{
	if (s->backlog.len || !afford(s, envelope))
		intake_keep(s, envelope);
}

static void catch_up(struct source *s)
{
	list_remove(&s->in_waiting);
	while (s->backlog.len) {
		struct text envelope = first(s);

		if (!afford(s, envelope)) {
			wait_on(s);
			return;
		}
		drop_first(s, envelope.len);
	}
	s->is_held = false;
	intake_hush(s, false);
}

void intake_flush(struct source *s)
{
	list_remove(&s->in_waiting);
	s->is_held = false;
	while (s->backlog.len) {
		struct text envelope = first(s);

		intake_admit(s, envelope);
		drop_first(s, envelope.len);
	}
}

static bool intake_end_turn(struct turn *turn)
{
	struct sources *all = list_of(turn, struct sources, intake);
	struct link *last = all->waiting.prev;

	all->turn++;
	all->left = INTAKE_TURN;
	while (!list_is_empty(&all->waiting) && all->left) {
		struct link *l = all->waiting.next;

		catch_up(list_of(l, struct source, in_waiting));
		if (l == last)
			break;
	}
	return !list_is_empty(&all->waiting);
}

void intake_join(struct source *s, struct text id)
{
	char *name = must_print("source %.*s", (int)id.len, id.at);

	s->account = account_open_named(s->all->options.accounts, name, clock_mono_ns());
	free(name);
}

void intake_part(struct source *s)
{
	intake_flush(s);
	account_close(s->account);
}

void intake_init(struct sources *all)
{
	list_init(&all->waiting);
	list_init(&all->held);
	all->ease.fire = ease;
	all->turn = 1;
	all->left = INTAKE_TURN;
	all->intake.end = intake_end_turn;
	loop_add_turn(all->options.loop, &all->intake);
}

void intake_finish(struct sources *all)
{
	loop_remove_turn(&all->intake);
	deadline_clear(&all->ease);
}
