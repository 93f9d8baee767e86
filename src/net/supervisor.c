/* supervisor.c - the datagrams of sd_notify(3), the descriptors of sd_listen_fds(3). */
#include "net/supervisor.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>
#include <uv.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/must.h"
#include "base/text.h"
#include "net/address.h"

#define FIRST_FD 3 /* where the handed sockets begin */

/* ---- what it is told ---- */

void supervisor_tell(const char *lines)
{
	const char *path = getenv("NOTIFY_SOCKET");
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	size_t len = path ? strlen(path) : 0;
	int fd;

	if (len < 2 || len >= sizeof(to.sun_path) || (path[0] != '/' && path[0] != '@'))
		return;
	memcpy(to.sun_path, path, len);
	if (path[0] == '@') /* a name that is in no directory */
		to.sun_path[0] = '\0';
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return;
	if (sendto(fd, lines, strlen(lines), MSG_NOSIGNAL, (struct sockaddr *)&to,
	           (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len)) < 0)
		log_debug("net", "the supervisor does not hear us");
	close(fd);
}

void supervisor_tell_reload(void)
{
	char lines[64];

	snprintf(lines, sizeof(lines), "RELOADING=1\nMONOTONIC_USEC=%llu",
	         (unsigned long long)(clock_mono_ns() / 1000));
	supervisor_tell(lines);
}

/* ---- that we are alive ---- */

struct watchdog {
	uv_timer_t timer;
};

static void bark(uv_timer_t *timer)
{
	supervisor_tell("WATCHDOG=1");
}

/* Is what this variable says meant for us, and not for a parent that passed it on? */
static bool is_for_us(const char *variable)
{
	const char *pid = getenv(variable);
	uint64_t n;

	return pid && text_to_u64(text_of(pid), &n) && n == (uint64_t)getpid();
}

struct watchdog *watchdog_create(struct loop *loop)
{
	const char *usec = getenv("WATCHDOG_USEC");
	struct watchdog *watchdog;
	uint64_t every_us;

	if (!usec || !text_to_u64(text_of(usec), &every_us) || every_us < 2000 ||
	    (getenv("WATCHDOG_PID") && !is_for_us("WATCHDOG_PID")))
		return NULL;
	watchdog = must_zero(1, sizeof(*watchdog));
	uv_timer_init(loop_uv(loop), &watchdog->timer);
	uv_timer_start(&watchdog->timer, bark, 0, every_us / 2000);
	return watchdog;
}

static void supervisor_free_closed(uv_handle_t *timer)
{
	free(timer);
}

void watchdog_destroy(struct watchdog *watchdog)
{
	if (watchdog)
		uv_close((uv_handle_t *)&watchdog->timer, supervisor_free_closed);
}

/* ---- sockets ---- */

void supervisor_take(struct supervisor_sockets *sockets)
{
	const char *count = getenv("LISTEN_FDS");
	uint64_t n = 0;

	sockets->count = 0;
	if (is_for_us("LISTEN_PID") && count && !text_to_u64(text_of(count), &n))
		n = 0;
	for (int fd = FIRST_FD; n > 0 && sockets->count < SUPERVISOR_SOCKETS_MAX; fd++, n--) {
		if (fcntl(fd, F_SETFD, FD_CLOEXEC) != 0)
			continue; /* it promised more than it has */
		fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
		sockets->fds[sockets->count++] = fd;
	}
	unsetenv("LISTEN_PID");
	unsetenv("LISTEN_FDS");
	unsetenv("LISTEN_FDNAMES");
}

int supervisor_find(struct supervisor_sockets *sockets, const char *address)
{
	struct address wanted, there;

	if (!address_parse(&wanted, address, NULL))
		return -1;
	for (unsigned i = 0; i < sockets->count; i++) {
		int fd = sockets->fds[i];

		if (!address_of(&there, fd) || strcmp(there.words, wanted.words) != 0)
			continue;
		sockets->fds[i] = sockets->fds[--sockets->count];
		return fd;
	}
	return -1;
}

void supervisor_close(struct supervisor_sockets *sockets)
{
	struct address there;

	for (unsigned i = 0; i < sockets->count; i++) {
		bool known = address_of(&there, sockets->fds[i]);

		log_warn("net", "the supervisor's socket at %s is none of `listen`'s",
		         known ? there.words : "an address of another kind");
		close(sockets->fds[i]);
	}
	sockets->count = 0;
}
