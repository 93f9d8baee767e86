/* once.c - payloads as keys. */
#include "deliver/once.h"

#include "base/random.h"

struct once_key {
	uint64_t parts[ONCE_SEEDS];
};

/* Only their addresses matter. */
static char has_left, is_accepted;

void once_init(struct once *o)
{
	map_init(&o->states);
	random_bytes(o->seeds, sizeof(o->seeds));
}

void once_finish(struct once *o)
{
	map_finish(&o->states);
}

static struct once_key key_of(const struct once *o, const struct payload *payload)
{
	struct once_key key;
	struct buf bytes;

	buf_init(&bytes, SIZE_MAX / 2);
	payload_add_key(payload, &bytes);
	for (unsigned i = 0; i < ONCE_SEEDS; i++)
		key.parts[i] = map_hash(o->seeds[i], buf_text(&bytes));
	buf_finish(&bytes);
	return key;
}

static struct text bytes_of(const struct once_key *key)
{
	return (struct text){(const char *)key, sizeof(*key)};
}

enum once_state once_look(const struct once *o, const struct payload *payload)
{
	struct once_key key = key_of(o, payload);
	const void *found = map_get(&o->states, bytes_of(&key));

	return found == &is_accepted ? ONCE_ACCEPTED : found ? ONCE_LEFT : ONCE_UNKNOWN;
}

void once_set(struct once *o, const struct payload *payload, enum once_state state)
{
	struct once_key key = key_of(o, payload);

	if (state == ONCE_UNKNOWN)
		map_remove(&o->states, bytes_of(&key));
	else
		map_set(&o->states, bytes_of(&key),
		        state == ONCE_ACCEPTED ? &is_accepted : &has_left);
}
