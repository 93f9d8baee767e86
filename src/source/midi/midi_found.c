/* midi_found.c - ports of JACK into services with an id, a label and a URL. */
#include "source/midi/midi_found.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/must.h"
#include "base/utf8.h"
#include "net/loop.h"
#include "source/local.h"
#include "source/midi/midi_line.h"

#define PREFIX "local:midi:"
#define LABEL_MAX 60
#define URL_ROOM 1024

struct found_port {
	char id[sizeof(PREFIX) + MIDI_ID_MAX];
	char label[LABEL_MAX + 1];
	char *url;
};

struct midi_found {
	struct loop *loop;
	struct midi_line *line; /* NULL: there is no JACK, or nobody looked yet */
	struct found_port ports[MIDI_PORTS_MAX];
	size_t count;
	bool is_known; /* JACK has said something */
	void (*told)(void *self);
	void *self;
};

/* ---- a port ---- */

static void add_encoded(struct buf *out, struct text t)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789._-~";

	for (size_t i = 0; i < t.len; i++)
		if (t.at[i] && strchr(plain, t.at[i]))
			buf_add_char(out, t.at[i]);
		else
			buf_print(out, "%%%02X", (unsigned char)t.at[i]);
}

/* What can be shown of a name, cut between two characters. */
static void write_label(char label[LABEL_MAX + 1], struct text name)
{
	struct buf shown;
	size_t len = 0, step;

	buf_init(&shown, 4 * name.len + 4);
	utf8_add_shown(&shown, name);
	while (len < shown.len &&
	       (step = utf8_length((struct text){shown.at + len, shown.len - len})) > 0 &&
	       len + step <= LABEL_MAX)
		len += step;
	if (len)
		memcpy(label, shown.at, len);
	label[len] = '\0';
	buf_finish(&shown);
}

static void describe_port(struct found_port *to, const struct midi_port *port)
{
	struct text name, maker = text_cut(text_of(port->name), ':', &name);
	struct buf url;

	if (!name.len)
		name = TEXT("unnamed");
	if (!maker.len)
		maker = TEXT("unknown");
	buf_init(&url, URL_ROOM + 4 * KIB);
	buf_add(&url, TEXT("midi://"));
	add_encoded(&url, maker);
	buf_add_char(&url, '/');
	add_encoded(&url, name);
	buf_add_char(&url, '/');
	add_encoded(&url, text_of(port->id));
	snprintf(to->id, sizeof(to->id), PREFIX "%s", port->id);
	write_label(to->label, name);
	to->url = text_dup(buf_text(&url));
	buf_finish(&url);
}

static void forget_ports(struct midi_found *f)
{
	for (size_t i = 0; i < f->count; i++)
		free(f->ports[i].url);
	f->count = 0;
}

static void midi_found_heard(void *self, const struct midi_port *ports, size_t n)
{
	struct midi_found *f = self;

	forget_ports(f);
	for (; f->count < n; f->count++)
		describe_port(&f->ports[f->count], &ports[f->count]);
	f->is_known = true;
	f->told(f->self);
}

/* ---- as services ---- */

static struct local_service service_of(const struct found_port *port)
{
	return (struct local_service){
		.id = text_of(port->id),
		.label = text_of(port->label),
		.protocol = TEXT("midi"),
		.url = text_of(port->url),
		.is_there = true,
	};
}

void midi_found_apply(struct midi_found *f, struct sources *sources, bool keeps_errors)
{
	struct local_service *all = must_zero(f->count, sizeof(*all));
	struct local_look look = {.services = all,
	                          .count = f->count,
	                          .prefix = TEXT(PREFIX),
	                          .keeps_errors = keeps_errors};

	for (size_t i = 0; i < f->count; i++)
		all[i] = service_of(&f->ports[i]);
	if (f->is_known)
		local_reconcile(sources, &look);
	free(all);
}

void midi_found_json(const struct midi_found *f, struct buf *out)
{
	buf_add_char(out, '[');
	for (size_t i = 0; i < f->count; i++) {
		struct local_service s = service_of(&f->ports[i]);

		if (i)
			buf_add_char(out, ',');
		local_add_json(out, &s);
	}
	buf_add_char(out, ']');
}

/* ---- life ---- */

bool midi_found_look(struct midi_found *f)
{
	struct midi_line_options o = {.loop = f->loop, .self = f, .ports = midi_found_heard};

	if (f->line)
		midi_line_look(f->line);
	else
		f->line = midi_line_create(&o, NULL);
	return f->line != NULL;
}

struct midi_found *midi_found_create(struct loop *loop, void (*told)(void *self), void *self)
{
	struct midi_found *f = must_zero(1, sizeof(*f));

	f->loop = loop;
	f->told = told;
	f->self = self;
	return f;
}

void midi_found_destroy(struct midi_found *f)
{
	if (!f)
		return;
	midi_line_destroy(f->line);
	forget_ports(f);
	free(f);
}
