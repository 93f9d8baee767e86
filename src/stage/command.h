/* command.h - what a choreography tells the stage, and the stage its screens.
 *
 *	start      an action that takes time begins: duration and easing say how
 *	update     how far it is (only for who asks: screens move by themselves)
 *	complete   it is over
 *	execute    an action that takes no time
 *	interrupt  a performance was cut short by another signal
 */
#ifndef STAGE_COMMAND_H
#define STAGE_COMMAND_H

#include "base/buf.h"
#include "base/text.h"

enum command_kind {
	COMMAND_START,
	COMMAND_UPDATE,
	COMMAND_COMPLETE,
	COMMAND_EXECUTE,
	COMMAND_INTERRUPT,
	COMMAND_KINDS,
};
const char *command_kind_name(enum command_kind kind);

struct stage_command {
	enum command_kind kind;
	double at_ms;
	uint64_t performance;     /* written "perf-N" */
	struct text action;       /* "move", ... */
	struct text entity;       /* the semantic id it concerns */
	bool by_signal;           /* it is a signal that named the entity */
	struct text params;       /* a JSON object: what is left of the step, resolved */
	double duration;          /* of start */
	struct text easing;       /* of start */
	double progress, elapsed; /* of update, and of a start that is under way */
	struct text correlation;  /* whose episode it is; written of an interrupt only */
	struct text source;       /* of the signal behind it; not written */
	struct text interrupted_by;
	struct text from; /* of a start under way: where or what it was, as JSON, or empty */
};

/* `{"kind","at","performanceId",...}` with just the members its kind has. */
void command_json(const struct stage_command *command, struct buf *out);

#endif
