/* out.c - writing to the two outputs. */
#include "cli/out.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "base/utf8.h"

#define GATHERED (64 * KIB)   /* then it is written */
#define PIECE_MAX (256 * MIB) /* of one line; more than any signal is long */

void out_init(struct out *out, int fd)
{
	*out = (struct out){.fd = fd};
	buf_init(&out->bytes, PIECE_MAX);
}

bool out_set_color(struct out *out, const char *mode, bool no_color, struct error *why)
{
	if (strcmp(mode, "auto") == 0)
		out->colored = !no_color && isatty(out->fd);
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

void out_add(struct out *out, struct text t)
{
	buf_add(&out->bytes, t);
	write_when_big(out);
}

void out_print(struct out *out, const char *format, ...)
{
	va_list args, again;
	char *room;
	int n;

	va_start(args, format);
	va_copy(again, args);
	n = vsnprintf(NULL, 0, format, args);
	room = n > 0 ? buf_reserve(&out->bytes, (size_t)n + 1) : NULL;
	if (room) {
		vsnprintf(room, (size_t)n + 1, format, again);
		out->bytes.len += (size_t)n;
	}
	va_end(again);
	va_end(args);
	write_when_big(out);
}

void out_add_shown(struct out *out, struct text t)
{
	utf8_add_shown(&out->bytes, t);
	write_when_big(out);
}

void out_paint(struct out *out, const char *sequence)
{
	if (out->colored)
		out_add(out, text_of(sequence));
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
		say("cannot write: %s", strerror(out->failure));
		return status ? status : 1;
	}
	return status;
}

void say(const char *format, ...)
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
