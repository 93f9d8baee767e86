/* run_memory.h - what is remembered of a hub of the run dialect; for run.c alone. */
#ifndef SOURCE_RUN_MEMORY_H
#define SOURCE_RUN_MEMORY_H

#include <stdint.h>

#include "base/buf.h"
#include "base/list.h"
#include "base/text.h"
#include "source/run/run_place.h"

struct parse;
struct source;

#define RUN_FRAME_MAX (1 * MIB)

/* A prompt that is open. */
struct run_asked {
	struct link in_memory; /* run_memory.prompts, the oldest first */
	char *id, *invoke;
	uint32_t mark;
};

/* What outlives a connection. */
struct run_memory {
	struct parse *parse;
	struct source *source;
	char *session; /* of runner/started; NULL: not heard yet */
	struct run_place place;
	bool is_fresh;   /* the place is of the last life: the parser knows nothing of it */
	bool in_event;   /* the frame that is being parsed is one */
	uint64_t made;   /* signals of that frame so far ... */
	uint64_t passes; /* ... of which so many are passed over */
	struct link prompts;
	size_t prompt_count;
};

/* That of the source; it is made when there is none. */
struct run_memory *run_memory_of(struct source *source);
void run_memory_forget(void *memory);

/* The signals of a frame, but for the first so many, which were given before. */
#define RUN_ALL UINT64_MAX
void run_memory_parse(struct run_memory *memory, struct text frame, uint64_t passes);

/* The session, or the source where it is not known. */
struct text run_memory_run(const struct run_memory *memory);
/* Another run: what the last one asked is nobody's question any more. */
void run_memory_begin(struct run_memory *memory, struct text session);

struct run_asked *run_memory_find(const struct run_memory *memory, struct text id);
/* Open from now on; the oldest is forgotten where there are too many. */
struct run_asked *run_memory_ask(struct run_memory *memory, struct text id, struct text invoke);
/* Did the last life leave it open? */
bool run_memory_left_open(const struct run_memory *memory, struct text id);
/* Those that the last life left open, and that the hub did not show us, are over. */
void run_memory_withdraw(struct run_memory *memory);
void run_memory_close(struct run_memory *memory, struct run_asked *asked);

#endif
