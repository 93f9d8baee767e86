/* hello.c - what a client is told when it is let in: hello-ok, as its protocol has it. */
#include <unistd.h>

#include "base/clock.h"
#include "base/put.h"
#include "base/random.h"
#include "base/whole.h"
#include "gateway/entry.h"
#include "gateway/inside.h"
#include "gateway/keys.h"
#include "gateway/presence.h"
#include "gateway/relay.h"
#include "hub/hub.h"
#include "journal/journal.h"

#define HELLO_MAX (256 * KIB)

static bool is_old(const struct gateway_call *call)
{
	return call->view->protocol == GATEWAY_OLDEST;
}

static void put_server(struct buf *out, const struct gateway_call *call)
{
	char host[128] = "signalbox", id[GATEWAY_ID] = "";

	random_uuid(id);
	put_object(out, "server");
	put_word(out, "version", SIGNALBOX_VERSION);
	if (is_old(call)) {
		gethostname(host, sizeof(host) - 1);
		put_word(out, "host", host);
	} else {
		put_word(out, "bootId", call->gateway->boot_id);
		/* The Control UI is an OpenClaw's: it need not be of the same build as we are. */
		put_word(out, "controlUiBuildSource", "configured");
	}
	put_word(out, "connId", id);
	put_end(out);
}

static void put_features(struct buf *out, const struct gateway_call *call)
{
	put_object(out, "features");
	put_list(out, "methods");
	gateway_method_names(out);
	gateway_relay_names(call, out);
	put_list_end(out);
	put_list(out, "events");
	for (unsigned i = 0; i < OPENCLAW_OURS; i++)
		put_word(out, NULL, openclaw_event_name((enum openclaw_event)i));
	put_list_end(out);
	if (!is_old(call)) {
		put_list(out, "capabilities");
		put_word(out, NULL, "signalbox-positions");
		put_list_end(out);
	}
	put_end(out);
}

static void put_defaults(struct buf *out, const struct gateway *g)
{
	char agent[GATEWAY_NAME_MAX + 1];
	struct gateway_place main;

	gateway_default_agent(g, agent);
	gateway_find_place(g, TEXT(""), TEXT(""), &main);
	put_object(out, "sessionDefaults");
	put_word(out, "defaultAgentId", agent);
	put_word(out, "mainKey", "main");
	put_text(out, "mainSessionKey", buf_text(&main.key));
	put_word(out, "scope", "per-sender");
	put_end(out);
	gateway_place_finish(&main);
}

static void put_snapshot(struct buf *out, const struct gateway *g)
{
	put_object(out, "snapshot");
	put_list(out, "presence");
	gateway_put_presence(g, out);
	put_list_end(out);
	put_object(out, "health");
	gateway_put_health(g, out);
	put_end(out);
	gateway_put_versions(g, out);
	put_u64(out, "uptimeMs", (uint64_t)((double)clock_wall_ms() - g->began_ms));
	put_defaults(out, g);
	put_end(out);
}

static void put_policy(struct buf *out, const struct gateway_call *call)
{
	const struct gateway_config *config = call->gateway->options.config;

	put_object(out, "policy");
	put_u64(out, "maxPayload", config->max_payload);
	put_u64(out, "maxBufferedBytes", config->max_buffered);
	put_u64(out, "tickIntervalMs", config->tick_ms);
	put_end(out);
}

static void put_auth(struct buf *out, const struct gateway_call *call,
                     const struct gateway_entry *entry)
{
	if (is_old(call) && !*entry->secret)
		return;
	put_object(out, "auth");
	if (*entry->secret) {
		put_word(out, "deviceToken", entry->secret);
		put_i64(out, "issuedAtMs", clock_wall_ms());
	}
	put_word(out, "role", "operator");
	operator_scopes_add(out, "scopes", entry->granted);
	put_end(out);
}

void gateway_hello(const struct gateway_call *call, const struct gateway_entry *entry)
{
	struct buf out;

	buf_init(&out, HELLO_MAX);
	put_object(&out, NULL);
	put_word(&out, "type", "hello-ok");
	put_u64(&out, "protocol", call->view->protocol);
	put_server(&out, call);
	put_features(&out, call);
	put_snapshot(&out, call->gateway);
	put_auth(&out, call, entry);
	put_policy(&out, call);
	put_end(&out);
	gateway_answer_buf(call, &out);
	whole_forget(&out);
}
