/* asks.c - the ends of answers that the last life of the box cut off. */
#include "bus/bus.h"
#include "signal/make.h"
#include "source/resume.h"
#include "source/source.h"

#define END_MAX (4 * KIB)

struct ends {
	struct sources *sources;
	struct bus *bus;
};

/* It ends under the name of who was asked: an agent by another name ends nobody's work. */
static void end_ask(void *self, const struct resume_ask *ask)
{
	const struct ends *e = self;
	struct source *known = sources_find(e->sources, ask->source);
	struct bus_emit emit = {.from = bus_from(e->bus, ask->source, true)};
	struct bus_verdict verdict;
	struct make m;
	struct buf out;

	if (known && source_works_on(known))
		return;
	buf_init(&out, END_MAX);
	make_begin(&m, &out,
	           &(struct make_head){
			   .type = "error",
			   .source = ask->source.len ? ask->source : TEXT("user"),
			   .correlation = ask->run,
		   });
	make_payload(&m);
	make_text(&m, "agentId", ask->agent.len ? ask->agent : ask->source);
	make_word(&m, "message", "the box ended before the answer did");
	make_word(&m, "code", "cut");
	make_word(&m, "severity", "error");
	if (make_end(&m)) {
		emit.raw = buf_text(&out);
		bus_admit(e->bus, &emit, &verdict);
	}
	buf_finish(&out);
}

void resume_end_asks(struct resume *resume, struct sources *sources, struct bus *bus)
{
	resume_take_asks(resume, end_ask, &(struct ends){sources, bus});
}
