/* out.c - writing to the two outputs. */
#include "cli/out.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "base/utf8.h"
#include "base/visible.h"

#define GATHERED (64 * KIB)   /* then it is written */
#define PIECE_MAX (256 * MIB) /* of one line; more than any signal is long */

void out_init(struct out *out, int fd)
{
	*out = (struct out){.fd = fd, .is_terminal = isatty(fd)};
	buf_init(&out->bytes, PIECE_MAX);
}

bool out_set_color(struct out *out, const char *mode, bool no_color, struct error *why)
{
	if (strcmp(mode, "auto") == 0)
		out->colored = !no_color && out->is_terminal;
	else if (strcmp(mode, "always") == 0 || strcmp(mode, "never") == 0)
		out->colored = mode[0] == 'a';
	else
		return error_set(why, "--color is auto, always or never");
	return true;
}

static void write_when_big(struct out *out)
{
	if (out->bytes.len >= GATHERED)
		out_flush(out);
}

/* Is t the beginning of a character, and not yet one? */
static bool is_part(struct text t)
{
	uint8_t lead = (uint8_t)t.at[0];
	size_t need = lead >= 0xF0 && lead < 0xF5 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC2 ? 2 : 1;

	if (lead >= 0xF5 || t.len >= need)
		return false;
	for (size_t i = 1; i < t.len; i++)
		if (((uint8_t)t.at[i] & 0xC0) != 0x80)
			return false;
	return true;
}

/* Our own line breaks and tabs are no danger, and JSON between two values may have them.
 * How much of t that was: less than all when it ends within a character. */
static size_t add_escaped(struct buf *out, struct text t)
{
	size_t i = 0, n;

	for (; i < t.len; i += n ? n : 1) {
		struct text rest = {t.at + i, t.len - i};
		bool is_ours = t.at[i] == '\n' || t.at[i] == '\t';
		uint32_t c;

		n = utf8_length(rest);
		if (n == 0 && is_part(rest))
			break;
		c = n ? utf8_decode((struct text){rest.at, n}) : 0xFFFD;
		if (n == 0 || (!is_ours && visible_kind(c) == VISIBLE_CONTROL))
			buf_print(out, "\\u%04x", (unsigned)c);
		else
			buf_add(out, (struct text){rest.at, n});
	}
	return i;
}

static void add_to_terminal(struct out *out, struct text t)
{
	struct buf whole;
	size_t used;

	buf_init(&whole, PIECE_MAX);
	buf_add(&whole, (struct text){out->part, out->part_len});
	buf_add(&whole, t);
	used = add_escaped(&out->bytes, buf_text(&whole));
	out->part_len = (uint8_t)(whole.len - used);
	if (out->part_len)
		memcpy(out->part, whole.at + used, out->part_len);
	buf_finish(&whole);
}

void out_add(struct out *out, struct text t)
{
	if (out->is_terminal)
		add_to_terminal(out, t);
	else
		buf_add(&out->bytes, t);
	write_when_big(out);
}

void out_print(struct out *out, const char *format, ...)
{
	va_list args, again;
	struct buf words;
	char *room;
	int n;

	va_start(args, format);
	va_copy(again, args);
	n = vsnprintf(NULL, 0, format, args);
	buf_init(&words, PIECE_MAX);
	room = n > 0 ? buf_reserve(&words, (size_t)n + 1) : NULL;
	if (room)
		vsnprintf(room, (size_t)n + 1, format, again);
	va_end(again);
	va_end(args);
	if (room)
		out_add(out, (struct text){room, (size_t)n});
	buf_finish(&words);
}

void out_add_shown(struct out *out, struct text t)
{
	utf8_add_shown(&out->bytes, t);
	write_when_big(out);
}

void out_paint(struct out *out, const char *sequence)
{
	if (out->colored)
		buf_add(&out->bytes, text_of(sequence));
}

bool out_flush(struct out *out)
{
	size_t done = 0;

	while (!out->failure && done < out->bytes.len) {
		ssize_t n = write(out->fd, out->bytes.at + done, out->bytes.len - done);

		if (n >= 0)
			done += (size_t)n;
		else if (errno == EAGAIN)
			poll(&(struct pollfd){out->fd, POLLOUT, 0}, 1, -1);
		else if (errno != EINTR)
			out->failure = errno;
	}
	buf_clear(&out->bytes);
	return !out->failure;
}

bool out_is_deserted(const struct out *out)
{
	struct pollfd fd = {.fd = out->fd};

	return out->failure || (poll(&fd, 1, 0) > 0 && (fd.revents & (POLLERR | POLLNVAL)));
}

int out_finish(struct out *out, int status)
{
	out_flush(out);
	buf_finish(&out->bytes);
	if (out->failure == EPIPE)
		return 0;
	if (out->failure) {
		out_say("cannot write: %s", strerror(out->failure));
		return status ? status : 1;
	}
	return status;
}

void out_say(const char *format, ...)
{
	char words[2048];
	struct buf shown;
	va_list args;

	va_start(args, format);
	vsnprintf(words, sizeof(words), format, args);
	va_end(args);
	buf_init(&shown, 4 * sizeof(words));
	utf8_add_shown(&shown, text_of(words));
	fprintf(stderr, "signalbox: %.*s\n", TEXT_ARG(buf_text(&shown)));
	buf_finish(&shown);
}
