/* skeleton.c - the least that a transport can be: a WebSocket server that says plain words.
 *
 * Each message becomes one signal `skeleton.said {"words"}`.  The transport reports what
 * happens (live, received, lost); when to try again is decided in source.c.
 */
#include <stdlib.h>

#include "base/buf.h"
#include "base/must.h"
#include "net/ws_client.h"
#include "signal/make.h"
#include "source/transport.h"

/* Everything from outside has a limit, and every wait an end. */
#define WORDS_MAX (64 * KIB)
#define SIGNAL_MAX (8 * WORDS_MAX) /* a byte may become six in JSON */
#define CONNECT_MS 10000
#define PING_MS 20000

struct skeleton {
	struct source *source;
	struct ws_client *client;
};

static void skeleton_is_open(void *self)
{
	source_live(((struct skeleton *)self)->source);
}

static void skeleton_heard(void *self, struct text words)
{
	struct skeleton *s = self;
	struct make m;
	struct buf out;

	buf_init(&out, SIGNAL_MAX);
	make_begin(&m, &out,
	           &(struct make_head){.type = "skeleton.said", .source = source_id(s->source)});
	make_payload(&m);
	make_text(&m, "words", words);
	if (make_end(&m))
		source_received(s->source, buf_text(&out));
	else
		source_bad(s->source, "a message is too long");
	buf_finish(&out);
}

static void skeleton_is_closed(void *self, uint16_t code, int status, const char *why)
{
	struct loss loss = {.why = why};

	source_lost(((struct skeleton *)self)->source, &loss);
}

static void skeleton_close(void *self)
{
	struct skeleton *s = self;

	ws_client_destroy(s->client);
	free(s);
}

static void *skeleton_open(struct source *source, struct error *why)
{
	struct skeleton *s = must_zero(1, sizeof(*s));
	struct ws_client_options o = {
		.url = source_url(source),
		.message_max = WORDS_MAX,
		.send_max = WORDS_MAX,
		.connect_ms = CONNECT_MS,
		.ping_ms = PING_MS,
		.self = s,
		.open = skeleton_is_open,
		.text = skeleton_heard,
		.closed = skeleton_is_closed,
	};

	s->source = source;
	s->client = ws_client_create(source_loop(source), &o, why);
	if (s->client)
		return s;
	free(s);
	return NULL;
}

/* Optional: then people can send it something. */
static bool skeleton_send(void *self, struct text message, struct error *why)
{
	struct skeleton *s = self;

	return ws_client_send(s->client, message) ||
	       error_set(why, "it does not take anything now");
}

/* Optional: then one that floods is slowed down.  Without it, it is lost. */
static void skeleton_hush(void *self, bool hush)
{
	ws_client_hush(((struct skeleton *)self)->client, hush);
}

const struct transport transport_skeleton = {
	.protocol = "skeleton",
	.label = "a server of plain words",
	.schemes = source_schemes_ws,
	.open = skeleton_open,
	.close = skeleton_close,
	.send = skeleton_send,
	.hush = skeleton_hush,
};
