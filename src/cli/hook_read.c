/* hook_read.c - reading until the JSON is whole.
 *
 * Some agents keep their end of the pipe open, and on a busy machine the bytes may take
 * their time.  So neither the end of the stream nor a clock says that it is all.
 */
#include "cli/hook_read.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/scan.h"

#define PATIENCE_MS 60000 /* an agent ends its hooks before that */
#define PIECE (64 * KIB)

static const char *skip_string(struct hook_scan *scan, const char *at, const char *end)
{
	while (at < end) {
		if (scan->is_escaped) {
			scan->is_escaped = false;
			at++;
			continue;
		}
		at = scan_stop(at, end);
		if (at == end)
			break;
		if (*at == '"') {
			scan->in_string = false;
			return at + 1;
		}
		scan->is_escaped = *at == '\\';
		at++;
	}
	return at;
}

bool hook_scan(struct hook_scan *scan, struct text bytes)
{
	const char *at = bytes.at, *end = bytes.at + bytes.len;

	while (at < end) {
		if (scan->in_string) {
			at = skip_string(scan, at, end);
			continue;
		}
		if (*at == '"')
			scan->in_string = true;
		else if (*at == '{' || *at == '[')
			scan->depth++;
		else if ((*at == '}' || *at == ']') && scan->depth > 0 && --scan->depth == 0)
			return true;
		at++;
	}
	return false;
}

bool hook_read(int fd, struct buf *payload)
{
	uint64_t end = clock_mono_ns() / 1000000 + PATIENCE_MS;
	struct hook_scan scan = {0};

	for (;;) {
		uint64_t now = clock_mono_ns() / 1000000;
		struct pollfd wait = {.fd = fd, .events = POLLIN};
		char *to = buf_reserve(payload, PIECE);
		ssize_t n;

		if (!to || now >= end || poll(&wait, 1, (int)(end - now)) == 0)
			return payload->len > 0;
		n = read(fd, to, PIECE);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return payload->len > 0;
		payload->len += (size_t)n;
		if (hook_scan(&scan, (struct text){to, (size_t)n}))
			return true;
	}
}
