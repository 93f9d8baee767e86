/* crew.c - the sessions: folded with all else, asked about by web and native, and told to
 * screens at most CREW_NEWS_MS apart; those that fall silent are gone. */
#include "crew/crew.h"

#include "base/clock.h"
#include "box/attend.h"
#include "box/parts.h"
#include "box/usage.h"
#include "config/config.h"
#include "hub/dialect.h"
#include "run/prompts.h"
#include "source/transcript/facts.h"

#define CREW_NEWS_MS 100
#define CREW_NEWS_MAX (32 * MIB)

/* Nobody is there any more to be told an answer. */
static void close_questions_of_gone(struct box *box)
{
	list_each(prompts_open(box->prompts), l) {
		const struct prompt *p = list_of(l, struct prompt, in_open);
		const struct crew_member *m = crew_find(box->crew, text_of(p->run));

		if (m && m->standing.state == CREW_GONE && p->seq < m->seq)
			prompts_cancel(box->prompts, text_of(p->id), "its session is gone");
	}
}

static void tell_changed(struct deadline *deadline)
{
	struct box *box = list_of(deadline, struct box, crew_news);
	struct buf changed, removed;
	bool is_any, is_whole;

	close_questions_of_gone(box);
	box_attend(box);
	buf_init(&changed, CREW_NEWS_MAX);
	buf_init(&removed, CREW_NEWS_MAX);
	is_any = crew_take_changed(box->crew, (double)clock_wall_ms(), &changed, &removed);
	is_whole = !changed.full && !removed.full; /* otherwise all of them are told again */
	if (is_any)
		box_tell(box, &(struct news){NEWS_CREW,
		                             .changed = is_whole ? buf_text(&changed) : TEXT(""),
		                             .removed = is_whole ? buf_text(&removed) : TEXT("")});
	buf_finish(&changed);
	buf_finish(&removed);
}

static void crew_has_news(void *self)
{
	struct box *box = self;

	deadline_set(box->loop, &box->crew_news, CREW_NEWS_MS);
}

static void each_question(void *self, crew_question_fn *each, void *of)
{
	const struct box *box = self;

	list_each(prompts_open(box->prompts), l) {
		const struct prompt *p = list_of(l, struct prompt, in_open);

		each(of, p->run,
		     &(struct crew_question){.id = p->id, .words = p->words, .tool = p->tool});
	}
}

/* ---- those that fell silent ---- */

/* What there is of an agent on this machine is looked at by its transcripts' source. */
static bool is_looked_after(const struct crew_member *m)
{
	struct text source = text_of(m->source);

	return text_is(source, "adapter:tap") || text_is(source, "adapter:transcript");
}

static void tell_silent(void *self, const struct crew_member *m)
{
	struct box *box = self;
	struct gone gone = {.session = text_of(member_run(m)),
	                    .why = "it was silent for too long",
	                    .by = "deadline",
	                    .at_ms = clock_wall_ms()};
	struct bus_emit emit = {.from = bus_from(box->bus, SOURCE_OF_BOX, true)};
	struct bus_verdict verdict;
	struct buf signal;

	if (is_looked_after(m))
		return;
	buf_init(&signal, FACTS_MAX);
	emit.from.is_box = true;
	if (gone_make(&gone, &signal)) {
		emit.raw = buf_text(&signal);
		bus_admit(box->bus, &emit, &verdict);
	}
	buf_finish(&signal);
}

static void look_for_silent(struct deadline *deadline)
{
	struct box *box = list_of(deadline, struct box, crew_look);
	unsigned silent_ms = box->config->crew.silent_ms;
	uint64_t seq =
		quiet_note(&box->quiet, loop_now_ms(box->loop), crew_seq(box->crew), silent_ms);

	if (silent_ms && seq)
		crew_each_silent(box->crew, seq, tell_silent, box);
	deadline_set_beat(box->loop, &box->crew_look);
}

void box_make_crew(struct box *box)
{
	box->crew_look.fire = look_for_silent;
	deadline_set_beat(box->loop, &box->crew_look);
	box->crew_news.fire = tell_changed;
	box->crew = crew_create(&(struct crew_options){.self = box,
	                                               .news = crew_has_news,
	                                               .questions = each_question,
	                                               .spending = box_spending(box),
	                                               .prices = box_prices(box),
	                                               .now_ms = clock_wall_ms});
	crew_join(box->crew, bus_folds(box->bus));
}

void box_stop_crew(struct box *box)
{
	if (box->crew) {
		deadline_clear(&box->crew_news);
		deadline_clear(&box->crew_look);
	}
}

void box_touch_crew(struct box *box, const struct prompt *prompt)
{
	if (!box->crew)
		return;
	crew_touch(box->crew, text_of(prompt->run));
	crew_has_news(box); /* also of a run that is no session's */
}
