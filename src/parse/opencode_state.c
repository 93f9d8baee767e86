/* opencode_state.c - sessions, messages and their parts, and where each run is. */
#include "parse/opencode_state.h"

#include <assert.h>
#include <stdlib.h>

#include "base/map.h"
#include "base/must.h"
#include "base/put.h"

#define KEY_SEED 0x6f70656e
#define TIME_MAX (UINT64_C(1) << 52) /* milliseconds: a double has them whole */
#define LEVELS 8                     /* of subagents of subagents */

bool opencode_is_id(struct text id)
{
	return id.len > 0 && id.len <= OPENCODE_ID_MAX && !memchr(id.at, '\0', id.len);
}

void opencode_set(char **word, struct text value)
{
	char *now = value.len ? text_dup(value) : NULL;

	free(*word);
	*word = now;
}

struct opencode_events *opencode_state(struct parse *p)
{
	struct opencode_events *o = parse_state(p);

	if (!o->is_ready) {
		list_init(&o->sessions);
		parse_set_agent(p, TEXT("opencode"));
		o->is_ready = true;
	}
	return o;
}

/* ---- sessions ---- */

static void drop_session(struct opencode_events *o, struct opencode_session *s)
{
	assert(o->session_count > 0);
	o->session_count--;
	list_remove(&s->in_all);
	for (unsigned i = 0; i < OPENCODE_FACTS; i++)
		free(s->facts[i]);
	free(s->id);
	free(s->parent);
	free(s->call);
	free(s->run);
	free(s->last);
	free(s->piece);
	free(s->words);
	free(s);
}

void opencode_state_finish(struct opencode_events *o)
{
	while (o->is_ready && !list_is_empty(&o->sessions))
		drop_session(o, list_of(o->sessions.next, struct opencode_session, in_all));
}

static struct opencode_session *find_session(struct opencode_events *o, struct text id)
{
	for (struct link *l = o->sessions.prev; l != &o->sessions; l = l->prev) {
		struct opencode_session *s = list_of(l, struct opencode_session, in_all);

		if (text_is(id, s->id))
			return s;
	}
	return NULL;
}

/* One at work is kept while there is another, and the newest, which somebody holds, always. */
static void make_session_room(struct opencode_events *o)
{
	struct opencode_session *oldest =
		list_of(o->sessions.next, struct opencode_session, in_all);

	if (o->session_count < OPENCODE_SESSIONS)
		return;
	list_each(&o->sessions, l) {
		struct opencode_session *s = list_of(l, struct opencode_session, in_all);

		if (!s->is_busy && !s->run && l != o->sessions.prev) {
			oldest = s;
			break;
		}
	}
	drop_session(o, oldest);
}

struct opencode_session *opencode_session(struct parse *p, struct text id)
{
	struct opencode_events *o = opencode_state(p);
	struct opencode_session *s;

	if (!opencode_is_id(id))
		return NULL;
	s = find_session(o, id);
	if (s) {
		list_remove(&s->in_all);
	} else {
		make_session_room(o);
		s = must_zero(1, sizeof(*s));
		s->id = text_dup(id);
		o->session_count++;
	}
	list_add(&o->sessions, &s->in_all);
	return s;
}

struct opencode_session *opencode_root(struct parse *p, struct opencode_session *s)
{
	struct opencode_events *o = opencode_state(p);

	for (unsigned i = 0; i < LEVELS && s->parent; i++) {
		struct opencode_session *parent = find_session(o, text_of(s->parent));

		if (!parent)
			return s;
		s = parent;
	}
	return s;
}

struct speaker opencode_enter(struct parse *p, struct opencode_session *s)
{
	const struct opencode_session *root = opencode_root(p, s);
	struct speaker who = {.agent = TEXT("opencode")};

	if (root == s) {
		parse_set_correlation(p, text_of(s->run ? s->run : s->id));
		return who;
	}
	/* Their ends are no end of what was asked. */
	parse_set_correlation(p, text_of(root->id));
	if (s->facts[OPENCODE_MODE])
		who.agent = text_of(s->facts[OPENCODE_MODE]);
	who.id = text_of(s->id);
	who.parent = text_of(s->call);
	return who;
}

/* ---- messages and parts ---- */

struct opencode_message *opencode_message(struct opencode_events *o, struct text id)
{
	uint64_t key = map_hash(KEY_SEED, id) | 1;

	for (unsigned i = 0; i < OPENCODE_MESSAGES; i++)
		if (o->messages[i].key == key)
			return &o->messages[i];
	o->messages[o->message_count % OPENCODE_MESSAGES] = (struct opencode_message){.key = key};
	return &o->messages[o->message_count++ % OPENCODE_MESSAGES];
}

/* Puts it before those that were before the one at this place, which is gone. */
static struct opencode_part *put_first(struct opencode_events *o, unsigned at,
                                       struct opencode_part part)
{
	assert(at < OPENCODE_PARTS);
	memmove(o->parts + 1, o->parts, at * sizeof(*o->parts));
	o->parts[0] = part;
	return o->parts;
}

static struct opencode_part *add_part(struct opencode_events *o, struct opencode_part part)
{
	if (o->part_count < OPENCODE_PARTS)
		o->part_count++;
	return put_first(o, o->part_count - 1, part);
}

/* Whether the session knows how far this one was told.  Of a text nobody remembers of which kind
 * it is, so that the rest is told when it is whole. */
static bool recall_part(const struct opencode_session *s, struct text id,
                        struct opencode_part *part)
{
	bool is_known = false;

	for (unsigned i = 0; i < OPENCODE_MARKS; i++)
		if (s->marks[i].key == part->key) {
			part->stage = s->marks[i].stage;
			is_known = true;
		}
	if (s->piece && text_is(id, s->piece)) {
		part->told = s->piece_told;
		is_known = part->is_cut = true;
	}
	return is_known;
}

struct opencode_part *opencode_part(struct opencode_events *o, const struct opencode_session *s,
                                    struct text id, bool *is_new)
{
	struct opencode_part part = {.key = map_hash(KEY_SEED, id) | 1, .kind = OPENCODE_OTHER};

	*is_new = false;
	for (unsigned i = 0; i < o->part_count; i++)
		if (o->parts[i].key == part.key)
			return put_first(o, i, o->parts[i]);
	*is_new = !recall_part(s, id, &part);
	return add_part(o, part);
}

void opencode_mark(struct opencode_session *s, struct opencode_part *part,
                   enum opencode_stage stage)
{
	part->stage = stage;
	for (unsigned i = 0; i < OPENCODE_MARKS; i++)
		if (s->marks[i].key == part->key) {
			s->marks[i].stage = stage;
			return;
		}
	s->marks[s->mark_count++ % OPENCODE_MARKS] = (struct opencode_mark){part->key, stage};
}

/* ---- for who is connected ---- */

static struct opencode_seen seen_of(const struct opencode_session *s)
{
	return (struct opencode_seen){
		.id = text_of(s->id),
		.directory = text_of(s->facts[OPENCODE_CWD]),
		.run = text_of(s->run),
		.last = text_of(s->last),
		.is_busy = s->is_busy,
		.is_child = s->parent != NULL,
		.is_begun = s->is_begun,
	};
}

static struct opencode_session *find_named(struct opencode_events *o, struct text name)
{
	list_each(&o->sessions, l) {
		struct opencode_session *s = list_of(l, struct opencode_session, in_all);

		if (text_is(name, s->id) || (s->run && text_is(name, s->run)))
			return s;
	}
	return NULL;
}

bool opencode_find(struct parse *p, struct text name, struct opencode_seen *out)
{
	const struct opencode_session *s = find_named(opencode_state(p), name);

	if (s)
		*out = seen_of(s);
	return s != NULL;
}

void opencode_each(struct parse *p, void (*each)(void *of, const struct opencode_seen *seen),
                   void *of)
{
	list_each(&opencode_state(p)->sessions, l) {
		struct opencode_seen seen = seen_of(list_of(l, struct opencode_session, in_all));

		each(of, &seen);
	}
}

void opencode_expect(struct parse *p, struct text id, struct text run)
{
	struct opencode_session *s = opencode_session(p, id);

	if (!s)
		return;
	opencode_set(&s->run, run);
	opencode_set(&s->words, TEXT(""));
	s->is_busy = true;
	s->is_begun = s->is_failed = s->is_aborted = false;
}

void opencode_release(struct parse *p, struct text run)
{
	struct opencode_session *s = find_named(opencode_state(p), run);

	if (s && s->run && text_is(run, s->run))
		opencode_set(&s->run, TEXT(""));
}

void opencode_cut(struct parse *p)
{
	struct opencode_events *o = opencode_state(p);

	for (unsigned i = 0; i < o->part_count; i++)
		o->parts[i].is_cut = true;
}

void opencode_stop(struct parse *p)
{
	list_each(&opencode_state(p)->sessions, l) {
		struct opencode_session *s = list_of(l, struct opencode_session, in_all);

		s->is_busy = s->is_begun = false;
		opencode_set(&s->run, TEXT(""));
	}
}

/* ---- places ---- */

void opencode_add_place(struct parse *p, struct text run, int64_t now_ms, struct buf *out)
{
	const struct opencode_session *s = find_named(opencode_state(p), run);

	if (!s)
		return;
	put_object(out, NULL);
	put_word(out, "session", s->id);
	if (s->facts[OPENCODE_CWD])
		put_word(out, "directory", s->facts[OPENCODE_CWD]);
	if (s->last)
		put_word(out, "last", s->last);
	if (s->piece) {
		put_word(out, "piece", s->piece);
		put_u64(out, "told", s->piece_told);
	}
	put_list(out, "parts");
	for (unsigned i = 0; i < OPENCODE_MARKS; i++)
		if (s->marks[i].key) {
			put_u64(out, NULL, s->marks[i].key);
			put_u64(out, NULL, s->marks[i].stage);
		}
	put_list_end(out);
	put_u64(out, "at", (uint64_t)now_ms);
	if (s->is_busy && !s->is_failed)
		put_bool(out, "busy", true);
	put_end(out);
}

/* Pairs of keys and stages. */
static void recall_marks(struct opencode_events *o, struct opencode_session *s, yyjson_val *list)
{
	yyjson_arr_iter each = yyjson_arr_iter_with(list);
	yyjson_val *key, *stage;

	while ((key = yyjson_arr_iter_next(&each)) && (stage = yyjson_arr_iter_next(&each))) {
		struct opencode_part *part;

		if (!yyjson_get_uint(key) || yyjson_get_uint(stage) > OPENCODE_TOLD ||
		    s->mark_count >= OPENCODE_MARKS)
			return;
		part = add_part(o, (struct opencode_part){.key = yyjson_get_uint(key),
		                                          .kind = OPENCODE_OTHER});
		opencode_mark(s, part, (enum opencode_stage)yyjson_get_uint(stage));
	}
}

static void recall_session(struct parse *p, struct opencode_session *s, yyjson_val *root)
{
	struct opencode_events *o = opencode_state(p);
	struct text piece = json_text_at(root, "piece");
	bool is_new;

	opencode_note(s, OPENCODE_CWD, json_text_at(root, "directory"));
	if (opencode_is_id(json_text_at(root, "last")))
		opencode_set(&s->last, json_text_at(root, "last"));
	s->is_recalled = true;
	recall_marks(o, s, yyjson_obj_get(root, "parts"));
	s->is_busy = yyjson_is_true(yyjson_obj_get(root, "busy"));
	if (!opencode_is_id(piece))
		return;
	opencode_set(&s->piece, piece);
	s->piece_told = yyjson_get_uint(yyjson_obj_get(root, "told"));
	opencode_part(o, s, piece, &is_new);
}

bool opencode_take_place(struct parse *p, struct text run, struct text place, int64_t *at_ms)
{
	yyjson_doc *doc = place.len ? yyjson_read(place.at, place.len, 0) : NULL;
	yyjson_val *root = yyjson_doc_get_root(doc);
	struct opencode_session *s = opencode_session(p, json_text_at(root, "session"));

	if (s) {
		uint64_t at = yyjson_get_uint(yyjson_obj_get(root, "at"));

		*at_ms = at < TIME_MAX ? (int64_t)at : 0;
		recall_session(p, s, root);
		if (s->is_busy && !text_is(run, s->id))
			opencode_set(&s->run, run);
	}
	yyjson_doc_free(doc);
	return s != NULL;
}
