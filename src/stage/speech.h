/* speech.h - what an entity says: typed letter by letter, kept, faded; pure.
 *
 * Everything follows from what was said and when, so nothing has to be ticked:
 *
 *	typing    letters appear, and until it is quiet for a while
 *	visible   the whole text, for as long as it is kept
 *	fading    then nothing
 */
#ifndef STAGE_SPEECH_H
#define STAGE_SPEECH_H

#include <yyjson.h>

#include "base/buf.h"
#include "base/text.h"

#define SPEECH_CHARS 200        /* the first ones are kept, unless the entity says */
#define SPEECH_RETENTION 5000.0 /* likewise, in milliseconds */
#define SPEECH_RATE 0.03        /* letters a millisecond */
#define SPEECH_GAP 3000.0       /* a pause like this begins a new message */
#define SPEECH_IDLE 1500.0
#define SPEECH_FADE 400.0

struct speech {
	struct buf text;
	size_t chars, chars_max;
	double retention;
	double rate;
	double shown, mark; /* letters that were there at this time */
	double last;        /* when something was said */
	bool is_thought;    /* rather than said */
};

enum speech_phase { SPEECH_SILENT, SPEECH_TYPING, SPEECH_VISIBLE, SPEECH_FADING };

void speech_init(struct speech *s, size_t chars_max, double retention);
void speech_finish(struct speech *s);

/* Something new, typed in this time (0: at the usual rate); what was said is
 * forgotten. */
void speech_say(struct speech *s, struct text words, double duration, double now_ms);
/* More of the same, or something new: after a pause, and where thinking ends or begins. */
void speech_append(struct speech *s, struct text words, bool is_thought, double now_ms);

void speech_hush(struct speech *s);

enum speech_phase speech_phase(const struct speech *s, double now_ms);
/* As JSON, and back. */
void speech_save(const struct speech *s, struct buf *out);
void speech_load(struct speech *s, yyjson_val *saved);

/* `{"text","full","phase","opacity","typed","since","rate","last"}`: text is what is typed so
 * far, and the last four say how it goes on, for who goes on by themselves. What is thought has
 * `"thought":true` as well. */
void speech_json(const struct speech *s, double now_ms, struct buf *out);

#endif
