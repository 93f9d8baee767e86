/* resume.c - what the last life of the box left open: where sources go on, and the ends of
 * answers that it cut off. */
#include "source/resume.h"

#include "box/parts.h"
#include "bus/bus.h"
#include "bus/folds.h"
#include "signal/make.h"
#include "source/source.h"

#define END_MAX (4 * KIB)

void box_make_resume(struct box *box)
{
	box->resume = resume_create();
	folds_add(bus_folds(box->bus), &resume_fold, box->resume);
}

/* Who asked waits for an end, and so does whoever watches the run.  A gateway works on
 * without us, and says itself how it ended. */
static void end_ask(void *self, struct text run, struct text source)
{
	struct box *box = self;
	struct source *known = sources_find(box->sources, source);
	struct bus_emit emit = {.from = bus_from(box->bus, source, true)};
	struct bus_verdict verdict;
	struct make m;
	struct buf out;

	if (known && source_works_on(known))
		return;
	buf_init(&out, END_MAX);
	make_begin(&m, &out,
	           &(struct make_head){
			   .type = "error",
			   .source = source.len ? source : TEXT("user"),
			   .correlation = run,
		   });
	make_payload(&m);
	make_text(&m, "agentId", source);
	make_word(&m, "message", "the box ended before the answer did");
	make_word(&m, "code", "cut");
	make_word(&m, "severity", "error");
	if (make_end(&m)) {
		emit.raw = buf_text(&out);
		bus_admit(box->bus, &emit, &verdict);
	}
	buf_finish(&out);
}

void box_end_asks(struct box *box)
{
	resume_take_asks(box->resume, end_ask, box);
}
