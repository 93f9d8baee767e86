/* openclaw_run.c - what is remembered of a gateway's runs, and their words. */
#include "parse/openclaw_frame.h"

#include "parse/inside.h"
#include "signal/json.h"

/* FNV-1a.  A gateway that makes its own ids collide confuses nobody but itself. */
static uint64_t hash_on(uint64_t hash, struct text t)
{
	for (size_t i = 0; i < t.len; i++)
		hash = (hash ^ (unsigned char)t.at[i]) * 0x100000001b3u;
	return hash;
}

uint64_t openclaw_hash_of(struct text t)
{
	uint64_t hash = hash_on(0xcbf29ce484222325u, t);

	return hash ? hash : 1;
}

struct gateway_run *gateway_run_of(struct openclaw_parse *gateway, struct text id)
{
	struct gateway_run *oldest = &gateway->runs[0];
	uint64_t key = openclaw_hash_of(id);

	gateway->frames++;
	gateway->nobody = (struct gateway_run){0};
	if (id.len == 0)
		return &gateway->nobody;
	for (size_t i = 0; i < OPENCLAW_RUNS; i++) {
		struct gateway_run *run = &gateway->runs[i];

		if (run->key == key) {
			run->heard = gateway->frames;
			return run;
		}
		if (run->heard < oldest->heard)
			oldest = run;
	}
	*oldest = (struct gateway_run){.key = key, .heard = gateway->frames};
	if (id.len <= OPENCLAW_RUN_ID_MAX)
		memcpy(oldest->id, id.at, id.len);
	return oldest;
}

void gateway_run_in_session(struct gateway_run *run, struct text key)
{
	uint64_t hash = openclaw_hash_of(key);

	if (run->session == hash)
		return;
	run->session = hash;
	run->session_key[0] = '\0';
	if (key.len > OPENCLAW_RUN_ID_MAX)
		return;
	memcpy(run->session_key, key.at, key.len);
	run->session_key[key.len] = '\0';
}

struct gateway_session *gateway_session_of(struct openclaw_parse *gateway, struct text name)
{
	struct gateway_session *oldest = &gateway->sessions[0];
	uint64_t key = openclaw_hash_of(name);

	for (size_t i = 0; i < OPENCLAW_SESSIONS; i++) {
		struct gateway_session *session = &gateway->sessions[i];

		if (session->key == key) {
			session->heard = gateway->frames;
			return session;
		}
		if (session->heard < oldest->heard)
			oldest = session;
	}
	*oldest = (struct gateway_session){.key = key, .heard = gateway->frames};
	return oldest;
}

bool openclaw_told_before(struct openclaw_parse *gateway, struct text run, struct text call,
                          bool is_result)
{
	uint64_t hash = hash_on(openclaw_hash_of(run) ^ is_result, call);

	for (size_t i = 0; i < gateway->told_count && i < OPENCLAW_TOLD; i++)
		if (gateway->told[i] == hash)
			return true;
	gateway->told[gateway->told_count++ % OPENCLAW_TOLD] = hash;
	return false;
}

bool gateway_run_speaks(struct gateway_run *run, enum voice voice)
{
	if (run->voice == VOICE_NONE)
		run->voice = voice;
	return run->voice == voice;
}

/* --- words ---------------------------------------------------------------------- */

static struct gateway_said said_of(struct text t)
{
	return (struct gateway_said){t.len, hash_on(0, t)};
}

static bool said_begins(const struct gateway_said *said, struct text all)
{
	return all.len >= said->len && hash_on(0, (struct text){all.at, said->len}) == said->hash;
}

static void begin_anew(struct gateway_run *run)
{
	run->said = run->tail_from = (struct gateway_said){0};
	run->tail_len = run->mark_count = 0;
}

/* What is said now; its newest words, as far as they were given. */
static void note_said(struct gateway_run *run, struct gateway_said said, struct text words)
{
	if (run->tail_len + words.len > OPENCLAW_TAIL) {
		run->tail_from = run->said;
		run->tail_len = 0;
	}
	if (words.len > OPENCLAW_TAIL || said.len != run->said.len + words.len) {
		run->tail_from = said;
		run->tail_len = 0;
	} else if (words.len) {
		memcpy(run->tail + run->tail_len, words.at, words.len);
		run->tail_len += words.len;
	}
	run->said = said;
	run->marks[run->mark_count++ % OPENCLAW_MARKS] = said;
}

static bool is_in_tail(const struct gateway_run *run, struct text all)
{
	size_t from = run->tail_from.len;

	return all.len >= from && all.len - from <= run->tail_len &&
	       memcmp(all.at + from, run->tail, all.len - from) == 0 &&
	       said_begins(&run->tail_from, all);
}

bool openclaw_run_has_said(const struct gateway_run *run, struct text all)
{
	struct gateway_said it = said_of(all);

	for (unsigned i = 0; i < run->mark_count && i < OPENCLAW_MARKS; i++)
		if (run->marks[i].len == it.len && run->marks[i].hash == it.hash)
			return run->is_whole && all.len > 0;
	return run->is_whole && all.len > 0 && is_in_tail(run, all);
}

static void openclaw_run_give_words(struct openclaw_frame *f, struct text words, bool replaces)
{
	if (words.len == 0)
		return;
	openclaw_frame_begin(f, "text_delta");
	make_text(&f->p->make, "content", words);
	if (replaces) {
		openclaw_frame_metadata(f);
		make_bool(&f->p->make, "replace", true);
	}
	openclaw_frame_end(f);
}

static void say_new(struct gateway_run *run, struct text all, size_t skip)
{
	if (!skip)
		begin_anew(run);
	note_said(run, said_of(all), (struct text){all.at + skip, all.len - skip});
}

/* What follows what was said; all of it when that is not how it begins. */
static void say_all(struct openclaw_frame *f, struct text all)
{
	struct gateway_run *run = f->run;
	bool goes_on = said_begins(&run->said, all);
	size_t skip = goes_on ? run->said.len : 0;

	run->is_whole = run->is_whole || skip == 0;
	/* Before it is told: where the run is rides in it. */
	say_new(run, all, skip);
	openclaw_run_give_words(f, (struct text){all.at + skip, all.len - skip}, !goes_on);
}

/* Of a run that was under way when it was first heard: all of it comes with the delta. */
static bool is_first_heard(const struct gateway_run *run, const struct openclaw_words *words)
{
	return !run->said.len && run->key && words->delta.len &&
	       text_ends(words->all, words->delta);
}

/* Words were lost between what was said and this delta, as on a broken line. */
static bool has_hole(const struct gateway_run *run, const struct openclaw_words *words)
{
	const struct gateway_said *said = &run->said;

	return (said->len || is_first_heard(run, words)) && !words->replaces &&
	       words->all.len > said->len + words->delta.len && said_begins(said, words->all);
}

/* Does this voice go on where it was? */
static bool goes_on_from(const struct gateway_said *reached, const struct openclaw_words *words)
{
	if (!words->all.at || words->replaces || !reached->len)
		return false;
	return (!words->delta.at || words->all.len == reached->len + words->delta.len) &&
	       said_begins(reached, words->all);
}

static void say_as_voice(struct openclaw_frame *f, const struct openclaw_words *words)
{
	struct gateway_run *run = f->run;
	struct gateway_said *said = &run->said;
	bool is_behind = run->reached[run->voice].len < said->len &&
	                 goes_on_from(&run->reached[run->voice], words);

	if (is_behind && words->all.len < said->len)
		return; /* the other one was ahead */
	if (!words->delta.at || has_hole(run, words) ||
	    (is_behind && said_begins(said, words->all))) {
		if (words->all.at)
			say_all(f, words->all);
		return;
	}
	/* The whole begins anew after a tool, and is rewritten at times. */
	if (words->all.at && words->all.len != said->len + words->delta.len) {
		run->is_whole = words->all.len == words->delta.len;
		begin_anew(run);
		note_said(run, said_of(words->all), run->is_whole ? words->delta : TEXT(""));
	} else {
		run->is_whole = run->is_whole || !said->len;
		note_said(run,
		          (struct gateway_said){said->len + words->delta.len,
		                                hash_on(said->hash, words->delta)},
		          words->delta);
	}
	openclaw_run_give_words(f, words->delta, words->replaces);
}

/* The other one: what it has of the same text, as far as it is ahead. */
static void say_as_other(struct openclaw_frame *f, enum voice voice, struct text all)
{
	const struct gateway_said *said = &f->run->said, *reached = &f->run->reached[voice];

	if (said->len && all.len > said->len && reached->len <= said->len &&
	    said_begins(said, all) && said_begins(reached, all))
		say_all(f, all);
}

static size_t fresh_of(const struct gateway_said *reached, const struct openclaw_words *words)
{
	size_t len = words->all.len, delta = words->delta.len;
	bool ends = words->delta.at && delta <= len &&
	            memcmp(words->all.at + len - delta, words->delta.at, delta) == 0;
	size_t own = ends ? delta : len;

	if (words->replaces || !said_begins(reached, words->all))
		return own;
	return ends && own > len - reached->len ? own : len - reached->len;
}

void openclaw_frame_say(struct openclaw_frame *f, enum voice voice,
                        const struct openclaw_words *words)
{
	struct gateway_run *run = f->run;
	bool is_voice = gateway_run_speaks(run, voice);

	f->all = words->all;
	f->fresh = words->all.at ? fresh_of(&run->reached[voice], words) : 0;
	if (is_voice)
		say_as_voice(f, words);
	else if (words->all.at)
		say_as_other(f, voice, words->all);
	run->reached[voice] = words->all.at ? said_of(words->all) : run->said;
}

void openclaw_frame_say_rest(struct openclaw_frame *f, struct text all)
{
	if (f->run->said.len == 0 || f->run->voice == VOICE_CHAT || said_begins(&f->run->said, all))
		say_all(f, all);
}

void openclaw_frame_say_missed(struct openclaw_frame *f, struct text all)
{
	struct gateway_run *run = f->run;
	bool goes_on = said_begins(&run->said, all);
	size_t skip = goes_on ? run->said.len : 0;

	run->is_whole = run->is_whole || skip == 0;
	say_new(run, all, skip);
	openclaw_run_give_words(f, (struct text){all.at + skip, all.len - skip}, false);
}
