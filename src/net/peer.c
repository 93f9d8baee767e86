/* peer.c - asking the kernel who is at the other end.
 *
 * For a loopback TCP peer the other end of the connection is a socket of this
 * machine too: the one whose local address is our peer's and whose remote
 * address is ours.  NETLINK_SOCK_DIAG finds it by that four-tuple. */
#include "net/peer.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

/* The kernel answers at once; should it not, the peer is a stranger. */
#define PEER_ANSWER_MS 100

/* An end of a connection; IPv4 when the address is one, however it is written. */
struct socket_end {
	int family;
	uint16_t port; /* network order, as the address */
	uint32_t address[4];
};

static bool peer_place_of(const struct sockaddr *sa, struct socket_end *place)
{
	const struct sockaddr_in *v4 = (const void *)sa;
	const struct sockaddr_in6 *v6 = (const void *)sa;

	*place = (struct socket_end){.family = sa->sa_family};
	if (sa->sa_family == AF_INET) {
		place->port = v4->sin_port;
		place->address[0] = v4->sin_addr.s_addr;
		return true;
	}
	if (sa->sa_family != AF_INET6)
		return false;
	place->port = v6->sin6_port;
	if (IN6_IS_ADDR_V4MAPPED(&v6->sin6_addr)) {
		place->family = AF_INET;
		memcpy(&place->address[0], &v6->sin6_addr.s6_addr[12], 4);
	} else {
		memcpy(place->address, &v6->sin6_addr, 16);
	}
	return true;
}

static bool place_is_loopback(const struct socket_end *place)
{
	if (place->family == AF_INET)
		return ntohl(place->address[0]) >> 24 == 127;
	return memcmp(place->address, &in6addr_loopback, 16) == 0;
}

struct peer_question {
	struct nlmsghdr head;
	struct inet_diag_req_v2 ask;
};

static struct peer_question question_about(const struct socket_end *local,
                                           const struct socket_end *remote)
{
	struct peer_question q = {
		.head = {.nlmsg_len = sizeof(q),
	                 .nlmsg_type = SOCK_DIAG_BY_FAMILY,
	                 .nlmsg_flags = NLM_F_REQUEST},
		.ask = {.sdiag_family = (uint8_t)local->family,
	                .sdiag_protocol = IPPROTO_TCP,
	                .idiag_states = ~0u,
	                .id = {.idiag_sport = local->port,
	                       .idiag_dport = remote->port,
	                       .idiag_cookie = {INET_DIAG_NOCOOKIE, INET_DIAG_NOCOOKIE}}},
	};

	memcpy(q.ask.id.idiag_src, local->address, 16);
	memcpy(q.ask.id.idiag_dst, remote->address, 16);
	return q;
}

/* Asked for a connection that is no more, the kernel may answer with a listener
 * on that port; a socket that no process holds has no inode, and its uid would
 * read as root's.  Neither says who the peer is.  A listener's own remote port is
 * 0, so that one is told from a connection by the same comparison. */
static bool read_uid(const struct nlmsghdr *head, size_t n, const struct peer_question *q,
                     uid_t *uid)
{
	const struct inet_diag_msg *found = NLMSG_DATA(head);

	if (!NLMSG_OK(head, n) || head->nlmsg_type != SOCK_DIAG_BY_FAMILY ||
	    head->nlmsg_len < NLMSG_LENGTH(sizeof(*found)))
		return false;
	if (found->id.idiag_sport != q->ask.id.idiag_sport ||
	    found->id.idiag_dport != q->ask.id.idiag_dport || found->idiag_inode == 0)
		return false;
	*uid = found->idiag_uid;
	return true;
}

void peer_line_init(struct peer_line *line)
{
	*line = (struct peer_line){.fd = -1};
}

void peer_line_finish(struct peer_line *line)
{
	if (line->fd >= 0)
		close(line->fd);
	line->fd = -1;
}

static bool peer_is_open(struct peer_line *line)
{
	struct timeval patience = {.tv_usec = PEER_ANSWER_MS * 1000};

	if (line->fd >= 0)
		return true;
	line->fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
	if (line->fd < 0)
		return false;
	setsockopt(line->fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	return true;
}

static bool find_uid(struct peer_line *line, const struct socket_end *local,
                     const struct socket_end *remote, uid_t *uid)
{
	struct peer_question q = question_about(local, remote);
	union {
		struct nlmsghdr head;
		char bytes[4096];
	} answer;
	ssize_t n = -1;

	if (!peer_is_open(line))
		return false;
	q.head.nlmsg_seq = ++line->asked;
	if (send(line->fd, &q, sizeof(q), 0) == (ssize_t)sizeof(q))
		n = recv(line->fd, &answer, sizeof(answer), 0);
	/* An answer that comes late must not be taken for the next one's. */
	if (n < (ssize_t)sizeof(answer.head) || answer.head.nlmsg_seq != q.head.nlmsg_seq) {
		peer_line_finish(line);
		return false;
	}
	return read_uid(&answer.head, (size_t)n, &q, uid);
}

static bool peer_of_unix(int fd, struct peer *peer)
{
	struct ucred who;
	socklen_t len = sizeof(who);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &len) != 0)
		return false;
	*peer = (struct peer){.is_unix = true, .uid_known = true, .uid = who.uid, .pid = who.pid};
	return true;
}

bool peer_ask(struct peer_line *line, int fd, struct peer *peer)
{
	struct sockaddr_storage theirs = {0}, ours = {0};
	struct sockaddr *their_end = (struct sockaddr *)&theirs,
			*our_end = (struct sockaddr *)&ours;
	socklen_t theirs_len = sizeof(theirs), ours_len = sizeof(ours);
	struct socket_end them, us;

	*peer = (struct peer){0};
	if (getpeername(fd, their_end, &theirs_len) != 0 ||
	    getsockname(fd, our_end, &ours_len) != 0)
		return false;
	if (theirs.ss_family == AF_UNIX)
		return peer_of_unix(fd, peer);
	if (!peer_place_of(their_end, &them) || !peer_place_of(our_end, &us))
		return false;
	memcpy(peer->address, them.address, sizeof(peer->address));
	peer->is_ipv4 = them.family == AF_INET;
	peer->is_loopback = place_is_loopback(&them);
	if (peer->is_loopback)
		peer->uid_known = find_uid(line, &them, &us, &peer->uid);
	return true;
}

bool peer_of_socket(int fd, struct peer *peer)
{
	struct peer_line line;
	bool found;

	peer_line_init(&line);
	found = peer_ask(&line, fd, peer);
	peer_line_finish(&line);
	return found;
}

/* Of a connection to a listener the kernel names who made that listen: for a socket that
 * systemd opened for the box, root. */
bool peer_is_ours(int fd, struct error *why)
{
	struct peer peer = {0};
	bool known = peer_of_socket(fd, &peer) && peer.is_unix;

	if (known && (peer.uid == geteuid() || peer.uid == 0))
		return true;
	if (known)
		error_set(why, "uid %lu listens there, who is neither you nor root",
		          (unsigned long)peer.uid);
	else
		error_set(why, "nobody took the connection");
	errno = EPERM;
	return false;
}

int peer_connect(const char *path, int type, struct error *why)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	int fd, failure;

	if (strlen(path) >= sizeof(to.sun_path)) {
		error_set(why, "%.100s... is too long for a socket", path);
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(to.sun_path, path, strlen(path));
	fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);
	if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof(to)) != 0)
		error_errno(why, "%.200s cannot be reached", path);
	else if (peer_is_ours(fd, why))
		return fd;
	else
		error_within(why, "%.150s is not trusted", path);
	failure = errno;
	if (fd >= 0)
		close(fd);
	errno = failure;
	return -1;
}

bool peer_is_at(const struct peer *peer, const char *literal)
{
	uint32_t address[4] = {0};
	bool is_ipv4 = inet_pton(AF_INET, literal, address) == 1;

	if (peer->is_unix || (!is_ipv4 && inet_pton(AF_INET6, literal, address) != 1))
		return false;
	return is_ipv4 == peer->is_ipv4 && memcmp(address, peer->address, sizeof(address)) == 0;
}

void peer_name(const struct peer *peer, char out[PEER_NAME_MAX])
{
	bool is_v4 = !(peer->address[1] | peer->address[2] | peer->address[3]);
	struct in6_addr half = {0};

	memcpy(&half, peer->address, 8);
	if (peer->uid_known)
		snprintf(out, PEER_NAME_MAX, "uid %lu", (unsigned long)peer->uid);
	else if (peer->is_loopback)
		snprintf(out, PEER_NAME_MAX, "a user of this machine");
	else
		inet_ntop(is_v4 ? AF_INET : AF_INET6, &half, out, PEER_NAME_MAX);
}

bool peer_of_listener(const struct sockaddr *address, uid_t *uid)
{
	struct socket_end here, nowhere;
	struct peer_line line;
	bool found;

	if (!peer_place_of(address, &here) || !place_is_loopback(&here))
		return false;
	nowhere = (struct socket_end){.family = here.family};
	peer_line_init(&line);
	found = find_uid(&line, &here, &nowhere, uid);
	peer_line_finish(&line);
	return found;
}
