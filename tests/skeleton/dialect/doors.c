/* doors.c - two dialects with other ways in: one learns from a message who its clients are, one
 * is a stream that answers a POST.
 */
#include <stdio.h>

#include "hub/dialogue.h"
#include "hub/person.h"
#include "net/sse.h"
#include "skeleton/skeleton.h"

#define STRANGER_MS 1500
#define BODY_MAX 4096

/* ---- the credential is a message ---- */

static void door_welcome(struct client *client, const struct http *http)
{
	client_say_frame(client, WS_OP_TEXT,
	                 client_is_stranger(client) ? TEXT("who are you?") : TEXT("hello"));
}

static void door_hear(struct client *client, struct text message)
{
	static const char *const words[] = {"identified", "before", "wrong", "wait", "crowded"};
	unsigned wait_s = 0;
	enum identified answer = client_identify(client, message, &wait_s);
	struct back_who who = client_who(client, TEXT(""));
	char out[256];
	int n = snprintf(out, sizeof(out),
	                 "{\"answer\":\"%s\",\"wait\":%u,\"scopes\":%u,\"user\":\"%.*s\"}",
	                 words[answer], wait_s, client->scopes, TEXT_ARG(who.user));

	client_say_frame(client, WS_OP_TEXT, (struct text){out, (size_t)n});
}

const struct dialect dialect_skeleton_door = {
	.name = "skeleton-door",
	.path = "/ws/skeleton-door",
	.is_websocket = true,
	.needs = SCOPE_OBSERVE,
	.stranger_ms = STRANGER_MS,
	.welcome = door_welcome,
	.hear = door_hear,
	.beat = client_ping,
	.farewell = client_go_away,
};

/* ---- a POST is answered with a stream ---- */

static void post_answer(struct client *client, const struct http *http, struct text body)
{
	struct buf out;

	(void)http;
	buf_init(&out, 2 * BODY_MAX);
	sse_add_event(&out, TEXT("1"), TEXT("body"), body);
	client_say(client, buf_text(&out));
	buf_finish(&out);
}

static void post_beat(struct client *client)
{
	client_say(client, TEXT(":\n\n"));
}

static void post_farewell(struct client *client)
{
	client_close(client, 0, TEXT(""));
}

const struct dialect dialect_skeleton_post = {
	.name = "skeleton-post",
	.path = "/api/skeleton",
	.needs = SCOPE_CONTROL,
	.answer = post_answer,
	.body_max = BODY_MAX,
	.beat = post_beat,
	.farewell = post_farewell,
};
