/* state.c - folded states, taken from whoever folds and written. */
#include "journal/state.h"

#include <assert.h>

#include "base/log.h"
#include "journal/checkpoint.h"
#include "journal/inside.h"
#include "journal/kept.h"

struct state_piece *saved_state_add(struct saved_state *state, bool is_kept)
{
	struct state_piece *piece = &state->pieces[state->count];

	assert(state->count < STATE_PIECES_MAX);
	state->count++;
	piece->is_kept = is_kept;
	buf_init(&piece->bytes, CHECKPOINT_MAX);
	return piece;
}

void saved_state_finish(struct saved_state *state)
{
	for (size_t i = 0; i < state->count; i++)
		buf_finish(&state->pieces[i].bytes);
	state->count = 0;
}

static bool is_too_big(const struct saved_state *state)
{
	size_t len = 0;

	for (size_t i = 0; i < state->count; i++) {
		len += state->pieces[i].bytes.len;
		if (state->pieces[i].bytes.full || len > CHECKPOINT_MAX)
			return true;
	}
	return false;
}

void journal_take_state(struct journal *j, struct saved_state *state)
{
	struct saved_state old = *state;

	*state = (struct saved_state){0};
	if (is_too_big(&old)) {
		log_warn("journal", "the state is too big for a checkpoint");
	} else {
		struct saved_state fresh = old;

		pthread_mutex_lock(&j->mutex);
		old = j->state;
		j->state = fresh;
		pthread_cond_signal(&j->to_writer);
		pthread_mutex_unlock(&j->mutex);
	}
	saved_state_finish(&old);
}

void journal_save_state(struct journal *j)
{
	struct saved_state state = {.seq = j->last};

	if (j->options.checkpoint && j->options.checkpoint(j->options.self, &state))
		journal_take_state(j, &state);
}

static void join(const struct saved_state *state, bool kept_alone, struct buf *out)
{
	for (size_t i = 0; i < state->count; i++)
		if (state->pieces[i].is_kept || !kept_alone)
			buf_add(out, buf_text(&state->pieces[i].bytes));
}

void saved_state_write(struct journal *j, struct saved_state *state)
{
	struct buf newest, kept;

	if (!state->count)
		return;
	buf_init(&newest, CHECKPOINT_MAX);
	join(state, false, &newest);
	if (newest.len)
		checkpoint_write(j->dir, state->seq, buf_text(&newest));
	buf_finish(&newest);
	buf_init(&kept, KEPT_STATE_MAX);
	join(state, true, &kept);
	kept_offer(j, state->seq, &kept);
	buf_finish(&kept);
	saved_state_finish(state);
}
