/* theatre.c - a document and its play, and everything around them that a box needs.
 *
 * A version says how the stage is.  So that no number of an earlier life is taken for
 * one of this, they begin with the time: VERSIONS_A_MS for each millisecond, which is
 * more than are ever told.
 */
#include "play/theatre.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <xxhash.h>

#include "base/log.h"
#include "base/must.h"
#include "base/put.h"
#include "play/inside.h"
#include "signal/json.h"

#define VERSIONS_A_MS 1024          /* the latest time is far below 2^53 with it */
#define LINE_MAX_BYTES (2048 * MIB) /* admission has the limit */

/* A signal may be larger than this, but what is on show is not: the stage is looked at
 * instead. */
#define COMMAND_MAX (4 * MIB)

#define OWN_SOURCE "stage" /* what people do on a screen is no episode of its own */

uint64_t theatre_first_version(double now_ms)
{
	return (uint64_t)fmax(now_ms, 0) * VERSIONS_A_MS;
}

/* ---- what is told ---- */

static void note_entity(struct theatre *t, const struct stage_command *command)
{
	const struct episode_note note = {command->entity, command->correlation, command->source};

	if (command->entity.len && command->source.len)
		episodes_note(&t->entities, &note);
}

static void take_command(void *self, const struct stage_command *command, uint64_t version)
{
	struct theatre *t = self;
	struct text json;

	if (command->kind == COMMAND_START || command->kind == COMMAND_EXECUTE)
		note_entity(t, command);
	buf_clear(&t->json);
	command_json(command, &t->json);
	json = buf_text(&t->json);
	if (t->json.full) {
		t->must_look = true;
		recall_clear(&t->recall, version);
		return;
	}
	recall_add(&t->recall, command->at_ms, json);
	if (!t->must_look)
		t->options.command(t->options.self, version, command->at_ms, json);
}

void theatre_turn_page(struct theatre *t, uint64_t least)
{
	uint64_t version = play_version(t->play) + 1;

	play_set_version(t->play, version > least ? version : least);
	recall_clear(&t->recall, play_version(t->play));
	t->must_look = false;
	t->options.changed(t->options.self);
}

/* ---- documents ---- */

static void make_tag(char tag[THEATRE_TAG_LEN + 1], struct text json)
{
	XXH128_hash_t hash = XXH3_128bits(json.at, json.len);

	snprintf(tag, THEATRE_TAG_LEN + 1, "%016llx%016llx", (unsigned long long)hash.high64,
	         (unsigned long long)hash.low64);
}

/* Goes on with what was saved of another play, as far as it is that. */
static bool revive(struct play *play, struct text saved)
{
	struct json_reader reader;
	bool good;

	json_reader_init(&reader, saved.len);
	good = play_load(play, yyjson_doc_get_root(json_read(&reader, saved, NULL)));
	json_reader_finish(&reader);
	return good;
}

bool theatre_put_on(struct theatre *t, struct text json, struct text saved, struct error *why)
{
	const struct play_options options = {.self = t, .command = take_command};
	struct show *show = show_read(json, why);
	struct play *play = show ? play_create(show, &options, why) : NULL;

	if (!play) {
		show_destroy(show);
		return false;
	}
	if (saved.len && !revive(play, saved)) {
		play_destroy(play);
		play = play_create(show, &options, why);
	}
	play_destroy(t->play);
	show_destroy(t->show);
	t->show = show;
	t->play = play;
	return true;
}

static void keep_document(struct theatre *t, struct text json)
{
	buf_clear(&t->document);
	buf_add(&t->document, json);
	make_tag(t->tag, json);
}

struct theatre *theatre_create(const struct theatre_options *options, double now_ms)
{
	struct theatre *t = must_zero(1, sizeof(*t));
	struct error why = {""};

	t->options = *options;
	t->is_running = true;
	t->now_ms = -INFINITY;
	t->tokens = THEATRE_BURST;
	t->filled_ms = -INFINITY;
	buf_init(&t->document, SHOW_MAX);
	buf_init(&t->json, COMMAND_MAX);
	json_reader_init(&t->reader, LINE_MAX_BYTES);
	recall_init(&t->recall, THEATRE_COMMANDS);
	episodes_init(&t->sources, THEATRE_EPISODES);
	episodes_init(&t->entities, THEATRE_EPISODES);
	whose_init(&t->whose);
	if (!theatre_put_on(t, show_default(), TEXT(""), &why)) {
		log_error("theatre", "the show in the program: %s", why.words);
		abort();
	}
	keep_document(t, show_default());
	play_set_version(t->play, theatre_first_version(now_ms));
	recall_clear(&t->recall, play_version(t->play));
	return t;
}

void theatre_destroy(struct theatre *t)
{
	if (!t)
		return;
	play_destroy(t->play);
	show_destroy(t->show);
	buf_finish(&t->document);
	buf_finish(&t->json);
	json_reader_finish(&t->reader);
	recall_finish(&t->recall);
	episodes_finish(&t->sources);
	episodes_finish(&t->entities);
	whose_finish(&t->whose);
	free(t);
}

bool theatre_use(struct theatre *t, struct text json, double now_ms, struct error *why)
{
	uint64_t version = play_version(t->play);
	struct buf saved;
	bool good;

	theatre_tick(t, now_ms);
	buf_init(&saved, PLAY_SAVED_MAX);
	play_save(t->play, &saved);
	good = theatre_put_on(t, json, saved.full ? TEXT("") : buf_text(&saved), why);
	buf_finish(&saved);
	if (!good)
		return false;
	keep_document(t, json);
	theatre_turn_page(t, version + 1);
	return true;
}

struct text theatre_show(const struct theatre *t)
{
	return buf_text(&t->document);
}

struct text theatre_tag(const struct theatre *t)
{
	return text_of(t->tag);
}

/* ---- signals and time ---- */

static double set_now(struct theatre *t, double now_ms)
{
	t->now_ms = fmax(t->now_ms, now_ms);
	return t->now_ms;
}

static bool may_play(struct theatre *t)
{
	double filled = (t->now_ms - t->filled_ms) * THEATRE_PACE / 1000;

	t->tokens = fmin(t->tokens + filled, THEATRE_BURST);
	t->filled_ms = t->now_ms;
	if (t->tokens < 1) {
		t->stats.skipped++;
		return false;
	}
	t->tokens--;
	return true;
}

static void play_line(struct theatre *t, const struct signal *s, bool is_played)
{
	yyjson_val *root = yyjson_doc_get_root(json_read(&t->reader, s->line, NULL));
	struct cue cue = {
		.type = s->type,
		.source = s->source,
		.correlation = s->correlation,
		.payload = yyjson_obj_get(root, "payload"),
	};

	if (!yyjson_is_obj(cue.payload))
		return;
	whose_cast(&t->whose, &cue, yyjson_obj_get(root, "metadata"));
	if (is_played && play_signal(t->play, &cue, t->now_ms))
		t->stats.processed++;
}

/* By which of our sources it came is who can be told something back, whatever it calls
 * itself.  Others may speak of it too, but do not take it over. */
static void note_source(struct theatre *t, const struct signal *s)
{
	const struct episode_note note = {
		.about = s->correlation,
		.source = s->via.len ? s->via : s->source,
	};

	if (!s->correlation.len || text_is(s->source, OWN_SOURCE))
		return;
	if (s->via.len || !episodes_find(&t->sources, s->correlation))
		episodes_note(&t->sources, &note);
}

void theatre_note(struct theatre *t, const struct signal *s)
{
	if (s->via.len)
		note_source(t, s);
}

bool theatre_wants(const struct theatre *t, struct text type)
{
	return t->is_running && play_wants(t->play, type);
}

void theatre_hear(struct theatre *t, const struct signal *s, double now_ms)
{
	bool is_wanted = theatre_wants(t, s->type), is_heard = whose_wants(s->type);
	bool may;

	note_source(t, s);
	if (!is_wanted && !is_heard)
		return;
	set_now(t, now_ms);
	may = may_play(t);
	if (may || is_heard) /* a burst hides whose a run is from nobody */
		play_line(t, s, is_wanted && may);
	if (t->must_look)
		theatre_turn_page(t, 0);
}

void theatre_tick(struct theatre *t, double now_ms)
{
	play_tick(t->play, set_now(t, now_ms));
	if (t->must_look)
		theatre_turn_page(t, 0);
}

double theatre_next(const struct theatre *t)
{
	return play_next(t->play);
}

/* ---- running ---- */

bool theatre_start(struct theatre *t, double now_ms)
{
	if (t->is_running)
		return false;
	t->is_running = true;
	play_mark(t->play, set_now(t, now_ms));
	theatre_turn_page(t, 0);
	return true;
}

bool theatre_stop(struct theatre *t, double now_ms)
{
	if (!t->is_running)
		return false;
	t->is_running = false;
	play_reset(t->play, set_now(t, now_ms));
	theatre_turn_page(t, 0);
	return true;
}

bool theatre_is_running(const struct theatre *t)
{
	return t->is_running;
}

/* ---- looking on ---- */

uint64_t theatre_version(const struct theatre *t)
{
	return play_version(t->play);
}

void theatre_look(const struct theatre *t, double now_ms, struct buf *out)
{
	now_ms = fmax(t->now_ms, now_ms);
	put_object(out, NULL);
	put_word(out, "show", t->tag);
	put_bool(out, "running", t->is_running);
	put_u64(out, "signalsProcessed", t->stats.processed);
	put_u64(out, "offstage", play_offstage(t->play, now_ms));
	buf_add_char(out, ',');
	play_look(t->play, now_ms, out);
	buf_add_char(out, '}');
}

bool theatre_since(const struct theatre *t, uint64_t version, theatre_each_fn *each, void *self)
{
	return recall_since(&t->recall, version, each, self);
}

struct text theatre_source(const struct theatre *t, struct text correlation)
{
	const struct episode_note *note = episodes_find(&t->sources, correlation);

	return note ? note->source : TEXT("");
}

bool theatre_episode(const struct theatre *t, struct text entity, struct text *correlation,
                     struct text *source)
{
	const struct episode_note *note = episodes_find(&t->entities, entity);

	if (!note)
		return false;
	*correlation = note->correlation;
	*source = note->source;
	return true;
}

struct theatre_stats theatre_stats(const struct theatre *t)
{
	struct theatre_stats stats = t->stats;

	stats.refused += play_refused(t->play);
	stats.active = play_active(t->play);
	return stats;
}

void theatre_counts(const struct theatre *t, struct buf *out)
{
	play_counts(t->play, out);
}

void theatre_each_wire(const struct theatre *t, theatre_wire_fn *each, void *self)
{
	play_each_wire(t->play, each, self);
}
