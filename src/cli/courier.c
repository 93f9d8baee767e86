/* courier.c - one batch under way, the rest waiting. */
#include "cli/courier.h"

#include <stdlib.h>
#include <yyjson.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/must.h"
#include "cli/pause.h"
#include "cli/remote.h"

#define WAITING_MAX (8 * MIB)
#define BATCH_MAX (1 * MIB)
#define ANSWER_MAX (1 * MIB)
#define BATCH_MS (24 * 3600 * 1000) /* what ends it before is that it is due */
#define ANSWER_MS 40000             /* the box gives its disk 30 s */

struct courier {
	struct remote *box;
	struct buf waiting, flight; /* lines */
	struct buf answer;
	uint64_t lost, refused;
	struct error why;
	unsigned pause_ms;
	unsigned beats;   /* that were heard while an answer was awaited */
	uint64_t due_ms;  /* when to try again, or when an answer is late */
	size_t sent;      /* most bytes of the batch that went out */
	bool is_away;     /* nobody listens there */
	bool was_heard;   /* it answered once */
	uint64_t life_ms; /* when something went on */
};

static uint64_t now_ms(void)
{
	return clock_mono_ns() / 1000000;
}

struct courier *courier_create(const char *data)
{
	struct courier *c = must_zero(1, sizeof(*c));

	c->box = remote_at(data);
	buf_init(&c->answer, ANSWER_MAX);
	c->pause_ms = PAUSE_FIRST_MS;
	buf_init(&c->waiting, WAITING_MAX);
	buf_init(&c->flight, WAITING_MAX);
	return c;
}

void courier_destroy(struct courier *c)
{
	if (!c)
		return;
	remote_destroy(c->box);
	buf_finish(&c->answer);
	buf_finish(&c->waiting);
	buf_finish(&c->flight);
	free(c);
}

/* ---- keeping ---- */

static uint64_t count_lines(struct text lines)
{
	uint64_t n = 0;

	for (size_t i = 0; i < lines.len; i++)
		n += lines.at[i] == '\n';
	return n;
}

/* The lines that fit into `most` bytes, and at least one. */
static struct text first_lines(const struct buf *lines, size_t most)
{
	const char *end;

	if (lines->len <= most)
		return buf_text(lines);
	end = memrchr(lines->at, '\n', most);
	if (!end)
		end = memchr(lines->at, '\n', lines->len);
	return (struct text){lines->at, (size_t)(end + 1 - lines->at)};
}

/* Many at once: taking them out one by one would cost more than they are worth. */
static void drop_oldest(struct courier *c)
{
	struct text old = first_lines(&c->waiting, BATCH_MAX);

	c->lost += count_lines(old);
	buf_drop(&c->waiting, old.len);
}

void courier_add(struct courier *c, struct text signal)
{
	if (signal.len >= WAITING_MAX) {
		c->lost++;
		return;
	}
	while (c->waiting.len + signal.len + 1 > WAITING_MAX)
		drop_oldest(c);
	buf_add(&c->waiting, signal);
	buf_add_char(&c->waiting, '\n');
}

/* ---- sending ---- */

static bool hear_bytes(void *self, long status, struct text bytes)
{
	return buf_add(self, bytes);
}

static void start_request(struct courier *c)
{
	struct remote_request request = {
		.method = "POST",
		.path = "/api/signal",
		.type = "application/x-ndjson",
		.may_repeat = true, /* its lines have ids */
		.timeout_ms = BATCH_MS,
		.heard = hear_bytes,
		.self = &c->answer,
	};

	if (c->flight.len == 0) {
		struct text batch = first_lines(&c->waiting, BATCH_MAX);

		buf_add(&c->flight, batch);
		buf_drop(&c->waiting, batch.len);
		c->sent = 0;
	}
	c->is_away = false;
	c->beats = 0;
	c->due_ms = now_ms() + ANSWER_MS;
	buf_clear(&c->answer);
	request.body = buf_text(&c->flight);
	remote_start(c->box, &request);
}

static void try_later(struct courier *c)
{
	c->due_ms = now_ms() + c->pause_ms;
	c->pause_ms = c->pause_ms * 2 < PAUSE_LONGEST_MS ? c->pause_ms * 2 : PAUSE_LONGEST_MS;
}

/* What the box says of each line it did not take; false: it says nothing of lines. */
static bool read_answer(struct courier *c)
{
	struct text answer = buf_text(&c->answer);
	yyjson_doc *doc = yyjson_read(answer.at, answer.len, 0);
	yyjson_val *root = yyjson_doc_get_root(doc);
	yyjson_val *count = yyjson_obj_get(root, "rejectedCount");
	yyjson_val *first = yyjson_arr_get_first(yyjson_obj_get(root, "rejected"));
	const char *words = yyjson_get_str(yyjson_obj_get(first, "error"));
	bool good = yyjson_is_uint(count);

	if (!words)
		words = yyjson_get_str(yyjson_obj_get(root, "error"));
	c->refused += yyjson_get_uint(count);
	if (words)
		error_set(&c->why, "%s", words);
	yyjson_doc_free(doc);
	return good;
}

static void take_answer(struct courier *c)
{
	long status = remote_state(c->box).status;

	if (status >= 500) { /* its disk: what was taken is not taken twice */
		error_set(&c->why, "the box answered %ld", status);
		try_later(c);
		return;
	}
	if (!read_answer(c))
		c->refused += count_lines(buf_text(&c->flight));
	buf_clear(&c->flight);
	c->pause_ms = PAUSE_FIRST_MS;
	c->due_ms = 0;
	c->was_heard = true;
	c->life_ms = now_ms();
}

/* One that holds us says that it does; and one that has us go slowly reads on, further than
 * it or whoever was there before ever got with this batch. */
static void hear_life(struct courier *c)
{
	struct remote_state state = remote_state(c->box);

	if (state.beats == c->beats && state.sent <= c->sent)
		return;
	c->beats = state.beats;
	if (c->sent < state.sent)
		c->sent = state.sent;
	c->life_ms = now_ms();
	c->due_ms = c->life_ms + ANSWER_MS;
}

static void look_at_result(struct courier *c, enum remote_result result)
{
	switch (result) {
	case REMOTE_UNDER_WAY:
		hear_life(c);
		break;
	case REMOTE_ANSWERED:
		take_answer(c);
		break;
	case REMOTE_NOBODY:
		c->is_away = true;
		error_set(&c->why, "no signalbox is running on %s", remote_data(c->box));
		try_later(c);
		break;
	default:
		error_set(&c->why, "the connection to the box was lost");
		try_later(c);
		break;
	}
}

static bool is_under_way(const struct courier *c)
{
	return remote_poll(c->box).fd >= 0;
}

static bool has_work(const struct courier *c)
{
	return c->waiting.len || c->flight.len;
}

static enum remote_result step(struct courier *c)
{
	if (now_ms() >= c->due_ms)
		remote_stop(c->box);
	return remote_step(c->box);
}

void courier_step(struct courier *c)
{
	if (is_under_way(c))
		look_at_result(c, step(c));
	while (!is_under_way(c) && has_work(c) && now_ms() >= c->due_ms) {
		start_request(c);
		look_at_result(c, step(c));
	}
}

struct pollfd courier_poll(const struct courier *c)
{
	return remote_poll(c->box);
}

int courier_patience(const struct courier *c)
{
	uint64_t now = now_ms();
	int most = c->due_ms > now ? (int)(c->due_ms - now) : 0, box = remote_patience(c->box);

	if (!is_under_way(c) && !has_work(c))
		return -1;
	return box >= 0 && box < most ? box : most;
}

void courier_hurry(struct courier *c)
{
	c->pause_ms = PAUSE_FIRST_MS;
	c->due_ms = is_under_way(c) ? c->due_ms : 0;
}

struct courier_state courier_state(const struct courier *c)
{
	return (struct courier_state){
		.has_work = has_work(c),
		.is_away = c->is_away,
		.was_heard = c->was_heard,
		.life_ms = c->life_ms,
	};
}

struct courier_loss courier_loss(const struct courier *c)
{
	struct courier_loss loss = {.refused = c->refused};

	loss.lost =
		c->lost + count_lines(buf_text(&c->waiting)) + count_lines(buf_text(&c->flight));
	loss.why = (loss.lost || loss.refused) && c->why.words[0] ? c->why.words : NULL;
	if (is_under_way(c))
		loss.why = "it does not answer";
	return loss;
}
