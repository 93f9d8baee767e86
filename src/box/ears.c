/* ears.c - see ears.h: what the desk wants heard goes to the engine, and its words back. */
#include "box/ears.h"

#include <stdlib.h>

#include "base/must.h"
#include "box/deliver.h"
#include "box/parts.h"
#include "voice/recording.h"
#include "voice/voice.h"

struct box_ears {
	struct box *box;
	struct processes *processes;
	struct link heard; /* heard_note.in_ears: those under way */
};

struct heard_note {
	struct box_ears *ears;
	uint64_t number;
	struct voice_recording *recording;
	struct link in_ears;
};

static void free_note(struct heard_note *note)
{
	list_remove(&note->in_ears);
	free(note);
}

static void pass_words_on(void *self, struct text words, const char *why)
{
	struct heard_note *note = self;
	struct box *box = note->ears->box;
	uint64_t number = note->number;

	free_note(note);
	box_take_heard(box, number, words, why);
}

static bool hear_note(void *self, const struct voice_note *asked, struct error *why)
{
	struct box_ears *ears = self;
	struct heard_note *note = must_zero(1, sizeof(*note));

	note->ears = ears;
	note->number = asked->number;
	list_add(&ears->heard, &note->in_ears);
	note->recording = recording_hear(
		&(struct recording_options){.voice = box_of_dialect(ears->box, &dialect_voice),
	                                    .processes = ears->processes,
	                                    .path = asked->path,
	                                    .type = asked->type,
	                                    .self = note,
	                                    .heard = pass_words_on},
		why);
	if (note->recording)
		return true;
	free_note(note);
	return false;
}

static void forget_note(void *self, uint64_t number)
{
	struct box_ears *ears = self;

	list_each(&ears->heard, l) {
		struct heard_note *note = list_of(l, struct heard_note, in_ears);

		if (note->number != number)
			continue;
		recording_stop(note->recording);
		free_note(note);
		return;
	}
}

struct box_ears *box_ears_create(struct box *box, struct processes *processes)
{
	struct box_ears *ears = must_zero(1, sizeof(*ears));

	ears->box = box;
	ears->processes = processes;
	list_init(&ears->heard);
	return ears;
}

/* The desk has forgotten all of them. */
void box_ears_destroy(struct box_ears *ears)
{
	free(ears);
}

struct ears box_ears_of(struct box_ears *ears)
{
	return (struct ears){.self = ears, .hear = hear_note, .forget = forget_note};
}
