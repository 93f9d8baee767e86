/* escapement.h - the run dialect, as Escapement speaks it: its screens and its agents.
 *
 * A screen sees one run or all of them, answers and controls.  An agent, in any language, says
 * what it does, and is told what people say.
 */
#ifndef ESCAPEMENT_ESCAPEMENT_H
#define ESCAPEMENT_ESCAPEMENT_H

#include "base/error.h"
#include "base/text.h"
#include "hub/dialect.h"

struct escapement;
struct prompt;
struct prompts;
struct runs;

/* Agents that connect to us, one for each session. */
struct escapement_agents {
	void *self;
	void *(*joined)(void *self, struct text session, bool has_credential);
	/* A frame.  False: it is no good, and why has the words. */
	bool (*heard)(void *self, void *agent, struct text frame, struct error *why);
	void (*left)(void *self, void *agent);
};

/* All of it outlives the dialect. */
struct escapement_options {
	struct runs *runs;
	struct prompts *prompts; /* what agents ask */
	struct escapement_agents agents;
};

extern const struct dialect dialect_run; /* hub_dialect.of is a struct escapement */

struct escapement *escapement_create(const struct escapement_options *options);
void escapement_destroy(struct escapement *escapement); /* after the hub */

/* To screens: a prompt was opened or is over; runs have new frames. */
void escapement_tell_prompt(struct escapement *escapement, const struct prompt *prompt);
void escapement_tell_runs(struct escapement *escapement);

/* To the agent of a session; false: there is none here. */
bool escapement_tell_agent(struct escapement *escapement, struct text session, struct text frame);
bool escapement_has_agent(const struct escapement *escapement, struct text session);

#endif
