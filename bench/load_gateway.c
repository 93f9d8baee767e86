/* The gateway dialect of our server: agents and chats as OpenClaw's clients get them. Its frames
 * may be of any length, so of each the beginning is looked at and the rest is passed over. */
#include "load_gateway.h"

#include <stdio.h>
#include <stdlib.h>

#define LOAD_NOTE "bench.note" /* a type that nobody knows: its frames are not gathered */

enum { LOOK = 256 }; /* what is looked for stands within so many bytes */

static bool has(const char *text, size_t length, const char *words)
{
	return memmem(text, length, words, strlen(words)) != NULL;
}

static void take_chat(struct link *link, const char *text, size_t length)
{
	link->chats++;
	if (has(text, length, "\"state\":\"final\""))
		link->finals++;
}

/* Text, thoughts and notes are counted; a run's own number, which comes first, never goes back. */
static void take_agent(struct link *link, const char *text, size_t length)
{
	const char *at = memmem(text, length, "\"seq\":", 6);
	uint64_t seq = at == NULL ? 0 : strtoull(at + 6, NULL, 10);

	if (has(text, length, "\"stream\":\"lifecycle\""))
		link->seq = 0;
	if (!has(text, length, "\"stream\":\"assistant\"") &&
	    !has(text, length, "\"stream\":\"thinking\"") &&
	    !has(text, length, "\"stream\":\"" LOAD_NOTE "\""))
		return;
	errno = 0;
	if (seq < link->seq)
		die("%lu came after %lu", (unsigned long)seq, (unsigned long)link->seq);
	link->seq = seq;
	link->received++;
}

static void take_answer(struct link *link, const char *text, size_t length)
{
	errno = 0;
	if (!has(text, length, "\"ok\":true"))
		die("the server said %.*s", (int)length, text);
	link->greeted = true;
}

static void take_text(struct link *link, const char *text, size_t length)
{
	const size_t first = length < 48 ? length : 48;

	if (has(text, first, "\"event\":\"agent\""))
		take_agent(link, text, length);
	else if (has(text, first, "\"event\":\"chat\""))
		take_chat(link, text, length);
	else if (has(text, first, "\"type\":\"res\""))
		take_answer(link, text, length);
	else if (has(text, first, "\"event\":\"connect.challenge\""))
		link->challenged = true;
}

/* Where the payload begins and how long it is; 0: the head is not whole. */
static size_t read_head(const unsigned char *at, size_t have, size_t *length)
{
	size_t head = have < 2 ? 2 : at[1] == 127 ? 10 : at[1] == 126 ? 4 : 2;

	if (have < head)
		return 0;
	*length = head == 2 ? at[1] : 0;
	for (size_t i = 2; i < head; i++)
		*length = *length << 8 | at[i];
	return head;
}

const char *gateway_walk(struct link *link, const char *at, const char *end)
{
	for (;;) {
		size_t have = (size_t)(end - at), head, length, seen;

		if (link->skip > 0) {
			seen = link->skip < have ? link->skip : have;
			at += seen;
			link->skip -= seen;
			if (link->skip > 0)
				return at;
			continue;
		}
		head = read_head((const unsigned char *)at, have, &length);
		seen = head == 0 || length < LOOK ? length : LOOK;
		if (head == 0 || have < head + seen)
			return at;
		if (*at == (char)0x81)
			take_text(link, at + head, seen);
		else
			ws_heard(link, (unsigned char)*at, at + head, seen);
		at += head;
		link->skip = length;
	}
}

static bool read_gateway(struct link *link, int flags)
{
	if (link->role != SUBSCRIBER)
		return load_native.read(link, flags);
	return link_read(link, flags, gateway_walk);
}

static void open_gateway(struct link *link, const struct target *target)
{
	ws_open(link, target, link->role == SUBSCRIBER ? "/ws/gateway" : "/ws");
}

void gateway_say_connect(struct link *link, const struct target *target)
{
	char text[768];
	int length = snprintf(
		text, sizeof text,
		"{\"type\":\"req\",\"id\":\"c1\",\"method\":\"connect\",\"params\":{"
		"\"minProtocol\":%u,\"maxProtocol\":%u,\"client\":{\"id\":\"gateway-client\","
		"\"version\":\"1.0.0\",\"platform\":\"linux\",\"mode\":\"backend\"},"
		"\"role\":\"operator\",\"scopes\":[\"operator.read\"],\"caps\":[],"
		"\"auth\":{\"token\":\"%s\"}}}",
		target->version, target->version, target->token);

	errno = 0;
	if ((size_t)length >= sizeof text)
		die("the token is too long");
	ws_send(link, 1, text, (size_t)length);
}

/* What came with the answer of the upgrade is in the carry. */
static void ask_gateway(struct link *link, const struct target *target)
{
	const char *rest;

	if (link->role != SUBSCRIBER) {
		load_native.ask(link, target);
		return;
	}
	ws_answered(link);
	rest = gateway_walk(link, link->carry, link->carry + link->have);
	link->have = (unsigned)(link->carry + link->have - rest);
	memmove(link->carry, rest, link->have);
	while (!link->challenged)
		read_gateway(link, 0);
	gateway_say_connect(link, target);
}

static void ready_gateway(struct link *link)
{
	if (link->role != SUBSCRIBER)
		load_native.ready(link);
	while (link->role == SUBSCRIBER && !link->greeted)
		read_gateway(link, 0);
}

static void prepare_gateway(const struct target *target, enum role role)
{
	load_native.prepare(target, role);
}

const struct protocol load_gateway = {
	.name = "gateway",
	.open = open_gateway,
	.ask = ask_gateway,
	.ready = ready_gateway,
	.prepare = prepare_gateway,
	.read = read_gateway,
};
