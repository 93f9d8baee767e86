/* person.h - of a client that may answer and control, was too fast, or has a view: who it is.
 *
 * Few clients are, so it is apart from them.
 */
#ifndef HUB_PERSON_H
#define HUB_PERSON_H

#include "base/list.h"
#include "bus/back.h"
#include "hub/client.h"

struct person {
	struct client *client;
	struct link in_held;  /* hub.held: not read, because it was too fast */
	void *memory;         /* of its encoding, while it reads the journal */
	uint64_t memory_next; /* the seq that it is to be given next */
	char *name;           /* of the credential or the process */
	bool is_process;
	bool has_view;     /* client_view() was asked for */
	bool has_left;     /* its dialect knows that it closes or is gone */
	struct link waits; /* person_wait.in_person */
	uint64_t view[];   /* as much as its dialect has */
};

static inline bool client_is_held(const struct client *client)
{
	return client->person && !list_is_empty(&client->person->in_held);
}

/* What was said, until it is known what became of it: an answer, until it is on the disk; a
 * control, until its verdict is there.  Who leaves is forgotten. */
struct person_wait {
	struct client *client;
	struct link in_person; /* person.waits */
	struct text ref, name; /* its own */
};
struct person_wait *client_wait(struct client *client, struct text ref, struct text name);
void client_end_wait(struct person_wait *wait);

static inline enum answers client_answers(const struct client *client)
{
	return scope_answers(client->scopes, client->has_credential);
}

struct person *client_person(struct client *client); /* made when there is none */
struct back_who client_who(struct client *client, struct text screen);

/* ---- for this room alone ---- */

void client_meet(struct client *client, const struct caller *caller);
void client_leave_dialect(struct client *client); /* it hears that it leaves, once */
void client_forget_memory(struct client *client);
void client_forget_waits(struct client *client); /* it is gone */
void client_free_person(struct client *client);  /* at the end of the turn */

#endif
