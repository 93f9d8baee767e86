/* run_hub.h - a line to a hub of the run dialect; for run.c and run_show.c alone. */
#ifndef SOURCE_RUN_HUB_H
#define SOURCE_RUN_HUB_H

#include "net/loop.h"
#include "signal/json.h"
#include "source/run/run_memory.h"

struct run_hub {
	struct source *source;
	struct run_memory *memory;
	struct ws_client *client;
	struct json_reader reader;
	bool holds;      /* what comes is held back ... */
	bool seeks;      /* ... until our place is found in it */
	bool catches_up; /* what comes may be known */
	char *renamed;   /* what is held is of this run, which is another one; NULL: it is not */
	size_t events;   /* that are held */
	struct buf held; /* lengths and frames */
	struct deadline patience;
	uint64_t seek_by; /* of the loop's clock */
};

/* The line is open, a frame came, the line is closed. */
void run_show_begin(struct run_hub *hub);
void run_show_hear(struct run_hub *hub, struct text frame);
void run_show_end(struct run_hub *hub);

#endif
