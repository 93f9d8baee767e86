/* internet.c - a library to preload: an address of the internet is this machine.
 *
 * What connects to 93.184.216.34 reaches 127.0.0.1, at the same port.  So a test has a server of
 * the internet, and all that looks at an address before it connects sees one.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

int connect(int fd, const struct sockaddr *to, socklen_t size)
{
	struct sockaddr_in v4;

	if (to->sa_family == AF_INET && size >= sizeof(v4)) {
		memcpy(&v4, to, sizeof(v4));
		if (v4.sin_addr.s_addr == inet_addr("93.184.216.34")) {
			v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
			return (int)syscall(SYS_connect, fd, &v4, sizeof(v4));
		}
	}
	return (int)syscall(SYS_connect, fd, to, size);
}
