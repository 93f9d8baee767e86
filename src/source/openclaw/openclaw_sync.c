/* openclaw_sync.c - what is made up for when a connection is made.
 *
 * A gateway keeps no past of its events.  It is asked to tell of its sessions from now on;
 * those in which something happened while nobody was here, or is under way, are asked for
 * their transcripts, one after the other.  The parser tells what is new in them.  Whatever
 * else there was is one gap, and that is told.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/must.h"
#include "base/put.h"
#include "parse/parse.h"
#include "source/openclaw/openclaw_call.h"
#include "source/openclaw/openclaw_parts.h"

#define LIST_PARAMS "{\"limit\":100}"
#define TRANSCRIPT_LIMIT 50 /* messages; the newest */
#define SLACK_MS 60000      /* between what happened and what is written of it */

static void complain(struct openclaw *o, const char *of, yyjson_val *answer)
{
	struct text words = answer ? openclaw_refusal(answer) : TEXT("no answer");
	char remark[240];

	snprintf(remark, sizeof(remark), "the gateway gives no %s: %.*s", of,
	         words.len < 160 ? (int)words.len : 160, words.at);
	source_bad(o->source, remark);
}

/* ---- the end ---- */

static void openclaw_sync_tell_gap(struct openclaw *o)
{
	struct openclaw_memory *m = o->memory;
	struct source_gap gap = {
		.since_ms = m->lost_at_ms,
		.missed = o->missed,
		.why = o->missed ? "events of the gateway did not come"
	                         : "the connection was lost, and the gateway keeps no past",
	};

	if (m->lost_at_ms || o->missed)
		source_tell_gap(o->source, &gap);
	m->lost_at_ms = 0;
	o->missed = 0;
}

static void openclaw_sync_finish(struct openclaw *o)
{
	o->is_syncing = false;
	openclaw_end_cut_runs(o->memory, "the gateway was away, and does not go on with this run");
	openclaw_sync_tell_gap(o);
}

void openclaw_stop_sync(struct openclaw *o)
{
	while (o->session_count)
		free(o->sessions[--o->session_count]);
}

/* ---- transcripts ---- */

static void ask_next(struct openclaw *o);

static void take_transcript(struct openclaw *o, const struct openclaw_wait *wait,
                            yyjson_val *answer)
{
	if (o->is_over)
		return;
	if (openclaw_is_ok(answer)) {
		openclaw_go_on(o->memory, yyjson_obj_get(answer, "payload"));
		parse_message(o->memory->parse, o->message);
	} else {
		complain(o, "transcript", answer);
	}
	ask_next(o);
}

static bool ask_for(struct openclaw *o, const char *session)
{
	struct openclaw_asked asked = {.method = openclaw_method_name(METHOD_CHAT_HISTORY),
	                               .take = take_transcript};
	struct buf params;
	bool sent;

	buf_init(&params, 4 * KIB);
	put_object(&params, NULL);
	put_word(&params, "sessionKey", session);
	put_i64(&params, "limit", TRANSCRIPT_LIMIT);
	put_end(&params);
	asked.params = buf_text(&params);
	sent = openclaw_wait(o, &asked);
	buf_finish(&params);
	return sent;
}

static void ask_next(struct openclaw *o)
{
	bool sent = false;

	while (o->session_count && !sent) {
		char *session = o->sessions[--o->session_count];

		sent = ask_for(o, session);
		free(session);
	}
	if (!sent)
		openclaw_sync_finish(o);
}

/* ---- sessions ---- */

static void want(struct openclaw *o, struct text session)
{
	for (size_t i = 0; i < o->session_count; i++)
		if (text_is(session, o->sessions[i]))
			return;
	if (session.len && session.len <= OPENCLAW_ID_MAX &&
	    o->session_count < OPENCLAW_SESSIONS_MAX)
		o->sessions[o->session_count++] = text_dup(session);
	assert(o->session_count <= OPENCLAW_SESSIONS_MAX);
}

static void want_run(void *self, struct text session)
{
	want(self, session);
}

static double newest_of(yyjson_val *row)
{
	static const char *const names[] = {"updatedAt", "lastActivityAt", "lastInteractionAt"};
	double newest = 0, at_ms;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (json_number(yyjson_obj_get(row, names[i]), &at_ms) && at_ms > newest)
			newest = at_ms;
	return newest;
}

/* By the gateway's clock. */
static double since_when(const struct openclaw *o, yyjson_val *list)
{
	int64_t lost_ms = o->memory->lost_at_ms;
	double now_ms = 0;

	json_number(yyjson_obj_get(list, "ts"), &now_ms);
	return now_ms - SLACK_MS - (lost_ms ? (double)(clock_wall_ms() - lost_ms) : 0);
}

static void openclaw_sync_choose(struct openclaw *o, yyjson_val *list)
{
	bool is_first = !o->memory->lost_at_ms && !o->missed;
	double since_ms = since_when(o, list);
	yyjson_arr_iter each = yyjson_arr_iter_with(yyjson_obj_get(list, "sessions"));
	yyjson_val *row;

	openclaw_each_session(o->memory, want_run, o);
	while ((row = yyjson_arr_iter_next(&each)))
		if (yyjson_is_true(yyjson_obj_get(row, "hasActiveRun")) ||
		    (!is_first && newest_of(row) >= since_ms))
			want(o, json_text(yyjson_obj_get(row, "key")));
}

static void take_sessions(struct openclaw *o, const struct openclaw_wait *wait, yyjson_val *answer)
{
	yyjson_val *list = yyjson_obj_get(yyjson_obj_get(answer, "payload"), "list");

	if (o->is_over)
		return;
	if (openclaw_is_ok(answer))
		openclaw_sync_choose(o, list);
	else
		complain(o, "sessions", answer);
	if (!openclaw_has(o, METHOD_CHAT_HISTORY))
		openclaw_stop_sync(o);
	ask_next(o);
}

/* ---- the beginning ---- */

static void follow_sessions(struct openclaw *o)
{
	struct openclaw_asked asked = {.method = openclaw_method_name(METHOD_SESSIONS_SUBSCRIBE),
	                               .params = TEXT(LIST_PARAMS),
	                               .take = take_sessions};

	o->is_syncing = true;
	if (!(o->scopes & OPERATOR_READ) || !openclaw_has(o, METHOD_SESSIONS_SUBSCRIBE) ||
	    !openclaw_wait(o, &asked))
		openclaw_sync_finish(o);
}

void openclaw_sync(struct openclaw *o)
{
	openclaw_list_approvals(o);
	openclaw_list_questions(o);
	follow_sessions(o);
}

/* More that is missed while it is at it is told with the rest. */
void openclaw_sync_gap(struct openclaw *o, uint64_t missed)
{
	o->missed += missed;
	if (!o->is_syncing)
		follow_sessions(o);
}
