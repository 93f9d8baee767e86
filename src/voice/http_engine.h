/* http_engine.h - how an engine with the routes of OpenAI is asked, and what its failures mean.
 *
 * A credential goes to the place that the configuration names and nowhere else: redirects are not
 * followed (net/request.h), and another machine gets it by https alone.
 */
#ifndef VOICE_HTTP_ENGINE_H
#define VOICE_HTTP_ENGINE_H

#include "net/request.h"
#include "voice/means.h"

#define HTTP_ENGINE_FAULT_MAX (16 * KIB) /* of a refusal that is read */

/* May a credential go there?  For the configuration. */
bool http_engine_is_safe(const struct voice_place *place, struct error *why);

/* Everything is copied, but for the means and self. */
struct http_engine_ask {
	const struct voice_means *means;
	const char *route; /* "/audio/speech" */
	const char *type;  /* of the body: "Content-Type: ..." */
	struct text body;
	size_t answer_max; /* bytes */
	void *self;        /* as in request.h, and so are these: */
	void (*head)(void *self, const struct request_head *head);
	void (*heard)(void *self, struct text bytes);
	void (*done)(void *self, const char *why);
};
struct request *http_engine_ask(const struct http_engine_ask *ask, struct error *why);

/* How an answer ended. */
struct http_engine_end {
	int status;       /* 0: there is none */
	struct text body; /* of a refusal */
	const char *why;  /* of done() */
	bool is_for_good; /* asking again makes no sense */
};
bool http_engine_refuses(const struct http_engine_end *end);
/* FACT_FAILED, whose text is in words. */
struct voice_fact http_engine_failed(const struct voice_means *means,
                                     const struct http_engine_end *end, struct error *words);

#endif
