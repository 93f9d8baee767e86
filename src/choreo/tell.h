/* tell.h - the commands of bindings; inside this room.
 *
 * The params of a command are put together in one buffer, which is emptied for the
 * next.  A command whose params do not fit into it is not told.
 */
#ifndef CHOREO_TELL_H
#define CHOREO_TELL_H

#include "base/buf.h"
#include "stage/stage.h"

struct teller {
	struct buf params;
	bool by_signal; /* of all that is told: a signal named the entity */
	void (*command)(void *self, const struct stage_command *command);
	void *self;
	struct text correlation, source; /* of the signal that is heard, if one is */
};

struct told {
	enum command_kind kind;
	const char *action;
	struct text actor;
	double now_ms, duration;
	struct text easing;       /* empty: linear */
	double progress, elapsed; /* of a start that is under way */
};

void teller_init(struct teller *teller,
                 void (*command)(void *self, const struct stage_command *command), void *self);
void teller_finish(struct teller *teller);

/* Begins with `{`, or with `{"property":P`; the `}` is the caller's. */
struct buf *tell_params(struct teller *teller);
struct buf *tell_property(struct teller *teller, struct text property);
/* `"name":value` and what separates it, unless the value is empty. */
void tell_member(struct buf *params, const char *name, struct text value);

/* A command with the params that are there. */
void tell(struct teller *teller, const struct told *told);

/* Ends the params, and tells to set what they say. */
void tell_set(struct teller *teller, struct text actor, double now_ms);

/* All of it.  A number must be finite and a text not empty, or nothing is told. */
void tell_number(struct teller *teller, struct text property, struct text actor, double value,
                 double now_ms);
void tell_text(struct teller *teller, struct text property, struct text actor, struct text value,
               double now_ms);
void tell_point(struct teller *teller, struct text actor, double x, double y, double now_ms);

#endif
