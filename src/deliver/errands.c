/* errands.c - begun, sent again, ended. */
#include "deliver/errands.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/must.h"
#include "base/random.h"
#include "deliver/secret.h"
#include "net/loop.h"

#define TRIES_MAX 3
#define AGAIN_MS 400 /* doubling, a tenth more or less */
#define FULL_MS 100  /* before another one, where there are as many as may be */

int64_t errands_now(const struct errands *all)
{
	return all->options->loop ? (int64_t)loop_now_ms(all->options->loop) : 0;
}

void errands_init(struct errands *all, const struct errands_kind *kind,
                  const struct channel_options *options)
{
	*all = (struct errands){.kind = kind, .options = options};
	all->seed = (uint64_t)errands_now(all) | 1;
	list_init(&all->list);
}

void errands_drop(struct channel_errand *c)
{
	list_remove(&c->in_all);
	c->all->count--;
	if (c->request)
		request_cancel(c->request);
	c->all->kind->drop(c);
	buf_finish(&c->answer);
	free(c->delivery);
	free(c);
}

void errands_finish(struct errands *all)
{
	while (!list_is_empty(&all->list))
		errands_drop(list_of(all->list.next, struct channel_errand, in_all));
}

int64_t errands_ready(const struct errands *all, int64_t now_ms)
{
	return all->count < all->kind->most ? now_ms : now_ms + FULL_MS;
}

char *errands_keep(struct text t)
{
	return t.len ? text_dup(t) : NULL;
}

struct channel_errand *errands_make(struct errands *all, const struct channel_message *m,
                                    enum channel_act act)
{
	struct channel_errand *c = must_zero(1, all->kind->size);

	c->all = all;
	c->act = act;
	c->piece = m->piece;
	c->delivery = errands_keep(m->delivery);
	buf_init(&c->answer, all->kind->answer_max);
	list_init(&c->in_all);
	list_add(&all->list, &c->in_all);
	all->count++;
	return c;
}

/* ---- the end ---- */

void errands_end(struct channel_errand *c, enum channel_answer answer, struct text message,
                 struct text words)
{
	const struct errands *all = c->all;
	struct channel_result result = {.act = c->act, .answer = answer, .piece = c->piece};
	bool is_aside = c->is_aside;
	char id[ERRANDS_ID_MAX + 1], *delivery = c->delivery;
	struct error why;

	snprintf(why.words, sizeof(why.words), "%.*s",
	         words.len < ERRANDS_WHY_MAX ? (int)words.len : ERRANDS_WHY_MAX,
	         words.len ? words.at : "");
	snprintf(id, sizeof(id), "%.*s", (int)message.len, message.len ? message.at : "");
	for (unsigned i = 0; i < 2; i++)
		secret_hide(why.words, all->secrets[i]);
	c->delivery = NULL;
	errands_drop(c);
	result.delivery = text_of(delivery);
	result.message = text_of(id);
	result.why = &why;
	if (!is_aside)
		all->options->answered(all->options->self, &result);
	free(delivery);
}

void errands_refuse(const struct errands *all, const struct channel_message *m,
                    enum channel_act act, const struct channel_result *how)
{
	struct channel_result result = *how;
	struct error why;

	error_set(&why, "%s", all->kind->full);
	result.act = act;
	result.delivery = m->delivery;
	result.piece = m->piece;
	result.why = how->why ? how->why : &why;
	all->options->answered(all->options->self, &result);
}

/* To look changes nothing. */
static void fail_call(struct channel_errand *c, const char *why)
{
	enum channel_answer answer =
		c->has_left && c->act != CHANNEL_LOOK ? CHANNEL_UNKNOWN : CHANNEL_AWAY;

	if (c->all->kind->fail)
		c->all->kind->fail(c, answer, why);
	else
		errands_end(c, answer, TEXT(""), text_of(why));
}

/* ---- requests ---- */

void errands_wait(struct channel_errand *c, int64_t until_ms)
{
	c->due_ms = until_ms > 0 ? until_ms : 1;
	c->all->options->wake(c->all->options->self);
}

void errands_again(struct channel_errand *c, const char *why)
{
	int64_t wait = (int64_t)AGAIN_MS << c->tries;

	if (c->is_aside || ++c->tries >= TRIES_MAX) {
		fail_call(c, why);
		return;
	}
	wait += wait * ((int64_t)(random_draw(&c->all->seed) % 21) - 10) / 100;
	errands_wait(c, errands_now(c->all) + wait);
}

static void call_head(void *self, const struct request_head *head)
{
	struct channel_errand *c = self;

	c->head = (struct request_head){.status = head->status,
	                                .retry_after_ms = head->retry_after_ms};
}

static void call_heard(void *self, struct text bytes)
{
	buf_add(&((struct channel_errand *)self)->answer, bytes);
}

static void call_done(void *self, const char *why)
{
	struct channel_errand *c = self;
	bool is_unheard = why && (request_fault(c->request) != REQUEST_BROKEN ||
	                          (c->has_body && request_sent(c->request) == 0));

	c->request = NULL;
	c->has_left |= why && !is_unheard;
	if (!why)
		c->all->kind->judge(c);
	else if (is_unheard || c->may_repeat)
		errands_again(c, why);
	else
		fail_call(c, why);
}

void errands_start(struct channel_errand *c)
{
	const struct errands_kind *kind = c->all->kind;
	struct request_options o = {.head_ms = kind->total_ms,
	                            .total_ms = kind->total_ms,
	                            .body_max = kind->answer_max,
	                            .self = c,
	                            .head = call_head,
	                            .heard = call_heard,
	                            .done = call_done};
	struct error why;

	c->due_ms = 0;
	c->head = (struct request_head){0};
	buf_clear(&c->answer);
	c->request = kind->start(c, &o, &why);
	c->has_body = o.body.len > 0;
	if (!c->request)
		errands_again(c, why.words);
}

/* ---- time ---- */

static bool is_due(struct channel_errand *c, int64_t now_ms)
{
	if (!c->due_ms || c->due_ms > now_ms)
		return false;
	if (c->all->kind->ready)
		c->due_ms = c->all->kind->ready(c, now_ms);
	return c->due_ms <= now_ms;
}

/* What is answered may begin or end others: it is looked for from the first on. */
static struct channel_errand *next_due(struct errands *all, int64_t now_ms)
{
	list_each(&all->list, l) {
		struct channel_errand *c = list_of(l, struct channel_errand, in_all);

		if (is_due(c, now_ms))
			return c;
	}
	return NULL;
}

int64_t errands_tick(struct errands *all, int64_t now_ms)
{
	int64_t due = INT64_MAX;
	struct channel_errand *next;

	while ((next = next_due(all, now_ms)))
		errands_start(next);
	list_each(&all->list, l) {
		const struct channel_errand *c = list_of(l, struct channel_errand, in_all);

		if (c->due_ms && c->due_ms < due)
			due = c->due_ms;
	}
	return due;
}
