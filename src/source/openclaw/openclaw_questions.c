/* openclaw_questions.c - what a gateway's agents ask people, and what they answer.
 *
 * One request has up to three questions.  They are asked one after the other, each as a
 * prompt `question:ID#N`, `question:ID#N+` for a text of one's own, and go back in one
 * question.resolve.  A request that wants a secret is not asked about: answers are on the
 * disk here.  What was answered so far of several lives as long as the box; after a
 * restart they are asked again.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/put.h"
#include "base/utf8.h"
#include "signal/make.h"
#include "source/openclaw/openclaw_call.h"
#include "source/openclaw/openclaw_parts.h"
#include "source/question.h"

#define PREFIX "question:"
#define RECORD_MAX (64 * KIB)
#define SHOWN_MAX 256
#define WORDS_MAX 160

bool openclaw_is_question(struct text id)
{
	return text_starts(id, TEXT(PREFIX));
}

static void openclaw_questions_answer(struct asking *q, yyjson_val *record)
{
	question_answer_values(&q->answers, record, q->n, buf_text(&q->values));
}

void openclaw_begin_questions(struct openclaw_memory *m)
{
	m->questions = (struct askings){.source = m->source,
	                                .prefix = PREFIX,
	                                .record_max = RECORD_MAX,
	                                .answer = openclaw_questions_answer};
	askings_init(&m->questions);
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

/* ---- asking ---- */

static void openclaw_questions_ask(const struct asking *q)
{
	struct source *source = q->askings->source;
	yyjson_doc *doc = yyjson_read(q->record, strlen(q->record), 0);
	yyjson_val *record = yyjson_doc_get_root(doc);
	struct text agent = json_text(yyjson_obj_get(record, "agentId"));
	yyjson_val *deadline = yyjson_obj_get(record, "expiresAtMs");
	char own[ASKING_PROMPT_MAX];
	struct make m;
	struct buf out;

	asking_prompt(q, own);
	buf_init(&out, MIB);
	make_begin(&m, &out,
	           &(struct make_head){.type = "prompt",
	                               .source = source_id(source),
	                               .correlation = json_text_at(record, "runId")});
	make_payload(&m);
	make_word(&m, "id", own);
	buf_add_char(&out, ',');
	asking_members(q, record, QUESTION_STRICT, &out);
	if (yyjson_is_uint(deadline))
		make_u64(&m, "deadline", yyjson_get_uint(deadline));
	make_text(&m, "invokeid", agent.len ? agent : TEXT("openclaw"));
	if (make_end(&m))
		source_received(source, buf_text(&out));
	buf_finish(&out);
	yyjson_doc_free(doc);
}

/* ---- the gateway's verdict ---- */

/* What was answered to the question that a prompt is about; else how it ended. */
static void openclaw_questions_settle(struct asking *q, yyjson_val *event)
{
	yyjson_val *answers = yyjson_obj_get(yyjson_obj_get(event, "answers"), "answers");
	struct text status = json_text(yyjson_obj_get(event, "status"));
	yyjson_doc *doc = yyjson_read(q->record, strlen(q->record), 0);
	yyjson_val *questions = yyjson_obj_get(yyjson_doc_get_root(doc), "questions");
	struct text id = json_text_at(yyjson_arr_get(questions, asking_number(q)), "questionId");
	struct buf words;

	buf_init(&words, ASKING_ANSWERS_MAX);
	asking_add_texts(&words, id.len ? yyjson_obj_getn(answers, id.at, id.len) : NULL);
	if (!words.len)
		buf_add(&words, status.len ? status : TEXT("answered"));
	asking_decide(q, !q->is_sent, buf_text(&words));
	buf_finish(&words);
	yyjson_doc_free(doc);
}

/* What it refused it may still want to know: then it lists it. */
static void take_verdict(struct openclaw *o, const struct openclaw_wait *wait, yyjson_val *answer)
{
	struct asking *q = asking_find(&o->memory->questions, text_of(wait->what));
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
	asking_begin_again(q, remark);
	openclaw_list_questions(o);
}

static void resolve(struct openclaw *o, struct asking *q, bool is_cancelled)
{
	struct openclaw_asked asked = {.method = openclaw_method_name(METHOD_QUESTION_RESOLVE),
	                               .what = text_of(q->id),
	                               .take = take_verdict};
	struct buf params;

	buf_init(&params, 2 * ASKING_ANSWERS_MAX);
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
}

/* ---- answers ---- */

bool openclaw_answer(struct openclaw *o, const struct back_outcome *reply, struct error *why)
{
	struct asking *q = asking_of_prompt(&o->memory->questions, reply->id);

	if (o->is_over || o->step != STEP_LIVE)
		return error_set(why, "the gateway is not connected");
	if (!(o->scopes & OPERATOR_QUESTIONS))
		return error_set(why, "the gateway did not grant operator.questions");
	if (!q || q->is_sent || q->n == q->count)
		return q || o->knows_questions || !reply->is_given ||
		       error_set(why, "what the gateway asks is not known yet");
	if (reply->value.len && !asking_take(q, reply->value))
		openclaw_questions_ask(q);
	else if (reply->value.len || reply->is_given)
		resolve(o, q, !reply->value.len);
	return true;
}

/* ---- what the gateway tells ---- */

/* NULL: nobody can be asked about it here. */
static struct asking *learn(struct openclaw_memory *m, yyjson_val *record)
{
	return wants_secret(record) ? NULL : asking_learn(&m->questions, record);
}

static void take_resolved(struct openclaw *o, yyjson_val *event)
{
	struct text id = json_text(yyjson_obj_get(event, "id"));
	struct asking *q = asking_find(&o->memory->questions, id);

	openclaw_note_decided(o, id);
	if (q)
		openclaw_questions_settle(q, event);
}

void openclaw_note_question(struct openclaw *o, enum openclaw_event event, yyjson_val *payload)
{
	struct asking *q;

	if (o->is_over || !(o->scopes & OPERATOR_QUESTIONS))
		return;
	if (event == OPENCLAW_QUESTION_RESOLVED)
		take_resolved(o, payload);
	if (event != OPENCLAW_QUESTION_REQUESTED ||
	    asking_find(&o->memory->questions, json_text_at(payload, "id")))
		return;
	q = learn(o->memory, payload);
	if (!q)
		return;
	q->is_listed = true;
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

static bool openclaw_questions_is_shown(const struct shown_questions *shown, const struct asking *q)
{
	char own[ASKING_PROMPT_MAX];

	asking_prompt(q, own);
	for (size_t i = 0; i < shown->count; i++)
		if (strcmp(shown->ids[i], own) == 0)
			return true;
	return false;
}

/* Those that nobody asks any more, or that are asked from the beginning again. */
static void withdraw_shown(struct openclaw *o, const struct shown_questions *shown, const char *why)
{
	for (size_t i = 0; i < shown->count; i++)
		if (!asking_of_prompt(&o->memory->questions, text_of(shown->ids[i])))
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
	struct asking *q;
	yyjson_val *one;

	while ((one = yyjson_arr_iter_next(&each))) {
		if (openclaw_is_decided(o, json_text(yyjson_obj_get(one, "id"))))
			continue;
		q = learn(o->memory, one);
		if (q)
			q->is_listed = true;
	}
	list_each(&o->memory->questions.all, l) {
		q = list_of(l, struct asking, in_all);
		if (!q->is_listed)
			asking_withdraw(q, "the gateway does not ask for it any more");
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
	list_each(&o->memory->questions.all, l) {
		struct asking *q = list_of(l, struct asking, in_all);

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
	struct openclaw_asked asked = {.method = openclaw_method_name(METHOD_QUESTION_LIST),
	                               .params = TEXT("{}"),
	                               .take = take_list};
	struct shown_questions shown = {.count = 0};

	askings_unlist(&o->memory->questions);
	if (o->scopes & OPERATOR_QUESTIONS && openclaw_has(o, METHOD_QUESTION_LIST)) {
		openclaw_wait(o, &asked);
		return;
	}
	askings_forget(&o->memory->questions);
	source_each_prompt(o->source, keep_shown, &shown);
	withdraw_shown(o, &shown, "the gateway did not grant operator.questions");
	forget_shown(&shown);
}
