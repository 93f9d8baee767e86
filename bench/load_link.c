/* Opening and closing links. All of this happens before anything is measured, so it waits
 * where it must, at most LOAD_WAIT_S. */
#include "load_read.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <unistd.h>

char load_buffer[LOAD_CARRY + LOAD_BUFFER];

enum { BATCH = 128 }; /* opened before the first is waited for */

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

void link_dial(struct link *link, const struct target *target)
{
	link->fd = dial(target->port);
	link->carry = malloc(LOAD_CARRY);
	if (link->carry == NULL)
		die("out of memory");
	if (target->secure)
		link_secure(link);
}

ssize_t link_put(struct link *link, const void *bytes, size_t length, int flags)
{
	if (link->ssl != NULL)
		return link_put_secure(link, bytes, length, flags);
	return send(link->fd, bytes, length, flags | MSG_NOSIGNAL);
}

ssize_t link_get(struct link *link, void *bytes, size_t length, int flags)
{
	if (link->ssl != NULL)
		return link_get_secure(link, bytes, length, flags);
	return recv(link->fd, bytes, length, flags);
}

void link_say(struct link *link, const char *text)
{
	size_t length = strlen(text);

	if (link_put(link, text, length, 0) != (ssize_t)length)
		die("send");
}

void link_join(struct link *link, const struct target *target, enum role role)
{
	*link = (struct link){.role = role};
	target->protocol->open(link, target);
	target->protocol->ask(link, target);
	target->protocol->ready(link);
}

static void subscribe_batch(struct link *links, unsigned count, const struct target *target)
{
	for (unsigned i = 0; i < count; i++)
		target->protocol->open(&links[i], target);
	for (unsigned i = 0; i < count; i++)
		target->protocol->ask(&links[i], target);
	for (unsigned i = 0; i < count; i++)
		target->protocol->ready(&links[i]);
}

void links_subscribe(struct link *links, unsigned count, const struct target *target)
{
	unsigned keys = target->keys;

	for (unsigned i = 0; i < count; i++)
		links[i] = (struct link){.key = keys > 0 ? i % keys : 0, .filtered = keys > 0};
	for (unsigned first = 0; first < count; first += BATCH)
		subscribe_batch(links + first, count - first < BATCH ? count - first : BATCH,
		                target);
}
