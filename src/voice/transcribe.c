/* transcribe.c - see transcribe.h. */
#include "voice/transcribe.h"

#include <stdlib.h>

#include "base/must.h"
#include "net/loop.h"
#include "parse/fault.h"
#include "voice/heard.h"
#include "voice/http_engine.h"

#define MODEL "whisper-1" /* a name that every such server takes */

struct transcribe {
	const struct voice_means *means;
	struct voice_ear ear;
	struct request *request; /* NULL: it is over */
	int status;
	struct heard_answer heard;
	struct buf refusal;
};

/* ---- telling; whatever tells is the last that its caller does ---- */

static void tell_owner(const struct transcribe *t, const struct voice_fact *fact)
{
	t->ear.told(t->ear.self, t->ear.turn, fact);
}

static void tell_spoken(const struct transcribe *t, enum voice_fact_kind kind, struct text words)
{
	tell_owner(t, &(struct voice_fact){.kind = kind,
	                                   .text = text_trim(words),
	                                   .now_ms = loop_now_ms(t->means->around->loop)});
}

static void give_up(struct transcribe *t)
{
	request_cancel(t->request);
	t->request = NULL;
}

static void tell_failure(struct transcribe *t, const struct voice_fact *failure)
{
	struct voice_fact fact = *failure;
	struct error words;

	error_set(&words, "%.*s", TEXT_ARG(failure->text)); /* of what may be gone with it */
	fault_hide(words.words, t->means->credential);
	fact.kind = FACT_FAILED;
	fact.text = text_of(words.words);
	fact.now_ms = loop_now_ms(t->means->around->loop);
	give_up(t);
	tell_owner(t, &fact);
}

/* What it says is no answer. */
static void tell_broken(struct transcribe *t, const char *why)
{
	tell_failure(t, &(struct voice_fact){.code = VOICE_ENGINE_UNAVAILABLE,
	                                     .retryable = false,
	                                     .text = text_of(why)});
}

/* The words outlive it, because a session stops it before it passes them on. */
static void tell_final(struct transcribe *t)
{
	struct buf words = t->heard.words;

	buf_init(&t->heard.words, 0);
	give_up(t);
	if (heard_is_speech(buf_text(&words)))
		tell_spoken(t, FACT_FINAL, buf_text(&words));
	else
		tell_failure(t, &(struct voice_fact){
					.code = VOICE_NO_SPEECH,
					.retryable = true,
					.text = TEXT("nothing was said that can be understood")});
	buf_finish(&words);
}

static void tell_news(struct transcribe *t, enum heard_news news)
{
	if (news == HEARD_SOME)
		tell_spoken(t, FACT_PARTIAL, buf_text(&t->heard.words));
	else if (news == HEARD_ALL)
		tell_final(t);
	else if (news == HEARD_BROKEN)
		tell_broken(t, t->heard.why.words);
}

/* ---- the answer ---- */

static void hear_head(void *self, const struct request_head *head)
{
	struct transcribe *t = self;
	struct error why;

	t->status = head->status;
	if (!fault_is(t->status) && !heard_begin(&t->heard, head->content_type, &why))
		tell_broken(t, why.words);
}

static void hear_body(void *self, struct text bytes)
{
	struct transcribe *t = self;

	if (fault_is(t->status))
		buf_add(&t->refusal, bytes);
	else
		tell_news(t, heard_feed(&t->heard, bytes));
}

static void transcribe_ends(void *self, const char *why)
{
	struct transcribe *t = self;
	struct http_engine_end end = {
		.status = t->status,
		.body = buf_text(&t->refusal),
		.why = why,
		.is_for_good = request_fault(t->request) >= REQUEST_STRANGER,
	};
	struct voice_fact failed;
	struct error words;

	t->request = NULL;
	if (!http_engine_refuses(&end)) {
		tell_news(t, heard_end(&t->heard));
		return;
	}
	failed = http_engine_failed(t->means, &end, &words);
	tell_owner(t, &failed);
}

/* ---- its life ---- */

void transcribe_begin_form(struct multipart *form, const struct voice_means *means, size_t file_max)
{
	multipart_begin(form, file_max);
	multipart_add(form, "model", text_of(means->model ? means->model : MODEL));
	if (means->language)
		multipart_add(form, "language", text_of(means->language));
	multipart_add(form, "response_format", TEXT("json"));
	multipart_add(form, "stream", TEXT("true"));
}

struct transcribe *transcribe_start(const struct voice_means *means, const struct multipart *form,
                                    const struct voice_ear *ear, struct error *why)
{
	struct transcribe *t = must_zero(1, sizeof(*t));

	t->means = means;
	t->ear = *ear;
	heard_init(&t->heard);
	buf_init(&t->refusal, HTTP_ENGINE_FAULT_MAX);
	t->request = http_engine_ask(&(struct http_engine_ask){.means = means,
	                                                       .route = "/audio/transcriptions",
	                                                       .type = form->header,
	                                                       .body = buf_text(&form->body),
	                                                       .answer_max = HEARD_ANSWER_MAX,
	                                                       .self = t,
	                                                       .head = hear_head,
	                                                       .heard = hear_body,
	                                                       .done = transcribe_ends},
	                             why);
	if (t->request)
		return t;
	transcribe_stop(t);
	return NULL;
}

void transcribe_stop(struct transcribe *t)
{
	if (!t)
		return;
	give_up(t);
	heard_finish(&t->heard);
	buf_finish(&t->refusal);
	free(t);
}
