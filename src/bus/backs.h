/* backs.h - the back ends: whoever can do what people want of agents.
 *
 * Agents of a dialect, hooks of Claude Code and sources are on one list, and whom something
 * goes to is decided here alone.  A control goes to the first that can do it as things are, or
 * else to the first that knows the run.  Everything else goes to the first that knows what is
 * meant.  The order is that in which they were added.
 *
 * What was only taken waits here for its verdict, for BACKS_WAIT_S at most.  A control that
 * was done leaves a signal `control` in the journal.
 *
 * To add one: fill in a struct back_end in the room that can do it, and give box/back.c a row.
 * ARCHITECTURE.md lists the files; tests/skeleton/back is the least that one can be.
 */
#ifndef BUS_BACKS_H
#define BUS_BACKS_H

#include "base/list.h"
#include "bus/back.h"

#define BACKS_WAIT_S 10
#define BACKS_WAITING_MAX 1024

struct backs;
struct bus;
struct prompt;
struct signal;

/* The end of a prompt, for who asked. */
struct back_outcome {
	struct text source;          /* who asked */
	struct text run, id;         /* the agent's own id of it */
	struct text value;           /* as JSON; empty: cancelled */
	bool is_given;               /* by somebody; else it was withdrawn, or its time was over */
	const struct prompt *prompt; /* all of it, for who speaks of prompts as screens do */
};

/* What somebody did on a screen: a signal `user.*`, and what it was done to. */
struct back_deed {
	const struct signal *signal;
	struct text run, source; /* empty: not known */
};

/* All slots are optional.  BACK_UNKNOWN: it is none of its own, and the next one is tried.
 * BACK_TAKEN, of a cancel or a control: backs_verdict() follows, of a call backs_called(), once and
 * never from inside. */
struct back_end {
	const char *name;
	void *self;
	enum back_answer (*ask)(void *self, const struct back_ask *ask, struct error *why);
	enum back_answer (*cancel)(void *self, const struct back_control *control,
	                           struct error *why);
	enum back_answer (*control)(void *self, const struct back_control *control,
	                            struct error *why);
	bool (*can)(void *self, struct text run, struct text op); /* as struct back has it */
	/* A message in the producer's own language. */
	enum back_answer (*send)(void *self, struct text source, struct text message,
	                         struct error *why);
	enum back_answer (*call)(void *self, const struct back_call *call, struct error *why);
	/* What somebody did on a screen. */
	enum back_answer (*tell)(void *self, const struct back_deed *deed, struct error *why);
	/* To the agent that asked.  BACK_CONFLICT: it is not there now. */
	enum back_answer (*settle)(void *self, const struct back_outcome *outcome,
	                           struct error *why);
	/* Before an answer is taken: a prompt that was decided elsewhere is withdrawn now. */
	void (*look)(void *self, struct text source, struct text id);
	/* The input of the tool that a prompt is about, where that was too long to tell. */
	struct text (*input)(void *self, struct text source, struct text id);

	struct link in_all; /* backs.all */
};

/* The prompts, which are answered through us: as struct back has them. */
struct back_prompts {
	void *self;
	enum back_answer (*reply)(void *self, const struct back_reply *reply, struct error *why);
	void (*forget)(void *self, void *of);
	void (*list)(void *self, enum answers may, struct buf *out);
	enum back_answer (*input)(void *self, struct text prompt, struct buf *out,
	                          struct error *why);
};

struct backs_options {
	struct bus *bus;
	void *self;
	/* Optional: may a run with this id begin, or is it taken? */
	bool (*is_free)(void *self, struct text run, struct error *why);
	/* Optional: nobody knows the run of this control; why may be told better. */
	enum back_answer (*missing)(void *self, const struct back_control *control,
	                            struct error *why);
};

struct backs *backs_create(const struct backs_options *options);
void backs_destroy(struct backs *backs); /* nobody is told any more */
void backs_add(struct backs *backs, struct back_end *end);
void backs_stop(struct backs *backs); /* all of them are gone */
void backs_tick(struct backs *backs); /* call it each second */

/* What screens call. */
struct back backs_front(struct backs *backs, const struct back_prompts *prompts);

enum back_answer backs_tell(struct backs *backs, const struct back_deed *deed, struct error *why);
enum back_answer backs_settle(struct backs *backs, const struct back_outcome *outcome,
                              struct error *why);
void backs_look(struct backs *backs, struct text source, struct text id);
struct text backs_input(struct backs *backs, struct text source, struct text id);

/* What became of a cancel or a control that was taken. */
void backs_verdict(struct backs *backs, uint64_t ticket, enum back_answer verdict, const char *why);
void backs_called(struct backs *backs, uint64_t ticket, const struct back_verdict *verdict);

#endif
