/* blocks.c - from tokens and payloads to blocks. */
#include <stdlib.h>

#include "base/must.h"
#include "deliver/blocks_inside.h"
#include "deliver/normal.h"

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

void pipeline_free_block(struct sent_block *b)
{
	list_remove(&b->in_list);
	free(b->payload);
	free(b);
}

static void free_blocks(struct link *list)
{
	list_each(list, l)
		pipeline_free_block(list_of(l, struct sent_block, in_list));
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
		pipeline_free_block(b);
	}
	p->held_count = 0;
}

void pipeline_pause(struct pipeline *p)
{
	flush_tokens(p);
	flush_text(p);
}

void pipeline_flush(struct pipeline *p)
{
	pipeline_pause(p);
	release_held(p);
}

void pipeline_begin_message(struct pipeline *p)
{
	pipeline_pause(p);
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

/* Something leaves when nothing comes.  Half a token of silence does not: if nothing follows,
 * it goes with the end of its message. */
static bool has_idle_text(const struct pipeline *p)
{
	if (gather_holds(&p->held_text))
		return true;
	return !is_gated(p) && !normal_may_be_silent(chunk_held(p->chunker));
}

int64_t pipeline_due(const struct pipeline *p)
{
	return has_idle_text(p) && !p->has_stopped && !p->has_given_up
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
