/* attend.c - what matters, from the sessions, the questions and the sums to a person.
 *
 * The matters are found by crew/matters.h.  Each is told to screens, to the desktop and to the
 * command of the settings when it is raised; screens and desktop learn that it is settled, too.
 */
#include "box/attend.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "base/must.h"
#include "base/put.h"
#include "box/parts.h"
#include "box/push.h"
#include "box/usage.h"
#include "config/config.h"
#include "crew/budget.h"
#include "crew/crew.h"
#include "crew/matters.h"
#include "crew/spending.h"
#include "hub/dialect.h"
#include "journal/journal.h"
#include "notify/command.h"
#include "notify/desktop.h"

#define WEIGH_MS 1000      /* between two looks at what was spent */
#define LONGEST_MS 3600000 /* until it looks again by itself: wall clocks jump */
#define FACTS_MAX (16 * KIB)
#define DAY_ROOM 16

struct attend {
	struct box *box;
	struct matters *matters;
	struct notify_command *command;
	struct notify_desktop *desktop;
	struct deadline tick;
	uint64_t start_seq; /* what the journal had when the box began is not new */
	bool is_begun;      /* the sessions of then are known */
	struct budget budget;
	char day[DAY_ROOM]; /* that it is of */
	uint64_t weighed;   /* changes of the sums */
	double weighed_ms;
};

/* ---- told ---- */

static void tell_command(struct attend *a, const struct matter *m, struct text facts)
{
	struct buf words;

	buf_init(&words, COMMAND_INPUT_MAX);
	buf_print(&words, "%s%s%s\n", m->title, m->words ? ": " : "", m->words ? m->words : "");
	notify_command_run(a->command, buf_text(&words), facts);
	buf_finish(&words);
}

static void show_matter(struct attend *a, const struct matter *m)
{
	notify_desktop_show(a->desktop, &(struct notify_note){.id = m->id,
	                                                      .title = m->title,
	                                                      .words = m->words,
	                                                      .lasts = m->kind == MATTER_ASKS});
}

/* The box before took its notification back when it ended. */
static void matter_stands(void *self, const struct matter *m)
{
	show_matter(self, m);
}

static void matter_raised(void *self, const struct matter *m)
{
	struct attend *a = self;
	struct buf facts, list;

	buf_init(&facts, FACTS_MAX);
	buf_init(&list, FACTS_MAX + 2);
	matter_json(m, &facts);
	put_list(&list, NULL);
	put_json(&list, NULL, buf_text(&facts));
	put_list_end(&list);
	tell_command(a, m, buf_text(&facts));
	box_push_matter(a->box, m, false);
	show_matter(a, m);
	box_tell(a->box, &(struct news){NEWS_MATTERS, .changed = buf_text(&list)});
	buf_finish(&facts);
	buf_finish(&list);
}

static void matter_settled(void *self, const struct matter *m)
{
	struct attend *a = self;
	struct buf list;

	notify_desktop_close(a->desktop, m->id);
	box_push_matter(a->box, m, true);
	buf_init(&list, FACTS_MAX);
	put_list(&list, NULL);
	put_word(&list, NULL, m->id);
	put_list_end(&list);
	box_tell(a->box, &(struct news){NEWS_MATTERS, .removed = buf_text(&list)});
	buf_finish(&list);
}

void box_matters(void *self, struct buf *out)
{
	struct box *box = self;

	put_key(out, "all");
	matters_json(box->attend->matters, out);
	put_bool(out, "desktop", notify_desktop_is_there(box->attend->desktop));
}

/* Screens of this machine leave it to the desktop, while there is one. */
static void desktop_changed(void *self)
{
	struct attend *a = self;

	box_tell(a->box, &(struct news){NEWS_MATTERS});
}

/* ---- the budget ---- */

static double local_ms(struct tm day)
{
	return (double)mktime(&day) * 1000;
}

/* The local day of now, by the calendar: it may have 23 or 25 hours. */
static void find_day(struct attend *a, double now_ms)
{
	time_t now = (time_t)(now_ms / 1000);
	struct tm first = {0}, next;

	localtime_r(&now, &first);
	first.tm_hour = first.tm_min = first.tm_sec = 0;
	first.tm_isdst = -1;
	next = first;
	next.tm_mday++;
	strftime(a->day, sizeof(a->day), "%Y-%m-%d", &first);
	budget_set_day(&a->budget, local_ms(first), local_ms(next));
}

static void weigh(struct attend *a, double now_ms, bool quiet)
{
	const struct spending *spending = box_spending(a->box);
	double limit = a->box->config->budget.day;
	bool is_same_day = now_ms >= a->budget.since_ms && now_ms < a->budget.until_ms;
	struct matters_money money = {.day = a->day, .budget = limit};

	if (!is_same_day)
		find_day(a, now_ms);
	a->weighed = spending_changes(spending);
	a->weighed_ms = now_ms;
	if (limit > 0)
		money.spent = budget_spent(&a->budget, spending, box_prices(a->box));
	matters_weigh(a->matters, &money, now_ms, quiet);
}

/* ---- when ---- */

static double next_weighing(const struct attend *a, double now_ms)
{
	if (!(a->box->config->budget.day > 0))
		return INFINITY;
	if (a->weighed != spending_changes(box_spending(a->box)))
		return a->weighed_ms > now_ms ? now_ms : a->weighed_ms + WEIGH_MS;
	return a->budget.until_ms;
}

static void attend_now(struct attend *a, double now_ms)
{
	double next;

	if (next_weighing(a, now_ms) <= now_ms)
		weigh(a, now_ms, false);
	next = matters_tick(a->matters, a->box->crew, now_ms);
	next = fmin(fmin(next, next_weighing(a, now_ms)), now_ms + LONGEST_MS);
	deadline_set(a->box->loop, &a->tick, (unsigned)fmax(next - now_ms, 1));
}

static void attend_again(struct deadline *deadline)
{
	struct attend *a = list_of(deadline, struct attend, tick);

	attend_now(a, (double)clock_wall_ms());
}

void box_attend(struct box *box)
{
	struct attend *a = box->attend;
	double now_ms = (double)clock_wall_ms();

	if (!a)
		return;
	matters_look(a->matters, box->crew, now_ms, !a->is_begun);
	a->is_begun = a->is_begun || crew_seq(box->crew) >= a->start_seq;
	attend_now(a, now_ms);
}

/* ---- life ---- */

static void follow_settings(struct attend *a)
{
	const struct config_notify *c = &a->box->config->notify;

	matters_set_after(a->matters, c->after_ms);
	notify_command_set(a->command, c->command, c->command_count);
	notify_desktop_use(a->desktop, c->desktop == CONFIG_DESKTOP_AUTO);
}

void box_make_attend(struct box *box)
{
	struct attend *a = box->attend = must_zero(1, sizeof(*a));

	a->box = box;
	a->start_seq = journal_last_seq(box->journal);
	a->matters = matters_create(&(struct matters_options){
		.self = a,
		.raised = matter_raised,
		.stands = matter_stands,
		.settled = matter_settled,
	});
	a->command = notify_command_create(box->loop);
	a->desktop = notify_desktop_create(&(struct notify_desktop_options){
		.loop = box->loop, .self = a, .changed = desktop_changed});
	a->tick.fire = attend_again;
	follow_settings(a);
	crew_reach(box->crew);
	weigh(a, (double)clock_wall_ms(), true);
	box_attend(box);
}

void box_follow_attend(struct box *box)
{
	double now_ms = (double)clock_wall_ms();

	follow_settings(box->attend);
	weigh(box->attend, now_ms, false);
	attend_now(box->attend, now_ms);
}

/* Nobody is told any more, and what runs for it ends. */
void box_stop_attend(struct box *box)
{
	struct attend *a = box->attend;

	if (!a)
		return;
	deadline_clear(&a->tick);
	notify_command_destroy(a->command);
	notify_desktop_destroy(a->desktop);
	matters_destroy(a->matters);
	budget_finish(&a->budget);
	free(a);
	box->attend = NULL;
}
