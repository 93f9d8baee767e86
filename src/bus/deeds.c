/* deeds.c - what people do on a screen, passed on to whoever does the work. */
#include "bus/deeds.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/log.h"
#include "base/must.h"
#include "bus/backs.h"
#include "bus/bus.h"
#include "signal/make.h"

#define RECEIPT_MAX (64 * KIB)
#define WAITING_MAX 256         /* one more is told to nobody */
#define WAITING_BYTES (4 * MIB) /* nor is one that is too long for the rest of this */

static const char STOPS[] = "the box stops";

struct deeds {
	struct deeds_options options;
	struct bus_listener listener;
	struct signal_reader *reader;
	struct link waiting; /* waiting_deed.in_deeds, oldest first */
	unsigned waiting_count;
	size_t waiting_bytes;
	bool is_stopped;
};

struct waiting_deed {
	struct link in_deeds;
	size_t len;
	char line[]; /* of the signal */
};

/* why: nobody took it; NULL: somebody did. */
static void add_receipt(struct buf *out, const struct back_deed *deed, const char *why)
{
	struct make m;

	make_begin(&m, out,
	           &(struct make_head){
			   .type = "command.told",
			   .source = SOURCE_OF_BOX,
			   .correlation = deed->run,
		   });
	make_payload(&m);
	make_text(&m, "signal", deed->signal->id);
	make_bool(&m, "told", !why);
	make_word(&m, "why", why);
	if (!make_end(&m))
		buf_clear(out);
}

/* It is stamped when all have heard of the command itself. */
static void give_receipt(struct deeds *d, const struct back_deed *deed, const char *why)
{
	struct bus_emit e = {.from = bus_from(d->options.bus, SOURCE_OF_BOX, true)};
	struct bus_verdict verdict;
	struct buf out;

	e.from.is_box = true;
	buf_init(&out, RECEIPT_MAX);
	add_receipt(&out, deed, why);
	e.raw = buf_text(&out);
	if (out.len)
		bus_admit(d->options.bus, &e, &verdict);
	buf_finish(&out);
}

static void settle_deed(struct deeds *d, const struct back_deed *deed, const char *why)
{
	const struct signal *s = deed->signal;

	if (why)
		log_debug("back", "%.*s is not heard: %s", TEXT_ARG(s->type), why);
	if (text_is(s->type, "user.command"))
		give_receipt(d, deed, why);
}

static void tell_deed(struct deeds *d, const struct back_deed *deed)
{
	struct error why = {""};
	bool is_told = backs_tell(d->options.backs, deed, &why) == BACK_DONE;

	settle_deed(d, deed, is_told ? NULL : why.words);
}

static bool is_known(struct deeds *d, struct back_deed *deed)
{
	return d->options.concerned(d->options.self, deed->signal, deed);
}

static void let_wait(struct deeds *d, const struct back_deed *deed)
{
	struct text line = deed->signal->line;
	struct waiting_deed *w;

	if (d->is_stopped) {
		settle_deed(d, deed, STOPS);
		return;
	}
	if (d->waiting_count == WAITING_MAX || d->waiting_bytes + line.len > WAITING_BYTES) {
		settle_deed(d, deed, "too many wait until the stage is at the present");
		return;
	}
	w = must_alloc(sizeof(*w) + line.len);
	w->len = line.len;
	memcpy(w->line, line.at, line.len);
	list_add(&d->waiting, &w->in_deeds);
	d->waiting_count++;
	d->waiting_bytes += w->len;
}

static void heard(struct bus_listener *listener, const struct signal *s)
{
	struct deeds *d = list_of(listener, struct deeds, listener);
	struct back_deed deed = {.signal = s};

	if (s->via.len || !text_starts(s->type, TEXT("user.")))
		return;
	if (!is_known(d, &deed) || (d->waiting_count && !s->correlation.at))
		let_wait(d, &deed);
	else
		tell_deed(d, &deed);
}

static void stop_waiting(struct deeds *d, struct waiting_deed *w)
{
	list_remove(&w->in_deeds);
	d->waiting_count--;
	d->waiting_bytes -= w->len;
	free(w);
}

void deeds_go_on(struct deeds *d)
{
	list_each(&d->waiting, l) {
		struct waiting_deed *w = list_of(l, struct waiting_deed, in_deeds);
		struct signal s;
		struct back_deed deed = {.signal = &s};

		if (signal_read(d->reader, (struct text){w->line, w->len}, &s, NULL)) {
			if (!is_known(d, &deed))
				return;
			tell_deed(d, &deed);
		}
		stop_waiting(d, w);
	}
}

void deeds_stop(struct deeds *d)
{
	d->is_stopped = true;
	list_each(&d->waiting, l) {
		struct waiting_deed *w = list_of(l, struct waiting_deed, in_deeds);
		struct signal s;

		if (signal_read(d->reader, (struct text){w->line, w->len}, &s, NULL))
			settle_deed(d, &(struct back_deed){.signal = &s, .run = s.correlation},
			            STOPS);
		stop_waiting(d, w);
	}
}

struct deeds *deeds_create(const struct deeds_options *options)
{
	struct deeds *d = must_zero(1, sizeof(*d));

	d->options = *options;
	d->reader = signal_reader_create();
	list_init(&d->waiting);
	d->listener = (struct bus_listener){.name = "people", .heard = heard};
	bus_add_listener(options->bus, &d->listener);
	return d;
}

void deeds_destroy(struct deeds *d)
{
	if (!d)
		return;
	list_each(&d->waiting, l)
		stop_waiting(d, list_of(l, struct waiting_deed, in_deeds));
	signal_reader_destroy(d->reader);
	free(d);
}
