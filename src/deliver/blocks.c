/* blocks.c - from tokens to blocks, and what became of each. */
#include "deliver/blocks.h"

#include <stdlib.h>

#include "base/list.h"
#include "base/must.h"
#include "deliver/once.h"
#include "deliver/said.h"

struct sent_block {
	struct link in_list; /* pipeline.taken, ready or held */
	uint64_t number;
	struct payload *payload;
	bool follows; /* the block before it, behind the gap */
	enum chunk_gap gap;
};

struct pipeline {
	struct pipeline_options options;
	char *reply_to; /* for the first block of tokens; NULL afterwards */
	struct chunker *chunker;
	struct gatherer held_text;
	int64_t touched_ms; /* when something came last */
	bool saw_voice, has_stopped, has_given_up;
	bool has_overflowed; /* nothing more is taken */
	bool has_missed;     /* something was not taken: only the final has it */

	struct link taken, ready; /* blocks without an answer or refused; those to take; in order */
	size_t waiting;           /* in both */
	struct link held;         /* media, till the flush */
	size_t held_count;
	uint64_t last_number;
	uint64_t streamed; /* pieces of one text, in a row */

	struct once once; /* what left */
	struct said_turn said;

	struct buf spilled;         /* texts of blocks for which there was no room, in order */
	struct text spilled_behind; /* what stands before them */
	struct link spilled_media;

	struct buf rest;
	struct text rest_media[PAYLOAD_MEDIA_MAX];
};

struct pipeline *pipeline_create(const struct pipeline_options *options)
{
	struct pipeline *p = must_zero(1, sizeof(*p));
	struct chunk_options chunking = options->chunking;

	/* A paragraph leaves from the length on from which a block does. */
	if (chunking.paragraph_from == 0)
		chunking.paragraph_from = options->coalescing.min_chars;
	p->options = *options;
	p->reply_to = options->reply_to.len ? text_dup(options->reply_to) : NULL;
	p->chunker = chunker_create(&chunking);
	gather_init(&p->held_text, &options->coalescing);
	list_init(&p->taken);
	list_init(&p->ready);
	list_init(&p->held);
	list_init(&p->spilled_media);
	buf_init(&p->spilled, 2 * CHUNK_HELD_MAX);
	once_init(&p->once);
	buf_init(&p->rest, 8 * CHUNK_HELD_MAX);
	return p;
}

static void free_block(struct sent_block *b)
{
	list_remove(&b->in_list);
	free(b->payload);
	free(b);
}

static void free_blocks(struct link *list)
{
	list_each(list, l)
		free_block(list_of(l, struct sent_block, in_list));
}

void pipeline_destroy(struct pipeline *p)
{
	if (!p)
		return;
	free_blocks(&p->taken);
	free_blocks(&p->ready);
	free_blocks(&p->held);
	free_blocks(&p->spilled_media);
	buf_finish(&p->spilled);
	chunker_destroy(p->chunker);
	gather_finish(&p->held_text);
	once_finish(&p->once);
	buf_finish(&p->rest);
	free(p->reply_to);
	free(p);
}

/* --- what left --------------------------------------------------------------------------- */

bool pipeline_has_sent(const struct pipeline *p, const struct payload *payload)
{
	return once_look(&p->once, payload) == ONCE_ACCEPTED;
}

static struct sent_block *keep(const struct payload *payload, struct link *list)
{
	struct sent_block *b = must_zero(1, sizeof(*b));

	b->payload = payload_copy(payload);
	list_init(&b->in_list);
	list_add(list, &b->in_list);
	return b;
}

/* There is no room for a block: it is for the final. */
static void spill(struct pipeline *p, const struct payload *payload, const struct gather_part *part)
{
	struct text gap =
		part->follows ? chunk_gap_text(part->gap) : text_of(p->options.coalescing.joiner);

	p->has_overflowed = true;
	if (payload->media_count)
		keep(payload, &p->spilled_media)->payload->text.len = 0;
	if (p->spilled.len == 0)
		p->spilled_behind = gap;
	else if (payload->text.len)
		buf_add(&p->spilled, gap);
	buf_add(&p->spilled, payload->text);
}

/* A block is complete.  False: the same has left already. */
static bool emit(struct pipeline *p, const struct payload *payload, const struct gather_part *part)
{
	bool known = once_look(&p->once, payload) != ONCE_UNKNOWN;
	struct sent_block *b;

	if (known && !part->is_streamed)
		return false;
	p->last_number++;
	if (p->has_overflowed || p->waiting >= PIPELINE_WAITING_MAX) {
		spill(p, payload, part);
		return true;
	}
	if (!known)
		once_set(&p->once, payload, ONCE_LEFT);
	b = keep(payload, &p->ready);
	b->number = p->last_number;
	b->follows = part->follows;
	b->gap = part->gap;
	p->waiting++;
	return true;
}

static bool emit_media(struct pipeline *p, const struct payload *payload)
{
	return emit(p, payload, &(struct gather_part){0});
}

/* --- texts ------------------------------------------------------------------------------- */

static void emit_part(struct pipeline *p, const struct gather_part *part)
{
	struct payload payload = {
		.text = part->text, .reply_to = part->reply_to, .is_voice = part->is_voice};

	emit(p, &payload, part);
}

static void flush_text(struct pipeline *p)
{
	const struct gatherer *c = &p->held_text;

	if (!gather_holds(c))
		return;
	emit_part(p, &(struct gather_part){.text = buf_text(&c->text),
	                                   .reply_to = buf_text(&c->reply_to),
	                                   .is_voice = c->is_voice,
	                                   .is_streamed = c->is_streamed,
	                                   .follows = c->follows,
	                                   .gap = c->gap});
	gather_clear(&p->held_text);
}

static void hold_part(struct pipeline *p, const struct gather_part *part)
{
	struct gather_steps steps = gather_plan(&p->held_text, part);

	if (steps.flush_before)
		flush_text(p);
	if (steps.pass) {
		emit_part(p, part);
		return;
	}
	gather_hold(&p->held_text, part);
	if (steps.flush_after)
		flush_text(p);
}

static void hold_piece(struct pipeline *p, const struct chunk_piece *piece, struct text reply_to,
                       bool is_voice)
{
	hold_part(p, &(struct gather_part){.text = piece->text,
	                                   .reply_to = reply_to,
	                                   .is_voice = is_voice,
	                                   .is_streamed = true,
	                                   .ends_paragraph = piece->ends_paragraph,
	                                   .follows = p->streamed++ > 0,
	                                   .gap = piece->gap});
}

/* Pieces that the chunker has made. */
static void hold_pieces(struct pipeline *p)
{
	struct chunk_piece piece;

	while (chunk_take(p->chunker, &piece)) {
		hold_piece(p, &piece, p->reply_to ? text_of(p->reply_to) : TEXT(""), false);
		if (!p->reply_to)
			continue;
		/* What follows answers nothing, and is a block of its own. */
		flush_text(p);
		free(p->reply_to);
		p->reply_to = NULL;
	}
}

static void flush_tokens(struct pipeline *p)
{
	chunk_flush(p->chunker);
	hold_pieces(p);
}

/* Too much waits.  What is not taken any more is noted, to know a final that has all of it. */
static bool misses(struct pipeline *p, struct text t)
{
	p->has_overflowed = p->has_missed = true;
	said_add(&p->said, t);
	return false;
}

bool pipeline_say(struct pipeline *p, struct text token, int64_t now_ms)
{
	if (p->has_stopped)
		return false;
	if (p->has_overflowed || !chunk_add(p->chunker, token))
		return misses(p, token);
	said_add(&p->said, token);
	p->touched_ms = now_ms;
	hold_pieces(p);
	return true;
}

/* --- payloads ---------------------------------------------------------------------------- */

static bool is_held(const struct pipeline *p, const struct payload *payload)
{
	if (p->held_count >= PIPELINE_HELD_MAX || p->options.hold == PIPELINE_HOLDS_NONE)
		return false;
	return p->options.hold == PIPELINE_HOLDS_MEDIA || payload_has_audio(payload);
}

static bool enqueue_media(struct pipeline *p, const struct payload *payload)
{
	if (is_held(p, payload)) {
		keep(payload, &p->held);
		p->held_count++;
		return true;
	}
	flush_tokens(p);
	flush_text(p);
	return emit_media(p, payload);
}

/* A text that is too long for a block, in pieces of which the first answers. */
static bool enqueue_pieces(struct pipeline *p, const struct payload *payload)
{
	struct text reply_to = payload->reply_to;
	struct chunker *c;
	struct chunk_piece piece;

	if (once_look(&p->once, payload) != ONCE_UNKNOWN)
		return false;
	/* Its own chunker: it is in no fence that the tokens have opened. */
	c = chunker_create(&p->options.chunking);
	if (!chunk_add(c, payload->text)) {
		chunker_destroy(c);
		return misses(p, payload->text);
	}
	once_set(&p->once, payload, ONCE_LEFT);
	said_add(&p->said, payload->text);
	chunk_flush(c);
	while (chunk_take(c, &piece)) {
		hold_piece(p, &piece, reply_to, payload->is_voice);
		reply_to = TEXT("");
	}
	p->streamed = 0;
	chunker_destroy(c);
	return true;
}

bool pipeline_enqueue(struct pipeline *p, const struct payload *payload, int64_t now_ms)
{
	if (p->has_stopped || payload_is_empty(payload))
		return false;
	if (p->has_overflowed)
		return misses(p, payload->media_count ? TEXT("") : payload->text);
	p->saw_voice |= payload->is_voice;
	p->touched_ms = now_ms;
	if (payload->media_count)
		return enqueue_media(p, payload);
	flush_tokens(p);
	p->streamed = 0;
	if (!gather_fits(&p->options.coalescing, payload->text))
		return enqueue_pieces(p, payload);
	said_add(&p->said, payload->text);
	hold_part(p, &(struct gather_part){.text = payload->text,
	                                   .reply_to = payload->reply_to,
	                                   .is_voice = payload->is_voice,
	                                   .ends_paragraph = payload_ends_paragraph(payload)});
	return true;
}

static void release_held(struct pipeline *p)
{
	list_each(&p->held, l) {
		struct sent_block *b = list_of(l, struct sent_block, in_list);

		b->payload->is_voice |= p->saw_voice && payload_has_audio(b->payload);
		emit_media(p, b->payload);
		free_block(b);
	}
	p->held_count = 0;
}

void pipeline_flush(struct pipeline *p)
{
	flush_tokens(p);
	flush_text(p);
	release_held(p);
}

void pipeline_begin_message(struct pipeline *p)
{
	flush_tokens(p);
	flush_text(p);
	p->streamed = 0;
	said_begin_message(&p->said);
}

void pipeline_stop(struct pipeline *p)
{
	pipeline_flush(p);
	p->has_stopped = true;
}

/* --- time -------------------------------------------------------------------------------- */

static bool is_gated(const struct pipeline *p)
{
	return p->options.coalescing.idle == GATHER_IDLE_GATED;
}

int64_t pipeline_due(const struct pipeline *p)
{
	bool holds = gather_holds(&p->held_text) || (!is_gated(p) && chunk_held(p->chunker) > 0);

	return holds && !p->has_stopped && !p->has_given_up
	               ? p->touched_ms + p->options.coalescing.idle_ms
	               : INT64_MAX;
}

void pipeline_tick(struct pipeline *p, int64_t now_ms)
{
	const struct gather_options *o = &p->options.coalescing;

	if (now_ms < pipeline_due(p))
		return;
	p->touched_ms = now_ms;
	if (is_gated(p) && chunk_length(o->unit, buf_text(&p->held_text.text)) < o->min_chars)
		return;
	if (!is_gated(p))
		flush_tokens(p);
	flush_text(p);
}

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
	free_block(b);
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
