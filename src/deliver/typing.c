/* typing.c - one light, five signals, five ends. */
#include "deliver/typing.h"

#include "deliver/normal.h"

/* --- channels and modes ------------------------------------------------------------------ */

const struct typing_channel *typing_channel(struct text name)
{
	static const struct typing_channel channels[] = {
		{"telegram", 3000, TYPING_EVERYWHERE},
		{"discord", 5000, TYPING_EVERYWHERE},
		{"slack", TYPING_INTERVAL_MS, TYPING_IN_THREADS},
		{"imessage", TYPING_INTERVAL_MS, TYPING_NOWHERE},
		{"ntfy", TYPING_INTERVAL_MS, TYPING_NOWHERE},
		{"", TYPING_INTERVAL_MS, TYPING_EVERYWHERE},
	};
	const struct typing_channel *c = channels;

	while (c->name[0] && !text_is(name, c->name))
		c++;
	return c;
}

bool typing_read_mode(struct text word, enum typing_mode *mode)
{
	static const char *const words[] = {
		[TYPING_INSTANT] = "instant",
		[TYPING_MESSAGE] = "message",
		[TYPING_THINKING] = "thinking",
		[TYPING_NEVER] = "never",
	};

	for (unsigned i = TYPING_INSTANT; i <= TYPING_NEVER; i++) {
		if (text_is(word, words[i])) {
			*mode = (enum typing_mode)i;
			return true;
		}
	}
	return false;
}

enum typing_mode typing_resolve(enum typing_mode configured, const struct typing_turn *turn,
                                const struct typing_channel *channel)
{
	if (turn->is_heartbeat || channel->place == TYPING_NOWHERE ||
	    (channel->place == TYPING_IN_THREADS && !turn->is_in_thread))
		return TYPING_NEVER;
	if (configured != TYPING_UNSET)
		return configured;
	return turn->is_direct || turn->is_mentioned ? TYPING_INSTANT : TYPING_MESSAGE;
}

/* --- signals ----------------------------------------------------------------------------- */

void typing_init(struct typing_signaler *t, enum typing_mode mode, int64_t interval_ms)
{
	*t = (struct typing_signaler){.mode = mode, .interval_ms = interval_ms, .is_sent = true};
}

static bool hears(const struct typing_signaler *t)
{
	return t->mode != TYPING_NEVER && t->end == TYPING_GOES_ON && !t->is_run_over;
}

static void light(struct typing_signaler *t, int64_t now_ms)
{
	t->is_on = true;
	t->active_ms = now_ms;
}

void typing_run_start(struct typing_signaler *t, int64_t now_ms)
{
	if (hears(t) && t->mode == TYPING_INSTANT)
		light(t, now_ms);
}

void typing_message_start(struct typing_signaler *t, int64_t now_ms)
{
	t->beginning_len = 0;
	if (hears(t) && t->mode == TYPING_MESSAGE && t->saw_text)
		light(t, now_ms);
}

/* Tokens come in parts, so the beginning of a message is looked at as a whole. */
static bool is_for_people(struct typing_signaler *t, struct text delta)
{
	size_t room = sizeof(t->beginning) - t->beginning_len;
	size_t n = delta.len < room ? delta.len : room;
	struct text beginning;

	if (n)
		memcpy(t->beginning + t->beginning_len, delta.at, n);
	t->beginning_len += n;
	beginning = (struct text){t->beginning, t->beginning_len};
	return text_trim(beginning).len > 0 && !normal_may_be_silent(beginning);
}

void typing_text_delta(struct typing_signaler *t, struct text delta, int64_t now_ms)
{
	if (!hears(t) || !is_for_people(t, delta))
		return;
	t->saw_text = true;
	light(t, now_ms);
}

void typing_reasoning_delta(struct typing_signaler *t, int64_t now_ms)
{
	if (hears(t) && t->mode == TYPING_THINKING && t->saw_text)
		light(t, now_ms);
}

void typing_tool_start(struct typing_signaler *t, int64_t now_ms)
{
	if (hears(t))
		light(t, now_ms);
}

/* --- the end ----------------------------------------------------------------------------- */

void typing_stop(struct typing_signaler *t, enum typing_end why)
{
	if (t->end == TYPING_GOES_ON)
		t->end = why;
	t->is_on = false;
}

static void end_if_done(struct typing_signaler *t)
{
	if (t->is_run_over && t->is_sent)
		typing_stop(t, TYPING_IS_DONE);
}

void typing_run_over(struct typing_signaler *t)
{
	t->is_run_over = true;
	end_if_done(t);
}

void typing_sent(struct typing_signaler *t, bool is_idle)
{
	t->is_sent = is_idle;
	end_if_done(t);
}

/* --- what to send ------------------------------------------------------------------------ */

enum typing_act typing_next(struct typing_signaler *t, int64_t now_ms)
{
	if (t->is_on && now_ms - t->active_ms >= TYPING_SILENCE_MS)
		typing_stop(t, TYPING_IS_SILENT);
	if (t->is_on && (!t->was_shown || now_ms - t->shown_ms >= t->interval_ms)) {
		t->was_shown = true;
		t->shown_ms = now_ms;
		return TYPING_SHOW;
	}
	if (t->is_on || !t->was_shown)
		return TYPING_NOTHING;
	t->was_shown = false;
	return TYPING_HIDE;
}

int64_t typing_due(const struct typing_signaler *t)
{
	int64_t silent = t->active_ms + TYPING_SILENCE_MS, again = t->shown_ms + t->interval_ms;

	if (!t->is_on)
		return t->was_shown ? t->shown_ms : INT64_MAX;
	if (!t->was_shown)
		return t->active_ms;
	return again < silent ? again : silent;
}
