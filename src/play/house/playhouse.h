/* playhouse.h - the show in a box: played, remembered, kept on the disk.
 *
 * The theatre has no clock, no files and no bus; this joins it to them.  Who follows the stage is
 * told by the two functions of the options.
 */
#ifndef PLAY_HOUSE_PLAYHOUSE_H
#define PLAY_HOUSE_PLAYHOUSE_H

#include "base/buf.h"
#include "base/error.h"
#include "play/theatre.h"

struct back_deed;
struct bus;
struct journal;
struct loop;
struct playhouse;
struct signal;

struct playhouse_options {
	struct loop *loop;
	struct journal *journal;
	struct bus *bus;
	const char *data; /* DATA, for show.json */
	void *self;
	unsigned long (*followers)(void *self); /* how many look */
	/* To them: a command was played, in the order of versions; all of it must be looked at. */
	void (*command)(void *self, uint64_t version, double at_ms, struct text json);
	void (*changed)(void *self);
	/* Somebody asked playhouse_concerned too early; it may know more now. */
	void (*reached)(void *self);
};

/* There is a theatre, and no document but its own. */
struct playhouse *playhouse_create(const struct playhouse_options *options);
/* The document of DATA, if there is a good one; it goes on where it was. */
void playhouse_open(struct playhouse *p);
void playhouse_destroy(struct playhouse *p);

/* ---- the door of web to the stage, as web/web.h says; self is the playhouse ---- */

bool playhouse_reach(void *self);
uint64_t playhouse_seq(void *self);
void playhouse_watch(void *self, bool watches);
void playhouse_show(void *self, struct buf *out);

const struct theatre *playhouse_theatre(const struct playhouse *p);
void playhouse_status(struct playhouse *p, struct buf *out); /* of GET /api/status */
/* Whom a signal of a person concerns, for bus/deeds.h: the run that it names, or else the last
 * performance of what it was done to.  self is the playhouse. */
bool playhouse_concerned(void *self, const struct signal *s, struct back_deed *deed);
void playhouse_metrics(const struct playhouse *p, struct buf *out); /* of GET /metrics */
uint64_t playhouse_skipped(const struct playhouse *p); /* signals, by the theatre or by us */

/* How all of the stage looks, as a JSON object; the time of that. */
double playhouse_look(struct playhouse *p, struct buf *out);
/* Each command after a version; false: not all are remembered. */
bool playhouse_since(struct playhouse *p, uint64_t version, theatre_each_fn *each, void *of);

/* ---- store.c: the door of web, as web/show.h says ---- */

typedef void playhouse_used_fn(void *of, const struct error *trouble);

struct text playhouse_document(void *self);
struct text playhouse_tag(void *self);
void *playhouse_use(void *self, struct text json, playhouse_used_fn *used, void *of,
                    struct error *why);
void playhouse_forget_use(void *self, void *use);
bool playhouse_run(void *self, bool on);

#endif
