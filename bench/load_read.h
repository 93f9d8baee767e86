/* The hot path of the load client: reading a link and walking its frames. It is in a
 * header so that each mode's handler is compiled into its own walk. */
#ifndef BENCH_LOAD_READ_H
#define BENCH_LOAD_READ_H

#include "load.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

extern char load_buffer[LOAD_CARRY + LOAD_BUFFER];

/* Called with each text frame whole, not terminated. */
typedef void load_frame(struct link *link, const char *text, size_t length);

/* Walk the frames of at..end; answers where the unfinished one begins. */
static inline const char *link_walk(struct link *link, const char *at, const char *end,
                                    load_frame *on_text)
{
	while (end - at >= 2) {
		const unsigned char *b = (const unsigned char *)at;
		size_t length = b[1], head = 2;

		if (length == 126) {
			if (end - at < 4)
				break;
			length = (size_t)b[2] << 8 | b[3];
			head = 4;
		}
		if (b[1] > 126 || head + length > LOAD_CARRY) {
			errno = 0;
			die("a frame that this client does not take");
		}
		if ((size_t)(end - at) < head + length)
			break;
		if (b[0] == 0x81)
			on_text(link, at + head, length);
		else
			link_heard(link, b[0], at + head, length);
		at += head + length;
	}
	return at;
}

/* Read what is there, at most one buffer; true if there may be more. Inline, so that
 * each caller's on_text is compiled into its own walk. */
static inline bool link_read(struct link *link, int flags, load_frame *on_text)
{
	ssize_t got;
	const char *rest, *end;

	if (link->have > 0)
		memcpy(load_buffer, link->carry, link->have);
	got = recv(link->fd, load_buffer + link->have, LOAD_BUFFER, flags);
	if (got < 0 && errno == EAGAIN && flags != 0)
		return false;
	if (got <= 0)
		die(got == 0 ? "the server closed a connection" : "recv");
	end = load_buffer + link->have + got;
	rest = link_walk(link, load_buffer, end, on_text);
	link->have = (unsigned)(end - rest);
	if (link->have > 0)
		memcpy(link->carry, rest, link->have);
	return got == LOAD_BUFFER;
}

/* A text frame at a subscriber: counts a signal, checks that its seq is the next. The
 * bare server does not number them: its signals begin with their id. */
static inline void link_take_signal(struct link *link, const char *text, size_t length)
{
	const char *at = text + 7;
	uint64_t seq = 0;

	if (length < 32 || memcmp(text, "{\"seq\":", 7) != 0) {
		if (length == SIGNAL_BYTES && memcmp(text, "{\"id\":\"", 7) == 0)
			link->received++;
		else
			link_heard(link, 0x81, text, length);
		return;
	}
	while (*at >= '0' && *at <= '9')
		seq = seq * 10 + (uint64_t)(*at++ - '0');
	if (seq <= link->seq || (seq != link->seq + 1 && link->seq != 0 && !link->filtered)) {
		errno = 0;
		die("seq %lu came after %lu", (unsigned long)seq, (unsigned long)link->seq);
	}
	link->seq = seq;
	link->received++;
}

#endif
