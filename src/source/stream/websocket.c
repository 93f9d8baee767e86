/* websocket.c - a producer that is a WebSocket server: an envelope a message.
 *
 * It can be spoken to: what people send goes out as it is.  The emitter's
 * `{"meta":...}` frames are no signals; the newest is shown with the source, and
 * `{"command":"switch","scenario":"..."}` is what the emitter takes.
 */
#include <stdlib.h>

#include "base/buf.h"
#include "base/must.h"
#include "net/ws_client.h"
#include "parse/fault.h"
#include "parse/parse.h"
#include "source/transport.h"

#define MESSAGE_MAX (1 * MIB)
#define SEND_MAX (1 * MIB)
#define CONNECT_MS 10000
#define PING_MS 20000
#define CLOSE_NORMAL 1000
#define CLOSE_AWAY 1001
#define CLOSE_UNTRUSTED 1015

struct websocket {
	struct source *source;
	struct ws_client *client;
	struct parse *parse;
};

static void websocket_is_open(void *self)
{
	source_live(((struct websocket *)self)->source);
}

static void websocket_got_text(void *self, struct text message)
{
	parse_message(((struct websocket *)self)->parse, message);
}

static void websocket_is_closed(void *self, uint16_t code, int status, const char *why)
{
	struct loss loss = {.why = why, .for_good = fault_is_for_good(status)};

	if (code == CLOSE_UNTRUSTED)
		loss.for_good = true;
	if (code == CLOSE_NORMAL || code == CLOSE_AWAY)
		loss.why = NULL;
	source_lost(((struct websocket *)self)->source, &loss);
}

static void websocket_made_signal(void *self, struct text envelope)
{
	source_received(((struct websocket *)self)->source, envelope);
}

static void websocket_met_bad(void *self, const char *why)
{
	source_bad(((struct websocket *)self)->source, why);
}

static void met_meta(void *self, struct text frame)
{
	source_set_meta(((struct websocket *)self)->source, frame);
}

static struct ws_client *dial(struct websocket *w, struct error *why)
{
	const char *credential = source_credential(w->source);
	char *field = credential ? must_print("Authorization: Bearer %s", credential) : NULL;
	const char *const headers[] = {field, NULL};
	struct ws_client_options o = {
		.url = source_url(w->source),
		.headers = headers,
		.message_max = MESSAGE_MAX,
		.send_max = SEND_MAX,
		.connect_ms = CONNECT_MS,
		.ping_ms = PING_MS,
		.self = w,
		.open = websocket_is_open,
		.text = websocket_got_text,
		.bad = websocket_met_bad,
		.closed = websocket_is_closed,
	};
	struct ws_client *client = ws_client_create(source_loop(w->source), &o, why);

	if (field)
		explicit_bzero(field, strlen(field));
	free(field);
	return client;
}

static void close_websocket(void *self)
{
	struct websocket *w = self;

	ws_client_destroy(w->client);
	parse_destroy(w->parse);
	free(w);
}

static void *open_websocket(struct source *source, struct error *why)
{
	struct websocket *w = must_zero(1, sizeof(*w));
	struct parse_options p = {
		.source = source_id(source),
		.event_max = MESSAGE_MAX,
		.self = w,
		.signal = websocket_made_signal,
		.bad = websocket_met_bad,
		.meta = met_meta,
	};

	w->source = source;
	w->parse = parse_create(parse_find(TEXT("envelope")), &p);
	w->client = dial(w, why);
	if (w->client)
		return w;
	close_websocket(w);
	return NULL;
}

static bool send_message(void *self, struct text message, struct error *why)
{
	struct websocket *w = self;

	return ws_client_send(w->client, message) ||
	       error_set(why, "it does not take anything now");
}

static void websocket_hush(void *self, bool hush)
{
	ws_client_hush(((struct websocket *)self)->client, hush);
}

const struct transport transport_websocket = {
	.protocol = "websocket",
	.label = "a WebSocket, one signal per message",
	.schemes = source_schemes_ws,
	.credential = "key",
	.parser = "envelope",
	.open = open_websocket,
	.close = close_websocket,
	.send = send_message,
	.hush = websocket_hush,
};
