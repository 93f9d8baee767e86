/* routes.c - the table, and how it is read. */
#include "web/routes.h"

#include "net/caller.h"
#include "web/inside.h"

/* A body from somebody we do not know yet is small. */
#define SMALL_BODY (4 * KIB)
#define SOURCE_BODY (16 * KIB) /* the longest URL and credential, escaped */
#define ASK_BODY (1 * MIB)     /* a prompt, or a message */

const struct route routes[] = {
	{"GET", "/healthz", 0, 0, 0, api_health},
	{"GET", "/readyz", SCOPE_OBSERVE, 0, 0, api_ready},
	{"GET", "/api/version", 0, 0, 0, api_version},
	{"GET", "/api/openapi.json", 0, 0, 0, api_openapi},
	{"GET", "/api/status", SCOPE_OBSERVE, 0, 0, api_status},
	{"GET", "/metrics", SCOPE_OBSERVE, 0, 0, api_metrics},
	{"GET", "/api/stage", SCOPE_OBSERVE, 0, 0, api_stage},
	{"POST", "/api/signal", SCOPE_EMIT, ROUTE_JSON | ROUTE_NDJSON, 0, api_emit, true},
	{"GET", "/api/signals", SCOPE_OBSERVE, 0, 0, api_history, true},
	{"POST", "/api/sources/*/ask", SCOPE_CONTROL, ROUTE_JSON, ASK_BODY, api_ask},
	{"POST", "/api/sources/*/send", SCOPE_CONTROL, ROUTE_JSON, ASK_BODY, api_send},
	{"POST", "/api/messages", SCOPE_CONTROL, ROUTE_JSON, ASK_BODY, api_message_post},
	{"GET", "/api/messages/*", SCOPE_OBSERVE, 0, 0, api_message},
	{"POST", "/api/press", 0, ROUTE_NOTHING, SMALL_BODY, api_press},
	{"GET", "/api/deliveries", SCOPE_OBSERVE, 0, 0, api_deliveries, true},
	{"POST", "/api/deliveries/*/retry", SCOPE_CONTROL, ROUTE_NOTHING, SMALL_BODY,
         api_delivery_retry},
	{"GET", "/api/channels", SCOPE_OBSERVE, 0, 0, api_channels},
	{"POST", "/api/channels/*/check", SCOPE_CONTROL, ROUTE_NOTHING, SMALL_BODY,
         api_channel_check},
	{"GET", "/api/people", SCOPE_CONTROL, 0, 0, api_people},
	{"POST", "/api/people/approve", SCOPE_CONTROL, ROUTE_JSON, SMALL_BODY, api_people_approve},
	{"DELETE", "/api/people/*", SCOPE_CONTROL, ROUTE_NOTHING, SMALL_BODY, api_people_remove},
	{"GET", "/api/voice", SCOPE_OBSERVE, 0, 0, api_voice},
	{"POST", "/api/voice/check", SCOPE_CONTROL, ROUTE_NOTHING, SMALL_BODY, api_voice_check},
	{"GET", "/api/crew", SCOPE_OBSERVE, 0, 0, api_crew, true},
	{"GET", "/api/crew/*", SCOPE_OBSERVE, 0, 0, api_crew_member},
	{"POST", "/api/crew/*/title", SCOPE_CONTROL, ROUTE_JSON, SMALL_BODY, api_crew_title},
	{"GET", "/api/runs", SCOPE_OBSERVE, 0, 0, api_runs, true},
	{"GET", "/api/runs/*", SCOPE_OBSERVE, 0, 0, api_run},
	{"GET", "/api/runs/*/messages", SCOPE_OBSERVE, 0, 0, api_run_messages, true},
	{"GET", "/api/runs/*/transcript", SCOPE_OBSERVE, 0, 0, api_run_transcript},
	{"POST", "/api/runs/*/cancel", SCOPE_CONTROL, ROUTE_NOTHING, SMALL_BODY, api_cancel},
	{"GET", "/api/usage", SCOPE_OBSERVE, 0, 0, api_usage, true},
	{"GET", "/api/usage/tools", SCOPE_OBSERVE, 0, 0, api_usage_tools, true},
	{"POST", "/api/usage/known", SCOPE_OBSERVE, ROUTE_JSON, ASK_BODY, api_usage_known},
	{"GET", "/api/transcripts", SCOPE_OBSERVE, 0, 0, api_transcripts},
	{"POST", "/api/transcripts", SCOPE_ADMIN, ROUTE_JSON, SMALL_BODY, api_transcripts_set},
	{"GET", "/api/prompts", SCOPE_OBSERVE, 0, 0, api_prompts},
	{"GET", "/api/prompts/*/input", SCOPE_ANSWER, 0, 0, api_prompt_input},
	{"POST", "/api/prompts/*/answer", SCOPE_ANSWER, ROUTE_JSON, 0, api_prompt_answer},
	{"POST", "/api/control", SCOPE_CONTROL, ROUTE_JSON, SMALL_BODY, api_control},
	{"POST", "/api/session", 0, ROUTE_JSON, SMALL_BODY, api_session},
	{"DELETE", "/api/session", 0, ROUTE_NOTHING, SMALL_BODY, api_session_end},
	{"POST", "/api/ticket", 0, ROUTE_NOTHING, SMALL_BODY, api_ticket},
	{"POST", "/api/code", SCOPE_ADMIN, ROUTE_NOTHING, SMALL_BODY, api_code},
	{"GET", "/api/devices", SCOPE_ADMIN, 0, 0, api_devices},
	{"POST", "/api/devices", SCOPE_ADMIN, ROUTE_JSON, SMALL_BODY, api_device_pair},
	{"DELETE", "/api/devices/*", SCOPE_ADMIN, ROUTE_NOTHING, SMALL_BODY, api_device_revoke},
	{"POST", "/api/devices/*/approve", SCOPE_ADMIN, ROUTE_JSON, SMALL_BODY, api_device_approve},
	{"POST", "/api/devices/*/reject", SCOPE_ADMIN, ROUTE_NOTHING, SMALL_BODY,
         api_device_reject},
	{"POST", "/api/devices/*/remove", SCOPE_ADMIN, ROUTE_NOTHING, SMALL_BODY,
         api_device_revoke},
	{"GET", "/api/certificate", 0, 0, 0, api_certificate},
	{"GET", "/api/push", SCOPE_OBSERVE, 0, 0, api_push},
	{"PUT", "/api/push", SCOPE_OBSERVE, ROUTE_JSON, SMALL_BODY, api_push_begin},
	{"DELETE", "/api/push", SCOPE_OBSERVE, ROUTE_NOTHING, SMALL_BODY, api_push_end},
	{"POST", "/api/token/reload", SCOPE_ADMIN, ROUTE_NOTHING, SMALL_BODY, api_reload},
	{"GET", "/api/sources", SCOPE_OBSERVE, 0, 0, api_sources},
	{"GET", "/api/sources/recognise", SCOPE_OBSERVE, 0, 0, api_source_recognise, true},
	{"POST", "/api/sources", SCOPE_ADMIN, ROUTE_JSON, SOURCE_BODY, api_source_add},
	{"PATCH", "/api/sources/*", SCOPE_ADMIN, ROUTE_JSON, SOURCE_BODY, api_source_change},
	{"DELETE", "/api/sources/*", SCOPE_ADMIN, ROUTE_NOTHING, SMALL_BODY, api_source_remove},
	{"POST", "/api/sources/*/connect", SCOPE_ADMIN, ROUTE_NOTHING, SMALL_BODY,
         api_source_connect},
	{"POST", "/api/sources/*/disconnect", SCOPE_ADMIN, ROUTE_NOTHING, SMALL_BODY,
         api_source_disconnect},
	{"GET", "/api/discover/local", SCOPE_OBSERVE, 0, 0, api_discover},
	{"POST", "/api/discover/rescan", SCOPE_ADMIN, ROUTE_NOTHING, 0, api_rescan},
	{"POST", "/api/hooks/claude-code", SCOPE_EMIT, ROUTE_JSON, 0, api_hook},
	{"POST", "/api/hooks/claude-code/decide", SCOPE_CONTROL, ROUTE_JSON, 0, api_decide},
	{"POST", "/api/tap/connect", SCOPE_ADMIN, ROUTE_JSON, 0, api_tap_connect, true},
	{"POST", "/api/tap/disconnect", SCOPE_ADMIN, ROUTE_JSON, 0, api_tap_disconnect, true},
	{"GET", "/api/tap/status", SCOPE_ADMIN, 0, 0, api_tap_status, true},
	{"GET", "/api/show", SCOPE_OBSERVE, 0, 0, api_show},
	{"PUT", "/api/show", SCOPE_ADMIN, ROUTE_JSON, 0, api_show_put},
	{"POST", "/api/show/start", SCOPE_ADMIN, ROUTE_NOTHING, SMALL_BODY, api_show_start},
	{"POST", "/api/show/stop", SCOPE_ADMIN, ROUTE_NOTHING, SMALL_BODY, api_show_stop},
	{"GET", "/api/show/*", SCOPE_OBSERVE, 0, 0, api_show_list},
	{"POST", "/api/show/*", SCOPE_ADMIN, ROUTE_JSON, 0, api_show_add},
	{"GET", "/api/show/*/*", SCOPE_OBSERVE, 0, 0, api_show_item},
	{"PUT", "/api/show/*/*", SCOPE_ADMIN, ROUTE_JSON, 0, api_show_replace},
	{"DELETE", "/api/show/*/*", SCOPE_ADMIN, ROUTE_NOTHING, 0, api_show_remove},
	{"GET", "/api/openclaw/token", SCOPE_ADMIN, 0, 0, api_openclaw_token},
	{0},
};

static void allow_method(struct buf *allow, const char *method)
{
	if (allow->len)
		buf_add(allow, TEXT(", "));
	buf_add(allow, text_of(method));
	if (text_is(text_of(method), "GET"))
		buf_add(allow, TEXT(", HEAD"));
}

static bool take_part(struct text sent, struct route_part *part)
{
	struct buf decoded;
	bool good;

	buf_init(&decoded, sizeof(part->at));
	good = http_decode(sent, &decoded) && decoded.len > 0;
	part->len = good ? decoded.len : 0;
	if (good)
		memcpy(part->at, decoded.at, decoded.len);
	buf_finish(&decoded);
	return good;
}

/* Part by part.  Only what stands for a `*` is decoded: all else has one spelling. */
static bool follows(struct text path, const char *pattern, struct route_part *part)
{
	struct text wanted = text_of(pattern), sent = path;

	while (wanted.at && sent.at) {
		struct text want = text_cut(wanted, '/', &wanted);
		struct text got = text_cut(sent, '/', &sent);

		if (text_is(want, "*") ? !take_part(got, part) : !text_equal(want, got))
			return false;
	}
	return !wanted.at && !sent.at;
}

const struct route *routes_find(struct text method, struct text path, struct route_part *part,
                                struct buf *allow)
{
	part->len = 0;
	if (text_is(method, "HEAD"))
		method = TEXT("GET");
	for (const struct route *r = routes; r->method; r++) {
		if (!follows(path, r->path, part))
			continue;
		if (text_is(method, r->method))
			return r;
		allow_method(allow, r->method);
	}
	return NULL;
}

unsigned routes_type(struct text content_type)
{
	struct text parameters;
	struct text type = text_trim(text_cut(content_type, ';', &parameters));

	if (text_equal_nocase(type, TEXT("application/json")))
		return ROUTE_JSON | ROUTE_NOTHING;
	if (text_equal_nocase(type, TEXT("application/x-ndjson")))
		return ROUTE_NDJSON;
	return 0;
}

bool routes_is_nothing(struct text body)
{
	body = text_trim(body);
	if (body.len == 0)
		return true;
	return body.len >= 2 && body.at[0] == '{' && body.at[body.len - 1] == '}' &&
	       text_trim((struct text){body.at + 1, body.len - 2}).len == 0;
}
