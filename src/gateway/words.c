/* words.c - what agents say, gathered before it is told. */
#include "base/put.h"
#include "gateway/came.h"
#include "gateway/came_chat.h"
#include "gateway/tell.h"
#include "gateway/telling.h"
#include "gateway/transcript.h"
#include "net/loop.h"
#include "run/said.h"

#define GATHERED_MAX (256 * KIB) /* then it is told at once */
#define AGENT_TEXT_FULL MIB      /* the most that `agent` has, with gateway.text: full */

static const struct said_message *message_of(const struct said *said, uint64_t number)
{
	const struct link *l;

	for (l = said->messages.prev; l != &said->messages; l = l->prev) {
		const struct said_message *m = list_of(l, struct said_message, in_said);

		if (m->number == number)
			return m;
	}
	return NULL;
}

struct text telling_text_now(const struct telling *t)
{
	const struct said_message *m = t->said ? message_of(t->said, t->run->message) : NULL;

	return m ? said_text(&m->text) : TEXT("");
}

size_t telling_text_max(const struct telling *t)
{
	return t->g->options.config->text == GATEWAY_TEXT_FULL ? AGENT_TEXT_FULL : TELLING_TEXT_MAX;
}

struct text telling_tail(struct text text, size_t len)
{
	size_t skip = len < text.len ? text.len - len : 0;

	return (struct text){text.at + skip, text.len - skip};
}

static void tell_delta(struct telling *t, struct text delta)
{
	struct text text = telling_text_now(t);
	struct buf data;

	buf_init(&data, TELLING_MAX);
	put_object(&data, NULL);
	if (text.len <= telling_text_max(t))
		put_text(&data, "text", text);
	put_text(&data, "delta", delta);
	put_end(&data);
	telling_agent(t, "assistant", GATEWAY_OF_RUNS, buf_text(&data));
	buf_finish(&data);
}

/* What was gathered is of other signals than that which makes it go. */
static void flush_agent(struct telling *t)
{
	struct told_run *run = t->run;
	unsigned but = t->but;

	run->agent_due = 0;
	if (!run->delta.len)
		return;
	t->but = run->delta_but;
	tell_delta(t, buf_text(&run->delta));
	t->but = but;
	buf_clear(&run->delta);
}

static void flush_chat(struct telling *t)
{
	struct told_run *run = t->run;
	unsigned but = t->but;
	struct chat_words words = {.state = "delta",
	                           .text = telling_text_now(t),
	                           .delta = buf_text(&run->snapshot),
	                           .is_delta = true,
	                           .replaces = run->is_broken};

	if (t->ear && words.text.len > TELLING_TEXT_MAX) /* it comes with each token */
		words.text = TEXT("");
	t->but = run->delta_but;
	if (run->snapshot.len || (run->is_broken && words.text.len))
		telling_chat(t, &words);
	t->but = but;
	if (!run->delta_but) {
		run->chat_at = run->heard;
		run->knows_chat = true;
	}
	buf_clear(&run->snapshot);
	run->snapshot.full = run->is_broken = false;
	run->chat_due = 0;
}

void telling_flush(struct telling *t)
{
	flush_agent(t);
	flush_chat(t);
	came_flush(t);
	list_remove(&t->run->in_dirty);
}

static void tell_apart(struct telling *t, struct text words)
{
	t->run->is_broken = telling_text_now(t).len == words.len;
	buf_add(&t->run->delta, words);
	buf_add(&t->run->snapshot, words);
	telling_flush(t);
}

/* When the next snapshot may be told: one costs as much as it is long. */
static unsigned chat_pause(const struct telling *t)
{
	const struct gateway_config *config = t->g->options.config;

	return pace_pause(telling_text_now(t).len, config->snapshot_rate,
	                  gateway_watchers_of(t->g, text_of(t->run->key)), config->pace_ms);
}

static void gather(struct telling *t, struct text words)
{
	struct gateway *g = t->g;
	struct told_run *run = t->run;
	uint64_t now = loop_now_ms(g->options.loop);
	unsigned pace_ms = g->options.config->pace_ms;

	if (!words.len)
		return;
	run->heard += (int64_t)words.len;
	if (t->ear) {
		tell_apart(t, words);
		return;
	}
	if (run->delta.len + words.len > GATHERED_MAX)
		flush_agent(t);
	buf_add(&run->delta, words);
	if (run->snapshot.len + words.len > GATHERED_MAX || !buf_add(&run->snapshot, words))
		run->is_broken = true;
	if (!run->agent_due)
		run->agent_due = now + pace_ms;
	if (!run->chat_due)
		run->chat_due = now + chat_pause(t);
	if (!pace_ms)
		flush_agent(t);
	if (list_is_empty(&run->in_dirty))
		list_add(&g->dirty, &run->in_dirty);
	pace_set(g->pace, pace_ms);
}

/* A message that begins does not go on where the last one ended, whoever has heard of that. */
void telling_words(struct telling *t)
{
	const struct said_message *open = t->said ? said_open(t->said) : NULL;
	struct text words = json_text_at(t->payload, "content");
	uint64_t number = open ? open->number : 0;

	if (came_bit(t) != t->run->delta_but)
		telling_flush(t);
	t->run->delta_but = came_bit(t);
	if (number != t->run->message) {
		bool is_first = t->run->message == 0;

		telling_flush(t);
		t->run->message = number;
		t->run->is_broken = !is_first || (open && telling_text_now(t).len == words.len &&
		                                  transcript_answer(t->said, open));
	}
	t->run->text_seq = t->run->seq;
	gather(t, words);
}

/* Of one that nobody listened to until it ended, the last that it said. */
struct text telling_last_words(const struct telling *t)
{
	const struct said_message *m;

	if (t->run->message || !t->said)
		return telling_text_now(t);
	m = transcript_answer(t->said, NULL);
	return m ? said_text(&m->text) : TEXT("");
}

static void tell_run_due(struct gateway *g, struct told_run *run, uint64_t now)
{
	struct run *known = runs_find(g->options.runs, text_of(run->id));
	struct telling t = {.g = g, .run = run, .said = known ? known->said : NULL};

	if (run->agent_due && run->agent_due <= now)
		flush_agent(&t);
	if (run->chat_due && run->chat_due <= now && run->agent_due)
		run->chat_due = run->agent_due; /* both go in one send */
	else if (run->chat_due && run->chat_due <= now)
		flush_chat(&t);
	came_flush_due(&t, now);
	if (!run->agent_due && !run->chat_due && !run->came_owed)
		list_remove(&run->in_dirty);
}

void gateway_tell_due(struct gateway *g)
{
	uint64_t now = loop_now_ms(g->options.loop), next = UINT64_MAX;

	list_each(&g->dirty, l) {
		struct told_run *run = list_of(l, struct told_run, in_dirty);

		tell_run_due(g, run, now);
		if (run->agent_due && run->agent_due < next)
			next = run->agent_due;
		if (run->chat_due && run->chat_due < next)
			next = run->chat_due;
		if (run->came_owed && run->came_due < next)
			next = run->came_due;
	}
	if (next != UINT64_MAX)
		pace_set(g->pace, next > now ? (unsigned)(next - now) : 1);
}
