/* bus.c - admission, the stamp, and everybody who listens.
 *
 * The path of one signal: admit_read looks at it, the window says whether it
 * was here before, it gets the next seq, the journal takes it, the listeners hear it.
 */
#include "bus/bus.h"

#include <assert.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/must.h"
#include "bus/folds.h"
#include "bus/window.h"
#include "journal/journal.h"
#include "signal/tally.h"

#define BUS_LINE_SLACK 64 /* for {"seq":N, before a body */
#define BUS_WAITING_MAX 4096

/* Admitted from inside a listener: it is stamped when the listeners are done. */
struct waiting_emit {
	struct link in_bus; /* bus.waiting */
	struct bus_emit emit;
	char bytes[]; /* raw, then the name, then the prefix */
};

struct bus {
	struct journal *journal;
	struct admit *admit;
	struct admit *inner; /* for a signal that comes while another is shown */
	struct window *window;
	struct folds *folds;
	enum window_answer looked; /* of the signal that was read last */
	struct buf line;
	struct link listeners;
	struct link *next_listener; /* of the walk under way, for removal inside it */
	struct link waiting;
	unsigned waiting_count;
	bool showing;
	bool (*is_taken)(void *self, struct text name);
	void *names;
	struct bus_stats stats;
	struct tally tally;
};

/* --- the window, folded from the journal ---------------------------------- */

static void window_hears(void *self, const struct signal *s)
{
	struct window *window = self;
	struct text stable = admit_stable_line(s->line);
	struct window_mark mark;
	uint64_t first;

	if (!stable.at)
		return;
	mark = window_mark(window, s->source, s->id, stable);
	window_add(window, &mark, s->seq, window_look(window, &mark, &first));
}

static void window_begins_to_save(void *self)
{
	window_save_begin(self);
}

static bool window_saves(void *self, struct buf *out)
{
	return window_save_more(self, out);
}

static bool window_loads(void *self, struct text saved, uint64_t *seq)
{
	return window_load(self, saved);
}

static const struct fold_kind window_fold = {
	.name = "window",
	.pace = FOLD_ITSELF,
	.back = WINDOW_SIZE,
	.is_narrow = true,
	.newest_alone = true,
	.hear = window_hears,
	.save_begin = window_begins_to_save,
	.save_more = window_saves,
	.load = window_loads,
};

/* --- from start to end ----------------------------------------------------- */

void bus_set_mode(struct bus *bus, enum admit_mode mode)
{
	admit_set_mode(bus->admit, mode);
	admit_set_mode(bus->inner, mode);
}

struct bus *bus_create(struct journal *journal, const struct admit_options *options)
{
	struct bus *bus = must_zero(1, sizeof(*bus));

	bus->journal = journal;
	bus->admit = admit_create(options);
	bus->inner = admit_create(options);
	bus->window = window_create();
	buf_init(&bus->line, admit_most(options) * 2 + BUS_LINE_SLACK);
	list_init(&bus->listeners);
	list_init(&bus->waiting);
	tally_init(&bus->tally);
	bus->folds = folds_create(journal);
	folds_add(bus->folds, &window_fold, bus->window);
	folds_catch_up(bus->folds);
	return bus;
}

void bus_destroy(struct bus *bus)
{
	if (!bus)
		return;
	assert(!bus->showing);
	list_each(&bus->waiting, l)
		free(list_of(l, struct waiting_emit, in_bus));
	admit_destroy(bus->admit);
	admit_destroy(bus->inner);
	folds_destroy(bus->folds);
	window_destroy(bus->window);
	buf_finish(&bus->line);
	free(bus);
}

/* --- admitting ----------------------------------------------------------- */

static void show(struct bus *bus, const struct signal *s)
{
	assert(!bus->showing);
	bus->showing = true;
	folds_hear(bus->folds, s);
	for (struct link *l = bus->listeners.next; l != &bus->listeners; l = bus->next_listener) {
		struct bus_listener *listener = list_of(l, struct bus_listener, in_bus);

		bus->next_listener = l->next;
		listener->heard(listener, s);
	}
	bus->showing = false;
}

/* Gives it to the journal and returns its line, as the journal has it. */
static struct text store(struct bus *bus, const struct bus_emit *emit, const struct draft *d,
                         const struct window_mark *mark, uint64_t seq)
{
	struct place_keys keys = place_keys_of(d->correlation, d->source, d->type);

	buf_clear(&bus->line);
	admit_stamp(&bus->line, seq, d);
	if (journal_append(bus->journal, buf_text(&bus->line), d->body, emit->durable, &keys) ==
	    JOURNAL_KEPT) {
		if (mark)
			window_add(bus->window, mark, seq, bus->looked);
		return journal_newest(bus->journal);
	}
	/* A live-only one is not remembered: sent again, it must be stored. */
	bus->stats.live_only++;
	buf_add(&bus->line, d->body);
	return buf_text(&bus->line);
}

/* Neither a client's, nor our own. */
static bool is_of_source(const struct admit_from *from)
{
	return !from->is_client && !from->is_box;
}

/* mark: what it will be known by if it comes again; NULL when nobody asks. */
static void publish(struct bus *bus, const struct bus_emit *emit, const struct draft *d,
                    const struct window_mark *mark)
{
	struct signal s = {
		.seq = journal_last_seq(bus->journal) + 1,
		.id = d->id,
		.type = d->type,
		.source = d->source,
		.correlation = d->correlation,
		.via = is_of_source(&emit->from) ? emit->from.name : TEXT(""),
		.kind = d->kind,
		.at_ms = d->at_ms,
	};

	assert(d->type.at && d->source.at && d->id.at); /* each may be empty */
	s.line = store(bus, emit, d, mark, s.seq);
	bus->stats.accepted++;
	++*tally_of(&bus->tally, d->source, d->kind);
	if (emit->ticket.stamped)
		emit->ticket.stamped(emit->ticket.self, emit->ticket.tag, d->id, s.seq);
	show(bus, &s);
}

/* True when these bytes were here before: then the first seq answers. */
static bool answer_repeated(struct bus *bus, const struct bus_emit *emit, const struct draft *d,
                            const struct window_mark *mark)
{
	uint64_t seq;

	bus->looked = window_look(bus->window, mark, &seq);
	switch (bus->looked) {
	case WINDOW_SAME:
		bus->stats.repeated++;
		if (emit->ticket.stamped)
			emit->ticket.stamped(emit->ticket.self, emit->ticket.tag, d->id, seq);
		return true;
	case WINDOW_REUSED:
		bus->stats.id_reused++;
		return false;
	case WINDOW_NEW:
		break;
	}
	return false;
}

static bool refuse_when_full(struct bus *bus, const struct bus_emit *emit, const struct draft *d,
                             struct bus_verdict *v)
{
	if (!emit->durable || journal_has_room(bus->journal, d->body.len + BUS_LINE_SLACK))
		return false;
	bus->stats.full++;
	v->answer = BUS_FULL;
	error_set(&v->why, "the journal cannot take more: %s", journal_trouble(bus->journal));
	return true;
}

static bool read_draft(struct bus *bus, struct admit *admit, const struct bus_emit *emit,
                       struct draft *d, struct bus_verdict *v)
{
	v->reason = admit_read(admit, emit->raw, &emit->from, d, &v->why);
	if (v->reason == ADMIT_OK)
		return true;
	if (!emit->guess || (v->reason != ADMIT_NOT_JSON && v->reason != ADMIT_NO_ENVELOPE))
		bus->stats.refused[v->reason]++;
	v->answer = BUS_REFUSED;
	return false;
}

/* Names that only we, our own sources or a credential speak under.  The rest are ordinary,
 * `adapter:NAME` too, which the first producers call themselves: the prefix already keeps what
 * they send under `adapter:tap` apart from what our own hooks say. */
static bool may_name(void *self, struct text source)
{
	const struct bus *bus = self;

	return !text_equal(source, SOURCE_OF_BOX) && !text_is(source, "demo") &&
	       !text_is(source, "stage") && !(bus->is_taken && bus->is_taken(bus->names, source));
}

void bus_set_names(struct bus *bus, bool (*is_taken)(void *self, struct text name), void *self)
{
	bus->is_taken = is_taken;
	bus->names = self;
}

struct admit_from bus_from(struct bus *bus, struct text name, bool has_credential)
{
	struct admit_from from = {.name = name, .self = bus};

	if (!has_credential) {
		from.prefix = SOURCE_LOCAL;
		from.may_name = may_name;
	}
	return from;
}

/* promised: it was accepted before, so it is not refused for want of room. */
static void admit_now(struct bus *bus, const struct bus_emit *emit, bool promised,
                      struct bus_verdict *v)
{
	struct window_mark mark;
	struct draft d;

	assert(!bus->showing);
	if (!read_draft(bus, bus->admit, emit, &d, v))
		return;
	v->answer = BUS_ACCEPTED;
	if (emit->once) {
		mark = window_mark(bus->window, d.source, d.id, admit_stable(&d));
		if (answer_repeated(bus, emit, &d, &mark))
			return;
	}
	if (!promised && refuse_when_full(bus, emit, &d, v))
		return;
	if (d.breaks_schema) {
		bus->stats.breaks_schema++;
		log_debug("bus", "%.*s from %.*s: %s", TEXT_ARG(d.type), TEXT_ARG(d.source),
		          d.broken.words);
	}
	publish(bus, emit, &d, emit->once ? &mark : NULL);
}

static struct text keep(char **to, struct text t)
{
	struct text kept = {*to, t.len};

	if (t.len)
		memcpy(*to, t.at, t.len);
	*to += t.len;
	return kept;
}

/* Inside a listener: the verdict is given now, the stamp when the listeners are done. */
static void admit_later(struct bus *bus, const struct bus_emit *emit, struct bus_verdict *v)
{
	struct waiting_emit *w;
	struct draft d;
	char *to;

	if (!read_draft(bus, bus->inner, emit, &d, v) || refuse_when_full(bus, emit, &d, v))
		return;
	if (bus->waiting_count == BUS_WAITING_MAX) {
		v->answer = BUS_FULL;
		error_set(&v->why, "too many signals made by one signal");
		return;
	}
	w = must_alloc(sizeof(*w) + emit->raw.len + emit->from.name.len + emit->from.prefix.len);
	to = w->bytes;
	w->emit = *emit;
	w->emit.raw = keep(&to, emit->raw);
	w->emit.from.name = keep(&to, emit->from.name);
	w->emit.from.prefix = keep(&to, emit->from.prefix);
	list_add(&bus->waiting, &w->in_bus);
	bus->waiting_count++;
	v->answer = BUS_ACCEPTED;
	assert(bus->waiting_count <= BUS_WAITING_MAX);
}

void bus_admit(struct bus *bus, const struct bus_emit *emit, struct bus_verdict *verdict)
{
	if (bus->showing) {
		admit_later(bus, emit, verdict);
		return;
	}
	admit_now(bus, emit, false, verdict);
	while (!list_is_empty(&bus->waiting)) {
		struct waiting_emit *w = list_of(bus->waiting.next, struct waiting_emit, in_bus);
		struct bus_verdict known;

		list_remove(&w->in_bus);
		assert(bus->waiting_count > 0);
		bus->waiting_count--;
		admit_now(bus, &w->emit, true, &known);
		free(w);
	}
	assert(bus->waiting_count == 0);
}

/* --- listeners ---------------------------------------------------------------- */

void bus_add_listener(struct bus *bus, struct bus_listener *listener)
{
	list_add(&bus->listeners, &listener->in_bus);
}

void bus_remove_listener(struct bus *bus, struct bus_listener *listener)
{
	if (bus->next_listener == &listener->in_bus)
		bus->next_listener = listener->in_bus.next;
	list_remove(&listener->in_bus);
}

void bus_durable(struct bus *bus, uint64_t seq)
{
	assert(seq <= journal_last_seq(bus->journal));
	folds_durable(bus->folds, seq);
	list_each(&bus->listeners, l) {
		struct bus_listener *listener = list_of(l, struct bus_listener, in_bus);

		if (listener->durable)
			listener->durable(listener, seq);
	}
}

struct folds *bus_folds(struct bus *bus)
{
	return bus->folds;
}

const struct bus_stats *bus_stats(const struct bus *bus)
{
	return &bus->stats;
}

const struct tally *bus_tally(const struct bus *bus)
{
	return &bus->tally;
}
