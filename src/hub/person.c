/* person.c - who somebody is. */
#include "hub/person.h"

#include <stdlib.h>

#include "base/must.h"
#include "hub/inside.h"
#include "hub/native.h"

struct person *client_person(struct client *c)
{
	if (!c->person) {
		c->person = must_zero(1, sizeof(*c->person));
		c->person->client = c;
		list_init(&c->person->in_followers);
		list_init(&c->person->in_held);
		list_init(&c->person->replies);
	}
	return c->person;
}

struct back_who client_who(struct client *c, struct text screen)
{
	const struct person *p = client_person(c);
	struct text name = text_of(p->name ? p->name : "");

	return (struct back_who){
		.user = p->is_process ? TEXT("owner") : name,
		.process = p->is_process ? name : TEXT(""),
		.screen = screen,
	};
}

void client_forget_person(struct client *c)
{
	if (!c->person)
		return;
	native_forget_replies(c);
	list_remove(&c->person->in_held);
	free(c->person->name);
	free(c->person);
	c->person = NULL;
}

/* Only of those who may say something is it known who they are. */
void client_meet(struct client *c, const struct caller *caller)
{
	if (!(caller->scopes & (SCOPE_ANSWER | SCOPE_CONTROL)))
		return;
	client_person(c)->name = must_dup(caller->name);
	c->person->is_process = caller->is_process;
}
