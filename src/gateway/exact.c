/* exact.c - the events of one signal, with their position. */
#include "gateway/exact.h"

#include <stdlib.h>

#include "base/put.h"
#include "gateway/follow.h"
#include "gateway/heartbeat.h"
#include "gateway/keys.h"
#include "gateway/telling.h"
#include "hub/hub.h"
#include "journal/journal.h"
#include "journal/reader.h"
#include "run/said.h"
#include "signal/signal.h"

/* ---- saying ---- */

static void begin_event(struct buf *out, enum openclaw_event event, size_t max)
{
	buf_init(out, max);
	openclaw_wire_event(out, event);
}

void gateway_exact_put_position(struct buf *out, const struct gateway *g, uint64_t seq)
{
	char words[EPOCH_LEN + 32];

	snprintf(words, sizeof(words), "%s-%llu", journal_epoch(g->options.journal),
	         (unsigned long long)seq);
	put_word(out, "position", words);
}

static void say_event(struct gateway_view *view, struct buf *out)
{
	put_end(out);
	if (!out->full)
		client_say_frame(view->client, WS_OP_TEXT, buf_text(out));
	buf_finish(out);
}

void gateway_exact_say_position(struct gateway_exact *e)
{
	struct buf out;

	e->has_news = false;
	begin_event(&out, OPENCLAW_POSITION, GATEWAY_POSITION_MAX);
	put_object(&out, "payload");
	gateway_exact_put_position(&out, gateway_of(e->view), e->seq);
	put_end(&out);
	say_event(e->view, &out);
}

static void put_number(struct buf *out, const char *key, uint64_t n)
{
	char words[24];

	snprintf(words, sizeof(words), "%llu", (unsigned long long)n);
	put_word(out, key, words);
}

void gateway_exact_say_gap(struct gateway_exact *e, const struct gap *gap)
{
	struct buf out;

	client_count_gap(e->view->client);
	begin_event(&out, OPENCLAW_GAP, GATEWAY_POSITION_MAX);
	put_object(&out, "payload");
	put_number(&out, "from", gap->from);
	put_number(&out, "to", gap->to);
	put_word(&out, "why", gap->why);
	put_end(&out);
	say_event(e->view, &out);
}

/* ---- a signal ---- */

struct exact_ear {
	struct telling_ear ear;
	const struct exact_audience *to;
	uint64_t seq; /* of the signal */
};

static void take_for(const struct exact_ear *ear, struct gateway_exact *e,
                     const struct gateway_event *event, struct text frame)
{
	if (e->view->protocol != event->protocol || e->seq >= ear->seq ||
	    (event->family == GATEWAY_OF_TOOLS && !(e->view->caps & GATEWAY_TOOLS)) ||
	    (e->view->caps & GATEWAY_SCOPED && event->family != GATEWAY_FOR_LIVE &&
	     !gateway_follow_has(e->view, event->session)))
		return;
	e->has_news = true;
	client_say_frame(e->view->client, WS_OP_TEXT, frame);
}

static void pass_event(struct telling_ear *of, const struct gateway_event *event)
{
	const struct exact_ear *ear = list_of(of, struct exact_ear, ear);
	struct buf out;

	begin_event(&out, event->event, TELLING_MAX + KIB);
	put_json(&out, "payload", event->payload);
	put_end(&out);
	if (ear->to->one)
		take_for(ear, ear->to->one, event, buf_text(&out));
	else
		list_each(ear->to->live, l)
			take_for(ear, list_of(l, struct gateway_exact, in_live), event,
			         buf_text(&out));
	buf_finish(&out);
}

/* The newest words of an agent in this turn of the run: what its end tells. */
static uint64_t newest_words(const struct said *said)
{
	for (const struct link *l = said->messages.prev; l != &said->messages; l = l->prev) {
		const struct said_message *m = list_of(l, struct said_message, in_said);

		if (m->role == SAID_USER)
			return 0;
		if (m->role == SAID_ASSISTANT && said_text(&m->text).len)
			return m->number;
	}
	return 0;
}

static void tell_heartbeat(struct exact_ear *ear, const struct signal *s)
{
	struct gateway_event e = {OPENCLAW_HEARTBEAT, GATEWAY_FOR_LIVE};
	struct buf out;

	if (heartbeat_put(s, &out))
		for (e.protocol = GATEWAY_OLDEST; e.protocol <= GATEWAY_NEWEST; e.protocol++) {
			e.payload = buf_text(&out);
			if (ear->ear.protocols & 1U << e.protocol)
				pass_event(&ear->ear, &e);
		}
	buf_finish(&out);
}

void gateway_exact_tell(const struct exact_audience *to, const struct exact_signal *of)
{
	struct exact_ear ear = {{to->protocols, pass_event}, to, of->signal->seq};
	struct told_run told = {.id = of->run->id, .seq = of->number, .is_begun = of->was_begun};
	struct telling t = {
		to->g,
		&told,
		of->said,
		of->signal,
		yyjson_obj_get(of->signal->envelope, "payload"),
		&ear.ear,
	};
	struct buf key;

	if (heartbeat_is(of->signal)) {
		tell_heartbeat(&ear, of->signal);
		return;
	}
	buf_init(&key, 2 * KIB);
	gateway_key_of_run(to->g, of->run, &key);
	told.key = text_dup(buf_text(&key));
	told.agent = text_dup(gateway_key_agent(buf_text(&key)));
	told.message = newest_words(of->said);
	told.text_seq = of->number;
	told.is_heartbeat = heartbeat_runs(of->signal);
	told.thought.full = true; /* it is told piece by piece */
	list_init(&told.in_dirty);
	buf_init(&told.delta, TELLING_MAX);
	buf_init(&told.snapshot, TELLING_MAX);
	telling_signal(&t);
	buf_finish(&told.delta);
	buf_finish(&told.snapshot);
	free(told.key);
	free(told.agent);
	buf_finish(&key);
}
