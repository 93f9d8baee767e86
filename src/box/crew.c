/* crew.c - the sessions: folded with all else, asked about by web and native, and told to
 * screens at most CREW_NEWS_MS apart. */
#include "crew/crew.h"

#include "base/clock.h"
#include "box/attend.h"
#include "box/parts.h"
#include "box/usage.h"
#include "hub/dialect.h"
#include "run/prompts.h"

#define CREW_NEWS_MS 100
#define CREW_NEWS_MAX (32 * MIB)

static void tell_changed(struct deadline *deadline)
{
	struct box *box = list_of(deadline, struct box, crew_news);
	struct buf changed, removed;
	bool is_any, is_whole;

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

void box_make_crew(struct box *box)
{
	box->crew_news.fire = tell_changed;
	box->crew = crew_create(&(struct crew_options){.self = box,
	                                               .news = crew_has_news,
	                                               .questions = each_question,
	                                               .spending = box_spending(box),
	                                               .prices = box_prices(box)});
	crew_join(box->crew, bus_folds(box->bus));
}

void box_stop_crew(struct box *box)
{
	if (box->crew)
		deadline_clear(&box->crew_news);
}

void box_touch_crew(struct box *box, const struct prompt *prompt)
{
	if (!box->crew)
		return;
	crew_touch(box->crew, text_of(prompt->run));
	crew_has_news(box); /* also of a run that is no session's */
}
