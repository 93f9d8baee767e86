/* blocks_sent.c - blocks on their way to the chat, what became of each, and the rest. */
#include "deliver/blocks_inside.h"

/* --- the way to the chat ----------------------------------------------------------------- */

bool pipeline_take(struct pipeline *p, struct pipeline_block *block)
{
	struct sent_block *b;

	if (p->has_stopped || p->has_given_up || list_is_empty(&p->ready))
		return false;
	b = list_of(p->ready.next, struct sent_block, in_list);
	list_remove(&b->in_list);
	list_add(&p->taken, &b->in_list);
	*block = (struct pipeline_block){b->number, b->payload};
	return true;
}

bool pipeline_has_sent(const struct pipeline *p, const struct payload *payload)
{
	return once_look(&p->once, payload) == ONCE_ACCEPTED;
}

static struct sent_block *find_taken(struct pipeline *p, uint64_t number)
{
	list_each(&p->taken, l) {
		struct sent_block *b = list_of(l, struct sent_block, in_list);

		if (b->number == number)
			return b;
	}
	return NULL;
}

void pipeline_settle(struct pipeline *p, uint64_t number, enum pipeline_sent sent)
{
	struct sent_block *b = find_taken(p, number);

	if (!b)
		return;
	p->has_given_up |= sent == PIPELINE_UNKNOWN || sent == PIPELINE_ABSENT;
	if (sent == PIPELINE_ACCEPTED)
		once_set(&p->once, b->payload, ONCE_ACCEPTED);
	if (sent == PIPELINE_REFUSED || sent == PIPELINE_ABSENT) {
		if (!pipeline_has_sent(p, b->payload))
			once_set(&p->once, b->payload, ONCE_UNKNOWN);
		return;
	}
	p->waiting--;
	pipeline_free_block(b);
}

bool pipeline_gave_up(const struct pipeline *p)
{
	return p->has_given_up;
}

/* --- what is left for the final ---------------------------------------------------------- */

static void add_media(struct pipeline *p, const struct payload *from, struct payload *rest)
{
	for (size_t i = 0; i < from->media_count && rest->media_count < PAYLOAD_MEDIA_MAX; i++)
		p->rest_media[rest->media_count++] = from->media[i];
	rest->is_voice |= from->is_voice;
}

static void add_to_rest(struct pipeline *p, struct text t, struct text joiner)
{
	if (p->rest.len && t.len)
		buf_add(&p->rest, joiner);
	buf_add(&p->rest, t);
}

/* All that no chat has, in order; texts are joined as they were parted. */
static void add_unsent(struct pipeline *p, const struct link *list, struct payload *rest)
{
	struct text joiner = text_of(p->options.coalescing.joiner);
	uint64_t before = 0;

	list_each(list, l) {
		const struct sent_block *b = list_of(l, struct sent_block, in_list);
		bool goes_on = b->follows && (before == 0 || b->number == before + 1);

		add_to_rest(p, b->payload->text, goes_on ? chunk_gap_text(b->gap) : joiner);
		add_media(p, b->payload, rest);
		if (rest->reply_to.len == 0)
			rest->reply_to = b->payload->reply_to;
		before = b->number;
	}
}

static void add_all_unsent(struct pipeline *p, struct payload *rest)
{
	add_unsent(p, &p->taken, rest);
	add_unsent(p, &p->ready, rest);
	add_to_rest(p, buf_text(&p->spilled), p->spilled_behind);
	list_each(&p->spilled_media, l)
		add_media(p, list_of(l, struct sent_block, in_list)->payload, rest);
}

bool pipeline_final(struct pipeline *p, const struct payload *final, struct payload *rest)
{
	bool is_known;

	pipeline_stop(p); /* what was held is a block now */
	is_known = p->last_number > 0 && !p->has_missed && said_before(&p->said, final->text);
	*rest = (struct payload){.media = p->rest_media};
	buf_clear(&p->rest);
	add_all_unsent(p, rest);
	if (p->has_missed && said_whole_turn(&p->said, final->text))
		buf_clear(&p->rest); /* it is in the final */
	if (!pipeline_has_sent(p, final)) {
		if (!is_known)
			add_to_rest(p, final->text, text_of(p->options.coalescing.joiner));
		add_media(p, final, rest);
		if (rest->reply_to.len == 0)
			rest->reply_to = final->reply_to;
	}
	rest->text = buf_text(&p->rest);
	return !payload_is_empty(rest);
}
