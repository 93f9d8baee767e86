/* A back end that streams: the least that an OpenAI-compatible server can be.
 *
 * One thread, one epoll. GET .../v1/models lists one model. Any POST is answered with
 * an event stream of tokens, --rate a second, until the client goes. The streams are
 * spread over time as those of many servers would be: no two tokens are sent at the
 * same moment on purpose.
 *
 * Usage: bench-upstream [--rate N]. It prints the port it listens on. */
#include "bench.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

enum { EVENTS = 256, REQUEST_MAX = 4096, STREAMS_MAX = 4096 };

static const char head_models[] = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
				  "Content-Length: 49\r\n\r\n"
				  "{\"object\":\"list\",\"data\":[{\"id\":\"bench-model-a\"}]}";
static const char head_stream[] = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
				  "Transfer-Encoding: chunked\r\n\r\n";
/* As long as the real ones are. */
static const char token[] =
	"data: {\"id\":\"chatcmpl-AbCdEfGhIjKlMnOpQrStUvWxYz012\",\"object\":"
	"\"chat.completion.chunk\",\"created\":1750000000,\"model\":\"bench-model-a\","
	"\"service_tier\":\"default\",\"system_fingerprint\":\"fp_0123456789\",\"choices\":"
	"[{\"index\":0,\"delta\":{\"content\":\" token\"},\"logprobs\":null,\"finish_reason\":"
	"null}],\"usage\":null}\n\n";

static int poller, listener, timer;
static int streams[STREAMS_MAX]; /* descriptors */
static unsigned stream_count, next_stream;
static uint64_t rate, begun_ns, sent; /* tokens since the last stream came */
static char chunk[1024];
static int chunk_len;

static void watch(int fd)
{
	struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};

	if (epoll_ctl(poller, EPOLL_CTL_ADD, fd, &event) < 0)
		die("epoll_ctl");
}

static void begin(void)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct itimerspec every = {{0, 1000000}, {0, 1000000}};
	socklen_t size = sizeof at;

	listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (bind(listener, (struct sockaddr *)&at, size) < 0 || listen(listener, 1024) < 0)
		die("listen");
	getsockname(listener, (struct sockaddr *)&at, &size);
	timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	timerfd_settime(timer, 0, &every, NULL);
	poller = epoll_create1(EPOLL_CLOEXEC);
	watch(listener);
	watch(timer);
	printf("%d\n", ntohs(at.sin_port));
	fflush(stdout);
}

static void accept_all(void)
{
	int fd, yes = 1;

	while ((fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
		watch(fd);
	}
}

static void drop(int fd)
{
	for (unsigned i = 0; i < stream_count; i++)
		if (streams[i] == fd)
			streams[i] = streams[--stream_count];
	close(fd);
}

static void answer(int fd, const char *bytes, size_t n)
{
	if (send(fd, bytes, n, MSG_NOSIGNAL) != (ssize_t)n)
		drop(fd);
}

/* A request is small and comes whole: this is a bench. */
static void hear(int fd)
{
	char request[REQUEST_MAX + 1];
	ssize_t n = read(fd, request, REQUEST_MAX);

	if (n <= 0) {
		if (n == 0 || errno != EAGAIN)
			drop(fd);
		return;
	}
	request[n] = '\0';
	if (strncmp(request, "GET ", 4) == 0) {
		answer(fd, head_models, sizeof head_models - 1);
	} else if (strncmp(request, "POST ", 5) == 0 && stream_count < STREAMS_MAX) {
		answer(fd, head_stream, sizeof head_stream - 1);
		streams[stream_count++] = fd;
		begun_ns = now_ns();
		sent = 0;
	}
}

/* As many tokens as are due by now, one stream after the other. */
static void play(void)
{
	uint64_t due, ticks;

	if (read(timer, &ticks, sizeof ticks) < 0 || stream_count == 0)
		return;
	due = (now_ns() - begun_ns) / 1000 * rate * stream_count / 1000000;
	for (; sent < due && stream_count > 0; sent++) {
		next_stream = (next_stream + 1) % stream_count;
		answer(streams[next_stream], chunk, (size_t)chunk_len);
	}
}

int main(int argc, char **argv)
{
	struct epoll_event events[EVENTS];

	(void)argc;
	rate = option_number(argv, "--rate", 50);
	chunk_len = snprintf(chunk, sizeof chunk, "%zx\r\n%s\r\n", sizeof token - 1, token);
	raise_file_limit();
	begin();
	for (;;) {
		int n = epoll_wait(poller, events, EVENTS, -1);

		for (int i = 0; i < n; i++) {
			if (events[i].data.fd == listener)
				accept_all();
			else if (events[i].data.fd == timer)
				play();
			else
				hear(events[i].data.fd);
		}
	}
}
