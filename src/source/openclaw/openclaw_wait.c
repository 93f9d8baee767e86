/* openclaw_wait.c - requests to a gateway whose answers somebody waits for.
 *
 * Answers come in any order.  Each wait has its end: an answer, or none.
 */
#include <assert.h>
#include <stdlib.h>

#include "base/must.h"
#include "source/openclaw/openclaw_parts.h"

bool openclaw_is_ok(yyjson_val *answer)
{
	return yyjson_get_bool(yyjson_obj_get(answer, "ok"));
}

static void end_wait(struct openclaw_wait *wait, yyjson_val *answer)
{
	struct openclaw *o = wait->line;

	list_remove(&wait->in_line);
	assert(o->wait_count > 0);
	o->wait_count--;
	deadline_clear(&wait->late);
	wait->take(o, wait, answer);
	free(wait->what);
	free(wait);
}

static void openclaw_wait_is_late(struct deadline *deadline)
{
	end_wait(list_of(deadline, struct openclaw_wait, late), NULL);
}

bool openclaw_wait(struct openclaw *o, const struct openclaw_asked *asked)
{
	struct openclaw_wait *wait;
	uint64_t id;

	if (o->wait_count >= OPENCLAW_WAITS_MAX)
		return false;
	id = openclaw_request(o, asked->method, asked->params);
	if (!id)
		return false;
	wait = must_zero(1, sizeof(*wait));
	wait->line = o;
	wait->id = id;
	wait->take = asked->take;
	wait->token = asked->token;
	wait->what = asked->what.len ? text_dup(asked->what) : NULL;
	wait->late.fire = openclaw_wait_is_late;
	deadline_set(source_loop(o->source), &wait->late, OPENCLAW_REQUEST_MS);
	list_add(&o->waits, &wait->in_line);
	assert(o->wait_count < OPENCLAW_WAITS_MAX);
	o->wait_count++;
	return true;
}

bool openclaw_answered(struct openclaw *o, uint64_t id, yyjson_val *answer)
{
	list_each(&o->waits, l) {
		struct openclaw_wait *wait = list_of(l, struct openclaw_wait, in_line);

		if (wait->id != id)
			continue;
		end_wait(wait, answer);
		return true;
	}
	return false;
}

void openclaw_drop_waits(struct openclaw *o)
{
	while (!list_is_empty(&o->waits))
		end_wait(list_of(o->waits.next, struct openclaw_wait, in_line), NULL);
}
