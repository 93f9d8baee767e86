/* run_memory.h - what is remembered of a hub of the run dialect; for run.c alone. */
#ifndef SOURCE_RUN_MEMORY_H
#define SOURCE_RUN_MEMORY_H

#include <stdint.h>

#include "base/buf.h"
#include "base/list.h"
#include "base/text.h"

struct parse;
struct source;

#define RUN_FRAME_MAX (1 * MIB)
#define RUN_KNOWN_MAX 512 /* events that are known again; a hub remembers 256 */

/* A prompt that is open. */
struct run_asked {
	struct link in_memory; /* run_memory.prompts, the oldest first */
	char *id, *invoke;
	uint64_t hash;
};

/* What outlives a connection. */
struct run_memory {
	struct parse *parse;
	struct source *source;
	char *session; /* of runner/started; NULL: not heard yet */
	uint64_t seed, known[RUN_KNOWN_MAX];
	size_t known_count; /* of all times */
	struct link prompts;
	size_t prompt_count;
};

/* That of the source; it is made when there is none. */
struct run_memory *run_memory_of(struct source *source);
void run_memory_forget(void *memory);

uint64_t run_memory_hash(const struct run_memory *memory, struct text frame);
bool run_memory_knows(const struct run_memory *memory, uint64_t hash);
void run_memory_know(struct run_memory *memory, uint64_t hash);

/* The session, or the source where it is not known. */
struct text run_memory_run(const struct run_memory *memory);
/* Another run: what the last one asked is nobody's question any more. */
void run_memory_begin(struct run_memory *memory, struct text session);

struct run_asked *run_memory_find(const struct run_memory *memory, struct text id);
/* Open from now on; the oldest is forgotten where there are too many. */
struct run_asked *run_memory_ask(struct run_memory *memory, struct text id, struct text invoke);
void run_memory_close(struct run_memory *memory, struct run_asked *asked);

#endif
