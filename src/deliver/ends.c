/* ends.c - ends of runs, folded. */
#include "deliver/ends.h"

#include <stdlib.h>

#include "base/must.h"
#include "base/put.h"
#include "bus/admit.h"
#include "bus/folds.h"
#include "run/hear.h"
#include "signal/signal.h"

#define LINE_MAX_BYTES (16 * MIB)
#define SAVED_MAX (16 * MIB)
#define CWD_MAX 4096
#define TIME_MAX 8.64e15  /* ms */
#define ENDS_BACK 1000000 /* signals that a start without a checkpoint looks at */

/* ---- the list ---- */

static void drop_first(struct run_ends *e)
{
	struct run_end *end = list_of(e->all.next, struct run_end, in_all);

	list_remove(&end->in_all);
	e->count--;
	free(end->run);
	free(end->source);
	free(end->type);
	free(end->task);
	free(end->payload);
	free(end->cwd);
	free(end);
}

static void drop_until(struct run_ends *e, uint64_t seq)
{
	while (e->count && list_of(e->all.next, struct run_end, in_all)->seq <= seq)
		drop_first(e);
}

/* Without what is too long to be kept. */
static char *brief(yyjson_val *payload)
{
	static const char *const without[] = {"result", NULL};
	struct buf all, less;
	char *kept;

	buf_init(&all, ENDS_PAYLOAD_MAX);
	buf_init(&less, ENDS_PAYLOAD_MAX);
	json_add(&all, payload);
	if (all.full) {
		json_add_members(&less, payload, without, '{');
		buf_add(&less, less.len ? TEXT("}") : TEXT("{}"));
	}
	kept = text_dup(!all.full ? buf_text(&all) : !less.full ? buf_text(&less) : TEXT("{}"));
	buf_finish(&all);
	buf_finish(&less);
	return kept;
}

static void add_end(struct run_ends *e, const struct run_end *one, yyjson_val *payload)
{
	struct run_end *end = must_zero(1, sizeof(*end));
	struct text task = json_text_at(payload, "taskId");

	if (e->count >= ENDS_MAX)
		drop_first(e);
	*end = *one;
	end->task = task.len ? text_dup(task) : NULL;
	end->payload = brief(payload);
	list_add(&e->all, &end->in_all);
	e->count++;
}

struct run_ends *ends_create(void)
{
	struct run_ends *e = must_zero(1, sizeof(*e));

	list_init(&e->all);
	json_reader_init(&e->reader, LINE_MAX_BYTES);
	return e;
}

void ends_destroy(struct run_ends *e)
{
	if (!e)
		return;
	while (e->count)
		drop_first(e);
	json_reader_finish(&e->reader);
	free(e);
}

const struct run_end *ends_after(const struct run_ends *e, uint64_t seq)
{
	list_each(&e->all, l) {
		const struct run_end *end = list_of(l, struct run_end, in_all);

		if (end->seq > seq)
			return end;
	}
	return NULL;
}

/* ---- signals ---- */

static bool is_routed(const struct signal *s)
{
	return text_is(s->type, "nex.routed") && text_equal(s->source, SOURCE_OF_BOX);
}

static void hear_routed(struct run_ends *e, yyjson_val *payload, const struct signal *s)
{
	yyjson_val *on = yyjson_obj_get(payload, "on");
	uint64_t up_to = yyjson_get_uint(yyjson_obj_get(payload, "upTo"));

	e->mark_ms = s->at_ms;
	if (on)
		e->is_on = yyjson_is_true(on);
	drop_until(e, on ? s->seq : up_to);
}

static bool ends_run(yyjson_val *payload, const struct signal *s)
{
	struct text to = json_text_at(payload, "to");

	switch (s->kind) {
	case KIND_COMPLETION:
		return true;
	case KIND_ERROR:
		return !text_is(json_text_at(payload, "severity"), "warning");
	case KIND_OTHER:
		return true;
	default:
		return text_is(to, "done") || text_is(to, "error");
	}
}

static void note_end(struct run_ends *e, yyjson_val *envelope, const struct signal *s)
{
	yyjson_val *payload = yyjson_obj_get(envelope, "payload");
	struct text part = json_text_at(yyjson_obj_get(envelope, "metadata"), "agent_id");
	struct text cwd = json_text_at(yyjson_obj_get(envelope, "metadata"), "cwd");
	struct text run = run_of_signal(s);
	yyjson_val *mark = yyjson_obj_get(yyjson_obj_get(envelope, "metadata"), "_meta");

	if (cwd.len > CWD_MAX || memchr(cwd.len ? cwd.at : "", '\0', cwd.len))
		cwd.len = 0;
	if (part.len || !run.len || !yyjson_is_obj(payload) || !ends_run(payload, s) ||
	    s->at_ms < e->mark_ms - ENDS_OLD_MS)
		return;
	add_end(e,
	        &(struct run_end){.run = text_dup(run),
	                          .source = text_dup(s->source),
	                          .type = text_dup(s->type),
	                          .seq = s->seq,
	                          .at_ms = s->at_ms,
	                          .cwd = cwd.len ? text_dup(cwd) : NULL,
	                          .is_heartbeat =
	                                  yyjson_is_true(yyjson_obj_get(mark, "heartbeat"))},
	        payload);
	if (e->changed)
		e->changed(e->self);
}

static bool may_end(const struct signal *s)
{
	return s->kind == KIND_COMPLETION || s->kind == KIND_ERROR ||
	       s->kind == KIND_AGENT_STATE_CHANGE || text_is(s->type, "session.turn");
}

void ends_hear(struct run_ends *e, const struct signal *s)
{
	bool is_mark = is_routed(s);
	yyjson_val *envelope;

	if ((!is_mark && (!e->is_on || !may_end(s))) || s->line.len > LINE_MAX_BYTES)
		return;
	envelope = yyjson_doc_get_root(json_read(&e->reader, s->line, NULL));
	if (is_mark)
		hear_routed(e, yyjson_obj_get(envelope, "payload"), s);
	else
		note_end(e, envelope, s);
}

/* ---- the fold ---- */

static bool ends_may_want(struct text line)
{
	static const char *const words[] = {"nex.routed", "\"completion\"", "\"error\"",
	                                    "agent_state_change", "session.turn"};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (memmem(line.at, line.len, words[i], strlen(words[i])))
			return true;
	return false;
}

static bool ends_wants(const struct signal *s)
{
	return may_end(s) || is_routed(s);
}

static void ends_hears(void *self, const struct signal *s)
{
	ends_hear(self, s);
}

static void ends_save(const void *self, struct buf *out)
{
	const struct run_ends *e = self;

	put_object(out, NULL);
	put_bool(out, "on", e->is_on);
	put_i64(out, "mark", (int64_t)e->mark_ms);
	put_list(out, "ends");
	list_each(&e->all, l) {
		const struct run_end *end = list_of(l, struct run_end, in_all);

		put_object(out, NULL);
		put_word(out, "run", end->run);
		put_word(out, "source", end->source);
		put_word(out, "type", end->type);
		put_json(out, "payload", text_of(end->payload));
		put_u64(out, "seq", end->seq);
		put_i64(out, "at", (int64_t)end->at_ms);
		if (end->cwd)
			put_word(out, "cwd", end->cwd);
		if (end->is_heartbeat)
			put_bool(out, "heartbeat", true);
		put_end(out);
	}
	put_list_end(out);
	put_end(out);
}

/* A time that is none is the beginning of all. */
static double load_time(yyjson_val *saved)
{
	double ms = 0;

	return json_number(saved, &ms) && ms > 0 && ms < TIME_MAX ? ms : 0;
}

static void load_end(struct run_ends *e, yyjson_val *saved)
{
	yyjson_val *payload = yyjson_obj_get(saved, "payload");
	const struct run_end *last = e->count ? list_of(e->all.prev, struct run_end, in_all) : NULL;
	uint64_t seq = yyjson_get_uint(yyjson_obj_get(saved, "seq"));
	struct text cwd = json_text_at(saved, "cwd");

	if (!json_text_at(saved, "run").len || !yyjson_is_obj(payload) ||
	    (last && seq <= last->seq))
		return;
	add_end(e,
	        &(struct run_end){.run = text_dup(json_text_at(saved, "run")),
	                          .source = text_dup(json_text_at(saved, "source")),
	                          .type = text_dup(json_text_at(saved, "type")),
	                          .seq = seq,
	                          .cwd = cwd.len ? text_dup(cwd) : NULL,
	                          .at_ms = load_time(yyjson_obj_get(saved, "at")),
	                          .is_heartbeat =
	                                  yyjson_is_true(yyjson_obj_get(saved, "heartbeat"))},
	        payload);
}

static bool ends_load(void *self, struct text saved, uint64_t *seq)
{
	struct run_ends *e = self;
	yyjson_val *root = yyjson_doc_get_root(json_read(&e->reader, saved, NULL)), *one;
	yyjson_arr_iter it = yyjson_arr_iter_with(yyjson_obj_get(root, "ends"));

	e->is_on = yyjson_is_true(yyjson_obj_get(root, "on"));
	e->mark_ms = load_time(yyjson_obj_get(root, "mark"));
	while ((one = yyjson_arr_iter_next(&it)))
		load_end(e, one);
	return yyjson_is_obj(root);
}

const struct fold_kind ends_fold = {
	.name = "ends",
	.pace = FOLD_AT_ONCE,
	.back = ENDS_BACK,
	.saved_max = SAVED_MAX,
	.may_want = ends_may_want,
	.wants = ends_wants,
	.hear = ends_hears,
	.save = ends_save,
	.load = ends_load,
};
