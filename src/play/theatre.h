/* theatre.h - the show of a box: its document, how it is played, and what was played.
 *
 * No files, sockets or clocks: the caller keeps the document, tells the time and
 * passes on what is said.  Times are milliseconds of Unix time that never go back.
 *
 * A show is for eyes.  When signals come quicker than anybody can see, those beyond
 * THEATRE_PACE a second are not played, and counted.
 */
#ifndef PLAY_THEATRE_H
#define PLAY_THEATRE_H

#include "base/buf.h"
#include "base/error.h"
#include "signal/signal.h"

struct theatre;

#define THEATRE_PACE 20000    /* signals a second, on the long run */
#define THEATRE_BURST 4096    /* and so many at once */
#define THEATRE_COMMANDS 8192 /* that are remembered for who follows */
#define THEATRE_TAG_LEN 32    /* characters of a document's tag */
#define THEATRE_EPISODES 4096 /* whose source is remembered */

struct theatre_options {
	void *self;
	/* One command, as command_json() writes it. */
	void (*command)(void *self, uint64_t version, double at_ms, struct text json);
	/* Another document, or all entities were put elsewhere: who follows must look. */
	void (*changed)(void *self);
};

/* Plays show_default(). */
struct theatre *theatre_create(const struct theatre_options *options, double now_ms);
void theatre_destroy(struct theatre *theatre);

/* Another document, whole or not at all: why begins with a JSON pointer.  What is the
 * same in both goes on. */
bool theatre_use(struct theatre *theatre, struct text json, double now_ms, struct error *why);
struct text theatre_show(const struct theatre *theatre);
struct text theatre_tag(const struct theatre *theatre); /* differs when the document does */

/* Is there anything in the show for signals of this type?  Quick. */
bool theatre_wants(const struct theatre *theatre, struct text type);

/* A signal was admitted.  Note: it will be heard later, if at all, from the journal, which
 * does not know by which of our sources it came. */
void theatre_hear(struct theatre *theatre, const struct signal *s, double now_ms);
void theatre_note(struct theatre *theatre, const struct signal *s);
void theatre_tick(struct theatre *theatre, double now_ms);
double theatre_next(const struct theatre *theatre); /* INFINITY: never */

/* Running is how it begins.  Start remembers how the entities are, stop puts them
 * there again; false: it was so already. */
bool theatre_start(struct theatre *theatre, double now_ms);
bool theatre_stop(struct theatre *theatre, double now_ms);
bool theatre_is_running(const struct theatre *theatre);

uint64_t theatre_version(const struct theatre *theatre);

/* `{"version","at","show":TAG,"running","signalsProcessed","offstage":N,"entities":[...],
 * "tweens":[...]}` */
void theatre_look(const struct theatre *theatre, double now_ms, struct buf *out);

/* Calls for each command after this version, in order; false when they are not all
 * remembered, and then none. */
typedef void theatre_each_fn(void *self, uint64_t version, double at_ms, struct text json);
bool theatre_since(const struct theatre *theatre, uint64_t version, theatre_each_fn *each,
                   void *self);

/* Whose episode is it?  The one of our sources by which a correlation was last spoken
 * of, or else whoever spoke of it first; the correlation and source of the last
 * performance that concerned an entity.  Empty: unknown. */
struct text theatre_source(const struct theatre *theatre, struct text correlation);
bool theatre_episode(const struct theatre *theatre, struct text entity, struct text *correlation,
                     struct text *source);

struct theatre_stats {
	uint64_t processed; /* signals that something took up */
	uint64_t skipped;   /* beyond the pace */
	uint64_t refused;   /* performances beyond the ceiling */
	size_t active;      /* performances */
};
struct theatre_stats theatre_stats(const struct theatre *theatre);
void theatre_counts(const struct theatre *theatre, struct buf *out); /* of the wires */
typedef void theatre_wire_fn(void *self, struct text id, uint64_t passed, uint64_t dropped);
void theatre_each_wire(const struct theatre *theatre, theatre_wire_fn *each, void *self);

/* For the checkpoint: everything but the document, which load must find in use. */
void theatre_save(struct theatre *theatre, struct buf *out);
/* The same, a piece at a time; false: that was the last.  Notes may come meanwhile, but nothing
 * else may change. */
void theatre_save_begin(struct theatre *theatre);
bool theatre_save_more(struct theatre *theatre, struct buf *out);
bool theatre_load(struct theatre *theatre, struct text saved, double now_ms);

#endif
