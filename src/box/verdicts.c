/* verdicts.c - what became of controls whose verdict comes later. */
#include "box/verdicts.h"

#include <stdlib.h>

#include "base/list.h"
#include "base/must.h"
#include "bus/admit.h"
#include "bus/bus.h"

#define VERDICT_MS 10000
#define WAITING_MAX 1024

struct verdicts {
	struct loop *loop;
	struct bus *bus;
	struct link waiting; /* waiting.in_all */
	size_t count;
	uint64_t last; /* ticket */
};

struct waiting {
	struct verdicts *all;
	struct link in_all;
	uint64_t ticket;
	struct back_ear ear;
	struct deadline late;
	char *record;
};

struct verdicts *verdicts_create(struct loop *loop, struct bus *bus)
{
	struct verdicts *v = must_zero(1, sizeof(*v));

	v->loop = loop;
	v->bus = bus;
	list_init(&v->waiting);
	return v;
}

static void drop(struct waiting *w)
{
	list_remove(&w->in_all);
	w->all->count--;
	deadline_clear(&w->late);
	free(w->record);
	free(w);
}

void verdicts_destroy(struct verdicts *v)
{
	if (!v)
		return;
	while (!list_is_empty(&v->waiting))
		drop(list_of(v->waiting.next, struct waiting, in_all));
	free(v);
}

uint64_t verdicts_ticket(struct verdicts *v)
{
	return ++v->last;
}

void verdicts_record(struct verdicts *v, struct text signal)
{
	struct bus_emit e = {.from = bus_from(v->bus, SOURCE_OF_BOX, true), .raw = signal};
	struct bus_verdict verdict;

	e.from.is_box = true;
	if (signal.len)
		bus_admit(v->bus, &e, &verdict);
}

static void tell(struct waiting *w, enum back_answer verdict, const char *why)
{
	struct back_ear ear = w->ear;
	struct error words = {""};

	if (verdict == BACK_DONE)
		verdicts_record(w->all, text_of(w->record));
	else
		error_set(&words, "%s", why);
	drop(w);
	if (ear.told)
		ear.told(ear.of, verdict, &words);
}

static void is_late(struct deadline *deadline)
{
	tell(list_of(deadline, struct waiting, late), BACK_SILENT,
	     "whoever does the work of this run did not answer within 10 s");
}

bool verdicts_wait(struct verdicts *v, const struct back_ear *ear, struct text record)
{
	struct waiting *w;

	if (v->count >= WAITING_MAX)
		return false;
	w = must_zero(1, sizeof(*w));
	w->all = v;
	w->ticket = v->last;
	w->ear = *ear;
	w->record = text_dup(record);
	w->late.fire = is_late;
	deadline_set(v->loop, &w->late, VERDICT_MS);
	list_add(&v->waiting, &w->in_all);
	v->count++;
	return true;
}

/* What is done is recorded, whoever hears of it. */
void verdicts_forget(struct verdicts *v, const void *of)
{
	list_each(&v->waiting, l) {
		struct waiting *w = list_of(l, struct waiting, in_all);

		if (w->ear.of == of)
			w->ear = (struct back_ear){0};
	}
}

void verdicts_tell(struct verdicts *v, uint64_t ticket, enum back_answer verdict, const char *why)
{
	list_each(&v->waiting, l) {
		struct waiting *w = list_of(l, struct waiting, in_all);

		if (w->ticket != ticket)
			continue;
		tell(w, verdict, why);
		return;
	}
}
