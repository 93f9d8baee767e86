/* tell.c - what is told of a source besides its signals: its state, what it missed, and
 * what became of the prompts that are its own.
 */
#include "bus/bus.h"
#include "signal/make.h"
#include "source/inside.h"
#include "source/source.h"

#define SIGNAL_MAX (8 * KIB)
#define SHOWN_MAX (128 * KIB) /* of a prompt in its task_dispatch: it must fit the bus */

static void begin_told(struct make *m, struct buf *out, const char *type, const struct source *s)
{
	buf_init(out, SIGNAL_MAX);
	make_begin(m, out, &(struct make_head){.type = type, .source = SOURCE_OF_BOX});
	make_payload(m);
	make_word(m, "sourceId", s->id);
}

static void end_told(struct make *m, const struct source *s)
{
	struct bus_emit emit = {.from = bus_from(s->all->options.bus, SOURCE_OF_BOX, true)};
	struct bus_verdict verdict;

	make_end(m);
	emit.raw = buf_text(m->out);
	emit.from.is_box = true;
	bus_admit(s->all->options.bus, &emit, &verdict);
	buf_finish(m->out);
}

void source_tell_state(const struct source *s, enum source_state from)
{
	struct make m;
	struct buf out;

	begin_told(&m, &out, "source.state", s);
	make_word(&m, "from", source_state_name(from));
	make_word(&m, "to", source_state_name(s->state));
	make_word(&m, "error", s->error);
	end_told(&m, s);
}

void source_tell_gap(struct source *s, const struct source_gap *gap)
{
	struct make m;
	struct buf out;

	begin_told(&m, &out, "source.gap", s);
	if (gap->since_ms)
		make_u64(&m, "since", (uint64_t)gap->since_ms);
	if (gap->missed)
		make_u64(&m, "missed", gap->missed);
	make_word(&m, "why", gap->why);
	end_told(&m, s);
}

void source_tell_gone(struct source *s, struct text session, const char *why)
{
	struct make m;
	struct buf out;

	buf_init(&out, SIGNAL_MAX);
	make_begin(&m, &out,
	           &(struct make_head){.type = "session.gone",
	                               .source = SOURCE_OF_BOX,
	                               .correlation = session,
	                               .is_new = true});
	make_payload(&m);
	make_word(&m, "why", why);
	make_word(&m, "by", "connection");
	end_told(&m, s);
}

/* ---- what became of a control ---- */

void source_verdict(struct source *s, uint64_t ticket, enum back_answer verdict, const char *why)
{
	if (ticket && s->all->options.verdict)
		s->all->options.verdict(s->all->options.self, ticket, verdict, why);
}

void source_called(struct source *s, uint64_t ticket, const struct back_verdict *verdict)
{
	if (ticket && s->all->options.called)
		s->all->options.called(s->all->options.self, ticket, verdict);
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

void source_dispatch(struct source *source, const struct back_ask *ask,
                     const struct source_dispatch *more)
{
	struct text shown = ask->prompt;
	struct make m;
	struct buf out;

	if (shown.len > SHOWN_MAX)
		shown.len = SHOWN_MAX;
	buf_init(&out, 8 * SHOWN_MAX);
	make_begin(&m, &out,
	           &(struct make_head){.type = "task_dispatch",
	                               .source = TEXT("user"),
	                               .correlation = ask->run});
	make_metadata(&m);
	make_text(&m, "sourceId", source_id(source));
	make_given(&m, "session", ask->session);
	if (more->origin.len)
		make_raw(&m, "origin", more->origin);
	make_payload(&m);
	make_text(&m, "taskId", ask->run);
	make_word(&m, "from", "user");
	make_text(&m, "to", ask->model);
	make_text(&m, "description", shown);
	make_end(&m);
	if (more->place.len)
		source_received_of_run(source, buf_text(&out), more->place);
	else
		source_received(source, buf_text(&out));
	buf_finish(&out);
}
