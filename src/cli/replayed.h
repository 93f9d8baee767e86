/* replayed.h - a signal of the past as it is sent once more.
 *
 * It gets a new id and no timestamp, so that the box says when it came; what it was is in
 * `metadata.replay {id, epoch, seq, timestamp}`.  Everything else is, byte for byte, as it
 * stood.
 */
#ifndef CLI_REPLAYED_H
#define CLI_REPLAYED_H

#include "signal/json.h"

struct replayed {
	/* Of the line that was read; valid until the next. */
	struct text line, type, source, id;
	uint64_t seq; /* 0: it had none */
	/* Filled by the caller: what its position is called with that seq, or NULL. */
	const char *epoch;
	double at_ms; /* its timestamp */
	bool has_time;

	yyjson_val *root;
	struct json_reader json;
};

void replayed_init(struct replayed *replayed);
void replayed_finish(struct replayed *replayed);

/* False when it is no signal. */
bool replayed_read(struct replayed *replayed, struct text line, struct error *why);

/* What only a box or a person may say is not said again: sources `signalbox` and `stage`,
 * questions, answers, controls, and types that begin with user. source. journal. */
bool replayed_may_go(const struct replayed *replayed);

/* Appends the envelope. */
void replayed_add(struct buf *out, const struct replayed *replayed);

#endif
