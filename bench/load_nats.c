/* nats-server: lines of text. A key is a subject; everybody hears subject c00000 unless there
 * are keys. What is stored goes into a JetStream stream in files, and its subscriber hears
 * from the stream, not from the publisher. */
#include "load_read.h"

#include <stdio.h>
#include <stdlib.h>

#define INBOX "_INBOX.bench" /* where answers and acknowledgements come */

/* MSG subject sid [reply] length, and then so many bytes and a line's end; `line_end` is the
 * CR of the first line. Answers where it ends, or NULL. */
static const char *take_message(struct link *link, const char *at, const char *line_end,
                                const char *end)
{
	const char *size = memrchr(at, ' ', (size_t)(line_end - at));
	size_t length = strtoul(size, NULL, 10);
	const char *body = line_end + 2;

	if ((size_t)(end - body) < length + 2)
		return NULL;
	errno = 0;
	if (is_signal(body, length) || (length > 10 && memcmp(body, "{\"stream\":", 10) == 0))
		link->received++;
	else if (memmem(body, length, "\"error\"", 7) != NULL)
		die("nats-server said %.*s", (int)length, body);
	else
		link->ponged = true;
	return body + length + 2;
}

static void take_line(struct link *link, const char *at, const char *line_end)
{
	errno = 0;
	if (strncmp(at, "PONG", 4) == 0)
		link->ponged = true;
	else if (strncmp(at, "PING", 4) == 0)
		link_say(link, "PONG\r\n");
	else if (strncmp(at, "INFO", 4) != 0)
		die("nats-server said %.*s", (int)(line_end - at), at);
}

static const char *walk(struct link *link, const char *at, const char *end)
{
	const char *line_end;

	while ((line_end = memchr(at, '\r', (size_t)(end - at))) != NULL && line_end + 1 < end) {
		const char *next = line_end + 2;

		if (memcmp(at, "MSG ", 4) == 0)
			next = take_message(link, at, line_end, end);
		else
			take_line(link, at, line_end);
		if (next == NULL)
			break;
		at = next;
	}
	return at;
}

static bool nats_read(struct link *link, int flags)
{
	return link_read(link, flags, walk);
}

static void nats_open(struct link *link, const struct target *target)
{
	link_dial(link, target);
	link_say(link, "CONNECT {\"verbose\":false,\"pedantic\":false}\r\n");
}

static void nats_ready(struct link *link)
{
	while (!link->ponged)
		nats_read(link, 0);
}

/* Ask the server for something, and wait for its answer. */
static void request(struct link *link, const char *subject, const char *json)
{
	char text[1024];

	snprintf(text, sizeof text, "PUB %s " INBOX " %zu\r\n%s\r\n", subject, strlen(json), json);
	link->ponged = false;
	link_say(link, text);
	nats_ready(link);
}

static void make_stream(struct link *link)
{
	request(link, "$JS.API.STREAM.CREATE.bench",
	        "{\"name\":\"bench\",\"subjects\":[\"c00000\"],\"storage\":\"file\","
	        "\"retention\":\"limits\",\"discard\":\"old\",\"max_consumers\":-1,"
	        "\"max_msgs\":-1,\"max_bytes\":-1,\"max_age\":0,\"num_replicas\":1}");
}

static void make_consumer(struct link *link)
{
	request(link, "$JS.API.CONSUMER.CREATE.bench",
	        "{\"stream_name\":\"bench\",\"config\":{\"deliver_subject\":\"heard\","
	        "\"deliver_policy\":\"all\",\"ack_policy\":\"none\","
	        "\"replay_policy\":\"instant\"}}");
}

static void nats_ask(struct link *link, const struct target *target)
{
	char text[128];

	snprintf(text, sizeof text, "SUB c%05u 1\r\n", link->key);
	if (link->role == SUBSCRIBER)
		link_say(link, target->stored ? "SUB heard 1\r\n" : text);
	if (target->stored && link->role != PUBLISHER) {
		link_say(link, "SUB " INBOX " 2\r\n");
		make_stream(link);
	}
	if (target->stored && link->role == SUBSCRIBER)
		make_consumer(link);
	link->ponged = false;
	link_say(link, "PING\r\n");
}

static void nats_prepare(const struct target *target, enum role role)
{
	(void)target;
	signal_wrap(role == EMITTER ? "PUB c00000 " INBOX " 300\r\n" : "PUB c00000 300\r\n",
	            "\r\n");
}

const struct protocol load_nats = {
	.name = "nats",
	.open = nats_open,
	.ask = nats_ask,
	.ready = nats_ready,
	.prepare = nats_prepare,
	.read = nats_read,
};
