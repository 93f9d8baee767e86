/* opencode_questions.c - what opencode's tool `question` asks people, and what they answer.
 *
 * One request has several questions.  They are asked one after the other, each as a prompt
 * `ID#N`, `ID#N+` for a text of one's own, and go back in one answer.  What was answered so far
 * of several lives as long as the box; after a restart they are asked again.
 */
#include <stdio.h>

#include "base/put.h"
#include "source/opencode/opencode_parts.h"
#include "source/question.h"

#define RECORD_MAX (128 * KIB)
#define PROMPT_MAX (512 * KIB)

bool opencode_is_question(struct text id)
{
	return text_find(id, '#') >= 0;
}

static void opencode_questions_answer(struct asking *q, yyjson_val *record)
{
	buf_add(&q->answers, q->answers.len ? TEXT(",[") : TEXT("["));
	buf_add(&q->answers, buf_text(&q->values));
	buf_add_char(&q->answers, ']');
}

void opencode_begin_questions(struct opencode_memory *m)
{
	m->questions = (struct askings){.source = m->source,
	                                .prefix = "",
	                                .record_max = RECORD_MAX,
	                                .answer = opencode_questions_answer};
	askings_init(&m->questions);
}

/* NULL: nobody can be asked about it here. */
static struct asking *learn(struct opencode_memory *m, yyjson_val *record)
{
	struct text session = json_text_at(record, "sessionID");
	struct asking *q;

	if (!opencode_is_name(json_text_at(record, "id")) || !opencode_is_name(session))
		return NULL;
	q = asking_learn(&m->questions, record);
	if (q && !q->session[0])
		memcpy(q->session, session.at, session.len);
	return q;
}

/* ---- asking ---- */

static void ask_people(struct opencode_memory *m, const struct asking *q)
{
	yyjson_doc *doc = yyjson_read(q->record, strlen(q->record), 0);
	char own[ASKING_PROMPT_MAX];
	struct buf members;

	asking_prompt(q, own);
	buf_init(&members, PROMPT_MAX);
	put_word(&members, "id", own);
	buf_add_char(&members, ',');
	asking_members(q, yyjson_doc_get_root(doc), 0, &members);
	if (!members.full)
		opencode_tell_prompt(m->parse, text_of(q->session), buf_text(&members));
	buf_finish(&members);
	yyjson_doc_free(doc);
}

/* ---- the server's verdict ---- */

/* What was chosen for the question that a prompt is about. */
static void decide_chosen(struct asking *q, yyjson_val *answers)
{
	struct buf words;

	buf_init(&words, ASKING_ANSWERS_MAX);
	asking_add_texts(&words, yyjson_arr_get(answers, asking_number(q)));
	asking_decide(q, !q->is_sent, words.len ? buf_text(&words) : TEXT("answered"));
	buf_finish(&words);
}

void opencode_hear_question(struct opencode_line *o, struct text type, yyjson_val *properties)
{
	struct askings *all = &o->memory->questions;
	struct asking *q = asking_find(all, json_text_at(properties, "requestID"));

	if (text_is(type, "question.asked") && !asking_find(all, json_text_at(properties, "id"))) {
		q = learn(o->memory, properties);
		if (q) {
			q->is_listed = true;
			ask_people(o->memory, q);
		}
	} else if (q && text_is(type, "question.rejected")) {
		asking_decide(q, !q->is_sent, TEXT("rejected"));
	} else if (q && text_is(type, "question.replied")) {
		decide_chosen(q, yyjson_obj_get(properties, "answers"));
	}
}

/* What it refused it may still want to know. */
static void answer_taken(struct opencode_line *o, const struct opencode_call *call,
                         yyjson_val *answer)
{
	struct asking *q = asking_find(&o->memory->questions, text_of(call->what));
	char remark[320];

	if (!q)
		return;
	if (answer) {
		asking_decide(q, false, call->token ? TEXT("rejected") : TEXT("answered"));
	} else if (call->status == 404) {
		asking_withdraw(q, "opencode does not ask for it any more");
	} else {
		snprintf(remark, sizeof(remark), "opencode did not take that answer: %s",
		         call->why);
		q->is_sent = false;
		if (!call->status) /* it is sent again at the next connection */
			return;
		source_bad(o->source, remark);
		asking_begin_again(q, remark);
		ask_people(o->memory, q);
	}
}

static void send_answers(struct opencode_line *o, struct asking *q, bool is_rejected)
{
	struct opencode_seen seen = {0};
	char route[OPENCODE_ID_MAX + 32];
	struct buf body;

	opencode_find(o->memory->parse, text_of(q->session), &seen);
	snprintf(route, sizeof(route), "/question/%s/%s", q->id, is_rejected ? "reject" : "reply");
	buf_init(&body, 2 * ASKING_ANSWERS_MAX);
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
}

/* ---- answers ---- */

bool opencode_answer_question(struct opencode_line *o, const struct back_outcome *reply,
                              struct error *why)
{
	struct asking *q = asking_of_prompt(&o->memory->questions, reply->id);

	if (o->is_over || !o->is_live)
		return error_set(why, "opencode is not connected");
	if (!q || q->is_sent || q->n == q->count)
		return q || o->is_synced || !reply->is_given ||
		       error_set(why, "what opencode asks is not known yet");
	if (reply->value.len && !asking_take(q, reply->value))
		ask_people(o->memory, q);
	else if (reply->value.len || reply->is_given)
		send_answers(o, q, !reply->value.len);
	return true;
}

/* ---- at each connection ---- */

void opencode_list_question(struct opencode_line *o, yyjson_val *record)
{
	struct asking *q = learn(o->memory, record);

	if (q)
		q->is_listed = true;
}

bool opencode_asks_question(const struct opencode_memory *m, struct text prompt)
{
	return asking_of_prompt(&m->questions, prompt) != NULL;
}

void opencode_ask_listed(struct opencode_line *o, const struct map *shown)
{
	list_each(&o->memory->questions.all, l) {
		struct asking *q = list_of(l, struct asking, in_all);
		char own[ASKING_PROMPT_MAX];

		asking_prompt(q, own);
		if (!q->is_listed)
			asking_withdraw(q, "opencode does not ask for it any more");
		else if (q->n == q->count && !q->is_sent)
			send_answers(o, q, false);
		else if (q->n < q->count && !q->is_sent && !map_get(shown, text_of(own)))
			ask_people(o->memory, q);
	}
}
