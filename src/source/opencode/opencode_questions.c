/* opencode_questions.c - what opencode's tool `question` asks people, and what they answer.
 *
 * One request has several questions.  They are asked one after the other, each as a prompt
 * `ID#N`, `ID#N+` for a text of one's own, and go back in one answer.  What was answered so far
 * of several lives as long as the box; after a restart they are asked again.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/must.h"
#include "base/put.h"
#include "base/utf8.h"
#include "source/opencode/opencode_parts.h"
#include "source/question.h"

#define OWN_ID_MAX (OPENCODE_ID_MAX + 24)
#define QUESTIONS_MAX 64 /* requests; one more: the oldest is forgotten */
#define RECORD_MAX (128 * KIB)
#define ANSWERS_MAX (1 * MIB)
#define PROMPT_MAX (512 * KIB)
#define DECISION_MAX KIB

struct opencode_question {
	struct opencode_memory *memory;
	struct link in_memory; /* opencode_memory.questions */
	char id[OPENCODE_ID_MAX + 1], session[OPENCODE_ID_MAX + 1];
	char *record;      /* the server's, as JSON */
	size_t n, count;   /* the one that is asked, of so many */
	bool own;          /* for a text of one's own */
	struct buf values; /* that were chosen for it so far */
	struct buf answers;
	bool is_sent;
	bool is_listed; /* on this connection, or heard */
	char *note;     /* why it is asked again, or NULL */
};

bool opencode_is_question(struct text id)
{
	return text_find(id, '#') >= 0;
}

static void own_id(const struct opencode_question *q, char out[OWN_ID_MAX])
{
	size_t n = q->n < q->count ? q->n : q->count - 1;

	snprintf(out, OWN_ID_MAX, "%s#%zu%s", q->id, n, q->own ? "+" : "");
}

/* ---- known ones ---- */

static struct opencode_question *question_of(const struct opencode_memory *m, struct text id)
{
	list_each(&m->questions, l) {
		struct opencode_question *q = list_of(l, struct opencode_question, in_memory);

		if (text_is(id, q->id))
			return q;
	}
	return NULL;
}

static struct opencode_question *question_of_prompt(const struct opencode_memory *m, struct text id)
{
	list_each(&m->questions, l) {
		struct opencode_question *q = list_of(l, struct opencode_question, in_memory);
		char own[OWN_ID_MAX];

		own_id(q, own);
		if (text_is(id, own))
			return q;
	}
	return NULL;
}

static void free_question(struct opencode_question *q)
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

void opencode_drop_questions(struct opencode_memory *m)
{
	while (!list_is_empty(&m->questions))
		free_question(list_of(m->questions.next, struct opencode_question, in_memory));
}

static void withdraw(struct opencode_question *q, const char *why)
{
	char own[OWN_ID_MAX];

	own_id(q, own);
	source_withdrew(q->memory->source, text_of(own), why);
	free_question(q);
}

/* NULL: nobody can be asked about it here. */
static struct opencode_question *learn(struct opencode_memory *m, yyjson_val *record)
{
	struct text id = json_text_at(record, "id"), session = json_text_at(record, "sessionID");
	struct opencode_question *q = question_of(m, id);
	struct buf json;

	if (q || !opencode_is_name(id) || !opencode_is_name(session) || !question_count(record))
		return q;
	buf_init(&json, RECORD_MAX);
	if (json_add(&json, record)) {
		if (m->question_count >= QUESTIONS_MAX)
			withdraw(list_of(m->questions.next, struct opencode_question, in_memory),
			         "too many are asked");
		q = must_zero(1, sizeof(*q));
		q->memory = m;
		memcpy(q->id, id.at, id.len);
		memcpy(q->session, session.at, session.len);
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

static void ask_people(struct opencode_question *q)
{
	yyjson_doc *doc = yyjson_read(q->record, strlen(q->record), 0);
	struct buf members;
	char own[OWN_ID_MAX];

	own_id(q, own);
	buf_init(&members, PROMPT_MAX);
	put_word(&members, "id", own);
	buf_add_char(&members, ',');
	question_ask(&members, yyjson_doc_get_root(doc), q->n, q->own ? QUESTION_OWN : 0,
	             text_of(q->note));
	if (!members.full)
		opencode_tell_prompt(q->memory->parse, text_of(q->session), buf_text(&members));
	buf_finish(&members);
	yyjson_doc_free(doc);
}

/* ---- the server's verdict ---- */

/* What was chosen for the question that a prompt is about. */
static void add_chosen(struct buf *out, const struct opencode_question *q, yyjson_val *answers)
{
	size_t n = q->n < q->count ? q->n : q->count - 1;
	yyjson_arr_iter each = yyjson_arr_iter_with(yyjson_arr_get(answers, n));
	yyjson_val *one;

	while ((one = yyjson_arr_iter_next(&each))) {
		buf_add(out, out->len ? TEXT(", ") : TEXT(""));
		buf_add(out, json_text(one));
	}
	if (!out->len)
		buf_add(out, TEXT("answered"));
}

static void settle_question(struct opencode_question *q, bool is_elsewhere, struct text decision)
{
	char own[OWN_ID_MAX];
	char *whole = text_dup(utf8_cut(decision, DECISION_MAX));

	own_id(q, own);
	source_decided(q->memory->source, &(struct source_decision){.id = text_of(own),
	                                                            .is_elsewhere = is_elsewhere,
	                                                            .decision = whole});
	free(whole);
	free_question(q);
}

void opencode_hear_question(struct opencode_line *o, struct text type, yyjson_val *properties)
{
	struct text id = json_text_at(properties, "requestID");
	struct opencode_question *q = question_of(o->memory, id);
	struct buf words;

	if (text_is(type, "question.asked") &&
	    !question_of(o->memory, json_text_at(properties, "id"))) {
		q = learn(o->memory, properties);
		if (q) {
			q->is_listed = true;
			ask_people(q);
		}
	} else if (q && text_is(type, "question.rejected")) {
		settle_question(q, !q->is_sent, TEXT("rejected"));
	} else if (q && text_is(type, "question.replied")) {
		buf_init(&words, ANSWERS_MAX);
		add_chosen(&words, q, yyjson_obj_get(properties, "answers"));
		settle_question(q, !q->is_sent, buf_text(&words));
		buf_finish(&words);
	}
}

static void begin_again(struct opencode_question *q, const char *note)
{
	buf_clear(&q->values);
	buf_clear(&q->answers);
	q->n = 0;
	q->own = q->is_sent = false;
	free(q->note);
	q->note = must_dup(note);
}

/* What it refused it may still want to know. */
static void answer_taken(struct opencode_line *o, const struct opencode_call *call,
                         yyjson_val *answer)
{
	struct opencode_question *q = question_of(o->memory, text_of(call->what));
	char remark[320];

	if (!q)
		return;
	if (answer) {
		settle_question(q, false, call->token ? TEXT("rejected") : TEXT("answered"));
	} else if (call->status == 404) {
		withdraw(q, "opencode does not ask for it any more");
	} else {
		snprintf(remark, sizeof(remark), "opencode did not take that answer: %s",
		         call->why);
		q->is_sent = false;
		if (!call->status) /* it is sent again at the next connection */
			return;
		source_bad(o->source, remark);
		begin_again(q, remark);
		ask_people(q);
	}
}

static bool send_answers(struct opencode_line *o, struct opencode_question *q, bool is_rejected)
{
	struct opencode_seen seen = {0};
	char route[OPENCODE_ID_MAX + 32];
	struct buf body;

	opencode_find(o->memory->parse, text_of(q->session), &seen);
	snprintf(route, sizeof(route), "/question/%s/%s", q->id, is_rejected ? "reject" : "reply");
	buf_init(&body, 2 * ANSWERS_MAX);
	put_object(&body, NULL);
	if (!is_rejected) {
		put_list(&body, "answers");
		buf_add(&body, buf_text(&q->answers));
		put_list_end(&body);
	}
	put_end(&body);
	q->is_sent = opencode_call(o, &(struct opencode_asked){.route = route,
	                                                       .directory = seen.directory,
	                                                       .body = buf_text(&body),
	                                                       .what = text_of(q->id),
	                                                       .token = is_rejected,
	                                                       .take = answer_taken});
	buf_finish(&body);
	return q->is_sent;
}

/* ---- answers ---- */

/* The next is asked, or all go to the server. */
static bool take_value(struct opencode_line *o, struct opencode_question *q, struct text value)
{
	yyjson_doc *given = yyjson_read(value.at, value.len, 0);
	bool own = question_choose_values(&q->values, yyjson_doc_get_root(given), q->own);

	yyjson_doc_free(given);
	free(q->note);
	q->note = NULL;
	if (!own) {
		buf_add(&q->answers, q->answers.len ? TEXT(",[") : TEXT("["));
		buf_add(&q->answers, buf_text(&q->values));
		buf_add_char(&q->answers, ']');
		buf_clear(&q->values);
		q->n++;
	}
	if (q->n == q->count)
		return send_answers(o, q, false);
	q->own = own;
	ask_people(q);
	return true;
}

bool opencode_answer_question(struct opencode_line *o, const struct back_outcome *reply,
                              struct error *why)
{
	struct opencode_question *q = question_of_prompt(o->memory, reply->id);

	if (o->is_over || !o->is_live)
		return error_set(why, "opencode is not connected");
	if (!q || q->is_sent || q->n == q->count)
		return q || o->is_synced || !reply->is_given ||
		       error_set(why, "what opencode asks is not known yet");
	if (reply->value.len)
		take_value(o, q, reply->value);
	else if (reply->is_given)
		send_answers(o, q, true);
	return true;
}

/* ---- at each connection ---- */

void opencode_unlist_questions(struct opencode_memory *m)
{
	list_each(&m->questions, l)
		list_of(l, struct opencode_question, in_memory)->is_listed = false;
}

void opencode_list_question(struct opencode_line *o, yyjson_val *record)
{
	struct opencode_question *q = learn(o->memory, record);

	if (q)
		q->is_listed = true;
}

bool opencode_asks_question(const struct opencode_memory *m, struct text prompt)
{
	return question_of_prompt(m, prompt) != NULL;
}

void opencode_ask_listed(struct opencode_line *o, const struct map *shown)
{
	list_each(&o->memory->questions, l) {
		struct opencode_question *q = list_of(l, struct opencode_question, in_memory);
		char own[OWN_ID_MAX];

		own_id(q, own);
		if (!q->is_listed)
			withdraw(q, "opencode does not ask for it any more");
		else if (q->n == q->count && !q->is_sent)
			send_answers(o, q, false);
		else if (q->n < q->count && !q->is_sent && !map_get(shown, text_of(own)))
			ask_people(q);
	}
}
