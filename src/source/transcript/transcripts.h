/* transcripts.h - what agents leave on this machine about their sessions, and whether they live.
 *
 * The registry and task lists of Claude Code and the files are read when the kernel says that they
 * have changed (watch.h), where it does not each beat of the loop, and all of them every half a
 * minute.  Each beat every open session (living.h) is looked for: one whose process is gone, or
 * that has none and was silent for too long, becomes session.gone.
 */
#ifndef SOURCE_TRANSCRIPTS_H
#define SOURCE_TRANSCRIPTS_H

#include "base/text.h"

struct buf;
struct bus;
struct living;
struct loop;
struct transcripts;

/* Does the plan that is known of a session say the same as these items, a JSON array as agent.plan
 * has it?  None says the same as a plan of which all is done. */
enum transcripts_plan { TRANSCRIPTS_PLAN_UNSURE, TRANSCRIPTS_PLAN_SAME, TRANSCRIPTS_PLAN_OTHER };

struct transcripts_plans {
	void *self;
	enum transcripts_plan (*known)(void *self, struct text session, struct text items);
};

struct transcripts_options {
	struct loop *loop;
	struct bus *bus;
	struct living *living; /* lives longer */
	const char *config;    /* Claude Code's directory, copied; NULL: nothing there is read */
	const char *codex;     /* of Codex, likewise */
	const char *gemini;    /* of Gemini CLI, likewise */
	bool words;            /* are told, and not facts alone ... */
	int64_t words_from_ms; /* ... that were written since then; 0: all */
	struct transcripts_plans plans;
	unsigned silent_ms; /* for sessions without a process; 0: for ever */
};

struct transcripts *transcripts_create(const struct transcripts_options *options);
void transcripts_destroy(struct transcripts *t);

/* A hook came, run by this process of an agent; 0: not known. */
void transcripts_note_hook(struct transcripts *t, struct text payload, uint64_t agent);

void transcripts_set_words(struct transcripts *t, bool words, int64_t from_ms);
bool transcripts_words(const struct transcripts *t, int64_t *from_ms); /* from_ms: or NULL */
void transcripts_metrics(const struct transcripts *t, struct buf *out);

#endif
