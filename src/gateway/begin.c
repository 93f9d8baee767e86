/* begin.c - sessions that clients begin, begin anew and change.
 *
 * A session exists once a signal tells of it: the box says one, so that it stays.
 */
#include "base/clock.h"
#include "base/put.h"
#include "base/random.h"
#include "bus/bus.h"
#include "crew/crew.h"
#include "gateway/asking.h"
#include "gateway/begun.h"
#include "gateway/follow.h"
#include "gateway/inside.h"
#include "gateway/keys.h"
#include "gateway/methods.h"
#include "gateway/row.h"
#include "gateway/wishes.h"
#include "hub/hub.h"
#include "hub/person.h"
#include "run/sessions.h"

#define BEGIN_MAX (64 * KIB)

/* ---- saying that there is one ---- */

static bool tell_session(const struct gateway_call *call, const struct gateway_place *place,
                         struct text name, const char *run, struct error *why)
{
	struct bus *bus = client_options(call->view->client)->bus;
	struct bus_emit e = {.from = bus_from(bus, buf_text(&place->source), true),
	                     .durable = true};
	struct bus_verdict verdict = {.answer = BUS_REFUSED};
	struct buf out;

	buf_init(&out, BEGIN_MAX);
	put_object(&out, NULL);
	put_word(&out, "type", "session.facts");
	put_text(&out, "source", buf_text(&place->source));
	put_word(&out, "correlationId", run);
	put_object(&out, "metadata");
	put_text(&out, "sourceId", buf_text(&place->source));
	put_text(&out, "session", name);
	put_end(&out);
	put_object(&out, "payload");
	put_word(&out, "status", "idle");
	put_end(&out);
	put_end(&out);
	e.raw = buf_text(&out);
	bus_admit(bus, &e, &verdict);
	buf_finish(&out);
	return verdict.answer == BUS_ACCEPTED || error_set(why, "%s", verdict.why.words);
}

/* An event of its own: the crew has not heard of it yet. */
static void tell_begun(const struct gateway_call *call, struct text key, const char *id,
                       const char *reason)
{
	struct buf out;

	buf_init(&out, BEGIN_MAX);
	openclaw_wire_event(&out, OPENCLAW_SESSIONS_CHANGED);
	put_object(&out, "payload");
	put_text(&out, "sessionKey", key);
	put_text(&out, "agentId", gateway_key_agent(key));
	put_word(&out, "reason", reason);
	put_word(&out, "sessionId", id);
	put_i64(&out, "updatedAt", clock_wall_ms());
	put_i64(&out, "ts", clock_wall_ms());
	put_bool(&out, "hasActiveRun", false);
	put_list(&out, "activeRunIds");
	put_list_end(&out);
	put_end(&out);
	put_end(&out);
	gateway_follow_say(call->gateway, TEXT(""), buf_text(&out), true);
	buf_finish(&out);
}

static void put_entry(struct buf *out, const struct gateway *g, struct text key, const char *id)
{
	put_object(out, "entry");
	put_word(out, "sessionId", id);
	put_i64(out, "updatedAt", clock_wall_ms());
	gateway_put_wishes(g, key, out);
	put_end(out);
}

/* ---- sessions.reset ---- */

static const char *why_no_reset(const struct gateway_place *place, const struct crew_member *m,
                                struct text expected)
{
	if (expected.len && (!m || !text_is(expected, m->id)))
		return "the session has changed: look at it again";
	if (place->session && gateway_key_agent(text_of(place->session->key)).len)
		return "the session is another gateway's: it begins anew there";
	if (!place->source.len || place->run)
		return "nobody can be asked here: the session cannot begin anew";
	return NULL;
}

static void refuse_reset(const struct gateway_call *call, const char *words, bool has_changed)
{
	struct gateway_fault fault = {FAULT_INVALID_REQUEST, words};
	struct buf details;

	buf_init(&details, KIB);
	if (has_changed) {
		put_object(&details, NULL);
		put_word(&details, "reason", "session-changed");
		put_end(&details);
		fault.details = buf_text(&details);
	}
	gateway_refuse(call, &fault);
	buf_finish(&details);
}

/* Whoever is at work in it is stopped.  The next conversation has the same key, and another name
 * for the source that is asked. */
static void begin_anew(const struct gateway_call *call, const struct gateway_place *place)
{
	bool is_new = text_is(json_text_at(call->params, "reason"), "new");
	struct text key = buf_text(&place->key);
	char id[GATEWAY_ID] = "";
	uint64_t generation;
	struct buf out, name;
	struct error why;

	buf_init(&out, BEGIN_MAX);
	buf_init(&name, KIB);
	gateway_stop_runs(call, place);
	gateway_queue_drop(call->gateway, key, TEXT(""), &out);
	buf_clear(&out);
	random_uuid(id);
	generation = gateway_next_name(call->gateway, place, &name);
	if (!tell_session(call, place, buf_text(&name), id, &why)) {
		gateway_refuse(call, &(struct gateway_fault){FAULT_UNAVAILABLE, why.words,
		                                             .retryable = true});
	} else {
		gateway_note_generation(call->gateway, key, generation);
		gateway_note_begun(call->gateway, key, id);
		put_object(&out, NULL);
		put_bool(&out, "ok", true);
		put_text(&out, "key", key);
		put_entry(&out, call->gateway, key, id);
		put_end(&out);
		gateway_answer_buf(call, &out);
		tell_begun(call, key, id, is_new ? "new" : "reset");
	}
	buf_finish(&name);
	buf_finish(&out);
}

void gateway_sessions_reset(const struct gateway_call *call)
{
	struct text expected = json_text_at(call->params, "expectedSessionId");
	const struct crew_member *m;
	struct gateway_place place;
	const char *fault;

	gateway_find_place(call->gateway, json_text_at(call->params, "key"),
	                   json_text_at(call->params, "agentId"), &place);
	m = gateway_place_member(call->gateway, &place);
	fault = why_no_reset(&place, m, expected);
	if (fault)
		refuse_reset(call, fault, expected.len && (!m || !text_is(expected, m->id)));
	else
		begin_anew(call, &place);
	gateway_place_finish(&place);
}

/* ---- sessions.create ---- */

struct creating {
	const struct gateway_call *call;
	const struct gateway_place *place;
	const char *id; /* of the session */
	struct text message;
	char made[GATEWAY_ID]; /* the id of a new one */
};

static const char *why_not_made(const struct gateway_call *call)
{
	static const char *const strange[] = {"worktree", "incognito", "fork"};
	static const char *const more[] = {"cwd",           "execNode",       "projectId",
	                                   "projectGitUrl", "repository",     "catalogId",
	                                   "worktreeName",  "agentRuntime",   "contextWindow",
	                                   "thinkingLevel", "permissionMode", "toolOverrides"};

	if (yyjson_arr_size(yyjson_obj_get(call->params, "attachments")))
		return "attachments are not passed on";
	for (size_t i = 0; i < sizeof(strange) / sizeof(*strange); i++)
		if (yyjson_is_true(yyjson_obj_get(call->params, strange[i])))
			return "a session of this box has no folder, fork or secrecy of its own";
	for (size_t i = 0; i < sizeof(more) / sizeof(*more); i++)
		if (yyjson_obj_get(call->params, more[i]))
			return "a session here has a key, an agent, a label and a model alone";
	return NULL;
}

/* What was asked along with it. */
static void put_first_ask(const struct creating *c, struct buf *out)
{
	struct text id = json_text_at(c->call->params, "idempotencyKey");
	char made[GATEWAY_ID] = "";
	struct gateway_wish wish = {.message = c->message};
	enum back_answer answer;
	struct error why;

	random_uuid(made);
	wish.id = id.len ? id : text_of(made);
	wish.model = gateway_wished_model(c->call->gateway, buf_text(&c->place->key));
	answer = gateway_sent_status(c->call->gateway, wish.id)
	                 ? BACK_DONE
	                 : gateway_ask(c->call, c->place, &wish, &why);
	put_bool(out, "runStarted", answer == BACK_DONE);
	if (answer == BACK_DONE) {
		put_text(out, "runId", wish.id);
		return;
	}
	put_object(out, "runError");
	put_word(out, "code", openclaw_code_name(FAULT_INVALID_REQUEST));
	put_word(out, "message", why.words);
	put_end(out);
}

static void answer_created(const struct creating *c)
{
	struct text key = buf_text(&c->place->key);
	struct buf out;

	buf_init(&out, BEGIN_MAX);
	put_object(&out, NULL);
	put_bool(&out, "ok", true);
	put_text(&out, "key", key);
	put_word(&out, "sessionId", c->id);
	put_entry(&out, c->call->gateway, key, c->id);
	if (text_trim(c->message).len)
		put_first_ask(c, &out);
	else
		put_bool(&out, "runStarted", false);
	put_end(&out);
	gateway_answer_buf(c->call, &out);
	buf_finish(&out);
}

static bool name_session(const struct gateway_call *call, const char *run, struct error *why)
{
	struct bus *bus = client_options(call->view->client)->bus;
	struct text label = json_text_at(call->params, "label");
	struct back_who who = client_who(call->view->client, TEXT("gateway"));

	if (!label.len)
		label = json_text_at(call->params, "displayName");
	return !label.len || crew_name_run(bus, text_of(run), label, &who, why);
}

/* The same key may be sent with a message, and is then a run. */
static void put_own_key(struct buf *out, struct text id)
{
	buf_init(out, 4 * KIB);
	buf_add(out, TEXT("create:"));
	buf_add(out, id);
}

static void note_created(const struct creating *c)
{
	struct text id = json_text_at(c->call->params, "idempotencyKey");
	struct gateway *g = c->call->gateway;
	struct buf own;

	gateway_note_begun(g, buf_text(&c->place->key), c->made);
	put_own_key(&own, id);
	if (id.len && !own.full)
		gateway_note_done(g, buf_text(&own), buf_text(&c->place->key));
	buf_finish(&own);
}

static void create(struct creating *c)
{
	const struct gateway_call *call = c->call;
	const struct crew_member *m = gateway_place_member(call->gateway, c->place);
	yyjson_val *model = yyjson_obj_get(call->params, "model");
	struct error why = {"there is no such agent"};
	bool is_new;

	if (!c->place->source.len) {
		gateway_refuse_words(call, why.words);
		return;
	}
	if (!gateway_can_wish_model(call, c->place, model, &why)) {
		gateway_refuse_words(call, why.words);
		return;
	}
	random_uuid(c->made);
	c->id = m ? m->id : gateway_begun_id(call->gateway, buf_text(&c->place->key));
	is_new = !c->id;
	if (is_new)
		c->id = c->made;
	if (is_new && (!tell_session(call, c->place, buf_text(&c->place->name), c->made, &why) ||
	               !name_session(call, c->made, &why))) {
		gateway_refuse(call, &(struct gateway_fault){FAULT_UNAVAILABLE, why.words,
		                                             .retryable = true});
		return;
	}
	if (is_new)
		note_created(c);
	gateway_wish_model(call, c->place, model);
	answer_created(c);
	if (is_new && call->view->client->state != CLIENT_CLOSING)
		tell_begun(call, buf_text(&c->place->key), c->made, "create");
}

/* Who asks once more means the session that it began. */
static void make_key(const struct gateway_call *call, struct buf *key)
{
	struct text id = json_text_at(call->params, "idempotencyKey");
	char made[GATEWAY_ID] = "";
	bool is_known;
	struct buf own;

	put_own_key(&own, id);
	is_known = id.len && (gateway_sent_key(call->gateway, buf_text(&own), key) ||
	                      gateway_sent_key(call->gateway, id, key));
	buf_finish(&own);
	if (is_known)
		return;
	random_uuid(made);
	buf_add(key, text_of(made));
}

void gateway_sessions_create(const struct gateway_call *call)
{
	struct text key = json_text_at(call->params, "key");
	const char *fault = why_not_made(call);
	struct gateway_place place;
	struct buf own;
	struct creating c = {call, &place};

	if (!fault && json_text_at(call->params, "label").len > CREW_TITLE_MAX)
		fault = "a label has at most 200 bytes";
	if (fault) {
		gateway_refuse_words(call, fault);
		return;
	}
	buf_init(&own, 2 * KIB);
	if (key.len)
		buf_add(&own, key);
	else
		make_key(call, &own);
	gateway_find_place(call->gateway, buf_text(&own), json_text_at(call->params, "agentId"),
	                   &place);
	buf_finish(&own);
	c.message = json_text_at(call->params, "message");
	if (!c.message.len)
		c.message = json_text_at(call->params, "task");
	create(&c);
	gateway_place_finish(&place);
}

/* ---- sessions.patch ---- */

/* A member that says nothing new is no change. */
static bool is_change(yyjson_val *value)
{
	return value && !yyjson_is_null(value) && !yyjson_is_false(value);
}

static bool check_patch(const struct gateway_call *call, struct error *why)
{
	static const char *const ours[] = {"key", "agentId", "label", "model", "verboseLevel"};
	yyjson_obj_iter it = yyjson_obj_iter_with(call->params);
	yyjson_val *name;

	while ((name = yyjson_obj_iter_next(&it))) {
		struct text member = json_text(name);
		size_t i = 0;

		while (i < sizeof(ours) / sizeof(*ours) && !text_is(member, ours[i]))
			i++;
		if (i < sizeof(ours) / sizeof(*ours) || text_starts(member, TEXT("expected")) ||
		    !is_change(yyjson_obj_iter_get_val(name)))
			continue;
		return error_set(why,
		                 "%.*s cannot be changed here: label, model and verboseLevel can",
		                 TEXT_ARG(member));
	}
	return true;
}

static bool patch_label(const struct gateway_call *call, const struct crew_member *m,
                        struct error *why)
{
	yyjson_val *label = yyjson_obj_get(call->params, "label");
	struct back_who who = client_who(call->view->client, TEXT("gateway"));

	if (!label)
		return true;
	if (!m)
		return error_set(why, "there is no such session");
	if (yyjson_get_len(label) > CREW_TITLE_MAX)
		return error_set(why, "a label has at most %d bytes", CREW_TITLE_MAX);
	return crew_rename(client_options(call->view->client)->bus, m, json_text(label), &who, why);
}

static bool patch_all(const struct gateway_call *call, const struct gateway_place *place,
                      const struct crew_member *m, struct error *why)
{
	yyjson_val *model = yyjson_obj_get(call->params, "model");

	if (!check_patch(call, why) || !gateway_can_wish_model(call, place, model, why) ||
	    !patch_label(call, m, why))
		return false;
	gateway_wish_model(call, place, model);
	gateway_wish_verbose(call, place, yyjson_obj_get(call->params, "verboseLevel"));
	return true;
}

static void answer_patched(const struct gateway_call *call, struct text key,
                           const struct crew_member *m)
{
	struct text model = gateway_wished_model(call->gateway, key);
	yyjson_val *label = yyjson_obj_get(call->params, "label");
	struct buf out;

	buf_init(&out, BEGIN_MAX);
	put_object(&out, NULL);
	put_bool(&out, "ok", true);
	put_word(&out, "path", "signalbox");
	put_text(&out, "key", key);
	put_object(&out, "entry");
	if (m)
		put_word(&out, "sessionId", m->id);
	put_i64(&out, "updatedAt", clock_wall_ms());
	if (yyjson_is_str(label))
		put_text(&out, "label", json_text(label));
	gateway_put_wishes(call->gateway, key, &out);
	put_end(&out);
	put_object(&out, "resolved");
	put_text(&out, "modelProvider", gateway_key_agent(key));
	if (model.len)
		put_text(&out, "model", model);
	put_end(&out);
	put_end(&out);
	gateway_answer_buf(call, &out);
	buf_finish(&out);
}

void gateway_sessions_patch(const struct gateway_call *call)
{
	struct text expected = json_text_at(call->params, "expectedSessionId");
	const struct crew_member *m;
	struct gateway_place place;
	struct error why;

	gateway_find_place(call->gateway, json_text_at(call->params, "key"),
	                   json_text_at(call->params, "agentId"), &place);
	m = gateway_place_member(call->gateway, &place);
	if (expected.len && (!m || !text_is(expected, m->id)))
		refuse_reset(call, "the session has changed: look at it again", true);
	else if (!patch_all(call, &place, m, &why))
		gateway_refuse_words(call, why.words);
	else
		answer_patched(call, buf_text(&place.key), m);
	gateway_place_finish(&place);
}
