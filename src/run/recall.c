/* recall.c - texts that are kept, let go and made again.
 *
 * One that is made again is taken by whoever asks next, and until then follows its run: so it is
 * there in the turn in which it is wanted, however much is let go meanwhile.  Whoever waits asks
 * in every turn; one that nobody asks for is dropped, but not before whoever was told to ask again
 * has had the time for it.
 */
#include "run/recall.h"

#include <stdlib.h>

#include "base/must.h"
#include "base/put.h"
#include "run/inside.h"
#include "run/past.h"

#define UNASKED_MS 30000    /* after which nobody will come back for it */
#define WAITED_MS 1000      /* after which nobody waits for it now: it makes room for others */
#define ROOM_STEP (1 * MIB) /* from one look for room that is in vain to the next */

struct text_recall {
	struct run *run;
	struct said *said;
	struct hearing hearing;
	struct run_past past;
	uint64_t seq;        /* of the signal that was heard last; 0: none */
	bool is_asked;       /* since the last turn */
	uint64_t asked_ms;   /* the last turn in which it was */
	struct link in_runs; /* runs.recalls */
};

/* --- what is kept ---------------------------------------------------------- */

static void let_go(struct runs *all, struct run *run)
{
	all->said_size -= run->said->size;
	said_destroy(run->said);
	run->said = NULL;
}

/* To well below the limit, so that it is done seldom. */
static void let_go_of_others(struct runs *all, const struct run *keep)
{
	for (unsigned pass = 0; pass < 2; pass++) {
		list_each(&all->all, l) {
			struct run *run = list_of(l, struct run, in_all);

			if (all->said_size <= RECALL_KEPT_MAX / 8 * 7)
				return;
			if (run != keep && run->said &&
			    (pass > 0 || run->fold.finished || said_is_finished(run->said)))
				let_go(all, run);
		}
	}
}

static void make_room(struct runs *all, const struct run *keep)
{
	if (all->said_size <= RECALL_KEPT_MAX || all->said_size < all->said_again)
		return;
	let_go_of_others(all, keep);
	all->said_again = all->said_size > RECALL_KEPT_MAX ? all->said_size + ROOM_STEP : 0;
}

void recall_hear(struct runs *all, struct run *run, const struct run_event *e, uint64_t seq)
{
	if (!run->said)
		return;
	all->said_size -= run->said->size;
	said_event(run->said, e, seq);
	all->said_size += run->said->size;
	make_room(all, run);
}

/* --- what is made again ---------------------------------------------------- */

static struct text_recall *find_recall(const struct runs *all, const struct run *run)
{
	list_each(&all->recalls, l) {
		struct text_recall *r = list_of(l, struct text_recall, in_runs);

		if (r->run == run)
			return r;
	}
	return NULL;
}

static void free_recall(struct runs *all, struct text_recall *r)
{
	all->recall_count--;
	if (r->said)
		all->said_size -= r->said->size;
	list_remove(&r->in_runs);
	said_destroy(r->said);
	hearing_finish(&r->hearing);
	run_past_finish(&r->past);
	free(r);
}

static bool is_done(const struct text_recall *r)
{
	return r->past.seq >= r->run->last_seq;
}

static bool is_unasked(const struct text_recall *r, uint64_t now_ms, uint64_t for_ms)
{
	return !r->is_asked && now_ms - r->asked_ms > for_ms;
}

/* Of more than there may be, those go that nobody waits for. */
static bool has_place(struct runs *all)
{
	list_each(&all->recalls, l) {
		struct text_recall *r = list_of(l, struct text_recall, in_runs);

		if (all->recall_count >= RECALL_MAX && is_unasked(r, all->turn_ms, WAITED_MS))
			free_recall(all, r);
	}
	return all->recall_count < RECALL_MAX;
}

static void begin_recall(struct runs *all, struct run *run)
{
	struct text_recall *r;

	if (!all->options.journal || !has_place(all))
		return;
	r = must_zero(1, sizeof(*r));
	r->run = run;
	r->is_asked = true;
	r->said = said_create();
	hearing_init(&r->hearing);
	run_past_init(&r->past, all->options.journal, text_of(run->id), run->first_seq);
	list_add(&all->recalls, &r->in_runs);
	all->recall_count++;
}

const struct said *run_said(struct runs *all, struct run *run)
{
	struct text_recall *r = run->said ? NULL : find_recall(all, run);

	if (run->said)
		return run->said;
	if (!r)
		begin_recall(all, run);
	else
		r->is_asked = true;
	if (!r || !is_done(r))
		return NULL;
	run->said = r->said;
	r->said = NULL;
	free_recall(all, r);
	return run->said;
}

static void take_event(void *self, const struct run_event *e)
{
	struct text_recall *r = self;

	said_event(r->said, e, r->seq);
}

static void hear_one(struct text_recall *r, const struct signal *s)
{
	if (!r->seq && s->seq != r->run->first_seq)
		r->said->is_lost = true;
	r->seq = s->seq;
	hear_signal(&r->hearing, s, take_event, r);
}

/* True: it can go on at once, or it is done now and there is somebody to tell. */
static bool read_on(struct runs *all, struct text_recall *r, size_t *budget)
{
	enum run_past_news news = RUN_PAST_SIGNAL;
	struct signal s;

	all->said_size -= r->said->size;
	while (!is_done(r) && (news == RUN_PAST_SIGNAL || news == RUN_PAST_LOST)) {
		news = run_past_next(&r->past, r->run->last_seq, budget, &s);
		if (news == RUN_PAST_LOST)
			r->said->is_lost = true;
		if (news == RUN_PAST_SIGNAL)
			hear_one(r, &s);
	}
	all->said_size += r->said->size;
	if (is_done(r) && !r->seq) /* retention took them all */
		r->said->is_lost = true;
	make_room(all, NULL);
	return news == RUN_PAST_MORE || is_done(r);
}

bool recall_turn(struct runs *all, uint64_t now_ms)
{
	size_t budget = RECALL_TURN_BYTES;
	bool more = false;

	all->turn_ms = now_ms;
	list_each(&all->recalls, l) {
		struct text_recall *r = list_of(l, struct text_recall, in_runs);
		size_t share = budget / all->recall_count;

		if (r->is_asked)
			r->asked_ms = now_ms;
		r->is_asked = false;
		if (is_unasked(r, now_ms, UNASKED_MS)) {
			free_recall(all, r);
			continue;
		}
		if (!is_done(r))
			more = read_on(all, r, &share) || more;
	}
	return more;
}

void recall_forget(struct runs *all, struct run *run)
{
	struct text_recall *r = find_recall(all, run);

	if (r)
		free_recall(all, r);
	if (run->said)
		let_go(all, run);
}

void recall_close(struct runs *all)
{
	list_each(&all->recalls, l)
		free_recall(all, list_of(l, struct text_recall, in_runs));
}

/* --- the checkpoint -------------------------------------------------------- */

static void add_line(const struct run *run, struct buf *out)
{
	put_object(out, NULL);
	put_word(out, "run", run->id);
	json_member_count(out, "seq", run->last_seq);
	put_key(out, "said");
	said_save(run->said, out);
	buf_add(out, TEXT("}\n"));
}

/* A line for each run, as far as there is room. */
void recall_save(const struct runs *all, struct buf *out)
{
	size_t room = RECALL_SAVED_MAX;
	struct buf line;

	for (const struct link *l = all->all.prev; l != &all->all; l = l->prev) {
		const struct run *run = list_of(l, const struct run, in_all);

		if (!run->said || run->said->size > room)
			continue;
		buf_init(&line, room);
		add_line(run, &line);
		if (!line.full) {
			buf_add(out, buf_text(&line));
			room -= line.len;
		}
		buf_finish(&line);
	}
}

static void load_run(struct runs *all, yyjson_val *saved)
{
	struct run *run = runs_find(all, json_text_at(saved, "run"));

	if (!run || run->said || run->last_seq != yyjson_get_uint(yyjson_obj_get(saved, "seq")))
		return;
	run->said = said_load(yyjson_obj_get(saved, "said"));
	if (run->said)
		all->said_size += run->said->size;
}

void recall_load(struct runs *all, struct text saved)
{
	while (saved.len) {
		struct text line = text_cut(saved, '\n', &saved);
		yyjson_doc *doc =
			yyjson_read_opts((char *)line.at, line.len, 0, &json_memory, NULL);

		load_run(all, yyjson_doc_get_root(doc));
		yyjson_doc_free(doc);
	}
	make_room(all, NULL);
}
