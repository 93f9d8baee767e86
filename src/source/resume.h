/* resume.h - what the last life of the box left open, folded from signals; pure.
 *
 * Two things.  Where each source is that can go on from a position: it rides in the
 * signals themselves, as `metadata.position {"source","at"}`, so it is on the disk when
 * they are, and never before; with `"run":true` it is where one of its runs is, that of the
 * signal.  And which asks have no end yet: a task_dispatch opens
 * one, a completion or an error ends it.
 */
#ifndef SOURCE_RESUME_H
#define SOURCE_RESUME_H

#include "base/buf.h"
#include "base/text.h"

#define RESUME_SOURCES_MAX 1024
#define RESUME_ASKS_MAX 4096 /* the oldest is forgotten */
#define RESUME_RUNS_MAX 1024 /* of all sources; the one that was silent for longest is forgotten */
#define RESUME_AT_MAX (4 * KIB)
#define RESUME_BACK 1000000 /* signals that a start without a checkpoint looks at */

struct bus;
struct fold_kind;
struct resume;
struct signal;
struct sources;

struct resume *resume_create(void);
void resume_destroy(struct resume *resume);

/* Could a line say anything of this?  Whoever reads many asks this first. */
bool resume_may_matter(struct text line);
/* The same of a signal that was just admitted, which says by whom it came. */
bool resume_wants(const struct signal *signal);
/* Each signal, in the order of the journal. */
void resume_hear(struct resume *resume, const struct signal *signal);

/* Where the source is; empty: nowhere that is known. */
struct text resume_position(const struct resume *resume, struct text source);

/* Each of its runs, the one that was silent for longest first. */
void resume_each_run(const struct resume *resume, struct text source,
                     void (*each)(void *of, struct text run, struct text at), void *of);

struct resume_ask {
	struct text run, source, agent; /* who was asked; empty: not known */
};
typedef void resume_ask_fn(void *self, const struct resume_ask *ask);
/* Each ask without an end, the oldest first; they are forgotten. */
void resume_take_asks(struct resume *resume, resume_ask_fn *take, void *self);

/* Who asked waits for an end, and so does whoever watches the run: each ask without one gets
 * an error, unless its source works on without us and says itself how it ended. */
void resume_end_asks(struct resume *resume, struct sources *sources, struct bus *bus);

/* For the checkpoint, a JSON object, a piece at a time (bus/saving.h); load is for one that has
 * heard nothing yet. */
void resume_save_begin(struct resume *resume);
bool resume_save_more(struct resume *resume, struct buf *out); /* false: the last */
bool resume_load(struct resume *resume, struct text saved);

/* How it is folded from the journal (bus/folds.h). */
extern const struct fold_kind resume_fold;

/* The envelope with `metadata.position`; false when it cannot be put in. */
struct resume_place {
	struct text source, at;
	bool is_run;
};
bool resume_stamp(struct buf *out, struct text envelope, const struct resume_place *place);

#endif
