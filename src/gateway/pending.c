/* pending.c - what approvals and questions share. */
#include "gateway/pending.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/must.h"
#include "base/put.h"
#include "gateway/approvals.h"
#include "gateway/decide.h"
#include "gateway/keys.h"
#include "gateway/questions.h"
#include "gateway/streams.h"
#include "hub/hub.h"
#include "hub/person.h"
#include "run/prompts.h"

#define DETAILS_MAX 512
#define EVENT_MAX (512 * KIB)
#define SETTLED_MAX 256 /* that are known, ... */
#define SETTLED_BYTES_MAX (2 * MIB)
#define CLASSES ((GATEWAY_NEWEST - GATEWAY_OLDEST + 1) * (ANSWERS_ALL + 1) * 2)

struct kept_end {
	char *id;
	struct pending_end end; /* its JSON is its own */
	struct link in_order;   /* pending.order */
};

struct pending {
	uint64_t told_seq; /* of the newest prompt that was told of */
	struct map ends;   /* id -> struct kept_end */
	struct link order; /* oldest first */
	size_t bytes;
};

struct pending *pending_create(void)
{
	struct pending *pending = must_zero(1, sizeof(*pending));

	map_init(&pending->ends);
	list_init(&pending->order);
	return pending;
}

static void drop_end(struct pending *pending, struct kept_end *kept)
{
	map_remove(&pending->ends, text_of(kept->id));
	list_remove(&kept->in_order);
	pending->bytes -= kept->end.json.len;
	free(kept->id);
	free((char *)kept->end.json.at);
	free(kept);
}

void pending_destroy(struct pending *pending)
{
	if (!pending)
		return;
	list_each(&pending->order, l)
		drop_end(pending, list_of(l, struct kept_end, in_order));
	map_finish(&pending->ends);
	free(pending);
}

/* ---- what was settled ---- */

void pending_settle(struct gateway *g, const struct prompt *p, const struct pending_end *end)
{
	struct pending *pending = g->asks;
	struct kept_end *kept = map_get(&pending->ends, text_of(p->id));

	if (kept)
		drop_end(pending, kept);
	kept = must_zero(1, sizeof(*kept));
	kept->id = must_dup(p->id);
	kept->end = *end;
	kept->end.json.at = text_dup(end->json);
	map_set(&pending->ends, text_of(p->id), kept);
	list_add(&pending->order, &kept->in_order);
	pending->bytes += end->json.len;
	while (pending->ends.count > SETTLED_MAX || pending->bytes > SETTLED_BYTES_MAX)
		drop_end(pending, list_of(pending->order.next, struct kept_end, in_order));
}

const struct pending_end *pending_settled(const struct gateway *g, struct text id,
                                          enum operator_scope scope)
{
	const struct kept_end *kept = map_get(&g->asks->ends, id);

	return kept && kept->end.scope == scope ? &kept->end : NULL;
}

const struct prompt *pending_find(const struct gateway *g, struct text id)
{
	struct text prefix = TEXT(PENDING_PREFIX);

	if (text_starts(id, prefix))
		id = (struct text){id.at + prefix.len, id.len - prefix.len};
	return prompts_find(g->options.prompts, id);
}

/* ---- members that both have ---- */

void pending_put_place(const struct gateway *g, const struct prompt *p, bool with_run,
                       struct buf *out)
{
	const struct run *known = runs_find(g->options.runs, text_of(p->run));
	struct run stranger = {.id = p->run, .source = p->source};
	struct buf key;

	buf_init(&key, 2 * KIB);
	gateway_key_of_run(g, known ? known : &stranger, &key);
	put_text(out, "agentId", gateway_key_agent(buf_text(&key)));
	put_text(out, "sessionKey", buf_text(&key));
	if (with_run)
		put_word(out, "runId", p->run);
	buf_finish(&key);
}

void pending_put_times(const struct prompt *p, struct buf *out)
{
	int64_t now = clock_wall_ms(), latest = now + PENDING_DAY_MS;

	put_i64(out, "createdAtMs", p->at_ms ? p->at_ms : now);
	put_i64(out, "expiresAtMs",
	        p->deadline_ms && p->deadline_ms < latest ? p->deadline_ms : latest);
}

void pending_put_answerer(const struct prompt *p, const char *key, struct buf *out)
{
	yyjson_doc *doc = p->by ? yyjson_read(p->by, strlen(p->by), 0) : NULL;
	struct text user = json_text_at(yyjson_doc_get_root(doc), "user");
	struct text screen = json_text_at(yyjson_doc_get_root(doc), "screen");
	struct buf who;

	buf_init(&who, 4 * KIB);
	buf_add(&who, user);
	if (screen.len)
		buf_print(&who, " (%.*s)", TEXT_ARG(screen));
	if (who.len)
		put_text(out, key, buf_text(&who));
	else
		put_word(out, key, NULL);
	buf_finish(&who);
	yyjson_doc_free(doc);
}

/* ---- telling ---- */

bool pending_is_narrow(const struct gateway_view *view)
{
	return view->caps & GATEWAY_TERMINAL;
}

struct pending_class pending_class_of(const struct gateway_view *view)
{
	return (struct pending_class){view->protocol, client_answers(view->client),
	                              pending_is_narrow(view)};
}

static size_t class_number(const struct pending_class *of)
{
	return ((size_t)(of->protocol - GATEWAY_OLDEST) * (ANSWERS_ALL + 1) + of->may) * 2 +
	       of->is_narrow;
}

static void say(struct gateway_view *view, struct text frame)
{
	size_t max = gateway_of(view)->options.config->max_buffered;

	if (view->stream->is_quiet)
		return;
	if (client_owed(view->client) + frame.len > max)
		client_close(view->client, 1008, TEXT("slow consumer"));
	else
		client_say_frame(view->client, WS_OP_TEXT, frame);
}

void pending_tell(struct gateway *g, const struct prompt *p, enum operator_scope scope,
                  pending_write_fn *write)
{
	struct buf frames[CLASSES];
	bool is_made[CLASSES] = {false};

	for (size_t i = 0; i < CLASSES; i++)
		buf_init(&frames[i], EVENT_MAX);
	list_each(&g->views, l) {
		struct gateway_view *view = list_of(l, struct gateway_view, in_room);
		struct pending_class of = pending_class_of(view);
		size_t n = class_number(&of);

		if (!(view->scopes & scope))
			continue;
		if (!is_made[n] && !write(g, p, &of, &frames[n]))
			buf_clear(&frames[n]);
		is_made[n] = true;
		if (frames[n].len && !frames[n].full)
			say(view, buf_text(&frames[n]));
	}
	for (size_t i = 0; i < CLASSES; i++)
		buf_finish(&frames[i]);
}

static void tell_prompt(struct gateway *g, const struct prompt *p)
{
	if (decide_kind(p) == DECIDE_NOTHING)
		gateway_tell_question(g, p);
	else
		gateway_tell_approval(g, p);
}

void pending_tell_new(struct gateway *g)
{
	uint64_t known = runs_seq(g->options.runs);

	if (!g->is_open)
		return;
	list_each(prompts_open(g->options.prompts), l) {
		const struct prompt *p = list_of(l, struct prompt, in_open);

		if (p->seq <= g->asks->told_seq || p->seq > known)
			continue;
		g->asks->told_seq = p->seq;
		tell_prompt(g, p);
	}
}

void pending_begin(struct gateway *g)
{
	g->asks->told_seq = g->past_seq;
}

/* What its agent did is told after its end, and to nobody here. */
void pending_heard(struct gateway *g, const struct prompt *p)
{
	if (p->state == PROMPT_OPEN)
		pending_tell_new(g);
	else if (!p->settled && p->words.len)
		tell_prompt(g, p);
}

/* ---- lists ---- */

#define LIST_END 16 /* bytes, of what closes a list */

bool pending_list_ends(struct buf *list, size_t len)
{
	if (!list->full && list->len + LIST_END <= list->max)
		return false;
	list->len = len;
	list->full = false;
	return true;
}

/* ---- answering ---- */

/* name: the answer, or the id of the prompt whose end it tells of. */
static void answered(void *of, const struct back_verdict *verdict)
{
	struct person_wait *w = of;
	struct gateway_call call = {client_of_dialect(w->client), client_view(w->client),
	                            .id = w->ref};
	const struct pending_end *end = pending_settled(call.gateway, w->name, OPERATOR_APPROVALS);
	struct buf out;

	(void)verdict;
	buf_init(&out, EVENT_MAX);
	if (w->name.at[0] == '{') {
		buf_add(&out, w->name);
	} else {
		put_object(&out, NULL);
		put_bool(&out, "applied", true);
		put_json(&out, "approval", end ? end->json : TEXT("null"));
		put_end(&out);
	}
	gateway_answer_buf(&call, &out);
	buf_finish(&out);
	client_end_wait(w);
}

enum back_answer pending_reply(const struct gateway_call *call, const struct prompt *p,
                               struct text value, struct text payload)
{
	struct client *c = call->view->client;
	const struct back *back = &client_options(c)->back;
	struct person_wait *w = NULL;
	struct back_reply reply = {
		.prompt = text_of(p->id),
		.value = value,
		.who = client_who(c, TEXT("gateway")),
		.may = client_answers(c),
	};
	enum back_answer answer;
	struct error why;

	if (!call->instead) {
		w = client_wait(c, call->id, payload.len ? payload : text_of(p->id));
		reply.ear = (struct back_ear){answered, w};
	}
	answer = back->reply(back->self, &reply, &why);
	if (w && answer != BACK_TAKEN)
		client_end_wait(w);
	return answer;
}

void pending_refuse_with(const struct gateway_call *call, const struct gateway_fault *fault)
{
	if (call->instead)
		error_set(call->instead, "%s", fault->message);
	else
		gateway_refuse(call, fault);
}

void pending_refuse(const struct gateway_call *call, const char *message, enum openclaw_code reason,
                    const char *remedy)
{
	struct gateway_fault fault = {FAULT_INVALID_REQUEST, message};
	struct buf details;

	buf_init(&details, DETAILS_MAX);
	put_object(&details, NULL);
	put_word(&details, "reason", openclaw_code_name(reason));
	if (remedy)
		put_word(&details, "remediation", remedy);
	put_end(&details);
	if (call->view->protocol > GATEWAY_OLDEST)
		fault.details = buf_text(&details);
	pending_refuse_with(call, &fault);
	buf_finish(&details);
}
