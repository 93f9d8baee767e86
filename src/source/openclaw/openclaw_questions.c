/* openclaw_questions.c - what a gateway's agents ask people, and what they answer.
 *
 * One request has up to three questions.  They are asked one after the other, each as a
 * prompt `question:ID#N`, `question:ID#N+` for a text of one's own, and go back in one
 * question.resolve.  A request that wants a secret is not asked about: answers are on the
 * disk here.  What was answered so far of several lives as long as the box; after a
 * restart they are asked again.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/must.h"
#include "base/put.h"
#include "base/utf8.h"
#include "signal/make.h"
#include "source/openclaw/openclaw_parts.h"
#include "source/question.h"

#define PREFIX "question:"
#define OWN_ID_MAX (sizeof(PREFIX) + OPENCLAW_ID_MAX + 24)
#define QUESTIONS_MAX 64 /* requests; one more: the oldest is forgotten */
#define RECORD_MAX (64 * KIB)
#define ANSWERS_MAX (1 * MIB)
#define SHOWN_MAX 256
#define WORDS_MAX 160

struct openclaw_question {
	struct openclaw_memory *memory;
	struct link in_memory; /* openclaw_memory.questions */
	char id[OPENCLAW_ID_MAX + 1];
	char *record;      /* the gateway's, as JSON */
	size_t n, count;   /* the one that is asked, of so many */
	bool own;          /* for a text of one's own */
	struct buf values; /* that were chosen for it so far */
	struct buf answers;
	bool is_sent;
	bool is_heard; /* on this connection, after the list was asked for */
	bool is_listed;
	char *note; /* why it is asked again, or NULL */
};

bool openclaw_is_question(struct text id)
{
	return text_starts(id, TEXT(PREFIX));
}

static void own_id(const struct openclaw_question *q, char out[OWN_ID_MAX])
{
	size_t n = q->n < q->count ? q->n : q->count - 1;

	snprintf(out, OWN_ID_MAX, PREFIX "%s#%zu%s", q->id, n, q->own ? "+" : "");
}

/* ---- known ones ---- */

static struct openclaw_question *openclaw_questions_find(const struct openclaw_memory *m,
                                                         struct text id)
{
	list_each(&m->questions, l) {
		struct openclaw_question *q = list_of(l, struct openclaw_question, in_memory);

		if (text_is(id, q->id))
			return q;
	}
	return NULL;
}

static struct openclaw_question *find_prompt(const struct openclaw_memory *m, struct text id)
{
	list_each(&m->questions, l) {
		struct openclaw_question *q = list_of(l, struct openclaw_question, in_memory);
		char own[OWN_ID_MAX];

		own_id(q, own);
		if (text_is(id, own))
			return q;
	}
	return NULL;
}

static void openclaw_questions_forget(struct openclaw_question *q)
{
	list_remove(&q->in_memory);
	assert(q->memory->question_count > 0);
	q->memory->question_count--;
	buf_finish(&q->values);
	buf_finish(&q->answers);
	free(q->record);
	free(q->note);
	free(q);
}

void openclaw_forget_questions(struct openclaw_memory *m)
{
	while (!list_is_empty(&m->questions))
		openclaw_questions_forget(
			list_of(m->questions.next, struct openclaw_question, in_memory));
}

static void withdraw(struct openclaw_question *q, const char *why)
{
	char own[OWN_ID_MAX];

	own_id(q, own);
	source_withdrew(q->memory->source, text_of(own), why);
	openclaw_questions_forget(q);
}

static bool wants_secret(yyjson_val *record)
{
	yyjson_arr_iter each = yyjson_arr_iter_with(yyjson_obj_get(record, "questions"));
	yyjson_val *one;

	while ((one = yyjson_arr_iter_next(&each)))
		if (yyjson_is_true(yyjson_obj_get(one, "isSecret")) ||
		    yyjson_obj_get(one, "secretStore"))
			return true;
	return false;
}

/* NULL: nobody can be asked about it here. */
static struct openclaw_question *learn(struct openclaw_memory *m, yyjson_val *record)
{
	struct text id = json_text(yyjson_obj_get(record, "id"));
	struct openclaw_question *q = openclaw_questions_find(m, id);
	struct buf json;

	if (q || !id.len || id.len > OPENCLAW_ID_MAX || !question_count(record) ||
	    wants_secret(record))
		return q;
	buf_init(&json, RECORD_MAX);
	if (json_add(&json, record)) {
		if (m->question_count >= QUESTIONS_MAX)
			withdraw(list_of(m->questions.next, struct openclaw_question, in_memory),
			         "too many are asked");
		q = must_zero(1, sizeof(*q));
		q->memory = m;
		memcpy(q->id, id.at, id.len);
		q->record = text_dup(buf_text(&json));
		q->count = question_count(record);
		buf_init(&q->values, ANSWERS_MAX);
		buf_init(&q->answers, ANSWERS_MAX);
		list_add(&m->questions, &q->in_memory);
		m->question_count++;
	}
	buf_finish(&json);
	return q;
}

/* ---- asking ---- */

static void openclaw_questions_ask(struct openclaw_question *q)
{
	yyjson_doc *doc = yyjson_read(q->record, strlen(q->record), 0);
	yyjson_val *record = yyjson_doc_get_root(doc);
	struct text agent = json_text(yyjson_obj_get(record, "agentId"));
	yyjson_val *deadline = yyjson_obj_get(record, "expiresAtMs");
	struct make m;
	struct buf out;
	char own[OWN_ID_MAX];

	own_id(q, own);
	buf_init(&out, MIB);
	make_begin(&m, &out,
	           &(struct make_head){.type = "prompt",
	                               .source = source_id(q->memory->source),
	                               .correlation = json_text_at(record, "runId")});
	make_payload(&m);
	make_word(&m, "id", own);
	buf_add_char(&out, ',');
	question_ask(&out, record, q->n, QUESTION_STRICT | (q->own ? QUESTION_OWN : 0),
	             text_of(q->note ? q->note : ""));
	if (yyjson_is_uint(deadline))
		make_u64(&m, "deadline", yyjson_get_uint(deadline));
	make_text(&m, "invokeid", agent.len ? agent : TEXT("openclaw"));
	if (make_end(&m))
		source_received(q->memory->source, buf_text(&out));
	buf_finish(&out);
	yyjson_doc_free(doc);
}

/* ---- the gateway's verdict ---- */

/* What was answered to the question that a prompt is about; else how it ended. */
static void add_decision(struct buf *out, const struct openclaw_question *q, yyjson_val *event)
{
	yyjson_val *answers = yyjson_obj_get(yyjson_obj_get(event, "answers"), "answers");
	struct text status = json_text(yyjson_obj_get(event, "status"));
	yyjson_doc *doc = yyjson_read(q->record, strlen(q->record), 0);
	yyjson_val *questions = yyjson_obj_get(yyjson_doc_get_root(doc), "questions");
	yyjson_val *asked = yyjson_arr_get(questions, q->n < q->count ? q->n : q->count - 1);
	struct text id = json_text(yyjson_obj_get(asked, "questionId"));
	yyjson_arr_iter each =
		yyjson_arr_iter_with(id.len ? yyjson_obj_getn(answers, id.at, id.len) : NULL);
	yyjson_val *one;

	while ((one = yyjson_arr_iter_next(&each))) {
		buf_add(out, out->len ? TEXT(", ") : TEXT(""));
		buf_add(out, json_text(one));
	}
	if (!out->len)
		buf_add(out, status.len ? status : TEXT("answered"));
	yyjson_doc_free(doc);
}

static void openclaw_questions_settle(struct openclaw_question *q, yyjson_val *event)
{
	struct source_decision decision = {.is_elsewhere = !q->is_sent};
	struct buf words;
	char own[OWN_ID_MAX];
	char *whole;

	own_id(q, own);
	buf_init(&words, ANSWERS_MAX);
	add_decision(&words, q, event);
	whole = text_dup(utf8_cut(buf_text(&words), KIB));
	decision.id = text_of(own);
	decision.decision = whole;
	source_decided(q->memory->source, &decision);
	free(whole);
	buf_finish(&words);
	openclaw_questions_forget(q);
}

static void begin_again(struct openclaw_question *q, const char *note)
{
	buf_clear(&q->values);
	buf_clear(&q->answers);
	q->n = 0;
	q->own = false;
	q->is_sent = false;
	free(q->note);
	q->note = must_dup(note);
}

/* What it refused it may still want to know: then it lists it. */
static void take_verdict(struct openclaw *o, const struct openclaw_wait *wait, yyjson_val *answer)
{
	struct openclaw_question *q = openclaw_questions_find(o->memory, text_of(wait->what));
	struct text words;
	char remark[240];

	if (!q)
		return;
	if (!answer) {
		q->is_sent = false;
		return;
	}
	if (openclaw_is_ok(answer)) {
		openclaw_note_decided(o, text_of(q->id));
		openclaw_questions_settle(q, yyjson_obj_get(answer, "payload"));
		return;
	}
	words = utf8_cut(openclaw_refusal(answer), WORDS_MAX);
	snprintf(remark, sizeof(remark), "The gateway did not take that answer: %.*s",
	         TEXT_ARG(words));
	source_bad(o->source, remark);
	begin_again(q, remark);
	openclaw_list_questions(o);
}

static bool resolve(struct openclaw *o, struct openclaw_question *q, bool is_cancelled)
{
	struct openclaw_asked asked = {
		.method = "question.resolve", .what = text_of(q->id), .take = take_verdict};
	struct buf params;

	buf_init(&params, 2 * ANSWERS_MAX);
	put_object(&params, NULL);
	put_word(&params, "id", q->id);
	if (is_cancelled) {
		put_bool(&params, "cancel", true);
		put_end(&params);
	} else {
		put_object(&params, "answers");
		put_object(&params, "answers");
		buf_add(&params, buf_text(&q->answers));
		put_end(&params);
		put_end(&params);
		put_end(&params);
	}
	asked.params = buf_text(&params);
	q->is_sent = openclaw_wait(o, &asked);
	buf_finish(&params);
	return q->is_sent;
}

/* ---- answers ---- */

/* The next is asked, or all go to the gateway. */
static bool take_value(struct openclaw *o, struct openclaw_question *q, struct text value)
{
	yyjson_doc *given = yyjson_read(value.at, value.len, 0);
	yyjson_doc *record = yyjson_read(q->record, strlen(q->record), 0);
	bool own = question_choose_values(&q->values, yyjson_doc_get_root(given), q->own);

	free(q->note);
	q->note = NULL;
	if (!own) {
		question_answer_values(&q->answers, yyjson_doc_get_root(record), q->n++,
		                       buf_text(&q->values));
		buf_clear(&q->values);
	}
	if (q->n < q->count)
		q->own = own;
	yyjson_doc_free(given);
	yyjson_doc_free(record);
	if (q->n == q->count)
		return resolve(o, q, false);
	openclaw_questions_ask(q);
	return true;
}

bool openclaw_answer(struct openclaw *o, const struct back_outcome *reply, struct error *why)
{
	struct openclaw_question *q = find_prompt(o->memory, reply->id);

	if (o->is_over || o->step != STEP_LIVE)
		return error_set(why, "the gateway is not connected");
	if (!(o->scopes & OPERATOR_QUESTIONS))
		return error_set(why, "the gateway did not grant operator.questions");
	if (!q || q->is_sent || q->n == q->count)
		return q || o->knows_questions || !reply->is_given ||
		       error_set(why, "what the gateway asks is not known yet");
	if (reply->value.len)
		take_value(o, q, reply->value);
	else if (reply->is_given)
		resolve(o, q, true);
	return true;
}

/* ---- what the gateway tells ---- */

static void take_resolved(struct openclaw *o, yyjson_val *event)
{
	struct text id = json_text(yyjson_obj_get(event, "id"));
	struct openclaw_question *q = openclaw_questions_find(o->memory, id);

	openclaw_note_decided(o, id);
	if (q)
		openclaw_questions_settle(q, event);
}

void openclaw_note_question(struct openclaw *o, enum openclaw_event event, yyjson_val *payload)
{
	struct openclaw_question *q;

	if (o->is_over || !(o->scopes & OPERATOR_QUESTIONS))
		return;
	if (event == OPENCLAW_QUESTION_RESOLVED)
		take_resolved(o, payload);
	if (event != OPENCLAW_QUESTION_REQUESTED ||
	    openclaw_questions_find(o->memory, json_text(yyjson_obj_get(payload, "id"))))
		return;
	q = learn(o->memory, payload);
	if (!q)
		return;
	q->is_heard = true;
	openclaw_questions_ask(q);
}

/* ---- the list of those that are open ---- */

struct shown_questions {
	char *ids[SHOWN_MAX];
	size_t count;
};

static void keep_shown(void *of, struct text id)
{
	struct shown_questions *shown = of;

	if (openclaw_is_question(id) && shown->count < SHOWN_MAX)
		shown->ids[shown->count++] = text_dup(id);
}

static bool openclaw_questions_is_shown(const struct shown_questions *shown,
                                        const struct openclaw_question *q)
{
	char own[OWN_ID_MAX];

	own_id(q, own);
	for (size_t i = 0; i < shown->count; i++)
		if (strcmp(shown->ids[i], own) == 0)
			return true;
	return false;
}

/* Those that nobody asks any more, or that are asked from the beginning again. */
static void withdraw_shown(struct openclaw *o, const struct shown_questions *shown, const char *why)
{
	for (size_t i = 0; i < shown->count; i++)
		if (!find_prompt(o->memory, text_of(shown->ids[i])))
			source_withdrew(o->source, text_of(shown->ids[i]), why);
}

static void forget_shown(struct shown_questions *shown)
{
	for (size_t i = 0; i < shown->count; i++)
		free(shown->ids[i]);
}

static void learn_listed(struct openclaw *o, yyjson_val *list)
{
	yyjson_arr_iter each = yyjson_arr_iter_with(list);
	struct openclaw_question *q;
	yyjson_val *one;

	while ((one = yyjson_arr_iter_next(&each))) {
		if (openclaw_is_decided(o, json_text(yyjson_obj_get(one, "id"))))
			continue;
		q = learn(o->memory, one);
		if (q)
			q->is_listed = true;
	}
	list_each(&o->memory->questions, l) {
		q = list_of(l, struct openclaw_question, in_memory);
		if (!q->is_listed && !q->is_heard)
			withdraw(q, "the gateway does not ask for it any more");
	}
}

/* What was answered while nobody was connected is said first. */
static void ask_listed(struct openclaw *o)
{
	struct shown_questions shown = {.count = 0};

	o->knows_questions = true;
	source_asks_again(o->source, TEXT(""));
	source_each_prompt(o->source, keep_shown, &shown);
	withdraw_shown(o, &shown, "the gateway does not ask for it any more");
	list_each(&o->memory->questions, l) {
		struct openclaw_question *q = list_of(l, struct openclaw_question, in_memory);

		if (q->n == q->count && !q->is_sent)
			resolve(o, q, false);
		else if (q->n < q->count && !q->is_sent && !openclaw_questions_is_shown(&shown, q))
			openclaw_questions_ask(q);
	}
	forget_shown(&shown);
}

static void take_list(struct openclaw *o, const struct openclaw_wait *wait, yyjson_val *answer)
{
	yyjson_val *list = yyjson_obj_get(yyjson_obj_get(answer, "payload"), "questions");

	if (o->is_over || !answer)
		return;
	if (!openclaw_is_ok(answer) || !yyjson_is_arr(list)) {
		source_bad(o->source, "the gateway does not list its open questions");
		return;
	}
	learn_listed(o, list);
	ask_listed(o);
}

void openclaw_list_questions(struct openclaw *o)
{
	struct openclaw_asked asked = {
		.method = "question.list", .params = TEXT("{}"), .take = take_list};
	struct shown_questions shown = {.count = 0};

	list_each(&o->memory->questions, l) {
		struct openclaw_question *q = list_of(l, struct openclaw_question, in_memory);

		q->is_listed = q->is_heard = false;
	}
	if (o->scopes & OPERATOR_QUESTIONS && o->methods & OPENCLAW_QUESTION_LIST) {
		openclaw_wait(o, &asked);
		return;
	}
	openclaw_forget_questions(o->memory);
	source_each_prompt(o->source, keep_shown, &shown);
	withdraw_shown(o, &shown, "the gateway did not grant operator.questions");
	forget_shown(&shown);
}
