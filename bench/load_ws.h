/* WebSockets, for the protocols that are spoken over them. */
#ifndef BENCH_LOAD_WS_H
#define BENCH_LOAD_WS_H

#include "load_read.h"

/* Called with each text frame whole, not terminated. */
typedef void ws_frame(struct link *link, const char *text, size_t length);

/* Connect and ask for an upgrade; wait for its answer. */
void ws_open(struct link *link, const struct target *target, const char *path);
void ws_answered(struct link *link);

/* Writes one masked frame of less than 64 KiB; answers its length, at most WS_MORE more. */
enum { WS_MORE = 8 };
size_t ws_write(char *at, int opcode, const char *text, size_t length);

/* Send one masked frame; for the few frames of the set-up only. */
void ws_send(struct link *link, int opcode, const char *text, size_t length);

/* A frame that is no signal: hello, pong, ping. Gaps, errors and closes are fatal. */
void ws_heard(struct link *link, int opcode, const char *text, size_t length);

/* Inline, so that each caller's on_text is compiled into its own walk. */
static inline const char *ws_walk(struct link *link, const char *at, const char *end,
                                  ws_frame *on_text)
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
		if (b[1] > 126) {
			errno = 0;
			die("a frame that this client does not take");
		}
		if ((size_t)(end - at) < head + length)
			break;
		if (b[0] == 0x81)
			on_text(link, at + head, length);
		else
			ws_heard(link, b[0], at + head, length);
		at += head + length;
	}
	return at;
}

#endif
