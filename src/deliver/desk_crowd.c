/* desk_crowd.c - the places at the desk, and who has how many of them. */
#include "deliver/desk_crowd.h"

#include <stdlib.h>

#include "base/must.h"
#include "deliver/stages.h"

struct desk_crowd *desk_crowd_create(void)
{
	struct desk_crowd *c = must_zero(1, sizeof(*c));

	map_init(&c->told);
	c->seed = c->told.seed;
	return c;
}

static void forget_told(struct desk_crowd *c)
{
	struct text key;
	size_t at = 0;
	void *one;

	while (map_next(&c->told, &at, &key, &one))
		free(one);
	map_finish(&c->told);
	map_init(&c->told);
}

void desk_crowd_destroy(struct desk_crowd *c)
{
	if (!c)
		return;
	forget_told(c);
	map_finish(&c->told);
	free(c);
}

/* ---- seats ---- */

static void name_one(struct text account, char kind, struct text name, struct buf *out)
{
	buf_init(out, 2 * KIB);
	buf_add(out, account);
	buf_add_char(out, kind);
	buf_add(out, name);
}

static uint16_t *seat_of(const struct nexus *x, enum nexus_word word)
{
	struct desk_crowd *c = x->desk->crowd;
	struct buf name;
	uint64_t hash;

	name_one(nexus_word(&x->request, NEXUS_ACCOUNT), word == NEXUS_SENDER ? '\n' : '\t',
	         nexus_word(&x->request, word), &name);
	hash = map_hash(c->seed, buf_text(&name));
	buf_finish(&name);
	return &c->seats[hash % DESK_CROWD_SEATS];
}

void desk_crowd_join(const struct nexus *x)
{
	++*seat_of(x, NEXUS_SENDER);
	++*seat_of(x, NEXUS_PEER);
}

void desk_crowd_leave(const struct nexus *x)
{
	--*seat_of(x, NEXUS_SENDER);
	--*seat_of(x, NEXUS_PEER);
}

/* ---- who has how many ---- */

/* It is open itself by then. */
static bool has_many(const struct nexus *x, enum received_word word, struct text name,
                     unsigned many)
{
	struct text account = nexus_word(&x->request, NEXUS_ACCOUNT);
	unsigned count = 0;

	list_each(custody_requests(x->desk->options.custody), l) {
		const struct received *r = list_of(l, struct received, in_all);

		count += text_equal(received_word(r, word), name) &&
		         text_equal(received_word(r, RECEIVED_ACCOUNT), account);
		if (count > many)
			return true;
	}
	return false;
}

/* Who has sent too much can still end it. */
static unsigned most_of(const struct nexus *x)
{
	return stages_asks_to_stop(x) ? 2 * DESK_SENDER_MAX : DESK_SENDER_MAX;
}

static bool sends_much(const struct nexus *x)
{
	unsigned most = most_of(x);

	return *seat_of(x, NEXUS_SENDER) >= most &&
	       has_many(x, RECEIVED_SENDER, nexus_word(&x->request, NEXUS_SENDER), most);
}

static bool is_in_crowd(const struct nexus *x)
{
	return *seat_of(x, NEXUS_PEER) >= DESK_CHAT_MAX &&
	       has_many(x, RECEIVED_PEER, nexus_word(&x->request, NEXUS_PEER), DESK_CHAT_MAX);
}

bool desk_has_room(const struct desk *d, bool is_owner)
{
	size_t open = d->live_count + d->resting.count;

	return open < (is_owner ? DESK_LIVE_MAX - DESK_ROOM : DESK_LIVE_MAX);
}

const char *desk_crowd_excess(const struct nexus *x)
{
	if (x->request.is_owner)
		return NULL;
	if (sends_much(x))
		return "too many messages of theirs wait";
	if (stages_knows(x))
		return NULL;
	if (!stages_asks_to_stop(x) && is_in_crowd(x))
		return "too many messages of their chat wait";
	return desk_has_room(x->desk, true) ? NULL : "too many messages wait";
}

bool desk_crowd_tells(const struct nexus *x, int64_t now_ms)
{
	struct desk_crowd *c = x->desk->crowd;
	struct desk_rate *told;
	struct buf key;
	bool tells;

	name_one(nexus_word(&x->request, NEXUS_ACCOUNT), '\n',
	         nexus_word(&x->request, NEXUS_SENDER), &key);
	told = map_get(&c->told, buf_text(&key));
	tells = !told || now_ms - told->since_ms >= DESK_TOLD_MS;
	if (!told) {
		if (c->told.count >= DESK_TOLD_MAX)
			forget_told(c);
		told = must_zero(1, sizeof(*told));
		map_set(&c->told, buf_text(&key), told);
	}
	if (tells)
		told->since_ms = now_ms;
	buf_finish(&key);
	return tells;
}
