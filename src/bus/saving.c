/* saving.c - slots, written when their turn comes or when they must be. */
#include "bus/saving.h"

#include <assert.h>
#include <stdlib.h>

#include "base/must.h"

#define THING_MAX (64 * MIB) /* as a whole checkpoint */

void saving_begin(struct saving *s, size_t room, void (*save)(const void *thing, struct buf *out))
{
	saving_finish(s);
	s->save = save;
	s->room = room;
	s->between = ',';
	s->slots = must_alloc((room + 1) * sizeof *s->slots);
}

void saving_add(struct saving *s, const void *thing, size_t *number)
{
	assert(s->count < s->room && *number == 0);
	s->slots[s->count++] = (struct saving_slot){.thing = thing, .number = number};
	*number = s->count;
}

void saving_change(struct saving *s, const size_t *number)
{
	struct saving_slot *slot;

	if (*number == 0)
		return;
	assert(*number > s->next && *number <= s->count);
	slot = &s->slots[*number - 1];
	assert(slot->number == number);
	buf_init(&slot->earlier, THING_MAX);
	s->save(slot->thing, &slot->earlier);
	slot->thing = NULL;
	*slot->number = 0;
}

static void write_slot(struct saving *s, struct saving_slot *slot, struct buf *out)
{
	if (slot->thing) {
		s->save(slot->thing, out);
		*slot->number = 0;
		return;
	}
	buf_add(out, buf_text(&slot->earlier));
	buf_finish(&slot->earlier);
}

bool saving_more(struct saving *s, struct buf *out)
{
	size_t enough = out->len + SAVING_PIECE;

	while (s->next < s->count && out->len < enough && !out->full) {
		if (s->next && s->between)
			buf_add_char(out, s->between);
		write_slot(s, &s->slots[s->next], out);
		s->next++;
	}
	if (s->next < s->count && !out->full)
		return true;
	saving_finish(s);
	return false;
}

void saving_finish(struct saving *s)
{
	for (; s->next < s->count; s->next++) {
		struct saving_slot *slot = &s->slots[s->next];

		if (slot->thing)
			*slot->number = 0;
		else
			buf_finish(&slot->earlier);
	}
	free(s->slots);
	*s = (struct saving){0};
}
