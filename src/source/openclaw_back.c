/* openclaw_back.c - what people say to a gateway: decisions, and stop.
 *
 * An approval that it asks for is a prompt with the gateway's own id.  Whoever decides
 * first, here or on a screen of the gateway's, the gateway tells everybody.  A run that
 * the gateway began itself can be stopped if we have heard its session.
 */
#include <stdlib.h>

#include "source/openclaw.h"

#define ID_MAX 128 /* of a run or an approval, and of a session */

/* ---- approvals ---- */

static bool is_decision(struct text json)
{
	return text_is(json, "\"allow-once\"") || text_is(json, "\"allow-always\"") ||
	       text_is(json, "\"deny\"");
}

/* Nothing is said for nobody: the gateway's own time runs out. */
bool openclaw_reply(void *self, const struct source_reply *reply, struct error *why)
{
	struct openclaw *o = self;
	bool is_plugin = text_starts(reply->id, TEXT("plugin:"));
	struct buf params;
	uint64_t sent;

	if (!is_decision(reply->value))
		return true;
	if (o->is_over || o->step != STEP_LIVE)
		return error_set(why, "the gateway is not connected");
	if (!(o->scopes & OPENCLAW_APPROVALS))
		return error_set(why, "the gateway did not grant operator.approvals");
	buf_init(&params, 16 * KIB);
	buf_add(&params, TEXT("{\"id\":"));
	buf_add_json(&params, reply->id);
	buf_add(&params, TEXT(",\"decision\":"));
	buf_add(&params, reply->value);
	buf_add_char(&params, '}');
	sent = openclaw_request(o, is_plugin ? "plugin.approval.resolve" : "exec.approval.resolve",
	                        buf_text(&params));
	buf_finish(&params);
	return sent || error_set(why, "it is more than the gateway takes now");
}

static void note_decision(struct openclaw *o, struct text event, yyjson_val *payload)
{
	if (text_is(event, "exec.approval.resolved") || text_is(event, "plugin.approval.resolved"))
		source_withdrew(o->source, json_text(yyjson_obj_get(payload, "id")),
		                "it was decided elsewhere");
}

/* ---- runs of its own ---- */

static struct openclaw_heard *find_heard(struct openclaw_memory *m, struct text run)
{
	for (size_t i = 0; i < m->heard_count && i < OPENCLAW_HEARD_MAX; i++)
		if (text_is(run, m->heard[i].run))
			return &m->heard[i];
	return NULL;
}

static bool is_one_of(struct text word, const char *const *words)
{
	while (*words && !text_is(word, *words))
		words++;
	return *words != NULL;
}

/* Told of an agent's life, or of what it says in a chat. */
static bool is_end(yyjson_val *payload)
{
	static const char *const phases[] = {"end", "completed", "done", "error", "failed", NULL};
	static const char *const states[] = {"final", "aborted", "error", NULL};
	yyjson_val *data = yyjson_obj_get(payload, "data");

	if (yyjson_equals_str(yyjson_obj_get(payload, "stream"), "lifecycle"))
		return is_one_of(json_text(yyjson_obj_get(data, "phase")), phases);
	return is_one_of(json_text(yyjson_obj_get(payload, "state")), states);
}

static void note_run(struct openclaw_memory *m, yyjson_val *payload)
{
	struct text run = json_text(yyjson_obj_get(payload, "runId"));
	struct text session = json_text(yyjson_obj_get(payload, "sessionKey"));
	struct openclaw_heard *slot = run.len ? find_heard(m, run) : NULL;

	if (slot && is_end(payload))
		slot->is_over = true;
	if (slot || !run.len || !session.len || run.len > ID_MAX || session.len > ID_MAX)
		return;
	slot = &m->heard[m->heard_count++ % OPENCLAW_HEARD_MAX];
	free(slot->run);
	free(slot->session);
	slot->run = text_dup(run);
	slot->session = text_dup(session);
	slot->is_over = is_end(payload);
}

void openclaw_note(struct openclaw *o, struct text event, yyjson_val *payload)
{
	note_decision(o, event, payload);
	note_run(o->memory, payload);
}

bool openclaw_abort(struct openclaw *o, struct text run, struct text session)
{
	struct buf params;
	uint64_t sent;

	buf_init(&params, 16 * KIB);
	buf_add(&params, TEXT("{\"sessionKey\":"));
	buf_add_json(&params, session);
	buf_add(&params, TEXT(",\"runId\":"));
	buf_add_json(&params, run);
	buf_add_char(&params, '}');
	sent = openclaw_request(o, "chat.abort", buf_text(&params));
	buf_finish(&params);
	return sent != 0;
}

bool openclaw_can_stop(const struct openclaw *o, struct text run)
{
	const struct openclaw_heard *heard = find_heard(o->memory, run);

	return heard && !heard->is_over && o->step == STEP_LIVE && !o->is_over &&
	       (o->scopes & OPENCLAW_WRITE);
}

/* Its end comes from the gateway. */
bool openclaw_stop_heard(struct openclaw *o, struct text run)
{
	return openclaw_can_stop(o, run) &&
	       openclaw_abort(o, run, text_of(find_heard(o->memory, run)->session));
}

void openclaw_forget_heard(struct openclaw_memory *m)
{
	for (size_t i = 0; i < OPENCLAW_HEARD_MAX; i++) {
		free(m->heard[i].run);
		free(m->heard[i].session);
	}
}
