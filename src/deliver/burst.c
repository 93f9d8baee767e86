/* burst.c - how long, and how much, is gathered. */
#include "deliver/burst.h"

#include "deliver/wrote.h"

void burst_begin(struct burst *b, size_t bytes, unsigned pause_ms, int64_t now_ms)
{
	*b = (struct burst){
		.until_ms = now_ms + pause_ms,
		.most_ms = now_ms + (pause_ms > BURST_MOST_MS ? pause_ms : BURST_MOST_MS),
		.bytes = bytes,
	};
}

bool burst_takes(struct burst *b, size_t bytes, int64_t now_ms)
{
	/* A new line stands between two. */
	if (now_ms < b->most_ms && b->bytes + 1 + bytes <= CHANNEL_TEXT_MAX)
		return true;
	burst_end(b);
	return false;
}

void burst_add(struct burst *b, size_t bytes, unsigned pause_ms, int64_t now_ms)
{
	b->bytes += 1 + bytes;
	b->until_ms = now_ms + pause_ms < b->most_ms ? now_ms + pause_ms : b->most_ms;
}

void burst_end(struct burst *b)
{
	b->until_ms = b->most_ms = 0;
}
