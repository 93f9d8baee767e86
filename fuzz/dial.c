/* dial.c - hostile servers that a box connects to: it gives them up or goes on, and what it
 * says of them is JSON.
 *
 * The first line of the input is a protocol.  What the server says follows, for one
 * connection after the other, with a record separator (0x1e) between them.  To an upgrade
 * it agrees, unless the part begins with '!', and each line is a message then; all else
 * goes out as it stands.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/must.h"
#include "lib/boxed.h"
#include "lib/hold.h"
#include "net/ws.h"
#include "signal/json.h"
#include "source/transport.h"

#define HEARD_MAX (16 * MIB)
#define LINES_MAX 8   /* connections of one input */
#define FIRST_MS 200  /* for the first, which always comes */
#define FURTHER_MS 10 /* for those that may */

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static int arrivals[2]; /* a pipe of descriptors, from the thread of the box */

static void take(int fd)
{
	must_hold(write(arrivals[1], &fd, sizeof(fd)) == sizeof(fd));
}

static int next_arrival(int ms)
{
	struct pollfd news = {.fd = arrivals[0], .events = POLLIN};
	int fd;

	if (TEMP_FAILURE_RETRY(poll(&news, 1, ms)) != 1)
		return -1;
	must_hold(read(arrivals[0], &fd, sizeof(fd)) == sizeof(fd));
	return fd;
}

/* Yes, with the answer to its key. */
static bool agree(int fd, struct text asked)
{
	const char *key = memmem(asked.at, asked.len, "Sec-WebSocket-Key: ", 19);
	char accept[WS_ACCEPT_LEN + 1];

	if (!key || !ws_accept((struct text){key + 19, 24}, accept))
		return false;
	boxed_say(fd, TEXT("HTTP/1.1 101 Yes\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
	                   "Sec-WebSocket-Accept: "));
	boxed_say(fd, text_of(accept));
	boxed_say(fd, TEXT("\r\n\r\n"));
	return true;
}

static void answer(int fd, struct text part)
{
	struct buf heard, frames;

	buf_init(&heard, HEARD_MAX);
	buf_init(&frames, HEARD_MAX);
	boxed_hear_head(fd, &heard);
	if (part.len && part.at[0] == '!') {
		boxed_say(fd, (struct text){part.at + 1, part.len - 1});
	} else if (agree(fd, buf_text(&heard))) {
		while (part.len)
			ws_add_frame(&frames, WS_OP_TEXT, text_cut(part, '\n', &part));
		boxed_say(fd, buf_text(&frames));
	} else {
		boxed_say(fd, part);
	}
	shutdown(fd, SHUT_WR);
	buf_finish(&heard);
	buf_finish(&frames);
}

/* Serves those that come; how many did. */
static unsigned serve(struct text *parts, int fds[], unsigned count, int ms)
{
	int fd;

	while (parts->len && count < LINES_MAX && (fd = next_arrival(ms)) >= 0) {
		answer(fd, text_cut(*parts, '\x1e', parts));
		fds[count++] = fd;
		ms = FURTHER_MS;
	}
	return count;
}

static void check_sources(struct buf *out)
{
	struct text head, rest;
	const char *body;
	yyjson_doc *doc;

	buf_clear(out);
	boxed_ask("GET", "/api/sources", TEXT(""), out);
	head = buf_text(out);
	must_hold(text_starts(head, TEXT("HTTP/1.1 200")));
	body = memmem(head.at, head.len, "\r\n\r\n", 4);
	must_hold(body != NULL);
	rest = (struct text){body + 4, (size_t)(head.at + head.len - body) - 4};
	doc = yyjson_read(rest.at, rest.len, 0);
	must_hold(doc != NULL);
	yyjson_doc_free(doc);
}

static bool add(const struct transport *transport, struct buf *out)
{
	static const char *const by_ws[] = {"websocket", "openclaw", "run", NULL};
	const char *scheme = "http";
	char *wish;

	for (int i = 0; by_ws[i]; i++)
		if (strcmp(transport->protocol, by_ws[i]) == 0)
			scheme = "ws";
	wish = must_print("{\"id\":\"fuzz\",\"url\":\"%s://127.0.0.1:9/\",\"protocol\":\"%s\","
	                  "\"model\":\"m\",\"connect\":true}",
	                  scheme, transport->protocol);
	boxed_ask("POST", "/api/sources", text_of(wish), out);
	free(wish);
	return text_starts(buf_text(out), TEXT("HTTP/1.1 20"));
}

static void play(const struct transport *transport, struct text parts, struct buf *out)
{
	int fds[LINES_MAX], fd;
	unsigned count;

	boxed_dialled = take;
	if (!add(transport, out))
		return;
	count = serve(&parts, fds, 0, FIRST_MS);
	check_sources(out);
	boxed_ask("POST", "/api/sources/fuzz/ask", TEXT("{\"prompt\":\"why\"}"), out);
	count = serve(&parts, fds, count, FURTHER_MS);
	check_sources(out);
	boxed_dialled = NULL;
	buf_clear(out);
	boxed_ask("DELETE", "/api/sources/fuzz", TEXT(""), out);
	must_hold(text_starts(buf_text(out), TEXT("HTTP/1.1 20")));
	while (count)
		close(fds[--count]);
	while ((fd = next_arrival(0)) >= 0)
		close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	const struct transport *transport;
	struct text parts, protocol = text_cut((struct text){(const char *)bytes, n}, '\n', &parts);
	struct buf out;

	transport = transport_find(protocol);
	if (!transport || text_is(protocol, "scenario") || text_is(protocol, "midi"))
		return 0;
	if (!arrivals[1])
		must_hold(pipe2(arrivals, O_CLOEXEC) == 0);
	boxed_start();
	buf_init(&out, HEARD_MAX);
	play(transport, parts, &out);
	buf_finish(&out);
	return 0;
}
