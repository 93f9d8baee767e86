/* prompts.h - what agents ask people, and who answered.
 *
 * A prompt is a signal of type `prompt` (prompt.h); whoever emits one asks.  Its id is made
 * from its place in the journal and a key of this box, so it cannot be guessed and is the
 * same after a restart.  Towards its agent it has the agent's own id.
 *
 *	answer         {"value"|"cancelled":true,"by":{"user","process"?,"screen"}}
 *	prompt.closed  {"state":"cancelled"|"expired","why","value"?}
 *	prompt.told    its agent knows
 *	prompt.settled {"by":"agent"|{"user",...},"decision"}: what its agent did
 *
 * each with {"prompt","type","invokeid"?} of the prompt.
 *
 * The first valid answer wins: it is emitted as a signal of ours, and told to the agent
 * when that is on the disk.  Everything here is folded from signals, so a restart finds it
 * as it was; only who was told in the moment before a crash may be told again, with the
 * same words.  `answer`, `prompt.closed`, `prompt.told` and `prompt.settled` count only when
 * the box itself said them (SOURCE_OF_BOX), a name that nobody else may use.
 *
 * A prompt of a run with the own id of one that is open takes its place; one that says the
 * same again is the same one.
 */
#ifndef RUN_PROMPTS_H
#define RUN_PROMPTS_H

#include "bus/backs.h"
#include "run/prompt.h"

#define PROMPTS_OPEN_MAX 4096        /* one more closes the oldest, as expired */
#define PROMPTS_KEPT_MAX 16384       /* closed ones, so that who comes late learns who was first */
#define PROMPTS_BYTES_MAX (24 * MIB) /* of all; then closed ones go, then the oldest open one */

#define PROMPTS_BACK 1000000 /* signals that a start without a checkpoint looks at */

struct bus;
struct fold_kind;
struct prompts;

struct prompts_options {
	struct bus *bus;
	const char *key; /* PROMPTS_KEY bytes; copied */
	void *self;
	/* To every screen: it was opened, or it is over. */
	void (*changed)(void *self, const struct prompt *prompt);
	/* Whom an agent's prompt is told to, when it is over, durably.  One that is not there is
	 * told by prompts_untold(). */
	struct backs *backs;
};
#define PROMPTS_KEY 32
/* Reads DATA/prompt-key, or makes it; and: is it as it must be, if it is there? */
bool prompts_load_key(const char *data, char key[PROMPTS_KEY], struct error *why);
bool prompts_check_key(const char *data, struct error *why);

struct prompts *prompts_create(const struct prompts_options *options);
void prompts_destroy(struct prompts *prompts);

/* Is it of a type that is to be heard?  Costs next to nothing. */
bool prompts_wants(const struct signal *s);
/* When it is admitted, and when the journal is folded at the start. */
void prompts_hear(struct prompts *prompts, const struct signal *s);
void prompts_durable(struct prompts *prompts, uint64_t seq);
void prompts_tick(struct prompts *prompts, int64_t now_ms); /* deadlines; call each second */

/* Taken: it is done when it is on the disk.  BACK_CONFLICT: the disk fails, and it stays open. */
enum back_answer prompts_answer(struct prompts *prompts, const struct back_reply *answer,
                                struct error *why);
void prompts_forget(struct prompts *prompts, void *of); /* who waited is gone */

/* What its agent did.  id is our own. */
struct prompt_settlement {
	bool is_agents; /* that is not what was answered here, but what it was told there ... */
	struct back_who who; /* ... by this one; no user: that is not known */
	const char *decision;
};
void prompts_settle(struct prompts *prompts, struct text id,
                    const struct prompt_settlement *settlement);

/* Its agent says that it does not want an answer any more; id is our own. */
void prompts_cancel(struct prompts *prompts, struct text id, const char *why);

const struct prompt *prompts_find(const struct prompts *prompts, struct text id);
/* Of a run, by the agent's own id: the newest; NULL: there is none. */
const struct prompt *prompts_find_own(const struct prompts *prompts, struct text run,
                                      struct text own_id);
/* The same of a source. */
const struct prompt *prompts_find_asked(const struct prompts *prompts, struct text source,
                                        struct text own_id);
struct link *prompts_open(struct prompts *prompts); /* prompt.in_open, oldest first */
size_t prompts_open_count(const struct prompts *prompts);
/* The agent of this run is back: delivers what was answered meanwhile.  Without a run:
 * any of them may be. */
void prompts_untold(struct prompts *prompts, struct text run);

/* ---- prompts_asked.c: by whoever asked ---- */

/* Does not want to know any more: one by its own id, or all of some sources. */
void prompts_withdraw(struct prompts *prompts, struct text source, struct text id, const char *why);
void prompts_withdraw_all(struct prompts *prompts, bool (*is_meant)(struct text source),
                          const char *why);
/* Settled by a run's own id; and by a source's, where the decision came from there. */
void prompts_settle_own(struct prompts *prompts, struct text run, struct text id,
                        const struct prompt_settlement *settlement);
void prompts_decide(struct prompts *prompts, struct text source, struct text id,
                    const struct prompt_settlement *settlement);
/* The open ones of a source, by the ids that it gave them. */
void prompts_each_asked(struct prompts *prompts, struct text source,
                        void (*each)(void *of, struct text id), void *of);

/* For screens: backs_front() wants them. */
struct back_prompts prompts_back(struct prompts *prompts);

/* How they are folded from the journal (bus/folds.h). */
extern const struct fold_kind prompts_fold;

/* For the checkpoint, a piece at a time (bus/saving.h); load: for one that has heard nothing. */
void prompts_save_begin(struct prompts *prompts);
bool prompts_save_more(struct prompts *prompts, struct buf *out); /* false: the last */
bool prompts_load(struct prompts *prompts, struct text saved);

#endif
