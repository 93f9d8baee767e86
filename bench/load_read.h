/* The hot path of the load client: reading a link and walking its frames. It is in a
 * header so that each protocol's walk is compiled into its own reading. */
#ifndef BENCH_LOAD_READ_H
#define BENCH_LOAD_READ_H

#include "load.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

extern char load_buffer[LOAD_CARRY + LOAD_BUFFER];

/* Take the whole frames of at..end; answers where the unfinished one begins. */
typedef const char *load_walk(struct link *link, const char *at, const char *end);

/* Read what is there, at most one buffer; true if there may be more. */
static inline bool link_read(struct link *link, int flags, load_walk *walk)
{
	ssize_t got;
	const char *rest, *end;

	if (link->have > 0)
		memcpy(load_buffer, link->carry, link->have);
	got = link_get(link, load_buffer + link->have, LOAD_BUFFER, flags);
	if (got < 0 && errno == EAGAIN && flags != 0)
		return false;
	if (got <= 0)
		die(got == 0 ? "the server closed a connection" : "recv");
	link->bytes += (uint64_t)got;
	end = load_buffer + link->have + got;
	rest = walk(link, load_buffer, end);
	if (end - rest > LOAD_CARRY) {
		errno = 0;
		die("a frame that this client does not take");
	}
	link->have = (unsigned)(end - rest);
	if (link->have > 0)
		memcpy(link->carry, rest, link->have);
	return got == LOAD_BUFFER;
}

/* A signal as it was published: other servers than ours change nothing in it. */
static inline bool is_signal(const char *text, size_t length)
{
	return length == SIGNAL_BYTES && memcmp(text, "{\"id\":\"", 7) == 0;
}

#endif
