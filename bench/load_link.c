/* Opening WebSockets, and the frames that are no signals. All of this happens before
 * anything is measured, so it waits where it must, at most LOAD_WAIT_S. */
#include "load_read.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

char load_buffer[LOAD_CARRY + LOAD_BUFFER];

enum { BATCH = 128 }; /* upgrades asked for before the first is waited for */

/* A reset instead of a goodbye, so that ten thousand ports are free again at once. */
static int dial(uint16_t port)
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port)};
	struct timeval patience = {.tv_sec = LOAD_WAIT_S};
	struct linger reset = {.l_onoff = 1};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (fd < 0)
		die("socket");
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
	setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
	if (connect(fd, (struct sockaddr *)&to, sizeof to) < 0)
		die("connecting to port %u", port);
	return fd;
}

void link_open(struct link *link, const struct target *target, const char *path)
{
	char request[512];
	int length = snprintf(request, sizeof request,
	                      "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%u\r\n"
	                      "Upgrade: websocket\r\nConnection: Upgrade\r\n"
	                      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
	                      "Sec-WebSocket-Version: 13\r\n\r\n",
	                      path, target->port);
	char *carry = malloc(LOAD_CARRY);

	if (carry == NULL)
		die("out of memory");
	*link = (struct link){.fd = dial(target->port), .carry = carry};
	if (send(link->fd, request, (size_t)length, MSG_NOSIGNAL) != length)
		die("asking for an upgrade");
}

void link_answered(struct link *link)
{
	char *end = NULL;

	while (end == NULL) {
		size_t room = LOAD_CARRY - 1 - link->have;
		ssize_t got = recv(link->fd, link->carry + link->have, room, 0);

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

void link_close(struct link *link)
{
	close(link->fd);
	free(link->carry);
	*link = (struct link){.fd = -1};
}

void link_send(struct link *link, int opcode, const char *text, size_t length)
{
	char out[256];

	errno = 0;
	if (length > 125)
		die("a frame of the set-up is too long");
	out[0] = (char)(0x80 | opcode);
	out[1] = (char)(0x80 | length);
	memset(out + 2, 0x55, 4);
	for (size_t i = 0; i < length; i++)
		out[6 + i] = text[i] ^ 0x55;
	if (send(link->fd, out, 6 + length, MSG_NOSIGNAL) != (ssize_t)(6 + length))
		die("send");
}

void link_heard(struct link *link, int opcode, const char *text, size_t length)
{
	errno = 0;
	if (opcode == 0x8a)
		link->ponged = true;
	else if (opcode == 0x89)
		link_send(link, 0xa, text, length);
	else if (opcode != 0x81 || length < 12 || memcmp(text, "{\"op\":\"hello", 12) != 0)
		die("the server sent %.*s (opcode %x)", (int)length, text, opcode & 0xf);
}

/* Ask for signals, then ping: when the pong is here, the server has heard both. */
static void ask_for_signals(struct link *link, unsigned keys)
{
	char text[125];
	int length = snprintf(text, sizeof text, "{\"op\":\"subscribe\"}");

	if (keys > 0)
		length = snprintf(text, sizeof text,
		                  "{\"op\":\"subscribe\",\"correlationId\":\"c%05u\"}",
		                  link->number);
	link_send(link, 1, text, (size_t)length);
	link_send(link, 9, "", 0);
}

static void subscribe_batch(struct link *links, unsigned count, const struct target *target,
                            unsigned keys)
{
	for (unsigned i = 0; i < count; i++)
		link_answered(&links[i]);
	for (unsigned i = 0; i < count && !target->bare; i++)
		ask_for_signals(&links[i], keys);
	for (unsigned i = 0; i < count && !target->bare; i++)
		while (!links[i].ponged)
			link_read(&links[i], 0, link_take_signal);
}

void links_subscribe(struct link *links, unsigned count, const struct target *target, unsigned keys)
{
	for (unsigned first = 0; first < count; first += BATCH) {
		unsigned size = count - first < BATCH ? count - first : BATCH;

		for (unsigned i = first; i < first + size; i++) {
			unsigned key = keys > 0 ? i % keys : 0;
			char path[32];

			snprintf(path, sizeof path, keys > 0 ? "/sub?k=%u" : "/sub", key);
			link_open(&links[i], target, target->bare ? path : "/ws");
			links[i].number = key;
			links[i].filtered = keys > 0;
		}
		subscribe_batch(links + first, size, target, keys);
	}
}
