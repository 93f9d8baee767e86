/* person.c - who somebody is. */
#include "hub/person.h"

#include <assert.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/must.h"
#include "hub/inside.h"
#include "net/account.h"

struct person *client_person(struct client *c)
{
	if (!c->person) {
		c->person = pool_take(c->spoken->people);
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
	const struct person *p = c->person;

	return p && p->has_view && !p->has_left ? (void *)p->view : NULL;
}

void *client_view(struct client *c)
{
	struct person *p = client_person(c);

	p->has_view = true;
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
	free(c->person->name);
	pool_give(c->spoken->people, c->person);
	c->person = NULL;
}

/* Only of those who may say something is it known who they are. */
void client_meet(struct client *c, const struct caller *caller)
{
	if (!(caller->scopes & (SCOPE_ANSWER | SCOPE_CONTROL)))
		return;
	free(client_person(c)->name);
	c->person->name = must_dup(caller->name);
	c->person->is_process = caller->is_process;
}

/* ---- a credential in a message ---- */

void client_limit(struct client *c, const struct ws_limits *limits)
{
	ws_set_limits(&c->ws, limits);
}

bool client_is_stranger(const struct client *c)
{
	return c->scopes == 0;
}

/* False: the account that would be its own has no room for it.  A stranger subscribes to
 * nothing. */
static bool move_to_account(struct client *c, const struct caller *caller)
{
	struct account *from = c->account;
	struct account *to = account_open(c->hub->options.accounts, caller, clock_mono_ns());

	assert(!c->tape);
	if (to != from && !account_may_connect(to)) {
		account_close(to);
		return false;
	}
	from->connections--;
	to->connections++;
	account_close(from);
	c->account = to;
	return true;
}

static void become(struct client *c, const struct caller *caller)
{
	c->scopes = (uint8_t)caller->scopes;
	c->has_credential = caller->has_credential;
	client_meet(c, caller);
	conn_vouch(c->conn);
	ws_set_limits(&c->ws, &c->hub->options.ws);
	client_start_beat(c);
	if (account_is_limited(c->account))
		client_hold(c);
}

enum identified client_admit(struct client *c, const struct caller *caller)
{
	if (!client_is_stranger(c))
		return IDENTIFIED_BEFORE;
	if (!move_to_account(c, caller))
		return IDENTIFIED_CROWDED;
	become(c, caller);
	return IDENTIFIED;
}

enum identified client_identify(struct client *c, struct text secret, unsigned *wait_s)
{
	const struct hub_callers *callers = &c->hub->options.callers;
	struct caller caller = {0};

	if (!client_is_stranger(c))
		return IDENTIFIED_BEFORE;
	switch (callers->find(callers->self, c->conn, secret, &caller, wait_s)) {
	case CALLER_WRONG:
		return IDENTIFIED_WRONG;
	case CALLER_WAIT:
		return IDENTIFIED_WAIT;
	case CALLER_KNOWN:
		break;
	}
	return client_admit(c, &caller);
}
