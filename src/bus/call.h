/* call.h - a request in the language of a source, from who speaks that, too.
 *
 * One that was taken is told of once, within BACK_CALL_S or a little more: with what it gave, with
 * the source's own error (BACK_REFUSED), or that nobody answered.
 */
#ifndef BUS_CALL_H
#define BUS_CALL_H

#include "bus/back.h"

#define BACK_CALL_S 30

struct back_call {
	struct text source;         /* its id */
	struct text method, params; /* params as JSON */
	bool is_question;           /* could it be called?  Nothing is sent. */
	struct back_ear ear;
	uint64_t ticket; /* names it in the verdict */
};

#endif
