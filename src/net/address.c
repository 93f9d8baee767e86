/* address.c - parsing and opening what we listen on. */
#include "net/address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"

#define UNIX_PREFIX "unix:"
#define NEW_SUFFIX ".new" /* a Unix socket's name until it is ready */

static void address_write_words(struct address *address)
{
	char host[INET6_ADDRSTRLEN] = "";
	unsigned port = address_port(address);

	if (address->sa.any.sa_family == AF_UNIX) {
		snprintf(address->words, sizeof(address->words), UNIX_PREFIX "%s",
		         address->sa.local.sun_path);
	} else if (address->sa.any.sa_family == AF_INET) {
		inet_ntop(AF_INET, &address->sa.v4.sin_addr, host, sizeof(host));
		snprintf(address->words, sizeof(address->words), "%s:%u", host, port);
	} else {
		inet_ntop(AF_INET6, &address->sa.v6.sin6_addr, host, sizeof(host));
		snprintf(address->words, sizeof(address->words), "[%s]:%u", host, port);
	}
}

static bool parse_unix(struct address *address, const char *path, struct error *why)
{
	struct sockaddr_un *sa = &address->sa.local;
	size_t len = strlen(path), most = sizeof(sa->sun_path) - sizeof(NEW_SUFFIX);

	if (path[0] != '/')
		return error_set(why, "unix:%.100s: the path of a Unix socket begins with /", path);
	if (len > most)
		return error_set(why, "unix:%.100s...: a Unix socket's path has at most %zu bytes",
		                 path, most);
	sa->sun_family = AF_UNIX;
	memcpy(sa->sun_path, path, len + 1);
	return true;
}

/* The host of "host:port" or "[host]:port", NUL-terminated in out. */
static bool address_split(const char *text, char *out, size_t room, uint64_t *port)
{
	const char *colon = strrchr(text, ':');
	size_t len;

	if (!colon || !text_to_u64(text_of(colon + 1), port) || *port > 65535)
		return false;
	len = (size_t)(colon - text);
	if (len >= room || (text[0] == '[') != (len > 1 && text[len - 1] == ']'))
		return false;
	if (text[0] == '[') {
		text++;
		len -= 2;
	} else if (memchr(text, ':', len)) {
		return false; /* an IPv6 address wants its brackets */
	}
	memcpy(out, text, len);
	out[len] = '\0';
	return true;
}

static bool parse_host(struct address *address, const char *host, uint16_t port)
{
	if (inet_pton(AF_INET, host, &address->sa.v4.sin_addr) == 1) {
		address->sa.v4.sin_family = AF_INET;
		address->sa.v4.sin_port = htons(port);
		return true;
	}
	if (inet_pton(AF_INET6, host, &address->sa.v6.sin6_addr) == 1) {
		address->sa.v6.sin6_family = AF_INET6;
		address->sa.v6.sin6_port = htons(port);
		return true;
	}
	return false;
}

bool address_parse(struct address *address, const char *text, struct error *why)
{
	char host[INET6_ADDRSTRLEN];
	uint64_t port;

	memset(address, 0, sizeof(*address));
	if (text_starts(text_of(text), TEXT(UNIX_PREFIX))) {
		if (!parse_unix(address, text + strlen(UNIX_PREFIX), why))
			return false;
	} else if (!address_split(text, host, sizeof(host), &port)) {
		return error_set(why,
		                 "%.100s: an address is IP:PORT, [IPv6]:PORT, localhost:PORT "
		                 "or unix:/PATH",
		                 text);
	} else if (!parse_host(address, text_is(text_of(host), "localhost") ? "127.0.0.1" : host,
	                       (uint16_t)port)) {
		return error_set(why, "%.100s: %s is not an IP address; names are not looked up",
		                 text, host);
	}
	address_write_words(address);
	return true;
}

bool address_is_local(const struct address *address)
{
	const struct in6_addr *v6 = &address->sa.v6.sin6_addr;

	if (address->sa.any.sa_family == AF_UNIX)
		return true;
	if (address->sa.any.sa_family == AF_INET)
		return ntohl(address->sa.v4.sin_addr.s_addr) >> 24 == 127;
	return IN6_IS_ADDR_LOOPBACK(v6) || (IN6_IS_ADDR_V4MAPPED(v6) && v6->s6_addr[12] == 127);
}

bool address_is_any(const struct address *address)
{
	if (address->sa.any.sa_family == AF_INET)
		return address->sa.v4.sin_addr.s_addr == htonl(INADDR_ANY);
	return address->sa.any.sa_family == AF_INET6 &&
	       IN6_IS_ADDR_UNSPECIFIED(&address->sa.v6.sin6_addr);
}

unsigned address_port(const struct address *address)
{
	if (address->sa.any.sa_family == AF_INET)
		return ntohs(address->sa.v4.sin_port);
	return address->sa.any.sa_family == AF_INET6 ? ntohs(address->sa.v6.sin6_port) : 0;
}

/* Nobody must answer where we want to; what nobody answers at is a leftover of a
 * server that died, unless it is something else than a socket. */
static bool address_is_free(const struct sockaddr_un *sa, struct error *why)
{
	struct stat st;
	int fd, code;

	if (lstat(sa->sun_path, &st) != 0)
		return errno == ENOENT || error_errno(why, "%s", sa->sun_path);
	if (!S_ISSOCK(st.st_mode))
		return error_set(why, "%s: is there already and is not a socket", sa->sun_path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return error_errno(why, "socket");
	code = connect(fd, (const struct sockaddr *)sa, sizeof(*sa)) == 0 ? 0 : errno;
	close(fd);
	return code == ECONNREFUSED ||
	       error_set(why, "%s: somebody else listens there", sa->sun_path);
}

/* The socket gets its name only when it is ours alone and listens: nobody ever
 * meets a looser mode or a refusal. */
static bool address_open_unix(struct address *address, int fd, struct error *why)
{
	const char *path = address->sa.local.sun_path;
	struct sockaddr_un fresh = address->sa.local;
	struct stat st;

	if (!address_is_free(&address->sa.local, why))
		return false;
	memcpy(fresh.sun_path + strlen(path), NEW_SUFFIX, sizeof(NEW_SUFFIX));
	unlink(fresh.sun_path);
	if (bind(fd, (struct sockaddr *)&fresh, sizeof(fresh)) != 0)
		return error_errno(why, "%s", path);
	if (chmod(fresh.sun_path, 0600) != 0 || stat(fresh.sun_path, &st) != 0 ||
	    listen(fd, SOMAXCONN) != 0 || rename(fresh.sun_path, path) != 0) {
		error_errno(why, "%s", path);
		unlink(fresh.sun_path);
		return false;
	}
	address->device = st.st_dev;
	address->inode = st.st_ino;
	return true;
}

static bool open_tcp(struct address *address, int fd, struct error *why)
{
	socklen_t len = sizeof(address->sa);
	int on = 1;

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (address->sa.any.sa_family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on));
	/* Accepted sockets inherit it. */
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	len = address->sa.any.sa_family == AF_INET ? sizeof(address->sa.v4)
	                                           : sizeof(address->sa.v6);
	if (bind(fd, &address->sa.any, len) != 0 || listen(fd, SOMAXCONN) != 0 ||
	    getsockname(fd, &address->sa.any, &len) != 0)
		return error_errno(why, "%s", address->words);
	address_write_words(address);
	return true;
}

bool address_of(struct address *address, int fd)
{
	socklen_t len = sizeof(address->sa), size = sizeof(int);
	int on = 1, listens = 0;

	memset(address, 0, sizeof(*address));
	if (getsockname(fd, &address->sa.any, &len) != 0 ||
	    getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) != 0 || !listens)
		return false;
	if (address->sa.any.sa_family != AF_INET && address->sa.any.sa_family != AF_INET6)
		return false;
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	address_write_words(address);
	return true;
}

/* An IPv4 address within an IPv6 one, as what it is. */
static void unmap(struct address *address)
{
	struct sockaddr_in6 v6 = address->sa.v6;

	if (address->sa.any.sa_family != AF_INET6 || !IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr))
		return;
	memset(&address->sa, 0, sizeof(address->sa));
	address->sa.v4.sin_family = AF_INET;
	address->sa.v4.sin_port = v6.sin6_port;
	memcpy(&address->sa.v4.sin_addr, v6.sin6_addr.s6_addr + 12, 4);
}

bool address_here(struct address *address, int fd)
{
	socklen_t len = sizeof(address->sa);

	memset(address, 0, sizeof(*address));
	if (getsockname(fd, &address->sa.any, &len) != 0 ||
	    (address->sa.any.sa_family != AF_INET && address->sa.any.sa_family != AF_INET6))
		return false;
	unmap(address);
	address_write_words(address);
	return true;
}

/* A datagram socket that is connected sends nothing: the kernel only chooses the way. */
static bool find_way_out(struct in_addr *out)
{
	struct sockaddr_in there = {.sin_family = AF_INET, .sin_port = htons(9)};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct address here;
	bool found;

	inet_pton(AF_INET, "192.0.2.1", &there.sin_addr); /* of nobody: RFC 5737 */
	found = fd >= 0 && connect(fd, (struct sockaddr *)&there, sizeof(there)) == 0 &&
	        address_here(&here, fd) && !address_is_local(&here) && !address_is_any(&here);
	if (found)
		*out = here.sa.v4.sin_addr;
	if (fd >= 0)
		close(fd);
	return found;
}

static bool find_interface(struct in_addr *out)
{
	struct ifaddrs *all = NULL;
	bool found = false;

	if (getifaddrs(&all) != 0)
		return false;
	for (const struct ifaddrs *i = all; i && !found; i = i->ifa_next) {
		found = i->ifa_addr && i->ifa_addr->sa_family == AF_INET &&
		        (i->ifa_flags & (IFF_UP | IFF_LOOPBACK)) == IFF_UP;
		if (found)
			memcpy(out, &((struct sockaddr_in *)(void *)i->ifa_addr)->sin_addr,
			       sizeof(*out));
	}
	freeifaddrs(all);
	return found;
}

bool address_outward(char host[ADDRESS_HOST_MAX])
{
	struct in_addr found;

	return (find_way_out(&found) || find_interface(&found)) &&
	       inet_ntop(AF_INET, &found, host, ADDRESS_HOST_MAX) != NULL;
}

int address_open(struct address *address, struct error *why)
{
	int family = address->sa.any.sa_family;
	int fd = socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	bool ok;

	if (fd < 0) {
		error_errno(why, "%s", address->words);
		return -1;
	}
	ok = family == AF_UNIX ? address_open_unix(address, fd, why) : open_tcp(address, fd, why);
	if (ok)
		return fd;
	close(fd);
	return -1;
}

void address_remove(const struct address *address)
{
	const char *path = address->sa.local.sun_path;
	struct stat st;

	if (address->sa.any.sa_family != AF_UNIX || lstat(path, &st) != 0)
		return;
	if (st.st_dev == address->device && st.st_ino == address->inode)
		unlink(path);
}
