/* nginx with nchan: WebSockets. A key is a channel, and a publisher's WebSocket is bound to
 * one; with many keys it posts instead, on one connection, without waiting for the answers. */
#include "load_ws.h"

#include <stdio.h>

/* A publisher is told about the channel after each message. */
static void take(struct link *link, const char *text, size_t length)
{
	if (link->role == SUBSCRIBER && is_signal(text, length))
		link->received++;
	else if (link->role == SUBSCRIBER)
		ws_heard(link, 0x81, text, length);
}

static const char *walk(struct link *link, const char *at, const char *end)
{
	return ws_walk(link, at, end, take);
}

/* Answers to posts: that they are there is enough, what went wrong is never delivered. */
static const char *walk_answers(struct link *link, const char *at, const char *end)
{
	(void)link;
	(void)at;
	return end;
}

static bool nchan_read(struct link *link, int flags)
{
	return link_read(link, flags, link->filtered ? walk_answers : walk);
}

static void nchan_open(struct link *link, const struct target *target)
{
	char path[32];

	errno = 0;
	if (link->role == EMITTER)
		die("nchan acknowledges nothing");
	snprintf(path, sizeof path, "/%s/c%05u", link->role == SUBSCRIBER ? "sub" : "pub",
	         link->key);
	if (link->role == PUBLISHER && target->keys > 0)
		link_dial(link, target);
	else
		ws_open(link, target, path);
}

static void nchan_ask(struct link *link, const struct target *target)
{
	link->filtered = link->role == PUBLISHER && target->keys > 0;
	if (link->filtered)
		return;
	ws_answered(link);
	ws_send(link, 9, "", 0);
}

static void nchan_ready(struct link *link)
{
	while (!link->ponged && !link->filtered)
		nchan_read(link, 0);
}

static void nchan_prepare(const struct target *target, enum role role)
{
	(void)role;
	if (target->keys > 0)
		signal_wrap("POST /pub/c00000 HTTP/1.1\r\nHost: bench\r\n"
		            "Content-Length: 300\r\n\r\n",
		            "");
	else
		signal_mask(SIGNAL_BARE);
}

const struct protocol load_nchan = {
	.name = "nchan",
	.open = nchan_open,
	.ask = nchan_ask,
	.ready = nchan_ready,
	.prepare = nchan_prepare,
	.read = nchan_read,
};
