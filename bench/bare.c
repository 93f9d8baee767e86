/* The yardstick: the least that a WebSocket fan-out server can do.
 *
 * One thread, one epoll. A publisher (path /pub) sends masked text frames; each is
 * unmasked straight into a byte ring, framed for the way out. At the end of a turn
 * every subscriber (path /sub) with news gets one contiguous send of all that came
 * since its cursor. Nothing is parsed, checked, numbered or stored, and nobody is
 * asked who they are. Whatever a real server costs more than this is the price of
 * what it does more.
 *
 * A subscriber of /sub?k=N has a channel of its own number and gets the messages that
 * say "correlationId":"cN" (digits may have leading zeros). Each channel has its own
 * ring, so that a filtered subscriber costs one contiguous send as well.
 *
 * Usage: bench-bare [--listen PORT] [--cert FILE --key FILE]. It prints the port it listens
 * on. With a certificate all of it is over TLS, and the send is an SSL_write. */
#include "bare_tls.h"
#include "bench.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <openssl/evp.h>
#include <openssl/sha.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
	EVENTS = 1024,         /* ready sockets looked at in one turn */
	ACCEPTS = 64,          /* connections taken in one turn */
	REQUEST_MAX = 4096,    /* an upgrade request must fit in this */
	INBOX = 64 * 1024,     /* what is read of a publisher in one turn */
	TURN_MAX = 128 * 1024, /* bytes appended in one turn, of all publishers */
	RING_ALL = 8 << 20,    /* ring of the unfiltered channel */
	RING_KEY = 512 * 1024, /* ring of one key */
	KEYS = 16384,
};

/* What one kind of subscriber sees: a mirror-mapped ring, so that every stretch of
 * it up to its size is contiguous in memory, and the subscribers themselves. */
struct channel {
	char *ring;
	uint64_t head; /* bytes ever appended */
	size_t size;
	int *members; /* file descriptors */
	unsigned count, room;
	bool news;
};

enum role { REQUESTING, PUBLISHER, SUBSCRIBER };

/* One connection, found by its descriptor. */
struct peer {
	struct channel *channel; /* of a subscriber */
	uint64_t cursor;         /* bytes of the channel already sent */
	char *inbox;             /* of everybody else */
	struct ssl_st *ssl;      /* NULL: bytes go as they are */
	unsigned have;           /* bytes in the inbox */
	unsigned seat;           /* index in channel->members */
	enum role role;
	bool blocked; /* its socket is full: wait for EPOLLOUT */
};

static int poller, listener;
static struct peer *peers; /* indexed by descriptor */
static unsigned peers_max;
static struct channel everything, keyed[KEYS];
static unsigned keys_in_use;
static struct channel *news[KEYS + 1]; /* channels to flush in this turn */
static unsigned news_count;
static size_t turn_bytes;

/* Channels */

static char *ring_map(size_t size)
{
	int fd = memfd_create("ring", MFD_CLOEXEC);
	char *at = mmap(NULL, 2 * size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int both = PROT_READ | PROT_WRITE, how = MAP_SHARED | MAP_FIXED;

	if (fd < 0 || at == MAP_FAILED || ftruncate(fd, (off_t)size) < 0 ||
	    mmap(at, size, both, how, fd, 0) == MAP_FAILED ||
	    mmap(at + size, size, both, how, fd, 0) == MAP_FAILED)
		die("mapping a ring of %zu bytes", size);
	close(fd);
	return at;
}

static void channel_join(struct channel *channel, int fd)
{
	struct peer *peer = &peers[fd];

	if (channel->ring == NULL) {
		channel->size = channel == &everything ? RING_ALL : RING_KEY;
		channel->ring = ring_map(channel->size);
		keys_in_use += channel != &everything;
	}
	if (channel->count == channel->room) {
		channel->room = channel->room ? 2 * channel->room : 8;
		channel->members = realloc(channel->members, channel->room * sizeof(int));
		if (channel->members == NULL)
			die("out of memory");
	}
	peer->channel = channel;
	peer->cursor = channel->head;
	peer->seat = channel->count;
	channel->members[channel->count++] = fd;
}

static void channel_part(struct peer *peer)
{
	struct channel *channel = peer->channel;
	int last = channel->members[--channel->count];

	channel->members[peer->seat] = last;
	peers[last].seat = peer->seat;
}

/* Answer where `length` bytes may be written; they are news from now on. */
static char *channel_append(struct channel *channel, size_t length)
{
	char *at = channel->ring + channel->head % channel->size;

	channel->head += length;
	turn_bytes += length;
	if (!channel->news) {
		channel->news = true;
		news[news_count++] = channel;
	}
	return at;
}

/* Connections */

static void watch(int fd, int op, uint32_t events)
{
	struct epoll_event event = {.events = events, .data.fd = fd};

	if (epoll_ctl(poller, op, fd, &event) < 0)
		die("epoll_ctl");
}

static ssize_t peer_send(int fd, const void *bytes, size_t length)
{
	if (peers[fd].ssl != NULL)
		return bare_tls_send(peers[fd].ssl, bytes, length);
	return send(fd, bytes, length, MSG_DONTWAIT | MSG_NOSIGNAL);
}

static ssize_t peer_recv(int fd, void *bytes, size_t room)
{
	if (peers[fd].ssl != NULL)
		return bare_tls_recv(peers[fd].ssl, bytes, room);
	return recv(fd, bytes, room, MSG_DONTWAIT);
}

static void peer_close(int fd)
{
	if (peers[fd].role == SUBSCRIBER)
		channel_part(&peers[fd]);
	free(peers[fd].inbox);
	peers[fd].inbox = NULL;
	bare_tls_close(peers[fd].ssl);
	close(fd);
}

/* One send of everything since the cursor. A subscriber whose next bytes could be
 * overwritten in the coming turn is let go. */
static void peer_flush(int fd)
{
	struct peer *peer = &peers[fd];
	struct channel *channel = peer->channel;
	size_t length = channel->head - peer->cursor;
	ssize_t sent;

	if (length > channel->size - TURN_MAX - INBOX) {
		peer_close(fd);
		return;
	}
	if (peer->blocked || length == 0)
		return;
	sent = peer_send(fd, channel->ring + peer->cursor % channel->size, length);
	if (sent < 0 && errno != EAGAIN) {
		peer_close(fd);
		return;
	}
	if (sent > 0)
		peer->cursor += (size_t)sent;
	if (sent < (ssize_t)length) {
		peer->blocked = true;
		watch(fd, EPOLL_CTL_MOD, EPOLLIN | EPOLLOUT);
	}
}

static void peer_unblock(int fd)
{
	peers[fd].blocked = false;
	watch(fd, EPOLL_CTL_MOD, EPOLLIN);
	peer_flush(fd);
}

/* Backwards, because whoever is closed is replaced by the last. */
static void flush_news(void)
{
	for (unsigned n = 0; n < news_count; n++) {
		struct channel *channel = news[n];

		for (unsigned i = channel->count; i-- > 0;)
			peer_flush(channel->members[i]);
		channel->news = false;
	}
	news_count = 0;
	turn_bytes = 0;
}

/* Messages */

static void unmask(char *to, const char *from, size_t length, const char mask[4])
{
	uint64_t wide, word;
	size_t i = 0;

	memcpy(&wide, mask, 4);
	memcpy((char *)&wide + 4, mask, 4);
	for (; i + 8 <= length; i += 8) {
		memcpy(&word, from + i, 8);
		word ^= wide;
		memcpy(to + i, &word, 8);
	}
	for (; i < length; i++)
		to[i] = from[i] ^ mask[i & 3];
}

/* The frame header of the way out; answers its length. */
static size_t frame_head(char *at, size_t length)
{
	at[0] = (char)0x81;
	if (length < 126) {
		at[1] = (char)length;
		return 2;
	}
	at[1] = 126;
	at[2] = (char)(length >> 8);
	at[3] = (char)length;
	return 4;
}

/* The channel that "correlationId":"cN" names, if anybody listens there. */
static struct channel *channel_of(const char *text, size_t length)
{
	static const char key[] = "\"correlationId\":\"c";
	const char *at = memmem(text, length, key, sizeof key - 1);
	unsigned number = 0;

	if (at == NULL)
		return NULL;
	for (at += sizeof key - 1; at < text + length && *at >= '0' && *at <= '9'; at++)
		number = (number * 10 + (unsigned)(*at - '0')) % KEYS;
	return keyed[number].count > 0 ? &keyed[number] : NULL;
}

static void publish(const char *masked, size_t length, const char mask[4])
{
	static char text[INBOX + 8];
	size_t head = frame_head(text, length);
	struct channel *channel;

	if (everything.count > 0 && keys_in_use == 0) {
		char *to = channel_append(&everything, head + length);

		memcpy(to, text, head);
		unmask(to + head, masked, length, mask);
		return;
	}
	unmask(text + head, masked, length, mask);
	channel = channel_of(text + head, length);
	if (everything.count > 0)
		memcpy(channel_append(&everything, head + length), text, head + length);
	if (channel != NULL)
		memcpy(channel_append(channel, head + length), text, head + length);
}

/* Take whole frames out of the inbox; answers the bytes used, or -1 to close. Only
 * unfragmented masked text of at most 65535 bytes is spoken here. */
static ssize_t take_frames(const char *at, size_t have)
{
	const unsigned char *b = (const unsigned char *)at;
	size_t used = 0;

	while (have - used >= 6) {
		const unsigned char *frame = b + used;
		size_t length = frame[1] & 0x7f, head = 6;

		if (frame[0] != 0x81 || frame[1] < 0x80 || length == 127)
			return -1;
		if (length == 126) {
			length = (size_t)frame[2] << 8 | frame[3];
			head = 8;
		}
		if (head + length > INBOX)
			return -1;
		if (have - used < head + length)
			break;
		publish(at + used + head, length, at + used + head - 4);
		used += head + length;
	}
	return (ssize_t)used;
}

static void publisher_read(int fd)
{
	struct peer *peer = &peers[fd];
	ssize_t got, used;

	if (turn_bytes >= TURN_MAX)
		return;
	got = peer_recv(fd, peer->inbox + peer->have, INBOX - peer->have);
	if (got < 0 && errno == EAGAIN)
		return;
	if (got <= 0) {
		peer_close(fd);
		return;
	}
	peer->have += (unsigned)got;
	used = take_frames(peer->inbox, peer->have);
	if (used < 0) {
		peer_close(fd);
		return;
	}
	peer->have -= (unsigned)used;
	memmove(peer->inbox, peer->inbox + used, peer->have);
}

/* What subscribers say is not listened to, but that they left is. */
static void subscriber_read(int fd)
{
	char ignored[512];
	ssize_t got = peer_recv(fd, ignored, sizeof ignored);

	if (got == 0 || (got < 0 && errno != EAGAIN))
		peer_close(fd);
}

/* The upgrade */

static void answer_upgrade(int fd, const char *key)
{
	static const char guid[] = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
	char text[128], reply[256];
	unsigned char digest[SHA_DIGEST_LENGTH], accept[32];
	int size = snprintf(text, sizeof text, "%.24s%s", key, guid);

	SHA1((unsigned char *)text, (size_t)size, digest);
	EVP_EncodeBlock(accept, digest, sizeof digest);
	size = snprintf(reply, sizeof reply,
	                "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
	                "Connection: Upgrade\r\nSec-WebSocket-Accept: %s\r\n\r\n",
	                (char *)accept);
	peer_send(fd, reply, (size_t)size);
}

/* `path` lies in the peer's inbox. */
static void become(int fd, const char *path)
{
	struct peer *peer = &peers[fd];

	if (strncmp(path, "/pub ", 5) == 0) {
		peer->role = PUBLISHER;
		peer->have = 0;
		peer->inbox = realloc(peer->inbox, INBOX);
		if (peer->inbox == NULL)
			die("out of memory");
		return;
	}
	peer->role = SUBSCRIBER;
	if (strncmp(path, "/sub?k=", 7) == 0)
		channel_join(&keyed[strtoul(path + 7, NULL, 10) % KEYS], fd);
	else
		channel_join(&everything, fd);
	free(peer->inbox); /* The path was in it. */
	peer->inbox = NULL;
}

static void request_read(int fd)
{
	static const char name[] = "\r\nSec-WebSocket-Key:";
	struct peer *peer = &peers[fd];
	size_t room = REQUEST_MAX - 1 - peer->have;
	ssize_t got = peer_recv(fd, peer->inbox + peer->have, room);
	char *key;

	if (got < 0 && errno == EAGAIN)
		return;
	if (got <= 0) {
		peer_close(fd);
		return;
	}
	peer->have += (unsigned)got;
	peer->inbox[peer->have] = '\0';
	if (strstr(peer->inbox, "\r\n\r\n") == NULL && peer->have < REQUEST_MAX - 1)
		return;
	key = strcasestr(peer->inbox, name);
	if (key == NULL || strncmp(peer->inbox, "GET /", 5) != 0) {
		peer_close(fd);
		return;
	}
	key += sizeof name - 1;
	key += strspn(key, " ");
	answer_upgrade(fd, key);
	become(fd, peer->inbox + 4);
}

/* The turn */

static void accept_some(void)
{
	for (int n = 0; n < ACCEPTS; n++) {
		int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

		if (fd < 0)
			return;
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
		peers[fd] = (struct peer){.inbox = malloc(REQUEST_MAX), .ssl = bare_tls_accept(fd)};
		if (peers[fd].inbox == NULL)
			die("out of memory");
		watch(fd, EPOLL_CTL_ADD, EPOLLIN);
	}
}

static void peer_ready(int fd, uint32_t events)
{
	struct peer *peer = &peers[fd];

	if (events & (EPOLLIN | EPOLLHUP | EPOLLERR)) {
		if (peer->role == PUBLISHER)
			publisher_read(fd);
		else if (peer->role == SUBSCRIBER)
			subscriber_read(fd);
		else
			request_read(fd);
	} else if (events & EPOLLOUT) {
		peer_unblock(fd);
	}
}

static void listen_on(uint16_t port)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(port)};
	socklen_t length = sizeof at;

	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &(int){1}, sizeof(int));
	if (bind(listener, (struct sockaddr *)&at, sizeof at) < 0 || listen(listener, 4096) < 0)
		die("listening on port %u", port);
	getsockname(listener, (struct sockaddr *)&at, &length);
	printf("listening on 127.0.0.1:%u\n", ntohs(at.sin_port));
	fflush(stdout);
}

int main(int argc, char **argv)
{
	static struct epoll_event events[EVENTS];

	(void)argc;
	peers_max = raise_file_limit();
	peers = calloc(peers_max, sizeof *peers);
	poller = epoll_create1(EPOLL_CLOEXEC);
	if (peers == NULL || poller < 0)
		die("starting");
	bare_tls_use(option(argv, "--cert", NULL), option(argv, "--key", NULL));
	listen_on((uint16_t)option_number(argv, "--listen", 0));
	watch(listener, EPOLL_CTL_ADD, EPOLLIN);
	for (;;) {
		int count = epoll_wait(poller, events, EVENTS, -1);

		for (int i = 0; i < count; i++) {
			if (events[i].data.fd == listener)
				accept_some();
			else
				peer_ready(events[i].data.fd, events[i].events);
		}
		flush_news();
	}
}
