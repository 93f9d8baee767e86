/* wyoming_line.c - see wyoming_line.h. */
#include "voice/wyoming_line.h"

#include <stdlib.h>

#include "base/must.h"
#include "net/conn.h"
#include "net/dial.h"

struct wyoming_line {
	struct wyoming_line_options options;
	struct dial *dial; /* NULL: it is over */
	struct conn *conn; /* NULL: not yet there */
	struct wyoming_reader reader;
	struct buf out; /* not yet taken */
	struct deadline expected;
	unsigned patience_ms; /* for the next event; 0: any */
	struct later fails;   /* for what is found out within a call of our user */
	bool is_hushed;       /* nothing is read */
	bool is_reading;      /* heard() runs */
	bool is_closed;       /* by whoever runs in it */
};

/* ---- where it is ---- */

bool wyoming_place_read(struct text address, struct wyoming_place *out, struct error *why)
{
	struct text rest, host, port;
	uint64_t number;
	int colon = -1;

	*out = (struct wyoming_place){0};
	if (text_starts(address, TEXT("unix:")) && address.len > 5) {
		out->path = text_dup((struct text){address.at + 5, address.len - 5});
		return true;
	}
	if (!text_starts(address, TEXT("tcp://")))
		return error_set(why, "an engine is at tcp://HOST:PORT or unix:PATH, not at %.*s",
		                 TEXT_ARG(address));
	rest = (struct text){address.at + 6, address.len - 6};
	for (size_t i = 0; i < rest.len; i++)
		if (rest.at[i] == ':')
			colon = (int)i;
	if (colon < 1)
		return error_set(why, "%.*s names no port", TEXT_ARG(address));
	host = (struct text){rest.at, (size_t)colon};
	port = (struct text){rest.at + colon + 1, rest.len - (size_t)colon - 1};
	if (host.len > 2 && host.at[0] == '[' && host.at[host.len - 1] == ']')
		host = (struct text){host.at + 1, host.len - 2};
	if (!text_to_u64(port, &number) || number == 0 || number > UINT16_MAX)
		return error_set(why, "%.*s names no port", TEXT_ARG(address));
	out->host = text_dup(host);
	out->port = (uint16_t)number;
	return true;
}

void wyoming_place_finish(struct wyoming_place *place)
{
	free(place->host);
	free(place->path);
	*place = (struct wyoming_place){0};
}

/* ---- the end ---- */

void wyoming_line_close(struct wyoming_line *line)
{
	if (!line)
		return;
	deadline_clear(&line->expected);
	loop_forget(&line->fails);
	dial_stop(line->dial);
	conn_close(line->conn);
	line->dial = NULL;
	line->conn = NULL;
	if (line->is_reading) { /* its reader ends it */
		line->is_closed = true;
		return;
	}
	wyoming_reader_finish(&line->reader);
	buf_finish(&line->out);
	free(line);
}

static void fail(struct wyoming_line *line, const char *why)
{
	struct wyoming_line_options options = line->options;
	struct error words;

	error_set(&words, "%s", why);
	wyoming_line_close(line);
	options.failed(options.self, words.words);
}

static void on_late(struct deadline *deadline)
{
	struct wyoming_line *line = list_of(deadline, struct wyoming_line, expected);

	fail(line, "the engine does not answer");
}

static void on_full(struct later *later)
{
	fail(list_of(later, struct wyoming_line, fails), "the engine takes no more sound");
}

/* ---- in ---- */

static void on_heard(struct conn *conn, char *bytes, size_t n)
{
	struct wyoming_line *line = conn->self;
	struct wyoming_event event;
	enum wyoming_read read = WYOMING_BROKEN;
	struct error why;

	error_set(&why, "more than an event can be");
	wyoming_line_expect(line, line->patience_ms);
	line->is_reading = true;
	if (wyoming_reader_add(&line->reader, (struct text){bytes, n}))
		while ((read = wyoming_read(&line->reader, &event, &why)) == WYOMING_EVENT &&
		       !line->is_closed) {
			line->options.heard(line->options.self, &event);
			if (line->is_closed)
				break;
		}
	line->is_reading = false;
	if (line->is_closed) {
		wyoming_line_close(line);
		return;
	}
	if (read == WYOMING_BROKEN) {
		error_within(&why, "the engine does not speak Wyoming");
		fail(line, why.words);
	}
}

static void send_waiting(struct wyoming_line *line)
{
	if (line->conn && line->out.len)
		buf_drop(&line->out, conn_send(line->conn, line->out.at, line->out.len));
}

static void on_writable(struct conn *conn)
{
	send_waiting(conn->self);
}

static void on_gone(struct conn *conn, const char *why)
{
	struct wyoming_line *line = conn->self;

	line->conn = NULL; /* it frees itself */
	fail(line, "the engine closed the connection");
}

static const struct conn_user user = {
	.heard = on_heard,
	.writable = on_writable,
	.gone = on_gone,
};

/* ---- the beginning ---- */

static void on_connected(void *self, int fd)
{
	struct wyoming_line *line = self;

	line->dial = NULL;
	line->conn = conn_create(line->options.loop, fd, &user, line);
	send_waiting(line);
}

static void on_refused(void *self, const char *why)
{
	struct wyoming_line *line = self;
	struct error words;

	line->dial = NULL;
	error_set(&words, "the engine cannot be reached: %s", why);
	fail(line, words.words);
}

struct wyoming_line *wyoming_line_open(const struct wyoming_line_options *options)
{
	struct wyoming_line *line = must_zero(1, sizeof(*line));

	line->options = *options;
	wyoming_reader_init(&line->reader);
	buf_init(&line->out, WYOMING_WAITING_MAX);
	line->expected.fire = on_late;
	line->fails.run = on_full;
	line->dial = dial_start(options->loop, &(struct dial_options){
						       .host = options->place->host,
						       .port = options->place->port,
						       .path = options->place->path,
						       .ms = WYOMING_DIAL_MS,
						       .self = line,
						       .connected = on_connected,
						       .failed = on_refused,
					       });
	return line;
}

/* ---- out ---- */

static void send_written(struct wyoming_line *line)
{
	if (line->out.full)
		loop_later(line->options.loop, &line->fails);
	else
		send_waiting(line);
}

void wyoming_line_send(struct wyoming_line *line, const char *type, struct text data,
                       struct text payload)
{
	wyoming_write(&line->out, type, data, payload);
	send_written(line);
}

void wyoming_line_send_sound(struct wyoming_line *line, const char *type,
                             const struct wyoming_format *format, struct text pcm)
{
	wyoming_write_sound(&line->out, type, format, pcm);
	send_written(line);
}

void wyoming_line_expect(struct wyoming_line *line, unsigned ms)
{
	line->patience_ms = ms;
	deadline_clear(&line->expected);
	if (ms && !line->is_hushed)
		deadline_set(line->options.loop, &line->expected, ms);
}

void wyoming_line_hush(struct wyoming_line *line, bool hush)
{
	line->is_hushed = hush;
	if (line->conn)
		conn_hush(line->conn, hush);
	wyoming_line_expect(line, line->patience_ms);
}
