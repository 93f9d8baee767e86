/* boxed.c - the box, and the world as it sees it. */
#include "boxed.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/log.h"
#include "base/must.h"
#include "box.h"
#include "box/dialects.h"
#include "config/config.h"
#include "lib/hold.h"
#include "scratch.h"

#define PATIENCE_MS 20000 /* on a machine with other things to do */
#define START_TRIES 5000

void (*boxed_dialled)(int fd);

static char data[80], door[96];
static struct config config;

/* libFuzzer looks for leaks after each input that took more memory than it gave back, and
 * the box on its thread always does. */
int __lsan_is_turned_off(void);

int __lsan_is_turned_off(void)
{
	return 1;
}

/* --- the world -------------------------------------------------------------- */

/* The box and libcurl call these instead of the C library's. */
int connect(int fd, const struct sockaddr *to, socklen_t len)
{
	void (*dialled)(int) = boxed_dialled;
	int pair[2], flags = fcntl(fd, F_GETFL);

	if (to->sa_family == AF_UNIX || !dialled) {
		errno = ECONNREFUSED;
		return -1;
	}
	must_hold(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0);
	must_hold(dup3(pair[0], fd, O_CLOEXEC) == fd && fcntl(fd, F_SETFL, flags) == 0);
	close(pair[0]);
	dialled(pair[1]);
	return 0;
}

int getaddrinfo(const char *name, const char *service, const struct addrinfo *hints,
                struct addrinfo **out)
{
	__typeof__(&getaddrinfo) real = (__typeof__(&getaddrinfo))dlsym(RTLD_NEXT, "getaddrinfo");
	struct addrinfo numbers = hints ? *hints : (struct addrinfo){0};

	numbers.ai_flags |= AI_NUMERICHOST;
	return real(name, service, &numbers, out);
}

/* --- the box ---------------------------------------------------------------- */

static void *run(void *options)
{
	box_run(options);
	abort(); /* nobody asked it to end */
}

static void configure(void)
{
	static char where[120];
	const char *env[] = {where,
	                     "SIGNALBOX_LISTEN=127.0.0.1:0",
	                     "SIGNALBOX_JOURNAL_SEGMENT=1MiB",
	                     "SIGNALBOX_JOURNAL_KEEP=4MiB",
	                     "SIGNALBOX_DISCOVER_INTERVAL=0",
	                     NULL};
	const struct config_sources from = {.env = env};
	struct error why = {""};

	snprintf(where, sizeof(where), "SIGNALBOX_DATA=%s", data);
	box_declare_dialects();
	if (!config_load(&config, &from, &why))
		fprintf(stderr, "%s\n", why.words);
	must_hold(!why.words[0]);
}

void boxed_start(void)
{
	static struct box_options options = {.config = &config, .echo = true};
	pthread_t thread;
	int tries = 0, fd;

	if (data[0])
		return;
	snprintf(data, sizeof(data), "%s/data", scratch());
	snprintf(door, sizeof(door), "%s/sock", data);
	must_hold(setenv("HOME", scratch(), 1) == 0);
	configure();
	log_set_level((enum log_level)(-1));
	config.log.level = (enum log_level)(-1);
	must_hold(pthread_create(&thread, NULL, run, &options) == 0);
	pthread_detach(thread);
	while ((fd = boxed_connect()) < 0 && tries++ < START_TRIES)
		usleep(1000);
	must_hold(fd >= 0);
	close(fd);
}

/* --- its clients ------------------------------------------------------------ */

int boxed_connect(void)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(to.sun_path, sizeof(to.sun_path), "%s", door);
	if (fd >= 0 && syscall(SYS_connect, fd, &to, sizeof(to)) == 0)
		return fd;
	close(fd);
	return -1;
}

/* A box that has seen enough may have closed meanwhile. */
void boxed_say(int fd, struct text bytes)
{
	while (bytes.len) {
		ssize_t n = send(fd, bytes.at, bytes.len, MSG_NOSIGNAL);

		if (n <= 0)
			return;
		bytes = (struct text){bytes.at + n, bytes.len - (size_t)n};
	}
}

/* libFuzzer has a timer, which interrupts whoever waits. */
static bool hear(int fd, struct buf *out)
{
	struct pollfd news = {.fd = fd, .events = POLLIN};
	char bytes[16384];
	ssize_t n;

	must_hold(TEMP_FAILURE_RETRY(poll(&news, 1, PATIENCE_MS)) == 1);
	n = recv(fd, bytes, sizeof(bytes), 0);
	if (n <= 0)
		return false;
	buf_add(out, (struct text){bytes, (size_t)n});
	return true;
}

void boxed_hear_end(int fd, struct buf *out)
{
	shutdown(fd, SHUT_WR);
	while (hear(fd, out))
		;
	close(fd);
}

void boxed_hear_head(int fd, struct buf *out)
{
	while (!(out->len && memmem(out->at, out->len, "\r\n\r\n", 4)) && hear(fd, out))
		;
}

void boxed_ask(const char *method, const char *path, struct text body, struct buf *out)
{
	int fd = boxed_connect();
	char *head = must_print("%s %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
	                        "Content-Type: application/json\r\nContent-Length: %zu\r\n\r\n",
	                        method, path, body.len);

	must_hold(fd >= 0);
	boxed_say(fd, text_of(head));
	boxed_say(fd, body);
	free(head);
	while (hear(fd, out))
		;
	close(fd);
}
