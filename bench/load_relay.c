/* A gateway behind the box: this program is that gateway, a client of the box, and one that speaks
 * with the gateway itself. Each event is sent to both at once; or each of them calls, in turn.
 *
 *   --calls 1    methods are called, instead of events
 *   --listen P   where the box finds the gateway; the box tries again until it is there
 *   --rate R     events or calls a second
 *   --ms T       for so long */
#include "load_gateway.h"
#include "load_samples.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define METHOD "cron.list" /* that the box does not have */

enum { HEARD_MAX = 16384, SAID_MAX = 1024, SENT_MAX = 4096, STALL_S = 20 };

static struct {
	int listener, box, direct_out, direct_in;
	struct link client;
	uint64_t sent, through, sent_ns[SENT_MAX];
	struct samples relayed, direct;
} relay;

static void put_all(int fd, const void *bytes, size_t length)
{
	if (send(fd, bytes, length, MSG_NOSIGNAL) != (ssize_t)length)
		die("send");
}

static void get_all(int fd, void *bytes, size_t length)
{
	if (recv(fd, bytes, length, MSG_WAITALL) != (ssize_t)length)
		die("the box left");
}

/* ---- a gateway ---- */

/* A server does not mask. */
static size_t server_frame(char *out, const char *text, size_t length)
{
	const size_t head = length < 126 ? 2 : 4;

	out[0] = (char)0x81;
	out[1] = head == 2 ? (char)length : 126;
	out[2] = (char)(length >> 8);
	out[3] = (char)length;
	memcpy(out + head, text, length);
	return head + length;
}

static void tell_box(const char *text)
{
	char frame[SAID_MAX + 4];

	put_all(relay.box, frame, server_frame(frame, text, strlen(text)));
}

/* The next frame of the box, unmasked and ended; false: it is no text. */
static bool hear_box(char text[HEARD_MAX])
{
	unsigned char head[4], mask[4];
	size_t length;

	get_all(relay.box, head, 2);
	length = head[1] & 0x7f;
	if (length == 126) {
		get_all(relay.box, head + 2, 2);
		length = (size_t)head[2] << 8 | head[3];
	}
	errno = 0;
	if ((head[1] & 0x80) == 0 || length >= HEARD_MAX)
		die("the box sent a frame that this gateway does not take");
	get_all(relay.box, mask, sizeof mask);
	get_all(relay.box, text, length);
	for (size_t i = 0; i < length; i++)
		text[i] = (char)(text[i] ^ mask[i & 3]);
	text[length] = '\0';
	return (head[0] & 0xf) == 1;
}

static void answer_upgrade(void)
{
	static const char guid[] = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
	char head[HEARD_MAX], key[128], accept[64], out[256];
	unsigned char digest[EVP_MAX_MD_SIZE];
	unsigned digest_len;
	size_t have = 0;
	char *at;

	do {
		ssize_t got = recv(relay.box, head + have, sizeof head - 1 - have, 0);

		if (got <= 0)
			die("the box left");
		have += (size_t)got;
		head[have] = '\0';
	} while (strstr(head, "\r\n\r\n") == NULL);
	at = strcasestr(head, "sec-websocket-key:");
	errno = 0;
	if (at == NULL || sscanf(at + 18, " %64[^\r]", key) != 1)
		die("the box asked for no upgrade");
	strcat(key, guid);
	EVP_Digest(key, strlen(key), digest, &digest_len, EVP_sha1(), NULL);
	EVP_EncodeBlock((unsigned char *)accept, digest, (int)digest_len);
	snprintf(out, sizeof out,
	         "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
	         "Connection: Upgrade\r\nSec-WebSocket-Accept: %s\r\n\r\n",
	         accept);
	put_all(relay.box, out, strlen(out));
}

static void greet_box(void)
{
	char text[HEARD_MAX], id[64] = "", out[SAID_MAX];
	const char *at;

	answer_upgrade();
	tell_box("{\"type\":\"event\",\"event\":\"connect.challenge\",\"payload\":{\"nonce\":"
	         "\"5f0c2b1e-77aa-4c1d-9e3b-000000000000\",\"ts\":1767225600000,"
	         "\"capabilities\":[]}}");
	while (!hear_box(text))
		;
	at = strstr(text, "\"id\":\"");
	errno = 0;
	if (at == NULL || sscanf(at + 6, "%63[^\"]", id) != 1)
		die("the box said %s", text);
	snprintf(out, sizeof out,
	         "{\"type\":\"res\",\"id\":\"%s\",\"ok\":true,\"payload\":{\"type\":\"hello-ok\","
	         "\"protocol\":4,\"server\":{\"version\":\"2026.9.6\",\"bootId\":\"b\",\"connId\":"
	         "\"c\"},\"features\":{\"methods\":[\"" METHOD
	         "\"],\"events\":[\"agent\",\"tick\"]},"
	         "\"snapshot\":{\"presence\":[],\"health\":{},\"uptimeMs\":1,\"stateVersion\":"
	         "{\"presence\":1,\"health\":1}},\"auth\":{\"role\":\"operator\",\"scopes\":"
	         "[\"operator.read\"]},\"policy\":{\"maxPayload\":524288,"
	         "\"maxBufferedBytes\":1572864,\"tickIntervalMs\":600000}}}",
	         id);
	tell_box(out);
}

/* ---- events ---- */

static size_t event(char frame[SAID_MAX + 4], const char *stream, const char *data)
{
	char text[SAID_MAX];
	const unsigned long n = (unsigned long)++relay.sent;
	int length = snprintf(text, sizeof text,
	                      "{\"type\":\"event\",\"event\":\"agent\",\"payload\":{\"runId\":"
	                      "\"relayed\",\"sessionKey\":\"agent:main:main\",\"agentId\":"
	                      "\"main\",\"seq\":%lu,\"stream\":\"%s\",\"data\":%s,"
	                      "\"ts\":1767225600000,\"isHeartbeat\":false},\"seq\":%lu}",
	                      n, stream, data, n);

	return server_frame(frame, text, (size_t)length);
}

static void hear_direct(size_t length)
{
	char frame[SAID_MAX + 4];

	get_all(relay.direct_in, frame, length);
}

static void hear_through(void)
{
	const uint64_t before = relay.client.received;
	uint64_t now;

	load_gateway.read(&relay.client, MSG_DONTWAIT);
	now = now_ns();
	for (uint64_t n = before; n < relay.client.received; n++)
		samples_add(&relay.relayed, now - relay.sent_ns[relay.through++ % SENT_MAX]);
}

static void begin_run(void)
{
	char frame[SAID_MAX + 4];

	put_all(relay.box, frame, event(frame, "lifecycle", "{\"phase\":\"start\"}"));
}

static void send_one(uint64_t number)
{
	char frame[SAID_MAX + 4], data[256];
	uint64_t begun;
	size_t length;

	snprintf(data, sizeof data, "{\"text\":\"thought %lu\",\"delta\":\"thought %lu\"}",
	         (unsigned long)number, (unsigned long)number);
	length = event(frame, "thinking", data);
	relay.sent_ns[number % SENT_MAX] = now_ns();
	put_all(relay.box, frame, length);
	begun = now_ns();
	put_all(relay.direct_out, frame, length);
	hear_direct(length);
	samples_add(&relay.direct, now_ns() - begun);
}

static void run(uint64_t rate, uint64_t length_ns)
{
	const uint64_t first = now_ns();
	uint64_t number = 0, now;

	while ((now = now_ns()) < first + length_ns || relay.through < number) {
		if (now < first + length_ns && number < (now - first) * rate / 1000000000u + 1)
			send_one(number++);
		hear_through();
		errno = 0;
		if (now > first + length_ns + STALL_S * 1000000000ull)
			die("%lu of %lu events came", (unsigned long)relay.through,
			    (unsigned long)number);
	}
}

/* ---- calls ---- */

static size_t answer_of(char frame[SAID_MAX + 4], const char *id)
{
	char text[SAID_MAX];
	int length = snprintf(text, sizeof text,
	                      "{\"type\":\"res\",\"id\":\"%s\",\"ok\":true,\"payload\":"
	                      "{\"jobs\":[],\"total\":0,\"hasMore\":false}}",
	                      id);

	return server_frame(frame, text, (size_t)length);
}

/* What the box asks for itself waits for ever. */
static void answer_box(void)
{
	char text[HEARD_MAX], id[64] = "", frame[SAID_MAX + 4];
	const char *at;

	while (!hear_box(text) || strstr(text, METHOD) == NULL)
		;
	at = strstr(text, "\"id\":\"");
	errno = 0;
	if (at == NULL || sscanf(at + 6, "%63[^\"]", id) != 1)
		die("the box said %s", text);
	put_all(relay.box, frame, answer_of(frame, id));
}

static void call_once(void)
{
	static const char asked[] =
		"{\"type\":\"req\",\"id\":\"b1\",\"method\":\"" METHOD "\",\"params\":{}}";
	char frame[SAID_MAX + 4];
	uint64_t begun = now_ns();
	size_t length;

	relay.client.greeted = false;
	ws_send(&relay.client, 1, asked, sizeof asked - 1);
	answer_box();
	while (!relay.client.greeted)
		load_gateway.read(&relay.client, 0);
	samples_add(&relay.relayed, now_ns() - begun);
	relay.through++;
	begun = now_ns();
	put_all(relay.direct_in, asked, sizeof asked - 1);
	get_all(relay.direct_out, frame, sizeof asked - 1);
	length = answer_of(frame, "b1");
	put_all(relay.direct_out, frame, length);
	get_all(relay.direct_in, frame, length);
	samples_add(&relay.direct, now_ns() - begun);
}

static void call(uint64_t rate, uint64_t length_ns)
{
	const uint64_t first = now_ns();
	struct timespec pause = {.tv_nsec = 100000};
	uint64_t now;

	while ((now = now_ns()) < first + length_ns)
		if (relay.through < (now - first) * rate / 1000000000u + 1)
			call_once();
		else
			nanosleep(&pause, NULL);
}

/* ---- the set-up ---- */

static int accept_one(void)
{
	struct timeval patience = {.tv_sec = LOAD_WAIT_S};
	int fd = accept(relay.listener, NULL, NULL);

	if (fd < 0)
		die("nobody came");
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
	return fd;
}

static void listen_at(uint16_t port)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(port)};
	struct timeval patience = {.tv_sec = LOAD_WAIT_S};

	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	relay.listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	setsockopt(relay.listener, SOL_SOCKET, SO_REUSEADDR, &(int){1}, sizeof(int));
	setsockopt(relay.listener, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
	if (relay.listener < 0 || bind(relay.listener, (struct sockaddr *)&at, sizeof at) < 0 ||
	    listen(relay.listener, 16) < 0)
		die("listening at port %u", port);
}

void load_relay(const struct target *target, char **argv)
{
	struct target itself = {.port = (uint16_t)option_number(argv, "--listen", 0)};
	const uint64_t rate = option_number(argv, "--rate", 100);
	const uint64_t length_ns = option_number(argv, "--ms", 2000) * 1000000;
	struct link direct = {0};

	samples_init(&relay.relayed);
	samples_init(&relay.direct);
	listen_at(itself.port);
	relay.box = accept_one();
	greet_box();
	link_dial(&direct, &itself);
	relay.direct_in = direct.fd;
	relay.direct_out = accept_one();
	link_join(&relay.client, target, SUBSCRIBER);
	if (option_number(argv, "--calls", 0)) {
		call(rate, length_ns);
	} else {
		begin_run();
		run(rate, length_ns);
	}
	printf("{\"events\":%lu", (unsigned long)relay.through);
	samples_print("relayed", &relay.relayed);
	samples_print("direct", &relay.direct);
	puts("}");
}
