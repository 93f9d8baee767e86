/* reading.h - transcripts of Claude Code that are read as they grow.
 *
 * CONFIG/projects/FOLDER/SESSION.jsonl of each open session, and SESSION/subagents/agent-*.jsonl
 * beside it, of old versions agent-*.jsonl in FOLDER itself; of a session that has ended its last
 * lines (trail.h).
 *
 * Where a file was read to stands in the signals themselves (`metadata.place`), so it is on the
 * disk when they are.  A box that starts again reads from the beginning, and tells what comes
 * behind that place: so it knows what was open there.  Words that wait for the end of a turn stand
 * before it (`place.held`), and are told by the next box.
 */
#ifndef SOURCE_READING_H
#define SOURCE_READING_H

#include "base/text.h"

struct living;
struct others;
struct readings;
struct trails;

struct readings_options {
	const char *config; /* ~/.claude; copied */
	struct trails *trails;
	struct living *living;
	const struct others *others;
	void *self;
	void (*tell)(void *self, struct text envelope); /* the same envelope again is the same */
	void (*soon)(void *self); /* readings_look() is to be called before the next beat */
};

struct readings *readings_create(const struct readings_options *options);
void readings_destroy(struct readings *readings);

/* What is to be read?  is_all: also of what is watched. */
void readings_look(struct readings *readings, uint64_t now_ms, bool is_all);
/* Are texts told that were written since then?  Files are read again, and older than a yes. */
void readings_set_words(struct readings *readings, bool words, int64_t from_ms);

#endif
