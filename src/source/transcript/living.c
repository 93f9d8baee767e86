/* living.c - sessions by their ids, in the order of their last signs of life. */
#include "source/transcript/living.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/map.h"
#include "base/must.h"
#include "base/put.h"
#include "bus/folds.h"
#include "signal/json.h"

#define LINE_LEN_MAX MIB /* of a signal that says anything of this */
#define SAVED_MAX (LIVING_MAX * (LIVING_ID_MAX * 12 + 320))

struct living {
	struct map by_id;
	struct link all;
	struct json_reader reader;
};

struct living *living_create(void)
{
	struct living *living = must_zero(1, sizeof(*living));

	map_init(&living->by_id);
	list_init(&living->all);
	json_reader_init(&living->reader, SAVED_MAX);
	return living;
}

static void living_drop(struct living *living, struct living_one *one)
{
	map_remove(&living->by_id, text_of(one->id));
	list_remove(&one->in_all);
	free(one->folder);
	free(one->id);
	free(one);
}

static void living_clear(struct living *living)
{
	while (!list_is_empty(&living->all))
		living_drop(living, list_of(living->all.next, struct living_one, in_all));
}

void living_destroy(struct living *living)
{
	if (!living)
		return;
	living_clear(living);
	map_finish(&living->by_id);
	json_reader_finish(&living->reader);
	free(living);
}

struct living_one *living_find(const struct living *living, struct text id)
{
	return map_get(&living->by_id, id);
}

static struct living_one *living_need(struct living *living, struct text id)
{
	struct living_one *one = living_find(living, id);

	if (one) {
		list_remove(&one->in_all);
		list_add(&living->all, &one->in_all);
		return one;
	}
	if (living->by_id.count >= LIVING_MAX)
		living_drop(living, list_of(living->all.next, struct living_one, in_all));
	one = must_zero(1, sizeof(*one));
	one->id = text_dup(id);
	one->is_over = true; /* until something says that it is not */
	map_set(&living->by_id, id, one);
	list_add(&living->all, &one->in_all);
	assert(living->by_id.count <= LIVING_MAX);
	return one;
}

static yyjson_val *living_read(struct living *living, const struct signal *s)
{
	if (s->line.len > LINE_LEN_MAX)
		return NULL;
	return yyjson_doc_get_root(json_read(&living->reader, s->line, NULL));
}

/* --- hearing ------------------------------------------------------------------------ */

static void living_end(struct living *living, const struct signal *s)
{
	struct living_one *one = living_need(living, s->correlation);

	if (!one->is_over || s->at_ms > one->last_ms)
		one->last_ms = s->at_ms;
	one->is_over = true;
}

/* A process has one session at a time. */
static void living_leave_others(struct living *living, const struct living_one *one)
{
	list_each(&living->all, l) {
		struct living_one *other = list_of(l, struct living_one, in_all);

		if (other != one && other->pid == one->pid && other->start == one->start &&
		    other->by != LIVING_BY_FILE)
			other->is_left = true;
	}
}

static void living_touch(struct living_one *one, double at_ms)
{
	if (one->is_over && at_ms <= one->last_ms)
		return;
	one->is_over = false;
	if (at_ms > one->last_ms) {
		one->is_left = false;
		one->last_ms = at_ms;
	}
}

/* --- transcripts -------------------------------------------------------------------- */

#define FOLDER_MAX 200 /* Claude Code cuts a longer one, and adds what we do not know */

static void note_folder(struct living_one *one, struct text folder, bool is_told)
{
	if ((one->folder && one->is_told >= is_told) || folder.len == 0 || folder.len > 255 ||
	    text_is(folder, ".") || text_is(folder, "..") || memchr(folder.at, '\0', folder.len) ||
	    text_find(folder, '/') >= 0)
		return;
	free(one->folder);
	one->folder = text_dup(folder);
	one->is_told = is_told;
}

/* As Claude Code makes it of where it was started. */
static void note_cwd(struct living_one *one, struct text cwd)
{
	char folder[FOLDER_MAX];

	if (cwd.len == 0 || cwd.len > FOLDER_MAX)
		return;
	for (size_t i = 0; i < cwd.len; i++) {
		unsigned char c = (unsigned char)cwd.at[i];
		bool is_plain =
			(c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');

		if (c >= 0x80)
			return; /* it counts characters, and not as we do */
		folder[i] = is_plain ? (char)c : '-';
	}
	note_folder(one, (struct text){folder, cwd.len}, false);
}

/* .../FOLDER/SESSION.jsonl */
static void note_path(struct living_one *one, struct text path)
{
	const char *name = path.len ? memrchr(path.at, '/', path.len) : NULL, *above;

	if (!name)
		return;
	path.len = (size_t)(name - path.at);
	above = path.len ? memrchr(path.at, '/', path.len) : NULL;
	if (above)
		note_folder(one, (struct text){above + 1, (size_t)(path.at + path.len - above) - 1},
		            true);
}

static void note_place(struct living *living, const struct signal *s, yyjson_val *root)
{
	yyjson_val *metadata = yyjson_obj_get(root, "metadata");
	yyjson_val *place = yyjson_obj_get(metadata, "place");
	bool is_alone = yyjson_is_true(yyjson_obj_get(place, "alone"));
	struct living_one *one = is_alone ? living_need(living, s->correlation)
	                                  : living_find(living, s->correlation);

	if (!one || !place)
		return;
	/* Whoever takes it up again need not be the process that it had. */
	if (is_alone && one->is_over && one->by == LIVING_BY_FILE) {
		one->pid = one->start = 0;
		one->by = LIVING_BY_NOBODY;
	}
	if (is_alone)
		living_touch(one, s->at_ms);
	if (text_is(s->type, "session.turn"))
		one->is_resting =
			!text_is(json_text_at(yyjson_obj_get(root, "payload"), "state"), "began");
	one->inode = yyjson_get_uint(yyjson_obj_get(place, "inode"));
	one->at = yyjson_get_uint(yyjson_obj_get(place, "at"));
	one->held = yyjson_get_uint(yyjson_obj_get(place, "held"));
}

/* Another process has taken it up, whose hooks are heard or not; or its own came back to it. */
static void living_take_up(struct living_one *one, const struct signal *s, bool is_other)
{
	if (is_other && one->is_over)
		one->is_hooked = one->is_spoken = one->is_mute = false;
	if (is_other || (one->is_left && s->at_ms > one->last_ms)) {
		one->is_over = one->is_left = false;
		one->last_ms = s->at_ms;
	} else if (!one->is_over && s->at_ms > one->last_ms)
		one->last_ms = s->at_ms;
}

static void hear_facts(struct living *living, const struct signal *s, yyjson_val *root)
{
	yyjson_val *payload = yyjson_obj_get(root, "payload");
	struct text from = json_text_at(yyjson_obj_get(root, "metadata"), "from");
	uint64_t pid = yyjson_get_uint(yyjson_obj_get(payload, "pid")), start;
	struct living_one *one;

	if (pid == 0 || pid > INT32_MAX || !text_to_u64(json_text_at(payload, "procStart"), &start))
		return;
	one = living_need(living, s->correlation);
	living_take_up(one, s, one->pid != pid || one->start != start);
	note_cwd(one, json_text_at(payload, "cwd"));
	one->pid = pid;
	one->start = start;
	one->by = text_is(from, "registry") ? LIVING_BY_REGISTRY
	          : text_is(from, "file")   ? LIVING_BY_FILE
	                                    : LIVING_BY_PEER;
	if (!one->is_over && !one->is_left && one->by != LIVING_BY_FILE)
		living_leave_others(living, one);
}

static bool is_session_end(struct living *living, const struct signal *s)
{
	yyjson_val *metadata;

	if (!text_is(s->type, "agent_state_change"))
		return false;
	metadata = yyjson_obj_get(living_read(living, s), "metadata");
	return text_is(json_text_at(metadata, "hook"), "SessionEnd");
}

static bool living_wants(const struct signal *s)
{
	if (s->correlation.len == 0 || s->correlation.len > LIVING_ID_MAX)
		return false;
	if (memchr(s->correlation.at, '\0', s->correlation.len))
		return false;
	if (text_is(s->type, "session.gone"))
		return text_is(s->source, "signalbox");
	/* A status line is drawn without hooks, too, and is no sign of them. */
	if (text_is(s->type, "agent.limits") && text_is(s->source, "adapter:tap"))
		return false;
	return text_is(s->source, "adapter:tap") || text_is(s->source, "adapter:transcript");
}

static void hear_hook(struct living *living, const struct signal *s)
{
	struct living_one *one = living_need(living, s->correlation);
	yyjson_val *metadata;

	living_touch(one, s->at_ms);
	one->is_hooked = true;
	one->is_spoken = one->is_spoken || text_is(s->type, "text_delta");
	if (one->is_told && (one->is_spoken || one->is_mute))
		return;
	metadata = yyjson_obj_get(living_read(living, s), "metadata");
	one->is_mute = !one->is_spoken &&
	               (one->is_mute || text_is(json_text_at(metadata, "hook"), "Stop"));
	if (one->is_told)
		return;
	note_path(one, json_text_at(metadata, "transcript_path"));
}

void living_hear(struct living *living, const struct signal *s)
{
	yyjson_val *root;

	if (!living_wants(s))
		return;
	if (text_is(s->type, "session.gone") || is_session_end(living, s)) {
		living_end(living, s);
	} else if (text_is(s->source, "adapter:tap")) {
		hear_hook(living, s);
	} else {
		root = living_read(living, s);
		if (text_is(s->type, "session.facts"))
			hear_facts(living, s, root);
		note_place(living, s, root);
	}
}

void living_each_since(struct living *living, double since_ms,
                       void (*each)(void *self, struct living_one *one), void *self)
{
	list_each(&living->all, l) {
		struct living_one *one = list_of(l, struct living_one, in_all);

		if (!one->is_over || one->last_ms > since_ms)
			each(self, one);
	}
}

void living_each(struct living *living, void (*each)(void *self, struct living_one *one),
                 void *self)
{
	living_each_since(living, INFINITY, each, self);
}

/* --- the fold ----------------------------------------------------------------------- */

static void living_hears(void *self, const struct signal *s)
{
	living_hear(self, s);
}

static bool living_may_want(struct text line)
{
	return memmem(line.at, line.len, "adapter:t", 9) ||
	       memmem(line.at, line.len, "session.gone", 12);
}

static void living_save(const void *self, struct buf *out)
{
	const struct living *living = self;

	put_list(out, NULL);
	for (const struct link *l = living->all.next; l != &living->all; l = l->next) {
		const struct living_one *one = list_of(l, struct living_one, in_all);

		put_object(out, NULL);
		put_text(out, "id", text_of(one->id));
		put_u64(out, "pid", one->pid);
		put_u64(out, "start", one->start);
		put_u64(out, "by", one->by);
		put_key(out, "last");
		json_add_number(out, one->last_ms);
		put_bool(out, "over", one->is_over);
		put_bool(out, "left", one->is_left);
		put_bool(out, "hooked", one->is_hooked);
		put_bool(out, "resting", one->is_resting);
		put_bool(out, "told", one->is_told);
		put_bool(out, "spoken", one->is_spoken);
		put_bool(out, "mute", one->is_mute);
		if (one->folder)
			put_text(out, "folder", text_of(one->folder));
		put_u64(out, "inode", one->inode);
		put_u64(out, "at", one->at);
		put_u64(out, "held", one->held);
		put_end(out);
	}
	put_list_end(out);
}

static bool load_one(struct living *living, yyjson_val *saved)
{
	struct text id = json_text_at(saved, "id");
	uint64_t by = yyjson_get_uint(yyjson_obj_get(saved, "by"));
	struct living_one *one;
	double last_ms;

	if (id.len == 0 || id.len > LIVING_ID_MAX || memchr(id.at, '\0', id.len) ||
	    by > LIVING_BY_FILE || !json_number(yyjson_obj_get(saved, "last"), &last_ms))
		return false;
	one = living_need(living, id);
	one->pid = yyjson_get_uint(yyjson_obj_get(saved, "pid"));
	one->start = yyjson_get_uint(yyjson_obj_get(saved, "start"));
	one->by = (enum living_by)by;
	one->last_ms = last_ms;
	one->is_over = yyjson_is_true(yyjson_obj_get(saved, "over"));
	one->is_left = yyjson_is_true(yyjson_obj_get(saved, "left"));
	one->is_hooked = yyjson_is_true(yyjson_obj_get(saved, "hooked"));
	one->is_resting = yyjson_is_true(yyjson_obj_get(saved, "resting"));
	one->is_spoken = yyjson_is_true(yyjson_obj_get(saved, "spoken"));
	one->is_mute = yyjson_is_true(yyjson_obj_get(saved, "mute"));
	note_folder(one, json_text_at(saved, "folder"),
	            yyjson_is_true(yyjson_obj_get(saved, "told")));
	one->inode = yyjson_get_uint(yyjson_obj_get(saved, "inode"));
	one->at = yyjson_get_uint(yyjson_obj_get(saved, "at"));
	one->held = yyjson_get_uint(yyjson_obj_get(saved, "held"));
	return true;
}

static bool living_load(void *self, struct text saved, uint64_t *seq)
{
	struct living *living = self;
	yyjson_val *root = yyjson_doc_get_root(json_read(&living->reader, saved, NULL)), *one;
	yyjson_arr_iter iter = yyjson_arr_iter_with(root);
	bool good = yyjson_is_arr(root);

	while (good && (one = yyjson_arr_iter_next(&iter)))
		good = load_one(living, one);
	if (!good)
		living_clear(living);
	return good;
}

const struct fold_kind living_fold = {
	.name = "living",
	.pace = FOLD_AT_ONCE,
	.back = 100000,
	.saved_max = SAVED_MAX,
	.newest_alone = true,
	.may_want = living_may_want,
	.wants = living_wants,
	.hear = living_hears,
	.save = living_save,
	.load = living_load,
};
