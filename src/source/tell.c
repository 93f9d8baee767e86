/* tell.c - what is told of a source besides its signals: its state, what it missed, and
 * what became of the prompts that are its own.
 */
#include "bus/bus.h"
#include "source/inside.h"
#include "source/source.h"

#define SIGNAL_MAX (8 * KIB)

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

void source_verdict(struct source *s, uint64_t ticket, enum source_answer verdict, const char *why)
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
