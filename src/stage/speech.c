/* speech.c - speech as a function of time. */
#include "stage/speech.h"

#include <assert.h>
#include <math.h>

#include "base/put.h"
#include "signal/json.h"

#define BYTES_A_CHAR 4
#define RATE_MAX 1e6 /* letters a millisecond: at once */

void speech_init(struct speech *s, size_t chars_max, double retention)
{
	*s = (struct speech){.chars_max = chars_max, .retention = retention, .rate = SPEECH_RATE};
	buf_init(&s->text, chars_max * BYTES_A_CHAR);
}

void speech_finish(struct speech *s)
{
	buf_finish(&s->text);
}

static double speech_shown_at(const struct speech *s, double now_ms)
{
	double passed = now_ms > s->mark ? now_ms - s->mark : 0;

	return fmin((double)s->chars, s->shown + passed * s->rate);
}

/* The bytes of the first so many characters. */
static size_t bytes_of(struct text t, size_t chars)
{
	size_t i = 0;

	for (; i < t.len; i++) {
		bool begins = (t.at[i] & 0xC0) != 0x80;

		if (begins && chars-- == 0)
			break;
	}
	assert(i <= t.len);
	return i;
}

static size_t chars_of(struct text t)
{
	size_t count = 0;

	for (size_t i = 0; i < t.len; i++)
		count += (t.at[i] & 0xC0) != 0x80;
	return count;
}

static void speech_add(struct speech *s, struct text words, double now_ms)
{
	assert(s->chars <= s->chars_max);
	words.len = bytes_of(words, s->chars_max - s->chars);
	buf_add(&s->text, words);
	s->chars += chars_of(words);
	s->last = now_ms;
	assert(s->chars <= s->chars_max);
}

void speech_say(struct speech *s, struct text words, double duration, double now_ms)
{
	buf_clear(&s->text);
	s->chars = 0;
	s->shown = 0;
	s->mark = now_ms;
	s->is_thought = false;
	speech_add(s, words, now_ms);
	s->rate = SPEECH_RATE;
	if (duration > 0 && s->chars)
		s->rate = fmin((double)s->chars / duration, RATE_MAX);
}

void speech_append(struct speech *s, struct text words, bool is_thought, double now_ms)
{
	if (s->chars == 0 || s->is_thought != is_thought || now_ms - s->last > SPEECH_GAP) {
		speech_say(s, words, 0, now_ms);
		s->is_thought = is_thought;
		return;
	}
	s->shown = speech_shown_at(s, now_ms);
	s->mark = now_ms;
	speech_add(s, words, now_ms);
}

void speech_hush(struct speech *s)
{
	buf_clear(&s->text);
	s->chars = 0;
}

/* When all is typed and it was quiet for a while. */
static double visible_from(const struct speech *s)
{
	return fmax(s->last + SPEECH_IDLE, s->mark + ((double)s->chars - s->shown) / s->rate);
}

enum speech_phase speech_phase(const struct speech *s, double now_ms)
{
	double from = visible_from(s);

	if (s->chars == 0 || now_ms >= from + s->retention + SPEECH_FADE)
		return SPEECH_SILENT;
	if (now_ms < from)
		return SPEECH_TYPING;
	return now_ms < from + s->retention ? SPEECH_VISIBLE : SPEECH_FADING;
}

void speech_json(const struct speech *s, double now_ms, struct buf *out)
{
	static const char *const names[] = {"silent", "typing", "visible", "fading"};
	enum speech_phase phase = speech_phase(s, now_ms);
	struct text all = buf_text(&s->text), typed = all;
	double faded = (now_ms - visible_from(s) - s->retention) / SPEECH_FADE;

	typed.len = bytes_of(all, (size_t)speech_shown_at(s, now_ms));
	put_object(out, NULL);
	put_text(out, "text", typed);
	put_text(out, "full", all);
	put_word(out, "phase", names[phase]);
	put_key(out, "opacity");
	json_add_number(out, phase == SPEECH_FADING ? 1 - faded : phase != SPEECH_SILENT);
	put_key(out, "typed");
	json_add_number(out, s->shown);
	put_key(out, "since");
	json_add_number(out, s->mark);
	put_key(out, "rate");
	json_add_number(out, s->rate);
	put_key(out, "last");
	json_add_number(out, s->last);
	if (s->is_thought)
		put_bool(out, "thought", true);
	buf_add_char(out, '}');
}

void speech_save(const struct speech *s, struct buf *out)
{
	const double numbers[] = {s->rate, s->shown, s->mark, s->last};

	buf_add_char(out, '[');
	buf_add_json(out, buf_text(&s->text));
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		buf_add_char(out, ',');
		json_add_number(out, numbers[i]);
	}
	buf_add(out, s->is_thought ? TEXT(",true]") : TEXT("]"));
}

void speech_load(struct speech *s, yyjson_val *saved)
{
	double *const numbers[] = {&s->rate, &s->shown, &s->mark, &s->last};

	speech_say(s, json_text(yyjson_arr_get(saved, 0)), 0, 0);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		json_number(yyjson_arr_get(saved, i + 1), numbers[i]);
	s->shown = fmax(s->shown, 0);
	s->is_thought =
		yyjson_is_true(yyjson_arr_get(saved, 1 + sizeof(numbers) / sizeof(numbers[0])));
	if (s->rate <= 0)
		s->rate = SPEECH_RATE;
}
