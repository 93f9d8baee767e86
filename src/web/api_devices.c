/* api_devices.c - pairing, listing and revoking devices. */
#include <stdio.h>
#include <yyjson.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/put.h"
#include "web/inside.h"
#include "web/listens.h"
#include "web/phone.h"

#define ANSWER_MAX (256 * KIB)
#define USUAL_NAME "phone"
#define USUAL_SCOPES ((unsigned)SCOPE_OBSERVE | (unsigned)SCOPE_ANSWER)

void api_devices(struct call *call)
{
	const struct web_pairing *pairing = &call->web->options.pairing;
	struct buf out;

	buf_init(&out, ANSWER_MAX);
	put_object(&out, NULL);
	put_bool(&out, "ok", true);
	put_list(&out, "devices");
	devices_put(call->web->devices, &out);
	pairing->put_devices(pairing->self, &out);
	put_list_end(&out);
	put_list(&out, "waiting");
	pairing->put_waiting(pairing->self, &out);
	put_list_end(&out);
	web_answer_object(call, &out);
}

/* A member that is not there is empty. */
static bool read_word(yyjson_val *body, const char *name, struct text *out, struct error *why)
{
	yyjson_val *value = yyjson_obj_get(body, name);

	*out = (struct text){yyjson_get_str(value), yyjson_get_len(value)};
	return !value || out->at || error_set(why, "%s must be a string", name);
}

static bool read_device_wish(yyjson_val *body, struct device_wish *wish, struct text *host,
                             struct error *why)
{
	struct text name, scopes;

	if (!yyjson_is_obj(body))
		return error_set(why, "the body must be an object: name, scopes, host");
	if (!read_word(body, "name", &name, why) || !read_word(body, "scopes", &scopes, why) ||
	    !read_word(body, "host", host, why))
		return false;
	if (!name.at)
		name = TEXT(USUAL_NAME);
	if (!devices_name_is_good(name, why))
		return false;
	memcpy(wish->name, name.at, name.len);
	wish->scopes = USUAL_SCOPES;
	if (scopes.at && !scope_parse(scopes, &wish->scopes, why))
		return false;
	return wish->scopes || error_set(why, "a device that may do nothing is of no use");
}

static void answer_invitation(struct call *call, const struct device_wish *wish,
                              const struct phone_invitation *invitation)
{
	struct buf out;

	buf_init(&out, 4 * KIB);
	put_object(&out, NULL);
	put_bool(&out, "ok", true);
	put_word(&out, "url", invitation->url);
	put_word(&out, "code", invitation->url + strlen(invitation->url) - TOKEN_LEN);
	put_word(&out, "name", wish->name);
	devices_put_scopes(&out, wish->scopes);
	put_i64(&out, "untilMs", clock_wall_ms() + SESSION_CODE_MS);
	if (*invitation->print)
		put_word(&out, "fingerprint", invitation->print);
	if (invitation->print_changed)
		put_bool(&out, "fingerprintChanged", true);
	web_answer_object(call, &out);
}

void api_device_pair(struct call *call)
{
	yyjson_doc *doc = yyjson_read(call->body.at, call->body.len, 0);
	struct device_wish wish = {0};
	struct phone_invitation invitation;
	struct text host = {0};
	struct error why;

	if (!read_device_wish(yyjson_doc_get_root(doc), &wish, &host, &why))
		web_refuse(call->http, 400, why.words, NULL);
	else if (!phone_invite(call->web, &wish, host, &invitation, &why))
		web_refuse(call->http, 409, why.words, NULL);
	else
		answer_invitation(call, &wish, &invitation);
	explicit_bzero(&invitation, sizeof(invitation));
	yyjson_doc_free(doc);
}

static void answer_done(struct call *call)
{
	struct buf out;

	buf_init(&out, 1 * KIB);
	put_object(&out, NULL);
	put_bool(&out, "ok", true);
	web_answer_object(call, &out);
}

/* ---- devices with a key of their own ---- */

static void answer_pairing(struct call *call, enum web_pairing_answer answer,
                           const struct error *why)
{
	static const unsigned statuses[] = {
		[PAIRING_UNKNOWN] = 404, [PAIRING_REFUSED] = 409, [PAIRING_FAILED] = 500};

	if (answer == PAIRING_DONE)
		answer_done(call);
	else
		web_refuse(call->http, statuses[answer], why->words, NULL);
}

static struct text device_named(const struct call *call)
{
	return (struct text){call->part.at, call->part.len};
}

static bool read_given_scopes(yyjson_val *body, unsigned *scopes, struct error *why)
{
	struct text words;

	*scopes = 0;
	if (!read_word(body, "scopes", &words, why) ||
	    (words.at && !scope_parse(words, scopes, why)))
		return false;
	return !words.at || *scopes || error_set(why, "a device that may do nothing is of no use");
}

void api_device_approve(struct call *call)
{
	const struct web_pairing *pairing = &call->web->options.pairing;
	yyjson_doc *doc = yyjson_read(call->body.at, call->body.len, 0);
	yyjson_val *body = yyjson_doc_get_root(doc);
	unsigned scopes;
	struct error why;

	if (call->body.len && !yyjson_is_obj(body))
		web_refuse(call->http, 400, "the body must be an object: scopes", NULL);
	else if (!read_given_scopes(body, &scopes, &why))
		web_refuse(call->http, 400, why.words, NULL);
	else
		answer_pairing(call,
		               pairing->approve(pairing->self, device_named(call), scopes, &why),
		               &why);
	yyjson_doc_free(doc);
}

void api_device_reject(struct call *call)
{
	const struct web_pairing *pairing = &call->web->options.pairing;
	struct error why;

	answer_pairing(call, pairing->reject(pairing->self, device_named(call), &why), &why);
}

/* ---- all of them ---- */

/* What it has open ends with it. */
static void revoke_device(struct call *call, struct text name, bool by_itself)
{
	struct web *web = call->web;
	const struct web_pairing *pairing = &web->options.pairing;
	struct error why;
	struct device_removal removal = {.by_itself = by_itself, .now_ms = clock_wall_ms()};
	bool saved = devices_remove(web->devices, name, &removal, &why);

	if (!removal.id) {
		answer_pairing(call, pairing->remove(pairing->self, name, &why), &why);
		return;
	}
	log_info("web", "a device was revoked: %.*s", TEXT_ARG(name));
	listens_end_owned(web->phone.door, removal.id);
	phone_lost_one(web);
	if (saved) {
		answer_done(call);
		return;
	}
	error_within(&why, "it is revoked, but not on the disk, which is tried again");
	web_refuse(call->http, 500, why.words, NULL);
}

void api_device_revoke(struct call *call)
{
	revoke_device(call, device_named(call), false);
}

/* Itself, which takes no scope.  What it asks by is let go of first, to be answered. */
void api_session_end(struct call *call)
{
	struct text name;

	if (!call->caller.device) {
		web_refuse(call->http, 403, "only a paired device can sign itself out", NULL);
		return;
	}
	text_cut(text_of(call->caller.name), ':', &name);
	conn_own(http_conn(call->http), 0);
	revoke_device(call, name, true);
}

void api_certificate(struct call *call)
{
	static const char name[] =
		"Content-Disposition: attachment; filename=\"signalbox.crt\"\r\n";
	struct text pem = phone_voucher(call->web);

	if (pem.len)
		http_answer(call->http, 200, "application/x-x509-ca-cert", pem, name);
	else
		web_refuse(call->http, 404, "no certificate was made here", NULL);
}
