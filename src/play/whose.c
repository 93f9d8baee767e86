/* whose.c - sessions by run and by conversation, as the crew joins them. */
#include "play/whose.h"

#include "signal/json.h"
#include "signal/session.h"

#define BOX "signalbox" /* the source of what the box tells */

void whose_init(struct whose *w)
{
	episodes_init(&w->runs, WHOSE_MAX);
	episodes_init(&w->keys, WHOSE_MAX);
	episodes_init(&w->sessions, WHOSE_MAX);
}

void whose_finish(struct whose *w)
{
	episodes_finish(&w->runs);
	episodes_finish(&w->keys);
	episodes_finish(&w->sessions);
}

bool whose_wants(struct text type)
{
	return text_is(type, "task_dispatch") || text_is(type, "session.facts") ||
	       text_is(type, "session.turn");
}

/* The conversation, in one word; empty: it says none, or a long one. */
static struct text key_of(const struct session_said *said, char words[EPISODE_WORDS_MAX])
{
	size_t len = said->owner.len + 1 + said->key.len;

	if (!said->key.len || len > EPISODE_WORDS_MAX)
		return TEXT("");
	memcpy(words, said->owner.at, said->owner.len);
	words[said->owner.len] = '\n';
	memcpy(words + said->owner.len + 1, said->key.at, said->key.len);
	return (struct text){words, len};
}

/* Whoever is used is not forgotten. */
static const struct episode_note *use(struct episodes *e, struct text about)
{
	const struct episode_note *known = about.len ? episodes_find(e, about) : NULL;

	if (known)
		episodes_note(e, known);
	return known;
}

/* A session of which nothing else is known has neither a name nor a conversation. */
static struct episode_note what_is_known(struct whose *w, struct text session)
{
	const struct episode_note *known = use(&w->sessions, session);

	return known ? *known : (struct episode_note){.about = session};
}

static void join_conversation(struct whose *w, struct text session, struct text key)
{
	struct episode_note note = what_is_known(w, session);

	if (!key.len || note.source.len || use(&w->keys, key))
		return;
	note.source = key;
	episodes_note(&w->sessions, &note);
	episodes_note(&w->keys, &(struct episode_note){.about = key, .correlation = session});
}

static void begin_session(struct whose *w, const struct cue *cue, struct text run, struct text key)
{
	const struct episode_note *known = use(&w->keys, key);
	const struct episode_note note = {run, known ? known->correlation : run, cue->source};

	episodes_note(&w->runs, &note);
	join_conversation(w, note.correlation, key);
}

/* What the box tells of sessions that are forgotten is of those all the same. */
static bool is_of_box(const struct cue *cue)
{
	return text_is(cue->source, BOX) && text_starts(cue->type, TEXT("session."));
}

static struct text find_session(struct whose *w, const struct cue *cue,
                                const struct session_said *said)
{
	struct text run = cue->correlation.len || !said->key.len ? cue->correlation : cue->source;
	const struct episode_note *known = use(&w->runs, run);
	char words[EPISODE_WORDS_MAX];
	struct text key = key_of(said, words);

	if (known && session_is_strange(known->source, cue->source))
		return TEXT("");
	if (known)
		join_conversation(w, known->correlation, key);
	else if (said->is_told && run.len)
		begin_session(w, cue, run, key);
	else
		return is_of_box(cue) ? run : TEXT("");
	known = episodes_find(&w->runs, run);
	return known ? known->correlation : run; /* which is too long to be remembered */
}

static struct text agent_of(const struct cue *cue)
{
	struct text agent = json_text_at(cue->payload, "agentId");

	return agent.len || !text_is(cue->type, "task_dispatch") ? agent
	                                                         : json_text_at(cue->payload, "to");
}

/* Who is another than the one that began. */
static struct text part_by_name(struct whose *w, const struct cue *cue, bool has_names)
{
	struct text agent = agent_of(cue);
	struct episode_note note;

	if (!agent.len)
		return TEXT("");
	note = what_is_known(w, cue->session);
	if (!note.correlation.len) {
		note.correlation = agent;
		episodes_note(&w->sessions, &note);
		return TEXT("");
	}
	if (!has_names || session_is_itself(cue->source, agent))
		return TEXT("");
	return text_equal(note.correlation, agent) ? TEXT("") : agent;
}

void whose_cast(struct whose *w, struct cue *cue, yyjson_val *metadata)
{
	const struct session_signal signal = {cue->type, cue->source, cue->payload, metadata};
	struct session_said said;

	session_read(&said, &signal);
	cue->part = json_text_at(metadata, "agent_id");
	cue->session = find_session(w, cue, &said);
	if (cue->session.len && !cue->part.len)
		cue->part = part_by_name(w, cue, said.has_names);
}
