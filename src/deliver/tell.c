/* tell.c - signals of the box about chats. */
#include "deliver/tell.h"

#include "base/log.h"
#include "base/put.h"
#include "bus/bus.h"

void deliver_begin(struct buf *out, const char *type)
{
	buf_init(out, DELIVER_SIGNAL_MAX);
	put_object(out, NULL);
	put_word(out, "type", type);
	put_text(out, "source", SOURCE_OF_BOX);
	put_object(out, "payload");
}

bool deliver_tell(struct bus *bus, struct buf *out)
{
	struct bus_emit emit = {.from = bus_from(bus, SOURCE_OF_BOX, true), .durable = true};
	struct bus_verdict verdict = {.answer = BUS_REFUSED, .why = {"it is too long"}};

	put_end(out);
	put_end(out);
	emit.from.is_box = true;
	emit.raw = buf_text(out);
	if (!out->full)
		bus_admit(bus, &emit, &verdict);
	if (verdict.answer != BUS_ACCEPTED)
		log_warn("deliver", "a signal was not taken: %s", verdict.why.words);
	buf_finish(out);
	return verdict.answer == BUS_ACCEPTED;
}
