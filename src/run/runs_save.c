/* runs_save.c - runs as JSON: for people, and for the checkpoint and back.
 *
 * All of it is saved for the runs that spoke last, as long as there is room; of the
 * others the numbers, so that what they say next goes on counting.
 *
 * Thousands of them take long, so they are saved a piece at a time, and go on meanwhile.  What is
 * saved is what they were when that began: a run that is about to change, and a frame that is
 * about to go, are written first.
 */
#include <assert.h>
#include <stdlib.h>

#include "base/must.h"
#include "base/put.h"
#include "bus/folds.h"
#include "run/inside.h"
#include "run/sessions.h"

#define PIECE (16 * KIB)    /* that is saved at a time, or one run */
#define PART_MAX (64 * MIB) /* of what waits to be written: as a whole checkpoint */

/* A run before it changed. */
struct earlier_run {
	size_t numbers; /* bytes of it that are the numbers; what else there is follows */
	struct buf saved;
};

struct run_to_save {
	struct run *run;             /* NULL: it has changed since, and this is how it was: */
	struct earlier_run *earlier; /* or NULL */
};

struct runs_saving {
	uint64_t seq, number;
	uint64_t at;               /* of the first frame that is saved */
	uint64_t frame, frame_end; /* the next one to write, and where they end */
	struct buf frames;
	bool is_begun; /* something is written */
	size_t begun;  /* where in the buffer */
	size_t count, next;
	struct run_to_save runs[]; /* the one that spoke last first */
};

static void add_numbers(const struct run *run, struct buf *out)
{
	put_object(out, NULL);
	put_word(out, "id", run->id);
	json_member_text(out, "source", run->source);
	json_member_count(out, "signals", run->signals);
	json_member_count(out, "frames", run->frames);
	json_member_count(out, "firstSeq", run->first_seq);
	json_member_count(out, "lastSeq", run->last_seq);
	json_member_number(out, "firstMs", run->first_ms);
	json_member_number(out, "lastMs", run->last_ms);
}

void run_json(const struct run *run, struct buf *out)
{
	add_numbers(run, out);
	buf_add_char(out, ',');
	fold_json(&run->fold, out);
	buf_add_char(out, '}');
}

void run_brief(const struct run *run, const char *member, struct buf *out)
{
	struct fold_totals totals = fold_totals(&run->fold);
	const struct states *config = &run->fold.config;

	add_numbers(run, out);
	json_member_text(out, "member", member);
	put_list(out, "config");
	for (size_t i = 0; i < config->count; i++) {
		buf_add(out, i ? TEXT(",") : TEXT(""));
		buf_add_json(out, text_of(config->at[i]));
	}
	put_list_end(out);
	put_bool(out, "finished", run->fold.finished);
	put_bool(out, "paused", run->fold.debug.paused);
	put_u64(out, "live", totals.live);
	put_u64(out, "invocations", totals.invocations);
	json_member_count(out, "tokens", totals.tokens);
	json_member_number(out, "tps", totals.tps);
	json_member_count(out, "errors", run->fold.errors);
	buf_add_char(out, '}');
}

/* --- saving ---------------------------------------------------------------- */

static void save_numbers(const struct run *run, struct buf *out)
{
	add_numbers(run, out);
	if (run->session) {
		json_member_text(out, "sessionSource", run->session->source);
		json_member_text(out, "sessionKey", run->session->key);
	}
	json_member_text(out, "spawnedBy", run->spawned_by);
}

static void save_whole(const struct run *run, struct buf *out)
{
	json_member_text(out, "phase", run->phase);
	json_member_text(out, "debug", run->debug);
	json_member_text(out, "finished", run->finished);
	put_key(out, "fold");
	fold_save(&run->fold, out);
	put_key(out, "translate");
	hearing_save(&run->hearing, out);
}

static void save_run(const struct run *run, bool is_whole, struct buf *out)
{
	save_numbers(run, out);
	if (is_whole)
		save_whole(run, out);
	buf_add_char(out, '}');
}

static void save_earlier(const struct earlier_run *run, bool is_whole, struct buf *out)
{
	buf_add(out, (struct text){run->saved.at, is_whole ? run->saved.len : run->numbers});
	buf_add_char(out, '}');
}

static void save_frame(const struct run_frame *f, struct buf *out)
{
	put_object(out, NULL);
	put_word(out, "run", f->run->id);
	json_member_count(out, "number", f->number);
	json_member_count(out, "count", f->own);
	put_text(out, "head", f->pieces.head);
	put_text(out, "own", f->pieces.own);
	put_text(out, "tail", f->pieces.tail);
	put_bool(out, "numbered", f->pieces.is_numbered);
	put_bool(out, "agents", f->pieces.is_agents);
	put_end(out);
}

/* The newest frames of runs that are known, up to a number of bytes. */
static uint64_t first_saved(const struct runs *all)
{
	uint64_t at = all->head;
	struct run_frame f;
	size_t bytes = 0;

	while (at > all->first && runs_frame(all, at - 1, &f) && !f.run->is_forgotten) {
		bytes += f.pieces.head.len + f.pieces.own.len + f.pieces.tail.len;
		if (bytes > RUNS_FRAMES_SAVED)
			break;
		at--;
	}
	return at;
}

static void drop_earlier(struct run_to_save *r)
{
	buf_finish(&r->earlier->saved);
	free(r->earlier);
	r->earlier = NULL;
}

void runs_save_begin(struct runs *all)
{
	struct runs_saving *s;

	runs_save_end(all);
	s = must_zero(1, sizeof(*s) + all->by_id.count * sizeof(*s->runs));
	/* The frame of folds knows where they stand; earlier programs look here. */
	s->seq = all->folded ? fold_seq(all->folded) : 0;
	s->number = all->number;
	s->at = s->frame = first_saved(all);
	s->frame_end = all->head;
	buf_init(&s->frames, PART_MAX);
	for (const struct link *l = all->all.prev; l != &all->all; l = l->prev) {
		struct run *run = list_of(l, struct run, in_all);

		s->runs[s->count++].run = run;
		run->to_save = s->count;
	}
	assert(s->count == all->by_id.count);
	all->saving = s;
}

void runs_save_end(struct runs *all)
{
	struct runs_saving *s = all->saving;

	if (!s)
		return;
	for (; s->next < s->count; s->next++) {
		struct run_to_save *r = &s->runs[s->next];

		if (r->run)
			r->run->to_save = 0;
		else
			drop_earlier(r);
	}
	buf_finish(&s->frames);
	free(s);
	all->saving = NULL;
}

void runs_save_first(struct runs *all, struct run *run)
{
	struct earlier_run *earlier;

	if (!run->to_save)
		return;
	earlier = must_zero(1, sizeof(*earlier));
	buf_init(&earlier->saved, PART_MAX);
	save_numbers(run, &earlier->saved);
	earlier->numbers = earlier->saved.len;
	save_whole(run, &earlier->saved);
	all->saving->runs[run->to_save - 1] = (struct run_to_save){NULL, earlier};
	run->to_save = 0;
}

static void save_next_frame(struct runs *all)
{
	struct runs_saving *s = all->saving;
	struct run_frame f;

	if (runs_frame(all, s->frame, &f))
		save_frame(&f, &s->frames);
	s->frame++;
}

void runs_save_frame_first(struct runs *all, uint64_t at)
{
	if (all->saving && at == all->saving->frame && at < all->saving->frame_end)
		save_next_frame(all);
}

static void save_next_run(struct runs_saving *s, struct buf *out)
{
	struct run_to_save *r = &s->runs[s->next];
	bool is_whole;

	if (s->next)
		buf_add_char(out, ',');
	is_whole = out->len - s->begun < RUNS_SAVED_MAX;
	if (r->run) {
		save_run(r->run, is_whole, out);
		r->run->to_save = 0;
	} else {
		save_earlier(r->earlier, is_whole, out);
		drop_earlier(r);
	}
	s->next++;
}

static void save_head(struct runs_saving *s, struct buf *out)
{
	s->is_begun = true;
	s->begun = out->len;
	put_object(out, NULL);
	put_u64(out, "seq", s->seq);
	put_u64(out, "at", s->at);
	put_u64(out, "number", s->number);
	put_list(out, "runs");
}

/* Frames first: they are the ones that do not stay. */
bool runs_save_more(struct runs *all, struct buf *out)
{
	struct runs_saving *s = all->saving;
	size_t enough = s->frames.len + PIECE;

	while (s->frame < s->frame_end && s->frames.len < enough)
		save_next_frame(all);
	if (s->frames.len >= enough)
		return true;
	if (!s->is_begun)
		save_head(s, out);
	for (enough = out->len + PIECE; s->next < s->count && out->len < enough;)
		save_next_run(s, out);
	if (s->next < s->count)
		return true;
	put_list_end(out);
	put_list(out, "frames");
	buf_add(out, buf_text(&s->frames));
	put_list_end(out);
	put_end(out);
	runs_save_end(all);
	return false;
}

/* --- loading --------------------------------------------------------------- */

static uint64_t count_of(yyjson_val *saved, const char *name)
{
	return yyjson_get_uint(yyjson_obj_get(saved, name));
}

static double number_of(yyjson_val *saved, const char *name)
{
	double number;

	return json_number(yyjson_obj_get(saved, name), &number) ? number : 0;
}

static char *text_at(yyjson_val *saved, const char *name)
{
	struct text t = json_text_at(saved, name);

	return t.at ? text_dup(t) : NULL;
}

static void load_run(struct runs *all, yyjson_val *saved)
{
	struct text id = json_text_at(saved, "id");
	struct run *run;

	if (!id.len || runs_find(all, id))
		return;
	run = run_create(all, id, json_text_at(saved, "source"));
	list_remove(&run->in_all);
	list_add(all->all.next, &run->in_all);
	run->signals = count_of(saved, "signals");
	run->frames = count_of(saved, "frames");
	run->first_seq = count_of(saved, "firstSeq");
	run->last_seq = count_of(saved, "lastSeq");
	run->first_ms = number_of(saved, "firstMs");
	run->last_ms = number_of(saved, "lastMs");
	run->spawned_by = text_at(saved, "spawnedBy");
	session_join(all, run, json_text_at(saved, "sessionSource"),
	             json_text_at(saved, "sessionKey"));
	run->phase = text_at(saved, "phase");
	run->debug = text_at(saved, "debug");
	run->finished = text_at(saved, "finished");
	if (!fold_load(&run->fold, yyjson_obj_get(saved, "fold"))) {
		fold_finish(&run->fold);
		fold_init(&run->fold);
	}
	hearing_load(&run->hearing, yyjson_obj_get(saved, "translate"));
}

static void load_frame(struct runs *all, yyjson_val *saved)
{
	struct run *run = runs_find(all, json_text_at(saved, "run"));
	uint64_t frames, number = all->number;
	struct frame_pieces p = {
		.head = json_text_at(saved, "head"),
		.own = json_text_at(saved, "own"),
		.tail = json_text_at(saved, "tail"),
		.is_numbered = yyjson_is_true(yyjson_obj_get(saved, "numbered")),
		.is_agents = yyjson_is_true(yyjson_obj_get(saved, "agents")),
	};

	if (!run || !p.head.len)
		return;
	frames = run->frames;
	run->frames = count_of(saved, "count");
	all->number = count_of(saved, "number");
	runs_keep(all, run, &p);
	run->frames = frames;
	all->number = number;
}

bool runs_load(struct runs *all, struct text saved, uint64_t *seq)
{
	yyjson_doc *doc = yyjson_read_opts((char *)saved.at, saved.len, YYJSON_READ_BIGNUM_AS_RAW,
	                                   &json_memory, NULL);
	yyjson_val *root = yyjson_doc_get_root(doc);
	yyjson_arr_iter runs = yyjson_arr_iter_with(yyjson_obj_get(root, "runs"));
	yyjson_arr_iter frames = yyjson_arr_iter_with(yyjson_obj_get(root, "frames"));
	bool good = yyjson_is_obj(root);
	yyjson_val *one;

	while ((one = yyjson_arr_iter_next(&runs)))
		load_run(all, one);
	*seq = count_of(root, "seq");
	all->number = count_of(root, "number");
	all->first = all->head = count_of(root, "at");
	while ((one = yyjson_arr_iter_next(&frames)))
		load_frame(all, one);
	all->told = all->head;
	yyjson_doc_free(doc);
	return good;
}
