/* dispatch.c - one queue, one message on its way. */
#include "deliver/dispatch.h"

#include <stdlib.h>

#include "base/list.h"
#include "base/must.h"
#include "base/random.h"

struct dispatched {
	struct link in_queue; /* dispatch.queue */
	struct dispatch_item item;
	struct payload *payload;
	bool pauses; /* a moment before it */
};

struct dispatch {
	struct dispatch_options options;
	struct link queue;
	size_t waiting;
	struct dispatched *sending, *gone;
	int64_t sent_ms;  /* when it left */
	int64_t ready_ms; /* when the first of the queue may leave */
	bool had_block;
	uint64_t seed;
};

/* --- the configuration ------------------------------------------------------------------- */

bool dispatch_read_pace(struct text word, enum dispatch_pace *pace)
{
	static const struct {
		const char *word;
		enum dispatch_pace pace;
	} words[] = {
		{"off", DISPATCH_PACE_OFF},
		{"on", DISPATCH_PACE_NATURAL},
		{"natural", DISPATCH_PACE_NATURAL},
		{"custom", DISPATCH_PACE_CUSTOM},
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (text_is(word, words[i].word)) {
			*pace = words[i].pace;
			return true;
		}
	}
	return false;
}

struct dispatch_delay dispatch_resolve(const struct dispatch_delay *general,
                                       const struct dispatch_delay *channel,
                                       const struct dispatch_delay *agent)
{
	const struct dispatch_delay *const levels[] = {agent, channel, general};

	for (size_t i = 0; i < sizeof(levels) / sizeof(*levels); i++)
		if (levels[i] && levels[i]->pace != DISPATCH_PACE_UNSET)
			return *levels[i];
	return (struct dispatch_delay){DISPATCH_PACE_OFF, 0, 0};
}

/* --- the pause before a block ------------------------------------------------------------ */

static int64_t pause_of(struct dispatch *d)
{
	struct dispatch_delay delay = d->options.delay;

	if (delay.pace == DISPATCH_PACE_NATURAL) {
		delay.min_ms = DISPATCH_DELAY_MIN_MS;
		delay.max_ms = DISPATCH_DELAY_MAX_MS;
	} else if (delay.pace != DISPATCH_PACE_CUSTOM) {
		return 0;
	}
	if (delay.max_ms <= delay.min_ms)
		return delay.min_ms;
	return delay.min_ms +
	       (int64_t)(random_draw(&d->seed) % (uint64_t)(delay.max_ms - delay.min_ms + 1));
}

static struct dispatched *first_of(const struct dispatch *d)
{
	return list_is_empty(&d->queue) ? NULL
	                                : list_of(d->queue.next, struct dispatched, in_queue);
}

/* The first of the queue has nobody before it from now on. */
static void make_ready(struct dispatch *d, int64_t now_ms)
{
	const struct dispatched *first = first_of(d);

	if (first)
		d->ready_ms = now_ms + (first->pauses ? pause_of(d) : 0);
}

/* --- the queue --------------------------------------------------------------------------- */

struct dispatch *dispatch_create(const struct dispatch_options *options)
{
	struct dispatch *d = must_zero(1, sizeof(*d));

	d->options = *options;
	d->seed = options->seed ? options->seed : 1;
	list_init(&d->queue);
	return d;
}

static void free_item(struct dispatched *one)
{
	if (!one)
		return;
	free(one->payload);
	free(one);
}

static struct dispatched *take_first(struct dispatch *d)
{
	struct dispatched *one = first_of(d);

	list_remove(&one->in_queue);
	d->waiting--;
	return one;
}

void dispatch_destroy(struct dispatch *d)
{
	if (!d)
		return;
	while (first_of(d))
		free_item(take_first(d));
	free_item(d->sending);
	free_item(d->gone);
	free(d);
}

static enum dispatch_refusal refusal_of(enum normal_answer answer)
{
	return answer == NORMAL_SILENT      ? DISPATCH_IS_SILENT
	       : answer == NORMAL_HEARTBEAT ? DISPATCH_IS_HEARTBEAT
	                                    : DISPATCH_IS_EMPTY;
}

static void add_item(struct dispatch *d, const struct dispatch_item *item, struct text text,
                     int64_t now_ms)
{
	struct dispatched *one = must_zero(1, sizeof(*one));
	struct payload payload = *item->payload;

	payload.text = text;
	one->payload = payload_copy(&payload);
	one->item = (struct dispatch_item){item->kind, item->number, one->payload};
	one->pauses = item->kind == DISPATCH_BLOCK && d->had_block;
	d->had_block |= item->kind == DISPATCH_BLOCK;
	list_init(&one->in_queue);
	list_add(&d->queue, &one->in_queue);
	d->waiting++;
	if (d->waiting == 1 && !d->sending)
		make_ready(d, now_ms);
}

bool dispatch_enqueue(struct dispatch *d, const struct dispatch_item *item, int64_t now_ms,
                      enum dispatch_refusal *why)
{
	enum dispatch_refusal refusal = DISPATCH_IS_FULL;
	enum normal_answer answer;
	struct buf text;

	if (d->waiting < DISPATCH_WAITING_MAX) {
		buf_init(&text, 3 * item->payload->text.len + 4 * KIB);
		answer = normal_text(&d->options.normal, item->payload, &text);
		if (answer == NORMAL_TAKEN)
			add_item(d, item, buf_text(&text), now_ms);
		buf_finish(&text);
		if (answer == NORMAL_TAKEN)
			return true;
		refusal = refusal_of(answer);
	}
	if (why)
		*why = refusal;
	return false;
}

static void end_sending(struct dispatch *d, int64_t now_ms)
{
	free_item(d->gone);
	d->gone = d->sending;
	d->sending = NULL;
	make_ready(d, now_ms);
}

static bool is_late(const struct dispatch *d, int64_t now_ms)
{
	return d->sending && d->sending->item.kind == DISPATCH_BLOCK &&
	       now_ms - d->sent_ms >= DISPATCH_BLOCK_MS;
}

enum dispatch_step dispatch_next(struct dispatch *d, int64_t now_ms, struct dispatch_item *item)
{
	if (is_late(d, now_ms)) {
		end_sending(d, now_ms);
		*item = d->gone->item;
		return DISPATCH_LATE;
	}
	if (d->sending || d->waiting == 0 || now_ms < d->ready_ms)
		return DISPATCH_WAITS;
	d->sending = take_first(d);
	d->sent_ms = now_ms;
	*item = d->sending->item;
	return DISPATCH_SENDS;
}

bool dispatch_done(struct dispatch *d, uint64_t number, int64_t now_ms)
{
	if (!d->sending || d->sending->item.number != number)
		return false;
	end_sending(d, now_ms);
	return true;
}

int64_t dispatch_due(const struct dispatch *d)
{
	if (d->sending)
		return d->sending->item.kind == DISPATCH_BLOCK ? d->sent_ms + DISPATCH_BLOCK_MS
		                                               : INT64_MAX;
	return d->waiting ? d->ready_ms : INT64_MAX;
}

bool dispatch_is_idle(const struct dispatch *d)
{
	return !d->sending && d->waiting == 0;
}

void dispatch_note_heartbeat(struct dispatch *d)
{
	d->options.normal.is_heartbeat = true;
}

void dispatch_drop_blocks(struct dispatch *d, int64_t now_ms)
{
	const struct dispatched *first = first_of(d);

	list_each(&d->queue, l) {
		struct dispatched *one = list_of(l, struct dispatched, in_queue);

		if (one->item.kind != DISPATCH_BLOCK)
			continue;
		list_remove(l);
		d->waiting--;
		free_item(one);
	}
	if (first_of(d) != first)
		make_ready(d, now_ms);
}
