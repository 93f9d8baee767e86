/* encode.c - the frames that stored lines become. */
#include <string.h>

#include "hub/dialect.h"
#include "net/ws.h"

static size_t frame(char *out, struct text line, uint64_t seq, const char *epoch)
{
	size_t n = ws_header(out, WS_OP_TEXT, line.len);

	memcpy(out + n, line.at, line.len);
	return n + line.len;
}

static char *put(char *to, struct text t)
{
	memcpy(to, t.at, t.len);
	return to + t.len;
}

static char *put_number(char *to, uint64_t n)
{
	char digits[20];
	size_t at = sizeof(digits);

	do {
		digits[--at] = (char)('0' + n % 10);
		n /= 10;
	} while (n);
	return put(to, (struct text){digits + at, sizeof(digits) - at});
}

/* A stored line has no line ends inside, so it is one data field. */
static size_t event(char *out, struct text line, uint64_t seq, const char *epoch)
{
	char *to = put(out, TEXT("id: "));

	to = put(to, text_of(epoch));
	*to++ = '-';
	to = put_number(to, seq);
	to = put(to, TEXT("\ndata: "));
	to = put(to, line);
	to = put(to, TEXT("\n\n"));
	return (size_t)(to - out);
}

encode_fn *const encoders[ENCODINGS] = {
	[ENCODING_FRAME] = frame,
	[ENCODING_EVENT] = event,
};
