/* sources.c - the list: who is on it, and what is told of it. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/must.h"
#include "base/random.h"
#include "source/found.h"
#include "source/inside.h"
#include "source/intake.h"
#include "source/palette.h"
#include "source/store.h"

#define TELL_MAX (32 * MIB)
#define TELL_MS 1000 /* how often counters are told */
#define SHORT_ID 8

/* ---- telling ---- */

static void sources_tell(struct sources *all)
{
	struct buf changed, removed;
	const char *comma = "";

	buf_init(&changed, TELL_MAX);
	buf_init(&removed, TELL_MAX);
	buf_add_char(&changed, '[');
	while (!list_is_empty(&all->changed)) {
		struct source *s = list_of(all->changed.next, struct source, in_changed);

		list_remove(&s->in_changed);
		buf_add(&changed, text_of(comma));
		source_json(s, &changed);
		comma = ",";
	}
	buf_add_char(&changed, ']');
	buf_add_char(&removed, '[');
	buf_add(&removed, buf_text(&all->removed));
	buf_add_char(&removed, ']');
	buf_clear(&all->removed);
	deadline_clear(&all->beat);
	if (all->options.changed && !changed.full)
		all->options.changed(all->options.self, buf_text(&changed), buf_text(&removed));
	buf_finish(&changed);
	buf_finish(&removed);
}

static void tell_now(struct later *later)
{
	sources_tell(list_of(later, struct sources, telling));
}

static void tell_beat(struct deadline *deadline)
{
	sources_tell(list_of(deadline, struct sources, beat));
}

static void sources_note(struct source *s)
{
	if (list_is_empty(&s->in_changed) && !list_is_empty(&s->in_all))
		list_add(&s->all->changed, &s->in_changed);
}

void sources_mark(struct source *s)
{
	sources_note(s);
	loop_later(s->all->options.loop, &s->all->telling);
}

void sources_stir(struct source *s)
{
	if (!list_is_empty(&s->in_changed))
		return;
	sources_note(s);
	if (!s->all->beat.in_wheel.next)
		deadline_set(s->all->options.loop, &s->all->beat, TELL_MS);
}

/* ---- finding ---- */

struct source *sources_find(const struct sources *all, struct text id)
{
	return map_get(&all->by_id, id);
}

struct source *sources_last(const struct sources *all)
{
	return all->last;
}

struct source *sources_next(const struct sources *all, const struct source *after)
{
	const struct link *l = after ? after->in_all.next : all->list.next;

	return l == &all->list ? NULL : list_of(l, struct source, in_all);
}

bool sources_knows(const struct sources *all, struct text name)
{
	return map_get(&all->names, name) != NULL;
}

static void name_add(struct sources *all, const char *name)
{
	uintptr_t n = (uintptr_t)map_get(&all->names, text_of(name));

	map_set(&all->names, text_of(name), (void *)(n + 1));
}

static void name_drop(struct sources *all, const char *name)
{
	uintptr_t n = (uintptr_t)map_get(&all->names, text_of(name));

	if (n > 1)
		map_set(&all->names, text_of(name), (void *)(n - 1));
	else
		map_remove(&all->names, text_of(name));
}

static struct source *need(const struct sources *all, struct text id, struct error *why)
{
	struct source *s = sources_find(all, id);

	if (!s)
		error_set(why, "there is no source '%.*s'", TEXT_ARG(id));
	return s;
}

static enum back_answer conflict(struct error *why, const char *words)
{
	error_set(why, "%s", words);
	return BACK_CONFLICT;
}

static enum back_answer save_all(struct sources *all, struct error *why)
{
	if (store_save(all->store, all, why))
		return BACK_DONE;
	error_within(why, "it is done, but a restart will forget it");
	log_error("source", "%s", why->words);
	return BACK_UNSAVED;
}

static enum back_answer sources_save(struct sources *all, const struct source *s, struct error *why)
{
	return s->is_configured ? BACK_DONE : save_all(all, why);
}

/* ---- adding ---- */

/* Takes what the wish leaves open: the id, the name, the colour.  made holds them. */
struct made_names {
	char id[SHORT_ID + 1], name[SOURCE_NAME_MAX + 1];
};

static void sources_complete(struct sources *all, struct source_wish *wish, struct made_names *made)
{
	const char *fixed;

	while (!wish->id.len) {
		random_hex(made->id, SHORT_ID / 2);
		if (!sources_knows(all, text_of(made->id)))
			wish->id = text_of(made->id);
	}
	if (!wish->name.len) {
		snprintf(made->name, sizeof(made->name), "source-%.4s", wish->id.at);
		wish->name = text_of(made->name);
	}
	fixed = wish->is_local ? palette_local(wish->id) : NULL;
	if (!wish->color.len)
		wish->color = text_of(fixed ? fixed : palette_color(all->colors++));
}

/* Services of this machine come before all others. */
static struct link *first_remote(struct sources *all)
{
	struct link *l = all->list.next;

	while (l != &all->list && list_of(l, struct source, in_all)->is_local)
		l = l->next;
	return l;
}

/* The credential of a service on this machine was given for its fixed address; of
 * all others only those that come from the disk have one there. */
static void adopt(struct sources *all, struct source *s, const struct source_wish *wish,
                  bool is_stored)
{
	struct text credential = wish->credential;

	source_replace(&s->url, wish->url);
	source_replace(&s->model, wish->model);
	s->is_guessed = wish->protocol.len == 0 || text_is(wish->protocol, "auto");
	source_set_protocol(s, s->is_guessed ? text_of(source_detect(wish->url)) : wish->protocol);
	if (!credential.len && (s->is_local || is_stored))
		credential = store_credential(all->store, wish->id);
	source_replace(&s->credential, credential);
	s->takes_from = found_giver(wish->credential_from);
	if (!s->is_configured)
		store_set_credential(all->store, wish->id, credential);
	name_add(all, s->id);
	name_add(all, s->name);
	map_set(&all->by_id, wish->id, s);
	list_add(s->is_local ? first_remote(all) : &all->list, &s->in_all);
	assert(all->count < SOURCES_MAX);
	all->count++;
	all->last = s;
}

bool source_wish_is_good(const struct source_wish *wish, struct error *why)
{
	return wish->url.len ? wish_check(wish, why) : error_set(why, "a source needs a url");
}

static enum back_answer may_add(const struct sources *all, const struct source_wish *wish,
                                struct error *why)
{
	if (!source_wish_is_good(wish, why))
		return BACK_INVALID;
	if (wish->id.len && sources_find(all, wish->id))
		return conflict(why, "there is a source with this id already");
	if (all->count == SOURCES_MAX)
		return conflict(why, "there are too many sources");
	return all->is_stopped ? conflict(why, "the box is stopping") : BACK_DONE;
}

enum back_answer sources_add(struct sources *all, const struct source_wish *wish, struct error *why)
{
	enum back_answer answer = may_add(all, wish, why);
	struct source_wish whole = *wish;
	struct source *s;
	struct made_names made;

	if (answer == BACK_DONE)
		answer = found_agree(all, NULL, wish, why);
	if (answer != BACK_DONE)
		return answer;
	sources_complete(all, &whole, &made);
	s = source_create(all, &whole);
	adopt(all, s, &whole, false);
	sources_mark(s);
	if (wish->connect)
		source_begin(s);
	return sources_save(all, s, why);
}

/* A row of the disk.  A service of this machine is connected when it is found. */
static bool add_stored(void *self, const struct source_wish *wish, struct error *why)
{
	struct sources *all = self;
	struct source_wish whole = *wish;
	struct source *s;
	struct made_names made;

	if (sources_find(all, wish->id) && sources_find(all, wish->id)->is_configured) {
		log_warn("source", "'%.*s' of sources.json is in the configuration too, which wins",
		         TEXT_ARG(wish->id));
		return true;
	}
	if (may_add(all, wish, why) != BACK_DONE)
		return false;
	sources_complete(all, &whole, &made);
	s = source_create(all, &whole);
	adopt(all, s, &whole, true);
	all->colors++;
	s->is_wanted = wish->connect;
	if (s->is_local)
		s->state = SOURCE_UNAVAILABLE;
	else if (wish->connect)
		source_begin(s);
	return true;
}

/* ---- changing ---- */

static enum back_answer may_change(const struct source *s, const struct source_wish *wish,
                                   struct error *why)
{
	bool moves = wish->name.len || wish->url.len || wish->protocol.len || wish->color.len;

	if (wish->id.len || wish->says_connect) {
		error_set(why, wish->id.len ? "an id is for ever"
		                            : "connect and disconnect are routes of their own");
		return BACK_INVALID;
	}
	if (!wish_check(wish, why))
		return BACK_INVALID;
	if (s->is_configured && (moves || wish->credential.len || wish->credential_from.len ||
	                         wish->forgets_credential))
		return conflict(why, "it is of the configuration file: change it there");
	if (s->is_local && moves && !wish->is_local) /* discovery may say where it is */
		return conflict(why, "it is a service of this machine: its credential and model "
		                     "can be changed");
	return BACK_DONE;
}

static void rename_source(struct source *s, struct text name)
{
	name_drop(s->all, s->name);
	source_replace(&s->name, name);
	name_add(s->all, s->name);
}

/* Where it is and how it is spoken to; true: a line that is open leads astray. */
static bool sources_move(struct source *s, const struct source_wish *wish)
{
	bool new_url = wish->url.len && !text_is(wish->url, s->url);
	bool forgets = new_url || wish->forgets_credential || wish->credential_from.len;
	bool new_credential = wish->credential.len || ((s->credential || s->takes_from) && forgets);

	if (new_url)
		source_replace(&s->url, wish->url);
	if (new_credential) {
		source_replace(&s->credential, wish->credential);
		store_set_credential(s->all->store, text_of(s->id), wish->credential);
		s->takes_from = NULL;
		s->is_untried = wish->credential.len > 0;
	}
	if (wish->credential_from.len)
		s->takes_from = found_giver(wish->credential_from);
	if (wish->protocol.len)
		s->is_guessed = text_is(wish->protocol, "auto");
	return new_url || new_credential || wish->credential_from.len || wish->protocol.len;
}

enum back_answer sources_change(struct sources *all, struct text id, const struct source_wish *wish,
                                struct error *why)
{
	struct source *s = need(all, id, why);
	enum back_answer answer = s ? may_change(s, wish, why) : BACK_UNKNOWN;
	struct text protocol;

	if (answer == BACK_DONE)
		answer = found_agree(all, s, wish, why);
	if (answer != BACK_DONE)
		return answer;
	if (wish->name.len)
		rename_source(s, wish->name);
	if (wish->model.len)
		source_replace(&s->model, wish->model);
	if (wish->color.len)
		source_replace(&s->color, wish->color);
	if (sources_move(s, wish)) {
		bool was_open = s->is_wanted && (s->line || s->state != SOURCE_UNAVAILABLE);

		source_close(s);
		protocol = s->is_guessed        ? text_of(source_detect(text_of(s->url)))
		           : wish->protocol.len ? wish->protocol
		                                : text_of(s->protocol);
		source_set_protocol(s, protocol);
		if (was_open)
			source_begin(s);
	}
	sources_mark(s);
	return sources_save(all, s, why);
}

static void take_out(struct sources *all, struct source *s)
{
	source_end(s);
	if (all->removed.len)
		buf_add_char(&all->removed, ',');
	buf_add_json(&all->removed, text_of(s->id));
	name_drop(all, s->id);
	name_drop(all, s->name);
	map_remove(&all->by_id, text_of(s->id));
	runs_forget(s);
	assert(all->count > 0);
	all->count--;
	if (all->last == s)
		all->last = NULL;
	source_destroy(s);
	loop_later(all->options.loop, &all->telling);
}

enum back_answer sources_remove(struct sources *all, struct text id, struct error *why)
{
	struct source *s = need(all, id, why);

	if (!s)
		return BACK_UNKNOWN;
	if (s->is_configured)
		return conflict(why, "it is of the configuration file: take it out there");
	if (s->is_local)
		return conflict(why, "it is a service of this machine: disconnect it");
	store_set_credential(all->store, text_of(s->id), TEXT(""));
	take_out(all, s);
	return save_all(all, why);
}

void sources_withdraw(struct sources *all, struct text id)
{
	struct source *s = sources_find(all, id);

	if (s && s->is_configured)
		take_out(all, s);
}

/* ---- connecting ---- */

enum back_answer sources_connect(struct sources *all, struct text id, struct error *why)
{
	struct source *s = need(all, id, why);

	if (!s)
		return BACK_UNKNOWN;
	if (!s->transport && !s->is_guessed) {
		error_set(why, "'%s' speaks %s, which cannot be connected to", s->id, s->protocol);
		return BACK_NOT_SUPPORTED;
	}
	if (all->is_stopped)
		return conflict(why, "the box is stopping");
	if (s->state != SOURCE_CONNECTED)
		source_begin(s);
	return sources_save(all, s, why);
}

enum back_answer sources_disconnect(struct sources *all, struct text id, struct error *why)
{
	struct source *s = need(all, id, why);

	if (!s)
		return BACK_UNKNOWN;
	source_end(s);
	return sources_save(all, s, why);
}

/* ---- life ---- */

struct sources *sources_create(const struct sources_options *options, struct error *why)
{
	struct store *store = store_open(options->data, why);
	struct sources *all;

	if (!store)
		return NULL;
	all = must_zero(1, sizeof(*all));
	all->options = *options;
	all->store = store;
	all->runs = must_zero(RUNS_MAX, sizeof(*all->runs));
	list_init(&all->list);
	list_init(&all->changed);
	map_init(&all->by_id);
	map_init(&all->names);
	buf_init(&all->removed, MIB);
	all->telling.run = tell_now;
	all->beat.fire = tell_beat;
	intake_init(all);
	return all;
}

void sources_load(struct sources *all)
{
	struct error why;

	if (!store_each(all->store, add_stored, all) && !store_save(all->store, all, &why))
		log_error("source", "%s", why.words);
}

void sources_stop(struct sources *all)
{
	if (all->is_stopped)
		return;
	all->is_stopped = true;
	for (struct source *s = sources_next(all, NULL); s; s = sources_next(all, s)) {
		source_close(s);
		intake_flush(s);
	}
}

void sources_destroy(struct sources *all)
{
	if (!all)
		return;
	sources_stop(all);
	list_each(&all->list, l)
		source_destroy(list_of(l, struct source, in_all));
	intake_finish(all);
	loop_forget(&all->telling);
	deadline_clear(&all->beat);
	map_finish(&all->by_id);
	map_finish(&all->names);
	buf_finish(&all->removed);
	store_close(all->store);
	free(all->runs);
	free(all);
}
