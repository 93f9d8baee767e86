/* encode.c - the frames that stored lines become. */
#include <string.h>

#include "hub/encoding.h"
#include "net/ws.h"
#include "signal/origin.h"

#define EVENT_EXTRA 64 /* an id of an epoch and a seq, the names of two fields */

static char *put(char *to, struct text t)
{
	memcpy(to, t.at, t.len);
	return to + t.len;
}

static size_t frame(void *memory, char *out, struct text line, uint64_t seq, const char *epoch)
{
	struct text head, tail;
	char *to;

	origin_cut(line, &head, &tail);
	to = out + ws_header(out, WS_OP_TEXT, head.len + tail.len);
	to = put(to, head);
	to = put(to, tail);
	return (size_t)(to - out);
}

/* A stored line has no line ends inside, so it is one data field. */
static size_t event(void *memory, char *out, struct text line, uint64_t seq, const char *epoch)
{
	char digits[TEXT_U64_MAX];
	char *to = put(out, TEXT("id: "));
	struct text head, tail;

	to = put(to, text_of(epoch));
	*to++ = '-';
	to = put(to, text_of_u64(seq, digits));
	to = put(to, TEXT("\ndata: "));
	origin_cut(line, &head, &tail);
	to = put(to, head);
	to = put(to, tail);
	to = put(to, TEXT("\n\n"));
	return (size_t)(to - out);
}

const struct encoding encoding_frame = {
	.name = "frame",
	.most = {1, WS_HEADER_MAX},
	.encode = frame,
};

const struct encoding encoding_event = {
	.name = "event",
	.most = {1, EVENT_EXTRA},
	.encode = event,
};
