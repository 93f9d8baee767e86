/* mock.c - the fixed words of a mocked turn. */
#include "voice/mock.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/must.h"

#define WORDS_MAX 128

static const char *const answers[] = {
	"[mocked assistant] ",
	"This is a deterministic mocked response from the gateway vertical slice.",
};

struct mock_work {
	const struct voice_mock_times *times;
	struct voice_ear ear;
	uint64_t begun_ms; /* all that it waits for is there */
	unsigned chunks;
	unsigned step; /* of the answer */
	bool is_waiting, is_triggered;
};

static void mock_tell(const struct mock_work *w, enum voice_fact_kind kind, const char *words,
                      uint64_t now_ms)
{
	w->ear.told(w->ear.self, w->ear.turn,
	            &(struct voice_fact){.kind = kind, .text = text_of(words), .now_ms = now_ms});
}

static void *mock_begin(const void *of, const struct voice_ear *ear, uint64_t now_ms)
{
	struct mock_work *w = must_zero(1, sizeof(*w));

	(void)now_ms;
	w->times = of;
	w->ear = *ear;
	return w;
}

static void mock_end(void *work, uint64_t now_ms)
{
	struct mock_work *w = work;

	w->is_waiting = true;
	w->begun_ms = now_ms;
}

static void mock_stop(void *work)
{
	free(work);
}

/* ---- hear ---- */

static void hear_sound(void *work, struct text piece, uint64_t now_ms)
{
	struct mock_work *w = work;
	char words[WORDS_MAX] = "[mocked partial] Placeholder push-to-talk transcript in progress.";

	(void)piece;
	w->chunks++;
	if (w->chunks > 1)
		snprintf(words, sizeof(words),
		         "[mocked partial] Placeholder push-to-talk transcript in progress (%u "
		         "chunks).",
		         w->chunks);
	mock_tell(w, FACT_PARTIAL, words, now_ms);
}

static void mock_trigger(void *work, uint64_t now_ms)
{
	struct mock_work *w = work;

	w->is_triggered = true;
	mock_end(w, now_ms);
}

static uint64_t hear_due(const void *work)
{
	const struct mock_work *w = work;

	return w->is_waiting ? w->begun_ms + w->times->final : VOICE_NEVER;
}

static void hear_tick(void *work, uint64_t now_ms)
{
	struct mock_work *w = work;
	char words[WORDS_MAX];

	if (w->is_triggered)
		snprintf(words, sizeof(words),
		         "[mocked user] What is the current mocked vertical slice?");
	else if (w->chunks)
		snprintf(words, sizeof(words),
		         "[mocked final] Placeholder push-to-talk transcript completed from %u "
		         "appended chunk(s).",
		         w->chunks);
	else
		snprintf(words, sizeof(words),
		         "[mocked final] Placeholder push-to-talk transcript completed without "
		         "appended audio.");
	w->is_waiting = false;
	mock_tell(w, FACT_FINAL, words, now_ms);
}

/* ---- think ---- */

static void think_words(void *work, struct text piece, uint64_t now_ms)
{
	(void)work;
	(void)piece;
	(void)now_ms;
}

/* After the words came. */
static unsigned step_ms(const struct mock_work *w)
{
	const struct voice_mock_times *t = w->times;
	const unsigned at[] = {t->speaking, t->first, t->second, t->end};
	unsigned last = t->final;

	for (unsigned i = 0; i <= w->step; i++)
		last = at[i] > last ? at[i] : last;
	return last - t->final;
}

static uint64_t think_due(const void *work)
{
	const struct mock_work *w = work;

	return w->is_waiting ? w->begun_ms + step_ms(w) : VOICE_NEVER;
}

static void think_tick(void *work, uint64_t now_ms)
{
	struct mock_work *w = work;

	switch (w->step++) {
	case 0:
		mock_tell(w, FACT_SPEAKS, "", now_ms);
		return;
	case 1:
	case 2:
		mock_tell(w, FACT_DELTA, answers[w->step - 2], now_ms);
		return;
	default:
		w->is_waiting = false;
		mock_tell(w, FACT_WHOLE, "", now_ms);
	}
}

/* ---- both ---- */

static const struct voice_role mock_hear = {
	.begin = mock_begin,
	.feed = hear_sound,
	.end = mock_end,
	.stop = mock_stop,
	.due = hear_due,
	.tick = hear_tick,
};

static const struct voice_role mock_think = {
	.begin = mock_begin,
	.feed = think_words,
	.end = mock_end,
	.stop = mock_stop,
	.due = think_due,
	.tick = think_tick,
};

struct voice_engine voice_mock(const struct voice_mock_times *times)
{
	return (struct voice_engine){
		.name = "mock",
		.of = {times, times},
		.parts = {[VOICE_HEAR] = &mock_hear, [VOICE_THINK] = &mock_think},
		.trigger = mock_trigger,
	};
}
