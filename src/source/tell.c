/* tell.c - what is told of a source besides its signals: its state, what it missed, and
 * what became of the prompts that are its own.
 */
#include "bus/bus.h"
#include "source/inside.h"
#include "source/source.h"

#define SIGNAL_MAX (8 * KIB)
#define SHOWN_MAX (128 * KIB) /* of a prompt in its task_dispatch: it must fit the bus */

static void begin(struct buf *out, const char *type, const struct source *s)
{
	buf_init(out, SIGNAL_MAX);
	buf_print(out,
	          "{\"type\":\"%s\",\"source\":\"signalbox\",\"payload\":{\"sourceId\":", type);
	buf_add_json(out, text_of(s->id));
}

static void end(struct buf *out, const struct source *s)
{
	struct bus_emit emit = {.from = bus_from(s->all->options.bus, SOURCE_OF_BOX, true)};
	struct bus_verdict verdict;

	buf_add(out, TEXT("}}"));
	emit.raw = buf_text(out);
	emit.from.is_box = true;
	bus_admit(s->all->options.bus, &emit, &verdict);
	buf_finish(out);
}

void source_tell_state(const struct source *s, enum source_state from)
{
	struct buf out;

	begin(&out, "source.state", s);
	buf_print(&out, ",\"from\":\"%s\",\"to\":\"%s\"", source_state_name(from),
	          source_state_name(s->state));
	if (s->error) {
		buf_add(&out, TEXT(",\"error\":"));
		buf_add_json(&out, text_of(s->error));
	}
	end(&out, s);
}

void source_tell_gap(struct source *s, const struct source_gap *gap)
{
	struct buf out;

	begin(&out, "source.gap", s);
	if (gap->since_ms)
		buf_print(&out, ",\"since\":%lld", (long long)gap->since_ms);
	if (gap->missed)
		buf_print(&out, ",\"missed\":%llu", (unsigned long long)gap->missed);
	buf_add(&out, TEXT(",\"why\":"));
	buf_add_json(&out, text_of(gap->why));
	end(&out, s);
}

/* ---- what became of a control ---- */

void source_verdict(struct source *s, uint64_t ticket, enum back_answer verdict, const char *why)
{
	if (ticket && s->all->options.verdict)
		s->all->options.verdict(s->all->options.self, ticket, verdict, why);
}

/* ---- prompts of its own ---- */

void source_withdrew(struct source *s, struct text id, const char *why)
{
	if (s->all->options.withdrew)
		s->all->options.withdrew(s->all->options.self, text_of(s->id), id, why);
}

void source_decided(struct source *s, const struct source_decision *decision)
{
	if (s->all->options.decided)
		s->all->options.decided(s->all->options.self, text_of(s->id), decision);
}

void source_asks_again(struct source *s, struct text run)
{
	if (s->all->options.asks_again)
		s->all->options.asks_again(s->all->options.self, run);
}

void source_each_prompt(struct source *s, void (*each)(void *of, struct text id), void *of)
{
	if (s->all->options.each_prompt)
		s->all->options.each_prompt(s->all->options.self, text_of(s->id), each, of);
}

void source_dispatch(struct source *source, const struct back_ask *ask, struct text place)
{
	struct text shown = ask->prompt;
	struct buf out;

	if (shown.len > SHOWN_MAX)
		shown.len = SHOWN_MAX;
	buf_init(&out, 8 * SHOWN_MAX);
	buf_add(&out, TEXT("{\"type\":\"task_dispatch\",\"source\":\"user\",\"correlationId\":"));
	buf_add_json(&out, ask->run);
	buf_add(&out, TEXT(",\"metadata\":{\"sourceId\":"));
	buf_add_json(&out, source_id(source));
	if (ask->session.len) {
		buf_add(&out, TEXT(",\"session\":"));
		buf_add_json(&out, ask->session);
	}
	buf_add(&out, TEXT("},\"payload\":{\"taskId\":"));
	buf_add_json(&out, ask->run);
	buf_add(&out, TEXT(",\"from\":\"user\",\"to\":"));
	buf_add_json(&out, ask->model);
	buf_add(&out, TEXT(",\"description\":"));
	buf_add_json(&out, shown);
	buf_add(&out, TEXT("}}"));
	if (place.len)
		source_received_of_run(source, buf_text(&out), place);
	else
		source_received(source, buf_text(&out));
	buf_finish(&out);
}
