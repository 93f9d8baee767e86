/* emit.c - a client's own signals, and the acknowledgements it waits for. */
#include "hub/acks.h"
#include "hub/inside.h"

static void say_ack(struct client *c, const struct ack *ack, uint64_t seq)
{
	client_dialect(c)->acked(c, (struct text){ack->ref, ack->ref_len}, seq);
}

/* What has no ref is not waited for: its tag is this. */
#define NO_TAG UINT64_MAX

static void stamped(void *self, uint64_t tag, struct text id, uint64_t seq)
{
	struct client *c = self;

	c->unstamped--;
	if (c->parted && c->unstamped == 0)
		client_work(c);
	if (c->state == CLIENT_CLOSING || tag == NO_TAG)
		return;
	acks_stamp(c->acks, tag, seq);
	if (list_is_empty(&c->acks->in_hub))
		list_add(&c->hub->waiting, &c->acks->in_hub);
	if (seq <= c->hub->durable_seq)
		client_tell_durable(c);
}

void client_tell_durable(struct client *c)
{
	const struct ack *ack;

	while ((ack = acks_ready(c->acks, c->hub->durable_seq))) {
		say_ack(c, ack, ack->seq);
		if (c->parted)
			return;
		acks_pop(c->acks);
	}
	if (c->acks->first == c->acks->next)
		list_remove(&c->acks->in_hub);
}

/* Acknowledged from memory: told as soon as it has its seq. */
static void stamped_in_memory(void *self, uint64_t tag, struct text id, uint64_t seq)
{
	struct client *c = self;

	if (!c->parted)
		say_ack(c, acks_at(c->acks, tag), seq);
	acks_void(c->acks, tag);
	c->unstamped--;
	if (c->parted && c->unstamped == 0)
		client_work(c);
}

bool client_emit(struct client *c, const struct emission *e, struct bus_verdict *verdict)
{
	struct bus_emit emit = {
		.raw = e->raw,
		.from = bus_from(c->hub->options.bus, text_of(client_dialect(c)->name),
	                         c->has_credential),
		.ticket = {.stamped = stamped, .self = c, .tag = NO_TAG},
		.durable = e->durable && e->ref.len,
		.once = e->once,
		.guess = e->guess,
	};

	emit.from.is_client = true;
	emit.from.envelope_only = e->envelope_only;
	if (e->ref.len) {
		if (!c->acks)
			c->acks = acks_create(c);
		emit.ticket.tag = acks_add(c->acks, e->ref);
		if (!e->durable)
			emit.ticket.stamped = stamped_in_memory;
	}
	c->unstamped++;
	bus_admit(c->hub->options.bus, &emit, verdict);
	if (verdict->answer == BUS_ACCEPTED)
		return true;
	c->unstamped--;
	if (e->ref.len)
		acks_void(c->acks, emit.ticket.tag);
	return false;
}
