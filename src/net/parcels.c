/* parcels.c - lines that parcels come over, each heard in the order of its coming. */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include <uv.h>

#include "base/list.h"
#include "base/log.h"
#include "base/must.h"
#include "net/loop.h"
#include "net/parcel.h"
#include "net/parcel_packet.h"
#include "net/peer.h"

#define LINES_MAX 1024 /* at once; who comes then waits in the backlog */
#define LINE_MS 120000 /* a hook that waits is gone before that */
#define BACKLOG 4096
#define ACCEPTS_MAX 64 /* before others get their turn */
#define REST_MS 1000

struct parcels {
	uv_poll_t poll;
	struct loop *loop;
	struct parcels_options o;
	char *path;
	int fd;
	bool is_full; /* not listening: there are too many lines */
	struct link lines;
	size_t count;
	struct buf room;
	struct deadline again; /* when there was no descriptor */
	struct grave grave;
};

struct parcel_line {
	uv_poll_t poll;
	struct parcels *parcels;
	struct link in_all; /* parcels.lines */
	int fd;
	void *of;
	struct deadline patience;
	struct grave grave;
};

void parcel_line_set(struct parcel_line *line, void *of)
{
	line->of = of;
}

void *parcel_line_of(const struct parcel_line *line)
{
	return line->of;
}

static void listen_again(struct parcels *p);

/* ---- one line ---- */

static void free_line(struct grave *grave)
{
	free(list_of(grave, struct parcel_line, grave));
}

static void line_closed(uv_handle_t *handle)
{
	struct parcel_line *line = (struct parcel_line *)handle;

	line->grave.free = free_line;
	loop_bury(line->parcels->loop, &line->grave);
}

static void parcels_end_line(struct parcel_line *line)
{
	struct parcels *p = line->parcels;

	deadline_clear(&line->patience);
	list_remove(&line->in_all);
	assert(p->count > 0);
	p->count--;
	p->o.left(p->o.self, line);
	uv_close((uv_handle_t *)&line->poll, line_closed);
	close(line->fd);
	if (p->is_full)
		listen_again(p);
}

static int file_of(struct msghdr *message)
{
	int found = -1;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c; c = CMSG_NXTHDR(message, c)) {
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		for (size_t at = 0; CMSG_LEN(at + sizeof(int)) <= c->cmsg_len; at += sizeof(int)) {
			if (found >= 0)
				close(found);
			memcpy(&found, CMSG_DATA(c) + at, sizeof(int));
		}
	}
	return found;
}

/* False: there is nothing more for now, or ever: then the line is over. */
static bool parcels_hear_one(struct parcel_line *line, bool *over)
{
	struct parcels *p = line->parcels;
	char packet[PACKET_MAX];
	union {
		char room[CMSG_SPACE(4 * sizeof(int))];
		struct cmsghdr align;
	} control;
	struct iovec part = {packet, sizeof(packet)};
	struct msghdr message = {.msg_iov = &part,
	                         .msg_iovlen = 1,
	                         .msg_control = control.room,
	                         .msg_controllen = sizeof(control.room)};
	ssize_t n = recvmsg(line->fd, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	struct parcel parcel;
	int file;

	if (n < 0 && errno == EINTR)
		return true;
	*over = n == 0 || (n < 0 && errno != EAGAIN);
	if (n <= 0)
		return false;
	file = file_of(&message);
	*over = (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) ||
	        !parcel_read(&parcel, (struct text){packet, (size_t)n}, file, &p->room);
	if (file >= 0)
		close(file);
	if (!*over)
		p->o.came(p->o.self, line, &parcel);
	buf_finish(&p->room);
	return !*over;
}

static void parcels_hear(struct parcel_line *line)
{
	bool over = false;

	while (parcels_hear_one(line, &over))
		continue;
	if (over)
		parcels_end_line(line);
}

static void line_event(uv_poll_t *poll, int status, int events)
{
	parcels_hear((struct parcel_line *)poll);
}

static void line_ran_out(struct deadline *deadline)
{
	parcels_end_line(list_of(deadline, struct parcel_line, patience));
}

/* ---- all of them ---- */

static void parcels_take_line(struct parcels *p, int fd)
{
	struct parcel_line *line;
	struct peer peer;

	if (!peer_of_socket(fd, &peer) || peer.uid != geteuid()) {
		close(fd);
		return;
	}
	line = must_zero(1, sizeof(*line));
	line->parcels = p;
	line->fd = fd;
	line->patience.fire = line_ran_out;
	list_add(&p->lines, &line->in_all);
	assert(p->count < LINES_MAX);
	p->count++;
	uv_poll_init(loop_uv(p->loop), &line->poll, fd);
	uv_poll_start(&line->poll, UV_READABLE | UV_DISCONNECT, line_event);
	deadline_set(p->loop, &line->patience, LINE_MS);
	parcels_hear(line); /* at once: most have said it all already, and in this order */
}

/* There is no descriptor left: nobody is lost, they wait. */
static void rest(struct parcels *p)
{
	log_warn("net", "%s: %s", p->path, strerror(errno));
	uv_poll_stop(&p->poll);
	deadline_set(p->loop, &p->again, REST_MS);
}

static void rested(struct deadline *deadline)
{
	listen_again(list_of(deadline, struct parcels, again));
}

static void accept_some(uv_poll_t *poll, int status, int events)
{
	struct parcels *p = (struct parcels *)poll;

	for (unsigned i = 0; i < ACCEPTS_MAX; i++) {
		int fd;

		if (p->count >= LINES_MAX) {
			p->is_full = true;
			uv_poll_stop(&p->poll);
			return;
		}
		fd = accept4(p->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
		if (fd < 0 && errno != EAGAIN && errno != ECONNABORTED && errno != EINTR)
			rest(p);
		if (fd < 0)
			return;
		parcels_take_line(p, fd);
	}
}

static void listen_again(struct parcels *p)
{
	assert(p->count < LINES_MAX);
	p->is_full = false;
	uv_poll_start(&p->poll, UV_READABLE, accept_some);
}

static int open_socket(const char *path, struct error *why)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd;

	if (strlen(path) >= sizeof(address.sun_path)) {
		error_set(why, "%s: a socket cannot have so long a name", path);
		return -1;
	}
	memcpy(address.sun_path, path, strlen(path));
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	unlink(path);
	if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof(address)) != 0 ||
	    chmod(path, 0600) != 0 || listen(fd, BACKLOG) != 0) {
		error_errno(why, "%s", path);
		if (fd >= 0)
			close(fd);
		return -1;
	}
	return fd;
}

struct parcels *parcels_create(struct loop *loop, const struct parcels_options *o,
                               struct error *why)
{
	int fd = open_socket(o->path, why);
	struct parcels *p;

	if (fd < 0)
		return NULL;
	p = must_zero(1, sizeof(*p));
	p->loop = loop;
	p->o = *o;
	p->path = must_dup(o->path);
	p->fd = fd;
	p->again.fire = rested;
	list_init(&p->lines);
	buf_init(&p->room, PARCEL_MAX);
	uv_poll_init(loop_uv(loop), &p->poll, fd);
	uv_poll_start(&p->poll, UV_READABLE, accept_some);
	return p;
}

static void free_parcels(struct grave *grave)
{
	struct parcels *p = list_of(grave, struct parcels, grave);

	buf_finish(&p->room);
	free(p->path);
	free(p);
}

static void parcels_closed(uv_handle_t *handle)
{
	struct parcels *p = (struct parcels *)handle;

	p->grave.free = free_parcels;
	loop_bury(p->loop, &p->grave);
}

void parcels_destroy(struct parcels *p)
{
	if (!p)
		return;
	p->is_full = false;
	deadline_clear(&p->again);
	while (!list_is_empty(&p->lines))
		parcels_end_line(list_of(p->lines.next, struct parcel_line, in_all));
	unlink(p->path);
	uv_close((uv_handle_t *)&p->poll, parcels_closed);
	close(p->fd);
}
