/* uplink.c - one connection after the other, with pauses that grow while nobody answers. */
#include "net/uplink.h"

#include "net/ws_client.h"

#define WAIT_FIRST_MS 250
#define WAIT_MAX_MS 2000
#define CONNECT_MS 5000
#define PING_MS 15000
#define SEND_MAX (1 * MIB)
#define URL_ROOM (4 * KIB)

static void connect_now(struct uplink *uplink);

static void wait_again(struct uplink *uplink)
{
	uplink->again_ms = loop_now_ms(uplink->loop) + uplink->wait_ms;
	deadline_set(uplink->loop, &uplink->again, uplink->wait_ms);
	uplink->wait_ms = uplink->wait_ms < WAIT_MAX_MS / 2 ? 2 * uplink->wait_ms : WAIT_MAX_MS;
}

static void uplink_on_open(void *self)
{
	struct uplink *uplink = self;

	uplink->is_open = true;
	uplink->wait_ms = WAIT_FIRST_MS;
	uplink->options.open(uplink->options.self);
}

static void on_text(void *self, struct text message)
{
	struct uplink *uplink = self;

	uplink->options.text(uplink->options.self, message);
}

static void uplink_drop(struct uplink *uplink)
{
	ws_client_destroy(uplink->client);
	uplink->client = NULL;
	uplink->is_open = false;
}

static void uplink_on_closed(void *self, uint16_t code, int status, const char *why)
{
	struct uplink *uplink = self;

	error_set(&uplink->why, "%s", why);
	uplink_drop(uplink);
	wait_again(uplink);
	uplink->options.closed(uplink->options.self);
}

static void on_again(struct deadline *deadline)
{
	connect_now(list_of(deadline, struct uplink, again));
}

static void connect_now(struct uplink *uplink)
{
	const char *headers[] = {uplink->options.authorization, NULL};
	struct ws_client_options options = {
		.path = uplink->options.sock,
		.headers = headers,
		.message_max = uplink->options.message_max,
		.send_max = SEND_MAX,
		.connect_ms = CONNECT_MS,
		.ping_ms = PING_MS,
		.self = uplink,
		.open = uplink_on_open,
		.text = on_text,
		.closed = uplink_on_closed,
	};
	struct buf url;

	deadline_clear(&uplink->again);
	buf_init(&url, URL_ROOM);
	buf_add(&url, text_of(uplink->options.base));
	uplink->options.path(uplink->options.self, &url);
	buf_add_char(&url, '\0');
	options.url = url.at;
	if (url.full)
		error_set(&uplink->why, "the URL is longer than %zu bytes", URL_ROOM);
	else
		uplink->client = ws_client_create(uplink->loop, &options, &uplink->why);
	buf_finish(&url);
	if (!uplink->client)
		wait_again(uplink);
}

void uplink_init(struct uplink *uplink, struct loop *loop, const struct uplink_options *options)
{
	*uplink = (struct uplink){.options = *options, .loop = loop, .wait_ms = WAIT_FIRST_MS};
	uplink->again.fire = on_again;
	connect_now(uplink);
}

void uplink_finish(struct uplink *uplink)
{
	deadline_clear(&uplink->again);
	uplink_drop(uplink);
}

void uplink_restart(struct uplink *uplink)
{
	uplink->wait_ms = WAIT_FIRST_MS;
	uplink_drop(uplink);
	connect_now(uplink);
}

bool uplink_send(struct uplink *uplink, struct text message)
{
	return uplink->is_open && ws_client_send(uplink->client, message);
}
