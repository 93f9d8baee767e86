/* openclaw_back.c - what people say to a gateway: decisions, and stop.
 *
 * An approval that it asks for is a prompt with the gateway's own id.  Whoever decides
 * first, here or on a screen of the gateway's, the gateway tells everybody.  A run that
 * the gateway began itself can be stopped if we have heard its session.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/must.h"
#include "base/put.h"
#include "parse/parse.h"
#include "source/openclaw/openclaw_call.h"
#include "source/openclaw/openclaw_parts.h"

/* ---- approvals ---- */

static const char *const decisions[] = {"", "allow-once", "allow-always", "deny"};
#define DECISIONS (sizeof(decisions) / sizeof(*decisions))

/* Its place among them; 0: it is none. */
static size_t decision_of(struct text json)
{
	struct text word =
		json.len > 1 ? (struct text){json.at + 1, json.len - 2} : (struct text){NULL, 0};
	size_t i = DECISIONS - 1;

	while (i && !text_is(word, decisions[i]))
		i--;
	return i;
}

static const struct openclaw_approval *find_approval(const struct openclaw *o, struct text id)
{
	for (size_t i = 0; i < o->approval_count && i < OPENCLAW_APPROVALS_MAX; i++)
		if (text_is(id, o->approvals[i].id))
			return &o->approvals[i];
	return NULL;
}

static void note_approval(struct openclaw *o, struct text id, bool is_decided, const char *sent)
{
	const struct openclaw_approval *known = find_approval(o, id);
	struct openclaw_approval *slot;

	if (!id.len || id.len > OPENCLAW_ID_MAX)
		return;
	slot = &o->approvals[known ? (size_t)(known - o->approvals)
	                           : o->approval_count++ % OPENCLAW_APPROVALS_MAX];
	memcpy(slot->id, id.at, id.len);
	slot->id[id.len] = '\0';
	slot->is_decided = is_decided;
	snprintf(slot->sent, sizeof(slot->sent), "%s", sent);
}

bool openclaw_is_decided(const struct openclaw *o, struct text id)
{
	const struct openclaw_approval *known = find_approval(o, id);

	return known && known->is_decided;
}

void openclaw_note_decided(struct openclaw *o, struct text id)
{
	note_approval(o, id, true, "");
}

static bool is_plugins(struct text id)
{
	return text_starts(id, TEXT("plugin:"));
}

/* ---- decisions ---- */

static void ask_list(struct openclaw *o, bool of_plugins);

/* What the gateway refused, it still wants to know, if it lists it still. */
static void take_verdict(struct openclaw *o, const struct openclaw_wait *wait, yyjson_val *answer)
{
	struct text id = text_of(wait->what), words;
	char remark[240];

	if (openclaw_is_ok(answer))
		source_decided(o->source, &(struct source_decision){
						  .id = id, .decision = decisions[wait->token]});
	if (!answer || openclaw_is_ok(answer))
		return;
	words = openclaw_refusal(answer);
	snprintf(remark, sizeof(remark), "The gateway did not take that decision: %.*s",
	         words.len < 160 ? (int)words.len : 160, words.at);
	source_bad(o->source, remark);
	free(o->note);
	o->note = must_dup(remark);
	memcpy(o->note_id, id.at, id.len);
	o->note_id[id.len] = '\0';
	note_approval(o, id, false, "");
	ask_list(o, is_plugins(id));
}

/* Nothing is said for nobody: the gateway's own time runs out. */
bool openclaw_reply(void *self, const struct back_outcome *reply, struct error *why)
{
	struct openclaw *o = self;
	struct openclaw_asked asked = {
		.what = reply->id, .take = take_verdict, .token = decision_of(reply->value)};
	struct buf params;
	bool sent;

	if (openclaw_is_question(reply->id))
		return openclaw_answer(o, reply, why);
	if (!asked.token || !reply->id.len || reply->id.len > OPENCLAW_ID_MAX)
		return true;
	if (o->is_over || o->step != STEP_LIVE)
		return error_set(why, "the gateway is not connected");
	if (!(o->scopes & OPERATOR_APPROVALS))
		return error_set(why, "the gateway did not grant operator.approvals");
	asked.method = openclaw_method_name(is_plugins(reply->id) ? METHOD_PLUGIN_APPROVAL_RESOLVE
	                                                          : METHOD_EXEC_APPROVAL_RESOLVE);
	buf_init(&params, 16 * KIB);
	put_object(&params, NULL);
	put_text(&params, "id", reply->id);
	put_json(&params, "decision", reply->value);
	buf_add_char(&params, '}');
	asked.params = buf_text(&params);
	sent = openclaw_wait(o, &asked);
	buf_finish(&params);
	if (sent)
		note_approval(o, reply->id, true, decisions[asked.token]);
	return sent || error_set(why, "it is more than the gateway takes now");
}

/* What was sent from here and is now so was decided here. */
static void tell_decision(struct openclaw *o, struct text id, yyjson_val *payload)
{
	const struct openclaw_approval *known = find_approval(o, id);
	struct text word = json_text(yyjson_obj_get(payload, "decision"));
	struct text by = json_text(yyjson_obj_get(payload, "resolvedBy"));
	char decision[64];

	if (!word.len) {
		source_withdrew(o->source, id, "the gateway does not ask for it any more");
		return;
	}
	snprintf(decision, sizeof(decision), "%.*s", word.len < 60 ? (int)word.len : 60, word.at);
	source_decided(o->source, &(struct source_decision){
					  .id = id,
					  .by = by,
					  .is_elsewhere = !known || !text_is(word, known->sent),
					  .decision = decision,
				  });
}

static void note_decision(struct openclaw *o, enum openclaw_event event, yyjson_val *payload)
{
	struct text id = json_text(yyjson_obj_get(payload, "id"));

	if (event == OPENCLAW_EXEC_REQUESTED || event == OPENCLAW_PLUGIN_REQUESTED)
		note_approval(o, id, false, "");
	if (event != OPENCLAW_EXEC_RESOLVED && event != OPENCLAW_PLUGIN_RESOLVED)
		return;
	tell_decision(o, id, payload);
	note_approval(o, id, true, "");
}

/* ---- the list of those that are open ---- */

/* Those that a screen of ours shows now. */
struct shown_approvals {
	struct text ids[OPENCLAW_APPROVALS_MAX];
	size_t count;
	bool of_plugins;
};

static void keep_shown(void *of, struct text id)
{
	struct shown_approvals *shown = of;

	if (is_plugins(id) == shown->of_plugins && !openclaw_is_question(id) &&
	    shown->count < OPENCLAW_APPROVALS_MAX)
		shown->ids[shown->count++] = (struct text){text_dup(id), id.len};
}

static void forget_shown(struct shown_approvals *shown)
{
	for (size_t i = 0; i < shown->count; i++)
		free((char *)shown->ids[i].at);
}

static bool openclaw_back_is_shown(const struct shown_approvals *shown, struct text id)
{
	for (size_t i = 0; i < shown->count; i++)
		if (text_equal(shown->ids[i], id))
			return true;
	return false;
}

/* As if the gateway asked now. */
static void ask_people(struct openclaw *o, yyjson_val *approval, const char *note)
{
	struct text id = json_text(yyjson_obj_get(approval, "id"));
	struct buf frame;

	buf_init(&frame, OPENCLAW_FRAME_MAX);
	openclaw_wire_event(&frame,
	                    is_plugins(id) ? OPENCLAW_PLUGIN_REQUESTED : OPENCLAW_EXEC_REQUESTED);
	put_key(&frame, "payload");
	if (!json_add(&frame, approval))
		frame.full = true;
	if (note && !frame.full) {
		frame.len--; /* its brace */
		put_word(&frame, "note", note);
		buf_add_char(&frame, '}');
	}
	buf_add_char(&frame, '}');
	if (!frame.full)
		parse_message(o->memory->parse, buf_text(&frame));
	buf_finish(&frame);
}

static void take_listed(struct openclaw *o, const struct shown_approvals *shown,
                        yyjson_val *approval)
{
	struct text id = json_text(yyjson_obj_get(approval, "id"));
	const struct openclaw_approval *heard = find_approval(o, id);
	bool is_noted = o->note && text_is(id, o->note_id);

	if (!id.len || (heard && heard->is_decided) ||
	    (openclaw_back_is_shown(shown, id) && !is_noted))
		return;
	ask_people(o, approval, is_noted ? o->note : NULL);
	note_approval(o, id, false, "");
	if (is_noted)
		o->note_id[0] = '\0';
}

static bool is_listed(yyjson_val *list, struct text id)
{
	yyjson_arr_iter each = yyjson_arr_iter_with(list);
	yyjson_val *one;

	while ((one = yyjson_arr_iter_next(&each)))
		if (text_equal(json_text(yyjson_obj_get(one, "id")), id))
			return true;
	return false;
}

/* Of what was asked since the list was made it says nothing. */
static void withdraw_gone(struct openclaw *o, const struct shown_approvals *shown, yyjson_val *list)
{
	for (size_t i = 0; i < shown->count; i++)
		if (!is_listed(list, shown->ids[i]) && !find_approval(o, shown->ids[i]))
			source_withdrew(o->source, shown->ids[i],
			                "the gateway does not ask for it any more");
}

static void take_list(struct openclaw *o, const struct openclaw_wait *wait, yyjson_val *answer)
{
	yyjson_val *list = yyjson_obj_get(answer, "payload");
	struct shown_approvals shown = {.of_plugins = wait->token};
	yyjson_arr_iter each = yyjson_arr_iter_with(list);
	yyjson_val *one;

	if (!openclaw_is_ok(answer) || !yyjson_is_arr(list)) {
		if (answer)
			source_bad(o->source, "the gateway does not list its open approvals");
		return;
	}
	source_each_prompt(o->source, keep_shown, &shown);
	while ((one = yyjson_arr_iter_next(&each)))
		take_listed(o, &shown, one);
	withdraw_gone(o, &shown, list);
	forget_shown(&shown);
}

static void ask_list(struct openclaw *o, bool of_plugins)
{
	enum openclaw_method method =
		of_plugins ? METHOD_PLUGIN_APPROVAL_LIST : METHOD_EXEC_APPROVAL_LIST;
	struct openclaw_asked asked = {
		.method = openclaw_method_name(method),
		.params = TEXT("{}"),
		.token = of_plugins,
		.take = take_list,
	};

	if (openclaw_has(o, method))
		openclaw_wait(o, &asked);
}

static void withdraw_all(struct openclaw *o, bool of_plugins)
{
	struct shown_approvals shown = {.of_plugins = of_plugins};

	source_each_prompt(o->source, keep_shown, &shown);
	for (size_t i = 0; i < shown.count; i++)
		source_withdrew(o->source, shown.ids[i],
		                "the gateway did not grant operator.approvals");
	forget_shown(&shown);
}

/* What was decided while nobody was connected is said first. */
void openclaw_list_approvals(struct openclaw *o)
{
	bool may_decide = o->scopes & OPERATOR_APPROVALS;

	if (may_decide)
		source_asks_again(o->source, TEXT(""));
	for (int of_plugins = 0; of_plugins < 2; of_plugins++)
		if (may_decide)
			ask_list(o, of_plugins);
		else
			withdraw_all(o, of_plugins);
}

/* ---- runs of its own ---- */

static struct openclaw_heard *find_heard(struct openclaw_memory *m, struct text run)
{
	for (size_t i = 0; i < m->heard_count && i < OPENCLAW_HEARD_MAX; i++)
		if (text_is(run, m->heard[i].run))
			return &m->heard[i];
	return NULL;
}

void openclaw_is_over(struct openclaw_memory *m, struct text run)
{
	struct openclaw_heard *heard = find_heard(m, run);

	if (heard)
		heard->is_over = true;
}

static bool openclaw_back_is_one_of(struct text word, const char *const *words)
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
		return openclaw_back_is_one_of(json_text(yyjson_obj_get(data, "phase")), phases);
	return openclaw_back_is_one_of(json_text(yyjson_obj_get(payload, "state")), states);
}

void openclaw_hear_of(struct openclaw_memory *m, struct text run, struct text session)
{
	struct openclaw_heard *slot = run.len ? find_heard(m, run) : NULL;

	if (slot || !run.len || !session.len || run.len > OPENCLAW_ID_MAX ||
	    session.len > OPENCLAW_ID_MAX)
		return;
	slot = &m->heard[m->heard_count++ % OPENCLAW_HEARD_MAX];
	free(slot->run);
	free(slot->session);
	slot->run = text_dup(run);
	slot->session = text_dup(session);
	slot->is_over = false;
}

static void note_run(struct openclaw_memory *m, yyjson_val *payload)
{
	struct text run = json_text(yyjson_obj_get(payload, "runId"));

	openclaw_hear_of(m, run, json_text(yyjson_obj_get(payload, "sessionKey")));
	if (run.len && is_end(payload))
		openclaw_is_over(m, run);
}

void openclaw_note(struct openclaw *o, enum openclaw_event event, yyjson_val *payload)
{
	note_decision(o, event, payload);
	note_run(o->memory, payload);
}

bool openclaw_abort(struct openclaw *o, struct text run, struct text session, uint64_t ticket)
{
	struct openclaw_asked asked = {.method = openclaw_method_name(METHOD_CHAT_ABORT),
	                               .what = run,
	                               .token = ticket,
	                               .take = openclaw_stop_answered};
	struct buf params;
	bool sent;

	buf_init(&params, 16 * KIB);
	put_object(&params, NULL);
	put_text(&params, "sessionKey", session);
	put_text(&params, "runId", run);
	buf_add_char(&params, '}');
	asked.params = buf_text(&params);
	sent = openclaw_wait(o, &asked);
	buf_finish(&params);
	return sent;
}

bool openclaw_can_stop(const struct openclaw *o, struct text run)
{
	const struct openclaw_heard *heard = find_heard(o->memory, run);

	return heard && !heard->is_over && o->step == STEP_LIVE && !o->is_over &&
	       (o->scopes & OPERATOR_WRITE);
}

/* Its end comes from the gateway. */
bool openclaw_stop_heard(struct openclaw *o, const struct back_control *control)
{
	const struct openclaw_heard *heard = find_heard(o->memory, control->run);

	return openclaw_can_stop(o, control->run) &&
	       openclaw_abort(o, control->run, text_of(heard->session), control->ticket);
}

void openclaw_forget_heard(struct openclaw_memory *m)
{
	for (size_t i = 0; i < OPENCLAW_HEARD_MAX; i++) {
		free(m->heard[i].run);
		free(m->heard[i].session);
	}
}
