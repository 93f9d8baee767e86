/* history.c - turns are kept as the JSON that goes out with the next prompt. */
#include "source/models/history.h"

#include <assert.h>
#include <stdlib.h>

#include "base/list.h"
#include "base/map.h"
#include "base/must.h"
#include "base/put.h"

struct history_turn {
	struct link in_session; /* history_session.turns, oldest first */
	size_t len;
	char json[];
};

struct history_session {
	struct link in_use; /* histories.sessions, the quietest first */
	struct link turns;
	size_t count, bytes;
	struct text name; /* in its own memory */
};

struct histories {
	struct map by_name;
	struct link sessions;
};

struct histories *histories_create(void)
{
	struct histories *h = must_zero(1, sizeof(*h));

	map_init(&h->by_name);
	list_init(&h->sessions);
	return h;
}

static void drop_oldest_turn(struct history_session *s)
{
	struct history_turn *turn = list_of(s->turns.next, struct history_turn, in_session);

	list_remove(&turn->in_session);
	s->bytes -= turn->len;
	assert(s->count > 0);
	s->count--;
	free(turn);
}

static void drop_session(struct histories *h, struct history_session *s)
{
	while (s->count > 0)
		drop_oldest_turn(s);
	list_remove(&s->in_use);
	map_remove(&h->by_name, s->name);
	free((char *)s->name.at);
	free(s);
}

void histories_destroy(struct histories *h)
{
	if (!h)
		return;
	list_each(&h->sessions, l)
		drop_session(h, list_of(l, struct history_session, in_use));
	map_finish(&h->by_name);
	free(h);
}

static struct history_session *session_of(struct histories *h, struct text name)
{
	struct history_session *s = map_get(&h->by_name, name);

	if (!s) {
		if (h->by_name.count >= HISTORY_SESSIONS)
			drop_session(h, list_of(h->sessions.next, struct history_session, in_use));
		s = must_zero(1, sizeof(*s));
		s->name = (struct text){text_dup(name), name.len};
		list_init(&s->turns);
		list_init(&s->in_use);
		map_set(&h->by_name, name, s);
	}
	list_remove(&s->in_use);
	list_add(&h->sessions, &s->in_use);
	return s;
}

void history_message(struct buf *out, const char *role, struct text content)
{
	put_object(out, NULL);
	put_word(out, "role", role);
	put_text(out, "content", content);
	buf_add_char(out, '}');
}

static void keep_turn(struct history_session *s, struct text json)
{
	struct history_turn *turn = must_alloc(sizeof(*turn) + json.len);

	memcpy(turn->json, json.at, json.len);
	turn->len = json.len;
	list_add(&s->turns, &turn->in_session);
	s->bytes += json.len;
	s->count++;
}

void histories_note(struct histories *h, struct text session, struct text prompt,
                    struct text answer)
{
	struct history_session *s = session_of(h, session);
	struct buf json;

	buf_init(&json, HISTORY_BYTES);
	history_message(&json, "user", prompt);
	buf_add_char(&json, ',');
	history_message(&json, "assistant", answer);
	buf_add_char(&json, ',');
	while (s->count > 0 &&
	       (json.full || s->count >= HISTORY_TURNS || s->bytes + json.len > HISTORY_BYTES))
		drop_oldest_turn(s);
	if (!json.full)
		keep_turn(s, buf_text(&json));
	buf_finish(&json);
}

void histories_write(const struct histories *h, struct text session, struct buf *out)
{
	struct history_session *s = map_get(&h->by_name, session);

	if (!s)
		return;
	list_each(&s->turns, l) {
		const struct history_turn *turn = list_of(l, struct history_turn, in_session);

		buf_add(out, (struct text){turn->json, turn->len});
	}
}
