/* queue.c - what is said to a session when it is at rest.
 *
 * It is on the disk, too (memo.c), and waits there while the box is down.  What the last life left
 * is said once a client has come.
 */
#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/must.h"
#include "base/put.h"
#include "crew/crew.h"
#include "gateway/asking.h"
#include "gateway/inside.h"
#include "gateway/keys.h"
#include "gateway/memo.h"
#include "gateway/telling.h"
#include "gateway/wait.h"
#include "net/loop.h"

#define QUEUE_MAX 256       /* messages in all, ... */
#define QUEUE_OF_SESSION 32 /* ... and for one session */
#define PATIENCE_MS 3600000 /* with one who works */
#define INTERRUPT_MS 30000  /* with one who was stopped */
#define SHOWN_MAX 20        /* in a history */
#define TRIES_MS 60000      /* of a new life, until agents are there again */
#define LAST_TRIES_MS 3000  /* a box that stops loses its agents first */
#define BYTES_MAX MIB       /* of all messages */
#define LOOK_EVERY_MS 20    /* whatever happens */

struct queued {
	char *key, *id, *message, *model;
	uint64_t until_ms; /* by the loop's clock */
	uint64_t tries_ms; /* until then it is tried again, though it failed; 0: it did not */
	int64_t came_ms;
	struct link in_queue; /* gateway_queue.all */
};

struct gateway_queue {
	struct gateway *g;
	struct link all;
	size_t count, bytes;
	struct deadline look; /* at them again */
	uint64_t looked_ms;   /* when we did, by the loop's clock */
	bool is_looking, is_due;
};

static void queued_free(struct gateway_queue *q, struct queued *one)
{
	list_remove(&one->in_queue);
	q->count--;
	q->bytes -= strlen(one->message);
	free(one->key);
	free(one->id);
	free(one->message);
	free(one->model);
	free(one);
}

static void look_again(struct deadline *deadline);

struct gateway_queue *gateway_queue_create(struct gateway *g)
{
	struct gateway_queue *q = must_zero(1, sizeof(*q));

	q->g = g;
	q->look.fire = look_again;
	list_init(&q->all);
	return q;
}

void gateway_queue_destroy(struct gateway_queue *q)
{
	if (!q)
		return;
	deadline_clear(&q->look);
	list_each(&q->all, l)
		queued_free(q, list_of(l, struct queued, in_queue));
	free(q);
}

/* ---- is it at rest? ---- */

struct resting {
	const struct gateway *g;
	bool is_at_work;
};

static void note_live(void *self, struct run *run)
{
	struct resting *r = self;

	r->is_at_work = r->is_at_work || gateway_is_live(r->g, run);
}

/* What the crew has not heard of yet may be work. */
static bool is_at_work(struct gateway *g, const struct gateway_place *place)
{
	struct resting r = {g};

	if (gateway_is_asked(g, buf_text(&place->key)) ||
	    crew_seq(g->options.crew) < runs_seq(g->options.runs))
		return true;
	gateway_place_runs(place, note_live, &r);
	return r.is_at_work;
}

static size_t queued_for(const struct gateway_queue *q, struct text key)
{
	size_t n = 0;

	list_each(&q->all, l)
		n += text_is(key, list_of(l, struct queued, in_queue)->key);
	return n;
}

bool gateway_is_busy(struct gateway *g, const struct gateway_place *place)
{
	return queued_for(g->desk.queue, buf_text(&place->key)) || is_at_work(g, place);
}

/* ---- waiting ---- */

static bool has_room(const struct gateway_queue *q, struct text key, size_t bytes)
{
	return q->count < QUEUE_MAX && bytes <= BYTES_MAX - q->bytes &&
	       queued_for(q, key) < QUEUE_OF_SESSION;
}

static struct queued *make_queued(struct gateway_queue *q, struct text key,
                                  const struct gateway_wish *wish)
{
	struct queued *one = must_zero(1, sizeof(*one));

	one->key = text_dup(key);
	one->id = text_dup(wish->id);
	one->message = text_dup(wish->message);
	one->model = text_dup(wish->model);
	q->count++;
	q->bytes += strlen(one->message);
	return one;
}

bool gateway_queue_add(const struct gateway_call *call, const struct gateway_place *place,
                       const struct gateway_wish *wish, bool is_first)
{
	struct gateway_queue *q = call->gateway->desk.queue;
	struct loop *loop = call->gateway->options.loop;
	struct queued *one;

	if (!has_room(q, buf_text(&place->key), wish->message.len))
		return false;
	one = make_queued(q, buf_text(&place->key), wish);
	one->until_ms = loop_now_ms(loop) + (is_first ? INTERRUPT_MS : PATIENCE_MS);
	one->came_ms = clock_wall_ms();
	list_add(is_first ? q->all.next : &q->all, &one->in_queue);
	gateway_memo_changed(call->gateway);
	if (!q->is_due)
		deadline_set_beat(loop, &q->look);
	return true;
}

bool gateway_queue_has(const struct gateway *g, struct text id)
{
	list_each(&g->desk.queue->all, l)
		if (text_is(id, list_of(l, struct queued, in_queue)->id))
			return true;
	return false;
}

/* Clients hear of a run that never began. */
static void tell_end(struct gateway *g, const struct queued *one, const char *state,
                     struct text error)
{
	struct text agent = gateway_key_agent(text_of(one->key));
	struct told_run run = {.id = one->id, .key = one->key, .seq = 1};
	struct telling t = {.g = g, .run = &run};
	struct chat_words words = {.state = state, .error = error};

	run.agent = text_dup(agent);
	run.at_ms = (double)clock_wall_ms();
	if (!error.len)
		words.reason = TEXT("rpc");
	telling_chat(&t, &words);
	gateway_wait_drop(g, text_of(one->id), error);
	if (!error.len)
		gateway_note_done(g, text_of(one->id), text_of(one->key));
	free(run.agent);
}

/* ---- and then ---- */

/* False: it waits on. */
static bool say_it(struct gateway *g, const struct gateway_place *place, struct queued *one)
{
	struct gateway_call call = {.gateway = g};
	struct gateway_wish wish = {text_of(one->id), text_of(one->message), text_of(one->model)};
	struct error why;

	if (gateway_ask(&call, place, &wish, &why) == BACK_DONE)
		return true;
	if (!one->tries_ms)
		one->tries_ms = loop_now_ms(g->options.loop) + LAST_TRIES_MS;
	if (loop_now_ms(g->options.loop) < one->tries_ms)
		return false;
	tell_end(g, one, "error", text_of(why.words));
	return true;
}

/* True: it waits no longer. */
static bool try_one(struct gateway *g, struct queued *one)
{
	struct gateway_place place;
	bool is_over = true;

	gateway_find_place(g, text_of(one->key), TEXT(""), &place);
	if (!is_at_work(g, &place))
		is_over = say_it(g, &place, one);
	else if (loop_now_ms(g->options.loop) >= one->until_ms)
		tell_end(g, one, "error", TEXT("the session was at work for too long"));
	else
		is_over = false;
	gateway_place_finish(&place);
	return is_over;
}

/* The oldest of a session goes first, and the others wait for it. */
static void look_at_oldest(struct gateway_queue *q)
{
	struct map waiting;

	q->is_looking = true;
	q->is_due = false;
	q->looked_ms = loop_now_ms(q->g->options.loop);
	map_init(&waiting);
	list_each(&q->all, l) {
		struct queued *one = list_of(l, struct queued, in_queue);

		if (map_get(&waiting, text_of(one->key)))
			continue;
		if (try_one(q->g, one)) {
			queued_free(q, one);
			gateway_memo_changed(q->g);
		} else {
			map_set(&waiting, text_of(one->key), one);
		}
	}
	map_finish(&waiting);
	q->is_looking = false;
	if (q->count)
		deadline_set_beat(q->g->options.loop, &q->look);
}

static void look_again(struct deadline *deadline)
{
	struct gateway_queue *q = list_of(deadline, struct gateway_queue, look);

	runs_reach(q->g->options.runs);
	crew_reach(q->g->options.crew);
	if (!q->is_looking)
		look_at_oldest(q);
}

/* Each signal may be such news. */
void gateway_queue_look(struct gateway *g)
{
	struct gateway_queue *q = g->desk.queue;

	if (!q->count || q->is_looking || q->is_due || !g->desk.back)
		return;
	if (loop_now_ms(g->options.loop) - q->looked_ms >= LOOK_EVERY_MS) {
		look_at_oldest(q);
		return;
	}
	q->is_due = true;
	deadline_set(g->options.loop, &q->look, 1);
}

void gateway_queue_drop(struct gateway *g, struct text key, struct text id, struct buf *ids)
{
	list_each(&g->desk.queue->all, l) {
		struct queued *one = list_of(l, struct queued, in_queue);

		if (!text_is(key, one->key) || (id.len && !text_is(id, one->id)))
			continue;
		put_word(ids, NULL, one->id);
		tell_end(g, one, "aborted", TEXT(""));
		queued_free(g->desk.queue, one);
		gateway_memo_changed(g);
	}
}

static void put_queued(const struct queued *one, struct buf *out)
{
	put_object(out, NULL);
	put_word(out, "id", one->id);
	put_word(out, "runId", one->id);
	put_object(out, "message");
	put_word(out, "role", "user");
	put_word(out, "content", one->message);
	put_i64(out, "timestamp", one->came_ms);
	put_end(out);
	put_i64(out, "acceptedAt", one->came_ms);
	put_word(out, "state", "queued");
	put_end(out);
}

void gateway_queue_put(const struct gateway *g, struct text key, struct buf *out)
{
	size_t shown = 0;

	put_object(out, "pendingInputs");
	put_list(out, "items");
	list_each(&g->desk.queue->all, l) {
		const struct queued *one = list_of(l, struct queued, in_queue);

		if (text_is(key, one->key) && shown++ < SHOWN_MAX)
			put_queued(one, out);
	}
	put_list_end(out);
	put_u64(out, "total", shown);
	put_end(out);
}

/* ---- on the disk ---- */

void gateway_queue_save(const struct gateway *g, struct buf *out)
{
	int64_t ahead_ms = clock_wall_ms() - (int64_t)loop_now_ms(g->options.loop);

	list_each(&g->desk.queue->all, l) {
		const struct queued *one = list_of(l, struct queued, in_queue);

		memo_put_message(out, &(struct memo_message){
					      .key = text_of(one->key),
					      .id = text_of(one->id),
					      .message = text_of(one->message),
					      .model = text_of(one->model),
					      .came_ms = one->came_ms,
					      .until_ms = (int64_t)one->until_ms + ahead_ms,
				      });
	}
}

/* Nobody is surprised by what was written long ago. */
void gateway_queue_load(void *of, const struct memo_message *m)
{
	struct gateway *g = of;
	struct gateway_queue *q = g->desk.queue;
	int64_t left_ms = m->until_ms - clock_wall_ms();
	struct gateway_wish wish = {m->id, m->message, m->model};
	struct queued *one;

	if (left_ms <= 0 || gateway_queue_has(g, m->id) || !has_room(q, m->key, m->message.len)) {
		log_warn("gateway", "a message to %.*s waited for too long: it is not said",
		         TEXT_ARG(m->key));
		return;
	}
	one = make_queued(q, m->key, &wish);
	one->until_ms = loop_now_ms(g->options.loop) +
	                (uint64_t)(left_ms < PATIENCE_MS ? left_ms : PATIENCE_MS);
	one->tries_ms = loop_now_ms(g->options.loop) + TRIES_MS;
	one->came_ms = m->came_ms;
	list_add(&q->all, &one->in_queue);
}
