/* ops.c - controls: our words for them, and those that wires have. */
#include "bus/ops.h"

static const struct {
	const char *ours, *wire;
} ops[] = {
	{"pause", "pause"},
	{"step", "step"},
	{"continue", "continue"},
	{"arm", "arm"},
	{"interrupt", "ui-interrupt"},
	{"quit", "ui-quit"},
	{"cancel", "cancel"},
};

#define OPS (sizeof(ops) / sizeof(ops[0]))

bool back_is_op(struct text wire)
{
	for (size_t i = 0; i < OPS; i++)
		if (text_is(wire, ops[i].wire))
			return true;
	return false;
}

struct text back_op_of(struct text wire)
{
	for (size_t i = 0; i < OPS; i++)
		if (text_is(wire, ops[i].wire))
			return text_of(ops[i].ours);
	for (size_t i = 0; i < OPS; i++)
		if (text_is(wire, ops[i].ours))
			return TEXT("");
	return wire;
}

struct text back_wire_of(struct text op)
{
	for (size_t i = 0; i < OPS; i++)
		if (text_is(op, ops[i].ours))
			return text_of(ops[i].wire);
	return op;
}
