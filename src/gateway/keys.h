/* keys.h - which agent and session of the box a client means by a session key, and back.
 *
 * `agent:NAME:REST`.  NAME is an agent of the configuration, or made of the source's id.  REST is
 * the key of the conversation; of a run that is in none it is the id of the run.  The key of a
 * conversation that another gateway named is such a key already and stays as it is.  `main` is
 * the main session of the default agent.
 */
#ifndef GATEWAY_KEYS_H
#define GATEWAY_KEYS_H

#include "base/buf.h"

struct gateway;
struct run;
struct run_session;
struct signal;

#define GATEWAY_NAME_MAX 64

/* The name of a source's agent. */
void gateway_agent_name(const struct gateway *g, struct text source,
                        char name[GATEWAY_NAME_MAX + 1]);
/* The name of the default agent; `main` where nobody can be asked. */
void gateway_default_agent(const struct gateway *g, char name[GATEWAY_NAME_MAX + 1]);

void gateway_key_of_run(const struct gateway *g, const struct run *run, struct buf *key);
struct text gateway_key_agent(struct text key); /* NAME; empty: that is no such key */
struct text gateway_key_rest(struct text key);

bool gateway_is_live(const struct gateway *g, const struct run *run); /* somebody is at work */

/* Where a key leads. */
struct gateway_place {
	struct buf key;              /* as it is written in full */
	struct buf source;           /* whom to ask; empty: there is no such agent */
	struct text rest;            /* within key */
	struct buf name;             /* of the conversation, for who is asked */
	uint64_t generation;         /* from 1: it began anew so often */
	struct run_session *session; /* or NULL */
	struct run *run;             /* that is its own session, or NULL */
};
/* agent: who is meant where the key does not say it; empty: the default agent. */
void gateway_find_place(const struct gateway *g, struct text key, struct text agent,
                        struct gateway_place *out);
void gateway_place_finish(struct gateway_place *place);

/* A conversation that began anew has the same key, and another name: NAME~2, NAME~3.  Only what
 * we began ourselves counts: others may have such names, too. */
struct text gateway_name_base(struct text name, uint64_t *generation);
/* Returns the generation. */
uint64_t gateway_next_name(const struct gateway *g, const struct gateway_place *place,
                           struct buf *name);
void gateway_find_generations(struct gateway *g); /* of all sessions; then each is heard: */
void gateway_hear_generation(struct gateway *g, const struct run *run, const struct signal *s);
void gateway_note_generation(struct gateway *g, struct text key, uint64_t generation);
bool gateway_is_past(const struct gateway *g, const struct run *run);

/* The runs of a place, oldest first. */
void gateway_place_runs(const struct gateway_place *place,
                        void (*each)(void *self, struct run *run), void *self);

#endif
