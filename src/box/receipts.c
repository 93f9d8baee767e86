/* receipts.c - whether what a person told an agent reached it.
 *
 * A `user.command` is stored and then passed on to whoever does the work.  Whether that
 * took it is a signal of its own, `command.told {signal, told, why?}`, so that no screen
 * says that somebody was told before that is so.  It is emitted when the turn is over: we
 * hear of the command from inside an admission.
 */
#include "box/receipts.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/list.h"
#include "base/must.h"
#include "bus/admit.h"
#include "bus/bus.h"
#include "signal/make.h"
#include "signal/signal.h"

#define WAITING_MAX 256 /* of one turn; nobody tells more */
#define RECEIPT_MAX (64 * KIB)

struct receipts {
	struct loop *loop;
	struct bus *bus;
	struct later later;
	struct buf waiting[WAITING_MAX];
	size_t count;
};

static void emit_all(struct later *later)
{
	struct receipts *r = list_of(later, struct receipts, later);
	struct bus_emit e = {.from = bus_from(r->bus, SOURCE_OF_BOX, true)};
	struct bus_verdict verdict;

	e.from.is_box = true;
	for (size_t i = 0; i < r->count; i++) {
		e.raw = buf_text(&r->waiting[i]);
		bus_admit(r->bus, &e, &verdict);
		buf_finish(&r->waiting[i]);
	}
	r->count = 0;
}

struct receipts *receipts_create(struct loop *loop, struct bus *bus)
{
	struct receipts *r = must_zero(1, sizeof(*r));

	r->loop = loop;
	r->bus = bus;
	r->later.run = emit_all;
	return r;
}

void receipts_destroy(struct receipts *r)
{
	if (!r)
		return;
	loop_forget(&r->later);
	for (size_t i = 0; i < r->count; i++)
		buf_finish(&r->waiting[i]);
	free(r);
}

void receipts_add(struct receipts *r, const struct receipt *receipt)
{
	struct buf *out = &r->waiting[r->count];
	struct make m;

	if (r->count == WAITING_MAX)
		return;
	buf_init(out, RECEIPT_MAX);
	make_begin(&m, out,
	           &(struct make_head){
			   .type = "command.told",
			   .source = SOURCE_OF_BOX,
			   .correlation = receipt->run,
		   });
	make_payload(&m);
	make_text(&m, "signal", receipt->signal);
	make_bool(&m, "told", !receipt->why);
	make_word(&m, "why", receipt->why);
	if (!make_end(&m)) {
		buf_finish(out);
		return;
	}
	r->count++;
	loop_later(r->loop, &r->later);
}
