/* The two servers that this benchmark is about: ours in its native dialect, and the bare
 * one; and what all protocols over WebSockets share. */
#include "load_ws.h"

#include <stdio.h>
#include <stdlib.h>

void ws_open(struct link *link, const struct target *target, const char *path)
{
	char request[512];

	snprintf(request, sizeof request,
	         "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%u\r\n"
	         "Upgrade: websocket\r\nConnection: Upgrade\r\n"
	         "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
	         "Sec-WebSocket-Version: 13\r\n\r\n",
	         path, target->port);
	link_dial(link, target);
	link_say(link, request);
}

void ws_answered(struct link *link)
{
	char *end = NULL;

	while (end == NULL) {
		size_t room = LOAD_CARRY - 1 - link->have;
		ssize_t got = link_get(link, link->carry + link->have, room, 0);

		if (got <= 0)
			die("waiting for an upgrade");
		link->have += (unsigned)got;
		link->carry[link->have] = '\0';
		end = strstr(link->carry, "\r\n\r\n");
	}
	errno = 0;
	if (strncmp(link->carry, "HTTP/1.1 101 ", 13) != 0)
		die("the server said %.*s", (int)strcspn(link->carry, "\r"), link->carry);
	end += 4;
	link->have -= (unsigned)(end - link->carry);
	memmove(link->carry, end, link->have);
}

size_t ws_write(char *at, int opcode, const char *text, size_t length)
{
	size_t head = length < 126 ? 2 : 4;

	at[0] = (char)(0x80 | opcode);
	at[1] = (char)(0x80 | (head == 2 ? length : 126));
	if (head == 4) {
		at[2] = (char)(length >> 8);
		at[3] = (char)length;
	}
	memset(at + head, 0x55, 4);
	for (size_t i = 0; i < length; i++)
		at[head + 4 + i] = text[i] ^ 0x55;
	return head + 4 + length;
}

void ws_send(struct link *link, int opcode, const char *text, size_t length)
{
	char out[1024 + WS_MORE];
	size_t size;

	errno = 0;
	if (length > sizeof out - WS_MORE)
		die("a frame of the set-up is too long");
	size = ws_write(out, opcode, text, length);
	if (link_put(link, out, size, 0) != (ssize_t)size)
		die("send");
}

void ws_heard(struct link *link, int opcode, const char *text, size_t length)
{
	errno = 0;
	if (opcode == 0x8a)
		link->ponged = true;
	else if (opcode == 0x89)
		ws_send(link, 0xa, text, length);
	else if (opcode != 0x81 || length < 12 || memcmp(text, "{\"op\":\"hello", 12) != 0)
		die("the server sent %.*s (opcode %x)", (int)length, text, opcode & 0xf);
}

/* Counts a signal, and checks that its seq is the next. */
static void take_native(struct link *link, const char *text, size_t length)
{
	const char *at = text + 7;
	uint64_t seq = 0;

	if (length < 32 || memcmp(text, "{\"seq\":", 7) != 0) {
		ws_heard(link, 0x81, text, length);
		return;
	}
	while (*at >= '0' && *at <= '9')
		seq = seq * 10 + (uint64_t)(*at++ - '0');
	if (seq <= link->seq || (seq != link->seq + 1 && link->seq != 0 && !link->filtered)) {
		errno = 0;
		die("seq %lu came after %lu", (unsigned long)seq, (unsigned long)link->seq);
	}
	link->seq = seq;
	link->received++;
}

static const char *walk_native(struct link *link, const char *at, const char *end)
{
	return ws_walk(link, at, end, take_native);
}

static bool read_native(struct link *link, int flags)
{
	return link_read(link, flags, walk_native);
}

static void open_native(struct link *link, const struct target *target)
{
	ws_open(link, target, "/ws");
}

/* Ask for signals, then ping: when the pong is here, the server has heard both. */
static void ask_native(struct link *link, const struct target *target)
{
	char text[125];
	int length = snprintf(text, sizeof text, "{\"op\":\"subscribe\"}");

	ws_answered(link);
	if (target->keys > 0)
		length = snprintf(text, sizeof text,
		                  "{\"op\":\"subscribe\",\"correlationId\":\"c%05u\"}", link->key);
	if (link->role == SUBSCRIBER)
		ws_send(link, 1, text, (size_t)length);
	ws_send(link, 9, "", 0);
}

static void ready_native(struct link *link)
{
	while (!link->ponged)
		read_native(link, 0);
}

static void prepare_native(const struct target *target, enum role role)
{
	(void)target;
	signal_mask(role == EMITTER ? SIGNAL_EMIT : SIGNAL_BARE);
}

const struct protocol load_native = {
	.name = "native",
	.open = open_native,
	.ask = ask_native,
	.ready = ready_native,
	.prepare = prepare_native,
	.read = read_native,
};

/* Envelopes and nothing else; they begin with their seq. */
static void open_signals(struct link *link, const struct target *target)
{
	ws_open(link, target, link->role == SUBSCRIBER ? "/ws/signals" : "/ws");
}

static void ask_signals(struct link *link, const struct target *target)
{
	(void)target;
	ws_answered(link);
	ws_send(link, 9, "", 0);
}

const struct protocol load_signals = {
	.name = "signals",
	.open = open_signals,
	.ask = ask_signals,
	.ready = ready_native,
	.prepare = prepare_native,
	.read = read_native,
};

/* Frames of a run: those that a published signal became are counted. */
static void take_run(struct link *link, const char *text, size_t length)
{
	static const char delta[] = "\"event\":\"llm/delta\"";

	if (memmem(text, length < 96 ? length : 96, delta, sizeof delta - 1) != NULL)
		link->received++;
}

static const char *walk_run(struct link *link, const char *at, const char *end)
{
	return ws_walk(link, at, end, link->role == SUBSCRIBER ? take_run : take_native);
}

static bool read_run(struct link *link, int flags)
{
	return link_read(link, flags, walk_run);
}

static void open_run(struct link *link, const struct target *target)
{
	ws_open(link, target, link->role == SUBSCRIBER ? "/ws/run" : "/ws");
}

static void ready_run(struct link *link)
{
	while (!link->ponged)
		read_run(link, 0);
}

const struct protocol load_run = {
	.name = "run",
	.open = open_run,
	.ask = ask_signals,
	.ready = ready_run,
	.prepare = prepare_native,
	.read = read_run,
};

/* The bare server does not number signals, and has nothing else to say. */
static void take_bare(struct link *link, const char *text, size_t length)
{
	if (is_signal(text, length))
		link->received++;
	else
		ws_heard(link, 0x81, text, length);
}

static const char *walk_bare(struct link *link, const char *at, const char *end)
{
	return ws_walk(link, at, end, take_bare);
}

static bool read_bare(struct link *link, int flags)
{
	return link_read(link, flags, walk_bare);
}

static void open_bare(struct link *link, const struct target *target)
{
	char path[32];

	snprintf(path, sizeof path, target->keys > 0 ? "/sub?k=%u" : "/sub", link->key);
	errno = 0;
	if (link->role == EMITTER)
		die("the bare server acknowledges nothing");
	ws_open(link, target, link->role == PUBLISHER ? "/pub" : path);
}

static void ask_bare(struct link *link, const struct target *target)
{
	(void)target;
	ws_answered(link);
}

static void ready_bare(struct link *link)
{
	(void)link; /* its answer says that it subscribed */
}

const struct protocol load_bare = {
	.name = "bare",
	.open = open_bare,
	.ask = ask_bare,
	.ready = ready_bare,
	.prepare = prepare_native,
	.read = read_bare,
};
