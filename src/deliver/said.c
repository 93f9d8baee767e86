/* said.c - hashes of a turn and of its messages. */
#include "deliver/said.h"

static uint64_t hash_on(uint64_t hash, struct text t)
{
	for (size_t i = 0; i < t.len; i++)
		if (t.at[i] != ' ' && (t.at[i] < '\t' || t.at[i] > '\r'))
			hash = (hash ^ (uint8_t)t.at[i]) * 0x100000001B3u;
	return hash;
}

void said_add(struct said_turn *s, struct text t)
{
	s->turn = hash_on(s->turn, t);
	s->message = hash_on(s->message, t);
}

void said_begin_message(struct said_turn *s)
{
	if (s->message)
		s->messages[s->count++ % SAID_MESSAGES] = s->message;
	s->message = 0;
}

bool said_whole_turn(const struct said_turn *s, struct text t)
{
	return hash_on(0, t) == s->turn;
}

bool said_before(const struct said_turn *s, struct text t)
{
	uint64_t hash = hash_on(0, t);
	unsigned known = s->count < SAID_MESSAGES ? s->count : SAID_MESSAGES;

	if (hash == s->turn || hash == s->message)
		return true;
	for (unsigned i = 0; i < known; i++)
		if (hash == s->messages[i])
			return true;
	return false;
}
