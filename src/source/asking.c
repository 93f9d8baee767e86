/* asking.c - which question of which request is asked, and what was answered so far. */
#include "source/asking.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/must.h"
#include "base/utf8.h"
#include "signal/json.h"
#include "source/question.h"
#include "source/source.h"

#define ASKINGS_MAX 64 /* requests; one more: the oldest is forgotten */

void askings_init(struct askings *all)
{
	list_init(&all->all);
	all->count = 0;
}

static void asking_free(struct asking *q)
{
	list_remove(&q->in_all);
	assert(q->askings->count > 0);
	q->askings->count--;
	buf_finish(&q->values);
	buf_finish(&q->answers);
	free(q->record);
	free(q->note);
	free(q);
}

void askings_forget(struct askings *all)
{
	while (!list_is_empty(&all->all))
		asking_free(list_of(all->all.next, struct asking, in_all));
}

void askings_unlist(struct askings *all)
{
	list_each(&all->all, l)
		list_of(l, struct asking, in_all)->is_listed = false;
}

/* ---- finding ---- */

size_t asking_number(const struct asking *q)
{
	return q->n < q->count ? q->n : q->count - 1;
}

void asking_prompt(const struct asking *q, char out[ASKING_PROMPT_MAX])
{
	snprintf(out, ASKING_PROMPT_MAX, "%s%s#%zu%s", q->askings->prefix, q->id, asking_number(q),
	         q->own ? "+" : "");
}

struct asking *asking_find(const struct askings *all, struct text id)
{
	list_each(&all->all, l) {
		struct asking *q = list_of(l, struct asking, in_all);

		if (text_is(id, q->id))
			return q;
	}
	return NULL;
}

struct asking *asking_of_prompt(const struct askings *all, struct text prompt)
{
	list_each(&all->all, l) {
		struct asking *q = list_of(l, struct asking, in_all);
		char own[ASKING_PROMPT_MAX];

		asking_prompt(q, own);
		if (text_is(prompt, own))
			return q;
	}
	return NULL;
}

/* ---- one more, one less ---- */

static struct asking *asking_add(struct askings *all, struct text id, struct text record)
{
	struct asking *q;

	if (all->count >= ASKINGS_MAX)
		asking_withdraw(list_of(all->all.next, struct asking, in_all),
		                "too many are asked");
	q = must_zero(1, sizeof(*q));
	q->askings = all;
	memcpy(q->id, id.at, id.len);
	q->record = text_dup(record);
	buf_init(&q->values, ASKING_ANSWERS_MAX);
	buf_init(&q->answers, ASKING_ANSWERS_MAX);
	list_add(&all->all, &q->in_all);
	all->count++;
	return q;
}

struct asking *asking_learn(struct askings *all, yyjson_val *record)
{
	struct text id = json_text_at(record, "id");
	struct asking *q = asking_find(all, id);
	size_t count = question_count(record);
	struct buf json;

	if (q || !id.len || id.len > ASKING_ID_MAX || memchr(id.at, '\0', id.len) || !count)
		return q;
	buf_init(&json, all->record_max);
	if (json_add(&json, record)) {
		q = asking_add(all, id, buf_text(&json));
		q->count = count;
	}
	buf_finish(&json);
	return q;
}

void asking_withdraw(struct asking *q, const char *why)
{
	char own[ASKING_PROMPT_MAX];

	asking_prompt(q, own);
	source_withdrew(q->askings->source, text_of(own), why);
	asking_free(q);
}

void asking_decide(struct asking *q, bool is_elsewhere, struct text decision)
{
	struct source_decision decided = {.is_elsewhere = is_elsewhere};
	char *whole = text_dup(utf8_cut(decision, KIB));
	char own[ASKING_PROMPT_MAX];

	asking_prompt(q, own);
	decided.id = text_of(own);
	decided.decision = whole;
	source_decided(q->askings->source, &decided);
	free(whole);
	asking_free(q);
}

/* ---- answers ---- */

bool asking_take(struct asking *q, struct text value)
{
	yyjson_doc *given = yyjson_read(value.at, value.len, 0);
	yyjson_doc *record = yyjson_read(q->record, strlen(q->record), 0);
	bool own = question_choose_values(&q->values, yyjson_doc_get_root(given), q->own);

	assert(q->n < q->count);
	free(q->note);
	q->note = NULL;
	if (!own) {
		q->askings->answer(q, yyjson_doc_get_root(record));
		buf_clear(&q->values);
		q->n++;
	}
	if (q->n < q->count)
		q->own = own;
	yyjson_doc_free(given);
	yyjson_doc_free(record);
	return q->n == q->count;
}

void asking_begin_again(struct asking *q, const char *note)
{
	buf_clear(&q->values);
	buf_clear(&q->answers);
	q->n = 0;
	q->own = q->is_sent = false;
	free(q->note);
	q->note = must_dup(note);
}

/* ---- words ---- */

void asking_members(const struct asking *q, yyjson_val *record, unsigned how, struct buf *out)
{
	question_ask(out, record, q->n, how | (q->own ? QUESTION_OWN : 0),
	             text_of(q->note ? q->note : ""));
}

void asking_add_texts(struct buf *out, yyjson_val *texts)
{
	yyjson_arr_iter each = yyjson_arr_iter_with(texts);
	yyjson_val *one;

	while ((one = yyjson_arr_iter_next(&each))) {
		buf_add(out, out->len ? TEXT(", ") : TEXT(""));
		buf_add(out, json_text(one));
	}
}
