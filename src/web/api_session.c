/* api_session.c - the ways from a code to a session to a ticket, and the reload
 * of the tokens. */
#include <stdlib.h>
#include <yyjson.h>

#include "base/clock.h"
#include "base/log.h"
#include "web/inside.h"

static void answer_secret(struct http *http, const char *name, const char *secret)
{
	struct buf out;

	buf_init(&out, 1 * KIB);
	buf_print(&out, "{\"ok\":true,\"%s\":\"%s\"}\n", name, secret);
	web_answer(http, &out);
	buf_finish(&out);
}

/* The string `code` of a JSON object; empty when there is none. */
static struct text read_code(yyjson_doc *doc)
{
	yyjson_val *code = yyjson_obj_get(yyjson_doc_get_root(doc), "code");

	return (struct text){yyjson_get_str(code), yyjson_get_len(code)};
}

void api_session(struct call *call)
{
	yyjson_doc *doc = yyjson_read(call->body.at, call->body.len, 0);
	struct text code = read_code(doc);
	char session[SESSION_LEN + 1];

	if (!code.at) {
		web_refuse(call->http, 400, "the body is to be {\"code\": \"...\"}", NULL);
	} else if (!passes_take_code(call->web->passes, code, clock_wall_ms())) {
		web_refuse_credential(call->web, call->http,
		                      "this code was used or is too old; run: signalbox open");
	} else {
		session_sign(credentials_key(call->web->credentials), clock_wall_ms(), session);
		answer_secret(call->http, "token", session);
	}
	yyjson_doc_free(doc);
}

void api_ticket(struct call *call)
{
	char ticket[TOKEN_LEN + 1];

	if (!call->caller.has_credential) {
		web_refuse(call->http, 401, "a ticket is given for a credential",
		           "WWW-Authenticate: Bearer\r\n");
		return;
	}
	passes_give_ticket(call->web->passes, &call->caller, clock_wall_ms(), ticket);
	answer_secret(call->http, "ticket", ticket);
}

void api_code(struct call *call)
{
	char *url = web_open_url(call->web);
	struct buf out;

	if (!url) {
		web_refuse(call->http, 409, "nothing listens for a browser: only the Unix socket",
		           NULL);
		return;
	}
	buf_init(&out, 1 * KIB);
	buf_print(&out, "{\"ok\":true,\"code\":\"%s\",\"url\":\"%s\"}\n",
	          url + strlen(url) - TOKEN_LEN, url);
	web_answer(call->http, &out);
	buf_finish(&out);
	free(url);
}

/* All of them or none: after a failure the old ones are as good as before. */
void api_reload(struct call *call)
{
	struct web *web = call->web;
	struct error why;
	struct credentials *fresh = credentials_load(web->options.config, &why);

	if (!fresh) {
		log_warn("web", "the tokens were not read again: %s", why.words);
		web_refuse(call->http, 500, why.words, NULL);
		return;
	}
	credentials_destroy(web->credentials);
	web->credentials = fresh;
	log_info("web", "the tokens were read again");
	http_answer(call->http, 200, "application/json", TEXT("{\"ok\":true}\n"), NULL);
}
