/* blocks_inside.h - what the files of blocks.h share. */
#ifndef DELIVER_BLOCKS_INSIDE_H
#define DELIVER_BLOCKS_INSIDE_H

#include "base/list.h"
#include "deliver/blocks.h"
#include "deliver/once.h"
#include "deliver/said.h"

struct sent_block {
	struct link in_list; /* pipeline.taken, ready or held */
	uint64_t number;
	struct payload *payload;
	bool follows; /* the block before it, behind the gap */
	enum chunk_gap gap;
};

struct pipeline {
	struct pipeline_options options;
	char *reply_to; /* for the first block of tokens; NULL afterwards */
	struct chunker *chunker;
	struct gatherer held_text;
	int64_t touched_ms; /* when something came last */
	bool saw_voice, has_stopped, has_given_up;
	bool has_overflowed; /* nothing more is taken */
	bool has_missed;     /* something was not taken: only the final has it */

	struct link taken, ready; /* blocks without an answer or refused; those to take; in order */
	size_t waiting;           /* in both */
	struct link held;         /* media, till the flush */
	size_t held_count;
	uint64_t last_number;
	uint64_t streamed; /* pieces of one text, in a row */

	struct once once; /* what left */
	struct said_turn said;

	struct buf spilled;         /* texts of blocks for which there was no room, in order */
	struct text spilled_behind; /* what stands before them */
	struct link spilled_media;

	struct buf rest;
	struct text rest_media[PAYLOAD_MEDIA_MAX];
};

void pipeline_free_block(struct sent_block *b);

#endif
