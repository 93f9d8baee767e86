/* frame.h - one frame of the run dialect, read; pure.
 *
 *	{"kind":"event","seq":12,"ts":1780798849355,"event":"llm/delta","data":{...}}
 *
 * Frames go between agents and screens.  Keys are hyphenated and session ids opaque;
 * what is not known is kept as it is.  A line of a transcript has no `kind` and is an
 * event.
 */
#ifndef RUN_FRAME_H
#define RUN_FRAME_H

#include <yyjson.h>

#include "base/error.h"
#include "base/text.h"
#include "signal/json.h"

#define FRAME_MAX (1 * MIB)

enum frame_kind {
	FRAME_EVENT,
	FRAME_PHASE,
	FRAME_PROMPT,
	FRAME_PROMPT_CLOSED,
	FRAME_DEBUG,
	FRAME_CONTROL,
	FRAME_ANSWER,
	FRAME_OTHER, /* model-catalog, conversation, progress, ...: not ours to read */
};

struct frame {
	enum frame_kind kind;
	struct text raw;
	yyjson_val *root;            /* an object */
	yyjson_val *data;            /* of an event: an object or NULL */
	struct text event;           /* likewise: "llm/delta" */
	struct text run;             /* whose it is, in a stream of many; else empty */
	struct text invoke, session; /* of an event's data; empty when absent or null */
	struct text subagent;        /* likewise: the id of the one whose event it is */
	double ts;                   /* 0 when it has none */
	uint64_t seq;
	bool has_seq;
};

/* Valid until the reader's next text.  False: it is no JSON object, or an event without
 * a name. */
bool frame_read(struct frame *frame, struct json_reader *reader, struct text raw,
                struct error *why);
/* One that was read with what it is in; it has no raw bytes. */
bool frame_take(struct frame *frame, yyjson_val *root, struct error *why);

#endif
