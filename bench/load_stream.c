/* Answers that are streamed: one publisher says the tokens of one run after the other, evenly,
 * and a crowd of clients of the gateway dialect hears them.
 *
 *   --subs N      clients
 *   --rate R      tokens a second
 *   --token-bytes B  bytes of a token
 *   --text N      bytes of an answer; then the run ends, and the next begins
 *   --before N    bytes of the first answer that were said before measuring begins
 *   --settle T    milliseconds before that, and again before anything is measured
 *   --ms T        measure for T milliseconds, after a third of it to warm up; 0: one whole run
 *
 * Who is closed ends the program. */
#include "load_ws.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

enum {
	EVENTS = 256,
	LONG_TOKEN = 1000, /* of what is said before */
	STREAM_FRAME = 2048,
};

static struct {
	const struct target *target;
	unsigned subs;
	uint64_t rate, token, text, settle_ns, run, said, first_ns, sent, tokens;
	struct link *links, publisher;
	int poller;
} stream;

/* ---- saying ---- */

static void put(const char *json, size_t length)
{
	char frame[STREAM_FRAME + WS_MORE];
	size_t size = ws_write(frame, 1, json, length);

	if (link_put(&stream.publisher, frame, size, 0) != (ssize_t)size)
		die("publishing");
}

static void say(uint64_t bytes)
{
	char content[LONG_TOKEN + 1], json[STREAM_FRAME];
	int length;

	for (uint64_t i = 0; i < bytes; i++)
		content[i] =
			(stream.said + i) % 6 == 5 ? ' ' : (char)('a' + (stream.said + i) % 26);
	length = snprintf(json, sizeof json,
	                  "{\"type\":\"text_delta\",\"source\":\"bench\",\"correlationId\":"
	                  "\"r%05lu\",\"payload\":{\"agentId\":\"bench\",\"content\":\"%.*s\"}}",
	                  (unsigned long)stream.run, (int)bytes, content);
	put(json, (size_t)length);
	stream.said += bytes;
}

static void end_run(void)
{
	char json[STREAM_FRAME];
	int length = snprintf(json, sizeof json,
	                      "{\"type\":\"completion\",\"source\":\"bench\",\"correlationId\":"
	                      "\"r%05lu\",\"payload\":{\"agentId\":\"bench\",\"taskId\":\"r%05lu\","
	                      "\"success\":true}}",
	                      (unsigned long)stream.run, (unsigned long)stream.run);

	put(json, (size_t)length);
	stream.run++;
	stream.said = 0;
}

/* Late tokens are said late, one a turn. */
static void say_due(uint64_t now)
{
	if (stream.sent >= (now - stream.first_ns) * stream.rate / 1000000000u)
		return;
	say(stream.token);
	stream.sent++;
	stream.tokens++;
	if (stream.said >= stream.text)
		end_run();
}

/* ---- hearing ---- */

static void hear(int patience_ms)
{
	struct epoll_event events[EVENTS];
	int count = epoll_wait(stream.poller, events, EVENTS, patience_ms);

	for (int i = 0; i < count; i++)
		while (stream.target->protocol->read(events[i].data.ptr, MSG_DONTWAIT))
			;
}

static void hear_until(uint64_t end)
{
	while (now_ns() < end)
		hear(0);
}

static void stream_until(uint64_t end)
{
	for (uint64_t now = now_ns(); now < end; now = now_ns()) {
		say_due(now);
		hear(0);
	}
}

static void stream_one_run(void)
{
	const uint64_t run = stream.run, deadline = now_ns() + 900 * 1000000000ull;

	while (stream.run == run) {
		say_due(now_ns());
		hear(0);
	}
	while (stream.links[stream.subs - 1].finals == 0 && now_ns() < deadline)
		hear(0);
}

/* ---- the run ---- */

static void watch(struct link *link)
{
	struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.ptr = link};

	if (epoll_ctl(stream.poller, EPOLL_CTL_ADD, link->fd, &event) < 0)
		die("epoll_ctl");
}

static void begin(void)
{
	stream.poller = epoll_create1(EPOLL_CLOEXEC);
	stream.links = calloc(stream.subs, sizeof *stream.links);
	if (stream.poller < 0 || stream.links == NULL)
		die("starting");
	links_subscribe(stream.links, stream.subs, stream.target);
	for (unsigned i = 0; i < stream.subs; i++)
		watch(&stream.links[i]);
	link_join(&stream.publisher, stream.target, PUBLISHER);
	watch(&stream.publisher);
}

static void say_before(uint64_t bytes)
{
	while (stream.said < bytes)
		say(LONG_TOKEN);
	if (bytes > 0)
		hear_until(now_ns() + 2 * stream.settle_ns);
}

struct heard {
	uint64_t ns, cpu_ns, agents, chats, bytes, tokens;
};

static struct heard heard_now(void)
{
	struct heard h = {.ns = now_ns(),
	                  .cpu_ns = server_cpu_ns(stream.target->pid),
	                  .tokens = stream.tokens};

	for (unsigned i = 0; i < stream.subs; i++) {
		h.agents += stream.links[i].received;
		h.chats += stream.links[i].chats;
		h.bytes += stream.links[i].bytes;
	}
	return h;
}

void load_stream(const struct target *target, char **argv)
{
	const uint64_t length_ns = option_number(argv, "--ms", 2000) * 1000000;
	const uint64_t before = option_number(argv, "--before", 0);
	struct heard start, end;

	stream.target = target;
	stream.subs = (unsigned)option_number(argv, "--subs", 1);
	stream.rate = option_number(argv, "--rate", 100);
	stream.token = option_number(argv, "--token-bytes", 4);
	stream.text = option_number(argv, "--text", 2000);
	stream.settle_ns = option_number(argv, "--settle", 1000) * 1000000;
	errno = 0;
	if (stream.subs == 0 || stream.rate == 0 || stream.token == 0 || stream.token > LONG_TOKEN)
		die("--subs, --rate and --token-bytes must be at least 1");
	begin();
	hear_until(now_ns() + stream.settle_ns);
	say_before(before);
	stream.first_ns = now_ns();
	if (length_ns > 0)
		stream_until(stream.first_ns + length_ns / 3);
	start = heard_now();
	if (length_ns > 0)
		stream_until(start.ns + length_ns);
	else
		stream_one_run();
	end = heard_now();
	printf("{\"seconds\":%.6f,\"tokens\":%lu,\"agents\":%lu,\"chats\":%lu,\"bytes\":%lu,"
	       "\"cpu_ns\":%lu}\n",
	       (double)(end.ns - start.ns) / 1e9, (unsigned long)(end.tokens - start.tokens),
	       (unsigned long)(end.agents - start.agents), (unsigned long)(end.chats - start.chats),
	       (unsigned long)(end.bytes - start.bytes),
	       (unsigned long)(end.cpu_ns - start.cpu_ns));
}
