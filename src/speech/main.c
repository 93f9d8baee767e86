/* main.c - signalbox-speech: hears and speaks without a network, for the box that starts it.
 *
 *	signalbox-speech --socket PATH [--directory DIR] [--voice NAME]
 *
 * It serves Wyoming on a Unix socket that only its own user can open.  Speech costs much of a
 * processor, so it is done here, in a process that may end at any time, and not in the box.
 */
#include <errno.h>
#include <getopt.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "speech/interrupt.h"
#include "speech/talk.h"

#define TALKS_MAX 24 /* at once: more than a box has sessions, each with two */
#define USAGE \
	"Usage: signalbox-speech --socket PATH [--directory DIR] [--voice NAME]\n" \
	"Hears and speaks for signalbox, which starts it. Serves Wyoming on a Unix socket.\n"

struct speech_options {
	const char *socket, *directory, *voice;
};

static struct engines engines;
static atomic_int talks;

static void *run_talk(void *fd)
{
	talk(&engines, (int)(intptr_t)fd);
	atomic_fetch_sub(&talks, 1);
	return NULL;
}

static bool is_ours(int fd)
{
	struct ucred peer;
	socklen_t len = sizeof(peer);

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) == 0 && peer.uid == getuid();
}

/* Only one thread accepts, so nobody else adds to talks.  A connection over the limit is closed:
 * its caller sees that and may come again. */
static void begin_talk(int fd)
{
	pthread_t thread;

	if (!is_ours(fd) || talks >= TALKS_MAX) {
		close(fd);
		return;
	}
	atomic_fetch_add(&talks, 1);
	if (pthread_create(&thread, NULL, run_talk, (void *)(intptr_t)fd) == 0) {
		pthread_detach(thread);
		return;
	}
	atomic_fetch_sub(&talks, 1);
	close(fd);
}

static int listen_at(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (strlen(path) >= sizeof(address.sun_path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(address.sun_path, path, strlen(path) + 1);
	unlink(path);
	umask(077);
	if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof(address)) < 0 ||
	    listen(fd, TALKS_MAX) < 0)
		return -1;
	return fd;
}

static bool read_options(int argc, char **argv, struct speech_options *options)
{
	static const struct option known[] = {{"socket", required_argument, NULL, 's'},
	                                      {"directory", required_argument, NULL, 'd'},
	                                      {"voice", required_argument, NULL, 'v'},
	                                      {NULL}};
	int one;

	while ((one = getopt_long(argc, argv, "", known, NULL)) != -1) {
		if (one == '?')
			return false;
		*(one == 's'   ? &options->socket
		  : one == 'd' ? &options->directory
		               : &options->voice) = optarg;
	}
	return options->socket && optind == argc;
}

static void open_engines(const struct speech_options *options)
{
	engines.sherpa = sherpa_open(options->directory, &engines.no_sherpa);
	if (!engines.sherpa)
		fprintf(stderr, "signalbox-speech: hears nothing: %s\n", engines.no_sherpa.words);
	engines.mouth = mouth_open(text_of(options->voice), &engines.no_mouth);
	if (!engines.mouth)
		fprintf(stderr, "signalbox-speech: says nothing: %s\n", engines.no_mouth.words);
}

int main(int argc, char **argv)
{
	struct speech_options options = {.directory = "."};
	int listener, fd;

	if (!read_options(argc, argv, &options)) {
		fputs(USAGE, stderr);
		return 2;
	}
	interrupts_prepare();
	open_engines(&options);
	listener = listen_at(options.socket);
	if (listener < 0) {
		fprintf(stderr, "signalbox-speech: %s: %s\n", options.socket, strerror(errno));
		return 1;
	}
	puts("ready");
	fflush(stdout);
	while ((fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC)) >= 0 || errno == EINTR ||
	       errno == ECONNABORTED)
		if (fd >= 0)
			begin_talk(fd);
	return 1;
}
