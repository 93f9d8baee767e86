/* resume.c - what the last life of the box left open: where sources go on, and the ends of
 * answers that it cut off.
 *
 * The past is folded together with that of the prompts, in one reading of the journal.
 */
#include "source/resume.h"

#include <stdlib.h>

#include "base/log.h"
#include "base/must.h"
#include "base/sections.h"
#include "box/parts.h"
#include "bus/bus.h"
#include "journal/journal.h"
#include "source/source.h"

#define SECTION "resume" /* of a checkpoint */
#define END_MAX (4 * KIB)

struct resume_desk {
	struct resume *resume;
	struct tap tap;
};

static void heard(struct tap *tap, const struct signal *s)
{
	if (resume_wants(s))
		resume_hear(list_of(tap, struct resume_desk, tap)->resume, s);
}

void box_make_resume(struct box *box)
{
	uint64_t seq;
	struct text saved = section_find(journal_checkpoint(box->journal, &seq), SECTION);

	box->resume = must_zero(1, sizeof(*box->resume));
	box->resume->resume = resume_create(saved);
	box->resume->tap = (struct tap){.name = "resume", .heard = heard};
	bus_add_tap(box->bus, &box->resume->tap);
}

struct resume *box_resume(struct box *box)
{
	return box->resume->resume;
}

void box_destroy_resume(struct box *box)
{
	if (!box->resume)
		return;
	bus_remove_tap(box->bus, &box->resume->tap);
	resume_destroy(box->resume->resume);
	free(box->resume);
}

void box_save_resume(struct box *box, struct buf *out)
{
	size_t begun;

	if (!box->resume)
		return;
	begun = section_begin(out, SECTION);
	resume_save(box->resume->resume, out);
	section_end(out, begun);
}

/* Who asked waits for an end, and so does whoever watches the run.  A gateway works on
 * without us, and says itself how it ended. */
static void end_ask(void *self, struct text run, struct text source)
{
	struct box *box = self;
	struct source *known = sources_find(box->sources, source);
	struct bus_emit emit = {.from = bus_from(box->bus, source, true)};
	struct bus_verdict verdict;
	struct buf out;

	if (known && source_works_on(known))
		return;
	buf_init(&out, END_MAX);
	buf_add(&out, TEXT("{\"type\":\"error\",\"source\":"));
	buf_add_json(&out, source.len ? source : TEXT("user"));
	buf_add(&out, TEXT(",\"correlationId\":"));
	buf_add_json(&out, run);
	buf_add(&out, TEXT(",\"payload\":{\"agentId\":"));
	buf_add_json(&out, source);
	buf_add(&out, TEXT(",\"message\":\"the box ended before the answer did\",\"code\":\"cut\","
	                   "\"severity\":\"error\"}}"));
	emit.raw = buf_text(&out);
	if (!out.full)
		bus_admit(box->bus, &emit, &verdict);
	buf_finish(&out);
}

void box_end_asks(struct box *box)
{
	resume_take_asks(box->resume->resume, end_ask, box);
}
