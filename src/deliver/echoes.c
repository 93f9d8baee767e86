/* echoes.c - counts of answers, by chat and sender. */
#include "deliver/echoes.h"

#include <stdlib.h>

#include "base/must.h"

struct echo {
	struct link in_all;
	char *chat, *sender;
	bool is_known;
	unsigned answers;
	int64_t last_ms; /* when they wrote last */
};

void echoes_init(struct echoes *e)
{
	list_init(&e->all);
	e->count = 0;
}

static void drop_echo(struct echoes *e, struct echo *one)
{
	list_remove(&one->in_all);
	e->count--;
	free(one->chat);
	free(one->sender);
	free(one);
}

void echoes_finish(struct echoes *e)
{
	while (!list_is_empty(&e->all))
		drop_echo(e, list_of(e->all.next, struct echo, in_all));
}

/* A person is there. */
static void forget_chat(struct echoes *e, struct text chat, bool and_known)
{
	list_each(&e->all, l) {
		struct echo *one = list_of(l, struct echo, in_all);

		if (text_is(chat, one->chat) && (and_known || !one->is_known))
			drop_echo(e, one);
	}
}

static struct echo *find_echo(struct echoes *e, const struct echo_turn *turn)
{
	list_each(&e->all, l) {
		struct echo *one = list_of(l, struct echo, in_all);

		if (text_is(turn->chat, one->chat) && text_is(turn->sender, one->sender))
			return one;
	}
	return NULL;
}

static struct echo *add_echo(struct echoes *e, const struct echo_turn *turn)
{
	struct echo *one = must_zero(1, sizeof(*one));

	if (e->count >= ECHOES_MAX)
		drop_echo(e, list_of(e->all.next, struct echo, in_all));
	one->chat = text_dup(turn->chat);
	one->sender = text_dup(turn->sender);
	list_init(&one->in_all);
	e->count++;
	return one;
}

enum echo_step echoes_step(struct echoes *e, const struct echo_turn *turn, int64_t now_ms)
{
	struct echo *one;

	if (turn->who != ECHO_UNKNOWN)
		forget_chat(e, turn->chat, turn->who == ECHO_OWNER);
	if (turn->who == ECHO_OWNER)
		return ECHO_ANSWER;
	one = find_echo(e, turn);
	if (!one)
		one = add_echo(e, turn);
	one->is_known = turn->who == ECHO_KNOWN;
	if (now_ms - one->last_ms >= (one->is_known ? ECHOES_KNOWN_PAUSE_MS : ECHOES_PAUSE_MS))
		one->answers = 0;
	one->last_ms = now_ms;
	list_remove(&one->in_all);
	list_add(&e->all, &one->in_all);
	if (one->answers > ECHOES_ANSWERS_MAX)
		return ECHO_SILENCE;
	return one->answers++ < ECHOES_ANSWERS_MAX ? ECHO_ANSWER : ECHO_TELL;
}
