/* questions.c - questions: events, lists, and answers by the names of options. */
#include "gateway/questions.h"

#include "base/put.h"
#include "gateway/decide.h"
#include "gateway/inquiry.h"
#include "gateway/pending.h"
#include "hub/person.h"
#include "run/prompts.h"

#define LIST_MAX (8 * MIB)
#define ONE_MAX (512 * KIB)
#define VALUE_MAX PROMPT_VALUE_MAX

static const char *status_of(const struct prompt *p)
{
	return p->state == PROMPT_OPEN ? "pending" : prompt_state_name(p->state);
}

static void put_record(const struct gateway *g, const struct inquiry *q, const struct prompt *p,
                       struct buf *out)
{
	put_object(out, NULL);
	put_word(out, "id", p->id);
	put_list(out, "questions");
	put_object(out, NULL);
	put_word(out, "questionId", INQUIRY_ID);
	put_word(out, "header", "Question");
	inquiry_put_words(q, p, out);
	inquiry_put_options(q, out);
	put_bool(out, "multiSelect", p->type == PROMPT_MULTI && !q->is_listed);
	put_end(out);
	put_list_end(out);
	pending_put_place(g, p, true, out);
	pending_put_times(p, out);
	put_word(out, "status", status_of(p));
	if (p->state == PROMPT_ANSWERED)
		inquiry_put_answers(q, p, out);
	if (p->by)
		pending_put_answerer(p, "resolvedBy", out);
	put_end(out);
}

/* ---- events ---- */

static bool write_event(struct gateway *g, const struct prompt *p, const struct pending_class *of,
                        struct buf *out)
{
	struct inquiry q;

	if (of->protocol == GATEWAY_OLDEST || !prompt_is_answerable(p, of->may))
		return false;
	inquiry_init(&q, p, of->may);
	openclaw_wire_event(out, p->state == PROMPT_OPEN ? OPENCLAW_QUESTION_REQUESTED
	                                                 : OPENCLAW_QUESTION_RESOLVED);
	if (p->state == PROMPT_OPEN) {
		put_key(out, "payload");
		put_record(g, &q, p, out);
	} else {
		put_object(out, "payload");
		put_word(out, "id", p->id);
		put_word(out, "status", status_of(p));
		if (p->state == PROMPT_ANSWERED)
			inquiry_put_answers(&q, p, out);
		put_end(out);
	}
	put_end(out);
	inquiry_finish(&q);
	return true;
}

void gateway_tell_question(struct gateway *g, const struct prompt *p)
{
	struct inquiry q;
	struct buf out;

	if (p->state != PROMPT_OPEN) {
		inquiry_init(&q, p, ANSWERS_PLAIN);
		buf_init(&out, ONE_MAX);
		put_record(g, &q, p, &out);
		if (!out.full)
			pending_settle(g, p,
			               &(struct pending_end){OPERATOR_QUESTIONS, status_of(p),
			                                     buf_text(&out)});
		buf_finish(&out);
		inquiry_finish(&q);
	}
	pending_tell(g, p, OPERATOR_QUESTIONS, write_event);
}

/* ---- lists ---- */

static bool is_question(const struct gateway_call *call, const struct prompt *p)
{
	return p && decide_kind(p) == DECIDE_NOTHING &&
	       prompt_is_answerable(p, client_answers(call->view->client));
}

static void put_one(const struct gateway_call *call, const struct prompt *p, struct buf *out)
{
	struct inquiry q;

	inquiry_init(&q, p, client_answers(call->view->client));
	put_record(call->gateway, &q, p, out);
	inquiry_finish(&q);
}

void gateway_question_list(const struct gateway_call *call)
{
	struct buf out;

	buf_init(&out, LIST_MAX);
	put_object(&out, NULL);
	put_list(&out, "questions");
	list_each(prompts_open(call->gateway->options.prompts), l) {
		const struct prompt *p = list_of(l, struct prompt, in_open);
		size_t len = out.len;

		if (is_question(call, p))
			put_one(call, p, &out);
		if (pending_list_ends(&out, len))
			break;
	}
	put_list_end(&out);
	put_end(&out);
	gateway_answer_buf(call, &out);
	buf_finish(&out);
}

static void refuse_unknown(const struct gateway_call *call)
{
	struct error words;

	error_set(&words, "question '%.*s' was not found",
	          TEXT_ARG(json_text_at(call->params, "id")));
	pending_refuse(call, words.words, FAULT_QUESTION_NOT_FOUND, NULL);
}

void gateway_question_get(const struct gateway_call *call)
{
	struct text id = json_text_at(call->params, "id");
	const struct prompt *p = prompts_find(call->gateway->options.prompts, id);
	const struct pending_end *end = pending_settled(call->gateway, id, OPERATOR_QUESTIONS);
	struct buf out;

	if (!p || (p->state != PROMPT_OPEN && !end) ||
	    (p->state == PROMPT_OPEN && !is_question(call, p))) {
		refuse_unknown(call);
		return;
	}
	buf_init(&out, ONE_MAX);
	put_object(&out, NULL);
	put_key(&out, "question");
	if (p->state == PROMPT_OPEN)
		put_one(call, p, &out);
	else
		buf_add(&out, end->json);
	put_end(&out);
	gateway_answer_buf(call, &out);
	buf_finish(&out);
}

/* ---- answering ---- */

static bool refuse_answer(const struct gateway_call *call, const char *reason)
{
	struct error words;

	error_set(&words, "question '" INQUIRY_ID "' %s", reason);
	pending_refuse(call, words.words, FAULT_QUESTION_INVALID_ANSWER, NULL);
	return false;
}

static bool add_option(const struct gateway_call *call, const struct inquiry *q, struct text called,
                       struct buf *value)
{
	yyjson_val *option = inquiry_option(q, text_trim(called));

	if (!option)
		return refuse_answer(call, "contains an unknown option");
	put_key(value, NULL);
	json_add(value, yyjson_obj_get(option, "value"));
	return true;
}

/* Some, with commas between them. */
static bool add_options(const struct gateway_call *call, const struct inquiry *q,
                        struct text called, struct buf *value)
{
	while (called.at) {
		struct text one = text_cut(called, ',', &called);

		if (!add_option(call, q, one, value))
			return false;
	}
	return true;
}

static bool add_answer(const struct gateway_call *call, const struct inquiry *q,
                       const struct prompt *p, struct text words, struct buf *value)
{
	if (!words.len)
		return refuse_answer(call, "contains an empty answer");
	if (p->type == PROMPT_MULTI && q->is_listed)
		return add_options(call, q, words, value);
	if (p->type != PROMPT_TEXT)
		return add_option(call, q, words, value);
	put_text(value, NULL, words);
	return true;
}

/* As a value of the prompt. */
static bool read_answer(const struct gateway_call *call, const struct inquiry *q,
                        const struct prompt *p, struct buf *value)
{
	yyjson_val *given = yyjson_obj_get(
		yyjson_obj_get(yyjson_obj_get(call->params, "answers"), "answers"), INQUIRY_ID);
	yyjson_val *one;
	size_t i, count;

	if (!yyjson_arr_size(given))
		return refuse_answer(call, "requires an answer");
	if (p->type != PROMPT_MULTI && yyjson_arr_size(given) > 1)
		return refuse_answer(call, "does not allow multiple answers");
	if (p->type == PROMPT_MULTI)
		put_list(value, NULL);
	yyjson_arr_foreach(given, i, count, one)
	{
		if (!add_answer(call, q, p, text_trim(json_text(one)), value))
			return false;
	}
	if (p->type == PROMPT_MULTI)
		put_list_end(value);
	return !value->full || refuse_answer(call, "is too long");
}

static void put_answered(const struct gateway_call *call, struct buf *out)
{
	yyjson_val *answers = yyjson_obj_get(call->params, "answers");

	put_object(out, NULL);
	put_word(out, "status", answers ? "answered" : "cancelled");
	if (answers) {
		put_key(out, "answers");
		json_add(out, answers);
	}
	put_end(out);
}

static void answer_late(const struct gateway_call *call, const struct prompt *p)
{
	struct error words;

	error_set(&words, "question '%s' is already %s", p->id,
	          p->state == PROMPT_OPEN ? "answered" : prompt_state_name(p->state));
	pending_refuse(call, words.words, FAULT_QUESTION_ALREADY_TERMINAL, NULL);
}

static void give_answer(const struct gateway_call *call, const struct prompt *p, struct text value)
{
	struct buf answer;

	buf_init(&answer, VALUE_MAX);
	put_answered(call, &answer);
	if (answer.full) {
		refuse_answer(call, "is too long");
		buf_finish(&answer);
		return;
	}
	switch (pending_reply(call, p, value, buf_text(&answer))) {
	case BACK_TAKEN:
		break;
	case BACK_ALREADY:
	case BACK_EXPIRED:
		answer_late(call, p);
		break;
	case BACK_INVALID_VALUE:
	case BACK_FORBIDDEN:
		refuse_answer(call, "does not allow this answer");
		break;
	case BACK_UNKNOWN:
		refuse_unknown(call);
		break;
	default:
		gateway_refuse(call, &(struct gateway_fault){FAULT_UNAVAILABLE,
		                                             "question resolve unavailable",
		                                             .retryable = true});
	}
	buf_finish(&answer);
}

/* Only one is asked at a time. */
static bool are_answers_good(const struct gateway_call *call)
{
	yyjson_val *answers = yyjson_obj_get(yyjson_obj_get(call->params, "answers"), "answers");
	struct error words;
	yyjson_obj_iter each = yyjson_obj_iter_with(answers);
	yyjson_val *key;

	if (yyjson_obj_get(call->params, "secretStoreAllowedHosts")) {
		gateway_refuse(call, &(struct gateway_fault){FAULT_INVALID_REQUEST,
		                                             "Secret store allowed hosts "
		                                             "require a store-bound question."});
		return false;
	}
	while ((key = yyjson_obj_iter_next(&each))) {
		if (yyjson_equals_str(key, INQUIRY_ID))
			continue;
		error_set(&words, "question '%.*s' is not part of this request",
		          TEXT_ARG(json_text(key)));
		pending_refuse(call, words.words, FAULT_QUESTION_INVALID_ANSWER, NULL);
		return false;
	}
	return true;
}

void gateway_question_resolve(const struct gateway_call *call)
{
	const struct prompt *p =
		prompts_find(call->gateway->options.prompts, json_text_at(call->params, "id"));
	struct inquiry q;
	struct buf value;

	if (!p || (p->state == PROMPT_OPEN && !is_question(call, p))) {
		refuse_unknown(call);
		return;
	}
	if (p->state != PROMPT_OPEN) {
		answer_late(call, p);
		return;
	}
	if (yyjson_obj_get(call->params, "cancel")) {
		give_answer(call, p, TEXT(""));
		return;
	}
	if (!are_answers_good(call))
		return;
	inquiry_init(&q, p, client_answers(call->view->client));
	buf_init(&value, VALUE_MAX);
	if (read_answer(call, &q, p, &value))
		give_answer(call, p, buf_text(&value));
	buf_finish(&value);
	inquiry_finish(&q);
}
