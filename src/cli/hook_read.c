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
#include "cli/hook_cut.h"

#define PATIENCE_MS 60000 /* an agent ends its hooks before that */
#define PIECE (64 * KIB)
#define STUB_MAX MIB /* 64 members and 64 KiB, escaped */

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

/* One piece, 0 when there is no more to come. */
static size_t read_piece(int fd, char *to, uint64_t end)
{
	for (;;) {
		uint64_t now = clock_mono_ns() / 1000000;
		struct pollfd wait = {.fd = fd, .events = POLLIN};
		ssize_t n;

		if (now >= end || poll(&wait, 1, (int)(end - now)) == 0)
			return 0;
		n = read(fd, to, PIECE);
		if (n >= 0 || errno != EINTR)
			return n > 0 ? (size_t)n : 0;
	}
}

/* There is no room for more: what comes is counted, and what is short of it told. */
static void read_on(int fd, struct buf *payload, struct hook_scan *scan, uint64_t end,
                    uint64_t *whole)
{
	struct hook_cut cut;
	struct buf stub;
	char piece[PIECE];
	size_t n;

	hook_cut_init(&cut);
	hook_cut_take(&cut, buf_text(payload));
	while ((n = read_piece(fd, piece, end)) > 0) {
		*whole += n;
		hook_cut_take(&cut, (struct text){piece, n});
		if (hook_scan(scan, (struct text){piece, n}))
			break;
	}
	buf_init(&stub, STUB_MAX);
	hook_cut_tell(&cut, &stub, buf_text(payload), *whole);
	buf_clear(payload);
	buf_add(payload, buf_text(&stub));
	buf_finish(&stub);
	hook_cut_finish(&cut);
}

bool hook_pass(int fd, struct buf *payload, struct out *out)
{
	uint64_t end = clock_mono_ns() / 1000000 + PATIENCE_MS;
	struct hook_scan scan = {0};
	char piece[PIECE];
	size_t n;

	while ((n = read_piece(fd, piece, end)) > 0) {
		out_add(out, (struct text){piece, n});
		buf_add(payload, (struct text){piece, n});
		if (hook_scan(&scan, (struct text){piece, n}))
			break;
	}
	return payload->len > 0 && !payload->full;
}

bool hook_read(int fd, struct buf *payload, uint64_t *whole)
{
	uint64_t end = clock_mono_ns() / 1000000 + PATIENCE_MS;
	struct hook_scan scan = {0};
	char *to;
	size_t n;

	*whole = 0;
	while ((to = buf_reserve(payload, PIECE))) {
		n = read_piece(fd, to, end);
		payload->len += n;
		*whole += n;
		if (n == 0 || hook_scan(&scan, (struct text){to, n}))
			return payload->len > 0;
	}
	read_on(fd, payload, &scan, end, whole);
	return true;
}
