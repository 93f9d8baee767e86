/* matters.h - news that reach a person without looking: once for each matter; pure.
 *
 * A session waits for a person, failed, or finished after long work; the budget of the day is
 * passed.  Each is a matter with an id that is the same after a restart.  It is raised when it
 * has stood for MATTERS_GRACE_MS, so that a question that is answered at once is none, and
 * settled when somebody has seen to it, wherever that was.
 *
 * What stood before the box began is known and not raised, nor is what happened longer than
 * MATTERS_NEWS_MS ago: transcripts tell of the past, too.
 */
#ifndef CREW_MATTERS_H
#define CREW_MATTERS_H

#include "base/buf.h"
#include "base/list.h"

#define MATTERS_GRACE_MS 1500
#define MATTERS_NEWS_MS (10 * 60e3)
#define MATTERS_LAST_MS (24 * 3600e3) /* then nobody looks for it */
#define MATTERS_TOLD_MAX 500          /* in a list; the newest */
#define MATTERS_WORDS_MAX 240         /* bytes of what an agent said */

struct crew;
struct matters;

enum matter_kind { MATTER_ASKS, MATTER_FAILED, MATTER_FINISHED, MATTER_BUDGET, MATTER_KINDS };

/* Texts are safe to show, and one line each; NULL: it has none. */
struct matter {
	char *id;
	enum matter_kind kind;
	char *title;                     /* "checkout-2 waits for you" */
	char *words;                     /* what for, as far as its agent says it */
	char *handle, *project, *member; /* of its session */
	char *run;
	char *prompt; /* of a question that can be answered here */
	double at_ms;
	/* For matters.c alone: */
	char *name; /* what makes the title, behind the handle */
	double due_ms;
	bool is_quiet;      /* it is known, and nobody is told */
	bool is_raised;     /* everybody was told */
	bool is_of_before;  /* an open question; until that was told */
	bool is_over;       /* for too long */
	struct link in_all; /* matters.all, the oldest first */
};

struct matters_options {
	void *self;
	void (*raised)(void *self, const struct matter *matter);
	/* A question of before the box began, which is open still; may be NULL. */
	void (*stands)(void *self, const struct matter *matter);
	/* Whether it was raised by this box or one before it; only its id counts. */
	void (*settled)(void *self, const struct matter *matter);
};

struct matters *matters_create(const struct matters_options *options);
void matters_destroy(struct matters *matters);

/* Work of so long is worth a word when it is done; 0: never. */
void matters_set_after(struct matters *matters, double after_ms);

/* Looks at the questions that are open and at the sessions that changed since crew_take_changed;
 * quiet: at all sessions, and what stands is known. */
void matters_look(struct matters *matters, struct crew *crew, double now_ms, bool quiet);

/* What was spent on this day, "2026-11-17", and how much may be; 0: as much as they like. */
struct matters_money {
	const char *day;
	double spent, budget;
};
void matters_weigh(struct matters *matters, const struct matters_money *money, double now_ms,
                   bool quiet);

/* Raises what is due, forgets what is over.  When it wants to be called again: INFINITY: only
 * after a look. */
double matters_tick(struct matters *matters, const struct crew *crew, double now_ms);

/* `{"id","kind","title","words"?,"handle"?,"project"?,"session"?,"run"?,"prompt"?,"at"}` */
void matter_json(const struct matter *matter, struct buf *out);
/* A list of those that stand, the newest last. */
void matters_json(const struct matters *matters, struct buf *out);
const char *matter_kind_name(enum matter_kind kind);

#endif
