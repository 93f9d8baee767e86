/* telegram_files.c - files that people sent: getFile says where one is, then it is fetched. */
#include <stdlib.h>

#include "base/must.h"
#include "base/put.h"
#include "deliver/telegram/telegram_inside.h"

#define CALL_MS 20000
#define ANSWER_MAX (64 * KIB)

struct telegram_question {
	struct telegram_chat *chat;
	uint64_t number;
	struct request *request;
	struct buf body;
	struct link in_chat;
};

static void hide(void *self, char *words, size_t room)
{
	secret_hide(words, ((struct telegram_chat *)self)->token);
}

void telegram_files_init(struct telegram_chat *t)
{
	list_init(&t->questions);
	fetches_init(&t->fetches, &t->options);
	t->fetches.self = t;
	t->fetches.hide = hide;
}

static void free_question(struct telegram_question *q)
{
	list_remove(&q->in_chat);
	if (q->request)
		request_cancel(q->request);
	buf_finish(&q->body);
	free(q);
}

void telegram_files_finish(struct telegram_chat *t)
{
	while (!list_is_empty(&t->questions))
		free_question(list_of(t->questions.next, struct telegram_question, in_chat));
	fetches_finish(&t->fetches);
}

static void fetch_path(struct telegram_chat *t, uint64_t number, struct text path)
{
	char *url = must_print("%s/%.*s", t->files, TEXT_ARG(path));

	fetches_web(&t->fetches, number,
	            &(struct download_options){
			    .url = url, .is_direct = t->is_direct, .is_fixed = true});
	secret_forget(url);
}

static void question_heard(void *self, struct text bytes)
{
	buf_add(&((struct telegram_question *)self)->body, bytes);
}

static void question_done(void *self, const char *why)
{
	struct telegram_question *q = self;
	struct telegram_chat *t = q->chat;
	uint64_t number = q->number;
	struct telegram_answer answer = {0};
	bool is_answer = !why && telegram_read_answer(&t->reader, buf_text(&q->body), &answer);
	struct text path = answer.is_good ? telegram_read_path(answer.result) : TEXT("");

	q->request = NULL;
	free_question(q);
	if (why)
		fetches_fail(&t->fetches, number, text_of(why));
	else if (path.len)
		fetch_path(t, number, path);
	else
		fetches_fail(&t->fetches, number,
		             is_answer && answer.why.len
		                     ? answer.why
		                     : TEXT("Telegram does not say where it is"));
}

void telegram_fetch(void *self, const struct channel_fetch *fetch)
{
	struct telegram_chat *t = self;
	struct telegram_question *q = must_zero(1, sizeof(*q));
	struct request_options o = {.head_ms = CALL_MS,
	                            .total_ms = CALL_MS,
	                            .body_max = ANSWER_MAX,
	                            .may_repeat = true,
	                            .self = q,
	                            .heard = question_heard,
	                            .done = question_done};
	struct error why;
	struct buf body;

	q->chat = t;
	q->number = fetch->number;
	buf_init(&q->body, ANSWER_MAX);
	list_init(&q->in_chat);
	list_add(&t->questions, &q->in_chat);
	buf_init(&body, 4 * KIB);
	put_object(&body, NULL);
	put_text(&body, "file_id", fetch->where);
	put_end(&body);
	o.body = buf_text(&body);
	q->request = telegram_start(t, "getFile", &o, &why);
	buf_finish(&body);
	if (q->request)
		return;
	free_question(q);
	fetches_fail(&t->fetches, fetch->number, text_of(why.words));
}
