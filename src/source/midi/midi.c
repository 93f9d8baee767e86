/* midi.c - a MIDI port of this machine: what is played on it, as signals.
 *
 * Its URL is midi://MAKER/NAME/PORT, and PORT is what it is found by.  A port that
 * went away is waited for: the source is unavailable, and comes back with it.
 *
 * A port cannot be made to wait.  While there is no room for its signals the newest
 * are held here, and those that had to go are counted as dropped.  It is signals
 * that are held and not bytes: a message may have its status from the one before.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/must.h"
#include "net/http.h"
#include "parse/parse.h"
#include "source/midi/held.h"
#include "source/midi/midi_line.h"
#include "source/transport.h"

#define SCHEME "midi://"
#define PORT_MAX 512

struct midi {
	struct source *source;
	struct midi_line *line;
	struct parse *parse;
	struct midi_held held;
	bool is_hushed;
};

static void is_live(void *self)
{
	source_live(((struct midi *)self)->source);
}

static void got_message(void *self, struct text bytes)
{
	parse_feed(((struct midi *)self)->parse, bytes);
}

static void missed_some(void *self, unsigned long n)
{
	char words[96];

	snprintf(words, sizeof(words), "%lu MIDI messages came too fast or were too long", n);
	source_bad(((struct midi *)self)->source, words);
}

static void is_gone(void *self, const char *why)
{
	source_gone(((struct midi *)self)->source, why);
}

static void midi_made_signal(void *self, struct text envelope)
{
	struct midi *m = self;

	if (!m->is_hushed)
		source_received(m->source, envelope);
	else if (!held_put(&m->held, envelope))
		source_dropped(m->source, "it is played faster than it can be taken: "
		                          "the oldest that waited was dropped");
}

static bool give_oldest(struct midi *m)
{
	char *envelope = held_take(&m->held);

	if (!envelope)
		return false;
	source_received(m->source, text_of(envelope));
	free(envelope);
	return true;
}

/* It may be hushed again from in here. */
static void midi_hush(void *self, bool hush)
{
	struct midi *m = self;

	m->is_hushed = hush;
	while (!m->is_hushed && give_oldest(m))
		;
}

static void midi_met_bad(void *self, const char *why)
{
	source_bad(((struct midi *)self)->source, why);
}

/* The third segment and what is behind it; NULL: there are not so many. */
static char *port_of(struct text url, struct error *why)
{
	struct text maker, name, port;
	struct buf out;
	char *found = NULL;

	if (text_starts(url, TEXT(SCHEME)))
		url = (struct text){url.at + strlen(SCHEME), url.len - strlen(SCHEME)};
	maker = text_cut(url, '/', &name);
	name = text_cut(name, '/', &port);
	buf_init(&out, PORT_MAX);
	if (maker.len && name.len && port.len && http_decode(port, &out) && out.len)
		found = text_dup(buf_text(&out));
	else
		error_set(why, "a MIDI port is midi://MAKER/NAME/PORT");
	buf_finish(&out);
	return found;
}

static void close_midi(void *self)
{
	struct midi *m = self;

	midi_line_destroy(m->line);
	parse_destroy(m->parse);
	while (give_oldest(m)) /* it was played, and is not lost with the port */
		;
	free(m);
}

static void *open_midi(struct source *source, struct error *why)
{
	char *port = port_of(text_of(source_url(source)), why);
	struct midi *m = must_zero(1, sizeof(*m));
	struct parse_options p = {.source = source_id(source),
	                          .self = m,
	                          .signal = midi_made_signal,
	                          .bad = midi_met_bad};
	struct midi_line_options o = {
		.loop = source_loop(source),
		.port = port,
		.self = m,
		.live = is_live,
		.message = got_message,
		.missed = missed_some,
		.gone = is_gone,
	};

	m->source = source;
	m->parse = parse_create(parse_find(TEXT("midi")), &p);
	m->line = port ? midi_line_create(&o, why) : NULL;
	free(port);
	if (m->line)
		return m;
	close_midi(m);
	return NULL;
}

static const char *const schemes[] = {SCHEME, NULL};

const struct transport transport_midi = {
	.protocol = "midi",
	.label = "a MIDI port",
	.schemes = schemes,
	.reads_url = true,
	.parser = "midi",
	.open = open_midi,
	.close = close_midi,
	.hush = midi_hush,
};
