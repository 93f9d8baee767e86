/* changed.c - which sessions changed, told to those who follow the list. */
#include "base/clock.h"
#include "base/put.h"
#include "crew/crew.h"
#include "gateway/follow.h"
#include "gateway/inside.h"
#include "gateway/keys.h"
#include "gateway/row.h"

#define CHANGED_MAX 32 /* that are told one by one; of more it is told that there are some */
#define CHANGE_MAX (256 * KIB)

static void begin_change(struct buf *out)
{
	buf_init(out, CHANGE_MAX);
	openclaw_wire_event(out, OPENCLAW_SESSIONS_CHANGED);
	put_object(out, "payload");
	put_i64(out, "ts", clock_wall_ms());
}

static void say_change(struct gateway *g, struct buf *out)
{
	put_end(out);
	put_end(out);
	if (!out->full)
		gateway_follow_say(g, TEXT(""), buf_text(out), true);
	buf_finish(out);
}

/* Whoever hears this looks at the list again. */
static void tell_any(struct gateway *g)
{
	struct buf out;

	begin_change(&out);
	put_word(&out, "reason", "update");
	say_change(g, &out);
}

void gateway_tell_session(struct gateway *g, const struct crew_member *m, const char *reason)
{
	const struct run *run = gateway_member_run(g, m);
	struct buf out, key;

	if (!run)
		return;
	buf_init(&key, 2 * KIB);
	gateway_key_of_run(g, run, &key);
	begin_change(&out);
	put_word(&out, "reason", reason);
	put_text(&out, "sessionKey", buf_text(&key));
	gateway_put_row_members(g, m, &out);
	put_key(&out, "session");
	gateway_put_row(g, m, &out);
	say_change(g, &out);
	buf_finish(&key);
}

/* No event says that a run is over before its own events do: those come from the runs. */
void gateway_tell_sessions(struct gateway *g)
{
	struct link *all = crew_all(g->options.crew), *l;
	uint64_t seq = crew_seq(g->options.crew), told = g->desk.told_seq;
	unsigned count = 0;

	g->desk.told_seq = seq;
	if (!gateway_follow_is_any(g))
		return;
	for (l = all->prev; l != all && count <= CHANGED_MAX; l = l->prev, count++)
		if (list_of(l, struct crew_member, in_all)->seq <= told)
			break;
	if (!count || count > CHANGED_MAX || runs_seq(g->options.runs) < seq) {
		tell_any(g);
		return;
	}
	for (l = all->prev; count > 0; count--, l = l->prev)
		gateway_tell_session(g, list_of(l, struct crew_member, in_all), "update");
}
