/* tally.c - a small table that never forgets and never grows. */
#include "signal/tally.h"

#include "base/utf8.h"

void tally_init(struct tally *t)
{
	*t = (struct tally){.last = TALLY_SOURCES};
	memcpy(t->rows[TALLY_SOURCES].name, "other", 5);
	t->rows[TALLY_SOURCES].len = 5;
}

static bool is_of(const struct tally_row *row, struct text source)
{
	return row->len == source.len && memcmp(row->name, source.at, source.len) == 0;
}

static unsigned add_row(struct tally *t, struct text source, uint8_t *slot)
{
	struct tally_row *row = &t->rows[t->count];

	memcpy(row->name, source.at, source.len);
	row->len = source.len;
	*slot = (uint8_t)(t->count + 1);
	return t->count++;
}

/* Names differ at their end more than at their beginning.  Whoever makes them collide gains
 * nothing: the table is small. */
static size_t slot_of(struct text source)
{
	size_t n = source.len < sizeof(uint64_t) ? source.len : sizeof(uint64_t);
	uint64_t tail = 0;

	if (n)
		memcpy(&tail, source.at + source.len - n, n);
	return ((tail ^ source.len) * UINT64_C(0x9E3779B97F4A7C15) >> 32) % TALLY_SLOTS;
}

static unsigned find_row(struct tally *t, struct text source)
{
	size_t at = slot_of(source);

	while (t->slots[at]) {
		if (is_of(&t->rows[t->slots[at] - 1], source))
			return t->slots[at] - 1u;
		at = (at + 1) % TALLY_SLOTS;
	}
	return t->count < TALLY_SOURCES ? add_row(t, source, &t->slots[at]) : TALLY_SOURCES;
}

uint64_t *tally_of(struct tally *t, struct text source, enum signal_kind kind)
{
	source = utf8_cut(source, TALLY_NAME_MAX);
	if (t->last == TALLY_SOURCES || !is_of(&t->rows[t->last], source))
		t->last = find_row(t, source);
	return &t->rows[t->last].counts[kind];
}
