/* refuse.c - answers, and refusals with what goes with each. */
#include <stdio.h>

#include "base/log.h"
#include "web/inside.h"

void web_answer(struct http *http, const struct buf *json)
{
	http_answer(http, 200, "application/json", buf_text(json), NULL);
}

void web_refuse(struct http *http, unsigned status, const char *words, const char *extra)
{
	http_refuse(http, &(struct http_refusal){status, .words = words, .extra = extra});
}

void web_refuse_haste(struct http *http, unsigned wait_ms)
{
	char extra[40], more[32];

	snprintf(extra, sizeof(extra), "Retry-After: %u\r\n", (wait_ms + 999) / 1000);
	snprintf(more, sizeof(more), ",\"wait\":%u", wait_ms);
	http_refuse(http, &(struct http_refusal){
				  429,
				  .words = "more signals a second than limits.rate allows",
				  .more = more,
				  .extra = extra,
			  });
}

unsigned web_count_wrong(struct web *web)
{
	unsigned wait_s = throttle_fail(&web->throttle, loop_now_ms(web->options.loop));

	/* Those that are not heard out are not logged either: that bounds the log. */
	if (wait_s == 0)
		log_warn("web", "a wrong credential was refused");
	return wait_s;
}

void web_refuse_credential(struct web *web, struct http *http, const char *words)
{
	unsigned wait_s = web_count_wrong(web);
	char extra[32];

	if (wait_s == 0) {
		web_refuse(http, 401, words, "WWW-Authenticate: Bearer\r\n");
		return;
	}
	snprintf(extra, sizeof(extra), "Retry-After: %u\r\n", wait_s);
	http_drain(http);
	web_refuse(http, 429, "too many wrong credentials; wait a little", extra);
}

void web_answer_preflight(struct http *http)
{
#define ALLOWED \
	"Access-Control-Allow-Methods: GET, HEAD, POST, PUT, PATCH, DELETE\r\n" \
	"Access-Control-Allow-Headers: Authorization, Content-Type, Last-Event-ID, If-Match, " \
	"If-None-Match\r\n" \
	"Access-Control-Max-Age: 600\r\n"
	static const char *const allowed[] = {
		ALLOWED,
		/* A page of the internet asks for a server of this machine. */
		ALLOWED "Access-Control-Allow-Private-Network: true\r\n",
	};
#undef ALLOWED
	bool from_afar = http_has_field(http, "Access-Control-Request-Private-Network");

	http_answer(http, 204, NULL, (struct text){0}, allowed[from_afar]);
}
