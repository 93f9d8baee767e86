/* person.h - who may answer and control, follows the stage or what agents ask, or was too
 * fast; for this room alone.
 *
 * Few clients are, so it is apart from them.
 */
#ifndef HUB_PERSON_H
#define HUB_PERSON_H

#include "base/list.h"
#include "bus/back.h"
#include "hub/client.h"

struct run_view;

struct person {
	struct client *client;
	struct link in_followers; /* hub.followers: of the stage */
	struct link in_held;      /* hub.held: not read, because it was too fast */
	struct run_view *run;     /* of the run dialect, or NULL */
	char *name;               /* of the credential or the process */
	bool is_process;
	bool forgets;         /* prompts it knows, because it was too slow */
	uint64_t told_prompt; /* the seq up to which it was told of open ones */
	struct link waits;    /* person_wait.in_person */
};

static inline struct run_view *client_run(const struct client *client)
{
	return client->person ? client->person->run : NULL;
}

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

void client_meet(struct client *client, const struct caller *caller);
void client_forget_person(struct client *client);

#endif
