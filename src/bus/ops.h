/* ops.h - controls: our words for them, and those that wires have; pure. */
#ifndef BUS_OPS_H
#define BUS_OPS_H

#include "base/text.h"

/* Is it a wire's word for a control?  Our word for it, and back.  A word that we do not know is
 * its agent's own and stays, unless it would be taken for one of ours. */
bool back_is_op(struct text wire);
struct text back_op_of(struct text wire);
struct text back_wire_of(struct text op);
/* To who answers what was asked, an interrupt means the same. */
static inline bool back_is_cancel(struct text op)
{
	return text_is(op, "cancel") || text_is(op, "interrupt");
}

#endif
