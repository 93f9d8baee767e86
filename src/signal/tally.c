/* tally.c - a small table that never forgets and never grows. */
#include "signal/tally.h"

#include "base/map.h"
#include "base/random.h"

void tally_init(struct tally *t)
{
	*t = (struct tally){.last = TALLY_SOURCES};
	random_bytes(&t->seed, sizeof(t->seed));
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

static unsigned find_row(struct tally *t, struct text source)
{
	size_t at = map_hash(t->seed, source) % TALLY_SLOTS;

	while (t->slots[at]) {
		if (is_of(&t->rows[t->slots[at] - 1], source))
			return t->slots[at] - 1u;
		at = (at + 1) % TALLY_SLOTS;
	}
	return t->count < TALLY_SOURCES ? add_row(t, source, &t->slots[at]) : TALLY_SOURCES;
}

/* Never within a character. */
static size_t cut(struct text source)
{
	size_t len = TALLY_NAME_MAX;

	while (len && ((unsigned char)source.at[len] & 0xC0) == 0x80)
		len--;
	return len;
}

uint64_t *tally_of(struct tally *t, struct text source, enum signal_kind kind)
{
	if (source.len > TALLY_NAME_MAX)
		source.len = cut(source);
	if (t->last == TALLY_SOURCES || !is_of(&t->rows[t->last], source))
		t->last = find_row(t, source);
	return &t->rows[t->last].counts[kind];
}
