/* echo.c - says back what it hears: for WebSocket conformance suites, and only
 * when serve was started with --echo. */
#include "hub/inside.h"
#include "hub/query.h"

static void welcome(struct client *c, const struct http *http)
{
}

static void echo_back(struct client *c, struct text message)
{
	client_say_frame(c, WS_OP_TEXT, message);
}

static void hear_binary(struct client *c, struct text message)
{
	client_say_frame(c, WS_OP_BINARY, message);
}

const struct dialect dialect_echo = {
	.name = "echo",
	.path = "/echo",
	.is_websocket = true,
	.needs = SCOPE_OBSERVE,
	.check = hub_query_check_none,
	.welcome = welcome,
	.hear = echo_back,
	.hear_binary = hear_binary,
	.beat = client_ping,
	.farewell = client_go_away,
};
