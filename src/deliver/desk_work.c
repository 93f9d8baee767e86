/* desk_work.c - requests are moved on: those that something happened to, and those that are due. */
#include "deliver/desk_crowd.h"
#include "deliver/desk_files.h"
#include "deliver/desk_live.h"
#include "deliver/desk_prompts.h"
#include "deliver/desk_rest.h"
#include "deliver/desk_routes.h"
#include "deliver/stages.h"
#include "signal/signal.h"

#define STALL_MS 1000 /* before what the disk did not take is tried again */

/* ---- what happened ---- */

void desk_stir(struct nexus *x)
{
	list_remove(&x->in_work);
	list_add(&x->desk->stirred, &x->in_work);
	desk_wake(x->desk);
}

void desk_stir_all(struct desk *d)
{
	list_each(&d->live, l)
		desk_stir(list_of(l, struct nexus, in_desk));
	desk_wake(d);
}

void desk_stir_letter(void *self, const struct letter *l)
{
	struct desk *d = self;
	struct text request = letter_word(l, LETTER_REQUEST);
	struct nexus *x = map_get(&d->by_id, request);

	if (!x && letter_is_over(l) && !d->is_ending)
		x = desk_rouse(d, request);
	if (x && !d->is_ending)
		desk_stir(x);
}

void desk_stir_unsaved(struct desk *d)
{
	while (!list_is_empty(&d->unsaved))
		desk_stir(list_of(d->unsaved.next, struct nexus, in_work));
}

void desk_hear(struct desk *d, const struct signal *s, int64_t now_ms)
{
	struct nexus *x = s->correlation.len ? map_get(&d->by_run, s->correlation) : NULL;
	struct signal whole;

	if (!x || d->is_ending || !signal_read(d->reader, s->line, &whole, NULL))
		return;
	d->now_ms = now_ms;
	turn_hear(&x->turn, &whole);
	if (x->turn.is_heartbeat)
		reply_note_heartbeat(x->reply);
	reply_hear(x->reply, &whole, s->correlation, now_ms);
	desk_stir(x);
}

/* ---- time ---- */

static int64_t earlier(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* Its agent is not there yet, or could not be stopped for it. */
static bool is_asking(const struct nexus *x)
{
	return x->request.stage == NEXUS_RUN && !x->request.words[NEXUS_TURN] &&
	       (x->asked_ms || (x->interrupts && !x->has_interrupted));
}

/* When a request wants to be looked at again, if nothing happens. */
static int64_t nexus_due(const struct nexus *x, int64_t now_ms)
{
	int64_t due = x->reply ? reply_due(x->reply) : INT64_MAX;

	if (x->is_refused)
		return now_ms;
	if (x->request.stage == NEXUS_RECEIVE && x->burst.until_ms > now_ms)
		return x->burst.until_ms;
	if (x->request.stage == NEXUS_FINALIZE ||
	    (x->request.stage == NEXUS_ASSEMBLE && x->files) || is_asking(x) ||
	    (x->notice && !x->letter))
		due = earlier(due, now_ms + STALL_MS);
	return due;
}

/* Those of its session may have waited for it. */
static void end_request(struct nexus *x)
{
	struct desk *d = x->desk;
	struct nexus *by = map_get(&d->by_id, text_of(x->stopped_by));

	if (by)
		desk_stir(by);
	list_each(&d->live, l) {
		struct nexus *other = list_of(l, struct nexus, in_desk);

		if (other->request.stage == NEXUS_RUN && !other->request.words[NEXUS_TURN] &&
		    text_equal(nexus_word(&other->request, NEXUS_SESSION),
		               nexus_word(&x->request, NEXUS_SESSION)))
			desk_stir(other);
	}
	desk_keep(x);
	desk_crowd_leave(x);
	desk_free_nexus(x);
}

/* It goes on when its text is on the disk. */
static bool is_unsaved(const struct nexus *x)
{
	return x->request.stage == NEXUS_RECEIVE ||
	       ((x->collects || x->run) && x->request.stage == NEXUS_RUN &&
	        !x->request.words[NEXUS_TURN]);
}

static void work_request(struct nexus *x)
{
	struct desk *d = x->desk;

	desk_look_at_letters(x);
	desk_look_at_live(x);
	if (x->reply)
		reply_work(x->reply, d->now_ms);
	if (stages_go_on(x, d->now_ms)) {
		end_request(x);
		return;
	}
	if (desk_rest(x))
		return;
	dues_set(&d->dues, &x->due, nexus_due(x, d->now_ms));
	if (is_unsaved(x) && list_is_empty(&x->in_work))
		list_add(&d->unsaved, &x->in_work);
}

/* Those that are stirred meanwhile have the next turn. */
static int64_t work_requests(struct desk *d)
{
	struct link now;
	struct due *due;

	while ((due = dues_first(&d->dues)) && due->at_ms <= d->now_ms) {
		dues_set(&d->dues, due, INT64_MAX);
		desk_stir(list_of(due, struct nexus, due));
	}
	list_init(&now);
	while (!list_is_empty(&d->stirred)) {
		struct link *first = d->stirred.next;

		list_remove(first);
		list_add(&now, first);
	}
	while (!list_is_empty(&now)) {
		struct nexus *x = list_of(now.next, struct nexus, in_work);

		list_remove(&x->in_work);
		work_request(x);
	}
	due = dues_first(&d->dues);
	return due ? due->at_ms : INT64_MAX;
}

int64_t desk_work(struct desk *d, int64_t now_ms)
{
	int64_t due;

	if (d->is_ending || !d->has_begun)
		return INT64_MAX;
	d->now_ms = now_ms;
	desk_tick_accounts(d);
	due = work_requests(d);
	desk_sweep_files(d);
	if (d->options.prompts)
		due = earlier(due, desk_work_prompts(d));
	due = earlier(due, desk_work_routes(d));
	outbox_work(d->outbox, now_ms);
	due = earlier(due, outbox_due(d->outbox, now_ms));
	return earlier(due, desk_accounts_due(d));
}
