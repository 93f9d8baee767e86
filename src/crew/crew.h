/* crew.h - every session of every agent: who works on what, who waits, what failed.
 *
 * A session is one conversation with one agent: a run, or the runs that say that they belong
 * together (a sessionKey, the session of an ask).  It is folded from the journal later than
 * signals are admitted (bus/folds.h), from signals alone.  What screens show of it comes from
 * here, and from nowhere else.
 *
 * A session has a handle that people type, made of its project and a number: `checkout-2`.  A
 * number is never given twice, also after a restart.
 */
#ifndef CREW_CREW_H
#define CREW_CREW_H

#include "base/buf.h"
#include "crew/member.h"

#define CREW_MAX 4096        /* the one that was quiet for longest is forgotten */
#define CREW_BASES_MAX 65536 /* projects whose numbers are known; then one name for all others */
#define CREW_SAVED_MAX (32 * MIB) /* of a checkpoint */
#define CREW_TITLE_MAX 200        /* bytes of one that a person gives */
#define CREW_KEPT_MAX (1 * MIB)   /* more is not kept with a segment */

struct back_who;
struct bus;
struct crew;
struct folds;
struct peaks;
struct prices;
struct spending;

typedef void crew_question_fn(void *of, const char *run, const struct crew_question *question);

struct crew_options {
	void *self;
	/* Something changed since crew_take_changed, or all was heard. */
	void (*news)(void *self);
	/* Each question that is open, the oldest first; its texts outlive the call. */
	void (*questions)(void *self, crew_question_fn *each, void *of);
	/* What they spent, and what that costs; NULL: it is not told. */
	const struct spending *spending;
	const struct prices *prices;
	/* What is dated later counts as of now, among how many are at work at once; NULL: it is
	 * believed. */
	int64_t (*now_ms)(void);
};

struct crew *crew_create(const struct crew_options *options);
void crew_destroy(struct crew *crew);

/* Each signal, in the order of the journal, as signal_read() gives it. */
void crew_hear(struct crew *crew, const struct signal *s);
/* Makes it a fold of the journal, which does that from now on. */
void crew_join(struct crew *crew, struct folds *folds);
bool crew_reach(struct crew *crew);          /* folds on for a moment; true: all there is */
uint64_t crew_seq(const struct crew *crew);  /* of the newest signal that was heard */
void crew_watch(struct crew *crew, bool on); /* a screen watches, or no longer does */
/* A question of this run was opened or is over. */
void crew_touch(struct crew *crew, struct text run);

/* By the id of one of its runs, or by its handle; NULL: unknown. */
struct crew_member *crew_find(const struct crew *crew, struct text name);
/* Does the plan of this session say what these items, a JSON array, say? */
bool crew_has_plan(const struct crew *crew, struct text name, struct text items);
size_t crew_count(const struct crew *crew);
struct link *crew_all(struct crew *crew); /* member.in_all, the one that spoke last at the end */

/* One as JSON, with its details or without.  now_ms: what a pulse ends at. */
void crew_member_json(struct crew *crew, const struct crew_member *m, double now_ms, bool whole,
                      struct buf *out);
/* A JSON array of all, the one that spoke last first; at most so many, and as fit. */
void crew_json(struct crew *crew, double now_ms, size_t most, struct buf *out);
/* `[..]` of those that changed since the last call, and `[ids]` of those that are gone. */
bool crew_take_changed(struct crew *crew, double now_ms, struct buf *changed, struct buf *removed);

/* How many were at work at once; lives as long. */
const struct peaks *crew_peaks(const struct crew *crew);

/* A member `crew`: how many are in each group, and the handles of those that wait. */
void crew_status(struct crew *crew, double now_ms, struct buf *out);

/* Each that is at work, as far as is known, has no process that is known, and said nothing after
 * this seq. */
void crew_each_silent(struct crew *crew, uint64_t seq,
                      void (*each)(void *self, const struct crew_member *m), void *self);

/* The group in which a list has it now: what failed or fell silent long ago is over. */
enum crew_group crew_group(const struct crew *crew, const struct crew_member *m, double now_ms);

/* A person renames it, with at most CREW_TITLE_MAX bytes; none: the agent's own
 * again.  False: that cannot be stored. */
bool crew_rename(struct bus *bus, const struct crew_member *m, struct text title,
                 const struct back_who *who, struct error *why);

/* The same, of a session that the crew may not have heard of yet: by one of its runs. */
bool crew_name_run(struct bus *bus, struct text run, struct text title, const struct back_who *who,
                   struct error *why);

/* For the checkpoint, a piece at a time, and back into one that has heard nothing. */
void crew_save_begin(struct crew *crew);
bool crew_save_more(struct crew *crew, struct buf *out);
bool crew_load(struct crew *crew, struct text saved);

#endif
