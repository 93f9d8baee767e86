/* escapement.h - the run dialect, as Escapement speaks it: its screens and its agents.
 *
 * A screen sees one run or all of them, answers and controls.  An agent, in any language, says
 * what it does, and is told what people say.
 */
#ifndef ESCAPEMENT_ESCAPEMENT_H
#define ESCAPEMENT_ESCAPEMENT_H

#include "base/error.h"
#include "bus/backs.h"
#include "hub/dialect.h"

struct bus;
struct escapement;
struct prompt;
struct prompts;
struct runs;

/* All of it outlives the dialect. */
struct escapement_options {
	struct runs *runs;
	struct prompts *prompts; /* what agents ask */
	struct bus *bus;         /* what agents say becomes signals there */
	size_t message_max;
};

extern const struct dialect dialect_run; /* hub_dialect.of is a struct escapement */

struct escapement *escapement_create(const struct escapement_options *options);
void escapement_destroy(struct escapement *escapement); /* after the hub */

struct back_end escapement_back_end(struct escapement *escapement); /* its agents */

/* The agent of a run, if it is here: what people want of it; what it asked and they answered;
 * what they did on a screen, as an event.  BACK_UNKNOWN, false: it is not. */
bool escapement_has_agent(const struct escapement *escapement, struct text run);
enum back_answer escapement_control(struct escapement *escapement,
                                    const struct back_control *control, struct error *why);
bool escapement_reply(struct escapement *escapement, const struct prompt *prompt);
bool escapement_tell_event(struct escapement *escapement, const struct signal *signal,
                           struct text run);

#endif
