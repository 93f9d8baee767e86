/* redis-server: RESP. A key is a channel; everybody hears channel c00000 unless there are
 * keys. What is stored goes into a stream, and its subscriber reads that; the server is told
 * elsewhere when to bring it to the disk. */
#include "load_read.h"

#include <stdio.h>
#include <stdlib.h>

/* XREAD BLOCK: whatever is newer than the newest. */
static void read_on(struct link *link)
{
	char text[256];

	snprintf(text, sizeof text,
	         "*6\r\n$5\r\nXREAD\r\n$5\r\nBLOCK\r\n$1\r\n0\r\n$7\r\nSTREAMS\r\n"
	         "$6\r\nc00000\r\n$%zu\r\n%s\r\n",
	         strlen(link->newest), link->newest);
	link_say(link, text);
}

/* A string: a signal, the id of an entry (the answer to XADD is one, too), or a name. */
static void take_string(struct link *link, const char *text, size_t length)
{
	bool is_id = length > 2 && length < sizeof link->newest && *text >= '0' && *text <= '9';

	if (link->role == SUBSCRIBER && is_signal(text, length))
		link->received++;
	else if (link->role == EMITTER && is_id)
		link->received++;
	else if (is_id)
		snprintf(link->newest, sizeof link->newest, "%.*s", (int)length, text);
}

/* One part of an answer is whole: an array announces more of them. */
static void took_part(struct link *link, const char *at, long number)
{
	bool was_first = link->due == 0;

	if (*at == '*')
		link->due += (unsigned)number;
	if (!was_first)
		link->due--;
	if (link->due > 0)
		return;
	link->ponged = true;
	if (link->role == SUBSCRIBER && link->newest[0] != '\0')
		read_on(link);
}

static const char *walk(struct link *link, const char *at, const char *end)
{
	const char *line_end;

	while ((line_end = memchr(at, '\r', (size_t)(end - at))) != NULL && line_end + 1 < end) {
		const char *next = line_end + 2;
		long number = strtol(at + 1, NULL, 10);

		errno = 0;
		if (*at == '-')
			die("redis-server said %.*s", (int)(line_end - at), at);
		if (*at == '$') {
			if (end - next < number + 2)
				break;
			take_string(link, next, (size_t)number);
			next += number + 2;
		}
		took_part(link, at, number);
		at = next;
	}
	return at;
}

static bool redis_read(struct link *link, int flags)
{
	return link_read(link, flags, walk);
}

static void redis_open(struct link *link, const struct target *target)
{
	link_dial(link, target);
}

static void redis_ask(struct link *link, const struct target *target)
{
	char text[128];

	snprintf(text, sizeof text, "*2\r\n$9\r\nSUBSCRIBE\r\n$6\r\nc%05u\r\n", link->key);
	if (link->role != SUBSCRIBER) {
		link_say(link, "*1\r\n$4\r\nPING\r\n");
	} else if (target->stored) { /* it waits for the first entry, so nothing is answered */
		snprintf(link->newest, sizeof link->newest, "0");
		read_on(link);
		link->ponged = true;
	} else {
		link_say(link, text);
	}
}

static void redis_ready(struct link *link)
{
	while (!link->ponged)
		redis_read(link, 0);
}

static void redis_prepare(const struct target *target, enum role role)
{
	signal_wrap(role == EMITTER || target->stored
	                    ? "*5\r\n$4\r\nXADD\r\n$6\r\nc00000\r\n$1\r\n*\r\n$1\r\ns\r\n$300\r\n"
	                    : "*3\r\n$7\r\nPUBLISH\r\n$6\r\nc00000\r\n$300\r\n",
	            "\r\n");
}

const struct protocol load_redis = {
	.name = "redis",
	.open = redis_open,
	.ask = redis_ask,
	.ready = redis_ready,
	.prepare = redis_prepare,
	.read = redis_read,
};
