/* http_engine.c - see http_engine.h. */
#include "voice/http_engine.h"

#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "net/loop.h"
#include "net/url.h"
#include "parse/fault.h"

#define CONNECT_MS 5000

bool http_engine_is_safe(const struct voice_place *place, struct error *why)
{
	return !place->is_hosted || text_starts(text_of(place->written), TEXT("https://")) ||
	       error_set(why, "a credential goes to another machine only by https://");
}

struct request *http_engine_ask(const struct http_engine_ask *ask, struct error *why)
{
	const struct voice_means *means = ask->means;
	struct text base = url_base(text_of(means->place.written));
	char *url = must_print("%.*s%s", TEXT_ARG(base), ask->route);
	char *bearer = means->credential ? must_print("Authorization: Bearer %s", means->credential)
	                                 : NULL;
	const char *const headers[] = {ask->type, bearer, NULL};
	struct request *request = request_start(means->around->requests,
	                                        &(struct request_options){
							.url = url,
							.method = "POST",
							.headers = headers,
							.body = ask->body,
							.may_repeat = true,
							.connect_ms = CONNECT_MS,
							.head_ms = VOICE_PATIENCE_MS,
							.idle_ms = VOICE_PATIENCE_MS,
							.body_max = ask->answer_max,
							.self = ask->self,
							.head = ask->head,
							.heard = ask->heard,
							.done = ask->done,
						},
	                                        why);

	if (bearer)
		explicit_bzero(bearer, strlen(bearer));
	free(bearer);
	free(url);
	return request;
}

bool http_engine_refuses(const struct http_engine_end *end)
{
	return end->why || fault_is(end->status);
}

/* Others of these numbers say that the question was wrong, or where it went. */
static bool may_go_well_later(int status)
{
	return status < 400 || status == 408 || status == 429 || status >= 500;
}

struct voice_fact http_engine_failed(const struct voice_means *means,
                                     const struct http_engine_end *end, struct error *words)
{
	struct voice_fact fact = {.kind = FACT_FAILED,
	                          .code = VOICE_ENGINE_UNAVAILABLE,
	                          .retryable = !end->is_for_good && may_go_well_later(end->status),
	                          .now_ms = loop_now_ms(means->around->loop)};
	struct fault fault;

	if (fault_tells(end->status, end->why)) {
		fault_read(&fault, end->status, end->body);
		fault_hide(fault.words, means->credential);
		error_set(words, "the engine answers %s", fault.words);
	} else {
		error_set(words, "the engine: %s", end->why);
		fault_hide(words->words, means->credential);
	}
	if (end->status == 413)
		fact.code = VOICE_TOO_LONG;
	fact.text = text_of(words->words);
	return fact;
}
