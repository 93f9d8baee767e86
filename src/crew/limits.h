/* limits.h - how much of an account's limits is used, as its agents tell it, and how fast; a fold.
 *
 * An agent.limits tells windows, each with its length and the per cent that is used of it.  Of each
 * window the last hour is kept, as samples.  Several sessions of one account tell of the same
 * windows, some of them late: within a window what is less than before is old, for an hour.  What
 * is older than the last is late, or the clock of the last was wrong: files of agents that are read
 * again are seldom older than LIMITS_LATE_MS.  What a program without a credential says counts for
 * nothing here.
 *
 * Accounts are kept apart by the program, by what names the account, or else the user and machine,
 * or the source, and, where nobody names it, by the plan.
 */
#ifndef CREW_LIMITS_H
#define CREW_LIMITS_H

#include "base/buf.h"
#include "signal/signal.h"

#define LIMITS_SIGNAL "agent.limits"
#define LIMITS_ACCOUNTS_MAX 32      /* the one that was quiet for longest is forgotten */
#define LIMITS_WINDOWS_MAX 8        /* of an account; others are not heard */
#define LIMITS_SAMPLES_MAX 36       /* an hour of them */
#define LIMITS_NAME_MAX 64          /* bytes of a name; of a longer one the beginning */
#define LIMITS_APART_MS 120e3       /* samples that are nearer to each other are one */
#define LIMITS_STALE_MS (15 * 60e3) /* what was told before that may have changed */
#define LIMITS_LATE_MS (31 * 24 * 3600e3)
#define LIMITS_SPAN_MS (5 * 60e3) /* a shorter time says nothing of a rate */

struct fold_kind;
struct limits;

struct limit_sample {
	double at_ms, used; /* per cent */
};

struct limit_window {
	char *name; /* "" where its length says it all */
	uint32_t minutes;
	double resets_ms; /* 0: not told */
	struct limit_sample samples[LIMITS_SAMPLES_MAX];
	unsigned count; /* the last is what is known */
};

/* What a person wants to know of a window at a moment. */
struct limit_outlook {
	bool is_reset; /* it began anew, and nobody told of that one yet */
	double used;   /* per cent; more than 100 where a provider lets it */
	bool has_rate;
	double rate;       /* per cent an hour, of the last hour */
	double used_up_ms; /* when, at this rate; 0: not before the reset, or never */
};

/* Per cent an hour from an hour before now, or the first sample, until now; false: too little is
 * known. */
bool limits_rate(const struct limit_sample *samples, size_t count, double now_ms, double *rate);
void limits_look(const struct limit_window *window, double now_ms, struct limit_outlook *out);

struct limits *limits_create(void);
void limits_destroy(struct limits *limits);
/* Nothing lies behind this time; without it a signal's own is believed. */
void limits_set_clock(struct limits *limits, int64_t (*now_ms)(void));
void limits_hear(struct limits *limits, const struct signal *signal);

/* `"limits":[{"harness","account"?,"plan"?,"at","stale","windows":[{"name"?,"minutes"?,"used",
 * "left","resetsAt"?,"isReset","perHour"?,"usedUpAt"?}]}]`: a member of an object. */
void limits_json(const struct limits *limits, double now_ms, struct buf *out);

/* How it is folded from the journal (bus/folds.h). */
extern const struct fold_kind limits_fold;

#endif
