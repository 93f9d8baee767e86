/* approve.h - hooks of Claude Code that wait for a person.
 *
 * With `tap install --approve` a PermissionRequest becomes a prompt, and its hook is held
 * until somebody answers it on any screen.
 *
 * A hook that is decided for nobody gets nothing, and then Claude Code asks in its own
 * dialog.  That is what happens when the time is over, when the prompt is cancelled, and
 * when the box stops or dies.  A prompt does not go on after that, and approve_is_ours()
 * tells them from those of others.
 */
#ifndef SOURCE_APPROVE_H
#define SOURCE_APPROVE_H

#include "bus/backs.h"

struct approve;
struct approve_held;
struct hook;
struct loop;

struct approve_options {
	struct loop *loop;
	struct hook *hook; /* who gives our signals to their source */
	void *self;
	/* A prompt wants no answer any more; id is its agent's own. */
	void (*withdrew)(void *self, struct text source, struct text id, const char *why);
	/* What its agent did: `allow`, `deny`, `gone`, or the word of the answer.  is_agents:
	 * that is not what was answered here. */
	void (*settled)(void *self, struct text run, struct text id, bool is_agents,
	                const char *decision);
};

struct approve *approve_create(const struct approve_options *options);
void approve_destroy(struct approve *approve);
void approve_stop(struct approve *approve); /* lets go of all, and holds no more */

/* What a hook is to print; empty: nothing. */
typedef void approve_decided_fn(void *of, struct text json);

/* A payload of a hook that decides.  NULL: there is nothing to wait for.  Else decided()
 * is called once, later, unless it is forgotten before. */
struct approve_held *approve_hold(struct approve *approve, struct text payload,
                                  approve_decided_fn *decided, void *of);
void approve_forget(struct approve_held *held); /* who waited is gone; NULL is fine */

/* A payload of any hook: it may tell what became of a question. */
void approve_note(struct approve *approve, struct text payload);
/* Was this question, by its own id, decided in its agent's own dialog?  Then it is withdrawn. */
void approve_look(struct approve *approve, struct text id);

/* The whole input of the tool that this prompt, by its own id, is about; as JSON, until the
 * loop's next turn.  Empty: there is none. */
struct text approve_input(const struct approve *approve, struct text id);

/* False: nobody waits for it. */
bool approve_reply(struct approve *approve, const struct back_outcome *reply);

/* Of this source: does it come from hooks? */
bool approve_is_ours(struct text source);

#endif
