/* parcel.c - a packet, and a file for what does not fit into it. */
#include "net/parcel.h"

#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/whole.h"
#include "net/parcel_packet.h"
#include "net/peer.h"

#define AGENT_MAX 0xffffff /* of what the head has room for */

int parcel_connect(const char *path)
{
	return peer_connect(path, SOCK_SEQPACKET | SOCK_NONBLOCK, NULL);
}

static bool send_packet(int fd, const struct packet_head *head, struct text body, int file)
{
	struct iovec parts[] = {{(void *)head, sizeof(*head)}, {(void *)body.at, body.len}};
	struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
	union {
		char room[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = {{0}};
	struct cmsghdr *c;
	ssize_t n;

	if (file >= 0) {
		message.msg_iovlen = 1;
		message.msg_control = control.room;
		message.msg_controllen = sizeof(control.room);
		c = CMSG_FIRSTHDR(&message);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(c), &file, sizeof(int));
	}
	do
		n = sendmsg(fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
	while (n < 0 && errno == EINTR);
	return n >= 0;
}

bool parcel_send(int fd, const struct parcel *parcel)
{
	struct packet_head head = {PACKET_MAGIC, parcel->kind, {0}, parcel->at_ms, parcel->whole};
	uint32_t agent = parcel->agent <= AGENT_MAX ? parcel->agent : 0;
	bool good;
	int file;

	for (int i = 0; i < 3; i++)
		head.agent[i] = (uint8_t)(agent >> (8 * i));
	if (parcel->body.len <= PACKET_BODY)
		return send_packet(fd, &head, parcel->body, -1);
	file = memfd_create("parcel", MFD_CLOEXEC);
	good = file >= 0 && whole_write(file, parcel->body) &&
	       send_packet(fd, &head, parcel->body, file);
	if (file >= 0)
		close(file);
	return good;
}

/* A file may be changed while it is read: it is never mapped, and what comes is what
 * counts. */
static bool parcel_read_file(int file, struct buf *room)
{
	struct stat is;
	char *to;
	ssize_t n;

	if (fstat(file, &is) != 0 || !S_ISREG(is.st_mode) || is.st_size <= 0 ||
	    (uint64_t)is.st_size > PARCEL_MAX)
		return false;
	to = buf_reserve(room, (size_t)is.st_size);
	if (!to)
		return false;
	while (room->len < (size_t)is.st_size) {
		n = pread(file, room->at + room->len, (size_t)is.st_size - room->len,
		          (off_t)room->len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		room->len += (size_t)n;
	}
	return true;
}

bool parcel_read(struct parcel *parcel, struct text packet, int file, struct buf *room)
{
	struct packet_head head;

	if (packet.len < sizeof(head))
		return false;
	memcpy(&head, packet.at, sizeof(head));
	if (memcmp(head.magic, PACKET_MAGIC, sizeof(head.magic)) != 0)
		return false;
	*parcel = (struct parcel){head.kind, head.at_ms, head.whole};
	for (int i = 0; i < 3; i++)
		parcel->agent |= (uint32_t)head.agent[i] << (8 * i);
	parcel->body = (struct text){packet.at + sizeof(head), packet.len - sizeof(head)};
	if (file < 0)
		return true;
	buf_clear(room);
	if (!parcel_read_file(file, room))
		return false;
	parcel->body = buf_text(room);
	return true;
}
