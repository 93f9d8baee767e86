/* person.c - who somebody is. */
#include "hub/person.h"

#include <stdlib.h>

#include "base/must.h"
#include "hub/inside.h"

struct person *client_person(struct client *c)
{
	if (!c->person) {
		c->person = must_zero(1, sizeof(*c->person));
		c->person->client = c;
		list_init(&c->person->in_held);
		list_init(&c->person->waits);
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

struct person_wait *client_wait(struct client *c, struct text ref, struct text name)
{
	struct person_wait *w = must_zero(1, sizeof(*w));

	w->client = c;
	w->ref = (struct text){text_dup(ref), ref.len};
	w->name = (struct text){text_dup(name), name.len};
	list_add(&client_person(c)->waits, &w->in_person);
	return w;
}

void client_end_wait(struct person_wait *w)
{
	list_remove(&w->in_person);
	free((char *)w->ref.at);
	free((char *)w->name.at);
	free(w);
}

void *client_has_view(const struct client *c)
{
	return c->person && !c->person->has_left ? c->person->view : NULL;
}

void *client_view(struct client *c)
{
	struct person *p = client_person(c);

	if (!p->view)
		p->view = must_zero(1, client_dialect(c)->view);
	return p->view;
}

void client_leave_dialect(struct client *c)
{
	if (!client_has_view(c))
		return;
	if (client_dialect(c)->leave)
		client_dialect(c)->leave(c);
	c->person->has_left = true;
}

void client_forget_memory(struct client *c)
{
	if (!c->person || !c->person->memory)
		return;
	client_dialect(c)->encoding->free(c->person->memory);
	c->person->memory = NULL;
}

void client_forget_waits(struct client *c)
{
	const struct back *back = &c->hub->options.back;

	if (!c->person)
		return;
	list_each(&c->person->waits, l) {
		struct person_wait *w = list_of(l, struct person_wait, in_person);

		back->forget(back->self, w);
		client_end_wait(w);
	}
	list_remove(&c->person->in_held);
}

void client_free_person(struct client *c)
{
	if (!c->person)
		return;
	free(c->person->view);
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
