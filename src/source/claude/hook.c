/* hook.c - payloads into signals, signals to their source. */
#include "source/claude/hook.h"

#include <stdlib.h>
#include <xxhash.h>

#include "base/must.h"
#include "bus/bus.h"
#include "parse/parse.h"
#include "signal/make.h"
#include "signal/metric.h"
#include "source/claude/hook_stub.h"
#include "source/source.h"

#define SOURCE_ID TEXT("local:claude-code")
#define SIGNAL_MAX (512 * KIB) /* of one of ours: a question with its words and its input */
#define STUB_ROOM (512 * KIB)  /* for what a stub keeps, escaped */

struct hook {
	struct hook_options options;
	struct parse *parse;
	struct hook_stats stats;
	struct error *why; /* of the payload that is being read */
	bool is_bad;
	bool is_late;
};

static void hook_take_signal(void *self, struct text envelope)
{
	struct hook *hook = self;
	struct source *source = sources_find(hook->options.sources, SOURCE_ID);
	struct bus_emit emit = {.raw = envelope,
	                        .from = bus_from(hook->options.bus, SOURCE_ID, true),
	                        .once = hook->is_late};
	struct bus_verdict verdict;

	/* What was spooled waits for no turn of its source: its file goes when it is durable. */
	if (source && !hook->is_late) {
		source_received(source, envelope);
		return;
	}
	bus_admit(hook->options.bus, &emit, &verdict);
	if (verdict.answer != BUS_ACCEPTED)
		hook->is_bad = !error_set(hook->why, "%s", verdict.why.words);
}

void hook_begin(struct buf *out, const char *type, struct text run)
{
	struct make m;

	buf_init(out, SIGNAL_MAX);
	make_begin(&m, out,
	           &(struct make_head){
			   .type = type,
			   .source = TEXT("adapter:tap"),
			   .correlation = run,
			   .is_new = true,
		   });
	make_payload(&m);
}

void hook_end(struct hook *hook, struct buf *out)
{
	if (!out->full)
		hook_take_signal(hook, buf_text(out));
	buf_finish(out);
}

static void hook_take_bad(void *self, const char *why)
{
	struct hook *hook = self;
	struct source *source = sources_find(hook->options.sources, SOURCE_ID);

	if (source)
		source_bad(source, why);
	error_set(hook->why, "%s", why);
	hook->is_bad = true;
}

struct hook *hook_create(const struct hook_options *options)
{
	struct hook *hook = must_zero(1, sizeof(*hook));

	hook->options = *options;
	hook->parse =
		parse_create(parse_find(TEXT("claude-hook")),
	                     &(struct parse_options){.source = TEXT("adapter:tap"),
	                                             .event_max = options->payload_max + STUB_ROOM,
	                                             .self = hook,
	                                             .signal = hook_take_signal,
	                                             .bad = hook_take_bad});
	return hook;
}

void hook_destroy(struct hook *hook)
{
	if (!hook)
		return;
	parse_destroy(hook->parse);
	free(hook);
}

static uint64_t seed_of(const struct hook_payload *payload)
{
	uint64_t place = payload->place ^ (uint64_t)payload->at_ms << 24;

	if (!payload->place)
		return 0;
	return XXH3_64bits_withSeed(payload->bytes.at, payload->bytes.len, place) | 1;
}

static void hook_parse(struct hook *hook, struct text payload)
{
	hook->is_bad = false;
	if (text_trim(payload).len)
		parse_message(hook->parse, payload);
	else
		hook_take_bad(hook, "a hook without a payload");
}

/* True: it could be told as a stub.  What is short and of no known event is no hook. */
static bool parse_stub(struct hook *hook, const struct hook_payload *payload, bool is_long)
{
	struct buf stub;
	bool is_known = hook_stub(&stub, payload->bytes, payload->whole);

	if (is_known || is_long)
		hook_parse(hook, buf_text(&stub));
	buf_finish(&stub);
	return !hook->is_bad;
}

bool hook_take(struct hook *hook, const struct hook_payload *payload, struct error *why)
{
	bool is_long = payload->bytes.len > hook->options.payload_max ||
	               payload->whole > payload->bytes.len;

	hook->why = why;
	hook->is_late = payload->is_late;
	parse_set_moment(hook->parse, payload->at_ms, payload->is_late);
	parse_set_seed(hook->parse, seed_of(payload));
	if (!is_long)
		hook_parse(hook, payload->bytes);
	/* What is escaped grows: a payload within the limit may make a signal beyond it.  And
	 * one may be too deep for a signal, however short it is. */
	if (is_long || hook->is_bad) {
		is_long = is_long || payload->bytes.len > HOOK_STUB_FIRST;
		hook->stats.cut += parse_stub(hook, payload, is_long) ? 1 : 0;
	}
	hook->why = NULL;
	hook->is_late = false;
	if (hook->is_bad)
		hook->stats.refused++;
	else
		hook->stats.taken++;
	if (payload->is_late && !hook->is_bad)
		hook->stats.late++;
	return !hook->is_bad;
}

struct hook_stats hook_stats(const struct hook *hook)
{
	return hook->stats;
}

bool hook_is_listed(const struct hook *hook)
{
	return sources_find(hook->options.sources, SOURCE_ID) != NULL;
}

void hook_tell_late(struct hook *hook, uint64_t count)
{
	struct source *source = sources_find(hook->options.sources, SOURCE_ID);
	struct error why;

	error_set(&why, "%llu payloads of hooks came late: the box was not reached",
	          (unsigned long long)count);
	if (source)
		source_erred(source, why.words);
}

void hook_tell_lost(struct hook *hook, uint64_t count)
{
	struct source *source = sources_find(hook->options.sources, SOURCE_ID);
	struct error why;

	error_set(&why, "%llu payloads of hooks were lost: the spool was full",
	          (unsigned long long)count);
	for (uint64_t i = 0; source && i < count; i++)
		source_dropped(source, why.words);
}

void hook_metrics(const struct hook *hook, struct buf *out)
{
	static const struct metric taken = {"signalbox_hooks_taken_total", METRIC_COUNTER,
	                                    "Words of Claude Code's hooks that were understood."};
	static const struct metric refused = {"signalbox_hooks_refused_total", METRIC_COUNTER,
	                                      "Words of Claude Code's hooks that were not."};

	metric_add(out, &taken, (double)hook->stats.taken);
	metric_add(out, &refused, (double)hook->stats.refused);
}
