/* hooked.c - datagrams from hooks to the run that they belong to.
 *
 * The address is abstract: nothing is left behind by who is killed, and no directory has to
 * be there.  Its name is random, and a datagram counts only when the kernel says that it is
 * of our own user.
 */
#include "cli/hooked.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/random.h"
#include "cli/agent.h"

#define HOOK_RUN "SIGNALBOX_RUN"
#define NAME_LEN (2 * 16)
#define NOTE_MAX 512
#define KEPT_MAX (1 * MIB)

/* ---- the address ---- */

static socklen_t make_address(struct sockaddr_un *address, struct text name)
{
	*address = (struct sockaddr_un){.sun_family = AF_UNIX};
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
	                   (size_t)snprintf(address->sun_path + 1, sizeof(address->sun_path) - 1,
	                                    "signalbox-run-%.*s", TEXT_ARG(name)));
}

void hooked_init(struct hooked *h)
{
	*h = (struct hooked){.fd = -1};
	buf_init(&h->kept, KEPT_MAX);
	unsetenv(HOOK_RUN); /* of a run around this one */
}

void hooked_listen(struct hooked *h, bool is_awaited)
{
	struct sockaddr_un address;
	char name[NAME_LEN + 1];
	socklen_t len;
	int on = 1;

	h->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	random_hex(name, NAME_LEN / 2);
	len = make_address(&address, text_of(name));
	if (h->fd < 0 || setsockopt(h->fd, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)) != 0 ||
	    bind(h->fd, (struct sockaddr *)&address, len) != 0) {
		hooked_finish(h);
		return;
	}
	setenv(HOOK_RUN, name, 1);
	h->is_awaited = is_awaited;
}

void hooked_finish(struct hooked *h)
{
	if (h->fd >= 0)
		close(h->fd);
	h->fd = -1;
	free(h->session);
	h->session = NULL;
	buf_finish(&h->kept);
}

/* ---- notes: `AGENT EVENT SESSION` ---- */

bool hooked_is_heard(void)
{
	const char *name = getenv(HOOK_RUN);

	return name && strlen(name) == NAME_LEN;
}

void hooked_tell(struct text session, struct text event)
{
	struct sockaddr_un address;
	struct buf note;
	socklen_t len;
	int fd;

	if (!hooked_is_heard() || session.len == 0)
		return;
	len = make_address(&address, text_of(getenv(HOOK_RUN)));
	buf_init(&note, NOTE_MAX);
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd >= 0 &&
	    buf_print(&note, "%d %.*s %.*s", agent_pid(), TEXT_ARG(event), TEXT_ARG(session)))
		sendto(fd, note.at, note.len, MSG_NOSIGNAL, (struct sockaddr *)&address, len);
	if (fd >= 0)
		close(fd);
	buf_finish(&note);
}

static bool is_ours(struct msghdr *message)
{
	struct cmsghdr *c = CMSG_FIRSTHDR(message);
	struct ucred who;

	if (!c || c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_CREDENTIALS)
		return false;
	memcpy(&who, CMSG_DATA(c), sizeof(who));
	return who.uid == geteuid();
}

/* False: there is none.  One that is not ours, or was cut, is empty. */
static bool next_note(struct hooked *h, char *room, struct text *note)
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(struct ucred))];
	} control;
	struct iovec piece = {room, NOTE_MAX};
	struct msghdr message = {.msg_iov = &piece,
	                         .msg_iovlen = 1,
	                         .msg_control = &control,
	                         .msg_controllen = sizeof(control)};
	ssize_t n = recvmsg(h->fd, &message, MSG_CMSG_CLOEXEC);

	if (n < 0)
		return false;
	*note = (struct text){room, (size_t)n};
	if (!is_ours(&message) || (message.msg_flags & MSG_TRUNC))
		note->len = 0;
	return true;
}

bool hooked_hear(struct hooked *h, pid_t program)
{
	char room[NOTE_MAX];
	struct text note, event;
	bool is_new = false;
	uint64_t agent;

	while (h->fd >= 0 && next_note(h, room, &note)) {
		if (!text_to_u64(text_cut(note, ' ', &note), &agent) || agent != (uint64_t)program)
			continue;
		event = text_cut(note, ' ', &note);
		if (text_is(event, "MessageDisplay"))
			h->tells_words = true;
		if (note.len == 0 || memchr(note.at, '\0', note.len) ||
		    (h->session && text_is(note, h->session)))
			continue;
		free(h->session);
		h->session = text_dup(note);
		is_new = true;
	}
	return is_new;
}

/* ---- the output ---- */

bool hooked_keep(struct hooked *h, struct text output)
{
	if (!h->session && !h->is_awaited)
		return false;
	if (memchr(output.at, '\033', output.len))
		h->draws = true;
	if (!h->kept.full && buf_add(&h->kept, output))
		return true;
	return h->session; /* of one that is too long the beginning */
}

struct text hooked_release(struct hooked *h)
{
	h->is_awaited = false;
	return h->session && (h->draws || h->tells_words) ? (struct text){NULL, 0}
	                                                  : buf_text(&h->kept);
}

bool hooked_is_unsure(const struct hooked *h)
{
	return h->session && !h->draws && !h->tells_words && h->kept.len > 0;
}
