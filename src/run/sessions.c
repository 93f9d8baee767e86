/* sessions.c - runs, by the session that they say they are of. */
#include "run/sessions.h"

#include <stdlib.h>

#include "base/must.h"
#include "base/put.h"
#include "bus/admit.h"
#include "run/inside.h"

struct link *runs_sessions(struct runs *all)
{
	return &all->sessions;
}

static void add_name(struct buf *name, struct text source, struct text key)
{
	buf_init(name, 4 * SESSION_KEY_MAX);
	buf_add(name, source);
	buf_add_char(name, '\0');
	buf_add(name, key);
}

struct run_session *runs_session(const struct runs *all, struct text source, struct text key)
{
	struct run_session *session = NULL;
	struct buf name;

	add_name(&name, source, key);
	if (!name.full)
		session = map_get(&all->session_names, buf_text(&name));
	buf_finish(&name);
	return session;
}

struct run_session *runs_session_of_any(const struct runs *all, struct text key)
{
	return map_get(&all->session_keys, key);
}

static void know_key(struct runs *all, struct run_session *session)
{
	session->older = map_get(&all->session_keys, text_of(session->key));
	if (session->older)
		session->older->newer = session;
	map_set(&all->session_keys, text_of(session->key), session);
}

static void forget_key(struct runs *all, const struct run_session *session)
{
	if (session->older)
		session->older->newer = session->newer;
	if (session->newer)
		session->newer->older = session->older;
	else if (session->older)
		map_set(&all->session_keys, text_of(session->key), session->older);
	else
		map_remove(&all->session_keys, text_of(session->key));
}

static struct run_session *find_or_make(struct runs *all, struct text source, struct text key)
{
	struct run_session *session = runs_session(all, source, key);
	struct buf name;

	if (session)
		return session;
	session = must_zero(1, sizeof(*session));
	session->source = text_dup(source);
	session->key = text_dup(key);
	list_init(&session->runs);
	list_add(&all->sessions, &session->in_all);
	know_key(all, session);
	add_name(&name, source, key);
	map_set(&all->session_names, buf_text(&name), session);
	buf_finish(&name);
	return session;
}

void session_leave(struct runs *all, struct run *run)
{
	struct run_session *session = run->session;
	struct buf name;

	if (!session)
		return;
	list_remove(&run->in_session);
	run->session = NULL;
	if (--session->run_count)
		return;
	add_name(&name, text_of(session->source), text_of(session->key));
	map_remove(&all->session_names, buf_text(&name));
	buf_finish(&name);
	list_remove(&session->in_all);
	forget_key(all, session);
	free(session->source);
	free(session->key);
	free(session);
}

/* A new run is the last, one that is loaded is often the first. */
static void add_in_order(struct run_session *session, struct run *run)
{
	struct link *at = &session->runs;

	if (at->prev != at &&
	    list_of(at->prev, struct run, in_session)->first_seq > run->first_seq) {
		at = at->next;
		while (list_of(at, struct run, in_session)->first_seq < run->first_seq)
			at = at->next;
	}
	list_add(at, &run->in_session);
	session->run_count++;
}

void session_join(struct runs *all, struct run *run, struct text source, struct text key)
{
	if (!key.len || key.len > SESSION_KEY_MAX || source.len > SESSION_KEY_MAX ||
	    memchr(key.at, '\0', key.len) || memchr(source.at, '\0', source.len))
		return;
	if (run->session && text_is(key, run->session->key) &&
	    text_is(source, run->session->source))
		return;
	session_leave(all, run);
	run->session = find_or_make(all, source, key);
	add_in_order(run->session, run);
}

/* Who has no credential names no other source, and moves no run of others. */
void session_note(struct runs *all, struct run *run, const struct signal *s)
{
	bool is_local = text_starts(s->source, SOURCE_LOCAL);
	yyjson_val *metadata = yyjson_obj_get(s->envelope, "metadata");
	struct text key = json_text_at(yyjson_obj_get(s->envelope, "payload"), "sessionKey");
	struct text source = json_text_at(metadata, "sourceId");
	struct text spawner = json_text_at(metadata, "spawnedBy");

	if (is_local && !text_starts(text_of(run->source), SOURCE_LOCAL))
		return;
	if (!key.len)
		key = json_text_at(metadata, "session");
	session_join(all, run, source.len && !is_local ? source : s->source, key);
	if (spawner.len && spawner.len <= SESSION_KEY_MAX) {
		free(run->spawned_by);
		run->spawned_by = text_dup(spawner);
	}
}

void run_session_json(const struct run_session *session, size_t newest, struct buf *out)
{
	const struct link *first = session->runs.prev;
	const char *between = "";

	while (newest-- > 1 && first->prev != &session->runs)
		first = first->prev;
	put_object(out, NULL);
	put_word(out, "source", session->source);
	json_member_text(out, "key", session->key);
	put_list(out, "runs");
	for (; first != &session->runs; first = first->next) {
		buf_add(out, text_of(between));
		buf_add_json(out, text_of(list_of(first, const struct run, in_session)->id));
		between = ",";
	}
	put_list_end(out);
	put_end(out);
}
