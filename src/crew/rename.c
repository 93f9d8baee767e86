/* rename.c - a person gives a session another title: the box says so, as a signal. */
#include <assert.h>

#include "base/put.h"
#include "bus/back.h"
#include "bus/bus.h"
#include "crew/crew.h"

#define RENAME_MAX (16 * KIB)

bool crew_rename(struct bus *bus, const struct crew_member *m, struct text title,
                 const struct back_who *who, struct error *why)
{
	return crew_name_run(bus, text_of(member_run(m)), title, who, why);
}

bool crew_name_run(struct bus *bus, struct text run, struct text title, const struct back_who *who,
                   struct error *why)
{
	struct bus_emit e = {.from = bus_from(bus, SOURCE_OF_BOX, true), .durable = true};
	struct bus_verdict verdict = {.answer = BUS_REFUSED};
	struct buf out;

	assert(title.len <= CREW_TITLE_MAX);
	buf_init(&out, RENAME_MAX);
	put_object(&out, NULL);
	put_word(&out, "type", "session.title");
	put_text(&out, "source", SOURCE_OF_BOX);
	put_text(&out, "correlationId", run);
	put_object(&out, "payload");
	put_text(&out, "title", title);
	put_key(&out, "by");
	back_add_who(&out, who);
	put_end(&out);
	put_end(&out);
	e.from.is_box = true;
	e.raw = buf_text(&out);
	bus_admit(bus, &e, &verdict);
	buf_finish(&out);
	return verdict.answer == BUS_ACCEPTED || error_set(why, "%s", verdict.why.words);
}
