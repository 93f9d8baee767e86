/* deeds.c - what people do on a screen, passed on to whoever does the work. */
#include "bus/deeds.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/log.h"
#include "base/must.h"
#include "bus/backs.h"
#include "bus/bus.h"
#include "signal/make.h"

#define RECEIPT_MAX (64 * KIB)

struct deeds {
	struct deeds_options options;
	struct tap tap;
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

static void heard(struct tap *tap, const struct signal *s)
{
	struct deeds *d = list_of(tap, struct deeds, tap);
	struct back_deed deed = {.signal = s};
	struct error why = {""};
	bool is_told;

	if (s->via.len || !text_starts(s->type, TEXT("user.")))
		return;
	deed.source = d->options.concerned(d->options.self, s, &deed.run);
	is_told = backs_tell(d->options.backs, &deed, &why) == BACK_DONE;
	if (!is_told)
		log_debug("back", "%.*s is not heard: %s", TEXT_ARG(s->type), why.words);
	if (text_is(s->type, "user.command"))
		give_receipt(d, &deed, is_told ? NULL : why.words);
}

struct deeds *deeds_create(const struct deeds_options *options)
{
	struct deeds *d = must_zero(1, sizeof(*d));

	d->options = *options;
	d->tap = (struct tap){.name = "people", .heard = heard};
	bus_add_tap(options->bus, &d->tap);
	return d;
}

void deeds_destroy(struct deeds *d)
{
	free(d);
}
