/* api_session.c - the ways from a code to a session to a ticket, how a page comes in
 * again, and the reload of the tokens. */
#include <stdlib.h>
#include <string.h>
#include <yyjson.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/must.h"
#include "base/put.h"
#include "config/config.h"
#include "net/listen.h"
#include "web/inside.h"

struct session_keys web_session_keys(const struct web *web)
{
	return (struct session_keys){credentials_key(web->credentials), web->passes};
}

void web_renew_sessions(struct web *web)
{
	passes_renew(web->passes);
}

static struct text member(yyjson_doc *doc, const char *name)
{
	yyjson_val *value = yyjson_obj_get(yyjson_doc_get_root(doc), name);

	return (struct text){yyjson_get_str(value), yyjson_get_len(value)};
}

static void answer_pair(struct http *http, const char *const names[2], const char *first,
                        const char *second)
{
	struct buf out;

	buf_init(&out, 1 * KIB);
	put_object(&out, NULL);
	put_bool(&out, "ok", true);
	put_word(&out, names[0], first);
	put_word(&out, names[1], second);
	put_end(&out);
	buf_add_char(&out, '\n');
	web_answer(http, &out);
	if (out.at)
		explicit_bzero(out.at, out.room);
	buf_finish(&out);
}

static void answer_session(struct http *http, struct session *session)
{
	static const char *const names[] = {"token", "page"};

	answer_pair(http, names, session->token, session->page);
	explicit_bzero(session, sizeof(*session));
}

/* Whoever cannot be sure whom it speaks to gets no secret that lasts. */
static void make_device(struct call *call, struct device_wish *wish)
{
	static const char *const names[] = {"device", "name"};
	char secret[TOKEN_LEN + 1];
	struct error why;

	if (!listen_is_secure(call->visit->listen)) {
		phone_lost_one(call->web); /* its code is void */
		web_refuse(call->http, 403, "a device is paired over TLS only", NULL);
		return;
	}
	if (!devices_add(call->web->devices, wish, clock_wall_ms(), secret, &why)) {
		phone_lost_one(call->web);
		web_refuse(call->http, 500, why.words, NULL);
		return;
	}
	log_info("web", "a device was paired: %s", wish->name);
	answer_pair(call->http, names, secret, wish->name);
	explicit_bzero(secret, sizeof(secret));
}

static void trade_code(struct call *call, struct text code)
{
	struct session_keys keys = web_session_keys(call->web);
	struct device_wish device;
	struct session session;

	if (!passes_take_code(call->web->passes, code, clock_wall_ms(), &device)) {
		web_refuse_credential(call->web, call->http,
		                      "this code was used or is too old; run: signalbox open");
		return;
	}
	if (device.scopes) {
		make_device(call, &device);
		return;
	}
	session_open(&keys, clock_wall_ms(), &session);
	answer_session(call->http, &session);
}

static void prove(struct call *call, const struct session_plea *plea)
{
	static const char *const names[] = {"proof", "challenge"};
	struct session_keys keys = web_session_keys(call->web);
	struct session_proof proof;

	if (session_prove(&keys, plea, clock_wall_ms(), &proof))
		answer_pair(call->http, names, proof.proof, proof.challenge);
	else
		web_refuse_credential(call->web, call->http,
		                      "this session is over; run: signalbox open");
}

static void resume(struct call *call, const struct session_plea *plea)
{
	struct session_keys keys = web_session_keys(call->web);
	struct session session;

	if (session_resume(&keys, plea, clock_wall_ms(), &session))
		answer_session(call->http, &session);
	else
		web_refuse_credential(call->web, call->http, "this answer is not the right one");
}

/* The page's own word if it is there, which the guard has found to be one of ours. */
static struct text origin_of(const struct call *call, struct buf *out)
{
	struct text origin = http_field(call->http, "Origin"),
		    host = http_field(call->http, "Host");

	if (origin.len)
		return origin;
	buf_print(out, "http%s://%.*s", listen_is_secure(call->visit->listen) ? "s" : "",
	          TEXT_ARG(host));
	return buf_text(out);
}

static void come_back(struct call *call, yyjson_doc *doc)
{
	struct buf origin;
	struct session_plea plea = {
		.id = member(doc, "id"),
		.nonce = member(doc, "nonce"),
		.challenge = member(doc, "challenge"),
		.answer = member(doc, "answer"),
	};

	buf_init(&origin, 1 * KIB);
	plea.origin = origin_of(call, &origin);
	if (plea.id.at && plea.nonce.at)
		prove(call, &plea);
	else if (plea.id.at && plea.challenge.at && plea.answer.at)
		resume(call, &plea);
	else
		web_refuse(call->http, 400,
		           "the body must be {\"code\"}, {\"id\",\"nonce\"} or "
		           "{\"id\",\"challenge\",\"answer\"}",
		           NULL);
	buf_finish(&origin);
}

void api_session(struct call *call)
{
	yyjson_doc *doc = yyjson_read(call->body.at, call->body.len, 0);
	struct text code = member(doc, "code");

	if (!identity_may_have_session(call->visit))
		web_refuse(call->http, 403, "the session of a page is valid for its own user only",
		           NULL);
	else if (code.at)
		trade_code(call, code);
	else
		come_back(call, doc);
	yyjson_doc_free(doc);
}

void api_ticket(struct call *call)
{
	char ticket[TOKEN_LEN + 1];
	struct buf out;

	if (!call->caller.has_credential) {
		web_refuse(call->http, 401, "a ticket is given for a credential",
		           "WWW-Authenticate: Bearer\r\n");
		return;
	}
	passes_give_ticket(call->web->passes, &call->caller, identity_user(call->visit),
	                   clock_wall_ms(), ticket);
	buf_init(&out, 1 * KIB);
	put_object(&out, NULL);
	put_bool(&out, "ok", true);
	put_word(&out, "ticket", ticket);
	put_end(&out);
	buf_add_char(&out, '\n');
	web_answer(call->http, &out);
	buf_finish(&out);
}

/* The name by which a browser is to call a listener: its address, unless that stands for
 * all of the machine's. */
static char *name_of(const struct web *web, const struct listen *listen)
{
	const struct config_auth *auth = &web->options.config->auth;

	if (!listen_is_any(listen))
		return must_dup(listen_address(listen));
	return auth->host_count ? must_dup(auth->hosts[0])
	                        : must_print("localhost:%u", listen_port(listen));
}

/* The rows of the configuration come first. */
static bool is_bare(const struct web *web, size_t i)
{
	const struct config *config = web->options.config;

	return i < config->listen_count && config->listen[i].source;
}

char *web_open_url(struct web *web)
{
	char code[TOKEN_LEN + 1], *name, *url;

	for (size_t i = 0; i < web->listen_count; i++) {
		if (listen_is_unix(web->listens[i]) || is_bare(web, i))
			continue;
		passes_give_code(web->passes, NULL, clock_wall_ms(), code);
		name = name_of(web, web->listens[i]);
		url = must_print("http%s://%s/#t=%s", listen_is_secure(web->listens[i]) ? "s" : "",
		                 name, code);
		free(name);
		return url;
	}
	return NULL;
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
	put_object(&out, NULL);
	put_bool(&out, "ok", true);
	put_word(&out, "code", url + strlen(url) - TOKEN_LEN);
	put_word(&out, "url", url);
	put_end(&out);
	buf_add_char(&out, '\n');
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
	web->options.pairing.check(web->options.pairing.self);
	http_answer(call->http, 200, "application/json", TEXT("{\"ok\":true}\n"), NULL);
}
